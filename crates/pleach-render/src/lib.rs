//! A picture of a scene without any driver or GPU.

#![forbid(unsafe_code)]

mod overlay;
mod picture;

pub use overlay::{Overlay, Overlays};
pub use picture::Picture;
