//! `WeightCurve`: the morph weights of one mesh over time.
//!
//! Like a `Curve`, but each key has one number per morph target, whose count is known
//! only at run time. Same invariant: validated once, then infallible.

use std::sync::Arc;

use super::Interpolation;
use super::key_times::{self, Cursor, KeyPosition};
use crate::animation::error::CurveError;
use crate::animation::interpolate::{self, Segment};

/// Morph weights over time: several weights per key.
///
/// ```
/// use pleach::animation::{Interpolation, WeightCurve};
///
/// // Two keys of three weights each.
/// let smile = WeightCurve::new(
///     Interpolation::Linear,
///     [0.0, 2.0],
///     [0.0, 0.0, 1.0, /* then */ 1.0, 0.0, 0.5],
/// )?;
/// let mut weights = [0.0; 3];
/// smile.sample_into(1.0, &mut weights);
/// assert_eq!(weights, [0.5, 0.0, 0.75]);
/// # Ok::<(), pleach::animation::CurveError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct WeightCurve {
    interpolation: Interpolation,
    times: Arc<[f32]>,
    values: Box<[f32]>,
    width: usize,
}

impl WeightCurve {
    /// Creates a curve from the times of the keys in seconds and their weights, key by key.
    /// With [`CubicSpline`](Interpolation::CubicSpline) each key has all in-tangents, then
    /// its weights, then all out-tangents, as in glTF. The number of weights per key
    /// follows from the number of values.
    ///
    /// # Errors
    ///
    /// [`CurveError`] if there are no keys, times decrease, the values do not divide into
    /// an equal number of weights per key, or a number is not finite.
    pub fn new(
        interpolation: Interpolation,
        times: impl Into<Arc<[f32]>>,
        values: impl Into<Vec<f32>>,
    ) -> Result<Self, CurveError> {
        let (times, values) = (times.into(), values.into());
        if let Some(error) = key_times::validate(&times) {
            return Err(error);
        }
        let values_per_weight = times.len() * interpolation.values_per_key();
        if values.is_empty() || values.len() % values_per_weight != 0 {
            let (keys, values) = (times.len(), values.len());
            return Err(CurveError::WeightCount { interpolation, keys, values });
        }
        if let Some(index) = values.iter().position(|value| !value.is_finite()) {
            let value = values[index];
            return Err(CurveError::ValueNotFinite { index, component: None, value });
        }
        let width = values.len() / values_per_weight;
        Ok(Self { interpolation, times, values: values.into_boxed_slice(), width })
    }

    /// Returns the number of weights per key.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// Returns the interpolation.
    #[must_use]
    pub fn interpolation(&self) -> Interpolation {
        self.interpolation
    }

    /// Returns the times of the keys, in seconds.
    #[must_use]
    pub fn times(&self) -> &Arc<[f32]> {
        &self.times
    }

    /// Returns the values of the keys, in the order that [`new`](Self::new) takes them.
    #[must_use]
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// Writes the weights at a time in seconds, clamped to the first and last key. If
    /// `weights` is shorter than [`width`](Self::width), the rest is dropped; if it is
    /// longer, the rest is unchanged. O(log n) in the number of keys.
    pub fn sample_into(&self, seconds: f32, weights: &mut [f32]) {
        self.sample_into_with_cursor(seconds, &mut Cursor::default(), weights);
    }

    /// Writes the same weights as [`sample_into`](Self::sample_into), bit for bit, but starts
    /// the search at the cursor: O(1) when time advances in small steps.
    pub fn sample_into_with_cursor(&self, seconds: f32, cursor: &mut Cursor, weights: &mut [f32]) {
        self.write(key_times::find(&self.times, seconds, cursor), weights);
    }

    /// Writes the weights at a position that was found in the key times.
    pub(in crate::animation) fn write(&self, position: KeyPosition, weights: &mut [f32]) {
        let KeyPosition { key, t } = position;
        let start = self.key_values(key);
        if t <= 0.0 || self.interpolation == Interpolation::Step {
            for (weight, &start) in weights.iter_mut().zip(start) {
                *weight = start;
            }
            return;
        }
        let end = self.key_values(key + 1);
        if self.interpolation == Interpolation::Linear {
            for (weight, (&start, &end)) in weights.iter_mut().zip(start.iter().zip(end)) {
                *weight = interpolate::lerp(start, end, t);
            }
            return;
        }
        let seconds = f64::from(self.times[key + 1]) - f64::from(self.times[key]);
        let basis = interpolate::hermite_basis(t, seconds);
        let [out_tangents, in_tangents] = [2, 3].map(|offset| self.values_at(key * 3 + offset));
        for (index, weight) in weights.iter_mut().take(self.width).enumerate() {
            let (start, end) = (start[index], end[index]);
            let (out_tangent, in_tangent) = (out_tangents[index], in_tangents[index]);
            let segment = Segment { start, out_tangent, end, in_tangent };
            *weight = interpolate::spline(segment, basis);
        }
    }

    fn key_values(&self, key: usize) -> &[f32] {
        match self.interpolation {
            Interpolation::CubicSpline => self.values_at(key * 3 + 1),
            Interpolation::Step | Interpolation::Linear => self.values_at(key),
        }
    }

    fn values_at(&self, index: usize) -> &[f32] {
        &self.values[index * self.width..][..self.width]
    }

    pub(in crate::animation) fn set_times(&mut self, times: &Arc<[f32]>) {
        self.times = Arc::clone(times);
    }
}
