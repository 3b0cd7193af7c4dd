//! Files as bytes: the `.glb` container, URIs, and the files that a model refers to.
//!
//! Reads bytes and names from untrusted files; writes `.glb` containers and URIs. Guarantees that
//! no slice exceeds its bytes, that no file is larger than the limit that the caller passes, and
//! that a [`Directory`] reads nothing outside of it unless it is unrestricted.

mod bytes;
mod external;
pub(crate) mod glb;
mod mime;
mod resolver;
pub(crate) mod uri;

pub use bytes::Bytes;
pub use external::{ExternalFile, external_files};
pub use mime::sniff_mime_type;
pub use resolver::{Directory, Resolver};
pub(crate) use resolver::{NoFiles, OutsideDirectory, read_at_most};
