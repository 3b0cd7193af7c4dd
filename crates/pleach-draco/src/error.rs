//! `Error`: the reasons for which a Draco stream is rejected.

use std::fmt;

/// The reason why a Draco stream was rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The stream does not begin with the magic bytes `DRACO`.
    NotDraco,
    /// The stream ends before the data that its counts announce.
    UnexpectedEnd,
    /// The stream needs more memory than the budget passed to [`decode`](crate::decode).
    OverBudget {
        /// The size of the rejected allocation in bytes.
        requested: usize,
        /// The bytes that were left of the budget.
        remaining: usize,
    },
    /// The memory, which is within the budget, could not be allocated.
    OutOfMemory {
        /// The size of the allocation in bytes.
        bytes: usize,
    },
    /// The stream contradicts itself or the bitstream specification.
    Malformed(&'static str),
    /// The stream is of a bitstream version other than 2.2.
    UnsupportedVersion {
        /// The major version.
        major: u8,
        /// The minor version.
        minor: u8,
    },
    /// The stream is not a triangular mesh, but for example a point cloud.
    NotAMesh {
        /// The encoder type of the header: 0 for point clouds, 1 for triangular meshes.
        geometry_type: u8,
    },
    /// The stream uses a method that is not part of bitstream 2.2.
    Unsupported {
        /// The field of the bitstream.
        field: &'static str,
        /// The value of the field.
        value: u32,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotDraco => write!(f, "not a Draco stream: it does not begin with \"DRACO\""),
            Self::UnexpectedEnd => write!(
                f,
                "the Draco stream ends too early: it was cut off, or its counts are wrong",
            ),
            Self::OverBudget { requested, remaining } => write!(
                f,
                "decoding the Draco stream takes too much memory: {requested} more bytes, with \
                 {remaining} left of the budget; decode it with a larger budget if it is trusted",
            ),
            Self::OutOfMemory { bytes } => write!(
                f,
                "not enough memory to decode the Draco stream: {bytes} bytes could not be allocated",
            ),
            Self::Malformed(reason) => write!(f, "the Draco stream is malformed: {reason}"),
            Self::UnsupportedVersion { major, minor } => write!(
                f,
                "the Draco stream has bitstream version {major}.{minor}, but only 2.2 is \
                 supported; encode the mesh again with a current encoder",
            ),
            Self::NotAMesh { geometry_type } => write!(
                f,
                "the Draco stream has geometry type {geometry_type}, but only triangular meshes \
                 (type 1) are supported",
            ),
            Self::Unsupported { field, value } => {
                write!(f, "the Draco stream has {field} {value}, which is not supported")
            }
        }
    }
}

impl std::error::Error for Error {}
