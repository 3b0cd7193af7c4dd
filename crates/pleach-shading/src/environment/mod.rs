//! Light from all directions: environment maps, filtered once for every roughness.
//!
//! Reads an equirectangular image or the built-in studio; writes a [`PrefilteredEnvironment`]: a
//! cube map whose mip levels are blurred by GGX lobes of growing roughness, and spherical harmonics
//! for diffuse light. Both renderers use the same data: `pleach-render` through
//! [`EnvironmentLight`], `pleach-wgpu` as textures.
//!
//! Guarantees: the same input gives the same bits on every machine and with any number of threads;
//! all values are finite, not negative, and at most [`MAX_RADIANCE`], which 16-bit floats hold.

mod cache;
mod cube;
mod equirectangular;
mod harmonics;
mod light;
mod lut;
mod prefilter;
mod studio;

pub use cache::{DecodeImage, EnvironmentCache, EnvironmentError};
pub use cube::{CubeLevel, CubeMap};
pub use equirectangular::EquirectangularImage;
pub use harmonics::Harmonics;
pub use light::EnvironmentLight;
pub use lut::SplitSumLut;
pub use prefilter::{MAX_RADIANCE, PrefilteredEnvironment};
