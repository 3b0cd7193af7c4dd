//! The parts that the renderers of pleach share: reflectance, environment maps, punctual lights, exposure,
//! tone mapping and debug overlays.
//!
//! ```
//! use pleach_shading::glam::Vec3;
//! use pleach_shading::{EnvironmentLight, Shading, SplitSumLut, Surface, ToneMapping};
//!
//! let gold = Surface {
//!     base_color: Vec3::new(1.0, 0.77, 0.34),
//!     metallic: 1.0,
//!     roughness: 0.3,
//!     ..Surface::default()
//! };
//! let shading = Shading::new(&gold, Vec3::Z, SplitSumLut::shared());
//! let environment = EnvironmentLight::uniform(Vec3::splat(0.5));
//! let light = shading.environment_light(&environment) + shading.evaluate(Vec3::Z) * 2.0;
//! let color = ToneMapping::default().apply(light);
//! assert!(color.x > color.y && color.y > color.z);
//! ```
//!
//! Both renderers show the same picture of a scene because they evaluate the same equations on the
//! same data: `pleach-render` calls this crate for each ray, `pleach-wgpu` has the same functions
//! in WGSL and uploads the same tables.
//!
//! # Conventions
//!
//! - There is no factor π between light and colour: a white rough surface that faces a directional
//!   light of intensity 1, or is surrounded by uniform light of 1, is white. In physical units
//!   punctual lights are π times as bright as glTF states.
//! - Directions are unit vectors in world space and point away from the surface; +Z is up.
//! - Results have the same bits on every machine: plain `f32` operations and libm.
//!
//! # Costs
//!
//! [`SplitSumLut::shared`] and [`PrefilteredEnvironment::studio`] are computed once per process, in
//! some ten milliseconds each; filtering an image takes some hundred milliseconds. Evaluating a
//! surface allocates nothing.

#![forbid(unsafe_code)]

pub mod brdf;
pub mod environment;
pub mod overlay;
pub mod tangents;

mod background;
mod exposure;
mod lighting;
mod line_primitives;
mod posed_directions;
mod punctual;
mod tone_mapping;

pub use background::{Backdrop, BackgroundGradient};
pub use brdf::{Shading, Surface};
pub use environment::{
    CubeLevel, CubeMap, EnvironmentCache, EnvironmentError, EnvironmentLight, EquirectangularImage,
    Harmonics, PrefilteredEnvironment, SplitSumLut,
};
pub use exposure::{Exposure, luminance};
pub use glam;
pub use lighting::{Lighting, Studio};
pub use line_primitives::{primitive_count, primitive_vertices};
pub use posed_directions::{PosedDirections, pose_corner_tangents};
pub use punctual::{Cone, Emitter, IncidentLight, PunctualLight};
pub use tone_mapping::ToneMapping;

/// The example of the README, so that it is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
