//! Recording: `Graph::transact`, and what the edits of a graph call while it runs.
//!
//! A local transform is recorded when it is first written: the flag `WATCHED` of its node is then
//! cleared, so that further writes cost nothing. The value after the transaction is read at its end.
//! Other edits are recorded one by one, in order.
//!
//! Nodes that are added and removed are recorded on the way that is rare otherwise, where a list of
//! changes begins or is compacted: `prepare_recording` makes it the only way.
//!
//! Invariants: `is_recording` is set exactly while `transaction` records. While it does, a live node
//! without `WATCHED` was added by the transaction, or its local transform before it is in `log`.
//! While no transaction runs and `watched_at` is the structure version, every live node is `WATCHED`.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::edit::{Local, NodeRecord, Nodes, Place};
use super::edits::{Edits, Other, Packed, PatchEdits, Position, Row, Undone};
use super::parked::Parked;
use crate::store::{flags::NodeFlags, links::NONE};
use crate::{Edit, Graph, NodeId, Patch, Transform};

/// The running transaction of a graph, and its revision.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    pub(crate) is_recording: bool,
    /// Writes of local transforms are recorded, too.
    records_locals: bool,
    /// In a box, since a graph may be moved.
    pub(crate) state: Box<State>,
}

/// Everything that is not read by every edit.
#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) parked: Parked,
    transaction: Option<Box<Transaction>>,
    /// The edits of the transaction that runs; otherwise empty.
    pub(super) log: Edits,
    /// The number of local transforms that the last transaction edited.
    pub(super) last_len: usize,
    /// Writes of local transforms are not recorded.
    ignores_locals: bool,
    /// The structure version at which all live nodes were `WATCHED`; `None` if one of them was
    /// written since.
    pub(super) watched_at: Option<u64>,
    /// The revision when the first transaction began; 0 before.
    lineage: u64,
    revision: u64,
}

impl Recorder {
    /// Returns `true` if nodes may be `WATCHED`.
    #[inline]
    pub(crate) fn has_watched(&self) -> bool {
        self.state.lineage != 0
    }

    pub(super) fn set_recording(&mut self, is_recording: bool) {
        self.is_recording = is_recording;
        self.records_locals = is_recording && !self.state.ignores_locals;
    }

    /// Sets whether writes of local transforms are not recorded. Returns what was set before.
    fn set_ignoring_locals(&mut self, ignores: bool) -> bool {
        let before = core::mem::replace(&mut self.state.ignores_locals, ignores);
        self.set_recording(self.is_recording);
        before
    }
}

impl Clone for Recorder {
    /// A clone does not take part in the running transaction.
    fn clone(&self) -> Self {
        let State { parked, lineage, revision, .. } = &*self.state;
        let (parked, lineage, revision) = (parked.clone(), *lineage, *revision);
        let state = State { parked, lineage, revision, ..State::default() };
        Self { is_recording: false, records_locals: false, state: Box::new(state) }
    }
}

/// The running transaction, with those inside of it.
#[derive(Debug, Default)]
pub(super) struct Transaction {
    /// The beginning of each, the outermost one first.
    begins: Vec<Begin>,
    /// Local transforms may have been recorded more than once.
    pub(super) is_nested: bool,
    /// Nodes whose local transform is part of the patch even if it is as before.
    pub(super) kept: Vec<NodeId>,
}

#[derive(Clone, Copy, Debug)]
struct Begin {
    position: Position,
    revision: u64,
}

impl Graph {
    /// Calls `edit`, and returns its result with a [`Patch`] of everything that it changed. If it
    /// returns an error or panics, all of that is undone.
    ///
    /// Inside, the graph is edited and read as usual: every edit takes effect at once. A transaction
    /// inside of another one joins it: its patch is empty, and its edits are part of the outer one's;
    /// if it fails, only its own edits are undone.
    ///
    /// Undone are values, order and visibility, bit for bit. Handles that were created inside stay dead
    /// if they escape. The lists of changes may contain nodes that are as before.
    ///
    /// The first transaction takes O(nodes) time, also the first one after nodes were edited or added
    /// outside; others take the time of their edits. If `edit` replaces the whole graph (`*graph = …`),
    /// nothing is recorded.
    ///
    /// # Errors
    ///
    /// Those of `edit`.
    ///
    /// ```
    /// # use pleach_graph::{Error, Graph, Transform, glam::Vec3};
    /// let mut graph = Graph::new();
    /// let [lamp, desk] = [(); 2].map(|()| graph.add_root(Transform::IDENTITY).unwrap());
    ///
    /// let (_, patch) = graph.transact("Put lamp on desk", |graph| {
    ///     graph.attach(lamp, desk)?;
    ///     graph.node_mut(lamp)?.set_translation(Vec3::new(0.0, 0.0, 0.7))?;
    ///     Ok::<_, Error>(())
    /// })?;
    /// assert_eq!((patch.label(), patch.len()), ("Put lamp on desk", 2));
    ///
    /// let failed = graph.transact("Nothing", |graph| {
    ///     graph.remove(lamp)?;
    ///     graph.attach(desk, lamp)                             // an error: the lamp is removed
    /// });
    /// assert!(failed.is_err() && graph.node(lamp)?.parent() == Some(desk));
    /// # Ok::<(), Error>(())
    /// ```
    #[doc(alias("undo", "redo", "transaction", "record", "begin_edit"))]
    pub fn transact<T, E>(
        &mut self,
        label: &str,
        edit: impl FnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<(T, Patch), E> {
        let mut running = Running::begin(self);
        let value = edit(running.graph)?;
        Ok((value, running.commit(label)))
    }

    /// Begins a transaction that ends with [`commit`](Self::commit) or
    /// [`roll_back`](Self::roll_back): [`transact`](Self::transact) without a closure, for example for
    /// a drag from pressing the mouse button to its release.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform, glam::Vec3};
    /// let mut graph = Graph::new();
    /// let lamp = graph.add_root(Transform::IDENTITY)?;
    /// graph.begin_transaction();
    /// for x in 0..100 {
    ///     graph.node_mut(lamp)?.set_translation(Vec3::X * x as f32)?;
    /// }
    /// assert_eq!(graph.commit("Drag lamp").map(|patch| patch.len()), Some(1));
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    pub fn begin_transaction(&mut self) {
        if self.recorder.state.transaction.is_some() {
            self.begin_nested();
            return;
        }
        self.free_parked_sometimes();
        if self.recorder.state.watched_at != Some(self.structure_version) {
            self.watch_all();
        }
        if self.recorder.state.lineage == 0 {
            let lineage = self.state_hash();
            self.set_revision(lineage, lineage);
        }
        let begins = alloc::vec![Begin {
            position: Position::default(),
            revision: self.recorder.state.revision
        }];
        let transaction = Transaction { begins, ..Transaction::default() };
        self.recorder.state.transaction = Some(Box::new(transaction));
        self.resume_recording();
    }

    fn resume_recording(&mut self) {
        self.recorder.set_recording(true);
        self.changes.prepare_recording();
    }

    fn begin_nested(&mut self) {
        let State { transaction, log, revision, .. } = &mut *self.recorder.state;
        let Some(transaction) = transaction else { return };
        transaction.begins.push(Begin { position: log.end(), revision: *revision });
        transaction.is_nested = true;
        // Values that the outer one wrote are recorded again when this one writes them.
        let mut watch = |node: NodeId| {
            if self.slots.get(node).is_some() {
                self.flags[node.index()].set(NodeFlags::WATCHED);
            }
        };
        log.olds.iter().for_each(|row| watch(row.node));
        for Other { edit, .. } in &log.others {
            if matches!(edit, Edit::Transform { .. } | Edit::Local { .. } | Edit::Add(_)) {
                edit.nodes().for_each(&mut watch);
            }
        }
    }

    /// Ends the innermost transaction, and returns its patch: an empty one if it is part of another,
    /// `None` if none runs. See [`begin_transaction`](Self::begin_transaction).
    ///
    /// ```
    /// # use pleach_graph::Graph;
    /// assert!(Graph::new().commit("Nothing").is_none());
    /// ```
    pub fn commit(&mut self, label: &str) -> Option<Patch> {
        let mut transaction = self.recorder.state.transaction.take()?;
        let begin = transaction.begins.pop()?;
        let lineage = self.recorder.state.lineage;
        if !transaction.begins.is_empty() {
            self.recorder.state.transaction = Some(transaction);
            return Some(Patch::empty(label, lineage, self.recorder.state.revision));
        }
        let (edits, result) = self.finish(*transaction, begin.revision);
        let patch = Patch::new(label, lineage, (begin.revision, result), edits);
        self.recorder.state.revision = patch.revisions().1;
        Some(patch)
    }

    /// Undoes everything since the innermost transaction began, and ends it. Returns `false` if
    /// none runs.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// let mut graph = Graph::new();
    /// graph.begin_transaction();
    /// graph.add_root(Transform::IDENTITY)?;
    /// assert!(graph.roll_back() && graph.is_empty());
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    pub fn roll_back(&mut self) -> bool {
        let Some(mut transaction) = self.recorder.state.transaction.take() else { return false };
        let Some(begin) = transaction.begins.pop() else { return false };
        self.recorder.set_recording(false);
        let mut log = core::mem::take(&mut self.recorder.state.log);
        log.undo(begin.position, |edit| match edit {
            Undone::Transform(row) => self.restore_transform(row.node, row.old.unpack()),
            Undone::Other(edit) => self.undo_edit(&edit),
        });
        self.recorder.state.log = log;
        self.recorder.state.revision = begin.revision;
        if transaction.begins.is_empty() {
            self.recorder.state.watched_at = Some(self.structure_version);
        } else {
            self.recorder.state.transaction = Some(transaction);
            self.resume_recording();
        }
        true
    }

    /// Returns `true` while a transaction runs.
    #[must_use]
    pub fn is_in_transaction(&self) -> bool {
        self.recorder.state.transaction.is_some()
    }

    /// Returns the revision: a hash of the nodes as they were when the first transaction began, and of
    /// the edits of all patches since. Undoing a patch returns to the revision before it. 0 before
    /// the first transaction.
    ///
    /// Edits outside of transactions do not change it.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.recorder.state.revision
    }

    /// Returns the revision when the first transaction began; 0 if there was none yet.
    #[must_use]
    pub fn lineage(&self) -> u64 {
        self.recorder.state.lineage
    }

    /// Sets lineage and revision of a graph that was restored from elsewhere, so that the patches
    /// that followed fit it.
    ///
    /// ```
    /// # use pleach_graph::Graph;
    /// let mut graph = Graph::new();
    /// graph.set_revision(7, 8);
    /// assert_eq!((graph.lineage(), graph.revision()), (7, 8));
    /// ```
    pub fn set_revision(&mut self, lineage: u64, revision: u64) {
        (self.recorder.state.lineage, self.recorder.state.revision) = (lineage, revision);
    }

    /// Lets the running transaction restore the local transform of a node, which something else is
    /// going to write without recording it. Does nothing for a dead node, or if none runs.
    #[doc(hidden)]
    pub fn record_local(&mut self, node: NodeId) {
        if self.recorder.is_recording
            && let Some(slot) = self.slots.get(node)
        {
            self.watch_local(slot);
            if let Some(transaction) = &mut self.recorder.state.transaction {
                transaction.kept.push(node);
            }
        }
    }

    /// Calls `edit`, whose writes of local transforms are not recorded even if a transaction runs, and
    /// so are not undone with it: for what is derived from the rest, such as poses and physics. Other
    /// edits are recorded as usual.
    ///
    /// ```
    /// # use pleach_graph::{Error, Graph, Transform, glam::Vec3};
    /// let mut graph = Graph::new();
    /// let node = graph.add_root(Transform::IDENTITY)?;
    /// let (_, patch) = graph.transact("Nothing", |graph| {
    ///     graph.unrecorded(|graph| graph.node_mut(node)?.set_translation(Vec3::X).map(drop))
    /// })?;
    /// assert!(patch.is_empty());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn unrecorded<T>(&mut self, edit: impl FnOnce(&mut Self) -> T) -> T {
        let unrecorded = Unrecorded::begin(self);
        edit(unrecorded.0)
    }
}

/// A transaction that runs: rolled back when it is dropped.
struct Running<'a> {
    graph: &'a mut Graph,
    is_committed: bool,
}

impl<'a> Running<'a> {
    fn begin(graph: &'a mut Graph) -> Self {
        graph.begin_transaction();
        Self { graph, is_committed: false }
    }

    fn commit(&mut self, label: &str) -> Patch {
        self.is_committed = true;
        let patch = self.graph.commit(label);
        // There is none if the whole graph was replaced.
        patch.unwrap_or_else(|| Patch::empty(label, self.graph.lineage(), self.graph.revision()))
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        if !self.is_committed {
            self.graph.roll_back();
        }
    }
}

/// A graph whose local transforms are not recorded for a while.
struct Unrecorded<'a>(&'a mut Graph, bool);

impl<'a> Unrecorded<'a> {
    fn begin(graph: &'a mut Graph) -> Self {
        let before = graph.recorder.set_ignoring_locals(true);
        Self(graph, before)
    }
}

impl Drop for Unrecorded<'_> {
    fn drop(&mut self) {
        self.0.recorder.set_ignoring_locals(self.1);
    }
}

/// A transaction that does not record for a while.
pub(super) struct Paused<'a> {
    pub(super) graph: &'a mut Graph,
    was_recording: bool,
}

impl<'a> Paused<'a> {
    pub(super) fn begin(graph: &'a mut Graph) -> Self {
        let was_recording = graph.recorder.is_recording;
        graph.recorder.set_recording(false);
        Self { graph, was_recording }
    }
}

impl Drop for Paused<'_> {
    fn drop(&mut self) {
        if self.was_recording {
            self.graph.resume_recording();
        }
    }
}

impl Graph {
    /// Sets `WATCHED` of all live nodes.
    pub(super) fn watch_all(&mut self) {
        for flags in &mut self.flags {
            flags.assign(NodeFlags::WATCHED, flags.is_alive());
        }
        self.recorder.state.watched_at = Some(self.structure_version);
    }

    /// Called before a local transform is written whose node is `WATCHED`.
    #[inline(never)]
    pub(crate) fn before_local(&mut self, slot: u32) {
        if !self.record_transform(slot) {
            self.before_special(slot);
        }
    }

    /// Records a local transform before it is written, unless there is something special: then
    /// returns `false`, and `before_local` has to be called if the node is `WATCHED`.
    ///
    /// Inlined, so that the caller keeps the value to write in registers.
    #[inline(always)]
    pub(crate) fn record_transform(&mut self, slot: u32) -> bool {
        let flags = &mut self.flags[slot as usize];
        if !self.recorder.records_locals || flags.has(NodeFlags::HAS_MATRIX) {
            return false;
        }
        let olds = &mut self.recorder.state.log.olds;
        if olds.len() == olds.capacity() {
            return false;
        }
        let Some(node) = self.slots.id(slot) else { return false };
        flags.unset(NodeFlags::WATCHED);
        olds.push(Row { node, old: Packed::new(self.locals.transform(slot)) });
        true
    }

    /// Like `record_transform`, for a node that has a matrix, if memory is needed, or if nothing is
    /// recorded.
    #[cold]
    fn before_special(&mut self, slot: u32) {
        let flags = &mut self.flags[slot as usize];
        let state = &mut *self.recorder.state;
        if state.transaction.is_none() {
            // Watched since an earlier transaction.
            flags.unset(NodeFlags::WATCHED);
            state.watched_at = None;
        } else if self.recorder.records_locals {
            flags.unset(NodeFlags::WATCHED);
            let (node, old) = (self.slots.live_id(slot), self.locals.transform(slot));
            if flags.has(NodeFlags::HAS_MATRIX) {
                let old = Local::new(self.locals.matrix(slot), *old);
                state.log.push_other(Edit::Local { node, change: Box::new([old.clone(), old]) });
            } else {
                state.log.reserve_row(state.last_len);
                state.log.olds.push(Row { node, old: Packed::new(old) });
            }
        }
    }

    /// Adds edits of a patch to those of the running transaction.
    pub(super) fn record_edits(&mut self, edits: PatchEdits<'_>) {
        let State { transaction, log, .. } = &mut *self.recorder.state;
        if let Some(transaction) = transaction {
            edits.for_each(|edit| match &*edit {
                Edit::Transform { node, old, .. } => {
                    log.olds.push(Row { node: *node, old: Packed::new(old) });
                }
                _ => log.push_other(edit.into_owned()),
            });
            transaction.is_nested = true;
        }
    }

    /// Sets the revision after a patch was applied.
    pub(super) fn set_applied(&mut self, patch: &Patch) {
        self.recorder.state.lineage = patch.lineage();
        self.recorder.state.revision = patch.revisions().1;
    }

    /// Returns whether all nodes are watched, as long as no transaction runs.
    pub(super) fn is_watched(&self) -> bool {
        self.recorder.state.watched_at == Some(self.structure_version)
    }

    /// Returns whether every live node has to be `WATCHED`.
    pub(crate) fn must_be_watched(&self) -> bool {
        self.recorder.state.transaction.is_none() && self.is_watched()
    }

    pub(super) fn set_watched(&mut self, is_watched: bool) {
        self.recorder.state.watched_at = is_watched.then_some(self.structure_version);
    }

    /// Records nodes that were added. Called while recording.
    #[cold]
    pub(crate) fn record_added(&mut self, slots: impl Iterator<Item = u32>) {
        let records = slots.map(|slot| NodeRecord {
            node: self.slots.live_id(slot),
            place: Place { parent: self.id(self.links.parent(slot)), next: None },
            local: Local::Transform(Transform::IDENTITY),
            name: None,
            visible: true,
        });
        let records: Vec<NodeRecord> = records.collect();
        let State { transaction, log, .. } = &mut *self.recorder.state;
        let begin = transaction.as_ref().and_then(|it| it.begins.last());
        let begin = begin.map_or(Position::default(), |begin| begin.position);
        if let Some(Edit::Add(nodes)) = log.last_mut(begin)
            && let Some(nodes) = Arc::get_mut(nodes)
        {
            nodes.records.extend(records);
        } else {
            log.push_other(Edit::Add(Arc::new(Nodes::new(records))));
        }
        self.changes.prepare_recording();
    }

    /// Removes a subtree. Called while recording.
    #[cold]
    pub(crate) fn remove_recorded(&mut self, root: u32) -> usize {
        let mut records = Vec::new();
        let mut slot = root;
        while slot != NONE {
            let mut record = self.record(slot);
            if slot != root {
                // Children are restored in order.
                record.place.next = None;
            }
            records.push(record);
            slot = self.links.next_in_preorder(root, slot);
        }
        let nodes = Arc::new(Nodes::new(records));
        self.recorder.state.parked.park(&nodes, |node| self.flags[node.index()].is_updated());
        self.changes.reserve_removed(self.slots.len());
        self.unlink(root);
        for record in nodes.records() {
            let slot = record.node.index() as u32;
            self.empty_slot(slot, self.slots.live_id(slot));
            self.slots.park(slot);
        }
        let count = nodes.records().len();
        self.recorder.state.log.push_other(Edit::Remove(nodes));
        self.changes.prepare_recording();
        count
    }

    /// Records that a node moves. Called while recording, before it does.
    #[cold]
    pub(crate) fn record_attach(&mut self, slot: u32, parent: u32, next: u32) {
        let (node, old) = (self.slots.live_id(slot), self.place(slot));
        let new = Place { parent: self.id(parent), next: self.id(next) };
        if old != new {
            self.recorder.state.log.push_other(Edit::Attach { node, old, new });
        }
    }

    /// Records that a name changes: `set` changes it. Called while recording.
    #[cold]
    pub(crate) fn record_name(&mut self, slot: u32, set: impl FnOnce(&mut Self) -> bool) -> bool {
        let old = self.name(slot);
        let has_changed = set(self);
        if has_changed {
            let (node, new) = (self.slots.live_id(slot), self.name(slot));
            self.recorder.state.log.push_other(Edit::Name { node, change: Box::new([old, new]) });
        }
        has_changed
    }

    /// Records that the visibility changes. Called while recording.
    #[cold]
    pub(crate) fn record_visible(&mut self, slot: u32, new: bool) {
        let node = self.slots.live_id(slot);
        self.recorder.state.log.push_other(Edit::Visible { node, new });
    }
}
