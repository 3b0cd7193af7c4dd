//! Nodes to tie, and which way they point, from local transforms alone.

use pleach::glam::{DVec3, Vec3};
use pleach::{Constraint, Node, NodeId, Scene};
use testkit::Rng;

use crate::common::world;

pub(crate) fn look(target: NodeId) -> Constraint {
    Constraint::LookAt { target, up: Vec3::Z }
}

pub(crate) fn tie(scene: &mut Scene, node: NodeId, constraint: Constraint) {
    scene.constraints.set(&scene.graph, node, constraint).unwrap();
}

pub(crate) fn put(scene: &mut Scene, node: NodeId, at: Vec3) {
    scene.graph.node_mut(node).unwrap().set_translation(at).unwrap();
}

pub(crate) fn spawn_at(scene: &mut Scene, under: NodeId, at: Vec3) -> NodeId {
    scene.spawn(Node::group().under(under).at(at)).unwrap()
}

pub(crate) fn place(scene: &Scene, node: NodeId) -> DVec3 {
    world(scene, node).w_axis.truncate()
}

/// Which way an own axis of a node points in the world, from local transforms alone.
pub(crate) fn axis(scene: &Scene, node: NodeId, own: DVec3) -> DVec3 {
    world(scene, node).transform_vector3(own).normalize()
}

/// How much its −Z points beside another node: 0 if it looks at it.
fn beside(scene: &Scene, node: NodeId, target: NodeId) -> f64 {
    let to_target = (place(scene, target) - place(scene, node)).normalize();
    axis(scene, node, DVec3::NEG_Z).cross(to_target).length()
        + (1.0 - axis(scene, node, DVec3::NEG_Z).dot(to_target)).max(0.0)
}

#[track_caller]
pub(crate) fn assert_looks(scene: &Scene, node: NodeId, target: NodeId) {
    let beside = beside(scene, node, target);
    assert!(beside < 1e-5, "{node} looks beside {target} by {beside}");
}

/// How many of all constraints do not look where they should.
pub(crate) fn astray(scene: &Scene) -> usize {
    let rows = scene.constraints.iter(&scene.graph);
    rows.filter(|(node, row)| beside(scene, *node, row.target()) > 1e-4).count()
}

/// Followers, each of which looks at the tip of the one before; the first at `target`. With
/// the slots in the order of the chain, or against it.
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
    let mut ties: Vec<(NodeId, NodeId)> = Vec::new();
    let mut at = target;
    for (node, tip) in nodes {
        ties.push((node, at));
        at = tip;
    }
    (target, ties)
}
