//! Constraints have no lag: they are evaluated in the same update, and nothing changes if nothing
//! moves.

use pleach::glam::{DVec3, Quat, Vec3};
use pleach::{Camera, Constraint, Filter, Node, Ray, Scene, SceneUpdateStats};
use testkit::Rng;

use super::setup::{
    assert_looks_at, axis, chain, constrain, look, misaligned_count, set_position, spawn_at,
};
use crate::common::character::arm;
use crate::common::{spawn_cube, world};

#[test]
fn chain_of_ten_constraints_has_no_lag() {
    for backwards in [false, true] {
        let mut random = Rng::new(7);
        let mut scene = Scene::new();
        let (target, pairs) = chain(&mut scene, 10, backwards);
        let mut order = pairs.clone();
        if backwards {
            order.reverse();
        }
        for &(node, at) in &order {
            constrain(&mut scene, node, look(at));
        }
        for frame in 0..20 {
            set_position(&mut scene, target, random.vec3(30.0));
            let update = scene.update().unwrap();
            // Far down the chain, a rotation may be too small for f32.
            assert!(update.changed >= 10, "followers and tips: {update:?}");
            for &(node, at) in &pairs {
                assert_looks_at(&scene, node, at);
            }
            assert_eq!(scene.update().unwrap(), SceneUpdateStats::default(), "frame {frame}");
        }
    }
}

#[test]
fn random_constraints_use_the_current_target_positions() {
    let mut rejected = 0;
    for seed in 0..30 {
        let mut random = Rng::new(seed);
        let mut scene = Scene::new();
        let mut nodes = vec![scene.root()];
        for _ in 0..40 {
            let (parent, at) = (random.pick(&nodes), random.vec3(5.0));
            nodes.push(spawn_at(&mut scene, parent, at));
        }
        for _ in 0..40 {
            let (node, target) = (random.pick(&nodes[1..]), random.pick(&nodes[1..]));
            if node != target {
                let set = scene.constraints.insert(&scene.graph, node, look(target));
                rejected += usize::from(set.is_err());
            }
        }
        for _ in 0..8 {
            for _ in 0..random.below(5) {
                let (node, at) = (random.pick(&nodes[1..]), random.vec3(5.0));
                set_position(&mut scene, node, at);
            }
            scene.update().unwrap();
            assert_eq!(scene.skipped_constraints(), 0);
            assert_eq!(misaligned_count(&scene), 0);
            assert_eq!(scene.update().unwrap(), SceneUpdateStats::default());
        }
    }
    assert!(rejected > 30, "some would be cycles: {rejected}");
}

#[test]
fn descendants_of_a_constrained_node_are_updated_in_the_same_update() {
    // A turret, its gun, and a skinned arm with a joint that looks at the gun: worlds, bounds
    // and joint matrices after one update.
    let mut scene = Scene::new();
    let root = scene.root();
    let target = spawn_at(&mut scene, root, Vec3::new(0.0, 10.0, 0.0));
    let turret = spawn_at(&mut scene, root, Vec3::ZERO);
    let gun = spawn_cube(&mut scene, Vec3::NEG_Z * 3.0);
    scene.graph.attach(gun, turret).unwrap();
    let arm = arm(&mut scene, 2);
    set_position(&mut scene, arm.root, Vec3::X * 20.0);
    constrain(&mut scene, arm.joints[0], look(gun));
    constrain(&mut scene, turret, look(target));
    for at in [Vec3::Y * 10.0, Vec3::X * 10.0, Vec3::Z * -10.0] {
        set_position(&mut scene, target, at);
        scene.update().unwrap();
        let expected = at.normalize() * 3.0;
        let bounds = scene.spatial.world_bounds(gun).unwrap();
        assert!(bounds.center().abs_diff_eq(expected, 1e-4), "{bounds:?}");
        assert_looks_at(&scene, arm.joints[0], gun);
        let joint_world = world(&scene, arm.joints[0]).as_mat4();
        let matrix = scene.joint_matrices().get(arm.node).unwrap()[0];
        assert!(matrix.abs_diff_eq(joint_world, 1e-4), "its inverse bind matrix is the identity");
        let ray = Ray::between(Vec3::new(1.0, 2.0, 30.0), expected).unwrap();
        let ray = Ray::new(ray.origin(), ray.direction()).unwrap();
        assert!(scene.pick(&ray, &Filter::default()).is_some());
    }
}

#[test]
fn billboard_follows_a_constrained_camera() {
    let mut random = Rng::new(8);
    let mut scene = Scene::new();
    let root = scene.root();
    let sprite = spawn_at(&mut scene, root, Vec3::X);
    let camera = scene.spawn(Node::camera(Camera::default()).at(Vec3::Z * 9.0)).unwrap();
    let hero = spawn_at(&mut scene, root, Vec3::Y);
    constrain(&mut scene, sprite, Constraint::Billboard { camera });
    constrain(&mut scene, camera, look(hero));
    for _ in 0..10 {
        set_position(&mut scene, hero, random.vec3(4.0));
        scene.update().unwrap();
        assert_looks_at(&scene, camera, hero);
        let expected = axis(&scene, camera, DVec3::Z);
        assert!(axis(&scene, sprite, DVec3::Z).abs_diff_eq(expected, 1e-5));
    }
}

#[test]
fn nothing_changes_in_a_frame_without_edits() {
    let mut scene = Scene::new();
    let (target, pairs) = chain(&mut scene, 10, false);
    for &(node, at) in &pairs {
        constrain(&mut scene, node, look(at));
    }
    let bystander = spawn_cube(&mut scene, Vec3::Y * 50.0);
    scene.update().unwrap();
    for _ in 0..3 {
        assert_eq!(scene.update().unwrap(), SceneUpdateStats::default());
    }
    // Nodes that do not depend on a moved node do not change.
    set_position(&mut scene, bystander, Vec3::Y * 51.0);
    assert_eq!(scene.update().unwrap().changed, 1);
    set_position(&mut scene, target, Vec3::Z * 50.0);
    assert_eq!(scene.update().unwrap().changed, 21);
    // Setting a constraint again evaluates it once.
    constrain(&mut scene, pairs[9].0, look(target));
    assert_eq!(scene.update().unwrap().changed, 2);
    assert_eq!(scene.update().unwrap().changed, 0);
}

#[test]
fn constraints_follow_a_graph_that_was_updated_directly() {
    // Users may update `scene.graph` to read world transforms in the middle of a frame.
    let mut scene = Scene::new();
    let root = scene.root();
    let (eye, target) = (spawn_at(&mut scene, root, Vec3::Y), spawn_at(&mut scene, root, Vec3::X));
    constrain(&mut scene, eye, look(target));
    scene.update().unwrap();
    set_position(&mut scene, target, Vec3::Z * 5.0);
    scene.graph.update();
    scene.update().unwrap();
    assert_looks_at(&scene, eye, target);
    // The same if the constrained node itself moves.
    set_position(&mut scene, eye, Vec3::X * 3.0);
    scene.graph.update();
    scene.update().unwrap();
    assert_looks_at(&scene, eye, target);
    assert_eq!(scene.update().unwrap(), SceneUpdateStats::default());
}

#[test]
fn constraint_overwrites_a_rotation_set_by_the_user() {
    let mut scene = Scene::new();
    let root = scene.root();
    let (eye, target) = (spawn_at(&mut scene, root, Vec3::Y), spawn_at(&mut scene, root, Vec3::X));
    constrain(&mut scene, eye, look(target));
    scene.update().unwrap();
    scene.graph.node_mut(eye).unwrap().set_rotation(Quat::from_rotation_z(2.0)).unwrap();
    scene.update().unwrap();
    assert_looks_at(&scene, eye, target);
}

#[test]
fn removed_constraint_keeps_the_rotation() {
    let mut scene = Scene::new();
    let root = scene.root();
    let (eye, target) = (spawn_at(&mut scene, root, Vec3::Y), spawn_at(&mut scene, root, Vec3::X));
    constrain(&mut scene, eye, look(target));
    scene.update().unwrap();
    let rotation = scene.graph.node(eye).unwrap().rotation();
    assert_eq!(scene.constraints.remove(eye), Some(look(target)));
    assert_eq!(scene.constraints.remove(eye), None);
    set_position(&mut scene, target, Vec3::Z * 9.0);
    scene.update().unwrap();
    assert_eq!(scene.graph.node(eye).unwrap().rotation(), rotation);
    assert_eq!(scene.constraints.get(&scene.graph, eye), None);
}

#[test]
fn removed_nodes_lose_their_constraints() {
    let mut scene = Scene::new();
    let root = scene.root();
    let (eye, target) = (spawn_at(&mut scene, root, Vec3::Y), spawn_at(&mut scene, root, Vec3::X));
    constrain(&mut scene, eye, look(target));
    scene.update().unwrap();
    let rotation = scene.graph.node(eye).unwrap().rotation();
    scene.remove(target).unwrap();
    set_position(&mut scene, eye, Vec3::Z);
    scene.update().unwrap();
    assert_eq!(scene.graph.node(eye).unwrap().rotation(), rotation, "the target is dead");
    // A node in the reused slot of the target is not the target.
    let other = spawn_at(&mut scene, root, Vec3::NEG_ONE);
    assert_eq!(other.index(), target.index());
    scene.update().unwrap();
    assert_eq!(scene.graph.node(eye).unwrap().rotation(), rotation);
    scene.remove(eye).unwrap();
    scene.update().unwrap();
    assert_eq!(scene.constraints.iter(&scene.graph).count(), 0);
}
