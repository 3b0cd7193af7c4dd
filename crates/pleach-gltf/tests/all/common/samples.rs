//! The sample models, one directory each. `testkit` locates them.

use std::fs;
use std::path::PathBuf;

/// Returns the directories of all models, sorted by name. Prints `SKIPPED` and returns `None` if
/// the models are not on this machine.
pub(crate) fn directories() -> Option<Vec<PathBuf>> {
    let directory = testkit::sample_models()?;
    let entries = fs::read_dir(&directory).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.is_dir());
    paths.sort();
    assert!(!paths.is_empty(), "{} has no models", directory.display());
    Some(paths)
}

/// Returns the `.gltf` and `.glb` files of all models, sorted by path.
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
