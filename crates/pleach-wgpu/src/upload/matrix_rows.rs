//! `MatrixRows`: an affine matrix as a shader reads it, three rows of four floats.

use glam::Mat4;

/// The first three rows of an affine matrix. The fourth is 0, 0, 0, 1.
pub type MatrixRows = [[f32; 4]; 3];

/// Returns the rows of an affine matrix, which glam stores by columns. Every bit is kept.
#[must_use]
pub fn matrix_rows(matrix: &Mat4) -> MatrixRows {
    let [x, y, z, w] = matrix.to_cols_array_2d();
    [[x[0], y[0], z[0], w[0]], [x[1], y[1], z[1], w[1]], [x[2], y[2], z[2], w[2]]]
}

/// Returns `true` if two matrices have the same bits: 0.0 and -0.0 differ.
pub(crate) fn same_bits(a: &MatrixRows, b: &MatrixRows) -> bool {
    bytemuck::bytes_of(a) == bytemuck::bytes_of(b)
}
