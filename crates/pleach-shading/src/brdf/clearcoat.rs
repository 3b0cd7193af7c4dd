//! A clear coating with a normal of its own: KHR_materials_clearcoat.
//!
//! The coat is a dielectric of index 1.5. The fraction that it reflects depends on the view
//! direction alone, so the layer below is dimmed by the same factor for all lights.
//!
//! Twin: `brdf_clearcoat.wgsl` in `pleach-wgpu`.

use glam::Vec3;

use crate::brdf::fresnel::schlick_weight;
use crate::brdf::ggx;

/// The reflectance at normal incidence.
const F0: f32 = 0.04;

/// Returns the fraction of light that a coat of this strength reflects towards `view`.
#[must_use]
pub fn weight(strength: f32, normal: Vec3, view: Vec3) -> f32 {
    let cosine = normal.dot(view).clamp(0.0, 1.0);
    strength * (F0 + (1.0 - F0) * schlick_weight(cosine))
}

/// Returns the lobe of the coat without its Fresnel term, times the cosine of the incident light
/// and π.
#[must_use]
pub fn specular(roughness: f32, normal: Vec3, [light, view, half]: [Vec3; 3]) -> f32 {
    let n_dot_v = normal.dot(view).clamp(ggx::MIN_COSINE, 1.0);
    let alpha = ggx::alpha_from_roughness(roughness);
    ggx::specular(alpha, normal, half, normal.dot(light).min(1.0), n_dot_v)
}
