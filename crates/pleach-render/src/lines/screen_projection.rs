//! `Lens`: where points come out in a picture, and how far away they are, in f64.
//!
//! By the matrices of the view, not by their rounded product, as the rays of `View` do: so that
//! a line lies where a ray through its pixels meets it, however far from the origin.
//!
//! Invariant: the picture has pixels.

use glam::{DMat4, DVec2, DVec3, DVec4, Vec3};
use pleach::{ClipSpace, View};

/// Where points come out. *View space* is that of the view: −Z ahead, +Y up.
#[derive(Clone, Debug)]
pub(crate) struct ScreenProjection {
    world_to_view: DMat4,
    projection: DMat4,
    clip_space: ClipSpace,
    size: DVec2,
    ray_origin: RayOrigin,
}

/// Where the rays through pixels begin, in view space.
#[derive(Clone, Debug)]
enum RayOrigin {
    /// All at the origin.
    Camera,
    /// On the near plane; from clip space to view space.
    NearPlane(DMat4),
}

impl ScreenProjection {
    /// Neither width nor height may be 0.
    pub(crate) fn new(view: &View, width: u32, height: u32) -> Self {
        let projection = view.projection.as_dmat4();
        let w = projection.row(3);
        let at_origin = w.truncate() != DVec3::ZERO
            && [projection.row(0).w, projection.row(1).w, w.w] == [0.0; 3];
        let ray_origin =
            if at_origin { RayOrigin::Camera } else { RayOrigin::NearPlane(projection.inverse()) };
        Self {
            world_to_view: view.view.as_dmat4(),
            projection,
            clip_space: view.clip_space,
            size: DVec2::new(width.into(), height.into()),
            ray_origin,
        }
    }

    /// Pixels in a row, and rows.
    pub(crate) fn size(&self) -> DVec2 {
        self.size
    }

    /// A point of the world in view space.
    pub(crate) fn to_view(&self, point: Vec3) -> DVec3 {
        self.world_to_view.transform_point3(point.as_dvec3())
    }

    /// A direction of the world in view space.
    pub(crate) fn direction_to_view(&self, direction: DVec3) -> DVec3 {
        self.world_to_view.transform_vector3(direction)
    }

    /// From the space that `world` leads out of to view space.
    pub(crate) fn model_to_view(&self, world: DMat4) -> DMat4 {
        self.world_to_view * world
    }

    /// A point of view space in clip space.
    pub(crate) fn to_clip(&self, point: DVec3) -> DVec4 {
        self.projection * point.extend(1.0)
    }

    /// A direction of view space in clip space.
    pub(crate) fn direction_to_clip(&self, direction: DVec3) -> DVec4 {
        self.projection * direction.extend(0.0)
    }

    /// How far a point of clip space is from the near and from the far plane: negative if it is
    /// not between them.
    pub(crate) fn depth_margins(&self, point: DVec4) -> [f64; 2] {
        match self.clip_space {
            ClipSpace::NegOneToOne => [point.w + point.z, point.w - point.z],
            ClipSpace::ZeroToOne => [point.z, point.w - point.z],
            ClipSpace::ZeroToOneReversed => [point.w - point.z, point.z],
        }
    }

    /// Where a point of clip space comes out, in pixels.
    pub(crate) fn clip_to_pixel(&self, point: DVec4) -> DVec2 {
        let ndc = DVec2::new(point.x, -point.y) / point.w;
        (ndc * 0.5 + 0.5) * self.size
    }

    /// Where a point of the world comes out, in pixels, and how far ahead it is. `None` if
    /// that is not in the picture.
    pub(crate) fn project(&self, point: Vec3) -> Option<(DVec2, f64)> {
        let point = self.to_view(point);
        let in_clip = self.to_clip(point);
        let pixel = self.clip_to_pixel(in_clip);
        // Written so that NaN is outside.
        let inside = pixel.cmpge(DVec2::ZERO).all() && pixel.cmplt(self.size).all();
        let is_between = self.depth_margins(in_clip).into_iter().all(|margin| margin >= 0.0);
        (in_clip.w > 0.0 && is_between && inside).then_some((pixel, -point.z))
    }

    /// How far along the ray through this pixel a point of view space is that comes out there.
    pub(crate) fn ray_distance(&self, point: DVec3, pixel: DVec2) -> f64 {
        match &self.ray_origin {
            RayOrigin::Camera => point.length(),
            RayOrigin::NearPlane(from_clip) => {
                let ndc = (pixel / self.size - 0.5) * DVec2::new(2.0, -2.0);
                let near = match self.clip_space {
                    ClipSpace::NegOneToOne => -1.0,
                    ClipSpace::ZeroToOne => 0.0,
                    ClipSpace::ZeroToOneReversed => 1.0,
                };
                let origin = *from_clip * ndc.extend(near).extend(1.0);
                (point - origin.truncate() / origin.w).length()
            }
        }
    }
}
