//! Saving what was built in code: it loads again as it was, here and elsewhere.

mod common_save;

use std::collections::BTreeMap;
use std::f32::consts::{FRAC_PI_2, FRAC_PI_4};

use common_save::{
    Place, again, assert_same_scene, check_file, describe, geometry_bits, json_of, opened, value,
};
use pleach::animation::{Binding, Channel, Clip, Interpolation, Mixer};
use pleach::glam::{Mat4, Quat, Vec2, Vec3, Vec4};
use pleach::shapes::{Capsule, Cone, Cuboid, Cylinder, Plane, Sphere, Torus};
use pleach::{
    AlphaMode, Anisotropy, Camera, Clearcoat, Geometry, Handle, Image, Influences, Instances,
    Iridescence, Light, MagFilter, Material, Mesh, MinFilter, Mode, MorphTarget, Node, NodeId,
    Part, Projection, Sampler, Scene, Sheen, Skin, Specular, TextureRef, TextureTransform,
    Transmission, Volume, Wrap,
};
use pleach_gltf::{Document, ErrorKind, Form, Saved, load_bytes, save_bytes};

const FORMS: [Form; 2] = [Form::Gltf, Form::Glb];

fn find(scene: &Scene, name: &str) -> NodeId {
    scene.graph.find(name).unwrap_or_else(|| panic!("no {name}"))
}

fn pixels(scene: &Scene, seed: u8) -> Handle<Image> {
    let bytes = (0..16u8).map(|it| it.wrapping_mul(17).wrapping_add(seed)).collect();
    scene.assets.add(Image::from_rgba8(2, 2, bytes).unwrap().named(format!("pixels {seed}")))
}

/// A scene with all that glTF can say.
fn stage() -> Scene {
    let mut scene = Scene::named("stage");
    shapes(&mut scene);
    paints(&mut scene);
    lenses(&mut scene);
    figure(&mut scene);
    crowd(&mut scene);
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
        let turned = Quat::from_rotation_z(0.3 * number as f32);
        let node = Node::mesh(&geometry, &plain).named(name).under(group).rotated(turned);
        scene.spawn(node.scaled(Vec3::new(1.0, -0.7, 1.3))).unwrap();
    }
    // All modes, with and without indices; several sets of columns.
    let corners: Vec<Vec3> =
        (0..6).map(|it| Vec3::new(it as f32, (it * it) as f32, -0.0)).collect();
    let modes = [
        Mode::Points,
        Mode::Lines,
        Mode::LineLoop,
        Mode::LineStrip,
        Mode::Triangles,
        Mode::TriangleStrip,
        Mode::TriangleFan,
    ];
    let mut parts = Vec::new();
    for (number, mode) in modes.into_iter().enumerate() {
        let mut geometry = Geometry::from_positions(corners.clone()).with_mode(mode);
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
    scene.spawn(Node::group().named("modes").with_mesh(Mesh::of_parts(parts)).hidden()).unwrap();
    let mut sheared = Mat4::from_translation(Vec3::new(1.0, 2.0, 3.0));
    sheared.y_axis.x = 0.3;
    let node = scene.spawn(Node::group().named("sheared")).unwrap();
    scene.node_mut(node).unwrap().set_local_matrix(sheared).unwrap();
    scene.spawn(Node::group().under(node)).unwrap();
}

fn paints(scene: &mut Scene) {
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

fn lenses(scene: &mut Scene) {
    let perspective = |fov_y, near, far| Projection::Perspective { fov_y, near, far };
    let orthographic =
        |height, near, far| Projection::Orthographic { height, zoom: 1.0, near, far };
    let cameras = [
        Camera::perspective(0.7, 1.6),
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

fn figure(scene: &mut Scene) {
    let figure = Node::group().named("figure").at(Vec3::new(5.0, 0.1, 0.0));
    let bones = Node::group().named("hip").child(
        Node::group()
            .named("knee")
            .at(Vec3::new(0.0, 0.0, -0.5))
            .child(Node::group().named("foot").at(Vec3::new(0.0, 0.1, -0.5))),
    );
    scene.spawn(figure.child(bones)).unwrap();
    let joints = ["hip", "knee", "foot"].map(|name| find(scene, name)).to_vec();
    let mut skin = Skin::bound_now(&scene.graph, joints).unwrap();
    skin.skeleton = Some(find(scene, "hip"));
    let mut body = Cuboid::new(Vec3::new(0.2, 0.2, 1.0)).build().unwrap();
    let count = body.positions.len();
    body.influences = vec![Influences {
        joints: (0..count).map(|it| [it as u16 % 3, (it as u16 + 1) % 3, 0, 0]).collect(),
        weights: vec![[0.75, 0.25, 0.0, 0.0]; count],
    }];
    let mut wide =
        MorphTarget::from_positions(vec![Vec3::new(0.1, 0.0, -0.2); count]).named("wide");
    wide.normals = vec![Vec3::new(0.1, 0.0, 0.0); count];
    body.morph_targets = vec![wide, MorphTarget::from_positions(vec![Vec3::X; count])];
    let (body, cloth) = (scene.assets.add(body), scene.assets.add(Material::default()));
    let figure = find(scene, "figure");
    let node = Node::mesh(&body, &cloth).named("body").under(figure).skinned(skin.clone());
    let node = scene.spawn(node).unwrap();
    scene.set_weights(node, vec![0.1, 0.7]).unwrap();
    skin.bind_matrix = Mat4::from_translation(Vec3::new(0.5, 0.0, 0.25));
    let twin = Node::mesh(&body, &cloth).named("twin").under(figure).skinned(skin);
    scene.spawn(twin).unwrap();
}

fn crowd(scene: &mut Scene) {
    let cube = Cuboid::new(Vec3::ONE).build().unwrap();
    let bounds = cube.bounds();
    let (cube, paint) = (scene.assets.add(cube), scene.assets.add(Material::default()));
    let copies = |matrices: Vec<Mat4>| Some(Box::new(Instances::new(bounds, matrices).unwrap()));
    let mut moved = Mesh::new(cube.clone(), paint.clone());
    moved.instances =
        copies((0..3).map(|it| Mat4::from_translation(Vec3::X * it as f32)).collect());
    scene.spawn(Node::group().named("row").with_mesh(moved)).unwrap();
    let mut turned = Mesh::new(cube, paint);
    turned.instances = copies(
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
    scene.spawn(Node::group().named("ring").with_mesh(turned)).unwrap();
}

/// Nods, steps and swells, in all ways of interpolation.
fn dance(scene: &Scene) -> Binding {
    use Interpolation::{CubicSpline, Linear, Step};
    let times = [0.0, 0.3, 1.1];
    let turns = [0.0, 0.7, -0.4].map(Quat::from_rotation_x);
    let places = [Vec3::ZERO, Vec3::new(0.1, 0.2, 0.3), Vec3::new(-0.3, 0.1, -0.0)];
    let spline: Vec<Vec3> = (0..9).map(|it| Vec3::splat(1.0 + 0.1 * it as f32)).collect();
    let weights = vec![0.0, 0.1, 0.2, 0.3, 0.4, 0.5];
    let channels = vec![
        Channel::rotation(0, Linear, times, turns).unwrap(),
        Channel::translation(0, Step, times, places).unwrap(),
        Channel::translation(1, Linear, [0.5, 0.7, 0.9], places).unwrap(),
        Channel::scale(1, CubicSpline, times, spline).unwrap(),
        Channel::weights(2, Linear, times, weights).unwrap(),
    ];
    let clip = Clip::new("dance \"1\"", ["hip", "knee", "body"], channels).unwrap();
    let nodes = ["hip", "knee", "body"].map(|name| find(scene, name));
    Binding::new(clip, nodes).unwrap()
}

/// Loads what was saved, after a look at it.
#[track_caller]
fn loaded(saved: &Saved) -> Document {
    check_file(saved);
    let back = again(saved);
    assert!(back.report().is_empty(), "{}", back.report());
    back
}

#[test]
fn a_scene_comes_back_in_both_forms() {
    let scene = stage();
    for form in FORMS {
        let saved = save_bytes(&scene, form).unwrap();
        assert!(saved.report.is_empty(), "{}", saved.report);
        let back = loaded(&saved);
        assert_eq!(back.scenes().len(), 1);
        assert_eq!(back.scenes()[0].name, "stage");
        assert_eq!(back.default_scene(), Some(0));
        assert_same_scene(&scene, &back.scenes()[0], "the stage");
        // It is now a file, and written as it is.
        assert_eq!(back.save_bytes(form).unwrap().bytes, saved.bytes);
        // Without its file it is a scene as any.
        let freed = back.into_scene();
        let twice = loaded(&save_bytes(&freed, form).unwrap());
        assert_same_scene(&scene, &twice.scenes()[0], "the stage, twice");
    }
}

#[test]
fn what_is_shared_is_written_once() {
    let json = value(&json_of(&save_bytes(&stage(), Form::Glb).unwrap().bytes));
    let count = |key: &str| json[key].as_array().unwrap().len();
    assert_eq!(count("images"), 2);
    // Two images, one of them by two samplers.
    assert_eq!((count("textures"), count("samplers")), (3, 1));
    assert_eq!(count("cameras"), 4);
    assert_eq!(json["extensions"]["KHR_lights_punctual"]["lights"].as_array().unwrap().len(), 5);
    // The card is there once, in eight materials.
    let cards: Vec<_> = json["meshes"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|it| it["primitives"][0]["attributes"].get("TEXCOORD_1").is_some())
        .filter(|it| it["primitives"].as_array().unwrap().len() == 1)
        .map(|it| it["primitives"][0]["attributes"].to_string())
        .collect();
    assert_eq!(cards.len(), 8);
    assert!(cards.iter().all(|it| *it == cards[0]));
}

#[test]
fn the_widest_cone_is_not_too_wide() {
    let mut scene = Scene::new();
    scene.spawn(Node::light(Light::spot(Vec3::ONE, 1.0, 0.0, FRAC_PI_2))).unwrap();
    let saved = save_bytes(&scene, Form::Gltf).unwrap();
    let json = value(&json_of(&saved.bytes));
    let spot = &json["extensions"]["KHR_lights_punctual"]["lights"][0]["spot"];
    let angle = spot["outerConeAngle"].as_f64().unwrap();
    assert!(angle <= std::f64::consts::FRAC_PI_2, "{angle} is more than the validator allows");
    assert_eq!(angle as f32, FRAC_PI_2);
}

#[test]
fn a_scene_is_written_to_disk() {
    let (scene, place) = (stage(), Place::new("built"));
    pleach_gltf::save(&scene, place.path.join("a stage.glb")).unwrap();
    pleach_gltf::save(&scene, place.path.join("a stage.gltf")).unwrap();
    assert_eq!(place.names(), ["a stage.bin", "a stage.glb", "a stage.gltf"]);
    for name in ["a stage.glb", "a stage.gltf"] {
        let back = pleach_gltf::load(place.path.join(name)).unwrap();
        assert_same_scene(&scene, &back.scenes()[0], name);
    }
    let error = pleach_gltf::save(&scene, place.path.join("a.fbx")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Format);
    assert_eq!(place.names().len(), 3);
}

#[test]
fn several_scenes_with_animations_come_back() {
    let (one, mut two) = (stage(), Scene::named("other"));
    let dance = dance(&one);
    let clip = Clip::new(
        "",
        ["x"],
        vec![Channel::scale(0, Interpolation::Step, [0.0, 1.0], [Vec3::ONE, Vec3::ZERO]).unwrap()],
    );
    let lone = two.spawn(Node::group().named("lone")).unwrap();
    let shrink = Binding::new(clip.unwrap(), [lone]).unwrap();
    two.update().unwrap();
    let mut document = Document::from_scenes([one, two, Scene::new()]);
    document.add_animation(0, &dance);
    document.add_animation(1, &shrink);
    for form in FORMS {
        let saved = document.save_bytes(form).unwrap();
        assert!(saved.report.is_empty(), "{}", saved.report);
        let mut back = loaded(&saved);
        let names: Vec<&str> = back.scenes().iter().map(|it| &*it.name).collect();
        assert_eq!(names, ["stage", "other", ""]);
        for (one, other) in document.scenes().iter().zip(back.scenes()) {
            assert_same_scene(one, other, "one of three");
        }
        assert_eq!(back.animations().len(), 2);
        for (one, other) in document.animations().iter().zip(back.animations()) {
            assert_eq!(one.clip().name(), other.clip().name());
            assert_eq!(one.clip().channels(), other.clip().channels());
            assert_eq!(one.clip().duration(), other.clip().duration());
        }
        // They do the same.
        for step in 0..12 {
            let seconds = 0.1 * step as f32;
            for (animation, scene) in [(0, 0), (1, 1)] {
                let poses =
                    [&mut document, &mut back].map(|it| pose(it, animation, scene, seconds));
                assert_eq!(poses[0], poses[1], "animation {animation} at {seconds} s");
            }
        }
    }
}

fn pose(document: &mut Document, animation: usize, scene: usize, seconds: f32) -> Vec<String> {
    let binding = document.bind(animation, scene).unwrap();
    let scene = &mut document.scenes_mut()[scene];
    let before: Vec<_> = binding
        .nodes()
        .iter()
        .flatten()
        .map(|&it| (it, scene.node(it).unwrap().transform()))
        .collect();
    let body = scene.graph.find("body");
    let weights = body.and_then(|it| scene.weights.get(&scene.graph, it).cloned());
    let mut mixer = Mixer::new();
    mixer.add(binding, &scene.graph, &scene.weights);
    scene.animate(&mut mixer, seconds);
    scene.update().unwrap();
    let lines = describe(scene);
    for (node, transform) in before {
        scene.node_mut(node).unwrap().set_transform(transform).unwrap();
    }
    if let (Some(body), Some(weights)) = (body, weights) {
        scene.set_weights(body, weights).unwrap();
    }
    scene.update().unwrap();
    lines
}

#[test]
fn a_skin_poses_as_it_did() {
    let scene = stage();
    let back = loaded(&save_bytes(&scene, Form::Glb).unwrap());
    let other = &back.scenes()[0];
    for name in ["body", "twin"] {
        let palettes = [&scene, other].map(|it| {
            let palette = it.palettes().of(find(it, name)).unwrap();
            // In the world, as the nodes' own places count.
            let world = it.node(find(it, name)).unwrap().world();
            palette.iter().map(|&matrix| world * matrix).collect::<Vec<Mat4>>()
        });
        for (one, other) in palettes[0].iter().zip(&palettes[1]) {
            assert!(one.abs_diff_eq(*other, 1e-5), "{name}: {one} and {other}");
        }
    }
    let skeleton = other.skin(find(other, "body")).unwrap().skeleton;
    assert_eq!(skeleton, Some(find(other, "hip")));
}

#[test]
fn faces_of_a_palette_become_parts() {
    let mut scene = Scene::new();
    let mut cube = Cuboid::new(Vec3::ONE).build().unwrap();
    cube.face_materials = (0..12).map(|it| it % 3).collect();
    let expected = cube.clone();
    let colors = [0.1, 0.2, 0.3].map(|it| Vec4::new(it, 0.0, 0.0, 1.0));
    let paints = colors.map(|it| scene.assets.add(Material::from_color(it)));
    let mut mesh = Mesh::new(scene.assets.add(cube), paints[0].clone());
    mesh.palette = paints.to_vec();
    scene.spawn(Node::group().named("dice").with_mesh(mesh)).unwrap();
    scene.update().unwrap();
    for form in FORMS {
        let back = loaded(&save_bytes(&scene, form).unwrap());
        let there = &back.scenes()[0];
        let mesh = there.mesh(find(there, "dice")).unwrap();
        // By colour: the corners of its triangles.
        let mut found: BTreeMap<u32, Vec<[u32; 3]>> = BTreeMap::new();
        for part in &mesh.parts {
            let red = part.material.base_color.x.to_bits();
            assert_eq!(part.geometry.positions, expected.positions);
            assert_eq!(part.geometry.normals, expected.normals);
            found.entry(red).or_default().extend(part.geometry.triangles());
        }
        let mut wanted: BTreeMap<u32, Vec<[u32; 3]>> = BTreeMap::new();
        for (face, corners) in expected.triangles().enumerate() {
            let red = colors[expected.face_material(face) as usize].x.to_bits();
            wanted.entry(red).or_default().push(corners);
        }
        assert_eq!(found, wanted);
        // Vertices are not there three times.
        let json = value(back.json());
        let primitives = json["meshes"][0]["primitives"].as_array().unwrap();
        assert_eq!(primitives.len(), 3);
        assert!(primitives.iter().all(|it| it["attributes"] == primitives[0]["attributes"]));
    }
}

#[test]
fn a_palette_with_holes_and_strips_is_written() {
    let mut scene = Scene::new();
    let corners = (0..6).map(|it| Vec3::new(it as f32, (it % 2) as f32, 0.0)).collect();
    let mut strip = Geometry::from_positions(corners).with_mode(Mode::TriangleStrip);
    strip.face_materials = vec![2, 2, 0, 2];
    let triangles: Vec<[u32; 3]> = strip.triangles().collect();
    let paints = [0.1, 0.2, 0.3].map(|it| scene.assets.add(Material::from_color(Vec4::splat(it))));
    let mut mesh = Mesh::new(scene.assets.add(strip), paints[0].clone());
    mesh.palette = paints.to_vec();
    scene.spawn(Node::group().named("strip").with_mesh(mesh)).unwrap();
    let back = loaded(&save_bytes(&scene, Form::Gltf).unwrap());
    let there = &back.scenes()[0];
    let parts = &there.mesh(find(there, "strip")).unwrap().parts;
    let of =
        |part: &Part| (part.material.base_color.x, part.geometry.triangles().collect::<Vec<_>>());
    assert_eq!(parts.len(), 2);
    assert_eq!(of(&parts[0]), (0.1, vec![triangles[2]]));
    assert_eq!(of(&parts[1]), (0.3, vec![triangles[0], triangles[1], triangles[3]]));
}

#[test]
fn many_vertices_have_long_indices() {
    for count in [0xfffe, 0xffff, 0x1_0000, 0x1_0001] {
        let mut scene = Scene::new();
        let positions = (0..count).map(|it| Vec3::new(it as f32, 0.0, 0.0)).collect();
        let indices = vec![0, 1, count as u32 - 1];
        let geometry = Geometry::from_triangles(positions, indices.clone());
        let (geometry, paint) = (scene.assets.add(geometry), scene.assets.add(Material::default()));
        scene.spawn(Node::mesh(&geometry, &paint).named("big")).unwrap();
        let back = loaded(&save_bytes(&scene, Form::Glb).unwrap());
        let there = &back.scenes()[0];
        let part = &there.mesh(find(there, "big")).unwrap().parts[0];
        assert_eq!(part.geometry.indices.as_deref(), Some(&*indices));
        assert_eq!(geometry_bits(&part.geometry), geometry_bits(&geometry));
    }
}

#[test]
fn scenes_of_nothing_are_files() {
    let nothing = Document::from_scenes([]);
    let empty = Document::from_scenes([Scene::new(), Scene::named("x")]);
    for form in FORMS {
        let back = loaded(&nothing.save_bytes(form).unwrap());
        assert!(back.scenes().is_empty() && back.default_scene().is_none());
        let back = loaded(&empty.save_bytes(form).unwrap());
        assert_eq!(back.scenes().len(), 2);
        assert_eq!(back.scenes()[1].name, "x");
        assert_eq!(back.save_bytes(form).unwrap().bytes, empty.save_bytes(form).unwrap().bytes);
    }
}

#[test]
fn a_root_that_is_moved_hidden_or_shows_something_is_written() {
    let mut scene = Scene::named("moved");
    let cube = scene.assets.add(Cuboid::new(Vec3::ONE).build().unwrap());
    let paint = scene.assets.add(Material::default());
    scene.spawn(Node::group().named("child").at(Vec3::new(0.1, 0.2, 0.3))).unwrap();
    let root = scene.root();
    scene.node_mut(root).unwrap().set_translation(Vec3::new(1.0, 2.0, 3.0)).unwrap();
    scene.node_mut(root).unwrap().set_visible(false).set_name("base");
    scene.meshes.insert(&scene.graph, root, Mesh::new(cube, paint)).unwrap();
    scene.update().unwrap();
    let mut back = loaded(&save_bytes(&scene, Form::Glb).unwrap());
    let there = &mut back.scenes_mut()[0];
    there.update().unwrap();
    let [base, child] = ["base", "child"].map(|it| find(there, it));
    let old = [root, find(&scene, "child")].map(|it| scene.node(it).unwrap().world());
    assert_eq!([base, child].map(|it| there.node(it).unwrap().world()), old);
    assert!(!there.node(child).unwrap().is_shown());
    assert!(there.mesh(base).is_some());
}

#[test]
fn what_is_not_below_the_root_is_not_written_in_silence() {
    // A joint that was never put below the root.
    let mut scene = Scene::new();
    let joint = scene.graph.add_root(pleach::Transform::IDENTITY).unwrap();
    let skin = Skin::bound_now(&scene.graph, vec![joint]).unwrap();
    let mut body = Cuboid::new(Vec3::ONE).build().unwrap();
    let count = body.positions.len();
    body.influences = vec![Influences {
        joints: vec![[0; 4]; count],
        weights: vec![[1.0, 0.0, 0.0, 0.0]; count],
    }];
    let (body, paint) = (scene.assets.add(body), scene.assets.add(Material::default()));
    scene.spawn(Node::mesh(&body, &paint).named("body").skinned(skin)).unwrap();
    match save_bytes(&scene, Form::Glb) {
        Ok(saved) => _ = loaded(&saved),
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::Unwritable);
            assert!(error.to_string().contains("joint"), "{error}");
        }
    }
}

#[test]
fn a_clip_for_a_node_that_is_gone_is_reported() {
    let mut scene = stage();
    let dance = dance(&scene);
    let figure = find(&scene, "figure");
    scene.remove(figure).unwrap();
    scene.update().unwrap();
    let mut document = Document::from_scenes([scene]);
    document.add_animation(0, &dance);
    let saved = document.save_bytes(Form::Glb).unwrap();
    assert_eq!(saved.report.warnings().len(), 5, "{}", saved.report);
    assert!(loaded(&saved).animations().is_empty());
}

#[test]
fn models_rebuilt_from_their_scenes_are_the_same() {
    for (path, document) in opened() {
        let what = path.display().to_string();
        if what.contains("DeepChain") {
            continue;
        }
        let bindings: Vec<Vec<Binding>> = (0..document.animations().len())
            .map(|it| {
                (0..document.scenes().len())
                    .map(|scene| document.bind(it, scene).unwrap())
                    .collect()
            })
            .collect();
        let mut built = Document::from_scenes(document.into_scenes());
        for (scene, binding) in bindings.iter().flat_map(|it| it.iter().enumerate()) {
            built.add_animation(scene, binding);
        }
        for form in FORMS {
            let saved = built.save_bytes(form).unwrap_or_else(|fault| panic!("{what}: {fault}"));
            check_file(&saved);
            let back = again(&saved);
            assert_eq!(back.scenes().len(), built.scenes().len(), "{what}");
            for (one, other) in built.scenes().iter().zip(back.scenes()) {
                assert_same_scene(one, other, &what);
            }
        }
    }
}

// ---- As others read it ----

#[test]
fn another_reader_finds_the_same() {
    let scene = stage();
    let saved = save_bytes(&scene, Form::Glb).unwrap();
    let (document, buffers, images) = gltf::import_slice(&saved.bytes).unwrap();
    assert_eq!(document.scenes().len(), 1);
    let root = scene.root();
    let expected: Vec<NodeId> =
        scene.node(root).unwrap().descendants().filter(|&it| it != root).collect();
    // And one that turns.
    assert_eq!(document.nodes().len(), expected.len() + 1);
    assert_eq!(images.len(), 2);
    assert_eq!((images[0].width, images[0].height), (2, 2));

    let mut open: Vec<(gltf::Node<'_>, Mat4)> =
        document.default_scene().unwrap().nodes().map(|it| (it, Mat4::IDENTITY)).collect();
    let mut found: BTreeMap<String, usize> = BTreeMap::new();
    while let Some((node, above)) = open.pop() {
        let world = above * Mat4::from_cols_array_2d(&node.transform().matrix());
        open.extend(node.children().map(|it| (it, world)));
        let Some(name) = node.name().filter(|it| *it != "Z up") else { continue };
        *found.entry(name.into()).or_default() += 1;
        let own = find(&scene, name);
        let z_up = Mat4::from_cols_array(&[
            1., 0., 0., 0., 0., 0., 1., 0., 0., -1., 0., 0., 0., 0., 0., 1.,
        ]);
        let expected = scene.node(own).unwrap().world();
        assert!((z_up * world).abs_diff_eq(expected, 1e-5), "{name}: {world}, not {expected}");
        let parts = scene.mesh(own).map_or(&[][..], |it| &it.parts);
        let primitives: Vec<_> = node.mesh().map_or(vec![], |it| it.primitives().collect());
        assert_eq!(primitives.len(), parts.len(), "{name}");
        for (primitive, part) in primitives.iter().zip(parts) {
            compare_primitive(primitive, &buffers, &part.geometry, name);
            let material = primitive.material();
            assert_eq!(material.name(), part.material.name.as_deref());
            assert_eq!(
                material.pbr_metallic_roughness().base_color_factor(),
                part.material.base_color.to_array()
            );
            assert_eq!(material.double_sided(), part.material.double_sided);
            assert_eq!(material.unlit(), part.material.unlit);
            assert_eq!(material.ior().unwrap_or(1.5), part.material.ior);
        }
        assert_eq!(node.camera().is_some(), scene.camera(own).is_some(), "{name}");
        if let (Some(light), Some(own)) = (node.light(), scene.light(own)) {
            assert_eq!(light.color(), own.color.to_array());
            assert_eq!(light.intensity(), own.intensity);
        }
        let joints = node.skin().map_or(0, |it| it.joints().count());
        assert_eq!(joints, scene.skin(own).map_or(0, |it| it.joints.len()), "{name}");
    }
    let named = expected.iter().filter(|&&it| scene.node(it).unwrap().name().is_some()).count();
    assert_eq!(found.values().sum::<usize>(), named);
}

fn compare_primitive(
    primitive: &gltf::Primitive<'_>,
    buffers: &[gltf::buffer::Data],
    geometry: &Geometry,
    name: &str,
) {
    let reader = primitive.reader(|it| buffers.get(it.index()).map(|it| &**it));
    let positions: Vec<Vec3> = reader.read_positions().unwrap().map(Vec3::from_array).collect();
    assert_eq!(positions, geometry.positions, "{name}");
    let indices = reader.read_indices().map(|it| it.into_u32().collect::<Vec<u32>>());
    assert_eq!(indices, geometry.indices, "{name}");
    let normals: Vec<Vec3> =
        reader.read_normals().map_or(vec![], |it| it.map(Vec3::from_array).collect());
    assert_eq!(normals, geometry.normals, "{name}");
    for (set, expected) in geometry.uvs.iter().enumerate() {
        let uvs = reader.read_tex_coords(set as u32).unwrap().into_f32();
        assert_eq!(uvs.map(Vec2::from_array).collect::<Vec<_>>(), *expected, "{name}");
    }
    for (set, expected) in geometry.influences.iter().enumerate() {
        let joints = reader.read_joints(set as u32).unwrap().into_u16();
        assert_eq!(joints.collect::<Vec<_>>(), expected.joints);
        let weights = reader.read_weights(set as u32).unwrap().into_f32();
        assert_eq!(weights.collect::<Vec<_>>(), expected.weights);
    }
    let targets = reader.read_morph_targets();
    for ((positions, ..), expected) in targets.zip(&geometry.morph_targets) {
        let positions: Vec<Vec3> = positions.unwrap().map(Vec3::from_array).collect();
        assert_eq!(positions, expected.positions, "{name}");
    }
    let (least, most) = (primitive.bounding_box().min, primitive.bounding_box().max);
    assert_eq!(Vec3::from_array(least), geometry.bounds().min, "{name}");
    assert_eq!(Vec3::from_array(most), geometry.bounds().max, "{name}");
}

/// `PLEACH_KEEP=DIR cargo test -p pleach-gltf --test building keep` writes files for the
/// validator.
#[test]
fn keep_what_is_built_for_other_tools() {
    let Some(directory) = std::env::var_os("PLEACH_KEEP") else { return };
    let directory = std::path::PathBuf::from(directory);
    let scene = stage();
    let dance = dance(&scene);
    let mut document = Document::from_scenes([scene]);
    document.add_animation(0, &dance);
    document.save(directory.join("stage.glb")).unwrap();
    document.save(directory.join("stage.gltf")).unwrap();
    let bytes = document.save_bytes(Form::Glb).unwrap().bytes;
    load_bytes(&bytes).unwrap().save(directory.join("again/stage.gltf")).unwrap();
}
