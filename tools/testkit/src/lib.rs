//! Shared support for the tests, benches and tools of the workspace.
//!
//! - [`Rng`]: seeded random numbers, identical on every machine; reports its seed when a test fails.
//! - [`Fnv`]: the hash that recorded results are compared by.
//! - [`allocations`]: a global allocator that counts per thread.
//! - [`NaiveTree`]: a transform tree computed by definition, for comparison; [`matrix`]: its
//!   arithmetic.
//! - [`Effort`]: how much a random or exhaustive test tries (`PLEACH_EFFORT=quick|full`).
//! - [`mutating_methods`]: what the sources of a crate declare.
//! - [`sample_models`], [`skip`]: the sample models, and a visible message where they are missing.
//!
//! Depends on glam only, so that every crate of the workspace can use it as a dev-dependency.

pub mod allocations;
pub mod matrix;
pub mod naive;

mod effort;
mod hash;
mod rng;
mod samples;
mod sources;

pub use effort::{Effort, sized};
pub use hash::Fnv;
pub use naive::NaiveTree;
pub use rng::Rng;
pub use samples::{sample_models, skip};
pub use sources::{methods, mutating_methods};
