//! Curves: keys in, a value at a time out.
//!
//! `Curve<T>` holds one value per key, `weight_curve.rs` several morph weights per key;
//! `key_times.rs` finds the keys around a time.
//!
//! Invariant: keys are validated once, in `new`; sampling cannot fail, and finite keys
//! never yield an infinity or a NaN. A curve is immutable after that, so any number of
//! players may read it.

mod key_times;
mod weight_curve;

use std::sync::Arc;

use super::error::CurveError;
use super::interpolate::{self, Segment, Value};

pub use key_times::Cursor;
pub(super) use key_times::{KeyPosition, find, find_from};
pub use weight_curve::WeightCurve;

/// The interpolation between keys: the three modes of glTF.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Interpolation {
    /// Each key's value is held until the next key.
    Step,
    /// Linear interpolation; rotations use spherical linear interpolation along the shortest path.
    #[default]
    Linear,
    /// A cubic Hermite spline. Each key has three values: in-tangent, value and
    /// out-tangent. Tangents are in units per second.
    CubicSpline,
}

impl Interpolation {
    /// Returns the number of values per key.
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
/// last key's. Keys may share a time: from that time on the last of them applies, so the
/// curve jumps.
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
/// Curves with equal times can share them: pass clones of one `Arc<[f32]>` to each. A
/// [`Clip`](super::Clip) shares equal times automatically.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve<T> {
    interpolation: Interpolation,
    times: Arc<[f32]>,
    values: Box<[T]>,
    /// For rotations without tangents: the angle from each key to the next, in radians.
    angles: Box<[f32]>,
}

impl<T: Value> Curve<T> {
    /// Creates a curve from keys: a time in seconds and a value per key, or three
    /// values with [`CubicSpline`](Interpolation::CubicSpline).
    ///
    /// Rotations without tangents are normalized, unless they already have unit length
    /// up to rounding; then they are kept bit for bit. (With tangents the result
    /// is normalized instead, as glTF specifies.)
    ///
    /// # Errors
    ///
    /// [`CurveError`] if there are no keys, times decrease, the number of values
    /// does not match, a number is not finite, or a rotation is the zero quaternion.
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

    /// Returns the values of the keys, three per key of a
    /// [`CubicSpline`](Interpolation::CubicSpline).
    #[must_use]
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// Returns the value at a time in seconds. O(log n) in the number of keys.
    #[must_use]
    pub fn sample(&self, seconds: f32) -> T {
        self.sample_with_cursor(seconds, &mut Cursor::default())
    }

    /// Returns the same value as [`sample`](Self::sample), bit for bit, but starts the
    /// search at the cursor: O(1) when time advances in small steps.
    #[must_use]
    pub fn sample_with_cursor(&self, seconds: f32, cursor: &mut Cursor) -> T {
        self.at(find(&self.times, seconds, cursor))
    }

    /// Returns the value at a position that was found in the key times.
    #[inline]
    pub(in crate::animation) fn at(&self, position: KeyPosition) -> T {
        let KeyPosition { key, t } = position;
        match self.interpolation {
            Interpolation::CubicSpline => self.spline(position),
            Interpolation::Linear if t > 0.0 => {
                T::linear(self.values[key], self.values[key + 1], self.angle(key), t)
            }
            _ => self.values[key],
        }
    }

    /// Returns the angle from a key to the next; 0 if there is none.
    #[inline]
    pub(in crate::animation) fn angle(&self, key: usize) -> f32 {
        self.angles.get(key).copied().unwrap_or(0.0)
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
