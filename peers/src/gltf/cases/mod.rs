//! The workloads.

pub mod geometry;
pub mod load;
pub mod memory;
pub mod save;

use pleach_gltf::{Bytes, Document, Options, Resolver};

/// For files that name no others.
struct Nobody;

impl Resolver for Nobody {
    fn read(&self, uri: &str, _limit: u64) -> std::io::Result<Bytes> {
        Err(std::io::Error::other(format!("{uri} is not wanted")))
    }
}

/// Loads a file that is given away.
fn given(bytes: Vec<u8>) -> Document {
    Options::new().load_with(bytes, &Nobody).expect("the file is right")
}
