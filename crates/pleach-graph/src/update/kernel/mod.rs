//! Kernels: compute the world transforms of a list of nodes, parents before
//! children.
//!
//! `scalar.rs` is the reference implementation; `sse2.rs`, `avx2.rs`, `avx512.rs`,
//! `neon.rs` and `simd128.rs` give the same bits. The kernel is selected here, on
//! x86-64 at run time, from the features of the CPU, because a crate is compiled for
//! the oldest one. (Targets without float registers, such as operating system
//! kernels, use the scalar one.)

#![allow(unsafe_code, reason = "calls kernels that need a CPU feature, after detecting it")]

pub(crate) mod scalar;
pub(crate) mod world_products;

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod avx2;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod avx512;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod sse2;

#[cfg(any(
    all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"),
    all(target_arch = "wasm32", target_feature = "simd128"),
))]
mod four_lanes;
#[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
mod neon;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128;

use crate::Transform;

/// Access to the world column for kernels.
///
/// Two implementations: the column itself in `store/worlds.rs`, and the view shared
/// by threads in `update/parallel.rs`.
pub(crate) trait Worlds {
    /// Returns the matrix of a node that is not being written.
    fn get(&self, slot: usize) -> &[f32; 16];
    /// Returns the matrix of `slot` to write; 64-byte aligned.
    fn get_mut(&mut self, slot: usize) -> &mut [f32; 16];
    /// Returns the address of the matrix of `slot`, for prefetching only.
    fn address(&self, slot: usize) -> *const u8;
}

/// The input of a kernel: nodes, parents before children, and the columns it reads.
#[derive(Clone, Copy)]
pub(crate) struct Batch<'a> {
    pub(crate) slots: &'a [u32],
    pub(crate) parents: &'a [u32],
    pub(crate) locals: &'a [Transform],
}

impl<'a> Batch<'a> {
    #[inline(always)]
    fn slots(self) -> impl Iterator<Item = usize> + 'a {
        self.slots.iter().map(|&slot| slot as usize)
    }

    /// Returns the slots, each with the slot `PREFETCH_DISTANCE` later (near the
    /// end: the last).
    #[inline(always)]
    fn slots_with_lookahead(self) -> impl Iterator<Item = (usize, usize)> + 'a {
        let last = self.slots.last().copied().unwrap_or(0);
        let ahead =
            self.slots.iter().skip(PREFETCH_DISTANCE).copied().chain(core::iter::repeat(last));
        self.slots().zip(ahead.map(|slot| slot as usize))
    }
}

/// The number of nodes ahead of which memory is prefetched.
const PREFETCH_DISTANCE: usize = 24;

/// Prefetches the memory of `slot`, on targets with a prefetch instruction.
#[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
#[inline(always)]
fn prefetch<W: Worlds + ?Sized>(_: &[Transform], worlds: &W, slot: usize) {
    _ = worlds.address(slot);
}

/// Prefetches the memory of `slot`.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
#[inline(always)]
fn prefetch<W: Worlds + ?Sized>(locals: &[Transform], worlds: &W, slot: usize) {
    use core::arch::x86_64::{_MM_HINT_ET0, _MM_HINT_T0, _mm_prefetch};
    // SAFETY: compiled only for targets that have SSE2; any address may be
    // prefetched.
    unsafe {
        _mm_prefetch::<_MM_HINT_T0>(locals.as_ptr().wrapping_add(slot).cast());
        _mm_prefetch::<_MM_HINT_ET0>(worlds.address(slot).cast());
    }
}

/// An implementation of the computation of world transforms.
///
/// All give the same bits; they differ only in speed. A [`Graph`](crate::Graph)
/// starts with the fastest one that this CPU supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TransformKernel {
    /// Portable Rust.
    Scalar,
    /// One matrix column in a 128-bit register.
    Sse2,
    /// Two matrix columns in a 256-bit register.
    Avx2,
    /// A whole matrix in a 512-bit register.
    Avx512,
    /// One matrix column in a 128-bit register of an aarch64 CPU.
    Neon,
    /// One matrix column in a 128-bit register of WebAssembly, if the crate is
    /// compiled with the target feature `simd128`.
    Simd128,
}

impl TransformKernel {
    /// All kernels. Of those that a CPU supports, later ones are faster.
    pub const ALL: [Self; 6] =
        [Self::Scalar, Self::Sse2, Self::Avx2, Self::Avx512, Self::Neon, Self::Simd128];

    /// Returns `true` if this CPU supports the kernel.
    ///
    /// Without the `std` feature, only the features that the crate was compiled for
    /// are detected.
    ///
    /// ```
    /// use pleach_graph::TransformKernel;
    /// assert!(TransformKernel::Scalar.is_available());
    /// assert!(TransformKernel::best().is_available());
    /// ```
    #[must_use]
    pub fn is_available(self) -> bool {
        match self {
            Self::Scalar => true,
            Self::Sse2 => cfg!(all(target_arch = "x86_64", target_feature = "sse2")),
            Self::Neon => cfg!(all(
                target_arch = "aarch64",
                target_feature = "neon",
                target_endian = "little"
            )),
            Self::Simd128 => cfg!(all(target_arch = "wasm32", target_feature = "simd128")),
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2", feature = "std"))]
            Self::Avx2 => std::arch::is_x86_feature_detected!("avx2"),
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2", feature = "std"))]
            Self::Avx512 => {
                std::arch::is_x86_feature_detected!("avx512f")
                    && std::arch::is_x86_feature_detected!("avx512dq")
            }
            #[cfg(not(all(target_arch = "x86_64", target_feature = "sse2", feature = "std")))]
            Self::Avx2 => cfg!(all(target_arch = "x86_64", target_feature = "avx2")),
            #[cfg(not(all(target_arch = "x86_64", target_feature = "sse2", feature = "std")))]
            Self::Avx512 => cfg!(all(
                target_arch = "x86_64",
                target_feature = "avx512f",
                target_feature = "avx512dq"
            )),
        }
    }

    /// Returns the fastest kernel that this CPU supports.
    #[must_use]
    pub fn best() -> Self {
        let mut fastest_first = Self::ALL.into_iter().rev();
        fastest_first.find(|kernel| kernel.is_available()).unwrap_or(Self::Scalar)
    }

    /// Computes the world transforms of roots.
    pub(crate) fn roots<W: Worlds + ?Sized>(self, batch: Batch<'_>, worlds: &mut W) {
        // Composing without a product is cheap, and few nodes are roots, so the
        // scalar kernel serves all.
        scalar::roots(batch, worlds);
    }

    /// Computes the world transforms of nodes with parents, which are up to date or
    /// come earlier in the batch.
    pub(crate) fn children<W: Worlds + ?Sized>(self, batch: Batch<'_>, worlds: &mut W) {
        match self {
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            // SAFETY: compiled only for targets that have SSE2.
            Self::Sse2 => unsafe { sse2::children(batch, worlds) },
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            // SAFETY: a graph has only kernels for which `is_available` is true.
            Self::Avx2 => unsafe { avx2::children(batch, worlds) },
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            // SAFETY: same as above.
            Self::Avx512 => unsafe { avx512::children(batch, worlds) },
            #[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
            Self::Neon => neon::children(batch, worlds),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Self::Simd128 => simd128::children(batch, worlds),
            _ => scalar::children(batch, worlds),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;
    use glam::{Quat, Vec3};
    use testkit::Rng;

    /// Ordinary numbers, and edge cases of arithmetic if `wild`.
    fn number(rng: &mut Rng, wild: bool) -> f32 {
        let edge_cases =
            [0.0, -0.0, 1.0, -1.0, f32::MAX, -f32::MAX, f32::MIN_POSITIVE, 1e-45, 1e20, -1e30];
        match rng.below(24) {
            pick @ 0..10 if wild => edge_cases[pick],
            _ => rng.between(-10.0, 10.0),
        }
    }

    #[test]
    fn every_kernel_gives_the_bits_of_the_scalar_kernel() {
        let count = if cfg!(miri) { 40 } else { 20_000 };
        for (seed, wild) in [(1, false), (2, true), (3, true)] {
            let mut rng = Rng::new(seed);
            let mut vector = || Vec3::from_array([(); 3].map(|()| number(&mut rng, wild)));
            let locals: Vec<Transform> = (0..count)
                .map(|_| {
                    let (translation, scale, xyz) = (vector(), vector(), vector());
                    // Not always normalized: raw quaternions are allowed.
                    let rotation = Quat::from_xyzw(xyz.x, xyz.y, xyz.z, vector().x);
                    let rotation = if wild { rotation } else { rotation.normalize() };
                    Transform { translation, rotation, scale }
                })
                .collect();
            // The parents are the nodes of the first half, which are roots.
            let half = count / 2;
            let parents: Vec<u32> = (0..count).map(|slot| (slot % half) as u32).collect();
            let roots: Vec<u32> = (0..half as u32).collect();
            let slots: Vec<u32> = (half as u32..count as u32).rev().collect();
            let worlds_by = |kernel: TransformKernel| {
                let zero = crate::store::worlds::AlignedMatrix([0.0; 16]);
                let mut worlds = alloc::vec![zero; count];
                let batch = Batch { slots: &roots, parents: &parents, locals: &locals };
                kernel.roots(batch, &mut worlds[..]);
                kernel.children(Batch { slots: &slots, ..batch }, &mut worlds[..]);
                worlds
            };
            let expected = worlds_by(TransformKernel::Scalar);
            for kernel in TransformKernel::ALL {
                if !kernel.is_available() {
                    std::eprintln!("SKIPPED: this CPU does not support {kernel:?}");
                    continue;
                }
                for (slot, (ours, expected)) in worlds_by(kernel).iter().zip(&expected).enumerate()
                {
                    assert_eq!(
                        ours.0.map(f32::to_bits),
                        expected.0.map(f32::to_bits),
                        "{kernel:?}, seed {seed}, slot {slot}: {:?} below {:?}",
                        locals[slot],
                        locals[slot % half],
                    );
                    assert!(ours.0.iter().all(|v| v.is_finite()));
                }
            }
        }
    }
}
