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

use glam::{DMat3, DVec3, Quat, Vec3};

use crate::Transform;
use crate::math::{rotation, unit::unit};

/// Up: +Z.
pub const UP: Vec3 = Vec3::Z;
/// Right: +X.
pub const RIGHT: Vec3 = Vec3::X;
/// Forward, into the scene: +Y.
pub const FORWARD: Vec3 = Vec3::Y;
/// The front of a model: −Y.
pub const FRONT: Vec3 = Vec3::NEG_Y;

/// The own axes of a kind of node: which of them is its front, and which its top.
///
/// ```
/// use pleach_graph::axes::{LocalAxes, aim_rotation};
/// use pleach_graph::glam::Vec3;
///
/// // A model of three.js or glTF: its front is +Z and its top +Y, in a world with Y up.
/// let rotation = aim_rotation(LocalAxes::MODEL_Y_UP, Vec3::X, Vec3::Y).unwrap();
/// assert!((rotation * Vec3::Z).abs_diff_eq(Vec3::X, 1e-6));
/// assert!((rotation * Vec3::Y).abs_diff_eq(Vec3::Y, 1e-6));
/// // A rocket, whose tip is its front.
/// let rocket = LocalAxes::new(Vec3::Z, Vec3::X).unwrap();
/// assert!((aim_rotation(rocket, Vec3::X, Vec3::Z).unwrap() * Vec3::Z).abs_diff_eq(Vec3::X, 1e-6));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LocalAxes {
    front: Vec3,
    up: Vec3,
}

impl LocalAxes {
    /// A camera or a light: front −Z, top +Y. What `look_at` uses.
    pub const CAMERA: Self = Self { front: Vec3::NEG_Z, up: Vec3::Y };
    /// A model, here: front −Y, top +Z. What `face` uses.
    pub const MODEL: Self = Self { front: FRONT, up: UP };
    /// A model whose axes were not converted to Z up, as in glTF and three.js: front
    /// +Z, top +Y.
    pub const MODEL_Y_UP: Self = Self { front: Vec3::Z, up: Vec3::Y };

    /// Creates axes from two directions of any length. `up` need not be orthogonal to
    /// `front`. Returns `None` if they are parallel, zero or not finite.
    #[must_use]
    pub fn new(front: Vec3, up: Vec3) -> Option<Self> {
        let axes = Self { front, up };
        axes.frame().map(|_| axes)
    }

    /// Returns the direction of the front.
    #[must_use]
    pub fn front(self) -> Vec3 {
        self.front
    }

    /// Returns the direction of the top.
    #[must_use]
    pub fn up(self) -> Vec3 {
        self.up
    }

    /// Returns the axes of a node with this scale: a negative scale reverses the
    /// front.
    pub(crate) fn scaled(self, scale: Vec3) -> Self {
        let scaled = Self { front: scale * self.front, up: self.up };
        if scaled.frame().is_some() { scaled } else { self }
    }

    /// Returns the orthonormal frame (right, up, back).
    fn frame(self) -> Option<[DVec3; 3]> {
        let back = -unit(self.front.as_dvec3())?;
        let right = cross_or_none(self.up.as_dvec3(), back)?;
        Some([right, back.cross(right), back])
    }
}

/// Returns the rotation with which the front of a node with `axes` points along
/// `direction`, and its top lies in the plane of `direction` and `up`.
///
/// Parallel and zero vectors are treated as in [`look_rotation`].
#[must_use]
pub fn aim_rotation(axes: LocalAxes, direction: Vec3, up: Vec3) -> Option<Quat> {
    aim_rotation_f64(axes, direction.as_dvec3(), up.as_dvec3())
}

pub(crate) fn aim_rotation_f64(axes: LocalAxes, direction: DVec3, up: DVec3) -> Option<Quat> {
    let own = axes.frame()?;
    let back = -unit(direction)?;
    let right = cross_unit(up, back);
    let aimed = DMat3::from_cols(right, back.cross(right), back);
    let rotation = aimed * DMat3::from_cols(own[0], own[1], own[2]).transpose();
    Some(rotation::from_axes([rotation.x_axis, rotation.y_axis, rotation.z_axis]))
}

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
#[doc(alias = "lookAt")]
#[doc(alias = "quaternion_look_at")]
#[must_use]
pub fn look_rotation(direction: Vec3, up: Vec3) -> Option<Quat> {
    aim_rotation(LocalAxes::CAMERA, direction, up)
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
    aim_rotation(LocalAxes::MODEL, direction, up)
}

/// Returns the normalized `up × axis`, with a replacement for `up` where it is
/// parallel.
fn cross_unit(up: DVec3, axis: DVec3) -> DVec3 {
    let ups = [up, FORWARD.as_dvec3(), UP.as_dvec3()];
    let mut crosses = ups.into_iter().filter_map(|up| cross_or_none(up, axis));
    crosses.next().expect("no axis is parallel to both +Y and +Z")
}

/// Returns the normalized `up × axis`, or `None` if they are parallel.
fn cross_or_none(up: DVec3, axis: DVec3) -> Option<DVec3> {
    let cross = unit(up)?.cross(axis);
    if cross.length() > 1e-6 { unit(cross) } else { None }
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
    #[doc(alias = "lookAt")]
    #[must_use]
    pub fn looking_at(self, target: Vec3, up: Vec3) -> Self {
        self.aimed_at(LocalAxes::CAMERA, target, up)
    }

    /// Returns the transform rotated so that a model's front points at `target`:
    /// see [`face_rotation`]. Otherwise like [`looking_at`](Self::looking_at).
    ///
    /// ```
    /// use pleach_graph::{Transform, axes};
    /// use pleach_graph::glam::Vec3;
    ///
    /// let dog = Transform::from_xyz(1.0, 0.0, 0.0).facing(Vec3::new(1.0, 5.0, 0.0), axes::UP);
    /// assert!((dog.rotation * axes::FRONT).abs_diff_eq(Vec3::Y, 1e-6));
    /// ```
    #[must_use]
    pub fn facing(self, target: Vec3, up: Vec3) -> Self {
        self.aimed_at(LocalAxes::MODEL, target, up)
    }

    /// Returns the transform rotated so that the front of a node with `axes` points
    /// at `target`: see [`aim_rotation`]. Otherwise like
    /// [`looking_at`](Self::looking_at).
    ///
    /// ```
    /// use pleach_graph::{Transform, axes::LocalAxes};
    /// use pleach_graph::glam::Vec3;
    ///
    /// let duck = Transform::IDENTITY.aimed_at(LocalAxes::MODEL_Y_UP, Vec3::X, Vec3::Y);
    /// assert!((duck.rotation * Vec3::Z).abs_diff_eq(Vec3::X, 1e-6));
    /// ```
    #[must_use]
    pub fn aimed_at(self, axes: LocalAxes, target: Vec3, up: Vec3) -> Self {
        let direction = target.as_dvec3() - self.translation.as_dvec3();
        let rotation = aim_rotation_f64(axes, direction, up.as_dvec3());
        self.with_rotation(rotation.unwrap_or(self.rotation))
    }
}
