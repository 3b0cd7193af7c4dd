//! `Handle<T>`: a reference-counted asset, and `AssetId`, its identity.
//!
//! What many nodes share (geometry, materials, images) is held by handles. The value is stored with
//! its id, the data derived from it, and the registry that records when the last handle is dropped
//! (`registry.rs`).
//!
//! Invariant: an id identifies one value, forever. The value behind a handle changes only through
//! `make_mut`, which assigns another id first and drops derived data; so what is stored by id
//! elsewhere (a GPU buffer, a tree) is never used for the wrong value.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::num::{NonZeroU32, NonZeroU64};
use std::ops::Deref;
use std::sync::Arc;

use super::registry::{Asset, Assets};

/// A reference-counted handle of an asset, which is dropped with its last handle.
///
/// It dereferences to the asset, and is cheap to clone. Handles are equal if they refer to the same
/// asset; they are ordered by age of the asset and hash by its [`id`](Self::id).
///
/// ```
/// use pleach::{Assets, Handle, Material, glam::Vec4};
///
/// let assets = Assets::new();
/// let paint: Handle<Material> = assets.add(Material::default());
/// let same = paint.clone();
/// assert_eq!((paint.roughness, same.ref_count()), (1.0, 2));
///
/// // Changing one does not change the others.
/// let mut red = same.clone();
/// red.make_mut().base_color = Vec4::new(1.0, 0.0, 0.0, 1.0);
/// assert_eq!(paint.base_color, Vec4::ONE);
/// assert!(paint == same && paint != red);
/// ```
///
/// It is `Send` and `Sync` if the asset is.
pub struct Handle<T: Asset> {
    inner: Arc<Inner<T>>,
}

/// The shared state of all handles of an asset.
struct Inner<T: Asset> {
    id: AssetId,
    value: T,
    derived: T::Derived,
    assets: Assets,
}

impl<T: Asset> Handle<T> {
    pub(crate) fn new(value: T, assets: Assets) -> Self {
        let (id, derived) = (assets.allocate_id(), T::Derived::default());
        Self { inner: Arc::new(Inner { id, value, derived, assets }) }
    }

    /// Returns the id of this asset, for tables of data about it: a handle as key would keep the
    /// asset alive.
    #[must_use]
    #[inline]
    pub fn id(&self) -> AssetId {
        self.inner.id
    }

    /// Returns the number of handles of this asset, including this one. Other threads may change it
    /// at any time.
    #[must_use]
    pub fn ref_count(&self) -> usize {
        Arc::strong_count(&self.inner)
    }

    /// Returns the data derived from the value; see [`Asset::Derived`].
    #[must_use]
    #[inline]
    pub fn derived(&self) -> &T::Derived {
        &self.inner.derived
    }

    /// Returns the value for editing.
    ///
    /// - The handle has **another id afterwards, whether the value is changed or not**: an id
    ///   identifies one value, so that the owner of GPU buffers notices. Call it once for many
    ///   changes, not for each.
    /// - If there are other handles, the value is cloned, and they keep theirs. If this is the only
    ///   one, the value is changed in place and the old id becomes unused.
    /// - Data derived from the value is dropped.
    ///
    /// ```
    /// use pleach::{Assets, Geometry, glam::Vec3};
    ///
    /// let assets = Assets::new();
    /// let mut cloth = assets.add(Geometry::from_positions(vec![Vec3::ZERO; 3]));
    /// let before = cloth.id();
    /// cloth.make_mut().positions[0] = Vec3::X;      // not cloned: this is the only handle
    ///
    /// let mut unused = Vec::new();
    /// assets.drain_unused(&mut unused);
    /// assert!(cloth.id() > before && unused[0].id == before);
    /// ```
    ///
    /// A mesh that shares the asset keeps the old value until it is given this handle.
    pub fn make_mut(&mut self) -> &mut T
    where
        T: Clone,
    {
        let before = self.id();
        let inner = Arc::make_mut(&mut self.inner);
        if inner.id == before {
            inner.id = inner.assets.replace_id(T::KIND, before);
            inner.derived = T::Derived::default();
        }
        &mut inner.value
    }
}

/// Another asset with the same value.
impl<T: Asset + Clone> Clone for Inner<T> {
    fn clone(&self) -> Self {
        let (value, assets) = (self.value.clone(), self.assets.clone());
        Self { id: assets.allocate_id(), value, derived: T::Derived::default(), assets }
    }
}

/// Dropped with the last handle.
impl<T: Asset> Drop for Inner<T> {
    fn drop(&mut self) {
        self.assets.release_id(T::KIND, self.id);
    }
}

impl<T: Asset> Deref for Handle<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.inner.value
    }
}

// Implemented by hand, since `derive` would require the same of `T`.

impl<T: Asset> Clone for Handle<T> {
    fn clone(&self) -> Self {
        Self { inner: Arc::clone(&self.inner) }
    }
}

impl<T: Asset> PartialEq for Handle<T> {
    fn eq(&self, other: &Self) -> bool {
        self.id() == other.id()
    }
}

impl<T: Asset> Eq for Handle<T> {}

impl<T: Asset> PartialOrd for Handle<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T: Asset> Ord for Handle<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.id().cmp(&other.id())
    }
}

impl<T: Asset> Hash for Handle<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id().hash(state);
    }
}

impl<T: Asset> fmt::Debug for Handle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Handle({} {})", T::KIND, self.id())
    }
}

/// Identifies an asset and its contents.
///
/// - Never reused: another asset has another id, and so has an asset that was changed by
///   [`make_mut`](Handle::make_mut).
/// - Increases in the order in which the assets of one [`Assets`] were created.
/// - Unique in a program, also among several `Assets`; so a table by id may serve several scenes.
///
/// It is displayed as the number of the asset in its `Assets`, from 1:
///
/// ```
/// use pleach::{AssetId, Assets, Material};
///
/// let assets = Assets::new();
/// assert_eq!(assets.add(Material::default()).id().to_string(), "a1");
/// assert_eq!(assets.add(Material::default()).id().to_string(), "a2");
/// assert_eq!(size_of::<Option<AssetId>>(), 8);
/// ```
// The high half is a block of numbers that belongs to one `Assets`, the low half the number. 32
// bits for both would be used up in a day by a thousand meshes that change every frame.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AssetId(NonZeroU64);

impl AssetId {
    pub(crate) fn new(block: u32, number: NonZeroU32) -> Self {
        Self(NonZeroU64::from(number) | u64::from(block) << 32)
    }

    /// Returns the id as an integer, for foreign tables. Not for files: ids differ between runs of
    /// a program.
    #[must_use]
    #[inline]
    pub const fn to_bits(self) -> u64 {
        self.0.get()
    }
}

impl fmt::Display for AssetId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a{}", self.0.get() as u32)
    }
}

impl fmt::Debug for AssetId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
