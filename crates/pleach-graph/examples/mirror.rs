//! The contract of a system: whatever it keeps in step with a graph, it updates from
//! the changes of its own `ChangeReader`, once per frame, after `Graph::update`.
//!
//! Two systems follow random edits: a copy of the tree with its world matrices, as a
//! renderer or a physics world keeps, and the list of what is shown. After each frame
//! both equal the graph, although neither ever visits it as a whole.

use std::collections::BTreeMap;

use pleach_graph::glam::{Mat4, Vec3};
use pleach_graph::{ChangeReader, Changes, Error, Graph, NodeId, NodeRef, Transform, rotation};

/// A system that is brought up to date once per frame.
trait System {
    fn sync(&mut self, changes: &Changes<'_>, graph: &Graph) -> Result<(), Error>;
}

/// A copy of every node.
#[derive(Default)]
struct Mirror {
    nodes: BTreeMap<NodeId, MirrorNode>,
}

#[derive(Clone, Debug, PartialEq)]
struct MirrorNode {
    parent: Option<NodeId>,
    name: Option<String>,
    world: Mat4,
}

impl MirrorNode {
    fn of(node: NodeRef<'_>) -> Self {
        let name = node.name().map(str::to_owned);
        Self { parent: node.parent(), name, world: node.world() }
    }
}

impl System for Mirror {
    fn sync(&mut self, changes: &Changes<'_>, graph: &Graph) -> Result<(), Error> {
        for node in changes.removed() {
            self.nodes.remove(node);
        }
        for node in changes.added() {
            self.nodes.insert(node, MirrorNode::of(graph.node(node)?));
        }
        // These nodes are all in the copy: they were there before, or were just added.
        for node in changes.reparented() {
            self.nodes
                .entry(node)
                .and_modify(|copy| copy.parent = graph.get(node).and_then(NodeRef::parent));
        }
        for node in changes.renamed() {
            let name = graph.node(node)?.name().map(str::to_owned);
            self.nodes.entry(node).and_modify(|copy| copy.name = name);
        }
        for node in changes.changed() {
            let world = graph.node(node)?.world();
            self.nodes.entry(node).and_modify(|copy| copy.world = world);
        }
        Ok(())
    }
}

/// The positions of the nodes that are shown.
#[derive(Default)]
struct Shown {
    positions: BTreeMap<NodeId, Vec3>,
}

impl System for Shown {
    fn sync(&mut self, changes: &Changes<'_>, graph: &Graph) -> Result<(), Error> {
        for node in changes.removed() {
            self.positions.remove(node);
        }
        for id in changes.added().chain(changes.shown_changed()).chain(changes.changed()) {
            let node = graph.node(id)?;
            if node.is_shown() {
                self.positions.insert(id, node.world_translation());
            } else {
                self.positions.remove(&id);
            }
        }
        Ok(())
    }
}

/// One random edit. The numbers are those of a linear congruential generator.
fn edit(graph: &mut Graph, mut random: impl FnMut(usize) -> usize) -> Result<(), Error> {
    let nodes: Vec<NodeId> = graph.depth_first().collect();
    let Some(&node) = nodes.get(random(nodes.len().max(1))) else {
        return graph.add_root(Transform::IDENTITY).map(drop);
    };
    let other = nodes[random(nodes.len())];
    match random(9) {
        0 => _ = graph.add_root(Transform::from_xyz(0.0, 0.0, 1.0))?,
        1 | 2 => _ = graph.add_child(node, Transform::from_xyz(1.0, 0.0, 0.0))?,
        3 => _ = graph.attach(node, other), // rejected if it would be a cycle
        4 => graph.detach(node)?,
        5 => _ = graph.node_mut(node)?.set_name(["oak", "elm"][random(2)]),
        6 => _ = graph.node_mut(node)?.set_visible(random(2) == 0),
        7 if nodes.len() > 40 => _ = graph.remove(node)?,
        _ => _ = graph.node_mut(node)?.rotate(rotation::from_rotation_z(random(6) as f32))?,
    }
    Ok(())
}

pub(crate) fn main() -> Result<(), Error> {
    let mut state = 7_u64;
    let mut random = |below: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let mut graph = Graph::new();
    let mut readers: [ChangeReader; 2] = [graph.change_reader(), graph.change_reader()];
    let (mut mirror, mut shown) = (Mirror::default(), Shown::default());
    for frame in 0..300 {
        for _ in 0..random(30) {
            edit(&mut graph, &mut random)?;
        }
        graph.update();
        let systems: [&mut dyn System; 2] = [&mut mirror, &mut shown];
        for (system, reader) in systems.into_iter().zip(&mut readers) {
            system.sync(&reader.read(&graph)?, &graph)?;
        }

        let nodes = graph.depth_first().filter_map(|node| graph.get(node));
        let expected: BTreeMap<NodeId, MirrorNode> =
            nodes.map(|node| (node.id(), MirrorNode::of(node))).collect();
        assert_eq!(mirror.nodes, expected, "frame {frame}");
        let nodes = graph.depth_first().shown().filter_map(|node| graph.get(node));
        let expected: BTreeMap<NodeId, Vec3> =
            nodes.map(|node| (node.id(), node.world_translation())).collect();
        assert_eq!(shown.positions, expected, "frame {frame}");
    }
    println!("after 300 frames both systems equal the graph of {} nodes", graph.len());
    Ok(())
}
