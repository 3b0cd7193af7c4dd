//! The benchmark tree as a pleach graph.

use pleach::glam::{Mat4, Vec3};
use pleach::{Graph, NodeId};
use pleach_graph::TransformKernel;

use super::tree_spec::{BenchTree, TreeSpec};

#[derive(Debug, Default)]
pub(super) struct PleachTree {
    pub(super) graph: Graph,
    pub(super) nodes: Vec<NodeId>,
}

impl PleachTree {
    pub(super) fn kernel(&self) -> TransformKernel {
        self.graph.kernel()
    }
}

// A failed edit would show when the world transforms are compared.
impl BenchTree for PleachTree {
    fn build(spec: &TreeSpec) -> Self {
        let mut ours = Self::default();
        ours.nodes.reserve(spec.len());
        for (&parent, &local) in spec.parents.iter().zip(&spec.locals) {
            let added = match ours.nodes.get(parent as usize) {
                Some(&parent) => ours.graph.add_child(parent, local),
                None => ours.graph.add_root(local),
            };
            ours.nodes.extend(added);
        }
        ours.update();
        ours
    }

    fn set_translation(&mut self, node: u32, at: Vec3) {
        if let Some(mut node) = self.graph.get_mut(self.nodes[node as usize]) {
            _ = node.set_translation(at);
        }
    }

    fn attach(&mut self, node: u32, parent: u32) {
        _ = self.graph.attach(self.nodes[node as usize], self.nodes[parent as usize]);
    }

    fn update(&mut self) {
        self.graph.update();
        self.graph.clear_changes();
    }

    fn worlds(&self) -> Vec<Mat4> {
        let worlds = self.graph.world_matrices();
        self.nodes.iter().map(|node| worlds[node.index()]).collect()
    }
}
