//! Runs cases one by one and records their results, times and memory.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, Once};
use std::thread;
use std::time::{Duration, Instant};

use pleach_gltf::{Document, Options, Resolver};
use serde_json::Value;
use testkit::{Effort, allocations};

use super::usage::exercise;
use crate::common::panic_text;

const MAX_MEMORY: usize = 256 << 20;

/// One of `SHARE` cases is run unless `PLEACH_EFFORT` is full.
const SHARE: usize = 20;

/// The suffix of the name of a case that was loaded and is being used.
const IN_USE: &str = " (in use)";

/// The running cases and their start times.
static RUNNING: Mutex<BTreeMap<String, Instant>> = Mutex::new(BTreeMap::new());

/// The maximum memory of all tests together, in bytes; beyond it the run is aborted.
const PROCESS_LIMIT: isize = 6 << 30;

/// Starts a thread that prints every minute the names of cases that run for longer than that,
/// and that aborts the run beyond the memory limit.
fn watch() {
    static ONCE: Once = Once::new();
    const MINUTE: Duration = Duration::from_secs(60);
    ONCE.call_once(|| {
        _ = thread::spawn(|| {
            let mut last = Instant::now();
            loop {
                thread::sleep(Duration::from_millis(100));
                let is_over_limit = allocations::process().0 > PROCESS_LIMIT;
                if !is_over_limit && last.elapsed() < MINUTE {
                    continue;
                }
                last = Instant::now();
                for (name, since) in lock().iter() {
                    let time = since.elapsed();
                    if is_over_limit || time > MINUTE {
                        // Not `eprintln!`, whose output the test runner captures.
                        _ = writeln!(std::io::stderr(), "running for {time:.0?}: case {name}");
                    }
                }
                if is_over_limit {
                    _ = writeln!(std::io::stderr(), "more than {} GiB in use", PROCESS_LIMIT >> 30);
                    std::process::abort();
                }
            }
        });
    });
}

/// The results of the cases of a test.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) group: &'static str,
    pub(crate) cases: usize,
    pub(crate) loaded: usize,
    pub(crate) skipped: usize,
    pub(crate) slowest: (Duration, String),
    pub(crate) slowest_use: (Duration, String),
    pub(crate) largest: (usize, String),
    pub(crate) failures: Vec<String>,
}

impl Tally {
    pub(crate) fn new(group: &'static str) -> Self {
        watch();
        Self { group, ..Self::default() }
    }

    /// Returns `true` if this case should be run.
    pub(crate) fn is_chosen(&mut self, number: usize) -> bool {
        let chosen = Effort::get() == Effort::Full || number.is_multiple_of(SHARE);
        self.skipped += usize::from(!chosen);
        chosen
    }

    /// Runs a file in memory that refers to no others.
    pub(crate) fn bytes(&mut self, name: &str, file: &[u8]) -> Option<bool> {
        self.case(name, file.len(), || Options::new().load_bytes(file))
    }

    pub(crate) fn value(&mut self, name: &str, model: &Value) -> Option<bool> {
        self.bytes(name, model.to_string().as_bytes())
    }

    /// Runs a file with a resolver for the files that it refers to.
    pub(crate) fn with(
        &mut self,
        name: &str,
        file: &[u8],
        resolver: &dyn Resolver,
    ) -> Option<bool> {
        self.case(name, file.len(), || Options::new().load_with(file.to_vec(), resolver))
    }

    pub(crate) fn case(
        &mut self,
        name: &str,
        size: usize,
        load: impl Fn() -> Result<Document, pleach_gltf::Error>,
    ) -> Option<bool> {
        let name = format!("{}: {name}", self.group);
        if std::env::var("PLEACH_CASE").is_ok_and(|part| !name.contains(&part)) {
            self.skipped += 1;
            return None;
        }
        self.cases += 1;
        lock().insert(name.clone(), Instant::now());
        let before = allocations::Tally::now().live;
        allocations::Tally::reset_peak();
        let peak_so_far = || (allocations::Tally::now().peak - before) as usize;
        let start = Instant::now();
        let loaded = catch_unwind(AssertUnwindSafe(&load));
        let (load_time, peak) = (start.elapsed(), peak_so_far());
        let mut is_loaded = false;
        let start = Instant::now();
        lock().remove(&name);
        lock().insert(format!("{name}{IN_USE}"), start);
        match loaded {
            Err(panic) => self.add_failure(&name, &format!("load panics: {}", panic_text(&*panic))),
            Ok(Err(error)) => {
                // Formatting must work whatever the file contains.
                let message = error.to_string();
                assert!(!message.is_empty(), "{name}");
            }
            Ok(Ok(document)) => {
                is_loaded = true;
                let used = catch_unwind(AssertUnwindSafe(|| exercise(document)));
                match used {
                    Err(panic) => {
                        self.add_failure(&name, &format!("use panics: {}", panic_text(&*panic)));
                    }
                    Ok(Err(failure)) => self.add_failure(&name, &failure),
                    Ok(Ok(())) => {}
                }
            }
        }
        let use_time = start.elapsed();
        let all_peak = peak_so_far();
        lock().remove(&format!("{name}{IN_USE}"));
        self.loaded += usize::from(is_loaded);
        // The limits allow 64 bytes per byte read, in addition to the parsed JSON.
        let limit = MAX_MEMORY.max((32 << 20) + 128 * size);
        if peak > limit {
            self.add_failure(&name, &format!("load takes {} MiB for {size} bytes", peak >> 20));
        } else if all_peak > 2 * limit {
            self.add_failure(&name, &format!("use takes {} MiB for {size} bytes", all_peak >> 20));
        }
        if load_time > self.slowest.0 {
            self.slowest = (load_time, name.clone());
        }
        if use_time > self.slowest_use.0 {
            self.slowest_use = (use_time, name.clone());
        }
        if peak > self.largest.0 {
            self.largest = (peak, name);
        }
        Some(is_loaded)
    }

    pub(crate) fn add_failure(&mut self, name: &str, failure: &str) {
        let failure: String = failure.chars().take(600).collect();
        eprintln!("FAILURE {name}: {failure}");
        self.failures.push(format!("{name}: {failure}"));
    }

    pub(crate) fn end(self) {
        println!(
            "{}: {} cases, {} loaded, {} skipped; slowest load {:?} ({}), slowest use {:?} ({}), \
             largest {} KiB ({})",
            self.group,
            self.cases,
            self.loaded,
            self.skipped,
            self.slowest.0,
            self.slowest.1,
            self.slowest_use.0,
            self.slowest_use.1,
            self.largest.0 >> 10,
            self.largest.1,
        );
        assert!(
            self.failures.is_empty(),
            "{} of {} cases:\n{}",
            self.failures.len(),
            self.cases,
            self.failures.iter().take(40).map(|it| format!("  {it}\n")).collect::<String>(),
        );
    }
}

fn lock() -> std::sync::MutexGuard<'static, BTreeMap<String, Instant>> {
    RUNNING.lock().unwrap_or_else(|broken| broken.into_inner())
}
