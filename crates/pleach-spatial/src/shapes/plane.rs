//! `Plane`: the border between inside and outside.
//!
//! Inside is where `normal · p + d >= 0`; the plane itself belongs to the inside.
//! With a normal of length 1, which every constructor but `new` sees to, that sum
//! is the distance from the plane. All sums are done in f64.

use glam::{DVec3, DVec4, Vec3};

use crate::Error;
use crate::error::Argument;

/// A plane with an inner side: all points `p` with `normal · p + d >= 0`.
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
    /// Points to the inner side. Of length 1, or zero for a plane at infinity.
    pub normal: Vec3,
    /// How far inside the origin is.
    pub d: f32,
}

impl Plane {
    /// So far away that every point is inside: normal 0, `d` 1.
    pub const AT_INFINITY: Self = Self { normal: Vec3::ZERO, d: 1.0 };

    /// The plane of these numbers, as they are given.
    #[must_use]
    pub const fn new(normal: Vec3, d: f32) -> Self {
        Self { normal, d }
    }

    /// The plane through a point, with the inner side where `normal` points; its
    /// length does not matter.
    ///
    /// # Errors
    ///
    /// If a number is not finite or the normal is zero.
    pub fn from_point_normal(point: Vec3, normal: Vec3) -> Result<Self, Error> {
        Argument::PlanePoint.check(&point.to_array())?;
        Argument::PlaneNormal.check(&normal.to_array())?;
        let normal = unit(normal.as_dvec3()).ok_or(Error::ZeroNormal)?;
        Ok(Self::rounded(normal.extend(-normal.dot(point.as_dvec3()))))
    }

    /// The same plane with a normal of length 1; [`AT_INFINITY`](Self::AT_INFINITY) if
    /// the normal is zero and `d` is not negative. `None` if a number is not finite,
    /// or if the normal is zero and nothing is inside.
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

    /// Are all four numbers finite?
    #[must_use]
    pub fn is_finite(&self) -> bool {
        self.normal.is_finite() && self.d.is_finite()
    }

    /// The same plane with inside and outside exchanged. [`AT_INFINITY`](Self::AT_INFINITY)
    /// has nothing inside then.
    #[must_use]
    pub fn flipped(&self) -> Self {
        Self { normal: -self.normal, d: -self.d }
    }

    /// How far inside a point is: negative outside, 0 on the plane. In lengths of the
    /// normal if that is not 1; always 1 from a plane at infinity.
    ///
    /// Computed in f64 and rounded once. A plane or point that is not finite is at
    /// −∞: nothing is inside.
    #[must_use]
    pub fn distance(&self, point: Vec3) -> f32 {
        self.signed_distance(point) as f32
    }

    /// Is the point on the inner side or on the plane? Never, if a number is not finite.
    #[must_use]
    pub fn contains_point(&self, point: Vec3) -> bool {
        self.signed_distance(point) >= 0.0
    }

    /// `distance` before it is rounded.
    pub(crate) fn signed_distance(&self, point: Vec3) -> f64 {
        if !self.is_finite() || !point.is_finite() {
            return f64::NEG_INFINITY;
        }
        self.normal.as_dvec3().dot(point.as_dvec3()) + f64::from(self.d)
    }

    /// The plane as normal and `d` in one.
    pub(crate) fn equation(&self) -> DVec4 {
        self.normal.as_dvec3().extend(f64::from(self.d))
    }

    /// Rounds a plane to f32. A `d` beyond what f32 can hold stops there.
    pub(crate) fn rounded(equation: DVec4) -> Self {
        const MAX: f64 = f32::MAX as f64;
        Self { normal: equation.truncate().as_vec3(), d: equation.w.clamp(-MAX, MAX) as f32 }
    }
}

/// The plane with a normal of length 1, which it must have.
pub(crate) fn normalized(equation: DVec4) -> DVec4 {
    equation / length(equation.truncate())
}

/// The vector with length 1, unless it is zero. It must be finite.
pub(crate) fn unit(vector: DVec3) -> Option<DVec3> {
    let length = length(vector);
    (length > 0.0).then(|| vector / length)
}

/// Numbers that come from f32 neither overflow nor vanish when squared in f64.
pub(crate) fn length(vector: DVec3) -> f64 {
    (vector.x * vector.x + vector.y * vector.y + vector.z * vector.z).sqrt()
}
