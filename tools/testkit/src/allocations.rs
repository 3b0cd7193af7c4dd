//! A global allocator that counts, separately for each thread.
//!
//! A test binary that counts declares it once:
//!
//! ```
//! #[global_allocator]
//! static ALLOCATOR: testkit::allocations::Counting = testkit::allocations::Counting;
//!
//! let (calls, list) = testkit::allocations::count(|| vec![1, 2, 3]);
//! assert_eq!((calls, list.len()), (1, 3));
//! ```
//!
//! Counts are per thread, so tests that run at the same time do not disturb each other.

use core::cell::{Cell, RefCell};
use core::sync::atomic::{AtomicIsize, Ordering::Relaxed};
use std::alloc::{GlobalAlloc, Layout, System};
use std::backtrace::{Backtrace, BacktraceStatus};

/// The system's allocator, counting.
#[derive(Debug)]
pub struct Counting;

/// The allocations of the current thread.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    /// Calls that requested memory.
    pub calls: usize,
    /// Bytes requested in total.
    pub total: usize,
    /// Bytes in use. May be negative where memory is freed by another thread than its owner.
    pub live: isize,
    /// The largest value of `live` since the last [`Tally::reset_peak`].
    pub peak: isize,
}

thread_local! {
    static TALLY: Cell<Tally> = const { Cell::new(Tally { calls: 0, total: 0, live: 0, peak: 0 }) };
}

thread_local! {
    /// `true` while allocations of the thread are traced.
    static IS_TRACED: Cell<bool> = const { Cell::new(false) };
    static TRACES: RefCell<Vec<Backtrace>> = const { RefCell::new(Vec::new()) };
}

/// Bytes in use by all threads, and the largest value of that.
static PROCESS: [AtomicIsize; 2] = [AtomicIsize::new(0), AtomicIsize::new(0)];

/// Returns the bytes in use by all threads, and their peak since [`reset_process_peak`].
///
/// Only meaningful where nothing else runs, such as in a process of its own: what is tested may
/// start threads, whose memory is not in the [`Tally`] of the thread that waits for them.
#[must_use]
pub fn process() -> (isize, isize) {
    let [live, peak] = PROCESS.each_ref().map(|it| it.load(Relaxed));
    (live, peak)
}

/// Sets the peak of all threads to what is in use now.
pub fn reset_process_peak() {
    PROCESS[1].store(PROCESS[0].load(Relaxed), Relaxed);
}

impl Tally {
    /// Returns the counts of the current thread.
    #[must_use]
    pub fn now() -> Self {
        TALLY.get()
    }

    /// Sets the peak of the current thread to what is in use now.
    pub fn reset_peak() {
        TALLY.set(Self { peak: TALLY.get().live, ..TALLY.get() });
    }

    fn add(size: usize) {
        let all = PROCESS[0].fetch_add(size as isize, Relaxed) + size as isize;
        PROCESS[1].fetch_max(all, Relaxed);
        // The tally of a thread that is ending is already gone.
        _ = TALLY.try_with(|tally| {
            let Self { calls, total, live, peak } = tally.get();
            let live = live + size as isize;
            tally.set(Self { calls: calls + 1, total: total + size, live, peak: peak.max(live) });
        });
        if IS_TRACED.try_with(Cell::get) == Ok(true) {
            // The trace itself allocates.
            IS_TRACED.set(false);
            TRACES.with_borrow_mut(|traces| traces.push(Backtrace::force_capture()));
            IS_TRACED.set(true);
        }
    }

    fn subtract(size: usize) {
        PROCESS[0].fetch_sub(size as isize, Relaxed);
        _ = TALLY.try_with(|tally| {
            let now = tally.get();
            tally.set(Self { live: now.live - size as isize, ..now });
        });
    }
}

/// Calls `f` and returns how often it allocated, with its result.
pub fn count<T>(f: impl FnOnce() -> T) -> (usize, T) {
    let before = Tally::now().calls;
    let result = f();
    (Tally::now().calls - before, result)
}

/// Calls `f` and returns where it allocated, with its result. Slow.
///
/// # Panics
///
/// If backtraces are enabled: `f` might capture one, and wait forever for that of its own allocation.
/// `RUST_LIB_BACKTRACE=0` disables all but those of panics.
pub fn trace<T>(f: impl FnOnce() -> T) -> (Vec<Backtrace>, T) {
    let is_enabled = Backtrace::capture().status() != BacktraceStatus::Disabled;
    assert!(!is_enabled, "backtraces are enabled; set RUST_LIB_BACKTRACE=0");
    IS_TRACED.set(true);
    let result = f();
    IS_TRACED.set(false);
    (TRACES.take(), result)
}

// SAFETY: every call is forwarded unchanged to the system's allocator; counting does not allocate
// (a `Cell` in a const-initialised thread local), and tracing, which does, is not traced.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        Tally::add(layout.size());
        // SAFETY: upheld by the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        Tally::add(layout.size());
        // SAFETY: upheld by the caller.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // Both blocks exist while the contents move, so the new one counts first.
        Tally::add(size);
        // SAFETY: upheld by the caller.
        let moved = unsafe { System.realloc(block, layout, size) };
        Tally::subtract(layout.size());
        moved
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        Tally::subtract(layout.size());
        // SAFETY: upheld by the caller.
        unsafe { System.dealloc(block, layout) }
    }
}
