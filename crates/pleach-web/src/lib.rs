//! The exports of the WebAssembly modules in the npm package `pleach`.
//!
//! This crate is one side of a boundary whose other side is `packages/pleach/src`; it is not meant to be called from Rust.
//! What is called once per node passes numbers only and returns one number ([`node`]); what is called once
//! per frame passes arrays and returns the address and length of a list ([`bulk`], [`columns`], [`queries`]);
//! the rest passes strings and typed arrays.
//!
//! A *world* is what JavaScript calls a `Graph` (in the small module, without the feature `scene`) or a
//! `Scene`: a number that `world_new` returned. A node is passed as slot and generation, and returned as one
//! exact number, `slot + 2^32 × generation`; zero stands for `None`.
//!
//! Calls that return a status return 0, or 1 after an error that [`host::take_fault`] returns. Calls that
//! return a number return NaN instead. All others throw.
#![allow(
    clippy::must_use_candidate,
    clippy::missing_errors_doc,
    clippy::too_many_arguments,
    clippy::needless_pass_by_value,
    reason = "JavaScript calls these: errors are thrown, arguments are numbers and copied arrays"
)]

pub mod bulk;
pub mod changes;
pub mod columns;
mod fault;
pub mod host;
pub mod node;
mod node_number;
pub mod numbers;
pub mod queries;
pub mod rotation;
#[cfg(feature = "scene")]
pub mod scene;
pub mod tree;
#[cfg(not(feature = "scene"))]
#[path = "world/graph_and_index.rs"]
mod world;
#[cfg(feature = "scene")]
#[path = "world/scene.rs"]
mod world;
pub mod worlds;
