//! Orienting nodes towards a point: cameras and lights look at it, models face it.

use pleach_graph::axes::{self, FORWARD, FRONT, LocalAxes, RIGHT, UP};
use pleach_graph::glam::{DVec3, Mat4, Quat, Vec3};
use pleach_graph::{Error, Graph, NodeId, Transform};
use testkit::Rng;

use crate::common::{RandomTransform, add_named, assert_consistent, chain, dump, node, seeds};

/// The direction of an axis of a node in world space.
fn world_axis(graph: &Graph, id: NodeId, axis: Vec3) -> DVec3 {
    let world = node(graph, id).compute_world().as_dmat4();
    world.transform_vector3(axis.as_dvec3()).normalize()
}

fn world_position(graph: &Graph, id: NodeId) -> DVec3 {
    node(graph, id).compute_world().as_dmat4().w_axis.truncate()
}

#[test]
fn the_world_is_right_handed_with_z_up() {
    assert_eq!((UP, RIGHT, FORWARD, FRONT), (Vec3::Z, Vec3::X, Vec3::Y, Vec3::NEG_Y));
    assert_eq!(RIGHT.cross(FORWARD), UP);
}

#[test]
fn look_rotation_maps_minus_z_to_the_direction_and_y_into_the_plane_of_up() {
    for seed in seeds(1_000) {
        let mut random = Rng::new(seed);
        let (direction, up) = (random.vec3(5.0), random.vec3(2.0));
        for (rotation, ahead, above) in [
            (axes::look_rotation(direction, up).unwrap(), Vec3::NEG_Z, Vec3::Y),
            (axes::face_rotation(direction, up).unwrap(), FRONT, UP),
        ] {
            assert!((rotation.length() - 1.0).abs() < 1e-6, "seed {seed}");
            let (ahead, above) = ((rotation * ahead).as_dvec3(), (rotation * above).as_dvec3());
            let (direction, up) = (direction.as_dvec3().normalize(), up.as_dvec3().normalize());
            assert!(ahead.dot(direction) > 1.0 - 1e-5, "seed {seed}");
            assert!(above.dot(direction.cross(up).normalize()).abs() < 1e-4, "seed {seed}");
            assert!(above.dot(up) > 0.0, "upside down, seed {seed}");
        }
    }
}

#[test]
fn an_up_parallel_to_the_direction_has_a_defined_result() {
    for direction in [Vec3::X, Vec3::Y, Vec3::Z, Vec3::new(1.0, 2.0, 3.0), Vec3::NEG_Y] {
        for up in [direction, -direction, direction * 1e-20, direction * 1e20, Vec3::ZERO] {
            let looking = axes::look_rotation(direction, up).unwrap();
            let facing = axes::face_rotation(direction, up).unwrap();
            for (rotation, ahead) in [(looking, Vec3::NEG_Z), (facing, FRONT)] {
                assert!(rotation.is_finite() && (rotation.length() - 1.0).abs() < 1e-6);
                let ahead = rotation * ahead;
                assert!(ahead.dot(direction.normalize()) > 1.0 - 1e-5, "{direction} with {up}");
            }
            assert_eq!(axes::look_rotation(direction, up), Some(looking), "deterministic");
        }
    }
    // A sun that shines straight down, with +Y as up.
    let sun = axes::look_rotation(-UP, Vec3::Y).unwrap();
    assert!(
        (sun * Vec3::NEG_Z).abs_diff_eq(-UP, 1e-6) && (sun * Vec3::Y).abs_diff_eq(Vec3::Y, 1e-6)
    );
}

#[test]
fn look_rotation_accepts_directions_of_any_length() {
    for size in [1e-44, 1e-30, 1e-10, 1.0, 1e10, 1e30, 3e38] {
        let rotation = axes::look_rotation(Vec3::new(size, 0.0, 0.0), UP).unwrap();
        assert!((rotation * Vec3::NEG_Z).abs_diff_eq(Vec3::X, 1e-6), "{size}");
    }
}

#[test]
fn zero_and_non_finite_directions_are_rejected() {
    assert_eq!(axes::look_rotation(Vec3::ZERO, UP), None);
    assert_eq!(axes::face_rotation(Vec3::new(0.0, -0.0, 0.0), UP), None);
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        for component in 0..3 {
            let mut direction = Vec3::new(1.0, 2.0, 3.0);
            direction[component] = bad;
            assert_eq!(axes::look_rotation(direction, UP), None, "{direction}");
            assert_eq!(axes::face_rotation(direction, UP), None, "{direction}");
        }
    }
}

#[test]
fn a_non_finite_up_vector_is_replaced() {
    for bad in [f32::NAN, f32::INFINITY] {
        for component in 0..3 {
            let mut up = UP;
            up[component] = bad;
            let rotation = axes::look_rotation(Vec3::X, up).unwrap();
            assert!(rotation.is_finite(), "{up}");
            assert!((rotation * Vec3::NEG_Z).abs_diff_eq(Vec3::X, 1e-6), "{up}");
        }
    }
}

#[test]
fn looking_at_and_facing_start_from_the_translation() {
    let position = Vec3::new(1.0, -10.0, 5.0);
    for (rotated, ahead) in [
        (Transform::from_translation(position).looking_at(Vec3::ZERO, UP), Vec3::NEG_Z),
        (Transform::from_translation(position).facing(Vec3::ZERO, UP), FRONT),
    ] {
        assert!((rotated.rotation * ahead).abs_diff_eq(-position.normalize(), 1e-6));
        assert_eq!((rotated.translation, rotated.scale), (position, Vec3::ONE));
    }
    // A target at its own position, or a non-finite one, leaves it unchanged.
    let rotated = Transform::from_translation(position).with_rotation(Quat::from_rotation_x(1.0));
    assert_eq!(rotated.looking_at(position, UP), rotated);
    assert_eq!(rotated.facing(position, UP), rotated);
    for component in 0..3 {
        let mut target = Vec3::ONE;
        target[component] = f32::NAN;
        assert_eq!(rotated.looking_at(target, UP), rotated, "{target}");
        assert_eq!(rotated.facing(target, UP), rotated, "{target}");
    }
}

/// A node below a few random parents; some of them are mirrored, some sheared.
fn node_below_random_parents(random: &mut Rng) -> (Graph, NodeId) {
    let mut graph = Graph::new();
    let path = chain(&mut graph, 2 + random.below(4));
    for &id in &path {
        let transform = random.transform();
        graph.node_mut(id).unwrap().set_transform(transform).unwrap();
        if random.one_in(6) {
            let mut matrix = transform.to_matrix();
            matrix.y_axis += matrix.x_axis * random.between(-0.8, 0.8);
            graph.node_mut(id).unwrap().set_local_matrix(matrix).unwrap();
        }
    }
    if random.one_in(2) {
        graph.update();
        graph.node_mut(path[0]).unwrap().set_rotation(random.rotation()).unwrap();
    }
    (graph, path[path.len() - 1])
}

#[test]
fn look_at_points_at_a_world_position_below_any_parents() {
    let mut worst: f64 = 1.0;
    for seed in seeds(1_000) {
        let mut random = Rng::new(seed);
        let (mut graph, camera) = node_below_random_parents(&mut random);
        let target = random.vec3(50.0);
        graph.node_mut(camera).unwrap().look_at(target, UP).unwrap();

        let direction = (target.as_dvec3() - world_position(&graph, camera)).normalize();
        let ahead = world_axis(&graph, camera, Vec3::NEG_Z);
        worst = worst.min(ahead.dot(direction));
        assert!(ahead.dot(direction) > 1.0 - 1e-5, "{}, seed {seed}", ahead.dot(direction));
        let right = direction.cross(UP.as_dvec3()).normalize();
        let above = world_axis(&graph, camera, Vec3::Y);
        assert!(above.dot(right).abs() < 1e-3, "not in the plane of up, seed {seed}");

        graph.update();
        let ahead = world_axis(&graph, camera, Vec3::NEG_Z);
        assert!(ahead.dot(direction) > 1.0 - 1e-5, "after the update, seed {seed}");
        assert_consistent(&graph);
    }
    println!("minimum cosine: 1 - {:e}", 1.0 - worst);
}

#[test]
fn face_points_at_a_world_position_below_any_parents() {
    for seed in seeds(1_000) {
        let mut random = Rng::new(seed);
        let (mut graph, model) = node_below_random_parents(&mut random);
        let target = random.vec3(50.0);
        graph.node_mut(model).unwrap().face(target, UP).unwrap();

        let direction = (target.as_dvec3() - world_position(&graph, model)).normalize();
        let front = world_axis(&graph, model, FRONT);
        assert!(front.dot(direction) > 1.0 - 1e-5, "{}, seed {seed}", front.dot(direction));
        let right = direction.cross(UP.as_dvec3()).normalize();
        let above = world_axis(&graph, model, UP);
        assert!(above.dot(right).abs() < 1e-3, "not in the plane of up, seed {seed}");
    }
}

#[test]
fn up_is_up_below_rotated_non_uniform_and_mirrored_parents() {
    let parents = [
        Transform::IDENTITY,
        Transform::from_rotation(Quat::from_rotation_x(2.0)),
        Transform::from_scale(Vec3::new(4.0, 1.0, 0.25)).with_rotation(Quat::from_rotation_y(0.5)),
        Transform::from_scale(Vec3::new(-1.0, 1.0, 1.0)),
        Transform::from_scale(Vec3::new(1.0, -3.0, 1.0)).with_rotation(Quat::from_rotation_z(1.0)),
        Transform::from_scale(Vec3::new(-1.0, -2.0, -3.0)),
    ];
    for parent in parents {
        let mut graph = Graph::new();
        let root = graph.add_root(parent).unwrap();
        let camera = graph.add_child(root, Transform::from_xyz(1.0, 2.0, 3.0)).unwrap();
        graph.node_mut(camera).unwrap().look_at(Vec3::new(9.0, -5.0, 1.0), UP).unwrap();
        assert!(world_axis(&graph, camera, Vec3::Y).z > 0.0, "{parent:?}");
        graph.node_mut(camera).unwrap().face(Vec3::new(9.0, -5.0, 1.0), UP).unwrap();
        assert!(world_axis(&graph, camera, UP).z > 0.0, "{parent:?}");
    }
}

#[test]
fn mirrored_and_sheared_nodes_look_at_and_face_the_target() {
    let mut shear = Mat4::from_translation(Vec3::new(1.0, 2.0, 3.0));
    shear.y_axis.x = 0.5;
    for scale in [Vec3::new(1.0, 1.0, -1.0), Vec3::new(1.0, -2.0, 1.0), Vec3::splat(-1.0)] {
        let mut graph = Graph::new();
        let id = graph.add_root(Transform::from_scale(scale)).unwrap();
        for sheared in [false, true] {
            if sheared {
                graph.node_mut(id).unwrap().set_local_matrix(shear).unwrap();
            }
            let target = Vec3::new(-4.0, 1.0, 0.5);
            let direction = (target.as_dvec3() - world_position(&graph, id)).normalize();
            graph.node_mut(id).unwrap().look_at(target, UP).unwrap();
            assert!(world_axis(&graph, id, Vec3::NEG_Z).dot(direction) > 1.0 - 1e-5, "{scale}");
            graph.node_mut(id).unwrap().face(target, UP).unwrap();
            assert!(world_axis(&graph, id, FRONT).dot(direction) > 1.0 - 1e-5, "{scale}");
            assert!(!node(&graph, id).has_local_matrix());
        }
    }
}

#[test]
fn look_at_handles_straight_up_and_straight_down() {
    let mut graph = Graph::new();
    let crane = graph.add_root(Transform::from_rotation(Quat::from_rotation_y(0.3))).unwrap();
    let camera = graph.add_child(crane, Transform::from_xyz(1.0, 2.0, 3.0)).unwrap();
    for sign in [1.0, -1.0] {
        let target = world_position(&graph, camera).as_vec3() + UP * sign * 4.0;
        graph.node_mut(camera).unwrap().look_at(target, UP).unwrap();
        let ahead = world_axis(&graph, camera, Vec3::NEG_Z);
        assert!(ahead.z * f64::from(sign) > 1.0 - 1e-5, "{ahead}");
        assert!(node(&graph, camera).rotation().is_finite());
    }
}

#[test]
fn look_at_keeps_translation_and_scale() {
    for seed in seeds(50) {
        let mut random = Rng::new(seed);
        let (mut graph, camera) = node_below_random_parents(&mut random);
        graph.node_mut(camera).unwrap().set_transform(random.transform()).unwrap();
        let before = node(&graph, camera).transform();
        graph.node_mut(camera).unwrap().look_at(random.vec3(9.0), random.vec3(1.0)).unwrap();
        let after = node(&graph, camera).transform();
        assert_eq!((after.translation, after.scale), (before.translation, before.scale));
        assert!(node(&graph, camera).is_dirty(), "seed {seed}");
    }
}

#[test]
fn a_target_at_the_nodes_position_is_rejected() {
    let mut graph = Graph::new();
    let id = add_named(&mut graph, None, "eye");
    graph.update();
    let before = dump(&graph);
    let error = graph.node_mut(id).unwrap().look_at(Vec3::ZERO, UP).unwrap_err();
    assert!(matches!(&error, Error::NoDirection(label) if label.node == id));
    assert_eq!(
        error.to_string(),
        r#"0v1 "eye" cannot look at its own position; use a target elsewhere"#,
    );
    graph.node_mut(id).unwrap().face(Vec3::ZERO, UP).unwrap_err();
    assert_eq!(dump(&graph), before);
}

#[test]
fn look_at_below_a_singular_parent_is_rejected() {
    let mut graph = Graph::new();
    let singular = add_named(&mut graph, None, "singular");
    graph.node_mut(singular).unwrap().set_scale(Vec3::new(1.0, 0.0, 1.0)).unwrap();
    let id = add_named(&mut graph, singular, "eye");
    let before = dump(&graph);
    for error in [
        graph.node_mut(id).unwrap().look_at(Vec3::ONE, UP).unwrap_err(),
        graph.node_mut(id).unwrap().face(Vec3::ONE, UP).unwrap_err(),
    ] {
        let Error::SingularParent { child, parent } = error else { panic!("{error}") };
        assert_eq!((child.node, parent.node), (id, singular));
    }
    assert_eq!(dump(&graph), before);
}

#[test]
fn look_at_handles_tiny_and_huge_parent_scales() {
    for size in [1e-12, 1e-6, 1e6, 1e12] {
        let mut graph = Graph::new();
        let parent = graph.add_root(Transform::from_scale(Vec3::splat(size))).unwrap();
        let camera = graph.add_child(parent, Transform::from_xyz(1.0, 0.0, 0.0)).unwrap();
        let target = Vec3::new(size, size, 0.0);
        graph.node_mut(camera).unwrap().look_at(target, UP).unwrap();
        let ahead = world_axis(&graph, camera, Vec3::NEG_Z);
        assert!(ahead.y > 1.0 - 1e-5, "{size}: {ahead}");
    }
}

/// Axes of any direction, or one of the 24 pairs of coordinate axes.
fn random_axes(random: &mut Rng, is_aligned: bool) -> LocalAxes {
    if !is_aligned {
        let axes = LocalAxes::new(random.vec3(5.0), random.vec3(5.0));
        return axes.unwrap_or(LocalAxes::MODEL);
    }
    let coordinate_axes = [Vec3::X, Vec3::Y, Vec3::Z];
    let (front, turn) = (random.below(3), 1 + random.below(2));
    let mut signed = |axis: usize| {
        let sign = if random.one_in(2) { 1.0 } else { -1.0 };
        coordinate_axes[axis % 3] * sign
    };
    LocalAxes::new(signed(front), signed(front + turn)).unwrap()
}

/// Asserts that `above` is in the plane of the direction and `up`, on the side of `up`.
fn assert_upright(above: DVec3, direction: DVec3, up: DVec3, seed: u64) {
    let right = direction.cross(up.normalize());
    // Nearly parallel, the plane depends on roundings.
    if right.length() > 0.1 {
        assert!(above.dot(right.normalize()).abs() < 2e-3, "not in the plane of up, seed {seed}");
        let upward = above - direction * above.dot(direction);
        assert!(upward.dot(up) > 0.0, "upside down, seed {seed}");
    }
}

#[test]
fn aim_rotation_maps_the_front_of_any_axes_to_the_direction() {
    for seed in seeds(1_000) {
        let mut random = Rng::new(seed);
        let is_aligned = random.one_in(2);
        let axes = random_axes(&mut random, is_aligned);
        let (direction, up) = (random.vec3(5.0), random.vec3(2.0));
        let rotation = axes::aim_rotation(axes, direction, up).unwrap().as_dquat();
        assert!((rotation.length() - 1.0).abs() < 1e-6, "seed {seed}");
        let [front, top, direction, up] =
            [axes.front(), axes.up(), direction, up].map(|it| it.as_dvec3().normalize());
        assert!((rotation * front).dot(direction) > 1.0 - 1e-6, "seed {seed}");
        assert_upright(rotation * top, direction, up, seed);
        // The angle between front and top is kept: it is a rotation.
        let [before, after] = [front.dot(top), (rotation * front).dot(rotation * top)];
        assert!((before - after).abs() < 1e-6, "seed {seed}");
    }
}

#[test]
fn aim_points_any_axes_at_a_world_position_below_any_parents() {
    for seed in seeds(1_000) {
        let mut random = Rng::new(seed);
        let (mut graph, model) = node_below_random_parents(&mut random);
        let is_aligned = random.one_in(2);
        let axes = random_axes(&mut random, is_aligned);
        if !is_aligned {
            // With another scale, axes that are not coordinate axes are not at right angles any more.
            let scale = random.between(0.2, 3.0) * if random.one_in(3) { -1.0 } else { 1.0 };
            graph.node_mut(model).unwrap().set_scale(Vec3::splat(scale)).unwrap();
        }
        let (target, up) = (random.vec3(50.0), random.vec3(1.0));
        graph.node_mut(model).unwrap().aim(axes, target, up).unwrap();

        let direction = (target.as_dvec3() - world_position(&graph, model)).normalize();
        let front = world_axis(&graph, model, axes.front());
        assert!(front.dot(direction) > 1.0 - 1e-5, "{}, seed {seed}", front.dot(direction));
        // A node that is mirrored along its top has its top below.
        let mirrored = (node(&graph, model).scale() * axes.up()).dot(axes.up()) < 0.0;
        let above = world_axis(&graph, model, axes.up());
        let above = if mirrored { -above } else { above };
        assert_upright(above, direction, up.as_dvec3(), seed);

        graph.update();
        let front = world_axis(&graph, model, axes.front());
        assert!(front.dot(direction) > 1.0 - 1e-5, "after the update, seed {seed}");
        assert_consistent(&graph);
    }
}

#[test]
fn aim_with_the_axes_of_cameras_and_models_is_look_at_and_face() {
    for seed in seeds(100) {
        let mut random = Rng::new(seed);
        let (mut graph, id) = node_below_random_parents(&mut random);
        let (target, up) = (random.vec3(20.0), random.vec3(1.0));
        let mut rotation = |edit: &dyn Fn(&mut pleach_graph::NodeMut<'_>)| {
            edit(&mut graph.node_mut(id).unwrap());
            node(&graph, id).rotation()
        };
        assert_eq!(
            rotation(&|node| _ = node.look_at(target, up).unwrap()),
            rotation(&|node| _ = node.aim(LocalAxes::CAMERA, target, up).unwrap()),
        );
        assert_eq!(
            rotation(&|node| _ = node.face(target, up).unwrap()),
            rotation(&|node| _ = node.aim(LocalAxes::MODEL, target, up).unwrap()),
        );
    }
}

#[test]
fn axes_that_are_parallel_zero_or_not_finite_are_rejected() {
    for (front, up) in [
        (Vec3::X, Vec3::X),
        (Vec3::X, Vec3::X * -3.0),
        (Vec3::ZERO, Vec3::Z),
        (Vec3::Y, Vec3::ZERO),
        (Vec3::new(f32::NAN, 0.0, 1.0), Vec3::Z),
        (Vec3::Y, Vec3::new(0.0, f32::INFINITY, 0.0)),
    ] {
        assert_eq!(LocalAxes::new(front, up), None, "{front} {up}");
    }
    for size in [1e-40, 1e-20, 1e20, 3e38] {
        let axes = LocalAxes::new(Vec3::X * size, Vec3::new(0.0, 0.0, size)).unwrap();
        let rotation = axes::aim_rotation(axes, Vec3::Y, UP).unwrap();
        assert!((rotation * Vec3::X).abs_diff_eq(Vec3::Y, 1e-6), "{size}");
    }
}

#[test]
fn aim_at_the_nodes_own_position_is_rejected() {
    let mut graph = Graph::new();
    let id = add_named(&mut graph, None, "duck");
    let before = dump(&graph);
    let error = graph.node_mut(id).unwrap().aim(LocalAxes::MODEL_Y_UP, Vec3::ZERO, UP).unwrap_err();
    assert!(matches!(&error, Error::NoDirection(label) if label.node == id));
    for bad in [Vec3::splat(f32::NAN), Vec3::X * f32::INFINITY] {
        let mut node = graph.node_mut(id).unwrap();
        assert!(matches!(node.aim(LocalAxes::MODEL, bad, UP), Err(Error::NotFinite { .. })));
        assert!(matches!(node.aim(LocalAxes::MODEL, UP, bad), Err(Error::NotFinite { .. })));
    }
    assert_eq!(dump(&graph), before);
}
