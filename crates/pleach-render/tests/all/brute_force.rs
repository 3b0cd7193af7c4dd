//! The node of every pixel is the one that a brute-force loop over all triangles finds, in f64.

use crate::common::{exact_settings, render};
use pleach::glam::{DMat4, DVec3, Quat, Vec2, Vec3, Vec4};
use pleach::shapes::{Cuboid, Sphere, Torus};
use pleach::{Camera, Material, Node, NodeId, Scene, Transform, View};
use pleach_render::Settings;
use testkit::Rng;

/// Thirty meshes, single- and double-sided, with random scales and mirroring.
fn random_scene(rng: &mut Rng) -> (Scene, NodeId) {
    let mut scene = Scene::new();
    let assets = scene.assets.clone();
    let shapes = [
        Cuboid::new(Vec3::ONE).build().unwrap(),
        Sphere::new(0.6).with_detail(9, 6).build().unwrap(),
        Torus::new(0.5, 0.2).with_detail(12, 7).build().unwrap(),
    ];
    let shapes = shapes.map(|it| assets.add(it));
    let materials = [false, true].map(|double_sided| {
        assets.add(Material { double_sided, ..Material::from_color(Vec4::ONE) })
    });
    for i in 0..30 {
        let scale = rng.vec3(1.0) + rng.vec3(1.0).signum() * 0.6;
        let transform = Transform::from_translation(rng.vec3(3.0))
            .with_rotation(
                Quat::from_rotation_y(rng.between(0.0, 6.0))
                    * Quat::from_rotation_x(rng.between(0.0, 6.0)),
            )
            .with_scale(scale);
        let material = &materials[i % 2];
        scene.spawn(Node::mesh(&shapes[i % 3], material).with_transform(transform)).unwrap();
    }
    let transform =
        Transform::from_translation(rng.direction() * 6.0).looking_at(Vec3::ZERO, Vec3::Z);
    let camera = Camera::perspective(0.9).with_aspect(4.0 / 3.0).with_near(3.0).with_far(9.0);
    let camera = scene.spawn(Node::camera(camera).with_transform(transform)).unwrap();
    (scene, camera)
}

/// Returns all triangles in world space, whether they are double-sided, and whether they are
/// mirrored.
fn triangles(scene: &Scene) -> Vec<(NodeId, [DVec3; 3], bool, bool)> {
    let mut all = Vec::new();
    for (node, mesh) in scene.meshes.iter(&scene.graph) {
        let world: DMat4 = scene.node(node).unwrap().world().as_dmat4();
        let part = &mesh.parts[0];
        for vertices in part.geometry.get().triangles() {
            let position = |it: u32| part.geometry.get().positions[it as usize].as_dvec3();
            let corners = vertices.map(|it| world.transform_point3(position(it)));
            all.push((node, corners, part.material.get().double_sided, world.determinant() < 0.0));
        }
    }
    all
}

/// Returns the nearest visible triangle between near and far, its distance, and the distance of the
/// next node.
fn nearest(
    triangles: &[(NodeId, [DVec3; 3], bool, bool)],
    view: &View,
    pixel: Vec2,
) -> (Option<NodeId>, f64, f64) {
    let ray = view.ray_through_pixel(pixel).unwrap();
    let (origin, direction) = (ray.origin().as_dvec3(), ray.direction().as_dvec3());
    let cosine = direction.dot(view.direction().as_dvec3());
    let (mut best, mut next) = ((None, f64::INFINITY), f64::INFINITY);
    for &(node, corners, double_sided, mirrored) in triangles {
        let Some((distance, front)) = intersect(origin, direction, corners) else { continue };
        let is_seen = double_sided || front != mirrored;
        if !is_seen || !(3.0..=9.0).contains(&(distance * cosine)) {
            continue;
        }
        if distance < best.1 {
            if best.0 != Some(node) {
                next = best.1;
            }
            best = (Some(node), distance);
        } else if best.0 != Some(node) {
            next = next.min(distance);
        }
    }
    (best.0, best.1, next)
}

/// Möller–Trumbore intersection in f64.
fn intersect(origin: DVec3, direction: DVec3, [a, b, c]: [DVec3; 3]) -> Option<(f64, bool)> {
    let (ab, ac) = (b - a, c - a);
    let p = direction.cross(ac);
    let det = ab.dot(p);
    let t = origin - a;
    let u = t.dot(p) / det;
    let q = t.cross(ab);
    let v = direction.dot(q) / det;
    let distance = ac.dot(q) / det;
    (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && distance >= 0.0).then_some((distance, det > 0.0))
}

#[test]
fn every_pixel_shows_the_nearest_of_all_triangles() {
    for seed in 1..=3 {
        let mut rng = Rng::new(seed);
        let (mut scene, camera) = random_scene(&mut rng);
        let picture = render(&mut scene, camera, Settings { shadows: false, ..exact_settings() });
        let (triangles, view) = (triangles(&scene), scene.view(camera, (64, 48)).unwrap());
        let (mut seen, mut other) = (0, 0);
        for (number, found) in picture.nodes.iter().enumerate() {
            let pixel = Vec2::new((number % 64) as f32 + 0.5, (number / 64) as f32 + 0.5);
            let (expected, distance, next) = nearest(&triangles, &view, pixel);
            seen += usize::from(expected.is_some());
            // At a silhouette, on the near plane, or where two surfaces touch, either is correct.
            if *found != expected && (next - distance).abs() > 1e-5 {
                other += 1;
            }
            if *found == expected && expected.is_some() {
                let reported = f64::from(picture.distances[number]);
                assert!(
                    (reported - distance).abs() < 1e-4,
                    "seed {seed}, {pixel}: found {reported}, expected {distance}"
                );
            }
        }
        assert!(seen > 400, "seed {seed}: {seen} pixels show a surface");
        assert!(other <= 1, "seed {seed}: {other} pixels differ");
    }
}
