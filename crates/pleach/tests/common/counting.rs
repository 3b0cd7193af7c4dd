//! An allocator that counts, for each thread apart. Only test files that count include it, as
//! it is the allocator of the whole program.

#![allow(dead_code, reason = "each test file uses its part of it")]

use core::cell::Cell;
use std::alloc::{GlobalAlloc, Layout, System};

/// The system's allocator, with a tally.
struct Counting;

thread_local! {
    /// Calls of this thread that asked for memory, and bytes in use.
    pub(crate) static TALLY: Cell<(usize, isize)> = const { Cell::new((0, 0)) };
}

fn note(calls: usize, bytes: isize) {
    // While a thread ends its tally is gone; nobody asks for it any more.
    _ = TALLY.try_with(|tally| {
        let (all, live) = tally.get();
        tally.set((all + calls, live + bytes));
    });
}

// SAFETY: every call is handed on to the system's allocator; counting allocates
// nothing (a `Cell` in a constant-initialised thread local).
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(1, layout.size() as isize);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        note(1, layout.size() as isize);
        // SAFETY: the caller's promise.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note(1, size as isize - layout.size() as isize);
        // SAFETY: the caller's promise.
        unsafe { System.realloc(block, layout, size) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        note(0, -(layout.size() as isize));
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// How often `f` allocates.
pub(crate) fn allocations(f: impl FnOnce()) -> usize {
    let (before, _) = TALLY.get();
    f();
    TALLY.get().0 - before
}
