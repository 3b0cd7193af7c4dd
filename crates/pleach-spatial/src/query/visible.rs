//! `Visible`: the nodes in one view, in buffers owned by the caller.
//!
//! Invariant: `nodes` and `bits` contain the same nodes, and `nodes` is sorted by slot, whichever
//! method found them.

use pleach_graph::NodeId;

use crate::index::rows::WORD;
use crate::index::version::IndexVersion;

/// The nodes in a view: a list, and a bit set indexed by [`NodeId::index`].
///
/// Owned by the caller, one per view. Keep it from frame to frame: after the first frames,
/// culling into it allocates nothing.
#[derive(Clone, Debug, Default)]
pub struct Visible {
    pub(crate) nodes: Vec<NodeId>,
    /// By slot.
    pub(crate) bits: Vec<u64>,
    boxes_tested: usize,
    used_tree: bool,
    /// By row: not culled, before any filter.
    pub(crate) words: Vec<u64>,
    /// The row of each node.
    pub(crate) rows: Vec<u32>,
    /// The version of the index that was culled.
    pub(crate) version: Option<IndexVersion>,
}

impl Visible {
    /// Creates an empty list.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the nodes in view: each once, in the order of their slots ([`NodeId::index`]),
    /// whether found by a scan or by the tree.
    #[must_use]
    pub fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// Returns `true` if the node is in view. O(1).
    ///
    /// Compares slots only: for a removed node, it returns the result for the node that was in the
    /// slot when the view was culled.
    #[must_use]
    pub fn contains(&self, node: NodeId) -> bool {
        let (word, bit) = (node.index() / WORD, node.index() % WORD);
        self.bits.get(word).is_some_and(|bits| bits >> bit & 1 != 0)
    }

    /// Returns a bit for each slot, lowest bit first: bit `i % 64` of word `i / 64` for slot `i`. Slots
    /// past the end are not in view.
    #[must_use]
    pub fn bits(&self) -> &[u64] {
        &self.bits
    }

    /// Returns the number of nodes in view.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns `true` if no node is in view.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Returns the number of boxes tested against the frustum, including inner boxes of the tree.
    #[must_use]
    pub fn boxes_tested(&self) -> usize {
        self.boxes_tested
    }

    /// Returns `true` if the nodes were found by the tree, `false` if by a scan of all boxes.
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
