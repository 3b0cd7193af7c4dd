//! The visibility test of `check_visibility_cpu_culling` of Bevy 0.20.1.
//!
//! The planes and the transforms are Bevy's types. The box, the sphere and the two tests are copied
//! verbatim, except for imports, from `primitives.rs` of `bevy_camera`: the crate itself depends on
//! 195 others and would change the features of `bevy_ecs` in the transform benchmark.

use bevy_ecs::component::Component;
use bevy_math::{Affine3A, Mat3A, Vec3A, Vec4};
use bevy_shape::{HalfSpace, ViewFrustum};
use bevy_transform::components::GlobalTransform;

/// Creates a frustum from its planes: left, right, bottom, top, near, far.
pub fn frustum(planes: [[f32; 4]; 6]) -> Frustum {
    let [left, right, bottom, top, near, far] =
        planes.map(|plane| HalfSpace::new(Vec4::from_array(plane)));
    Frustum(ViewFrustum { half_spaces: [left, right, top, bottom, near, far] })
}

pub fn is_visible(transform: &GlobalTransform, model_aabb: &Aabb, frustum: &Frustum) -> bool {
    let world_from_local = transform.affine();
    let model_sphere = Sphere {
        center: world_from_local.transform_point3a(model_aabb.center),
        radius: transform.radius_vec3a(model_aabb.half_extents),
    };
    // Do quick sphere-based frustum culling
    if !frustum.intersects_sphere(&model_sphere, false) {
        return false;
    }
    // Do aabb-based frustum culling
    if !frustum.intersects_obb(model_aabb, &world_from_local, true, false) {
        return false;
    }
    true
}

#[derive(Component)]
pub struct Aabb {
    pub center: Vec3A,
    pub half_extents: Vec3A,
}

impl Aabb {
    #[inline]
    fn relative_radius(&self, p_normal: &Vec3A, world_from_local: &Mat3A) -> f32 {
        let half_extents = self.half_extents;
        Vec3A::new(
            p_normal.dot(world_from_local.x_axis),
            p_normal.dot(world_from_local.y_axis),
            p_normal.dot(world_from_local.z_axis),
        )
        .abs()
        .dot(half_extents)
    }
}

struct Sphere {
    center: Vec3A,
    radius: f32,
}

pub struct Frustum(ViewFrustum);

impl std::ops::Deref for Frustum {
    type Target = ViewFrustum;

    fn deref(&self) -> &ViewFrustum {
        &self.0
    }
}

impl Frustum {
    #[inline]
    fn intersects_sphere(&self, sphere: &Sphere, intersect_far: bool) -> bool {
        let sphere_center = sphere.center.extend(1.0);
        let max =
            if intersect_far { ViewFrustum::FAR_PLANE_IDX } else { ViewFrustum::NEAR_PLANE_IDX };
        for half_space in &self.half_spaces[..=max] {
            if half_space.normal_d().dot(sphere_center) + sphere.radius <= 0.0 {
                return false;
            }
        }
        true
    }

    #[inline]
    fn intersects_obb(
        &self,
        aabb: &Aabb,
        world_from_local: &Affine3A,
        intersect_near: bool,
        intersect_far: bool,
    ) -> bool {
        let aabb_center_world = world_from_local.transform_point3a(aabb.center).extend(1.0);

        for (idx, half_space) in self.half_spaces.into_iter().enumerate() {
            if (idx == ViewFrustum::NEAR_PLANE_IDX && !intersect_near)
                || (idx == ViewFrustum::FAR_PLANE_IDX && !intersect_far)
            {
                continue;
            }
            let p_normal = half_space.normal();
            let relative_radius = aabb.relative_radius(&p_normal, &world_from_local.matrix3);
            if half_space.normal_d().dot(aabb_center_world) + relative_radius <= 0.0 {
                return false;
            }
        }
        true
    }
}
