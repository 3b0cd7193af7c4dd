//! What is in front of lines: the distances of a picture.
//!
//! A line on a surface is a little before or behind what the ray through a pixel's middle meets, as
//! that is beside the line: by the slope of the surface, which the pixels around tell.

/// How far behind a surface a line may be and count as on it, as a part of the distance:
/// far more than rounding takes, and far less than what can be told apart by eye.
const TOLERANCE: f64 = 1e-4;

/// The distances of a picture.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DepthBuffer<'a> {
    width: usize,
    distances: &'a [f32],
}

impl<'a> DepthBuffer<'a> {
    /// Row by row, so many in each, which is not 0.
    pub(crate) fn new(width: usize, distances: &'a [f32]) -> Self {
        Self { width, distances }
    }

    /// Is something in front of a line that is this far away at a pixel, whose middle is no more
    /// than `reach` pixels beside it?
    pub(crate) fn occludes(&self, x: usize, y: usize, distance: f64, radius: f64) -> bool {
        let pixel = y * self.width + x;
        let surface = f64::from(self.distances[pixel]);
        // So is most often the answer, and so it is where nothing is.
        if distance <= surface * (1.0 + TOLERANCE) {
            return false;
        }
        let slope = |step: usize| {
            let before = pixel.checked_sub(step).map(|pixel| self.distances[pixel]);
            let after = self.distances.get(pixel + step).copied();
            // At the edge of a thing one of them is of another.
            let step = |other: Option<f32>| {
                let step = (f64::from(other.unwrap_or(f32::INFINITY)) - surface).abs();
                if step.is_finite() { step } else { f64::INFINITY }
            };
            let smallest = step(before).min(step(after));
            if smallest.is_finite() { smallest } else { 0.0 }
        };
        distance > surface * (1.0 + TOLERANCE) + (slope(1) + slope(self.width)) * radius
    }
}
