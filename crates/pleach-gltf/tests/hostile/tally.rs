//! Cases one by one, each watched: what they load, how long it takes, and in how much memory.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, Once};
use std::thread;
use std::time::{Duration, Instant};

use pleach_gltf::{Document, Options, Resolver};
use serde_json::Value;

use crate::common::panic_text;
use crate::memory::{CASE, HELD, PEAK};
use crate::usage::used;

const MOST_MEMORY: usize = 256 << 20;

/// One case of so many is run in debug builds.
const SHARE: usize = 20;

/// Ends the name of a case that was loaded, and is now used.
const IN_USE: &str = " (in use)";

/// Which cases run, and since when.
static RUNNING: Mutex<BTreeMap<String, Instant>> = Mutex::new(BTreeMap::new());

fn watch() {
    static ONCE: Once = Once::new();
    let patience = Duration::from_secs(if cfg!(debug_assertions) { 60 } else { 10 });
    // Use saves and loads four times over, on a machine that may be busy.
    let overdue = move |name: &str, since: &Instant| {
        since.elapsed() > if name.ends_with(IN_USE) { 6 * patience } else { patience }
    };
    ONCE.call_once(|| {
        _ = thread::spawn(move || {
            loop {
                thread::sleep(Duration::from_millis(100));
                let running = RUNNING.lock().unwrap_or_else(|broken| broken.into_inner());
                if let Some((name, _)) = running.iter().find(|(name, since)| overdue(name, since)) {
                    eprintln!("\nno end after {patience:?}: case {name}");
                    std::process::abort();
                }
            }
        });
    });
}

/// What came of the cases of a test.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) group: &'static str,
    pub(crate) cases: usize,
    pub(crate) loaded: usize,
    pub(crate) skipped: usize,
    pub(crate) slowest: (Duration, String),
    pub(crate) slowest_use: (Duration, String),
    pub(crate) hungriest: (usize, String),
    pub(crate) faults: Vec<String>,
}

impl Tally {
    pub(crate) fn new(group: &'static str) -> Self {
        watch();
        Self { group, ..Self::default() }
    }

    /// Is this case to be run in this build?
    pub(crate) fn is_chosen(&mut self, number: usize) -> bool {
        let all = !cfg!(debug_assertions) || std::env::var_os("PLEACH_ALL").is_some();
        let chosen = all || number.is_multiple_of(SHARE);
        self.skipped += usize::from(!chosen);
        chosen
    }

    /// A file in memory that names no others.
    pub(crate) fn bytes(&mut self, name: &str, file: &[u8]) -> Option<bool> {
        self.case(name, file.len(), || Options::new().load_bytes(file))
    }

    pub(crate) fn value(&mut self, name: &str, model: &Value) -> Option<bool> {
        self.bytes(name, model.to_string().as_bytes())
    }

    /// A file and those it names.
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
        let mut short = ([0; 160], name.len().min(160));
        short.0[..short.1].copy_from_slice(&name.as_bytes()[..short.1]);
        CASE.set(short);
        lock().insert(name.clone(), Instant::now());
        let before = HELD.get();
        PEAK.set(before);
        let start = Instant::now();
        let loaded = catch_unwind(AssertUnwindSafe(&load));
        let (took, peak) = (start.elapsed(), (PEAK.get() - before) as usize);
        let mut is_loaded = false;
        let start = Instant::now();
        lock().remove(&name);
        lock().insert(format!("{name}{IN_USE}"), start);
        match loaded {
            Err(panic) => self.fault(&name, &format!("load panics: {}", panic_text(&*panic))),
            Ok(Err(error)) => {
                // It prints in one line, whatever the file says.
                let said = error.to_string();
                assert!(!said.is_empty(), "{name}");
            }
            Ok(Ok(document)) => {
                is_loaded = true;
                let used = catch_unwind(AssertUnwindSafe(|| used(document)));
                match used {
                    Err(panic) => {
                        self.fault(&name, &format!("use panics: {}", panic_text(&*panic)));
                    }
                    Ok(Err(fault)) => self.fault(&name, &fault),
                    Ok(Ok(())) => {}
                }
            }
        }
        let use_took = start.elapsed();
        let all_peak = (PEAK.get() - before) as usize;
        lock().remove(&format!("{name}{IN_USE}"));
        self.loaded += usize::from(is_loaded);
        // The limits allow 64 bytes for each that was read; the parsed JSON is beside that.
        let most = MOST_MEMORY.max((32 << 20) + 128 * size);
        if peak > most {
            self.fault(&name, &format!("load takes {} MiB for {size} bytes", peak >> 20));
        } else if all_peak > 2 * most {
            self.fault(&name, &format!("use takes {} MiB for {size} bytes", all_peak >> 20));
        }
        // Text is read at a speed that is not that of lies.
        let allowed = Duration::from_millis(100) + Duration::from_millis(50) * (size >> 20) as u32;
        if std::env::var_os("PLEACH_TIMES").is_some() && took > allowed {
            self.fault(&name, &format!("load takes {took:?}; {allowed:?} are allowed"));
        }
        if took > self.slowest.0 {
            self.slowest = (took, name.clone());
        }
        if use_took > self.slowest_use.0 {
            self.slowest_use = (use_took, name.clone());
        }
        if peak > self.hungriest.0 {
            self.hungriest = (peak, name);
        }
        Some(is_loaded)
    }

    pub(crate) fn fault(&mut self, name: &str, fault: &str) {
        let fault: String = fault.chars().take(600).collect();
        eprintln!("FAULT {name}: {fault}");
        self.faults.push(format!("{name}: {fault}"));
    }

    pub(crate) fn end(self) {
        println!(
            "{}: {} cases, {} loaded, {} left out; slowest load {:?} ({}), slowest use {:?} ({}), \
             hungriest {} KiB ({})",
            self.group,
            self.cases,
            self.loaded,
            self.skipped,
            self.slowest.0,
            self.slowest.1,
            self.slowest_use.0,
            self.slowest_use.1,
            self.hungriest.0 >> 10,
            self.hungriest.1,
        );
        assert!(
            self.faults.is_empty(),
            "{} of {} cases:\n{}",
            self.faults.len(),
            self.cases,
            self.faults.iter().take(40).map(|it| format!("  {it}\n")).collect::<String>(),
        );
    }
}

fn lock() -> std::sync::MutexGuard<'static, BTreeMap<String, Instant>> {
    RUNNING.lock().unwrap_or_else(|broken| broken.into_inner())
}
