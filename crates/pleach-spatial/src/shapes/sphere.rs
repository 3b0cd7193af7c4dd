//! `Sphere`: everything no farther than a radius from a point, or nothing.
//!
//! Spheres are closed. One with a radius that is negative or NaN, or with a centre
//! that is not finite, is empty: it contains and meets nothing. An infinite radius
//! is everything. Comparisons are done in f64.

use glam::Vec3;

use crate::Aabb;
use crate::shapes::plane::length;

/// A ball: all points no farther than `radius` from `center`.
///
/// ```
/// use pleach_spatial::{Aabb, Sphere};
/// use pleach_spatial::glam::Vec3;
///
/// let lamp = Sphere::new(Vec3::new(0.0, 0.0, 3.0), 2.0);
/// assert!(lamp.contains_point(Vec3::new(0.0, 2.0, 3.0)));
/// assert!(lamp.intersects(&Aabb::new(Vec3::splat(-1.0), Vec3::splat(1.0))));
/// assert!(!lamp.intersects_sphere(&Sphere::EMPTY));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// The point in the middle.
    pub center: Vec3,
    /// How far it reaches. Negative: nowhere, not even to the centre.
    pub radius: f32,
}

impl Sphere {
    /// The sphere of no points.
    pub const EMPTY: Self = Self { center: Vec3::ZERO, radius: -1.0 };

    /// The sphere of these numbers, as they are given.
    #[must_use]
    pub const fn new(center: Vec3, radius: f32) -> Self {
        Self { center, radius }
    }

    /// A sphere around the centre of a box that holds all of it, and little more: the
    /// radius is rounded up. [`EMPTY`](Self::EMPTY) for an empty box; where the radius
    /// overflows, it is infinite.
    ///
    /// ```
    /// use pleach_spatial::{Aabb, Sphere};
    /// use pleach_spatial::glam::Vec3;
    ///
    /// let room = Aabb::new(Vec3::ZERO, Vec3::new(2.0, 4.0, 4.0));
    /// assert_eq!(Sphere::from_aabb(&room), Sphere::new(Vec3::new(1.0, 2.0, 2.0), 3.0));
    /// ```
    #[must_use]
    pub fn from_aabb(aabb: &Aabb) -> Self {
        if aabb.is_empty() {
            return Self::EMPTY;
        }
        if !aabb.is_finite() {
            return Self { center: aabb.center(), radius: f32::INFINITY };
        }
        let center = aabb.center();
        let (from, to, middle) = (aabb.min.as_dvec3(), aabb.max.as_dvec3(), center.as_dvec3());
        let to_corner = (middle - from).max(to - middle);
        let radius = length(to_corner) as f32;
        let encloses = f64::from(radius) * f64::from(radius) >= to_corner.length_squared();
        Self { center, radius: if encloses { radius } else { radius.next_up() } }
    }

    /// Does it hold no point?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.center.is_finite() || self.radius.is_nan() || self.radius < 0.0
    }

    /// Is the point in the sphere or on its surface? Never, if it has a NaN.
    #[must_use]
    pub fn contains_point(&self, point: Vec3) -> bool {
        let offset = point.as_dvec3() - self.center.as_dvec3();
        let radius = f64::from(self.radius);
        !self.is_empty() && offset.length_squared() <= radius * radius
    }

    /// Does the box touch the sphere, or is one within the other? The same as
    /// [`Aabb::intersects_sphere`].
    #[must_use]
    pub fn intersects(&self, aabb: &Aabb) -> bool {
        aabb.intersects_sphere(self)
    }

    /// Have they a point in common? Spheres that touch have.
    #[must_use]
    pub fn intersects_sphere(&self, other: &Self) -> bool {
        let offset = other.center.as_dvec3() - self.center.as_dvec3();
        let radii = f64::from(self.radius) + f64::from(other.radius);
        !self.is_empty() && !other.is_empty() && offset.length_squared() <= radii * radii
    }
}
