//! `IdMap`: a hash map by asset id, with a hash of one multiplication.
//!
//! Ids are consecutive numbers that no file or user chooses, and every draw looks up two.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use pleach::AssetId;

/// A map by asset id.
pub(crate) type IdMap<T> = HashMap<AssetId, T, BuildHasherDefault<IdHasher>>;

/// Multiplies by an odd constant, so that the high bits depend on all bits of the id.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct IdHasher(u64);

impl Hasher for IdHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(byte.into()));
    }

    fn write_u64(&mut self, number: u64) {
        let mixed = (self.0 ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ (mixed >> 32);
    }
}
