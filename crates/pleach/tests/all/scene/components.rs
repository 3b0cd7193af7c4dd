//! Components: inserted, changed and removed at any time, and removed with their nodes.

use pleach::glam::Vec3;
use pleach::{Camera, Error, Light, Mesh, Node, NodeId, Scene, SceneUpdateStats, Visible};

use super::camera::camera;
use crate::common::character::arm;
use crate::common::{cube, material, spawn_cube};

#[test]
fn components_can_be_inserted_changed_and_removed_at_any_time() {
    let mut scene = Scene::new();
    let eye = camera(&mut scene);
    let node = scene.spawn(Node::group()).unwrap();
    let mut visible = Visible::new();
    let mut visible_nodes = |scene: &mut Scene| {
        scene.visible_meshes(eye, 1.5, &mut visible).unwrap();
        visible.nodes().to_vec()
    };
    assert_eq!(visible_nodes(&mut scene), []);
    let mesh = Mesh::new(cube(&scene.assets, 1.0), material(&scene.assets));
    assert!(scene.meshes.insert(&scene.graph, node, mesh.clone()).unwrap().is_none());
    assert_eq!(visible_nodes(&mut scene), [node]);
    scene.mesh_mut(node).unwrap().layers = 0;
    assert_eq!(visible_nodes(&mut scene), []);
    assert!(scene.meshes.insert(&scene.graph, node, mesh).unwrap().is_some(), "the previous mesh");
    assert_eq!(visible_nodes(&mut scene), [node]);
    assert!(scene.meshes.remove(node).is_some());
    assert!(scene.meshes.remove(node).is_none());
    assert_eq!(visible_nodes(&mut scene), []);
    assert!(!scene.spatial.contains(node));

    // Removed and inserted between two updates.
    let mesh = Mesh::new(cube(&scene.assets, 1.0), material(&scene.assets));
    scene.meshes.insert(&scene.graph, node, mesh).unwrap();
    let mesh = scene.meshes.remove(node).unwrap();
    scene.meshes.insert(&scene.graph, node, mesh).unwrap();
    assert_eq!(visible_nodes(&mut scene), [node]);
}

#[test]
fn only_changed_components_recompute_bounds() {
    let mut scene = Scene::new();
    let nodes: Vec<NodeId> = (0..20).map(|i| spawn_cube(&mut scene, Vec3::X * i as f32)).collect();
    assert_eq!(scene.update().unwrap().bounds, 20);
    assert_eq!(scene.update().unwrap(), SceneUpdateStats::default());
    for &node in &nodes[3..6] {
        scene.mesh_mut(node).unwrap().receive_shadow = false;
        scene.mesh_mut(node).unwrap().receive_shadow = true;
    }
    let counts = |it: SceneUpdateStats| [it.changed, it.skins, it.bounds, it.removed];
    assert_eq!(counts(scene.update().unwrap()), [0, 0, 3, 0]);
    // Reading marks nothing as changed.
    assert!(scene.mesh(nodes[0]).is_some());
    assert!(scene.meshes.get(&scene.graph, nodes[1]).is_some());
    assert_eq!(scene.meshes.iter(&scene.graph).count(), 20);
    assert_eq!(scene.update().unwrap(), SceneUpdateStats::default());
    scene.graph.node_mut(nodes[7]).unwrap().set_translation(Vec3::Y).unwrap();
    assert_eq!(counts(scene.update().unwrap()), [1, 0, 1, 0]);
}

#[test]
fn components_of_dead_nodes_are_rejected() {
    let mut scene = Scene::new();
    let removed = spawn_cube(&mut scene, Vec3::ZERO);
    let mesh = scene.mesh(removed).unwrap().clone();
    scene.remove(removed).unwrap();
    assert!(scene.mesh(removed).is_none() && scene.mesh_mut(removed).is_none(), "immediately");
    let dead = Error::Graph(pleach_graph::Error::Dead(removed));
    assert_eq!(scene.meshes.insert(&scene.graph, removed, mesh).unwrap_err(), dead);
    assert_eq!(scene.set_weights(removed, vec![1.0]), Err(dead.clone()));
    assert_eq!(scene.remove(removed), Err(dead.clone()));
    assert_eq!(scene.view(removed, 1.0), Err(Error::NoCamera(removed)));
    scene.update().unwrap();
}

#[test]
fn exchanged_graph_is_rejected() {
    let mut scene = Scene::new();
    spawn_cube(&mut scene, Vec3::ZERO);
    scene.graph = pleach::Graph::new();
    let error = scene.update().unwrap_err();
    assert_eq!(
        error.to_string(),
        "the change reader belongs to another graph; create one with `Graph::change_reader`",
    );
}

// ---- removing ----

#[test]
fn removing_a_node_removes_its_subtree_and_components() {
    let mut scene = Scene::new();
    let arm = arm(&mut scene, 3);
    let light = Node::light(Light::ambient(Vec3::ONE, 1.0)).under(arm.joints[2]);
    scene.spawn(light).unwrap();
    scene.spawn(Node::camera(Camera::default()).under(arm.joints[2])).unwrap();
    scene.set_weights(arm.node, vec![0.0]).unwrap();
    let other = spawn_cube(&mut scene, Vec3::ZERO);
    scene.update().unwrap();
    assert_eq!(scene.remove(arm.root), Ok(7));
    assert!(scene.skin(arm.node).is_none());
    let update = scene.update().unwrap();
    assert_eq!(update.removed, 1);
    assert_eq!(scene.graph.len(), 2);
    assert_eq!([scene.meshes.len(), scene.spatial.len()], [1, 1]);
    assert_eq!([scene.skins.len(), scene.weights.len()], [0, 0]);
    assert_eq!([scene.lights.len(), scene.cameras.len()], [0, 0]);
    assert!(scene.mesh(other).is_some());
    assert_eq!(scene.check(), []);
}

#[test]
fn scene_root_cannot_be_removed() {
    let mut scene = Scene::new();
    spawn_cube(&mut scene, Vec3::ZERO);
    let error = scene.remove(scene.root()).unwrap_err();
    assert_eq!(error, Error::Root);
    assert_eq!(
        error.to_string(),
        "the root of a scene cannot be removed; remove its children, or drop the scene",
    );
    assert_eq!(scene.graph.len(), 2);
}

#[test]
fn removing_nodes_reports_unused_assets() {
    let mut scene = Scene::new();
    let (cube, material) = (cube(&scene.assets, 1.0), material(&scene.assets));
    let ids = [cube.id(), material.id()];
    let nodes = [(); 2].map(|()| scene.spawn(Node::mesh(&cube, &material)).unwrap());
    drop((cube, material));
    scene.update().unwrap();
    let mut unused = Vec::new();
    scene.remove(nodes[0]).unwrap();
    scene.update().unwrap();
    scene.assets.drain_unused(&mut unused);
    assert!(unused.is_empty(), "still used by the other node");
    scene.remove(nodes[1]).unwrap();
    scene.update().unwrap();
    scene.assets.drain_unused(&mut unused);
    let mut freed: Vec<_> = unused.iter().map(|asset| asset.id).collect();
    freed.sort();
    assert_eq!(freed, ids);
}

#[test]
fn node_in_a_reused_slot_has_no_old_components() {
    let mut scene = Scene::new();
    let arm = arm(&mut scene, 2);
    scene.set_weights(arm.node, vec![1.0]).unwrap();
    let eye = camera(&mut scene);
    scene.update().unwrap();
    // With and without an update between removing and spawning.
    for updated in [false, true] {
        let old = spawn_cube(&mut scene, Vec3::ZERO);
        scene.update().unwrap();
        scene.remove(old).unwrap();
        if updated {
            scene.update().unwrap();
        }
        let new = scene.spawn(Node::group()).unwrap();
        assert_eq!(new.index(), old.index());
        assert!(scene.mesh(new).is_none());
        scene.update().unwrap();
        assert!(scene.mesh(new).is_none() && !scene.spatial.contains(new));
        let mut visible = Visible::new();
        scene.visible_meshes(eye, 1.5, &mut visible).unwrap();
        assert!(!visible.nodes().contains(&new));
        scene.remove(new).unwrap();
        scene.update().unwrap();
    }
}
