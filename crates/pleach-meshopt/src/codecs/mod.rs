//! The codecs: from a stream to elements.
//!
//! Each reads the untrusted bytes of one [`Mode`](crate::Mode); writes a new array of elements.
//! Guarantees that nothing is read outside of the stream, that nothing but the elements is
//! allocated, after the stream was found to be long enough for them, and that the stream ends
//! exactly where its tail begins.
//!
//! - `vertex.rs`, `triangle.rs`, `index_sequence.rs`: one codec each.
//! - `data.rs`: the header, and the bytes between it and the tail.

mod data;
pub(crate) mod index_sequence;
pub(crate) mod triangle;
pub(crate) mod vertex;
