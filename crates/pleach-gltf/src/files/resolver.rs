//! `Resolver`: where the files come from that a model names.

use std::collections::BTreeMap;
use std::io::{Error, ErrorKind, Read, Result};
use std::path::{Component, Path, PathBuf};
use std::{fmt, fs};

use crate::Bytes;

/// Gives the files that a model names: its buffers and images.
///
/// ```
/// use std::collections::BTreeMap;
/// use pleach_gltf::{Bytes, Options};
///
/// // Files in memory are a resolver, too.
/// let files = BTreeMap::from([("data.bin".to_string(), Bytes::from(vec![0; 16]))]);
/// let model = r#"{ "asset": {"version": "2.0"}, "buffers": [{"uri": "data.bin", "byteLength": 16}] }"#;
/// let document = Options::new().load_with(model.as_bytes().to_vec(), &files)?;
/// # Ok::<(), pleach_gltf::Error>(())
/// ```
pub trait Resolver {
    /// The content of a file. `name` is what the model says, percent-decoded: a path
    /// relative to it, with `/` between its parts. It is the resolver's duty to look at it
    /// with suspicion.
    ///
    /// # Errors
    ///
    /// If there is no such file, it may not be read, or it has more than `most` bytes.
    fn read(&self, name: &str, max_bytes: u64) -> Result<Bytes>;
}

/// Files below one directory, and nothing else: no absolute names, no way up, no links that
/// lead out, no devices.
#[derive(Clone, Debug)]
pub struct Directory {
    path: PathBuf,
    /// Is nothing outside of it read?
    is_restricted: bool,
}

impl Directory {
    /// The files below `path`.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        let is_here = path.as_os_str().is_empty();
        Self { path: if is_here { PathBuf::from(".") } else { path }, is_restricted: true }
    }

    /// The files below `path`, and those that relative names and links lead to from there: for models that
    /// one trusts, such as one beside a directory of textures. Still no absolute names and no devices.
    #[must_use]
    pub fn unrestricted(self) -> Self {
        Self { is_restricted: false, ..self }
    }

    /// Where such a file is, if it may be read.
    fn find(&self, name: &str) -> Result<PathBuf> {
        let refused = |reason: &str| Error::new(ErrorKind::PermissionDenied, reason.to_string());
        // `a/../b` is `b`, as in any URI, also where there is no `a`.
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
                    return Err(refused("only names relative to the model are followed"));
                }
            }
        }
        if name.ends_with('/') {
            return Err(Error::new(ErrorKind::InvalidInput, "it is no regular file"));
        }
        let name: PathBuf = parts.into_iter().collect();
        // Links are followed here, so that one that leads out is seen.
        let (base, file) = (self.path.canonicalize()?, self.path.join(name).canonicalize()?);
        if self.is_restricted && !file.starts_with(&base) {
            return Err(refused("a link leads out of the model's directory"));
        }
        // Asked before it is opened, as opening a pipe would wait for its other end.
        if !fs::metadata(&file)?.is_file() {
            return Err(Error::new(ErrorKind::InvalidInput, "it is no regular file"));
        }
        Ok(file)
    }
}

/// A name leads out of the model's directory.
#[derive(Debug)]
pub(crate) struct OutsideDirectory;

impl fmt::Display for OutsideDirectory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("only files below the model's directory are read, unless it is trusted")
    }
}

impl std::error::Error for OutsideDirectory {}

impl Resolver for Directory {
    fn read(&self, name: &str, max_bytes: u64) -> Result<Bytes> {
        read_at_most(&self.find(name)?, max_bytes).map(Bytes::from)
    }
}

/// A file's content, if it is no longer than `most`.
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
    // It may grow while it is read.
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

/// No files.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NoFiles;

impl Resolver for NoFiles {
    fn read(&self, _name: &str, _most: u64) -> Result<Bytes> {
        let reason = "the model was given as bytes, without its other files; load it by its path, \
                   or give a resolver";
        Err(Error::new(ErrorKind::NotFound, reason))
    }
}
