//! Turning nodes towards a point: cameras and lights look, models face.

use pleach_graph::axes::{self, FORWARD, FRONT, RIGHT, UP};
use pleach_graph::glam::{DVec3, Mat4, Quat, Vec3};
use pleach_graph::{Error, Graph, NodeId, Transform};
use testkit::Rng;

use crate::common::{RandomTransform, assert_sound, chain, dump, named, node, seeds};

/// The axis of a node's world, of length 1.
fn world_axis(graph: &Graph, id: NodeId, axis: Vec3) -> DVec3 {
    let world = node(graph, id).compute_world().as_dmat4();
    world.transform_vector3(axis.as_dvec3()).normalize()
}

fn world_place(graph: &Graph, id: NodeId) -> DVec3 {
    node(graph, id).compute_world().as_dmat4().w_axis.truncate()
}

// M130
#[test]
fn the_world_is_right_handed_with_z_up() {
    assert_eq!((UP, RIGHT, FORWARD, FRONT), (Vec3::Z, Vec3::X, Vec3::Y, Vec3::NEG_Y));
    assert_eq!(RIGHT.cross(FORWARD), UP);
}

// M63
#[test]
fn looking_turns_minus_z_to_the_direction_and_y_into_the_plane_of_up() {
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

// M63, C17, S29
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
            assert_eq!(axes::look_rotation(direction, up), Some(looking), "the same each time");
        }
    }
    // The sun of document 004 shines straight down with +Y as up.
    let sun = axes::look_rotation(-UP, Vec3::Y).unwrap();
    assert!(
        (sun * Vec3::NEG_Z).abs_diff_eq(-UP, 1e-6) && (sun * Vec3::Y).abs_diff_eq(Vec3::Y, 1e-6)
    );
}

#[test]
fn directions_of_any_length_are_looked_along() {
    for size in [1e-44, 1e-30, 1e-10, 1.0, 1e10, 1e30, 3e38] {
        let rotation = axes::look_rotation(Vec3::new(size, 0.0, 0.0), UP).unwrap();
        assert!((rotation * Vec3::NEG_Z).abs_diff_eq(Vec3::X, 1e-6), "{size}");
    }
}

#[test]
fn a_direction_that_is_none_is_refused() {
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
fn an_up_that_is_not_finite_is_replaced() {
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
fn a_transform_looks_from_where_it_stands() {
    let at = Vec3::new(1.0, -10.0, 5.0);
    for (turned, ahead) in [
        (Transform::from_translation(at).looking_at(Vec3::ZERO, UP), Vec3::NEG_Z),
        (Transform::from_translation(at).facing(Vec3::ZERO, UP), FRONT),
    ] {
        assert!((turned.rotation * ahead).abs_diff_eq(-at.normalize(), 1e-6));
        assert_eq!((turned.translation, turned.scale), (at, Vec3::ONE));
    }
    // A target at its own place, or none at all, leaves it as it is.
    let turned = Transform::from_translation(at).with_rotation(Quat::from_rotation_x(1.0));
    assert_eq!(turned.looking_at(at, UP), turned);
    assert_eq!(turned.facing(at, UP), turned);
    for component in 0..3 {
        let mut nowhere = Vec3::ONE;
        nowhere[component] = f32::NAN;
        assert_eq!(turned.looking_at(nowhere, UP), turned, "{nowhere}");
        assert_eq!(turned.facing(nowhere, UP), turned, "{nowhere}");
    }
}

/// A node under a few random parents; some of them are mirrored, some sheared.
fn under_random_parents(random: &mut Rng) -> (Graph, NodeId) {
    let mut graph = Graph::new();
    let way = chain(&mut graph, 2 + random.below(4));
    for &id in &way {
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
        graph.node_mut(way[0]).unwrap().set_rotation(random.rotation()).unwrap();
    }
    (graph, way[way.len() - 1])
}

// M64, PAINS 20
#[test]
fn a_node_looks_at_a_point_of_the_world_under_any_parents() {
    let mut worst: f64 = 1.0;
    for seed in seeds(1_000) {
        let mut random = Rng::new(seed);
        let (mut graph, camera) = under_random_parents(&mut random);
        let target = random.vec3(50.0);
        graph.node_mut(camera).unwrap().look_at(target, UP).unwrap();

        let direction = (target.as_dvec3() - world_place(&graph, camera)).normalize();
        let ahead = world_axis(&graph, camera, Vec3::NEG_Z);
        worst = worst.min(ahead.dot(direction));
        assert!(ahead.dot(direction) > 1.0 - 1e-5, "{}, seed {seed}", ahead.dot(direction));
        let across = direction.cross(UP.as_dvec3()).normalize();
        let above = world_axis(&graph, camera, Vec3::Y);
        assert!(above.dot(across).abs() < 1e-3, "not in the plane of up, seed {seed}");

        graph.update();
        let ahead = world_axis(&graph, camera, Vec3::NEG_Z);
        assert!(ahead.dot(direction) > 1.0 - 1e-5, "after the update, seed {seed}");
        assert_sound(&graph);
    }
    println!("the worst looks 1 - {:e} along its direction", 1.0 - worst);
}

// M64, PAINS 20
#[test]
fn a_node_faces_a_point_of_the_world_under_any_parents() {
    for seed in seeds(1_000) {
        let mut random = Rng::new(seed);
        let (mut graph, model) = under_random_parents(&mut random);
        let target = random.vec3(50.0);
        graph.node_mut(model).unwrap().face(target, UP).unwrap();

        let direction = (target.as_dvec3() - world_place(&graph, model)).normalize();
        let front = world_axis(&graph, model, FRONT);
        assert!(front.dot(direction) > 1.0 - 1e-5, "{}, seed {seed}", front.dot(direction));
        let across = direction.cross(UP.as_dvec3()).normalize();
        let above = world_axis(&graph, model, UP);
        assert!(above.dot(across).abs() < 1e-3, "not in the plane of up, seed {seed}");
    }
}

// M64
#[test]
fn up_is_up_under_rotated_uneven_and_mirrored_parents() {
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

// M64
#[test]
fn a_mirrored_or_sheared_node_itself_looks_and_faces() {
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
            let direction = (target.as_dvec3() - world_place(&graph, id)).normalize();
            graph.node_mut(id).unwrap().look_at(target, UP).unwrap();
            assert!(world_axis(&graph, id, Vec3::NEG_Z).dot(direction) > 1.0 - 1e-5, "{scale}");
            graph.node_mut(id).unwrap().face(target, UP).unwrap();
            assert!(world_axis(&graph, id, FRONT).dot(direction) > 1.0 - 1e-5, "{scale}");
            assert!(!node(&graph, id).has_local_matrix());
        }
    }
}

// M64
#[test]
fn straight_up_and_straight_down_are_looked_at() {
    let mut graph = Graph::new();
    let crane = graph.add_root(Transform::from_rotation(Quat::from_rotation_y(0.3))).unwrap();
    let camera = graph.add_child(crane, Transform::from_xyz(1.0, 2.0, 3.0)).unwrap();
    for sign in [1.0, -1.0] {
        let target = world_place(&graph, camera).as_vec3() + UP * sign * 4.0;
        graph.node_mut(camera).unwrap().look_at(target, UP).unwrap();
        let ahead = world_axis(&graph, camera, Vec3::NEG_Z);
        assert!(ahead.z * f64::from(sign) > 1.0 - 1e-5, "{ahead}");
        assert!(node(&graph, camera).rotation().is_finite());
    }
}

#[test]
fn looking_keeps_place_and_size() {
    for seed in seeds(50) {
        let mut random = Rng::new(seed);
        let (mut graph, camera) = under_random_parents(&mut random);
        graph.node_mut(camera).unwrap().set_transform(random.transform()).unwrap();
        let before = node(&graph, camera).transform();
        graph.node_mut(camera).unwrap().look_at(random.vec3(9.0), random.vec3(1.0)).unwrap();
        let after = node(&graph, camera).transform();
        assert_eq!((after.translation, after.scale), (before.translation, before.scale));
        assert!(node(&graph, camera).is_dirty(), "seed {seed}");
    }
}

#[test]
fn a_target_where_the_node_stands_is_refused() {
    let mut graph = Graph::new();
    let id = named(&mut graph, None, "eye");
    graph.update();
    let before = dump(&graph);
    let refused = graph.node_mut(id).unwrap().look_at(Vec3::ZERO, UP).unwrap_err();
    assert!(matches!(&refused, Error::NoDirection(label) if label.node == id));
    assert_eq!(
        refused.to_string(),
        r#"0v1 "eye" cannot look at the point where it stands; give it a target elsewhere"#,
    );
    graph.node_mut(id).unwrap().face(Vec3::ZERO, UP).unwrap_err();
    assert_eq!(dump(&graph), before);
}

#[test]
fn a_node_under_a_flat_parent_cannot_look_anywhere() {
    let mut graph = Graph::new();
    let flat = named(&mut graph, None, "flat");
    graph.node_mut(flat).unwrap().set_scale(Vec3::new(1.0, 0.0, 1.0)).unwrap();
    let id = named(&mut graph, flat, "eye");
    let before = dump(&graph);
    for refused in [
        graph.node_mut(id).unwrap().look_at(Vec3::ONE, UP).unwrap_err(),
        graph.node_mut(id).unwrap().face(Vec3::ONE, UP).unwrap_err(),
    ] {
        let Error::SingularParent { child, parent } = refused else { panic!("{refused}") };
        assert_eq!((child.node, parent.node), (id, flat));
    }
    assert_eq!(dump(&graph), before);
}

#[test]
fn tiny_and_huge_parents_are_looked_through() {
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
