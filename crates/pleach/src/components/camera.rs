//! `Camera`: the projection, clip space and layers that a node is viewed with.
//!
//! Plain data without a transform: a camera is positioned by its node, so that it can only be moved
//! through the graph, which records the change. A camera and a node's world matrix make a
//! [`View`](crate::View).

use glam::{Mat4, Vec3};
use pleach_graph::{Transform, axes};
use pleach_spatial::ClipSpace;

use crate::{Component, Projection};

/// A camera. It looks along its node's −Z, with +Y up.
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
/// It has no transform of its own that could be changed without the graph:
///
/// ```compile_fail
/// pleach::Camera::default().rotation = pleach::glam::Quat::IDENTITY;
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// The projection.
    pub projection: Projection,
    /// The aspect ratio, width divided by height; `None` to use that of the viewport.
    pub aspect: Option<f32>,
    /// The depth range of the graphics API; 0 to 1 by default.
    pub clip_space: ClipSpace,
    /// The layers it sees, as bits; all by default.
    pub layers: u32,
}

impl Default for Camera {
    /// Creates a perspective camera of 60° from 0.1 to 500, with the aspect ratio of the viewport,
    /// that sees all layers.
    fn default() -> Self {
        Self {
            projection: Projection::default(),
            aspect: None,
            clip_space: ClipSpace::default(),
            layers: u32::MAX,
        }
    }
}

impl Component for Camera {
    const NAME: &'static str = "camera";
}

impl Camera {
    /// Creates a perspective camera with the vertical field of view `fov_y` in radians and the
    /// aspect ratio `aspect` (width divided by height); near is 0.1, far is 500.
    #[must_use]
    pub fn perspective(fov_y: f32, aspect: f32) -> Self {
        let projection = Projection::Perspective { fov_y, near: 0.1, far: 500.0 };
        Self { projection, aspect: Some(aspect), ..Self::default() }
    }

    /// Creates an orthographic camera that shows `height` units of the world vertically, with the
    /// aspect ratio of the viewport; near is 0.1, far is 500.
    #[must_use]
    pub fn orthographic(height: f32) -> Self {
        let projection = Projection::Orthographic { height, zoom: 1.0, near: 0.1, far: 500.0 };
        Self { projection, ..Self::default() }
    }

    /// Creates a camera with a custom projection matrix, from view space (right-handed, −Z ahead,
    /// +Y up) to `clip_space`.
    #[must_use]
    pub fn custom(projection: Mat4, clip_space: ClipSpace) -> Self {
        Self { projection: Projection::Custom(projection), clip_space, ..Self::default() }
    }

    /// Returns the transform for a camera that has none: at (0, 10, 5), looking at the origin, with
    /// +Z up. It sees models from the front.
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

    /// Sets the aspect ratio, width divided by height.
    #[must_use]
    pub fn with_aspect(self, aspect: f32) -> Self {
        Self { aspect: Some(aspect), ..self }
    }

    /// Sets the near and far planes. For a perspective projection `far` may be `f32::INFINITY`. A
    /// custom matrix is not changed.
    #[must_use]
    pub fn with_depth_range(mut self, near: f32, far: f32) -> Self {
        match &mut self.projection {
            Projection::Perspective { near: n, far: f, .. }
            | Projection::Orthographic { near: n, far: f, .. } => (*n, *f) = (near, far),
            Projection::Custom(_) => {}
        }
        self
    }

    /// Sets the magnification, if the projection is orthographic. Other projections have no zoom:
    /// reduce the `fov_y` of a perspective projection instead.
    #[must_use]
    pub fn with_zoom(mut self, zoom: f32) -> Self {
        if let Projection::Orthographic { zoom: current, .. } = &mut self.projection {
            *current = zoom;
        }
        self
    }

    /// Sets the clip space.
    #[must_use]
    pub fn with_clip_space(self, clip_space: ClipSpace) -> Self {
        Self { clip_space, ..self }
    }

    /// Sets the layers it sees, as bits.
    #[must_use]
    pub fn with_layers(self, layers: u32) -> Self {
        Self { layers, ..self }
    }
}
