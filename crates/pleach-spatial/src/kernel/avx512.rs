//! AVX-512: columns of boxes, sixteen at a time in 512-bit registers, and listing of bits.
//!
//! The same operations in the same order as `scalar.rs`.

#![allow(unsafe_code, reason = "loads of sixteen floats, stores into reserved memory")]

use core::arch::x86_64::*;

use super::{CullPlanes, FIRST_PLANES};
use crate::index::rows::{CacheLine, LINE, WORD};

#[inline]
#[target_feature(enable = "avx512f")]
fn load(line: &CacheLine) -> __m512 {
    // SAFETY: a line is sixteen floats, aligned to 64 bytes.
    unsafe { _mm512_load_ps(line.0.as_ptr()) }
}

#[target_feature(enable = "avx512f")]
pub(crate) fn cull_columns(columns: [&[CacheLine]; 6], planes: &CullPlanes, words: &mut [u64]) {
    const LINES: usize = WORD / LINE;
    let columns = columns.map(|column| column.as_chunks::<LINES>().0);
    // The three columns of each plane, so that the loop has no branches.
    let corners = planes.0.map(|plane| plane.positive_vertex.map(|column| columns[column]));
    let coefficients = planes.0.map(|plane| {
        let [a, b, c] = plane.normal;
        [_mm512_set1_ps(a), _mm512_set1_ps(b), _mm512_set1_ps(c), _mm512_set1_ps(plane.d)]
    });
    for (index, word) in words.iter_mut().enumerate() {
        *word = 0;
        'lines: for line in 0..LINES {
            let mut lowest = _mm512_set1_ps(f32::INFINITY);
            for (number, ([a, b, c, d], corner)) in coefficients.iter().zip(&corners).enumerate() {
                let [x, y, z] = corner;
                let x = _mm512_mul_ps(*a, load(&x[index][line]));
                let y = _mm512_mul_ps(*b, load(&y[index][line]));
                let z = _mm512_mul_ps(*c, load(&z[index][line]));
                let distance = _mm512_add_ps(_mm512_add_ps(_mm512_add_ps(x, y), z), *d);
                lowest = _mm512_min_ps(distance, lowest);
                if number + 1 == FIRST_PLANES
                    && _mm512_cmp_ps_mask::<_CMP_GE_OQ>(lowest, _mm512_setzero_ps()) == 0
                {
                    continue 'lines;
                }
            }
            let inside = _mm512_cmp_ps_mask::<_CMP_GE_OQ>(lowest, _mm512_setzero_ps());
            *word |= u64::from(inside) << (LINE * line);
        }
    }
}

/// Appends the indices of the bits that are set. Sixteen at a time, without a branch for each bit:
/// such branches would be mispredicted half of the time.
#[target_feature(enable = "avx512f,popcnt")]
pub(crate) fn list_bits(words: &[u64], numbers: &mut Vec<u32>) {
    let first = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    super::scalar::each_word(words, |index, word| {
        numbers.reserve(word.count_ones() as usize + LINE);
        let mut at = numbers.len();
        for quarter in 0..WORD / LINE {
            let bits = (word >> (LINE * quarter)) as u16;
            let base = (index * WORD + quarter * LINE) as i32;
            let all = _mm512_add_epi32(first, _mm512_set1_epi32(base));
            // SAFETY: `at` numbers have been written, and capacity was reserved for the word's
            // bits and one more line.
            unsafe {
                let to = numbers.as_mut_ptr().add(at);
                _mm512_storeu_si512(to.cast(), _mm512_maskz_compress_epi32(bits, all));
            }
            at += bits.count_ones() as usize;
        }
        // SAFETY: `at` numbers have been written, within the capacity.
        unsafe { numbers.set_len(at) };
    });
}
