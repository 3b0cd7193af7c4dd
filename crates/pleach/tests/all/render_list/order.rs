//! The order of draws, their flags, and batches.

use std::collections::BTreeMap;

use pleach::glam::Vec3;
use pleach::{AlphaMode, Draw, Material, Node, RenderList, Scene};

use super::reference::assert_list;
use super::setup::{build_list, camera};
use crate::common::character::arm;
use crate::common::{cube, material};

#[test]
fn opaque_draws_are_sorted_by_material_geometry_and_depth() {
    let mut scene = Scene::new();
    let camera = camera(&mut scene);
    let materials = [material(&scene.assets), material(&scene.assets)];
    let cubes = [cube(&scene.assets, 1.0), cube(&scene.assets, 2.0)];
    let mut expected = Vec::new();
    for y in [-9.0, 3.0, -3.0, 9.0] {
        for (order, material) in materials.iter().enumerate() {
            for (geometry, cube) in cubes.iter().enumerate() {
                let node = Node::mesh(cube, material).at(Vec3::new(0.0, y, 0.0));
                expected.push((order, geometry, 20 - y as i32, scene.spawn(node).unwrap()));
            }
        }
    }
    expected.sort_by_key(|&(material, geometry, depth, _)| (material, geometry, depth));
    let mut into = RenderList::new();
    let view = build_list(&mut scene, camera, &mut into);
    assert!(into.opaque().iter().map(|draw| draw.node).eq(expected.iter().map(|it| it.3)));
    let depths: Vec<f32> = into.opaque()[..4].iter().map(|draw| draw.depth).collect();
    assert_eq!(depths, [11.0, 17.0, 23.0, 29.0]);
    let batches: Vec<usize> = into.batches().map(<[Draw]>::len).collect();
    assert_eq!(batches, [4; 4]);
    assert_list(&scene, &view, &into);
}

#[test]
fn transparent_draws_are_sorted_back_to_front() {
    let mut scene = Scene::new();
    let camera = camera(&mut scene);
    let glass = Material { alpha_mode: AlphaMode::Blend, ..Material::default() };
    let glasses = [scene.assets.add(glass.clone()), scene.assets.add(glass)];
    let cube = cube(&scene.assets, 1.0);
    let mut nodes = Vec::new();
    for (number, y) in [-9.0, -3.0, 0.0, 3.0, 9.0].into_iter().enumerate() {
        let node = Node::mesh(&cube, &glasses[number % 2]).at(Vec3::Y * y);
        nodes.push(scene.spawn(node).unwrap());
    }
    let mut into = RenderList::new();
    build_list(&mut scene, camera, &mut into);
    assert!(into.opaque().is_empty());
    assert!(into.transparent().iter().map(|draw| draw.node).eq(nodes.iter().copied()));

    // `Mesh::transparent` overrides the material.
    scene.mesh_mut(nodes[2]).unwrap().transparent = Some(false);
    build_list(&mut scene, camera, &mut into);
    assert_eq!(into.opaque()[0].node, nodes[2]);
    assert_eq!(into.transparent().len(), 4);
}

#[test]
fn mirrored_nodes_are_flagged_and_batched_separately() {
    let mut scene = Scene::new();
    let camera = camera(&mut scene);
    let (cube, material) = (cube(&scene.assets, 1.0), material(&scene.assets));
    let mut flags = BTreeMap::new();
    for number in 0..8 {
        let sign = |bit: u32| if number >> bit & 1 == 1 { -1.0 } else { 1.0 };
        let scale = Vec3::new(sign(0), sign(1), sign(2));
        let node = Node::mesh(&cube, &material).scaled(scale).at(Vec3::X * (number as f32 - 4.0));
        let node = scene.spawn(node).unwrap();
        flags.insert(node.index() as u32, scale.element_product() < 0.0);
    }
    let mut into = RenderList::new();
    build_list(&mut scene, camera, &mut into);
    assert_eq!(into.opaque().len(), 8);
    assert!(into.opaque().iter().all(|draw| draw.flipped == flags[&draw.world]));
    assert_eq!(into.batches().count(), 2);

    // The sign may change at run time, by the scale of a parent.
    scene.graph.node_mut(scene.root()).unwrap().set_scale(Vec3::new(1.0, 1.0, -1.0)).unwrap();
    build_list(&mut scene, camera, &mut into);
    assert!(into.opaque().iter().all(|draw| draw.flipped != flags[&draw.world]));
}

#[test]
fn winding_flag_of_a_skinned_mesh_matches_its_posed_triangles() {
    let mut scene = Scene::new();
    let camera = camera(&mut scene);
    let arm = arm(&mut scene, 2);
    let mut into = RenderList::new();
    for (root_sign, mesh) in [(1.0, 1.0), (-1.0, 1.0), (1.0, -1.0), (-1.0, -1.0)] {
        // The joints are below the root; the transform of the mesh node has no effect.
        let mirror = |sign: f32| Vec3::new(sign, 1.0, 1.0);
        scene.graph.node_mut(arm.root).unwrap().set_scale(mirror(root_sign)).unwrap();
        scene.graph.node_mut(arm.node).unwrap().set_scale(mirror(mesh)).unwrap();
        build_list(&mut scene, camera, &mut into);
        let mirrored = scene.joint_matrices().get(arm.node).unwrap()[0].determinant() < 0.0;
        assert_eq!(mirrored, root_sign < 0.0);
        assert_eq!(into.opaque()[0].flipped, mirrored, "skeleton {root_sign}, node {mesh}");
    }
}

#[test]
fn skinned_draws_refer_to_their_joint_matrices_and_are_not_batched() {
    let mut scene = Scene::new();
    let camera = camera(&mut scene);
    let characters = [arm(&mut scene, 3), arm(&mut scene, 2)];
    let shared = scene.mesh(characters[0].node).unwrap().clone();
    *scene.mesh_mut(characters[1].node).unwrap() = shared;
    let mut into = RenderList::new();
    build_list(&mut scene, camera, &mut into);
    assert_eq!(into.opaque().len(), 2);
    assert_eq!(into.batches().count(), 2);
    for draw in into.opaque() {
        let range = scene.joint_matrices().range(draw.node).unwrap();
        assert_eq!(draw.joint_matrices, Some(range.start as u32));
    }
}
