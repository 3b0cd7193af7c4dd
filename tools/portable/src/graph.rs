//! Random edits of a graph: structure, transforms, matrices and visibility.

use glam::Vec3;
use pleach_graph::axes::LocalAxes;
use pleach_graph::rotation::slerp;
use pleach_graph::{ChangeReader, Graph, NodeId, Transform};
use testkit::Rng;

use crate::Kernels;
use crate::digest::Digest;
use crate::random::RandomTransform;

/// The edits of a mix, by `seed % 3`.
#[derive(Clone, Copy, Debug)]
enum Edit {
    Add,
    Attach,
    AttachInPlace,
    Detach,
    DetachInPlace,
    Remove,
    Clone,
    SetTransform,
    SetTranslation,
    SetRotation,
    SetScale,
    SetMatrix,
    LookAt,
    Face,
    SetVisible,
    Aim,
    SetWorldTranslation,
    SetWorldRotation,
    SetWorldMatrix,
    Translate,
    Rotate,
}

use Edit::*;

const MIXES: [&[Edit]; 3] = [
    &[SetTransform, SetTranslation, SetRotation, SetScale, SetMatrix, LookAt, Add],
    &[Add, Add, Attach, Attach, Detach, Remove, Clone, SetVisible, SetTranslation],
    &[AttachInPlace, DetachInPlace, SetMatrix, LookAt, Face, SetTransform, Attach, Add],
];

/// The edits of [`record_world_space`].
const WORLD_SPACE: &[Edit] = &[
    Add,
    Aim,
    AttachInPlace,
    Rotate,
    SetMatrix,
    SetTransform,
    SetWorldMatrix,
    SetWorldRotation,
    SetWorldTranslation,
    Translate,
];

pub(crate) fn record(seed: u64, kernels: Kernels) -> u64 {
    record_mix(seed, kernels, MIXES[seed as usize % MIXES.len()])
}

/// Edits in world space, and relative ones.
pub(crate) fn record_world_space(seed: u64, kernels: Kernels) -> u64 {
    record_mix(seed, kernels, WORLD_SPACE)
}

fn record_mix(seed: u64, kernels: Kernels, mix: &[Edit]) -> u64 {
    let mut random = Rng::new(seed);
    let mut digest = Digest::new();
    let mut graph = Graph::new();
    kernels.set_graph(&mut graph);
    let mut reader = graph.change_reader();
    let mut nodes = vec![graph.add_root(Transform::IDENTITY).unwrap()];
    for _ in 0..80 {
        apply(Add, &mut graph, &mut nodes, &mut random);
    }
    for round in 0..12 {
        // Few and many edits: both ways in which an update selects nodes.
        for _ in 0..if round % 3 == 0 { 60 } else { random.below(6) } {
            let edit = random.pick(mix);
            if nodes.len() < 400 || !matches!(edit, Clone | Add) {
                apply(edit, &mut graph, &mut nodes, &mut random);
            }
        }
        let node = random.pick(&nodes);
        digest.matrix(&graph.node(node).unwrap().compute_world());
        kernels.update_graph(&mut graph);
        hash(&graph, &mut reader, &mut digest);
        if round % 2 == 0 {
            graph.clear_changes();
        }
    }
    digest.finish()
}

fn apply(edit: Edit, graph: &mut Graph, nodes: &mut Vec<NodeId>, random: &mut Rng) {
    let (node, other) = (random.pick(nodes), random.pick(nodes));
    let transform = random.transform(5.0);
    match edit {
        Add => nodes.push(graph.add_child(node, transform).unwrap()),
        Attach => _ = graph.attach(node, other),
        AttachInPlace => _ = graph.attach_in_place(node, other),
        Detach => graph.detach(node).unwrap(),
        DetachInPlace => _ = graph.detach_in_place(node),
        Remove if nodes.len() > 60 => {
            graph.remove(node).unwrap();
            nodes.retain(|&node| graph.contains(node));
            if nodes.is_empty() {
                nodes.push(graph.add_root(transform).unwrap());
            }
        }
        Remove => {}
        Clone => {
            let clones = graph.clone_subtree(node, None).unwrap();
            nodes.push(clones.root());
        }
        SetTransform => _ = graph.node_mut(node).unwrap().set_transform(transform).unwrap(),
        SetTranslation => {
            _ = graph.node_mut(node).unwrap().set_translation(transform.translation).unwrap();
        }
        SetRotation => {
            let rotation = slerp(transform.rotation, random.rotation(), random.between(0.0, 1.0));
            _ = graph.node_mut(node).unwrap().set_rotation(rotation).unwrap();
        }
        SetScale => _ = graph.node_mut(node).unwrap().set_scale(transform.scale).unwrap(),
        SetMatrix => {
            let matrix = random.invertible(5.0);
            _ = graph.node_mut(node).unwrap().set_local_matrix(matrix).unwrap();
        }
        LookAt => _ = graph.node_mut(node).unwrap().look_at(random.vec3(20.0), Vec3::Z),
        Face => _ = graph.node_mut(node).unwrap().face(random.vec3(20.0), Vec3::Z),
        SetVisible => {
            let visible = random.one_in(2);
            graph.node_mut(node).unwrap().set_visible(visible);
        }
        Aim => {
            let axes = LocalAxes::new(random.vec3(1.0), random.vec3(1.0));
            let axes = axes.unwrap_or(LocalAxes::MODEL_Y_UP);
            _ = graph.node_mut(node).unwrap().aim(axes, random.vec3(20.0), random.vec3(1.0));
        }
        SetWorldTranslation => {
            _ = graph.node_mut(node).unwrap().set_world_translation(random.vec3(20.0));
        }
        SetWorldRotation => {
            _ = graph.node_mut(node).unwrap().set_world_rotation(transform.rotation);
        }
        SetWorldMatrix => {
            let matrix = random.invertible(5.0);
            _ = graph.node_mut(node).unwrap().set_world_matrix(matrix);
        }
        Translate => {
            let mut node = graph.node_mut(node).unwrap();
            _ = node.translate(transform.translation).unwrap();
            _ = node.translate_local(transform.scale).unwrap();
        }
        Rotate => {
            let mut node = graph.node_mut(node).unwrap();
            _ = node.rotate(transform.rotation).unwrap();
            _ = node.rotate_local(random.rotation()).unwrap();
        }
    }
}

fn hash(graph: &Graph, reader: &mut ChangeReader, digest: &mut Digest) {
    digest.nodes(graph.changed());
    digest.nodes(graph.shown_changed());
    digest.nodes(graph.removed().iter().copied());
    let changes = reader.read(graph).unwrap();
    digest.nodes(changes.changed());
    for node in graph.depth_first() {
        let node = graph.node(node).unwrap();
        digest.node(node.id());
        digest.number(node.depth());
        digest.number(usize::from(node.is_shown()));
        digest.transform(node.transform());
        digest.matrix(&node.local_matrix());
        digest.matrix(&node.world());
        digest.floats(&node.normal_matrix().to_cols_array());
        if let Some(inverse) = node.inverse_world() {
            digest.matrix(&inverse);
        }
    }
}
