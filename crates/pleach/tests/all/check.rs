//! `Scene::check`: problems are reported with their node.

use pleach::glam::{Mat4, Vec3};
use pleach::shapes::Cuboid;
use pleach::{Geometry, Level, Lod, Material, Mesh, MorphTarget, Node, Scene, Skin};

use crate::common::problems;

fn crate_scene() -> (Scene, pleach::NodeId) {
    let mut scene = Scene::new();
    let cube = scene.assets.add(Cuboid::new(Vec3::ONE).build().unwrap());
    let wood = scene.assets.add(Material::default());
    let node = scene.spawn(Node::mesh(&cube, &wood).named("crate")).unwrap();
    scene.update().unwrap();
    (scene, node)
}

#[test]
fn valid_scene_has_no_problems() {
    let (mut scene, node) = crate_scene();
    assert_eq!(scene.check(), []);
    scene.remove(node).unwrap();
    scene.update().unwrap();
    assert_eq!(scene.check(), []);
}

#[test]
fn skin_requires_influences_live_joints_and_a_mesh() {
    let (mut scene, node) = crate_scene();
    let joint = scene.spawn(Node::group()).unwrap();
    let skin = Skin::new(vec![joint], vec![Mat4::IDENTITY]).unwrap();
    scene.skins.insert(&scene.graph, node, skin.clone()).unwrap();
    scene.update().unwrap();
    assert_eq!(
        problems(&scene),
        [r#"node 1v1 "crate": part 0 is skinned, but its geometry has no joints and weights"#],
    );
    scene.remove(joint).unwrap();
    scene.update().unwrap();
    assert_eq!(problems(&scene)[0], r#"node 1v1 "crate": joint 0 is a dead node"#);
    scene.meshes.remove(node);
    scene.update().unwrap();
    assert_eq!(problems(&scene)[1], r#"node 1v1 "crate": it has a skin, but no mesh"#);
}

#[test]
fn joint_indices_beyond_the_skin_are_reported() {
    let (mut scene, _) = crate_scene();
    let joint = scene.spawn(Node::group()).unwrap();
    let triangle = Geometry::from_positions(vec![Vec3::ZERO, Vec3::X, Vec3::Y])
        .with_influences(vec![[0, 7, 0, 0]; 3], vec![[0.5, 0.5, 0.0, 0.0]; 3]);
    let (triangle, skin) =
        (scene.assets.add(triangle), Skin::new(vec![joint], vec![Mat4::IDENTITY]).unwrap());
    let plain = scene.assets.add(Material::default());
    let node = scene.spawn(Node::mesh(&triangle, &plain).skinned(skin)).unwrap();
    scene.update().unwrap();
    assert_eq!(
        problems(&scene),
        [format!("node {node}: part 0 refers to joint 7, but its skin has 1")]
    );
}

#[test]
fn mismatched_weights_materials_and_levels_are_reported() {
    let (mut scene, node) = crate_scene();
    scene.set_weights(node, vec![0.5]).unwrap();
    scene.update().unwrap();
    assert_eq!(
        problems(&scene),
        [r#"node 1v1 "crate": part 0 has 0 morph targets, but there are 1 weights"#],
    );
    let face = Geometry::from_positions(vec![Vec3::ZERO, Vec3::X, Vec3::Y])
        .with_morph_target(MorphTarget::from_positions(vec![Vec3::Z; 3]))
        .with_face_materials(vec![2]);
    let (face, plain) = (scene.assets.add(face), scene.assets.add(Material::default()));
    scene.meshes.insert(&scene.graph, node, Mesh::new(face, plain.clone())).unwrap();
    scene.update().unwrap();
    assert_eq!(
        problems(&scene),
        [r#"node 1v1 "crate": part 0: a face has material 2, but its mesh has 0"#],
    );
    scene.mesh_mut(node).unwrap().materials = vec![plain.clone(), plain.clone(), plain];
    let far = scene.spawn(Node::group()).unwrap();
    let lod = Lod { levels: vec![Level { node: far, min_screen_size: 0.1 }] };
    scene.lods.insert(&scene.graph, node, lod).unwrap();
    scene.update().unwrap();
    assert_eq!(scene.check(), []);
    scene.remove(far).unwrap();
    assert_eq!(problems(&scene), [r#"node 1v1 "crate": level 0 is a dead node"#]);
}
