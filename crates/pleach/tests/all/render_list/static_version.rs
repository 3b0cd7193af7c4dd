//! The static version changes exactly when static draws change.

use pleach::glam::Vec3;
use pleach::{Node, RenderList, Scene, shapes};

use super::setup::{build_list, camera, draws, spawn_instance_row};
use crate::common::{material, spawn_cube};

#[test]
fn static_version_is_kept_while_static_draws_are_unchanged() {
    let mut scene = Scene::new();
    let camera = camera(&mut scene);
    let wall = spawn_cube(&mut scene, Vec3::ZERO);
    scene.mesh_mut(wall).unwrap().is_static = true;
    let car = spawn_cube(&mut scene, Vec3::X * 3.0);
    let mut into = RenderList::new();
    build_list(&mut scene, camera, &mut into);
    let first = into.static_version();
    assert!(draws(&into).any(|draw| draw.is_static && draw.node == wall));

    // Other nodes move, are added and removed, and the camera moves slightly.
    for step in 0..5 {
        let x = Vec3::X * step as f32;
        scene.graph.node_mut(car).unwrap().set_translation(x).unwrap();
        let sway = Vec3::new(0.01 * step as f32, 20.0, 0.0);
        scene.graph.node_mut(camera).unwrap().set_translation(sway).unwrap();
        let temporary = spawn_cube(&mut scene, Vec3::Z);
        build_list(&mut scene, camera, &mut into);
        assert_eq!(into.static_version(), first, "step {step}");
        scene.remove(temporary).unwrap();
        build_list(&mut scene, camera, &mut into);
        assert_eq!(into.static_version(), first, "step {step}");
    }
}

#[test]
fn static_version_changes_with_every_change_of_static_draws() {
    let mut scene = Scene::new();
    let camera = camera(&mut scene);
    let wall = spawn_cube(&mut scene, Vec3::ZERO);
    scene.mesh_mut(wall).unwrap().is_static = true;
    let mut into = RenderList::new();
    build_list(&mut scene, camera, &mut into);
    let mut last = into.static_version();
    let mut assert_new = |scene: &mut Scene, what: &str| {
        build_list(scene, camera, &mut into);
        assert_ne!(into.static_version(), last, "{what}");
        last = into.static_version();
        build_list(scene, camera, &mut into);
        assert_eq!(into.static_version(), last, "after {what}");
    };

    let second = spawn_cube(&mut scene, Vec3::X * 2.0);
    scene.mesh_mut(second).unwrap().is_static = true;
    assert_new(&mut scene, "added");
    let material = material(&scene.assets);
    scene.mesh_mut(wall).unwrap().parts[0].material = material;
    assert_new(&mut scene, "another material");
    let sphere = scene.assets.add(shapes::Sphere::new(1.0).build().unwrap());
    scene.mesh_mut(wall).unwrap().parts[0].geometry = sphere;
    assert_new(&mut scene, "another geometry");
    scene.mesh_mut(wall).unwrap().parts[0].material.make_unique().edit(|it| it.roughness = 0.5);
    assert_new(&mut scene, "a changed material");
    scene.graph.node_mut(wall).unwrap().set_scale(Vec3::new(-1.0, 1.0, 1.0)).unwrap();
    assert_new(&mut scene, "mirrored");
    scene.mesh_mut(wall).unwrap().transparent = Some(true);
    assert_new(&mut scene, "transparent");
    scene.mesh_mut(wall).unwrap().receive_shadow = false;
    assert_new(&mut scene, "receives no shadows");
    scene.graph.node_mut(wall).unwrap().set_visible(false);
    assert_new(&mut scene, "hidden");
    scene.graph.node_mut(wall).unwrap().set_visible(true);
    assert_new(&mut scene, "shown");
    scene.mesh_mut(wall).unwrap().is_static = false;
    assert_new(&mut scene, "no longer static");
    scene.mesh_mut(wall).unwrap().is_static = true;
    assert_new(&mut scene, "static again");
    scene.graph.node_mut(wall).unwrap().set_translation(Vec3::Z * 500.0).unwrap();
    assert_new(&mut scene, "out of view");
    scene.remove(second).unwrap();
    assert_new(&mut scene, "removed");

    let instances = spawn_instance_row(&mut scene);
    scene.mesh_mut(instances).unwrap().is_static = true;
    assert_new(&mut scene, "instances");
    scene.graph.node_mut(camera).unwrap().set_translation(Vec3::new(9.0, 20.0, 0.0)).unwrap();
    assert_new(&mut scene, "other instances in view");
}

#[test]
fn node_in_a_reused_slot_is_a_new_static_draw() {
    let mut scene = Scene::new();
    let camera = camera(&mut scene);
    let wall = spawn_cube(&mut scene, Vec3::ZERO);
    let mesh = scene.mesh_mut(wall).unwrap();
    mesh.is_static = true;
    let mesh = mesh.clone();
    let mut into = RenderList::new();
    build_list(&mut scene, camera, &mut into);
    let before = into.static_version();
    scene.remove(wall).unwrap();
    let again = scene.spawn(Node::group().with_mesh(mesh).at(Vec3::X)).unwrap();
    assert_eq!(again.index(), wall.index());
    build_list(&mut scene, camera, &mut into);
    assert_ne!(into.static_version(), before);
}
