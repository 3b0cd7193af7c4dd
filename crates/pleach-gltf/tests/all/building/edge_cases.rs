//! Edge cases: material lists, many vertices, empty scenes, moved roots.

use std::collections::BTreeMap;

use pleach::glam::{Vec3, Vec4};
use pleach::shapes::Cuboid;
use pleach::{Geometry, Influences, Material, Mesh, Node, Part, Scene, Skin, Topology};
use pleach_gltf::{Document, ErrorKind, Format, WarningCode, save_bytes};

use super::test_scene::{loaded, test_animation, test_scene};
use crate::common_save::{FORMATS, find, geometry_bits, value};

#[test]
fn faces_are_split_by_material() {
    let mut scene = Scene::new();
    let mut cube = Cuboid::new(Vec3::ONE).build().unwrap();
    cube.face_materials = (0..12).map(|it| it % 3).collect();
    let expected = cube.clone();
    let colors = [0.1, 0.2, 0.3].map(|it| Vec4::new(it, 0.0, 0.0, 1.0));
    let materials_of_all_kinds = colors.map(|it| scene.assets.add(Material::from_color(it)));
    let mut mesh = Mesh::new(scene.assets.add(cube), materials_of_all_kinds[0].clone());
    mesh.materials = materials_of_all_kinds.to_vec();
    scene.spawn(Node::group().named("dice").with_mesh(mesh)).unwrap();
    scene.update().unwrap();
    for format in FORMATS {
        let back = loaded(&save_bytes(&scene, format).unwrap());
        let there = &back.scenes()[0];
        let mesh = there.mesh(find(there, "dice")).unwrap();
        // The triangles by material.
        let mut found: BTreeMap<u32, Vec<[u32; 3]>> = BTreeMap::new();
        for part in &mesh.parts {
            let red = part.material.get().base_color.x.to_bits();
            assert_eq!(part.geometry.get().positions, expected.positions);
            assert_eq!(part.geometry.get().normals, expected.normals);
            found.entry(red).or_default().extend(part.geometry.get().triangles());
        }
        let mut wanted: BTreeMap<u32, Vec<[u32; 3]>> = BTreeMap::new();
        for (face, corners) in expected.triangles().enumerate() {
            let red = colors[expected.face_material(face) as usize].x.to_bits();
            wanted.entry(red).or_default().push(corners);
        }
        assert_eq!(found, wanted);
        // Vertices are not duplicated per material.
        let json = value(back.json());
        let primitives = json["meshes"][0]["primitives"].as_array().unwrap();
        assert_eq!(primitives.len(), 3);
        assert!(primitives.iter().all(|it| it["attributes"] == primitives[0]["attributes"]));
    }
}

#[test]
fn vertices_select_the_materials_of_the_written_primitives() {
    let mut scene = Scene::new();
    let mut cube = Cuboid::new(Vec3::ONE).build().unwrap();
    cube.vertex_materials = (0..cube.positions.len() as u32).map(|it| it / 4 % 2).collect();
    let expected = cube.clone();
    let colors = [0.25, 0.5].map(|it| Vec4::new(it, 0.0, 0.0, 1.0));
    let materials = colors.map(|it| scene.assets.add(Material::from_color(it)));
    let mut mesh = Mesh::new(scene.assets.add(cube), materials[0].clone());
    mesh.materials = materials.to_vec();
    scene.spawn(Node::group().named("dice").with_mesh(mesh)).unwrap();
    for format in FORMATS {
        let saved = save_bytes(&scene, format).unwrap();
        assert!(saved.report.is_empty(), "{}", saved.report);
        let back = loaded(&saved);
        let there = &back.scenes()[0];
        let parts = &there.mesh(find(there, "dice")).unwrap().parts;
        assert_eq!(parts.len(), 2);
        for (number, part) in parts.iter().enumerate() {
            assert_eq!(part.material.get().base_color, colors[number]);
            let of_first = |it: &[u32; 3]| expected.vertex_materials[it[0] as usize] as usize;
            let wanted: Vec<_> = expected.triangles().filter(|it| of_first(it) == number).collect();
            assert_eq!(part.geometry.get().triangles().collect::<Vec<_>>(), wanted);
            assert_eq!(wanted.len(), 6);
        }
    }
}

#[test]
fn unused_materials_and_strips_are_written() {
    let mut scene = Scene::new();
    let corners = (0..6).map(|it| Vec3::new(it as f32, (it % 2) as f32, 0.0)).collect();
    let mut strip = Geometry::from_positions(corners).with_topology(Topology::TriangleStrip);
    strip.face_materials = vec![2, 2, 0, 2];
    let triangles: Vec<[u32; 3]> = strip.triangles().collect();
    let materials_of_all_kinds =
        [0.1, 0.2, 0.3].map(|it| scene.assets.add(Material::from_color(Vec4::splat(it))));
    let mut mesh = Mesh::new(scene.assets.add(strip), materials_of_all_kinds[0].clone());
    mesh.materials = materials_of_all_kinds.to_vec();
    scene.spawn(Node::group().named("strip").with_mesh(mesh)).unwrap();
    let back = loaded(&save_bytes(&scene, Format::Gltf).unwrap());
    let there = &back.scenes()[0];
    let parts = &there.mesh(find(there, "strip")).unwrap().parts;
    let of = |part: &Part| {
        (part.material.get().base_color.x, part.geometry.get().triangles().collect::<Vec<_>>())
    };
    assert_eq!(parts.len(), 2);
    assert_eq!(of(&parts[0]), (0.1, vec![triangles[2]]));
    assert_eq!(of(&parts[1]), (0.3, vec![triangles[0], triangles[1], triangles[3]]));
}

#[test]
fn many_vertices_use_u32_indices() {
    for count in [0xfffe, 0xffff, 0x1_0000, 0x1_0001] {
        let mut scene = Scene::new();
        let positions = (0..count).map(|it| Vec3::new(it as f32, 0.0, 0.0)).collect();
        let indices = vec![0, 1, count as u32 - 1];
        let geometry = Geometry::from_triangles(positions, indices.clone());
        let (geometry, material) =
            (scene.assets.add(geometry), scene.assets.add(Material::default()));
        scene.spawn(Node::mesh(&geometry, &material).named("big")).unwrap();
        let back = loaded(&save_bytes(&scene, Format::Glb).unwrap());
        let there = &back.scenes()[0];
        let part = &there.mesh(find(there, "big")).unwrap().parts[0];
        assert_eq!(part.geometry.get().indices.as_deref(), Some(&*indices));
        assert_eq!(geometry_bits(&part.geometry.get()), geometry_bits(&geometry.get()));
    }
}

#[test]
fn empty_scenes_are_valid_files() {
    let nothing = Document::from_scenes([]);
    let empty = Document::from_scenes([Scene::new(), Scene::named("x")]);
    for format in FORMATS {
        let back = loaded(&nothing.save_bytes(format).unwrap());
        assert!(back.scenes().is_empty() && back.default_scene().is_none());
        let back = loaded(&empty.save_bytes(format).unwrap());
        assert_eq!(back.scenes().len(), 2);
        assert_eq!(back.scenes()[1].name, "x");
        assert_eq!(back.save_bytes(format).unwrap().bytes, empty.save_bytes(format).unwrap().bytes);
    }
}

#[test]
fn a_root_with_a_transform_visibility_or_mesh_is_written() {
    let mut scene = Scene::named("moved");
    let cube = scene.assets.add(Cuboid::new(Vec3::ONE).build().unwrap());
    let material = scene.assets.add(Material::default());
    scene.spawn(Node::group().named("child").at(Vec3::new(0.1, 0.2, 0.3))).unwrap();
    let root = scene.root();
    scene.node_mut(root).unwrap().set_translation(Vec3::new(1.0, 2.0, 3.0)).unwrap();
    scene.node_mut(root).unwrap().set_visible(false).set_name("base");
    scene.meshes.insert(&scene.graph, root, Mesh::new(cube, material)).unwrap();
    scene.update().unwrap();
    let mut back = loaded(&save_bytes(&scene, Format::Glb).unwrap());
    let there = &mut back.scenes_mut()[0];
    there.update().unwrap();
    let [base, child] = ["base", "child"].map(|it| find(there, it));
    let old = [root, find(&scene, "child")].map(|it| scene.node(it).unwrap().world());
    assert_eq!([base, child].map(|it| there.node(it).unwrap().world()), old);
    assert!(!there.node(child).unwrap().is_shown());
    assert!(there.mesh(base).is_some());
}

#[test]
fn references_to_nodes_outside_of_the_scene_are_reported() {
    // A joint that was never attached to the root.
    let mut scene = Scene::new();
    let joint = scene.graph.add_root(pleach::Transform::IDENTITY).unwrap();
    let skin = Skin::from_current_pose(&scene.graph, vec![joint]).unwrap();
    let mut body = Cuboid::new(Vec3::ONE).build().unwrap();
    let count = body.positions.len();
    body.influences = vec![Influences {
        joints: vec![[0; 4]; count].into(),
        weights: vec![[1.0, 0.0, 0.0, 0.0]; count].into(),
    }];
    let (body, material) = (scene.assets.add(body), scene.assets.add(Material::default()));
    scene.spawn(Node::mesh(&body, &material).named("body").skinned(skin)).unwrap();
    match save_bytes(&scene, Format::Glb) {
        Ok(saved) => _ = loaded(&saved),
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::Unwritable);
            assert!(error.to_string().contains("joint"), "{error}");
        }
    }
}

#[test]
fn a_clip_of_a_removed_node_is_reported() {
    let mut scene = test_scene();
    let test_animation = test_animation(&scene);
    let character = find(&scene, "figure");
    scene.remove(character).unwrap();
    scene.update().unwrap();
    let mut document = Document::from_scenes([scene]);
    document.add_animation(0, &test_animation);
    let saved = document.save_bytes(Format::Glb).unwrap();
    let dropped =
        saved.report.warnings().iter().filter(|it| it.code == WarningCode::DroppedChannel);
    assert_eq!(dropped.count(), 5, "{}", saved.report);
    assert!(loaded(&saved).animations().is_empty());
}
