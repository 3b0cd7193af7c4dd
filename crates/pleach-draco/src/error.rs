//! What can be wrong with a Draco stream, as one sentence each.

use std::fmt;

/// Why a stream was not decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It does not begin as Draco streams do.
    NotDraco,
    /// It ends before what its counts promise.
    Ends,
    /// It asks for more memory than it may have.
    Room {
        /// The bytes it asked for next.
        wants: usize,
        /// The bytes that were left.
        left: usize,
    },
    /// It contradicts itself.
    Broken(&'static str),
    /// It is of another version than 2.2, the one that glTF's extension is for.
    Version(u8, u8),
    /// It is Draco, but not what glTF's extension or this decoder knows.
    Unknown(&'static str, u32),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotDraco => write!(f, "not a Draco stream: it does not begin with \"DRACO\""),
            Self::Ends => write!(f, "the Draco stream ends too early"),
            Self::Room { wants, left } => write!(
                f,
                "decoding the Draco stream takes too much memory: {wants} more bytes, with {left} \
                 left of its budget",
            ),
            Self::Broken(what) => write!(f, "the Draco stream is broken: {what}"),
            Self::Version(major, minor) => {
                write!(
                    f,
                    "the Draco stream has version {major}.{minor}: glTF's extension is for 2.2"
                )
            }
            Self::Unknown(what, which) => {
                write!(f, "the Draco stream has {what} {which}, which is not supported")
            }
        }
    }
}

impl std::error::Error for Fault {}
