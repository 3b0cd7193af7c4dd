//! Reads models, with a bar if that takes long.

use std::error::Error;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use pleach_gltf::{Document, ErrorKind, Options};

use crate::report::progress::Progress;

/// Are files trusted? The command line says so before any is read.
static TRUST: AtomicBool = AtomicBool::new(false);

/// Says whether all files are trusted.
pub(crate) fn trust_files(trust: bool) {
    TRUST.store(trust, Ordering::Relaxed);
}

/// Was the file refused since it is not trusted?
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

/// A model, in the usual way: Z up.
pub(crate) fn open(path: &Path) -> anyhow::Result<Document> {
    open_with(path, Options::new())
}

/// A model, read as `options` say.
pub(crate) fn open_with(path: &Path, options: Options) -> anyhow::Result<Document> {
    let bar = Progress::new(format!("reading {}", path.display()), 1);
    let options = if TRUST.load(Ordering::Relaxed) { options.trust() } else { options };
    let options = options.on_progress(move |progress| {
        bar.show(progress);
        ControlFlow::Continue(())
    });
    Ok(options.load(path)?)
}
