//! Name ↔ node: who is called what, and who has been called so the longest.
//!
//! Equal names are one entry. Its holders form a list by age, linked through
//! columns by slot, so naming, renaming and the death of a node cost the same
//! whatever the number of holders. Graphs without names pay nothing.
//!
//! Invariant: a living named node stands exactly once in the list of its name;
//! an entry without holders does not exist; `index` finds every entry.

use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::links::NONE;

/// Never iterated, so its order is not observable.
#[cfg(feature = "std")]
type Index = std::collections::HashMap<Arc<str>, u32>;
/// Without `std` there is no source of randomness to keep a hash map safe from
/// names chosen to collide: lookups are logarithmic instead.
#[cfg(not(feature = "std"))]
type Index = alloc::collections::BTreeMap<Arc<str>, u32>;

#[derive(Clone, Debug)]
struct Entry {
    text: Arc<str>,
    oldest: u32,
    youngest: u32,
}

#[derive(Clone, Copy, Debug)]
struct Holder {
    entry: u32,
    older: u32,
    younger: u32,
}

const UNNAMED: Holder = Holder { entry: NONE, older: NONE, younger: NONE };

#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    /// By slot, as long as the last named slot.
    holders: Vec<Holder>,
    entries: Vec<Entry>,
    unused: Vec<u32>,
    index: Index,
}

impl Names {
    #[inline]
    fn entry_of(&self, slot: u32) -> u32 {
        self.holders.get(slot as usize).map_or(NONE, |holder| holder.entry)
    }

    pub(crate) fn get(&self, slot: u32) -> Option<&str> {
        let entry = self.entries.get(self.entry_of(slot) as usize)?;
        Some(&entry.text)
    }

    /// The name, to keep.
    pub(crate) fn text(&self, slot: u32) -> Option<Arc<str>> {
        let entry = self.entries.get(self.entry_of(slot) as usize)?;
        Some(entry.text.clone())
    }

    /// The number that stands for a name while it has holders.
    pub(crate) fn key(&self, name: &str) -> Option<u32> {
        self.index.get(name).copied()
    }

    pub(crate) fn has_key(&self, slot: u32, key: u32) -> bool {
        self.entry_of(slot) == key
    }

    /// The slots with this name, the oldest holder first.
    pub(crate) fn holders(&self, name: &str) -> impl Iterator<Item = u32> + Clone + '_ {
        let oldest = self.key(name).map_or(NONE, |key| self.entries[key as usize].oldest);
        let some = |slot: u32| (slot != NONE).then_some(slot);
        let younger = move |&slot: &u32| some(self.holders[slot as usize].younger);
        core::iter::successors(some(oldest), younger)
    }

    pub(crate) fn set(&mut self, slot: u32, name: &str) {
        if self.get(slot) == Some(name) {
            return;
        }
        self.clear(slot);
        let key = self.key_or_new(name);
        if self.holders.len() <= slot as usize {
            self.holders.resize(slot as usize + 1, UNNAMED);
        }
        let older = core::mem::replace(&mut self.entries[key as usize].youngest, slot);
        match self.holders.get_mut(older as usize) {
            Some(holder) => holder.younger = slot,
            None => self.entries[key as usize].oldest = slot,
        }
        self.holders[slot as usize] = Holder { entry: key, older, younger: NONE };
    }

    pub(crate) fn clear(&mut self, slot: u32) {
        let Some(holder) = self.holders.get_mut(slot as usize) else { return };
        let Holder { entry: key, older, younger } = core::mem::replace(holder, UNNAMED);
        if key == NONE {
            return;
        }
        match self.holders.get_mut(older as usize) {
            Some(holder) => holder.younger = younger,
            None => self.entries[key as usize].oldest = younger,
        }
        match self.holders.get_mut(younger as usize) {
            Some(holder) => holder.older = older,
            None => self.entries[key as usize].youngest = older,
        }
        if (older, younger) == (NONE, NONE) {
            let text = core::mem::take(&mut self.entries[key as usize].text);
            self.index.remove(&text);
            self.unused.push(key);
        }
    }

    /// The number that stands for a name from now on.
    ///
    /// Most names are new, so one is made before it is known to be: the index is then asked
    /// once, not twice.
    fn key_or_new(&mut self, name: &str) -> u32 {
        let text: Arc<str> = name.into();
        let next = self.unused.last().copied().unwrap_or(self.entries.len() as u32);
        let key = *self.index.entry(text.clone()).or_insert(next);
        if key == next {
            let entry = Entry { text, oldest: NONE, youngest: NONE };
            match self.unused.pop() {
                Some(key) => self.entries[key as usize] = entry,
                None => self.entries.push(entry),
            }
        }
        key
    }

    /// Room for so many more names.
    pub(crate) fn reserve(&mut self, more: usize) {
        self.entries.reserve(more);
        #[cfg(feature = "std")]
        self.index.reserve(more);
    }

    /// How many slots stand in the lists of names, for `check.rs`.
    pub(crate) fn named(&self) -> usize {
        self.holders.iter().filter(|holder| holder.entry != NONE).count()
    }

    /// The texts that have holders, for `check.rs`; the index must know them all.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        let used = self.entries.iter().filter(|entry| entry.oldest != NONE);
        used.map(|entry| &*entry.text)
    }

    pub(crate) fn distinct(&self) -> usize {
        self.index.len()
    }
}
