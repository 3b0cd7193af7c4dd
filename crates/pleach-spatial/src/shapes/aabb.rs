//! `Aabb`: an axis-aligned box, or nothing.
//!
//! Boxes are closed: a point on a face is inside. A box with `min > max` on any
//! axis, or with a NaN, is empty: it contains and meets nothing. No function here
//! gives a NaN, whatever it is given, and none but `new` gives a box with one.

use glam::{DVec3, Mat4, Vec3, Vec4};

use crate::Sphere;

const MAX: Vec3 = Vec3::splat(f32::MAX);

/// An axis-aligned box: all points `p` with `min <= p <= max`.
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
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// The corner with the least coordinates.
    pub min: Vec3,
    /// The corner with the greatest.
    pub max: Vec3,
}

impl Aabb {
    /// The box of no points, neutral in [`union`](Self::union).
    pub const EMPTY: Self =
        Self { min: Vec3::splat(f32::INFINITY), max: Vec3::splat(f32::NEG_INFINITY) };

    /// The box between two corners, as they are given.
    #[must_use]
    pub const fn new(min: Vec3, max: Vec3) -> Self {
        Self { min, max }
    }

    /// The box around a centre, as far to both sides as `half` says. Faces that would
    /// overflow stop at `f32::MAX`.
    ///
    /// [`EMPTY`](Self::EMPTY) if the centre is not finite or `half` is negative or NaN
    /// on any axis.
    #[must_use]
    pub fn from_center_half(center: Vec3, half: Vec3) -> Self {
        if !center.is_finite() || !half.cmpge(Vec3::ZERO).all() {
            return Self::EMPTY;
        }
        Self { min: (center - half).max(-MAX), max: (center + half).min(MAX) }
    }

    /// The least box that holds the points; [`EMPTY`](Self::EMPTY) for none.
    ///
    /// Points with a coordinate that is not finite are left out.
    #[must_use]
    pub fn from_points(points: impl IntoIterator<Item = Vec3>) -> Self {
        let finite = points.into_iter().filter(|point| point.is_finite());
        finite.fold(Self::EMPTY, |aabb, point| Self {
            min: aabb.min.min(point),
            max: aabb.max.max(point),
        })
    }

    /// The least box that holds a mesh's positions, given as x, y, z, x, y, z, …
    ///
    /// Positions that are not finite are left out, and so are one or two numbers at
    /// the end that make no position. `None` if nothing is left: empty geometry has
    /// no box.
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

    /// Does it hold no point?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.min.cmple(self.max).all()
    }

    /// Are all six numbers finite?
    #[must_use]
    pub fn is_finite(&self) -> bool {
        self.min.is_finite() && self.max.is_finite()
    }

    /// The point in the middle, rounded; the origin if the box is empty.
    #[must_use]
    pub fn center(&self) -> Vec3 {
        if self.is_empty() {
            return Vec3::ZERO;
        }
        // In f64 the sum of the two does not overflow, and is rounded once.
        let (min, max) = self.clamped_to_f32();
        ((min + max) * 0.5).as_vec3()
    }

    /// From the middle to the faces, rounded; zero if the box is empty.
    #[must_use]
    pub fn half_extents(&self) -> Vec3 {
        if self.is_empty() {
            return Vec3::ZERO;
        }
        let (min, max) = self.clamped_to_f32();
        ((max - min) * 0.5).as_vec3()
    }

    /// The lengths of the edges; zero if the box is empty. A length that would
    /// overflow stops at `f32::MAX`.
    #[must_use]
    pub fn size(&self) -> Vec3 {
        if self.is_empty() { Vec3::ZERO } else { (self.max - self.min).min(MAX) }
    }

    /// Half the surface: `xy + yz + zx` of the [`size`](Self::size). Zero if the box is
    /// empty; stops at `f32::MAX`.
    #[must_use]
    pub fn half_area(&self) -> f32 {
        let size = self.size();
        (size.x * size.y + size.y * size.z + size.z * size.x).min(f32::MAX)
    }

    /// The eight corners. The index tells which: bit 0 is set for `max.x`, bit 1 for
    /// `max.y`, bit 2 for `max.z`. All are the origin if the box is empty.
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

    /// The least box that holds both.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        match (self.is_empty(), other.is_empty()) {
            (false, false) => Self { min: self.min.min(other.min), max: self.max.max(other.max) },
            (false, true) => *self,
            (true, false) => *other,
            (true, true) => Self::EMPTY,
        }
    }

    /// What both hold; [`EMPTY`](Self::EMPTY) if they have no point in common.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        if !self.intersects(other) {
            return Self::EMPTY;
        }
        Self { min: self.min.max(other.min), max: self.max.min(other.max) }
    }

    /// Have they a point in common? Boxes that touch have.
    #[must_use]
    pub fn intersects(&self, other: &Self) -> bool {
        self.min.cmple(other.max).all()
            && other.min.cmple(self.max).all()
            && !self.is_empty()
            && !other.is_empty()
    }

    /// Is the point in the box or on its surface?
    #[must_use]
    pub fn contains_point(&self, point: Vec3) -> bool {
        self.min.cmple(point).all() && point.cmple(self.max).all()
    }

    /// Is all of `other` in this box? The empty box is in every box.
    #[must_use]
    pub fn contains(&self, other: &Self) -> bool {
        other.is_empty() || (self.contains_point(other.min) && self.contains_point(other.max))
    }

    /// Does the sphere touch the box, or is one within the other? Never, if either is
    /// empty.
    ///
    /// This is `distance_squared(center) <= radius * radius` in f32. Both sides overflow
    /// for radii above 1.8e19: such a sphere meets every box.
    #[must_use]
    pub fn intersects_sphere(&self, sphere: &Sphere) -> bool {
        !self.is_empty()
            && !sphere.is_empty()
            && self.distance_squared(sphere.center) <= sphere.radius * sphere.radius
    }

    /// The point of the box that is nearest to `point`: that point itself if it is
    /// inside. `None` if the box is empty or the point has a NaN.
    #[must_use]
    pub fn closest_point(&self, point: Vec3) -> Option<Vec3> {
        if self.is_empty() || point.is_nan() {
            return None;
        }
        Some(point.max(self.min).min(self.max))
    }

    /// How far the box is from a point: 0 if it is inside, infinity if the box is empty
    /// or the point has a NaN.
    #[must_use]
    pub fn distance(&self, point: Vec3) -> f32 {
        match self.axis_distances(point) {
            // In f64, where the squares do not overflow.
            Some(gap) => crate::shapes::plane::length(gap.as_dvec3()) as f32,
            None => f32::INFINITY,
        }
    }

    /// The square of [`distance`](Self::distance), in f32: infinity from 1.8e19 on, and
    /// 0 below 1e-23.
    #[must_use]
    pub fn distance_squared(&self, point: Vec3) -> f32 {
        match self.axis_distances(point) {
            Some(gap) => gap.x * gap.x + gap.y * gap.y + gap.z * gap.z,
            None => f32::INFINITY,
        }
    }

    /// How far the point is outside on each axis. The kernels repeat these operations.
    fn axis_distances(&self, point: Vec3) -> Option<Vec3> {
        if self.is_empty() || point.is_nan() {
            return None;
        }
        Some((self.min - point).max(point - self.max).max(Vec3::ZERO))
    }

    /// The box of the eight corners after `matrix`, which must be affine: the same bits as
    /// transforming each corner with `Mat4::transform_point3` and taking the least and the
    /// greatest (but for the sign of a zero).
    ///
    /// If a corner overflows, the box is worked out in f64 and stops at `f32::MAX`. The
    /// empty box stays [`EMPTY`](Self::EMPTY), which is also the answer if the first three
    /// rows of the matrix are not finite.
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

    /// The least and the greatest corner of `transformed`, if nothing overflows.
    #[inline(always)]
    pub(crate) fn transformed_corners(&self, matrix: &Mat4) -> (Vec4, Vec4) {
        // Rounding keeps order, so the least sum is the sum of the least terms, in the same order.
        let (x, to_x) = (matrix.x_axis * self.min.x, matrix.x_axis * self.max.x);
        let (y, to_y) = (matrix.y_axis * self.min.y, matrix.y_axis * self.max.y);
        let (z, to_z) = (matrix.z_axis * self.min.z, matrix.z_axis * self.max.z);
        let min = matrix.w_axis + (z.min(to_z) + (y.min(to_y) + x.min(to_x)));
        let max = matrix.w_axis + (z.max(to_z) + (y.max(to_y) + x.max(to_x)));
        (min, max)
    }

    /// `transformed` where f32 overflows: an infinity in the sums would lose which way.
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
        let limit = MAX.as_dvec3();
        Self { min: min.clamp(-limit, limit).as_vec3(), max: max.clamp(-limit, limit).as_vec3() }
    }

    /// Both corners, infinities drawn in to `f32::MAX`. The box must not be empty.
    fn clamped_to_f32(&self) -> (DVec3, DVec3) {
        (self.min.clamp(-MAX, MAX).as_dvec3(), self.max.clamp(-MAX, MAX).as_dvec3())
    }
}
