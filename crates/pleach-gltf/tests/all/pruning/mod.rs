//! Pruning: what nothing uses goes, all else stays as it was.
//!
//! What is used is found here by a naive walk over JSON values, which shares no code with the
//! library; what is left is compared scene by scene with what was there.

mod bytes;
mod extensions;
mod kinds;
mod models;
mod naive;
mod pruned;
mod random;
