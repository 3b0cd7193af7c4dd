//! `Camera`: what a node needs to be looked through.
//!
//! Plain data: a camera knows nothing of where it stands. Its node's world transform does,
//! and can only be set through the graph, which notices. What both show together is a
//! [`View`](crate::View).

use glam::{Mat4, Vec3};
use pleach_graph::{Transform, axes};
use pleach_spatial::ClipSpace;

use crate::Projection;

/// A camera, which looks along its node's own −Z, with its +Y up.
///
/// ```
/// use pleach::{Camera, Projection};
///
/// let mut camera = Camera::perspective(60f32.to_radians(), 16.0 / 9.0).with_depth_range(0.1, 200.0);
/// camera.aspect = None;                                // follow the viewport
/// let map = Camera::orthographic(40.0).with_zoom(2.0);
/// assert_eq!(map.projection, Projection::Orthographic { height: 40.0, zoom: 2.0, near: 0.1, far: 500.0 });
/// ```
///
/// It has no place of its own that could be moved behind the graph's back:
///
/// ```compile_fail
/// pleach::Camera::default().rotation = pleach::glam::Quat::IDENTITY;
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// How the picture is made.
    pub projection: Projection,
    /// The width of the picture divided by its height; `None` for the viewport's.
    pub aspect: Option<f32>,
    /// What depth means to the graphics interface: 0 to 1 if not told otherwise.
    pub clip_space: ClipSpace,
    /// The layers it sees, as bits: all, if not told otherwise.
    pub layers: u32,
}

impl Default for Camera {
    /// A perspective of 60° from 0.1 to 500, with the aspect of the viewport, that sees all
    /// layers.
    fn default() -> Self {
        Self {
            projection: Projection::default(),
            aspect: None,
            clip_space: ClipSpace::default(),
            layers: u32::MAX,
        }
    }
}

impl Camera {
    /// A perspective with this angle from the lower to the upper edge of the picture, in
    /// radians, and this width divided by height; from 0.1 to 500.
    #[must_use]
    pub fn perspective(fov_y: f32, aspect: f32) -> Self {
        let projection = Projection::Perspective { fov_y, near: 0.1, far: 500.0 };
        Self { projection, aspect: Some(aspect), ..Self::default() }
    }

    /// A parallel projection that shows so much of the world from the lower to the upper
    /// edge of the picture; from 0.1 to 500, with the aspect of the viewport.
    #[must_use]
    pub fn orthographic(height: f32) -> Self {
        let projection = Projection::Orthographic { height, zoom: 1.0, near: 0.1, far: 500.0 };
        Self { projection, ..Self::default() }
    }

    /// A projection of your own, from view space (right-handed, −Z ahead, +Y up) to
    /// the clip space named.
    #[must_use]
    pub fn custom(projection: Mat4, clip_space: ClipSpace) -> Self {
        Self { projection: Projection::Custom(projection), clip_space, ..Self::default() }
    }

    /// Where a camera stands if it was put nowhere: at (0, 10, 5), looking at the origin, with +Z
    /// up. It sees models from the front.
    ///
    /// ```
    /// use pleach::Camera;
    /// use pleach::glam::Vec3;
    ///
    /// let transform = Camera::default_transform();
    /// let ahead = transform.rotation * Vec3::NEG_Z;
    /// assert!(ahead.abs_diff_eq(-transform.translation.normalize(), 1e-6));
    /// ```
    #[must_use]
    pub fn default_transform() -> Transform {
        Transform::from_xyz(0.0, 10.0, 5.0).looking_at(Vec3::ZERO, axes::UP)
    }

    /// The same camera with this width of the picture divided by its height.
    #[must_use]
    pub fn with_aspect(self, aspect: f32) -> Self {
        Self { aspect: Some(aspect), ..self }
    }

    /// The same camera, seeing from `near` to `far`, which is `f32::INFINITY` for a
    /// perspective without an end. A custom matrix stays as it is.
    #[must_use]
    pub fn with_depth_range(mut self, near: f32, far: f32) -> Self {
        match &mut self.projection {
            Projection::Perspective { near: n, far: f, .. }
            | Projection::Orthographic { near: n, far: f, .. } => (*n, *f) = (near, far),
            Projection::Custom(_) => {}
        }
        self
    }

    /// The same camera, showing everything so many times larger, if it is orthographic.
    /// Others have no zoom: narrow a perspective's `fov_y` instead.
    #[must_use]
    pub fn with_zoom(mut self, zoom: f32) -> Self {
        if let Projection::Orthographic { zoom: current, .. } = &mut self.projection {
            *current = zoom;
        }
        self
    }

    /// The same camera for another clip space.
    #[must_use]
    pub fn with_clip_space(self, clip_space: ClipSpace) -> Self {
        Self { clip_space, ..self }
    }

    /// The same camera, seeing only nodes that are on one of these layers (bits).
    #[must_use]
    pub fn with_layers(self, layers: u32) -> Self {
        Self { layers, ..self }
    }
}
