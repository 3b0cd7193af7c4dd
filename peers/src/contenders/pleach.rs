//! `pleach`: the graph of `pleach-graph`, edited through its handles and updated on one thread. A
//! frame ends with `clear_changes`, as in a program.

use pleach_graph::glam::{Quat, Vec3};
use pleach_graph::{Graph, NodeId, Transform};

use crate::contender::{Contender, Edits};
use crate::prepared::Prepared;
use crate::scene::{Local, ROOT, Scene, position_at};
use crate::workload::Workload;

#[derive(Default)]
pub struct Pleach {
    pub(super) graph: Graph,
    pub(super) nodes: Vec<NodeId>,
    pub(super) prepared: Prepared<Transform>,
}

const IN_GRAPH: &str = "every node of the scene is in the graph";
pub(super) const FINITE: &str = "the transform is finite";

impl Pleach {
    /// Returns the graph, for measurements of pleach alone.
    pub fn graph(&mut self) -> &mut Graph {
        &mut self.graph
    }

    pub fn move_all(&mut self, step: u32) {
        for (number, &node) in (0..).zip(&self.nodes) {
            set_translation(&mut self.graph, node, position_at(number, step));
        }
    }

    fn set_all(&mut self, step: u32) {
        let prepared = self.prepared.at(step, self.nodes.len(), transform);
        for (&node, &transform) in self.nodes.iter().zip(prepared) {
            let mut node = self.graph.node_mut(node).expect(IN_GRAPH);
            node.set_transform(transform).expect(FINITE);
        }
    }

    pub fn move_some(&mut self, numbers: &[u32], step: u32) {
        for &number in numbers {
            let node = self.nodes[number as usize];
            set_translation(&mut self.graph, node, position_at(number, step));
        }
    }

    fn add(&mut self, number: u32, parent: u32, local: &Local) -> NodeId {
        let parent = self.nodes[parent as usize];
        self.graph
            .add_child(parent, transform(local))
            .unwrap_or_else(|error| panic!("node {number} cannot be added: {error}"))
    }

    fn attach(&mut self, pairs: &[(u32, u32)]) {
        for &(node, parent) in pairs {
            let (node, parent) = (self.nodes[node as usize], self.nodes[parent as usize]);
            self.graph.attach(node, parent).expect("the edits create no cycle");
        }
    }

    fn replace(&mut self, leaves: &[(u32, u32)], step: u32) {
        for &(leaf, _) in leaves {
            let node = self.nodes[leaf as usize];
            self.graph.remove(node).expect(IN_GRAPH);
        }
        for &(leaf, parent) in leaves {
            self.nodes[leaf as usize] = self.add(leaf, parent, &Local::at(position_at(leaf, step)));
        }
    }

    pub(super) fn update(&mut self) {
        self.graph.update();
        self.graph.clear_changes();
    }
}

/// Inlined, as if it were written at the call site.
#[inline(always)]
fn set_translation(graph: &mut Graph, node: NodeId, translation: [f32; 3]) {
    let mut node = graph.node_mut(node).expect(IN_GRAPH);
    node.set_translation(Vec3::from_array(translation)).expect(FINITE);
}

/// Inlined, as if it were written at the call site.
#[inline(always)]
pub(super) fn transform(local: &Local) -> Transform {
    Transform {
        translation: Vec3::from_array(local.translation),
        rotation: Quat::from_array(local.rotation),
        scale: Vec3::from_array(local.scale),
    }
}

impl Contender for Pleach {
    fn supports(&self, _: Workload) -> bool {
        true
    }

    fn clear(&mut self) {
        *self = Self::default();
    }

    fn build(&mut self, scene: &Scene) {
        self.graph = Graph::with_capacity(scene.len()).expect("the scene fits");
        self.nodes = Vec::with_capacity(scene.len());
        let root = transform(&scene.locals[ROOT as usize]);
        self.nodes.push(self.graph.add_root(root).expect("a first node fits"));
        for (number, parent) in scene.children() {
            let node = self.add(number, parent, &scene.locals[number as usize]);
            self.nodes.push(node);
        }
        self.update();
    }

    fn frame(&mut self, edits: Edits<'_>) {
        match edits {
            Edits::Nothing => {}
            Edits::MoveAll { step } => self.move_all(step),
            Edits::SetAll { step } => self.set_all(step),
            Edits::MoveRoot { step } => self.move_some(&[ROOT], step),
            Edits::MoveLeaves { leaves, step } => self.move_some(leaves, step),
            Edits::Attach(pairs) => self.attach(pairs),
            Edits::Replace { leaves, step } => self.replace(leaves, step),
        }
        self.update();
    }

    fn worlds(&mut self) -> Vec<[f32; 16]> {
        let world = |&node: &NodeId| {
            let node = self.graph.node(node).expect(IN_GRAPH);
            node.world().to_cols_array()
        };
        self.nodes.iter().map(world).collect()
    }
}
