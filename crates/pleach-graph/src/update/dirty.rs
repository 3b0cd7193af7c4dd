//! The queue of nodes that were edited since the last update.
//!
//! An edit sets the node's `LOCAL_DIRTY` flag and queues its slot, nothing more.
//! Descendants are not marked: they are out of date because an ancestor is dirty, so
//! the cost of an edit does not depend on the size of the subtree. Once an eighth of
//! all nodes (as of the last update) are queued, no more are added; the update then
//! scans the flags.
//!
//! Invariant: if a node's world transform is out of date, it or an ancestor has
//! `LOCAL_DIRTY`. A slot with `LOCAL_DIRTY` has `QUEUED` and is in the queue once,
//! or the queue is not `complete`. `QUEUED` outlives the node: a slot is queued at
//! most once. `marked` counts the nodes with `LOCAL_DIRTY`.

use alloc::vec::Vec;

use crate::store::flags::NodeFlags;

#[derive(Clone, Debug)]
pub(crate) struct DirtyQueue {
    queue: Vec<u32>,
    /// The maximum length of the queue.
    capacity: usize,
    /// The number of live nodes with `LOCAL_DIRTY`.
    marked: usize,
    complete: bool,
}

/// The minimum of `DirtyQueue::capacity`.
const MIN_CAPACITY: usize = 64;

impl DirtyQueue {
    pub(crate) fn new() -> Self {
        Self { queue: Vec::new(), capacity: MIN_CAPACITY, marked: 0, complete: true }
    }

    /// Returns `true` if nothing is dirty. Returns `false` only after edits, even
    /// if the edited nodes have been removed since.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.queue.is_empty() && self.complete
    }

    /// Returns `true` if the queue contains every dirty slot.
    #[inline]
    pub(crate) fn is_complete(&self) -> bool {
        self.complete
    }

    /// Returns the slots that were edited, and possibly removed since; all of them
    /// if `is_complete`.
    pub(crate) fn queue(&self) -> &[u32] {
        &self.queue
    }

    #[inline(always)]
    pub(crate) fn mark(&mut self, slot: u32, flags: &mut NodeFlags) {
        if flags.has(NodeFlags::LOCAL_DIRTY) {
            return;
        }
        self.marked += 1;
        self.mark_clean(slot, flags);
    }

    /// Marks a node without `LOCAL_DIRTY`; the caller counts it.
    #[inline(always)]
    fn mark_clean(&mut self, slot: u32, flags: &mut NodeFlags) {
        flags.set(NodeFlags::LOCAL_DIRTY);
        if self.complete && !flags.has(NodeFlags::QUEUED) {
            self.enqueue(slot, flags);
        }
    }

    /// Returns a view that marks many nodes and counts them in a register.
    pub(crate) fn marks(&mut self) -> Marks<'_> {
        Marks { queue: self, marked: 0 }
    }

    #[inline]
    fn enqueue(&mut self, slot: u32, flags: &mut NodeFlags) {
        if self.queue.len() < self.capacity {
            flags.set(NodeFlags::QUEUED);
            self.queue.push(slot);
        } else {
            self.complete = false;
        }
    }

    /// Marks all slots from `first` to the end of `flags`, in slot order. None of them may be marked
    /// or queued.
    pub(crate) fn mark_from(&mut self, first: usize, flags: &mut [NodeFlags]) {
        let new = &mut flags[first..];
        self.marked += new.len();
        let queued = new.len().min(self.capacity.saturating_sub(self.queue.len()));
        self.complete &= queued == new.len();
        self.queue.extend(first as u32..(first + queued) as u32);
        new.iter_mut().for_each(|flags| flags.set(NodeFlags::LOCAL_DIRTY));
        new[..queued].iter_mut().for_each(|flags| flags.set(NodeFlags::QUEUED));
    }

    /// Forgets the mark of a node that is removed.
    #[inline]
    pub(crate) fn unmark(&mut self, flags: NodeFlags) {
        self.marked -= usize::from(flags.has(NodeFlags::LOCAL_DIRTY));
    }

    /// Returns the number of marked nodes, and counts from zero again.
    pub(crate) fn take_marked(&mut self) -> usize {
        core::mem::take(&mut self.marked)
    }

    /// Returns the number of marked nodes, for `read/check.rs`.
    pub(crate) fn marked(&self) -> usize {
        self.marked
    }

    /// Empties the queue, and writes every slot in it that is still dirty to `edited`. Returns whether
    /// the queue was complete, and the flags that any of these slots has. `LOCAL_DIRTY` stays set;
    /// `select.rs` clears it.
    pub(crate) fn take(
        &mut self,
        flags: &mut [NodeFlags],
        live: usize,
        edited: &mut Vec<u32>,
    ) -> (bool, NodeFlags) {
        self.capacity = MIN_CAPACITY.max(live / 8);
        // Not swapped: each buffer keeps its capacity, so that steady frames allocate nothing.
        edited.clear();
        edited.extend_from_slice(&self.queue);
        self.queue.clear();
        let mut any = NodeFlags::NONE;
        let mut kept = 0;
        for at in 0..edited.len() {
            let slot = edited[at];
            let flags = &mut flags[slot as usize];
            flags.unset(NodeFlags::QUEUED);
            edited[kept] = slot;
            if flags.has(NodeFlags::LOCAL_DIRTY) {
                any.add(*flags);
                kept += 1;
            }
        }
        edited.truncate(kept);
        (core::mem::replace(&mut self.complete, true), any)
    }
}

/// A view of the queue for marking many nodes; `marked` is counted when it is dropped.
pub(crate) struct Marks<'a> {
    queue: &'a mut DirtyQueue,
    marked: usize,
}

impl Marks<'_> {
    /// Like `DirtyQueue::mark`.
    #[inline(always)]
    pub(crate) fn mark(&mut self, slot: u32, flags: &mut NodeFlags) {
        if !flags.has(NodeFlags::LOCAL_DIRTY) {
            self.marked += 1;
            self.queue.mark_clean(slot, flags);
        }
    }
}

impl Drop for Marks<'_> {
    fn drop(&mut self) {
        self.queue.marked += self.marked;
    }
}
