//! The arithmetic of world transforms, written once more.
//!
//! After the rules at the head of pleach-graph's `kernel/scalar.rs`, and without
//! a look at the code below them: the same operations in the same order, so that
//! results can be compared bit for bit.

use pleach_graph::Transform;

/// 4 × 4, column-major; the last row is 0 0 0 1.
pub type Matrix = [f32; 16];

/// Nothing moved, turned or scaled.
pub const IDENTITY: Matrix =
    [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];

const X: usize = 0;
const Y: usize = 1;
const Z: usize = 2;
const W: usize = 3;

/// Translation × rotation × scale. Infinite where that overflows.
#[must_use]
pub fn of_transform(transform: &Transform) -> Matrix {
    let q = transform.rotation.to_array();
    let twice = |i: usize, j: usize| q[i] * (q[j] + q[j]);
    let axes = [
        [1.0 - (twice(Y, Y) + twice(Z, Z)), twice(X, Y) + twice(W, Z), twice(X, Z) - twice(W, Y)],
        [twice(X, Y) - twice(W, Z), 1.0 - (twice(X, X) + twice(Z, Z)), twice(Y, Z) + twice(W, X)],
        [twice(X, Z) + twice(W, Y), twice(Y, Z) - twice(W, X), 1.0 - (twice(X, X) + twice(Y, Y))],
    ];
    let mut matrix = IDENTITY;
    for (column, scale) in transform.scale.to_array().into_iter().enumerate() {
        for row in 0..3 {
            matrix[4 * column + row] = axes[column][row] * scale;
        }
    }
    matrix[12..15].copy_from_slice(&transform.translation.to_array());
    matrix
}

/// `parent × local`, with what overflows held at the greatest finite number.
#[must_use]
pub fn product(parent: &Matrix, local: &Matrix) -> Matrix {
    let mut world = IDENTITY;
    for column in 0..4 {
        let of = &local[4 * column..];
        for row in 0..3 {
            let sum = parent[row] * of[X] + parent[4 + row] * of[Y];
            let sum = sum + parent[8 + row] * of[Z];
            let moved_by = if column == 3 { parent[12 + row] } else { 0.0 };
            world[4 * column + row] = held(sum + moved_by);
        }
    }
    world
}

/// The matrix with every number finite, and the last row as it has to be.
#[must_use]
pub fn finite(matrix: &Matrix) -> Matrix {
    let mut result = IDENTITY;
    for column in 0..4 {
        for row in 0..3 {
            result[4 * column + row] = held(matrix[4 * column + row]);
        }
    }
    result
}

fn held(number: f32) -> f32 {
    if number.is_nan() { f32::MIN } else { number.clamp(f32::MIN, f32::MAX) }
}

/// For comparing bit for bit, which tells 0 from −0.
#[must_use]
pub fn bits(matrix: &Matrix) -> [u32; 16] {
    matrix.map(f32::to_bits)
}

/// As [`bits`], of a transform: translation, rotation, scale.
#[must_use]
pub fn transform_bits(of: &Transform) -> ([u32; 3], [u32; 4], [u32; 3]) {
    (
        of.translation.to_array().map(f32::to_bits),
        of.rotation.to_array().map(f32::to_bits),
        of.scale.to_array().map(f32::to_bits),
    )
}
