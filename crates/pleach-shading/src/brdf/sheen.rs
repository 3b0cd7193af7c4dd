//! The sheen of fibres: KHR_materials_sheen, with the distribution and shadowing of Estevez and
//! Kulla, "Production Friendly Microfacet Sheen BRDF" (2017).
//!
//! All values are multiplied by π.
//!
//! Twin: `brdf_sheen.wgsl` in `pleach-wgpu`.

use libm::{expf, powf};

/// The minimum roughness: smoother fibres reflect at grazing angles only.
const MIN_ROUGHNESS: f32 = 0.07;

/// Returns the width of the lobe for a roughness.
#[must_use]
pub fn alpha_from_roughness(roughness: f32) -> f32 {
    let roughness = roughness.clamp(MIN_ROUGHNESS, 1.0);
    roughness * roughness
}

/// Returns the "Charlie" density of fibres with this cosine to the normal, times π.
#[must_use]
pub fn distribution(alpha: f32, n_dot_h: f32) -> f32 {
    let inverse = 1.0 / alpha;
    let sine_squared = (1.0 - n_dot_h * n_dot_h).clamp(0.0, 1.0);
    (2.0 + inverse) * powf(sine_squared, inverse * 0.5) * 0.5
}

/// Returns masking and shadowing divided by `4 n·l n·v`, at most 1.
#[must_use]
pub fn visibility(alpha: f32, n_dot_l: f32, n_dot_v: f32) -> f32 {
    let masking = 1.0 + lambda(alpha, n_dot_v) + lambda(alpha, n_dot_l);
    (1.0 / (masking * 4.0 * n_dot_v * n_dot_l).max(1e-7)).clamp(0.0, 1.0)
}

/// Returns the sheen lobe times the cosine of the incident light.
#[must_use]
pub fn specular(alpha: f32, n_dot_h: f32, n_dot_l: f32, n_dot_v: f32) -> f32 {
    if n_dot_l <= 0.0 {
        return 0.0;
    }
    distribution(alpha, n_dot_h) * visibility(alpha, n_dot_l, n_dot_v) * n_dot_l
}

/// The shadowing term Λ, fitted by the authors.
fn lambda(alpha: f32, cosine: f32) -> f32 {
    if cosine < 0.5 {
        expf(lambda_exponent(alpha, cosine))
    } else {
        expf(2.0 * lambda_exponent(alpha, 0.5) - lambda_exponent(alpha, 1.0 - cosine))
    }
}

fn lambda_exponent(alpha: f32, x: f32) -> f32 {
    let weight = (1.0 - alpha) * (1.0 - alpha);
    let mix = |rough: f32, smooth: f32| rough + (smooth - rough) * weight;
    let a = mix(21.5473, 25.3245);
    let b = mix(3.82987, 3.32435);
    let c = mix(0.19823, 0.16801);
    let d = mix(-1.97760, -1.27393);
    let e = mix(-4.32054, -4.85967);
    a / (1.0 + b * powf(x.max(0.0), c)) + d * x + e
}
