//! `Plane`: an oriented plane.
//!
//! A point is inside if `normal · p + d >= 0`, so the plane itself belongs to the inside. With a
//! normal of length 1, which every constructor but `new` ensures, that sum is the signed distance
//! from the plane. All sums are computed in f64.

use glam::{DVec4, Mat4, Vec3};
use pleach_graph::unit;

use crate::error::Argument;
use crate::shapes::vector::{affine_columns, length, saturated};
use crate::{Aabb, Containment, Error, Sphere};

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

    /// Creates the plane through three points. Its inside is where they are counterclockwise: where
    /// the front of the [`Triangle`](crate::Triangle) is.
    ///
    /// # Errors
    ///
    /// Returns an error if a number is not finite, or the points are on one line.
    ///
    /// ```
    /// use pleach_spatial::Plane;
    /// use pleach_spatial::glam::Vec3;
    ///
    /// let floor = Plane::from_points(Vec3::Z, Vec3::X + Vec3::Z, Vec3::Y + Vec3::Z)?;
    /// assert_eq!(floor, Plane::new(Vec3::Z, -1.0));
    /// # Ok::<(), pleach_spatial::Error>(())
    /// ```
    #[doc(alias("setFromCoplanarPoints", "Set3Points"))]
    pub fn from_points(a: Vec3, b: Vec3, c: Vec3) -> Result<Self, Error> {
        for point in [a, b, c] {
            Argument::PlanePoint.check(&point.to_array())?;
        }
        let [a, b, c] = [a, b, c].map(|point| point.as_dvec3());
        // Scaled first: the product of tiny sides would underflow, and be zero.
        let sides = unit(b - a).zip(unit(c - a));
        let normal = sides.and_then(|(b, c)| unit(b.cross(c))).ok_or(Error::ZeroNormal)?;
        Ok(Self::rounded(normal.extend(-normal.dot(a))))
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

    /// Returns the point of the plane that is closest to `point`, clamped to `f32::MAX`. The normal
    /// may have any length. Returns `None` for a plane at infinity, and if a number is not finite.
    ///
    /// ```
    /// use pleach_spatial::Plane;
    /// use pleach_spatial::glam::Vec3;
    ///
    /// let floor = Plane::new(Vec3::Z, -2.0);
    /// assert_eq!(floor.closest_point(Vec3::new(1.0, 4.0, 9.0)), Some(Vec3::new(1.0, 4.0, 2.0)));
    /// ```
    #[doc(alias("project", "projectPoint", "ClosestPointOnPlane"))]
    #[must_use]
    pub fn closest_point(&self, point: Vec3) -> Option<Vec3> {
        let normal = unit(self.normal.as_dvec3())?;
        let distance = self.signed_distance(point) / length(self.normal.as_dvec3());
        distance.is_finite().then(|| saturated(point.as_dvec3() - normal * distance))
    }

    /// Classifies a box: `Inside` if all of it is inside the plane, `Outside` if none of it is.
    /// Touching boxes are not outside.
    ///
    /// Computed in f64, without the slack of a [`Frustum`](crate::Frustum). An empty box is
    /// `Outside`, and so is every box for a plane that is not finite.
    ///
    /// ```
    /// use pleach_spatial::glam::Vec3;
    /// use pleach_spatial::{Aabb, Containment, Plane};
    ///
    /// let floor = Plane::new(Vec3::Z, 0.0);
    /// let cube = |z: f32| Aabb::from_center_half(Vec3::Z * z, Vec3::ONE);
    /// assert_eq!(floor.classify(&cube(1.0)), Containment::Inside);
    /// assert_eq!(floor.classify(&cube(0.5)), Containment::Intersects);
    /// assert_eq!(floor.classify(&cube(-1.5)), Containment::Outside);
    /// ```
    #[must_use]
    pub fn classify(&self, aabb: &Aabb) -> Containment {
        if aabb.is_empty() || !self.is_finite() {
            return Containment::Outside;
        }
        let (mut nearest, mut farthest) = (f64::from(self.d), f64::from(self.d));
        for axis in 0..3 {
            // Infinite boxes: a normal without this component does not limit them.
            if self.normal[axis] != 0.0 {
                let normal = f64::from(self.normal[axis]);
                let ends = [aabb.min, aabb.max].map(|corner| normal * f64::from(corner[axis]));
                nearest += ends[0].min(ends[1]);
                farthest += ends[0].max(ends[1]);
            }
        }
        Self::classified(nearest, farthest)
    }

    /// Classifies a sphere: `Inside` if all of it is inside the plane, `Outside` if none of it is.
    /// Touching spheres are not outside. Computed in f64. An empty sphere is `Outside`, and so is
    /// every sphere for a plane that is not finite.
    ///
    /// ```
    /// use pleach_spatial::glam::Vec3;
    /// use pleach_spatial::{Containment, Plane, Sphere};
    ///
    /// let floor = Plane::new(Vec3::Z, 0.0);
    /// assert_eq!(floor.classify_sphere(&Sphere::new(Vec3::Z, 1.0)), Containment::Inside);
    /// assert_eq!(floor.classify_sphere(&Sphere::new(Vec3::Z, 1.5)), Containment::Intersects);
    /// ```
    #[must_use]
    pub fn classify_sphere(&self, sphere: &Sphere) -> Containment {
        if sphere.is_empty() || !self.is_finite() {
            return Containment::Outside;
        }
        let distance = self.signed_distance(sphere.center);
        let radius = match length(self.normal.as_dvec3()) {
            // An infinite sphere would make it NaN.
            0.0 => 0.0,
            length => length * f64::from(sphere.radius),
        };
        Self::classified(distance - radius, distance + radius)
    }

    fn classified(nearest: f64, farthest: f64) -> Containment {
        match (nearest >= 0.0, farthest >= 0.0) {
            (true, _) => Containment::Inside,
            (false, true) => Containment::Intersects,
            (false, false) => Containment::Outside,
        }
    }

    /// Returns the plane transformed by an affine matrix: what is inside stays inside, also under a
    /// mirroring matrix. The normal of the result has length 1; `d` is clamped to `f32::MAX`. A
    /// plane at infinity stays there.
    ///
    /// Returns `None` if the matrix is singular (it maps the plane to everything or to less than a
    /// plane), if a number is not finite, or if nothing is inside the plane.
    ///
    /// ```
    /// use pleach_spatial::Plane;
    /// use pleach_spatial::glam::{Mat4, Vec3};
    ///
    /// let floor = Plane::new(Vec3::Z, -1.0);
    /// let moved = floor.transformed(&Mat4::from_translation(Vec3::new(5.0, 0.0, 2.0)));
    /// assert_eq!(moved, Some(Plane::new(Vec3::Z, -3.0)));
    /// assert_eq!(floor.transformed(&Mat4::from_scale(Vec3::new(1.0, 1.0, 0.0))), None);
    /// ```
    #[must_use]
    pub fn transformed(&self, matrix: &Mat4) -> Option<Self> {
        let [x, y, z, w] = affine_columns(matrix)?;
        // The columns of the inverse transpose, times the determinant.
        let cofactors = [y.cross(z), z.cross(x), x.cross(y)];
        let determinant = x.dot(cofactors[0]);
        if determinant == 0.0 {
            return None;
        }
        let plane = self.normalized()?;
        if plane.normal == Vec3::ZERO {
            return Some(plane);
        }
        let [p, q, r] = plane.normal.as_dvec3().to_array();
        let normal = cofactors[0] * p + cofactors[1] * q + cofactors[2] * r;
        let normal = if determinant < 0.0 { -normal } else { normal };
        unit(normal)?;
        let d = f64::from(plane.d) * determinant.abs() - normal.dot(w);
        Some(Self::rounded(normalized(normal.extend(d))))
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
