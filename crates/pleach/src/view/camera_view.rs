//! `View`: the view of one camera as plain values.
//!
//! A view is computed once per frame, after the update, and does not follow its camera. All its
//! results are computed from its public matrices, and none is NaN.
//!
//! The view matrix is the inverse of the world matrix without scale and shear (`basis.rs`), as glTF
//! requires: a camera below a scaled parent keeps its field of view.
//!
//! Invariant: all matrices are finite, and the frustum is that of `view_projection`.

use glam::{DVec2, DVec3, DVec4, Mat4, Vec2, Vec3};
use pleach_graph::NodeId;
use pleach_spatial::{ClipSpace, Frustum, Ray};

use super::basis::ViewBasis;
use super::error::ViewError;
use super::lens::Lens;
use crate::{Camera, Error, Projection};

/// The view of a camera: of one in a scene by [`Scene::view`](crate::Scene::view), or of a camera
/// that is not in any scene by [`new`](Self::new).
///
/// Points in the image are in *normalized device coordinates*: x from −1 at the left to 1 at the
/// right, y from −1 at the bottom to 1 at the top; or in *pixels*: (0, 0) is the upper left corner
/// of the viewport, y points down, and (0.5, 0.5) is the centre of the first pixel.
///
/// ```
/// use pleach::{Camera, View};
/// use pleach::glam::{Vec2, Vec3};
///
/// let view = View::new(&Camera::default(), Camera::default_transform(), (800, 600))?;
/// let middle = view.project_to_pixel(Vec3::ZERO).unwrap();
/// assert!(middle.abs_diff_eq(Vec2::new(400.0, 300.0), 1e-3));
///
/// let ray = view.ray_through_pixel(Vec2::new(400.0, 300.0)).unwrap();
/// assert_eq!(ray.origin(), Vec3::new(0.0, 10.0, 5.0));
/// assert!(ray.at(view.depth(Vec3::ZERO)).length() < 1e-4);
/// # Ok::<(), pleach::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct View {
    /// The node of the camera, if it is in a scene.
    pub camera: Option<NodeId>,
    /// The position of the camera in world space.
    pub position: Vec3,
    /// The transform from world space to view space: right-handed, −Z ahead, +Y up, without scale.
    pub view: Mat4,
    /// The transform from view space to clip space.
    pub projection: Mat4,
    /// The transform from world space to clip space: `projection * view`, computed in f64 and
    /// rounded once.
    pub view_projection: Mat4,
    /// The view frustum, for culling.
    pub frustum: Frustum,
    /// The depth range of clip space.
    pub clip_space: ClipSpace,
    /// The distance of the near plane.
    pub near: f32,
    /// The distance of the far plane; may be infinite.
    pub far: f32,
    /// The viewport.
    pub viewport: Viewport,
    /// The layers the camera sees, as bits.
    pub layers: u32,
}

impl View {
    /// Computes the view of a camera at `transform`: a [`Transform`](crate::Transform) in world
    /// space, or a world matrix. No scene or node is needed.
    ///
    /// The viewport is a width and height in pixels, or an aspect ratio alone. A camera without an
    /// aspect ratio uses that of the viewport; one with an aspect ratio keeps it, and its image is
    /// stretched to a viewport of another shape (to avoid that, pass the part of the window that
    /// has this aspect ratio).
    ///
    /// ```
    /// use pleach::glam::{Mat4, Vec3};
    /// use pleach::{Camera, Transform, View};
    ///
    /// let transform = Transform::from_xyz(0.0, -10.0, 0.0).looking_at(Vec3::ZERO, Vec3::Z);
    /// let view = View::new(&Camera::perspective(1.0), transform, (1280, 720))?;
    /// assert!(view.frustum.contains_point(Vec3::ZERO));
    ///
    /// let same = View::new(&Camera::perspective(1.0), transform.to_matrix(), (1280, 720))?;
    /// assert_eq!(same, view);
    /// assert!(View::new(&Camera::default(), Mat4::ZERO, 1.5).is_err());
    /// # Ok::<(), pleach::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::View`] if the projection is invalid, the viewport has no pixels, or the matrix is
    /// singular.
    pub fn new(
        camera: &Camera,
        transform: impl Into<Mat4>,
        viewport: impl Into<Viewport>,
    ) -> Result<Self, Error> {
        Self::build(camera, &transform.into(), viewport.into())
            .map_err(|error| Error::View { camera: None, error })
    }

    pub(crate) fn build(
        camera: &Camera,
        world: &Mat4,
        viewport: Viewport,
    ) -> Result<Self, ViewError> {
        let aspect = camera.aspect.unwrap_or(viewport.aspect()?);
        let projection = camera.projection.try_matrix(aspect, camera.clip_space)?;
        let basis = ViewBasis::from_world(world).ok_or(ViewError::Singular)?;
        let view = basis.view_matrix().as_mat4();
        let view_projection = (projection.as_dmat4() * view.as_dmat4()).as_mat4();
        let frustum = Frustum::from_view_projection(&view_projection, camera.clip_space)?;
        let [near, far] = match camera.projection {
            Projection::Perspective { near, far, .. }
            | Projection::Orthographic { near, far, .. } => [near, far],
            Projection::Custom(_) => {
                Lens::new(&projection, camera.clip_space).depths().map(|depth| depth as f32)
            }
        };
        Ok(Self {
            camera: None,
            position: basis.position.as_vec3(),
            view,
            projection,
            view_projection,
            frustum,
            clip_space: camera.clip_space,
            near,
            far,
            viewport,
            layers: camera.layers,
        })
    }

    /// Returns the projection for points and rays in view space, in f64.
    #[must_use]
    pub fn lens(&self) -> Lens {
        Lens::new(&self.projection, self.clip_space)
    }

    /// Returns the view direction, of length 1.
    #[must_use]
    pub fn direction(&self) -> Vec3 {
        -self.view.row(2).truncate()
    }

    /// Returns the up direction of the image, of length 1: perpendicular to the view direction.
    #[must_use]
    pub fn up(&self) -> Vec3 {
        self.view.row(1).truncate()
    }

    /// Returns the depth of a point along the view direction, negative behind the camera: the key
    /// to sort by.
    ///
    /// This is not the distance, which is larger towards the edges of the image. The depth of a
    /// point that is not finite is infinite.
    ///
    /// ```
    /// # use pleach::{Camera, Transform, View, glam::Vec3};
    /// let view = View::new(&Camera::default(), Transform::from_xyz(0.0, 0.0, 2.0), 1.5)?;
    /// assert_eq!(view.depth(Vec3::new(9.0, 9.0, -3.0)), 5.0);
    /// # Ok::<(), pleach::Error>(())
    /// ```
    #[must_use]
    pub fn depth(&self, point: Vec3) -> f32 {
        depth_along(self.depth_axis(), point)
    }

    /// Projects a point in world space to normalized device coordinates, with the depth in clip
    /// space as z. `None` if it is behind the camera or not finite.
    ///
    /// Points outside of the image have an x or y beyond ±1; points in front of the near plane or
    /// behind the far plane have a z outside of the range of the clip space.
    ///
    /// ```
    /// # use pleach::{Camera, Transform, View, glam::Vec3};
    /// let view = View::new(&Camera::default(), Transform::IDENTITY, 1.5)?;
    /// assert_eq!(view.project(Vec3::new(0.0, 0.0, -3.0)).unwrap().truncate(), pleach::glam::Vec2::ZERO);
    /// assert_eq!(view.project(Vec3::Z), None);
    /// # Ok::<(), pleach::Error>(())
    /// ```
    #[must_use]
    #[doc(alias = "world_to_ndc")]
    pub fn project(&self, point: Vec3) -> Option<Vec3> {
        let point = self.projected(point)?.as_vec3();
        point.is_finite().then_some(point)
    }

    /// Projects a point in world space to pixels. `None` if it is behind the camera or not finite,
    /// or if the viewport is an aspect ratio without pixels.
    ///
    /// ```
    /// # use pleach::{Camera, Transform, View, glam::{Vec2, Vec3}};
    /// let view = View::new(&Camera::default(), Transform::IDENTITY, (640, 480))?;
    /// assert_eq!(view.project_to_pixel(Vec3::NEG_Z), Some(Vec2::new(320.0, 240.0)));
    /// # Ok::<(), pleach::Error>(())
    /// ```
    #[must_use]
    #[doc(alias = "world_to_viewport")]
    #[doc(alias = "world_to_screen")]
    pub fn project_to_pixel(&self, point: Vec3) -> Option<Vec2> {
        let size = self.size()?;
        let ndc = self.projected(point)?.truncate();
        let pixel = ((ndc * DVec2::new(0.5, -0.5) + 0.5) * size).as_vec2();
        pixel.is_finite().then_some(pixel)
    }

    /// Returns the ray through a point in normalized device coordinates: (0, 0) is the centre of
    /// the image, (1, 1) its upper right corner. `None` if the point is not finite.
    ///
    /// In a perspective projection it starts at the camera, otherwise (and for a custom matrix
    /// whose centre of projection is not the camera) on the near plane. Its length is unlimited.
    ///
    /// ```
    /// # use pleach::{Camera, Transform, View, glam::{Vec2, Vec3}};
    /// let view = View::new(&Camera::default(), Transform::IDENTITY, 1.5)?;
    /// assert_eq!(view.ray_through_ndc(Vec2::ZERO).unwrap().direction(), Vec3::NEG_Z);
    /// # Ok::<(), pleach::Error>(())
    /// ```
    #[must_use]
    #[doc(alias = "set_from_camera")]
    #[doc(alias = "unproject")]
    pub fn ray_through_ndc(&self, ndc: Vec2) -> Option<Ray> {
        self.ray(ndc.as_dvec2())
    }

    /// Returns the ray through a point in pixels: add 0.5 to the integer coordinates for the centre
    /// of a pixel. `None` if the point is not finite, or if the viewport is an aspect ratio without
    /// pixels. Otherwise like [`ray_through_ndc`](Self::ray_through_ndc).
    ///
    /// ```
    /// # use pleach::{Camera, Transform, View, glam::{Vec2, Vec3}};
    /// let view = View::new(&Camera::default(), Transform::IDENTITY, (640, 480))?;
    /// let (x, y) = (10, 20);                        // the pixel under the mouse
    /// let ray = view.ray_through_pixel(Vec2::new(x as f32, y as f32) + 0.5).unwrap();
    /// assert!(ray.direction().x < 0.0 && ray.direction().y > 0.0);
    /// # Ok::<(), pleach::Error>(())
    /// ```
    #[must_use]
    #[doc(alias = "screen_point_to_ray")]
    #[doc(alias = "screenPointToRay")]
    #[doc(alias = "viewport_to_world")]
    #[doc(alias = "project_ray_origin")]
    #[doc(alias = "unproject")]
    pub fn ray_through_pixel(&self, pixel: Vec2) -> Option<Ray> {
        let fraction = pixel.as_dvec2() / self.size()?;
        self.ray((fraction - 0.5) * DVec2::new(2.0, -2.0))
    }

    /// Returns the apparent height of a sphere as a fraction of the height of the image: 1 if it
    /// fills the image from bottom to top. Levels of detail are selected by it.
    ///
    /// In a perspective projection it depends only on the distance from the camera, so that
    /// rotating the camera changes nothing; it is defined behind the camera, too. Infinite if the
    /// camera is inside of the sphere, and 0 if the radius is negative or NaN, or the centre is not
    /// finite.
    ///
    /// ```
    /// # use pleach::{Camera, Transform, View, glam::Vec3};
    /// let view = View::new(&Camera::default(), Transform::IDENTITY, 1.5)?;
    /// let (near, far) = (Vec3::new(0.0, 0.0, -10.0), Vec3::new(0.0, 0.0, -1000.0));
    /// assert!((view.screen_size(near, 1.0) - 0.174).abs() < 0.001);
    /// assert!((view.screen_size(far, 1.0) - 0.00173).abs() < 0.00001);
    /// # Ok::<(), pleach::Error>(())
    /// ```
    #[must_use]
    pub fn screen_size(&self, center: Vec3, radius: f32) -> f32 {
        if !center.is_finite() || radius.is_nan() || radius <= 0.0 {
            return 0.0;
        }
        if radius == f32::INFINITY {
            return f32::INFINITY;
        }
        let distance = (center.as_dvec3() - self.position.as_dvec3()).length();
        self.lens().screen_size(distance, f64::from(radius)) as f32
    }

    /// Returns the axis of [`depth_along`] for this view.
    pub(crate) fn depth_axis(&self) -> DVec4 {
        self.view.row(2).as_dvec4()
    }

    fn in_view_space(&self, point: Vec3) -> DVec3 {
        let point = point.as_dvec3().extend(1.0);
        DVec3::from_array([0, 1, 2].map(|row| self.view.row(row).as_dvec4().dot(point)))
    }

    fn projected(&self, point: Vec3) -> Option<DVec3> {
        if !point.is_finite() {
            return None;
        }
        self.lens().project(self.in_view_space(point))
    }

    fn ray(&self, ndc: DVec2) -> Option<Ray> {
        let (start, direction) = self.lens().ray(ndc)?;
        let rows = [0, 1, 2].map(|row| self.view.row(row).truncate().as_dvec3());
        let to_world = |v: DVec3| rows[0] * v.x + rows[1] * v.y + rows[2] * v.z;
        let origin = self.position.as_dvec3() + to_world(start);
        // Scaled to a length that f32 can represent, however small the components of the projection
        // are.
        let direction = direction / direction.abs().max_element();
        Ray::new(origin.as_vec3(), to_world(direction).as_vec3()).ok()
    }

    fn size(&self) -> Option<DVec2> {
        match self.viewport {
            Viewport::Pixels(width, height) => Some(DVec2::new(width.into(), height.into())),
            Viewport::Aspect(_) => None,
        }
    }
}

/// Returns the depth of a point in world space along an axis that [`View::depth_axis`] returned.
#[inline]
pub(crate) fn depth_along(axis: DVec4, point: Vec3) -> f32 {
    let depth = -axis.dot(point.as_dvec3().extend(1.0)) as f32;
    // A point that is not finite has no finite depth, whatever the axis.
    if depth.is_finite() || point.is_finite() { depth } else { f32::INFINITY }
}

/// The size of an image: in pixels, or only its aspect ratio.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Viewport {
    /// An aspect ratio, width divided by height, without pixels.
    Aspect(f32),
    /// A width and height in pixels.
    Pixels(u32, u32),
}

impl Viewport {
    fn aspect(self) -> Result<f32, ViewError> {
        match self {
            Self::Aspect(aspect) => Ok(aspect),
            Self::Pixels(width, height) if width == 0 || height == 0 => {
                Err(ViewError::NoPixels { width, height })
            }
            Self::Pixels(width, height) => Ok((f64::from(width) / f64::from(height)) as f32),
        }
    }
}

impl From<f32> for Viewport {
    fn from(aspect: f32) -> Self {
        Self::Aspect(aspect)
    }
}

impl From<(u32, u32)> for Viewport {
    fn from((width, height): (u32, u32)) -> Self {
        Self::Pixels(width, height)
    }
}
