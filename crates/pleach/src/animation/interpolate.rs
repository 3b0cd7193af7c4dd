//! Interpolation between two keys.
//!
//! Sums are computed in f64 and clamped to finite f32, so finite keys cannot overflow,
//! and a value between two equal keys is exactly that value: a channel with a constant
//! value marks no node dirty.

use std::fmt;

use glam::{DVec4, Quat, Vec3};

use super::error::CurveError;
use super::rotation;

/// A type that a [`Curve`](super::Curve) can interpolate: `Vec3` for translations and
/// scales, `Quat` for rotations.
pub trait Value: Copy + fmt::Debug + PartialEq + Send + Sync + 'static + Interpolated {}

impl Value for Vec3 {}
impl Value for Quat {}

/// The sealed part of [`Value`]; other crates cannot implement it.
pub trait Interpolated: Sized {
    /// The number of components of a value.
    const COMPONENTS: usize;

    /// Returns the components; those past [`COMPONENTS`](Self::COMPONENTS) are 0.
    fn components(&self) -> [f32; 4];

    /// Returns the value as stored in curves without tangents: rotations normalized.
    fn normalized(self, index: usize) -> Result<Self, CurveError>;

    /// Returns the angle between two rotations, precomputed for [`linear`](Self::linear).
    fn angle_between(from: Self, to: Self) -> Option<f32>;

    /// Interpolates linearly between two keys.
    fn linear(from: Self, to: Self, angle: f32, t: f32) -> Self;

    /// Returns the value at a key with tangents.
    fn at_key(self) -> Self;

    /// Interpolates between two keys with tangents.
    fn spline(segment: Segment<Self>, basis: [f64; 4]) -> Self;
}

/// A segment between two keys of a cubic spline.
#[derive(Clone, Copy, Debug)]
pub struct Segment<T> {
    /// The value of the first key.
    pub start: T,
    /// The out-tangent of the first key.
    pub out_tangent: T,
    /// The value of the second key.
    pub end: T,
    /// The in-tangent of the second key.
    pub in_tangent: T,
}

/// Computes the weights of the four values of a [`Segment`] of length `seconds` at the
/// fraction `t`: the cubic Hermite basis of glTF.
#[inline]
pub(super) fn hermite_basis(t: f32, seconds: f64) -> [f64; 4] {
    let t = f64::from(t);
    let (tt, ttt) = (t * t, t * t * t);
    [
        2.0 * ttt - 3.0 * tt + 1.0,
        seconds * (ttt - 2.0 * tt + t),
        3.0 * tt - 2.0 * ttt,
        seconds * (ttt - tt),
    ]
}

#[inline]
pub(super) fn lerp(from: f32, to: f32, t: f32) -> f32 {
    let (from, to) = (f64::from(from), f64::from(to));
    (from + (to - from) * f64::from(t)) as f32
}

#[inline]
pub(super) fn lerp3(from: Vec3, to: Vec3, t: f32) -> Vec3 {
    Vec3::new(lerp(from.x, to.x, t), lerp(from.y, to.y, t), lerp(from.z, to.z, t))
}

/// Computes `base + (to - from) * t`, clamped to finite numbers.
pub(super) fn add_scaled_difference(base: f32, from: f32, to: f32, t: f32) -> f32 {
    saturate(f64::from(base) + (f64::from(to) - f64::from(from)) * f64::from(t))
}

#[inline]
pub(super) fn spline(segment: Segment<f32>, basis: [f64; 4]) -> f32 {
    let terms =
        [segment.start, segment.out_tangent, segment.end, segment.in_tangent].map(f64::from);
    saturate(
        (terms[0] * basis[0] + terms[2] * basis[2]) + (terms[1] * basis[1] + terms[3] * basis[3]),
    )
}

fn saturate(number: f64) -> f32 {
    (number as f32).clamp(f32::MIN, f32::MAX)
}

impl Interpolated for Vec3 {
    const COMPONENTS: usize = 3;

    fn components(&self) -> [f32; 4] {
        [self.x, self.y, self.z, 0.0]
    }

    fn normalized(self, _: usize) -> Result<Self, CurveError> {
        Ok(self)
    }

    fn angle_between(_: Self, _: Self) -> Option<f32> {
        None
    }

    #[inline]
    fn linear(from: Self, to: Self, _: f32, t: f32) -> Self {
        lerp3(from, to, t)
    }

    #[inline]
    fn at_key(self) -> Self {
        self
    }

    #[inline]
    fn spline(segment: Segment<Self>, basis: [f64; 4]) -> Self {
        let Segment { start, out_tangent, end, in_tangent } = segment;
        Self::from_array(std::array::from_fn(|axis| {
            let (start, out_tangent) = (start[axis], out_tangent[axis]);
            let (end, in_tangent) = (end[axis], in_tangent[axis]);
            spline(Segment { start, out_tangent, end, in_tangent }, basis)
        }))
    }
}

impl Interpolated for Quat {
    const COMPONENTS: usize = 4;

    fn components(&self) -> [f32; 4] {
        self.to_array()
    }

    fn normalized(self, index: usize) -> Result<Self, CurveError> {
        rotation::normalize(self).ok_or(CurveError::ZeroRotation { index })
    }

    fn angle_between(from: Self, to: Self) -> Option<f32> {
        Some(rotation::angle(from, to))
    }

    #[inline]
    fn linear(from: Self, to: Self, angle: f32, t: f32) -> Self {
        rotation::slerp(from, to, angle, t)
    }

    fn at_key(self) -> Self {
        rotation::normalize(self).unwrap_or(Self::IDENTITY)
    }

    #[inline]
    fn spline(segment: Segment<Self>, basis: [f64; 4]) -> Self {
        let Segment { start, out_tangent, end, in_tangent } = segment;
        let terms: [DVec4; 4] = [start, out_tangent, end, in_tangent].map(rotation::to_f64);
        let sum = (terms[0] * basis[0] + terms[2] * basis[2])
            + (terms[1] * basis[1] + terms[3] * basis[3]);
        // A spline may pass through the zero quaternion, which is not a rotation.
        rotation::normalize64(sum).unwrap_or_else(|| start.at_key())
    }
}
