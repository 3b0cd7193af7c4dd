//! The nodes by name: a linked list for each name, the oldest first.
//!
//! The links are a column by slot, so insertion and removal take constant time.
//!
//! Invariant: a named slot is once in the list that `ListMap` finds for its name,
//! after every slot that has had the name for longer. The list may also contain
//! slots of another name whose hash is equal, so readers compare the names.

use alloc::vec::Vec;

use super::ListMap;
use crate::store::links::NONE;

/// The two ends of a list.
#[derive(Clone, Copy, Debug)]
pub(super) struct ListEnds {
    pub(super) oldest: u32,
    pub(super) youngest: u32,
}

impl ListEnds {
    pub(super) const EMPTY: Self = Self { oldest: NONE, youngest: NONE };
}

#[derive(Clone, Copy, Debug)]
struct Neighbors {
    older: u32,
    younger: u32,
}

/// The number of slots that `move_older` passes at most.
const MAX_STEPS: usize = 64;

const UNLINKED: Neighbors = Neighbors { older: NONE, younger: NONE };

#[derive(Clone, Debug, Default)]
pub(super) struct NameLists {
    lists: ListMap,
    /// By slot, up to the last slot that was in a list.
    neighbors: Vec<Neighbors>,
}

impl NameLists {
    pub(super) fn with_capacity(slots: usize, names: usize) -> Self {
        Self { lists: ListMap::with_capacity(names), neighbors: Vec::with_capacity(slots) }
    }

    /// Returns the slots named `name`, and possibly others.
    pub(super) fn list(&self, name: &str) -> impl Iterator<Item = u32> + '_ {
        self.from(self.lists.get(name).map_or(NONE, |list| list.oldest))
    }

    /// Returns the slots after `slot` in its list.
    pub(super) fn after(&self, slot: u32) -> impl Iterator<Item = u32> + '_ {
        self.from(self.neighbors[slot as usize].younger)
    }

    fn from(&self, slot: u32) -> impl Iterator<Item = u32> + use<'_> {
        let some = |slot: u32| (slot != NONE).then_some(slot);
        let younger = move |&slot: &u32| some(self.neighbors[slot as usize].younger);
        core::iter::successors(some(slot), younger)
    }

    /// Appends a slot, which must not be in a list, as the youngest of `name`.
    pub(super) fn push(&mut self, slot: u32, name: &str) {
        if self.neighbors.len() <= slot as usize {
            self.neighbors.resize(slot as usize + 1, UNLINKED);
        }
        let list = self.lists.get_or_insert(name);
        let older = core::mem::replace(&mut list.youngest, slot);
        match self.neighbors.get_mut(older as usize) {
            Some(neighbors) => neighbors.younger = slot,
            None => list.oldest = slot,
        }
        self.neighbors[slot as usize] = Neighbors { older, younger: NONE };
    }

    /// Removes a slot from the list of its name.
    /// Moves the youngest slot of a list before those of which `is_younger` is true.
    /// Returns `false` if there are more than `MAX_STEPS`: building the lists again is cheaper;
    /// the slot then stays where it is.
    pub(super) fn move_older(
        &mut self,
        slot: u32,
        name: &str,
        is_younger: impl Fn(u32) -> bool,
    ) -> bool {
        let mut older = self.neighbors[slot as usize].older;
        let mut steps = 0;
        while older != NONE && is_younger(older) {
            older = self.neighbors[older as usize].older;
            steps += 1;
            if steps > MAX_STEPS {
                return false;
            }
        }
        if steps == 0 {
            return true;
        }
        // There is another slot in the list, so it is not removed.
        self.remove(slot, name);
        let list = self.lists.get_or_insert(name);
        let younger = match self.neighbors.get_mut(older as usize) {
            Some(neighbors) => core::mem::replace(&mut neighbors.younger, slot),
            None => core::mem::replace(&mut list.oldest, slot),
        };
        self.neighbors[younger as usize].older = slot;
        self.neighbors[slot as usize] = Neighbors { older, younger };
        true
    }

    pub(super) fn remove(&mut self, slot: u32, name: &str) {
        let Neighbors { older, younger } =
            core::mem::replace(&mut self.neighbors[slot as usize], UNLINKED);
        if (older, younger) == (NONE, NONE) {
            self.lists.remove(name);
            return;
        }
        match self.neighbors.get_mut(older as usize) {
            Some(neighbors) => neighbors.younger = younger,
            None => self.lists.get_or_insert(name).oldest = younger,
        }
        match self.neighbors.get_mut(younger as usize) {
            Some(neighbors) => neighbors.older = older,
            None => self.lists.get_or_insert(name).youngest = older,
        }
    }
}
