//! Light through surfaces: KHR_materials_transmission, KHR_materials_volume and
//! KHR_materials_dispersion.
//!
//! Light from behind that is refracted towards the camera comes from a picture of what is not
//! transmissive: [`transmission_ray`] gives the point where the ray leaves the volume, which the
//! renderer projects onto the screen, and [`transmission_lod`] the blur. Distances are in world
//! space.
//!
//! Twin: `brdf_transmission.wgsl` in `pleach-wgpu`.

use glam::{Mat4, Vec3};

use crate::brdf::ggx;

/// Returns the thickness of a volume in world space: the geometry's thickness times the mean scale
/// of the node's axes.
#[must_use]
pub fn world_thickness(thickness: f32, world: &Mat4) -> f32 {
    let axes = [world.x_axis, world.y_axis, world.z_axis].map(|axis| axis.truncate().length());
    thickness * ((axes[0] + axes[1] + axes[2]) * (1.0 / 3.0))
}

/// Returns the vector from a point of the surface to where the refracted ray leaves a volume with
/// this thickness. Zero for a thin surface.
#[must_use]
pub fn transmission_ray(normal: Vec3, view: Vec3, thickness: f32, ior: f32) -> Vec3 {
    refracted(normal, view, ior) * thickness
}

/// Returns the direction of a ray from the camera after it entered the surface: Snell's law. An
/// index below 1 is that of air.
#[must_use]
pub fn refracted(normal: Vec3, view: Vec3, ior: f32) -> Vec3 {
    let ratio = 1.0 / ior.clamp(1.0, 100.0);
    let cosine = normal.dot(view).clamp(0.0, 1.0);
    let inside = 1.0 - ratio * ratio * (1.0 - cosine * cosine);
    let direction = normal * (ratio * cosine - inside.max(0.0).sqrt()) - view * ratio;
    direction.normalize_or(-view)
}

/// Returns the indices of refraction for red, green and blue; `dispersion` is 20 divided by the
/// Abbe number.
#[must_use]
pub fn dispersed_iors(ior: f32, dispersion: f32) -> [f32; 3] {
    let half_spread = (ior - 1.0) * 0.025 * dispersion;
    [ior - half_spread, ior, ior + half_spread]
}

/// Returns the roughness of transmitted light: without refraction it is not scattered.
#[must_use]
pub fn transmission_roughness(roughness: f32, ior: f32) -> f32 {
    roughness * (ior * 2.0 - 2.0).clamp(0.0, 1.0)
}

/// Returns the mip level of a picture of this width that is as blurred as transmitted light.
#[must_use]
pub fn transmission_lod(roughness: f32, ior: f32, width: f32) -> f32 {
    libm::log2f(width.max(1.0)) * transmission_roughness(roughness, ior)
}

/// Returns the fraction of light that remains after a distance in a volume: Beer's law.
///
/// `attenuation_distance` is the distance after which white light has the colour
/// `attenuation_color`; if it is not positive or infinite, nothing is absorbed.
#[must_use]
pub fn attenuation(distance: f32, attenuation_color: Vec3, attenuation_distance: f32) -> Vec3 {
    let ratio = distance / attenuation_distance;
    if attenuation_distance <= 0.0 || !ratio.is_finite() || ratio <= 0.0 {
        return Vec3::ONE;
    }
    attenuation_color.clamp(Vec3::ZERO, Vec3::ONE).map(|color| libm::powf(color, ratio))
}

/// Returns the lobe of a light behind the surface without its Fresnel term and colour, times the
/// cosine of the light and π: GGX for the light mirrored to the front.
#[must_use]
pub fn transmitted(
    roughness: f32,
    ior: f32,
    [normal, view, light]: [Vec3; 3],
    n_dot_v: f32,
) -> f32 {
    let n_dot_l = normal.dot(light);
    let mirrored = light - normal * (2.0 * n_dot_l);
    let half = (mirrored + view).normalize_or_zero();
    let alpha = ggx::alpha_from_roughness(transmission_roughness(roughness, ior));
    ggx::specular(alpha, normal, half, -n_dot_l, n_dot_v)
}
