//! The workloads.

pub mod geometry;
pub mod load;
pub mod memory;
pub mod save;

use pleach_gltf::{Bytes, Document, Options, Resolver};

/// A resolver for files without external references.
struct NoExternalFiles;

impl Resolver for NoExternalFiles {
    fn read(&self, uri: &str, _limit: u64) -> std::io::Result<Bytes> {
        Err(std::io::Error::other(format!("unexpected reference to {uri}")))
    }
}

/// Loads a file from owned bytes, which are not copied.
fn load_owned(bytes: Vec<u8>) -> Document {
    Options::new().load_with(bytes, &NoExternalFiles).expect("the file is valid")
}
