//! `AssetVersion<T>`: one version of an asset, and `AssetRef<T>`, a guard that reads it.
//!
//! Invariant: a version never changes after it was created, except for the cells of derived data,
//! which are filled on first use and depend on the value alone.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::registry::Asset;

/// One version of an asset: the value, its number, and the data derived from it. Dereferences to
/// the value.
///
/// Returned by [`Handle::snapshot`](crate::Handle::snapshot), and by
/// [`Handle::get`](crate::Handle::get) behind a guard.
///
/// ```
/// use pleach::{Assets, Material};
///
/// let paint = Assets::new().add(Material::default());
/// let version = paint.snapshot();
/// assert_eq!((version.version(), version.roughness), (1, 1.0));
/// ```
pub struct AssetVersion<T: Asset> {
    value: T,
    derived: T::Derived,
    version: u64,
    /// The hash of the value for revisions; 0 if it was not computed.
    content: AtomicU64,
}

impl<T: Asset> AssetVersion<T> {
    pub(super) fn new(value: T, version: u64) -> Self {
        Self { value, derived: T::Derived::default(), version, content: AtomicU64::new(0) }
    }

    /// Returns the hash of the value, if it was set.
    pub(crate) fn content_hash(&self) -> Option<u64> {
        Some(self.content.load(Ordering::Relaxed)).filter(|&hash| hash != 0)
    }

    /// Keeps the hash of the value, which must depend on nothing else.
    pub(crate) fn set_content_hash(&self, hash: u64) {
        self.content.store(hash, Ordering::Relaxed);
    }

    /// Returns the number of this version: 1 for the first.
    #[must_use]
    #[inline]
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Returns the value.
    #[must_use]
    #[inline]
    pub fn value(&self) -> &T {
        &self.value
    }

    /// Returns the data derived from the value; see [`Asset::Derived`].
    #[must_use]
    #[inline]
    pub fn derived(&self) -> &T::Derived {
        &self.derived
    }

    /// Returns the value of a version that was taken out of its `Arc`, as by [`Arc::try_unwrap`];
    /// see [`Handle::replace`](crate::Handle::replace).
    #[must_use]
    pub fn into_value(self) -> T {
        self.value
    }
}

impl<T: Asset> Deref for AssetVersion<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: Asset + fmt::Debug> fmt::Debug for AssetVersion<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}

/// A guard that reads one [version](AssetVersion) of an asset, and through it the value.
///
/// Returned by [`Handle::get`](crate::Handle::get). It is not connected to the handle, which may be
/// dropped meanwhile.
pub struct AssetRef<T: Asset> {
    guard: arc_swap::Guard<Arc<AssetVersion<T>>>,
}

impl<T: Asset> AssetRef<T> {
    #[inline]
    pub(super) fn new(guard: arc_swap::Guard<Arc<AssetVersion<T>>>) -> Self {
        Self { guard }
    }
}

impl<T: Asset> Deref for AssetRef<T> {
    type Target = AssetVersion<T>;

    #[inline]
    fn deref(&self) -> &AssetVersion<T> {
        &self.guard
    }
}

impl<T: Asset + fmt::Debug> fmt::Debug for AssetRef<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}
