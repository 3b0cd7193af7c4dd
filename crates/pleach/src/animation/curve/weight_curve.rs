//! `WeightCurve`: the morph weights of one mesh over time.
//!
//! Like a `Curve`, but each key has as many numbers as there are morph targets,
//! which is known only at run time. Same invariant: checked once, then infallible.

use std::sync::Arc;

use super::Interpolation;
use super::key_times::{self as times, Cursor, Place};
use crate::animation::error::CurveError;
use crate::animation::interpolate::{self as value, Span};

/// Morph weights over time: several numbers for each key.
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
    /// A curve through keys: for each a time in seconds and its weights; with
    /// [`CubicSpline`](Interpolation::CubicSpline) all in-tangents of a key, then
    /// its weights, then all out-tangents, as glTF stores them. How many weights a
    /// key has follows from how many numbers there are.
    ///
    /// # Errors
    ///
    /// [`CurveError`] if there is no key, times decrease, the keys would not have
    /// the same number of weights (or none), or a number is not finite.
    pub fn new(
        interpolation: Interpolation,
        times: impl Into<Arc<[f32]>>,
        values: impl Into<Vec<f32>>,
    ) -> Result<Self, CurveError> {
        let (times, values) = (times.into(), values.into());
        if let Some(fault) = times::fault(&times) {
            return Err(fault);
        }
        let each = times.len() * interpolation.values_per_key();
        if values.is_empty() || values.len() % each != 0 {
            let (keys, values) = (times.len(), values.len());
            return Err(CurveError::WeightCount { interpolation, keys, values });
        }
        if let Some(index) = values.iter().position(|value| !value.is_finite()) {
            let value = values[index];
            return Err(CurveError::ValueNotFinite { index, component: None, value });
        }
        let width = values.len() / each;
        Ok(Self { interpolation, times, values: values.into_boxed_slice(), width })
    }

    /// How many weights it has.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// How it goes from key to key.
    #[must_use]
    pub fn interpolation(&self) -> Interpolation {
        self.interpolation
    }

    /// The times of its keys, in seconds.
    #[must_use]
    pub fn times(&self) -> &Arc<[f32]> {
        &self.times
    }

    /// The numbers of its keys, in the order that [`new`](Self::new) takes them.
    #[must_use]
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// Writes its weights at a moment, in seconds. Of buffers of different length
    /// the shorter one counts. Costs the logarithm of the number of keys.
    pub fn sample_into(&self, seconds: f32, weights: &mut [f32]) {
        self.sample_into_from(seconds, &mut Cursor::default(), weights);
    }

    /// As [`sample_into`](Self::sample_into), bit for bit, but looks first where
    /// the cursor was left: O(1) when time goes forward in small steps.
    pub fn sample_into_from(&self, seconds: f32, cursor: &mut Cursor, weights: &mut [f32]) {
        self.write(times::find(&self.times, seconds, cursor), weights);
    }

    /// Writes its weights at a place that was found in its times.
    pub(in crate::animation) fn write(&self, place: Place, weights: &mut [f32]) {
        let Place { key, part } = place;
        let from = self.values_of(key);
        if part <= 0.0 || self.interpolation == Interpolation::Step {
            for (weight, &from) in weights.iter_mut().zip(from) {
                *weight = from;
            }
            return;
        }
        let to = self.values_of(key + 1);
        if self.interpolation == Interpolation::Linear {
            for (weight, (&from, &to)) in weights.iter_mut().zip(from.iter().zip(to)) {
                *weight = value::lerp(from, to, part);
            }
            return;
        }
        let seconds = f64::from(self.times[key + 1]) - f64::from(self.times[key]);
        let basis = value::basis(part, seconds);
        let (leaving, arriving) = (self.row(key * 3 + 2), self.row(key * 3 + 3));
        for (index, weight) in weights.iter_mut().take(self.width).enumerate() {
            let (from, to) = (from[index], to[index]);
            let span = Span { from, out_tangent: leaving[index], to, in_tangent: arriving[index] };
            *weight = value::spline(span, basis);
        }
    }

    fn values_of(&self, key: usize) -> &[f32] {
        match self.interpolation {
            Interpolation::CubicSpline => self.row(key * 3 + 1),
            Interpolation::Step | Interpolation::Linear => self.row(key),
        }
    }

    fn row(&self, row: usize) -> &[f32] {
        &self.values[row * self.width..][..self.width]
    }

    pub(in crate::animation) fn set_times(&mut self, times: &Arc<[f32]>) {
        self.times = Arc::clone(times);
    }
}
