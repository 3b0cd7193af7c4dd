//! Who is called a given name: a list for each, the oldest holder first.
//!
//! The lists are linked through a column by slot, so a holder comes and goes in
//! the same time whatever their number.
//!
//! Invariant: a named slot stands once in the list that `Ends` finds for its
//! name, after every older holder of it. The list may have holders of another
//! name too, if the hashes of the two are the same; so who reads one compares.

use alloc::vec::Vec;

use super::Ends;
use crate::store::links::NONE;

/// The two ends of a list.
#[derive(Clone, Copy, Debug)]
pub(super) struct List {
    pub(super) oldest: u32,
    pub(super) youngest: u32,
}

impl List {
    pub(super) const EMPTY: Self = Self { oldest: NONE, youngest: NONE };
}

#[derive(Clone, Copy, Debug)]
struct Neighbours {
    older: u32,
    younger: u32,
}

const ALONE: Neighbours = Neighbours { older: NONE, younger: NONE };

#[derive(Clone, Debug, Default)]
pub(super) struct Lists {
    ends: Ends,
    /// By slot, as long as the last slot that was in a list.
    neighbours: Vec<Neighbours>,
}

impl Lists {
    pub(super) fn with_room(slots: usize, names: usize) -> Self {
        Self { ends: Ends::with_room(names), neighbours: Vec::with_capacity(slots) }
    }

    /// The slots called `name`, and perhaps others.
    pub(super) fn list(&self, name: &str) -> impl Iterator<Item = u32> + '_ {
        self.from(self.ends.get(name).map_or(NONE, |list| list.oldest))
    }

    /// What comes after `slot` in its list.
    pub(super) fn after(&self, slot: u32) -> impl Iterator<Item = u32> + '_ {
        self.from(self.neighbours[slot as usize].younger)
    }

    fn from(&self, slot: u32) -> impl Iterator<Item = u32> + use<'_> {
        let some = |slot: u32| (slot != NONE).then_some(slot);
        let younger = move |&slot: &u32| some(self.neighbours[slot as usize].younger);
        core::iter::successors(some(slot), younger)
    }

    /// Lists a slot that is in no list, as the youngest holder.
    pub(super) fn push(&mut self, slot: u32, name: &str) {
        if self.neighbours.len() <= slot as usize {
            self.neighbours.resize(slot as usize + 1, ALONE);
        }
        let list = self.ends.get_or_insert(name);
        let older = core::mem::replace(&mut list.youngest, slot);
        match self.neighbours.get_mut(older as usize) {
            Some(neighbours) => neighbours.younger = slot,
            None => list.oldest = slot,
        }
        self.neighbours[slot as usize] = Neighbours { older, younger: NONE };
    }

    /// Takes a slot off the list of its name.
    pub(super) fn remove(&mut self, slot: u32, name: &str) {
        let Neighbours { older, younger } =
            core::mem::replace(&mut self.neighbours[slot as usize], ALONE);
        if (older, younger) == (NONE, NONE) {
            self.ends.remove(name);
            return;
        }
        match self.neighbours.get_mut(older as usize) {
            Some(neighbours) => neighbours.younger = younger,
            None => self.ends.get_or_insert(name).oldest = younger,
        }
        match self.neighbours.get_mut(younger as usize) {
            Some(neighbours) => neighbours.older = older,
            None => self.ends.get_or_insert(name).youngest = older,
        }
    }
}
