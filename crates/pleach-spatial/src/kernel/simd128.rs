//! simd128: the registers of `four_lanes.rs` in WebAssembly, if the crate is compiled for it.

#![allow(unsafe_code, reason = "loads and stores of registers")]

use core::arch::wasm32::*;

use super::four_lanes::Lanes;

#[derive(Clone, Copy, Debug)]
pub(super) struct Simd128(v128);

impl Lanes for Simd128 {
    #[inline(always)]
    fn load(values: &[f32; 4]) -> Self {
        // SAFETY: sixteen bytes are read from four numbers; no alignment is necessary.
        Self(unsafe { v128_load(values.as_ptr().cast()) })
    }

    #[inline(always)]
    fn store(self) -> [f32; 4] {
        let mut values = [0.0; 4];
        // SAFETY: sixteen bytes are written to four numbers; no alignment is necessary.
        unsafe { v128_store(values.as_mut_ptr().cast(), self.0) };
        values
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
    fn or_greater(self, other: Self) -> Self {
        // Returns its first operand unless the second is greater.
        Self(f32x4_pmax(other.0, self.0))
    }

    #[inline(always)]
    fn or_less(self, other: Self) -> Self {
        // Returns its first operand unless the second is less.
        Self(f32x4_pmin(other.0, self.0))
    }

    #[inline(always)]
    fn less(self, other: Self) -> u32 {
        u32::from(u32x4_bitmask(f32x4_lt(self.0, other.0)))
    }

    #[inline(always)]
    fn at_most(self, other: Self) -> u32 {
        u32::from(u32x4_bitmask(f32x4_le(self.0, other.0)))
    }
}
