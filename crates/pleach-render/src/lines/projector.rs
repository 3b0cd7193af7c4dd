//! `Projector`: projects points to pixels and distances, in f64.
//!
//! Uses the matrices of the view, not their rounded product, and the view's lens, as the rays of
//! `View` do: so a line lies where a ray through its pixels hits it, however far from the origin.
//!
//! Invariant: width and height are not 0.

use glam::{DMat4, DVec2, DVec3, DVec4, Vec3};
use pleach::{Lens, View};

/// The projection of points to pixels. *View space* is that of the view: −Z forward, +Y up.
#[derive(Clone, Debug)]
pub(crate) struct Projector {
    world_to_view: DMat4,
    lens: Lens,
    size: DVec2,
}

impl Projector {
    /// Creates a projection. `width` and `height` must not be 0.
    pub(crate) fn new(view: &View, width: u32, height: u32) -> Self {
        Self {
            world_to_view: view.view.as_dmat4(),
            lens: view.lens(),
            size: DVec2::new(width.into(), height.into()),
        }
    }

    /// Returns the width and height in pixels.
    pub(crate) fn size(&self) -> DVec2 {
        self.size
    }

    /// Transforms a world-space point to view space.
    pub(crate) fn to_view(&self, point: DVec3) -> DVec3 {
        self.world_to_view.transform_point3(point)
    }

    /// Returns the matrix from model space to view space; `world` is the model matrix.
    pub(crate) fn model_to_view(&self, world: DMat4) -> DMat4 {
        self.world_to_view * world
    }

    /// Transforms a view-space point to clip space.
    pub(crate) fn to_clip(&self, point: DVec3) -> DVec4 {
        self.lens.to_clip(point.extend(1.0))
    }

    /// Transforms a view-space direction to clip space.
    pub(crate) fn direction_to_clip(&self, direction: DVec3) -> DVec4 {
        self.lens.to_clip(direction.extend(0.0))
    }

    /// Returns the distances of a clip-space point from the near and far planes, negative if it is
    /// outside.
    pub(crate) fn depth_margins(&self, point: DVec4) -> [f64; 2] {
        self.lens.depth_margins(point)
    }

    /// Returns the pixel coordinates of a clip-space point.
    pub(crate) fn clip_to_pixel(&self, point: DVec4) -> DVec2 {
        let ndc = DVec2::new(point.x, -point.y) / point.w;
        (ndc * 0.5 + 0.5) * self.size
    }

    /// Returns the pixel coordinates of a world-space point, which may be outside of the picture, or
    /// `None` if it is behind the camera.
    pub(crate) fn pixel(&self, point: Vec3) -> Option<DVec2> {
        let in_clip = self.to_clip(self.to_view(point.as_dvec3()));
        let pixel = self.clip_to_pixel(in_clip);
        (in_clip.w > 0.0 && pixel.is_finite()).then_some(pixel)
    }

    /// Returns the distance of a view-space point along the ray through its pixel.
    pub(crate) fn ray_distance(&self, point: DVec3, pixel: DVec2) -> f64 {
        let ndc = (pixel / self.size - 0.5) * DVec2::new(2.0, -2.0);
        self.lens.ray_origin(ndc).map_or(f64::INFINITY, |origin| (point - origin).length())
    }
}
