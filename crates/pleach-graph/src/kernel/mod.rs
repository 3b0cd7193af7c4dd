//! Kernels: world transforms of a list of nodes of one depth.
//!
//! `scalar.rs` is the definition; `sse2.rs`, `avx2.rs` and `avx512.rs` are its
//! twins, equal bit for bit. The kernel is chosen here, once, from what the CPU
//! at hand has, since a crate is compiled for the oldest one. (Targets without
//! float registers, such as kernels of operating systems, get the scalar one.)

#![allow(unsafe_code, reason = "calls kernels that need a CPU feature, after asking for it")]

pub(crate) mod scalar;

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod avx2;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod avx512;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod sse2;

use crate::Transform;

/// The world column, as kernels see it.
///
/// Two implementations: the column itself, and the view that threads share in
/// `parallel.rs`.
pub(crate) trait Worlds {
    fn get(&self, slot: usize) -> &[f32; 16];
    /// Where the world of `slot` is to be written; 64-byte aligned.
    fn row(&mut self, slot: usize) -> &mut [f32; 16];
}

/// Which implementation of propagation computes the world transforms.
///
/// All give the same bits; they differ in speed only. A [`Graph`](crate::Graph)
/// starts with the fastest this CPU can run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kernel {
    /// Plain Rust, on any machine.
    Scalar,
    /// One matrix column in a 128-bit register.
    Sse2,
    /// Two matrix columns in a 256-bit register.
    Avx2,
    /// A whole matrix in a 512-bit register.
    Avx512,
}

impl Kernel {
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
            Self::Avx512 => std::arch::is_x86_feature_detected!("avx512f"),
            #[cfg(not(all(target_arch = "x86_64", target_feature = "sse2", feature = "std")))]
            Self::Avx2 => cfg!(all(target_arch = "x86_64", target_feature = "avx2")),
            #[cfg(not(all(target_arch = "x86_64", target_feature = "sse2", feature = "std")))]
            Self::Avx512 => cfg!(all(target_arch = "x86_64", target_feature = "avx512f")),
        }
    }

    /// The fastest kernel this CPU can run.
    #[must_use]
    pub fn best() -> Self {
        let mut widest_first = Self::ALL.into_iter().rev();
        widest_first.find(|kernel| kernel.is_available()).unwrap_or(Self::Scalar)
    }

    /// World transforms of roots.
    pub(crate) fn roots<W: Worlds + ?Sized>(
        self,
        slots: &[u32],
        locals: &[Transform],
        worlds: &mut W,
    ) {
        // Composing without a product is cheap, and few nodes are roots: one
        // kernel serves all.
        scalar::roots(slots, locals, worlds);
    }

    /// World transforms of nodes whose parents' are up to date.
    pub(crate) fn children<W: Worlds + ?Sized>(
        self,
        slots: &[u32],
        parents: &[u32],
        locals: &[Transform],
        worlds: &mut W,
    ) {
        match self {
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            // SAFETY: compiled only for targets that have SSE2.
            Self::Sse2 => unsafe { sse2::children(slots, parents, locals, worlds) },
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            // SAFETY: a graph holds only kernels that `is_available` vouched for.
            Self::Avx2 => unsafe { avx2::children(slots, parents, locals, worlds) },
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            // SAFETY: as above.
            Self::Avx512 => unsafe { avx512::children(slots, parents, locals, worlds) },
            _ => scalar::children(slots, parents, locals, worlds),
        }
    }
}
