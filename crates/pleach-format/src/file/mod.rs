//! The container: a header, and sections of bytes with checksums. docs/format.md specifies it.
//!
//! `sections.rs` writes and reads the container, `columns.rs` the section of raw columns, and `wire.rs`
//! the structured values of the other sections, with postcard.

pub(crate) mod columns;
pub(crate) mod sections;
pub(crate) mod wire;
