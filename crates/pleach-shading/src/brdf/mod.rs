//! Reflectance: the reference equations of glTF's materials, one file per lobe.
//!
//! Reads a [`Surface`] and directions; returns the fraction of light towards the camera.
//! [`Shading`] layers the lobes; the modules are the lobes themselves. `pleach-wgpu` has the same
//! functions in WGSL, under the same names, and a test compares the two.
//!
//! Guarantees: every result is finite and not negative for finite parameters and unit directions.

pub mod anisotropy;
pub mod clearcoat;
pub mod diffuse;
pub mod fresnel;
pub mod ggx;
pub mod iridescence;
pub mod sheen;
pub mod transmission;

mod shading;
mod surface;

pub use shading::Shading;
pub use surface::Surface;
