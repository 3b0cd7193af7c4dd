//! `Plane`: an oriented plane.
//!
//! A point is inside if `normal · p + d >= 0`, so the plane itself belongs to the inside. With a
//! normal of length 1, which every constructor but `new` ensures, that sum is the signed distance
//! from the plane. All sums are computed in f64.

use glam::{DVec3, DVec4, Vec3};

use crate::Error;
use crate::error::Argument;

/// An oriented plane. The half-space inside it is all points `p` with `normal · p + d >= 0`.
///
/// ```
/// use pleach_spatial::Plane;
/// use pleach_spatial::glam::Vec3;
///
/// let floor = Plane::from_point_normal(Vec3::new(7.0, 7.0, 2.0), Vec3::new(0.0, 0.0, 9.0))?;
/// assert_eq!(floor, Plane::new(Vec3::Z, -2.0));
/// assert_eq!(floor.distance(Vec3::new(1.0, 1.0, 5.0)), 3.0);
/// assert_eq!(floor.distance(Vec3::ZERO), -2.0);
/// # Ok::<(), pleach_spatial::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    /// The normal, pointing inside: of length 1, or zero for a plane at infinity.
    pub normal: Vec3,
    /// The signed distance of the origin, positive inside.
    pub d: f32,
}

impl Plane {
    /// A plane at infinity, for which every point is inside: normal 0, `d` 1.
    pub const AT_INFINITY: Self = Self { normal: Vec3::ZERO, d: 1.0 };

    /// Creates a plane from its coefficients, without checks.
    #[must_use]
    pub const fn new(normal: Vec3, d: f32) -> Self {
        Self { normal, d }
    }

    /// Creates the plane through `point` whose inside is where `normal` points. The length of
    /// `normal` is irrelevant.
    ///
    /// # Errors
    ///
    /// Returns an error if a number is not finite or the normal is zero.
    pub fn from_point_normal(point: Vec3, normal: Vec3) -> Result<Self, Error> {
        Argument::PlanePoint.check(&point.to_array())?;
        Argument::PlaneNormal.check(&normal.to_array())?;
        let normal = unit(normal.as_dvec3()).ok_or(Error::ZeroNormal)?;
        Ok(Self::rounded(normal.extend(-normal.dot(point.as_dvec3()))))
    }

    /// Returns the plane with a normal of length 1, or [`AT_INFINITY`](Self::AT_INFINITY) if the
    /// normal is zero and `d` is not negative. Returns `None` if a number is not finite, or if the
    /// normal is zero and nothing is inside.
    #[must_use]
    pub fn normalized(&self) -> Option<Self> {
        if !self.is_finite() {
            return None;
        }
        match unit(self.normal.as_dvec3()) {
            Some(_) => Some(Self::rounded(normalized(self.equation()))),
            None => (self.d >= 0.0).then_some(Self::AT_INFINITY),
        }
    }

    /// Returns `true` if all four coefficients are finite.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        self.normal.is_finite() && self.d.is_finite()
    }

    /// Returns the plane with inside and outside exchanged. For [`AT_INFINITY`](Self::AT_INFINITY),
    /// nothing is inside the result.
    #[must_use]
    pub fn flipped(&self) -> Self {
        Self { normal: -self.normal, d: -self.d }
    }

    /// Returns the signed distance of a point: positive inside, negative outside, 0 on the plane.
    /// In multiples of the normal's length if that is not 1; always 1 for a plane at infinity.
    ///
    /// Computed in f64 and rounded once. Returns −∞ (outside) if the plane or the point is not
    /// finite.
    #[must_use]
    pub fn distance(&self, point: Vec3) -> f32 {
        self.signed_distance(point) as f32
    }

    /// Returns `true` if the point is inside or on the plane, and all numbers are finite.
    #[must_use]
    pub fn contains_point(&self, point: Vec3) -> bool {
        self.signed_distance(point) >= 0.0
    }

    /// Returns `distance` before it is rounded.
    pub(crate) fn signed_distance(&self, point: Vec3) -> f64 {
        if !self.is_finite() || !point.is_finite() {
            return f64::NEG_INFINITY;
        }
        self.normal.as_dvec3().dot(point.as_dvec3()) + f64::from(self.d)
    }

    /// Returns the normal and `d` as one vector.
    pub(crate) fn equation(&self) -> DVec4 {
        self.normal.as_dvec3().extend(f64::from(self.d))
    }

    /// Rounds a plane to f32. `d` is clamped to the range of f32.
    pub(crate) fn rounded(equation: DVec4) -> Self {
        const MAX: f64 = f32::MAX as f64;
        Self { normal: equation.truncate().as_vec3(), d: equation.w.clamp(-MAX, MAX) as f32 }
    }
}

/// Scales a plane to a normal of length 1. The normal must not be zero.
pub(crate) fn normalized(equation: DVec4) -> DVec4 {
    equation / length(equation.truncate())
}

/// Returns the vector scaled to length 1, or `None` if it is zero. It must be finite.
pub(crate) fn unit(vector: DVec3) -> Option<DVec3> {
    let length = length(vector);
    (length > 0.0).then(|| vector / length)
}

/// Returns the length. Squares of numbers from f32 neither overflow nor underflow in f64.
pub(crate) fn length(vector: DVec3) -> f64 {
    (vector.x * vector.x + vector.y * vector.y + vector.z * vector.z).sqrt()
}
