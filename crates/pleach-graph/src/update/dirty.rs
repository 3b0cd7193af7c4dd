//! Which nodes were edited since the last update.
//!
//! An edit sets the node's `EDITED` flag and lists its slot, nothing more: what
//! hangs below is out of date by derivation, not by marking, so an edit costs
//! the same whatever the size of the subtree. Once an eighth of all nodes (as of
//! the last update) are listed, no more are; the update then looks at the flags.
//!
//! Invariant: if a node's world is out of date, it or an ancestor has `EDITED`.
//! A slot with `EDITED` has `QUEUED` and stands in the list once, or the list is
//! not `complete`. `QUEUED` outlives the node: a slot is listed at most once.

use alloc::vec::Vec;

use crate::store::flags::NodeFlags;

#[derive(Clone, Debug)]
pub(crate) struct DirtyQueue {
    queue: Vec<u32>,
    /// How many slots the queue takes.
    capacity: usize,
    complete: bool,
}

/// What the queue takes of even the smallest graph.
const MIN_CAPACITY: usize = 64;

impl DirtyQueue {
    pub(crate) fn new() -> Self {
        Self { queue: Vec::new(), capacity: MIN_CAPACITY, complete: true }
    }

    /// Certainly nothing was edited. (Not so only after edits, also of nodes
    /// that have died since.)
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.queue.is_empty() && self.complete
    }

    /// Does the queue hold every edited slot?
    #[inline]
    pub(crate) fn is_complete(&self) -> bool {
        self.complete
    }

    /// Slots that were edited, and perhaps died since; all of them if
    /// `is_complete`.
    pub(crate) fn queue(&self) -> &[u32] {
        &self.queue
    }

    #[inline]
    pub(crate) fn mark(&mut self, slot: u32, flags: &mut NodeFlags) {
        if flags.has(NodeFlags::LOCAL_DIRTY) {
            return;
        }
        flags.set(NodeFlags::LOCAL_DIRTY);
        if flags.has(NodeFlags::QUEUED) {
            return;
        }
        if self.queue.len() < self.capacity {
            flags.set(NodeFlags::QUEUED);
            self.queue.push(slot);
        } else {
            self.complete = false;
        }
    }

    /// Marks all slots from `first` on, which are new, in the order of their slots.
    pub(crate) fn mark_appended(&mut self, first: usize, flags: &mut [NodeFlags]) {
        let new = &mut flags[first..];
        let queued = new.len().min(self.capacity.saturating_sub(self.queue.len()));
        self.complete &= queued == new.len();
        self.queue.extend(first as u32..(first + queued) as u32);
        new.iter_mut().for_each(|flags| flags.set(NodeFlags::LOCAL_DIRTY));
        new[..queued].iter_mut().for_each(|flags| flags.set(NodeFlags::QUEUED));
    }

    /// Empties the queue, handing each slot that was edited and lives to `each`,
    /// with its flags.
    /// Says whether the queue was complete. `EDITED` stays set; the update clears
    /// it.
    pub(crate) fn take(
        &mut self,
        flags: &mut [NodeFlags],
        live: usize,
        mut each: impl FnMut(u32, NodeFlags),
    ) -> bool {
        self.capacity = MIN_CAPACITY.max(live / 8);
        for slot in self.queue.drain(..) {
            let flags = &mut flags[slot as usize];
            flags.unset(NodeFlags::QUEUED);
            if flags.has(NodeFlags::LOCAL_DIRTY) {
                each(slot, *flags);
            }
        }
        core::mem::replace(&mut self.complete, true)
    }
}
