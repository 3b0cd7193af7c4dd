//! The loops on the calling thread.

/// The threads of a renderer: none, as the feature `parallel` is off.
#[cfg(not(feature = "parallel"))]
#[derive(Debug)]
pub(crate) struct Pool;

#[cfg(not(feature = "parallel"))]
impl Pool {
    pub(crate) fn new(_: Option<usize>) -> Self {
        Self
    }

    pub(crate) fn enter<T>(&self, work: impl FnOnce() -> T) -> T {
        work()
    }
}

/// Returns the result for each item, in order.
pub(crate) fn map<T, R>(items: &[T], f: impl Fn(&T) -> R) -> Vec<R> {
    items.iter().map(f).collect()
}

/// Returns the result for each index below `count`, in order. `init` creates scratch memory.
pub(crate) fn map_init<I, R>(
    count: usize,
    init: impl Fn() -> I,
    f: impl Fn(&mut I, usize) -> R,
) -> Vec<R> {
    let mut scratch = init();
    (0..count).map(|index| f(&mut scratch, index)).collect()
}

/// Calls `f` with the index of each chunk of `size` items, and the chunk. `init` creates scratch
/// memory.
pub(crate) fn for_each_chunk<I, T>(
    items: &mut [T],
    size: usize,
    init: impl Fn() -> I,
    f: impl Fn(&mut I, usize, &mut [T]),
) {
    let mut scratch = init();
    for (index, chunk) in items.chunks_mut(size).enumerate() {
        f(&mut scratch, index, chunk);
    }
}
