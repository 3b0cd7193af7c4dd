//! `Places`: which node of a scene is which of the file's.

use std::ops::Range;

use pleach::{Graph, NodeId, NodeMap};

/// No node of the file.
const NONE: u32 = u32::MAX;

/// The file's nodes in one scene.
#[derive(Debug, Default)]
pub(crate) struct NodeIndices {
    /// From the least to the greatest of the file's nodes that are in the scene.
    nodes: Vec<Option<NodeId>>,
    first: usize,
    /// By slot: the file's node, without those that are only here as joints, ...
    indices: Vec<u32>,
    /// ... which are here.
    joints: NodeMap<u32>,
    /// The node that turns +Y up into +Z up.
    pub(crate) up_axis_node: Option<NodeId>,
}

impl NodeIndices {
    /// Room for the file's nodes of this range.
    pub(crate) fn new(range: Range<usize>) -> Self {
        Self { nodes: vec![None; range.len()], first: range.start, ..Self::default() }
    }

    /// Notes a node that belongs to the scene.
    pub(crate) fn insert(&mut self, index: u32, node: NodeId) {
        self.set_node(index as usize, node);
        if self.indices.len() <= node.index() {
            self.indices.resize(node.index() + 1, NONE);
        }
        self.indices[node.index()] = index;
    }

    /// Notes a node that is here only because a skin of the scene needs it.
    pub(crate) fn insert_joint(&mut self, graph: &Graph, index: u32, node: NodeId) {
        self.set_node(index as usize, node);
        // A node that was just made is alive.
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

    /// The scene's node for one of the file's. It may be dead.
    pub(crate) fn node(&self, index: usize) -> Option<NodeId> {
        self.nodes.get(index.checked_sub(self.first)?).copied().flatten()
    }

    /// The file's node that a node of the scene is.
    pub(crate) fn index_of(&self, node: NodeId) -> Option<u32> {
        let index = *self.indices.get(node.index())?;
        // The slot may have another tenant by now.
        (index != NONE && self.node(index as usize) == Some(node)).then_some(index)
    }

    /// The same, also of one that is only here as a joint.
    pub(crate) fn index_of_joint(&self, graph: &Graph, node: NodeId) -> Option<u32> {
        self.index_of(node).or_else(|| self.joints.get(graph, node).copied())
    }

    /// The file's nodes that belong to this scene, and the scene's for each, dead or alive.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (NodeId, u32)> {
        let indices = self.indices.iter().filter(|&&index| index != NONE);
        indices.filter_map(|&index| Some((self.node(index as usize)?, index)))
    }
}
