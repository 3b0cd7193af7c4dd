//! `OutputDocument`: the changes to a file: its arrays, new bytes, used extensions and warnings.

use std::collections::BTreeSet;

use super::array_edit::ArrayEdit;
use super::json_edit::JsonEdit;
use crate::Report;
use crate::json::Root;

/// The changes to a file.
#[derive(Debug)]
pub(crate) struct OutputDocument<'a> {
    /// The file as it was loaded.
    pub(crate) root: &'a Root<'a>,
    pub(crate) scenes: ArrayEdit,
    pub(crate) nodes: ArrayEdit,
    pub(crate) meshes: ArrayEdit,
    pub(crate) skins: ArrayEdit,
    pub(crate) cameras: ArrayEdit,
    pub(crate) lights: ArrayEdit,
    pub(crate) animations: ArrayEdit,
    pub(crate) materials: ArrayEdit,
    pub(crate) textures: ArrayEdit,
    pub(crate) images: ArrayEdit,
    /// The file's images with other data than in the file.
    pub(crate) replaced_images: BTreeSet<usize>,
    pub(crate) samplers: ArrayEdit,
    pub(crate) accessors: ArrayEdit,
    pub(crate) views: ArrayEdit,
    pub(crate) buffers: ArrayEdit,
    /// Extensions that new or edited entries use.
    pub(crate) used: BTreeSet<&'static str>,
    /// Unknown extensions of cloned nodes.
    pub(crate) used_by_clones: BTreeSet<String>,
    /// The used extensions that a reader must support.
    pub(crate) required: BTreeSet<&'static str>,
    /// The buffer that new bytes are appended to, its length in the file, and the new bytes.
    pub(crate) appended_buffer: usize,
    pub(crate) appended_from: usize,
    pub(crate) added: Vec<u8>,
    pub(crate) report: Report,
}

impl<'a> OutputDocument<'a> {
    /// Creates the output without changes. New bytes are appended to buffer `appended_buffer`,
    /// after its `appended_from` bytes.
    pub(crate) fn new(root: &'a Root<'a>, appended_buffer: usize, appended_from: usize) -> Self {
        Self {
            root,
            scenes: ArrayEdit::new(root.scenes.len()),
            nodes: ArrayEdit::new(root.nodes.len()),
            meshes: ArrayEdit::new(root.meshes.len()),
            skins: ArrayEdit::new(root.skins.len()),
            cameras: ArrayEdit::new(root.cameras.len()),
            lights: ArrayEdit::new(root.lights().len()),
            animations: ArrayEdit::new(root.animations.len()),
            materials: ArrayEdit::new(root.materials.len()),
            textures: ArrayEdit::new(root.textures.len()),
            images: ArrayEdit::new(root.images.len()),
            replaced_images: BTreeSet::new(),
            samplers: ArrayEdit::new(root.samplers.len()),
            accessors: ArrayEdit::new(root.accessors.len()),
            views: ArrayEdit::new(root.buffer_views.len()),
            buffers: ArrayEdit::new(root.buffers.len()),
            used: BTreeSet::new(),
            used_by_clones: BTreeSet::new(),
            required: BTreeSet::new(),
            appended_buffer,
            appended_from,
            added: Vec::new(),
            report: Report::default(),
        }
    }

    /// Appends bytes and a buffer view of them, and returns its index. `target` is the GPU buffer:
    /// 34962 for vertices, 34963 for indices.
    pub(crate) fn view(
        &mut self,
        bytes: &[u8],
        stride: Option<usize>,
        target: Option<u32>,
    ) -> usize {
        // Four bytes align every component type.
        let offset = (self.appended_from + self.added.len()).next_multiple_of(4);
        self.added.resize(offset - self.appended_from, 0);
        self.added.extend_from_slice(bytes);
        let mut view = JsonEdit::new();
        view.set(&["buffer"], self.appended_buffer.to_string());
        view.set(&["byteOffset"], offset.to_string());
        view.set(&["byteLength"], bytes.len().to_string());
        if let Some(stride) = stride {
            view.set(&["byteStride"], stride.to_string());
        }
        if let Some(target) = target {
            view.set(&["target"], target.to_string());
        }
        self.views.add(view.to_object())
    }
}
