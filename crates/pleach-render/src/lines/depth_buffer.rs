//! `DepthBuffer`: occlusion of lines by the surface distances of a picture.
//!
//! The distance of a line on a surface differs from the distance at the pixel's centre by the slope
//! of the surface, which is estimated from the neighbouring pixels.

use pleach_shading::overlay::OCCLUSION_TOLERANCE;

/// The surface distances of a picture.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DepthBuffer<'a> {
    width: usize,
    distances: &'a [f32],
}

impl<'a> DepthBuffer<'a> {
    /// Wraps distances in rows of `width`, which must not be 0.
    pub(crate) fn new(width: usize, distances: &'a [f32]) -> Self {
        Self { width, distances }
    }

    /// Returns `true` if a surface occludes a line at this distance, at a pixel whose centre is at
    /// most `radius` pixels from the line.
    pub(crate) fn occludes(&self, x: usize, y: usize, distance: f64, radius: f64) -> bool {
        let pixel = y * self.width + x;
        let surface = f64::from(self.distances[pixel]);
        // The most frequent case, and the result where there is no surface.
        if distance <= surface * (1.0 + OCCLUSION_TOLERANCE) {
            return false;
        }
        let slope = |step: usize| {
            let before = pixel.checked_sub(step).map(|pixel| self.distances[pixel]);
            let after = self.distances.get(pixel + step).copied();
            // At a silhouette one neighbour belongs to another surface.
            let difference = |other: Option<f32>| {
                let difference = (f64::from(other.unwrap_or(f32::INFINITY)) - surface).abs();
                if difference.is_finite() { difference } else { f64::INFINITY }
            };
            let smallest = difference(before).min(difference(after));
            if smallest.is_finite() { smallest } else { 0.0 }
        };
        distance > surface * (1.0 + OCCLUSION_TOLERANCE) + (slope(1) + slope(self.width)) * radius
    }
}
