//! Threads: which ones a call uses, and the loops that are split over them.
//!
//! A call uses the calling thread only, unless the caller asks for more: by
//! [`Settings::threads`](crate::Settings::threads), by [`with_threads`], or by calling from a thread
//! of a rayon pool. Without the feature `parallel` everything runs on the calling thread.
//!
//! `parallel.rs` and `serial.rs` have the same functions. Invariant: an item's result depends on the
//! item alone and results are in the order of the items, so the two agree to the bit.

#[cfg(feature = "parallel")]
mod parallel;
mod serial;

#[cfg(feature = "parallel")]
pub(crate) use parallel::{Pool, for_each_chunk, map, map_init};
#[cfg(not(feature = "parallel"))]
pub(crate) use serial::{Pool, for_each_chunk, map, map_init};

/// The maximum number of threads.
const MAX_THREADS: usize = 256;

/// Calls `work`, in which the functions of this crate use up to `threads` threads: `Some(0)` for one
/// per core, `Some(1)` for the calling thread alone, `None` for the threads of the rayon pool that
/// the calling thread belongs to, if any.
///
/// The results do not depend on the number. If threads cannot be started, the calling thread does
/// the work; so it does without the feature `parallel`. Threads are started by each call: a
/// [`Renderer`](crate::Renderer) with [`Settings::threads`](crate::Settings::threads) keeps them.
///
/// ```
/// use pleach::Scene;
/// use pleach_render::{visible_bounds, with_threads};
///
/// let scene = Scene::new();
/// let bounds = with_threads(Some(2), || visible_bounds(&scene));
/// assert_eq!(bounds, visible_bounds(&scene));
/// ```
pub fn with_threads<T>(threads: Option<usize>, work: impl FnOnce() -> T) -> T {
    Pool::new(threads).enter(work)
}

/// Returns the number of threads to start: one per core for 0.
#[cfg_attr(not(feature = "parallel"), expect(dead_code, reason = "no threads are started"))]
fn count(requested: usize) -> usize {
    let per_core = || std::thread::available_parallelism().map_or(1, usize::from);
    let threads = if requested == 0 { per_core() } else { requested };
    threads.min(MAX_THREADS)
}
