//! `Curve<T>`: one value over time, from keys.
//!
//! Invariant: what a curve was made of is checked once, in `new`; reading it
//! cannot fail, and finite keys never yield an infinity or a NaN. A curve is
//! never written after that, so any number of players may read one.

mod key_times;
mod weight_curve;

use std::sync::Arc;

use super::error::CurveError;
use super::interpolate::{self, Segment, Value};

pub use key_times::Cursor;
pub(super) use key_times::{KeyPosition, find};
pub use weight_curve::WeightCurve;

/// How a curve goes from key to key: glTF's three ways.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Interpolation {
    /// It keeps each key's value until the next key.
    Step,
    /// Straight from value to value; rotations turn the shortest way at even speed.
    #[default]
    Linear,
    /// A cubic spline. Each key has three values: the tangent it is reached with,
    /// its value, and the tangent it is left with. Tangents are in units a second.
    CubicSpline,
}

impl Interpolation {
    /// How many values a key has.
    #[must_use]
    pub const fn values_per_key(self) -> usize {
        match self {
            Self::Step | Self::Linear => 1,
            Self::CubicSpline => 3,
        }
    }

    pub(in crate::animation) fn layout(self) -> &'static str {
        match self {
            Self::Step | Self::Linear => "",
            Self::CubicSpline => " (in-tangent, value and out-tangent for each)",
        }
    }
}

/// A value over time: [`Vec3`](glam::Vec3) for translations and scales,
/// [`Quat`](glam::Quat) for rotations. For morph weights there is
/// [`WeightCurve`](super::WeightCurve).
///
/// Before its first key a curve has that key's value, after its last key the
/// last one's. Keys may share a time: then the last of them counts from that time
/// on, which makes a jump.
///
/// ```
/// use pleach::animation::{Curve, Interpolation};
/// use pleach::glam::Vec3;
///
/// let lift = Curve::new(Interpolation::Linear, [1.0, 3.0], [Vec3::ZERO, Vec3::Z])?;
/// assert_eq!(lift.sample(2.5), Vec3::new(0.0, 0.0, 0.75));
/// assert_eq!((lift.sample(0.0), lift.sample(9.0)), (Vec3::ZERO, Vec3::Z));
/// # Ok::<(), pleach::animation::CurveError>(())
/// ```
///
/// Curves with the same times may share them: hand clones of one `Arc<[f32]>` to
/// each. A [`Clip`](super::Clip) sees to that by itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve<T> {
    interpolation: Interpolation,
    times: Arc<[f32]>,
    values: Box<[T]>,
    /// For rotations without tangents: the angle from each key to the next.
    angles: Box<[f32]>,
}

impl<T: Value> Curve<T> {
    /// A curve through keys: a time in seconds and a value for each, or three
    /// values with [`CubicSpline`](Interpolation::CubicSpline).
    ///
    /// Rotations without tangents are normalised, unless they are units already
    /// but for rounding; then they are kept bit for bit. (With tangents the result
    /// is normalised instead, as glTF has it.)
    ///
    /// # Errors
    ///
    /// [`CurveError`] if there is no key, times decrease, the number of values
    /// does not fit, a number is not finite, or a rotation is 0 0 0 0.
    pub fn new(
        interpolation: Interpolation,
        times: impl Into<Arc<[f32]>>,
        values: impl Into<Vec<T>>,
    ) -> Result<Self, CurveError> {
        let (times, mut values) = (times.into(), values.into());
        if let Some(error) = key_times::validate(&times) {
            return Err(error);
        }
        if values.len() != times.len() * interpolation.values_per_key() {
            let (keys, values) = (times.len(), values.len());
            return Err(CurveError::ValueCount { interpolation, keys, values });
        }
        for (index, value) in values.iter().enumerate() {
            let components = value.components();
            if let Some(axis) = components[..T::COMPONENTS].iter().position(|it| !it.is_finite()) {
                let (component, value) = (Some(axis), components[axis]);
                return Err(CurveError::ValueNotFinite { index, component, value });
            }
        }
        let mut angles = Vec::new();
        if interpolation != Interpolation::CubicSpline {
            for (index, value) in values.iter_mut().enumerate() {
                *value = value.normalized(index)?;
            }
            angles = values.windows(2).filter_map(|it| T::angle_between(it[0], it[1])).collect();
        }
        let (values, angles) = (values.into_boxed_slice(), angles.into_boxed_slice());
        Ok(Self { interpolation, times, values, angles })
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

    /// The values of its keys, three for each key of a
    /// [`CubicSpline`](Interpolation::CubicSpline).
    #[must_use]
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// Its value at a moment, in seconds. Costs the logarithm of the number of keys.
    #[must_use]
    pub fn sample(&self, seconds: f32) -> T {
        self.sample_with_cursor(seconds, &mut Cursor::default())
    }

    /// As [`sample`](Self::sample), bit for bit, but looks first where the cursor
    /// was left: O(1) when time goes forward in small steps.
    #[must_use]
    pub fn sample_with_cursor(&self, seconds: f32, cursor: &mut Cursor) -> T {
        self.at(find(&self.times, seconds, cursor))
    }

    /// Its value at a place that was found in its times.
    #[inline]
    pub(in crate::animation) fn at(&self, position: KeyPosition) -> T {
        let KeyPosition { key, t } = position;
        match self.interpolation {
            Interpolation::CubicSpline => self.spline(position),
            Interpolation::Linear if t > 0.0 => {
                let angle = self.angles.get(key).copied().unwrap_or(0.0);
                T::linear(self.values[key], self.values[key + 1], angle, t)
            }
            _ => self.values[key],
        }
    }

    fn spline(&self, position: KeyPosition) -> T {
        let KeyPosition { key, t } = position;
        let start = self.values[key * 3 + 1];
        if t <= 0.0 {
            return start.at_key();
        }
        let seconds = f64::from(self.times[key + 1]) - f64::from(self.times[key]);
        let [out_tangent, in_tangent, end] = [2, 3, 4].map(|offset| self.values[key * 3 + offset]);
        let segment = Segment { start, out_tangent, end, in_tangent };
        T::spline(segment, interpolate::hermite_basis(t, seconds))
    }

    pub(in crate::animation) fn set_times(&mut self, times: &Arc<[f32]>) {
        self.times = Arc::clone(times);
    }
}
