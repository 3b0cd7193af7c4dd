//! Exposure and tone mapping: from light to colour.

use glam::Vec3;

use crate::settings::Exposure;

/// The tone curve is the identity up to here.
const LINEAR_LIMIT: f32 = 0.8;

/// The lower limit for the bright parts of a picture.
const MIN_BRIGHT_LEVEL: f32 = 0.1;

/// Returns the exposure factor, given the luminance at some points of the picture.
pub(crate) fn exposure(setting: Exposure, lights: &mut Vec<f32>) -> f32 {
    if let Exposure::Fixed(number) = setting {
        return if number.is_finite() { number.max(0.0) } else { 1.0 };
    }
    lights.retain(|light| light.is_finite() && *light > 0.0);
    lights.sort_unstable_by(f32::total_cmp);
    let Some(&bright_level) = lights.get(lights.len() * 9 / 10) else { return 1.0 };
    // More light never gives a darker picture. The factor is bounded.
    (bright_level.clamp(MIN_BRIGHT_LEVEL, LINEAR_LIMIT) / bright_level).min(1e6)
}

/// Returns the luminance.
pub(crate) fn luminance(light: Vec3) -> f32 {
    light.x * 0.2126 + light.y * 0.7152 + light.z * 0.0722
}

/// Maps light to colour: the identity up to 0.8, and a curve that approaches 1 above, so that
/// bright areas keep contrast.
pub(crate) fn tone_map(light: Vec3) -> Vec3 {
    light.map(|it| {
        if it.is_nan() || it <= LINEAR_LIMIT {
            return if it > 0.0 { it } else { 0.0 };
        }
        let excess = (it.min(1e9) - LINEAR_LIMIT) / (1.0 - LINEAR_LIMIT);
        LINEAR_LIMIT + (1.0 - LINEAR_LIMIT) * (excess / (1.0 + excess * excess).sqrt())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_below_the_limit_are_kept_and_brighter_ones_stay_in_order() {
        let inputs: Vec<f32> = (0..2000).map(|step| step as f32 * 0.005).collect();
        let mapped: Vec<f32> = inputs.iter().map(|&it| tone_map(Vec3::splat(it)).x).collect();
        assert!(inputs.iter().zip(&mapped).all(|(a, b)| *a > LINEAR_LIMIT || a == b));
        assert!(mapped.windows(2).all(|pair| pair[0] < pair[1] || pair[0] > 0.999));
        assert!(mapped.iter().all(|it| *it <= 1.0));
        let odd = [f32::NAN, -1.0, f32::INFINITY].map(|it| tone_map(Vec3::splat(it)).x);
        assert_eq!(odd, [0.0, 0.0, 1.0]);
    }

    #[test]
    fn exposure_is_1_unless_the_picture_is_black_or_white() {
        let auto = |lights: &[f32]| exposure(Exposure::Auto, &mut lights.to_vec());
        assert_eq!(auto(&[0.5; 20]), 1.0);
        assert_eq!(auto(&[]), 1.0);
        assert_eq!(auto(&[f32::NAN, f32::INFINITY, 0.0]), 1.0);
        assert_eq!(auto(&[100_000.0; 20]), LINEAR_LIMIT / 100_000.0);
        assert_eq!(exposure(Exposure::Fixed(2.0), &mut vec![1e5]), 2.0);
        assert_eq!(exposure(Exposure::Fixed(f32::NAN), &mut vec![1e5]), 1.0);
    }

    #[test]
    fn more_light_never_makes_a_darker_picture() {
        let lights = (-100..100).map(|step| libm::exp2f(step as f32 / 5.0));
        let mapped: Vec<f32> =
            lights.map(|light| light * exposure(Exposure::Auto, &mut vec![light; 20])).collect();
        assert!(mapped.windows(2).all(|pair| pair[1] >= pair[0] - 1e-6), "{mapped:?}");
        assert!(mapped.iter().all(|light| (0.099..=0.801).contains(light)), "{mapped:?}");
    }
}
