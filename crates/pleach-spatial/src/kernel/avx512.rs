//! Columns of boxes, sixteen at a time in 512-bit registers.
//!
//! The same operations in the same order as `scalar.rs`.

#![allow(unsafe_code, reason = "loads of sixteen floats")]

use core::arch::x86_64::*;

use super::CullPlanes;

#[inline]
#[target_feature(enable = "avx512f")]
fn load(column: &[f32; 16]) -> __m512 {
    // SAFETY: sixteen floats are read from an array of sixteen.
    unsafe { _mm512_loadu_ps(column.as_ptr()) }
}

#[target_feature(enable = "avx512f")]
pub(crate) fn cull_columns(columns: [&[f32]; 6], planes: &CullPlanes, words: &mut [u64]) {
    let columns = columns.map(|column| column.as_chunks::<16>().0);
    // The three columns of each plane, so that the loop has no choices to make.
    let corners = planes.0.map(|plane| plane.ahead.map(|column| columns[column]));
    for (index, word) in words.iter_mut().enumerate() {
        *word = 0;
        for group in 0..4 {
            let at = 4 * index + group;
            let mut inside = 0xffff;
            for (plane, [x, y, z]) in planes.0.iter().zip(&corners) {
                let [a, b, c] = plane.normal;
                let x = _mm512_mul_ps(_mm512_set1_ps(a), load(&x[at]));
                let y = _mm512_mul_ps(_mm512_set1_ps(b), load(&y[at]));
                let z = _mm512_mul_ps(_mm512_set1_ps(c), load(&z[at]));
                let height =
                    _mm512_add_ps(_mm512_add_ps(_mm512_add_ps(x, y), z), _mm512_set1_ps(plane.d));
                inside &= _mm512_cmp_ps_mask::<_CMP_GE_OQ>(height, _mm512_setzero_ps());
            }
            *word |= u64::from(inside) << (16 * group);
        }
    }
}
