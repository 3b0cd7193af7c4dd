//! Stage 1: bytes to numbers.
//!
//! Reads the untrusted bytes; writes nothing but the reader's position and arrays reserved from
//! the budget. Guarantees that nothing is read past the end of the stream: asking for more is
//! [`Error::UnexpectedEnd`](crate::Error::UnexpectedEnd).
//!
//! - `reader.rs`: bytes, little-endian numbers, varints, bits.
//! - `header.rs`: what kind of stream it is; skips the metadata.
//! - `rans.rs`: the rANS entropy decoders.
//! - `symbols.rs`: arrays of symbols, in the two schemes of Draco.

pub(crate) mod header;
pub(crate) mod rans;
pub(crate) mod reader;
pub(crate) mod symbols;
