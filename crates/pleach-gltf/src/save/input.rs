//! `SaveInput`: the scenes that are saved and the file they are compared with.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;

use pleach::{NodeId, Scene};

use crate::document::SourceFile;
use crate::json::{Members, Root, value_at};
use crate::{Document, Format};

/// The scenes that are saved and the file they are compared with.
pub(crate) struct SaveInput<'a> {
    pub(crate) document: &'a Document,
    pub(crate) scenes: &'a [&'a Scene],
    pub(crate) listed: usize,
    pub(crate) root: &'a Root<'a>,
    pub(crate) y_up: bool,
    pub(crate) format: Format,
    /// The file name of the output, without its extension.
    pub(crate) stem: &'a str,
    pub(crate) text: &'a str,
    /// The spans of the entries of each array, found on first use.
    pub(crate) spans: RefCell<HashMap<&'static str, Vec<Range<usize>>>>,
}

impl<'a> SaveInput<'a> {
    /// Returns the file that was loaded, or `None` for scenes that were built in code.
    pub(crate) fn source(&self) -> Option<&'a SourceFile> {
        self.document.source.as_ref()
    }

    /// Returns the file's node for a node of a scene.
    pub(crate) fn file_node(&self, scene_index: usize, node: NodeId) -> Option<u32> {
        self.document.node_indices.get(scene_index)?.index_of(node)
    }

    /// Returns the file's node for a node of a scene, including nodes that the scene has only as
    /// joints.
    pub(crate) fn file_node_or_joint(&self, scene_index: usize, node: NodeId) -> Option<u32> {
        self.document
            .node_indices
            .get(scene_index)?
            .index_of_joint(&self.scenes[scene_index].graph, node)
    }

    /// Returns `true` if a scene has a node only because one of its skins needs it as a joint.
    pub(crate) fn is_joint_only(&self, scene_index: usize, node: NodeId) -> bool {
        self.file_node(scene_index, node).is_none()
            && self.file_node_or_joint(scene_index, node).is_some()
    }

    /// Returns the mesh of one of the file's nodes.
    pub(crate) fn mesh_of(&self, file: u32) -> Option<usize> {
        self.root.nodes[file as usize].mesh.map(|mesh| mesh.index())
    }

    /// Returns the skeleton of the skin of one of the file's nodes.
    pub(crate) fn skeleton_of(&self, file: u32) -> Option<u32> {
        let skin = self.root.nodes[file as usize].skin?;
        self.document.skins.get(skin.index())?.skeleton
    }

    /// Returns the text of an entry of one of the file's arrays.
    pub(crate) fn text_of(&self, array: &'static str, index: usize) -> Option<&'a str> {
        if array == "nodes" {
            return self.root.outline.nodes.get(index).map(|span| &self.text[span.clone()]);
        }
        let mut spans = self.spans.borrow_mut();
        let spans = spans.entry(array).or_insert_with(|| {
            let list = value_at(self.text, &format!("/{array}"));
            let entries = list.map(|list| Members::of(self.text, &list).map(|it| it.value));
            entries.map(Iterator::collect).unwrap_or_default()
        });
        spans.get(index).map(|span| &self.text[span.clone()])
    }
}
