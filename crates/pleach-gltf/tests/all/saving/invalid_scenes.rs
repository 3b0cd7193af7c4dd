//! A save never writes an invalid file without a word: what glTF does not allow is converted,
//! reported or refused with the name of its node.

use std::sync::Arc;

use pleach::animation::{Binding, Channel, Clip, Interpolation};
use pleach::glam::{Mat4, Quat, Vec2, Vec3, Vec4};
use pleach::shapes::Cuboid;
use pleach::*;
use pleach_gltf::validate::Severity;
use pleach_gltf::{Document, Error, ErrorKind, Format, Saved, Validate, WarningCode};

/// The expected result of a save.
enum Expected {
    /// Refuse, with the node's name and this text.
    Refused(&'static str),
    /// Write with this warning; the file is valid unless the code is of a fault that remains.
    Warned(WarningCode),
    /// Write a valid file without a warning.
    Converted,
}
use Expected::{Converted, Refused, Warned};

fn strict_errors(bytes: &[u8]) -> Vec<String> {
    let checked = Validate::new().strict().bytes(bytes);
    let errors = checked.problems.iter().filter(|it| it.severity == Severity::Error);
    errors.map(|it| format!("{} {:?}", it.code.as_str(), it.locations.first())).collect()
}

#[track_caller]
fn expect(name: &str, result: Result<Saved, Error>, expected: Expected) {
    match (expected, result) {
        (Refused(text), Err(error)) => {
            assert_eq!(error.kind(), ErrorKind::Unwritable, "{name}: {error}");
            assert!(error.to_string().contains(text), "{name}: {error}");
            assert!(error.pointer().starts_with("/nodes/"), "{name}: {error}");
            assert!(error.message().contains("\"box\""), "{name}: {error}");
        }
        (Warned(code), Ok(saved)) => {
            let codes: Vec<_> = saved.report.warnings().iter().map(|it| it.code).collect();
            assert!(codes.contains(&code), "{name}: {codes:?}");
            let remains = [WarningCode::ShearedMatrix, WarningCode::MissingVertexAttribute];
            if !remains.contains(&code) {
                assert_eq!(strict_errors(&saved.bytes), Vec::<String>::new(), "{name}");
            }
        }
        (Converted, Ok(saved)) => {
            assert!(saved.report.is_empty(), "{name}: {}", saved.report);
            assert_eq!(strict_errors(&saved.bytes), Vec::<String>::new(), "{name}");
        }
        (_, Ok(saved)) => panic!("{name} was saved: {}", saved.report),
        (_, Err(error)) => panic!("{name} was refused: {error}"),
    }
}

/// Saves a scene of one box after `edit`.
#[track_caller]
fn scene_case(name: &str, expected: Expected, edit: impl FnOnce(&mut Scene, NodeId)) {
    let mut scene = Scene::new();
    let geometry = scene.assets.add(Cuboid::new(Vec3::ONE).build().unwrap());
    let material = scene.assets.add(Material::default());
    let node = scene.spawn(Node::mesh(&geometry, &material).named("box")).unwrap();
    edit(&mut scene, node);
    _ = scene.update();
    expect(name, pleach_gltf::save_bytes(&scene, Format::Glb), expected);
}

#[track_caller]
fn geometry_case(name: &str, expected: Expected, edit: impl FnOnce(&mut Geometry)) {
    scene_case(name, expected, |scene, node| {
        let mut geometry = Cuboid::new(Vec3::ONE).build().unwrap();
        edit(&mut geometry);
        let geometry = scene.assets.add(geometry);
        scene.mesh_mut(node).unwrap().parts[0].geometry = geometry;
    });
}

#[test]
fn nodes_and_skins_that_gltf_does_not_allow() {
    scene_case("a box", Converted, |_, _| {});
    scene_case("shear", Warned(WarningCode::ShearedMatrix), |scene, node| {
        let mut matrix = Mat4::IDENTITY;
        matrix.y_axis.x = 0.5;
        scene.node_mut(node).unwrap().set_local_matrix(matrix).unwrap();
    });
    scene_case("attach in place", Warned(WarningCode::ShearedMatrix), |scene, node| {
        let transform = Transform { scale: Vec3::new(1.0, 3.0, 1.0), ..Transform::IDENTITY };
        let parent = scene.spawn(Node::group().with_transform(transform)).unwrap();
        scene.node_mut(node).unwrap().set_rotation(Quat::from_rotation_z(0.7)).unwrap();
        scene.update().unwrap();
        scene.attach_in_place(node, parent).unwrap();
    });
    let skin = |scene: &mut Scene, node: NodeId, skin: Skin| {
        scene.skins.insert(&scene.graph, node, skin).unwrap();
    };
    let influences = |scene: &mut Scene, node: NodeId, joint: u16| {
        let geometry = Cuboid::new(Vec3::ONE).build().unwrap();
        let vertices = geometry.positions.len();
        let weights = vec![[1.0, 0.0, 0.0, 0.0]; vertices];
        let geometry = geometry.with_influences(vec![[joint, 0, 0, 0]; vertices], weights);
        let geometry = scene.assets.add(geometry);
        scene.mesh_mut(node).unwrap().parts[0].geometry = geometry;
    };
    let of = |node| Skin::new(vec![node], vec![Mat4::IDENTITY]).unwrap();
    scene_case("skinned", Converted, |scene, node| {
        influences(scene, node, 0);
        skin(scene, node, of(node));
    });
    scene_case("no influences", Refused("joints and weights"), |scene, node| {
        skin(scene, node, of(node));
    });
    scene_case("an empty skin", Refused("no joints"), |scene, node| {
        influences(scene, node, 0);
        skin(scene, node, Skin::new(vec![], vec![]).unwrap());
    });
    scene_case("more joints than matrices", Refused("2 joints"), |scene, node| {
        influences(scene, node, 0);
        let mut faulty = of(node);
        faulty.joints.push(node);
        skin(scene, node, faulty);
    });
    scene_case("a projective matrix", Refused("last row"), |scene, node| {
        influences(scene, node, 0);
        let mut matrix = Mat4::IDENTITY;
        matrix.x_axis.w = 0.5;
        skin(scene, node, Skin::new(vec![node], vec![matrix]).unwrap());
    });
    scene_case("a missing joint", Refused("joint 5"), |scene, node| {
        influences(scene, node, 5);
        skin(scene, node, of(node));
    });
}

#[test]
fn materials_that_gltf_does_not_allow() {
    let case = |name: &str, expected, edit: fn(&mut Material)| {
        scene_case(name, expected, |scene, node| {
            let mut material = Material::default();
            edit(&mut material);
            let material = scene.assets.add(material);
            scene.mesh_mut(node).unwrap().parts[0].material = material;
        });
    };
    let clamped = || Warned(WarningCode::FactorOutOfRange);
    case("metallic", clamped(), |it| it.metallic = 2.0);
    case("base colour", clamped(), |it| it.base_color = Vec4::splat(1.5));
    case("ior", clamped(), |it| it.ior = 0.5);
    case("cutoff", clamped(), |it| it.alpha_mode = AlphaMode::Mask { cutoff: -1.0 });
    case("strength", clamped(), |it| it.emissive_strength = -1.0);
    case("dispersion", clamped(), |it| it.dispersion = -1.0);
    case("emission", Converted, |it| it.emissive = Vec3::new(3.0, 1.5, 0.0));
    case("not a number", Refused("NaN"), |it| it.roughness = f32::NAN);
    scene_case("no uvs", Warned(WarningCode::MissingVertexAttribute), |scene, node| {
        let image = scene.assets.add(Image::from_rgba8(1, 1, vec![255; 4]).unwrap());
        let texture = TextureRef { uv_set: 3, ..TextureRef::new(image) };
        let material = Material { base_color_texture: Some(texture), ..Material::default() };
        let material = scene.assets.add(material);
        scene.mesh_mut(node).unwrap().parts[0].material = material;
    });
}

#[test]
fn emission_above_1_keeps_its_product_with_the_strength() {
    let mut scene = Scene::new();
    let geometry = scene.assets.add(Cuboid::new(Vec3::ONE).build().unwrap());
    let emissive = Vec3::new(4.0, 2.0, 0.0);
    let material = Material { emissive, emissive_strength: 3.0, ..Material::default() };
    let material = scene.assets.add(material);
    scene.spawn(Node::mesh(&geometry, &material)).unwrap();
    let saved = pleach_gltf::save_bytes(&scene, Format::Glb).unwrap();
    let again = pleach_gltf::load_bytes(&saved.bytes).unwrap();
    let material = again.materials()[0].get();
    assert_eq!(material.emissive, Vec3::new(1.0, 0.5, 0.0));
    assert_eq!(material.emissive_strength, 12.0);
}

#[test]
fn cameras_and_lights_that_gltf_does_not_allow() {
    let lights: [(&str, Light); 4] = [
        ("range is -1", Light::point(Vec3::ONE, 1.0).with_range(-1.0)),
        ("inner_angle is 1", Light::spot(Vec3::ONE, 1.0, 1.0, 0.5)),
        ("intensity is -1", Light::point(Vec3::ONE, -1.0)),
        ("intensity is NaN", Light::point(Vec3::ONE, f32::NAN)),
    ];
    for (text, light) in lights {
        scene_case(text, Refused(text), |scene, node| {
            scene.lights.insert(&scene.graph, node, light).unwrap();
        });
    }
    scene_case("colour", Converted, |scene, node| {
        scene.lights.insert(&scene.graph, node, Light::point(Vec3::splat(2.0), 1.0)).unwrap();
    });
    let perspective = |fov_y, near, far| Camera {
        projection: Projection::Perspective { fov_y, near, far },
        ..Camera::default()
    };
    let orthographic = |height, zoom, near, far| Camera {
        projection: Projection::Orthographic { height, zoom, near, far },
        ..Camera::default()
    };
    let cameras = [
        ("fov_y is 0", perspective(0.0, 0.1, 10.0)),
        ("near is 0", perspective(1.0, 0.0, 10.0)),
        ("far is 1", perspective(1.0, 5.0, 1.0)),
        ("aspect is 0", Camera { aspect: Some(0.0), ..Camera::default() }),
        ("far is inf", orthographic(1.0, 1.0, 0.1, f32::INFINITY)),
        ("height is 0", orthographic(0.0, 1.0, 0.1, 2.0)),
        ("zoom is 0", orthographic(1.0, 0.0, 0.1, 2.0)),
        ("near is -1", orthographic(1.0, 1.0, -1.0, 2.0)),
    ];
    for (text, camera) in cameras {
        scene_case(text, Refused(text), |scene, node| {
            scene.cameras.insert(&scene.graph, node, camera).unwrap();
        });
    }
}

#[test]
fn geometries_that_gltf_does_not_allow() {
    let converted = || Warned(WarningCode::ConvertedVertexAttribute);
    geometry_case("index", Refused("999"), |it| it.indices = Some(vec![0, 1, 999]));
    geometry_case("position", Refused("NaN"), |it| {
        let mut positions = it.positions.to_vec();
        positions[0].x = f32::NAN;
        it.positions = positions.into();
    });
    geometry_case("short normals", Refused("normals"), |it| it.normals = vec![Vec3::Z; 2].into());
    geometry_case("an empty set of uvs", Refused("uvs"), |it| {
        let uvs = vec![Vec2::ZERO; it.positions.len()];
        it.uvs = vec![vec![].into(), uvs.into()];
    });
    geometry_case("no vertices", Refused("no vertices"), |it| *it = Geometry::default());
    geometry_case("long normals", converted(), |it| {
        it.normals = vec![Vec3::splat(3.0); it.positions.len()].into();
    });
    geometry_case("zero normals", converted(), |it| {
        it.normals = vec![Vec3::ZERO; it.positions.len()].into();
    });
    geometry_case("tangents", converted(), |it| {
        it.tangents = vec![Vec4::new(0.0, 2.0, 0.0, 0.5); it.positions.len()].into();
    });
    geometry_case("colours", converted(), |it| {
        it.colors = vec![vec![Vec4::splat(1.5); it.positions.len()].into()];
    });
    for weights in [[0.5, 0.0, 0.0, 0.0], [0.0; 4], [0.5, 0.5, 0.0, 0.0]] {
        geometry_case("weights", converted(), |it| {
            let vertices = it.positions.len();
            let geometry = std::mem::take(it);
            *it = geometry.with_influences(vec![[0; 4]; vertices], vec![weights; vertices]);
        });
    }
    geometry_case("morph normals without normals", converted(), |it| {
        (it.normals, it.tangents) = (vec![].into(), vec![].into());
        let deltas = vec![Vec3::X; it.positions.len()];
        let target =
            MorphTarget { normals: deltas.clone().into(), ..MorphTarget::from_positions(deltas) };
        it.morph_targets.push(target);
    });
    geometry_case("an empty morph target", Converted, |it| {
        it.morph_targets.push(MorphTarget::default());
    });
    scene_case("unequal morph targets", Converted, |scene, node| {
        let geometry = Cuboid::new(Vec3::ONE).build().unwrap();
        let deltas = vec![Vec3::X; geometry.positions.len()];
        let geometry = geometry.with_morph_target(MorphTarget::from_positions(deltas));
        let geometry = scene.assets.add(geometry);
        let mesh = scene.mesh_mut(node).unwrap();
        let part = Part { geometry, ..mesh.parts[0].clone() };
        mesh.parts.push(part);
    });
    scene_case("no parts", Refused("without parts"), |scene, node| {
        scene.mesh_mut(node).unwrap().parts.clear();
    });
}

#[test]
fn clips_that_gltf_does_not_allow() {
    let save = |channel: Channel| {
        let mut scene = Scene::new();
        let node = scene.spawn(Node::group().named("box")).unwrap();
        let clip = Clip::new("c", ["node"], vec![channel]).unwrap();
        let mut document = Document::from_scenes([scene]);
        document.add_animation(0, &Binding::new(clip, [node]).unwrap());
        document.save_bytes(Format::Glb)
    };
    let times: Arc<[f32]> = [0.0, 1.0].into();
    let weights = Channel::weights(0, Interpolation::Linear, times, vec![0.0, 1.0]).unwrap();
    expect("weights", save(weights), Warned(WarningCode::DroppedChannel));
    let moves = |times: [f32; 2]| {
        Channel::translation(0, Interpolation::Linear, times, [Vec3::X, Vec3::Y]).unwrap()
    };
    expect("equal times", save(moves([1.0, 1.0])), Converted);
    let error = save(moves([-1.0, 1.0])).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unwritable);
    assert!(error.message().contains("key at -1 s"), "{error}");
}

#[test]
fn a_scene_without_its_root_is_refused() {
    let mut scene = Scene::new();
    let root = scene.root();
    scene.graph.remove(root).unwrap();
    let error = pleach_gltf::save_bytes(&scene, Format::Gltf).unwrap_err();
    assert_eq!((error.kind(), error.pointer()), (ErrorKind::Unwritable, "/scenes/0"));
    assert!(error.message().contains("root of the scene was removed"), "{error}");

    let file = r#"{"asset":{"version":"2.0"},"scenes":[{"nodes":[0]}],"nodes":[{}]}"#;
    let options = pleach_gltf::Options::new().keep_y_up();
    let mut document = options.load_bytes(file.as_bytes()).unwrap();
    document.scenes_mut()[0].graph.clear();
    let error = document.save_bytes(Format::Gltf).unwrap_err();
    assert_eq!((error.kind(), error.pointer()), (ErrorKind::Unwritable, "/scenes/0"));
}

#[test]
fn a_root_that_was_attached_to_another_node_is_written_with_it() {
    let mut scene = Scene::new();
    let stage = scene.graph.add_root(Transform::from_xyz(5.0, 0.0, 0.0)).unwrap();
    scene.spawn(Node::group().named("inside").at(Vec3::Y)).unwrap();
    let root = scene.root();
    scene.graph.attach(root, stage).unwrap();
    scene.spawn(Node::group().named("next to it").under(stage)).unwrap();
    scene.update().unwrap();
    let saved = pleach_gltf::save_bytes(&scene, Format::Gltf).unwrap();
    assert!(saved.report.is_empty(), "{}", saved.report);
    assert_eq!(strict_errors(&saved.bytes), Vec::<String>::new());
    let again = pleach_gltf::load_bytes(&saved.bytes).unwrap();
    let again = &again.scenes()[0];
    for (name, expected) in [("inside", Vec3::new(5.0, 1.0, 0.0)), ("next to it", Vec3::X * 5.0)] {
        let node = again.find(name).unwrap();
        let world = again.graph.node(node).unwrap().compute_world();
        assert!(world.w_axis.truncate().abs_diff_eq(expected, 1e-6), "{name}: {world}");
    }
}
