//! `Ray`: a half-line, or a piece of one.
//!
//! Distances along a ray are in lengths of its direction, which is 1 to within the
//! rounding of f32. Everything is computed in f64 from the ray's f32 numbers and
//! rounded once at the end.
//!
//! Invariant: origin and direction are finite, the direction has length 1, and the
//! reach is not NaN.

use glam::Vec3;

use crate::error::Argument;
use crate::shapes::plane::{length, unit};
use crate::{Aabb, Error, Plane, Sphere};

/// A ray: from an origin along a direction, as far as it reaches.
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
    /// The ray from `origin` along `direction`, whose length does not matter. It
    /// reaches infinitely far.
    ///
    /// # Errors
    ///
    /// If a number is not finite or the direction is zero.
    pub fn new(origin: Vec3, direction: Vec3) -> Result<Self, Error> {
        Argument::RayOrigin.check(&origin.to_array())?;
        Argument::RayDirection.check(&direction.to_array())?;
        let direction = unit(direction.as_dvec3()).ok_or(Error::ZeroDirection)?;
        Ok(Self { origin, direction: direction.as_vec3(), max_distance: f32::INFINITY })
    }

    /// The ray from one point to another, reaching as far as there. What begins at
    /// `to` itself may be missed by a rounding.
    ///
    /// # Errors
    ///
    /// If a number is not finite or both points are the same.
    ///
    /// ```
    /// use pleach_spatial::Ray;
    /// use pleach_spatial::glam::Vec3;
    ///
    /// let sight = Ray::between(Vec3::X, Vec3::new(4.0, 4.0, 0.0))?;
    /// assert_eq!(sight.reach(), 5.0);
    /// # Ok::<(), pleach_spatial::Error>(())
    /// ```
    pub fn between(from: Vec3, to: Vec3) -> Result<Self, Error> {
        Argument::RayOrigin.check(&from.to_array())?;
        Argument::RayTarget.check(&to.to_array())?;
        let offset = to.as_dvec3() - from.as_dvec3();
        let direction = unit(offset).ok_or(Error::ZeroDirection)?.as_vec3();
        Ok(Self { origin: from, direction, max_distance: length(offset) as f32 })
    }

    /// The same ray, reaching as far as `reach`; a hit at that distance still counts.
    ///
    /// A reach that is negative or NaN hits nothing, and is kept as −1.
    #[must_use]
    pub fn with_max_distance(self, max_distance: f32) -> Self {
        Self { max_distance: if max_distance >= 0.0 { max_distance } else { -1.0 }, ..self }
    }

    /// Where it starts.
    #[must_use]
    pub fn origin(&self) -> Vec3 {
        self.origin
    }

    /// Where it leads, with length 1.
    #[must_use]
    pub fn direction(&self) -> Vec3 {
        self.direction
    }

    /// How far it reaches: infinity if no reach was set, −1 if it hits nothing.
    #[must_use]
    pub fn max_distance(&self) -> f32 {
        self.max_distance
    }

    /// The point at a distance, also behind the origin or beyond the reach.
    /// Coordinates stop at `f32::MAX`; a NaN is taken for 0.
    #[must_use]
    pub fn at(&self, distance: f32) -> Vec3 {
        const MAX: f32 = f32::MAX;
        let distance = if distance.is_nan() { 0.0 } else { distance.clamp(-MAX, MAX) };
        let point = self.origin.as_dvec3() + self.direction.as_dvec3() * f64::from(distance);
        point.as_vec3().clamp(Vec3::splat(-MAX), Vec3::splat(MAX))
    }

    /// Where the ray enters a box: 0 if it starts inside. `None` if it misses it, does
    /// not reach it, or the box is empty.
    ///
    /// Faces, edges and corners belong to the box: a ray that only touches hits, and so
    /// does one that runs within a face. A flat box is hit like any other.
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

    /// Where the ray enters a sphere: 0 if it starts inside. `None` if it misses it,
    /// does not reach it, or the sphere is empty.
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
        // From the nearest point of the ray, not from the origin: the squares of a small
        // sphere far away would be lost in those of the distance.
        let offset_squared = (to_center - direction * nearest).length_squared();
        let discriminant = f64::from(sphere.radius) * f64::from(sphere.radius) - offset_squared;
        if discriminant < 0.0 {
            None
        } else {
            self.hit((nearest - (discriminant / square).sqrt()).max(0.0))
        }
    }

    /// Where the ray meets a plane, from either side: 0 if it starts on it. `None` if it
    /// leads away or runs beside it, does not reach it, or the plane is not finite or at
    /// infinity.
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
        // A climb of zero gives an infinity, which is beyond all reach.
        let distance = -height / slope;
        if distance >= 0.0 { self.hit(distance) } else { None }
    }

    /// A hit at this distance, if the ray and f32 reach so far.
    fn hit(&self, distance: f64) -> Option<f32> {
        let limit = f64::from(self.max_distance.min(f32::MAX));
        (distance <= limit).then_some(distance as f32)
    }
}
