//! A small picture of a scene with textures, all lobes of materials, skins, instances, lines, lights,
//! an environment map and fog.

use glam::{Vec2, Vec3, Vec4};
use pleach::shapes::{Cuboid, Plane, Sphere, Torus};
use pleach::{
    AlphaMode, Anisotropy, Clearcoat, DiffuseTransmission, EnvironmentMap, Fog, Geometry, Image,
    Instances, Iridescence, Light, Material, Mesh, Node, Scene, Sheen, TextureRef, Topology,
    Transform, Transmission, Volume,
};
use pleach_render::{Renderer, Settings, framing, visible_bounds};
use testkit::Rng;

use crate::Kernels;
use crate::digest::Digest;
use crate::skin::Character;

pub(crate) fn record(kernels: Kernels) -> u64 {
    let mut scene = scene();
    kernels.set_scene(&mut scene);
    scene.update().unwrap();
    let (camera, transform) = framing(&visible_bounds(&scene), Vec3::new(1.0, -2.0, 1.2), 1.5);
    let mut digest = Digest::new();
    digest.transform(transform);
    let camera = scene.spawn(Node::camera(camera).with_transform(transform)).unwrap();
    kernels.update_scene(&mut scene);
    let settings = Settings { threads: kernels.is_parallel.then_some(2), ..Settings::default() };
    let view = scene.view(camera, (36, 24)).unwrap();
    let picture = Renderer::new().with_settings(settings).render(&scene, &view).unwrap();
    digest.bytes(picture.bytes());
    picture.distances.iter().for_each(|&distance| digest.floats(&[distance]));
    picture.nodes.iter().for_each(|&node| digest.nodes(node));
    digest.finish()
}

fn scene() -> Scene {
    let mut random = Rng::new(0);
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
    let gold = Vec4::new(1.0, 0.8, 0.3, 1.0);
    let gold = Material { roughness: 0.2, base_color: gold, ..Material::default() };
    let lens = Material {
        transmission: Some(Box::new(Transmission { factor: 0.9, texture: None })),
        volume: Some(Box::new(Volume {
            thickness: 0.5,
            attenuation_distance: 0.7,
            attenuation_color: Vec3::new(0.9, 0.5, 0.3),
            ..Volume::default()
        })),
        dispersion: 2.0,
        roughness: 0.2,
        ..Material::from_color(Vec4::ONE)
    };
    let layers = Material {
        normal_texture: tiles.base_color_texture.clone(),
        clearcoat: Some(Box::new(Clearcoat {
            factor: 0.8,
            roughness: 0.3,
            ..Clearcoat::default()
        })),
        sheen: Some(Box::new(Sheen { color: Vec3::ONE, roughness: 0.5, ..Sheen::default() })),
        iridescence: Some(Box::new(Iridescence { factor: 1.0, ..Iridescence::default() })),
        anisotropy: Some(Box::new(Anisotropy { strength: 0.7, rotation: 0.4, texture: None })),
        diffuse_transmission: Some(Box::new(DiffuseTransmission {
            factor: 0.5,
            ..DiffuseTransmission::default()
        })),
        ..Material::from_color(Vec4::new(0.4, 0.5, 0.3, 1.0))
    };
    let [tiles, glass, gold, lens, layers] =
        [tiles, glass, gold, lens, layers].map(|it| assets.add(it));
    let floor = assets.add(Plane::new(Vec2::splat(6.0)).build().unwrap());
    let ring = assets.add(Torus::new(0.8, 0.3).with_detail(12, 8).build().unwrap());
    let ball = assets.add(Sphere::new(0.7).with_detail(12, 8).build().unwrap());
    let box_shape = Cuboid::new(Vec3::splat(0.3)).build().unwrap();
    let box_bounds = box_shape.bounds();
    let box_shape = assets.add(box_shape);
    scene.spawn(Node::mesh(&floor, &tiles)).unwrap();
    scene.spawn(Node::mesh(&ring, &gold).at(Vec3::Z).rotated(random.rotation())).unwrap();
    scene.spawn(Node::mesh(&ball, &glass).at(Vec3::new(1.5, -0.5, 0.7))).unwrap();
    scene.spawn(Node::mesh(&ball, &lens).at(Vec3::new(-1.2, -1.6, 0.9))).unwrap();
    scene.spawn(Node::mesh(&ball, &layers).at(Vec3::new(-1.8, 1.0, 0.8))).unwrap();
    let instances = (0..8).map(|_| random.invertible(2.0)).collect();
    let instances = Some(Box::new(Instances::new(box_bounds, instances).unwrap()));
    let mesh = Mesh { instances, ..Mesh::new(box_shape, gold) };
    scene.spawn(Node::group().with_mesh(mesh)).unwrap();
    let character = Character::spawn(&mut scene, &mut random);
    character.pose(&mut scene, &mut random);
    let wire = (0..12).map(|_| random.vec3(2.5)).collect();
    let wire = assets.add(Geometry::from_positions(wire).with_topology(Topology::LineStrip));
    scene.spawn(Node::mesh(&wire, &glass)).unwrap();
    let sun = Transform::from_xyz(-3.0, -2.0, 5.0).looking_at(Vec3::ZERO, Vec3::Z);
    scene.spawn(Node::light(Light::directional(Vec3::ONE, 0.9)).with_transform(sun)).unwrap();
    let lamp = Light::point(Vec3::new(1.0, 0.5, 0.2), 2.0);
    scene.spawn(Node::light(lamp).at(Vec3::new(0.0, -1.5, 2.0))).unwrap();
    scene.environment.map = Some(EnvironmentMap { intensity: 0.4, ..EnvironmentMap::studio() });
    scene.environment.fog = Some(Fog { color: Vec3::splat(0.4), near: 4.0, far: 20.0 });
    scene
}
