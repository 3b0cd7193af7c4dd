//! `Visible`: what one view sees, in buffers that the caller keeps.
//!
//! Invariant: `nodes` and `bits` have the same nodes, and `nodes` are in the order
//! of their slots, whichever way they were found.

use pleach_graph::NodeId;

use crate::index::rows::WORD;

/// The nodes that a view sees: a list, and a bit for each slot.
///
/// Belongs to its caller and to one view. Keep it from frame to frame: after the
/// first ones, culling into it allocates nothing.
#[derive(Clone, Debug, Default)]
pub struct Visible {
    pub(crate) nodes: Vec<NodeId>,
    /// By slot.
    pub(crate) bits: Vec<u64>,
    boxes_tested: usize,
    used_tree: bool,
    /// By row: what is not culled, before any filter.
    pub(crate) words: Vec<u64>,
    /// The same as a list, and after the filter.
    pub(crate) rows: Vec<u32>,
}

impl Visible {
    /// Nothing seen yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The nodes in view: each once, in the order of their slots
    /// ([`NodeId::index`]), whether a scan or the tree found them.
    #[must_use]
    pub fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// Is the node in view? O(1).
    ///
    /// Knows slots only: asked for a node that was removed, it tells of the node
    /// that was in that slot when the view was culled.
    #[must_use]
    pub fn contains(&self, node: NodeId) -> bool {
        let (word, bit) = (node.index() / WORD, node.index() % WORD);
        self.bits.get(word).is_some_and(|bits| bits >> bit & 1 != 0)
    }

    /// A bit for each slot; slots past the end are not in view.
    #[must_use]
    pub fn bits(&self) -> &[u64] {
        &self.bits
    }

    /// How many nodes are in view.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Is nothing in view?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// How many boxes were tested against the frustum, those inside the tree
    /// included.
    #[must_use]
    pub fn boxes_tested(&self) -> usize {
        self.boxes_tested
    }

    /// Did the tree find them, rather than a scan of all boxes?
    #[must_use]
    pub fn used_tree(&self) -> bool {
        self.used_tree
    }

    pub(crate) fn begin(&mut self, slots: usize) {
        self.nodes.clear();
        self.bits.clear();
        self.bits.resize(slots.div_ceil(WORD), 0);
    }

    pub(crate) fn finish(&mut self, boxes_tested: usize, used_tree: bool) {
        (self.boxes_tested, self.used_tree) = (boxes_tested, used_tree);
    }
}
