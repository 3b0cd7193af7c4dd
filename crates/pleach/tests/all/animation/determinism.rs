//! Animation is bit-for-bit the same on every machine, in debug and release: a fixed
//! recording has a fixed hash. The keys are generated without trigonometry.

use pleach::Table;
use pleach::animation::{Binding, BlendLayer, Channel, Clip, Interpolation, Mask, Mixer, Repeat};
use pleach::glam::{Quat, Vec3};
use pleach_graph::{Graph, NodeId, Transform};
use testkit::Fnv;

const JOINTS: u32 = 16;

/// Returns a pseudo-random number from −1 to 1 for an index.
fn number(index: u32) -> f32 {
    let bits = index.wrapping_mul(2_654_435_761) ^ 0x5bd1_e995;
    (bits.wrapping_mul(0x9e37_79b1) >> 8) as f32 / (1 << 23) as f32 - 1.0
}

fn clip(seed: u32) -> Clip {
    let mut channels = Vec::new();
    for joint in 0..JOINTS {
        let interpolation =
            [Interpolation::Linear, Interpolation::CubicSpline, Interpolation::Step]
                [((joint + seed) % 3) as usize];
        let times: Vec<f32> =
            (0..5).map(|key| key as f32 * 0.37 + number(joint).abs() * 0.2).collect();
        let count = 5 * interpolation.values_per_key() as u32;
        let at = |index: u32, component: u32| {
            number(seed * 7_919 + joint * 997 + index * 31 + component)
        };
        let vector = |index: u32| Vec3::new(at(index, 0), at(index, 1), at(index, 2));
        let vectors: Vec<Vec3> = (0..count).map(vector).collect();
        let rotation =
            |index: u32| Quat::from_array([3, 4, 5, 6].map(|component| at(index, component)));
        let rotations: Vec<Quat> = (0..count).map(rotation).collect();
        channels.push(Channel::rotation(joint, interpolation, times.clone(), rotations).unwrap());
        channels.push(
            Channel::translation(joint, interpolation, times.clone(), vectors.clone()).unwrap(),
        );
        channels.push(Channel::scale(joint, interpolation, times.clone(), vectors).unwrap());
        let weights: Vec<f32> = (0..count * 3).map(|index| at(index, 7)).collect();
        channels.push(Channel::weights(joint, interpolation, times, weights).unwrap());
    }
    Clip::new("clip", vec![""; JOINTS as usize], channels).unwrap()
}

#[test]
fn recorded_animation_has_a_fixed_hash() {
    let (mut graph, mut weights) = (Graph::new(), Table::new());
    let mut joints: Vec<NodeId> = Vec::new();
    for joint in 0..JOINTS {
        let transform = Transform::from_xyz(number(joint), 0.5, 0.25);
        joints.push(match joint {
            0 => graph.add_root(transform).unwrap(),
            _ => graph.add_child(joints[joint as usize / 2], transform).unwrap(),
        });
    }
    let bind = |seed: u32| BlendLayer::new(Binding::new(clip(seed), joints.clone()).unwrap());
    let mut mixer = Mixer::new();
    mixer.add(bind(1), &graph, &weights);
    let mut bits = Fnv::new();
    for frame in 0..240 {
        match frame {
            40 => drop(mixer.add(bind(2).with_weight(0.6).with_speed(-1.3), &graph, &weights)),
            80 => {
                let mask = Mask::subtree(&graph, joints[2]).unwrap().with(joints[1], 0.3);
                mixer.add(bind(3).with_mask(mask).with_priority(1), &graph, &weights);
            }
            120 => {
                let layer = bind(4).additive().with_repeat(Repeat::PingPong).with_weight(0.7);
                mixer.add(layer, &graph, &weights);
            }
            160 => drop(mixer.fade_to(bind(5), 0.4, &graph, &weights)),
            _ => {}
        }
        mixer.update(1.0 / 60.0, &mut graph, &mut weights);
        for &joint in &joints {
            let transform = graph.node(joint).unwrap().transform();
            bits.write_f32s(&transform.translation.to_array());
            bits.write_f32s(&transform.rotation.to_array());
            bits.write_f32s(&transform.scale.to_array());
            bits.write_f32s(weights.get(&graph, joint).unwrap());
        }
    }
    assert_eq!(format!("{:016x}", bits.finish()), "4cf3196f63f8753a");
}
