//! Vector operations in f64, shared by the shapes.
//!
//! Squares of numbers that were f32 neither overflow nor underflow in f64.

use glam::{DVec3, Mat4, Vec3};

/// Returns the length.
pub(crate) fn length(vector: DVec3) -> f64 {
    (vector.x * vector.x + vector.y * vector.y + vector.z * vector.z).sqrt()
}

/// Returns the index of the largest of three numbers, the first of equal ones.
#[inline(always)]
pub(crate) fn longest_axis<T: PartialOrd>([x, y, z]: [T; 3]) -> usize {
    if x >= y && x >= z {
        0
    } else if y >= z {
        1
    } else {
        2
    }
}

/// Rounds a vector to f32, clamped to `f32::MAX`.
pub(crate) fn saturated(vector: DVec3) -> Vec3 {
    let limit = DVec3::splat(f64::from(f32::MAX));
    vector.clamp(-limit, limit).as_vec3()
}

/// Rounds a number up to f32; infinity above `f32::MAX`.
pub(crate) fn rounded_up(number: f64) -> f32 {
    let rounded = number as f32;
    if f64::from(rounded) < number { rounded.next_up() } else { rounded }
}

/// Returns the point closest to `point` on the segment from `from` to `from + along * max`, or
/// `from` if `along` is zero.
pub(crate) fn closest_on_segment(from: DVec3, along: DVec3, point: DVec3, max: f64) -> DVec3 {
    let t = along.dot(point - from) / along.length_squared();
    // NaN, for a segment of length zero, becomes 0.
    from + along * t.max(0.0).min(max)
}

/// Returns the columns of an affine matrix, or `None` if a number of its first three rows is not
/// finite.
pub(crate) fn affine_columns(matrix: &Mat4) -> Option<[DVec3; 4]> {
    let columns = [0, 1, 2, 3].map(|column| matrix.col(column).truncate().as_dvec3());
    columns.iter().all(|column| column.is_finite()).then_some(columns)
}

/// Transforms a point by the columns of an affine matrix.
pub(crate) fn transformed_point(columns: &[DVec3; 4], point: Vec3) -> DVec3 {
    transformed_vector(columns, point) + columns[3]
}

/// Transforms a vector by the columns of an affine matrix.
pub(crate) fn transformed_vector([x, y, z, _]: &[DVec3; 4], vector: Vec3) -> DVec3 {
    let [a, b, c] = vector.as_dvec3().to_array();
    x * a + y * b + z * c
}
