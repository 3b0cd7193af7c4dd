//! The AVX-512 kernel: a whole matrix in one register.
//!
//! Twin of `scalar.rs`, equal bit for bit: each lane does the operations that
//! the scalar kernel does for its element, in the same order, never fused.
//!
//! A transform is loaded as one row of floats; each lane then picks the
//! quaternion, scale and translation parts that its element is made of.

#![allow(unsafe_code, reason = "loads and stores of SIMD registers")]

use core::arch::x86_64::*;
use core::mem::offset_of;

use super::Worlds;
use crate::Transform;

/// Where a transform's parts lie, in floats.
const T: i32 = offset_of!(Transform, translation) as i32 / 4;
const R: i32 = offset_of!(Transform, rotation) as i32 / 4;
const S: i32 = offset_of!(Transform, scale) as i32 / 4;
/// The floats of a row that are part of a transform and not padding.
const PARTS: u16 = (0b111 << T) | (0b1111 << R) | (0b111 << S);
const _: () = assert!(size_of::<Transform>() <= 64, "a transform fits one register");

const X: i32 = R;
const Y: i32 = R + 1;
const Z: i32 = R + 2;
const W: i32 = R + 3;

/// Lanes on the matrix diagonal, of the translation, and of the last row.
const DIAGONAL: u16 = 1 << 0 | 1 << 5 | 1 << 10;
const TRANSLATION: u16 = 0b111 << 12;
const LAST_COLUMN: u16 = 0b1111 << 12;
const LAST_ROW: u16 = 1 << 3 | 1 << 7 | 1 << 11 | 1 << 15;

/// World transforms of nodes whose parents' are up to date.
#[target_feature(enable = "avx512f")]
pub(super) fn children<C: Worlds + ?Sized>(
    slots: &[u32],
    parents: &[u32],
    locals: &[Transform],
    worlds: &mut C,
) {
    // An element is a ± b with a = u·2v and b = p·2q, quaternion parts by lane:
    //   yy+zz  xy+wz  xz−wy  ·  xy−wz  xx+zz  yz+wx  ·  xz+wy  yz−wx  xx+yy
    let u = lanes([Y, X, X, 0, X, X, Y, 0, X, Y, X, 0, 0, 0, 0, 0]);
    let v = lanes([Y, Y, Z, 0, Y, X, Z, 0, Z, Z, X, 0, 0, 0, 0, 0]);
    let p = lanes([Z, W, W, 0, W, Z, W, 0, W, W, Y, 0, 0, 0, 0, 0]);
    let q = lanes([Z, Z, Y, 0, Z, Z, X, 0, Y, X, Y, 0, 0, 0, 0, 0]);
    const MINUS: i32 = i32::MIN;
    let signs = lanes([0, 0, MINUS, 0, MINUS, 0, 0, 0, 0, MINUS, 0, 0, 0, 0, 0, 0]);
    const SX: i32 = S;
    const SY: i32 = S + 1;
    const SZ: i32 = S + 2;
    let scales = lanes([SX, SX, SX, 0, SY, SY, SY, 0, SZ, SZ, SZ, 0, 0, 0, 0, 0]);
    let translations = lanes([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, T, T + 1, T + 2, 0]);
    let one = _mm512_set1_ps(1.0);
    let last_row = _mm512_maskz_mov_ps(1 << 15, one);
    let (least, most) = (_mm512_set1_ps(-f32::MAX), _mm512_set1_ps(f32::MAX));

    for &slot in slots {
        let slot = slot as usize;
        let parent = worlds.get(parents[slot] as usize);
        // SAFETY: `parent` is 16 floats.
        let parent = unsafe { _mm512_loadu_ps(parent.as_ptr()) };
        let local: *const Transform = &raw const locals[slot];
        // SAFETY: PARTS masks everything but the floats of the transform.
        let row = unsafe { _mm512_maskz_loadu_ps(PARTS, local.cast()) };

        let twice = _mm512_add_ps(row, row);
        let a = _mm512_mul_ps(_mm512_permutexvar_ps(u, row), _mm512_permutexvar_ps(v, twice));
        let b = _mm512_mul_ps(_mm512_permutexvar_ps(p, row), _mm512_permutexvar_ps(q, twice));
        let b = _mm512_castsi512_ps(_mm512_xor_si512(_mm512_castps_si512(b), signs));
        let sum = _mm512_add_ps(a, b);
        let turn = _mm512_mask_sub_ps(sum, DIAGONAL, one, sum);
        let turn_scale = _mm512_mul_ps(turn, _mm512_permutexvar_ps(scales, row));
        let local = _mm512_mask_permutexvar_ps(turn_scale, TRANSLATION, translations, row);

        let x = _mm512_mul_ps(
            _mm512_shuffle_f32x4::<0b00_00_00_00>(parent, parent),
            _mm512_permute_ps::<0b00_00_00_00>(local),
        );
        let y = _mm512_mul_ps(
            _mm512_shuffle_f32x4::<0b01_01_01_01>(parent, parent),
            _mm512_permute_ps::<0b01_01_01_01>(local),
        );
        let z = _mm512_mul_ps(
            _mm512_shuffle_f32x4::<0b10_10_10_10>(parent, parent),
            _mm512_permute_ps::<0b10_10_10_10>(local),
        );
        let turned = _mm512_add_ps(_mm512_add_ps(x, y), z);
        let moved = _mm512_add_ps(turned, _mm512_maskz_mov_ps(LAST_COLUMN, parent));
        let finite = _mm512_min_ps(_mm512_max_ps(moved, least), most);
        let world = _mm512_mask_blend_ps(LAST_ROW, finite, last_row);
        // SAFETY: `row` is 16 floats, 64-byte aligned as `Worlds` promises.
        unsafe { _mm512_store_ps(worlds.row(slot).as_mut_ptr(), world) };
    }
}

#[target_feature(enable = "avx512f")]
fn lanes(of: [i32; 16]) -> __m512i {
    // SAFETY: `of` is 16 integers.
    unsafe { _mm512_loadu_si512(of.as_ptr().cast()) }
}
