//! Files on disk: each is written completely or not at all.

use std::fs;
use std::io::Write;
use std::path::{Component, Path, PathBuf};

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

impl Saved {
    /// Writes the model to `path` and its [`files`](Self::files) relative to it, as
    /// [`Document::save`](crate::Document::save) does: existing files are replaced, even if they
    /// belong to another model. A file that already has the same bytes is not written.
    ///
    /// # Errors
    ///
    /// The errors of [`paths`](Self::paths), before anything is written; [`ErrorKind::Io`] if a
    /// file cannot be written.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let path = path.as_ref();
        for (file, (_, bytes)) in self.paths(path)?.iter().zip(&self.files) {
            let is_unchanged = fs::metadata(file).is_ok_and(|it| it.len() == bytes.len() as u64)
                && fs::read(file).is_ok_and(|there| there == **bytes);
            if !is_unchanged {
                write_file(file, bytes)?;
            }
        }
        write_file(path, &self.bytes)
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

/// Writes a file under a temporary name, then renames it.
fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let io_error = |error| Error::io(path, "it could not be written", error);
    if let Some(directory) = path.parent().filter(|it| !it.as_os_str().is_empty()) {
        fs::create_dir_all(directory).map_err(io_error)?;
    }
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.part", std::process::id()));
    let part = path.with_file_name(name);
    let written = fs::File::create(&part).and_then(|mut file| {
        file.write_all(bytes)?;
        file.flush()
    });
    let renamed = written.and_then(|()| fs::rename(&part, path));
    renamed.map_err(|error| {
        // The temporary file may not exist.
        _ = fs::remove_file(&part);
        io_error(error)
    })
}
