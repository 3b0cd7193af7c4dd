//! Fresnel reflectance: Schlick's approximation, and its mean over an environment.
//!
//! Twin: `brdf_fresnel.wgsl` in `pleach-wgpu`.

use glam::{Vec2, Vec3};

/// Returns the reflectance at normal incidence of an interface with air. An index of 0 means total
/// reflection, as in KHR_materials_ior.
#[must_use]
pub fn f0_from_ior(ior: f32) -> f32 {
    if ior <= 0.0 {
        return 1.0;
    }
    let ratio = (ior - 1.0) / (ior + 1.0);
    ratio * ratio
}

/// Returns `(1 - cosine)⁵`, the weight of the reflectance at grazing incidence.
#[must_use]
pub fn schlick_weight(cosine: f32) -> f32 {
    let x = (1.0 - cosine).clamp(0.0, 1.0);
    let square = x * x;
    square * square * x
}

/// Returns the reflectance at an angle of incidence with this cosine: `f0` at normal and `f90` at
/// grazing incidence.
#[must_use]
pub fn schlick(f0: Vec3, f90: f32, cosine: f32) -> Vec3 {
    f0 + (Vec3::splat(f90) - f0) * schlick_weight(cosine)
}

/// Returns the reflectance of uniform light, including the light that is reflected several times
/// between microfacets.
///
/// `lut` is the scale and bias of the split sum for the view direction and roughness. Multiple
/// scattering follows Fdez-Agüera, "A Multiple-Scattering Microfacet Model for Real-Time Image
/// Based Lighting" (2019); single scattering is the split sum itself, without that paper's second
/// Fresnel term, which is already part of the bias.
#[must_use]
pub fn environment(f0: Vec3, f90: f32, lut: Vec2) -> Vec3 {
    let single = f0 * lut.x + Vec3::splat(f90 * lut.y);
    let missing = (1.0 - (lut.x + lut.y)).clamp(0.0, 0.99);
    // The mean of Schlick's approximation over the hemisphere, weighted by the cosine.
    let average = f0 + (Vec3::splat(f90) - f0) * (1.0 / 21.0);
    let multiple = single * average * missing / (Vec3::ONE - average * missing);
    (single + multiple).clamp(Vec3::ZERO, Vec3::ONE)
}
