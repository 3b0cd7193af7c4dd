//! `Camera`: the projection, clip space and layers that a node is viewed with.
//!
//! Plain data without a transform: a camera is positioned by its node, so that it can only be moved
//! through the graph, which records the change. A camera and a node's world matrix make a
//! [`View`](crate::View).

use std::hash::Hash;

use glam::{Mat4, Vec3};
use pleach_graph::Transform;
use pleach_spatial::ClipSpace;

use crate::content::Content;
use crate::{Component, Projection, UpAxis};

/// A camera. It looks along its node's −Z, with +Y up.
///
/// ```
/// use pleach::{Camera, Projection};
///
/// let camera = Camera::perspective(60f32.to_radians()).with_near(0.2).with_far(200.0);
/// assert_eq!(camera.aspect, None);                     // that of the viewport
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
    #[doc(alias("RenderLayers", "cullingMask", "cull_mask"))]
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

    fn write_content(&self, content: &mut Content) -> bool {
        let &Self { projection, aspect, clip_space, layers } = self;
        match projection {
            Projection::Perspective { fov_y, near, far } => {
                0_u8.hash(content);
                content.write_numbers(&[fov_y, near, far]);
            }
            Projection::Orthographic { height, zoom, near, far } => {
                1_u8.hash(content);
                content.write_numbers(&[height, zoom, near, far]);
            }
            Projection::Custom(matrix) => {
                2_u8.hash(content);
                content.write_rows(&[matrix]);
            }
        }
        content.write_option(aspect.as_ref(), |content, aspect| content.write_numbers(&[*aspect]));
        (clip_space, layers).hash(content);
        true
    }
}

impl Camera {
    /// Creates a perspective camera with the vertical field of view `fov_y` in radians and the
    /// aspect ratio of the viewport; near is 0.1, far is 500.
    ///
    /// ```
    /// use pleach::Camera;
    ///
    /// let camera = Camera::perspective(60f32.to_radians()).with_near(0.01).with_far(f32::INFINITY);
    /// # assert_eq!(camera.aspect, None);
    /// ```
    #[doc(alias = "fov")]
    #[must_use]
    #[doc(alias = "PerspectiveCamera")]
    pub fn perspective(fov_y: f32) -> Self {
        let projection = Projection::Perspective { fov_y, near: 0.1, far: 500.0 };
        Self { projection, ..Self::default() }
    }

    /// Creates an orthographic camera that shows `height` units of the world vertically, with the
    /// aspect ratio of the viewport; near is 0.1, far is 500.
    ///
    /// ```
    /// use pleach::Camera;
    ///
    /// let map = Camera::orthographic(40.0).with_zoom(2.0).with_near(-50.0).with_far(50.0);
    /// # assert_eq!(map.aspect, None);
    /// ```
    #[must_use]
    #[doc(alias = "OrthographicCamera")]
    pub fn orthographic(height: f32) -> Self {
        let projection = Projection::Orthographic { height, zoom: 1.0, near: 0.1, far: 500.0 };
        Self { projection, ..Self::default() }
    }

    /// Creates a camera with a custom projection matrix, from view space (right-handed, −Z ahead,
    /// +Y up) to `clip_space`.
    ///
    /// ```
    /// use pleach::{Camera, ClipSpace, Projection};
    ///
    /// let mut matrix = Projection::default().matrix(1.5, ClipSpace::ZeroToOne)?;
    /// matrix.z_axis.x = 0.1;                               // off-centre
    /// let camera = Camera::custom(matrix, ClipSpace::ZeroToOne);
    /// assert_eq!(camera.projection, Projection::Custom(matrix));
    /// # Ok::<(), pleach::Error>(())
    /// ```
    #[must_use]
    pub fn custom(projection: Mat4, clip_space: ClipSpace) -> Self {
        Self { projection: Projection::Custom(projection), clip_space, ..Self::default() }
    }

    /// Returns the transform for a camera that has none: at (0, 10, 5), looking at the origin, with
    /// +Z up. See [`default_transform_for`](Self::default_transform_for) for scenes with +Y up.
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
        Self::default_transform_for(UpAxis::Z)
    }

    /// Returns the transform for a camera that has none, in a scene with this axis up: at
    /// (0, 10, 5) with +Z up, at (0, 5, 10) with +Y up, looking at the origin.
    ///
    /// ```
    /// use pleach::glam::Vec3;
    /// use pleach::{Camera, UpAxis};
    ///
    /// let transform = Camera::default_transform_for(UpAxis::Y);
    /// assert_eq!(transform.translation, Vec3::new(0.0, 5.0, 10.0));
    /// ```
    #[must_use]
    pub fn default_transform_for(up: UpAxis) -> Transform {
        let position = match up {
            UpAxis::Z => Vec3::new(0.0, 10.0, 5.0),
            UpAxis::Y => Vec3::new(0.0, 5.0, 10.0),
        };
        Transform::from_translation(position).looking_at(Vec3::ZERO, up.direction())
    }

    /// Sets a fixed aspect ratio, width divided by height, which replaces that of the viewport: an
    /// image in a viewport of another shape is stretched.
    ///
    /// ```
    /// use pleach::{Camera, Transform, View};
    ///
    /// let cinema = Camera::perspective(0.8).with_aspect(2.39);
    /// let view = View::new(&cinema, Transform::IDENTITY, (1280, 720))?;
    /// assert!((view.projection.y_axis.y / view.projection.x_axis.x - 2.39).abs() < 1e-6);
    /// # Ok::<(), pleach::Error>(())
    /// ```
    #[must_use]
    pub fn with_aspect(self, aspect: f32) -> Self {
        Self { aspect: Some(aspect), ..self }
    }

    /// Sets the distance of the near plane. A custom matrix is not changed.
    ///
    /// ```
    /// use pleach::{Camera, Projection};
    ///
    /// let camera = Camera::perspective(1.0).with_near(0.01).with_far(50.0);
    /// assert_eq!(camera.projection, Projection::Perspective { fov_y: 1.0, near: 0.01, far: 50.0 });
    /// ```
    #[must_use]
    pub fn with_near(mut self, near: f32) -> Self {
        match &mut self.projection {
            Projection::Perspective { near: current, .. }
            | Projection::Orthographic { near: current, .. } => *current = near,
            Projection::Custom(_) => {}
        }
        self
    }

    /// Sets the distance of the far plane. For a perspective projection it may be `f32::INFINITY`.
    /// A custom matrix is not changed.
    ///
    /// ```
    /// use pleach::{Camera, Transform, View};
    ///
    /// let camera = Camera::default().with_far(f32::INFINITY);
    /// assert_eq!(View::new(&camera, Transform::IDENTITY, 1.5)?.far, f32::INFINITY);
    /// # Ok::<(), pleach::Error>(())
    /// ```
    #[must_use]
    pub fn with_far(mut self, far: f32) -> Self {
        match &mut self.projection {
            Projection::Perspective { far: current, .. }
            | Projection::Orthographic { far: current, .. } => *current = far,
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
