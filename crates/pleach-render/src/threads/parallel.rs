//! The loops on rayon's threads, if the calling thread has any at its disposal.

use std::cell::RefCell;
use std::sync::Arc;

use rayon::ThreadPoolBuilder;
use rayon::prelude::*;

use super::{count, serial};

/// The threads that a call uses.
#[derive(Clone, Debug)]
enum Threads {
    /// The threads of the rayon pool that the calling thread belongs to, if any.
    Surrounding,
    /// The calling thread alone.
    Calling,
    Pool(Arc<rayon::ThreadPool>),
}

thread_local! {
    static CURRENT: RefCell<Threads> = const { RefCell::new(Threads::Surrounding) };
}

/// The threads of a renderer, for the number requested.
#[derive(Debug)]
pub(crate) struct Pool(Threads);

impl Pool {
    pub(crate) fn new(requested: Option<usize>) -> Self {
        let Some(requested) = requested else { return Self(Threads::Surrounding) };
        let threads = count(requested);
        if threads == 1 {
            return Self(Threads::Calling);
        }
        // If threads cannot be started, the calling thread does the work.
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        Self(pool.map_or(Threads::Calling, |pool| Threads::Pool(Arc::new(pool))))
    }

    /// Calls `work`, in which loops use these threads.
    pub(crate) fn enter<T>(&self, work: impl FnOnce() -> T) -> T {
        /// Restores the threads of the caller, also after a panic.
        struct Restore(Threads);
        impl Drop for Restore {
            fn drop(&mut self) {
                CURRENT.replace(self.0.clone());
            }
        }
        let _restore = match &self.0 {
            Threads::Surrounding => None,
            threads => Some(Restore(CURRENT.replace(threads.clone()))),
        };
        work()
    }
}

/// Calls `parallel` with `data` where it can use several threads, or else `serial`.
fn run<A: Send, R: Send>(
    data: A,
    parallel: impl FnOnce(A) -> R + Send,
    serial: impl FnOnce(A) -> R,
) -> R {
    match CURRENT.with_borrow(Threads::clone) {
        Threads::Pool(pool) => pool.install(|| parallel(data)),
        Threads::Surrounding if rayon::current_thread_index().is_some() => parallel(data),
        Threads::Surrounding | Threads::Calling => serial(data),
    }
}

pub(crate) fn map<T: Sync, R: Send>(items: &[T], f: impl Fn(&T) -> R + Sync) -> Vec<R> {
    run(items, |items| items.par_iter().map(&f).collect(), |items| serial::map(items, &f))
}

pub(crate) fn map_init<I, R: Send>(
    count: usize,
    init: impl Fn() -> I + Sync,
    f: impl Fn(&mut I, usize) -> R + Sync,
) -> Vec<R> {
    run(
        0..count,
        |indices| indices.into_par_iter().map_init(&init, &f).collect(),
        |_| serial::map_init(count, &init, &f),
    )
}

pub(crate) fn for_each_chunk<I, T: Send>(
    items: &mut [T],
    size: usize,
    init: impl Fn() -> I + Sync,
    f: impl Fn(&mut I, usize, &mut [T]) + Sync,
) {
    run(
        items,
        |items| {
            let chunks = items.par_chunks_mut(size).enumerate();
            chunks.for_each_init(&init, |scratch, (index, chunk)| f(scratch, index, chunk));
        },
        |items| serial::for_each_chunk(items, size, &init, &f),
    );
}
