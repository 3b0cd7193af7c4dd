//! `Resolver`: reads the external files that a model refers to.

use std::collections::BTreeMap;
use std::io::{Error, ErrorKind, Read, Result};
use std::path::{Component, Path, PathBuf};
use std::{fmt, fs};

use crate::Bytes;

/// Reads the external files that a model refers to: buffers and images.
///
/// ```
/// use std::collections::BTreeMap;
/// use pleach_gltf::{Bytes, Options};
///
/// // A map of files in memory is a resolver, too.
/// let files = BTreeMap::from([("data.bin".to_string(), Bytes::from(vec![0; 16]))]);
/// let model = r#"{ "asset": {"version": "2.0"}, "buffers": [{"uri": "data.bin", "byteLength": 16}] }"#;
/// let document = Options::new().load_with(model.as_bytes().to_vec(), &files)?;
/// # Ok::<(), pleach_gltf::Error>(())
/// ```
pub trait Resolver {
    /// Reads a file. `name` is the percent-decoded URI: a path relative to the model,
    /// separated by `/`. It is untrusted: the resolver must reject names that
    /// must not be read.
    ///
    /// # Errors
    ///
    /// Fails if the file does not exist, must not be read, or has more than `max_bytes` bytes.
    fn read(&self, name: &str, max_bytes: u64) -> Result<Bytes>;
}

/// A [`Resolver`] for the files below one directory. Rejects absolute names, names and links that
/// lead out of the directory, and devices.
#[derive(Clone, Debug)]
pub struct Directory {
    path: PathBuf,
    /// `true` if files outside of the directory are rejected.
    is_restricted: bool,
}

impl Directory {
    /// Creates a resolver for the files below `path`.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        let is_here = path.as_os_str().is_empty();
        Self { path: if is_here { PathBuf::from(".") } else { path }, is_restricted: true }
    }

    /// Allows relative names and links that lead out of the directory, for trusted models that
    /// share a directory of textures, for example. Absolute names and devices are still rejected.
    #[must_use]
    pub fn unrestricted(self) -> Self {
        Self { is_restricted: false, ..self }
    }

    /// Returns the path of a file if it may be read.
    fn find(&self, name: &str) -> Result<PathBuf> {
        let refused = |reason: &str| Error::new(ErrorKind::PermissionDenied, reason.to_string());
        // `a/../b` is `b`, as in any URI, even if `a` does not exist.
        let mut parts = Vec::new();
        for part in Path::new(name).components() {
            match part {
                Component::Normal(part) => parts.push(part),
                Component::CurDir => {}
                Component::ParentDir if parts.last().is_some_and(|it| *it != "..") => {
                    parts.pop();
                }
                Component::ParentDir if !self.is_restricted => parts.push("..".as_ref()),
                Component::ParentDir => {
                    return Err(Error::new(ErrorKind::PermissionDenied, OutsideDirectory));
                }
                Component::RootDir | Component::Prefix(_) => {
                    return Err(refused("only paths relative to the model are read"));
                }
            }
        }
        if name.ends_with('/') {
            return Err(Error::new(ErrorKind::InvalidInput, "it is not a regular file"));
        }
        let name: PathBuf = parts.into_iter().collect();
        // Resolves links, to detect those that lead out of the directory.
        let (base, file) = (self.path.canonicalize()?, self.path.join(name).canonicalize()?);
        if self.is_restricted && !file.starts_with(&base) {
            return Err(refused("a link leads out of the model's directory"));
        }
        // Checked before opening: opening a pipe would block until its other end is opened.
        if !fs::metadata(&file)?.is_file() {
            return Err(Error::new(ErrorKind::InvalidInput, "it is not a regular file"));
        }
        Ok(file)
    }
}

/// The error for a name that leads out of the model's directory.
#[derive(Debug)]
pub(crate) struct OutsideDirectory;

impl fmt::Display for OutsideDirectory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("only files below the model's directory are read, unless the model is trusted")
    }
}

impl std::error::Error for OutsideDirectory {}

impl Resolver for Directory {
    fn read(&self, name: &str, max_bytes: u64) -> Result<Bytes> {
        read_at_most(&self.find(name)?, max_bytes).map(Bytes::from)
    }
}

/// Reads a file of at most `max_bytes` bytes.
pub(crate) fn read_at_most(path: &Path, max_bytes: u64) -> Result<Vec<u8>> {
    let file = fs::File::open(path)?;
    let length = file.metadata()?.len();
    let too_long =
        || Error::new(ErrorKind::FileTooLarge, format!("it has more than {max_bytes} bytes"));
    if length > max_bytes {
        return Err(too_long());
    }
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(usize::try_from(length).map_err(|_| too_long())?)?;
    // The file may grow while it is read.
    file.take(max_bytes.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max_bytes { Err(too_long()) } else { Ok(bytes) }
}

impl Resolver for BTreeMap<String, Bytes> {
    fn read(&self, name: &str, max_bytes: u64) -> Result<Bytes> {
        let bytes = self.get(name).ok_or_else(|| Error::from(ErrorKind::NotFound))?;
        if bytes.len() as u64 > max_bytes {
            return Err(Error::new(
                ErrorKind::FileTooLarge,
                format!("it has more than {max_bytes} bytes"),
            ));
        }
        Ok(bytes.clone())
    }
}

/// A [`Resolver`] without files.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NoFiles;

impl Resolver for NoFiles {
    fn read(&self, _name: &str, _max_bytes: u64) -> Result<Bytes> {
        let reason = "the model was loaded from memory, without its external files; load it by its path, \
                      or pass a resolver";
        Err(Error::new(ErrorKind::NotFound, reason))
    }
}
