//! Pruning: what nothing uses goes, all else stays as it was.
//!
//! What is used is found here by a naive walk over JSON values, which shares no code with the
//! library; what is left is compared scene by scene with what was there.

#![cfg(feature = "images")]

#[path = "../common/mod.rs"]
mod common;
#[path = "../common_save/mod.rs"]
mod common_save;

mod bytes;
mod extensions;
mod kinds;
mod models;
mod naive;
mod pruned;
mod random;
