//! `Renumbering`: the positions of readers in a list from which entries are
//! dropped.
//!
//! A position means "everything before it was read", so it moves with the first
//! entry at or after it that is kept.

use alloc::vec::Vec;

/// Old and new positions, ascending. Kept for its buffers.
#[derive(Clone, Debug, Default)]
pub(super) struct Renumbering {
    old: Vec<u32>,
    /// The new positions of those that have been passed.
    new: Vec<u32>,
}

impl Renumbering {
    pub(super) fn begin(&mut self, readers: &[u32]) {
        self.old.clear();
        self.old.extend_from_slice(readers);
        self.old.sort_unstable();
        self.new.clear();
    }

    /// Passes the entry at `position`, which is at `new_position` if it is kept.
    /// To be called for all entries in order.
    #[inline]
    pub(super) fn advance(&mut self, position: u32, new_position: u32) {
        while self.old.get(self.new.len()).is_some_and(|&reader| reader <= position) {
            self.new.push(new_position);
        }
    }

    /// Returns the number of positions at or before the entry passed last.
    pub(super) fn passed(&self) -> u32 {
        self.new.len() as u32
    }

    /// Replaces the positions; those after the last entry become `new_end`.
    pub(super) fn finish(&mut self, new_end: u32, readers: &mut [u32]) {
        self.new.resize(self.old.len(), new_end);
        for reader in readers {
            *reader = self.new[self.old.partition_point(|position| position < reader)];
        }
    }
}
