//! `Eye`: the rays of a view, pixel by pixel, cut to what lies between near and far.

use glam::{DVec3, Vec2, Vec3};
use pleach::{Ray, View};
use pleach_spatial::{Plane, Side};

use crate::lines::screen_projection::ScreenProjection;

/// The rays of a view.
#[derive(Debug)]
pub(crate) struct CameraRays<'a> {
    pub(crate) view: &'a View,
    /// The other way round: from points to pixels.
    pub(crate) projection: ScreenProjection,
    /// How large a pixel is at the start of its ray, and how much larger each metre makes it.
    pixel_size: [f32; 2],
    /// Do all rays start where the camera is, and not on the near plane?
    pub(crate) starts_at_camera: bool,
}

/// What is seen through a point of the picture: a ray that ends at the far plane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PrimaryRay {
    pub(crate) ray: Ray,
    /// What is nearer is not seen.
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
        let starts_at_camera = rays[0].is_some_and(|ray| ray.origin() == view.position);
        Self {
            view,
            projection: ScreenProjection::new(view, width, height),
            pixel_size,
            starts_at_camera,
        }
    }

    /// What is seen through a point, in pixels; `None` if nothing can be.
    pub(crate) fn primary_ray(&self, at: Vec2) -> Option<PrimaryRay> {
        let ray = self.view.ray_through_pixel(at)?;
        let frustum = &self.view.frustum;
        let (distance, slope) = plane_distance(frustum.plane(Side::Far), &ray);
        let far = if slope < 0.0 { (distance / -slope) as f32 } else { f32::INFINITY };
        let near = if self.starts_at_camera {
            let (distance, slope) = plane_distance(frustum.plane(Side::Near), &ray);
            if distance < 0.0 { (-distance / slope) as f32 } else { 0.0 }
        } else {
            // It starts on the near plane.
            0.0
        };
        Some(PrimaryRay { ray: ray.with_max_distance(far), near })
    }

    /// How large a pixel is, in metres, where a ray has come so far.
    pub(crate) fn pixel_size_at(&self, distance: f32) -> f32 {
        self.pixel_size[0] + self.pixel_size[1] * distance
    }

    /// How far away a point looks, given how far along its ray it is: from the eye, or where there
    /// is none, from the plane through the camera.
    pub(crate) fn fog_distance(&self, point: Vec3, distance: f32) -> f32 {
        if self.starts_at_camera { distance } else { self.view.depth(point) }
    }
}

/// How far inside of a plane a ray starts, and how fast it gets farther.
fn plane_distance(plane: &Plane, ray: &Ray) -> (f64, f64) {
    let normal: DVec3 = plane.normal.as_dvec3();
    let distance = normal.dot(ray.origin().as_dvec3()) + f64::from(plane.d);
    (distance, normal.dot(ray.direction().as_dvec3()))
}
