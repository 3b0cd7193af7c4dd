//! A test scene with every kind of data that glTF can represent.

use std::f32::consts::{FRAC_PI_2, FRAC_PI_4};

use pleach::animation::{Binding, Channel, Clip, Interpolation};
use pleach::glam::{Mat4, Quat, Vec2, Vec3, Vec4};
use pleach::shapes::{Capsule, Cone, Cuboid, Cylinder, Plane, Sphere, Torus};
use pleach::{
    AlphaMode, Anisotropy, Camera, Clearcoat, Geometry, Handle, Image, Influences, Instances,
    Iridescence, Light, MagFilter, Material, Mesh, MinFilter, MorphTarget, Node, Part, Projection,
    Sampler, Scene, Sheen, Skin, Specular, TextureRef, TextureTransform, Topology, Transmission,
    Volume, Wrap,
};
use pleach_gltf::{Document, Saved};

use crate::common_save::{again, check_file, find};

fn pixels(scene: &Scene, seed: u8) -> Handle<Image> {
    let bytes = (0..16u8).map(|it| it.wrapping_mul(17).wrapping_add(seed)).collect();
    scene.assets.add(Image::from_rgba8(2, 2, bytes).unwrap().named(format!("pixels {seed}")))
}

/// Returns a scene with everything that glTF can represent.
pub(crate) fn test_scene() -> Scene {
    let mut scene = Scene::named("stage");
    shapes(&mut scene);
    materials_of_all_kinds(&mut scene);
    cameras_and_lights(&mut scene);
    character(&mut scene);
    instanced_meshes(&mut scene);
    scene.update().unwrap();
    scene
}

fn shapes(scene: &mut Scene) {
    let plain =
        scene.assets.add(Material::from_color(Vec4::new(0.1, 0.2, 0.3, 1.0)).named("plain"));
    let all: [(&str, Geometry); 7] = [
        ("cuboid", Cuboid::new(Vec3::new(1.0, 2.0, 3.0)).build().unwrap()),
        ("sphere", Sphere::new(0.7).with_detail(8, 4).build().unwrap()),
        ("cylinder", Cylinder::new(0.3, 1.1).with_segments(7).build().unwrap()),
        ("cone", Cone::new(0.3, 1.1).with_segments(7).build().unwrap()),
        ("torus", Torus::new(1.0, 0.1).with_detail(6, 5).build().unwrap()),
        ("capsule", Capsule::new(0.1, 1.0).with_detail(6, 3).build().unwrap()),
        ("plane", Plane::new(Vec2::new(3.0, 0.1)).with_cells(2, 3).build().unwrap()),
    ];
    let group = scene.spawn(Node::group().named("shapes").at(Vec3::new(0.1, -0.2, 0.3))).unwrap();
    for (number, (name, geometry)) in all.into_iter().enumerate() {
        let geometry = scene.assets.add(geometry);
        let rotated = Quat::from_rotation_z(0.3 * number as f32);
        let node = Node::mesh(&geometry, &plain).named(name).under(group).rotated(rotated);
        scene.spawn(node.scaled(Vec3::new(1.0, -0.7, 1.3))).unwrap();
    }
    // All topologies, with and without indices; several sets of attributes.
    let corners: Vec<Vec3> =
        (0..6).map(|it| Vec3::new(it as f32, (it * it) as f32, -0.0)).collect();
    let modes = [
        Topology::Points,
        Topology::Lines,
        Topology::LineLoop,
        Topology::LineStrip,
        Topology::Triangles,
        Topology::TriangleStrip,
        Topology::TriangleFan,
    ];
    let mut parts = Vec::new();
    for (number, mode) in modes.into_iter().enumerate() {
        let mut geometry = Geometry::from_positions(corners.clone()).with_topology(mode);
        if number % 2 == 0 {
            geometry.indices = Some(vec![5, 4, 3, 2, 1, 0]);
        }
        for set in 0..2 {
            let uvs = corners.iter().map(|it| Vec2::new(it.x * 0.1, set as f32)).collect();
            geometry = geometry.with_uvs(uvs);
        }
        geometry = geometry.with_colors(vec![Vec4::new(0.1, 0.2, 0.3, 0.4); 6]);
        geometry = geometry.with_normals(vec![Vec3::Z; 6]);
        geometry = geometry.with_tangents(vec![Vec4::new(1.0, 0.0, 0.0, -1.0); 6]);
        let geometry = scene.assets.add(geometry);
        parts.push(Part { geometry, material: plain.clone() });
    }
    scene.spawn(Node::group().named("modes").with_mesh(Mesh::from_parts(parts)).hidden()).unwrap();
    let mut sheared = Mat4::from_translation(Vec3::new(1.0, 2.0, 3.0));
    sheared.y_axis.x = 0.3;
    let node = scene.spawn(Node::group().named("sheared")).unwrap();
    scene.node_mut(node).unwrap().set_local_matrix(sheared).unwrap();
    scene.spawn(Node::group().under(node)).unwrap();
}

fn materials_of_all_kinds(scene: &mut Scene) {
    let sampler = Sampler {
        mag_filter: Some(MagFilter::Nearest),
        min_filter: Some(MinFilter::LinearMipmapNearest),
        wrap_u: Wrap::ClampToEdge,
        wrap_v: Wrap::MirroredRepeat,
    };
    let images = [0, 50].map(|seed| pixels(scene, seed));
    let texture = |number: usize| Some(TextureRef::new(images[number].clone()));
    let moved =
        TextureTransform { offset: Vec2::new(0.1, 0.2), rotation: 0.3, scale: Vec2::new(2.0, 0.1) };
    let special = Some(
        TextureRef::new(images[0].clone())
            .with_sampler(sampler)
            .with_uv_set(1)
            .with_transform(moved),
    );
    let all = [
        Material::default(),
        Material::default().named(""),
        Material {
            base_color: Vec4::new(0.1, 0.2, 0.3, 0.4),
            base_color_texture: special.clone(),
            metallic: 0.3,
            roughness: 0.7,
            metallic_roughness_texture: texture(1),
            normal_texture: texture(0),
            normal_scale: 0.3,
            occlusion_texture: special.clone(),
            occlusion_strength: 0.7,
            emissive: Vec3::new(0.1, 0.5, 0.3),
            emissive_texture: texture(1),
            emissive_strength: 3.3,
            alpha_mode: AlphaMode::Mask { cutoff: 0.3 },
            double_sided: true,
            ..Material::default().named("all")
        },
        Material { alpha_mode: AlphaMode::Blend, unlit: true, ..Material::default() },
        Material { alpha_mode: AlphaMode::MASK, ior: 1.1, dispersion: 0.2, ..Material::default() },
        Material {
            clearcoat: Some(Box::new(Clearcoat {
                factor: 0.1,
                texture: texture(0),
                roughness: 0.2,
                roughness_texture: texture(1),
                normal_texture: special.clone(),
                normal_scale: 0.3,
            })),
            sheen: Some(Box::new(Sheen {
                color: Vec3::new(0.1, 0.2, 0.3),
                color_texture: special.clone(),
                roughness: 0.4,
                roughness_texture: texture(1),
            })),
            specular: Some(Box::new(Specular {
                factor: 0.1,
                texture: texture(0),
                color: Vec3::new(0.1, 0.2, 0.3),
                color_texture: texture(1),
            })),
            ..Material::default().named("coats")
        },
        Material {
            transmission: Some(Box::new(Transmission { factor: 0.1, texture: texture(0) })),
            volume: Some(Box::new(Volume {
                thickness: 0.1,
                thickness_texture: special.clone(),
                attenuation_distance: 0.7,
                attenuation_color: Vec3::new(0.1, 0.2, 0.3),
            })),
            iridescence: Some(Box::new(Iridescence {
                factor: 0.1,
                texture: texture(0),
                ior: 1.2,
                thickness_min: 10.0,
                thickness_max: 30.0,
                thickness_texture: texture(1),
            })),
            anisotropy: Some(Box::new(Anisotropy {
                strength: 0.1,
                rotation: 0.2,
                texture: special.clone(),
            })),
            ..Material::default().named("glass")
        },
        Material {
            clearcoat: Some(Box::default()),
            sheen: Some(Box::default()),
            specular: Some(Box::default()),
            transmission: Some(Box::default()),
            volume: Some(Box::default()),
            iridescence: Some(Box::default()),
            anisotropy: Some(Box::default()),
            ..Material::default().named("there, but doing nothing")
        },
    ];
    let card = Geometry::from_positions(vec![Vec3::ZERO, Vec3::X, Vec3::Y])
        .with_normals(vec![Vec3::Z; 3])
        .with_tangents(vec![Vec4::X + Vec4::W; 3])
        .with_uvs(vec![Vec2::ZERO; 3])
        .with_uvs(vec![Vec2::ONE; 3]);
    let card = scene.assets.add(card);
    for (number, material) in all.into_iter().enumerate() {
        let material = scene.assets.add(material);
        scene.spawn(Node::mesh(&card, &material).named(format!("card {number}"))).unwrap();
    }
}

fn cameras_and_lights(scene: &mut Scene) {
    let perspective = |fov_y, near, far| Projection::Perspective { fov_y, near, far };
    let orthographic =
        |height, near, far| Projection::Orthographic { height, zoom: 1.0, near, far };
    let cameras = [
        Camera::perspective(0.7).with_aspect(1.6),
        Camera { projection: perspective(0.1, 0.01, f32::INFINITY), ..Camera::default() },
        Camera { projection: orthographic(3.0, 0.0, 7.5), aspect: Some(2.0), ..Camera::default() },
        Camera { projection: orthographic(3.0, 0.0, 7.5), aspect: Some(0.5), ..Camera::default() },
    ];
    for (number, camera) in cameras.into_iter().enumerate() {
        let at = Vec3::new(number as f32, 0.1, 0.2);
        scene.spawn(Node::camera(camera).named(format!("camera {number}")).at(at)).unwrap();
    }
    let color = Vec3::new(0.1, 0.2, 0.3);
    let lights = [
        Light::directional(color, 1000.0),
        Light::point(color, 0.1).with_range(3.3),
        Light::point(Vec3::ONE, 1.0),
        Light::spot(color, 7.0, 0.1, FRAC_PI_4),
        Light::spot(color, 7.0, 0.0, FRAC_PI_2).with_range(0.3),
    ];
    for (number, light) in lights.into_iter().enumerate() {
        scene.spawn(Node::light(light).named(format!("light {number}"))).unwrap();
    }
}

fn character(scene: &mut Scene) {
    let character = Node::group().named("figure").at(Vec3::new(5.0, 0.1, 0.0));
    let joints = Node::group().named("hip").child(
        Node::group()
            .named("knee")
            .at(Vec3::new(0.0, 0.0, -0.5))
            .child(Node::group().named("foot").at(Vec3::new(0.0, 0.1, -0.5))),
    );
    scene.spawn(character.child(joints)).unwrap();
    let joints = ["hip", "knee", "foot"].map(|name| find(scene, name)).to_vec();
    let mut skin = Skin::from_current_pose(&scene.graph, joints).unwrap();
    skin.skeleton = Some(find(scene, "hip"));
    let mut body = Cuboid::new(Vec3::new(0.2, 0.2, 1.0)).build().unwrap();
    let count = body.positions.len();
    body.influences = vec![Influences {
        joints: (0..count).map(|it| [it as u16 % 3, (it as u16 + 1) % 3, 0, 0]).collect(),
        weights: vec![[0.75, 0.25, 0.0, 0.0]; count].into(),
    }];
    let mut wide =
        MorphTarget::from_positions(vec![Vec3::new(0.1, 0.0, -0.2); count]).named("wide");
    wide.normals = vec![Vec3::new(0.1, 0.0, 0.0); count].into();
    body.morph_targets = vec![wide, MorphTarget::from_positions(vec![Vec3::X; count])];
    let (body, cloth) = (scene.assets.add(body), scene.assets.add(Material::default()));
    let character = find(scene, "figure");
    let node = Node::mesh(&body, &cloth).named("body").under(character).skinned(skin.clone());
    let node = scene.spawn(node).unwrap();
    scene.set_weights(node, vec![0.1, 0.7]).unwrap();
    skin.bind_matrix = Mat4::from_translation(Vec3::new(0.5, 0.0, 0.25));
    let twin = Node::mesh(&body, &cloth).named("twin").under(character).skinned(skin);
    scene.spawn(twin).unwrap();
}

fn instanced_meshes(scene: &mut Scene) {
    let cube = Cuboid::new(Vec3::ONE).build().unwrap();
    let bounds = cube.bounds();
    let (cube, material) = (scene.assets.add(cube), scene.assets.add(Material::default()));
    let instances = |matrices: Vec<Mat4>| Some(Box::new(Instances::new(bounds, matrices).unwrap()));
    let mut moved = Mesh::new(cube.clone(), material.clone());
    moved.instances =
        instances((0..3).map(|it| Mat4::from_translation(Vec3::X * it as f32)).collect());
    scene.spawn(Node::group().named("row").with_mesh(moved)).unwrap();
    let mut rotated = Mesh::new(cube, material);
    rotated.instances = instances(
        (0..3)
            .map(|it| {
                Mat4::from_scale_rotation_translation(
                    Vec3::new(0.5, 2.0, 1.0),
                    Quat::from_rotation_y(0.5 * it as f32),
                    Vec3::new(0.25, it as f32, 0.5),
                )
            })
            .collect(),
    );
    scene.spawn(Node::group().named("ring").with_mesh(rotated)).unwrap();
}

/// Returns an animation with every property and interpolation.
pub(crate) fn test_animation(scene: &Scene) -> Binding {
    use Interpolation::{CubicSpline, Linear, Step};
    let times = [0.0, 0.3, 1.1];
    let turns = [0.0, 0.7, -0.4].map(Quat::from_rotation_x);
    let translations = [Vec3::ZERO, Vec3::new(0.1, 0.2, 0.3), Vec3::new(-0.3, 0.1, -0.0)];
    let spline: Vec<Vec3> = (0..9).map(|it| Vec3::splat(1.0 + 0.1 * it as f32)).collect();
    let weights = vec![0.0, 0.1, 0.2, 0.3, 0.4, 0.5];
    let channels = vec![
        Channel::rotation(0, Linear, times, turns).unwrap(),
        Channel::translation(0, Step, times, translations).unwrap(),
        Channel::translation(1, Linear, [0.5, 0.7, 0.9], translations).unwrap(),
        Channel::scale(1, CubicSpline, times, spline).unwrap(),
        Channel::weights(2, Linear, times, weights).unwrap(),
    ];
    let clip = Clip::new("dance \"1\"", ["hip", "knee", "body"], channels).unwrap();
    let nodes = ["hip", "knee", "body"].map(|name| find(scene, name));
    Binding::new(clip, nodes).unwrap()
}

/// Checks and loads a saved file.
#[track_caller]
pub(crate) fn loaded(saved: &Saved) -> Document {
    check_file(saved);
    let back = again(saved);
    assert!(back.report().is_empty(), "{}", back.report());
    back
}
