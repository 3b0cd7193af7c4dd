//! Rotations from angles, axes, Euler angles, arcs and matrices; products and interpolation.

use glam::EulerRot::{self, *};
use glam::Mat3;
use pleach_graph::rotation;
use testkit::Rng;

use crate::digest::Digest;

const ORDERS: [EulerRot; 24] = [
    ZYX, ZXY, YXZ, YZX, XYZ, XZY, ZYZ, ZXZ, YXY, YZY, XYX, XZX, ZYXEx, ZXYEx, YXZEx, YZXEx, XYZEx,
    XZYEx, ZYZEx, ZXZEx, YXYEx, YZYEx, XYXEx, XZXEx,
];

pub(crate) fn record(seed: u64) -> u64 {
    let mut random = Rng::new(seed);
    let mut digest = Digest::new();
    for _ in 0..500 {
        // Small angles, and angles of many turns.
        let size = [1e-3, 4.0, 1e4][random.below(3)];
        let [a, b, c] = random.vec3(size).to_array();
        let (axis, other) = (random.vec3(3.0), random.vec3(3.0));
        let about = rotation::from_axis_angle(axis, a);
        digest.quat(about);
        digest.quat(rotation::from_rotation_x(a));
        digest.quat(rotation::from_rotation_y(b));
        digest.quat(rotation::from_rotation_z(c));
        digest.quat(rotation::from_euler(random.pick(&ORDERS), a, b, c));
        digest.quat(rotation::from_rotation_arc(axis, other));
        digest.quat(rotation::from_mat3(&Mat3::from_cols(axis, other, random.vec3(1.0))));
        let product = rotation::mul(about, random.rotation());
        digest.quat(product);
        digest.quat(rotation::slerp(about, product, random.between(0.0, 1.0)));
        digest.quat(rotation::normalize(about * 3.7).unwrap());
    }
    digest.finish()
}
