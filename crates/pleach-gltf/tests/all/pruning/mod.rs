//! Pruning: unused entries are dropped, everything else stays unchanged.
//!
//! Used entries are found by a naive walk over JSON values, which shares no code with the library;
//! the result is compared with the original scene by scene.

mod arrays;
mod buffers;
mod extensions;
mod models;
mod naive;
pub(crate) mod prune_and_check;
mod random;
