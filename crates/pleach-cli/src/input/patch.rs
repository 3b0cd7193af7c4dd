//! Reads patch files.

use std::fs;
use std::path::Path;

use anyhow::{Context, bail};
use pleach_gltf::Bytes;
use pleach_gltf::patch::FilePatch;

/// Reads a patch.
pub(crate) fn open(path: &Path) -> anyhow::Result<FilePatch> {
    let message = || format!("cannot read {}", path.display());
    // Checked before opening: a pipe would block, and a device may never end.
    if !fs::metadata(path).with_context(message)?.is_file() {
        bail!("cannot read {}: it is not a regular file", path.display());
    }
    let bytes = fs::read(path).with_context(message)?;
    FilePatch::from_bytes(Bytes::from(bytes)).with_context(|| path.display().to_string())
}
