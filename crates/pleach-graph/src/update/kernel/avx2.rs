//! The AVX2 kernel: two matrix columns per register.
//!
//! Gives the same bits as `scalar.rs`: each lane does the operations that the
//! scalar kernel does for its element, in the same order, never fused. `avx512.rs`
//! explains how the elements are computed from the quaternion.

#![allow(unsafe_code, reason = "loads and stores of SIMD registers")]

use core::arch::x86_64::*;

use super::sse2::{load3, quaternion};
use super::{Batch, Worlds, prefetch};

const X: i32 = 0;
const Y: i32 = 1;
const Z: i32 = 2;
const W: i32 = 3;
const NEGATE: i32 = i32::MIN;

/// Computes the world transforms of nodes with parents.
#[target_feature(enable = "avx2")]
pub(super) fn children<C: Worlds + ?Sized>(batch: Batch<'_>, worlds: &mut C) {
    // Columns 0 and 1, then columns 2 and 3; column 3 is overwritten below.
    let u = [lanes([Y, X, X, 0, X, X, Y, 0]), lanes([X, Y, X, 0, 0, 0, 0, 0])];
    let v = [lanes([Y, Y, Z, 0, Y, X, Z, 0]), lanes([Z, Z, X, 0, 0, 0, 0, 0])];
    let p = [lanes([Z, W, W, 0, W, Z, W, 0]), lanes([W, W, Y, 0, 0, 0, 0, 0])];
    let q = [lanes([Z, Z, Y, 0, Z, Z, X, 0]), lanes([Y, X, Y, 0, 0, 0, 0, 0])];
    let signs = [
        _mm256_castsi256_ps(lanes([0, 0, NEGATE, 0, NEGATE, 0, 0, 0])),
        _mm256_castsi256_ps(lanes([0, NEGATE, 0, 0, 0, 0, 0, 0])),
    ];
    let scales = [lanes([X, X, X, X, Y, Y, Y, Y]), lanes([Z, Z, Z, Z, Z, Z, Z, Z])];
    let one = _mm256_set1_ps(1.0);
    let last_rows = [_mm256_setzero_ps(), _mm256_setr_ps(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)];
    let (min, max) = (_mm256_set1_ps(-f32::MAX), _mm256_set1_ps(f32::MAX));

    for (slot, ahead) in batch.slots_with_lookahead() {
        prefetch(batch.locals, worlds, ahead);
        let parent = worlds.get(batch.parents[slot] as usize);
        let local = &batch.locals[slot];
        let rotation = quaternion(local);
        let rotation = _mm256_set_m128(rotation, rotation);
        let doubled = _mm256_add_ps(rotation, rotation);
        let scale = load3(local.scale);
        let scale = _mm256_set_m128(scale, scale);

        // SAFETY: `parent` is 16 floats: four columns of four.
        let [px, py, pz, pw] = unsafe {
            [0, 4, 8, 12].map(|i| _mm256_broadcast_ps(&*parent.as_ptr().add(i).cast::<__m128>()))
        };
        let translations =
            [_mm256_setzero_ps(), _mm256_blend_ps::<0b1111_0000>(_mm256_setzero_ps(), pw)];

        let mut halves = [_mm256_setzero_ps(); 2];
        for half in 0..2 {
            let a = _mm256_mul_ps(
                _mm256_permutevar_ps(rotation, u[half]),
                _mm256_permutevar_ps(doubled, v[half]),
            );
            let b = _mm256_mul_ps(
                _mm256_permutevar_ps(rotation, p[half]),
                _mm256_permutevar_ps(doubled, q[half]),
            );
            let sum = _mm256_add_ps(a, _mm256_xor_ps(b, signs[half]));
            let diagonal = _mm256_sub_ps(one, sum);
            let rotated = if half == 0 {
                _mm256_blend_ps::<0b0010_0001>(sum, diagonal)
            } else {
                _mm256_blend_ps::<0b0000_0100>(sum, diagonal)
            };
            let mut local_half = _mm256_mul_ps(rotated, _mm256_permutevar_ps(scale, scales[half]));
            if half == 1 {
                local_half = _mm256_insertf128_ps::<1>(local_half, load3(local.translation));
            }
            let x = _mm256_mul_ps(px, _mm256_permute_ps::<0b00_00_00_00>(local_half));
            let y = _mm256_mul_ps(py, _mm256_permute_ps::<0b01_01_01_01>(local_half));
            let z = _mm256_mul_ps(pz, _mm256_permute_ps::<0b10_10_10_10>(local_half));
            let linear = _mm256_add_ps(_mm256_add_ps(x, y), z);
            let translated = _mm256_add_ps(linear, translations[half]);
            let finite = _mm256_min_ps(_mm256_max_ps(translated, min), max);
            halves[half] = _mm256_blend_ps::<0b1000_1000>(finite, last_rows[half]);
        }
        let world = worlds.get_mut(slot).as_mut_ptr();
        // SAFETY: `world` is 16 floats, 64-byte aligned as `Worlds` guarantees.
        unsafe {
            _mm256_store_ps(world, halves[0]);
            _mm256_store_ps(world.add(8), halves[1]);
        }
    }
}

#[target_feature(enable = "avx2")]
fn lanes(values: [i32; 8]) -> __m256i {
    // SAFETY: `values` is 8 integers.
    unsafe { _mm256_loadu_si256(values.as_ptr().cast()) }
}
