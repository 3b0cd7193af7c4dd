//! The data that the checks share: the document and its nodes, each once, with its scene.

use crate::Document;
use crate::json::{ParseLimits, Root};
use crate::references::References;
use pleach::{NodeId, Scene};

/// A file and its nodes.
pub(super) struct Context<'a> {
    pub(super) document: &'a Document,
    /// The JSON.
    pub(super) root: Root<'a>,
    pub(super) references: References<'a>,
    /// Nodes by index.
    pub(super) nodes: Vec<FileNode<'a>>,
    /// `true` for nodes that an animation targets, by index.
    animated: Vec<bool>,
    /// `true` for joints of a skin, by index.
    joints: Vec<bool>,
    /// `true` if vertices are quantized, so that nodes scale them.
    pub(super) is_quantized: bool,
}

/// A node of the file in the first scene that contains it.
#[derive(Clone, Copy)]
pub(super) struct FileNode<'a> {
    pub(super) index: usize,
    pub(super) scene: &'a Scene,
    pub(super) number: usize,
    pub(super) id: NodeId,
}

impl<'a> Context<'a> {
    /// Returns `None` if the document was not loaded from a file.
    pub(super) fn new(document: &'a Document) -> Option<Self> {
        let root = Root::parse(document.json(), ParseLimits::NONE).ok()?;
        let references = References::from_json(document.json());
        let count = root.nodes.len();
        let mut nodes: Vec<Option<FileNode<'a>>> = vec![None; count];
        let mut joints = vec![false; count];
        for (number, scene) in scenes(document) {
            for id in scene.graph.depth_first() {
                let Some(index) = document.index_of(number, id) else { continue };
                if let Some(slot @ None) = nodes.get_mut(index) {
                    *slot = Some(FileNode { index, scene, number, id });
                }
            }
            for (_, skin) in scene.skins.iter(&scene.graph) {
                for &joint in &skin.joints {
                    // A joint outside the scene is found in its own scene.
                    let index = document.index_of(number, joint);
                    if let Some(is_joint) = index.and_then(|index| joints.get_mut(index)) {
                        *is_joint = true;
                    }
                }
            }
        }
        let mut animated = vec![false; count];
        for &index in document.animations().iter().flat_map(|it| it.node_indices()) {
            if let Some(is_animated) = animated.get_mut(index as usize) {
                *is_animated = true;
            }
        }
        let is_quantized = root.extensions_used.iter().any(|it| &**it == "KHR_mesh_quantization");
        let nodes = nodes.into_iter().flatten().collect();
        Some(Self { document, root, references, nodes, animated, joints, is_quantized })
    }

    pub(super) fn is_animated(&self, index: usize) -> bool {
        self.animated.get(index).copied().unwrap_or(false)
    }

    pub(super) fn is_joint(&self, index: usize) -> bool {
        self.joints.get(index).copied().unwrap_or(false)
    }

    /// Returns the scenes with their indices, and last the unreferenced nodes.
    pub(super) fn scenes(&self) -> impl Iterator<Item = (usize, &'a Scene)> {
        scenes(self.document)
    }

    /// Returns `true` if the node is in one of the file's scenes.
    pub(super) fn is_in_scene(&self, node: &FileNode<'_>) -> bool {
        node.number < self.document.scenes().len()
    }

    /// Returns the parent of the file's root nodes.
    pub(super) fn roots_parent(&self, node: &FileNode<'_>) -> NodeId {
        self.document.up_axis_node(node.number).unwrap_or(node.scene.root())
    }
}

fn scenes(document: &Document) -> impl Iterator<Item = (usize, &Scene)> {
    document.trees.iter().enumerate()
}

impl FileNode<'_> {
    pub(super) fn pointer(&self) -> String {
        format!("/nodes/{}", self.index)
    }
}
