//! Rotations between keys and between layers, with the same bits everywhere.
//!
//! Plain IEEE operations in the order written here: no platform trigonometry, no
//! fused multiply-add, no quaternion products of glam (their order depends on the
//! target). A curve works out the angle between its keys once, when it is made;
//! what is left for a frame are two short polynomials and a square root.
//! `pleach_graph::slerp` needs no angle beforehand and works in f64 throughout,
//! but takes ten times as long; a test holds the two together.
//!
//! Whatever leaves this file has length 1 but for rounding, so the graph's setters
//! keep it bit for bit.

use glam::{DVec4, Quat, Vec4};

/// The rotation with length 1, or `None` for a quaternion of length zero. One that
/// is a unit already, but for rounding, is kept bit for bit, as the graph does.
pub(super) fn unit(rotation: Quat) -> Option<Quat> {
    let is_unit = (square(Vec4::from(rotation)) - 1.0).abs() <= 1e-6;
    if is_unit { Some(rotation) } else { unit64(wide(rotation)) }
}

/// The rotation along a quaternion of any length but zero.
pub(super) fn unit64(rotation: DVec4) -> Option<Quat> {
    let length = dot64(rotation, rotation).sqrt();
    // One division; f64 has bits to spare for the second rounding.
    let unit = rotation * (1.0 / length);
    (length > 0.0).then(|| Quat::from_array(unit.to_array().map(|part| part as f32)))
}

pub(super) fn wide(rotation: Quat) -> DVec4 {
    DVec4::from_array(rotation.to_array().map(f64::from))
}

fn dot64(a: DVec4, b: DVec4) -> f64 {
    (a.x * b.x + a.y * b.y) + (a.z * b.z + a.w * b.w)
}

#[inline]
fn square(q: Vec4) -> f32 {
    let [x, y, z, w] = (q * q).to_array();
    (x + y) + (z + w)
}

#[inline]
fn dot(a: Vec4, b: Vec4) -> f32 {
    let [x, y, z, w] = (a * b).to_array();
    (x + y) + (z + w)
}

/// The length of a sum of rotations is never near zero: see who calls it.
#[inline]
fn normalized(q: Vec4) -> Quat {
    Quat::from_vec4(q / square(q).sqrt())
}

/// The angle between two unit quaternions, the shortest way round: 0 to π/2,
/// negative if `b` is to be taken as `-b` for it.
pub(super) fn angle(a: Quat, b: Quat) -> f32 {
    let (a, mut b) = (wide(a), wide(b));
    let is_far = dot64(a, b) < 0.0;
    if is_far {
        b = -b;
    }
    let (apart, together) = (a - b, a + b);
    let (sine, cosine) = (dot64(apart, apart).sqrt(), dot64(together, together).sqrt());
    let angle = (2.0 * libm::atan2(sine, cosine)) as f32;
    if is_far { -angle } else { angle }
}

/// The rotation a part `t` of the way from `a` to `b`, both of length 1 and this
/// [`angle`] apart, at even speed. Exactly `a` if they are the same rotation.
#[inline]
pub(super) fn slerp(a: Quat, b: Quat, angle: f32, t: f32) -> Quat {
    if angle == 0.0 {
        return a;
    }
    // Both weights at once: how much of `a` and of `b`.
    let part = Vec4::new(1.0 - t, t, 0.0, 0.0);
    let x = part * angle;
    let [a_weight, b_weight, ..] = (part * sine_by_angle(x * x)).to_array();
    let b_weight = b_weight.copysign(angle);
    // Less than a right angle apart, so no shorter than half a unit.
    normalized(Vec4::from(a) * a_weight + Vec4::from(b) * b_weight)
}

/// sin(x) / x, given x², for x up to π/2: the series, whose next term is less
/// than 4e-8 there.
#[inline]
fn sine_by_angle(xx: Vec4) -> Vec4 {
    let low = 1.0 + xx * (-1.0 / 6.0);
    let middle = 1.0 / 120.0 + xx * (-1.0 / 5_040.0);
    let high = 1.0 / 362_880.0 + xx * (-1.0 / 39_916_800.0);
    let xxxx = xx * xx;
    low + xxxx * (middle + xxxx * high)
}

/// A sum of rotations, each taken as `q` or `-q`, whichever is nearer: `sum` moved
/// towards `rotation` by a part `t`. Not of length 1, but never shorter than half
/// of what it was.
///
/// Written as a step, so that a sum of equal rotations is that rotation exactly.
#[inline]
pub(super) fn mixed(sum: Quat, rotation: Quat, t: f32) -> Quat {
    let (sum, mut rotation) = (Vec4::from(sum), Vec4::from(rotation));
    if dot(sum, rotation) < 0.0 {
        rotation = -rotation;
    }
    Quat::from_vec4(sum + (rotation - sum) * t)
}

/// A sum that [`mixed`] made, as a rotation.
#[inline]
pub(super) fn settled(sum: Quat) -> Quat {
    normalized(Vec4::from(sum))
}

/// The rotation a part `t` of the shortest way from `a` to `b`: along the chord,
/// which is a little faster in the middle than [`slerp`], and much cheaper.
#[inline]
pub(super) fn nlerp(a: Quat, b: Quat, t: f32) -> Quat {
    settled(mixed(a, b, t))
}

/// What turns `from` into `to`, seen from `from`: `from * difference = to`.
pub(super) fn difference(from: Quat, to: Quat) -> Quat {
    turned(from.conjugate(), to)
}

/// `a * b`: `b` first, then `a`.
pub(super) fn turned(a: Quat, b: Quat) -> Quat {
    let ([ax, ay, az, aw], [bx, by, bz, bw]) = (a.to_array(), b.to_array());
    normalized(Vec4::new(
        (aw * bx + ax * bw) + (ay * bz - az * by),
        (aw * by + ay * bw) + (az * bx - ax * bz),
        (aw * bz + az * bw) + (ax * by - ay * bx),
        (aw * bw - ax * bx) - (ay * by + az * bz),
    ))
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;

    fn some_rotations() -> Vec<Quat> {
        let axes = [Vec3::X, Vec3::Y, Vec3::NEG_Z, Vec3::new(1.0, -2.0, 3.0).normalize()];
        let angles = [0.0f32, 1e-6, 1e-3, 0.1, 1.0, 2.0, 3.0, 3.13, 4.5, 6.2];
        let turns = axes
            .iter()
            .flat_map(|&axis| angles.iter().map(move |&angle| Quat::from_axis_angle(axis, angle)));
        turns.flat_map(|turn| [turn, -turn]).collect()
    }

    #[test]
    fn slerp_agrees_with_the_slow_one_of_the_graph() {
        let rotations = some_rotations();
        for &a in &rotations {
            for &b in &rotations {
                let angle = angle(a, b);
                for t in [0.001, 0.1, 0.25, 0.5, 0.77, 0.999] {
                    let ours = slerp(a, b, angle, t);
                    let theirs = pleach_graph::slerp(a, b, t);
                    assert!(ours.abs_diff_eq(theirs, 4e-7), "{a} {b} {t}: {ours} {theirs}");
                    assert!((square(Vec4::from(ours)) - 1.0).abs() < 5e-7, "{a} {b} {t}");
                }
            }
        }
    }

    #[test]
    fn equal_rotations_stay_bit_for_bit() {
        for a in some_rotations() {
            assert_eq!(angle(a, a), 0.0);
            assert_eq!(slerp(a, a, angle(a, a), 0.3), a);
            assert_eq!(mixed(a, a, 0.3), a);
            assert_eq!(difference(a, a), Quat::IDENTITY);
        }
    }

    #[test]
    fn a_difference_turns_one_rotation_into_the_other() {
        let rotations = some_rotations();
        for (&a, &b) in rotations.iter().zip(rotations.iter().rev()) {
            let there = turned(a, difference(a, b));
            assert!(there.abs_diff_eq(b, 1e-6), "{a} {b}: {there}");
        }
    }

    #[test]
    fn only_a_quaternion_of_length_zero_has_no_unit() {
        for size in [1e-45, 1e-30, 0.1, 7.0, 1e30, 3e38] {
            let unit = unit(Quat::from_xyzw(0.0, size, 0.0, -size)).unwrap();
            assert!((unit.length() - 1.0).abs() < 1e-6, "{size}: {unit}");
        }
        assert_eq!(unit(Quat::from_xyzw(0.0, -0.0, 0.0, 0.0)), None);
    }
}
