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
pub(super) struct Positions {
    pub(super) moved: AtomicU32,
    pub(super) shown: AtomicU32,
    pub(super) removed: AtomicU32,
}

#[derive(Debug)]
pub(crate) struct ChangeTracker {
    pub(crate) moved: ChangeLog,
    shown: ChangeLog,
    pub(super) removed: Vec<NodeId>,
    /// How many removals to list before looking which ones are needed.
    tidy_removed_at: usize,
    owner: Positions,
    feeds: Vec<Weak<Positions>>,
    /// Reused by `with_readers`.
    positions: Vec<u32>,
}

/// So many removals may pile up unread, and several for each slot, before nodes
/// that were both added and removed since a reader's last look are left out.
const REMOVALS: usize = 65_536;

impl ChangeTracker {
    pub(crate) fn new() -> Self {
        let changes = Self {
            moved: ChangeLog::new(),
            shown: ChangeLog::new(),
            removed: Vec::new(),
            tidy_removed_at: 0,
            owner: Positions::default(),
            feeds: Vec::new(),
            positions: Vec::new(),
        };
        changes.to_end(&changes.owner);
        changes
    }

    pub(super) fn to_end(&self, reader: &Positions) {
        reader.moved.store(self.moved.end(), Relaxed);
        reader.shown.store(self.shown.end(), Relaxed);
        reader.removed.store(self.removed.len() as u32, Relaxed);
    }

    /// Calls `f` with every reader's position in one log, to read and move.
    fn with_readers(
        &mut self,
        of: fn(&Positions) -> &AtomicU32,
        f: impl FnOnce(&mut Self, &mut [u32]),
    ) {
        self.feeds.retain(|feed| feed.strong_count() > 0);
        let mut positions = core::mem::take(&mut self.positions);
        positions.clear();
        positions.push(of(&self.owner).load(Relaxed));
        // A feed may be dropped by another thread at any time: it keeps its place
        // here, as one that has read everything.
        positions.extend(self.feeds.iter().map(|feed| match feed.upgrade() {
            Some(feed) => of(&feed).load(Relaxed),
            None => u32::MAX,
        }));
        f(self, &mut positions);
        of(&self.owner).store(positions[0], Relaxed);
        for (feed, &position) in self.feeds.iter().zip(&positions[1..]) {
            if let Some(feed) = feed.upgrade() {
                of(&feed).store(position, Relaxed);
            }
        }
        self.positions = positions;
    }

    /// Before an update that may list up to `more` of so many slots.
    pub(crate) fn make_room_for_moves(&mut self, more: usize, slots: usize) {
        self.moved.cover(slots);
        self.with_readers(|p| &p.moved, |this, readers| this.moved.make_room(more, slots, readers));
    }

    /// Lists nodes whose `shown` changed, of a graph with so many slots.
    pub(crate) fn list_shown(&mut self, changed: &[u32], slots: usize) {
        self.shown.cover(slots);
        self.with_readers(
            |p| &p.shown,
            |this, readers| this.shown.make_room(changed.len(), slots, readers),
        );
        for &slot in changed {
            self.shown.push(slot);
        }
    }

    /// Before the removal of nodes from a graph with so many slots.
    #[inline]
    pub(crate) fn make_room_for_removals(&mut self, slots: usize) {
        if self.removed.len() >= self.tidy_removed_at {
            self.tidy_removed(slots);
        }
    }

    fn tidy_removed(&mut self, slots: usize) {
        self.with_readers(
            |p| &p.removed,
            |this, readers| {
                let read_by_all = readers.iter().copied().min().unwrap_or(0);
                this.removed.drain(..read_by_all as usize);
                readers.iter_mut().for_each(|reader| *reader -= read_by_all);
                if this.removed.len() > (readers.len() + 3) * slots + REMOVALS {
                    this.drop_unseen_removals(slots, readers);
                }
            },
        );
        self.tidy_removed_at = 64.max(2 * self.removed.len());
    }

    /// Lists a removed node. Its row stays among the moved, for those who copy rows;
    /// `ChangedNodes` leaves the dead out.
    #[inline]
    pub(crate) fn list_removed(&mut self, node: NodeId) {
        self.shown.forget(node.index() as u32);
        self.removed.push(node);
    }

    /// Keeps, between two readers' positions, the first removal in each slot:
    /// only that node can have been alive when the reader last looked.
    #[cold]
    fn drop_unseen_removals(&mut self, slots: usize, readers: &mut [u32]) {
        let mut stops: Vec<u32> = readers.to_vec();
        stops.sort_unstable();
        stops.dedup();
        let mut moved = Vec::with_capacity(stops.len());
        let mut seen = alloc::vec![0u32; slots];
        let mut kept = 0;
        for index in 0..self.removed.len() {
            while moved.len() < stops.len() && stops[moved.len()] as usize <= index {
                moved.push(kept as u32);
            }
            let node = self.removed[index];
            let stop = moved.len() as u32;
            if stop > 0 && seen[node.index()] != stop {
                seen[node.index()] = stop;
                self.removed[kept] = node;
                kept += 1;
            }
        }
        moved.resize(stops.len(), kept as u32);
        self.removed.truncate(kept);
        for reader in readers {
            *reader = moved[stops.partition_point(|stop| stop < reader)];
        }
    }

    pub(crate) fn removed(&self) -> &[NodeId] {
        &self.removed[self.owner.removed.load(Relaxed) as usize..]
    }

    pub(super) fn moved_since<'a>(
        &'a self,
        reader: &Positions,
        graph: &'a Graph,
    ) -> ChangedNodes<'a> {
        let from = reader.moved.load(Relaxed);
        ChangedNodes { entries: self.moved.read(from, self.moved.end()), graph, updated_only: true }
    }

    pub(super) fn shown_since<'a>(
        &'a self,
        reader: &Positions,
        graph: &'a Graph,
    ) -> ChangedNodes<'a> {
        let from = reader.shown.load(Relaxed);
        ChangedNodes {
            entries: self.shown.read(from, self.shown.end()),
            graph,
            updated_only: false,
        }
    }

    /// What the owner has yet to see of moves.
    pub(crate) fn changed<'a>(&'a self, graph: &'a Graph) -> ChangedNodes<'a> {
        self.moved_since(&self.owner, graph)
    }

    /// What the owner has yet to see of showing and hiding.
    pub(crate) fn shown_changed<'a>(&'a self, graph: &'a Graph) -> ChangedNodes<'a> {
        self.shown_since(&self.owner, graph)
    }

    pub(crate) fn clear(&mut self) {
        self.to_end(&self.owner);
    }

    pub(crate) fn subscribe(&mut self) -> ChangeReader {
        let positions = Arc::new(Positions::default());
        self.to_end(&positions);
        self.feeds.retain(|feed| feed.strong_count() > 0);
        self.feeds.push(Arc::downgrade(&positions));
        ChangeReader { positions }
    }

    pub(super) fn is_ours(&self, feed: &ChangeReader) -> bool {
        self.feeds.iter().any(|ours| core::ptr::eq(ours.as_ptr(), Arc::as_ptr(&feed.positions)))
    }

    /// Every node that anybody may read of as shown or hidden, for `check.rs`.
    pub(crate) fn listed_as_shown(&self) -> impl Iterator<Item = u32> + '_ {
        self.shown.read(0, self.shown.end())
    }
}

impl Clone for ChangeTracker {
    /// The copy keeps what its owner has yet to see; feeds stay with the original.
    fn clone(&self) -> Self {
        let of = |position: &AtomicU32| AtomicU32::new(position.load(Relaxed));
        let owner = Positions {
            moved: of(&self.owner.moved),
            shown: of(&self.owner.shown),
            removed: of(&self.owner.removed),
        };
        Self {
            moved: self.moved.clone(),
            shown: self.shown.clone(),
            removed: self.removed.clone(),
            tidy_removed_at: 0,
            owner,
            feeds: Vec::new(),
            positions: Vec::new(),
        }
    }
}
