//! An allocator that tells how much is taken and given back.

use std::alloc::{GlobalAlloc, Layout, System};

/// Calls a function with the bytes of each allocation, and with less than nothing when they are
/// freed. The function must not allocate.
pub(crate) struct Counting(pub(crate) fn(isize));

// SAFETY: every call goes to the system's allocator as it came; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        (self.0)(layout.size() as isize);
        // SAFETY: as the caller promised.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        (self.0)(layout.size() as isize);
        // SAFETY: as the caller promised.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        (self.0)(-(layout.size() as isize));
        // SAFETY: as the caller promised.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // While it moves, both are held.
        (self.0)(size as isize);
        // SAFETY: as the caller promised.
        let moved = unsafe { System.realloc(memory, layout, size) };
        (self.0)(-(layout.size() as isize));
        moved
    }
}
