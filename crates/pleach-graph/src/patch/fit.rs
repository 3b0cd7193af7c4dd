//! `Graph::apply`: checks that all edits of a patch fit before it performs the first one.
//!
//! The edits of the tree are tried out on a sketch, which holds what they change: the live nodes,
//! their parents, and the numbers of their children. Nothing of the graph is changed.
//!
//! Invariant: if `check_fit` accepts a patch, `perform` can perform all its edits in order.

use alloc::vec::Vec;
use core::fmt;

use super::edit::{Local, Nodes, Place};
use super::recorder::Paused;
use crate::store::links::NONE;
use crate::{Edit, Graph, NodeId, Patch, Transform};

/// The reason why a patch was not applied. Nothing was changed.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum PatchError {
    /// The patch belongs to another graph: its [lineage](Patch::lineage) differs.
    Lineage {
        /// The lineage of the patch.
        patch: u64,
        /// Of the graph.
        graph: u64,
    },
    /// The graph is not in the state that the patch begins with: its
    /// [revision](Graph::revision) differs.
    Revision {
        /// The one that the patch begins with.
        patch: u64,
        /// Of the graph.
        graph: u64,
    },
    /// An edit does not fit.
    Edit {
        /// The index of the edit in the patch.
        index: usize,
        /// The node that it does not fit.
        node: NodeId,
        /// The reason.
        reason: Misfit,
    },
    /// There is not enough memory for the nodes, or there would be more than 2^32 - 1.
    TooManyNodes {
        /// The number of nodes that the patch adds.
        nodes: usize,
    },
}

/// The reason why an edit does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Misfit {
    /// The node does not exist.
    Dead,
    /// The node exists already.
    Alive,
    /// The handle cannot be issued: it was freed, or another node is in its slot.
    Taken,
    /// The parent does not exist.
    ParentDead,
    /// The next sibling is not a child of that parent.
    Sibling,
    /// The node would become its own descendant.
    Cycle,
    /// The node has another parent than before the edit.
    Moved,
    /// A removed node has children that the edit does not remove.
    Children,
    /// A number is not finite, a rotation is zero, or the last row of a matrix is not (0, 0, 0, 1).
    Number,
}

impl fmt::Display for PatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lineage { patch, graph } => write!(
                f,
                "the patch belongs to another graph: its lineage is {patch:016x}, that of the graph \
                 is {graph:016x}; apply it to the graph that it was recorded from, or to a copy",
            ),
            Self::Revision { patch, graph } => write!(
                f,
                "the patch begins with revision {patch:016x}, but the graph is at {graph:016x}; \
                 patches are applied once and in order, and undone in the opposite order",
            ),
            Self::Edit { index, node, reason } => {
                write!(f, "edit {index} of the patch does not fit: node {node} {reason}")
            }
            Self::TooManyNodes { nodes } => write!(
                f,
                "cannot add the {nodes} nodes of the patch: out of memory, or more than 2^32 - 1",
            ),
        }
    }
}

impl core::error::Error for PatchError {}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Dead => {
                "does not exist; it was removed outside of a transaction, or by another patch"
            }
            Self::Alive => "exists already",
            Self::Taken => {
                "cannot be added with this handle: it was freed, and its slot may be in use"
            }
            Self::ParentDead => "has a parent that does not exist",
            Self::Sibling => "has a next sibling that is not a child of its parent",
            Self::Cycle => "would be attached to one of its descendants",
            Self::Moved => "has another parent than the edit expects",
            Self::Children => "has children that the edit does not remove",
            Self::Number => {
                "has a number that is not finite, a zero rotation, or a matrix that is not affine"
            }
        })
    }
}

impl Graph {
    /// Performs the edits of a patch: all of them, or none if one does not fit.
    ///
    /// The graph must have the [revision](Self::revision) that the patch begins with. A copy of the
    /// graph fits, too. Values are replaced whatever they are, since poses and physics may have
    /// changed them; nodes must be where the patch expects them.
    ///
    /// Inside of a transaction, the edits become part of it.
    ///
    /// # Errors
    ///
    /// [`PatchError`], which names the first edit that does not fit.
    ///
    /// ```
    /// # use pleach_graph::{Graph, PatchError, Transform};
    /// let mut graph = Graph::new();
    /// let (node, patch) = graph.transact("Add", |graph| graph.add_root(Transform::IDENTITY))?;
    /// assert!(matches!(graph.apply(&patch), Err(PatchError::Revision { .. })));   // it is applied
    /// graph.apply(&patch.invert())?;
    /// assert!(!graph.contains(node));
    /// graph.apply(&patch)?;
    /// assert!(graph.contains(node));
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    #[doc(alias("undo", "redo"))]
    pub fn apply(&mut self, patch: &Patch) -> Result<(), PatchError> {
        self.check_revision(patch)?;
        self.free_parked_sometimes();
        let nodes = added_nodes(patch);
        self.check_fit(patch, nodes)?;
        // Most nodes come back to slots that were kept for them.
        let additional = slots_after(patch).saturating_sub(self.slots.len());
        if additional > 0 {
            self.reserve_slots(additional).map_err(|_| PatchError::TooManyNodes { nodes })?;
        }
        let was_watched = self.is_watched();
        let paused = Paused::begin(self);
        for edit in patch {
            paused.graph.perform(&edit);
        }
        drop(paused);
        self.set_watched(was_watched);
        self.record_edits(patch.iter());
        self.set_applied(patch);
        Ok(())
    }

    /// Checks that [`apply`](Self::apply) would succeed, without changing anything, unless there is
    /// not enough memory.
    ///
    /// # Errors
    ///
    /// Those of [`apply`](Self::apply).
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// let mut graph = Graph::new();
    /// let (_, patch) = graph.transact("Add", |graph| graph.add_root(Transform::IDENTITY))?;
    /// assert!(graph.check_patch(&patch).is_err());             // it is applied
    /// assert!(graph.check_patch(&patch.invert()).is_ok());
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    pub fn check_patch(&self, patch: &Patch) -> Result<(), PatchError> {
        self.check_revision(patch)?;
        self.check_edits(patch)
    }

    /// Checks that all edits of a patch can be performed, whatever revision it begins with.
    #[doc(hidden)]
    pub fn check_edits(&self, patch: &Patch) -> Result<(), PatchError> {
        self.check_fit(patch, added_nodes(patch))
    }

    /// Checks that a patch belongs to this graph and begins with its current revision. Takes constant
    /// time, but O(nodes) before the first transaction.
    ///
    /// # Errors
    ///
    /// [`PatchError::Lineage`] or [`PatchError::Revision`].
    ///
    /// ```
    /// # use pleach_graph::{Graph, PatchError, Transform};
    /// let mut graph = Graph::new();
    /// let (_, patch) = graph.transact("Add", |graph| graph.add_root(Transform::IDENTITY))?;
    /// assert!(matches!(graph.check_revision(&patch), Err(PatchError::Revision { .. })));
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    pub fn check_revision(&self, patch: &Patch) -> Result<(), PatchError> {
        // Before the first transaction, the revision is the hash of what is there.
        let first = if self.lineage() == 0 { self.state_hash() } else { 0 };
        self.check_revision_before(patch, first)
    }

    /// Like [`check_revision`](Self::check_revision), but the revision before the first transaction is
    /// `first`: that of a scene.
    #[doc(hidden)]
    pub fn check_revision_before(&self, patch: &Patch, first: u64) -> Result<(), PatchError> {
        let (lineage, revision) = match self.lineage() {
            0 => (first, first),
            lineage => (lineage, self.revision()),
        };
        if patch.lineage() != lineage {
            return Err(PatchError::Lineage { patch: patch.lineage(), graph: lineage });
        }
        let base = patch.revisions().0;
        if base != revision {
            return Err(PatchError::Revision { patch: base, graph: revision });
        }
        Ok(())
    }

    /// Checks that all edits of a patch, which add some nodes, can be performed.
    fn check_fit(&self, patch: &Patch, added: usize) -> Result<(), PatchError> {
        if self.slots.len() as u64 + added as u64 > u64::from(NONE) {
            return Err(PatchError::TooManyNodes { nodes: added });
        }
        // Children are counted for nodes that are removed or attached later.
        let counts =
            patch.iter().any(|edit| matches!(*edit, Edit::Remove(_) | Edit::Attach { .. }));
        let mut sketch = Sketch::new(self, added, counts);
        for (index, edit) in patch.iter().enumerate() {
            let fit = sketch.check(&edit);
            fit.map_err(|(node, reason)| PatchError::Edit { index, node, reason })?;
        }
        Ok(())
    }
}

/// Returns the number of nodes that a patch adds.
fn added_nodes(patch: &Patch) -> usize {
    let added = patch.iter().map(|edit| match &*edit {
        Edit::Add(nodes) => nodes.records().len(),
        _ => 0,
    });
    added.sum()
}

/// Returns the number of slots that a graph has at least once it has the nodes that a patch adds.
fn slots_after(patch: &Patch) -> usize {
    let last = patch.iter().map(|edit| match &*edit {
        Edit::Add(nodes) => nodes.records().iter().map(|it| it.node.index() + 1).max().unwrap_or(0),
        _ => 0,
    });
    last.max().unwrap_or(0)
}

type Fit = Result<(), (NodeId, Misfit)>;

/// The tree as it is after some edits.
struct Sketch<'a> {
    graph: &'a Graph,
    /// By slot: the index of its change, plus one; empty until something changes.
    indices: Vec<u32>,
    changes: Vec<Change>,
    /// Numbers of children are kept.
    counts: bool,
    max_slots: usize,
    /// The next handles of the free slots, sorted; `None` until they are needed.
    free: Option<Vec<NodeId>>,
}

/// A node that edits have changed.
#[derive(Clone, Copy)]
struct Change {
    /// The node, if one is alive.
    node: Option<NodeId>,
    parent: u32,
    children: u32,
}

impl<'a> Sketch<'a> {
    fn new(graph: &'a Graph, added: usize, counts: bool) -> Self {
        let max_slots = graph.slots.len() + added;
        Self {
            graph,
            indices: Vec::new(),
            changes: Vec::with_capacity(added),
            counts,
            max_slots,
            free: None,
        }
    }

    fn check(&mut self, edit: &Edit) -> Fit {
        match edit {
            Edit::Add(nodes) => {
                nodes.records().iter().try_for_each(|it| self.add(it).map_err(|why| (it.node, why)))
            }
            Edit::Remove(nodes) => self.remove(nodes),
            Edit::Attach { node, old, new } => {
                self.attach(*node, *old, *new).map_err(|why| (*node, why))
            }
            Edit::Transform { node, old, new } => {
                self.check_alive(*node)?;
                check_number(is_transform(old) && is_transform(new), *node)
            }
            Edit::Local { node, change } => {
                self.check_alive(*node)?;
                check_number(change.iter().all(is_local), *node)
            }
            Edit::Name { node, .. } | Edit::Visible { node, .. } => self.check_alive(*node),
        }
    }

    fn check_alive(&self, node: NodeId) -> Fit {
        if self.is_alive(node) { Ok(()) } else { Err((node, Misfit::Dead)) }
    }

    fn get(&self, slot: u32) -> Change {
        match self.indices.get(slot as usize) {
            Some(&index) if index > 0 => self.changes[index as usize - 1],
            _ => self.unchanged(slot),
        }
    }

    fn unchanged(&self, slot: u32) -> Change {
        match self.graph.slots.id(slot) {
            Some(node) => Change {
                node: Some(node),
                parent: self.graph.links.parent(slot),
                children: self.graph.links.count(slot),
            },
            None => Change { node: None, parent: NONE, children: 0 },
        }
    }

    fn get_mut(&mut self, slot: u32) -> &mut Change {
        if self.indices.is_empty() {
            self.indices = alloc::vec![0; self.max_slots];
        }
        let index = self.indices[slot as usize];
        if index > 0 {
            return &mut self.changes[index as usize - 1];
        }
        let change = self.unchanged(slot);
        self.changes.push(change);
        self.indices[slot as usize] = self.changes.len() as u32;
        self.changes.last_mut().expect("it was just pushed")
    }

    fn is_alive(&self, node: NodeId) -> bool {
        node.index() < self.max_slots && self.get(node.index() as u32).node == Some(node)
    }

    /// Returns the slot of the parent of a place that exists, or `NONE`.
    fn check_place(&self, node: NodeId, place: Place) -> Result<u32, Misfit> {
        let parent = match place.parent {
            None => NONE,
            Some(parent) if self.is_alive(parent) => parent.index() as u32,
            Some(_) => return Err(Misfit::ParentDead),
        };
        let fits = place.next.is_none_or(|next| {
            next != node && self.is_alive(next) && self.get(next.index() as u32).parent == parent
        });
        if fits { Ok(parent) } else { Err(Misfit::Sibling) }
    }

    fn count_child(&mut self, parent: u32, change: i32) {
        if parent != NONE && self.counts {
            let children = &mut self.get_mut(parent).children;
            *children = children.wrapping_add_signed(change);
        }
    }

    fn add(&mut self, record: &super::edit::NodeRecord) -> Result<(), Misfit> {
        let node = record.node;
        if self.is_alive(node) {
            return Err(Misfit::Alive);
        }
        if !self.can_issue(node) {
            return Err(Misfit::Taken);
        }
        let parent = self.check_place(node, record.place)?;
        if !is_local(&record.local) {
            return Err(Misfit::Number);
        }
        *self.get_mut(node.index() as u32) = Change { node: Some(node), parent, children: 0 };
        self.count_child(parent, 1);
        Ok(())
    }

    /// Returns `true` if the slot of a handle is not in use, and the handle was not freed.
    fn can_issue(&mut self, node: NodeId) -> bool {
        let slot = node.index();
        if slot >= self.max_slots || self.get(slot as u32).node.is_some() {
            return false;
        }
        // Removed by an edit before, parked, or in a slot that does not exist yet.
        if self.graph.contains(node) {
            return true;
        }
        // The handle of a later node replaces a parked one, which its own graph has freed.
        let parked = self.graph.recorder.state.parked.generation(slot);
        if parked > 0 {
            return parked <= node.generation();
        }
        let max = self.graph.slots.max_generation().get();
        if slot >= self.graph.slots.len() {
            return node.generation() <= max;
        }
        let free = self.free.get_or_insert_with(|| {
            let mut free = self.graph.slots.free().to_vec();
            free.sort_unstable();
            free
        });
        let at = free.partition_point(|next| next.index() < slot);
        free.get(at).is_some_and(|next| {
            next.index() == slot
                && next.generation() <= node.generation()
                && node.generation() <= max
        })
    }

    fn remove(&mut self, nodes: &Nodes) -> Fit {
        for record in nodes.records().iter().rev() {
            let node = record.node;
            self.check_alive(node)?;
            let slot = node.index() as u32;
            let Change { parent, children, .. } = self.get(slot);
            if children > 0 {
                return Err((node, Misfit::Children));
            }
            if parent != record.place.parent.map_or(NONE, |parent| parent.index() as u32) {
                return Err((node, Misfit::Moved));
            }
            // For the undo.
            check_number(is_local(&record.local), node)?;
            *self.get_mut(slot) = Change { node: None, parent: NONE, children: 0 };
            self.count_child(parent, -1);
        }
        Ok(())
    }

    fn attach(&mut self, node: NodeId, old: Place, new: Place) -> Result<(), Misfit> {
        if !self.is_alive(node) {
            return Err(Misfit::Dead);
        }
        let slot = node.index() as u32;
        let Change { parent: before, children, .. } = self.get(slot);
        if before != old.parent.map_or(NONE, |parent| parent.index() as u32) {
            return Err(Misfit::Moved);
        }
        let parent = self.check_place(node, new)?;
        // A leaf cannot be an ancestor.
        let mut ancestor = if children > 0 || parent == slot { parent } else { NONE };
        while ancestor != NONE {
            if ancestor == slot {
                return Err(Misfit::Cycle);
            }
            ancestor = self.get(ancestor).parent;
        }
        self.get_mut(slot).parent = parent;
        self.count_child(before, -1);
        self.count_child(parent, 1);
        Ok(())
    }
}

fn check_number(is_right: bool, node: NodeId) -> Fit {
    if is_right { Ok(()) } else { Err((node, Misfit::Number)) }
}

fn is_local(local: &Local) -> bool {
    match local {
        Local::Transform(transform) => is_transform(transform),
        Local::Matrix(matrix) => {
            let (matrix, nearest) = &**matrix;
            matrix.iter().all(|number| number.is_finite())
                && [matrix[3], matrix[7], matrix[11], matrix[15]] == [0.0, 0.0, 0.0, 1.0]
                && is_transform(nearest)
        }
    }
}

/// Returns `true` for what a graph may store: rotations need not have length 1
/// (`set_rotation_raw`).
#[inline]
fn is_transform(transform: &Transform) -> bool {
    let Transform { translation, rotation, scale } = *transform;
    translation.is_finite()
        && scale.is_finite()
        && rotation.is_finite()
        && rotation.to_array() != [0.0; 4]
}
