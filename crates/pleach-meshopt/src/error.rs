//! `Error`: the reasons for which a stream is rejected.

use std::fmt;

use crate::{Filter, Mode};

/// The reason why a stream was rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The mode does not allow elements of this size.
    ModeStride {
        /// The mode.
        mode: Mode,
        /// The size of an element in bytes.
        byte_stride: usize,
    },
    /// The filter does not allow elements of this size.
    FilterStride {
        /// The filter.
        filter: Filter,
        /// The size of an element in bytes.
        byte_stride: usize,
    },
    /// A filter was stated for a mode other than [`Mode::Attributes`].
    FilteredIndices {
        /// The mode.
        mode: Mode,
        /// The filter.
        filter: Filter,
    },
    /// The number of triangle indices is not a multiple of 3.
    IncompleteTriangle {
        /// The number of indices.
        count: usize,
    },
    /// The elements do not fit into the address space.
    TooLarge {
        /// The number of elements.
        count: usize,
        /// The size of an element in bytes.
        byte_stride: usize,
    },
    /// The memory for the elements could not be allocated.
    OutOfMemory {
        /// The size of the elements in bytes.
        bytes: usize,
    },
    /// The first byte is not the header of this mode in a known version.
    Header {
        /// The mode.
        mode: Mode,
        /// The first byte, or `None` if the stream is empty.
        found: Option<u8>,
    },
    /// The stream is shorter than the shortest stream of this many elements.
    TooShort {
        /// The length of the stream in bytes.
        length: usize,
        /// The length of the shortest stream in bytes.
        min_length: usize,
    },
    /// The data of the elements continue where the tail begins.
    UnexpectedEnd {
        /// The offset of the tail in bytes.
        offset: usize,
        /// The part that is cut off.
        within: StreamPart,
    },
    /// The mode of a channel does not exist.
    ChannelMode {
        /// The channel: four bytes of an element, counted from 0.
        channel: usize,
        /// The mode in the stream.
        found: u8,
    },
    /// The data of the elements end before the tail begins.
    TrailingBytes {
        /// The number of bytes between.
        count: usize,
    },
}

/// A part of a stream, with its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamPart {
    /// A block of elements in [`Mode::Attributes`].
    AttributeBlock(usize),
    /// A triangle in [`Mode::Triangles`].
    Triangle(usize),
    /// An index in [`Mode::Indices`].
    Index(usize),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::ModeStride { mode: mode @ Mode::Attributes, byte_stride } => write!(
                f,
                "{mode} of {byte_stride} bytes; the stride must be a multiple of 4 from 4 to 256",
            ),
            Self::ModeStride { mode, byte_stride } => {
                write!(f, "{mode} of {byte_stride} bytes; the stride must be 2 or 4")
            }
            Self::FilterStride { filter, byte_stride } => {
                let expected = if filter == Filter::Quaternion { "8" } else { "4 or 8" };
                write!(
                    f,
                    "filter {filter} on elements of {byte_stride} bytes; the stride must be \
                     {expected}",
                )
            }
            Self::FilteredIndices { mode, filter } => {
                write!(f, "filter {filter} on {mode}; only attributes have filters")
            }
            Self::IncompleteTriangle { count } => {
                write!(f, "{count} triangle indices; the count must be a multiple of 3")
            }
            Self::TooLarge { count, byte_stride } => {
                write!(f, "{count} elements of {byte_stride} bytes do not fit into memory")
            }
            Self::OutOfMemory { bytes } => {
                write!(f, "not enough memory: {bytes} bytes could not be allocated")
            }
            Self::Header { found: None, .. } => write!(f, "the stream is empty"),
            Self::Header { mode, found: Some(found) } => {
                let expected = match mode {
                    Mode::Attributes => "0xa0 or 0xa1",
                    Mode::Triangles => "0xe0 or 0xe1",
                    Mode::Indices => "0xd0 or 0xd1",
                };
                write!(
                    f,
                    "the stream begins with {found:#04x}; a stream of {mode} begins with \
                     {expected}",
                )
            }
            Self::TooShort { length, min_length } => write!(
                f,
                "the stream has {length} bytes, but its elements take at least {min_length}",
            ),
            Self::UnexpectedEnd { offset, within } => write!(
                f,
                "the stream ends after {offset} bytes, where its tail begins, within {within}",
            ),
            Self::ChannelMode { channel, found } => {
                write!(f, "channel {channel} has mode {found:#04x}; the modes are 0, 1 and 2")
            }
            Self::TrailingBytes { count } => {
                let are = if count == 1 { " is" } else { "s are" };
                write!(f, "{count} byte{are} left over between the last element and the tail")
            }
        }
    }
}

impl std::error::Error for Error {}

impl fmt::Display for StreamPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AttributeBlock(block) => write!(f, "attribute block {block}"),
            Self::Triangle(triangle) => write!(f, "triangle {triangle}"),
            Self::Index(index) => write!(f, "index {index}"),
        }
    }
}
