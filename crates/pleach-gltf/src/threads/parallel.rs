//! Loops on rayon's threads, if the calling thread has any at its disposal.

use std::cell::RefCell;
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// The maximum number of threads.
const MAX_THREADS: usize = 256;

/// The threads that a call uses.
#[derive(Clone, Debug, Default)]
pub(crate) enum Pool {
    /// The threads of the rayon pool that the calling thread belongs to, if any.
    #[default]
    Surrounding,
    /// A number of threads, which are started when they are needed first.
    Requested(Arc<Requested>),
}

#[derive(Debug)]
pub(crate) struct Requested {
    threads: usize,
    /// `None` if the calling thread works alone.
    pool: OnceLock<Option<ThreadPool>>,
}

impl Requested {
    fn pool(&self) -> Option<&ThreadPool> {
        let start = || {
            let builder = ThreadPoolBuilder::new().num_threads(self.threads);
            // If threads cannot be started, the calling thread does the work.
            (self.threads > 1).then(|| builder.build().ok()).flatten()
        };
        self.pool.get_or_init(start).as_ref()
    }
}

thread_local! {
    static CURRENT: RefCell<Pool> = const { RefCell::new(Pool::Surrounding) };
}

impl Pool {
    pub(crate) fn new(requested: Option<usize>) -> Self {
        let per_core = || std::thread::available_parallelism().map_or(1, usize::from);
        let threads = match requested {
            None => return Self::Surrounding,
            Some(0) => per_core(),
            Some(threads) => threads,
        };
        let threads = threads.min(MAX_THREADS);
        Self::Requested(Arc::new(Requested { threads, pool: OnceLock::new() }))
    }

    /// Calls `work`, in which loops use these threads.
    pub(crate) fn enter<T>(&self, work: impl FnOnce() -> T) -> T {
        /// Restores the threads of the caller, also after a panic.
        struct Restore(Pool);
        impl Drop for Restore {
            fn drop(&mut self) {
                CURRENT.replace(std::mem::take(&mut self.0));
            }
        }
        let _restore = match self {
            Self::Surrounding => None,
            requested => Some(Restore(CURRENT.replace(requested.clone()))),
        };
        work()
    }
}

/// Returns the number of threads that [`map`] uses; starts them.
pub(crate) fn count() -> usize {
    match CURRENT.with_borrow(Pool::clone) {
        Pool::Requested(it) => it.pool().map_or(1, ThreadPool::current_num_threads),
        Pool::Surrounding if rayon::current_thread_index().is_some() => {
            rayon::current_num_threads()
        }
        Pool::Surrounding => 1,
    }
}

/// Returns the result for each item, in order.
pub(crate) fn map<T: Send, R: Send>(items: Vec<T>, f: impl Fn(T) -> R + Sync + Send) -> Vec<R> {
    if items.len() < 2 {
        return items.into_iter().map(f).collect();
    }
    match CURRENT.with_borrow(Pool::clone) {
        Pool::Requested(it) if it.pool().is_some() => {
            let work = || items.into_par_iter().map(f).collect();
            it.pool().expect("it was started").install(work)
        }
        Pool::Surrounding if rayon::current_thread_index().is_some() => {
            items.into_par_iter().map(f).collect()
        }
        Pool::Surrounding | Pool::Requested(_) => items.into_iter().map(f).collect(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::thread;
    use std::time::Duration;

    use super::*;

    /// Returns the threads that a loop uses.
    fn threads_used() -> HashSet<thread::ThreadId> {
        let work = |_| {
            thread::sleep(Duration::from_millis(1));
            thread::current().id()
        };
        map((0..60).collect(), work).into_iter().collect()
    }

    #[test]
    fn no_other_threads_are_used_unless_requested() {
        let own = HashSet::from([thread::current().id()]);
        assert_eq!((threads_used(), count()), (own.clone(), 1));
        Pool::new(Some(1)).enter(|| assert_eq!((threads_used(), count()), (own.clone(), 1)));
        Pool::new(Some(2)).enter(|| {
            assert_eq!((threads_used().len(), count()), (2, 2));
            // `Some(1)` also within a request for more, `None` as requested outside.
            Pool::new(Some(1)).enter(|| assert_eq!(threads_used(), own));
            Pool::new(None).enter(|| assert_eq!(threads_used().len(), 2));
        });
        assert_eq!(threads_used(), own);
        let pool = ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        assert_eq!(pool.install(|| (threads_used().len(), count())), (3, 3));
    }

    #[test]
    fn threads_are_not_started_for_a_single_item() {
        let pool = Pool::new(Some(2));
        pool.enter(|| assert_eq!(map(vec![7], |it| it + 1), [8]));
        let Pool::Requested(requested) = pool else { panic!("two threads were requested") };
        assert!(requested.pool.get().is_none());
    }

    #[test]
    fn results_are_in_order() {
        for threads in [1, 2, 3, 0] {
            let squares = Pool::new(Some(threads)).enter(|| map((0..500).collect(), |it| it * it));
            assert!(squares.into_iter().eq((0..500).map(|it| it * it)), "{threads} threads");
        }
    }
}
