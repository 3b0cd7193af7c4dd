//! Prefetching: hints that a cache line is needed soon. Results never depend on them; on other
//! platforms than x86-64 they do nothing.

#![allow(unsafe_code, reason = "the prefetch instruction")]

use crate::bvh::node::Node;

/// Prefetches the cache line of an address, which does not have to be valid.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
#[inline(always)]
fn prefetch_address<T>(address: *const T) {
    use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: SSE, which the target has; any address may be prefetched.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) };
}

#[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
#[inline(always)]
fn prefetch_address<T>(_: *const T) {}

/// Prefetches the cache line in which a value begins.
#[inline(always)]
pub(crate) fn prefetch<T>(value: &T) {
    prefetch_address(core::ptr::from_ref(value));
}

/// Prefetches the cache line in which an element of a slice begins; does not check the index. Enough if
/// neighbouring elements are read, too.
#[inline(always)]
pub(crate) fn prefetch_start<T>(slice: &[T], index: usize) {
    prefetch_address(slice.as_ptr().wrapping_add(index));
}

/// Prefetches the cache lines in which an element of a slice begins and ends; does not check the
/// index.
#[inline(always)]
pub(crate) fn prefetch_element<T>(slice: &[T], index: usize) {
    let element = slice.as_ptr().wrapping_add(index);
    prefetch_address(element);
    prefetch_address(element.cast::<u8>().wrapping_add(size_of::<T>() - 1));
}

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
