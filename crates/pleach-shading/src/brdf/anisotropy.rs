//! GGX lobes stretched along the tangent: KHR_materials_anisotropy.
//!
//! Twin: `brdf_anisotropy.wgsl` in `pleach-wgpu`.

use glam::Vec3;

/// Returns the widths of the lobe along tangent and bitangent.
#[must_use]
pub fn alphas(alpha: f32, strength: f32) -> [f32; 2] {
    [alpha + (1.0 - alpha) * strength * strength, alpha]
}

/// Returns the specular lobe without its Fresnel term, times the cosine of the incident light and
/// π.
///
/// `alphas` are the widths along `tangent` and `bitangent`, which are perpendicular to the normal.
#[must_use]
pub fn specular(
    [along, across]: [f32; 2],
    [tangent, bitangent, normal]: [Vec3; 3],
    [light, view, half]: [Vec3; 3],
    n_dot_l: f32,
    n_dot_v: f32,
) -> f32 {
    if n_dot_l <= 0.0 || normal.dot(half) <= 0.0 {
        return 0.0;
    }
    let product = along * across;
    let stretched = Vec3::new(
        across * tangent.dot(half),
        along * bitangent.dot(half),
        product * normal.dot(half),
    );
    let ratio = product / stretched.dot(stretched).max(f32::MIN_POSITIVE);
    let distribution = product * ratio * ratio;
    let smith = |direction: Vec3, cosine: f32| {
        Vec3::new(along * tangent.dot(direction), across * bitangent.dot(direction), cosine)
            .length()
    };
    let denominator = n_dot_l * smith(view, n_dot_v) + n_dot_v * smith(light, n_dot_l);
    distribution * 0.5 / denominator * n_dot_l
}

/// Returns the normal that the environment is reflected with: bent from the plane of bitangent and
/// view, so that reflections are stretched.
#[must_use]
pub fn bent_normal(
    normal: Vec3,
    bitangent: Vec3,
    view: Vec3,
    roughness: f32,
    strength: f32,
) -> Vec3 {
    let bend = bitangent.cross(view).cross(bitangent);
    let weight = 1.0 - strength * (1.0 - roughness);
    let weight = weight * weight * weight * weight;
    (bend + (normal - bend) * weight).normalize_or(normal)
}
