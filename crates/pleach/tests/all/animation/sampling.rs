//! Tracks that are sampled together have the bits of single ones, whatever their number, times and
//! interpolation are.

use std::sync::Arc;

use crate::common::RandomValues;
use pleach::Table;
use pleach::animation::{
    Binding, BlendLayer, Channel, Clip, Interpolation, Mask, Mixer, Repeat, Track,
};
use pleach::glam::{Quat, Vec3};
use pleach_graph::{Graph, NodeId, Transform};
use testkit::Rng;

const TIMES: [f32; 5] = [0.0, 0.25, 0.5, 0.5, 1.0];

/// Returns random channels of some targets; many share their times.
fn random_channels(random: &mut Rng, targets: u32) -> Vec<Channel> {
    let mut channels = Vec::new();
    for target in 0..targets {
        for kind in 0..3 {
            if random.one_in(5) {
                continue;
            }
            let interpolations =
                [Interpolation::Linear, Interpolation::Step, Interpolation::CubicSpline];
            let interpolation = interpolations[random.below(9).saturating_sub(6)];
            let mut times = TIMES;
            if random.one_in(3) {
                times[1] += random.number().abs() * 0.2;
            }
            let count = times.len() * interpolation.values_per_key();
            let vectors = |random: &mut Rng| -> Vec<Vec3> {
                (0..count).map(|_| Vec3::from_array([0; 3].map(|_| random.number()))).collect()
            };
            let channel = match kind {
                0 => Channel::translation(target, interpolation, times, vectors(random)),
                1 => Channel::scale(target, interpolation, times, vectors(random)),
                _ => {
                    let mut values: Vec<Quat> = vectors(random)
                        .into_iter()
                        .map(|it| Quat::from_xyzw(it.x, it.y, it.z, 0.1))
                        .collect();
                    // Equal keys, and opposite ones, which are equal rotations.
                    values[count - 1] = values[count - 2];
                    values[1] = -values[0];
                    Channel::rotation(target, interpolation, times, values)
                }
            };
            channels.push(channel.unwrap());
        }
    }
    channels
}

fn clip(targets: u32, channels: Vec<Channel>) -> Arc<Clip> {
    Arc::new(Clip::new("clip", vec![""; targets as usize], channels).unwrap())
}

fn random_graph(random: &mut Rng, nodes: u32) -> (Graph, Vec<NodeId>) {
    let mut graph = Graph::new();
    let mut position = || Vec3::from_array([0; 3].map(|_| random.number()));
    let nodes = (0..nodes).map(|_| Transform::from_translation(position()));
    let nodes = nodes.map(|transform| graph.add_root(transform).unwrap()).collect();
    (graph, nodes)
}

fn bits(graph: &Graph, node: NodeId) -> [u32; 10] {
    let Transform { translation, rotation, scale } = graph.node(node).unwrap().transform();
    let [a, b, c] = translation.to_array();
    let [d, e, f, g] = rotation.to_array();
    let [h, i, j] = scale.to_array();
    [a, b, c, d, e, f, g, h, i, j].map(f32::to_bits)
}

#[test]
fn every_track_has_the_bits_of_its_curve() {
    for seed in 0..300 {
        let mut random = Rng::new(seed);
        let targets = 1 + random.below(11) as u32;
        let (mut graph, mut nodes) = random_graph(&mut random, targets);
        if random.one_in(3) {
            nodes.reverse();
        }
        let rest: Vec<Transform> =
            nodes.iter().map(|&node| graph.node(node).unwrap().transform()).collect();
        let clip = clip(targets, random_channels(&mut random, targets));
        let bound: Vec<Option<NodeId>> =
            nodes.iter().map(|&node| (!random.one_in(8)).then_some(node)).collect();
        let binding = Binding::new(Arc::clone(&clip), bound.clone()).unwrap();
        let (mut mixer, mut weights) = (Mixer::new(), Table::new());
        let layer = mixer.add(BlendLayer::new(binding).with_repeat(Repeat::Once), &graph, &weights);
        for _ in 0..12 {
            let time =
                if random.one_in(3) { random.pick(&TIMES) } else { random.number().abs() * 1.2 };
            let player = mixer.player_mut(layer).unwrap();
            player.seek(time);
            let time = player.time();
            mixer.update(0.0, &mut graph, &mut weights);
            let mut expected = rest.clone();
            for channel in clip.channels() {
                let target = channel.target() as usize;
                if bound[target].is_none() {
                    continue;
                }
                match channel.track() {
                    Track::Translation(curve) => expected[target].translation = curve.sample(time),
                    Track::Rotation(curve) => expected[target].rotation = curve.sample(time),
                    Track::Scale(curve) => expected[target].scale = curve.sample(time),
                    Track::Weights(_) => unreachable!(),
                }
            }
            let mut reference = Graph::new();
            for (&node, transform) in nodes.iter().zip(expected) {
                let expected = reference.add_root(transform).unwrap();
                let (found, expected) = (bits(&graph, node), bits(&reference, expected));
                assert_eq!(found, expected, "seed {seed}, {node:?} at {time}");
            }
        }
    }
}

#[test]
fn blending_does_not_depend_on_the_other_tracks_of_a_clip() {
    for seed in 0..200 {
        let mut random = Rng::new(seed);
        let targets = 1 + random.below(11) as u32;
        let (mut graph, nodes) = random_graph(&mut random, targets);
        let mut single = graph.clone();
        let (mut mixer, mut weights) = (Mixer::new(), Table::new());
        let mut single_mixers: Vec<Mixer> = nodes.iter().map(|_| Mixer::new()).collect();
        for _ in 0..1 + random.below(3) {
            let channels = random_channels(&mut random, targets);
            let whole = Binding::new(clip(targets, channels.clone()), nodes.clone()).unwrap();
            let masked = random.pick(&nodes);
            let mask = if random.one_in(2) { Mask::none() } else { Mask::all() };
            let mask = mask.with(masked, random.number().abs());
            let (weight, priority) = (random.number().abs(), random.below(2) as i32);
            let with = |binding: Binding| {
                let layer = BlendLayer::new(binding).with_weight(weight).with_mask(mask.clone());
                layer.with_priority(priority).with_repeat(Repeat::Once)
            };
            mixer.add(with(whole), &graph, &weights);
            for ((&node, mixer), target) in nodes.iter().zip(&mut single_mixers).zip(0..) {
                let own = channels.iter().filter(|it| it.target() == target);
                let own = own.map(|it| Channel::new(0, it.track().clone())).collect();
                mixer.add(with(Binding::new(clip(1, own), [node]).unwrap()), &single, &weights);
            }
        }
        for _ in 0..5 {
            let seconds = random.number().abs() * 0.3;
            mixer.update(seconds, &mut graph, &mut weights);
            for mixer in &mut single_mixers {
                mixer.update(seconds, &mut single, &mut weights);
            }
            for &node in &nodes {
                assert_eq!(bits(&graph, node), bits(&single, node), "seed {seed}, {node:?}");
            }
        }
    }
}

#[test]
fn only_nodes_that_differ_are_changed() {
    let mut random = Rng::new(3);
    let (mut graph, nodes) = random_graph(&mut random, 9);
    let channels = (0..9).map(|target| {
        // Every third node is at rest.
        let end = if target % 3 == 1 { Vec3::ZERO } else { Vec3::X };
        let values = [Vec3::ZERO, end];
        Channel::translation(target, Interpolation::Linear, [0.0, 1.0], values).unwrap()
    });
    let binding = Binding::new(clip(9, channels.collect()), nodes.clone()).unwrap();
    let (mut mixer, mut weights) = (Mixer::new(), Table::new());
    mixer.add(binding, &graph, &weights);
    mixer.update(0.1, &mut graph, &mut weights);
    graph.update();
    graph.clear_changes();
    graph.remove(nodes[6]).unwrap();
    graph.node_mut(nodes[3]).unwrap().set_scale(Vec3::splat(2.0)).unwrap();
    let stats = mixer.update(0.1, &mut graph, &mut weights);
    assert_eq!((stats.transformed, stats.dead), (5, 1));
    graph.update();
    let mut changed: Vec<NodeId> = graph.changed().collect();
    changed.sort_unstable();
    assert_eq!(changed, [0, 2, 3, 5, 8].map(|it: usize| nodes[it]));
    assert_eq!(graph.node(nodes[3]).unwrap().scale(), Vec3::splat(2.0));
}
