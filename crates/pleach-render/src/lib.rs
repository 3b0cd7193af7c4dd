//! A picture of a scene without any driver or GPU.

#![forbid(unsafe_code)]

mod overlay;
mod picture;
mod renderer;

pub use overlay::*;
pub use picture::Picture;
pub use renderer::*;
