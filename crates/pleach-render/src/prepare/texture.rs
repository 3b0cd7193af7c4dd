//! `Texture`: an image with its mip levels, filters and wrap modes.
//!
//! Colours are filtered in linear light, also from level to level. Coordinates are glTF's: (0, 0)
//! is the upper left corner of the upper left pixel.
//!
//! Invariant: there is at least one level, each has at least one pixel, and the last is 1 × 1.

use glam::{Vec2, Vec4};
use pleach::{MagFilter, MinFilter, Sampler, Wrap};

use crate::output::srgb;
use crate::threads;

/// An image and its mip levels, each half the size of the one before.
#[derive(Debug)]
pub(crate) struct Texture {
    is_srgb: bool,
    levels: Vec<MipLevel>,
}

#[derive(Debug)]
struct MipLevel {
    width: u32,
    height: u32,
    pixels: Vec<[u8; 4]>,
}

impl Texture {
    /// Returns `None` if there are no pixels, or if their number does not match the size.
    pub(crate) fn new(width: u32, height: u32, bytes: &[u8], is_srgb: bool) -> Option<Self> {
        let (pixels, rest) = bytes.as_chunks::<4>();
        let count = u64::from(width) * u64::from(height);
        if count == 0 || count != pixels.len() as u64 || !rest.is_empty() {
            return None;
        }
        let mut levels = vec![MipLevel { width, height, pixels: pixels.to_vec() }];
        while let Some(last) = levels.last().filter(|last| last.pixels.len() > 1) {
            levels.push(last.halved(is_srgb));
        }
        Some(Self { is_srgb, levels })
    }

    /// Returns the size of the image in pixels.
    pub(crate) fn size(&self) -> Vec2 {
        Vec2::new(self.levels[0].width as f32, self.levels[0].height as f32)
    }

    /// Samples the texture at `uv`, for a screen pixel that covers `2^level` pixels of the image
    /// per side.
    pub(crate) fn sample(&self, sampler: &Sampler, uv: Vec2, level: f32) -> Vec4 {
        let level = level.min((self.levels.len() - 1) as f32);
        if level.is_nan() || level <= 0.0 {
            let linear = sampler.mag_filter != Some(MagFilter::Nearest);
            return self.sample_mip(0, sampler, uv, linear);
        }
        let linear = !matches!(
            sampler.min_filter,
            Some(
                MinFilter::Nearest
                    | MinFilter::NearestMipmapNearest
                    | MinFilter::NearestMipmapLinear
            )
        );
        match sampler.min_filter {
            Some(MinFilter::Nearest | MinFilter::Linear) => self.sample_mip(0, sampler, uv, linear),
            Some(MinFilter::NearestMipmapNearest | MinFilter::LinearMipmapNearest) => {
                self.sample_mip((level + 0.5) as usize, sampler, uv, linear)
            }
            Some(MinFilter::NearestMipmapLinear | MinFilter::LinearMipmapLinear) | None => {
                let (level_index, fraction) = (level as usize, level - level.floor());
                let near = self.sample_mip(level_index, sampler, uv, linear);
                if fraction == 0.0 {
                    return near;
                }
                lerp(near, self.sample_mip(level_index + 1, sampler, uv, linear), fraction)
            }
        }
    }

    fn sample_mip(&self, level: usize, sampler: &Sampler, uv: Vec2, linear: bool) -> Vec4 {
        let level = &self.levels[level.min(self.levels.len() - 1)];
        let x = TexelCoordinate::new(uv.x, level.width, sampler.wrap_u);
        let y = TexelCoordinate::new(uv.y, level.height, sampler.wrap_v);
        if !linear {
            return self.texel(level, x.nearest(), y.nearest());
        }
        let ([left, right], across) = x.linear_neighbors();
        let ([upper, lower], down) = y.linear_neighbors();
        let above = lerp(self.texel(level, left, upper), self.texel(level, right, upper), across);
        let below = lerp(self.texel(level, left, lower), self.texel(level, right, lower), across);
        lerp(above, below, down)
    }

    fn texel(&self, level: &MipLevel, x: u32, y: u32) -> Vec4 {
        let pixel = level.pixels[y as usize * level.width as usize + x as usize];
        texel(pixel, self.is_srgb)
    }
}

fn texel([r, g, b, a]: [u8; 4], is_srgb: bool) -> Vec4 {
    let fraction = |byte: u8| f32::from(byte) / 255.0;
    if is_srgb {
        Vec4::new(srgb::to_linear(r), srgb::to_linear(g), srgb::to_linear(b), fraction(a))
    } else {
        Vec4::new(fraction(r), fraction(g), fraction(b), fraction(a))
    }
}

/// Returns exactly `a` if both are the same.
fn lerp(a: Vec4, b: Vec4, fraction: f32) -> Vec4 {
    a + (b - a) * fraction
}

/// A texture coordinate along one axis.
struct TexelCoordinate {
    /// In pixels, from 0 to `size`.
    position: f32,
    size: u32,
    wrap: Wrap,
}

impl TexelCoordinate {
    fn new(coordinate: f32, size: u32, wrap: Wrap) -> Self {
        let coordinate = if coordinate.is_finite() { coordinate } else { 0.0 };
        let wrapped = match wrap {
            Wrap::ClampToEdge => coordinate.clamp(0.0, 1.0),
            Wrap::Repeat => coordinate - coordinate.floor(),
            Wrap::MirroredRepeat => {
                let twice = coordinate * 0.5;
                let fraction = (twice - twice.floor()) * 2.0;
                if fraction > 1.0 { 2.0 - fraction } else { fraction }
            }
        };
        Self { position: wrapped * size as f32, size, wrap }
    }

    fn nearest(&self) -> u32 {
        (self.position as u32).min(self.size - 1)
    }

    /// Returns the two neighbouring pixels and the weight of the second.
    fn linear_neighbors(&self) -> ([u32; 2], f32) {
        let from = (self.position - 0.5).floor();
        let fraction = self.position - 0.5 - from;
        ([self.wrap_index(from as i64), self.wrap_index(from as i64 + 1)], fraction)
    }

    /// Wraps a pixel index, which may be one beyond either end.
    fn wrap_index(&self, number: i64) -> u32 {
        let size = i64::from(self.size);
        match self.wrap {
            Wrap::Repeat => number.rem_euclid(size) as u32,
            Wrap::ClampToEdge | Wrap::MirroredRepeat => number.clamp(0, size - 1) as u32,
        }
    }
}

impl MipLevel {
    /// Returns the next mip level: half as wide and high, at least 1. Pixels are weighted by alpha,
    /// so that pixels cut away by a mask do not tint its edges.
    fn halved(&self, is_srgb: bool) -> Self {
        let (width, height) = ((self.width / 2).max(1), (self.height / 2).max(1));
        let mut pixels = vec![[0; 4]; width as usize * height as usize];
        threads::for_each_chunk(
            &mut pixels,
            width as usize,
            || (),
            |(), y, row| {
                for (x, pixel) in row.iter_mut().enumerate() {
                    *pixel = average(self.source_block(x as u32, y as u32), is_srgb);
                }
            },
        );
        Self { width, height, pixels }
    }

    /// Returns the four pixels that are averaged into one. The last column or row of an odd size is
    /// dropped.
    fn source_block(&self, x: u32, y: u32) -> [[u8; 4]; 4] {
        [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(right, down)| {
            let x = (2 * x + right).min(self.width - 1);
            let y = (2 * y + down).min(self.height - 1);
            self.pixels[y as usize * self.width as usize + x as usize]
        })
    }
}

fn average(pixels: [[u8; 4]; 4], is_srgb: bool) -> [u8; 4] {
    if pixels[1..].iter().all(|&pixel| pixel == pixels[0]) {
        return pixels[0];
    }
    let values = pixels.map(|pixel| texel(pixel, is_srgb));
    let alpha = values.iter().map(|texel| texel.w).sum::<f32>();
    let weights = if alpha > 0.0 { values.map(|texel| texel.w / alpha) } else { [0.25; 4] };
    let sum = |channel: usize| -> f32 {
        values.iter().zip(weights).map(|(texel, weight)| texel[channel] * weight).sum()
    };
    let byte = if is_srgb { srgb::from_linear } else { srgb::to_byte };
    [byte(sum(0)), byte(sum(1)), byte(sum(2)), srgb::to_byte(alpha * 0.25)]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A texture of two pixels in a row: 0 and 255.
    fn pair() -> Texture {
        Texture::new(2, 1, &[0, 0, 0, 255, 255, 255, 255, 255], false).unwrap()
    }

    fn wrapped(wrap: Wrap) -> Sampler {
        Sampler { wrap_u: wrap, mag_filter: Some(MagFilter::Nearest), ..Sampler::default() }
    }

    #[test]
    fn pixel_centres_are_exact_under_both_filters() {
        for filter in [MagFilter::Nearest, MagFilter::Linear] {
            let sampler = Sampler { mag_filter: Some(filter), ..Sampler::default() };
            let value = |u| pair().sample(&sampler, Vec2::new(u, 0.5), 0.0).x;
            assert_eq!([0.25, 0.75].map(value), [0.0, 1.0]);
        }
    }

    #[test]
    fn linear_filtering_interpolates_between_two_pixels() {
        let value = |u| pair().sample(&Sampler::default(), Vec2::new(u, 0.5), 0.0).x;
        assert_eq!([0.375, 0.5, 0.625].map(value), [0.25, 0.5, 0.75]);
        // With repetition, the edge lies between the last and the first pixel.
        assert_eq!([0.0, 0.125, 1.0].map(value), [0.5, 0.25, 0.5]);
    }

    #[test]
    fn srgb_is_filtered_in_linear_light() {
        let texture = Texture::new(2, 1, &[0, 0, 0, 255, 255, 255, 255, 255], true).unwrap();
        let middle = texture.sample(&Sampler::default(), Vec2::new(0.5, 0.5), 0.0).x;
        assert_eq!((middle, srgb::from_linear(middle)), (0.5, 188));
    }

    #[test]
    fn coordinates_beyond_the_edges_follow_the_wrap_mode() {
        let value = |wrap, u| pair().sample(&wrapped(wrap), Vec2::new(u, 0.5), 0.0).x;
        let coordinates = [-1.25, -0.75, -0.25, 0.25, 0.75, 1.25, 1.75, 2.25];
        let [repeat, mirror, clamp] = [Wrap::Repeat, Wrap::MirroredRepeat, Wrap::ClampToEdge]
            .map(|wrap| coordinates.map(|u| value(wrap, u)));
        assert_eq!(repeat, [1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0]);
        assert_eq!(mirror, [1.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0]);
        assert_eq!(clamp, [0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0]);
    }

    #[test]
    fn invalid_coordinates_give_a_valid_colour() {
        for u in [f32::NAN, f32::INFINITY, -1e38, 1e38, f32::MIN_POSITIVE, -f32::MIN_POSITIVE] {
            for wrap in [Wrap::Repeat, Wrap::MirroredRepeat, Wrap::ClampToEdge] {
                for level in [0.0, 0.5, 1e9, f32::INFINITY, f32::NAN] {
                    let value = pair().sample(&wrapped(wrap), Vec2::new(u, u), level);
                    assert!((0.0..=1.0).contains(&value.x), "{u} {wrap:?} {level}");
                }
            }
        }
    }

    #[test]
    fn the_last_mip_level_is_the_mean_of_all_pixels() {
        let bytes: Vec<u8> = (0..16)
            .flat_map(|i| [if i % 2 == 0 { 0 } else { 255 }; 3].into_iter().chain([255]))
            .collect();
        let texture = Texture::new(4, 4, &bytes, false).unwrap();
        let mean = texture.sample(&Sampler::default(), Vec2::ZERO, 2.0).x;
        assert_eq!(mean, 128.0 / 255.0);
    }

    #[test]
    fn an_image_whose_size_does_not_match_is_rejected() {
        assert!(Texture::new(0, 4, &[], true).is_none());
        assert!(Texture::new(2, 2, &[0; 12], true).is_none());
        assert!(Texture::new(u32::MAX, u32::MAX, &[0; 16], true).is_none());
    }
}
