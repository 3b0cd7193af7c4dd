//! Index of names with `std`: built by the first lookup, and hashed. The
//! counterpart of `btree_index.rs`.
//!
//! Building it is not observable except for the time it takes. It is the only place
//! where reading a graph writes to it, and any number of threads may be the first.

use core::hash::{BuildHasher, BuildHasherDefault, Hasher};
use std::collections::HashMap;
use std::hash::RandomState;
use std::sync::OnceLock;

use super::lists::{ListEnds, NameLists};

#[derive(Clone, Debug, Default)]
pub(super) struct NameIndex(OnceLock<NameLists>);

impl NameIndex {
    pub(super) fn get_or_build(&self, build: impl FnOnce() -> NameLists) -> &NameLists {
        self.0.get_or_init(build)
    }

    /// Returns the lists if they have been built, so that they can be kept up to
    /// date.
    pub(super) fn get_mut(&mut self) -> Option<&mut NameLists> {
        self.0.get_mut()
    }

    /// Drops the lists: the next lookup builds them again.
    pub(super) fn reset(&mut self, _build: impl FnOnce() -> NameLists) {
        self.0.take();
    }

    pub(super) fn get(&self) -> Option<&NameLists> {
        self.0.get()
    }
}

/// The bits of a hash that are used. Unit tests use only two, so that hashes
/// collide.
const HASH_BITS: u64 = if cfg!(test) { 3 } else { u64::MAX };

/// The ends of each list, by the hash of its name. The texts are not stored again;
/// names of equal hash share a list. Such names cannot be chosen on purpose,
/// because the hash has a random key.
///
/// Never iterated, so its order is not observable.
#[derive(Clone, Debug, Default)]
pub(super) struct ListMap {
    lists: HashMap<u64, ListEnds, BuildHasherDefault<IdentityHasher>>,
    hasher: RandomState,
}

impl ListMap {
    pub(super) fn with_capacity(names: usize) -> Self {
        let lists = HashMap::with_capacity_and_hasher(names, BuildHasherDefault::new());
        Self { lists, hasher: RandomState::new() }
    }

    fn hash(&self, name: &str) -> u64 {
        self.hasher.hash_one(name) & HASH_BITS
    }

    pub(super) fn get(&self, name: &str) -> Option<ListEnds> {
        self.lists.get(&self.hash(name)).copied()
    }

    pub(super) fn get_or_insert(&mut self, name: &str) -> &mut ListEnds {
        self.lists.entry(self.hash(name)).or_insert(ListEnds::EMPTY)
    }

    pub(super) fn remove(&mut self, name: &str) {
        self.lists.remove(&self.hash(name));
    }
}

/// A hasher that returns its `u64` key, which is a hash already.
#[derive(Clone, Copy, Debug, Default)]
struct IdentityHasher(u64);

impl Hasher for IdentityHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        // Not reached: the keys are `u64`. Correct nevertheless.
        bytes.iter().for_each(|&byte| self.0 = self.0.rotate_left(8) ^ u64::from(byte));
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}
