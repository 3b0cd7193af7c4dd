//! NEON: the registers of `four_lanes.rs` on aarch64. Every such CPU supports it.

#![allow(unsafe_code, reason = "NEON intrinsics, on targets that have NEON")]

use core::arch::aarch64::*;

use super::four_lanes::Lanes;

#[derive(Clone, Copy, Debug)]
pub(super) struct Neon(float32x4_t);

#[inline(always)]
fn bits(mask: uint32x4_t) -> u32 {
    // SAFETY: compiled only for targets that have NEON; four integers are read from an array of four.
    unsafe { vaddvq_u32(vandq_u32(mask, vld1q_u32([1, 2, 4, 8].as_ptr()))) }
}

// SAFETY, for all blocks below: this file is compiled only for targets that have NEON, and pointers
// are those of references to as many numbers as are read or written.
#[allow(clippy::undocumented_unsafe_blocks, reason = "documented for all of them above")]
impl Lanes for Neon {
    #[inline(always)]
    fn load(values: &[f32; 4]) -> Self {
        Self(unsafe { vld1q_f32(values.as_ptr()) })
    }

    #[inline(always)]
    fn store(self) -> [f32; 4] {
        let mut values = [0.0; 4];
        unsafe { vst1q_f32(values.as_mut_ptr(), self.0) };
        values
    }

    #[inline(always)]
    fn splat(value: f32) -> Self {
        Self(unsafe { vdupq_n_f32(value) })
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(unsafe { vaddq_f32(self.0, other.0) })
    }

    #[inline(always)]
    fn subtract(self, other: Self) -> Self {
        Self(unsafe { vsubq_f32(self.0, other.0) })
    }

    #[inline(always)]
    fn multiply(self, other: Self) -> Self {
        Self(unsafe { vmulq_f32(self.0, other.0) })
    }

    #[inline(always)]
    fn or_greater(self, other: Self) -> Self {
        Self(unsafe { vbslq_f32(vcgtq_f32(self.0, other.0), self.0, other.0) })
    }

    #[inline(always)]
    fn or_less(self, other: Self) -> Self {
        Self(unsafe { vbslq_f32(vcltq_f32(self.0, other.0), self.0, other.0) })
    }

    #[inline(always)]
    fn less(self, other: Self) -> u32 {
        bits(unsafe { vcltq_f32(self.0, other.0) })
    }

    #[inline(always)]
    fn at_most(self, other: Self) -> u32 {
        bits(unsafe { vcleq_f32(self.0, other.0) })
    }
}
