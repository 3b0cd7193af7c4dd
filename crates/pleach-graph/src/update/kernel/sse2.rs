//! The SSE2 kernel: one matrix column per register. Every x86-64 CPU supports it.
//!
//! Gives the same bits as `scalar.rs`: each lane does the operations that the
//! scalar kernel does for its element, in the same order, never fused. `avx512.rs`
//! explains how the elements are computed from the quaternion.

#![allow(unsafe_code, reason = "loads and stores of SIMD registers")]

use core::arch::x86_64::*;

use glam::Vec3;

use super::{Batch, Worlds, prefetch};
use crate::Transform;

/// Computes the world transforms of nodes with parents.
#[target_feature(enable = "sse2")]
pub(super) fn children<C: Worlds + ?Sized>(batch: Batch<'_>, worlds: &mut C) {
    for (slot, ahead) in batch.slots_with_lookahead() {
        prefetch(batch.locals, worlds, ahead);
        let parent = worlds.get(batch.parents[slot] as usize);
        // SAFETY: `parent` is 16 floats: four columns of four.
        let parent = unsafe { [0, 4, 8, 12].map(|i| _mm_loadu_ps(parent.as_ptr().add(i))) };
        let columns = product(parent, &batch.locals[slot]);
        let world = worlds.get_mut(slot).as_mut_ptr();
        for (index, column) in columns.into_iter().enumerate() {
            // SAFETY: `world` is 16 floats, 64-byte aligned as `Worlds` guarantees.
            unsafe { _mm_store_ps(world.add(index * 4), column) };
        }
    }
}

const X: i32 = 0;
const Y: i32 = 1;
const Z: i32 = 2;
const W: i32 = 3;

/// The shuffle that selects these components for rows 0, 1 and 2.
const fn shuffle(row0: i32, row1: i32, row2: i32) -> i32 {
    row0 | row1 << 2 | row2 << 4
}

#[inline]
#[target_feature(enable = "sse2")]
fn product(parent: [__m128; 4], local: &Transform) -> [__m128; 4] {
    let rotation = quaternion(local);
    let doubled = _mm_add_ps(rotation, rotation);
    let (negate, zero) = (-0.0f32, 0.0f32);
    let one = _mm_set1_ps(1.0);

    let a = _mm_mul_ps(
        _mm_shuffle_ps::<{ shuffle(Y, X, X) }>(rotation, rotation),
        _mm_shuffle_ps::<{ shuffle(Y, Y, Z) }>(doubled, doubled),
    );
    let b = _mm_mul_ps(
        _mm_shuffle_ps::<{ shuffle(Z, W, W) }>(rotation, rotation),
        _mm_shuffle_ps::<{ shuffle(Z, Z, Y) }>(doubled, doubled),
    );
    let sum = _mm_add_ps(a, _mm_xor_ps(b, _mm_setr_ps(zero, zero, negate, zero)));
    let column0 = diagonal(sum, one, _mm_setr_epi32(-1, 0, 0, 0));

    let a = _mm_mul_ps(
        _mm_shuffle_ps::<{ shuffle(X, X, Y) }>(rotation, rotation),
        _mm_shuffle_ps::<{ shuffle(Y, X, Z) }>(doubled, doubled),
    );
    let b = _mm_mul_ps(
        _mm_shuffle_ps::<{ shuffle(W, Z, W) }>(rotation, rotation),
        _mm_shuffle_ps::<{ shuffle(Z, Z, X) }>(doubled, doubled),
    );
    let sum = _mm_add_ps(a, _mm_xor_ps(b, _mm_setr_ps(negate, zero, zero, zero)));
    let column1 = diagonal(sum, one, _mm_setr_epi32(0, -1, 0, 0));

    let a = _mm_mul_ps(
        _mm_shuffle_ps::<{ shuffle(X, Y, X) }>(rotation, rotation),
        _mm_shuffle_ps::<{ shuffle(Z, Z, X) }>(doubled, doubled),
    );
    let b = _mm_mul_ps(
        _mm_shuffle_ps::<{ shuffle(W, W, Y) }>(rotation, rotation),
        _mm_shuffle_ps::<{ shuffle(Y, X, Y) }>(doubled, doubled),
    );
    let sum = _mm_add_ps(a, _mm_xor_ps(b, _mm_setr_ps(zero, negate, zero, zero)));
    let column2 = diagonal(sum, one, _mm_setr_epi32(0, 0, -1, 0));

    let zero = _mm_setzero_ps();
    [
        column(parent, _mm_mul_ps(column0, _mm_set1_ps(local.scale.x)), zero, 0.0),
        column(parent, _mm_mul_ps(column1, _mm_set1_ps(local.scale.y)), zero, 0.0),
        column(parent, _mm_mul_ps(column2, _mm_set1_ps(local.scale.z)), zero, 0.0),
        column(parent, load3(local.translation), parent[3], 1.0),
    ]
}

/// Returns `sum`, but `1 − sum` where the mask is set.
#[inline]
#[target_feature(enable = "sse2")]
fn diagonal(sum: __m128, one: __m128, mask: __m128i) -> __m128 {
    let mask = _mm_castsi128_ps(mask);
    _mm_or_ps(_mm_and_ps(mask, _mm_sub_ps(one, sum)), _mm_andnot_ps(mask, sum))
}

/// Returns one column of `parent × local`, saturated, with `last` as its last row.
#[inline]
#[target_feature(enable = "sse2")]
fn column(parent: [__m128; 4], local: __m128, translation: __m128, last: f32) -> __m128 {
    let x = _mm_mul_ps(parent[0], _mm_shuffle_ps::<0b00_00_00_00>(local, local));
    let y = _mm_mul_ps(parent[1], _mm_shuffle_ps::<0b01_01_01_01>(local, local));
    let z = _mm_mul_ps(parent[2], _mm_shuffle_ps::<0b10_10_10_10>(local, local));
    let linear = _mm_add_ps(_mm_add_ps(x, y), z);
    let translated = _mm_add_ps(linear, translation);
    let finite = _mm_min_ps(_mm_max_ps(translated, _mm_set1_ps(-f32::MAX)), _mm_set1_ps(f32::MAX));
    let rows = _mm_castsi128_ps(_mm_setr_epi32(-1, -1, -1, 0));
    _mm_or_ps(_mm_and_ps(rows, finite), _mm_setr_ps(0.0, 0.0, 0.0, last))
}

/// Loads the rotation as (x, y, z, w).
#[inline]
#[target_feature(enable = "sse2")]
pub(super) fn quaternion(local: &Transform) -> __m128 {
    let components = local.rotation.to_array();
    // SAFETY: `components` is four floats.
    unsafe { _mm_loadu_ps(components.as_ptr()) }
}

/// Loads a vector as (x, y, z, 0).
#[inline]
#[target_feature(enable = "sse2")]
pub(super) fn load3(vector: Vec3) -> __m128 {
    _mm_setr_ps(vector.x, vector.y, vector.z, 0.0)
}
