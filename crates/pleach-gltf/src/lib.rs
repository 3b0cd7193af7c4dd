//! glTF 2.0 in and out of pleach scenes.
#![forbid(unsafe_code)]

mod animation;
mod bytes;
mod document;
#[cfg(feature = "draco")]
mod draco;
mod error;
mod glb;
#[cfg(feature = "images")]
mod image;
mod json;
mod load;
mod meshopt;
mod options;
mod place;
mod places;
mod report;
mod resolve;
mod save;
mod uri;

use std::path::Path;

#[cfg(feature = "images")]
pub use crate::image::{decode, decode_all};
pub use animation::Animation;
pub use bytes::Bytes;
pub use document::{Document, Form};
pub use error::{Error, ErrorKind};
pub use options::{Limits, Options, Progress, Stage};
pub use report::{Report, Warning};
pub use resolve::{Directory, Resolver};
pub use save::{Saved, save, save_bytes};

/// Reads a `.gltf` or `.glb` file, and the files it names beside it, in the usual way; see
/// [`Options`] for others.
///
/// # Errors
///
/// [`Error`] names the file, the place in it, and what is wrong there.
pub fn load(path: impl AsRef<Path>) -> Result<Document, Error> {
    Options::new().load(path)
}

/// Reads a file that is in memory and names no others; see [`Options::load_with`].
///
/// # Errors
///
/// As [`load`].
pub fn load_bytes(bytes: &[u8]) -> Result<Document, Error> {
    Options::new().load_bytes(bytes)
}
