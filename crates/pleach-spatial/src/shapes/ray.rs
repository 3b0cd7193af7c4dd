//! `Ray`: a half-line or a segment.
//!
//! Distances along a ray are multiples of the length of its direction, which is 1 to within the
//! rounding of f32. Everything is computed in f64 from the ray's f32 numbers and rounded once at
//! the end.
//!
//! Invariant: origin and direction are finite, the direction has length 1, and the maximum
//! distance is not NaN.

use glam::{DVec3, Mat4, Vec3};
use pleach_graph::unit;

use crate::error::Argument;
use crate::shapes::vector::{
    affine_columns, closest_on_segment, length, saturated, transformed_point, transformed_vector,
};
use crate::{Aabb, Error, Plane, Sphere};

/// A ray: an origin, a direction and a maximum distance.
///
/// ```
/// use pleach_spatial::{Aabb, Ray};
/// use pleach_spatial::glam::Vec3;
///
/// let ray = Ray::new(Vec3::new(0.0, -5.0, 0.0), Vec3::new(0.0, 3.0, 0.0))?;
/// let cube = Aabb::new(Vec3::splat(-1.0), Vec3::splat(1.0));
/// assert_eq!(ray.hit_aabb(&cube), Some(4.0));
/// assert_eq!(ray.at(4.0), Vec3::new(0.0, -1.0, 0.0));
/// assert_eq!(ray.with_max_distance(3.5).hit_aabb(&cube), None);
/// # Ok::<(), pleach_spatial::Error>(())
/// ```
#[doc(alias("Ray3d", "RayCast", "Raycaster"))]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    origin: Vec3,
    direction: Vec3,
    max_distance: f32,
}

impl Ray {
    /// Creates the ray from `origin` along `direction`, without a maximum distance. The length of
    /// `direction` is irrelevant.
    ///
    /// # Errors
    ///
    /// Returns an error if a number is not finite or the direction is zero.
    pub fn new(origin: Vec3, direction: Vec3) -> Result<Self, Error> {
        Argument::RayOrigin.check(&origin.to_array())?;
        Argument::RayDirection.check(&direction.to_array())?;
        let direction = unit(direction.as_dvec3()).ok_or(Error::ZeroDirection)?;
        Ok(Self { origin, direction: direction.as_vec3(), max_distance: f32::INFINITY })
    }

    /// Creates the ray from one point to another, with their distance as the maximum distance. A
    /// surface exactly at `to` may be missed because of rounding.
    ///
    /// # Errors
    ///
    /// Returns an error if a number is not finite or both points are the same.
    ///
    /// ```
    /// use pleach_spatial::Ray;
    /// use pleach_spatial::glam::Vec3;
    ///
    /// let sight = Ray::between(Vec3::X, Vec3::new(4.0, 4.0, 0.0))?;
    /// assert_eq!(sight.max_distance(), 5.0);
    /// # Ok::<(), pleach_spatial::Error>(())
    /// ```
    pub fn between(from: Vec3, to: Vec3) -> Result<Self, Error> {
        Argument::RayOrigin.check(&from.to_array())?;
        Argument::RayTarget.check(&to.to_array())?;
        let offset = to.as_dvec3() - from.as_dvec3();
        let direction = unit(offset).ok_or(Error::ZeroDirection)?.as_vec3();
        Ok(Self { origin: from, direction, max_distance: length(offset) as f32 })
    }

    /// Returns the ray with another maximum distance. A hit at exactly that distance counts.
    ///
    /// A negative or NaN distance is stored as −1; such a ray hits nothing.
    #[must_use]
    pub fn with_max_distance(self, max_distance: f32) -> Self {
        Self { max_distance: if max_distance >= 0.0 { max_distance } else { -1.0 }, ..self }
    }

    /// Returns the origin.
    #[must_use]
    pub fn origin(&self) -> Vec3 {
        self.origin
    }

    /// Returns the direction, of length 1.
    #[must_use]
    pub fn direction(&self) -> Vec3 {
        self.direction
    }

    /// Returns the maximum distance: infinity if none was set, −1 if the ray hits nothing.
    #[must_use]
    pub fn max_distance(&self) -> f32 {
        self.max_distance
    }

    /// Returns the point at a distance, which may be negative or beyond the maximum distance.
    /// Coordinates are clamped to `f32::MAX`; a NaN is treated as 0.
    #[must_use]
    pub fn at(&self, distance: f32) -> Vec3 {
        const MAX: f32 = f32::MAX;
        let distance = if distance.is_nan() { 0.0 } else { distance.clamp(-MAX, MAX) };
        let point = self.origin.as_dvec3() + self.direction.as_dvec3() * f64::from(distance);
        point.as_vec3().clamp(Vec3::splat(-MAX), Vec3::splat(MAX))
    }

    /// Returns the distance at which the ray enters a box: 0 if it starts inside. Returns `None` if
    /// it misses the box within its maximum distance, or if the box is empty.
    ///
    /// Faces, edges and corners belong to the box: a ray that touches the box, or runs within a
    /// face, hits it. A box without volume is hit like any other.
    #[must_use]
    pub fn hit_aabb(&self, aabb: &Aabb) -> Option<f32> {
        let (enter, _) = self.aabb_interval(aabb)?;
        self.hit(enter)
    }

    /// Returns the distances at which the ray enters and leaves a box. The first is 0 if the ray
    /// starts inside; the second is at most the maximum distance, so it is infinite only if neither
    /// the box nor the ray ends. Returns `None` where [`hit_aabb`](Self::hit_aabb) does.
    ///
    /// ```
    /// use pleach_spatial::glam::Vec3;
    /// use pleach_spatial::{Aabb, Ray};
    ///
    /// let cube = Aabb::new(Vec3::splat(-1.0), Vec3::splat(1.0));
    /// let ray = Ray::new(Vec3::X * -3.0, Vec3::X)?;
    /// assert_eq!(ray.hit_aabb_through(&cube), Some((2.0, 4.0)));
    /// assert_eq!(ray.with_max_distance(3.0).hit_aabb_through(&cube), Some((2.0, 3.0)));
    /// # Ok::<(), pleach_spatial::Error>(())
    /// ```
    #[doc(alias("exit distance", "entry and exit", "slab test"))]
    #[must_use]
    pub fn hit_aabb_through(&self, aabb: &Aabb) -> Option<(f32, f32)> {
        let (enter, leave) = self.aabb_interval(aabb)?;
        Some((self.hit(enter)?, leave as f32))
    }

    /// Returns the part of the ray that is inside a box, which is not empty.
    #[inline]
    fn aabb_interval(&self, aabb: &Aabb) -> Option<(f64, f64)> {
        if aabb.is_empty() {
            return None;
        }
        let (mut enter, mut leave) = (0.0_f64, f64::from(self.max_distance));
        for axis in 0..3 {
            let (origin, direction) = (self.origin[axis], f64::from(self.direction[axis]));
            let (min, max) = (aabb.min[axis], aabb.max[axis]);
            if direction == 0.0 {
                if origin < min || origin > max {
                    return None;
                }
                continue;
            }
            let to_min = (f64::from(min) - f64::from(origin)) / direction;
            let to_max = (f64::from(max) - f64::from(origin)) / direction;
            enter = enter.max(to_min.min(to_max));
            leave = leave.min(to_min.max(to_max));
        }
        (enter <= leave).then_some((enter, leave))
    }

    /// Returns the distance at which the ray enters a sphere: 0 if it starts inside. Returns `None`
    /// if it misses the sphere within its maximum distance, or if the sphere is empty.
    #[must_use]
    pub fn hit_sphere(&self, sphere: &Sphere) -> Option<f32> {
        if sphere.is_empty() {
            return None;
        }
        if sphere.contains_point(self.origin) {
            return self.hit(0.0);
        }
        let direction = self.direction.as_dvec3();
        let to_center = sphere.center.as_dvec3() - self.origin.as_dvec3();
        let square = direction.length_squared();
        let nearest = to_center.dot(direction) / square;
        if nearest < 0.0 {
            return None;
        }
        // Relative to the closest point of the ray, not to its origin: the squares of a small
        // distant sphere would be lost in the square of the distance.
        let offset_squared = (to_center - direction * nearest).length_squared();
        let discriminant = f64::from(sphere.radius) * f64::from(sphere.radius) - offset_squared;
        if discriminant < 0.0 {
            None
        } else {
            self.hit((nearest - (discriminant / square).sqrt()).max(0.0))
        }
    }

    /// Returns the distance at which the ray crosses a plane, from either side: 0 if it starts on
    /// the plane. Returns `None` if the ray is parallel to the plane or points away from it, if
    /// the plane is beyond the maximum distance, or if the plane is not finite or at infinity.
    #[must_use]
    pub fn hit_plane(&self, plane: &Plane) -> Option<f32> {
        if !plane.is_finite() || plane.normal == Vec3::ZERO {
            return None;
        }
        let height = plane.signed_distance(self.origin);
        let slope = plane.normal.as_dvec3().dot(self.direction.as_dvec3());
        if height == 0.0 {
            return self.hit(0.0);
        }
        // A slope of zero gives infinity, which is beyond any maximum distance.
        let distance = -height / slope;
        if distance >= 0.0 { self.hit(distance) } else { None }
    }

    /// Returns the point of the ray, within its maximum distance, that is closest to `point`.
    /// Coordinates are clamped to `f32::MAX`. Returns `None` if the point is not finite, or if the
    /// maximum distance is −1.
    ///
    /// ```
    /// use pleach_spatial::Ray;
    /// use pleach_spatial::glam::Vec3;
    ///
    /// let ray = Ray::new(Vec3::ZERO, Vec3::X)?;
    /// assert_eq!(ray.closest_point(Vec3::new(3.0, 2.0, 0.0)), Some(Vec3::X * 3.0));
    /// assert_eq!(ray.closest_point(Vec3::new(-3.0, 2.0, 0.0)), Some(Vec3::ZERO));
    /// # Ok::<(), pleach_spatial::Error>(())
    /// ```
    #[must_use]
    pub fn closest_point(&self, point: Vec3) -> Option<Vec3> {
        Some(saturated(self.closest(point)?))
    }

    /// Returns the distance from the ray to a point, clamped to `f32::MAX`; infinity where
    /// [`closest_point`](Self::closest_point) returns `None`.
    #[must_use]
    pub fn distance(&self, point: Vec3) -> f32 {
        match self.closest(point) {
            Some(closest) => length(closest - point.as_dvec3()).min(f64::from(f32::MAX)) as f32,
            None => f32::INFINITY,
        }
    }

    /// Returns `closest_point` before it is rounded.
    fn closest(&self, point: Vec3) -> Option<DVec3> {
        if !point.is_finite() || self.max_distance < 0.0 {
            return None;
        }
        let (origin, direction) = (self.origin.as_dvec3(), self.direction.as_dvec3());
        let max_distance = f64::from(self.max_distance);
        Some(closest_on_segment(origin, direction, point.as_dvec3(), max_distance))
    }

    /// Returns the ray transformed by an affine matrix. The direction has length 1 again; the
    /// maximum distance is scaled with it, so the ray ends at the transformed end point. The origin
    /// and a finite maximum distance are clamped to `f32::MAX`.
    ///
    /// Returns `None` if the first three rows of the matrix are not finite, or map the direction to
    /// zero. A matrix that is singular otherwise gives a ray.
    ///
    /// ```
    /// use pleach_spatial::Ray;
    /// use pleach_spatial::glam::{Mat4, Vec3};
    ///
    /// let ray = Ray::new(Vec3::X, Vec3::Y)?.with_max_distance(5.0);
    /// let scaled = ray.transformed(&Mat4::from_scale(Vec3::splat(2.0))).unwrap();
    /// assert_eq!((scaled.origin(), scaled.max_distance()), (Vec3::X * 2.0, 10.0));
    /// # Ok::<(), pleach_spatial::Error>(())
    /// ```
    #[must_use]
    pub fn transformed(&self, matrix: &Mat4) -> Option<Self> {
        let columns = affine_columns(matrix)?;
        let direction = transformed_vector(&columns, self.direction);
        let max_distance = match self.max_distance {
            limit if limit < 0.0 || limit == f32::INFINITY => limit,
            limit => (f64::from(limit) * length(direction)).min(f64::from(f32::MAX)) as f32,
        };
        Some(Self {
            origin: saturated(transformed_point(&columns, self.origin)),
            direction: unit(direction)?.as_vec3(),
            max_distance,
        })
    }

    /// Returns the distance, if it is within the maximum distance and representable in f32.
    fn hit(&self, distance: f64) -> Option<f32> {
        let limit = f64::from(self.max_distance.min(f32::MAX));
        (distance <= limit).then_some(distance as f32)
    }
}
