//! simd128: the registers of `four_lanes.rs` in WebAssembly, if the crate is compiled
//! for it.

#![allow(unsafe_code, reason = "loads and stores of registers")]

use core::arch::wasm32::*;

use super::four_lanes::{self, Lanes};
use super::{Batch, Worlds};

/// Computes the world transforms of nodes with parents.
pub(super) fn children<C: Worlds + ?Sized>(batch: Batch<'_>, worlds: &mut C) {
    four_lanes::children::<Simd128, C>(batch, worlds);
}

#[derive(Clone, Copy)]
struct Simd128(v128);

impl Lanes for Simd128 {
    #[inline(always)]
    fn load(values: &[f32; 4]) -> Self {
        // SAFETY: sixteen bytes are read from four numbers; no alignment is necessary.
        Self(unsafe { v128_load(values.as_ptr().cast()) })
    }

    #[inline(always)]
    fn store(self, values: &mut [f32; 4]) {
        // SAFETY: sixteen bytes are written to four numbers; no alignment is necessary.
        unsafe { v128_store(values.as_mut_ptr().cast(), self.0) }
    }

    #[inline(always)]
    fn splat(value: f32) -> Self {
        Self(f32x4_splat(value))
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(f32x4_add(self.0, other.0))
    }

    #[inline(always)]
    fn subtract(self, other: Self) -> Self {
        Self(f32x4_sub(self.0, other.0))
    }

    #[inline(always)]
    fn multiply(self, other: Self) -> Self {
        Self(f32x4_mul(self.0, other.0))
    }

    #[inline(always)]
    fn shuffle<const A: usize, const B: usize, const C: usize>(self) -> Self {
        Self(i32x4_shuffle::<A, B, C, 3>(self.0, self.0))
    }

    #[inline(always)]
    fn broadcast<const LANE: usize>(self) -> Self {
        Self(i32x4_shuffle::<LANE, LANE, LANE, LANE>(self.0, self.0))
    }

    #[inline(always)]
    fn with_lane<const LANE: usize>(self, other: Self) -> Self {
        Self(match LANE {
            0 => i32x4_shuffle::<4, 1, 2, 3>(self.0, other.0),
            1 => i32x4_shuffle::<0, 5, 2, 3>(self.0, other.0),
            2 => i32x4_shuffle::<0, 1, 6, 3>(self.0, other.0),
            _ => i32x4_shuffle::<0, 1, 2, 7>(self.0, other.0),
        })
    }

    #[inline(always)]
    fn flip_signs(self, signs: Self) -> Self {
        Self(v128_xor(self.0, signs.0))
    }

    #[inline(always)]
    fn saturate(self) -> Self {
        // These return the first operand unless the second is greater, or less.
        let lowest = f32x4_pmax(f32x4_splat(-f32::MAX), self.0);
        Self(f32x4_pmin(f32x4_splat(f32::MAX), lowest))
    }
}
