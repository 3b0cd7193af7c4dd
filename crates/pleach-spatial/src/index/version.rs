//! `IndexVersion`: which state of which index something was computed from.
//!
//! Invariants: no two indexes of a process have the same number, not even a clone and its original;
//! the rows count every write of theirs that a query could see.

use core::sync::atomic::{AtomicU64, Ordering};

/// A state of a [`SpatialIndex`](crate::SpatialIndex): while
/// [`version`](crate::SpatialIndex::version) returns an equal one, queries with the same arguments
/// have the same results. Versions of different indexes are never equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IndexVersion {
    index: u64,
    edits: u64,
}

impl IndexVersion {
    /// The version of another state of the same index.
    #[inline]
    pub(crate) fn advance(&mut self) {
        self.edits += 1;
    }
}

/// The version of a new index.
impl Default for IndexVersion {
    fn default() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self { index: NEXT.fetch_add(1, Ordering::Relaxed), edits: 0 }
    }
}
