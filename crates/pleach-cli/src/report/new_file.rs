//! Atomic file writes: a file is written under a temporary name and renamed when it is complete.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;

/// A file that is renamed to its path by `finish` and removed if it is dropped before.
pub(crate) struct NewFile {
    path: PathBuf,
    temporary: PathBuf,
    writer: Option<BufWriter<File>>,
}

impl NewFile {
    /// Creates the temporary file and missing parent directories.
    pub(crate) fn create(path: &Path) -> anyhow::Result<Self> {
        let message = || format!("cannot write {}", path.display());
        if let Some(directory) = path.parent().filter(|it| !it.as_os_str().is_empty()) {
            fs::create_dir_all(directory).with_context(message)?;
        }
        let mut name = path.file_name().with_context(message)?.to_os_string();
        name.push(format!(".{}.part", std::process::id()));
        let temporary = path.with_file_name(name);
        let file = File::create(&temporary).with_context(message)?;
        Ok(Self { path: path.into(), temporary, writer: Some(BufWriter::new(file)) })
    }

    /// Flushes the file and renames it to its path.
    pub(crate) fn finish(mut self) -> anyhow::Result<()> {
        let message = || format!("cannot write {}", self.path.display());
        if let Some(mut writer) = self.writer.take() {
            writer.flush().with_context(message)?;
        }
        fs::rename(&self.temporary, &self.path).with_context(message)
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.writer.as_mut().map_or(Ok(bytes.len()), |writer| writer.write(bytes))
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.writer.as_mut().map_or(Ok(()), Write::flush)
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        // After a rename there is nothing to remove.
        _ = fs::remove_file(&self.temporary);
    }
}

/// Writes `bytes` to a file atomically.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let mut file = NewFile::create(path)?;
    file.write_all(bytes).with_context(|| format!("cannot write {}", path.display()))?;
    file.finish()
}
