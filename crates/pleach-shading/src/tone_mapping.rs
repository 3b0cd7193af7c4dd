//! `ToneMapping`: from light to colour, and back.
//!
//! Light that was multiplied by the exposure becomes a linear colour from 0 to 1. Unlit surfaces,
//! fog and background are colours already: a renderer that tone-maps whole pictures draws their
//! [inverse](ToneMapping::inverse), which the mapping turns back into the colour.
//!
//! Twin: `tone_mapping.wgsl` in `pleach-wgpu`.

use glam::Vec3;

/// A curve from light to linear colours.
///
/// ```
/// use pleach_shading::ToneMapping;
/// use pleach_shading::glam::Vec3;
///
/// let curve = ToneMapping::default();
/// let orange = Vec3::new(0.9, 0.4, 0.1);
/// assert!((curve.apply(curve.inverse(orange)) - orange).length() < 1e-3);
/// assert!(curve.apply(Vec3::splat(100.0)).x < 1.0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ToneMapping {
    /// Khronos PBR Neutral: base colours up to 0.8 are reproduced as they are under neutral light;
    /// brighter light approaches white and loses its saturation.
    #[default]
    KhronosPbrNeutral,
    /// Limits each component to the range from 0 to 1.
    Clamp,
    /// A filmic curve with more contrast: Narkowicz' fit of the ACES reference (2015).
    Aces,
}

/// The reflection of a dielectric at normal incidence, which PBR Neutral takes away.
const F90_OFFSET: f32 = 0.04;
/// Colours are kept up to here.
const START_COMPRESSION: f32 = 0.8 - F90_OFFSET;
const DESATURATION: f32 = 0.15;
/// The brightest component that has an inverse: the curve reaches 1 at infinity.
const MAX_INVERSE: f32 = 1.0 - 1.0 / 2048.0;
/// Brighter light is mapped as this: the square of what is above must not overflow.
const MAX_LIGHT: f32 = 1e9;

impl ToneMapping {
    /// Maps light to a colour between 0 and 1. NaN becomes 0.
    #[must_use]
    pub fn apply(self, light: Vec3) -> Vec3 {
        let light = light.map(|it| if it.is_nan() { 0.0 } else { it.clamp(-MAX_LIGHT, MAX_LIGHT) });
        let color = match self {
            Self::KhronosPbrNeutral => neutral(light),
            Self::Clamp => light,
            Self::Aces => light.map(aces),
        };
        color.clamp(Vec3::ZERO, Vec3::ONE)
    }

    /// Returns the light that is mapped to a colour.
    ///
    /// `color` is clamped to what the curve reaches: components are reproduced to within 0.0005.
    /// For saturated bright colours the light has negative components, which only this function
    /// makes.
    #[must_use]
    pub fn inverse(self, color: Vec3) -> Vec3 {
        let color = color.map(|it| if it.is_nan() { 0.0 } else { it.clamp(0.0, 1.0) });
        match self {
            Self::KhronosPbrNeutral => neutral_inverse(color),
            Self::Clamp => color,
            Self::Aces => color.map(aces_inverse),
        }
    }

    /// Returns the constant for this curve in `tone_mapping.wgsl`.
    #[must_use]
    pub fn shader_constant(self) -> u32 {
        match self {
            Self::KhronosPbrNeutral => 0,
            Self::Clamp => 1,
            Self::Aces => 2,
        }
    }
}

fn neutral(light: Vec3) -> Vec3 {
    let darkest = light.min_element();
    let color = light - Vec3::splat(darkest - toe(darkest));
    let peak = color.max_element();
    if peak < START_COMPRESSION {
        return color;
    }
    let range = 1.0 - START_COMPRESSION;
    let new_peak = 1.0 - range * range / (peak + range - START_COMPRESSION);
    mix(color * (new_peak / peak), new_peak, desaturation(peak, new_peak))
}

fn neutral_inverse(color: Vec3) -> Vec3 {
    let color = color.min(Vec3::splat(MAX_INVERSE));
    let new_peak = color.max_element();
    let mut light = color;
    if new_peak >= START_COMPRESSION {
        let range = 1.0 - START_COMPRESSION;
        let peak = range * range / (1.0 - new_peak) - range + START_COMPRESSION;
        let weight = desaturation(peak, new_peak);
        let saturated = (color - Vec3::splat(new_peak * weight)) / (1.0 - weight);
        light = saturated * (peak / new_peak);
    }
    let darkest = light.min_element();
    light + Vec3::splat(toe_inverse(darkest) - darkest)
}

/// The curve of the darkest component: a parabola, then a line. Continued symmetrically for the
/// negative light of inverses.
fn toe(darkest: f32) -> f32 {
    let size = darkest.abs();
    let value = if size < 2.0 * F90_OFFSET { 6.25 * size * size } else { size - F90_OFFSET };
    if darkest < 0.0 { -value } else { value }
}

fn toe_inverse(value: f32) -> f32 {
    let size = value.abs();
    let darkest = if size < F90_OFFSET { (size / 6.25).sqrt() } else { size + F90_OFFSET };
    if value < 0.0 { -darkest } else { darkest }
}

fn desaturation(peak: f32, new_peak: f32) -> f32 {
    1.0 - 1.0 / (DESATURATION * (peak - new_peak) + 1.0)
}

fn mix(color: Vec3, grey: f32, weight: f32) -> Vec3 {
    color + (Vec3::splat(grey) - color) * weight
}

fn aces(light: f32) -> f32 {
    let light = light.clamp(0.0, 1e4);
    light * (2.51 * light + 0.03) / (light * (2.43 * light + 0.59) + 0.14)
}

/// Solves the quadratic equation of the curve.
fn aces_inverse(color: f32) -> f32 {
    let (a, b) = (2.51 - 2.43 * color, 0.59 * color - 0.03);
    (b + (b * b + 0.56 * a * color).sqrt()) / (2.0 * a)
}
