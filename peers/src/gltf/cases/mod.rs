//! The workloads.

pub mod geometry;
pub mod load;
pub mod memory;
pub mod save;

use pleach_gltf::{Bytes, Document, Options, Resolver};

/// For files that name no others.
struct NoExternalFiles;

impl Resolver for NoExternalFiles {
    fn read(&self, uri: &str, _limit: u64) -> std::io::Result<Bytes> {
        Err(std::io::Error::other(format!("{uri} is not wanted")))
    }
}

/// Loads a file that is given away.
fn load_owned(bytes: Vec<u8>) -> Document {
    Options::new().load_with(bytes, &NoExternalFiles).expect("the file is right")
}
