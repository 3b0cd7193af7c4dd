//! Thin-film interference: KHR_materials_iridescence, after Belcour and Barla, "A Practical
//! Extension to Microfacet Theory for the Modeling of Varying Iridescence" (2017).
//!
//! The film replaces the Fresnel term of the surface below it. Its reflectance is a series of
//! bounces inside the film, whose spectrum is integrated analytically with Gaussian fits of the
//! colour matching functions.
//!
//! Twin: `brdf_iridescence.wgsl` in `pleach-wgpu`.

use std::f32::consts::{PI, TAU};

use glam::Vec3;

use crate::brdf::fresnel::schlick_weight;

/// Returns the reflectance of a film on a base.
///
/// `ior` and `thickness` (in nanometres) are those of the film, `cosine` that of the angle of
/// incidence, and `base_f0` the reflectance of the base in air at normal incidence. A film without
/// thickness gives the reflectance of the base.
#[must_use]
pub fn reflectance(ior: f32, thickness: f32, cosine: f32, base_f0: Vec3) -> Vec3 {
    // A film that is thinner than all wavelengths has no effect.
    let ior = 1.0 + (ior.clamp(1.0, 10.0) - 1.0) * smoothstep(thickness / 0.03);
    let cosine = cosine.clamp(0.0, 1.0);
    let inside_squared = 1.0 - (1.0 - cosine * cosine) / (ior * ior);
    let inside = inside_squared.max(0.0).sqrt();

    // Air to film.
    let outer_f0 = interface_f0(ior, 1.0);
    let outer = outer_f0 + (1.0 - outer_f0) * schlick_weight(cosine);
    let through = 1.0 - outer;

    // Film to base, by channel.
    let base_ior = base_f0.clamp(Vec3::ZERO, Vec3::splat(0.9999)).map(ior_from_f0);
    let inner_f0 = base_ior.map(|base| interface_f0(base, ior));
    let inner = inner_f0 + (Vec3::ONE - inner_f0) * schlick_weight(inside);
    // Reflection at a denser medium shifts the phase by π; light inside is reflected at air once.
    let phase = base_ior.map(|base| PI + if base < ior { PI } else { 0.0 });

    let path = 2.0 * ior * thickness.clamp(0.0, 1e5) * inside;
    let bounce = (inner * outer).clamp(Vec3::splat(1e-5), Vec3::splat(0.9999));
    let amplitude = bounce.map(f32::sqrt);
    let escaping = inner * (through * through) / (Vec3::ONE - bounce);
    let mut sum = escaping + Vec3::splat(outer);
    let mut coefficient = escaping - Vec3::splat(through);
    for order in [1.0, 2.0] {
        coefficient *= amplitude;
        sum += coefficient * sensitivity(path * order, phase * order) * 2.0;
    }
    sum.clamp(Vec3::ZERO, Vec3::ONE)
}

/// Returns the response of the linear sRGB channels to light with an optical path difference (in
/// nanometres) and a phase shift, relative to white.
fn sensitivity(path: f32, shift: Vec3) -> Vec3 {
    let phase = TAU * path * 1e-9;
    let gaussian = |height: f32, position: f32, variance: f32, shift: f32| {
        let envelope = libm::expf(-phase * phase * variance);
        height * (TAU * variance).sqrt() * cosine(position * phase + shift) * envelope
    };
    let x = gaussian(5.4856e-13, 1.6810e6, 4.3278e9, shift.x)
        + gaussian(9.7470e-14, 2.2399e6, 4.5282e9, shift.x);
    let y = gaussian(4.4201e-13, 1.7953e6, 9.3046e9, shift.y);
    let z = gaussian(5.2481e-13, 2.2084e6, 6.6121e9, shift.z);
    let [x, y, z] = [x, y, z].map(|it| it / 1.0685e-7);
    Vec3::new(
        3.240_454_2 * x - 1.537_138_5 * y - 0.498_531_4 * z,
        -0.969_266 * x + 1.876_010_8 * y + 0.041_556 * z,
        0.055_643_4 * x - 0.204_025_9 * y + 1.057_225_2 * z,
    )
}

/// The cosine of an angle that may be large: reduced first, since the range in which shaders are
/// precise is small.
fn cosine(angle: f32) -> f32 {
    libm::cosf(angle - TAU * (angle / TAU + 0.5).floor())
}

fn interface_f0(inner: f32, outer: f32) -> f32 {
    let ratio = (inner - outer) / (inner + outer);
    ratio * ratio
}

fn ior_from_f0(f0: f32) -> f32 {
    let root = f0.sqrt();
    (1.0 + root) / (1.0 - root)
}

fn smoothstep(x: f32) -> f32 {
    let x = x.clamp(0.0, 1.0);
    x * x * (3.0 - 2.0 * x)
}
