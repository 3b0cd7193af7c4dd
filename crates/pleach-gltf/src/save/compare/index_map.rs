//! `IndexMap`: which nodes are written, at which index, and the roots of each scene.
//!
//! Nodes of the file keep their order: removed nodes are left out, the nodes after them move up,
//! and new nodes are appended. A root that several scenes list is written once if its subtree is
//! the same in all of them, including new nodes, and otherwise once per scene in which it differs.

use std::collections::HashMap;
use std::ops::RangeFrom;

use glam::Mat4;
use pleach::{NodeId, Scene};

use super::shared_roots::is_same_subtree;
use crate::diagnostics::Pointer;
use crate::document::node_text::NodeText;
use crate::load::Y_UP_TO_Z_UP;
use crate::save::SaveInput;
use crate::{Error, ErrorKind};

/// The index of a node that is not written.
const NONE: u32 = u32::MAX;

/// The written indices of a scene's nodes by slot.
///
/// Invariant: an index is returned only for the node that was written, not for an earlier or later
/// node in the same slot.
#[derive(Clone, Debug, Default)]
pub(crate) struct SlotIndices(Vec<Option<(NodeId, u32)>>);

impl SlotIndices {
    /// Returns the index of a node, or `None` if it was not written.
    pub(crate) fn get(&self, node: NodeId) -> Option<usize> {
        let (written, index) = (*self.0.get(node.index())?)?;
        (written == node).then_some(index as usize)
    }
}

/// A node to write.
#[derive(Clone, Debug)]
pub(crate) struct NodeEntry {
    /// The index of its scene in the document.
    pub(crate) scene_index: usize,
    /// The node or the up-axis node.
    pub(crate) kind: EntryKind,
    /// The file's node whose text is edited.
    pub(crate) source: Option<u32>,
    /// `true` if the entry replaces that node; `false` if it is a clone of it.
    pub(crate) in_place: bool,
    /// `true` if it is a root of its scene.
    is_root: bool,
    /// The index in the written file.
    pub(crate) index: usize,
}

/// The origin of a written node.
#[derive(Clone, Debug)]
pub(crate) enum EntryKind {
    /// A node of the scene.
    Node(NodeId),
    /// A parent of these nodes that rotates +Z up to +Y up.
    UpAxis(Vec<NodeId>),
}

/// The indices of all written nodes.
#[derive(Debug, Default)]
pub(crate) struct IndexMap {
    /// The indices by scene and slot.
    indices: Vec<SlotIndices>,
    pub(crate) entries: Vec<NodeEntry>,
    /// The new index of each of the file's nodes, or `NONE`.
    new_indices: Vec<u32>,
    /// `true` if a node of the file was removed.
    pub(crate) has_removed_nodes: bool,
    /// The roots of each of the file's scenes.
    pub(crate) roots: Vec<Vec<usize>>,
    /// The numbers of nodes that are not below the root, by scene.
    pub(crate) detached: Vec<Detached>,
}

/// The numbers of nodes of a scene that are not below its root.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Detached {
    pub(crate) written: usize,
    /// The number of nodes that were added below joints of another scene.
    pub(crate) dropped: usize,
}

impl IndexMap {
    /// Assigns an index to every node of a document.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Unwritable`] if the root of a scene was removed.
    pub(crate) fn assign(input: &SaveInput<'_>) -> Result<Self, Error> {
        let node_count = input.root.nodes.len();
        let mut assigner = IndexAssigner {
            input,
            index_map: Self { new_indices: vec![NONE; node_count], ..Self::default() },
            entry_of: vec![None; node_count],
            roots: Vec::new(),
            shared: Vec::new(),
        };
        for scene_index in 0..input.scenes.len() {
            assigner.assign_scene(scene_index)?;
        }
        Ok(assigner.finish())
    }

    /// Returns the index in the written file of a scene's node.
    pub(crate) fn index(&self, scene_index: usize, node: NodeId) -> Option<usize> {
        self.indices.get(scene_index)?.get(node)
    }

    /// Returns the indices of the clones of each of the file's nodes.
    pub(crate) fn clones(&self) -> HashMap<usize, Vec<usize>> {
        let mut clones: HashMap<usize, Vec<usize>> = HashMap::new();
        for entry in self.entries.iter().filter(|entry| !entry.in_place) {
            if let Some(file) = entry.source {
                clones.entry(file as usize).or_default().push(entry.index);
            }
        }
        clones
    }

    /// Returns the indices of each scene's nodes.
    pub(crate) fn into_indices(self) -> Vec<SlotIndices> {
        self.indices
    }

    /// Returns the new index of one of the file's nodes, or `None` if it was removed.
    pub(crate) fn new_index(&self, file: usize) -> Option<usize> {
        let index = *self.new_indices.get(file)?;
        (index != NONE).then_some(index as usize)
    }
}

/// The assignment in progress.
struct IndexAssigner<'a> {
    input: &'a SaveInput<'a>,
    index_map: IndexMap,
    /// The entry that writes each of the file's nodes.
    entry_of: Vec<Option<usize>>,
    /// The entries of the roots of each scene.
    roots: Vec<Vec<usize>>,
    /// Nodes that are written by an entry of another scene: scene, node, entry.
    shared: Vec<(usize, NodeId, usize)>,
}

impl IndexAssigner<'_> {
    fn assign_scene(&mut self, scene_index: usize) -> Result<(), Error> {
        let scene = self.input.scenes[scene_index];
        let Some(root) = top(scene) else {
            let message = "the root of the scene was removed from its graph, so that the scene has no \
                           nodes; use a new scene";
            let at = Pointer::entry("scenes", scene_index);
            return Err(Error::new(ErrorKind::Unwritable, &at, message));
        };
        let mut roots = Vec::new();
        if is_bare_transform(scene, root, Mat4::IDENTITY) {
            // This includes an up-axis node of a scene that was taken out of its document.
            let is_up_axis = |node: NodeId| {
                let is_named = scene.graph.get(node).is_some_and(|node| node.name().is_some());
                !self.input.y_up && !is_named && is_bare_transform(scene, node, Y_UP_TO_Z_UP)
            };
            let up_axis_nodes: Vec<NodeId> =
                children(scene, root).into_iter().filter(|&it| is_up_axis(it)).collect();
            let mut z_up_roots = Vec::new();
            for child in children(scene, root) {
                if up_axis_nodes.contains(&child) {
                    for node in children(scene, child) {
                        roots.push(self.assign_subtree(scene_index, node, true));
                    }
                } else if self.input.y_up {
                    roots.push(self.assign_subtree(scene_index, child, true));
                } else {
                    z_up_roots.push(child);
                }
            }
            if !z_up_roots.is_empty() {
                roots.push(self.push(scene_index, EntryKind::UpAxis(z_up_roots.clone()), None));
                for node in z_up_roots {
                    self.assign_subtree(scene_index, node, false);
                }
            }
        } else if self.input.y_up {
            roots.push(self.assign_subtree(scene_index, root, true));
        } else {
            roots.push(self.push(scene_index, EntryKind::UpAxis(vec![root]), None));
            self.assign_subtree(scene_index, root, false);
        }
        self.roots.push(roots);
        self.assign_detached(scene_index, root);
        Ok(())
    }

    /// Assigns entries to the nodes that are not below `top`, the scene's root: they are written, but
    /// no scene lists them. Trees of joints that belong to another scene are written there.
    fn assign_detached(&mut self, scene_index: usize, top: NodeId) {
        let scene = self.input.scenes[scene_index];
        let mut detached = Detached::default();
        let mut roots: Vec<NodeId> = scene.graph.roots().collect();
        roots.sort_unstable_by_key(|root| root.index());
        for root in roots.into_iter().filter(|&root| root != top) {
            let nodes = || scene.graph.get(root).into_iter().flat_map(|root| root.descendants());
            let is_joint = |node: NodeId| self.input.is_joint_only(scene_index, node);
            let has_file_nodes =
                || nodes().any(|node| self.input.file_node(scene_index, node).is_some());
            if nodes().any(is_joint) && !has_file_nodes() {
                // The root above such a tree was added by loading, too.
                detached.dropped += nodes().filter(|&node| node != root && !is_joint(node)).count();
                continue;
            }
            let before = self.index_map.entries.len();
            self.assign_subtree(scene_index, root, false);
            detached.written += self.index_map.entries.len() - before;
        }
        self.index_map.detached.push(detached);
    }

    /// Assigns entries to the subtree of `root`. Returns the entry of `root`, or the entry of an
    /// equal root of another scene.
    fn assign_subtree(&mut self, scene_index: usize, root: NodeId, is_root: bool) -> usize {
        let scene = self.input.scenes[scene_index];
        let existing =
            self.input.file_node(scene_index, root).and_then(|file| self.entry_of[file as usize]);
        if let Some(entry) = existing {
            let other = &self.index_map.entries[entry];
            if let EntryKind::Node(node) = other.kind
                && is_root
                && other.is_root
                && is_same_subtree(self.input, (scene_index, root), (other.scene_index, node))
            {
                self.share_entries(scene_index, root, entry..);
                return entry;
            }
        }
        let is_clone = existing.is_some();
        let first = self.index_map.entries.len();
        for node in scene.graph.get(root).into_iter().flat_map(|root| root.descendants()) {
            let file = self.input.file_node(scene_index, node);
            let entry = self.push(scene_index, EntryKind::Node(node), file);
            self.index_map.entries[entry].is_root = is_root && node == root;
            let free = file.filter(|&file| !is_clone && self.entry_of[file as usize].is_none());
            if let Some(file) = free {
                self.entry_of[file as usize] = Some(entry);
                self.index_map.entries[entry].in_place = true;
            }
        }
        first
    }

    /// Records that the subtree of `root` is written by `entries` of another scene, in the same
    /// order.
    fn share_entries(&mut self, scene_index: usize, root: NodeId, entries: RangeFrom<usize>) {
        let root = self.input.scenes[scene_index].graph.get(root);
        for (node, entry) in root.into_iter().flat_map(|root| root.descendants()).zip(entries) {
            self.shared.push((scene_index, node, entry));
        }
    }

    fn push(&mut self, scene_index: usize, kind: EntryKind, source: Option<u32>) -> usize {
        let entry =
            NodeEntry { scene_index, kind, source, in_place: false, is_root: false, index: 0 };
        self.index_map.entries.push(entry);
        self.index_map.entries.len() - 1
    }

    /// Assigns indices: first to the remaining nodes of the file, then to the new ones.
    fn finish(mut self) -> IndexMap {
        let index_map = &mut self.index_map;
        let mut next = 0u32;
        index_map.has_removed_nodes = self.entry_of.iter().any(Option::is_none);
        for (new_index, entry) in index_map.new_indices.iter_mut().zip(&self.entry_of) {
            if entry.is_some() {
                *new_index = next;
                next += 1;
            }
        }
        for entry in &mut index_map.entries {
            entry.index = match entry.source.filter(|_| entry.in_place) {
                Some(file) => index_map.new_indices[file as usize] as usize,
                None => {
                    next += 1;
                    next as usize - 1
                }
            };
        }
        let slots = |scene: &&Scene| SlotIndices(vec![None; scene.graph.parents().len()]);
        index_map.indices = self.input.scenes.iter().map(slots).collect();
        for entry in &index_map.entries {
            if let EntryKind::Node(node) = entry.kind {
                index_map.indices[entry.scene_index].0[node.index()] =
                    Some((node, entry.index as u32));
            }
        }
        for (scene_index, node, entry) in self.shared {
            index_map.indices[scene_index].0[node.index()] =
                Some((node, index_map.entries[entry].index as u32));
        }
        let listed = self.roots.into_iter().take(self.input.listed);
        index_map.roots = listed
            .map(|roots| roots.iter().map(|&entry| index_map.entries[entry].index).collect())
            .collect();
        self.index_map
    }
}

/// Returns the root of a scene, or the root of the tree that it was attached to, which is then
/// written with all of its nodes. `None` if the root was removed.
fn top(scene: &Scene) -> Option<NodeId> {
    let root = scene.graph.get(scene.root())?;
    Some(root.ancestors().last().unwrap_or(scene.root()))
}

/// Returns `true` if a node has no data but the local matrix `matrix`.
fn is_bare_transform(scene: &Scene, node: NodeId, matrix: Mat4) -> bool {
    let graph = &scene.graph;
    graph.get(node).is_some_and(|it| it.local_matrix() == matrix && it.is_visible())
        && scene.meshes.get(graph, node).is_none()
        && scene.cameras.get(graph, node).is_none()
        && scene.lights.get(graph, node).is_none()
        && scene.user_bounds(node).is_none()
        && scene.components_to_json(node, &|_| None).is_empty()
        && scene.get::<NodeText>(node).is_none()
}

pub(crate) fn children(scene: &Scene, node: NodeId) -> Vec<NodeId> {
    scene.graph.get(node).map(|node| node.children().collect()).unwrap_or_default()
}
