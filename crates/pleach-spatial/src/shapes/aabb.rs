//! `Aabb`: an axis-aligned bounding box, possibly empty.
//!
//! Boxes are closed: a point on a face is inside. A box with `min > max` on any axis, or with a
//! NaN, is empty: it contains and intersects nothing. No function of this file returns a NaN for
//! any input, and only `new` can create a box that contains one.

use glam::{DVec3, Mat4, Vec3, Vec4};

use crate::Sphere;
use crate::shapes::vector::saturated;

const MAX: Vec3 = Vec3::splat(f32::MAX);

/// An axis-aligned bounding box: all points `p` with `min <= p <= max`.
///
/// ```
/// use pleach_spatial::Aabb;
/// use pleach_spatial::glam::Vec3;
///
/// let crates = Aabb::from_points([Vec3::ZERO, Vec3::new(2.0, 4.0, 1.0)]);
/// assert_eq!(crates.center(), Vec3::new(1.0, 2.0, 0.5));
/// assert!(crates.contains_point(Vec3::new(2.0, 4.0, 1.0)));   // corners belong to it
/// assert_eq!(crates.distance(Vec3::new(5.0, 8.0, 0.0)), 5.0);
/// assert_eq!(crates.union(&Aabb::EMPTY), crates);
/// ```
#[doc(alias("AABB", "bounding box", "BoundingBox", "Bounds", "Box3"))]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// The corner with the smallest coordinates.
    pub min: Vec3,
    /// The corner with the largest coordinates.
    pub max: Vec3,
}

impl Aabb {
    /// The empty box, the identity of [`union`](Self::union).
    pub const EMPTY: Self =
        Self { min: Vec3::splat(f32::INFINITY), max: Vec3::splat(f32::NEG_INFINITY) };

    /// Creates a box from its two extreme corners, without checks.
    #[must_use]
    pub const fn new(min: Vec3, max: Vec3) -> Self {
        Self { min, max }
    }

    /// Creates a box from its centre and half extents. Coordinates that would overflow are clamped
    /// to `f32::MAX`.
    ///
    /// Returns [`EMPTY`](Self::EMPTY) if the centre is not finite, or if `half` is negative or NaN
    /// on any axis.
    #[must_use]
    pub fn from_center_half(center: Vec3, half: Vec3) -> Self {
        if !center.is_finite() || !half.cmpge(Vec3::ZERO).all() {
            return Self::EMPTY;
        }
        Self { min: (center - half).max(-MAX), max: (center + half).min(MAX) }
    }

    /// Returns the smallest box that contains the points, or [`EMPTY`](Self::EMPTY) for none.
    ///
    /// Points with a coordinate that is not finite are ignored.
    #[must_use]
    pub fn from_points(points: impl IntoIterator<Item = Vec3>) -> Self {
        let finite = points.into_iter().filter(|point| point.is_finite());
        finite.fold(Self::EMPTY, |aabb, point| Self {
            min: aabb.min.min(point),
            max: aabb.max.max(point),
        })
    }

    /// Returns the smallest box that contains the positions of a mesh, given as x, y, z, x, y, z, …
    ///
    /// Positions that are not finite are ignored, and so are one or two trailing numbers that do
    /// not form a position. Returns `None` if no position remains.
    ///
    /// ```
    /// use pleach_spatial::Aabb;
    /// use pleach_spatial::glam::Vec3;
    ///
    /// let mesh = [0.0, 0.0, 5.0, 1.0, -2.0, 3.0];
    /// let bounds = Aabb::new(Vec3::new(0.0, -2.0, 3.0), Vec3::new(1.0, 0.0, 5.0));
    /// assert_eq!(Aabb::from_xyz(&mesh), Some(bounds));
    /// assert_eq!(Aabb::from_xyz(&[]), None);
    /// ```
    #[must_use]
    pub fn from_xyz(positions: &[f32]) -> Option<Self> {
        let (points, _remainder) = positions.as_chunks::<3>();
        let aabb = Self::from_points(points.iter().copied().map(Vec3::from_array));
        (!aabb.is_empty()).then_some(aabb)
    }

    /// Returns `true` if the box contains no points.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.min.cmple(self.max).all()
    }

    /// Returns `true` if all six coordinates are finite.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        self.min.is_finite() && self.max.is_finite()
    }

    /// Returns the centre, rounded; the origin if the box is empty.
    #[inline]
    #[must_use]
    pub fn center(&self) -> Vec3 {
        if self.is_empty() { Vec3::ZERO } else { self.center_unless_partly_empty() }
    }

    /// Returns the centre, as `center` does, provided that the box is valid along all axes or is
    /// [`EMPTY`](Self::EMPTY).
    #[inline(always)]
    pub(crate) fn center_unless_partly_empty(&self) -> Vec3 {
        // The sum of two f32 does not overflow in f64, and is rounded once.
        let center = ((self.min.as_dvec3() + self.max.as_dvec3()) * 0.5).as_vec3();
        // One test instead of three: a sum that overflows only takes longer. That of an empty box is
        // NaN.
        if center.element_sum().is_finite() { center } else { self.clamped_center() }
    }

    /// Returns the centre of a box with infinite sides, or of an empty box.
    #[cold]
    fn clamped_center(&self) -> Vec3 {
        if self.is_empty() {
            return Vec3::ZERO;
        }
        let (min, max) = self.clamped_to_f32();
        ((min + max) * 0.5).as_vec3()
    }

    /// Returns the distances from the centre to the faces, rounded; zero if the box is empty.
    #[must_use]
    pub fn half_extents(&self) -> Vec3 {
        if self.is_empty() {
            return Vec3::ZERO;
        }
        let (min, max) = self.clamped_to_f32();
        ((max - min) * 0.5).as_vec3()
    }

    /// Returns the lengths of the edges; zero if the box is empty. A length that would overflow is
    /// clamped to `f32::MAX`.
    #[must_use]
    pub fn size(&self) -> Vec3 {
        if self.is_empty() { Vec3::ZERO } else { (self.max - self.min).min(MAX) }
    }

    /// Returns half the surface area: `xy + yz + zx` of the [`size`](Self::size). Zero if the box
    /// is empty; clamped to `f32::MAX`.
    #[must_use]
    pub fn half_area(&self) -> f32 {
        let size = self.size();
        (size.x * size.y + size.y * size.z + size.z * size.x).min(f32::MAX)
    }

    /// Returns the eight corners. Bit 0 of the index selects `max.x`, bit 1 `max.y` and bit 2
    /// `max.z`. All are the origin if the box is empty.
    #[must_use]
    pub fn corners(&self) -> [Vec3; 8] {
        if self.is_empty() {
            return [Vec3::ZERO; 8];
        }
        let (min, max) = (self.min, self.max);
        std::array::from_fn(|corner| {
            Vec3::new(
                if corner & 1 == 0 { min.x } else { max.x },
                if corner & 2 == 0 { min.y } else { max.y },
                if corner & 4 == 0 { min.z } else { max.z },
            )
        })
    }

    /// Returns the smallest box that contains both boxes.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        match (self.is_empty(), other.is_empty()) {
            (false, false) => Self { min: self.min.min(other.min), max: self.max.max(other.max) },
            (false, true) => *self,
            (true, false) => *other,
            (true, true) => Self::EMPTY,
        }
    }

    /// Returns the smallest box that contains this box and a point. A point that is not finite is
    /// ignored.
    ///
    /// ```
    /// use pleach_spatial::Aabb;
    /// use pleach_spatial::glam::Vec3;
    ///
    /// let aabb = Aabb::EMPTY.with_point(Vec3::ZERO).with_point(Vec3::new(1.0, -2.0, 3.0));
    /// assert_eq!(aabb, Aabb::new(Vec3::new(0.0, -2.0, 0.0), Vec3::new(1.0, 0.0, 3.0)));
    /// ```
    #[doc(alias("expand_by_point", "expandByPoint", "encapsulate", "extend"))]
    #[must_use]
    pub fn with_point(&self, point: Vec3) -> Self {
        if point.is_finite() { self.union(&Self { min: point, max: point }) } else { *self }
    }

    /// Returns the box with every face moved outwards by a distance, in metres; inwards if it is
    /// negative. Coordinates are rounded, and clamped to `f32::MAX`.
    ///
    /// Returns [`EMPTY`](Self::EMPTY) if opposite faces pass each other, if the box is empty or if
    /// the distance is NaN.
    ///
    /// ```
    /// use pleach_spatial::Aabb;
    /// use pleach_spatial::glam::Vec3;
    ///
    /// let cube = Aabb::new(Vec3::ZERO, Vec3::splat(2.0));
    /// assert_eq!(cube.grown(1.0), Aabb::new(Vec3::splat(-1.0), Vec3::splat(3.0)));
    /// assert_eq!(cube.grown(-2.0), Aabb::EMPTY);
    /// ```
    #[doc(alias("expand", "inflate", "expand_by_scalar", "expandByScalar", "shrink"))]
    #[must_use]
    pub fn grown(&self, distance: f32) -> Self {
        if self.is_empty() || distance.is_nan() {
            return Self::EMPTY;
        }
        let ((min, max), distance) = (self.clamped_to_f32(), f64::from(distance));
        let grown = Self { min: saturated(min - distance), max: saturated(max + distance) };
        // Compared before rounding and clamping, which may make them equal.
        let is_empty = !(min - distance).cmple(max + distance).all();
        if is_empty { Self::EMPTY } else { grown }
    }

    /// Returns the intersection, or [`EMPTY`](Self::EMPTY) if the boxes have no point in common.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        if !self.intersects(other) {
            return Self::EMPTY;
        }
        Self { min: self.min.max(other.min), max: self.max.min(other.max) }
    }

    /// Returns `true` if the boxes have a point in common. Touching boxes do.
    #[must_use]
    pub fn intersects(&self, other: &Self) -> bool {
        self.min.cmple(other.max).all()
            && other.min.cmple(self.max).all()
            && !self.is_empty()
            && !other.is_empty()
    }

    /// Returns `true` if the point is inside the box or on its surface.
    #[must_use]
    pub fn contains_point(&self, point: Vec3) -> bool {
        self.min.cmple(point).all() && point.cmple(self.max).all()
    }

    /// Returns `true` if this box contains all of `other`. Every box contains the empty box.
    #[must_use]
    pub fn contains(&self, other: &Self) -> bool {
        other.is_empty() || (self.contains_point(other.min) && self.contains_point(other.max))
    }

    /// Returns `true` if the sphere and the box have a point in common. Returns `false` if either
    /// is empty.
    ///
    /// Computes `distance_squared(center) <= radius * radius` in f32. Both sides overflow for radii
    /// above 1.8e19: such a sphere intersects every box.
    #[must_use]
    pub fn intersects_sphere(&self, sphere: &Sphere) -> bool {
        !self.is_empty()
            && !sphere.is_empty()
            && self.distance_squared(sphere.center) <= sphere.radius * sphere.radius
    }

    /// Returns the point of the box that is closest to `point`: `point` itself if it is inside.
    /// Returns `None` if the box is empty or the point contains a NaN.
    #[must_use]
    pub fn closest_point(&self, point: Vec3) -> Option<Vec3> {
        if self.is_empty() || point.is_nan() {
            return None;
        }
        Some(point.max(self.min).min(self.max))
    }

    /// Returns the distance between the box and a point: 0 if the point is inside, infinity if the
    /// box is empty or the point contains a NaN.
    #[must_use]
    pub fn distance(&self, point: Vec3) -> f32 {
        match self.axis_distances(point) {
            // In f64, in which the squares do not overflow.
            Some(gap) => crate::shapes::vector::length(gap.as_dvec3()) as f32,
            None => f32::INFINITY,
        }
    }

    /// Returns the square of [`distance`](Self::distance), in f32: infinity for distances above
    /// 1.8e19, 0 for distances below 1e-23.
    #[must_use]
    pub fn distance_squared(&self, point: Vec3) -> f32 {
        match self.axis_distances(point) {
            Some(gap) => gap.x * gap.x + gap.y * gap.y + gap.z * gap.z,
            None => f32::INFINITY,
        }
    }

    /// Returns the distance outside the box on each axis. The kernels repeat these operations.
    fn axis_distances(&self, point: Vec3) -> Option<Vec3> {
        if self.is_empty() || point.is_nan() {
            return None;
        }
        Some((self.min - point).max(point - self.max).max(Vec3::ZERO))
    }

    /// Returns the bounding box of the eight corners transformed by `matrix`, which must be affine.
    /// The result has the same bits as the minimum and maximum of `Mat4::transform_point3` over the
    /// corners, except for the sign of a zero.
    ///
    /// If a corner overflows, the box is computed in f64 and clamped to `f32::MAX`. Returns
    /// [`EMPTY`](Self::EMPTY) if the box is empty or the first three rows of the matrix are not
    /// finite.
    #[must_use]
    #[inline]
    pub fn transformed(&self, matrix: &Mat4) -> Self {
        if self.is_empty() {
            return Self::EMPTY;
        }
        let (min, max) = self.transformed_corners(matrix);
        let transformed = Self { min: min.truncate(), max: max.truncate() };
        if transformed.is_finite() { transformed } else { self.transformed_f64(matrix) }
    }

    /// Returns the minimum and maximum corner of `transformed`, provided that nothing overflows.
    #[inline(always)]
    pub(crate) fn transformed_corners(&self, matrix: &Mat4) -> (Vec4, Vec4) {
        // Rounding is monotonic, so the minimal sum is the sum of the minimal terms in the same
        // order.
        let (x, to_x) = (matrix.x_axis * self.min.x, matrix.x_axis * self.max.x);
        let (y, to_y) = (matrix.y_axis * self.min.y, matrix.y_axis * self.max.y);
        let (z, to_z) = (matrix.z_axis * self.min.z, matrix.z_axis * self.max.z);
        let min = matrix.w_axis + (z.min(to_z) + (y.min(to_y) + x.min(to_x)));
        let max = matrix.w_axis + (z.max(to_z) + (y.max(to_y) + x.max(to_x)));
        (min, max)
    }

    /// Computes `transformed` in f64, for boxes whose sums overflow f32 and lose their sign.
    #[cold]
    fn transformed_f64(&self, matrix: &Mat4) -> Self {
        let columns = [0, 1, 2, 3].map(|axis| matrix.col(axis).truncate().as_dvec3());
        if !columns.iter().all(|column| column.is_finite()) {
            return Self::EMPTY;
        }
        let (from, to) = self.clamped_to_f32();
        let (mut min, mut max) = (columns[3], columns[3]);
        for axis in 0..3 {
            let (a, b) = (columns[axis] * from[axis], columns[axis] * to[axis]);
            (min, max) = (min + a.min(b), max + a.max(b));
        }
        Self { min: saturated(min), max: saturated(max) }
    }

    /// Returns both corners with infinities clamped to `f32::MAX`. The box must not be empty.
    #[inline]
    fn clamped_to_f32(&self) -> (DVec3, DVec3) {
        (self.min.clamp(-MAX, MAX).as_dvec3(), self.max.clamp(-MAX, MAX).as_dvec3())
    }
}
