//! `JointMatrices`: the joint matrices of all skins, in one array for upload.
//!
//! The matrix of a joint is its world matrix × its inverse bind matrix (× the bind matrix). Nodes
//! with equal skins share one set of matrices. A changed joint marks the sets that use it as dirty;
//! only these are computed.
//!
//! Invariants: the matrices of a set are contiguous; sets are in the order of the slots of their
//! first nodes; a set has the inverse bind matrices, bind matrix and mode of the skin of its node; a
//! set that is not dirty has the matrices for the stored world matrices of its joints. A removed
//! joint keeps its last matrix.

use core::ops::Range;
use std::collections::BTreeMap;
use std::sync::Arc;

use glam::Mat4;
use pleach_graph::{ChangedNodes, Changes, Graph, NodeId, mat4_product};

use crate::{BindMode, Skin, Table};

/// In `only_sets`: not a joint.
const NO_SET: u32 = u32::MAX;
/// In `only_sets`: a joint of several sets, which `joint_sets` lists.
const SEVERAL_SETS: u32 = u32::MAX - 1;

#[derive(Clone, Debug)]
struct SkinnedNode {
    node: NodeId,
    /// The index of its set.
    set: u32,
}

/// The matrices of one skeleton.
#[derive(Clone, Debug)]
struct MatrixSet {
    /// The first node that uses it.
    node: NodeId,
    /// The start of its matrices.
    start: usize,
    /// A copy of the skin's, so that an update does not look up the skin.
    inverse_bind_matrices: Arc<[Mat4]>,
    /// `None` if the bind matrix is the identity and the mesh is attached: nearly always.
    bind: Option<Box<Bind>>,
}

/// The bind matrix and mode of a skin.
#[derive(Clone, Debug)]
struct Bind {
    matrix: Mat4,
    mode: BindMode,
}

impl Bind {
    fn new(skin: &Skin) -> Option<Box<Self>> {
        let is_plain = skin.bind_matrix == Mat4::IDENTITY && skin.bind_mode == BindMode::Attached;
        let bind = || Box::new(Self { matrix: skin.bind_matrix, mode: skin.bind_mode });
        (!is_plain).then(bind)
    }
}

/// The joint matrices of all skins. A joint matrix transforms the vertices of a mesh to world
/// space: it is the joint's world matrix × its inverse bind matrix (× the skin's bind matrix).
///
/// Nodes with equal skins (the same joints, inverse bind matrices and bind matrix) share one range:
/// a character of several meshes has its joint matrices computed and uploaded once.
///
/// ```
/// use pleach::glam::Vec3;
/// use pleach::{Node, Scene, Skin};
///
/// let mut scene = Scene::new();
/// let hip = scene.spawn(Node::group())?;
/// let skin = Skin::from_current_pose(&scene.graph, vec![hip])?;
/// let body = scene.spawn(Node::group().skinned(skin.clone()))?;
/// let coat = scene.spawn(Node::group().skinned(skin))?;
/// scene.node_mut(hip)?.set_translation(Vec3::Z)?;
/// scene.update()?;
///
/// let matrices = scene.joint_matrices();
/// assert_eq!(matrices.range(body), matrices.range(coat));
/// assert_eq!(matrices.get(body).unwrap()[0].w_axis.z, 1.0);
/// for range in matrices.changed_ranges() {
///     let _upload = &matrices.matrices()[range];
/// }
/// # Ok::<(), pleach::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct JointMatrices {
    matrices: Vec<Mat4>,
    /// By matrix: the slot of the joint, `REMOVED` for removed ones.
    slots: Vec<u32>,
    /// In slot order.
    nodes: Vec<SkinnedNode>,
    sets: Vec<MatrixSet>,
    /// By slot: the set of a joint; `NO_SET` for other nodes, `SEVERAL_SETS` for joints of more.
    only_sets: Vec<u32>,
    /// By slot of a joint: the start of its sets in `joint_sets`.
    set_offsets: Vec<u32>,
    joint_sets: Vec<u32>,
    /// Indices in `sets`, in any order.
    dirty: Vec<u32>,
    /// By set: `true` if it is in `dirty`. Apart from `sets`, so that marking touches little memory.
    is_dirty: Vec<bool>,
    /// The indices in `sets` that the last update computed.
    changed: Vec<u32>,
    /// By set: `true` if it is in `changed`.
    is_changed: Vec<bool>,
}

impl JointMatrices {
    /// Returns the matrices of all skeletons, one after the other, for upload to a GPU.
    #[must_use]
    pub fn matrices(&self) -> &[Mat4] {
        &self.matrices
    }

    /// Returns the range of a node's matrices in [`matrices`](Self::matrices), or `None` if the node
    /// is not skinned. Nodes with equal skins have the same range.
    #[must_use]
    pub fn range(&self, node: NodeId) -> Option<Range<usize>> {
        let skinned = self.nodes.binary_search_by_key(&node.index(), |it| it.node.index()).ok()?;
        let skinned = &self.nodes[skinned];
        (skinned.node == node).then(|| self.range_of(skinned.set as usize))
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
    /// the ranges of their matrices. O(skinned nodes).
    pub fn changed(&self) -> impl Iterator<Item = (NodeId, Range<usize>)> {
        let nodes = if self.changed.is_empty() { &[][..] } else { &self.nodes };
        let changed = nodes.iter().filter(|it| self.is_changed[it.set as usize]);
        changed.map(|it| (it.node, self.range_of(it.set as usize)))
    }

    /// Iterates over the ranges of [`matrices`](Self::matrices) that the last update computed, in
    /// ascending order, each once: what to upload.
    #[must_use]
    pub fn changed_ranges(&self) -> impl ExactSizeIterator<Item = Range<usize>> {
        self.changed.iter().map(|&set| self.range_of(set as usize))
    }

    fn range_of(&self, set: usize) -> Range<usize> {
        let end = self.sets.get(set + 1).map_or(self.matrices.len(), |next| next.start);
        self.sets[set].start..end
    }

    /// Returns `true` if a node is skinned, or a joint.
    fn uses(&self, node: NodeId) -> bool {
        let set = self.only_sets.get(node.index());
        self.range(node).is_some() || set.is_some_and(|&set| set != NO_SET)
    }

    /// Lays out the ranges for changed skins. All sets are dirty then.
    fn lay_out(&mut self, graph: &Graph, skins: &Table<Skin>) {
        let previous = self.snapshot();
        self.nodes.clear();
        self.nodes.extend(skins.iter(graph).map(|(node, _)| SkinnedNode { node, set: 0 }));
        self.nodes.sort_unstable_by_key(|it| it.node.index());
        self.sets.clear();
        self.slots.clear();
        // By first joint and number of joints: the sets with such a skin.
        let mut similar: BTreeMap<_, Vec<u32>> = BTreeMap::new();
        for skinned in &mut self.nodes {
            let Some(skin) = skins.get(graph, skinned.node) else { continue };
            let sets = similar.entry((skin.joints.first(), skin.joints.len())).or_default();
            let shares = |&&set: &&u32| {
                let other = skins.get(graph, self.sets[set as usize].node);
                other.is_some_and(|other| skin.has_matrices_of(other))
            };
            skinned.set = sets.iter().find(shares).copied().unwrap_or_else(|| {
                let set = self.sets.len() as u32;
                let (node, start) = (skinned.node, self.slots.len());
                let inverse_bind_matrices = Arc::clone(&skin.inverse_bind_matrices);
                let bind = Bind::new(skin);
                self.sets.push(MatrixSet { node, start, inverse_bind_matrices, bind });
                let is_live = |it: &NodeId| graph.contains(*it);
                let slot = |it: &NodeId| if is_live(it) { it.index() as u32 } else { REMOVED };
                self.slots.extend(skin.joints.iter().map(slot));
                sets.push(set);
                set
            });
        }
        self.dirty.clear();
        self.dirty.extend(0..self.sets.len() as u32);
        self.is_dirty.clear();
        self.is_dirty.resize(self.sets.len(), true);
        self.changed.clear();
        self.is_changed.clear();
        self.is_changed.resize(self.sets.len(), false);
        self.matrices.clear();
        self.matrices.resize(self.slots.len(), Mat4::IDENTITY);
        // Removed joints keep their last matrix.
        for (node, matrices) in previous {
            if let Some(range) = self.range(node) {
                let current = self.matrices[range].iter_mut();
                current.zip(&matrices).for_each(|(matrix, last)| *matrix = *last);
            }
        }
        self.index_sets_by_joint(graph, skins);
    }

    fn snapshot(&self) -> Vec<(NodeId, Vec<Mat4>)> {
        let matrices = |it: &SkinnedNode| self.matrices[self.range_of(it.set as usize)].to_vec();
        self.nodes.iter().map(|it| (it.node, matrices(it))).collect()
    }

    /// Counts the sets of each joint, then stores them contiguously. A set of a detached skin
    /// depends on its mesh node, too.
    fn index_sets_by_joint(&mut self, graph: &Graph, skins: &Table<Skin>) {
        let slots = graph.parents().len();
        self.set_offsets.clear();
        self.set_offsets.resize(slots + 1, 0);
        let inputs = |node: NodeId| {
            let skin = skins.get(graph, node);
            let joints = skin.map_or(&[][..], |skin| &skin.joints).iter().copied();
            let own = skin.filter(|skin| skin.bind_mode == BindMode::Detached).map(|_| node);
            joints.chain(own).map(NodeId::index).filter(move |&slot| slot < slots)
        };
        for set in &self.sets {
            for slot in inputs(set.node) {
                self.set_offsets[slot + 1] += 1;
            }
        }
        for slot in 0..slots {
            self.set_offsets[slot + 1] += self.set_offsets[slot];
        }
        self.joint_sets.clear();
        self.joint_sets.resize(self.set_offsets[slots] as usize, 0);
        let mut next = self.set_offsets.clone();
        for (index, set) in self.sets.iter().enumerate() {
            for slot in inputs(set.node) {
                let cursor = &mut next[slot];
                self.joint_sets[*cursor as usize] = index as u32;
                *cursor += 1;
            }
        }
        let sets = self.set_offsets.windows(2);
        self.only_sets.clear();
        self.only_sets.extend(sets.map(|range| match range[1] - range[0] {
            0 => NO_SET,
            1 => self.joint_sets[range[0] as usize],
            _ => SEVERAL_SETS,
        }));
    }

    /// Marks the sets of changed joints as dirty, or lays out all ranges if skins changed or a
    /// skinned node or a joint was removed.
    pub(super) fn mark_dirty(&mut self, graph: &Graph, skins: &Table<Skin>, changes: &Changes<'_>) {
        let removed = changes.removed();
        if skins.has_changed() || removed.iter().any(|&node| self.uses(node)) {
            self.lay_out(graph, skins);
        } else {
            self.mark_sets_dirty(changes.changed());
        }
    }

    fn mark_sets_dirty(&mut self, changed: ChangedNodes<'_>) {
        if self.nodes.is_empty() {
            return;
        }
        // Most joints have one set, and most of them come after another one of it.
        let mut last = NO_SET;
        for node in changed {
            let set = self.only_sets.get(node.index()).copied().unwrap_or(NO_SET);
            if set == last || set == NO_SET {
                continue;
            }
            if set == SEVERAL_SETS {
                let range = self.set_offsets[node.index()]..self.set_offsets[node.index() + 1];
                for index in range {
                    self.mark_set_dirty(self.joint_sets[index as usize]);
                }
            } else {
                self.mark_set_dirty(set);
                last = set;
            }
        }
    }

    #[inline]
    fn mark_set_dirty(&mut self, set: u32) {
        if !core::mem::replace(&mut self.is_dirty[set as usize], true) {
            self.dirty.push(set);
        }
    }

    /// Computes the matrices of the dirty sets.
    pub(super) fn compute(&mut self, graph: &Graph) {
        self.begin();
        self.for_each_changed(|task| compute_skin(graph, task));
    }

    /// Makes the dirty sets the changed ones.
    pub(super) fn begin(&mut self) {
        for &set in &self.changed {
            self.is_changed[set as usize] = false;
        }
        core::mem::swap(&mut self.changed, &mut self.dirty);
        self.dirty.clear();
        self.changed.sort_unstable();
        for &set in &self.changed {
            self.is_dirty[set as usize] = false;
            self.is_changed[set as usize] = true;
        }
    }

    /// Calls `f` with each changed set and its matrices.
    pub(super) fn for_each_changed<'a>(&'a mut self, mut f: impl FnMut(SkinTask<'a>)) {
        let (mut remaining, mut at) = (self.matrices.as_mut_slice(), 0);
        for &index in &self.changed {
            let set = &self.sets[index as usize];
            let end = self.sets.get(index as usize + 1).map_or(self.slots.len(), |it| it.start);
            let (_, after) = core::mem::take(&mut remaining).split_at_mut(set.start - at);
            let (matrices, after) = after.split_at_mut(end - set.start);
            (remaining, at) = (after, end);
            f(SkinTask { set, slots: &self.slots[set.start..end], matrices });
        }
    }
}

/// The matrices of one set, to be computed.
pub(super) struct SkinTask<'a> {
    set: &'a MatrixSet,
    slots: &'a [u32],
    matrices: &'a mut [Mat4],
}

impl SkinTask<'_> {
    /// Returns the number of matrices.
    #[cfg(feature = "parallel")]
    pub(super) fn len(&self) -> usize {
        self.matrices.len()
    }
}

/// The slot of a removed joint.
const REMOVED: u32 = u32::MAX;

/// Computes the matrices of one set. A removed joint keeps its matrix.
pub(super) fn compute_skin(graph: &Graph, task: SkinTask<'_>) {
    let SkinTask { set, slots, matrices } = task;
    graph.world_products(slots, &set.inverse_bind_matrices, matrices);
    if let Some(bind) = &set.bind {
        apply_bind(graph, set.node, bind, slots, matrices);
    }
}

/// Multiplies the matrices of live joints by the bind matrix, and by the world matrix of a detached
/// mesh.
#[cold]
fn apply_bind(graph: &Graph, node: NodeId, bind: &Bind, slots: &[u32], matrices: &mut [Mat4]) {
    let live = || slots.iter().enumerate().filter(|(_, slot)| **slot != REMOVED);
    if bind.matrix != Mat4::IDENTITY {
        for (joint, _) in live() {
            matrices[joint] = mat4_product(&matrices[joint], &bind.matrix);
        }
    }
    if let (BindMode::Detached, Some(mesh)) = (bind.mode, graph.get(node)) {
        // In f64 and rounded once, so that it has the same bits everywhere.
        let inverse_bind = bind.matrix.as_dmat4().inverse().as_mat4();
        let inverse_bind = if inverse_bind.is_finite() { inverse_bind } else { Mat4::IDENTITY };
        let to_world = mat4_product(&mesh.world(), &inverse_bind);
        for (joint, _) in live() {
            matrices[joint] = mat4_product(&to_world, &matrices[joint]);
        }
    }
}
