//! Constrained nodes, and their orientation computed from local transforms alone.

use pleach::glam::{DVec3, Vec3};
use pleach::{Constraint, Node, NodeId, Scene};
use testkit::Rng;

use crate::common::world;

pub(crate) fn look(target: NodeId) -> Constraint {
    Constraint::LookAt { target, up: Vec3::Z }
}

pub(crate) fn constrain(scene: &mut Scene, node: NodeId, constraint: Constraint) {
    scene.constraints.insert(&scene.graph, node, constraint).unwrap();
}

pub(crate) fn set_position(scene: &mut Scene, node: NodeId, at: Vec3) {
    scene.graph.node_mut(node).unwrap().set_translation(at).unwrap();
}

pub(crate) fn spawn_at(scene: &mut Scene, parent: NodeId, at: Vec3) -> NodeId {
    scene.spawn(Node::group().under(parent).at(at)).unwrap()
}

pub(crate) fn position(scene: &Scene, node: NodeId) -> DVec3 {
    world(scene, node).w_axis.truncate()
}

/// Computes the world direction of a local axis of a node, from local transforms alone.
pub(crate) fn axis(scene: &Scene, node: NodeId, local_axis: DVec3) -> DVec3 {
    world(scene, node).transform_vector3(local_axis).normalize()
}

/// Returns the deviation of a node's −Z from the direction to `target`: 0 if it looks at it.
fn misalignment(scene: &Scene, node: NodeId, target: NodeId) -> f64 {
    let to_target = (position(scene, target) - position(scene, node)).normalize();
    axis(scene, node, DVec3::NEG_Z).cross(to_target).length()
        + (1.0 - axis(scene, node, DVec3::NEG_Z).dot(to_target)).max(0.0)
}

#[track_caller]
pub(crate) fn assert_looks_at(scene: &Scene, node: NodeId, target: NodeId) {
    let misalignment = misalignment(scene, node, target);
    assert!(misalignment < 1e-5, "{node} does not look at {target}: {misalignment}");
}

/// Counts the constraints whose node does not look at its target.
pub(crate) fn misaligned_count(scene: &Scene) -> usize {
    let constraints = scene.constraints.iter(&scene.graph);
    constraints
        .filter(|(node, constraint)| misalignment(scene, *node, constraint.target()) > 1e-4)
        .count()
}

/// Spawns a chain of nodes, each of which is to look at the tip of the previous one, and the first
/// at `target`. Returns the target, and pairs of node and its target; slots are in the order of
/// the chain, or reversed.
pub(crate) fn chain(
    scene: &mut Scene,
    length: usize,
    backwards: bool,
) -> (NodeId, Vec<(NodeId, NodeId)>) {
    let root = scene.root();
    let mut random = Rng::new(6);
    let mut nodes = Vec::new();
    for _ in 0..length {
        let node = spawn_at(scene, root, random.vec3(10.0));
        nodes.push((node, spawn_at(scene, node, random.vec3(2.0))));
    }
    if backwards {
        nodes.reverse();
    }
    let target = spawn_at(scene, root, Vec3::X * 30.0);
    let mut pairs: Vec<(NodeId, NodeId)> = Vec::new();
    let mut at = target;
    for (node, tip) in nodes {
        pairs.push((node, at));
        at = tip;
    }
    (target, pairs)
}
