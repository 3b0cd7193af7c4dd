//! The edits that `packages/pleach/test/recording.ts` performs in JavaScript: the same random numbers, the same order.

use glam::{EulerRot, Vec3};
use pleach_graph::{Graph, NodeId, Transform, rotation};

use crate::Kernels;
use crate::digest::Digest;

/// mulberry32: a generator whose numbers JavaScript computes exactly, too.
struct Random(u32);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_add(0x6d2b_79f5);
        let mut t = (self.0 ^ (self.0 >> 15)).wrapping_mul(1 | self.0);
        t = t.wrapping_add((t ^ (t >> 7)).wrapping_mul(61 | t)) ^ t;
        t ^ (t >> 14)
    }

    fn below(&mut self, n: usize) -> usize {
        ((u64::from(self.next()) * n as u64) >> 32) as usize
    }

    /// A multiple of 1/64: the same `f32` and `f64`.
    fn number(&mut self, from: i32, to: i32) -> f32 {
        (self.below((to - from) as usize) as i32 + from) as f32 / 64.0
    }

    fn vec3(&mut self, from: i32, to: i32) -> Vec3 {
        let (x, y) = (self.number(from, to), self.number(from, to));
        Vec3::new(x, y, self.number(from, to))
    }
}

pub(crate) fn record(seed: u64, kernels: Kernels) -> u64 {
    let mut random = Random(seed as u32);
    let mut graph = Graph::new();
    kernels.set_graph(&mut graph);
    let mut nodes = vec![graph.add_root(Transform::IDENTITY).unwrap()];
    for _ in 0..4000 {
        step(&mut random, kernels, &mut graph, &mut nodes);
    }
    kernels.update_graph(&mut graph);
    let mut digest = Digest::new();
    for &node in &nodes {
        digest.matrix(&graph.node(node).unwrap().world());
    }
    digest.finish()
}

fn step(random: &mut Random, kernels: Kernels, graph: &mut Graph, nodes: &mut Vec<NodeId>) {
    let action = random.below(10);
    let node = nodes[random.below(nodes.len())];
    if action < 3 {
        let translation = random.vec3(-320, 320);
        let [x, y, z] = random.vec3(-256, 256).to_array();
        let scale = random.vec3(32, 96);
        let transform = Transform::from_translation(translation).with_scale(scale);
        let child = graph.add_child(node, transform).unwrap();
        set_rotation(graph, child, x, y, z);
        nodes.push(child);
    } else if action == 3 {
        kernels.update_graph(graph);
    } else if node == nodes[0] {
        // The root stays where it is.
    } else if action == 4 {
        let position = random.vec3(-320, 320);
        graph.node_mut(node).unwrap().set_translation(position).unwrap();
    } else if action == 5 {
        let turn = rotation::from_euler(EulerRot::XYZ, 0.0, 0.0, random.number(-256, 256));
        let mut node = graph.node_mut(node).unwrap();
        let product = rotation::mul(node.rotation(), turn);
        node.set_rotation(product).unwrap();
    } else if action == 6 {
        let scale = random.vec3(32, 96);
        graph.node_mut(node).unwrap().set_scale(scale).unwrap();
    } else if action == 7 {
        let [x, y, z] = random.vec3(-256, 256).to_array();
        set_rotation(graph, node, x, y, z);
    } else {
        let parent = nodes[random.below(nodes.len())];
        // A cycle is an error that changes nothing.
        let _ = graph.attach(node, parent);
    }
}

fn set_rotation(graph: &mut Graph, node: NodeId, x: f32, y: f32, z: f32) {
    let rotation = rotation::from_euler(EulerRot::XYZ, x, y, z);
    graph.node_mut(node).unwrap().set_rotation(rotation).unwrap();
}
