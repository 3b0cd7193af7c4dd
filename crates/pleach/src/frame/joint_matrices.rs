//! `JointMatrices`: the joint matrices of all skins, in one array for upload.
//!
//! The matrix of a joint is its world matrix × its inverse bind matrix (× the bind matrix). A
//! changed joint marks the skins that list it as dirty; only these are computed.
//!
//! Invariants: the matrices of the skins are contiguous, in the order of their nodes' slots; a skin
//! that is not dirty has the matrices for the stored world matrices of its joints. A removed joint
//! keeps its last matrix.

use core::ops::Range;

use glam::Mat4;
use pleach_graph::{ChangedNodes, Changes, Graph, NodeId};

use crate::{Skin, Table};

#[derive(Clone, Debug)]
struct SkinnedNode {
    node: NodeId,
    /// The start of its matrices.
    start: usize,
    dirty: bool,
}

/// The joint matrices of all skins. A joint matrix transforms the vertices of a mesh to world
/// space: it is the joint's world matrix × its inverse bind matrix (× the skin's bind matrix).
#[derive(Clone, Debug, Default)]
pub struct JointMatrices {
    matrices: Vec<Mat4>,
    /// By matrix: the slot of the joint, `REMOVED` for removed ones.
    slots: Vec<u32>,
    /// In slot order.
    nodes: Vec<SkinnedNode>,
    /// By slot of a joint: the start of its skins in `joint_skins`.
    skin_offsets: Vec<u32>,
    joint_skins: Vec<u32>,
    /// Indices in `nodes`, in any order.
    dirty: Vec<u32>,
    /// The indices in `nodes` that the last update computed.
    changed: Vec<u32>,
}

impl JointMatrices {
    /// Returns the matrices of all skins, one skin after the other, for upload to a GPU.
    #[must_use]
    pub fn matrices(&self) -> &[Mat4] {
        &self.matrices
    }

    /// Returns the range of a node's matrices in [`matrices`](Self::matrices), or `None` if the node
    /// is not skinned.
    #[must_use]
    pub fn range(&self, node: NodeId) -> Option<Range<usize>> {
        let skin = self.nodes.binary_search_by_key(&node.index(), |it| it.node.index()).ok()?;
        (self.nodes[skin].node == node).then(|| self.range_of(skin))
    }

    /// Returns the matrices of a node, in the order of its skin's joints, or `None` if the node is
    /// not skinned.
    #[must_use]
    pub fn get(&self, node: NodeId) -> Option<&[Mat4]> {
        Some(&self.matrices[self.range(node)?])
    }

    /// Returns `true` if the node is skinned and its first joint matrix mirrors (has a negative
    /// determinant). The other joints are assumed to do the same.
    #[must_use]
    pub fn mirrors(&self, node: NodeId) -> bool {
        let first = self.get(node).and_then(|matrices| matrices.first());
        first.is_some_and(|matrix| matrix.as_dmat4().determinant() < 0.0)
    }

    /// Iterates over the skinned nodes whose matrices the last update computed, in slot order, with
    /// the ranges of their matrices.
    pub fn changed(&self) -> impl Iterator<Item = (NodeId, Range<usize>)> {
        let changed = self.changed.iter().map(|&skin| skin as usize);
        changed.map(|skin| (self.nodes[skin].node, self.range_of(skin)))
    }

    fn range_of(&self, skin: usize) -> Range<usize> {
        let end = self.nodes.get(skin + 1).map_or(self.matrices.len(), |next| next.start);
        self.nodes[skin].start..end
    }

    /// Returns `true` if a node is skinned, or a joint.
    fn uses(&self, node: NodeId) -> bool {
        let offsets = self.skin_offsets.get(node.index()..node.index() + 2);
        self.range(node).is_some() || offsets.is_some_and(|offsets| offsets[0] != offsets[1])
    }

    /// Lays out the ranges for a new set of skins. All of them are dirty then.
    fn lay_out(&mut self, graph: &Graph, skins: &Table<Skin>) {
        let previous = self.snapshot();
        self.nodes.clear();
        let mut nodes: Vec<(NodeId, usize)> =
            skins.iter(graph).map(|(node, skin)| (node, skin.joints.len())).collect();
        nodes.sort_unstable_by_key(|(node, _)| node.index());
        self.slots.clear();
        let mut start = 0;
        for (node, joints) in nodes {
            self.nodes.push(SkinnedNode { node, start, dirty: true });
            start += joints;
            let joints = skins.get(graph, node).map_or(&[][..], |skin| &skin.joints);
            let slot = |&it: &NodeId| if graph.contains(it) { it.index() as u32 } else { REMOVED };
            self.slots.extend(joints.iter().map(slot));
        }
        self.dirty.clear();
        self.dirty.extend(0..self.nodes.len() as u32);
        self.matrices.clear();
        self.matrices.resize(start, Mat4::IDENTITY);
        // Removed joints keep their last matrix.
        for (node, matrices) in previous {
            if let Some(range) = self.range(node) {
                let current = self.matrices[range].iter_mut();
                current.zip(&matrices).for_each(|(matrix, last)| *matrix = *last);
            }
        }
        self.index_skins_by_joint(graph, skins);
    }

    fn snapshot(&self) -> Vec<(NodeId, Vec<Mat4>)> {
        let matrices = |skin| self.matrices[self.range_of(skin)].to_vec();
        self.nodes.iter().enumerate().map(|(skin, it)| (it.node, matrices(skin))).collect()
    }

    /// Counts the skins of each joint, then stores them contiguously.
    fn index_skins_by_joint(&mut self, graph: &Graph, skins: &Table<Skin>) {
        let slots = graph.parents().len();
        self.skin_offsets.clear();
        self.skin_offsets.resize(slots + 1, 0);
        let joints = |node| skins.get(graph, node).map_or(&[][..], |skin| &skin.joints);
        for skinned in &self.nodes {
            for joint in joints(skinned.node).iter().filter(|joint| joint.index() < slots) {
                self.skin_offsets[joint.index() + 1] += 1;
            }
        }
        for slot in 0..slots {
            self.skin_offsets[slot + 1] += self.skin_offsets[slot];
        }
        self.joint_skins.clear();
        self.joint_skins.resize(self.skin_offsets[slots] as usize, 0);
        let mut next = self.skin_offsets.clone();
        for (skin, skinned) in self.nodes.iter().enumerate() {
            for joint in joints(skinned.node).iter().filter(|joint| joint.index() < slots) {
                let cursor = &mut next[joint.index()];
                self.joint_skins[*cursor as usize] = skin as u32;
                *cursor += 1;
            }
        }
    }

    /// Marks the skins of changed joints as dirty, or lays out all ranges if skins changed or a
    /// skinned node or a joint was removed.
    pub(super) fn mark_dirty(&mut self, graph: &Graph, skins: &Table<Skin>, changes: &Changes<'_>) {
        let removed = changes.removed();
        if skins.has_changed() || removed.iter().any(|&node| self.uses(node)) {
            self.lay_out(graph, skins);
        } else {
            self.mark_skins_dirty(changes.changed());
        }
    }

    fn mark_skins_dirty(&mut self, changed: ChangedNodes<'_>) {
        if self.nodes.is_empty() {
            return;
        }
        for node in changed {
            let offsets = self.skin_offsets.get(node.index()..node.index() + 2);
            let Some(&[from, to]) = offsets else { continue };
            for &skin in &self.joint_skins[from as usize..to as usize] {
                if !core::mem::replace(&mut self.nodes[skin as usize].dirty, true) {
                    self.dirty.push(skin);
                }
            }
        }
    }

    /// Computes the matrices of the dirty skins.
    pub(super) fn compute(&mut self, graph: &Graph, skins: &Table<Skin>) {
        self.begin();
        self.for_each_changed(graph, skins, |task| compute_skin(graph, task));
    }

    /// Makes the dirty skins the changed ones.
    pub(super) fn begin(&mut self) {
        core::mem::swap(&mut self.changed, &mut self.dirty);
        self.dirty.clear();
        self.changed.sort_unstable();
        for &skin in &self.changed {
            self.nodes[skin as usize].dirty = false;
        }
    }

    /// Calls `f` with each changed skin and its matrices.
    pub(super) fn for_each_changed<'a>(
        &'a mut self,
        graph: &'a Graph,
        skins: &'a Table<Skin>,
        mut f: impl FnMut(SkinTask<'a>),
    ) {
        let (mut remaining, mut at) = (self.matrices.as_mut_slice(), 0);
        for &index in &self.changed {
            let &SkinnedNode { node, start, .. } = &self.nodes[index as usize];
            let Some(skin) = skins.get(graph, node) else { continue };
            let (_, after) = core::mem::take(&mut remaining).split_at_mut(start - at);
            let (matrices, after) = after.split_at_mut(skin.joints.len().min(after.len()));
            at = start + matrices.len();
            remaining = after;
            f(SkinTask { skin, slots: &self.slots[start..at], matrices });
        }
    }

    /// Computes all matrices, changed or not.
    pub(super) fn recompute(&mut self, graph: &Graph, skins: &Table<Skin>) {
        self.dirty.clear();
        self.dirty.extend(0..self.nodes.len() as u32);
        self.compute(graph, skins);
    }
}

/// The matrices of one skin, to be computed.
pub(super) struct SkinTask<'a> {
    pub(super) skin: &'a Skin,
    slots: &'a [u32],
    matrices: &'a mut [Mat4],
}

/// The slot of a removed joint.
const REMOVED: u32 = u32::MAX;

/// Computes the matrices of one skin. A removed joint keeps its matrix.
pub(super) fn compute_skin(graph: &Graph, task: SkinTask<'_>) {
    let SkinTask { skin, slots, matrices } = task;
    graph.world_products(slots, &skin.inverse_bind_matrices, matrices);
    if skin.bind_matrix != Mat4::IDENTITY {
        for (matrix, _) in matrices.iter_mut().zip(slots).filter(|(_, slot)| **slot != REMOVED) {
            *matrix = multiply(matrix, &skin.bind_matrix);
        }
    }
}

/// Multiplies two matrices with a fixed order of operations, so that the result has the same bits
/// everywhere: that of glam depends on the target.
#[inline]
fn multiply(a: &Mat4, b: &Mat4) -> Mat4 {
    let column = |b: glam::Vec4| {
        let [x, y, z, w] = [b.x, b.y, b.z, b.w];
        ((a.x_axis * x + a.y_axis * y) + a.z_axis * z) + a.w_axis * w
    };
    Mat4::from_cols(column(b.x_axis), column(b.y_axis), column(b.z_axis), column(b.w_axis))
}
