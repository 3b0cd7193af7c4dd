//! Kernels: world transforms of a list of nodes, parents before children.
//!
//! `scalar.rs` is the definition; `sse2.rs`, `avx2.rs` and `avx512.rs` are its
//! twins, equal bit for bit. The kernel is chosen here, once, from what the CPU
//! at hand has, since a crate is compiled for the oldest one. (Targets without
//! float registers, such as kernels of operating systems, get the scalar one.)

#![allow(unsafe_code, reason = "calls kernels that need a CPU feature, after asking for it")]

pub(crate) mod scalar;
mod world_products;

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod avx2;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod avx512;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod sse2;

use crate::Transform;

/// The world column, as kernels see it.
///
/// Two implementations: the column itself in `worlds.rs`, and the view that
/// threads share in `parallel.rs`.
pub(crate) trait Worlds {
    /// The matrix of a node that is not being written.
    fn get(&self, slot: usize) -> &[f32; 16];
    /// Where the matrix of `slot` is to be written; 64-byte aligned.
    fn get_mut(&mut self, slot: usize) -> &mut [f32; 16];
    /// The address of the matrix of `slot`, not to be read or written through.
    fn address(&self, slot: usize) -> *const u8;
}

/// What a kernel works on: nodes, parents before children, and the columns it
/// reads.
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

    /// The slots, each with one that comes a while later (the last, near the end).
    #[inline(always)]
    fn slots_with_lookahead(self) -> impl Iterator<Item = (usize, usize)> + 'a {
        let last = self.slots.last().copied().unwrap_or(0);
        let ahead =
            self.slots.iter().skip(PREFETCH_DISTANCE).copied().chain(core::iter::repeat(last));
        self.slots().zip(ahead.map(|slot| slot as usize))
    }
}

/// How many nodes ahead memory is asked for.
const PREFETCH_DISTANCE: usize = 24;

/// Asks for the memory that `slot` will need, where there is a way to ask.
#[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
#[inline(always)]
fn prefetch<W: Worlds + ?Sized>(_: &[Transform], worlds: &W, slot: usize) {
    _ = worlds.address(slot);
}

/// Asks for the memory that `slot` will need.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
#[inline(always)]
fn prefetch<W: Worlds + ?Sized>(locals: &[Transform], worlds: &W, slot: usize) {
    use core::arch::x86_64::{_MM_HINT_ET0, _MM_HINT_T0, _mm_prefetch};
    // SAFETY: compiled only for targets that have SSE2; any address may be asked for.
    unsafe {
        _mm_prefetch::<_MM_HINT_T0>(locals.as_ptr().wrapping_add(slot).cast());
        _mm_prefetch::<_MM_HINT_ET0>(worlds.address(slot).cast());
    }
}

/// Which implementation of propagation computes the world transforms.
///
/// All give the same bits; they differ in speed only. A [`Graph`](crate::Graph)
/// starts with the fastest this CPU can run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TransformKernel {
    /// Plain Rust, on any machine.
    Scalar,
    /// One matrix column in a 128-bit register.
    Sse2,
    /// Two matrix columns in a 256-bit register.
    Avx2,
    /// A whole matrix in a 512-bit register.
    Avx512,
}

impl TransformKernel {
    /// All kernels, from the plainest to the widest.
    pub const ALL: [Self; 4] = [Self::Scalar, Self::Sse2, Self::Avx2, Self::Avx512];

    /// Can this CPU run it?
    ///
    /// Without the `std` feature only what the crate was compiled for is seen.
    ///
    /// ```
    /// use pleach_graph::Kernel;
    /// assert!(Kernel::Scalar.is_available());
    /// assert!(Kernel::best().is_available());
    /// ```
    #[must_use]
    pub fn is_available(self) -> bool {
        match self {
            Self::Scalar => true,
            Self::Sse2 => cfg!(all(target_arch = "x86_64", target_feature = "sse2")),
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

    /// The fastest kernel this CPU can run.
    #[must_use]
    pub fn best() -> Self {
        let mut widest_first = Self::ALL.into_iter().rev();
        widest_first.find(|kernel| kernel.is_available()).unwrap_or(Self::Scalar)
    }

    /// World transforms of roots.
    pub(crate) fn roots<W: Worlds + ?Sized>(self, batch: Batch<'_>, worlds: &mut W) {
        // Composing without a product is cheap, and few nodes are roots: one
        // kernel serves all.
        scalar::roots(batch, worlds);
    }

    /// World transforms of nodes with parents, which are up to date or come before
    /// them in the batch.
    pub(crate) fn children<W: Worlds + ?Sized>(self, batch: Batch<'_>, worlds: &mut W) {
        match self {
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            // SAFETY: compiled only for targets that have SSE2.
            Self::Sse2 => unsafe { sse2::children(batch, worlds) },
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            // SAFETY: a graph holds only kernels that `is_available` vouched for.
            Self::Avx2 => unsafe { avx2::children(batch, worlds) },
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            // SAFETY: as above.
            Self::Avx512 => unsafe { avx512::children(batch, worlds) },
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

    /// Ordinary numbers and the ones that trip arithmetic up.
    fn number(rng: &mut Rng, wild: bool) -> f32 {
        let odd =
            [0.0, -0.0, 1.0, -1.0, f32::MAX, -f32::MAX, f32::MIN_POSITIVE, 1e-45, 1e20, -1e30];
        match rng.below(24) {
            pick @ 0..10 if wild => odd[pick],
            _ => rng.between(-10.0, 10.0),
        }
    }

    #[test]
    fn every_kernel_has_the_bits_of_the_scalar_one() {
        let count = if cfg!(miri) { 40 } else { 20_000 };
        for (seed, wild) in [(1, false), (2, true), (3, true)] {
            let mut rng = Rng::new(seed);
            let mut vector = || Vec3::from_array([(); 3].map(|()| number(&mut rng, wild)));
            let locals: Vec<Transform> = (0..count)
                .map(|_| {
                    let (translation, scale, xyz) = (vector(), vector(), vector());
                    // Not always a unit: raw quaternions are allowed.
                    let rotation = Quat::from_xyzw(xyz.x, xyz.y, xyz.z, vector().x);
                    let rotation = if wild { rotation } else { rotation.normalize() };
                    Transform { translation, rotation, scale }
                })
                .collect();
            // Parents: nodes of the first half, whose worlds are their locals.
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
                    std::eprintln!("SKIPPED: this CPU cannot run {kernel:?}");
                    continue;
                }
                for (slot, (ours, expected)) in worlds_by(kernel).iter().zip(&expected).enumerate()
                {
                    assert_eq!(
                        ours.0.map(f32::to_bits),
                        expected.0.map(f32::to_bits),
                        "{kernel:?}, seed {seed}, slot {slot}: {:?} under {:?}",
                        locals[slot],
                        locals[slot % half],
                    );
                    assert!(ours.0.iter().all(|v| v.is_finite()));
                }
            }
        }
    }
}
