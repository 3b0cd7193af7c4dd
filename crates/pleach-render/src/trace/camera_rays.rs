//! `CameraRays`: generates the rays of a view, clipped to the near and far planes.

use glam::{DVec3, Vec2, Vec3};
use pleach::{Ray, View};
use pleach_spatial::{Plane, Side};

use crate::lines::projector::Projector;

/// The ray generator of a view.
#[derive(Debug)]
pub(crate) struct CameraRays<'a> {
    pub(crate) view: &'a View,
    /// The inverse: from points to pixels.
    pub(crate) projector: Projector,
    /// The size of a pixel at the origin of its ray, and its growth per metre.
    pixel_size: [f32; 2],
    /// `true` if all rays start at the camera position instead of on the near plane.
    pub(crate) starts_at_camera: bool,
}

/// A camera ray that ends at the far plane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PrimaryRay {
    pub(crate) ray: Ray,
    /// The distance of the near plane.
    pub(crate) near: f32,
}

impl<'a> CameraRays<'a> {
    pub(crate) fn new(view: &'a View, width: u32, height: u32) -> Self {
        let center = Vec2::new(width as f32, height as f32) * 0.5;
        let rays = [center, center + Vec2::X].map(|at| view.ray_through_pixel(at));
        let pixel_size = match rays {
            [Some(a), Some(b)] => {
                [(a.origin() - b.origin()).length(), (a.direction() - b.direction()).length()]
            }
            _ => [0.0; 2],
        };
        let starts_at_camera = view.lens().rays_start_at_camera();
        Self { view, projector: Projector::new(view, width, height), pixel_size, starts_at_camera }
    }

    /// Returns the ray through a point of the picture in pixels, or `None` if the view has none
    /// there.
    pub(crate) fn primary_ray(&self, at: Vec2) -> Option<PrimaryRay> {
        let ray = self.view.ray_through_pixel(at)?;
        let frustum = &self.view.frustum;
        let (distance, slope) = plane_distance(frustum.plane(Side::Far), &ray);
        let far = if slope < 0.0 { (distance / -slope) as f32 } else { f32::INFINITY };
        let near = if self.starts_at_camera {
            let (distance, slope) = plane_distance(frustum.plane(Side::Near), &ray);
            if distance < 0.0 { (-distance / slope) as f32 } else { 0.0 }
        } else {
            // The ray starts on the near plane.
            0.0
        };
        Some(PrimaryRay { ray: ray.with_max_distance(far), near })
    }

    /// Returns the size of a pixel in metres at a distance along its ray.
    pub(crate) fn pixel_size_at(&self, distance: f32) -> f32 {
        self.pixel_size[0] + self.pixel_size[1] * distance
    }

    /// Returns the distance for fog: along the ray if rays start at the camera, otherwise from the
    /// camera plane.
    pub(crate) fn fog_distance(&self, point: Vec3, distance: f32) -> f32 {
        if self.starts_at_camera { distance } else { self.view.depth(point) }
    }
}

/// Returns the signed distance of a ray's origin from a plane, and its change per metre.
fn plane_distance(plane: &Plane, ray: &Ray) -> (f64, f64) {
    let normal: DVec3 = plane.normal.as_dvec3();
    let distance = normal.dot(ray.origin().as_dvec3()) + f64::from(plane.d);
    (distance, normal.dot(ray.direction().as_dvec3()))
}
