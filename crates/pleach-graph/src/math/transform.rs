//! `Transform`: translation, rotation and scale as a plain value.
//!
//! The bits of the matrix of a transform are defined by `update/kernel/scalar.rs`,
//! not here and not by glam, whose order of operations depends on the target.

use core::ops::Mul;

use glam::{DMat3, DVec3, Mat4, Quat, Vec3};

use crate::math::affine;
use crate::math::rotation;
use crate::update::kernel::scalar;

/// A translation, rotation and scale: a point is scaled first, then rotated, then
/// translated.
///
/// Metres and radians; the rotation is a unit quaternion (x, y, z, w). Scales may
/// be zero or negative. For shear, set a matrix with
/// [`NodeMut::set_local_matrix`](crate::NodeMut::set_local_matrix).
///
/// ```
/// use pleach_graph::Transform;
/// use pleach_graph::glam::{Quat, Vec3};
///
/// let door = Transform::from_xyz(2.0, 0.0, 0.0)
///     .with_rotation(Quat::from_rotation_z(0.5))
///     .with_scale(Vec3::splat(2.0));
/// assert_eq!(door.translation, Vec3::new(2.0, 0.0, 0.0));
/// assert_eq!(Transform::default(), Transform::IDENTITY);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(::serde::Serialize, ::serde::Deserialize))]
#[repr(C)]
pub struct Transform {
    /// The position in the parent's space.
    pub translation: Vec3,
    /// The rotation: a unit quaternion.
    pub rotation: Quat,
    /// The scale along the node's own axes.
    pub scale: Vec3,
}

impl Transform {
    /// The identity: no translation, no rotation, a scale of one.
    pub const IDENTITY: Self =
        Self { translation: Vec3::ZERO, rotation: Quat::IDENTITY, scale: Vec3::ONE };

    /// Creates a transform that only translates.
    #[must_use]
    pub const fn from_xyz(x: f32, y: f32, z: f32) -> Self {
        Self::from_translation(Vec3::new(x, y, z))
    }

    /// Creates a transform that only translates.
    #[doc(alias = "from_position")]
    #[must_use]
    pub const fn from_translation(translation: Vec3) -> Self {
        Self { translation, ..Self::IDENTITY }
    }

    /// Creates a transform that only rotates.
    #[must_use]
    pub const fn from_rotation(rotation: Quat) -> Self {
        Self { rotation, ..Self::IDENTITY }
    }

    /// Creates a transform that only scales.
    #[must_use]
    pub const fn from_scale(scale: Vec3) -> Self {
        Self { scale, ..Self::IDENTITY }
    }

    /// Returns the transform nearest to an affine matrix; the last row is ignored.
    ///
    /// A matrix that was composed of a translation, rotation and scale is reproduced by
    /// [`to_matrix`](Self::to_matrix), up to rounding. A sheared one is not: the rotation
    /// then maps the x axis to the direction of the first column, and the y axis into the
    /// plane of the first two. A mirroring matrix gets a negative scale along z.
    ///
    /// ```
    /// # use pleach_graph::{Transform, rotation};
    /// # use pleach_graph::glam::Vec3;
    /// let door = Transform::from_xyz(1.0, 2.0, 3.0)
    ///     .with_rotation(rotation::from_rotation_z(0.5))
    ///     .with_scale(Vec3::new(1.0, 2.0, 3.0));
    /// let same = Transform::from_matrix(&door.to_matrix());
    /// assert!(same.to_matrix().abs_diff_eq(door.to_matrix(), 1e-6));
    /// ```
    #[doc(alias = "decompose")]
    #[doc(alias = "from_mat4")]
    #[must_use]
    pub fn from_matrix(matrix: &Mat4) -> Self {
        affine::decompose(matrix).0
    }

    /// Returns the transform with another translation.
    #[must_use]
    pub const fn with_translation(self, translation: Vec3) -> Self {
        Self { translation, ..self }
    }

    /// Returns the transform with another rotation.
    #[must_use]
    pub const fn with_rotation(self, rotation: Quat) -> Self {
        Self { rotation, ..self }
    }

    /// Returns the transform with another scale.
    #[must_use]
    pub const fn with_scale(self, scale: Vec3) -> Self {
        Self { scale, ..self }
    }

    /// Returns the matrix translation × rotation × scale, column-major, the same
    /// bits on every machine.
    ///
    /// ```
    /// # use pleach_graph::Transform;
    /// # use pleach_graph::glam::Vec3;
    /// let matrix = Transform::from_xyz(1.0, 2.0, 3.0).with_scale(Vec3::splat(2.0)).to_matrix();
    /// assert_eq!(matrix.to_cols_array()[12..15], [1.0, 2.0, 3.0]);
    /// assert_eq!(matrix.transform_point3(Vec3::X), Vec3::new(3.0, 2.0, 3.0));
    /// ```
    #[doc(alias = "compose")]
    #[doc(alias = "to_mat4")]
    #[doc(alias = "compute_matrix")]
    #[must_use]
    pub fn to_matrix(&self) -> Mat4 {
        Mat4::from_cols_array(&scalar::saturated(scalar::compose(self)))
    }

    /// Returns all numbers.
    pub(crate) fn to_numbers(self) -> [f32; 10] {
        let Self { translation: t, rotation: r, scale: s } = self;
        [t.x, t.y, t.z, r.x, r.y, r.z, r.w, s.x, s.y, s.z]
    }

    /// Returns the bits of all numbers: unlike `==`, distinguishes −0 from 0.
    pub(crate) fn bits(&self) -> ([u32; 3], [u32; 4], [u32; 3]) {
        (
            self.translation.to_array().map(f32::to_bits),
            self.rotation.to_array().map(f32::to_bits),
            self.scale.to_array().map(f32::to_bits),
        )
    }
}

/// Returns the linear part of a transform.
fn linear(transform: &Transform) -> DMat3 {
    let scale = DMat3::from_diagonal(transform.scale.as_dvec3());
    DMat3::from_quat(transform.rotation.as_dquat()) * scale
}

/// Rounds to f32; what exceeds it becomes its largest number.
fn saturated(vector: DVec3) -> Vec3 {
    vector.as_vec3().clamp(Vec3::splat(-f32::MAX), Vec3::splat(f32::MAX))
}

/// Transforms a point, computed in f64.
///
/// ```
/// # use pleach_graph::Transform;
/// # use pleach_graph::glam::Vec3;
/// let transform = Transform::from_xyz(1.0, 2.0, 3.0).with_scale(Vec3::splat(2.0));
/// assert_eq!(transform * Vec3::X, Vec3::new(3.0, 2.0, 3.0));
/// ```
impl Mul<Vec3> for Transform {
    type Output = Vec3;

    fn mul(self, point: Vec3) -> Vec3 {
        saturated(linear(&self) * point.as_dvec3() + self.translation.as_dvec3())
    }
}

/// Returns the transform that applies the right side first, as the product of the
/// matrices does.
///
/// Exact up to rounding if the left side has a uniform scale, or if the right side is
/// not rotated. Otherwise the product of the matrices may be sheared; the result is then
/// the transform nearest to it, as returned by [`Transform::from_matrix`], and a product
/// of three depends on the order in which it is computed. For exact results multiply
/// matrices.
///
/// ```
/// # use pleach_graph::{Transform, rotation};
/// # use pleach_graph::glam::Vec3;
/// let arm = Transform::from_xyz(1.0, 0.0, 0.0).with_scale(Vec3::splat(2.0));
/// let hand = Transform::from_xyz(0.0, 3.0, 0.0);
/// assert_eq!((arm * hand).translation, Vec3::new(1.0, 6.0, 0.0));
/// assert_eq!(arm * hand * Vec3::X, arm * (hand * Vec3::X));
/// ```
impl Mul for Transform {
    type Output = Self;

    fn mul(self, local: Self) -> Self {
        let translation = self * local.translation;
        let Vec3 { x, y, z } = self.scale;
        if x == y && y == z {
            let rotation = rotation::mul(self.rotation, local.rotation);
            let rotation = rotation::normalize(rotation).unwrap_or(rotation);
            let scale = saturated(self.scale.as_dvec3() * local.scale.as_dvec3());
            return Self { translation, rotation, scale };
        }
        let product = affine::join(linear(&self) * linear(&local), translation.as_dvec3());
        Self::from_matrix(&product)
    }
}

impl Default for Transform {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl From<Transform> for Mat4 {
    fn from(transform: Transform) -> Self {
        transform.to_matrix()
    }
}
