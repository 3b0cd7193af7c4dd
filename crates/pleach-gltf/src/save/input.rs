//! `SaveInput`: the scenes that are saved and the file they are compared with.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;

use pleach::{NodeId, Scene};

use crate::document::Kept;
use crate::json::{Members, Root, value_at};
use crate::places::Places;
use crate::{Document, Format};

/// What is written, and the file it is compared with.
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
    /// Where the entries of an array are, once they were asked for.
    pub(crate) spans: RefCell<HashMap<&'static str, Vec<Range<usize>>>>,
}

impl<'a> SaveInput<'a> {
    /// Returns the file that was loaded, or `None` for scenes that were built in code.
    pub(crate) fn kept(&self) -> Option<&'a Kept> {
        self.document.kept.as_ref()
    }

    /// The file's node that a node of a scene is.
    pub(crate) fn file(&self, scene_index: usize, node: NodeId) -> Option<u32> {
        self.document.places.get(scene_index)?.file(node)
    }

    /// The same, also of one that is only there as a joint.
    pub(crate) fn file_or_joint(&self, scene_index: usize, node: NodeId) -> Option<u32> {
        self.document.places.get(scene_index)?.file_of_joint(&self.scenes[scene_index].graph, node)
    }

    /// The file's nodes that are in a scene.
    pub(crate) fn rows(&self, scene_index: usize) -> impl Iterator<Item = (NodeId, u32)> {
        self.document.places.get(scene_index).into_iter().flat_map(Places::rows)
    }

    /// The mesh that one of the file's nodes has there.
    pub(crate) fn mesh_of(&self, file: u32) -> Option<usize> {
        self.root.nodes[file as usize].mesh.map(|mesh| mesh.index())
    }

    /// The skeleton that the file names in the skin of one of its nodes.
    pub(crate) fn skeleton_of(&self, file: u32) -> Option<u32> {
        let skin = self.root.nodes[file as usize].skin?;
        self.document.skins.get(skin.index())?.skeleton
    }

    /// The text of an entry of one of the file's arrays.
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
