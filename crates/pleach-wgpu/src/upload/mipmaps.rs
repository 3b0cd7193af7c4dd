//! Mip levels, computed in linear light and weighted by alpha, as pleach's CPU renderer computes them.
//!
//! On the CPU and not by draws: the levels have the same bits on every device, and sRGB formats need not
//! be renderable. Each level is half as wide and high as the one before, at least 1; the last column or
//! row of an odd size is dropped.

use std::sync::LazyLock;

/// One mip level of four bytes per pixel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MipLevel {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) pixels: Vec<[u8; 4]>,
}

impl MipLevel {
    /// Returns the first level of an image; `None` if it has no pixels, or another number than its
    /// size requires.
    pub(crate) fn new(width: u32, height: u32, bytes: &[u8]) -> Option<Self> {
        let (pixels, rest) = bytes.as_chunks::<4>();
        let count = u64::from(width) * u64::from(height);
        let matches = count > 0 && count == pixels.len() as u64 && rest.is_empty();
        matches.then(|| Self { width, height, pixels: pixels.to_vec() })
    }

    /// Returns the next level, or `None` after one of a single pixel.
    pub(crate) fn next(&self, is_srgb: bool) -> Option<Self> {
        if self.pixels.len() == 1 {
            return None;
        }
        let (width, height) = ((self.width / 2).max(1), (self.height / 2).max(1));
        let line = |y: u32| &self.pixels[y as usize * self.width as usize..][..self.width as usize];
        let mut pixels = Vec::with_capacity(width as usize * height as usize);
        for y in 0..height {
            let (upper, lower) = (line(2 * y), line((2 * y + 1).min(self.height - 1)));
            for x in 0..width {
                let (left, right) = (2 * x as usize, (2 * x + 1).min(self.width - 1) as usize);
                let block = [upper[left], upper[right], lower[left], lower[right]];
                pixels.push(average(block, is_srgb));
            }
        }
        Some(Self { width, height, pixels })
    }
}

/// Returns the mean of four pixels, weighted by alpha, so that pixels cut away by a mask do not tint its
/// edges.
fn average(pixels: [[u8; 4]; 4], is_srgb: bool) -> [u8; 4] {
    if pixels[1..].iter().all(|&pixel| pixel == pixels[0]) {
        return pixels[0];
    }
    let fraction = |byte: u8| f32::from(byte) / 255.0;
    let alphas = pixels.map(|pixel| fraction(pixel[3]));
    let alpha: f32 = alphas.iter().sum();
    let weights = if alpha > 0.0 { alphas.map(|it| it / alpha) } else { [0.25; 4] };
    let channel = |channel: usize| {
        let value =
            |byte: u8| if is_srgb { TABLES.linear[usize::from(byte)] } else { fraction(byte) };
        let weighted = pixels.iter().zip(weights).map(|(pixel, it)| value(pixel[channel]) * it);
        let mean: f32 = weighted.sum();
        if is_srgb { TABLES.encode(mean) } else { to_byte(mean) }
    };
    [channel(0), channel(1), channel(2), to_byte(alpha * 0.25)]
}

fn to_byte(number: f32) -> u8 {
    // The conversion saturates.
    (number * 255.0 + 0.5) as u8
}

/// sRGB by tables, which are computed in f64 by libm and thus the same everywhere.
struct Tables {
    /// The linear value of each byte.
    linear: [f32; 256],
    /// The smallest linear value that is encoded as the next byte.
    thresholds: [f32; 255],
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| Tables {
    linear: std::array::from_fn(|byte| decode(byte as f64 / 255.0) as f32),
    thresholds: std::array::from_fn(|byte| decode((byte as f64 + 0.5) / 255.0) as f32),
});

fn decode(encoded: f64) -> f64 {
    if encoded <= 0.04045 { encoded / 12.92 } else { libm::pow((encoded + 0.055) / 1.055, 2.4) }
}

impl Tables {
    fn encode(&self, light: f32) -> u8 {
        self.thresholds.partition_point(|&threshold| threshold <= light) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn srgb_is_averaged_in_linear_light() {
        let pixels = [[0, 0, 0, 255], [255, 255, 255, 255]].concat();
        let level = MipLevel::new(2, 1, &pixels).unwrap();
        assert_eq!(level.next(true).unwrap().pixels, [[188, 188, 188, 255]]);
        assert_eq!(level.next(false).unwrap().pixels, [[128, 128, 128, 255]]);
    }

    #[test]
    fn levels_end_with_a_single_pixel() {
        let mut level = MipLevel::new(5, 3, &[7; 60]);
        let mut sizes = Vec::new();
        while let Some(it) = level {
            sizes.push((it.width, it.height));
            level = it.next(true);
        }
        assert_eq!(sizes, [(5, 3), (2, 1), (1, 1)]);
    }

    #[test]
    fn transparent_pixels_do_not_tint_their_neighbours() {
        let pixels = [[200, 0, 0, 255], [0, 255, 0, 0]].concat();
        let level = MipLevel::new(2, 1, &pixels).unwrap().next(false).unwrap();
        assert_eq!(level.pixels, [[200, 0, 0, 128]]);
    }
}
