//! A safe Rust decoder of [meshoptimizer](https://meshoptimizer.org)'s vertex, triangle and index
//! streams for untrusted bytes: glTF's `EXT_meshopt_compression` and `KHR_meshopt_compression`.
//!
//! ```
//! use pleach_meshopt::{Error, Filter, Layout, Mode, decode};
//!
//! // Two triangles that share an edge: header, one code per triangle, a tail of 16 bytes.
//! let mut stream = vec![0xe1, 0xf0, 0x10];
//! stream.extend([0x00, 0x76, 0x87, 0x56, 0x67, 0x78, 0xa9, 0x86]);
//! stream.extend([0x65, 0x89, 0x68, 0x98, 0x01, 0x69, 0x00, 0x00]);
//!
//! // The stream does not state what it holds; in glTF, the JSON does.
//! let layout = Layout { mode: Mode::Triangles, filter: Filter::None, count: 6, byte_stride: 2 };
//! // Compare the size of the result with a limit before decoding.
//! assert_eq!(layout.byte_length(), Some(12));
//! let bytes = decode(&layout, &stream)?;
//! let indices: Vec<u16> = bytes.as_chunks().0.iter().map(|&it| u16::from_le_bytes(it)).collect();
//! assert_eq!(indices, [0, 1, 2, 2, 1, 3]);
//!
//! // Anything else is an error, never a panic.
//! let error = decode(&layout, &stream[..18]).unwrap_err();
//! assert_eq!(error, Error::TooShort { length: 18, min_length: 19 });
//! # Ok::<(), Error>(())
//! ```
//!
//! # What it decodes
//!
//! Both versions of the three codecs ([`Mode`]), and all filters ([`Filter`]). Streams are accepted
//! and rejected exactly as by meshoptimizer, which is more lenient than the text of the extension:
//! reserved bits are ignored, and an edge or vertex that was not seen yet reads as `u32::MAX`.
//! Results are equal to those of meshoptimizer's portable decoder bit for bit.
//!
//! # Guarantees
//!
//! For any bytes:
//!
//! - no panic, and no `unsafe` code;
//! - a stream is decoded completely or rejected;
//! - nothing is allocated but the result, whose size is [`Layout::byte_length`] and at most 1024
//!   times the length of the stream.
//!
//! Decoded indices are not checked against a number of vertices: the caller must do that.
//!
//! # How it works
//!
//! 1. `layout.rs`: checks the combination of mode, filter and stride.
//! 2. `codecs/`: decodes the stream to elements.
//! 3. `filters/`: decodes filtered elements in place.
//!
//! # What it does not do
//!
//! It does not encode, and does not optimize meshes.

#![forbid(unsafe_code)]

mod codecs;
mod decode;
mod error;
mod filters;
mod layout;

pub use decode::decode;
pub use error::{Error, StreamPart};
pub use layout::{Filter, Layout, Mode};

/// The example of the README, so that it is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
