//! Atomic file writes: a file appears when it is complete, written by `pleach_gltf::WriteOptions`.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;
use pleach_gltf::WriteOptions;

/// `true` if missing directories are created; set from the command line before anything is written.
static CREATE_DIRECTORIES: AtomicBool = AtomicBool::new(false);

/// Sets whether missing directories of output files are created.
pub(crate) fn create_directories(create: bool) {
    CREATE_DIRECTORIES.store(create, Ordering::Relaxed);
}

/// Returns the options for writing files.
pub(crate) fn write_options() -> WriteOptions {
    let options = WriteOptions::new();
    if CREATE_DIRECTORIES.load(Ordering::Relaxed) { options.create_directories() } else { options }
}

/// Creates a missing directory, or fails if that was not asked for.
pub(crate) fn check_directory(directory: &Path) -> anyhow::Result<()> {
    if CREATE_DIRECTORIES.load(Ordering::Relaxed) {
        fs::create_dir_all(directory)?;
    } else if !directory.exists() {
        let directory = directory.display();
        anyhow::bail!("the directory {directory} does not exist; use --create-dirs to create it");
    }
    Ok(())
}

/// A file that is collected in memory and written by `finish`.
pub(crate) struct NewFile {
    path: PathBuf,
    bytes: Vec<u8>,
}

impl NewFile {
    /// Creates an empty file in memory. Fails if nothing can be written to the path.
    pub(crate) fn create(path: &Path) -> anyhow::Result<Self> {
        let message = || format!("cannot write {}", path.display());
        let probe = {
            let mut name = path.file_name().with_context(message)?.to_os_string();
            name.push(format!(".{}.part", std::process::id()));
            path.with_file_name(name)
        };
        if let Some(directory) = path.parent().filter(|it| !it.as_os_str().is_empty()) {
            check_directory(directory).with_context(message)?;
        }
        File::create(&probe).and_then(|_| fs::remove_file(&probe)).with_context(message)?;
        Ok(Self { path: path.into(), bytes: Vec::new() })
    }

    /// Writes the file to its path.
    pub(crate) fn finish(self) -> anyhow::Result<()> {
        write(&self.path, &self.bytes)
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.bytes.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Writes `bytes` to a file atomically.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let message = || format!("cannot write {}", path.display());
    write_options().write(path, bytes).with_context(message)
}
