//! The sample models: a directory for each, where `PLEACH_ASSETS` says or beside the repository.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// The directories of all models, in the order of names. `None`, and a line that says so, if they
/// are not on this machine and no one asked for them.
pub(crate) fn directories() -> Option<Vec<PathBuf>> {
    let asked = env::var_os("PLEACH_ASSETS");
    let is_needed = asked.is_some() || env::var_os("CI").is_some();
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/assets");
    let directory = asked.map_or(beside, PathBuf::from);
    let Ok(entries) = fs::read_dir(&directory) else {
        let message = format!("there are no models at {}", directory.display());
        assert!(!is_needed, "{message}; set PLEACH_ASSETS to where they are");
        eprintln!("SKIPPED: {message}; nothing was compared");
        return None;
    };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.is_dir());
    paths.sort();
    assert!(!paths.is_empty(), "{} has no models", directory.display());
    Some(paths)
}

/// The `.gltf` and `.glb` files of all models, in the order of names.
pub(crate) fn files() -> Vec<PathBuf> {
    let Some(directories) = directories() else { return Vec::new() };
    let mut found = Vec::new();
    for directory in &directories {
        let files = fs::read_dir(directory).unwrap().map(|file| file.unwrap().path());
        found.extend(files.filter(|path| {
            let extension = path.extension().and_then(|it| it.to_str());
            matches!(extension, Some("gltf" | "glb"))
        }));
    }
    found.sort();
    assert!(!found.is_empty(), "the {} models have no files", directories.len());
    found
}
