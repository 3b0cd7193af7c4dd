//! `TransmissionBuffer`: the picture of everything that is not transmissive, which is seen through
//! transmissive surfaces.
//!
//! Pixels are colours after tone mapping, premultiplied by alpha, with mip levels: each is half the
//! size of the one before, rounded down, and each pixel the mean of four. Rough glass reads a higher
//! level.
//!
//! Invariant: there is at least one level, and each has at least one pixel.

use glam::{Vec2, Vec4};

use crate::threads;

/// A picture and its mip levels.
#[derive(Debug)]
pub(crate) struct TransmissionBuffer {
    levels: Vec<Level>,
}

#[derive(Debug)]
struct Level {
    width: usize,
    height: usize,
    pixels: Vec<Vec4>,
}

impl TransmissionBuffer {
    /// Creates the mip levels of a picture, row by row; `width` must not be 0.
    pub(crate) fn new(width: usize, pixels: Vec<Vec4>) -> Self {
        let mut levels = vec![Level { width, height: pixels.len() / width, pixels }];
        while let Some(last) = levels.last().filter(|it| it.width > 1 || it.height > 1) {
            levels.push(last.halved());
        }
        Self { levels }
    }

    /// Returns the width in pixels.
    pub(crate) fn width(&self) -> f32 {
        self.levels[0].width as f32
    }

    /// Samples the picture at pixel coordinates, linearly between pixels and levels. Coordinates
    /// outside of the picture are moved to its edge.
    pub(crate) fn sample(&self, at: Vec2, lod: f32) -> Vec4 {
        let size = Vec2::new(self.levels[0].width as f32, self.levels[0].height as f32);
        let at = (at / size).clamp(Vec2::ZERO, Vec2::ONE);
        let lod = lod.clamp(0.0, (self.levels.len() - 1) as f32);
        let (level, fraction) = (lod as usize, lod.fract());
        let near = self.levels[level].sample(at);
        if fraction == 0.0 {
            return near;
        }
        near + (self.levels[level + 1].sample(at) - near) * fraction
    }
}

impl Level {
    fn sample(&self, at: Vec2) -> Vec4 {
        let position = |at: f32, size: usize| {
            let position = (at * size as f32 - 0.5).clamp(0.0, (size - 1) as f32);
            let first = position as usize;
            (first, (first + 1).min(size - 1), position - first as f32)
        };
        let (left, right, across) = position(at.x, self.width);
        let (top, bottom, down) = position(at.y, self.height);
        let pixel = |x: usize, y: usize| self.pixels[y * self.width + x];
        let row = |y: usize| pixel(left, y) + (pixel(right, y) - pixel(left, y)) * across;
        row(top) + (row(bottom) - row(top)) * down
    }

    fn halved(&self) -> Self {
        let (width, height) = ((self.width / 2).max(1), (self.height / 2).max(1));
        let mut pixels = vec![Vec4::ZERO; width * height];
        threads::for_each_chunk(
            &mut pixels,
            width,
            || (),
            |(), y, row| {
                let rows = [2 * y, 2 * y + 1].map(|y| y.min(self.height - 1) * self.width);
                for (x, pixel) in row.iter_mut().enumerate() {
                    let columns = [2 * x, 2 * x + 1].map(|x| x.min(self.width - 1));
                    let pair =
                        |row: usize| self.pixels[row + columns[0]] + self.pixels[row + columns[1]];
                    *pixel = (pair(rows[0]) + pair(rows[1])) * 0.25;
                }
            },
        );
        Self { width, height, pixels }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_means_and_samples_at_centres_are_pixels() {
        let pixels: Vec<Vec4> = (0..24).map(|i| Vec4::splat(i as f32)).collect();
        let buffer = TransmissionBuffer::new(6, pixels.clone());
        let sizes: Vec<_> = buffer.levels.iter().map(|it| (it.width, it.height)).collect();
        assert_eq!(sizes, [(6, 4), (3, 2), (1, 1)]);
        for (i, pixel) in pixels.iter().enumerate() {
            let center = Vec2::new((i % 6) as f32 + 0.5, (i / 6) as f32 + 0.5);
            assert!((buffer.sample(center, 0.0) - *pixel).abs().max_element() < 1e-4, "{i}");
        }
        // The mean of rows 0 and 1, columns 0 and 1.
        assert_eq!(buffer.sample(Vec2::ONE, 1.0), Vec4::splat(3.5));
        let halfway = buffer.sample(Vec2::new(1.0, 1.0), 0.5);
        assert_eq!(halfway, Vec4::splat(3.5));
        assert_eq!(buffer.sample(Vec2::splat(-9.0), 0.0), Vec4::ZERO);
        assert_eq!(buffer.sample(Vec2::splat(99.0), 0.0), Vec4::splat(23.0));
        assert!(buffer.sample(Vec2::ZERO, 1e9).is_finite());
    }
}
