//! The cost of a picture, by the size of picture and scene.
//!
//! `cargo bench -p pleach-render`. With shadows and four samples at edges unless the name states
//! otherwise.

use divan::{Bencher, black_box};
use pleach::glam::{Mat4, Vec2, Vec3, Vec4};
use pleach::shapes::{Cuboid, Plane, Torus};
use pleach::{Camera, Instances, Light, Material, Mesh, Node, NodeId, Scene, Transform};
use pleach_render::{Renderer, Settings};

fn main() {
    divan::main();
}

/// A torus of about `triangles` triangles on a floor, with a directional and a point light, seen
/// from above.
fn ring(triangles: u32) -> (Scene, NodeId) {
    let mut scene = Scene::new();
    let around = f64::from(triangles / 4).sqrt() as u32;
    let ring = Torus::new(0.7, 0.3).with_detail(2 * around, around);
    let ring = scene.assets.add(ring.build().unwrap());
    let floor = scene.assets.add(Plane::new(Vec2::splat(20.0)).build().unwrap());
    let material = |r, g, b| Material::from_color(Vec4::new(r, g, b, 1.0));
    let red = Material { roughness: 0.4, ..material(0.8, 0.1, 0.1) };
    let (red, grey) = (scene.assets.add(red), scene.assets.add(material(0.5, 0.5, 0.5)));
    scene.spawn(Node::mesh(&ring, &red).scaled(Vec3::splat(2.0)).at(Vec3::Z)).unwrap();
    scene.spawn(Node::mesh(&floor, &grey)).unwrap();
    let transform = Transform::from_xyz(-3.0, -2.0, 6.0).looking_at(Vec3::ZERO, Vec3::Z);
    scene.spawn(Node::light(Light::directional(Vec3::ONE, 0.8)).with_transform(transform)).unwrap();
    scene.spawn(Node::light(Light::point(Vec3::ONE, 4.0)).at(Vec3::new(2.0, -1.0, 3.0))).unwrap();
    let transform = Transform::from_xyz(0.0, -4.0, 3.5).looking_at(Vec3::Z * 0.5, Vec3::Z);
    let camera = scene.spawn(Node::camera(Camera::default()).with_transform(transform)).unwrap();
    scene.update().unwrap();
    (scene, camera)
}

fn bench(bencher: Bencher, (scene, camera): (Scene, NodeId), size: (u32, u32), settings: Settings) {
    let view = scene.view(camera, size).unwrap();
    let mut renderer = Renderer::new().with_settings(settings);
    bencher.bench_local(|| black_box(renderer.render(&scene, &view).unwrap()));
}

#[divan::bench(sample_count = 10)]
fn picture_100k_triangles_1280x720(bencher: Bencher) {
    bench(bencher, ring(100_000), (1280, 720), Settings::default());
}

#[divan::bench(sample_count = 10)]
fn picture_100k_triangles_1280x720_one_ray_no_shadows(bencher: Bencher) {
    let settings = Settings { samples: 1, shadows: false, ..Settings::default() };
    bench(bencher, ring(100_000), (1280, 720), settings);
}

#[divan::bench(sample_count = 10)]
fn picture_12_triangles_1280x720(bencher: Bencher) {
    let mut scene = Scene::new();
    let cube = scene.assets.add(Cuboid::new(Vec3::splat(6.0)).build().unwrap());
    let material = scene.assets.add(Material::from_color(Vec4::ONE));
    scene.spawn(Node::mesh(&cube, &material)).unwrap();
    let camera = Node::camera(Camera::default()).with_transform(Camera::default_transform());
    let camera = scene.spawn(camera).unwrap();
    scene.update().unwrap();
    bench(bencher, (scene, camera), (1280, 720), Settings::default());
}

#[divan::bench(sample_count = 10)]
fn picture_100k_instances_640x360(bencher: Bencher) {
    let mut scene = Scene::new();
    let cube = scene.assets.add(Cuboid::new(Vec3::splat(0.5)).build().unwrap());
    let material = scene.assets.add(Material::from_color(Vec4::ONE));
    let position = |i: u32| Vec3::new((i % 316) as f32 - 158.0, (i / 316) as f32, 0.0);
    let instances = (0..100_000).map(|i| Mat4::from_translation(position(i))).collect();
    let mut mesh = Mesh::new(cube.clone(), material);
    mesh.instances = Some(Box::new(Instances::new(cube.get().bounds(), instances).unwrap()));
    scene.spawn(Node::group().with_mesh(mesh)).unwrap();
    let transform = Transform::from_xyz(0.0, -5.0, 10.0).looking_at(Vec3::Y * 40.0, Vec3::Z);
    let camera = scene.spawn(Node::camera(Camera::default()).with_transform(transform)).unwrap();
    scene.update().unwrap();
    bench(bencher, (scene, camera), (640, 360), Settings::default());
}
