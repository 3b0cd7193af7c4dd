//! The GGX microfacet distribution with height-correlated Smith masking and shadowing.
//!
//! All values are multiplied by π: see the crate's conventions. `alpha` is the square of the
//! roughness, and at least [`MIN_ALPHA`].
//!
//! Twin: `brdf_ggx.wgsl` in `pleach-wgpu`.

use glam::Vec3;

/// The minimum roughness for punctual lights: the highlight on a smoother surface would be too
/// small to be seen, and too bright for `f32`.
pub const MIN_ROUGHNESS: f32 = 0.05;

/// The square of [`MIN_ROUGHNESS`].
pub const MIN_ALPHA: f32 = MIN_ROUGHNESS * MIN_ROUGHNESS;

/// The minimum cosine of the view direction: normal maps can turn a visible surface away from the
/// camera.
pub const MIN_COSINE: f32 = 1e-3;

/// Returns the width of the lobe for a roughness, at least [`MIN_ALPHA`].
#[must_use]
pub fn alpha_from_roughness(roughness: f32) -> f32 {
    let roughness = roughness.clamp(MIN_ROUGHNESS, 1.0);
    roughness * roughness
}

/// Returns the density of microfacets whose normal is `half`, times π.
///
/// The sine comes from the cross product: `1 - cos²` would have no digits left where the lobe of a
/// smooth surface is.
#[must_use]
pub fn distribution(alpha: f32, normal: Vec3, half: Vec3) -> f32 {
    let cosine = normal.dot(half);
    if cosine <= 0.0 {
        return 0.0;
    }
    let sine = normal.cross(half);
    let scaled = cosine * alpha;
    let ratio = alpha / (sine.dot(sine) + scaled * scaled);
    ratio * ratio
}

/// Returns masking and shadowing divided by `4 n·l n·v`.
#[must_use]
pub fn visibility(alpha: f32, n_dot_l: f32, n_dot_v: f32) -> f32 {
    let squared = alpha * alpha;
    let masking = n_dot_l * (n_dot_v * n_dot_v * (1.0 - squared) + squared).sqrt();
    let shadowing = n_dot_v * (n_dot_l * n_dot_l * (1.0 - squared) + squared).sqrt();
    0.5 / (masking + shadowing)
}

/// Returns the specular lobe without its Fresnel term, times the cosine of the incident light.
#[must_use]
pub fn specular(alpha: f32, normal: Vec3, half: Vec3, n_dot_l: f32, n_dot_v: f32) -> f32 {
    if n_dot_l <= 0.0 {
        return 0.0;
    }
    distribution(alpha, normal, half) * visibility(alpha, n_dot_l, n_dot_v) * n_dot_l
}
