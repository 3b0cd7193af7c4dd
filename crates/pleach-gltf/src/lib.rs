//! glTF 2.0 in and out of pleach scenes.
#![allow(dead_code, unused_imports)] // while it is built

mod bytes;
mod error;
mod glb;
mod json;
mod place;
mod report;
mod resolve;
mod save;
mod uri;

pub use bytes::Bytes;
pub use error::{Error, ErrorKind};
pub use report::{Report, Warning};
pub use resolve::{Directory, Resolver};

/// .
#[derive(Debug, Clone, Copy)]
pub struct Limits;
