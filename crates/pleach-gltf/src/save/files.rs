//! Files on disk: each is whole, or not there.

use std::fs;
use std::io::Write;
use std::path::{Component, Path, PathBuf};

use super::Saved;
use crate::diagnostics::Pointer;
use crate::{Error, ErrorKind, Format};

/// What `write` makes of the form and the name that a path has.
pub(crate) fn saved(
    path: &Path,
    write: impl FnOnce(Format, &str) -> Result<Saved, Error>,
) -> Result<Saved, Error> {
    let extension = path.extension().and_then(|it| it.to_str()).unwrap_or_default();
    let form = match extension.to_ascii_lowercase().as_str() {
        "glb" => Format::Glb,
        "gltf" => Format::Gltf,
        _ => {
            let message =
                format!("{extension:?} is not an extension to save as; .glb and .gltf are");
            let error = Error::new(ErrorKind::UnknownFormat, &Pointer::ROOT, message);
            return Err(error.in_file(path));
        }
    };
    let stem = path.file_stem().and_then(|it| it.to_str()).unwrap_or("buffer");
    write(form, stem).map_err(|error| error.in_file(path))
}

impl Saved {
    /// Writes it as this file, and its [`files`](Self::files) beside it, as
    /// [`Document::save`](crate::Document::save) does: what is there is replaced, also files
    /// beside it that belong to another model. A file that has these bytes already is left alone.
    ///
    /// # Errors
    ///
    /// Those of [`paths`](Self::paths), and then nothing was written;
    /// [`ErrorKind::Io`] if a file cannot be written.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let path = path.as_ref();
        for (file, (_, bytes)) in self.paths(path)?.iter().zip(&self.files) {
            let is_there = fs::metadata(file).is_ok_and(|it| it.len() == bytes.len() as u64)
                && fs::read(file).is_ok_and(|there| there == **bytes);
            if !is_there {
                put(file, bytes)?;
            }
        }
        put(path, &self.bytes)
    }

    /// Where each of its [`files`](Self::files) goes if it is written as this file.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Unwritable`] if that is outside of the directory of `path`.
    pub fn paths(&self, path: impl AsRef<Path>) -> Result<Vec<PathBuf>, Error> {
        let path = path.as_ref();
        let directory = path.parent().unwrap_or(Path::new(""));
        let files = self.files.iter().map(|(name, _)| beside(directory, name));
        files.collect::<Result<_, _>>().map_err(|error: Error| error.in_file(path))
    }
}

/// A file below a directory.
fn beside(directory: &Path, name: &str) -> Result<PathBuf, Error> {
    let mut parts = Vec::new();
    let mut is_below = true;
    for part in Path::new(name).components() {
        match part {
            Component::Normal(part) => parts.push(part),
            Component::CurDir => {}
            Component::ParentDir => is_below &= parts.pop().is_some(),
            Component::RootDir | Component::Prefix(_) => is_below = false,
        }
    }
    if parts.is_empty() || !is_below {
        let message = format!(
            "{name:?} would be written outside of the model's directory; a .glb holds it itself"
        );
        return Err(Error::new(ErrorKind::Unwritable, &Pointer::ROOT, message));
    }
    Ok(directory.join(parts.into_iter().collect::<PathBuf>()))
}

/// Writes a file under another name, then gives it its own.
fn put(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let fault = |error| Error::io(path, "it could not be written", error);
    if let Some(directory) = path.parent().filter(|it| !it.as_os_str().is_empty()) {
        fs::create_dir_all(directory).map_err(fault)?;
    }
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.part", std::process::id()));
    let part = path.with_file_name(name);
    let written = fs::File::create(&part).and_then(|mut file| {
        file.write_all(bytes)?;
        file.flush()
    });
    let placed = written.and_then(|()| fs::rename(&part, path));
    placed.map_err(|error| {
        // It may not even be there.
        _ = fs::remove_file(&part);
        fault(error)
    })
}
