//! A steady frame of animation does not allocate.

use pleach::Table;
use pleach::animation::{Binding, BlendLayer, Channel, Clip, Interpolation, Mask, Mixer, Repeat};
use pleach::glam::{Quat, Vec3};
use pleach_graph::{Graph, NodeId, Transform};
use testkit::allocations::Tally;

fn clip(name: &str, joints: u32, rotation: f32) -> Clip {
    let mut channels = Vec::new();
    for joint in 0..joints {
        let times = [0.0, 0.4, 1.0 + joint as f32 * 0.01];
        let rotations = [0.0, rotation, rotation * 2.0].map(Quat::from_rotation_x);
        channels.push(Channel::rotation(joint, Interpolation::Linear, times, rotations).unwrap());
        let translations = [Vec3::ZERO, Vec3::X, Vec3::Y];
        channels
            .push(Channel::translation(joint, Interpolation::Linear, times, translations).unwrap());
        let scales = [Vec3::ONE; 9];
        channels.push(Channel::scale(joint, Interpolation::CubicSpline, times, scales).unwrap());
    }
    for joint in [0, joints - 1] {
        let weights = [0.0, 0.1, 0.2, 0.3, 0.9, 0.8, 0.7, 0.6];
        channels.push(Channel::weights(joint, Interpolation::Linear, [0.0, 1.0], weights).unwrap());
    }
    Clip::new(name, vec![""; joints as usize], channels).unwrap()
}

#[test]
fn steady_frame_does_not_allocate() {
    let mut graph = Graph::new();
    let mut weights = Table::new();
    let root = graph.add_root(Transform::IDENTITY).unwrap();
    let mut joints: Vec<NodeId> = vec![root];
    for joint in 1..40 {
        joints.push(graph.add_child(joints[joint / 2], Transform::IDENTITY).unwrap());
    }
    let bind = |clip: Clip| BlendLayer::new(Binding::new(clip, joints.clone()).unwrap());
    let mut mixer = Mixer::new();
    mixer.add(bind(clip("walk", 40, 0.5)), &graph, &weights);
    mixer.add(bind(clip("run", 40, 0.7)).with_weight(0.4), &graph, &weights);
    let mask = Mask::subtree(&graph, joints[7]).unwrap().with(joints[1], 0.5);
    mixer.add(bind(clip("wave", 40, 1.0)).with_mask(mask).with_priority(1), &graph, &weights);
    let breath = bind(clip("breath", 40, 0.1)).additive().with_repeat(Repeat::PingPong);
    mixer.add(breath, &graph, &weights);
    let fading_out = mixer.add(bind(clip("idle", 40, 0.2)), &graph, &weights);

    let mut transformed = 0;
    // The update of the graph has its own test.
    let mut frame = |mixer: &mut Mixer, graph: &mut Graph| {
        let before = Tally::now().calls;
        transformed += mixer.update(1.0 / 60.0, graph, &mut weights).transformed;
        let allocations = Tally::now().calls - before;
        graph.update();
        graph.clear_changes();
        allocations
    };
    // A steady frame includes dead nodes, a fade, and the frames after it has finished.
    graph.remove(joints[39]).unwrap();
    for _ in 0..10 {
        frame(&mut mixer, &mut graph);
    }
    mixer.fade_out(fading_out, 0.5);
    let allocations: usize = (0..300).map(|_| frame(&mut mixer, &mut graph)).sum();
    assert_eq!(mixer.layers().len(), 4);
    assert!(transformed > 300 * 30, "{transformed}");
    assert_eq!(allocations, 0);
}
