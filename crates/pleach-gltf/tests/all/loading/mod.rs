//! Loading, fault by fault: what is tolerated, what is refused, and how both are told.
//!
//! One small file has everything that a file can have (`whole`). Each case is an edit or two of
//! it, so that nothing but the fault can be the reason.

mod broken_bytes;
mod broken_scenes;
mod containers;
mod content;
mod extents;
mod file;
mod options;
mod other_files;
mod refused;
mod tolerated;
