//! A picture of a scene without any driver or GPU.

#![forbid(unsafe_code)]

mod backdrop;
mod detail;
mod error;
mod eye;
mod framing;
mod gallery;
mod lights;
mod overlay;
mod paint;
mod picture;
mod pose;
mod renderer;
mod sample;
mod settings;
mod shade;
mod srgb;
mod stage;
mod strokes;
mod studio;
mod surface;
mod texture;
mod tone;
mod trace;

pub use error::Error;
pub use framing::framing;
pub use overlay::*;
pub use picture::Picture;
pub use renderer::Renderer;
pub use settings::{Exposure, Settings, Studio};
