//! The AVX-512 kernel: one matrix per register.
//!
//! Gives the same bits as `scalar.rs`: each lane does the operations that the
//! scalar kernel does for its element, in the same order, never fused.
//!
//! Each lane selects the quaternion components, and the scale or translation, that
//! its element consists of.

#![allow(unsafe_code, reason = "loads and stores of SIMD registers")]

use core::arch::x86_64::*;
use core::mem::offset_of;

use super::{Batch, Worlds, prefetch};
use crate::Transform;

/// The offsets of translation and scale in a transform, in floats.
const T: i32 = offset_of!(Transform, translation) as i32 / 4;
const S: i32 = offset_of!(Transform, scale) as i32 / 4;
/// The floats of translation and scale, without rotation and padding.
const MASK: u16 = (0b111 << T) | (0b111 << S);
const _: () = assert!(size_of::<Transform>() <= 64, "a transform fits one register");

/// Computes the world transforms of nodes with parents.
#[target_feature(enable = "avx512f,avx512dq")]
pub(super) fn children<C: Worlds + ?Sized>(batch: Batch<'_>, worlds: &mut C) {
    // An element of the rotation matrix is the sum of two products of quaternion
    // components, one of them doubled, and on the diagonal of 1:
    //   1−yy−zz  xy+wz  xz−wy  ·  xy−wz  1−xx−zz  yz+wx  ·  xz+wy  yz−wx  1−xx−yy
    // `a` and `b` select the first component of either product, `a2` and `b2` the
    // doubled one; upper case are negated components. −(a + b) has the bits of (−a)
    // + (−b). Off the diagonal 0 is added, which may change the sign of a zero; the
    // last addition of a product, of the parent's translation or 0, makes that
    // irrelevant.
    //
    // In the lanes of the translation the products are 0 and the sum is 1, so that
    // the scaling that follows inserts the translation.
    let [x, y, z, w] = [0, 1, 2, 3];
    #[allow(non_snake_case, reason = "the negatives of x y z, and zero")]
    let [X, Y, Z, O] = [4, 5, 6, 8];
    let a = lanes([y, x, x, 0, x, x, y, 0, x, y, x, 0, 0, 0, 0, 0]);
    let a2 = lanes([Y, y, z, 0, y, X, z, 0, z, z, X, 0, O, O, O, 0]);
    let b = lanes([z, w, w, 0, w, z, w, 0, w, w, y, 0, 0, 0, 0, 0]);
    let b2 = lanes([Z, z, Y, 0, Z, Z, x, 0, y, X, Y, 0, O, O, O, 0]);
    let doubling = _mm512_setr_ps(
        2.0, 2.0, 2.0, 2.0, -2.0, -2.0, -2.0, -2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
    );
    let diagonal = _mm512_setr_ps(
        1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0,
    );
    let [sx, sy, sz] = [S, S + 1, S + 2];
    let [tx, ty, tz] = [T, T + 1, T + 2];
    let factors = lanes([sx, sx, sx, 0, sy, sy, sy, 0, sz, sz, sz, 0, tx, ty, tz, 0]);
    let last_column = lanes([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, -1, -1]);
    let last_column = _mm512_castsi512_ps(last_column);
    let upper_rows = lanes([-1, -1, -1, 0, -1, -1, -1, 0, -1, -1, -1, 0, -1, -1, -1, 0]);
    let last_row = lanes([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1.0f32.to_bits() as i32]);
    let max = _mm512_set1_ps(f32::MAX);

    for (slot, ahead) in batch.slots_with_lookahead() {
        prefetch(batch.locals, worlds, ahead);
        let parent = worlds.get(batch.parents[slot] as usize).as_ptr();
        // SAFETY: `parent` points to 16 floats: four columns of four.
        let [px, py, pz, pw] = unsafe { [0, 4, 8, 12].map(|i| broadcast4(parent.add(i))) };
        let local: *const Transform = &raw const batch.locals[slot];
        // SAFETY: `MASK` excludes everything but floats of the transform.
        let row = unsafe { _mm512_maskz_loadu_ps(MASK, local.cast()) };

        // SAFETY: a quaternion is four floats.
        let rotation = unsafe { broadcast4((&raw const batch.locals[slot].rotation).cast()) };
        let doubled = _mm512_mul_ps(rotation, doubling);
        let sum = _mm512_add_ps(
            _mm512_mul_ps(_mm512_permutevar_ps(rotation, a), _mm512_permutexvar_ps(a2, doubled)),
            _mm512_mul_ps(_mm512_permutevar_ps(rotation, b), _mm512_permutexvar_ps(b2, doubled)),
        );
        let rotation_matrix = _mm512_add_ps(diagonal, sum);
        let local = _mm512_mul_ps(rotation_matrix, _mm512_permutexvar_ps(factors, row));

        let x = _mm512_mul_ps(px, _mm512_permute_ps::<0b00_00_00_00>(local));
        let y = _mm512_mul_ps(py, _mm512_permute_ps::<0b01_01_01_01>(local));
        let z = _mm512_mul_ps(pz, _mm512_permute_ps::<0b10_10_10_10>(local));
        let linear = _mm512_add_ps(_mm512_add_ps(x, y), z);
        let translated = _mm512_add_ps(linear, _mm512_and_ps(pw, last_column));
        // The number of smaller magnitude of the value and the largest finite
        // number, with the sign of the value; a NaN, whose sign bit is set here,
        // counts as larger.
        let finite = _mm512_range_ps::<0b00_10>(translated, max);
        // (finite & upper_rows) | last_row
        let world = _mm512_ternarylogic_epi32::<0b1110_1010>(
            _mm512_castps_si512(finite),
            upper_rows,
            last_row,
        );
        // SAFETY: the row is 16 floats, 64-byte aligned as `Worlds` guarantees.
        unsafe { _mm512_store_ps(worlds.get_mut(slot).as_mut_ptr(), _mm512_castsi512_ps(world)) };
    }
}

/// Loads four floats into each quarter of the register.
///
/// # Safety
///
/// `column` points to four floats.
#[target_feature(enable = "avx512f,avx512dq")]
unsafe fn broadcast4(column: *const f32) -> __m512 {
    // SAFETY: the caller guarantees four floats.
    _mm512_broadcast_f32x4(unsafe { _mm_loadu_ps(column) })
}

#[target_feature(enable = "avx512f,avx512dq")]
fn lanes(values: [i32; 16]) -> __m512i {
    // SAFETY: `values` is 16 integers.
    unsafe { _mm512_loadu_si512(values.as_ptr().cast()) }
}
