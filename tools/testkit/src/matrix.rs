//! The arithmetic of world transforms, written independently of the kernels.
//!
//! Follows the rules at the head of pleach-graph's `kernel/scalar.rs`: the same operations in the
//! same order, so that results can be compared bit for bit.

use glam::{Quat, Vec3};

/// 4 × 4, column-major; the last row is 0 0 0 1.
pub type Matrix = [f32; 16];

/// The identity.
pub const IDENTITY: Matrix =
    [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];

const X: usize = 0;
const Y: usize = 1;
const Z: usize = 2;
const W: usize = 3;

/// Returns translation × rotation × scale; infinite where that overflows.
#[must_use]
pub fn from_trs(translation: Vec3, rotation: Quat, scale: Vec3) -> Matrix {
    let q = rotation.to_array();
    let twice = |i: usize, j: usize| q[i] * (q[j] + q[j]);
    let axes = [
        [1.0 - (twice(Y, Y) + twice(Z, Z)), twice(X, Y) + twice(W, Z), twice(X, Z) - twice(W, Y)],
        [twice(X, Y) - twice(W, Z), 1.0 - (twice(X, X) + twice(Z, Z)), twice(Y, Z) + twice(W, X)],
        [twice(X, Z) + twice(W, Y), twice(Y, Z) - twice(W, X), 1.0 - (twice(X, X) + twice(Y, Y))],
    ];
    let mut matrix = IDENTITY;
    for (column, scale) in scale.to_array().into_iter().enumerate() {
        for row in 0..3 {
            matrix[4 * column + row] = axes[column][row] * scale;
        }
    }
    matrix[12..15].copy_from_slice(&translation.to_array());
    matrix
}

/// Returns `parent × local`, clamped to finite numbers.
#[must_use]
pub fn product(parent: &Matrix, local: &Matrix) -> Matrix {
    let mut world = IDENTITY;
    for column in 0..4 {
        let of = &local[4 * column..];
        for row in 0..3 {
            let sum = parent[row] * of[X] + parent[4 + row] * of[Y];
            let sum = sum + parent[8 + row] * of[Z];
            let moved_by = if column == 3 { parent[12 + row] } else { 0.0 };
            world[4 * column + row] = clamped(sum + moved_by);
        }
    }
    world
}

/// Returns the matrix with every number clamped to finite ones, and the last row 0 0 0 1.
#[must_use]
pub fn finite(matrix: &Matrix) -> Matrix {
    let mut result = IDENTITY;
    for column in 0..4 {
        for row in 0..3 {
            result[4 * column + row] = clamped(matrix[4 * column + row]);
        }
    }
    result
}

fn clamped(number: f32) -> f32 {
    if number.is_nan() { f32::MIN } else { number.clamp(f32::MIN, f32::MAX) }
}

/// Returns the bits of a matrix, to compare exactly (0 differs from −0).
#[must_use]
pub fn bits(matrix: &Matrix) -> [u32; 16] {
    matrix.map(f32::to_bits)
}
