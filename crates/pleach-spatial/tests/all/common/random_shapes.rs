//! Random boxes, transforms, frusta and rays.

use pleach_graph::Transform;
use pleach_spatial::glam::camera::rh::proj::{directx, opengl};
use pleach_spatial::glam::camera::rh::view::look_to_mat4;
use pleach_spatial::glam::{Mat4, Vec3};
use pleach_spatial::{Aabb, ClipSpace, Frustum, Plane, Ray};
use testkit::Rng;

/// Random transforms, boxes, cameras, frusta and rays.
pub(crate) trait RandomShapes {
    /// Returns multiples of a quarter, so that shapes touch exactly.
    fn grid_point(&mut self, extent: i32) -> Vec3;

    fn transform(&mut self, extent: f32) -> Transform;

    /// Returns a box of a typical size.
    fn typical_box(&mut self) -> Aabb;

    /// Returns a box of any size: many are equal, without volume, points, or huge.
    fn aabb(&mut self) -> Aabb;

    /// Returns a camera within `extent` of the origin, with any direction.
    fn camera(&mut self, extent: f32) -> Mat4;

    /// Returns a frustum of any kind, usually that of a camera within `extent`.
    fn frustum(&mut self, extent: f32) -> Frustum;

    /// Returns a ray from within `extent`; often along an axis, from a grid point, or with a
    /// maximum distance.
    fn ray(&mut self, extent: f32) -> Ray;
}

impl RandomShapes for Rng {
    fn grid_point(&mut self, extent: i32) -> Vec3 {
        let mut step = || self.below(8 * extent as usize + 1) as f32 * 0.25 - extent as f32;
        Vec3::new(step(), step(), step())
    }

    fn transform(&mut self, extent: f32) -> Transform {
        Transform { translation: self.vec3(extent), rotation: self.rotation(), scale: self.scale() }
    }

    fn typical_box(&mut self) -> Aabb {
        let half = Vec3::from_array([(); 3].map(|()| self.between(0.05, 1.5)));
        Aabb::from_center_half(self.vec3(1.0), half)
    }

    fn aabb(&mut self) -> Aabb {
        let size = 10_f32.powi(self.below(7) as i32 - 4);
        match self.below(16) {
            0 => Aabb::new(Vec3::splat(-0.5), Vec3::splat(0.5)),
            1 => Aabb::new(Vec3::ZERO, Vec3::ZERO),
            2 => {
                let at = self.vec3(3.0);
                Aabb::new(at, at)
            }
            3 => Aabb::new(Vec3::new(-1.0, -1.0, 0.0), Vec3::new(1.0, 1.0, 0.0)),
            4 => Aabb::new(Vec3::new(0.0, -3.0, 0.0), Vec3::new(0.0, 3.0, 0.0)),
            5 => {
                let (a, b) = (self.grid_point(2), self.grid_point(2));
                Aabb::new(a.min(b), a.max(b))
            }
            6 if self.one_in(8) => Aabb::new(Vec3::splat(-1e30), Vec3::splat(1e30)),
            6 if self.one_in(4) => Aabb::new(Vec3::splat(9e29), Vec3::new(1e30, 2e30, 9.5e29)),
            6 => Aabb::from_center_half(self.vec3(1e4), Vec3::splat(1e4)),
            7 | 8 => {
                let half = Vec3::from_array([(); 3].map(|()| self.between(0.0, size)));
                Aabb::from_center_half(self.vec3(2.0), half)
            }
            _ => self.typical_box(),
        }
    }

    fn camera(&mut self, extent: f32) -> Mat4 {
        let (eye, forward, up) = (self.vec3(extent), self.direction(), self.direction());
        let far = self.between(0.3, 3.0) * extent;
        let view = look_to_mat4(eye, forward, up);
        directx::perspective(self.between(0.2, 2.5), self.between(0.5, 2.0), 0.1, far) * view
    }

    fn frustum(&mut self, extent: f32) -> Frustum {
        let (eye, forward, up) = (self.vec3(extent), self.direction(), self.direction());
        let view = look_to_mat4(eye, forward, up);
        let size = self.between(0.01, 0.6) * extent;
        let frustum = match self.below(8) {
            // A directional light.
            0 => {
                let projection =
                    directx::orthographic(-size, size, -size, size, -extent, 2.0 * extent);
                Frustum::from_view_projection(&(projection * view), ClipSpace::ZeroToOne)
            }
            1 => {
                let projection = opengl::perspective(1.0, 1.5, 0.01, 0.5 * extent);
                Frustum::from_view_projection(&(projection * view), ClipSpace::NegOneToOne)
            }
            2 => {
                let projection = directx::perspective_infinite_reverse(1.2, 1.0, 0.1);
                Frustum::from_view_projection(&(projection * view), ClipSpace::ZeroToOneReversed)
            }
            // Sides on multiples of a quarter, like those of boxes.
            3 => {
                let (from, to) = (self.grid_point(3), self.grid_point(3));
                Frustum::from_planes(planes_of(&Aabb::new(from.min(to), from.max(to))))
            }
            _ => {
                let camera = self.camera(extent);
                Frustum::from_view_projection(&camera, ClipSpace::ZeroToOne)
            }
        };
        frustum.expect("a frustum with a volume")
    }

    fn ray(&mut self, extent: f32) -> Ray {
        let origin = if self.one_in(3) { self.grid_point(3) } else { self.vec3(extent) };
        let direction = match self.below(6) {
            0 => self.pick(&[Vec3::X, Vec3::Y, Vec3::Z, -Vec3::X, -Vec3::Y, -Vec3::Z]),
            1 => self.pick(&[Vec3::new(1.0, 1.0, 0.0), Vec3::new(0.0, -1.0, 1.0), Vec3::NEG_ONE]),
            // Nearly along an axis.
            2 => Vec3::new(1.0, self.between(-1e-6, 1e-6), -0.0),
            // Towards the centre.
            3 => self.vec3(1.0) - origin,
            _ => self.direction(),
        };
        let direction = if direction == Vec3::ZERO { Vec3::X } else { direction };
        let ray = Ray::new(origin, direction).expect("a ray with a direction");
        if self.one_in(3) { ray.with_max_distance(self.between(0.0, extent)) } else { ray }
    }
}

/// Returns six planes around a box, with the box inside.
pub(crate) fn planes_of(aabb: &Aabb) -> [Plane; 6] {
    [
        Plane::new(Vec3::X, -aabb.min.x),
        Plane::new(Vec3::NEG_X, aabb.max.x),
        Plane::new(Vec3::Y, -aabb.min.y),
        Plane::new(Vec3::NEG_Y, aabb.max.y),
        Plane::new(Vec3::Z, -aabb.min.z),
        Plane::new(Vec3::NEG_Z, aabb.max.z),
    ]
}
