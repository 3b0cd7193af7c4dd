//! Files on disk: each is written completely or not at all.
//!
//! A file is written under a temporary name next to its destination, synced, and renamed. The
//! temporary file is locked while its writer lives, so that the next save to the same path can
//! distinguish the remains of a dead process from a file that is being written.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::super::Saved;
use crate::diagnostics::Pointer;
use crate::{Error, ErrorKind, Format};

/// Calls `write` with the format and the file stem of `path`.
pub(crate) fn save_for_path(
    path: &Path,
    write: impl FnOnce(Format, &str) -> Result<Saved, Error>,
) -> Result<Saved, Error> {
    let extension = path.extension().and_then(|it| it.to_str()).unwrap_or_default();
    let format = match extension.to_ascii_lowercase().as_str() {
        "glb" => Format::Glb,
        "gltf" => Format::Gltf,
        _ => {
            let message = format!("cannot save as {extension:?}; use .glb or .gltf");
            let error = Error::new(ErrorKind::UnknownFormat, &Pointer::ROOT, message);
            return Err(error.in_file(path));
        }
    };
    let stem = path.file_stem().and_then(|it| it.to_str()).unwrap_or("buffer");
    write(format, stem).map_err(|error| error.in_file(path))
}

/// Options for writing files: whether missing directories are created.
///
/// ```
/// use pleach_gltf::WriteOptions;
///
/// # let directory = std::env::temp_dir().join("pleach-gltf-doc-write");
/// # _ = std::fs::remove_dir_all(&directory);
/// let path = directory.join("out/notes.txt");
/// assert!(WriteOptions::new().write(&path, b"oak").is_err());
/// WriteOptions::new().create_directories().write(&path, b"oak")?;
/// assert_eq!(std::fs::read(&path)?, b"oak");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct WriteOptions {
    create_directories: bool,
}

impl WriteOptions {
    /// Creates the default options: a missing directory is an error.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates missing directories of the written files.
    #[must_use]
    #[doc(alias = "mkdir")]
    pub fn create_directories(self) -> Self {
        Self { create_directories: true }
    }

    /// Writes a file completely or not at all: under a temporary name in the same directory, which
    /// is renamed to `path` after the data was synced to the disk. An existing file is replaced; if
    /// `path` is a symbolic link, its target is replaced and the link stays.
    ///
    /// The temporary name is that of the file followed by `.<process>-<number>.part`. Such files of
    /// processes that were killed are removed by the next write to the same path: files that are
    /// still being written are locked, and stay.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Io`] if the directory does not exist and is not to be created, or if the file
    /// cannot be written.
    pub fn write(&self, path: impl AsRef<Path>, bytes: &[u8]) -> Result<(), Error> {
        let path = path.as_ref();
        let io_error = |error| Error::io(path, "it could not be written", error);
        let target = resolve_links(path).map_err(io_error)?;
        let directory = target.parent().filter(|it| !it.as_os_str().is_empty());
        let directory = directory.unwrap_or(Path::new("."));
        if self.create_directories {
            fs::create_dir_all(directory).map_err(io_error)?;
        } else if !directory.exists() {
            let message = format!("the directory {} does not exist", directory.display());
            return Err(io_error(io::Error::new(io::ErrorKind::NotFound, message)));
        }
        let name = target.file_name().unwrap_or_default();
        remove_remains(directory, name);
        write_and_rename(&mut FileSystem, directory, name, &target, bytes).map_err(io_error)
    }
}

impl Saved {
    /// Writes the model to `path` and its [`files`](Self::files) relative to it, as
    /// [`Document::save`](crate::Document::save) does: existing files are replaced, even if they
    /// belong to another model. A file that already has the same bytes is not written.
    ///
    /// The directory of `path` must exist; directories of files below it are created. See
    /// [`write_with`](Self::write_with), and [`WriteOptions::write`] for how each file is written.
    ///
    /// # Errors
    ///
    /// The errors of [`paths`](Self::paths), before anything is written; [`ErrorKind::Io`] if a
    /// file cannot be written.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        self.write_with(path, &WriteOptions::new())
    }

    /// Writes the model and its files like [`write`](Self::write), with options.
    ///
    /// ```
    /// use pleach_gltf::{Format, WriteOptions};
    ///
    /// # let directory = std::env::temp_dir().join("pleach-gltf-doc-write-with");
    /// # _ = std::fs::remove_dir_all(&directory);
    /// let saved = pleach_gltf::save_bytes(&pleach::Scene::new(), Format::Glb)?;
    /// let path = directory.join("new/empty.glb");
    /// assert!(saved.write(&path).is_err(), "the directory does not exist");
    /// saved.write_with(&path, &WriteOptions::new().create_directories())?;
    /// assert!(path.exists());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`write`](Self::write).
    pub fn write_with(&self, path: impl AsRef<Path>, options: &WriteOptions) -> Result<(), Error> {
        let path = path.as_ref();
        let paths = self.paths(path)?;
        let directory = path.parent().filter(|it| !it.as_os_str().is_empty());
        if !options.create_directories
            && let Some(directory) = directory.filter(|it| !it.exists())
        {
            let message = format!("the directory {} does not exist", directory.display());
            let error = io::Error::new(io::ErrorKind::NotFound, message);
            return Err(Error::io(path, "it could not be written", error));
        }
        for (file, (_, bytes)) in paths.iter().zip(&self.files) {
            let is_unchanged = fs::metadata(file).is_ok_and(|it| it.len() == bytes.len() as u64)
                && fs::read(file).is_ok_and(|there| there == **bytes);
            if !is_unchanged {
                options.create_directories().write(file, bytes)?;
            } else if let (Some(directory), Some(name)) = (file.parent(), file.file_name()) {
                let is_here = directory.as_os_str().is_empty();
                remove_remains(if is_here { Path::new(".") } else { directory }, name);
            }
        }
        options.write(path, &self.bytes)
    }

    /// Returns the paths that [`write`](Self::write) would write [`files`](Self::files) to, in the
    /// same order, if the model is written to `path`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Unwritable`] if a file would be outside of the directory of `path`.
    pub fn paths(&self, path: impl AsRef<Path>) -> Result<Vec<PathBuf>, Error> {
        let path = path.as_ref();
        let directory = path.parent().unwrap_or(Path::new(""));
        let files = self.files.iter().map(|(name, _)| path_in(directory, name));
        files.collect::<Result<_, _>>().map_err(|error: Error| error.in_file(path))
    }
}

/// Returns the path of `name` in `directory`, or an error if it is outside of it.
fn path_in(directory: &Path, name: &str) -> Result<PathBuf, Error> {
    let mut parts = Vec::new();
    let mut is_inside = true;
    for part in Path::new(name).components() {
        match part {
            Component::Normal(part) => parts.push(part),
            Component::CurDir => {}
            Component::ParentDir => is_inside &= parts.pop().is_some(),
            Component::RootDir | Component::Prefix(_) => is_inside = false,
        }
    }
    if parts.is_empty() || !is_inside {
        let message = format!(
            "{name:?} would be written outside of the model's directory; save as .glb to embed it"
        );
        return Err(Error::new(ErrorKind::Unwritable, &Pointer::ROOT, message));
    }
    Ok(directory.join(parts.into_iter().collect::<PathBuf>()))
}

/// Follows symbolic links to the file that they name, which need not exist.
fn resolve_links(path: &Path) -> io::Result<PathBuf> {
    let mut target = path.to_path_buf();
    // As many as operating systems follow.
    for _ in 0..40 {
        if !fs::symlink_metadata(&target).is_ok_and(|it| it.is_symlink()) {
            return Ok(target);
        }
        let link = fs::read_link(&target)?;
        target = target.parent().unwrap_or(Path::new("")).join(link);
    }
    Err(io::Error::other("too many symbolic links"))
}

/// Removes temporary files of earlier writes to the same path whose process is dead. Failures are
/// ignored: the files stay, as they did before.
fn remove_remains(directory: &Path, name: &OsStr) {
    let Some(name) = name.to_str() else { return };
    let Ok(entries) = fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let file_name = entry.file_name();
        let middle = file_name.to_str().and_then(|it| it.strip_prefix(name));
        let middle = middle.and_then(|it| it.strip_prefix('.')?.strip_suffix(".part"));
        let is_number = |it: &str| {
            !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
        };
        if !middle.is_some_and(is_number) || !entry.file_type().is_ok_and(|it| it.is_file()) {
            continue;
        }
        let path = entry.path();
        // The lock of a living writer, in this process or another, refuses this one.
        let file = File::options().write(true).open(&path);
        if let Ok(file) = file
            && file.try_lock().is_ok()
        {
            _ = fs::remove_file(&path);
        }
    }
}

/// The steps of a write. A test records their order, which no file shows afterwards.
trait Steps {
    fn write(&mut self, file: &mut File, bytes: &[u8]) -> io::Result<()> {
        file.write_all(bytes)
    }

    /// Syncs a file or a directory to the disk.
    fn sync(&mut self, file: &File) -> io::Result<()> {
        file.sync_all()
    }

    fn rename(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }
}

/// The steps without a record.
struct FileSystem;

impl Steps for FileSystem {}

/// Writes `bytes` under a temporary name in `directory`, syncs, and renames the file to `target`.
fn write_and_rename(
    steps: &mut impl Steps,
    directory: &Path,
    name: &OsStr,
    target: &Path,
    bytes: &[u8],
) -> io::Result<()> {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let mut part_name = name.to_os_string();
    part_name.push(format!(".{}-{number}.part", std::process::id()));
    let part = directory.join(part_name);
    let written = File::create(&part).and_then(|mut file| {
        // File systems without locks keep the remains of dead processes.
        _ = file.try_lock();
        steps.write(&mut file, bytes)?;
        steps.sync(&file)?;
        // Renamed while the lock is held, so that the file is never mistaken for remains.
        steps.rename(&part, target)
    });
    if written.is_err() {
        // The temporary file may not exist.
        _ = fs::remove_file(&part);
    } else if cfg!(unix) {
        // The rename itself is durable when the directory is synced, where that is possible.
        _ = File::open(directory).and_then(|directory| steps.sync(&directory));
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The steps that were taken, in order.
    #[derive(Default)]
    struct Recorder {
        steps: Vec<&'static str>,
        fails: Option<&'static str>,
    }

    impl Recorder {
        fn record(&mut self, step: &'static str) -> io::Result<()> {
            self.steps.push(step);
            if self.fails == Some(step) { Err(io::Error::other(step)) } else { Ok(()) }
        }
    }

    impl Steps for Recorder {
        fn write(&mut self, file: &mut File, bytes: &[u8]) -> io::Result<()> {
            self.record("write")?;
            file.write_all(bytes)
        }

        fn sync(&mut self, file: &File) -> io::Result<()> {
            self.record(if file.metadata()?.is_dir() { "sync directory" } else { "sync file" })?;
            file.sync_all()
        }

        fn rename(&mut self, from: &Path, to: &Path) -> io::Result<()> {
            self.record("rename")?;
            fs::rename(from, to)
        }
    }

    /// Returns the names of the files in a directory.
    fn names(directory: &Path) -> Vec<String> {
        let entries = fs::read_dir(directory).unwrap().map(Result::unwrap);
        entries.map(|it| it.file_name().into_string().unwrap()).collect()
    }

    #[cfg(unix)]
    #[test]
    fn b2_data_is_synced_before_the_rename_and_the_directory_after_it() {
        let directory = std::env::temp_dir().join(format!("pleach-steps-{}", std::process::id()));
        fs::create_dir_all(&directory).unwrap();
        let target = directory.join("a.glb");
        let write = |recorder: &mut Recorder| {
            write_and_rename(recorder, &directory, OsStr::new("a.glb"), &target, b"bytes")
        };
        let all = ["write", "sync file", "rename", "sync directory"];
        let mut recorder = Recorder::default();
        write(&mut recorder).unwrap();
        assert_eq!(recorder.steps, all);
        assert_eq!(fs::read(&target).unwrap(), b"bytes");
        assert_eq!(names(&directory), ["a.glb"]);

        // A failure ends the write: the file stays as it was, and no temporary file remains.
        fs::write(&target, "old").unwrap();
        for (number, step) in all[..3].iter().enumerate() {
            let mut recorder = Recorder { fails: Some(step), ..Recorder::default() };
            assert!(write(&mut recorder).is_err());
            assert_eq!(recorder.steps, all[..=number]);
            assert_eq!(fs::read(&target).unwrap(), b"old");
            assert_eq!(names(&directory), ["a.glb"]);
        }
        fs::remove_dir_all(&directory).unwrap();
    }
}
