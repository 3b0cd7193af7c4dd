//! An allocator that counts, for each thread apart. Only test files that count include it, as
//! it is the allocator of the whole program.

#![allow(dead_code, reason = "each test file uses its part of it")]

use core::cell::Cell;
use std::alloc::{GlobalAlloc, Layout, System};

/// The system's allocator, with a tally.
struct Counting;

thread_local! {
    static TALLY: Cell<Tally> = const { Cell::new(Tally { calls: 0, total: 0, live: 0, peak: 0 }) };
}

/// What this thread has allocated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tally {
    /// Calls that asked for memory.
    pub(crate) calls: usize,
    /// Bytes asked for, in all.
    pub(crate) total: usize,
    /// Bytes in use. (May dip below zero where memory changes threads.)
    pub(crate) live: isize,
    pub(crate) peak: isize,
}

impl Tally {
    pub(crate) fn now() -> Self {
        TALLY.get()
    }

    fn add(size: usize) {
        // While a thread ends its tally is gone; nobody asks for it any more.
        _ = TALLY.try_with(|tally| {
            let Self { calls, total, live, peak } = tally.get();
            let live = live + size as isize;
            tally.set(Self { calls: calls + 1, total: total + size, live, peak: peak.max(live) });
        });
    }

    fn subtract(size: usize) {
        _ = TALLY.try_with(|tally| {
            let now = tally.get();
            tally.set(Self { live: now.live - size as isize, ..now });
        });
    }

    pub(crate) fn forget_peak() {
        TALLY.set(Self { peak: TALLY.get().live, ..TALLY.get() });
    }
}

// SAFETY: every call is handed on to the system's allocator; counting allocates
// nothing (a `Cell` in a constant-initialised thread local).
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        Tally::add(layout.size());
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        Tally::add(layout.size());
        // SAFETY: the caller's promise.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        Tally::subtract(layout.size());
        Tally::add(size);
        // SAFETY: the caller's promise.
        unsafe { System.realloc(block, layout, size) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        Tally::subtract(layout.size());
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// How often `f` allocates.
pub(crate) fn allocations<T>(f: impl FnOnce() -> T) -> (usize, T) {
    let before = Tally::now().calls;
    let result = f();
    (Tally::now().calls - before, result)
}
