//! `UpAxis`: the axis that points up, for what is generated: shapes and the default camera.
//!
//! Everything else works with any axis. Converting exchanges and negates components, so it is exact.

use glam::Vec3;
use pleach_graph::axes::LocalAxes;

/// The axis that points up. Both conventions are right-handed, with +X to the right.
///
/// A scene does not have an up axis of its own; this is a parameter of what is generated: the
/// [shapes](crate::shapes) and [`Camera::default_transform_for`](crate::Camera::default_transform_for).
///
/// ```
/// use pleach::UpAxis;
/// use pleach::shapes::Cylinder;
///
/// let column = Cylinder::new(0.5, 3.0);
/// assert_eq!(column.build()?.bounds().max.z, 1.5);
/// assert_eq!(column.with_up(UpAxis::Y).build()?.bounds().max.y, 1.5);
/// # Ok::<(), pleach::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum UpAxis {
    /// Up is +Z, forward is +Y, and the front of a model is −Y: the default of this crate.
    #[default]
    Z,
    /// Up is +Y, forward is −Z, and the front of a model is +Z: as in glTF and three.js.
    Y,
}

impl UpAxis {
    /// Converts a vector from the axes with Z up to these axes.
    ///
    /// ```
    /// use pleach::UpAxis;
    /// use pleach::glam::Vec3;
    ///
    /// assert_eq!(UpAxis::Y.from_z_up(Vec3::Z), Vec3::Y);
    /// assert_eq!(UpAxis::Y.from_z_up(Vec3::new(1.0, 2.0, 3.0)), Vec3::new(1.0, 3.0, -2.0));
    /// ```
    #[must_use]
    #[allow(clippy::wrong_self_convention, reason = "converts its argument, not itself")]
    pub fn from_z_up(self, vector: Vec3) -> Vec3 {
        match self {
            Self::Z => vector,
            // Adding zero avoids negative zeros.
            Self::Y => Vec3::new(vector.x, vector.z, -vector.y) + Vec3::ZERO,
        }
    }

    /// Returns the front and the top of a model, for [`NodeMut::aim`](crate::NodeMut::aim) and
    /// [`Constraint::Aim`](crate::Constraint::Aim).
    ///
    /// ```
    /// use pleach::{Node, Scene, UpAxis};
    /// use pleach::glam::Vec3;
    ///
    /// let mut scene = Scene::new();                    // a scene with Y up
    /// let duck = scene.spawn(Node::group().at(Vec3::X * 5.0))?;
    /// scene.node_mut(duck)?.aim(UpAxis::Y.model_axes(), Vec3::ZERO, UpAxis::Y.direction())?;
    /// assert!((scene.node(duck)?.rotation() * Vec3::Z).abs_diff_eq(Vec3::NEG_X, 1e-6));
    /// # Ok::<(), pleach::Error>(())
    /// ```
    #[must_use]
    pub fn model_axes(self) -> LocalAxes {
        match self {
            Self::Z => LocalAxes::MODEL,
            Self::Y => LocalAxes::MODEL_Y_UP,
        }
    }

    /// Returns the direction that points up.
    #[must_use]
    pub fn direction(self) -> Vec3 {
        match self {
            Self::Z => Vec3::Z,
            Self::Y => Vec3::Y,
        }
    }
}
