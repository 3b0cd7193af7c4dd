//! `Transform`: translation, rotation and scale as a plain value.
//!
//! The bits of the matrix of a transform are defined by `update/kernel/scalar.rs`,
//! not here and not by glam, whose order of operations depends on the target.

use glam::{Mat4, Quat, Vec3};

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
    #[must_use]
    pub fn to_matrix(&self) -> Mat4 {
        Mat4::from_cols_array(&scalar::saturated(scalar::compose(self)))
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
