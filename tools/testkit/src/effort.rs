//! The effort of a test run: `PLEACH_EFFORT=quick` (the default) or `full`.
//!
//! Printed once per test binary, past the capture of test output, so that a run shows what it tried.

use std::io::Write;
use std::sync::OnceLock;

/// The amount that random and exhaustive tests try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// A sample that takes seconds: what `cargo test` runs.
    Quick,
    /// Every case, and many seeds.
    Full,
}

impl Effort {
    /// Returns the effort of this run and prints it the first time.
    ///
    /// # Panics
    ///
    /// If `PLEACH_EFFORT` is neither `quick` nor `full`.
    #[must_use]
    pub fn get() -> Self {
        static EFFORT: OnceLock<Effort> = OnceLock::new();
        *EFFORT.get_or_init(|| {
            let effort = match std::env::var("PLEACH_EFFORT").as_deref() {
                Err(_) | Ok("quick") => Self::Quick,
                Ok("full") => Self::Full,
                Ok(other) => panic!("PLEACH_EFFORT is {other:?}; use quick or full"),
            };
            let name = if effort == Self::Full { "full" } else { "quick" };
            // Not `eprintln!`, whose output the test runner keeps to itself.
            _ = writeln!(std::io::stderr(), "PLEACH_EFFORT={name}");
            effort
        })
    }

    /// Returns `quick` or `full`, depending on the effort of this run.
    #[must_use]
    pub fn pick<T>(quick: T, full: T) -> T {
        match Self::get() {
            Self::Quick => quick,
            Self::Full => full,
        }
    }
}

/// Returns the size of a workload: `normal`, or `under_miri`, which is far slower.
#[must_use]
pub const fn sized(normal: usize, under_miri: usize) -> usize {
    if cfg!(miri) { under_miri } else { normal }
}
