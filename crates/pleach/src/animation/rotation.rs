//! Interpolation of rotations between keys and between layers, bit-for-bit the same on
//! every machine.
//!
//! Plain IEEE operations in the order written here: no platform trigonometry, no
//! fused multiply-add, no quaternion products of glam (their order depends on the
//! target). A curve computes the angle between its keys once, when it is created; a
//! frame evaluates two short polynomials and a square root.
//! `pleach_graph::rotation::slerp` needs no precomputed angle and works in f64 throughout,
//! but takes ten times as long; a test compares the two.
//!
//! All results have length 1 up to rounding, so the graph's setters keep them bit for bit.

use glam::{DVec4, Quat, Vec4};
pub(super) use pleach_graph::rotation::normalize;

/// Normalizes a quaternion of any length but zero.
pub(super) fn normalize64(rotation: DVec4) -> Option<Quat> {
    let length = dot64(rotation, rotation).sqrt();
    // One division; f64 has enough precision for the second rounding.
    let unit = rotation * (1.0 / length);
    (length > 0.0).then(|| Quat::from_array(unit.to_array().map(|number| number as f32)))
}

pub(super) fn to_f64(rotation: Quat) -> DVec4 {
    DVec4::from_array(rotation.to_array().map(f64::from))
}

fn dot64(a: DVec4, b: DVec4) -> f64 {
    (a.x * b.x + a.y * b.y) + (a.z * b.z + a.w * b.w)
}

#[inline]
fn length_squared(q: Vec4) -> f32 {
    let [x, y, z, w] = (q * q).to_array();
    (x + y) + (z + w)
}

#[inline]
fn dot(a: Vec4, b: Vec4) -> f32 {
    let [x, y, z, w] = (a * b).to_array();
    (x + y) + (z + w)
}

/// Normalizes a quaternion whose length is not near zero, which the callers guarantee.
#[inline]
fn normalize_nonzero(q: Vec4) -> Quat {
    Quat::from_vec4(q / length_squared(q).sqrt())
}

/// Computes the angle between two unit quaternions along the shortest path: 0 to π/2,
/// negative if `b` has to be negated for it.
pub(super) fn angle(a: Quat, b: Quat) -> f32 {
    let (a, mut b) = (to_f64(a), to_f64(b));
    let is_far = dot64(a, b) < 0.0;
    if is_far {
        b = -b;
    }
    let (difference, sum) = (a - b, a + b);
    let (sine, cosine) = (dot64(difference, difference).sqrt(), dot64(sum, sum).sqrt());
    let angle = (2.0 * libm::atan2(sine, cosine)) as f32;
    if is_far { -angle } else { angle }
}

/// Spherical linear interpolation from `a` to `b` by the fraction `t`, given the
/// [`angle`] between them; both have unit length. Exactly `a` if the angle is 0.
#[inline]
pub(super) fn slerp(a: Quat, b: Quat, angle: f32, t: f32) -> Quat {
    if angle == 0.0 {
        return a;
    }
    // The weights of `a` and of `b` at once.
    let fractions = Vec4::new(1.0 - t, t, 0.0, 0.0);
    let x = fractions * angle;
    let [a_weight, b_weight, ..] = (fractions * sinc(x * x)).to_array();
    let b_weight = b_weight.copysign(angle);
    // The angle is less than π/2, so the length is at least 0.5.
    normalize_nonzero(Vec4::from(a) * a_weight + Vec4::from(b) * b_weight)
}

/// Computes sin(x) / x from x², for x up to π/2: the Taylor series, whose next term is
/// less than 4e-8 there.
#[inline]
pub(super) fn sinc(xx: Vec4) -> Vec4 {
    let low = 1.0 + xx * (-1.0 / 6.0);
    let middle = 1.0 / 120.0 + xx * (-1.0 / 5_040.0);
    let high = 1.0 / 362_880.0 + xx * (-1.0 / 39_916_800.0);
    let xxxx = xx * xx;
    low + xxxx * (middle + xxxx * high)
}

/// Moves `sum` towards `rotation` or `-rotation`, whichever is nearer, by the fraction
/// `t`. The result is not normalized, but never shorter than half the length of `sum`.
///
/// Written as a step, so that an average of equal rotations is exactly that rotation.
#[inline]
pub(super) fn lerp_shortest(sum: Quat, rotation: Quat, t: f32) -> Quat {
    let (sum, mut rotation) = (Vec4::from(sum), Vec4::from(rotation));
    if dot(sum, rotation) < 0.0 {
        rotation = -rotation;
    }
    Quat::from_vec4(sum + (rotation - sum) * t)
}

/// Normalizes a sum computed by [`lerp_shortest`].
#[inline]
pub(super) fn normalize_sum(sum: Quat) -> Quat {
    normalize_nonzero(Vec4::from(sum))
}

/// Normalized linear interpolation from `a` to `b` along the shortest path: the angular
/// speed is not constant as in [`slerp`], but it is much cheaper.
#[inline]
pub(super) fn nlerp(a: Quat, b: Quat, t: f32) -> Quat {
    normalize_sum(lerp_shortest(a, b, t))
}

/// Returns the rotation with `from * difference = to`.
pub(super) fn difference(from: Quat, to: Quat) -> Quat {
    mul(from.conjugate(), to)
}

/// Returns `a * b`: applies `b` first, then `a`.
pub(super) fn mul(a: Quat, b: Quat) -> Quat {
    let ([ax, ay, az, aw], [bx, by, bz, bw]) = (a.to_array(), b.to_array());
    normalize_nonzero(Vec4::new(
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

    fn sample_rotations() -> Vec<Quat> {
        let axes = [Vec3::X, Vec3::Y, Vec3::NEG_Z, Vec3::new(1.0, -2.0, 3.0).normalize()];
        let angles = [0.0f32, 1e-6, 1e-3, 0.1, 1.0, 2.0, 3.0, 3.13, 4.5, 6.2];
        let rotations = axes
            .iter()
            .flat_map(|&axis| angles.iter().map(move |&angle| Quat::from_axis_angle(axis, angle)));
        rotations.flat_map(|rotation| [rotation, -rotation]).collect()
    }

    #[test]
    fn slerp_agrees_with_the_slerp_of_the_graph() {
        let rotations = sample_rotations();
        for &a in &rotations {
            for &b in &rotations {
                let angle = angle(a, b);
                for t in [0.001, 0.1, 0.25, 0.5, 0.77, 0.999] {
                    let fast = slerp(a, b, angle, t);
                    let exact = pleach_graph::rotation::slerp(a, b, t);
                    assert!(fast.abs_diff_eq(exact, 4e-7), "{a} {b} {t}: {fast} {exact}");
                    assert!((length_squared(Vec4::from(fast)) - 1.0).abs() < 5e-7, "{a} {b} {t}");
                }
            }
        }
    }

    #[test]
    fn interpolation_between_equal_rotations_is_exact() {
        for a in sample_rotations() {
            assert_eq!(angle(a, a), 0.0);
            assert_eq!(slerp(a, a, angle(a, a), 0.3), a);
            assert_eq!(lerp_shortest(a, a, 0.3), a);
            assert_eq!(difference(a, a), Quat::IDENTITY);
        }
    }

    #[test]
    fn rotation_times_difference_is_the_other_rotation() {
        let rotations = sample_rotations();
        for (&a, &b) in rotations.iter().zip(rotations.iter().rev()) {
            let product = mul(a, difference(a, b));
            assert!(product.abs_diff_eq(b, 1e-6), "{a} {b}: {product}");
        }
    }

    #[test]
    fn only_the_zero_quaternion_cannot_be_normalized() {
        for size in [1e-45, 1e-30, 0.1, 7.0, 1e30, 3e38] {
            let unit = normalize(Quat::from_xyzw(0.0, size, 0.0, -size)).unwrap();
            assert!((unit.length() - 1.0).abs() < 1e-6, "{size}: {unit}");
        }
        assert_eq!(normalize(Quat::from_xyzw(0.0, -0.0, 0.0, 0.0)), None);
    }
}
