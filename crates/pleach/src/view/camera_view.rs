//! `View`: what one camera sees from where it stands, as plain values.
//!
//! A view is made once a frame, after the update, and does not follow its camera. Whatever
//! it answers follows from its public matrices; nothing is hidden, and no answer is a NaN.
//!
//! The view matrix is the inverse of the world matrix with scale and shear taken out
//! (`sight.rs`), as glTF asks: a camera under a scaled parent keeps its field of view.
//!
//! Invariant: all matrices are finite, and the frustum is the one of `view_projection`.

use glam::{DVec2, DVec3, Mat4, Vec2, Vec3};
use pleach_graph::{Graph, NodeId, NodeLabel};
use pleach_spatial::{ClipSpace, Frustum, Ray};

use super::basis::ViewBasis;
use super::error::ViewError;
use super::projection_rows::ProjectionRows;
use crate::{Camera, Error, Projection};

/// What a camera sees, as of the last update.
///
/// Places in the picture are *normalized*: x from −1 on the left to 1 on the right, y from
/// −1 below to 1 above; or *pixels*: (0, 0) is the upper left corner of the viewport, y
/// grows downwards, and (0.5, 0.5) is the middle of the first pixel.
///
/// ```
/// use pleach::{Camera, View};
/// use pleach::glam::{Vec2, Vec3};
/// use pleach_graph::Graph;
///
/// let mut graph = Graph::new();
/// let camera = graph.add_root(Camera::default_transform())?;
/// graph.update();
///
/// let view = View::new(&graph, camera, &Camera::default(), (800, 600))?;
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
    /// The node it was made for.
    pub camera: NodeId,
    /// Where that is in the world.
    pub position: Vec3,
    /// From the world to view space: right-handed, −Z ahead, +Y up, never scaled.
    pub view: Mat4,
    /// From view space to clip space.
    pub projection: Mat4,
    /// From the world to clip space: `projection * view`, computed in f64 and rounded once.
    pub view_projection: Mat4,
    /// The volume in view, to cull with.
    pub frustum: Frustum,
    /// What depth means in clip space.
    pub clip_space: ClipSpace,
    /// How far ahead the picture begins.
    pub near: f32,
    /// How far ahead it ends: infinity if it does not.
    pub far: f32,
    /// What the picture was to fill.
    pub viewport: Viewport,
    /// The layers the camera sees, as bits.
    pub layers: u32,
}

impl View {
    /// What a camera sees that is put on a node.
    ///
    /// Reads the node's stored [`world`](pleach_graph::NodeRef::world): call it after
    /// [`Graph::update`]. The viewport is a width and height in pixels, or an aspect alone. A
    /// camera without an aspect of its own takes the viewport's; one that has one keeps it, and
    /// its picture is stretched over a viewport of another shape (to avoid that, give the
    /// part of the window that has the aspect).
    ///
    /// # Errors
    ///
    /// [`Error::Graph`] if the node is dead. [`Error::View`] names the camera's node: the
    /// projection cannot be used, the viewport has no pixels, or the node's world transform is
    /// flat.
    pub fn new(
        graph: &Graph,
        node: NodeId,
        camera: &Camera,
        viewport: impl Into<Viewport>,
    ) -> Result<Self, Error> {
        let at = graph.node(node)?;
        Self::build(node, &at.world(), camera, viewport.into()).map_err(|error| Error::View {
            camera: NodeLabel { node, name: at.name().map(Into::into) },
            error,
        })
    }

    fn build(
        node: NodeId,
        world: &Mat4,
        camera: &Camera,
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
                ProjectionRows::new(&projection).depths(camera.clip_space).map(|depth| depth as f32)
            }
        };
        Ok(Self {
            camera: node,
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

    /// Which way the camera looks, with length 1.
    #[must_use]
    pub fn direction(&self) -> Vec3 {
        -self.view.row(2).truncate()
    }

    /// What is up in the picture, with length 1: square to the direction.
    #[must_use]
    pub fn up(&self) -> Vec3 {
        self.view.row(1).truncate()
    }

    /// How far ahead a point is: negative behind the camera. Sort by this.
    ///
    /// Not the distance, which is greater towards the edges of the picture. A point that
    /// is not finite is infinitely far ahead.
    #[must_use]
    pub fn depth(&self, point: Vec3) -> f32 {
        if point.is_finite() { -self.to_view_space(point).z as f32 } else { f32::INFINITY }
    }

    /// Where a point of the world comes out: its normalized ndc in the picture, and
    /// its depth in clip space as z. `None` if it is behind the eye or not finite.
    ///
    /// Points beside the picture have an x or y beyond ±1; those before near and beyond far
    /// have a z out of clip space's range.
    #[must_use]
    pub fn project(&self, point: Vec3) -> Option<Vec3> {
        let point = self.projected(point)?.as_vec3();
        point.is_finite().then_some(point)
    }

    /// Where a point of the world comes out, in pixels. `None` if it is behind the eye or
    /// not finite, or if the viewport is an aspect without pixels.
    #[must_use]
    pub fn project_to_pixel(&self, point: Vec3) -> Option<Vec2> {
        let size = self.size()?;
        let ndc = self.projected(point)?.truncate();
        let pixel = ((ndc * DVec2::new(0.5, -0.5) + 0.5) * size).as_vec2();
        pixel.is_finite().then_some(pixel)
    }

    /// The ray of all that is seen at a normalized ndc of the picture: (0, 0) is its
    /// middle, (1, 1) its upper right corner. `None` if the ndc is not finite.
    ///
    /// In a perspective it starts at the eye, otherwise on the near plane (and so with a custom
    /// matrix whose eye is not at the camera). It has no end.
    #[must_use]
    pub fn ray_through_ndc(&self, ndc: Vec2) -> Option<Ray> {
        self.ray(ndc.as_dvec2())
    }

    /// The ray of all that is seen at a pixel: add 0.5 to its whole number for its
    /// middle. `None` if the pixel is not finite, or if the viewport is an aspect without pixels. Otherwise as
    /// [`ray_through`](Self::ray_through).
    #[must_use]
    pub fn ray_through_pixel(&self, pixel: Vec2) -> Option<Ray> {
        let fraction = pixel.as_dvec2() / self.size()?;
        self.ray((fraction - 0.5) * DVec2::new(2.0, -2.0))
    }

    /// How high a ball looks, as a part of the picture's height: 1 if it fills it from bottom to
    /// top, 0.5 for half. The number to choose levels of detail by.
    ///
    /// In a perspective it depends on the distance from the eye alone, so that nothing changes
    /// when the camera turns; what is behind has a size, too. Infinite from within the
    /// ball, and 0 for one with a radius that is negative or NaN, or whose centre is not finite.
    ///
    /// ```
    /// # use pleach::{Camera, View, glam::Vec3};
    /// # use pleach_graph::{Graph, Transform};
    /// # let mut graph = Graph::new();
    /// # let camera = graph.add_root(Transform::IDENTITY)?;
    /// let view = View::new(&graph, camera, &Camera::default(), 1.5)?;
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
        ProjectionRows::new(&self.projection).screen_size(distance, f64::from(radius)) as f32
    }

    fn to_view_space(self, point: Vec3) -> DVec3 {
        let point = point.as_dvec3().extend(1.0);
        DVec3::from_array([0, 1, 2].map(|row| self.view.row(row).as_dvec4().dot(point)))
    }

    fn projected(&self, point: Vec3) -> Option<DVec3> {
        if !point.is_finite() {
            return None;
        }
        ProjectionRows::new(&self.projection).project(self.to_view_space(point))
    }

    fn ray(&self, ndc: DVec2) -> Option<Ray> {
        let (start, direction) = ProjectionRows::new(&self.projection).ray(ndc, self.clip_space)?;
        let rows = [0, 1, 2].map(|row| self.view.row(row).truncate().as_dvec3());
        let to_world = |v: DVec3| rows[0] * v.x + rows[1] * v.y + rows[2] * v.z;
        let origin = self.position.as_dvec3() + to_world(start);
        // A length that f32 can hold, however small the numbers of the projection are.
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

/// What a picture is to fill: so many pixels, or anything of a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Viewport {
    /// A width divided by a height; there are no pixels to speak of.
    Aspect(f32),
    /// A width and a height in pixels.
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
