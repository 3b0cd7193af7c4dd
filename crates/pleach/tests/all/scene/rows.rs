//! Rows: given, changed and taken at any time; they go with their nodes.

use pleach::glam::Vec3;
use pleach::{Camera, Error, Light, Mesh, Node, NodeId, Scene, SceneUpdateStats, Visible};

use super::eye::camera;
use crate::common::figure::arm;
use crate::common::{cube, paint, spawn_cube};

#[test]
fn rows_may_be_given_changed_and_taken_at_any_time() {
    let mut scene = Scene::new();
    let eye = camera(&mut scene);
    let node = scene.spawn(Node::group()).unwrap();
    let mut visible = Visible::new();
    let mut seen = |scene: &mut Scene| {
        scene.visible_meshes(eye, 1.5, &mut visible).unwrap();
        visible.nodes().to_vec()
    };
    assert_eq!(seen(&mut scene), []);
    let mesh = Mesh::new(cube(&scene.assets, 1.0), paint(&scene.assets));
    assert!(scene.meshes.insert(&scene.graph, node, mesh.clone()).unwrap().is_none());
    assert_eq!(seen(&mut scene), [node]);
    scene.mesh_mut(node).unwrap().layers = 0;
    assert_eq!(seen(&mut scene), []);
    assert!(scene.meshes.insert(&scene.graph, node, mesh).unwrap().is_some(), "the one before");
    assert_eq!(seen(&mut scene), [node]);
    assert!(scene.meshes.remove(node).is_some());
    assert!(scene.meshes.remove(node).is_none());
    assert_eq!(seen(&mut scene), []);
    assert!(!scene.spatial.contains(node));

    // Taken and given between two updates.
    let mesh = Mesh::new(cube(&scene.assets, 1.0), paint(&scene.assets));
    scene.meshes.insert(&scene.graph, node, mesh).unwrap();
    let row = scene.meshes.remove(node).unwrap();
    scene.meshes.insert(&scene.graph, node, row).unwrap();
    assert_eq!(seen(&mut scene), [node]);
}

#[test]
fn only_rows_that_were_touched_are_bounded_anew() {
    let mut scene = Scene::new();
    let nodes: Vec<NodeId> = (0..20).map(|i| spawn_cube(&mut scene, Vec3::X * i as f32)).collect();
    assert_eq!(scene.update().unwrap().bounds, 20);
    assert_eq!(scene.update().unwrap(), SceneUpdateStats::default());
    for &node in &nodes[3..6] {
        scene.mesh_mut(node).unwrap().receive_shadow = false;
        scene.mesh_mut(node).unwrap().receive_shadow = true;
    }
    assert_eq!(
        scene.update().unwrap(),
        SceneUpdateStats { bounds: 3, ..SceneUpdateStats::default() }
    );
    // Reading touches nothing.
    assert!(scene.mesh(nodes[0]).is_some());
    assert!(scene.meshes.get(&scene.graph, nodes[1]).is_some());
    assert_eq!(scene.meshes.iter(&scene.graph).count(), 20);
    assert_eq!(scene.update().unwrap(), SceneUpdateStats::default());
    scene.graph.node_mut(nodes[7]).unwrap().set_translation(Vec3::Y).unwrap();
    let expected = SceneUpdateStats { changed: 1, bounds: 1, ..SceneUpdateStats::default() };
    assert_eq!(scene.update().unwrap(), expected);
}

#[test]
fn rows_of_the_dead_are_refused() {
    let mut scene = Scene::new();
    let gone = spawn_cube(&mut scene, Vec3::ZERO);
    let mesh = scene.mesh(gone).unwrap().clone();
    scene.remove(gone).unwrap();
    assert!(scene.mesh(gone).is_none() && scene.mesh_mut(gone).is_none(), "at once");
    let dead = Error::Graph(pleach_graph::Error::Dead(gone));
    assert_eq!(scene.meshes.insert(&scene.graph, gone, mesh).unwrap_err(), dead);
    assert_eq!(scene.set_weights(gone, vec![1.0]), Err(dead.clone()));
    assert_eq!(scene.remove(gone), Err(dead.clone()));
    assert_eq!(scene.view(gone, 1.0), Err(Error::NoCamera(gone)));
    scene.update().unwrap();
}

#[test]
fn a_graph_that_was_exchanged_is_refused() {
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
fn removing_a_node_removes_what_is_below_with_all_rows() {
    let mut scene = Scene::new();
    let arm = arm(&mut scene, 3);
    let lamp = Node::light(Light::ambient(Vec3::ONE, 1.0)).under(arm.bones[2]);
    scene.spawn(lamp).unwrap();
    scene.spawn(Node::camera(Camera::default()).under(arm.bones[2])).unwrap();
    scene.set_weights(arm.node, vec![0.0]).unwrap();
    let other = spawn_cube(&mut scene, Vec3::ZERO);
    scene.update().unwrap();
    assert_eq!(scene.remove(arm.top), Ok(7));
    assert!(scene.skin(arm.node).is_none());
    let update = scene.update().unwrap();
    assert_eq!(update.removed, 1);
    assert_eq!(scene.graph.len(), 2);
    assert_eq!([scene.meshes.len(), scene.spatial.len()], [1, 1]);
    assert_eq!([scene.skins.len(), scene.weights.len()], [0, 0]);
    assert_eq!([scene.lights.len(), scene.cameras.len()], [0, 0]);
    assert!(scene.mesh(other).is_some());
    assert_eq!(scene.check(), [""; 0]);
}

#[test]
fn the_root_cannot_be_removed() {
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
fn removing_tells_which_assets_became_unused() {
    let mut scene = Scene::new();
    let (cube, paint) = (cube(&scene.assets, 1.0), paint(&scene.assets));
    let ids = [cube.id(), paint.id()];
    let nodes = [(); 2].map(|()| scene.spawn(Node::mesh(&cube, &paint)).unwrap());
    drop((cube, paint));
    scene.update().unwrap();
    let mut unused = Vec::new();
    scene.remove(nodes[0]).unwrap();
    scene.update().unwrap();
    scene.assets.drain_unused(&mut unused);
    assert!(unused.is_empty(), "the other has them");
    scene.remove(nodes[1]).unwrap();
    scene.update().unwrap();
    scene.assets.drain_unused(&mut unused);
    let mut freed: Vec<_> = unused.iter().map(|asset| asset.id).collect();
    freed.sort();
    assert_eq!(freed, ids);
}

#[test]
fn a_node_in_the_slot_of_a_removed_one_has_none_of_its_rows() {
    let mut scene = Scene::new();
    let arm = arm(&mut scene, 2);
    scene.set_weights(arm.node, vec![1.0]).unwrap();
    let eye = camera(&mut scene);
    scene.update().unwrap();
    // Without an update between removing and spawning, and with one.
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
