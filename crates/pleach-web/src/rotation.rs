//! Rotations with the same bits in every browser: from numbers to numbers.

use glam::{EulerRot, Mat3, Quat};
use pleach_graph::{axes, rotation};
use wasm_bindgen::prelude::*;

use crate::fault::Fault;
use crate::host::status;
use crate::numbers;

fn put(quat: Quat) {
    numbers::put(&quat.to_array());
}

fn put_some(quat: Option<Quat>, problem: &str) -> u32 {
    status(match quat {
        Some(quat) => {
            put(quat);
            Ok(())
        }
        None => Err(Fault::new("no-direction", problem)),
    })
}

fn order(number: u32) -> EulerRot {
    match number {
        0 => EulerRot::XYZ,
        1 => EulerRot::XZY,
        2 => EulerRot::YXZ,
        3 => EulerRot::YZX,
        4 => EulerRot::ZXY,
        _ => EulerRot::ZYX,
    }
}

/// Rotations about x, y and z in the order of the letters: `XYZ` is `X · Y · Z`, as in three.js.
#[wasm_bindgen]
pub fn quat_from_euler(x: f32, y: f32, z: f32, letters: u32) {
    let (order, [first, second, third]) = match letters {
        0 => (order(0), [x, y, z]),
        1 => (order(1), [x, z, y]),
        2 => (order(2), [y, x, z]),
        3 => (order(3), [y, z, x]),
        4 => (order(4), [z, x, y]),
        _ => (order(5), [z, y, x]),
    };
    put(rotation::from_euler(order, first, second, third));
}

/// A rotation about an axis (the first 3 numbers).
#[wasm_bindgen]
pub fn quat_from_axis_angle(angle: f32) -> u32 {
    let axis = pleach_graph::unit(numbers::take_vec3(0).as_dvec3());
    put_some(
        axis.map(|axis| rotation::from_axis_angle(axis.as_vec3(), angle)),
        "the axis has no direction: its length is zero or not finite",
    )
}

/// The rotation that turns −Z to a direction; the numbers are direction and up.
#[wasm_bindgen]
pub fn quat_from_look() -> u32 {
    put_some(
        axes::look_rotation(numbers::take_vec3(0), numbers::take_vec3(3)),
        "the direction is zero, not finite, or parallel to up",
    )
}

/// The shortest rotation from one direction to another.
#[wasm_bindgen]
pub fn quat_from_arc() {
    put(rotation::from_rotation_arc(numbers::take_vec3(0), numbers::take_vec3(3)));
}

/// The product of the first two quaternions: the second is applied first.
#[wasm_bindgen]
pub fn quat_multiply() {
    put(rotation::mul(numbers::take_quat(0), numbers::take_quat(4)));
}

/// Interpolates between the first two quaternions.
#[wasm_bindgen]
pub fn quat_slerp(t: f32) {
    put(rotation::slerp(numbers::take_quat(0), numbers::take_quat(4), t));
}

/// The rotations about x, y and z of the first quaternion, in the order of the letters.
#[wasm_bindgen]
pub fn quat_to_euler(letters: u32) {
    // The axes in the order of the letters; `sign` is that of the permutation.
    let (axes, sign) = match letters {
        0 => ([0, 1, 2], 1.0),
        1 => ([0, 2, 1], -1.0),
        2 => ([1, 0, 2], -1.0),
        3 => ([1, 2, 0], 1.0),
        4 => ([2, 0, 1], 1.0),
        _ => ([2, 1, 0], -1.0),
    };
    let matrix = Mat3::from_quat(numbers::take_quat(0));
    let m = |row: usize, column: usize| matrix.col(axes[column])[axes[row]];
    let sine = (sign * m(0, 2)).clamp(-1.0, 1.0);
    let mut angles = [0.0; 3];
    angles[axes[1]] = libm::asinf(sine);
    if sine.abs() < 0.999_999_9 {
        angles[axes[0]] = libm::atan2f(-sign * m(1, 2), m(2, 2));
        angles[axes[2]] = libm::atan2f(-sign * m(0, 1), m(0, 0));
    } else {
        // The first and the last axis coincide: all of the rotation is given to the first.
        angles[axes[0]] = libm::atan2f(sign * m(2, 1), m(1, 1));
    }
    numbers::put(&angles);
}
