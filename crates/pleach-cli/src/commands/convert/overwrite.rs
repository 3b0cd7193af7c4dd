//! Overwrite protection: without `--force` only OUT and the files it references are overwritten.
//!
//! Input models, the files they reference and unrelated files are protected. A file that already
//! has the same bytes is not overwritten.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use pleach_gltf::Saved;

use super::model_files::ModelFiles;

/// Returns an error if writing `saved` to `to` would overwrite a protected file. Called before
/// writing.
pub(in crate::commands) fn guard(to: &Path, saved: &Saved, read: &[&ModelFiles]) -> Result<()> {
    let mut changed = Vec::new();
    for (path, (_, bytes)) in saved.paths(to)?.into_iter().zip(&saved.files) {
        if differs_on_disk(&path, bytes) {
            changed.push(path);
        }
    }
    for source in read.iter().flat_map(|model| model.paths()) {
        let is_source = |path: &Path| is_same_file(path, &source);
        if is_source(to) || changed.iter().any(|path| is_source(path)) {
            bail!("{} would be overwritten; use --force to overwrite it", source.display());
        }
    }
    // The files of the existing model at `to`, if it is one.
    let own: Vec<PathBuf> = ModelFiles::of(to).map(|out| out.paths().collect()).unwrap_or_default();
    let is_foreign = |path: &&PathBuf| !own.iter().any(|own| is_same_file(own, path));
    if let Some(path) = changed.iter().find(is_foreign) {
        bail!(
            "{} exists with different content and is not referenced by {}; write to another \
             directory, to another name or as .glb, or use --force to overwrite it",
            path.display(),
            to.display()
        );
    }
    Ok(())
}

/// Returns `true` if `path` exists and is not a file with these bytes.
fn differs_on_disk(path: &Path, bytes: &[u8]) -> bool {
    let Ok(existing) = fs::symlink_metadata(path) else { return false };
    let may_be_same = existing.len() == bytes.len() as u64 || existing.is_symlink();
    !(may_be_same && fs::read(path).is_ok_and(|existing| existing == bytes))
}

/// Returns `true` if both paths refer to the same existing file.
fn is_same_file(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}
