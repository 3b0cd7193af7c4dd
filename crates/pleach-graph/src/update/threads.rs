//! The number of threads of rayon's pool, if they can be started.
//!
//! Every `_parallel` call asks here first and uses the calling thread alone if the answer is 1, so
//! that a process that cannot start threads gets its result nevertheless.

use core::error::Error;
use std::sync::OnceLock;

use rayon::{ThreadPoolBuildError, ThreadPoolBuilder};

/// Returns the number of threads of rayon's current pool; 1 if they cannot be started. Starts
/// rayon's global pool if there is none yet.
#[must_use]
pub fn thread_count() -> usize {
    static HAS_GLOBAL_POOL: OnceLock<bool> = OnceLock::new();
    let start = || exists(&ThreadPoolBuilder::new().build_global());
    let is_in_pool = rayon::current_thread_index().is_some();
    // Without threads, as in browsers, rayon runs everything on the calling thread by itself.
    if is_in_pool || cfg!(target_family = "wasm") || *HAS_GLOBAL_POOL.get_or_init(start) {
        rayon::current_num_threads()
    } else {
        1
    }
}

/// Returns `true` if the pool exists: it was started, or had been started before.
fn exists(started: &Result<(), ThreadPoolBuildError>) -> bool {
    // Only an error of the operating system has a source.
    started.as_ref().err().is_none_or(|error| error.source().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "rayon's threads")]
    fn a_pool_that_cannot_be_started_does_not_exist() {
        let refused = |_| Err(std::io::Error::from(std::io::ErrorKind::WouldBlock));
        let failed = ThreadPoolBuilder::new().spawn_handler(refused).build().map(|_| ());
        assert!(failed.is_err() && !exists(&failed));
        // One of these two is an error, because there is a pool already.
        for _ in 0..2 {
            assert!(exists(&ThreadPoolBuilder::new().build_global()));
        }
        assert!(thread_count() >= 1);
        let pool = ThreadPoolBuilder::new().num_threads(3).build().expect("three threads");
        assert_eq!(pool.install(thread_count), 3);
    }
}
