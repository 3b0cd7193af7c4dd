//! `PrefilteredEnvironment`: an environment blurred by GGX lobes of growing roughness.
//!
//! A texel of a level is the mean of the environment over the lobe of the level's roughness around
//! the texel's direction, seen from that direction (the split-sum approximation of Karis, "Real
//! Shading in Unreal Engine 4", 2013). The lobe is sampled at Hammersley points; each sample reads
//! the mip level of the source whose texels are as large as the part of the lobe that the sample
//! stands for, so a small bright light does not appear as speckles.

use std::sync::{Arc, OnceLock};

use glam::Vec3;

use crate::environment::cube::{CubeLevel, CubeMap};
use crate::environment::equirectangular::EquirectangularImage;
use crate::environment::harmonics::Harmonics;
use crate::environment::studio;

/// The brightest value of an environment, which 16-bit floats hold; brighter ones are reduced to it.
pub const MAX_RADIANCE: f32 = 65_504.0;

/// The size of the faces of the largest level, for images and for the built-in studio.
const IMAGE_SIZE: usize = 256;
const STUDIO_SIZE: usize = 128;
/// The size of the faces of the smallest level.
const LAST_SIZE: usize = 8;
/// The size of the level that the harmonics are computed from.
const HARMONICS_SIZE: usize = 32;

/// An environment map, filtered for every roughness.
///
/// Takes 6.3 MB for an image, 1.6 MB for the studio.
#[derive(Clone, Debug, PartialEq)]
pub struct PrefilteredEnvironment {
    /// The environment blurred by GGX lobes: level i is for the roughness
    /// [`level_roughness`](Self::level_roughness); the first is the environment itself.
    pub cube: CubeMap,
    /// The diffuse light.
    pub harmonics: Harmonics,
}

impl PrefilteredEnvironment {
    /// Filters an image, on the calling thread: some hundred milliseconds.
    ///
    /// Colours that are negative or not finite become black, brighter ones than [`MAX_RADIANCE`]
    /// are reduced to it.
    #[must_use]
    pub fn from_image(image: &EquirectangularImage) -> Self {
        let image = image.reduced(4 * IMAGE_SIZE, 2 * IMAGE_SIZE);
        Self::from_radiance(IMAGE_SIZE, |direction| image.sample(direction))
    }

    /// Returns the built-in neutral studio: a large soft box overhead and smaller ones around, in a
    /// grey room. Computed by the first call, and shared.
    #[must_use]
    pub fn studio() -> &'static Arc<Self> {
        static STUDIO: OnceLock<Arc<PrefilteredEnvironment>> = OnceLock::new();
        STUDIO.get_or_init(|| Arc::new(Self::from_radiance(STUDIO_SIZE, studio::radiance)))
    }

    fn from_radiance(size: usize, radiance: impl Fn(Vec3) -> Vec3) -> Self {
        Self::from_cube(level_of(size, |level, index| {
            let samples = level.subtexel_directions(index).map(&radiance);
            samples.iter().sum::<Vec3>() * 0.25
        }))
    }

    fn from_cube(source: CubeLevel) -> Self {
        let mut mips = vec![source];
        while let Some(level) = mips.last().filter(|level| level.size() > 1) {
            mips.push(level.halved());
        }
        let source = CubeMap::new(mips);
        let harmonics_level = source.levels().iter().find(|level| level.size() <= HARMONICS_SIZE);
        let harmonics = Harmonics::new(harmonics_level.unwrap_or(&source.levels()[0]));
        let count = source.levels().iter().filter(|level| level.size() >= LAST_SIZE).count();
        let last = (count - 1).max(1) as f32;
        let mut levels = vec![source.levels()[0].clone()];
        for (i, level) in source.levels().iter().enumerate().take(count).skip(1) {
            levels.push(filter(&source, level.size(), level_roughness(i as f32, last)));
        }
        Self { cube: CubeMap::new(levels), harmonics }
    }

    /// Returns the light around a direction, blurred by the GGX lobe of a roughness.
    #[must_use]
    pub fn specular(&self, direction: Vec3, roughness: f32) -> Vec3 {
        self.cube.sample(direction, self.lod(roughness))
    }

    /// Returns the mip level for a roughness: `last * roughness * (2 - roughness)`, which keeps
    /// more of the levels for smooth surfaces, whose lobes differ most.
    #[must_use]
    pub fn lod(&self, roughness: f32) -> f32 {
        let roughness = roughness.clamp(0.0, 1.0);
        (self.cube.levels().len() - 1) as f32 * (roughness * (2.0 - roughness))
    }

    /// Returns the roughness that a mip level is filtered for: the inverse of [`lod`](Self::lod).
    #[must_use]
    pub fn level_roughness(&self, level: usize) -> f32 {
        level_roughness(level as f32, (self.cube.levels().len() - 1).max(1) as f32)
    }
}

fn level_roughness(level: f32, last: f32) -> f32 {
    1.0 - (1.0 - level / last).clamp(0.0, 1.0).sqrt()
}

/// Replaces what is not a colour, and limits it.
pub(crate) fn sanitize(color: Vec3) -> Vec3 {
    color.map(|it| if it > 0.0 { it.min(MAX_RADIANCE) } else { 0.0 })
}

/// A direction of a lobe around +Z.
struct LobeSample {
    direction: Vec3,
    weight: f32,
    lod: f32,
}

/// Returns a level whose texels are computed from their indices.
fn level_of(size: usize, texel: impl Fn(&CubeLevel, usize) -> Vec3) -> CubeLevel {
    let black = CubeLevel::new(size);
    let texels = (0..black.texels().len()).map(|index| texel(&black, index)).collect();
    CubeLevel::from_texels(size, texels)
}

/// Returns the level of a size for a roughness.
fn filter(source: &CubeMap, size: usize, roughness: f32) -> CubeLevel {
    let samples = lobe(roughness, sample_count(size), source.levels()[0].size());
    level_of(size, |level, index| filtered_texel(source, &samples, level.direction(index)))
}

/// More samples for rougher levels, whose lobes are wider and whose texels are few.
fn sample_count(size: usize) -> usize {
    (8192 / size).clamp(64, 512)
}

fn filtered_texel(source: &CubeMap, samples: &[LobeSample], normal: Vec3) -> Vec3 {
    let (tangent, bitangent) = normal.any_orthonormal_pair();
    let mut sum = Vec3::ZERO;
    for sample in samples {
        let Vec3 { x, y, z } = sample.direction;
        let direction = tangent * x + bitangent * y + normal * z;
        sum += source.sample(direction, sample.lod) * sample.weight;
    }
    sum
}

/// Returns directions distributed as the GGX lobe around +Z, seen from +Z, with weights that sum
/// to 1.
fn lobe(roughness: f32, count: usize, source_size: usize) -> Vec<LobeSample> {
    let alpha = roughness * roughness;
    let texel = 4.0 * std::f32::consts::PI / (6 * source_size * source_size) as f32;
    let mut samples: Vec<LobeSample> = (0..count)
        .filter_map(|i| {
            let (u, v) = hammersley(i, count);
            let cos_squared = (1.0 - u) / (1.0 + (alpha * alpha - 1.0) * u);
            let (cos, sin) = (cos_squared.sqrt(), (1.0 - cos_squared).max(0.0).sqrt());
            let (y, x) = libm::sincosf(std::f32::consts::TAU * v);
            let half = Vec3::new(x * sin, y * sin, cos);
            let direction = half * (2.0 * cos) - Vec3::Z;
            if direction.z <= 0.0 {
                return None;
            }
            let ratio = alpha / (1.0 - cos_squared * (1.0 - alpha * alpha));
            let density = ratio * ratio * std::f32::consts::FRAC_1_PI * 0.25;
            let solid_angle = 1.0 / (count as f32 * density);
            let lod = (0.5 * libm::log2f(solid_angle / texel)).max(0.0);
            Some(LobeSample { direction, weight: direction.z, lod })
        })
        .collect();
    let total: f32 = samples.iter().map(|sample| sample.weight).sum();
    samples.iter_mut().for_each(|sample| sample.weight /= total);
    samples
}

/// Returns the i-th Hammersley point of `count`.
pub(crate) fn hammersley(i: usize, count: usize) -> (f32, f32) {
    let u = (i as f32 + 0.5) / count as f32;
    let v = ((i as u32).reverse_bits() >> 8) as f32 * (1.0 / 16_777_216.0);
    (u, v)
}
