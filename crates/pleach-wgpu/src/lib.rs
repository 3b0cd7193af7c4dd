//! Draws [`pleach`] scenes in real time with wgpu.

#![forbid(unsafe_code)]

mod error;
mod gpu;
mod tier;
pub mod upload;

pub use error::{Error, Warning};
pub use gpu::Gpu;
pub use tier::Tier;
