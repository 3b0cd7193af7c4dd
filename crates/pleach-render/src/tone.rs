//! From light to colour: exposure, and a curve for what is too bright.

use glam::Vec3;

use crate::settings::Exposure;

/// Up to here colours are as they are.
const PLAIN: f32 = 0.8;

/// A picture whose brighter parts are between these is neither black nor white.
const SANE: std::ops::RangeInclusive<f32> = 0.03..=2.5;
/// How bright they become otherwise.
const AIM: f32 = 0.75;

/// What light is multiplied with, given how bright some points of the picture are.
pub(crate) fn exposure(asked: Exposure, lights: &mut Vec<f32>) -> f32 {
    if let Exposure::Fixed(number) = asked {
        return if number.is_finite() { number.max(0.0) } else { 1.0 };
    }
    lights.retain(|light| light.is_finite() && *light > 0.0);
    lights.sort_unstable_by(f32::total_cmp);
    let Some(&bright) = lights.get(lights.len() * 9 / 10) else { return 1.0 };
    // Nothing is brightened without end.
    if SANE.contains(&bright) { 1.0 } else { (AIM / bright).min(1e6) }
}

/// How bright light looks.
pub(crate) fn luminance(light: Vec3) -> f32 {
    light.x * 0.2126 + light.y * 0.7152 + light.z * 0.0722
}

/// Light as a colour: the same up to 0.8, and from there on ever more slowly towards 1, so that
/// there are shades in what is too bright.
pub(crate) fn toned(light: Vec3) -> Vec3 {
    light.map(|it| {
        if it.is_nan() || it <= PLAIN {
            return if it > 0.0 { it } else { 0.0 };
        }
        let above = (it.min(1e9) - PLAIN) / (1.0 - PLAIN);
        PLAIN + (1.0 - PLAIN) * (above / (1.0 + above * above).sqrt())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_colours_are_kept_and_brighter_ones_stay_in_order() {
        let shades: Vec<f32> = (0..2000).map(|step| step as f32 * 0.005).collect();
        let shown: Vec<f32> = shades.iter().map(|&it| toned(Vec3::splat(it)).x).collect();
        assert!(shades.iter().zip(&shown).all(|(a, b)| *a > PLAIN || a == b));
        assert!(shown.windows(2).all(|pair| pair[0] < pair[1] || pair[0] > 0.999));
        assert!(shown.iter().all(|it| *it <= 1.0));
        let odd = [f32::NAN, -1.0, f32::INFINITY].map(|it| toned(Vec3::splat(it)).x);
        assert_eq!(odd, [0.0, 0.0, 1.0]);
    }

    #[test]
    fn light_in_a_sane_band_is_left_alone() {
        let auto = |lights: &[f32]| exposure(Exposure::Auto, &mut lights.to_vec());
        assert_eq!(auto(&[0.5; 20]), 1.0);
        assert_eq!(auto(&[]), 1.0);
        assert_eq!(auto(&[f32::NAN, f32::INFINITY, 0.0]), 1.0);
        assert_eq!(auto(&[100_000.0; 20]), AIM / 100_000.0);
        assert_eq!(exposure(Exposure::Fixed(2.0), &mut vec![1e5]), 2.0);
        assert_eq!(exposure(Exposure::Fixed(f32::NAN), &mut vec![1e5]), 1.0);
    }
}
