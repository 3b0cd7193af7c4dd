//! `EquirectangularImage`: a picture of all directions, as `.hdr` files hold it.
//!
//! The middle of the image looks along +X, its right half towards -Y, and the top row is +Z: glTF's
//! and three.js' orientation after the up axis became Z.

use std::f32::consts::{FRAC_1_PI, FRAC_PI_2, TAU};

use glam::Vec3;

use crate::environment::prefilter::sanitize;

/// A linear RGB image whose width covers 360° and whose height covers 180°.
///
/// ```
/// use pleach_shading::EquirectangularImage;
/// use pleach_shading::glam::Vec3;
///
/// let grey = EquirectangularImage::new(2, 1, vec![Vec3::splat(0.5); 2]);
/// assert!(grey.is_some());
/// assert_eq!(EquirectangularImage::new(2, 1, vec![]), None);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct EquirectangularImage {
    width: usize,
    height: usize,
    pixels: Vec<Vec3>,
}

impl EquirectangularImage {
    /// Creates an image of linear colours, in rows from the top. Returns `None` if there are no
    /// pixels, or not `width` × `height`.
    ///
    /// Colours that are negative or not finite become black when the image is filtered.
    #[must_use]
    pub fn new(width: usize, height: usize, pixels: Vec<Vec3>) -> Option<Self> {
        let is_valid = !pixels.is_empty() && width.checked_mul(height) == Some(pixels.len());
        is_valid.then_some(Self { width, height, pixels })
    }

    /// Returns the width in pixels.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// Returns the height in pixels.
    #[must_use]
    pub fn height(&self) -> usize {
        self.height
    }

    /// Returns the linear colours, in rows from the top.
    #[must_use]
    pub fn pixels(&self) -> &[Vec3] {
        &self.pixels
    }

    /// Returns the colour in a direction, with bilinear filtering. `direction` has length 1.
    pub(crate) fn sample(&self, direction: Vec3) -> Vec3 {
        let u = 0.5 + libm::atan2f(-direction.y, direction.x) / TAU;
        let v = (FRAC_PI_2 - libm::asinf(direction.z.clamp(-1.0, 1.0))) * FRAC_1_PI;
        let (x, y) = (u * self.width as f32 - 0.5, v * self.height as f32 - 0.5);
        let (left, top) = (x.floor(), y.floor());
        let (fx, fy) = (x - left, y - top);
        let columns = [left as i64, left as i64 + 1].map(|it| it.rem_euclid(self.width as i64));
        let rows = [top as i64, top as i64 + 1].map(|it| it.clamp(0, self.height as i64 - 1));
        let [upper, lower] = rows.map(|row| {
            let [a, b] =
                columns.map(|column| self.pixels[row as usize * self.width + column as usize]);
            a + (b - a) * fx
        });
        upper + (lower - upper) * fy
    }

    /// Returns the image with at most `max_width` × `max_height` pixels, each the mean of the area
    /// that it covers, so that small bright lights keep their energy; and without colours that are
    /// negative or not finite.
    pub(crate) fn reduced(&self, max_width: usize, max_height: usize) -> Self {
        let (width, height) = (self.width.min(max_width), self.height.min(max_height));
        let columns: Vec<Span> = (0..width).map(|x| Span::new(x, width, self.width)).collect();
        let mut pixels = Vec::with_capacity(width * height);
        for y in 0..height {
            let rows = Span::new(y, height, self.height);
            for span in &columns {
                let row_mean = |row: usize| {
                    let pixel = |x: usize| sanitize(self.pixels[row * self.width + x]);
                    span.mean(pixel)
                };
                pixels.push(rows.mean(row_mean));
            }
        }
        Self { width, height, pixels }
    }
}

/// The pixels that a larger pixel covers, with the fractions of the first and the last one.
struct Span {
    first: usize,
    last: usize,
    first_weight: f32,
    last_weight: f32,
    total: f32,
}

impl Span {
    fn new(index: usize, count: usize, size: usize) -> Self {
        let ratio = size as f64 / count as f64;
        let (start, end) = (index as f64 * ratio, (index + 1) as f64 * ratio);
        let first = (start as usize).min(size - 1);
        let last = ((end.ceil() as usize).saturating_sub(1)).clamp(first, size - 1);
        let first_weight = (1.0 - (start - first as f64)) as f32;
        let last_weight = (end - last as f64) as f32;
        Self { first, last, first_weight, last_weight, total: ratio as f32 }
    }

    fn mean(&self, value: impl Fn(usize) -> Vec3) -> Vec3 {
        if self.first == self.last {
            return value(self.first);
        }
        let mut sum = value(self.first) * self.first_weight + value(self.last) * self.last_weight;
        for i in self.first + 1..self.last {
            sum += value(i);
        }
        sum / self.total
    }
}
