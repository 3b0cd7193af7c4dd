//! The same picture, to the bit, with any number of threads and on every run.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::thread::{self, ThreadId};
use std::time::Duration;

use pleach::glam::{Mat4, Quat, Vec2, Vec3, Vec4};
use pleach::shapes::{Cuboid, Plane, Sphere, Torus};
use pleach::{
    AlphaMode, Camera, Fog, Geometry, Image, Instances, Light, Material, Mesh, Node, NodeId, Scene,
    TextureRef, Topology, Transform,
};
use pleach_render::{Picture, Renderer, Settings};
use testkit::Fnv;

/// A scene that uses every feature.
fn scene_with_everything() -> (Scene, NodeId) {
    let mut scene = Scene::new();
    let assets = scene.assets.clone();
    let pixels = (0..64_u32).flat_map(|i| [i * 4, 255 - i * 3, (i * 7) % 255, 255]);
    let pixels = pixels.map(|it| it as u8).collect();
    let image = assets.add(Image::from_rgba8(8, 8, pixels).unwrap());
    let tiles = Material {
        base_color_texture: Some(TextureRef::new(image)),
        ..Material::from_color(Vec4::ONE)
    };
    let glass = Material {
        alpha_mode: AlphaMode::Blend,
        ..Material::from_color(Vec4::new(0.2, 0.6, 0.9, 0.4))
    };
    let gold = Material {
        roughness: 0.2,
        ..Material { base_color: Vec4::new(1.0, 0.8, 0.3, 1.0), ..Material::default() }
    };
    let [tiles, glass, gold] = [tiles, glass, gold].map(|it| assets.add(it));
    let floor = assets.add(Plane::new(Vec2::splat(12.0)).build().unwrap());
    let ring = assets.add(Torus::new(0.8, 0.3).build().unwrap());
    let ball = assets.add(Sphere::new(0.7).build().unwrap());
    let cube = assets.add(Cuboid::new(Vec3::splat(0.3)).build().unwrap());
    scene.spawn(Node::mesh(&floor, &tiles)).unwrap();
    scene.spawn(Node::mesh(&ring, &gold).at(Vec3::Z).rotated(Quat::from_rotation_x(1.0))).unwrap();
    for x in [-2.0, 1.7, 2.0] {
        scene.spawn(Node::mesh(&ball, &glass).at(Vec3::new(x, -0.5, 0.7))).unwrap();
    }
    let instances = (0..40)
        .map(|i| Mat4::from_translation(Vec3::new((i % 8) as f32 - 4.0, (i / 8) as f32, 0.2)));
    let mut many = Mesh::new(cube.clone(), gold);
    many.instances =
        Some(Box::new(Instances::new(cube.get().bounds(), instances.collect()).unwrap()));
    scene.spawn(Node::group().with_mesh(many)).unwrap();
    let wire: Vec<Vec3> =
        (0..30).map(|i| Vec3::new(i as f32 * 0.2 - 3.0, (i % 3) as f32 - 1.0, 2.0)).collect();
    let wire = assets.add(Geometry::from_positions(wire).with_topology(Topology::LineStrip));
    scene.spawn(Node::mesh(&wire, &glass)).unwrap();
    let transform = Transform::from_xyz(-3.0, -2.0, 5.0).looking_at(Vec3::ZERO, Vec3::Z);
    scene.spawn(Node::light(Light::directional(Vec3::ONE, 0.9)).with_transform(transform)).unwrap();
    scene
        .spawn(
            Node::light(Light::point(Vec3::new(1.0, 0.5, 0.2), 2.0)).at(Vec3::new(0.0, -1.5, 2.0)),
        )
        .unwrap();
    scene.environment.fog = Some(Fog { color: Vec3::splat(0.4), near: 6.0, far: 20.0 });
    let transform = Transform::from_xyz(1.0, -6.0, 3.5).looking_at(Vec3::Z * 0.5, Vec3::Z);
    let camera = scene.spawn(Node::camera(Camera::default()).with_transform(transform)).unwrap();
    scene.update().unwrap();
    (scene, camera)
}

fn bits(picture: &Picture) -> (Vec<u8>, Vec<u32>, Vec<Option<NodeId>>) {
    let distances = picture.distances.iter().map(|it| it.to_bits()).collect();
    (picture.bytes().to_vec(), distances, picture.nodes.clone())
}

#[test]
fn output_does_not_depend_on_the_number_of_threads() {
    let (scene, camera) = scene_with_everything();
    let view = scene.view(camera, (49, 31)).unwrap();
    for samples in [1, 4, 16] {
        let draw = |threads: Option<usize>| {
            let settings = Settings { samples, threads, ..Settings::default() };
            bits(&Renderer::new().with_settings(settings).render(&scene, &view).unwrap())
        };
        let one = draw(Some(1));
        for threads in [Some(2), Some(3), Some(8), Some(0), None] {
            assert!(draw(threads) == one, "{threads:?} threads, {samples} samples");
        }
    }
}

/// Returns the threads on which images are decoded, in a scene with many textures.
fn threads_used(threads: Option<usize>) -> HashSet<ThreadId> {
    let mut scene = Scene::new();
    let cube = scene.assets.add(Cuboid::new(Vec3::ONE).build().unwrap());
    for _ in 0..40 {
        let image = scene.assets.add(Image::from_encoded("image/png", vec![0]));
        let texture = Some(TextureRef::new(image));
        let material = Material { base_color_texture: texture, ..Material::default() };
        let material = scene.assets.add(material);
        scene.spawn(Node::mesh(&cube, &material)).unwrap();
    }
    let camera = Node::camera(Camera::default()).with_transform(Camera::default_transform());
    let camera = scene.spawn(camera).unwrap();
    scene.update().unwrap();
    let used = Arc::new(Mutex::new(HashSet::new()));
    let seen = used.clone();
    let decode = move |_: &Image| {
        seen.lock().unwrap().insert(thread::current().id());
        thread::sleep(Duration::from_millis(1));
        Image::from_rgba8(1, 1, vec![255; 4]).map_err(|error| error.to_string())
    };
    let settings = Settings { threads, ..Settings::default() };
    let mut renderer = Renderer::new().with_settings(settings).with_decoder(decode);
    renderer.render(&scene, &scene.view(camera, (4, 3)).unwrap()).unwrap();
    used.lock().unwrap().clone()
}

#[test]
fn no_other_threads_are_used_unless_requested() {
    let own = HashSet::from([thread::current().id()]);
    for threads in [None, Some(1)] {
        assert_eq!(threads_used(threads), own, "{threads:?}");
    }
    let expected = if cfg!(feature = "parallel") { 2 } else { 1 };
    assert_eq!(threads_used(Some(2)).len(), expected);
    // `Some(1)` also within a request for more, `None` as requested outside.
    pleach_render::with_threads(Some(2), || {
        assert_eq!(threads_used(Some(1)), own);
        assert_eq!(threads_used(None).len(), expected);
    });
}

#[test]
fn output_does_not_depend_on_pictures_rendered_before() {
    let (scene, camera) = scene_with_everything();
    let (other, other_camera) = cube();
    let mut renderer = Renderer::new();
    let first = renderer.render(&scene, &scene.view(camera, (64, 48)).unwrap()).unwrap();
    renderer.render(&other, &other.view(other_camera, (31, 17)).unwrap()).unwrap();
    renderer.settings_mut().threads = Some(2);
    let again = renderer.render(&scene, &scene.view(camera, (64, 48)).unwrap()).unwrap();
    assert!(bits(&first) == bits(&again));
}

fn cube() -> (Scene, NodeId) {
    let mut scene = Scene::new();
    let cube = scene.assets.add(Cuboid::new(Vec3::ONE).build().unwrap());
    let material = scene.assets.add(Material::default());
    scene.spawn(Node::mesh(&cube, &material)).unwrap();
    let camera = Node::camera(Camera::default()).with_transform(Camera::default_transform());
    let camera = scene.spawn(camera).unwrap();
    scene.update().unwrap();
    (scene, camera)
}

/// A recorded hash: another machine must compute the same. A change of the shading changes it, too;
/// then look at the picture and record the new hash.
#[test]
fn the_hash_of_the_picture_is_known() {
    let (scene, camera) = scene_with_everything();
    let picture = Renderer::new().render(&scene, &scene.view(camera, (49, 31)).unwrap()).unwrap();
    let mut hash = Fnv::new();
    hash.write(picture.bytes());
    assert_eq!(format!("{:016X}", hash.finish()), "0992B6C3636FD042");
}
