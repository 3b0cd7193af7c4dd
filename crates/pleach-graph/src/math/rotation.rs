//! Rotations with the same bits on every machine.
//!
//! With its `std` feature (on by default here) glam computes sine and cosine with the
//! platform's functions, whose last bits differ between systems, and it multiplies
//! quaternions in an order that depends on the target. The functions of this module
//! have one result everywhere: f64 operations in a fixed order, with the sine and
//! arc tangent of `libm`, rounded to `f32` once.
//!
//! | instead of glam's | use |
//! | --- | --- |
//! | `Quat::from_axis_angle`, `from_scaled_axis` | [`from_axis_angle`] |
//! | `Quat::from_rotation_x`, `_y`, `_z` | [`from_rotation_x`], [`from_rotation_y`], [`from_rotation_z`] |
//! | `Quat::from_euler` | [`from_euler`] |
//! | `Quat::from_rotation_arc` | [`from_rotation_arc`] |
//! | `Quat::from_mat3` | [`from_mat3`] |
//! | `Quat::slerp`, `a * b`, `normalize` | [`slerp`], [`mul`], [`normalize`] |
//!
//! The promise of the same bits covers what this crate computes. It ends at
//! rotations that a program computes with glam's own functions and then passes in:
//! they are accurate, but their last bits may differ between machines.
//!
//! None of the functions panics. Angles are in radians and counterclockwise, seen
//! against the axis. Input that is not finite gives a quaternion of NaNs, which every
//! setter of the graph rejects with an error.
//!
//! ```
//! use pleach_graph::glam::{Quat, Vec3};
//! use pleach_graph::rotation;
//!
//! let quarter = rotation::from_axis_angle(Vec3::Z, core::f32::consts::FRAC_PI_2);
//! assert!((quarter * Vec3::X).abs_diff_eq(Vec3::Y, 1e-6));
//! assert_eq!(quarter.to_array().map(f32::to_bits), [0, 0, 0x3f35_04f3, 0x3f35_04f3]);
//! ```

use glam::{DMat3, DQuat, DVec3, DVec4, EulerRot, Mat3, Quat, Vec3};

use crate::math::affine::{any_orthogonal, orthonormal_axes};
use crate::math::unit::unit;

/// Returns the rotation by `angle` about `axis`, which may have any length. The
/// identity for a zero axis.
///
/// ```
/// use pleach_graph::{glam::Vec3, rotation};
///
/// let turn = rotation::from_axis_angle(Vec3::new(0.0, 0.0, 7.0), 0.5);
/// assert_eq!(turn, rotation::from_rotation_z(0.5));
/// assert!(rotation::from_axis_angle(Vec3::X, f32::NAN).is_nan());
/// ```
#[must_use]
pub fn from_axis_angle(axis: Vec3, angle: f32) -> Quat {
    if !axis.is_finite() {
        return NAN;
    }
    unit(axis.as_dvec3()).map_or(Quat::IDENTITY, |axis| to_f32(about(axis, angle)))
}

/// Returns the rotation by `angle` about the x axis.
///
/// ```
/// use pleach_graph::{glam::Vec3, rotation};
/// assert!((rotation::from_rotation_x(core::f32::consts::PI) * Vec3::Y).abs_diff_eq(-Vec3::Y, 1e-6));
/// ```
#[must_use]
pub fn from_rotation_x(angle: f32) -> Quat {
    to_f32(about(DVec3::X, angle))
}

/// Returns the rotation by `angle` about the y axis.
///
/// ```
/// use pleach_graph::{glam::Vec3, rotation};
/// assert!((rotation::from_rotation_y(core::f32::consts::PI) * Vec3::Z).abs_diff_eq(-Vec3::Z, 1e-6));
/// ```
#[must_use]
pub fn from_rotation_y(angle: f32) -> Quat {
    to_f32(about(DVec3::Y, angle))
}

/// Returns the rotation by `angle` about the z axis.
///
/// ```
/// use pleach_graph::{glam::Vec3, rotation};
/// assert!((rotation::from_rotation_z(core::f32::consts::PI) * Vec3::X).abs_diff_eq(-Vec3::X, 1e-6));
/// ```
#[must_use]
pub fn from_rotation_z(angle: f32) -> Quat {
    to_f32(about(DVec3::Z, angle))
}

/// Returns the rotation with these Euler angles, in the order of the letters of
/// `order`.
///
/// Intrinsic orders such as `XYZ` rotate about the axes of the rotated node: the
/// product of the rotations, from left to right. Extrinsic orders such as `XYZEx`
/// rotate about the fixed axes: the product from right to left. `XYZ` is the default
/// order of three.js, `YXZ` (yaw, pitch, roll) that of Godot, `ZXYEx` that of Unity.
///
/// ```
/// use pleach_graph::glam::{EulerRot, Quat};
/// use pleach_graph::rotation;
///
/// let [x, y] = [rotation::from_rotation_x(0.3), rotation::from_rotation_y(0.7)];
/// let both = rotation::from_euler(EulerRot::XYZ, 0.3, 0.7, 0.0);
/// assert!(both.abs_diff_eq(rotation::mul(x, y), 1e-6));
/// let fixed = rotation::from_euler(EulerRot::XYZEx, 0.3, 0.7, 0.0);
/// assert!(fixed.abs_diff_eq(rotation::mul(y, x), 1e-6));
/// ```
#[must_use]
pub fn from_euler(order: EulerRot, first: f32, second: f32, third: f32) -> Quat {
    let (axes, is_extrinsic) = euler_axes(order);
    let [a, b, c] = [(axes[0], first), (axes[1], second), (axes[2], third)]
        .map(|(axis, angle)| about(axis, angle));
    to_f32(if is_extrinsic { c * b * a } else { a * b * c })
}

/// Returns the axes of an order, and whether they are fixed.
fn euler_axes(order: EulerRot) -> ([DVec3; 3], bool) {
    const X: DVec3 = DVec3::X;
    const Y: DVec3 = DVec3::Y;
    const Z: DVec3 = DVec3::Z;
    match order {
        EulerRot::ZYX => ([Z, Y, X], false),
        EulerRot::ZXY => ([Z, X, Y], false),
        EulerRot::YXZ => ([Y, X, Z], false),
        EulerRot::YZX => ([Y, Z, X], false),
        EulerRot::XYZ => ([X, Y, Z], false),
        EulerRot::XZY => ([X, Z, Y], false),
        EulerRot::ZYZ => ([Z, Y, Z], false),
        EulerRot::ZXZ => ([Z, X, Z], false),
        EulerRot::YXY => ([Y, X, Y], false),
        EulerRot::YZY => ([Y, Z, Y], false),
        EulerRot::XYX => ([X, Y, X], false),
        EulerRot::XZX => ([X, Z, X], false),
        EulerRot::ZYXEx => ([Z, Y, X], true),
        EulerRot::ZXYEx => ([Z, X, Y], true),
        EulerRot::YXZEx => ([Y, X, Z], true),
        EulerRot::YZXEx => ([Y, Z, X], true),
        EulerRot::XYZEx => ([X, Y, Z], true),
        EulerRot::XZYEx => ([X, Z, Y], true),
        EulerRot::ZYZEx => ([Z, Y, Z], true),
        EulerRot::ZXZEx => ([Z, X, Z], true),
        EulerRot::YXYEx => ([Y, X, Y], true),
        EulerRot::YZYEx => ([Y, Z, Y], true),
        EulerRot::XYXEx => ([X, Y, X], true),
        EulerRot::XZXEx => ([X, Z, X], true),
    }
}

/// Returns the smallest rotation that maps the direction `from` to the direction
/// `to`, each of any length.
///
/// For opposite directions there are many; one of them is returned. The identity if
/// one of them is zero.
///
/// ```
/// use pleach_graph::{glam::{Quat, Vec3}, rotation};
///
/// let arc = rotation::from_rotation_arc(Vec3::X * 2.0, Vec3::Y);
/// assert!((arc * Vec3::X).abs_diff_eq(Vec3::Y, 1e-6));
/// let back = rotation::from_rotation_arc(Vec3::X, Vec3::NEG_X);
/// assert!((back * Vec3::X).abs_diff_eq(Vec3::NEG_X, 1e-6));
/// assert_eq!(rotation::from_rotation_arc(Vec3::ZERO, Vec3::Y), Quat::IDENTITY);
/// ```
#[must_use]
pub fn from_rotation_arc(from: Vec3, to: Vec3) -> Quat {
    if !from.is_finite() || !to.is_finite() {
        return NAN;
    }
    let (Some(from), Some(to)) = (unit(from.as_dvec3()), unit(to.as_dvec3())) else {
        return Quat::IDENTITY;
    };
    let (axis, cosine) = (from.cross(to), from.dot(to));
    let arc = if cosine < 0.0 && axis.length() < 1e-9 {
        any_orthogonal(from).extend(0.0)
    } else {
        axis.extend(1.0 + cosine)
    };
    to_quat(arc / arc.length())
}

/// Returns the rotation of a matrix whose columns are the rotated axes.
///
/// The columns need not be orthonormal: the rotation maps the x axis to the direction
/// of the first column, and the y axis into the plane of the first two. Scale, shear
/// and mirroring are ignored.
///
/// ```
/// use pleach_graph::glam::{Mat3, Quat, Vec3};
/// use pleach_graph::rotation;
///
/// let scaled = Mat3::from_cols(Vec3::Y * 3.0, -Vec3::X, Vec3::Z);
/// let quarter = rotation::from_rotation_z(core::f32::consts::FRAC_PI_2);
/// assert!(rotation::from_mat3(&scaled).abs_diff_eq(quarter, 1e-6));
/// assert_eq!(rotation::from_mat3(&Mat3::ZERO), Quat::IDENTITY);
/// ```
#[must_use]
pub fn from_mat3(matrix: &Mat3) -> Quat {
    if !matrix.is_finite() {
        return NAN;
    }
    let columns = [matrix.x_axis, matrix.y_axis, matrix.z_axis].map(|column| column.as_dvec3());
    from_axes(orthonormal_axes(columns))
}

/// Returns the rotation that maps the x, y and z axis to `axes`, which are
/// orthonormal and right-handed.
pub(crate) fn from_axes([x, y, z]: [DVec3; 3]) -> Quat {
    to_f32(DQuat::from_mat3(&DMat3::from_cols(x, y, z)).normalize())
}

/// Returns the product `a * b`, which rotates by `b` first: computed in f64, rounded
/// once.
///
/// ```
/// use pleach_graph::rotation;
///
/// let product = rotation::mul(rotation::from_rotation_z(0.25), rotation::from_rotation_z(0.5));
/// assert!(product.abs_diff_eq(rotation::from_rotation_z(0.75), 1e-6));
/// ```
#[must_use]
pub fn mul(a: Quat, b: Quat) -> Quat {
    to_f32(a.as_dquat() * b.as_dquat())
}

/// Returns the rotation with length 1, or `None` for the zero quaternion and for one
/// that is not finite.
///
/// This is what the graph stores for a rotation that it is given: a quaternion whose
/// length is 1 up to rounding is kept bit for bit, others are normalized in f64.
///
/// ```
/// use pleach_graph::{glam::Quat, rotation};
///
/// let unit = rotation::from_rotation_x(0.3);
/// assert_eq!(rotation::normalize(unit), Some(unit));
/// assert_eq!(rotation::normalize(Quat::from_xyzw(0.0, 0.0, 0.0, 7.0)), Some(Quat::IDENTITY));
/// assert_eq!(rotation::normalize(Quat::from_xyzw(0.0, 0.0, 0.0, 0.0)), None);
/// ```
#[inline]
#[must_use]
pub fn normalize(rotation: Quat) -> Option<Quat> {
    if is_unit(rotation) { Some(rotation) } else { normalize_any(rotation) }
}

/// Returns `true` if the quaternion is finite and of length 1 up to rounding.
#[inline]
pub(crate) fn is_unit(rotation: Quat) -> bool {
    square_error(rotation) <= MAX_SQUARE_ERROR
}

/// The largest `square_error` of a quaternion of length 1, up to rounding.
pub(crate) const MAX_SQUARE_ERROR: f32 = 1e-6;

/// Returns the distance of the squared length from 1.
#[inline]
pub(crate) fn square_error(rotation: Quat) -> f32 {
    let [x, y, z, w] = rotation.to_array();
    let square = (x * x + y * y) + (z * z + w * w);
    (square - 1.0).abs()
}

#[cold]
fn normalize_any(rotation: Quat) -> Option<Quat> {
    // The square of an f32 neither overflows nor underflows in f64.
    let rotation = to_dvec4(rotation);
    let length = rotation.length();
    (length > 0.0 && length.is_finite()).then(|| to_quat(rotation / length))
}

const NAN: Quat = Quat::from_xyzw(f32::NAN, f32::NAN, f32::NAN, f32::NAN);

/// Returns the rotation by `angle` about a unit vector.
fn about(axis: DVec3, angle: f32) -> DQuat {
    let (sine, cosine) = libm::sincos(f64::from(angle) * 0.5);
    DQuat::from_vec4((axis * sine).extend(cosine))
}

fn to_f32(rotation: DQuat) -> Quat {
    Quat::from_array(rotation.to_array().map(|component| component as f32))
}

fn to_dvec4(rotation: Quat) -> DVec4 {
    DVec4::from_array(rotation.to_array().map(f64::from))
}

fn to_quat(rotation: DVec4) -> Quat {
    Quat::from_array(rotation.to_array().map(|component| component as f32))
}

/// Interpolates from `a` to `b` along the shortest path, at constant angular
/// velocity.
///
/// Returns exactly `a` for `t` ≤ 0 (and NaN) and exactly `b` (or `-b`, the same
/// rotation) for `t` ≥ 1, and the same bits on every machine, unlike glam's.
///
/// ```
/// use pleach_graph::glam::Quat;
/// use pleach_graph::rotation::{from_rotation_z, slerp};
///
/// let (a, b) = (Quat::IDENTITY, from_rotation_z(1.0));
/// assert_eq!((slerp(a, b, 0.0), slerp(a, b, 1.0)), (a, b));
/// assert!(slerp(a, b, 0.25).abs_diff_eq(from_rotation_z(0.25), 1e-6));
/// assert!(slerp(a, -b, 0.25).abs_diff_eq(from_rotation_z(0.25), 1e-6));   // the shortest path
/// ```
#[must_use]
pub fn slerp(a: Quat, b: Quat, t: f32) -> Quat {
    let (from, mut to) = (to_dvec4(a), to_dvec4(b));
    if from.dot(to) < 0.0 {
        to = -to;
    }
    if t >= 1.0 {
        return to_quat(to);
    }
    // Sine and cosine of half the angle between them, from the two diagonals.
    let (sine, cosine) = ((from - to).length() / 2.0, (from + to).length() / 2.0);
    let is_inside = t > 0.0;
    if !is_inside || cosine == 0.0 || sine < 1e-9 {
        return a;
    }
    let angle = 2.0 * libm::atan2(sine, cosine);
    let t = f64::from(t);
    let (begin, end) = (libm::sin((1.0 - t) * angle), libm::sin(t * angle));
    let between = from * begin + to * end;
    to_quat(between / between.length())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiny_and_huge_quaternions_are_normalized_and_zero_is_rejected() {
        for size in [1e-45, 1e-30, 0.1, 7.0, 1e30, 3e38] {
            let unit = normalize(Quat::from_xyzw(size, 0.0, 0.0, size)).unwrap();
            assert!((unit.length() - 1.0).abs() < 1e-6, "{size}: {unit}");
        }
        assert_eq!(normalize(Quat::from_xyzw(0.0, -0.0, 0.0, 0.0)), None);
    }

    #[test]
    fn slerp_interpolates_the_angle_about_any_axis() {
        let axis = Vec3::new(0.3, -0.5, 0.8).normalize();
        for angle in [1e-4f32, 0.3, 1.0, 2.0, 3.0, 3.1] {
            for t in [0.1, 0.5, 0.9] {
                let ours = slerp(Quat::IDENTITY, Quat::from_axis_angle(axis, angle), t);
                let expected = Quat::from_axis_angle(axis, angle * t);
                assert!(ours.dot(expected).abs() > 1.0 - 1e-6, "{angle} {t}");
            }
        }
    }
}
