//! Index of names without `std`: always built, ordered by text. The counterpart of
//! `hash_index.rs`.
//!
//! Without `std` there is neither a lock for a lazily built index, nor a source of
//! randomness to protect a hash map against names chosen to collide: lookups take
//! logarithmic time instead.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;

use super::lists::{ListEnds, NameLists};

#[derive(Clone, Debug, Default)]
pub(super) struct NameIndex(NameLists);

impl NameIndex {
    pub(super) fn get_or_build(&self, _build: impl FnOnce() -> NameLists) -> &NameLists {
        &self.0
    }

    pub(super) fn get_mut(&mut self) -> Option<&mut NameLists> {
        Some(&mut self.0)
    }

    pub(super) fn reset(&mut self, build: impl FnOnce() -> NameLists) {
        self.0 = build();
    }

    pub(super) fn get(&self) -> Option<&NameLists> {
        Some(&self.0)
    }
}

/// The ends of each list, by name.
#[derive(Clone, Debug, Default)]
pub(super) struct ListMap(BTreeMap<Box<str>, ListEnds>);

impl ListMap {
    pub(super) fn with_capacity(_names: usize) -> Self {
        Self::default()
    }

    pub(super) fn get(&self, name: &str) -> Option<ListEnds> {
        self.0.get(name).copied()
    }

    pub(super) fn get_or_insert(&mut self, name: &str) -> &mut ListEnds {
        // Most lists exist already and are found without allocating a key.
        if !self.0.contains_key(name) {
            self.0.insert(name.into(), ListEnds::EMPTY);
        }
        self.0.get_mut(name).expect("the list was inserted above")
    }

    pub(super) fn remove(&mut self, name: &str) {
        self.0.remove(name);
    }
}
