//! Node kinds follow from components; `check` reports mismatches.

use pleach::glam::{Mat4, Vec3};
use pleach::{Camera, Constraint, Level, Light, Lod, Node, NodeKind, Scene, Skin, shapes};

use crate::common::character::arm;
use crate::common::{material, problems, spawn_cube};

#[test]
fn node_kind_follows_from_its_components() {
    let mut scene = Scene::new();
    let arm = arm(&mut scene, 2);
    let cube = spawn_cube(&mut scene, Vec3::ZERO);
    let camera = scene.spawn(Node::camera(Camera::default())).unwrap();
    let light = scene.spawn(Node::light(Light::point(Vec3::ONE, 1.0))).unwrap();
    let group = scene.spawn(Node::group()).unwrap();
    for (node, kind) in [
        (scene.root(), NodeKind::Root),
        (arm.node, NodeKind::SkinnedMesh),
        (arm.joints[1], NodeKind::Joint),
        (arm.root, NodeKind::Group),
        (cube, NodeKind::Mesh),
        (camera, NodeKind::Camera),
        (light, NodeKind::Light),
        (group, NodeKind::Group),
    ] {
        assert_eq!(scene.kind(node), Some(kind));
    }

    // Several components: the kind with the highest precedence is returned.
    let lantern =
        Node::light(Light::point(Vec3::ONE, 5.0)).with_mesh(scene.mesh(cube).unwrap().clone());
    let lantern = scene.spawn(lantern).unwrap();
    assert_eq!(scene.kind(lantern), Some(NodeKind::Mesh));
    assert!(scene.light(lantern).is_some() && scene.mesh(lantern).is_some());
    scene.meshes.remove(lantern);
    assert_eq!(scene.kind(lantern), Some(NodeKind::Light));
    scene.lights.remove(lantern);
    assert_eq!(scene.kind(lantern), Some(NodeKind::Group));
    scene.skins.remove(arm.node);
    assert_eq!(scene.kind(arm.node), Some(NodeKind::Mesh));
    assert_eq!(scene.kind(arm.joints[1]), Some(NodeKind::Group));
    scene.remove(cube).unwrap();
    assert_eq!(scene.kind(cube), None);
}

#[test]
fn group_is_a_node_without_components() {
    let mut scene = Scene::new();
    let group = scene.spawn(Node::group()).unwrap();
    let cube = spawn_cube(&mut scene, Vec3::X);
    scene.graph.attach(cube, group).unwrap();
    scene.graph.node_mut(group).unwrap().set_translation(Vec3::Y).unwrap();
    scene.update().unwrap();
    assert!(!scene.spatial.contains(group));
    assert!(scene.mesh(group).is_none() && scene.camera(group).is_none());
    assert_eq!(scene.graph.node(cube).unwrap().world_translation(), Vec3::new(1.0, 1.0, 0.0));
    let bounds = scene.spatial.subtree_bounds(&scene.graph, group).unwrap();
    assert_eq!(bounds.center(), Vec3::new(1.0, 1.0, 0.0));
}

#[test]
fn face_materials_beyond_the_list_are_reported() {
    let mut scene = Scene::new();
    let material = material(&scene.assets);
    let mut geometry = shapes::Cuboid::new(Vec3::ONE).build().unwrap();
    geometry.face_materials = (0..12).map(|face| face / 6).collect();
    let geometry = scene.assets.add(geometry);
    let node = scene.spawn(Node::mesh(&geometry, &material).named("dice")).unwrap();
    scene.mesh_mut(node).unwrap().materials = vec![material.clone()];
    assert_eq!(
        problems(&scene),
        [format!("node {node} \"dice\": part 0: a face has material 1, but its mesh has 1")],
    );
    scene.mesh_mut(node).unwrap().materials.push(material);
    assert_eq!(scene.check(), []);
    let mesh = scene.mesh(node).unwrap();
    let chosen = geometry.get().face_material(7) as usize;
    assert_eq!(mesh.materials[chosen], mesh.materials[1]);
}

#[test]
fn skinned_mesh_without_influences_is_reported() {
    let mut scene = Scene::new();
    let (joint, node) = (scene.spawn(Node::group()).unwrap(), spawn_cube(&mut scene, Vec3::ZERO));
    let skin = Skin::new(vec![joint], vec![Mat4::IDENTITY]).unwrap();
    scene.skins.insert(&scene.graph, node, skin).unwrap();
    assert_eq!(
        problems(&scene),
        [format!("node {node}: part 0 is skinned, but its geometry has no joints and weights")],
    );
    // A skinned mesh has all fields of a mesh.
    assert_eq!(scene.kind(node), Some(NodeKind::SkinnedMesh));
    assert!(scene.mesh(node).unwrap().cast_shadow);
}

#[test]
fn check_reports_references_to_dead_nodes_and_excess_weights() {
    let mut scene = Scene::new();
    let arm = arm(&mut scene, 3);
    let (target, level) =
        (scene.spawn(Node::group()).unwrap(), scene.spawn(Node::group()).unwrap());
    let look = Constraint::LookAt { target, up: Vec3::Z };
    scene.constraints.insert(&scene.graph, arm.root, look).unwrap();
    let lod = Lod { levels: vec![Level { node: level, min_screen_size: 0.0 }] };
    scene.lods.insert(&scene.graph, arm.root, lod).unwrap();
    scene.update().unwrap();
    assert_eq!(scene.check(), []);
    for node in [target, level, arm.joints[2]] {
        scene.remove(node).unwrap();
    }
    scene.set_weights(arm.node, vec![1.0]).unwrap();
    scene.update().unwrap();
    let (top, node) = (arm.root, arm.node);
    let mut problems = problems(&scene);
    problems.sort();
    let mut expected = [
        format!("node {top}: level 0 is a dead node"),
        format!("node {top}: the target of its constraint is a dead node"),
        format!("node {node} \"arm\": joint 2 is a dead node"),
        format!("node {node} \"arm\": part 0 has 0 morph targets, but there are 1 weights"),
    ];
    expected.sort();
    assert_eq!(problems, expected);
}
