//! Prefetching: hints that a cache line is needed soon. Results never depend on them; on other
//! platforms than x86-64 they do nothing.

#![allow(unsafe_code, reason = "the prefetch instruction")]

use crate::bvh::node::Node;

/// Prefetches the cache line in which a value begins.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
#[inline(always)]
pub(crate) fn prefetch<T>(value: &T) {
    use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: SSE, which the target has; any address may be prefetched.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(core::ptr::from_ref(value).cast()) };
}

#[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
#[inline(always)]
pub(crate) fn prefetch<T>(_: &T) {}

impl Node {
    /// Prefetches the four cache lines of the node.
    #[inline(always)]
    pub(crate) fn prefetch(&self) {
        self.bounds.iter().step_by(2).for_each(prefetch);
        self.prefetch_links();
    }

    /// Prefetches the links only.
    #[inline(always)]
    pub(crate) fn prefetch_links(&self) {
        prefetch(&self.children);
    }
}
