//! Clones of scenes.

use pleach::glam::Vec3;
use pleach::{Node, RenderList, Scene, Visible};

use super::{Health, state};
use crate::common::{problems, spawn_cube};

#[test]
fn a_clone_has_the_same_handles_and_everything_that_is_derived() {
    let mut scene = Scene::named("original");
    let cube = spawn_cube(&mut scene, Vec3::X);
    scene.insert(cube, Health(7)).unwrap();
    scene.update().unwrap();
    let gone = spawn_cube(&mut scene, Vec3::Y);
    scene.remove(gone).unwrap();

    let mut clone = scene.clone();
    assert_eq!(state(&clone), state(&scene));
    assert_eq!(clone.world_bounds(cube), scene.world_bounds(cube));
    clone.update().unwrap();
    assert_eq!(problems(&clone), [""; 0]);
    assert_eq!(clone.get::<Health>(cube), Some(&Health(7)));

    // Edits of one are not seen by the other, except of assets, which they share.
    clone.node_mut(cube).unwrap().set_translation(Vec3::Z).unwrap();
    clone.get_mut::<Health>(cube).unwrap().0 = 1;
    assert_eq!(scene.node(cube).unwrap().translation(), Vec3::X);
    assert_eq!(scene.get::<Health>(cube), Some(&Health(7)));
    let material = scene.mesh(cube).unwrap().parts[0].material.clone();
    let mut reader = clone.assets.change_reader();
    material.edit(|material| material.base_color.x = 0.25);
    assert_eq!(clone.mesh(cube).unwrap().parts[0].material.get().base_color.x, 0.25);
    assert_eq!(reader.read().edited().len(), 1);
    let spawned = clone.spawn(Node::group()).unwrap();
    assert!(!scene.graph.contains(spawned));
}

#[test]
fn the_frames_of_a_clone_are_those_of_the_original() {
    let mut scene = Scene::new();
    for index in 0..50 {
        spawn_cube(&mut scene, Vec3::new(index as f32, 10.0, 0.0));
    }
    let camera = scene.spawn(Node::camera(pleach::Camera::default())).unwrap();
    scene.update().unwrap();
    let clone = scene.clone();
    let frame = |scene: &Scene| {
        let view = scene.view(camera, (64, 64)).unwrap();
        let (mut visible, mut list) = (Visible::default(), RenderList::default());
        scene.cull(&view, &mut visible);
        list.build(scene, &visible, &view);
        let how = (visible.boxes_tested(), visible.used_tree());
        format!("{:?} {:?} {how:?} {:?}", visible.nodes(), visible.bits(), list.opaque())
    };
    assert_eq!(frame(&scene), frame(&clone));
}
