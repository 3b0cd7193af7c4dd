//! Which node hides which: for all nodes at once, as asking each would walk up a deep tree
//! again and again.

use pleach::{Graph, NodeId};

/// For each node, what hides it.
#[derive(Debug)]
pub(crate) struct HiddenBy {
    /// By slot.
    by_slot: Vec<Option<NodeId>>,
}

impl HiddenBy {
    /// O(nodes).
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

    /// The topmost node above a node, or itself, that is not visible.
    pub(crate) fn get(&self, node: NodeId) -> Option<NodeId> {
        self.by_slot.get(node.index()).copied().flatten()
    }
}
