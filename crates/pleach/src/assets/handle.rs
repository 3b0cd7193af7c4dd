//! `Handle<T>`: a counted reference to an asset, and `AssetId`, its name.
//!
//! What many nodes share (geometry, materials, images) is held by handles. The value lies
//! in one inner with its id, what was worked out from it, and the registry that is told
//! when the last handle is gone (`assets.rs`).
//!
//! Invariant: an id stands for one value, for ever. The value behind a handle changes only
//! through `make_mut`, which gives it another id first and forgets what was worked out; so
//! whoever keeps something by id (a buffer of a GPU, a tree) never keeps it for the wrong value.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::num::{NonZeroU32, NonZeroU64};
use std::ops::Deref;
use std::sync::Arc;

use super::registry::{Asset, Assets};

/// A counted reference to an asset: as long as a handle is left, the asset lives.
///
/// It reads as the asset itself, and is cheap to clone. Handles are equal if they are of
/// the same asset; they are ordered by age of the asset and hash by its [`id`](Self::id).
///
/// ```
/// use pleach::{Assets, Handle, Material, glam::Vec4};
///
/// let assets = Assets::new();
/// let paint: Handle<Material> = assets.add(Material::default());
/// let same = paint.clone();
/// assert_eq!((paint.roughness, same.ref_count()), (1.0, 2));
///
/// // Changing one leaves the other as it was.
/// let mut red = same.clone();
/// red.make_mut().base_color = Vec4::new(1.0, 0.0, 0.0, 1.0);
/// assert_eq!(paint.base_color, Vec4::ONE);
/// assert!(paint == same && paint != red);
/// ```
///
/// It can be sent to and read by other threads if the asset can.
pub struct Handle<T: Asset> {
    inner: Arc<Inner<T>>,
}

/// Where an asset lies.
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

    /// The name of this asset, for tables of what belongs to it: a table by handle would
    /// keep the asset alive.
    #[must_use]
    #[inline]
    pub fn id(&self) -> AssetId {
        self.inner.id
    }

    /// How many handles of this asset there are, this one included. Other threads may
    /// change it at any time.
    #[must_use]
    pub fn ref_count(&self) -> usize {
        Arc::strong_count(&self.inner)
    }

    /// What is worked out from the value and kept beside it; see [`Asset::Derived`].
    #[must_use]
    #[inline]
    pub fn derived(&self) -> &T::Derived {
        &self.inner.derived
    }

    /// The value, to change it.
    ///
    /// - The handle has **another id afterwards, whatever is done with the value**: an id
    ///   stands for one value, so that the owner of GPU buffers notices. Call it once
    ///   for many changes, not for each.
    /// - If there are other handles, the value is cloned, and they keep theirs. If this is
    ///   the only one, the value is changed in inner and the old id becomes unused.
    /// - What was worked out from the value is forgotten.
    ///
    /// ```
    /// use pleach::{Assets, Geometry, glam::Vec3};
    ///
    /// let assets = Assets::new();
    /// let mut cloth = assets.add(Geometry::from_positions(vec![Vec3::ZERO; 3]));
    /// let before = cloth.id();
    /// cloth.make_mut().positions[0] = Vec3::X;      // no copy: there is one handle
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

/// Another asset of the same value.
impl<T: Asset + Clone> Clone for Inner<T> {
    fn clone(&self) -> Self {
        let (value, assets) = (self.value.clone(), self.assets.clone());
        Self { id: assets.allocate_id(), value, derived: T::Derived::default(), assets }
    }
}

/// The last handle is gone.
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

// Written out, as `derive` would ask the same of `T`.

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

/// The name of an asset: one value, for ever.
///
/// - Never used again, neither for another asset nor for a changed one.
/// - Rises in the order in which the assets of one [`Assets`] came into being.
/// - No two assets of a program have the same, also of different `Assets`; so a table by
///   id may serve several scenes.
///
/// It prints as the number of the asset in its `Assets`, from 1:
///
/// ```
/// use pleach::{AssetId, Assets, Material};
///
/// let assets = Assets::new();
/// assert_eq!(assets.add(Material::default()).id().to_string(), "a1");
/// assert_eq!(assets.add(Material::default()).id().to_string(), "a2");
/// assert_eq!(size_of::<Option<AssetId>>(), 8);
/// ```
// A block of numbers, which one `Assets` has for itself, in the high half; the number in the
// low half. 32 bits for both would be used up in a day by a thousand meshes that change in
// every frame.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AssetId(NonZeroU64);

impl AssetId {
    pub(crate) fn new(block: u32, number: NonZeroU32) -> Self {
        Self(NonZeroU64::from(number) | u64::from(block) << 32)
    }

    /// The id as one number, for foreign tables. Not for files: another run of the
    /// program gives other ids.
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
