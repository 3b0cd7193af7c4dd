//! `SplitSumLut`: how much uniform light the lobes reflect, by view direction and roughness.
//!
//! For GGX: scale and bias of the reflectance at normal incidence, without multiple scattering
//! (Karis 2013). For the sheen lobe: the fraction of light that it reflects. Texels are at the
//! centres of cells: column = `n·v * size`, row = `roughness * size`.

use std::f32::consts::TAU;
use std::sync::OnceLock;

use glam::{Vec2, Vec3};

use crate::brdf::{ggx, sheen};
use crate::environment::cube::half_bits;
use crate::environment::prefilter::hammersley;

/// The columns and rows.
const SIZE: usize = 64;
/// The samples of a texel.
const SAMPLES: usize = 128;

/// The table of both lobes.
#[derive(Clone, Debug, PartialEq)]
pub struct SplitSumLut {
    texels: Vec<Vec3>,
}

impl SplitSumLut {
    /// Returns the table. Computed by the first call, which takes some ten milliseconds.
    #[must_use]
    pub fn shared() -> &'static Self {
        static LUT: OnceLock<SplitSumLut> = OnceLock::new();
        LUT.get_or_init(|| {
            let center = |i: usize| (i as f32 + 0.5) / SIZE as f32;
            let texel = |i: usize| {
                let (n_dot_v, roughness) = (center(i % SIZE), center(i / SIZE));
                ggx_texel(n_dot_v, roughness).extend(charlie_texel(n_dot_v, roughness))
            };
            Self { texels: (0..SIZE * SIZE).map(texel).collect() }
        })
    }

    /// Returns the number of columns, which is that of the rows.
    #[must_use]
    pub fn size(&self) -> usize {
        SIZE
    }

    /// Returns GGX scale, GGX bias and sheen of each texel, in rows of equal roughness.
    #[must_use]
    pub fn texels(&self) -> &[Vec3] {
        &self.texels
    }

    /// Returns the texels as 16-bit floats with an alpha of 1, for a texture of the format
    /// `Rgba16Float` that is sampled with a linear filter and clamped at its edges.
    #[must_use]
    pub fn to_rgba16f(&self) -> Vec<[u16; 4]> {
        let one = half_bits(1.0);
        let to_bits = |texel: &Vec3| {
            let [r, g, b] = texel.to_array().map(half_bits);
            [r, g, b, one]
        };
        self.texels.iter().map(to_bits).collect()
    }

    /// Returns scale and bias of the GGX lobe.
    #[must_use]
    pub fn ggx(&self, n_dot_v: f32, roughness: f32) -> Vec2 {
        self.sample(n_dot_v, roughness).truncate()
    }

    /// Returns the fraction of uniform light that the sheen lobe reflects.
    #[must_use]
    pub fn charlie(&self, n_dot_v: f32, roughness: f32) -> f32 {
        self.sample(n_dot_v, roughness).z
    }

    fn sample(&self, n_dot_v: f32, roughness: f32) -> Vec3 {
        let last = (SIZE - 1) as f32;
        let position = |at: f32| (at * SIZE as f32 - 0.5).clamp(0.0, last);
        let (x, y) = (position(n_dot_v), position(roughness));
        let (column, row) = (x as usize, y as usize);
        let (right, below) = ((column + 1).min(SIZE - 1), (row + 1).min(SIZE - 1));
        let at = |x: usize, y: usize| self.texels[y * SIZE + x];
        let mix = |a: Vec3, b: Vec3, weight: f32| a + (b - a) * weight;
        let upper = mix(at(column, row), at(right, row), x - column as f32);
        let lower = mix(at(column, below), at(right, below), x - column as f32);
        mix(upper, lower, y - row as f32)
    }
}

/// Integrates the GGX lobe over microfacets that are visible from the view direction (Heitz,
/// "Sampling the GGX Distribution of Visible Normals", 2018): what remains is the shadowing.
fn ggx_texel(n_dot_v: f32, roughness: f32) -> Vec2 {
    let alpha = roughness * roughness;
    let view = Vec3::new((1.0 - n_dot_v * n_dot_v).max(0.0).sqrt(), 0.0, n_dot_v);
    let stretched = Vec3::new(alpha * view.x, 0.0, view.z).normalize();
    let (first, second) = (Vec3::Y, stretched.cross(Vec3::Y));
    let mut sum = Vec2::ZERO;
    for i in 0..SAMPLES {
        let (u, v) = hammersley(i, SAMPLES);
        let (sin, cos) = libm::sincosf(TAU * v);
        let radius = u.sqrt();
        let t1 = radius * cos;
        let blend = 0.5 * (1.0 + stretched.z);
        let t2 = (1.0 - blend) * (1.0 - t1 * t1).max(0.0).sqrt() + blend * radius * sin;
        let depth = (1.0 - t1 * t1 - t2 * t2).max(0.0).sqrt();
        let on_sphere = first * t1 + second * t2 + stretched * depth;
        let half = Vec3::new(alpha * on_sphere.x, alpha * on_sphere.y, on_sphere.z.max(1e-6));
        let half = half.normalize();
        let v_dot_h = view.dot(half).clamp(0.0, 1.0);
        let n_dot_l = 2.0 * v_dot_h * half.z - view.z;
        if n_dot_l <= 0.0 {
            continue;
        }
        let masked = smith(alpha, n_dot_v);
        let weight = ggx::visibility(alpha, n_dot_l, n_dot_v) * 4.0 * n_dot_l * n_dot_v / masked;
        let fresnel = crate::brdf::fresnel::schlick_weight(v_dot_h);
        sum += Vec2::new(1.0 - fresnel, fresnel) * weight;
    }
    sum / SAMPLES as f32
}

/// Smith's masking of one direction.
fn smith(alpha: f32, cosine: f32) -> f32 {
    let squared = alpha * alpha;
    2.0 * cosine / (cosine + (squared + (1.0 - squared) * cosine * cosine).sqrt())
}

/// Integrates the sheen lobe over the hemisphere.
fn charlie_texel(n_dot_v: f32, roughness: f32) -> f32 {
    let alpha = sheen::alpha_from_roughness(roughness);
    let view = Vec3::new((1.0 - n_dot_v * n_dot_v).max(0.0).sqrt(), 0.0, n_dot_v);
    let mut sum = 0.0;
    for i in 0..SAMPLES {
        let (u, v) = hammersley(i, SAMPLES);
        let (sin, cos) = libm::sincosf(TAU * v);
        let radius = (1.0 - u * u).max(0.0).sqrt();
        let light = Vec3::new(radius * cos, radius * sin, u);
        let half = (light + view).normalize_or(Vec3::Z);
        sum += sheen::specular(alpha, half.z, u, n_dot_v);
    }
    // Directions are uniform on the hemisphere (2π), and the lobe is multiplied by π. The lobe of
    // smooth fibres exceeds 1 at grazing angles.
    (sum * 2.0 / SAMPLES as f32).min(1.0)
}
