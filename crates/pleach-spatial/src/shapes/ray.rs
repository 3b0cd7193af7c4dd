//! `Ray`: a half-line or a segment.
//!
//! Distances along a ray are multiples of the length of its direction, which is 1 to within the
//! rounding of f32. Everything is computed in f64 from the ray's f32 numbers and rounded once at
//! the end.
//!
//! Invariant: origin and direction are finite, the direction has length 1, and the maximum
//! distance is not NaN.

use glam::Vec3;

use crate::error::Argument;
use crate::shapes::plane::{length, unit};
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
        if enter <= leave { self.hit(enter) } else { None }
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

    /// Returns the distance, if it is within the maximum distance and representable in f32.
    fn hit(&self, distance: f64) -> Option<f32> {
        let limit = f64::from(self.max_distance.min(f32::MAX));
        (distance <= limit).then_some(distance as f32)
    }
}
