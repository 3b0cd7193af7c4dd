//! The axis convention. No other module of this crate depends on which axis is up.
//!
//! The world is right-handed with Z up; forward, into the scene, is +Y, and the
//! front of a model is −Y. A camera or a light looks along its own −Z with its own
//! +Y up, so a view matrix is the inverse of a world matrix. These are glTF's axes
//! after rotating Y-up to Z-up.
//!
//! ```
//! use pleach_graph::axes::{FORWARD, FRONT, RIGHT, UP};
//! assert_eq!(RIGHT.cross(FORWARD), UP);
//! assert_eq!(FRONT, -FORWARD);
//! ```

use glam::{DMat3, DQuat, DVec3, Quat, Vec3};

use crate::Transform;
use crate::math::affine::unit;

/// Up: +Z.
pub const UP: Vec3 = Vec3::Z;
/// Right: +X.
pub const RIGHT: Vec3 = Vec3::X;
/// Forward, into the scene: +Y.
pub const FORWARD: Vec3 = Vec3::Y;
/// The front of a model: −Y.
pub const FRONT: Vec3 = Vec3::NEG_Y;

/// Returns the rotation with which a camera or light looks along `direction`: its
/// −Z points along `direction`, and its +Y lies in the plane of `direction` and
/// `up`.
///
/// If `up` is parallel to `direction` (or zero), [`FORWARD`] replaces it, or [`UP`]
/// if that is parallel too. Returns `None` if `direction` is zero or not finite.
///
/// ```
/// use pleach_graph::axes::{UP, look_rotation};
/// use pleach_graph::glam::Vec3;
///
/// let rotation = look_rotation(Vec3::new(3.0, 0.0, 0.0), UP).unwrap();
/// assert!((rotation * Vec3::NEG_Z).abs_diff_eq(Vec3::X, 1e-6));
/// assert!((rotation * Vec3::Y).abs_diff_eq(Vec3::Z, 1e-6));
/// assert!(look_rotation(Vec3::NEG_Z, UP).unwrap().is_finite());     // straight down
/// assert_eq!(look_rotation(Vec3::ZERO, UP), None);
/// ```
#[must_use]
pub fn look_rotation(direction: Vec3, up: Vec3) -> Option<Quat> {
    look_rotation_f64(direction.as_dvec3(), up.as_dvec3())
}

/// Returns the rotation with which a model faces along `direction`: its front, −Y,
/// points along `direction`, and its +Z lies in the plane of `direction` and `up`.
///
/// A parallel `up` and a zero direction are treated as in [`look_rotation`].
///
/// ```
/// use pleach_graph::axes::{FRONT, UP, face_rotation};
/// use pleach_graph::glam::Vec3;
///
/// let rotation = face_rotation(Vec3::X, UP).unwrap();
/// assert!((rotation * FRONT).abs_diff_eq(Vec3::X, 1e-6));
/// assert!((rotation * UP).abs_diff_eq(UP, 1e-6));
/// ```
#[must_use]
pub fn face_rotation(direction: Vec3, up: Vec3) -> Option<Quat> {
    face_rotation_f64(direction.as_dvec3(), up.as_dvec3())
}

pub(crate) fn look_rotation_f64(direction: DVec3, up: DVec3) -> Option<Quat> {
    let back = -unit(direction)?;
    let right = cross_unit(up, back);
    Some(quaternion(right, back.cross(right), back))
}

pub(crate) fn face_rotation_f64(direction: DVec3, up: DVec3) -> Option<Quat> {
    let back = -unit(direction)?;
    let right = -cross_unit(up, back);
    Some(quaternion(right, back, right.cross(back)))
}

/// Returns the normalized `up × axis`, with a replacement for `up` where it is
/// parallel.
fn cross_unit(up: DVec3, axis: DVec3) -> DVec3 {
    let ups = [Some(up), Some(FORWARD.as_dvec3()), Some(UP.as_dvec3())];
    let mut crosses = ups.into_iter().flatten().filter_map(|up| {
        let cross = unit(up)?.cross(axis);
        if cross.length() > 1e-6 { unit(cross) } else { None }
    });
    crosses.next().expect("no axis is parallel to both +Y and +Z")
}

fn quaternion(x: DVec3, y: DVec3, z: DVec3) -> Quat {
    let rotation = DQuat::from_mat3(&DMat3::from_cols(x, y, z)).normalize();
    Quat::from_array(rotation.to_array().map(|component| component as f32))
}

impl Transform {
    /// Returns the transform rotated so that a camera or light looks at `target`:
    /// see [`look_rotation`]. If `target` equals the translation, the rotation is
    /// unchanged.
    ///
    /// `target` and `up` are in the space of the parent. To look at a point in
    /// world space below any parent, use
    /// [`NodeMut::look_at`](crate::NodeMut::look_at).
    ///
    /// ```
    /// use pleach_graph::{Transform, axes};
    /// use pleach_graph::glam::Vec3;
    ///
    /// let camera = Transform::from_xyz(0.0, -10.0, 5.0).looking_at(Vec3::ZERO, axes::UP);
    /// let ahead = camera.rotation * Vec3::NEG_Z;
    /// assert!(ahead.abs_diff_eq(Vec3::new(0.0, 10.0, -5.0).normalize(), 1e-6));
    /// ```
    #[must_use]
    pub fn looking_at(self, target: Vec3, up: Vec3) -> Self {
        let direction = target.as_dvec3() - self.translation.as_dvec3();
        self.with_rotation(look_rotation_f64(direction, up.as_dvec3()).unwrap_or(self.rotation))
    }

    /// Returns the transform rotated so that a model's front points at `target`:
    /// see [`face_rotation`]. Otherwise like [`looking_at`](Self::looking_at).
    #[must_use]
    pub fn facing(self, target: Vec3, up: Vec3) -> Self {
        let direction = target.as_dvec3() - self.translation.as_dvec3();
        self.with_rotation(face_rotation_f64(direction, up.as_dvec3()).unwrap_or(self.rotation))
    }
}
