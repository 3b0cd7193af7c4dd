//! `NodeIndices`: maps between the nodes of a scene and the node indices of the file.
//!
//! Invariant: an index is returned only for the node that it was inserted for, not for a later node
//! in the same slot.

use std::ops::Range;

use pleach::{Graph, NodeId, NodeMap};

/// Marks a slot without a node of the file.
const NONE: u32 = u32::MAX;

/// The file's nodes in one scene, by index and by node.
#[derive(Clone, Debug, Default)]
pub(crate) struct NodeIndices {
    /// Nodes by file index, from `first` to the largest index in the scene.
    nodes: Vec<Option<NodeId>>,
    first: usize,
    /// File indices by slot, without nodes that were added only as joints.
    indices: Vec<u32>,
    /// File indices of nodes that were added only as joints.
    joints: NodeMap<u32>,
    /// The node that converts Y-up to Z-up.
    pub(crate) up_axis_node: Option<NodeId>,
}

impl NodeIndices {
    /// Creates an empty map with capacity for a range of file indices.
    pub(crate) fn new(range: Range<usize>) -> Self {
        Self {
            nodes: vec![None; range.len()],
            first: range.start,
            indices: Vec::with_capacity(range.len()),
            ..Self::default()
        }
    }

    /// Inserts a node that belongs to the scene.
    pub(crate) fn insert(&mut self, index: u32, node: NodeId) {
        self.set_node(index as usize, node);
        if self.indices.len() <= node.index() {
            self.indices.resize(node.index() + 1, NONE);
        }
        self.indices[node.index()] = index;
    }

    /// Inserts a node that was added only because a skin of the scene needs it.
    pub(crate) fn insert_joint(&mut self, graph: &Graph, index: u32, node: NodeId) {
        self.set_node(index as usize, node);
        // The node was just created, so that inserting cannot fail.
        _ = self.joints.insert(graph, node, index);
    }

    fn set_node(&mut self, index: usize, node: NodeId) {
        if index < self.first {
            let missing = self.first - index;
            self.nodes.splice(0..0, std::iter::repeat_n(None, missing));
            self.first = index;
        }
        if self.nodes.len() <= index - self.first {
            self.nodes.resize(index - self.first + 1, None);
        }
        self.nodes[index - self.first] = Some(node);
    }

    /// Returns the range of the file indices in the scene.
    pub(crate) fn range(&self) -> Range<usize> {
        self.first..self.first + self.nodes.len()
    }

    /// Returns the scene's node for a file index. It may have been removed.
    pub(crate) fn node(&self, index: usize) -> Option<NodeId> {
        self.nodes.get(index.checked_sub(self.first)?).copied().flatten()
    }

    /// Returns the file index of a node, or `None` if it is not from the file or only a joint.
    pub(crate) fn index_of(&self, node: NodeId) -> Option<u32> {
        let index = *self.indices.get(node.index())?;
        // The slot may have been reused for another node.
        (index != NONE && self.node(index as usize) == Some(node)).then_some(index)
    }

    /// Returns the file index of a node, including nodes that were added only as joints.
    pub(crate) fn index_of_joint(&self, graph: &Graph, node: NodeId) -> Option<u32> {
        self.index_of(node).or_else(|| self.joints.get(graph, node).copied())
    }
}
