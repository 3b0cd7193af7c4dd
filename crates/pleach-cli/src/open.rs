//! Reads models, with a bar if that takes long.

use std::ops::ControlFlow;
use std::path::Path;

use pleach_gltf::{Document, Options};

use crate::progress::Progress;

/// A model, in the usual way: Z up.
pub(crate) fn open(path: &Path) -> anyhow::Result<Document> {
    open_with(path, Options::new())
}

/// A model, read as `options` say.
pub(crate) fn open_with(path: &Path, options: Options) -> anyhow::Result<Document> {
    let bar = Progress::new(format!("reading {}", path.display()), 1);
    let options = options.on_progress(move |progress| {
        bar.show(progress);
        ControlFlow::Continue(())
    });
    Ok(options.load(path)?)
}
