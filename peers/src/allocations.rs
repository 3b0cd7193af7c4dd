//! The global allocator of this program: the system's, with counters.
//!
//! It counts only while counting is enabled. Otherwise a call costs one additional load, in every
//! mode and for every contender alike.
//!
//! Not `testkit::allocations`, which always counts, and per thread: loaders decode images on
//! several threads, whose memory is part of the result.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicIsize, AtomicUsize, Ordering::Relaxed};

struct Counting;

static IS_COUNTING: AtomicBool = AtomicBool::new(false);
static CALLS: AtomicUsize = AtomicUsize::new(0);
static BYTES: AtomicUsize = AtomicUsize::new(0);
/// Relative to the start of counting.
static LIVE: AtomicIsize = AtomicIsize::new(0);
static PEAK: AtomicIsize = AtomicIsize::new(0);

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Returns the number of allocations while `work` runs, on all threads.
#[allow(dead_code, reason = "each program uses a subset")]
pub fn count_allocations(work: impl FnOnce()) -> usize {
    let before = CALLS.load(Relaxed);
    IS_COUNTING.store(true, Relaxed);
    work();
    IS_COUNTING.store(false, Relaxed);
    CALLS.load(Relaxed) - before
}

/// The memory that some work allocated.
#[derive(Clone, Copy, Debug, Default)]
#[allow(dead_code, reason = "each program uses a subset")]
pub struct Tally {
    /// The sum of all allocations, without frees; for reallocations, the growth.
    pub bytes: usize,
    /// The maximum held at once, relative to the start.
    pub peak: usize,
}

/// Returns the memory that `work` allocates, on all threads.
#[allow(dead_code, reason = "each program uses a subset")]
pub fn tally<T>(work: impl FnOnce() -> T) -> (T, Tally) {
    let before = BYTES.load(Relaxed);
    LIVE.store(0, Relaxed);
    PEAK.store(0, Relaxed);
    IS_COUNTING.store(true, Relaxed);
    let result = work();
    IS_COUNTING.store(false, Relaxed);
    let bytes = BYTES.load(Relaxed) - before;
    (result, Tally { bytes, peak: PEAK.load(Relaxed).unsigned_abs() })
}

#[inline]
fn count(allocated: usize, freed: usize) {
    if IS_COUNTING.load(Relaxed) {
        CALLS.fetch_add(usize::from(allocated > 0), Relaxed);
        BYTES.fetch_add(allocated.saturating_sub(freed), Relaxed);
        let change = allocated.cast_signed() - freed.cast_signed();
        let live = LIVE.fetch_add(change, Relaxed) + change;
        PEAK.fetch_max(live, Relaxed);
    }
}

// SAFETY: every call is forwarded unchanged to the system's allocator, and counting allocates
// nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size(), 0);
        // SAFETY: guaranteed by the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size(), 0);
        // SAFETY: guaranteed by the caller.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size, layout.size());
        // SAFETY: guaranteed by the caller.
        unsafe { System.realloc(block, layout, size) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        count(0, layout.size());
        // SAFETY: guaranteed by the caller.
        unsafe { System.dealloc(block, layout) }
    }
}
