//! Threads: which ones a call uses, and the loop that is split over them.
//!
//! As in `pleach-render`: a call uses the calling thread only, unless the caller asks for more: by
//! [`Options::with_threads`](crate::Options::with_threads), by [`with_threads`], or by calling from a
//! thread of a rayon pool. Without the feature `parallel` everything runs on the calling thread.
//!
//! Invariant: an item's result depends on the item alone and results are in the order of the items,
//! so any number of threads gives the same result. Requested threads are started when the first
//! loop is long enough for them; if that fails, the calling thread does the work.

#[cfg(feature = "parallel")]
mod parallel;
#[cfg(not(feature = "parallel"))]
mod serial;

#[cfg(feature = "parallel")]
pub(crate) use parallel::{Pool, count, map};
#[cfg(not(feature = "parallel"))]
pub(crate) use serial::{Pool, count, map};

/// Calls `work`, in which the functions of this crate use up to `threads` threads: `Some(0)` for one
/// per core, `Some(1)` for the calling thread alone, `None` for the threads of the rayon pool that
/// the calling thread belongs to, if any.
///
/// The results do not depend on the number. If threads cannot be started, the calling thread does
/// the work; so it does without the feature `parallel`.
///
/// ```
/// use pleach_gltf::raw::Root;
/// use pleach_gltf::with_threads;
///
/// let file = r#"{ "asset": {"version": "2.0"}, "nodes": [{}, {}] }"#;
/// let root = with_threads(Some(0), || Root::from_json(file))?;
/// assert_eq!(root.nodes.len(), 2);
/// # Ok::<(), pleach_gltf::Error>(())
/// ```
pub fn with_threads<T>(threads: Option<usize>, work: impl FnOnce() -> T) -> T {
    Pool::new(threads).enter(work)
}
