//! Unit quaternions: validation, normalization, interpolation.
//!
//! No platform trigonometry: sine and arc tangent are series of f64 additions,
//! multiplications and divisions, so that an interpolated rotation has the same
//! bits on every machine.

use glam::{DVec4, Quat};

/// Returns `true` if the quaternion is finite and of length 1 up to rounding.
#[inline]
pub(crate) fn is_unit(rotation: Quat) -> bool {
    let [x, y, z, w] = rotation.to_array();
    let square = (x * x + y * y) + (z * z + w * w);
    (square - 1.0).abs() <= 1e-6
}

/// Returns the normalized rotation, or `None` for the zero quaternion.
///
/// A rotation whose length is 1 up to rounding is kept bit for bit.
#[inline]
pub(crate) fn normalized(rotation: Quat) -> Option<Quat> {
    if is_unit(rotation) { Some(rotation) } else { normalize(rotation) }
}

#[cold]
fn normalize(rotation: Quat) -> Option<Quat> {
    // The square of an f32 neither overflows nor underflows in f64.
    let rotation = to_dvec4(rotation);
    let length = rotation.length();
    (length > 0.0).then(|| to_quat(rotation / length))
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
/// use pleach_graph::slerp;
///
/// let (a, b) = (Quat::IDENTITY, Quat::from_rotation_z(1.0));
/// assert_eq!((slerp(a, b, 0.0), slerp(a, b, 1.0)), (a, b));
/// assert!(slerp(a, b, 0.25).abs_diff_eq(Quat::from_rotation_z(0.25), 1e-6));
/// assert!(slerp(a, -b, 0.25).abs_diff_eq(Quat::from_rotation_z(0.25), 1e-6));   // the shortest path
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
    let angle = 4.0 * atan(sine / (1.0 + cosine));
    let t = f64::from(t);
    let (begin, end) = (sin((1.0 - t) * angle), sin(t * angle));
    let between = from * begin + to * end;
    to_quat(between / between.length())
}

/// Arc tangent for 0 to 0.42, where the series converges quickly.
fn atan(x: f64) -> f64 {
    let square = x * x;
    let (mut power, mut sum) = (x, x);
    for k in 1..24 {
        power *= -square;
        sum += power / f64::from(2 * k + 1);
    }
    sum
}

/// Sine for angles up to π/2, where the series converges quickly.
fn sin(x: f64) -> f64 {
    let square = x * x;
    let (mut term, mut sum) = (x, x);
    for k in 1..14 {
        term *= -square / f64::from(2 * k * (2 * k + 1));
        sum += term;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiny_and_huge_quaternions_are_normalized_and_zero_is_rejected() {
        for size in [1e-45, 1e-30, 0.1, 7.0, 1e30, 3e38] {
            let unit = normalized(Quat::from_xyzw(size, 0.0, 0.0, size)).unwrap();
            assert!((unit.length() - 1.0).abs() < 1e-6, "{size}: {unit}");
        }
        assert_eq!(normalized(Quat::from_xyzw(0.0, -0.0, 0.0, 0.0)), None);
    }

    #[test]
    fn slerp_interpolates_the_angle_about_any_axis() {
        let axis = glam::Vec3::new(0.3, -0.5, 0.8).normalize();
        for angle in [1e-4f32, 0.3, 1.0, 2.0, 3.0, 3.1] {
            for t in [0.1, 0.5, 0.9] {
                let ours = slerp(Quat::IDENTITY, Quat::from_axis_angle(axis, angle), t);
                let expected = Quat::from_axis_angle(axis, angle * t);
                assert!(ours.dot(expected).abs() > 1.0 - 1e-6, "{angle} {t}");
            }
        }
    }
}
