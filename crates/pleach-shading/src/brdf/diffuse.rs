//! Diffuse reflection and KHR_materials_diffuse_transmission: Lambertian on both sides.
//!
//! Twin: `brdf_diffuse.wgsl` in `pleach-wgpu`.

use glam::Vec3;

/// Returns the light that leaves the front: reflected from there, and transmitted from behind.
///
/// `front` and `back` are the light that arrives from either side (cosines, or irradiance);
/// `transmitted_color` is the colour of transmitted light, including the attenuation of a volume.
#[must_use]
pub fn diffuse(
    base_color: Vec3,
    front: Vec3,
    transmission: f32,
    transmitted_color: Vec3,
    back: Vec3,
) -> Vec3 {
    let (reflected, transmitted) = (base_color * front, transmitted_color * back);
    reflected + (transmitted - reflected) * transmission
}
