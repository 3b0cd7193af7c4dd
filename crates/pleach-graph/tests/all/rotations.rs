//! Constructors of rotations, compared with glam's in f64. That their bits are the
//! same on every machine is tested by `tools/portable`.

use pleach_graph::glam::{DQuat, DVec3, EulerRot, Mat3, Quat, Vec3};
use pleach_graph::{Error, Graph, Transform, rotation};
use testkit::Rng;

use crate::common::seeds;

/// Asserts that `rotation` is `expected` (or its negative), rounded once.
#[track_caller]
fn assert_rounded(rotation: Quat, expected: DQuat, what: &str) {
    let exact = rotation.as_dquat();
    let sign = if exact.dot(expected) < 0.0 { -1.0 } else { 1.0 };
    for (ours, expected) in exact.to_array().into_iter().zip(expected.to_array()) {
        let error = (ours - sign * expected).abs();
        assert!(error <= 6e-8, "{what}: {exact} is not {expected}");
    }
}

fn unit(vector: Vec3) -> DVec3 {
    vector.as_dvec3().normalize()
}

#[test]
fn rotations_about_axes_agree_with_f64() {
    for seed in seeds(3) {
        let mut random = Rng::new(seed);
        for _ in 0..500 {
            let angle = random.between(-20.0, 20.0);
            let exact = f64::from(angle);
            assert_rounded(rotation::from_rotation_x(angle), DQuat::from_rotation_x(exact), "x");
            assert_rounded(rotation::from_rotation_y(angle), DQuat::from_rotation_y(exact), "y");
            assert_rounded(rotation::from_rotation_z(angle), DQuat::from_rotation_z(exact), "z");
            let axis = random.vec3(5.0);
            let expected = DQuat::from_axis_angle(unit(axis), exact);
            assert_rounded(rotation::from_axis_angle(axis, angle), expected, "axis");
        }
    }
}

#[test]
fn euler_angles_of_every_order_agree_with_f64() {
    use EulerRot::*;
    let orders = [
        ZYX, ZXY, YXZ, YZX, XYZ, XZY, ZYZ, ZXZ, YXY, YZY, XYX, XZX, ZYXEx, ZXYEx, YXZEx, YZXEx,
        XYZEx, XZYEx, ZYZEx, ZXZEx, YXYEx, YZYEx, XYXEx, XZXEx,
    ];
    let mut random = Rng::new(1);
    for order in orders {
        for _ in 0..30 {
            let [a, b, c] = random.vec3(7.0).to_array();
            let expected = DQuat::from_euler(order, a.into(), b.into(), c.into());
            let what = format!("{order:?} {a} {b} {c}");
            assert_rounded(rotation::from_euler(order, a, b, c), expected, &what);
        }
    }
}

#[test]
fn arcs_map_one_direction_to_the_other_by_the_smallest_angle() {
    let mut random = Rng::new(2);
    for round in 0..1_000 {
        let from = random.vec3(3.0);
        // Every second pair is nearly equal or nearly opposite.
        let to = match round % 4 {
            0 => from + random.vec3(1e-4),
            1 => -from + random.vec3(1e-5),
            _ => random.vec3(0.1),
        };
        let arc = rotation::from_rotation_arc(from, to).as_dquat();
        assert!((arc * unit(from) - unit(to)).length() < 3e-7, "{from} {to}");
        let angle = unit(from).angle_between(unit(to));
        assert!((2.0 * arc.w.abs().min(1.0).acos() - angle).abs() < 1e-3, "{from} {to}");
    }
    let back = rotation::from_rotation_arc(Vec3::Z, Vec3::NEG_Z);
    assert!((back * Vec3::Z).abs_diff_eq(Vec3::NEG_Z, 1e-6));
}

#[test]
fn matrices_products_and_normalization_agree_with_f64() {
    let mut random = Rng::new(3);
    for _ in 0..500 {
        let (a, b) = (random.rotation(), random.rotation());
        let matrix = Mat3::from_quat(a);
        let expected = a.as_dquat().normalize();
        let from_matrix = rotation::from_mat3(&(matrix * 4.0)).as_dquat().normalize();
        assert!(from_matrix.dot(expected).abs() > 1.0 - 1e-12, "{a}");
        assert_rounded(rotation::mul(a, b), a.as_dquat() * b.as_dquat(), "product");
        let long = a * random.between(2.0, 1e6);
        assert_rounded(rotation::normalize(long).unwrap(), long.as_dquat().normalize(), "unit");
    }
}

#[test]
fn results_are_stored_bit_for_bit_and_normalize_is_what_the_graph_does() {
    let mut graph = Graph::new();
    let node = graph.add_root(Transform::IDENTITY).unwrap();
    let mut random = Rng::new(4);
    for _ in 0..500 {
        let turned = rotation::from_axis_angle(random.vec3(1.0), random.between(-9.0, 9.0));
        graph.node_mut(node).unwrap().set_rotation(turned).unwrap();
        assert_eq!(graph.node(node).unwrap().rotation().to_array(), turned.to_array());
        let any = Quat::from_array([(); 4].map(|()| random.between(-2.0, 2.0)));
        graph.node_mut(node).unwrap().set_rotation(any).unwrap();
        let stored = graph.node(node).unwrap().rotation();
        assert_eq!(rotation::normalize(any).unwrap().to_array(), stored.to_array());
    }
}

#[test]
fn input_that_is_not_finite_gives_nan_which_the_setters_reject() {
    let mut graph = Graph::new();
    let node = graph.add_root(Transform::IDENTITY).unwrap();
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let axis = Vec3::new(1.0, bad, 0.0);
        for rotation in [
            rotation::from_rotation_x(bad),
            rotation::from_axis_angle(axis, 1.0),
            rotation::from_axis_angle(Vec3::X, bad),
            rotation::from_euler(EulerRot::XYZ, 0.0, bad, 0.0),
            rotation::from_rotation_arc(axis, Vec3::X),
            rotation::from_mat3(&Mat3::from_cols(axis, Vec3::Y, Vec3::Z)),
        ] {
            assert!(rotation.is_nan(), "{bad}: {rotation}");
            assert_eq!(rotation::normalize(rotation), None);
            let error = graph.node_mut(node).unwrap().set_rotation(rotation).unwrap_err();
            assert!(matches!(error, Error::NotFinite { .. }), "{error}");
        }
        assert_eq!(rotation::normalize(Quat::from_xyzw(bad, 0.0, 0.0, 1.0)), None);
    }
    assert_eq!(rotation::from_axis_angle(Vec3::ZERO, 1.0), Quat::IDENTITY);
    assert!(!rotation::from_rotation_z(f32::MAX).is_nan());
}
