//! Which node hides which: for all nodes at once, as asking each would walk up a deep tree
//! again and again.

use pleach::{Graph, NodeId};

/// For each node, what hides it.
#[derive(Debug)]
pub(crate) struct Hidden {
    /// By slot.
    by: Vec<Option<NodeId>>,
}

impl Hidden {
    /// O(nodes).
    pub(crate) fn of(graph: &Graph) -> Self {
        let mut by = vec![None; graph.parents().len()];
        // Parents before children.
        for node in graph.depth_first() {
            let Some(view) = graph.get(node) else { continue };
            let above: Option<NodeId> = view.parent().and_then(|parent| by[parent.index()]);
            by[node.index()] = above.or((!view.is_visible()).then_some(node));
        }
        Self { by }
    }

    /// The topmost node above a node, or itself, that is not visible.
    pub(crate) fn by(&self, node: NodeId) -> Option<NodeId> {
        self.by.get(node.index()).copied().flatten()
    }
}
