//! `Sphere`: all points within a radius of a centre, possibly none.
//!
//! Spheres are closed. A sphere with a negative or NaN radius, or with a centre that is not
//! finite, is empty: it contains and intersects nothing. A sphere with an infinite radius contains
//! every point. Comparisons are done in f64.

use glam::{Mat4, Vec3};
use pleach_graph::unit;

use crate::Aabb;
use crate::shapes::vector::{affine_columns, length, rounded_up, saturated, transformed_point};

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
#[doc(alias("bounding sphere", "BoundingSphere"))]
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

    /// Returns a sphere that contains the points, around the centre of their box; [`EMPTY`](Self::EMPTY)
    /// for none. At most 1.74 times as large as the smallest one. The radius is rounded up; one that
    /// overflows becomes infinite. Points with a coordinate that is not finite are ignored.
    ///
    /// ```
    /// use pleach_spatial::Sphere;
    /// use pleach_spatial::glam::Vec3;
    ///
    /// let ball = Sphere::from_points([Vec3::ZERO, Vec3::X * 4.0, Vec3::new(2.0, 1.0, 0.0)]);
    /// assert!([Vec3::ZERO, Vec3::X * 4.0].iter().all(|&point| ball.contains_point(point)));
    /// assert!(ball.radius < 2.1);
    /// ```
    #[doc(alias("setFromPoints", "create_from_points"))]
    #[must_use]
    pub fn from_points<I>(points: I) -> Self
    where
        I: IntoIterator<Item = Vec3>,
        I::IntoIter: Clone,
    {
        let points = points.into_iter();
        let aabb = Aabb::from_points(points.clone());
        if aabb.is_empty() {
            return Self::EMPTY;
        }
        let center = aabb.center();
        let squared = points
            .filter(|point| point.is_finite())
            .map(|point| (point.as_dvec3() - center.as_dvec3()).length_squared())
            .fold(0.0, f64::max);
        let radius = squared.sqrt() as f32;
        let encloses = f64::from(radius) * f64::from(radius) >= squared;
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

    /// Returns `true` if this sphere contains all of `other`. Every sphere contains the empty sphere.
    #[must_use]
    pub fn contains(&self, other: &Self) -> bool {
        other.is_empty()
            || (!self.is_empty() && self.radius_around(other) <= f64::from(self.radius))
    }

    /// Returns the radius of the sphere around this one's centre that contains `other`. Neither may
    /// be empty.
    fn radius_around(&self, other: &Self) -> f64 {
        length(other.center.as_dvec3() - self.center.as_dvec3()) + f64::from(other.radius)
    }

    /// Returns the point of the sphere that is closest to `point`, up to rounding: `point` itself if it
    /// is inside. Returns `None` if the sphere is empty or the point is not finite.
    ///
    /// ```
    /// use pleach_spatial::Sphere;
    /// use pleach_spatial::glam::Vec3;
    ///
    /// let ball = Sphere::new(Vec3::X, 2.0);
    /// assert_eq!(ball.closest_point(Vec3::X * 9.0), Some(Vec3::X * 3.0));
    /// assert_eq!(ball.closest_point(Vec3::ZERO), Some(Vec3::ZERO));
    /// ```
    #[doc(alias("clampPoint", "ClosestPoint"))]
    #[must_use]
    pub fn closest_point(&self, point: Vec3) -> Option<Vec3> {
        if self.is_empty() || !point.is_finite() {
            return None;
        }
        if self.contains_point(point) {
            return Some(point);
        }
        let center = self.center.as_dvec3();
        let direction = unit(point.as_dvec3() - center)?;
        Some(saturated(center + direction * f64::from(self.radius)))
    }

    /// Returns the distance between the sphere and a point: 0 if the point is inside, infinity if
    /// the sphere is empty or the point is not finite. Clamped to `f32::MAX` otherwise.
    #[must_use]
    pub fn distance(&self, point: Vec3) -> f32 {
        if self.is_empty() || !point.is_finite() {
            return f32::INFINITY;
        }
        let to_center = length(point.as_dvec3() - self.center.as_dvec3());
        (to_center - f64::from(self.radius)).clamp(0.0, f64::from(f32::MAX)) as f32
    }

    /// Returns the smallest sphere that contains both, with the radius rounded up: the result
    /// [contains](Self::contains) both. A radius that overflows becomes infinite.
    ///
    /// ```
    /// use pleach_spatial::Sphere;
    /// use pleach_spatial::glam::Vec3;
    ///
    /// let both = Sphere::new(Vec3::ZERO, 1.0).union(&Sphere::new(Vec3::X * 4.0, 1.0));
    /// assert_eq!(both, Sphere::new(Vec3::X * 2.0, 3.0));
    /// ```
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        if self.contains(other) {
            return if self.is_empty() { Self::EMPTY } else { *self };
        }
        if other.contains(self) {
            return *other;
        }
        let (from, to) = (self.center.as_dvec3(), other.center.as_dvec3());
        let distance = length(to - from);
        let (near, far) = (f64::from(self.radius), f64::from(other.radius));
        let radius = 0.5 * (distance + near + far);
        let center = saturated(from + (to - from) * ((radius - near) / distance));
        // Around the rounded centre.
        let point = Self { center, radius: 0.0 };
        let radius = point.radius_around(self).max(point.radius_around(other));
        Self { center, radius: rounded_up(radius) }
    }

    /// Returns the smallest sphere that contains this sphere and a point: see
    /// [`union`](Self::union). A point that is not finite is ignored.
    #[doc(alias("expand_by_point", "expandByPoint", "extend"))]
    #[must_use]
    pub fn with_point(&self, point: Vec3) -> Self {
        self.union(&Self { center: point, radius: 0.0 })
    }

    /// Returns the sphere with its radius increased by a distance, in metres; decreased if it is
    /// negative. The radius is clamped to `f32::MAX`, unless it is infinite already.
    ///
    /// Returns [`EMPTY`](Self::EMPTY) if the radius becomes negative, if the sphere is empty or if
    /// the distance is NaN.
    #[doc(alias("expand", "inflate", "shrink"))]
    #[must_use]
    pub fn grown(&self, distance: f32) -> Self {
        let radius = f64::from(self.radius) + f64::from(distance);
        if self.is_empty() || radius.is_nan() || radius < 0.0 {
            return Self::EMPTY;
        }
        let is_infinite = self.radius == f32::INFINITY;
        let radius = if is_infinite { self.radius } else { radius.min(f64::from(f32::MAX)) as f32 };
        Self { center: self.center, radius }
    }

    /// Returns a sphere that contains this one transformed by an affine matrix: the centre is
    /// transformed, the radius scaled by the largest scale of the matrix and rounded up.
    ///
    /// Tight if the axes of the matrix are orthogonal. With shear the radius is up to a third larger
    /// than needed. A singular matrix is not special. A radius that overflows becomes infinite.
    /// Returns [`EMPTY`](Self::EMPTY) if the sphere is empty or the first three rows of the matrix
    /// are not finite.
    ///
    /// ```
    /// use pleach_spatial::Sphere;
    /// use pleach_spatial::glam::{Mat4, Vec3};
    ///
    /// let ball = Sphere::new(Vec3::X, 2.0);
    /// let scaled = ball.transformed(&Mat4::from_scale(Vec3::new(1.0, 3.0, -2.0)));
    /// assert_eq!(scaled, Sphere::new(Vec3::X, 6.0));
    /// ```
    #[must_use]
    pub fn transformed(&self, matrix: &Mat4) -> Self {
        let Some(columns) = affine_columns(matrix).filter(|_| !self.is_empty()) else {
            return Self::EMPTY;
        };
        // The largest sum of a row of the Gram matrix bounds the square of the largest scale; it is
        // the largest scale if the columns are orthogonal.
        let [x, y, z, _] = columns;
        let [xy, yz, zx] = [x.dot(y), y.dot(z), z.dot(x)].map(f64::abs);
        let rows = [x.dot(x) + xy + zx, xy + y.dot(y) + yz, zx + yz + z.dot(z)];
        let scale = rows.into_iter().fold(0.0, f64::max).sqrt();
        let exact = transformed_point(&columns, self.center);
        let center = saturated(exact);
        let radius = match scale {
            // An infinite sphere would make it NaN.
            0.0 => 0.0,
            scale => scale * f64::from(self.radius),
        };
        Self { center, radius: rounded_up(radius + length(exact - center.as_dvec3())) }
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
