//! The result of each kind of constraint, below any parent and at any position.

use crate::common::RandomValues;
use pleach::glam::{DVec3, Quat, Vec3};
use pleach::{Camera, Constraint, Node, Scene, Transform, UpAxis};
use testkit::Rng;

use super::setup::{assert_looks_at, axis, constrain, look, position, set_position, spawn_at};

#[test]
fn look_at_works_below_any_parent() {
    let mut random = Rng::new(1);
    for _ in 0..50 {
        let mut scene = Scene::new();
        let parent = Node::group().with_transform(random.transform(5.0));
        let parent = scene.spawn(parent).unwrap();
        let (eye, target) = (spawn_at(&mut scene, parent, random.vec3(3.0)), scene.root());
        let other = Node::group().with_transform(random.transform(5.0));
        let other = scene.spawn(other).unwrap();
        let target = spawn_at(&mut scene, if random.one_in(2) { target } else { other }, Vec3::X);
        constrain(&mut scene, eye, look(target));
        for _ in 0..4 {
            set_position(&mut scene, target, random.vec3(5.0));
            scene.update().unwrap();
            assert_looks_at(&scene, eye, target);
            assert_eq!(scene.skipped_constraints(), 0);
        }
    }
}

#[test]
fn up_direction_is_kept_by_look_at_face_and_aim() {
    let mut random = Rng::new(2);
    for _ in 0..50 {
        let mut scene = Scene::new();
        let pose = Transform {
            translation: random.vec3(5.0),
            rotation: random.rotation(),
            scale: Vec3::splat(random.between(0.5, 2.0)),
        };
        let parent = scene.spawn(Node::group().with_transform(pose)).unwrap();
        let [eye, model, duck] = [(); 3].map(|()| spawn_at(&mut scene, parent, random.vec3(3.0)));
        let target = spawn_at(&mut scene, parent, random.vec3(3.0));
        let up = random.direction();
        constrain(&mut scene, eye, Constraint::LookAt { target, up });
        constrain(&mut scene, model, Constraint::Face { target, up });
        let axes = UpAxis::Y.model_axes();
        constrain(&mut scene, duck, Constraint::Aim { target, axes, up });
        scene.update().unwrap();
        for (node, ahead, above) in [
            (eye, DVec3::NEG_Z, DVec3::Y),
            (model, DVec3::NEG_Y, DVec3::Z),
            (duck, DVec3::Z, DVec3::Y),
        ] {
            let to_target = (position(&scene, target) - position(&scene, node)).normalize();
            assert!(axis(&scene, node, ahead).abs_diff_eq(to_target, 1e-5));
            let above = axis(&scene, node, above);
            let side = to_target.cross(up.as_dvec3()).normalize();
            assert!(above.dot(side).abs() < 1e-5, "in the plane of its direction and up");
            assert!(above.dot(up.as_dvec3()) > 0.0, "not upside down");
        }
    }
}

#[test]
fn billboard_is_parallel_to_the_image_plane() {
    let mut random = Rng::new(3);
    for _ in 0..50 {
        let mut scene = Scene::new();
        let camera = Node::camera(Camera::default())
            .with_transform(Transform { scale: Vec3::ONE, ..random.transform(5.0) });
        let camera = scene.spawn(camera).unwrap();
        let parent = Node::group().rotated(random.rotation()).at(random.vec3(5.0));
        let parent = scene.spawn(parent).unwrap();
        let sprite = spawn_at(&mut scene, parent, random.vec3(3.0));
        constrain(&mut scene, sprite, Constraint::Billboard { camera });
        for _ in 0..3 {
            scene.update().unwrap();
            for local_axis in [DVec3::X, DVec3::Y, DVec3::Z] {
                let expected = axis(&scene, camera, local_axis);
                assert!(
                    axis(&scene, sprite, local_axis).abs_diff_eq(expected, 1e-5),
                    "{local_axis}"
                );
            }
            let rotation = random.rotation();
            scene.graph.node_mut(camera).unwrap().set_rotation(rotation).unwrap();
        }
    }
}

#[test]
fn upright_node_rotates_about_its_axis_only() {
    let mut random = Rng::new(4);
    for _ in 0..50 {
        let mut scene = Scene::new();
        let camera = scene.spawn(Node::camera(Camera::default()).at(random.vec3(9.0))).unwrap();
        let parent = Node::group().rotated(random.rotation()).at(random.vec3(5.0));
        let parent = scene.spawn(parent).unwrap();
        let tree = spawn_at(&mut scene, parent, random.vec3(3.0));
        let up = random.direction() * random.between(0.1, 10.0);
        constrain(&mut scene, tree, Constraint::Upright { camera, axis: up });
        scene.update().unwrap();
        let up = up.as_dvec3().normalize();
        assert!(axis(&scene, tree, DVec3::Y).abs_diff_eq(up, 1e-5));
        let to_camera = position(&scene, camera) - position(&scene, tree);
        let flat = (to_camera - up * to_camera.dot(up)).normalize();
        assert!(axis(&scene, tree, DVec3::Z).abs_diff_eq(flat, 1e-4));
    }
}

#[test]
fn billboards_face_the_camera_far_from_the_origin() {
    let mut random = Rng::new(5);
    for extent in [1e4, 1e5, 1e6, 1e7] {
        let mut scene = Scene::new();
        let far = scene.spawn(Node::group().at(random.direction() * extent)).unwrap();
        let camera = Node::camera(Camera::default()).under(far).rotated(random.rotation());
        let camera = scene.spawn(camera.at(Vec3::new(300.0, 200.0, 100.0))).unwrap();
        let sprite = spawn_at(&mut scene, far, Vec3::ZERO);
        let tree = spawn_at(&mut scene, far, Vec3::ZERO);
        constrain(&mut scene, sprite, Constraint::Billboard { camera });
        constrain(&mut scene, tree, Constraint::Upright { camera, axis: Vec3::Z });
        scene.update().unwrap();
        assert_eq!(scene.skipped_constraints(), 0, "at {extent}");
        let back = axis(&scene, camera, DVec3::Z);
        let off = axis(&scene, sprite, DVec3::Z).distance(back);
        assert!(off < 1e-5, "a sprite at {extent} is off by {off}");
        let up = axis(&scene, tree, DVec3::Y);
        assert!(up.abs_diff_eq(DVec3::Z, 1e-5), "a tree at {extent} leans: {up}");
        assert!(axis(&scene, tree, DVec3::Z).z.abs() < 1e-5);
    }
}

#[test]
fn undefined_direction_keeps_the_rotation_and_is_counted() {
    let mut scene = Scene::new();
    let root = scene.root();
    let rotation = Quat::from_rotation_x(0.3);
    let camera = scene.spawn(Node::camera(Camera::default()).at(Vec3::Z * 5.0)).unwrap();
    let node_at_target = scene.spawn(Node::group().rotated(rotation)).unwrap();
    let target = spawn_at(&mut scene, root, Vec3::ZERO);
    let tree = scene.spawn(Node::group().rotated(rotation)).unwrap();
    constrain(&mut scene, node_at_target, look(target));
    // The camera is exactly above the tree.
    constrain(&mut scene, tree, Constraint::Upright { camera, axis: Vec3::Z });
    scene.update().unwrap();
    assert_eq!(scene.skipped_constraints(), 2);
    for node in [node_at_target, tree] {
        assert_eq!(scene.graph.node(node).unwrap().rotation(), rotation);
    }
    set_position(&mut scene, target, Vec3::X);
    set_position(&mut scene, camera, Vec3::new(1.0, 0.0, 5.0));
    scene.update().unwrap();
    assert_eq!(scene.skipped_constraints(), 0);
    assert_looks_at(&scene, node_at_target, target);
}
