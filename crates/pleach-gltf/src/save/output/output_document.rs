//! `Sheet`: a file on its way out: its arrays, what is added to its bytes, what it uses.

use std::collections::BTreeSet;

use super::array_edit::Array;
use super::json_edit::Patch;
use crate::Report;
use crate::json::Root;

/// A file on its way out.
#[derive(Debug)]
pub(crate) struct Sheet<'a> {
    /// The file as it was.
    pub(crate) root: &'a Root<'a>,
    pub(crate) scenes: Array,
    pub(crate) nodes: Array,
    pub(crate) meshes: Array,
    pub(crate) skins: Array,
    pub(crate) cameras: Array,
    pub(crate) lights: Array,
    pub(crate) animations: Array,
    pub(crate) materials: Array,
    pub(crate) textures: Array,
    pub(crate) images: Array,
    pub(crate) samplers: Array,
    pub(crate) accessors: Array,
    pub(crate) views: Array,
    pub(crate) buffers: Array,
    /// Extensions that something uses that was added.
    pub(crate) used: BTreeSet<&'static str>,
    /// Those among them without which the file cannot be read.
    pub(crate) required: BTreeSet<&'static str>,
    /// Which buffer new bytes go to, how many it has, and what is added.
    pub(crate) grown: usize,
    pub(crate) grown_from: usize,
    pub(crate) added: Vec<u8>,
    pub(crate) report: Report,
}

impl<'a> Sheet<'a> {
    /// A file as it was. New bytes go to buffer `grown`, after the `grown_from` it has.
    pub(crate) fn new(root: &'a Root<'a>, grown: usize, grown_from: usize) -> Self {
        Self {
            root,
            scenes: Array::new(root.scenes.len()),
            nodes: Array::new(root.nodes.len()),
            meshes: Array::new(root.meshes.len()),
            skins: Array::new(root.skins.len()),
            cameras: Array::new(root.cameras.len()),
            lights: Array::new(root.lights().len()),
            animations: Array::new(root.animations.len()),
            materials: Array::new(root.materials.len()),
            textures: Array::new(root.textures.len()),
            images: Array::new(root.images.len()),
            samplers: Array::new(root.samplers.len()),
            accessors: Array::new(root.accessors.len()),
            views: Array::new(root.buffer_views.len()),
            buffers: Array::new(root.buffers.len()),
            used: BTreeSet::new(),
            required: BTreeSet::new(),
            grown,
            grown_from,
            added: Vec::new(),
            report: Report::default(),
        }
    }

    /// Adds bytes, and a view of them; its index. `target` is what a GPU uses them for:
    /// 34962 for vertices, 34963 for indices.
    pub(crate) fn view(
        &mut self,
        bytes: &[u8],
        stride: Option<usize>,
        target: Option<u32>,
    ) -> usize {
        // Four bytes suit every type.
        let offset = (self.grown_from + self.added.len()).next_multiple_of(4);
        self.added.resize(offset - self.grown_from, 0);
        self.added.extend_from_slice(bytes);
        let mut view = Patch::new();
        view.put(&["buffer"], self.grown.to_string());
        view.put(&["byteOffset"], offset.to_string());
        view.put(&["byteLength"], bytes.len().to_string());
        if let Some(stride) = stride {
            view.put(&["byteStride"], stride.to_string());
        }
        if let Some(target) = target {
            view.put(&["target"], target.to_string());
        }
        self.views.add(view.object())
    }
}
