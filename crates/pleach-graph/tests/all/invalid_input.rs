//! Edge cases of numbers: finite input never yields a NaN or an infinity, and
//! non-finite input is rejected with an error that names it.

use pleach_graph::axes::UP;
use pleach_graph::glam::{Mat4, Quat, Vec3, Vec4};
use pleach_graph::{
    Error, Graph, NodeDescription, NodeId, NodeLabel, NodeMut, Property, Transform,
    TransformKernel, rotation::slerp,
};
use testkit::{Rng, sized};

use crate::common::{self, add_named, assert_consistent, dump, node, seeds};

const BAD: &[f32] =
    if cfg!(miri) { &[f32::NAN] } else { &[f32::NAN, f32::INFINITY, f32::NEG_INFINITY] };

/// A parent and a child, both named, updated and then edited.
fn lamps() -> (Graph, NodeId, NodeId) {
    let mut graph = Graph::new();
    let post = add_named(&mut graph, None, "post");
    let lamp = add_named(&mut graph, post, "lamp");
    graph.update();
    common::move_to(&mut graph, lamp, Vec3::new(1.0, 2.0, 3.0));
    (graph, post, lamp)
}

/// Returns a transform with one number replaced (0..3 translation, 3..7 rotation,
/// 7..10 scale), and the property and component.
fn with_component(index: usize, value: f32) -> (Transform, Property, usize) {
    let mut transform = Transform::from_xyz(1.0, 2.0, 3.0);
    let (property, component) = match index {
        0..3 => (Property::Translation, index),
        3..7 => (Property::Rotation, index - 3),
        _ => (Property::Scale, index - 7),
    };
    match property {
        Property::Translation => transform.translation[component] = value,
        Property::Scale => transform.scale[component] = value,
        _ => {
            let mut components = transform.rotation.to_array();
            components[component] = value;
            transform.rotation = Quat::from_array(components);
        }
    }
    (transform, property, component)
}

#[track_caller]
fn assert_not_finite(
    error: &Error,
    description: &NodeDescription,
    property: Property,
    component: usize,
    value: f32,
) {
    let Error::NotFinite { node, property: found, component: at, value: reported } = error else {
        panic!("{error:?}");
    };
    assert_eq!((node, *found, *at), (description, property, component));
    assert_eq!(reported.to_bits(), value.to_bits());
}

type Setter = fn(&mut NodeMut<'_>, Transform) -> Option<Error>;

#[test]
fn every_setter_rejects_non_finite_input_and_names_node_and_property() {
    let setters: [(&str, core::ops::Range<usize>, Setter); 6] = [
        ("set_translation", 0..3, |node, t| node.set_translation(t.translation).err()),
        ("set_rotation", 3..7, |node, t| node.set_rotation(t.rotation).err()),
        ("set_rotation_raw", 3..7, |node, t| node.set_rotation_raw(t.rotation).err()),
        ("set_scale", 7..10, |node, t| node.set_scale(t.scale).err()),
        ("set_transform", 0..10, |node, t| node.set_transform(t).err()),
        ("set_transform_if_changed", 0..10, |node, t| node.set_transform_if_changed(t).err()),
    ];
    let (mut graph, _, lamp) = lamps();
    let description = NodeDescription::Node(NodeLabel::new(lamp, Some("lamp")));
    let before = dump(&graph);
    for &value in BAD {
        for (name, numbers, set) in setters.clone() {
            for index in numbers {
                let (transform, property, component) = with_component(index, value);
                let mut view = graph.node_mut(lamp).unwrap();
                let error =
                    set(&mut view, transform).unwrap_or_else(|| panic!("{name} accepted {value}"));
                assert_not_finite(&error, &description, property, component, value);
                assert_eq!(dump(&graph), before, "{name} with {value}");
            }
        }
    }
    assert_consistent(&graph);
}

#[test]
fn no_node_is_added_with_a_non_finite_transform() {
    let (mut graph, post, _) = lamps();
    let child = NodeDescription::NewChildOf(NodeLabel::new(post, Some("post")));
    let before = dump(&graph);
    for &value in BAD {
        for index in 0..10 {
            let (transform, property, component) = with_component(index, value);
            let error = graph.add_root(transform).unwrap_err();
            assert_not_finite(&error, &NodeDescription::NewRoot, property, component, value);
            let error = graph.add_child(post, transform).unwrap_err();
            assert_not_finite(&error, &child, property, component, value);
            assert_eq!(dump(&graph), before);
        }
    }
    assert_consistent(&graph);
}

#[test]
fn a_non_finite_matrix_is_rejected() {
    let (mut graph, _, lamp) = lamps();
    let description = NodeDescription::Node(NodeLabel::new(lamp, Some("lamp")));
    let before = dump(&graph);
    for &value in BAD {
        for element in 0..16 {
            let mut elements = Mat4::IDENTITY.to_cols_array();
            elements[element] = value;
            let matrix = Mat4::from_cols_array(&elements);
            let error = graph.node_mut(lamp).unwrap().set_local_matrix(matrix).unwrap_err();
            assert_not_finite(&error, &description, Property::Matrix, element, value);
            assert_eq!(dump(&graph), before);
        }
    }
}

#[test]
fn a_non_affine_matrix_is_rejected() {
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
        "node 1v1 \"lamp\": the last row of the matrix is (0, 0, -1, 0); it must be (0, 0, 0, 1) (projections \
         belong to cameras, not to nodes)",
    );
}

#[test]
fn non_finite_targets_and_up_vectors_are_rejected() {
    let (mut graph, _, lamp) = lamps();
    let description = NodeDescription::Node(NodeLabel::new(lamp, Some("lamp")));
    let before = dump(&graph);
    for &value in BAD {
        for component in 0..3 {
            let mut vector = Vec3::ONE;
            vector[component] = value;
            for face in [false, true] {
                let mut orient = |target, up| {
                    let mut view = graph.node_mut(lamp).unwrap();
                    if face { view.face(target, up).err() } else { view.look_at(target, up).err() }
                };
                let error = orient(vector, UP).unwrap();
                assert_not_finite(&error, &description, Property::Target, component, value);
                let error = orient(Vec3::ONE, vector).unwrap();
                assert_not_finite(&error, &description, Property::Up, component, value);
            }
            assert_eq!(dump(&graph), before);
        }
    }
}

#[test]
fn the_zero_quaternion_is_rejected_by_every_call() {
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
            ["node 1v1 \"lamp\"", "new root", "new child of 0v1 \"post\""].map(|description| format!(
                "{description}: rotation is the zero quaternion; use (0, 0, 0, 1) for the identity"
            )),
        );
        assert_eq!(dump(&graph), before);
    }
    assert_consistent(&graph);
}

#[test]
fn errors_name_the_node_and_the_component() {
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
        graph.add_child(post, with_component(6, f32::NEG_INFINITY).0).unwrap_err().to_string(),
        r#"new child of 0v1 "post": rotation.w is -inf; it must be finite"#,
    );
    assert_eq!(
        graph.add_root(with_component(0, f32::NAN).0).unwrap_err().to_string(),
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
fn a_chain_of_setters_stops_at_the_first_error() {
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
        let components = [(); 4].map(|()| extreme(random));
        if components != [0.0; 4] {
            return Quat::from_array(components);
        }
    }
}

/// Asserts that everything that can be read from a node is finite.
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
        ("computed world", node.compute_world()),
        ("inverse", node.inverse_world().unwrap_or_default()),
        ("transform's matrix", transform.to_matrix()),
    ] {
        assert!(matrix.is_finite(), "the {what} matrix of {id} is {matrix}, seed {seed}");
        assert_eq!(matrix.row(3), Vec4::W, "the {what} matrix of {id}, seed {seed}");
    }
    assert!(node.normal_matrix().is_finite(), "{id}, seed {seed}");
    assert!(node.world_translation().is_finite(), "{id}, seed {seed}");
}

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
        assert_consistent(&graph);
    }
}

#[test]
fn rotations_of_any_length_are_normalized() {
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
fn an_overflowing_product_is_clamped_to_the_largest_number() {
    let mut graph = Graph::new();
    let mut parent = graph.add_root(Transform::from_scale(Vec3::splat(1e30))).unwrap();
    for _ in 0..3 {
        parent = graph.add_child(parent, Transform::from_scale(Vec3::splat(1e30))).unwrap();
    }
    graph.update();
    assert_eq!(node(&graph, parent).world().x_axis.x, f32::MAX);
    assert_eq!(graph.world_matrices()[parent.index()].x_axis.x, f32::MAX);
    assert_consistent(&graph);
}

#[test]
fn slerp_with_any_finite_parameter_is_finite() {
    let (a, b) = (Quat::IDENTITY, Quat::from_xyzw(0.0, 0.0, 0.6, 0.8));
    for t in [-1e30, -1e3, -2.0, -1.0, 2.0, 3.5, 10.0, 1e3, 1e30, f32::MAX] {
        let rotation = slerp(a, b, t);
        assert!(rotation.is_finite(), "at {t}: {rotation}");
        assert!((rotation.length() - 1.0).abs() < 1e-5, "at {t}: {rotation}");
    }
}
