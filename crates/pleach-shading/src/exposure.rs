//! `Exposure`: the factor of light before tone mapping, and the rule that finds it.

use glam::Vec3;

/// The factor that light is multiplied by before tone mapping. Unlit materials, fog and the
/// background are not affected.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Exposure {
    /// 1, unless the picture would be black or white: at least a tenth of the lit pixels should be
    /// brighter than 0.1, and at most a tenth brighter than 0.8. Suns of 1 lux and of 100 000 lux
    /// both give a well exposed picture, and more light never gives a darker one.
    #[default]
    Auto,
    /// A fixed factor.
    Fixed(f32),
}

/// The limits for the bright parts of a picture.
const MIN_BRIGHT_LEVEL: f32 = 0.1;
const MAX_BRIGHT_LEVEL: f32 = 0.8;

impl Exposure {
    /// Returns the factor, given the [luminance] at some points of the picture where there are
    /// surfaces. Sorts `lights`; only [`Auto`](Self::Auto) reads them.
    ///
    /// ```
    /// use pleach_shading::Exposure;
    ///
    /// assert_eq!(Exposure::Auto.factor(&mut vec![0.5; 20]), 1.0);
    /// assert_eq!(Exposure::Auto.factor(&mut vec![100_000.0; 20]), 0.8 / 100_000.0);
    /// assert_eq!(Exposure::Fixed(2.0).factor(&mut vec![]), 2.0);
    /// ```
    #[must_use]
    pub fn factor(self, lights: &mut Vec<f32>) -> f32 {
        if let Self::Fixed(factor) = self {
            return if factor.is_finite() { factor.max(0.0) } else { 1.0 };
        }
        lights.retain(|light| light.is_finite() && *light > 0.0);
        lights.sort_unstable_by(f32::total_cmp);
        let Some(&bright_level) = lights.get(lights.len() * 9 / 10) else { return 1.0 };
        // More light never gives a darker picture. The factor is bounded.
        (bright_level.clamp(MIN_BRIGHT_LEVEL, MAX_BRIGHT_LEVEL) / bright_level).min(1e6)
    }
}

/// Returns the luminance of linear light.
#[must_use]
pub fn luminance(light: Vec3) -> f32 {
    light.x * 0.2126 + light.y * 0.7152 + light.z * 0.0722
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exposure_is_1_unless_the_picture_is_black_or_white() {
        let auto = |lights: &[f32]| Exposure::Auto.factor(&mut lights.to_vec());
        assert_eq!(auto(&[0.5; 20]), 1.0);
        assert_eq!(auto(&[]), 1.0);
        assert_eq!(auto(&[f32::NAN, f32::INFINITY, 0.0]), 1.0);
        assert_eq!(auto(&[100_000.0; 20]), MAX_BRIGHT_LEVEL / 100_000.0);
        assert_eq!(Exposure::Fixed(f32::NAN).factor(&mut vec![1e5]), 1.0);
    }

    #[test]
    fn more_light_never_makes_a_darker_picture() {
        let lights = (-100..100).map(|step| libm::exp2f(step as f32 / 5.0));
        let exposed: Vec<f32> =
            lights.map(|light| light * Exposure::Auto.factor(&mut vec![light; 20])).collect();
        assert!(exposed.windows(2).all(|pair| pair[1] >= pair[0] - 1e-6), "{exposed:?}");
        assert!(exposed.iter().all(|light| (0.099..=0.801).contains(light)), "{exposed:?}");
    }
}
