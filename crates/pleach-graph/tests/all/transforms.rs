//! Local and world transforms of one node: values are stored bit for bit, and
//! derived values are correct.

use core::f32::consts::{FRAC_1_SQRT_2, FRAC_PI_4};

use pleach_graph::glam::{DMat3, DVec3, EulerRot, Mat4, Quat, Vec3, Vec4};
use pleach_graph::rotation::slerp;
use pleach_graph::{Graph, NodeId, Transform};
use testkit::{Rng, sized};

use crate::common::{
    RandomTransform, assert_consistent, bits, move_to, node, random_tree, seeds, transform_bits,
};

/// Edge cases of f32, all finite.
const EDGE_VALUES: [f32; 10] =
    [0.0, -0.0, 1e-45, -1e-45, f32::MIN_POSITIVE, 0.1, -7.25, 1e30, f32::MAX, -f32::MAX];

fn single_node(transform: Transform) -> (Graph, NodeId) {
    let mut graph = Graph::new();
    let id = graph.add_root(transform).unwrap();
    graph.update();
    (graph, id)
}

fn sheared() -> Mat4 {
    Mat4::from_cols_array(&[
        1.0, 0.25, -0.5, 0.0, 0.5, 2.0, 0.125, 0.0, -1.5, 0.1, 0.3, 0.0, 4.0, 5.0, 6.0, 1.0,
    ])
}

fn mirrored() -> Mat4 {
    Mat4::from_scale_rotation_translation(
        Vec3::new(-1.0, 2.0, 0.3),
        Quat::from_rotation_y(0.4),
        Vec3::X,
    )
}

fn singular() -> Mat4 {
    let mut singular = sheared();
    singular.z_axis = Vec4::new(-0.0, 0.0, -0.0, -0.0);
    singular
}

#[test]
fn the_default_transform_is_the_identity() {
    let (graph, id) = single_node(Transform::default());
    let node = node(&graph, id);
    assert_eq!(node.translation().to_array(), [0.0, 0.0, 0.0]);
    assert_eq!(node.rotation().to_array(), [0.0, 0.0, 0.0, 1.0]);
    assert_eq!(node.scale().to_array(), [1.0, 1.0, 1.0]);
    assert_eq!((node.local_matrix(), node.world()), (Mat4::IDENTITY, Mat4::IDENTITY));
}

#[test]
fn translations_and_scales_are_stored_bit_for_bit() {
    let (mut graph, id) = single_node(Transform::IDENTITY);
    for x in EDGE_VALUES {
        for y in EDGE_VALUES.into_iter().step_by(sized(1, 4)) {
            let (translation, scale) = (Vec3::new(x, y, 1.5), Vec3::new(y, 0.75, x));
            let mut view = graph.node_mut(id).unwrap();
            view.set_translation(translation).unwrap().set_scale(scale).unwrap();
            let read = node(&graph, id);
            assert_eq!(
                read.translation().to_array().map(f32::to_bits),
                translation.to_array().map(f32::to_bits)
            );
            assert_eq!(
                read.scale().to_array().map(f32::to_bits),
                scale.to_array().map(f32::to_bits)
            );
        }
    }
}

#[test]
fn unit_rotations_are_stored_bit_for_bit_and_others_are_normalized() {
    let mut random = Rng::new(1);
    let (mut graph, id) = single_node(Transform::IDENTITY);
    for _ in 0..sized(1_000, 3) {
        let unit = random.rotation();
        graph.node_mut(id).unwrap().set_rotation(unit).unwrap();
        assert_eq!(node(&graph, id).rotation().to_array(), unit.to_array());
        for size in [1e-30, 0.5, 1.01, 1e30] {
            graph.node_mut(id).unwrap().set_rotation(unit * size).unwrap();
            let stored = node(&graph, id).rotation();
            assert!((stored.length() - 1.0).abs() < 1e-6, "{size}: {stored}");
            assert!(stored.dot(unit) > 1.0 - 1e-6, "{size}: {stored} of {unit}");
        }
    }
    // Nearly, but not quite, normalized.
    graph.node_mut(id).unwrap().set_rotation(Quat::from_xyzw(0.0, 0.0, 0.5, 0.87)).unwrap();
    assert!((node(&graph, id).rotation().length() - 1.0).abs() < 1e-6);
}

#[test]
fn raw_rotations_are_stored_bit_for_bit_normalized_or_not() {
    let (mut graph, id) = single_node(Transform::IDENTITY);
    for raw in [[0.0, 0.0, 0.5, 0.87], [1e-20, 0.0, -0.0, 0.0], [3.0, -4.0, 5.0, 6.0]] {
        graph.node_mut(id).unwrap().set_rotation_raw(Quat::from_array(raw)).unwrap();
        assert_eq!(node(&graph, id).rotation().to_array().map(f32::to_bits), raw.map(f32::to_bits));
    }
    graph.update();
    assert_consistent(&graph);
}

#[test]
fn setting_one_property_keeps_the_others_and_marks_the_node_dirty() {
    let mut random = Rng::new(2);
    let (mut graph, id) = single_node(random.transform());
    type Edit = fn(&mut Rng, &mut Transform, &mut Graph, NodeId);
    let edits: [Edit; 4] = [
        |random, expected, graph, id| {
            expected.translation = random.vec3(9.0);
            graph.node_mut(id).unwrap().set_translation(expected.translation).unwrap();
        },
        |random, expected, graph, id| {
            expected.rotation = random.rotation();
            graph.node_mut(id).unwrap().set_rotation(expected.rotation).unwrap();
        },
        |random, expected, graph, id| {
            expected.scale = random.scale();
            graph.node_mut(id).unwrap().set_scale(expected.scale).unwrap();
        },
        |random, expected, graph, id| {
            *expected = random.transform();
            graph.node_mut(id).unwrap().set_transform(*expected).unwrap();
        },
    ];
    for _ in 0..sized(100, 5) {
        for edit in edits {
            graph.update();
            assert!(!node(&graph, id).is_dirty());
            let mut expected = node(&graph, id).transform();
            edit(&mut random, &mut expected, &mut graph, id);
            assert_eq!(transform_bits(node(&graph, id).transform()), transform_bits(expected));
            assert!(node(&graph, id).is_dirty());
        }
    }
}

#[test]
fn setting_the_same_transform_if_changed_marks_nothing() {
    let mut random = Rng::new(3);
    let (mut graph, id) = single_node(random.transform());
    let same = node(&graph, id).transform();
    graph.node_mut(id).unwrap().set_transform_if_changed(same).unwrap();
    assert!(!node(&graph, id).is_dirty());
    assert_eq!(graph.update().changed, 0);

    let other = same.with_scale(Vec3::splat(3.0));
    graph.node_mut(id).unwrap().set_transform_if_changed(other).unwrap();
    assert!(node(&graph, id).is_dirty());
    assert_eq!(node(&graph, id).transform(), other);

    // −0 equals 0, but has other bits.
    let rotated = Quat::from_xyzw(-0.0, 0.0, -0.0, 1.0);
    for rotation in [Quat::IDENTITY, rotated, Quat::IDENTITY] {
        let given = other.with_rotation(rotation);
        graph.node_mut(id).unwrap().set_transform_if_changed(given).unwrap();
        assert_eq!(transform_bits(node(&graph, id).transform()), transform_bits(given));
    }

    // A matrix counts as another transform, whatever the nearest transform is.
    graph.node_mut(id).unwrap().set_local_matrix(sheared()).unwrap();
    graph.update();
    let nearest = node(&graph, id).transform();
    graph.node_mut(id).unwrap().set_transform_if_changed(nearest).unwrap();
    assert!(node(&graph, id).is_dirty() && !node(&graph, id).has_local_matrix());
}

#[test]
fn any_affine_matrix_is_stored_bit_for_bit() {
    let mut random = Rng::new(4);
    let mut matrices = vec![sheared(), mirrored(), singular(), Mat4::IDENTITY];
    matrices.push(Mat4::from_cols_array(&[
        -0.0,
        1e-45,
        0.0,
        -0.0,
        1e30,
        -0.0,
        3.0,
        0.0,
        f32::MAX,
        0.0,
        0.0,
        -0.0,
        -0.0,
        2.0,
        1e-38,
        1.0,
    ]));
    matrices.extend((0..sized(200, 5)).map(|_| random.affine(10.0)));
    let (mut graph, id) = single_node(Transform::IDENTITY);
    for matrix in matrices {
        graph.node_mut(id).unwrap().set_local_matrix(matrix).unwrap();
        assert!(node(&graph, id).has_local_matrix() && node(&graph, id).is_dirty());
        assert_eq!(bits(node(&graph, id).local_matrix()), bits(matrix));
        graph.update();
        assert_eq!(bits(node(&graph, id).local_matrix()), bits(matrix));
        assert_eq!(node(&graph, id).world(), matrix, "a root's world is its local");
        assert_consistent(&graph);
    }
}

#[test]
fn the_world_below_sheared_matrices_is_their_product() {
    let mut random = Rng::new(5);
    let mut graph = Graph::new();
    let mut expected = Mat4::IDENTITY.as_dmat4();
    let mut parent = None;
    for _ in 0..6 {
        let matrix = random.affine(10.0);
        let id = match parent {
            None => graph.add_root(Transform::IDENTITY).unwrap(),
            Some(parent) => graph.add_child(parent, Transform::IDENTITY).unwrap(),
        };
        graph.node_mut(id).unwrap().set_local_matrix(matrix).unwrap();
        expected *= matrix.as_dmat4();
        parent = Some(id);
    }
    graph.update();
    let world = node(&graph, parent.unwrap()).world().as_dmat4();
    let size = expected.to_cols_array().into_iter().map(f64::abs).fold(0.0, f64::max);
    assert!(world.abs_diff_eq(expected, 1e-5 * size), "{world} is not {expected}");
}

#[test]
fn set_translation_of_a_matrix_node_keeps_its_linear_part_bit_for_bit() {
    for matrix in [sheared(), mirrored(), singular()] {
        let (mut graph, id) = single_node(Transform::IDENTITY);
        graph.node_mut(id).unwrap().set_local_matrix(matrix).unwrap();
        graph.update();
        let position = Vec3::new(-0.0, 7.0, 1e-40);
        move_to(&mut graph, id, position);
        assert!(node(&graph, id).has_local_matrix() && node(&graph, id).is_dirty());
        let moved = bits(node(&graph, id).local_matrix());
        assert_eq!(moved[..12], bits(matrix)[..12]);
        assert_eq!(moved[12..], bits(Mat4::from_translation(position))[12..]);
        assert_eq!(node(&graph, id).translation(), position);
    }
}

#[test]
fn set_rotation_or_scale_of_a_matrix_node_uses_the_nearest_transform() {
    type Edit = fn(&mut Graph, NodeId);
    type Expected = fn(Transform) -> Transform;
    let edits: [(Edit, Expected); 3] = [
        (
            |graph, id| _ = graph.node_mut(id).unwrap().set_rotation(Quat::IDENTITY).unwrap(),
            |nearest| nearest.with_rotation(Quat::IDENTITY),
        ),
        (
            |graph, id| _ = graph.node_mut(id).unwrap().set_scale(Vec3::splat(2.0)).unwrap(),
            |nearest| nearest.with_scale(Vec3::splat(2.0)),
        ),
        (
            |graph, id| _ = graph.node_mut(id).unwrap().set_transform(Transform::IDENTITY).unwrap(),
            |_| Transform::IDENTITY,
        ),
    ];
    for (edit, expected) in edits {
        for matrix in [sheared(), mirrored(), singular()] {
            let (mut graph, id) = single_node(Transform::IDENTITY);
            graph.node_mut(id).unwrap().set_local_matrix(matrix).unwrap();
            let nearest = node(&graph, id).transform();
            edit(&mut graph, id);
            assert!(!node(&graph, id).has_local_matrix());
            assert_eq!(node(&graph, id).transform(), expected(nearest));
            graph.update();
            assert_eq!(node(&graph, id).world(), node(&graph, id).transform().to_matrix());
            assert_consistent(&graph);
        }
    }
}

#[test]
fn the_transform_of_a_matrix_without_shear_is_exact() {
    for seed in seeds(200) {
        let mut random = Rng::new(seed);
        let made = random.transform();
        let (mut graph, id) = single_node(Transform::IDENTITY);
        graph.node_mut(id).unwrap().set_local_matrix(made.to_matrix()).unwrap();
        let decomposed = node(&graph, id).transform();
        assert_eq!(decomposed.translation, made.translation);
        // The matrix is the same; the signs may be distributed differently over
        // rotation and scale.
        let (decomposed, made) = (decomposed.to_matrix(), made.to_matrix());
        assert!(decomposed.abs_diff_eq(made, 1e-5), "{decomposed} is not {made}, seed {seed}");
    }
}

/// The composition of a transform in the documented order of operations.
fn compose_reference(Transform { translation: t, rotation: r, scale: s }: Transform) -> [f32; 16] {
    let (x2, y2, z2) = (r.x + r.x, r.y + r.y, r.z + r.z);
    let (xx, xy, xz) = (r.x * x2, r.x * y2, r.x * z2);
    let (yy, yz, zz) = (r.y * y2, r.y * z2, r.z * z2);
    let (wx, wy, wz) = (r.w * x2, r.w * y2, r.w * z2);
    #[rustfmt::skip]
    let matrix = [
        (1.0 - (yy + zz)) * s.x, (xy + wz) * s.x,         (xz - wy) * s.x,         0.0,
        (xy - wz) * s.y,         (1.0 - (xx + zz)) * s.y, (yz + wx) * s.y,         0.0,
        (xz + wy) * s.z,         (yz - wx) * s.z,         (1.0 - (xx + yy)) * s.z, 0.0,
        t.x,                     t.y,                     t.z,                     1.0,
    ];
    matrix
}

#[test]
fn a_transform_is_composed_with_the_documented_operations() {
    for seed in seeds(500) {
        let mut random = Rng::new(seed);
        let transform = random.transform();
        let expected = compose_reference(transform).map(f32::to_bits);
        let (mut graph, id) = single_node(transform);
        assert_eq!(bits(transform.to_matrix()), expected, "seed {seed}");
        assert_eq!(bits(node(&graph, id).local_matrix()), expected, "seed {seed}");
        assert_eq!(bits(node(&graph, id).world()), expected, "seed {seed}");
        // Right after a setter, before any update.
        let other = random.transform();
        graph.node_mut(id).unwrap().set_transform(other).unwrap();
        let stored = node(&graph, id).transform();
        let expected = compose_reference(stored).map(f32::to_bits);
        assert_eq!(bits(node(&graph, id).local_matrix()), expected, "seed {seed}");
    }
}

#[test]
fn a_rotated_scaled_and_translated_matrix_has_the_expected_elements() {
    let quarter = Quat::from_xyzw(0.0, 0.0, FRAC_1_SQRT_2, FRAC_1_SQRT_2);
    let transform = Transform::from_xyz(5.0, 6.0, 7.0)
        .with_rotation(quarter)
        .with_scale(Vec3::new(2.0, 3.0, 4.0));
    #[rustfmt::skip]
    let expected = Mat4::from_cols_array(&[
        0.0, 2.0, 0.0, 0.0,
        -3.0, 0.0, 0.0, 0.0,
        0.0, 0.0, 4.0, 0.0,
        5.0, 6.0, 7.0, 1.0,
    ]);
    assert!(transform.to_matrix().abs_diff_eq(expected, 1e-6), "{}", transform.to_matrix());
}

#[test]
fn a_rotation_by_45_degrees_about_z_maps_x_to_the_diagonal() {
    let diagonal = Vec3::new(FRAC_1_SQRT_2, FRAC_1_SQRT_2, 0.0);
    for rotation in [
        Quat::from_euler(EulerRot::XYZ, 0.0, 0.0, FRAC_PI_4),
        Quat::from_axis_angle(Vec3::Z, FRAC_PI_4),
    ] {
        let (graph, id) = single_node(Transform::from_rotation(rotation));
        let rotated = node(&graph, id).world().transform_vector3(Vec3::X);
        assert!(rotated.abs_diff_eq(diagonal, 1e-6), "{rotated}");
    }
}

#[test]
fn euler_angles_are_applied_in_the_named_order() {
    let [x, y, z] = [0.3, -0.7, 1.1];
    let about = |axis: Vec3, angle: f32| Quat::from_axis_angle(axis, angle);
    let xyz = about(Vec3::X, x) * about(Vec3::Y, y) * about(Vec3::Z, z);
    let zyx = about(Vec3::Z, z) * about(Vec3::Y, y) * about(Vec3::X, x);
    assert!(Quat::from_euler(EulerRot::XYZ, x, y, z).abs_diff_eq(xyz, 1e-6));
    assert!(Quat::from_euler(EulerRot::ZYX, z, y, x).abs_diff_eq(zyx, 1e-6));
    assert!(!xyz.abs_diff_eq(zyx, 1e-2));
}

#[test]
fn slerp_is_exact_at_both_ends() {
    for seed in seeds(500) {
        let mut random = Rng::new(seed);
        let (a, b) = (random.rotation(), random.rotation());
        assert_eq!(slerp(a, b, 0.0).to_array(), a.to_array(), "seed {seed}");
        let end = slerp(a, b, 1.0).to_array();
        let expected = if a.dot(b) < 0.0 { -b } else { b };
        assert_eq!(end, expected.to_array(), "seed {seed}");
    }
}

#[test]
fn slerp_takes_the_shortest_path_at_constant_velocity() {
    let angle_between = |a: Quat, b: Quat| {
        let dot = a.as_dquat().normalize().dot(b.as_dquat().normalize()).abs();
        2.0 * dot.min(1.0).acos()
    };
    for seed in seeds(300) {
        let mut random = Rng::new(seed);
        let (a, b) = (random.rotation(), random.rotation());
        let total = angle_between(a, b);
        for b in [b, -b] {
            for t in [0.125, 0.5, 0.9] {
                let between = slerp(a, b, t);
                assert!((between.length() - 1.0).abs() < 1e-6, "seed {seed}");
                let (before, after) = (angle_between(a, between), angle_between(between, b));
                let t = f64::from(t);
                assert!(
                    (before - t * total).abs() < 2e-3,
                    "{before} of {total} at {t}, seed {seed}"
                );
                assert!((after - (1.0 - t) * total).abs() < 2e-3, "{after} at {t}, seed {seed}");
            }
        }
    }
}

#[test]
fn slerp_between_equal_opposite_and_nearly_equal_rotations_is_a_rotation() {
    let a = Quat::from_xyzw(0.1, 0.2, -0.3, 0.5).normalize();
    let half_turn = a * Quat::from_xyzw(1.0, 0.0, 0.0, 0.0);
    let close = Quat::from_xyzw(a.x + 1e-7, a.y, a.z, a.w);
    for b in [a, -a, half_turn, -half_turn, close] {
        for t in [-0.5, 0.0, 1e-7, 0.3, 0.5, 1.0, 1.5] {
            let between = slerp(a, b, t);
            assert!((between.length() - 1.0).abs() < 1e-6, "{b} at {t}: {between}");
        }
    }
}

/// The upper left 3 × 3 of a world matrix.
fn linear(world: Mat4) -> DMat3 {
    let column = |axis: Vec4| DVec3::new(axis.x.into(), axis.y.into(), axis.z.into());
    DMat3::from_cols(column(world.x_axis), column(world.y_axis), column(world.z_axis))
}

#[test]
fn the_normal_matrix_is_the_transposed_inverse() {
    for seed in seeds(20) {
        let mut random = Rng::new(seed);
        let (mut graph, nodes) = random_tree(&mut random, sized(60, 10));
        graph.node_mut(nodes[3]).unwrap().set_local_matrix(sheared()).unwrap();
        graph.update();
        for &id in &nodes {
            let world = linear(node(&graph, id).world());
            let expected = world.inverse().transpose();
            let normal = node(&graph, id).normal_matrix();
            let size = expected.to_cols_array().into_iter().map(f64::abs).fold(0.0, f64::max);
            assert!(
                normal.as_dmat3().abs_diff_eq(expected, 1e-5 * size),
                "{id}: {normal} is not {expected}, seed {seed}",
            );
        }
    }
}

#[test]
fn normals_of_mirrored_surfaces_stay_orthogonal() {
    let (graph, id) = single_node(
        Transform::from_scale(Vec3::new(-1.0, 2.0, 0.5)).with_rotation(Quat::from_rotation_x(0.6)),
    );
    let node = node(&graph, id);
    let (along, across) = (Vec3::new(1.0, 2.0, 0.0), Vec3::new(0.0, 1.0, -1.0));
    let normal = node.normal_matrix() * along.cross(across);
    for surface in [along, across] {
        let rotated = node.world().transform_vector3(surface);
        assert!(normal.normalize().dot(rotated.normalize()).abs() < 1e-6);
    }
}

#[test]
fn the_normal_matrix_of_singular_scales_is_finite_and_keeps_directions() {
    for zero_axis in 0..3 {
        let mut scale = Vec3::new(2.0, 3.0, 4.0);
        scale[zero_axis] = 0.0;
        let rotation = Quat::from_xyzw(0.1, 0.5, -0.2, 0.8).normalize();
        let (graph, id) = single_node(Transform::from_scale(scale).with_rotation(rotation));
        let normal = node(&graph, id).normal_matrix();
        assert!(normal.is_finite(), "{normal}");
        // The flattened surface is orthogonal to the axis whose scale is zero.
        let axis = rotation * Vec3::AXES[zero_axis];
        let transformed = (normal * Vec3::AXES[zero_axis]).normalize();
        assert!(transformed.dot(axis).abs() > 1.0 - 1e-5, "{transformed} along {axis}");
    }
    for scale in [Vec3::ZERO, Vec3::new(1.0, 0.0, 0.0), Vec3::splat(1e-45)] {
        let (graph, id) = single_node(Transform::from_scale(scale));
        assert!(node(&graph, id).normal_matrix().is_finite(), "{scale}");
    }
}

#[test]
fn winding_is_flipped_where_the_world_determinant_is_negative() {
    for seed in seeds(20) {
        let mut random = Rng::new(seed);
        let (mut graph, nodes) = random_tree(&mut random, sized(80, 15));
        for &id in nodes.iter().step_by(9) {
            graph.node_mut(id).unwrap().set_local_matrix(random.affine(10.0)).unwrap();
        }
        graph.update();
        let mut flipped = 0;
        for &id in &nodes {
            let determinant = linear(node(&graph, id).world()).determinant();
            let expected = determinant < 0.0;
            assert_eq!(node(&graph, id).winding_flipped(), expected, "{id}, seed {seed}");
            flipped += usize::from(expected);
        }
        assert!(flipped > 0 && flipped < nodes.len(), "seed {seed}");
    }
}

#[test]
fn winding_flips_with_the_scale_of_an_ancestor() {
    let mut graph = Graph::new();
    let parent = graph.add_root(Transform::IDENTITY).unwrap();
    let child = graph.add_child(parent, Transform::from_scale(Vec3::new(1.0, -1.0, 1.0))).unwrap();
    let flipped = |graph: &Graph| [parent, child].map(|id| node(graph, id).winding_flipped());
    graph.update();
    assert_eq!(flipped(&graph), [false, true]);
    for (scale, expected) in [
        (Vec3::new(-1.0, 1.0, 1.0), [true, false]),
        (Vec3::new(-1.0, -1.0, 1.0), [false, true]),
        (Vec3::new(-1.0, -1.0, -1.0), [true, false]),
        (Vec3::new(0.0, -1.0, 1.0), [false, false]),
        (Vec3::ONE, [false, true]),
    ] {
        graph.node_mut(parent).unwrap().set_scale(scale).unwrap();
        graph.update();
        assert_eq!(flipped(&graph), expected, "{scale}");
    }
}

#[test]
fn the_inverse_world_times_the_world_is_the_identity() {
    for seed in seeds(20) {
        let mut random = Rng::new(seed);
        let (mut graph, nodes) = random_tree(&mut random, sized(60, 10));
        graph.update();
        for &id in &nodes {
            let inverse = node(&graph, id).inverse_world().unwrap();
            let undone = inverse.as_dmat4() * node(&graph, id).world().as_dmat4();
            let error = (undone - Mat4::IDENTITY.as_dmat4()).to_cols_array();
            let error = error.into_iter().map(f64::abs).fold(0.0, f64::max);
            let distance = f64::from(inverse.w_axis.abs().max_element());
            assert!(error < 1e-5 * (1.0 + distance), "{id}: {error}, seed {seed}");
            assert_eq!(inverse.row(3), Vec4::W);
        }
    }
}

#[test]
fn a_singular_world_has_no_inverse() {
    let (mut graph, id) = single_node(Transform::IDENTITY);
    for scale in [Vec3::new(0.0, 1.0, 1.0), Vec3::new(1.0, 0.0, 0.0), Vec3::ZERO] {
        graph.node_mut(id).unwrap().set_scale(scale).unwrap();
        graph.update();
        assert_eq!(node(&graph, id).inverse_world(), None, "{scale}");
    }
    graph.node_mut(id).unwrap().set_local_matrix(singular()).unwrap();
    graph.update();
    assert_eq!(node(&graph, id).inverse_world(), None);
}

#[test]
fn zero_and_negative_scales_are_accepted_and_yield_finite_worlds() {
    let mut graph = Graph::new();
    let parent = graph.add_root(Transform::from_scale(Vec3::new(0.0, -2.0, -0.0))).unwrap();
    let child = graph.add_child(parent, Transform::from_xyz(1.0, 2.0, 3.0)).unwrap();
    graph.update();
    assert_eq!(node(&graph, child).world_translation(), Vec3::new(0.0, -4.0, 0.0));
    assert!(node(&graph, child).world().is_finite());
    assert!(node(&graph, child).normal_matrix().is_finite());
    assert_consistent(&graph);
}
