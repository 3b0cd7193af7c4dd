//! Stamps: numbers that identify a state of something, so that states are compared in O(1).
//!
//! Invariant: a stamp is never issued twice in a process, and never 0.

use std::sync::atomic::{AtomicU64, Ordering};

/// Returns a number that it did not return before.
pub(crate) fn next_stamp() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}
