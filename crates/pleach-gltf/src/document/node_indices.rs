//! `Places`: which node of a scene is which of the file's.

use std::ops::Range;

use pleach::{Graph, NodeId, NodeMap};

/// No node of the file.
const NONE: u32 = u32::MAX;

/// The file's nodes in one scene.
#[derive(Debug, Default)]
pub(crate) struct Places {
    /// From the least to the greatest of the file's nodes that are in the scene.
    nodes: Vec<Option<NodeId>>,
    first: usize,
    /// By slot: the file's node, without those that are only here as joints, ...
    files: Vec<u32>,
    /// ... which are here.
    joints: NodeMap<u32>,
    /// The node that turns +Y up into +Z up.
    pub(crate) turn: Option<NodeId>,
}

impl Places {
    /// Room for the file's nodes of this range.
    pub(crate) fn new(range: Range<usize>) -> Self {
        Self { nodes: vec![None; range.len()], first: range.start, ..Self::default() }
    }

    /// Notes a node that belongs to the scene.
    pub(crate) fn put(&mut self, file: u32, node: NodeId) {
        self.note(file as usize, node);
        if self.files.len() <= node.index() {
            self.files.resize(node.index() + 1, NONE);
        }
        self.files[node.index()] = file;
    }

    /// Notes a node that is here only because a skin of the scene needs it.
    pub(crate) fn put_joint(&mut self, graph: &Graph, file: u32, node: NodeId) {
        self.note(file as usize, node);
        // A node that was just made is alive.
        _ = self.joints.insert(graph, node, file);
    }

    fn note(&mut self, file: usize, node: NodeId) {
        if file < self.first {
            let missing = self.first - file;
            self.nodes.splice(0..0, std::iter::repeat_n(None, missing));
            self.first = file;
        }
        if self.nodes.len() <= file - self.first {
            self.nodes.resize(file - self.first + 1, None);
        }
        self.nodes[file - self.first] = Some(node);
    }

    /// The scene's node for one of the file's. It may be dead.
    pub(crate) fn node(&self, file: usize) -> Option<NodeId> {
        self.nodes.get(file.checked_sub(self.first)?).copied().flatten()
    }

    /// The file's node that a node of the scene is.
    pub(crate) fn file(&self, node: NodeId) -> Option<u32> {
        let file = *self.files.get(node.index())?;
        // The slot may have another tenant by now.
        (file != NONE && self.node(file as usize) == Some(node)).then_some(file)
    }

    /// The same, also of one that is only here as a joint.
    pub(crate) fn file_of_joint(&self, graph: &Graph, node: NodeId) -> Option<u32> {
        self.file(node).or_else(|| self.joints.get(graph, node).copied())
    }

    /// The file's nodes that belong to this scene, and the scene's for each, dead or alive.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (NodeId, u32)> {
        let files = self.files.iter().filter(|&&file| file != NONE);
        files.filter_map(|&file| Some((self.node(file as usize)?, file)))
    }
}
