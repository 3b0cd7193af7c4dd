//! Views of cameras, and the ambient light of a scene.

use pleach::glam::Vec3;
use pleach::{Ambient, Camera, Error, Light, Node, Projection, Scene, Transform, Visible};

use super::camera::camera;
use crate::common::spawn_cube;

#[test]
fn view_requires_a_camera() {
    let mut scene = Scene::new();
    let group = scene.spawn(Node::group()).unwrap();
    let eye = camera(&mut scene);
    scene.update().unwrap();
    let error = scene.view(group, (800, 600)).unwrap_err();
    assert_eq!(error, Error::NoCamera(group));
    assert_eq!(
        error.to_string(),
        format!("node {group} has no camera; give it one in `Scene::cameras`"),
    );
    let view = scene.view(eye, (800, 600)).unwrap();
    assert_eq!(view.position, Vec3::new(0.0, 10.0, 5.0));
    let projected = view.project(Vec3::ZERO).unwrap();
    assert!(projected.x.abs() < 1e-5 && projected.y.abs() < 1e-5);
    assert!(view.project(Vec3::Z).unwrap().y > projected.y);

    // Changed fields are used by the next view.
    let fov_y = 0.3;
    scene.camera_mut(eye).unwrap().projection =
        Projection::Perspective { fov_y, near: 0.1, far: 50.0 };
    let narrow = scene.view(eye, (800, 600)).unwrap();
    assert!(narrow.projection != view.projection && narrow.far == 50.0);
}

#[test]
fn cull_uses_the_last_update_and_visible_meshes_updates_first() {
    // Update and view, then cull: in two calls, and in one.
    let mut scene = Scene::new();
    let eye = camera(&mut scene);
    let cube = spawn_cube(&mut scene, Vec3::ZERO);
    scene.graph.node_mut(eye).unwrap().set_translation(Vec3::new(1.0, 10.0, 5.0)).unwrap();
    scene.update().unwrap();
    let view = scene.view(eye, 1.5).unwrap();
    assert_eq!(view.position, Vec3::new(1.0, 10.0, 5.0), "the current position");
    let inverse = scene.graph.node(eye).unwrap().inverse_world().unwrap();
    assert!(view.view.abs_diff_eq(inverse, 1e-5));

    scene.graph.node_mut(cube).unwrap().set_translation(Vec3::Y * 500.0).unwrap();
    let mut visible = Visible::new();
    scene.cull(&view, &mut visible);
    assert_eq!(visible.nodes(), [cube], "as of the last update");
    scene.visible_meshes(eye, 1.5, &mut visible).unwrap();
    assert_eq!(visible.nodes(), [], "update, view and cull in one call");
    assert!(scene.visible_meshes(cube, 1.5, &mut visible).is_err());
}

#[test]
fn several_cameras_view_a_scene_independently() {
    let mut scene = Scene::new();
    let left = spawn_cube(&mut scene, Vec3::X * -50.0);
    let right = spawn_cube(&mut scene, Vec3::X * 50.0);
    let eyes = [left, right].map(|cube| {
        let at = scene.graph.node(cube).unwrap().translation();
        let transform = Transform::from_translation(at + Vec3::Y * 9.0).looking_at(at, Vec3::Z);
        scene.spawn(Node::camera(Camera::default()).with_transform(transform)).unwrap()
    });
    scene.update().unwrap();
    let mut results = [Visible::new(), Visible::new()];
    for (eye, visible) in eyes.iter().zip(&mut results) {
        scene.cull(&scene.view(*eye, 1.0).unwrap(), visible);
    }
    assert_eq!(results[0].nodes(), [left]);
    assert_eq!(results[1].nodes(), [right]);
}

#[test]
fn visible_ambient_lights_are_summed() {
    let mut scene = Scene::new();
    scene.environment.ambient = Ambient { color: Vec3::new(1.0, 0.0, 0.0), intensity: 0.5 };
    let sum = |scene: &mut Scene| {
        scene.update().unwrap();
        let ambient = scene.ambient();
        ambient.color * ambient.intensity
    };
    assert!(sum(&mut scene).abs_diff_eq(Vec3::new(0.5, 0.0, 0.0), 1e-6));
    let house = scene.spawn(Node::group()).unwrap();
    let glow = Light::ambient(Vec3::new(0.0, 1.0, 0.0), 0.25);
    scene.spawn(Node::light(glow).under(house)).unwrap();
    let other = scene.spawn(Node::light(Light::ambient(Vec3::ONE, 1.0))).unwrap();
    scene.spawn(Node::light(Light::point(Vec3::ONE, 100.0))).unwrap();
    assert!(sum(&mut scene).abs_diff_eq(Vec3::new(1.5, 1.25, 1.0), 1e-5));
    scene.graph.node_mut(house).unwrap().set_visible(false);
    assert!(sum(&mut scene).abs_diff_eq(Vec3::new(1.5, 1.0, 1.0), 1e-5), "hidden with its parent");
    scene.remove(other).unwrap();
    assert!(sum(&mut scene).abs_diff_eq(Vec3::new(0.5, 0.0, 0.0), 1e-5));
}
