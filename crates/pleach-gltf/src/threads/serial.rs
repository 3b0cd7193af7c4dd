//! Everything on the calling thread: the feature `parallel` is off.

/// The threads that a call uses: none besides the calling one.
#[derive(Debug)]
pub(crate) struct Pool;

impl Pool {
    pub(crate) fn new(_: Option<usize>) -> Self {
        Self
    }

    pub(crate) fn enter<T>(&self, work: impl FnOnce() -> T) -> T {
        work()
    }
}

/// Returns the number of threads that [`map`] uses.
pub(crate) fn count() -> usize {
    1
}

/// Returns the result for each item, in order.
pub(crate) fn map<T, R>(items: Vec<T>, f: impl Fn(T) -> R) -> Vec<R> {
    items.into_iter().map(f).collect()
}
