//! Inherited visibility of all nodes in one pass; asking each node would walk up a deep tree
//! repeatedly.

use pleach::{Graph, NodeId};

/// For each node, the node that hides it.
#[derive(Debug)]
pub(crate) struct HiddenBy {
    /// Hiding nodes by slot.
    by_slot: Vec<Option<NodeId>>,
}

impl HiddenBy {
    /// Computes the hiding node of every node. O(nodes).
    pub(crate) fn new(graph: &Graph) -> Self {
        let mut by_slot = vec![None; graph.parents().len()];
        // Parents before children.
        for node in graph.depth_first() {
            let Some(view) = graph.get(node) else { continue };
            let inherited: Option<NodeId> =
                view.parent().and_then(|parent| by_slot[parent.index()]);
            by_slot[node.index()] = inherited.or((!view.is_visible()).then_some(node));
        }
        Self { by_slot }
    }

    /// Returns the topmost invisible node among the node and its ancestors.
    pub(crate) fn get(&self, node: NodeId) -> Option<NodeId> {
        self.by_slot.get(node.index()).copied().flatten()
    }
}
