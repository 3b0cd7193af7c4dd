//! `TempDir`: an empty directory for one test, removed at its end.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, fs, process};

/// A temporary directory that is removed on drop.
pub(crate) struct TempDir {
    pub(crate) path: PathBuf,
}

impl TempDir {
    pub(crate) fn new(name: &str) -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = env::temp_dir().join(format!("pleach-gltf-{name}-{}-{number}", process::id()));
        _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self { path }
    }

    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Writes a file and creates its parent directories.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) {
        fs::create_dir_all(self.at(name).parent().unwrap()).unwrap();
        fs::write(self.at(name), bytes).unwrap();
    }

    /// Returns the contents of all files by relative path, separated by `/`.
    pub(crate) fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let (mut found, mut open) = (BTreeMap::new(), vec![self.path.clone()]);
        while let Some(directory) = open.pop() {
            for entry in fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    open.push(path);
                } else {
                    let name = path.strip_prefix(&self.path).unwrap();
                    let name = name.to_str().unwrap().replace('\\', "/");
                    found.insert(name, fs::read(&path).unwrap());
                }
            }
        }
        found
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.files().into_keys().collect()
    }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        _ = fs::remove_dir_all(&self.path);
    }
}
