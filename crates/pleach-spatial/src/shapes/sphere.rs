//! `Sphere`: all points within a radius of a centre, possibly none.
//!
//! Spheres are closed. A sphere with a negative or NaN radius, or with a centre that is not
//! finite, is empty: it contains and intersects nothing. A sphere with an infinite radius contains
//! every point. Comparisons are done in f64.

use glam::Vec3;

use crate::Aabb;
use crate::shapes::plane::length;

/// A solid sphere: all points within `radius` of `center`.
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
    /// The centre.
    pub center: Vec3,
    /// The radius. A sphere with a negative radius is empty.
    pub radius: f32,
}

impl Sphere {
    /// The empty sphere.
    pub const EMPTY: Self = Self { center: Vec3::ZERO, radius: -1.0 };

    /// Creates a sphere, without checks.
    #[must_use]
    pub const fn new(center: Vec3, radius: f32) -> Self {
        Self { center, radius }
    }

    /// Returns a tight bounding sphere of a box, around its centre: the radius is rounded up.
    /// Returns [`EMPTY`](Self::EMPTY) for an empty box. A radius that overflows becomes infinite.
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

    /// Returns `true` if the sphere contains no points.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.center.is_finite() || self.radius.is_nan() || self.radius < 0.0
    }

    /// Returns `true` if the point is inside the sphere or on its surface. Returns `false` for NaN.
    #[must_use]
    pub fn contains_point(&self, point: Vec3) -> bool {
        let offset = point.as_dvec3() - self.center.as_dvec3();
        let radius = f64::from(self.radius);
        !self.is_empty() && offset.length_squared() <= radius * radius
    }

    /// Returns `true` if the box and the sphere have a point in common. The same as
    /// [`Aabb::intersects_sphere`].
    #[must_use]
    pub fn intersects(&self, aabb: &Aabb) -> bool {
        aabb.intersects_sphere(self)
    }

    /// Returns `true` if the spheres have a point in common. Touching spheres do.
    #[must_use]
    pub fn intersects_sphere(&self, other: &Self) -> bool {
        let offset = other.center.as_dvec3() - self.center.as_dvec3();
        let radii = f64::from(self.radius) + f64::from(other.radius);
        !self.is_empty() && !other.is_empty() && offset.length_squared() <= radii * radii
    }
}
