//! What each constraint does, from under any parent and at any place.

use crate::common::RandomValues;
use pleach::glam::{DVec3, Quat, Vec3};
use pleach::{Camera, Constraint, Node, Scene, Transform};
use testkit::Rng;

use super::setup::{assert_looks, axis, look, place, put, spawn_at, tie};

#[test]
fn a_node_looks_at_another_from_under_any_parent() {
    let mut random = Rng::new(1);
    for _ in 0..50 {
        let mut scene = Scene::new();
        let parent = Node::group().with_transform(random.transform(5.0));
        let parent = scene.spawn(parent).unwrap();
        let (eye, target) = (spawn_at(&mut scene, parent, random.vec3(3.0)), scene.root());
        let other = Node::group().with_transform(random.transform(5.0));
        let other = scene.spawn(other).unwrap();
        let target = spawn_at(&mut scene, if random.one_in(2) { target } else { other }, Vec3::X);
        tie(&mut scene, eye, look(target));
        for _ in 0..4 {
            put(&mut scene, target, random.vec3(5.0));
            scene.update().unwrap();
            assert_looks(&scene, eye, target);
            assert_eq!(scene.constraints.skipped_count(), 0);
        }
    }
}

#[test]
fn up_is_up_for_who_looks_and_for_who_faces() {
    let mut random = Rng::new(2);
    for _ in 0..50 {
        let mut scene = Scene::new();
        let pose = Transform {
            translation: random.vec3(5.0),
            rotation: random.rotation(),
            scale: Vec3::splat(random.between(0.5, 2.0)),
        };
        let parent = scene.spawn(Node::group().with_transform(pose)).unwrap();
        let [eye, model] = [(); 2].map(|()| spawn_at(&mut scene, parent, random.vec3(3.0)));
        let target = spawn_at(&mut scene, parent, random.vec3(3.0));
        let up = random.direction();
        tie(&mut scene, eye, Constraint::LookAt { target, up });
        tie(&mut scene, model, Constraint::Face { target, up });
        scene.update().unwrap();
        for (node, ahead, above) in [(eye, DVec3::NEG_Z, DVec3::Y), (model, DVec3::NEG_Y, DVec3::Z)]
        {
            let to_target = (place(&scene, target) - place(&scene, node)).normalize();
            assert!(axis(&scene, node, ahead).abs_diff_eq(to_target, 1e-5));
            let above = axis(&scene, node, above);
            let side = to_target.cross(up.as_dvec3()).normalize();
            assert!(above.dot(side).abs() < 1e-5, "in the plane of its direction and up");
            assert!(above.dot(up.as_dvec3()) > 0.0, "not upside down");
        }
    }
}

#[test]
fn a_billboard_is_parallel_to_the_picture() {
    let mut random = Rng::new(3);
    for _ in 0..50 {
        let mut scene = Scene::new();
        let camera = Node::camera(Camera::default())
            .with_transform(Transform { scale: Vec3::ONE, ..random.transform(5.0) });
        let camera = scene.spawn(camera).unwrap();
        let parent = Node::group().rotated(random.rotation()).at(random.vec3(5.0));
        let parent = scene.spawn(parent).unwrap();
        let sprite = spawn_at(&mut scene, parent, random.vec3(3.0));
        tie(&mut scene, sprite, Constraint::Billboard { camera });
        for _ in 0..3 {
            scene.update().unwrap();
            for own in [DVec3::X, DVec3::Y, DVec3::Z] {
                let expected = axis(&scene, camera, own);
                assert!(axis(&scene, sprite, own).abs_diff_eq(expected, 1e-5), "{own}");
            }
            let turn = random.rotation();
            scene.graph.node_mut(camera).unwrap().set_rotation(turn).unwrap();
        }
    }
}

#[test]
fn an_upright_node_turns_about_its_axis_only() {
    let mut random = Rng::new(4);
    for _ in 0..50 {
        let mut scene = Scene::new();
        let camera = scene.spawn(Node::camera(Camera::default()).at(random.vec3(9.0))).unwrap();
        let parent = Node::group().rotated(random.rotation()).at(random.vec3(5.0));
        let parent = scene.spawn(parent).unwrap();
        let tree = spawn_at(&mut scene, parent, random.vec3(3.0));
        let up = random.direction() * random.between(0.1, 10.0);
        tie(&mut scene, tree, Constraint::Upright { camera, axis: up });
        scene.update().unwrap();
        let up = up.as_dvec3().normalize();
        assert!(axis(&scene, tree, DVec3::Y).abs_diff_eq(up, 1e-5));
        let to_camera = place(&scene, camera) - place(&scene, tree);
        let flat = (to_camera - up * to_camera.dot(up)).normalize();
        assert!(axis(&scene, tree, DVec3::Z).abs_diff_eq(flat, 1e-4));
    }
}

#[test]
fn sprites_and_trees_face_the_camera_far_from_the_origin_as_well() {
    let mut random = Rng::new(5);
    for reach in [1e4, 1e5, 1e6, 1e7] {
        let mut scene = Scene::new();
        let far = scene.spawn(Node::group().at(random.direction() * reach)).unwrap();
        let camera = Node::camera(Camera::default()).under(far).rotated(random.rotation());
        let camera = scene.spawn(camera.at(Vec3::new(300.0, 200.0, 100.0))).unwrap();
        let sprite = spawn_at(&mut scene, far, Vec3::ZERO);
        let tree = spawn_at(&mut scene, far, Vec3::ZERO);
        tie(&mut scene, sprite, Constraint::Billboard { camera });
        tie(&mut scene, tree, Constraint::Upright { camera, axis: Vec3::Z });
        scene.update().unwrap();
        assert_eq!(scene.constraints.skipped_count(), 0, "at {reach}");
        let back = axis(&scene, camera, DVec3::Z);
        let off = axis(&scene, sprite, DVec3::Z).distance(back);
        assert!(off < 1e-5, "a sprite at {reach} is off by {off}");
        let up = axis(&scene, tree, DVec3::Y);
        assert!(up.abs_diff_eq(DVec3::Z, 1e-5), "a tree at {reach} leans: {up}");
        assert!(axis(&scene, tree, DVec3::Z).z.abs() < 1e-5);
    }
}

#[test]
fn without_a_direction_a_node_stays_as_it_is_and_is_counted() {
    let mut scene = Scene::new();
    let root = scene.root();
    let turned = Quat::from_rotation_x(0.3);
    let camera = scene.spawn(Node::camera(Camera::default()).at(Vec3::Z * 5.0)).unwrap();
    let here = scene.spawn(Node::group().rotated(turned)).unwrap();
    let target = spawn_at(&mut scene, root, Vec3::ZERO);
    let tree = scene.spawn(Node::group().rotated(turned)).unwrap();
    tie(&mut scene, here, look(target));
    // The camera is straight above the tree.
    tie(&mut scene, tree, Constraint::Upright { camera, axis: Vec3::Z });
    scene.update().unwrap();
    assert_eq!(scene.constraints.skipped_count(), 2);
    for node in [here, tree] {
        assert_eq!(scene.graph.node(node).unwrap().rotation(), turned);
    }
    put(&mut scene, target, Vec3::X);
    put(&mut scene, camera, Vec3::new(1.0, 0.0, 5.0));
    scene.update().unwrap();
    assert_eq!(scene.constraints.skipped_count(), 0);
    assert_looks(&scene, here, target);
}
