//! What changed: for the graph's owner, and for any number of readers.
//!
//! Three logs: nodes whose world transform was rewritten, nodes whose `shown`
//! changed, and nodes that were removed. The owner reads and clears them on the
//! graph; each `ChangeReader` reads them with positions of its own, which the graph
//! keeps track of so that it knows what nobody needs any more.
//!
//! Invariants: a node is listed once, exactly when its world was rewritten (its
//! `shown` changed, it was removed) since the reader last read. No dead node is
//! ever listed as moved or shown. Only the owner and the readers move their own
//! positions; the graph moves them only along with the entries.

use alloc::sync::{Arc, Weak};
use alloc::vec::Vec;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::log::ChangeLog;
use crate::{ChangeReader, ChangedNodes, Graph, NodeId};

/// A reader's positions in the three logs.
///
/// Atomics only so that the graph can share them with the feed: a feed moves
/// its positions while it holds `&Graph`, the graph while it is `&mut`, so they
/// never do so at once.
#[derive(Debug, Default)]
pub(crate) struct Positions {
    pub(super) changed: AtomicU32,
    pub(super) shown: AtomicU32,
    pub(super) removed: AtomicU32,
}

#[derive(Debug)]
pub(crate) struct ChangeTracker {
    pub(crate) changed: ChangeLog,
    shown: ChangeLog,
    pub(super) removed: Vec<NodeId>,
    /// How many removals to list before looking which ones are needed.
    compact_removed_at: usize,
    pub(crate) owner: Positions,
    readers: Vec<Weak<Positions>>,
    /// Reused by `with_readers`.
    positions: Vec<u32>,
}

/// So many removals may pile up unread, and several for each slot, before nodes
/// that were both added and removed since a reader's last look are left out.
const MAX_UNREAD_REMOVALS: usize = 65_536;

impl ChangeTracker {
    pub(crate) fn new() -> Self {
        let changes = Self {
            changed: ChangeLog::new(),
            shown: ChangeLog::new(),
            removed: Vec::new(),
            compact_removed_at: 0,
            owner: Positions::default(),
            readers: Vec::new(),
            positions: Vec::new(),
        };
        changes.move_to_end(&changes.owner);
        changes
    }

    pub(super) fn move_to_end(&self, reader: &Positions) {
        reader.changed.store(self.changed.end(), Relaxed);
        reader.shown.store(self.shown.end(), Relaxed);
        reader.removed.store(self.removed.len() as u32, Relaxed);
    }

    /// Calls `f` with every reader's position in one log, to read and move.
    fn with_readers(
        &mut self,
        of: fn(&Positions) -> &AtomicU32,
        f: impl FnOnce(&mut Self, &mut [u32]),
    ) {
        self.readers.retain(|reader| reader.strong_count() > 0);
        let mut positions = core::mem::take(&mut self.positions);
        positions.clear();
        positions.push(of(&self.owner).load(Relaxed));
        // A feed may be dropped by another thread at any time: it keeps its place
        // here, as one that has read everything.
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

    /// Before an update that may list up to `more` of so many slots.
    pub(crate) fn reserve_changed(&mut self, more: usize, slots: usize) {
        self.changed.grow_to(slots);
        self.with_readers(
            |p| &p.changed,
            |this, readers| this.changed.reserve(more, slots, readers),
        );
    }

    /// Lists nodes whose `shown` changed, of a graph with so many slots.
    pub(crate) fn list_shown_changed(&mut self, changed: &[u32], slots: usize) {
        self.shown.grow_to(slots);
        self.with_readers(
            |p| &p.shown,
            |this, readers| this.shown.reserve(changed.len(), slots, readers),
        );
        for &slot in changed {
            self.shown.push(slot);
        }
    }

    /// Before the removal of nodes from a graph with so many slots.
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
        self.compact_removed_at = 64.max(2 * self.removed.len());
    }

    /// Lists a removed node. Its row stays among the moved, for those who copy rows;
    /// `ChangedNodes` leaves the dead out.
    #[inline]
    pub(crate) fn list_removed(&mut self, node: NodeId) {
        self.shown.remove(node.index() as u32);
        self.removed.push(node);
    }

    /// Keeps, between two readers' positions, the first removal in each slot:
    /// only that node can have been alive when the reader last looked.
    #[cold]
    fn drop_unseen_removals(&mut self, slots: usize, readers: &mut [u32]) {
        let mut old_positions: Vec<u32> = readers.to_vec();
        old_positions.sort_unstable();
        old_positions.dedup();
        let mut new_positions = Vec::with_capacity(old_positions.len());
        let mut seen = alloc::vec![0u32; slots];
        let mut kept = 0;
        for index in 0..self.removed.len() {
            while new_positions.len() < old_positions.len()
                && old_positions[new_positions.len()] as usize <= index
            {
                new_positions.push(kept as u32);
            }
            let node = self.removed[index];
            let interval = new_positions.len() as u32;
            if interval > 0 && seen[node.index()] != interval {
                seen[node.index()] = interval;
                self.removed[kept] = node;
                kept += 1;
            }
        }
        new_positions.resize(old_positions.len(), kept as u32);
        self.removed.truncate(kept);
        for reader in readers {
            *reader = new_positions[old_positions.partition_point(|position| position < reader)];
        }
    }

    pub(crate) fn owner_removed(&self) -> &[NodeId] {
        &self.removed[self.owner.removed.load(Relaxed) as usize..]
    }

    pub(crate) fn changed_since<'a>(
        &'a self,
        reader: &Positions,
        graph: &'a Graph,
    ) -> ChangedNodes<'a> {
        let from = reader.changed.load(Relaxed);
        ChangedNodes { entries: self.changed.read(from), graph, updated_only: true }
    }

    pub(crate) fn shown_since<'a>(
        &'a self,
        reader: &Positions,
        graph: &'a Graph,
    ) -> ChangedNodes<'a> {
        let from = reader.shown.load(Relaxed);
        ChangedNodes { entries: self.shown.read(from), graph, updated_only: false }
    }

    pub(crate) fn clear(&mut self) {
        self.move_to_end(&self.owner);
    }

    pub(crate) fn add_reader(&mut self) -> ChangeReader {
        let positions = Arc::new(Positions::default());
        self.move_to_end(&positions);
        self.readers.retain(|reader| reader.strong_count() > 0);
        self.readers.push(Arc::downgrade(&positions));
        ChangeReader { positions }
    }

    pub(super) fn owns(&self, reader: &ChangeReader) -> bool {
        self.readers.iter().any(|ours| core::ptr::eq(ours.as_ptr(), Arc::as_ptr(&reader.positions)))
    }

    /// Every node that anybody may read of as shown or hidden, for `check.rs`.
    pub(crate) fn listed_as_shown_changed(&self) -> impl Iterator<Item = u32> + '_ {
        self.shown.read(0)
    }
}

impl Clone for ChangeTracker {
    /// The copy keeps what its owner has yet to see; feeds stay with the original.
    fn clone(&self) -> Self {
        let of = |position: &AtomicU32| AtomicU32::new(position.load(Relaxed));
        let owner = Positions {
            changed: of(&self.owner.changed),
            shown: of(&self.owner.shown),
            removed: of(&self.owner.removed),
        };
        Self {
            changed: self.changed.clone(),
            shown: self.shown.clone(),
            removed: self.removed.clone(),
            compact_removed_at: 0,
            owner,
            readers: Vec::new(),
            positions: Vec::new(),
        }
    }
}
