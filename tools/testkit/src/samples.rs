//! The sample models, which are not part of the repository, and what is printed where they are missing.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Returns the directory of the sample models: `PLEACH_ASSETS`, or `../shared/assets` next to the
/// workspace. Prints `SKIPPED` and returns `None` if it does not exist.
///
/// # Panics
///
/// If the directory is missing although `PLEACH_ASSETS` or `CI` is set.
#[must_use]
pub fn sample_models() -> Option<PathBuf> {
    let requested = std::env::var_os("PLEACH_ASSETS");
    let is_required = requested.is_some() || std::env::var_os("CI").is_some();
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let directory = workspace.join(requested.unwrap_or_else(|| "../shared/assets".into()));
    if directory.is_dir() {
        return Some(directory);
    }
    let message = format!("the sample models are not in {}", directory.display());
    assert!(!is_required, "{message}; set PLEACH_ASSETS to their directory");
    skip(&format!("{message}; set PLEACH_ASSETS to their directory to run this test"));
    None
}

/// Prints `SKIPPED`, the name of the running test and the reason, past the capture of test output.
///
/// # Panics
///
/// If another test panicked while printing.
pub fn skip(reason: &str) {
    static PRINTED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let thread = std::thread::current();
    let line = format!("SKIPPED {}: {reason}", thread.name().unwrap_or("a test"));
    if PRINTED.lock().expect("no test panics while printing").insert(line.clone()) {
        // Not `eprintln!`, whose output the test runner keeps to itself.
        _ = writeln!(std::io::stderr(), "{line}");
    }
}
