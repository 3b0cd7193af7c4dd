//! Numbers at the edge and beyond: finite input never yields a NaN or an
//! infinity, and what is not finite is refused by name.

use pleach_graph::axes::UP;
use pleach_graph::glam::{Mat4, Quat, Vec3, Vec4};
use pleach_graph::{
    Error, Graph, NodeDescription, NodeId, NodeLabel, NodeMut, Property, Transform,
    TransformKernel, slerp,
};
use testkit::{Rng, sized};

use crate::common::{self, assert_sound, dump, named, node, seeds};

const BAD: &[f32] =
    if cfg!(miri) { &[f32::NAN] } else { &[f32::NAN, f32::INFINITY, f32::NEG_INFINITY] };

/// A parent and a child, both named, updated and then edited.
fn lamps() -> (Graph, NodeId, NodeId) {
    let mut graph = Graph::new();
    let post = named(&mut graph, None, "post");
    let lamp = named(&mut graph, post, "lamp");
    graph.update();
    common::shift(&mut graph, lamp, Vec3::new(1.0, 2.0, 3.0));
    (graph, post, lamp)
}

/// A transform with one number replaced: 0..3 translation, 3..7 rotation, 7..10
/// scale. Tells the field and the component, too.
fn spoilt(index: usize, value: f32) -> (Transform, Property, usize) {
    let mut transform = Transform::from_xyz(1.0, 2.0, 3.0);
    let (field, component) = match index {
        0..3 => (Property::Translation, index),
        3..7 => (Property::Rotation, index - 3),
        _ => (Property::Scale, index - 7),
    };
    match field {
        Property::Translation => transform.translation[component] = value,
        Property::Scale => transform.scale[component] = value,
        _ => {
            let mut parts = transform.rotation.to_array();
            parts[component] = value;
            transform.rotation = Quat::from_array(parts);
        }
    }
    (transform, field, component)
}

#[track_caller]
fn assert_not_finite(
    error: &Error,
    subject: &NodeDescription,
    field: Property,
    component: usize,
    value: f32,
) {
    let Error::NotFinite { node, property: in_field, component: at, value: told } = error else {
        panic!("{error:?}");
    };
    assert_eq!((node, *in_field, *at), (subject, field, component));
    assert_eq!(told.to_bits(), value.to_bits());
}

type Setter = fn(&mut NodeMut<'_>, Transform) -> Option<Error>;

// M3, PAINS 14, 31
#[test]
fn every_setter_refuses_what_is_not_finite_and_names_node_and_field() {
    let setters: [(&str, core::ops::Range<usize>, Setter); 6] = [
        ("set_translation", 0..3, |node, t| node.set_translation(t.translation).err()),
        ("set_rotation", 3..7, |node, t| node.set_rotation(t.rotation).err()),
        ("set_rotation_raw", 3..7, |node, t| node.set_rotation_raw(t.rotation).err()),
        ("set_scale", 7..10, |node, t| node.set_scale(t.scale).err()),
        ("set_transform", 0..10, |node, t| node.set_transform(t).err()),
        ("set_transform_if_changed", 0..10, |node, t| node.set_transform_if_changed(t).err()),
    ];
    let (mut graph, _, lamp) = lamps();
    let subject = NodeDescription::Node(NodeLabel { node: lamp, name: Some("lamp".into()) });
    let before = dump(&graph);
    for &value in BAD {
        for (name, numbers, set) in setters.clone() {
            for index in numbers {
                let (transform, field, component) = spoilt(index, value);
                let mut view = graph.node_mut(lamp).unwrap();
                let error =
                    set(&mut view, transform).unwrap_or_else(|| panic!("{name} took {value}"));
                assert_not_finite(&error, &subject, field, component, value);
                assert_eq!(dump(&graph), before, "{name} with {value}");
            }
        }
    }
    assert_sound(&graph);
}

// M33, M3
#[test]
fn no_node_is_added_with_a_transform_that_is_not_finite() {
    let (mut graph, post, _) = lamps();
    let child = NodeDescription::NewChildOf(NodeLabel { node: post, name: Some("post".into()) });
    let before = dump(&graph);
    for &value in BAD {
        for index in 0..10 {
            let (transform, field, component) = spoilt(index, value);
            let error = graph.add_root(transform).unwrap_err();
            assert_not_finite(&error, &NodeDescription::NewRoot, field, component, value);
            let error = graph.add_child(post, transform).unwrap_err();
            assert_not_finite(&error, &child, field, component, value);
            assert_eq!(dump(&graph), before);
        }
    }
    assert_sound(&graph);
}

#[test]
fn a_matrix_that_is_not_finite_is_refused() {
    let (mut graph, _, lamp) = lamps();
    let subject = NodeDescription::Node(NodeLabel { node: lamp, name: Some("lamp".into()) });
    let before = dump(&graph);
    for &value in BAD {
        for element in 0..16 {
            let mut elements = Mat4::IDENTITY.to_cols_array();
            elements[element] = value;
            let matrix = Mat4::from_cols_array(&elements);
            let error = graph.node_mut(lamp).unwrap().set_local_matrix(matrix).unwrap_err();
            assert_not_finite(&error, &subject, Property::Matrix, element, value);
            assert_eq!(dump(&graph), before);
        }
    }
}

#[test]
fn a_matrix_that_is_not_affine_is_refused() {
    let (mut graph, _, lamp) = lamps();
    let before = dump(&graph);
    for (element, value) in [(3, 0.5), (7, -1e-30), (11, -1.0), (15, 0.0), (15, 2.0)] {
        let mut elements = Mat4::IDENTITY.to_cols_array();
        elements[element] = value;
        let matrix = Mat4::from_cols_array(&elements);
        let error = graph.node_mut(lamp).unwrap().set_local_matrix(matrix).unwrap_err();
        let Error::NotAffine { last_row, .. } = &error else { panic!("{error}") };
        assert_eq!(Vec4::from_array(*last_row), matrix.row(3));
        assert_eq!(dump(&graph), before);
    }
    let mut projection = Mat4::from_scale(Vec3::new(1.5, 1.5, -1.0));
    (projection.z_axis.w, projection.w_axis) = (-1.0, Vec4::new(0.0, 0.0, -0.1, 0.0));
    let error = graph.node_mut(lamp).unwrap().set_local_matrix(projection).unwrap_err();
    assert_eq!(
        error.to_string(),
        "node 1v1 \"lamp\": the matrix has the last row 0 0 -1 0; it must be 0 0 0 1 (projections \
         belong to cameras, not to nodes)",
    );
}

#[test]
fn targets_and_ups_that_are_not_finite_are_refused() {
    let (mut graph, _, lamp) = lamps();
    let subject = NodeDescription::Node(NodeLabel { node: lamp, name: Some("lamp".into()) });
    let before = dump(&graph);
    for &value in BAD {
        for component in 0..3 {
            let mut spoilt = Vec3::ONE;
            spoilt[component] = value;
            for face in [false, true] {
                let mut turn = |target, up| {
                    let mut view = graph.node_mut(lamp).unwrap();
                    if face { view.face(target, up).err() } else { view.look_at(target, up).err() }
                };
                let error = turn(spoilt, UP).unwrap();
                assert_not_finite(&error, &subject, Property::Target, component, value);
                let error = turn(Vec3::ONE, spoilt).unwrap();
                assert_not_finite(&error, &subject, Property::Up, component, value);
            }
            assert_eq!(dump(&graph), before);
        }
    }
}

// C6
#[test]
fn the_zero_quaternion_is_refused_everywhere() {
    let (mut graph, post, lamp) = lamps();
    let before = dump(&graph);
    for zero in [Quat::from_xyzw(0.0, 0.0, 0.0, 0.0), Quat::from_xyzw(-0.0, 0.0, -0.0, 0.0)] {
        let transform = Transform::from_rotation(zero);
        let errors = [
            graph.node_mut(lamp).unwrap().set_rotation(zero).unwrap_err(),
            graph.node_mut(lamp).unwrap().set_rotation_raw(zero).unwrap_err(),
            graph.node_mut(lamp).unwrap().set_transform(transform).unwrap_err(),
            graph.node_mut(lamp).unwrap().set_transform_if_changed(transform).unwrap_err(),
            graph.add_root(transform).unwrap_err(),
            graph.add_child(post, transform).unwrap_err(),
        ];
        assert!(errors.iter().all(|error| matches!(error, Error::ZeroRotation(_))), "{errors:?}");
        assert_eq!(
            [&errors[0], &errors[4], &errors[5]].map(ToString::to_string),
            ["node 1v1 \"lamp\"", "new root", "new child of 0v1 \"post\""].map(|subject| format!(
                "{subject}: rotation is 0 0 0 0, which is no rotation; 0 0 0 1 is none"
            )),
        );
        assert_eq!(dump(&graph), before);
    }
    assert_sound(&graph);
}

#[test]
fn errors_say_which_number_of_which_node() {
    let (mut graph, post, lamp) = lamps();
    let bad = Vec3::new(0.0, f32::NAN, f32::INFINITY);
    assert_eq!(
        graph.node_mut(lamp).unwrap().set_translation(bad).unwrap_err().to_string(),
        r#"node 1v1 "lamp": translation.y is NaN; it must be finite"#,
    );
    graph.node_mut(lamp).unwrap().clear_name();
    assert_eq!(
        graph.node_mut(lamp).unwrap().set_scale(bad.with_y(1.0)).unwrap_err().to_string(),
        "node 1v1: scale.z is inf; it must be finite",
    );
    assert_eq!(
        graph.add_child(post, spoilt(6, f32::NEG_INFINITY).0).unwrap_err().to_string(),
        r#"new child of 0v1 "post": rotation.w is -inf; it must be finite"#,
    );
    assert_eq!(
        graph.add_root(spoilt(0, f32::NAN).0).unwrap_err().to_string(),
        "new root: translation.x is NaN; it must be finite",
    );
    let mut matrix = Mat4::IDENTITY;
    matrix.z_axis.y = f32::NAN;
    assert_eq!(
        graph.node_mut(lamp).unwrap().set_local_matrix(matrix).unwrap_err().to_string(),
        "node 1v1: matrix column 2 row 1 is NaN; it must be finite",
    );
    assert_eq!(
        graph.node_mut(lamp).unwrap().look_at(bad, UP).unwrap_err().to_string(),
        "node 1v1: target.y is NaN; it must be finite",
    );
}

#[test]
fn a_chain_of_setters_stops_at_the_bad_one() {
    let (mut graph, _, lamp) = lamps();
    let mut view = graph.node_mut(lamp).unwrap();
    let chained = view
        .set_translation(Vec3::X)
        .and_then(|view| view.set_scale(Vec3::new(f32::NAN, 1.0, 1.0)))
        .and_then(|view| view.set_translation(Vec3::Y));
    assert!(chained.is_err());
    assert_eq!(node(&graph, lamp).transform(), Transform::from_xyz(1.0, 0.0, 0.0));
}

/// Zeros, denormals, ordinary and huge numbers.
fn extreme(random: &mut Rng) -> f32 {
    let size = random.pick(&[
        0.0,
        1e-45,
        1e-40,
        f32::MIN_POSITIVE,
        1e-30,
        1e-10,
        0.5,
        1.0,
        3.0,
        1e10,
        1e20,
        1e30,
        3e38,
        f32::MAX,
    ]);
    if random.one_in(2) { -size } else { size }
}

fn extreme_vec3(random: &mut Rng) -> Vec3 {
    Vec3::from_array([(); 3].map(|()| extreme(random)))
}

fn extreme_quat(random: &mut Rng) -> Quat {
    loop {
        let parts = [(); 4].map(|()| extreme(random));
        if parts != [0.0; 4] {
            return Quat::from_array(parts);
        }
    }
}

/// Everything that can be read of a node is finite.
#[track_caller]
fn assert_finite(graph: &Graph, id: NodeId, seed: u64) {
    let node = node(graph, id);
    let transform = node.transform();
    assert!(transform.translation.is_finite(), "{id}: {transform:?}, seed {seed}");
    assert!(transform.rotation.is_finite(), "{id}: {transform:?}, seed {seed}");
    assert!(transform.scale.is_finite(), "{id}: {transform:?}, seed {seed}");
    assert_ne!(transform.rotation.to_array(), [0.0; 4], "{id}, seed {seed}");
    for (what, matrix) in [
        ("local", node.local_matrix()),
        ("world", node.world()),
        ("fresh world", node.compute_world()),
        ("inverse", node.inverse_world().unwrap_or_default()),
        ("transform's matrix", transform.to_matrix()),
    ] {
        assert!(matrix.is_finite(), "the {what} matrix of {id} is {matrix}, seed {seed}");
        assert_eq!(matrix.row(3), Vec4::W, "the {what} matrix of {id}, seed {seed}");
    }
    assert!(node.normal_matrix().is_finite(), "{id}, seed {seed}");
    assert!(node.world_translation().is_finite(), "{id}, seed {seed}");
}

// M20, PAINS 14
#[test]
fn no_finite_input_ever_yields_a_nan_or_an_infinity() {
    let kernels: Vec<TransformKernel> =
        TransformKernel::ALL.into_iter().filter(|kernel| kernel.is_available()).collect();
    for seed in seeds(150) {
        let mut random = Rng::new(seed);
        let mut graph = Graph::new();
        assert!(graph.set_kernel(random.pick(&kernels)));
        let mut nodes: Vec<NodeId> = Vec::new();
        for _ in 0..sized(40, 8) {
            let transform = Transform {
                translation: extreme_vec3(&mut random),
                rotation: extreme_quat(&mut random),
                scale: extreme_vec3(&mut random),
            };
            let added = match nodes.is_empty() || random.one_in(6) {
                true => graph.add_root(transform),
                false => graph.add_child(random.pick(&nodes), transform),
            };
            nodes.push(added.unwrap());
        }
        for _ in 0..sized(60, 8) {
            let (id, other) = (random.pick(&nodes), random.pick(&nodes));
            let mut view = graph.node_mut(id).unwrap();
            match random.below(10) {
                0 => _ = view.set_translation(extreme_vec3(&mut random)).unwrap(),
                1 => _ = view.set_rotation(extreme_quat(&mut random)).unwrap(),
                2 => _ = view.set_rotation_raw(extreme_quat(&mut random)).unwrap(),
                3 => _ = view.set_scale(extreme_vec3(&mut random)).unwrap(),
                4 => {
                    let [x, y, z, w] = [(); 4].map(|()| extreme_vec3(&mut random));
                    let columns = (x.extend(0.0), y.extend(0.0), z.extend(-0.0), w.extend(1.0));
                    let matrix = Mat4::from_cols(columns.0, columns.1, columns.2, columns.3);
                    view.set_local_matrix(matrix).unwrap();
                }
                5 => _ = view.look_at(extreme_vec3(&mut random), extreme_vec3(&mut random)).is_ok(),
                6 => _ = view.face(extreme_vec3(&mut random), extreme_vec3(&mut random)).is_ok(),
                7 => _ = graph.attach_in_place(id, other),
                8 => _ = graph.detach_in_place(id).unwrap(),
                _ => _ = graph.attach(id, other),
            }
            if random.one_in(4) {
                graph.update();
                nodes.iter().for_each(|&id| assert_finite(&graph, id, seed));
            }
            assert_finite(&graph, id, seed);
        }
        graph.update();
        nodes.iter().for_each(|&id| assert_finite(&graph, id, seed));
        assert_sound(&graph);
    }
}

#[test]
fn rotations_of_any_length_are_made_units() {
    for seed in seeds(500) {
        let mut random = Rng::new(seed);
        let rotation = extreme_quat(&mut random);
        let mut graph = Graph::new();
        let id = graph.add_root(Transform::from_rotation(rotation)).unwrap();
        let stored = node(&graph, id).rotation();
        assert!((stored.length() - 1.0).abs() < 1e-6, "{rotation} became {stored}, seed {seed}");
    }
}

#[test]
fn a_product_that_overflows_is_held_at_the_greatest_number() {
    let mut graph = Graph::new();
    let mut parent = graph.add_root(Transform::from_scale(Vec3::splat(1e30))).unwrap();
    for _ in 0..3 {
        parent = graph.add_child(parent, Transform::from_scale(Vec3::splat(1e30))).unwrap();
    }
    graph.update();
    assert_eq!(node(&graph, parent).world().x_axis.x, f32::MAX);
    assert_eq!(graph.world_matrices()[parent.index()].x_axis.x, f32::MAX);
    assert_sound(&graph);
}

// M65
#[test]
fn slerp_by_any_finite_part_of_the_way_is_finite() {
    let (a, b) = (Quat::IDENTITY, Quat::from_xyzw(0.0, 0.0, 0.6, 0.8));
    for t in [-1e30, -1e3, -2.0, -1.0, 2.0, 3.5, 10.0, 1e3, 1e30, f32::MAX] {
        let rotation = slerp(a, b, t);
        assert!(rotation.is_finite(), "at {t}: {rotation}");
        assert!((rotation.length() - 1.0).abs() < 1e-5, "at {t}: {rotation}");
    }
}
