//! `ChangeTracker`: the logs, and the position of every reader in them.
//!
//! The logs list nodes whose world transform was computed, nodes whose `shown`
//! changed, and nodes that were added, re-parented, renamed and removed. The owner reads and clears them through
//! the graph; each `ChangeReader` has positions of its own, which the graph tracks
//! to know which entries all readers have passed.
//!
//! Invariants: a node is listed once, exactly if its world transform was computed
//! (its `shown` changed, it was added, and so on) since the reader last read. No
//! dead node is ever listed, except as removed. Only the owner and the readers advance their
//! own positions; the graph changes them only when it moves entries.

use alloc::sync::{Arc, Weak};
use alloc::vec::Vec;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::added::{AddedLog, AddedNodes};
use super::log::ChangeLog;
use super::node_set::NodeSet;
use super::renumbering::Renumbering;
use crate::store::slots::Slots;
use crate::{ChangeReader, ChangedNodes, Graph, NodeId};

/// The positions of a reader in the logs.
///
/// Atomics only because the graph and the reader share them: a reader advances its
/// positions while it borrows the graph, the graph while it is borrowed mutably, so
/// they never do so at the same time.
#[derive(Debug, Default)]
pub(crate) struct Positions {
    pub(super) changed: AtomicU32,
    pub(super) shown: AtomicU32,
    pub(super) added: AtomicU32,
    pub(super) reparented: AtomicU32,
    pub(super) renamed: AtomicU32,
    pub(super) removed: AtomicU32,
}

#[derive(Debug)]
pub(crate) struct ChangeTracker {
    pub(crate) changed: ChangeLog,
    shown: ChangeLog,
    added: AddedLog,
    reparented: ChangeLog,
    renamed: ChangeLog,
    pub(super) removed: Vec<NodeId>,
    /// The number of removals at which those that were read by all are dropped.
    compact_removed_at: usize,
    pub(crate) owner: Positions,
    /// The positions of all readers, and of some that were dropped.
    readers: Vec<Weak<Positions>>,
    /// The number of readers at which those that were dropped are removed.
    prune_at: usize,
    /// Shared with the readers, by which they are recognized; created with the first.
    token: Option<Arc<ReaderToken>>,
    #[cfg(test)]
    readers_visited: usize,
    /// A buffer for `with_readers`.
    positions: Vec<u32>,
}

/// The identity of a graph's readers: its address, which is not used again while one of
/// them exists.
#[derive(Debug)]
pub(super) struct ReaderToken;

/// The minimum of `ChangeTracker::prune_at`.
const MIN_PRUNE_AT: usize = 16;

/// The number of removals, in addition to several per slot, that may accumulate
/// unread before nodes that were both added and removed since a reader last read
/// are dropped.
const MAX_UNREAD_REMOVALS: usize = 65_536;

impl ChangeTracker {
    pub(crate) fn new() -> Self {
        let changes = Self {
            changed: ChangeLog::new(),
            shown: ChangeLog::new(),
            added: AddedLog::new(),
            reparented: ChangeLog::new(),
            renamed: ChangeLog::new(),
            removed: Vec::new(),
            compact_removed_at: 0,
            owner: Positions::default(),
            readers: Vec::new(),
            prune_at: 0,
            token: None,
            #[cfg(test)]
            readers_visited: 0,
            positions: Vec::new(),
        };
        changes.move_to_end(&changes.owner);
        changes
    }

    pub(super) fn move_to_end(&self, reader: &Positions) {
        reader.changed.store(self.changed.end(), Relaxed);
        reader.shown.store(self.shown.end(), Relaxed);
        reader.added.store(self.added.end(), Relaxed);
        reader.reparented.store(self.reparented.end(), Relaxed);
        reader.renamed.store(self.renamed.end(), Relaxed);
        reader.removed.store(self.removed.len() as u32, Relaxed);
    }

    /// Calls `f` with every reader's position in one log, to read and change.
    fn with_readers(
        &mut self,
        of: fn(&Positions) -> &AtomicU32,
        f: impl FnOnce(&mut Self, &mut [u32]),
    ) {
        self.prune_readers();
        let mut positions = core::mem::take(&mut self.positions);
        positions.clear();
        positions.push(of(&self.owner).load(Relaxed));
        // Another thread may drop a reader at any time: its entry stays here, as
        // one that has read everything.
        positions.extend(self.readers.iter().map(|reader| match reader.upgrade() {
            Some(reader) => of(&reader).load(Relaxed),
            None => u32::MAX,
        }));
        f(self, &mut positions);
        of(&self.owner).store(positions[0], Relaxed);
        for (reader, &position) in self.readers.iter().zip(&positions[1..]) {
            if let Some(reader) = reader.upgrade() {
                of(&reader).store(position, Relaxed);
            }
        }
        self.positions = positions;
    }

    /// Prepares for an update that lists up to `additional` of `slots` slots.
    pub(crate) fn reserve_changed(&mut self, additional: usize, slots: usize) {
        self.changed.grow_to(slots);
        if self.changed.needs_readers(additional, slots) {
            self.with_readers(
                |p| &p.changed,
                |this, readers| this.changed.reserve(additional, slots, readers),
            );
        }
    }

    /// Lists nodes whose `shown` changed, in a graph with `slots` slots.
    pub(crate) fn list_shown_changed(&mut self, changed: &[u32], slots: usize) {
        self.shown.grow_to(slots);
        if self.shown.needs_readers(changed.len(), slots) {
            self.with_readers(
                |p| &p.shown,
                |this, readers| this.shown.reserve(changed.len(), slots, readers),
            );
        }
        for &slot in changed {
            self.shown.push(slot);
        }
    }

    /// Lists a node that was added in a new slot, if it continues the run of those before.
    #[inline(always)]
    pub(crate) fn try_list_added(&mut self, node: NodeId) -> bool {
        self.added.extend(node.index() as u32)
    }

    /// Makes `try_list_added` fail for the next node, and `is_removed_full` true: while a transaction
    /// records, additions and removals take the ways that are rare otherwise.
    pub(crate) fn prepare_recording(&mut self) {
        self.added.close();
        self.compact_removed_at = 0;
    }

    /// Returns `true` if `reserve_removed` has to be called before a node is removed.
    #[inline]
    pub(crate) fn is_removed_full(&self) -> bool {
        self.removed.len() >= self.compact_removed_at
    }

    /// Lists `len` nodes that were added in consecutive slots, all but the first of
    /// them new.
    #[inline]
    pub(crate) fn list_added(&mut self, first: NodeId, len: usize, slots: &Slots) {
        if self.added.needs_compaction() {
            self.with_readers(|p| &p.added, |this, readers| this.added.compact(slots, readers));
        }
        self.added.begin_run(first, len as u32);
    }

    /// Lists a node that got another parent or another position among its siblings,
    /// in a graph with `slots` slots.
    #[inline]
    pub(crate) fn list_reparented(&mut self, slot: u32, slots: usize) {
        if !self.reparented.try_push(slot) {
            self.with_readers(
                |p| &p.reparented,
                |this, readers| this.reparented.reserve_room(slots, readers),
            );
            self.reparented.push(slot);
        }
    }

    /// Lists a node whose name was set or removed, in a graph with `slots` slots.
    #[inline]
    pub(crate) fn list_renamed(&mut self, slot: u32, slots: usize) {
        if !self.renamed.try_push(slot) {
            self.with_readers(
                |p| &p.renamed,
                |this, readers| this.renamed.reserve_room(slots, readers),
            );
            self.renamed.push(slot);
        }
    }

    /// Prepares for the removal of nodes from a graph with `slots` slots.
    #[inline]
    pub(crate) fn reserve_removed(&mut self, slots: usize) {
        if self.removed.len() >= self.compact_removed_at {
            self.compact_removed(slots);
        }
    }

    fn compact_removed(&mut self, slots: usize) {
        self.with_readers(
            |p| &p.removed,
            |this, readers| {
                let read_by_all = readers.iter().copied().min().unwrap_or(0);
                this.removed.drain(..read_by_all as usize);
                readers.iter_mut().for_each(|reader| *reader -= read_by_all);
                if this.removed.len() > (readers.len() + 3) * slots + MAX_UNREAD_REMOVALS {
                    this.drop_unseen_removals(slots, readers);
                }
            },
        );
        let len = self.removed.len();
        self.compact_removed_at = 64.max(2 * len).max(len + self.readers.len());
    }

    /// Lists a removed node. Its row stays in the log of changed nodes, for readers
    /// that copy rows; `ChangedNodes` skips dead nodes.
    #[inline]
    pub(crate) fn list_removed(&mut self, node: NodeId) {
        for log in [&mut self.shown, &mut self.reparented, &mut self.renamed] {
            log.remove(node.index() as u32);
        }
        self.removed.push(node);
    }

    /// Takes nodes off the list of removed ones, and off those that were added: they
    /// come back. `list_restored` then lists each of them.
    pub(crate) fn forget_removed(&mut self, nodes: &[NodeId]) {
        let nodes = NodeSet::new(nodes);
        if !self.removed.is_empty() {
            self.with_readers(
                |p| &p.removed,
                |this, readers| this.drop_removals(readers, |it| nodes.contains(it)),
            );
        }
        self.with_readers(|p| &p.added, |this, readers| this.added.forget(&nodes, readers));
    }

    fn drop_removals(&mut self, readers: &mut [u32], is_dropped: impl Fn(NodeId) -> bool) {
        let mut renumbering = Renumbering::default();
        renumbering.begin(readers);
        let mut kept = 0;
        for index in 0..self.removed.len() {
            renumbering.advance(index as u32, kept as u32);
            let node = self.removed[index];
            if !is_dropped(node) {
                self.removed[kept] = node;
                kept += 1;
            }
        }
        self.removed.truncate(kept);
        renumbering.finish(kept as u32, readers);
    }

    /// Lists a node that came back as added.
    pub(crate) fn list_restored(&mut self, node: NodeId, slots: &Slots) {
        if node.generation() > 1 || !self.added.extend(node.index() as u32) {
            self.list_added(node, 1, slots);
        }
    }

    /// Keeps, between two readers' positions, the first removal in each slot: only
    /// that node can have been alive when the reader last read.
    #[cold]
    fn drop_unseen_removals(&mut self, slots: usize, readers: &mut [u32]) {
        let mut renumbering = Renumbering::default();
        renumbering.begin(readers);
        let mut seen = alloc::vec![0u32; slots];
        let mut kept = 0;
        for index in 0..self.removed.len() {
            renumbering.advance(index as u32, kept as u32);
            let node = self.removed[index];
            let interval = renumbering.passed();
            if interval > 0 && seen[node.index()] != interval {
                seen[node.index()] = interval;
                self.removed[kept] = node;
                kept += 1;
            }
        }
        self.removed.truncate(kept);
        renumbering.finish(kept as u32, readers);
    }

    pub(crate) fn owner_removed(&self) -> &[NodeId] {
        &self.removed[self.owner.removed.load(Relaxed) as usize..]
    }

    pub(crate) fn changed_since<'a>(
        &'a self,
        from: &Positions,
        graph: &'a Graph,
    ) -> ChangedNodes<'a> {
        let from = from.changed.load(Relaxed);
        ChangedNodes { entries: self.changed.read(from), graph, updated_only: true }
    }

    pub(crate) fn shown_since<'a>(
        &'a self,
        from: &Positions,
        graph: &'a Graph,
    ) -> ChangedNodes<'a> {
        let from = from.shown.load(Relaxed);
        ChangedNodes { entries: self.shown.read(from), graph, updated_only: false }
    }

    pub(crate) fn added_since<'a>(&'a self, from: &Positions, graph: &'a Graph) -> AddedNodes<'a> {
        self.added.read(from.added.load(Relaxed), graph)
    }

    pub(crate) fn reparented_since<'a>(
        &'a self,
        from: &Positions,
        graph: &'a Graph,
    ) -> ChangedNodes<'a> {
        let from = from.reparented.load(Relaxed);
        ChangedNodes { entries: self.reparented.read(from), graph, updated_only: false }
    }

    pub(crate) fn renamed_since<'a>(
        &'a self,
        from: &Positions,
        graph: &'a Graph,
    ) -> ChangedNodes<'a> {
        let from = from.renamed.load(Relaxed);
        ChangedNodes { entries: self.renamed.read(from), graph, updated_only: false }
    }

    pub(crate) fn clear(&mut self) {
        self.move_to_end(&self.owner);
    }

    pub(crate) fn add_reader(&mut self) -> ChangeReader {
        let positions = Arc::new(Positions::default());
        self.move_to_end(&positions);
        if self.readers.len() >= self.prune_at {
            self.prune_readers();
        }
        self.readers.push(Arc::downgrade(&positions));
        let token = self.token.get_or_insert_with(|| Arc::new(ReaderToken));
        ChangeReader { positions, token: Arc::clone(token) }
    }

    /// Adds a reader at the positions of one of the graph that this one is a clone of; at the end, if
    /// it is not.
    pub(super) fn add_reader_at(&mut self, positions: &Positions) -> ChangeReader {
        let reader = self.add_reader();
        let all: [fn(&Positions) -> &AtomicU32; 6] = [
            |p| &p.changed,
            |p| &p.shown,
            |p| &p.added,
            |p| &p.reparented,
            |p| &p.renamed,
            |p| &p.removed,
        ];
        for of in all {
            of(&reader.positions).fetch_min(of(positions).load(Relaxed), Relaxed);
        }
        reader
    }

    /// Removes readers that were dropped.
    fn prune_readers(&mut self) {
        #[cfg(test)]
        {
            self.readers_visited += self.readers.len();
        }
        self.readers.retain(|reader| reader.strong_count() > 0);
        self.prune_at = MIN_PRUNE_AT.max(2 * self.readers.len());
    }

    pub(super) fn owns(&self, reader: &ChangeReader) -> bool {
        self.token.as_ref().is_some_and(|ours| Arc::ptr_eq(ours, &reader.token))
    }

    /// Returns every slot that is listed as shown or hidden, re-parented or renamed
    /// for any reader, for `read/check.rs`.
    pub(crate) fn listed_slots(&self) -> impl Iterator<Item = u32> + '_ {
        [&self.shown, &self.reparented, &self.renamed].into_iter().flat_map(|log| log.read(0))
    }
}

impl Clone for ChangeTracker {
    /// The clone keeps what its owner has not read yet; readers stay with the
    /// original.
    fn clone(&self) -> Self {
        let of = |position: &AtomicU32| AtomicU32::new(position.load(Relaxed));
        let owner = Positions {
            changed: of(&self.owner.changed),
            shown: of(&self.owner.shown),
            added: of(&self.owner.added),
            reparented: of(&self.owner.reparented),
            renamed: of(&self.owner.renamed),
            removed: of(&self.owner.removed),
        };
        Self {
            changed: self.changed.clone(),
            shown: self.shown.clone(),
            added: self.added.clone(),
            reparented: self.reparented.clone(),
            renamed: self.renamed.clone(),
            removed: self.removed.clone(),
            compact_removed_at: 0,
            owner,
            readers: Vec::new(),
            prune_at: 0,
            token: None,
            #[cfg(test)]
            readers_visited: 0,
            positions: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use glam::Vec3;

    use crate::{ChangeReader, Graph, Transform};

    #[test]
    fn creating_and_reading_many_readers_takes_constant_time_each() {
        let count = if cfg!(miri) { 200 } else { 20_000 };
        let mut graph = Graph::new();
        let mut readers: Vec<ChangeReader> = (0..count).map(|_| graph.change_reader()).collect();
        // Quadratic before.
        assert!(graph.changes.readers_visited <= 4 * count, "{}", graph.changes.readers_visited);
        let node = graph.add_root(Transform::IDENTITY).unwrap();
        let child = graph.add_child(node, Transform::IDENTITY).unwrap();
        graph.update();
        for reader in &mut readers {
            assert!(reader.read(&graph).unwrap().changed().eq([node, child]));
        }
        let before = graph.changes.readers_visited;
        for round in 0..count {
            graph.node_mut(node).unwrap().set_translation(Vec3::splat(round as f32)).unwrap();
            graph.node_mut(child).unwrap().set_visible(round % 2 == 0);
            graph.update();
            let other = graph.add_root(Transform::IDENTITY).unwrap();
            graph.attach(other, node).unwrap();
            graph.remove(other).unwrap();
        }
        // Each update and edit of the tree looked at all readers before.
        let visited = graph.changes.readers_visited - before;
        assert!(visited <= 16 * count, "{visited}");
        assert_eq!(graph.check(), []);
        for reader in &mut readers {
            let changes = reader.read(&graph).unwrap();
            assert!(changes.changed().eq([node, child]) && changes.removed().len() == count);
        }
    }

    #[test]
    fn dropped_readers_are_forgotten() {
        let mut graph = Graph::new();
        for _ in 0..if cfg!(miri) { 50 } else { 1_000 } {
            graph.change_reader();
            assert!(graph.changes.readers.len() <= super::MIN_PRUNE_AT);
        }
    }

    #[test]
    fn an_update_of_everything_drops_the_entries_that_it_supersedes() {
        let mut graph = Graph::new();
        let mut reader = graph.change_reader();
        let root = graph.add_root(Transform::IDENTITY).unwrap();
        let count = if cfg!(miri) { 100 } else { 5_000 };
        let children: Vec<_> =
            (0..count).map(|_| graph.add_child(root, Transform::IDENTITY).unwrap()).collect();
        for _ in 0..10 {
            graph.node_mut(root).unwrap().set_translation(Vec3::X).unwrap();
            graph.update();
            // Up to three entries per node before, which the next update had to drop.
            assert_eq!(graph.changes.changed.len(), graph.len());
        }
        assert_eq!(reader.read(&graph).unwrap().changed().count(), graph.len());
        assert_eq!(reader.read(&graph).unwrap().changed().count(), 0);
        graph.node_mut(children[7]).unwrap().set_translation(Vec3::X).unwrap();
        graph.update();
        assert!(reader.read(&graph).unwrap().changed().eq([children[7]]));
    }
}
