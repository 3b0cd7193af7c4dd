//! `Patch`: edits in order, with a label, and the revisions between which they lead.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::edit::{Local, Name, NodeRecord};
use super::edits::{Edits, PatchEdits};
use super::revision;
use crate::{Edit, NodeId};

/// Edits of a graph, in order: what a [transaction](crate::Graph::transact) did.
///
/// [`Graph::apply`](crate::Graph::apply) performs them on the graph, or on a copy of it, in the state
/// that they were recorded in. [`invert`](Self::invert) returns the patch that undoes them. Clones
/// share removed nodes, and are otherwise as large as the patch.
///
/// The nodes that a patch removed, or added and which were undone, are *parked*: their handles are
/// dead, but not reused, as long as a patch exists that can bring them back.
///
/// ```
/// # use pleach_graph::{Graph, Transform};
/// let mut graph = Graph::new();
/// let tree = graph.add_root(Transform::IDENTITY)?;
/// let leaf = graph.add_child(tree, Transform::from_xyz(0.0, 0.0, 2.0))?;
///
/// let (_, patch) = graph.transact("Delete tree", |graph| graph.remove(tree))?;
/// assert!(!graph.contains(leaf));
/// graph.apply(&patch.invert())?;                           // undo
/// assert_eq!(graph.node(leaf)?.translation().z, 2.0);      // the same handle
/// graph.apply(&patch)?;                                    // redo
/// assert!(graph.is_empty());
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Patch {
    label: Box<str>,
    lineage: u64,
    base: u64,
    result: u64,
    edits: Edits,
}

impl Patch {
    pub(super) fn new(label: &str, lineage: u64, revisions: (u64, u64), edits: Edits) -> Self {
        let (base, result) = revisions;
        Self { label: label.into(), lineage, base, result, edits }
    }

    pub(super) fn empty(label: &str, lineage: u64, revision: u64) -> Self {
        Self::new(label, lineage, (revision, revision), Edits::default())
    }

    /// Puts a patch together that was stored elsewhere, as by [`iter`](Self::iter),
    /// [`label`](Self::label), [`lineage`](Self::lineage) and [`revisions`](Self::revisions). Whether
    /// it fits a graph is checked when it is applied.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Patch, Transform};
    /// let mut graph = Graph::new();
    /// let (node, patch) = graph.transact("Add", |graph| graph.add_root(Transform::IDENTITY))?;
    /// let edits = patch.iter().map(|edit| edit.into_owned());
    /// assert_eq!(patch, Patch::from_parts("Add", patch.lineage(), patch.revisions(), edits));
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[must_use]
    pub fn from_parts(
        label: &str,
        lineage: u64,
        revisions: (u64, u64),
        edits: impl IntoIterator<Item = Edit>,
    ) -> Self {
        Self::new(label, lineage, revisions, edits.into_iter().collect())
    }

    /// Returns what the edits do, for people: for example "Move lamp".
    #[must_use]
    pub fn label(&self) -> &str {
        &self.label
    }

    /// Changes the label.
    pub fn set_label(&mut self, label: &str) {
        self.label = label.into();
    }

    /// Returns an iterator over the edits, in order.
    ///
    /// ```
    /// # use pleach_graph::{Edit, Graph, Transform, glam::Vec3};
    /// # let mut graph = Graph::new();
    /// # let lamp = graph.add_root(Transform::IDENTITY)?;
    /// let (_, patch) = graph.transact("Move lamp", |graph| {
    ///     graph.node_mut(lamp)?.set_translation(Vec3::X).map(drop)
    /// })?;
    /// for edit in &patch {
    ///     let Edit::Transform { node, new, .. } = *edit else { continue };
    ///     assert_eq!((node, new.translation), (lamp, Vec3::X));
    /// }
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[must_use]
    pub fn iter(&self) -> PatchEdits<'_> {
        self.edits.iter()
    }

    /// Returns the number of edits.
    #[must_use]
    pub fn len(&self) -> usize {
        self.edits.len()
    }

    /// Returns `true` if the patch has no edits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.edits.len() == 0
    }

    /// Returns the [revision](crate::Graph::revision) that the graph had when its first transaction
    /// began.
    #[must_use]
    pub fn lineage(&self) -> u64 {
        self.lineage
    }

    /// Returns the [revisions](crate::Graph::revision) of the graph before and after the edits.
    #[must_use]
    pub fn revisions(&self) -> (u64, u64) {
        (self.base, self.result)
    }

    /// Makes the patch lead to another revision, because more than the graph was edited with it.
    #[doc(hidden)]
    pub fn add_to_result(&mut self, salt: u64) {
        self.result = revision::mix(self.result, salt);
    }

    /// Returns the memory that the patch uses, in bytes, with that of the
    /// [parked](crate::Graph::parked_count) nodes that it keeps.
    #[must_use]
    pub fn byte_size(&self) -> usize {
        size_of::<Self>() + self.label.len() + self.edits.byte_size()
    }

    /// Returns the patch that undoes this one.
    #[must_use]
    pub fn invert(&self) -> Self {
        Self {
            label: self.label.clone(),
            lineage: self.lineage,
            base: self.result,
            result: self.base,
            edits: self.edits.invert(),
        }
    }

    /// Appends the edits of `next`, which begins with the revision that this patch ends with.
    /// Returns `false`, and appends nothing, if it does not.
    pub fn append(&mut self, next: &Self) -> bool {
        let follows = self.result == next.base && self.lineage == next.lineage;
        if follows {
            self.edits.append(&next.edits);
            self.result = next.result;
        }
        follows
    }

    /// Merges edits of the same property of the same node: the thousand moves of a drag become one
    /// edit, from the first value to the last. Edits that then change nothing are dropped, and those
    /// of a node that the patch added become part of its addition.
    ///
    /// Takes O(n log n) time. In the patch of one transaction, those of local transforms are merged already.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform, glam::Vec3};
    /// let mut graph = Graph::new();
    /// let lamp = graph.add_root(Transform::IDENTITY)?;
    /// let move_to = |graph: &mut Graph, x: f32| {
    ///     let to = Vec3::new(x, 0.0, 0.0);
    ///     graph.transact("Move", |graph| graph.node_mut(lamp)?.set_translation(to).map(drop))
    /// };
    /// let (_, mut drag) = move_to(&mut graph, 0.0)?;
    /// for step in 1..1000 {
    ///     assert!(drag.append(&move_to(&mut graph, step as f32)?.1));
    /// }
    /// drag.squash();
    /// assert_eq!(drag.len(), 1);
    /// graph.apply(&drag.invert())?;
    /// assert_eq!(graph.node(lamp)?.translation(), Vec3::ZERO);
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    pub fn squash(&mut self) {
        self.squash_keeping(|_| false);
    }

    /// Like [`squash`](Self::squash), but keeps edits of the local transforms of some nodes even if they
    /// then change nothing: something else writes them without recording it.
    #[doc(hidden)]
    pub fn squash_keeping(&mut self, is_kept: impl Fn(NodeId) -> bool) {
        self.edits = squash(&self.edits, is_kept);
    }
}

impl<'a> IntoIterator for &'a Patch {
    type Item = Cow<'a, Edit>;
    type IntoIter = PatchEdits<'a>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// Merges the edits of the same property of the same node. Local transforms of nodes that are kept stay
/// even if they are as before.
pub(super) fn squash(edits: &Edits, is_kept: impl Fn(NodeId) -> bool) -> Edits {
    let mut squashed: Vec<Option<Edit>> = Vec::with_capacity(edits.len().min(1024));
    // By node and property: the edit that the next one is merged with.
    let mut latest: BTreeMap<(NodeId, Property), usize> = BTreeMap::new();
    // By node: the edit that added it, and its index there.
    let mut added: BTreeMap<NodeId, (usize, usize)> = BTreeMap::new();
    // The last edit of the tree.
    let mut last_of_tree = None;
    // The edits that others were merged with.
    let mut merged: Vec<usize> = Vec::new();
    let mut removed: BTreeSet<NodeId> = BTreeSet::new();
    for edit in edits.iter().map(Cow::into_owned) {
        if let Edit::Attach { node, new, .. } = edit
            && let Some(Some(Edit::Attach { node: before, new: merged, .. })) =
                last_of_tree.map(|at: usize| &mut squashed[at])
            && *before == node
        {
            *merged = new;
            continue;
        }
        let Some((node, property)) = property_of(&edit) else {
            last_of_tree = Some(squashed.len());
            for node in edit.nodes() {
                // A value that was set before the node was removed is not the one that it has
                // when it is back.
                for property in [Property::Local, Property::Name, Property::Visible] {
                    latest.remove(&(node, property));
                }
                added.remove(&node);
            }
            if matches!(edit, Edit::Remove(_)) {
                removed.extend(edit.nodes());
            }
            if let Edit::Add(nodes) = &edit {
                let at = squashed.len();
                added.extend(
                    nodes.records.iter().enumerate().map(|(index, it)| (it.node, (at, index))),
                );
            }
            squashed.push(Some(edit));
            continue;
        };
        if let Some(&(at, index)) = added.get(&node)
            && let Some(Edit::Add(nodes)) = &mut squashed[at]
        {
            set_value(&mut Arc::make_mut(nodes).records[index], edit);
            continue;
        }
        match latest.get(&(node, property)) {
            Some(&at) => {
                squashed[at] = squashed[at].take().and_then(|first| merge(first, edit));
                merged.push(at);
                if squashed[at].is_none() {
                    latest.remove(&(node, property));
                }
            }
            None => {
                latest.insert((node, property), squashed.len());
                squashed.push(Some(edit));
            }
        }
    }
    for at in merged {
        // A node that is removed later may have any local transform after this edit.
        let can_be_dropped = |node: NodeId| !is_kept(node) && !removed.contains(&node);
        squashed[at].take_if(|edit| match edit {
            Edit::Name { change, .. } => change[0] == change[1],
            Edit::Transform { node, old, new } => old.bits() == new.bits() && can_be_dropped(*node),
            Edit::Local { node, change } => {
                change[0].has_bits_of(&change[1]) && can_be_dropped(*node)
            }
            _ => false,
        });
    }
    let is_needed = |edit: &Edit| !matches!(edit, Edit::Attach { old, new, .. } if old == new);
    squashed.into_iter().flatten().filter(is_needed).collect()
}

/// A property whose edits can be merged.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Property {
    Local,
    Name,
    Visible,
}

fn property_of(edit: &Edit) -> Option<(NodeId, Property)> {
    match edit {
        Edit::Transform { node, .. } | Edit::Local { node, .. } => Some((*node, Property::Local)),
        Edit::Name { node, .. } => Some((*node, Property::Name)),
        Edit::Visible { node, .. } => Some((*node, Property::Visible)),
        Edit::Add(_) | Edit::Remove(_) | Edit::Attach { .. } => None,
    }
}

/// Returns one edit for two of the same property of the same node. Two of the visibility cancel each other
/// out.
fn merge(first: Edit, second: Edit) -> Option<Edit> {
    match (first, second) {
        (Edit::Visible { .. }, Edit::Visible { .. }) => None,
        (Edit::Name { node, change: first }, Edit::Name { change: second, .. }) => {
            let ([old, _], [_, new]) = (*first, *second);
            Some(Edit::Name { node, change: Box::new([old, new]) })
        }
        (first, second) => {
            let (node, [old, _]) = locals_of(first)?;
            let (_, [_, new]) = locals_of(second)?;
            Some(local_edit(node, old, new))
        }
    }
}

fn locals_of(edit: Edit) -> Option<(NodeId, [Local; 2])> {
    match edit {
        Edit::Transform { node, old, new } => {
            Some((node, [Local::Transform(old), Local::Transform(new)]))
        }
        Edit::Local { node, change } => Some((node, *change)),
        _ => None,
    }
}

/// Returns the edit of a local transform.
pub(crate) fn local_edit(node: NodeId, old: Local, new: Local) -> Edit {
    match (old, new) {
        (Local::Transform(old), Local::Transform(new)) => Edit::Transform { node, old, new },
        (old, new) => Edit::Local { node, change: Box::new([old, new]) },
    }
}

/// Sets what a later edit sets on a node that was added.
fn set_value(record: &mut NodeRecord, edit: Edit) {
    match edit {
        Edit::Transform { new, .. } => record.local = Local::Transform(new),
        Edit::Local { change, .. } => {
            let [_, new] = *change;
            record.local = new;
        }
        Edit::Name { change, .. } => {
            let [_, new]: [Option<Name>; 2] = *change;
            record.name = new;
        }
        Edit::Visible { new, .. } => record.visible = new,
        Edit::Add(_) | Edit::Remove(_) | Edit::Attach { .. } => {}
    }
}
