//! Loads models and shows a progress bar.

use std::error::Error;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use pleach_gltf::{Document, ErrorKind, Options};

use crate::report::progress::Progress;

/// `true` if files are trusted; set from the command line before any file is read.
static TRUST: AtomicBool = AtomicBool::new(false);

/// Sets whether all files are trusted.
pub(crate) fn trust_files(trust: bool) {
    TRUST.store(trust, Ordering::Relaxed);
}

/// Returns `true` if the file was rejected only because it is not trusted.
pub(crate) fn trust_may_help(error: &pleach_gltf::Error) -> bool {
    let is_outside = || {
        let cause = error.source().and_then(|it| it.downcast_ref::<io::Error>());
        cause.is_some_and(|it| it.kind() == io::ErrorKind::PermissionDenied)
    };
    let is_refused = match error.kind() {
        ErrorKind::Limit => true,
        ErrorKind::Uri => is_outside(),
        _ => false,
    };
    is_refused && !TRUST.load(Ordering::Relaxed)
}

/// Loads a model with the default options: +Z up, on all cores.
pub(crate) fn open(path: &Path) -> anyhow::Result<Document> {
    open_with(path, Options::new().with_threads(0))
}

/// Loads a model with `options`.
pub(crate) fn open_with(path: &Path, options: Options) -> anyhow::Result<Document> {
    Ok(with_progress(path, options).load(path)?)
}

/// Returns the default options for loading a model: all cores, trust and a progress bar.
pub(crate) fn options(path: &Path) -> Options {
    with_progress(path, Options::new().with_threads(0))
}

fn with_progress(path: &Path, options: Options) -> Options {
    let bar = Progress::new(format!("reading {}", path.display()), 1);
    let options = if TRUST.load(Ordering::Relaxed) { options.trust() } else { options };
    options.on_progress(move |progress| {
        bar.show(progress);
        ControlFlow::Continue(())
    })
}
