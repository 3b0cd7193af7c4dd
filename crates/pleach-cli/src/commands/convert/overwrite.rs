//! What may be replaced without `--force`: OUT, and the files beside it that are its own.
//!
//! Never a model that is read, nor a file that it names; nor a file that something else put there.
//! A file that has the same bytes already is not replaced, whoever it belongs to.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::bail;
use pleach_gltf::Saved;

use super::model_files::ModelFiles;

/// Asserts that what is written to `to` replaces only what may be. Nothing was written yet.
pub(in crate::commands) fn guard(
    to: &Path,
    saved: &Saved,
    read: &[&ModelFiles],
) -> anyhow::Result<()> {
    let mut changed = Vec::new();
    for (path, (_, bytes)) in saved.paths(to)?.into_iter().zip(&saved.files) {
        if differs_on_disk(&path, bytes) {
            changed.push(path);
        }
    }
    for source in read.iter().flat_map(|model| model.paths()) {
        let is_source = |path: &Path| is_same_file(path, &source);
        if is_source(to) || changed.iter().any(|path| is_source(path)) {
            bail!("{} would be replaced; --force does that", source.display());
        }
    }
    // What it is by now; if that is no model, nothing is its own.
    let own: Vec<PathBuf> = ModelFiles::of(to).map(|out| out.paths().collect()).unwrap_or_default();
    let is_foreign = |path: &&PathBuf| !own.iter().any(|own| is_same_file(own, path));
    if let Some(path) = changed.iter().find(is_foreign) {
        bail!(
            "{} is there with other content, and does not belong to {}; write to another \
             directory, under another name or as .glb, or replace it with --force",
            path.display(),
            to.display()
        );
    }
    Ok(())
}

/// Is there something at this path that is not a file of these bytes?
fn differs_on_disk(path: &Path, bytes: &[u8]) -> bool {
    let Ok(existing) = fs::symlink_metadata(path) else { return false };
    let may_be_same = existing.len() == bytes.len() as u64 || existing.is_symlink();
    !(may_be_same && fs::read(path).is_ok_and(|existing| existing == bytes))
}

/// Are these two names of one file? What is not there cannot be replaced.
fn is_same_file(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}
