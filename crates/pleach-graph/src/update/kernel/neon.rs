//! NEON: the registers of `four_lanes.rs` on aarch64. Every such CPU supports it.

#![allow(unsafe_code, reason = "NEON intrinsics, on targets that have NEON")]

use core::arch::aarch64::*;

use super::four_lanes::{self, Lanes};
use super::{Batch, Worlds};

/// Computes the world transforms of nodes with parents.
pub(super) fn children<C: Worlds + ?Sized>(batch: Batch<'_>, worlds: &mut C) {
    four_lanes::children::<Neon, C>(batch, worlds);
}

#[derive(Clone, Copy)]
struct Neon(float32x4_t);

/// The bytes of four lanes of a register.
struct Bytes<const A: usize, const B: usize, const C: usize>;

impl<const A: usize, const B: usize, const C: usize> Bytes<A, B, C> {
    const INDICES: [u8; 16] = {
        let lanes = [A, B, C, 3];
        let mut bytes = [0; 16];
        let mut index = 0;
        while index < 16 {
            bytes[index] = (lanes[index / 4] * 4 + index % 4) as u8;
            index += 1;
        }
        bytes
    };
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
    fn store(self, values: &mut [f32; 4]) {
        unsafe { vst1q_f32(values.as_mut_ptr(), self.0) }
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
    fn shuffle<const A: usize, const B: usize, const C: usize>(self) -> Self {
        unsafe {
            let bytes = vld1q_u8(Bytes::<A, B, C>::INDICES.as_ptr());
            Self(vreinterpretq_f32_u8(vqtbl1q_u8(vreinterpretq_u8_f32(self.0), bytes)))
        }
    }

    #[inline(always)]
    fn broadcast<const LANE: usize>(self) -> Self {
        Self(unsafe {
            match LANE {
                0 => vdupq_laneq_f32::<0>(self.0),
                1 => vdupq_laneq_f32::<1>(self.0),
                2 => vdupq_laneq_f32::<2>(self.0),
                _ => vdupq_laneq_f32::<3>(self.0),
            }
        })
    }

    #[inline(always)]
    fn with_lane<const LANE: usize>(self, other: Self) -> Self {
        Self(unsafe {
            match LANE {
                0 => vcopyq_laneq_f32::<0, 0>(self.0, other.0),
                1 => vcopyq_laneq_f32::<1, 1>(self.0, other.0),
                2 => vcopyq_laneq_f32::<2, 2>(self.0, other.0),
                _ => vcopyq_laneq_f32::<3, 3>(self.0, other.0),
            }
        })
    }

    #[inline(always)]
    fn flip_signs(self, signs: Self) -> Self {
        unsafe {
            let bits = veorq_u32(vreinterpretq_u32_f32(self.0), vreinterpretq_u32_f32(signs.0));
            Self(vreinterpretq_f32_u32(bits))
        }
    }

    #[inline(always)]
    fn saturate(self) -> Self {
        // Of a number and a NaN these return the number.
        unsafe {
            let lowest = vmaxnmq_f32(self.0, vdupq_n_f32(-f32::MAX));
            Self(vminnmq_f32(lowest, vdupq_n_f32(f32::MAX)))
        }
    }
}
