//! `Harmonics`: irradiance and sheen from the first nine spherical harmonics of an environment.
//!
//! The coefficients are those of the environment convolved with the cosine lobe and divided by π
//! (Ramamoorthi and Hanrahan, "An Efficient Representation for Irradiance Environment Maps", 2001),
//! with the constants of the basis multiplied in: a sum of nine products with polynomials. Uniform
//! light of 1 gives 1.
//!
//! The sheen lobe of KHR_materials_sheen is as wide as the cosine lobe, so the same coefficients,
//! scaled by its moments, serve it too, without a second cube map.
//!
//! Twin: `environment.wgsl` in `pleach-wgpu`.

use glam::Vec3;

use crate::environment::cube::CubeLevel;

/// Nine coefficients, in the order of bands: 1; y, z, x; xy, yz, 3z² - 1, xz, x² - y².
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Harmonics {
    /// The coefficients of the cosine-convolved environment.
    pub coefficients: [Vec3; 9],
}

/// The squared constants of the real spherical harmonics times the convolution with the cosine lobe
/// (1, 2/3, 1/4), times 4π: what a mean over all directions is multiplied by.
const FACTORS: [f64; 9] = [
    1.0,
    3.0 * 2.0 / 3.0,
    3.0 * 2.0 / 3.0,
    3.0 * 2.0 / 3.0,
    15.0 / 4.0,
    15.0 / 4.0,
    5.0 / 16.0,
    15.0 / 4.0,
    15.0 / 16.0,
];

impl Harmonics {
    /// Projects a level of a cube map.
    pub(crate) fn new(level: &CubeLevel) -> Self {
        let mut sums = [[0.0_f64; 3]; 9];
        let mut total = 0.0;
        for (i, texel) in level.texels().iter().enumerate() {
            let solid_angle = f64::from(level.relative_solid_angle(i));
            total += solid_angle;
            for (sum, value) in sums.iter_mut().zip(basis(level.direction(i))) {
                let weight = solid_angle * f64::from(value);
                for (sum, color) in sum.iter_mut().zip(texel.to_array()) {
                    *sum += f64::from(color) * weight;
                }
            }
        }
        let mut coefficients = [Vec3::ZERO; 9];
        for ((coefficient, sum), factor) in coefficients.iter_mut().zip(sums).zip(FACTORS) {
            *coefficient = Vec3::from_array(sum.map(|it| (it * factor / total) as f32));
        }
        Self { coefficients }
    }

    /// Returns the irradiance divided by π of a surface with this normal.
    #[must_use]
    pub fn irradiance(&self, normal: Vec3) -> Vec3 {
        self.evaluate(normal, normal, 1.0)
    }

    /// Returns the light that the sheen lobe gathers, seen from `view`.
    ///
    /// The lobe is retroreflective: it lies around the normal and leans towards the view.
    #[must_use]
    pub fn sheen(&self, normal: Vec3, view: Vec3, roughness: f32) -> Vec3 {
        let [along_normal, second_band, along_view] = sheen_moments(roughness);
        let tangential = (view - normal * normal.dot(view)).normalize_or_zero();
        self.evaluate(normal * along_normal + tangential * along_view, normal, second_band)
    }

    /// Evaluates the second band at `first`, which need not have length 1, and the third at
    /// `second`, scaled.
    fn evaluate(&self, first: Vec3, second: Vec3, scale: f32) -> Vec3 {
        let (first, second) = (basis(first), basis(second));
        let mut sum = self.coefficients[0];
        for (coefficient, value) in self.coefficients.iter().zip(first).take(4).skip(1) {
            sum += coefficient * value;
        }
        for (coefficient, value) in self.coefficients.iter().zip(second).skip(4) {
            sum += coefficient * (value * scale);
        }
        // A truncated series can be negative opposite of a small bright light.
        sum.max(Vec3::ZERO)
    }
}

/// The polynomials of the real spherical harmonics, without their constants.
fn basis(direction: Vec3) -> [f32; 9] {
    let Vec3 { x, y, z } = direction;
    [1.0, y, z, x, x * y, y * z, 3.0 * z * z - 1.0, x * z, x * x - y * y]
}

/// Returns the moments of the sheen lobe relative to those of the cosine lobe: those of the first
/// and the second order along the normal, and that of the first order along the view.
///
/// Fitted to integrals of the lobe over the hemisphere, which depend little on the view direction
/// where sheen is visible.
fn sheen_moments(roughness: f32) -> [f32; 3] {
    let r = roughness.clamp(0.07, 1.0);
    [
        -0.019 + r * (2.6316 + r * (-2.8479 + r * 1.0909)),
        -2.3527 + r * (5.7836 + r * (-3.4407 + r * 0.3172)),
        1.0636 + r * (-2.0334 + r * (1.6804 + r * -0.5483)),
    ]
}
