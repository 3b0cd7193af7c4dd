//! Layers of random clips: sampled, blended, faded, masked and added.

use pleach::animation::{Binding, BlendLayer, Channel, Clip, Interpolation, Mask, Mixer, Repeat};
use pleach::{Node, NodeId, Scene};
use testkit::Rng;

use crate::Kernels;
use crate::digest::Digest;
use crate::random::RandomTransform;

const NODES: usize = 8;
const TARGETS: usize = 2;

pub(crate) fn record(seed: u64, kernels: Kernels) -> u64 {
    let mut random = Rng::new(seed);
    let mut scene = Scene::new();
    kernels.set_scene(&mut scene);
    let mut nodes: Vec<NodeId> = Vec::new();
    for index in 0..NODES {
        let parent = if index == 0 { scene.root() } else { random.pick(&nodes) };
        let node = Node::group().under(parent).with_transform(random.transform(1.0));
        nodes.push(scene.spawn(node).unwrap());
    }
    let mut mixer = Mixer::new();
    let mut digest = Digest::new();
    let layers = [
        layer(&mut random, &nodes, Interpolation::Linear).with_weight(0.6),
        layer(&mut random, &nodes, Interpolation::CubicSpline).with_speed(-0.7),
        layer(&mut random, &nodes, Interpolation::Step).with_repeat(Repeat::PingPong),
        layer(&mut random, &nodes, Interpolation::Linear)
            .with_priority(1)
            .with_mask(Mask::none().with(nodes[3], 0.4).with(nodes[5], 1.0)),
        layer(&mut random, &nodes, Interpolation::CubicSpline).with_weight(0.5).additive(),
    ];
    for layer in layers {
        mixer.add(layer, &scene.graph, &scene.weights);
    }
    for frame in 0..24 {
        if frame == 10 {
            let layer = layer(&mut random, &nodes, Interpolation::Linear);
            mixer.fade_to(layer, 0.3, &scene.graph, &scene.weights);
        }
        scene.animate(&mut mixer, random.between(0.0, 0.2));
        kernels.update_scene(&mut scene);
        for &node in &nodes {
            let entry = scene.graph.node(node).unwrap();
            digest.transform(entry.transform());
            digest.matrix(&entry.world());
            digest.floats(scene.weights.get(&scene.graph, node).map_or(&[][..], |it| it));
        }
    }
    digest.finish()
}

/// Returns a layer that plays a random clip on all nodes.
fn layer(random: &mut Rng, nodes: &[NodeId], interpolation: Interpolation) -> BlendLayer {
    const KEYS: usize = 5;
    let values = if interpolation == Interpolation::CubicSpline { 3 * KEYS } else { KEYS };
    let mut time = 0.0;
    let times: Vec<f32> = [(); KEYS]
        .map(|()| {
            time += random.between(0.05, 0.4);
            time
        })
        .into();
    let mut channels = Vec::new();
    for target in 0..NODES as u32 {
        let translations: Vec<_> = (0..values).map(|_| random.vec3(2.0)).collect();
        let rotations: Vec<_> = (0..values).map(|_| random.rotation()).collect();
        let scales: Vec<_> = (0..values).map(|_| random.scale()).collect();
        let weights: Vec<f32> = (0..values * TARGETS).map(|_| random.between(0.0, 1.0)).collect();
        let times = || times.clone();
        channels.extend([
            Channel::translation(target, interpolation, times(), translations).unwrap(),
            Channel::rotation(target, interpolation, times(), rotations).unwrap(),
            Channel::scale(target, interpolation, times(), scales).unwrap(),
            Channel::weights(target, interpolation, times(), weights).unwrap(),
        ]);
    }
    let names = (0..NODES).map(|index| format!("node {index}"));
    let clip = Clip::new("random", names, channels).unwrap();
    BlendLayer::new(Binding::new(clip, nodes.iter().copied()).unwrap())
}
