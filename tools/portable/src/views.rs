//! Cameras of every projection, and shadow views.

use glam::{Vec2, Vec3};
use pleach::{Aabb, Camera, ClipSpace, Node, Projection, Scene, Shadow, ShadowView};
use testkit::Rng;

use crate::digest::Digest;
use crate::random::RandomTransform;

pub(crate) fn record(seed: u64) -> u64 {
    let mut random = Rng::new(seed);
    let mut digest = Digest::new();
    let mut scene = Scene::new();
    for clip_space in [ClipSpace::ZeroToOneReversed, ClipSpace::NegOneToOne] {
        for fov_y in [0.1, 0.7, 1.3, 2.9] {
            let near = random.between(0.01, 2.0);
            let perspective = Projection::Perspective { fov_y, near, far: 300.0 };
            let infinite = Projection::Perspective { fov_y, near, far: f32::INFINITY };
            let height = random.between(1.0, 40.0);
            let orthographic = Projection::Orthographic { height, zoom: 1.5, near, far: 300.0 };
            for projection in [perspective, infinite, orthographic] {
                let camera = Camera { projection, clip_space, ..Camera::default() };
                let camera = Node::camera(camera).with_transform(random.view(20.0));
                scene.spawn(camera).unwrap();
            }
        }
    }
    scene.update().unwrap();
    for (camera, _) in scene.cameras.iter(&scene.graph) {
        let view = scene.view(camera, (1280, 720)).unwrap();
        for matrix in [view.view, view.projection, view.view_projection] {
            digest.matrix(&matrix);
        }
        for plane in view.frustum.planes() {
            digest.vec3(plane.normal);
            digest.floats(&[plane.d]);
        }
        for _ in 0..8 {
            let point = random.vec3(10.0);
            digest.floats(&[view.depth(point), view.screen_size(point, 0.7)]);
            digest.vec3(view.project(point).unwrap_or(Vec3::ZERO));
            let pixel = Vec2::new(random.between(0.0, 1280.0), random.between(0.0, 720.0));
            if let Some(ray) = view.ray_through_pixel(pixel) {
                digest.vec3(ray.origin());
                digest.vec3(ray.direction());
            }
        }
        let world = scene.graph.node(camera).unwrap().world();
        let aabb = Aabb::from_center_half(random.vec3(5.0), Vec3::new(3.0, 1.0, 2.0));
        let shadow = Shadow::default();
        for view in [
            ShadowView::from_aabb(&aabb, &world, view.clip_space).unwrap(),
            shadow.directional(&world, view.clip_space).unwrap(),
            shadow.spot(&world, random.between(0.1, 1.4), view.clip_space).unwrap(),
        ] {
            digest.matrix(&view.matrix);
        }
    }
    digest.finish()
}
