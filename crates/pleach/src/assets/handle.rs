//! `Handle<T>`: a reference-counted asset, and `AssetId`, its identity.
//!
//! What many nodes share (geometry, materials, images) is held by handles. All handles of an asset
//! share a cell with its id and its current version (`version.rs`); an edit replaces the version for
//! all of them at once. The registry records edits, and when the last handle is dropped
//! (`registry.rs`); so do other registries that the asset was included in.
//!
//! Invariants: an id identifies one asset, forever. A version never changes, so what was derived
//! from it (bounds, a tree) and what is stored elsewhere by id and version (a GPU buffer) is never
//! used for another value. Version numbers count up by one per edit, in the order of the edits;
//! undoing an edit returns to the number before it, which is not given to another value. The versions
//! of a patch that was read from a file take numbers when it is read.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::num::{NonZeroU32, NonZeroU64};
use std::sync::atomic::{self, AtomicU32, AtomicU64};
use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::ArcSwap;

use super::edits::{AnyAssetEdit, RecordedAsset};
use super::registry::{Asset, AssetKind, Assets};
use super::version::{AssetRef, AssetVersion};

/// A reference-counted handle of an asset, which is dropped with its last handle.
///
/// It is cheap to clone, and all clones are the same asset: an [edit](Self::edit) through one of
/// them changes it for everything that uses it. [`get`](Self::get) reads the current value.
///
/// ```
/// use pleach::{Assets, Handle, Material, glam::Vec4};
///
/// let assets = Assets::new();
/// let paint: Handle<Material> = assets.add(Material::default());
/// let same = paint.clone();
/// assert_eq!((paint.get().roughness, same.ref_count()), (1.0, 2));
///
/// paint.edit(|material| material.base_color = Vec4::new(1.0, 0.0, 0.0, 1.0));
/// assert_eq!(same.get().base_color.y, 0.0);
/// assert_eq!((paint.id() == same.id(), same.version()), (true, 2));
///
/// // An asset of its own, for a change that others should not see.
/// let blue = paint.fork();
/// blue.edit(|material| material.base_color = Vec4::new(0.0, 0.0, 1.0, 1.0));
/// assert!(paint == same && paint != blue);
/// ```
///
/// Handles are equal if they refer to the same asset; they are ordered by age of the asset and hash
/// by its [`id`](Self::id). Threads may share them.
#[doc(alias = "resource")]
#[doc(alias = "Ref")]
pub struct Handle<T: Asset> {
    cell: Arc<Cell<T>>,
}

/// The shared state of all handles of an asset.
pub(super) struct Cell<T: Asset> {
    id: AssetId,
    /// [`Asset::flags`] of the current version, readable without a guard.
    flags: AtomicU32,
    /// The number of the current version, readable without a guard. Written after `current`.
    version: AtomicU64,
    /// The number of the next edit's version.
    next_version: AtomicU64,
    /// The value of the counter of edits of its kind after the last edit; 0 if there was none.
    edited_at: AtomicU64,
    current: ArcSwap<AssetVersion<T>>,
    /// Held while the asset is edited.
    editing: Mutex<()>,
    assets: Assets,
}

/// The number of edits of geometries in this process: scenes look for edited geometries only after
/// it changed.
static GEOMETRY_EDITS: AtomicU64 = AtomicU64::new(0);

/// The number of edits of other assets in this process.
static OTHER_EDITS: AtomicU64 = AtomicU64::new(0);

/// The number of edits in this process that changed [`Asset::flags`].
static FLAG_EDITS: AtomicU64 = AtomicU64::new(0);

/// Returns the number of edits of geometries in this process.
#[inline]
pub(crate) fn geometry_edits() -> u64 {
    GEOMETRY_EDITS.load(atomic::Ordering::SeqCst)
}

/// Returns the number of edits of assets other than geometries in this process.
#[inline]
pub(crate) fn other_edits() -> u64 {
    OTHER_EDITS.load(atomic::Ordering::SeqCst)
}

/// Returns the number of edits in this process that changed the flags of an asset, such as whether a
/// material is transparent. Read it before the flags: then these are of this number or newer.
#[inline]
pub(crate) fn flag_edits() -> u64 {
    FLAG_EDITS.load(atomic::Ordering::SeqCst)
}

impl<T: Asset> Handle<T> {
    pub(super) fn new(value: T, assets: Assets) -> Self {
        let cell = Arc::new(Cell {
            id: assets.allocate_id(),
            flags: AtomicU32::new(value.flags()),
            version: AtomicU64::new(1),
            next_version: AtomicU64::new(2),
            edited_at: AtomicU64::new(0),
            current: ArcSwap::from_pointee(AssetVersion::new(value, 1)),
            editing: Mutex::new(()),
            assets,
        });
        let weak = Arc::downgrade(&cell);
        cell.assets.register(cell.id, weak);
        Self { cell }
    }

    pub(super) fn from_cell(cell: Arc<Cell<T>>) -> Self {
        Self { cell }
    }

    /// Returns the id of this asset, for tables of data about it: a handle as key would keep the
    /// asset alive. It stays the same when the asset is edited.
    #[must_use]
    #[inline]
    pub fn id(&self) -> AssetId {
        self.cell.id
    }

    /// Returns the number of the current version: 1 when the asset is created, and one more after
    /// each edit. What is stored elsewhere by id, such as a GPU buffer, is up to date if it was made
    /// of this version.
    ///
    /// Another thread may edit the asset at any time; a [`get`](Self::get) afterwards returns this
    /// version or a later one, which it [identifies](AssetVersion::version).
    ///
    /// ```
    /// use pleach::{Assets, Material};
    ///
    /// let paint = Assets::new().add(Material::default());
    /// paint.edit(|material| material.roughness = 0.5);
    /// assert_eq!(paint.version(), 2);
    /// ```
    #[must_use]
    #[inline]
    pub fn version(&self) -> u64 {
        self.cell.version.load(atomic::Ordering::Acquire)
    }

    /// Returns the number of handles of this asset, including this one. Other threads may change it
    /// at any time.
    #[must_use]
    pub fn ref_count(&self) -> usize {
        Arc::strong_count(&self.cell)
    }

    /// Returns the current value for reading.
    ///
    /// - The guard is one version: it does not change while an edit replaces the current one. Take
    ///   it once for several reads, so that they are of the same version, and not per element of a
    ///   loop.
    /// - It takes a few nanoseconds, never waits and never blocks an edit.
    /// - Keep it for a short time, on one thread: each thread has a few fast guards. To keep a
    ///   version, or for many at once, use [`snapshot`](Self::snapshot).
    ///
    /// ```
    /// use pleach::{Assets, Geometry, glam::Vec3};
    ///
    /// let rock = Assets::new().add(Geometry::from_positions(vec![Vec3::ZERO, Vec3::X, Vec3::Y]));
    /// let before = rock.get();
    /// rock.edit(|geometry| geometry.positions[1] *= 2.0);
    /// assert_eq!((before.positions[1].x, rock.get().positions[1].x), (1.0, 2.0));
    /// ```
    #[must_use]
    #[inline]
    pub fn get(&self) -> AssetRef<T> {
        AssetRef::new(self.cell.current.load())
    }

    /// Returns the current version, kept alive as long as wanted: for other threads, undo, and
    /// loops over many assets. One atomic increment more than [`get`](Self::get).
    ///
    /// ```
    /// use pleach::{Assets, Material};
    ///
    /// let paint = Assets::new().add(Material::default());
    /// let before = paint.snapshot();
    /// paint.edit(|material| material.metallic = 0.0);
    /// paint.set(before.value().clone());                       // undo
    /// assert_eq!((paint.get().metallic, paint.version()), (1.0, 3));
    /// ```
    #[must_use]
    pub fn snapshot(&self) -> Arc<AssetVersion<T>> {
        self.cell.current.load_full()
    }

    /// Edits the asset for everything that uses it, and returns the result of `edit`.
    ///
    /// - `edit` is given a copy of the current value, which becomes the next
    ///   [version](Self::version) when it returns, **whether it was changed or not**. The id stays.
    ///   Make many changes in one call, not one call per change.
    /// - Readers see the value before or after, never a mix, and do not wait. If `edit` panics, the
    ///   asset keeps its value.
    /// - Data derived from the value is computed again on its next use. Bounds in scenes follow with
    ///   their next [update](crate::Scene::update), and render lists with their next build. Owners
    ///   of GPU memory read what to upload again from a [reader](Assets::change_reader).
    /// - Edits of an asset from several threads wait for each other, and none is lost. `edit` must
    ///   not edit the same asset again: it would wait forever.
    ///
    /// O(size of the value); [`set`](Self::set) does not copy.
    ///
    /// ```
    /// use pleach::{Node, Scene, Material, shapes::Cuboid, glam::{Vec3, Vec4}};
    ///
    /// let mut scene = Scene::new();
    /// let cube = scene.assets.add(Cuboid::new(Vec3::ONE).build()?);
    /// let wood = scene.assets.add(Material::default());
    /// let crates = (0..100).map(|i| Node::mesh(&cube, &wood).at(Vec3::X * i as f32));
    /// let nodes = scene.spawn_all(scene.root(), crates)?;
    ///
    /// wood.edit(|material| material.base_color = Vec4::new(1.0, 0.0, 0.0, 1.0));
    /// let color = |node| scene.mesh(node).unwrap().parts[0].material.get().base_color;
    /// assert!(nodes.iter().all(|&node| color(node).y == 0.0));
    /// # Ok::<(), pleach::Error>(())
    /// ```
    #[doc(alias = "needsUpdate")]
    #[doc(alias = "get_mut")]
    #[doc(alias = "modify")]
    pub fn edit<R>(&self, edit: impl FnOnce(&mut T) -> R) -> R
    where
        T: Clone,
    {
        let _editing = self.cell.begin_edit();
        let mut value = self.cell.current.load().value().clone();
        let result = edit(&mut value);
        self.publish(value);
        result
    }

    /// Replaces the value for everything that uses the asset. Like [`edit`](Self::edit), but
    /// without a copy.
    ///
    /// ```
    /// use pleach::{Assets, Geometry, glam::Vec3};
    ///
    /// let cloth = Assets::new().add(Geometry::default());
    /// cloth.set(Geometry::from_positions(vec![Vec3::ZERO, Vec3::X, Vec3::Y]));
    /// assert_eq!((cloth.get().positions.len(), cloth.version()), (3, 2));
    /// ```
    pub fn set(&self, value: T) {
        _ = self.replace(value);
    }

    /// Replaces the value for everything that uses the asset, and returns the version before, for
    /// undo or to use its memory again.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use pleach::{Assets, Geometry, glam::Vec3};
    ///
    /// let cloth = Assets::new().add(Geometry::from_positions(vec![Vec3::ZERO; 3]));
    /// let before = cloth.replace(Geometry::from_positions(vec![Vec3::ONE; 3]));
    /// // Nobody else reads the old version: its buffers can be filled for the next frame.
    /// let mut next = Arc::try_unwrap(before).unwrap().into_value();
    /// next.positions.fill(Vec3::X);
    /// cloth.set(next);
    /// assert_eq!(cloth.version(), 3);
    /// ```
    pub fn replace(&self, value: T) -> Arc<AssetVersion<T>> {
        let _editing = self.cell.begin_edit();
        self.publish(value)
    }

    /// Makes a new version the current one, and returns the one before.
    fn publish(&self, value: T) -> Arc<AssetVersion<T>> {
        self.make_current(&self.new_version(value))
    }

    /// Returns a version with the next number, which is not the current one yet.
    pub(crate) fn new_version(&self, value: T) -> Arc<AssetVersion<T>> {
        let number = self.cell.next_version.fetch_add(1, atomic::Ordering::Relaxed);
        Arc::new(AssetVersion::new(value, number))
    }

    /// Makes an earlier version the current one, or a later one again.
    pub(super) fn restore(&self, version: &Arc<AssetVersion<T>>) {
        let _editing = self.cell.begin_edit();
        self.make_current(version);
    }

    fn make_current(&self, new: &Arc<AssetVersion<T>>) -> Arc<AssetVersion<T>> {
        let old = self.cell.publish(Arc::clone(new));
        let recorded = || {
            let (handle, old, new) = (self.clone(), Arc::clone(&old), Arc::clone(new));
            Box::new(RecordedAsset { handle, old, new, is_foreign: false }) as Box<dyn AnyAssetEdit>
        };
        self.cell.assets.record_edit(self.cell.id, T::KIND, new.version(), &recorded);
        old
    }

    /// Adds a copy of the current value as another asset, with an id of its own, to the same
    /// registry.
    ///
    /// ```
    /// use pleach::{Assets, Material};
    ///
    /// let paint = Assets::new().add(Material::default());
    /// let rusty = paint.fork();
    /// rusty.edit(|material| material.roughness = 0.9);
    /// assert_eq!((paint.get().roughness, rusty.version()), (1.0, 2));
    /// ```
    #[doc(alias = "clone material")]
    #[doc(alias = "duplicate")]
    #[must_use = "without a handle the asset is dropped at once"]
    pub fn fork(&self) -> Self
    where
        T: Clone,
    {
        Self::new(self.get().value().clone(), self.cell.assets.clone())
    }

    /// Makes this handle the only one of its asset, by a [`fork`](Self::fork) if there are others,
    /// which keep theirs. An edit afterwards changes nothing else.
    ///
    /// ```
    /// use pleach::{Assets, Material};
    ///
    /// let paint = Assets::new().add(Material::default());
    /// let mut rusty = paint.clone();
    /// rusty.make_unique().edit(|material| material.roughness = 0.9);
    /// assert_eq!((paint.get().roughness, rusty.ref_count()), (1.0, 1));
    /// ```
    #[doc(alias = "makeUnique")]
    #[doc(alias = "make_mut")]
    pub fn make_unique(&mut self) -> &Self
    where
        T: Clone,
    {
        if self.ref_count() > 1 {
            *self = self.fork();
        }
        self
    }

    /// Makes the asset known to another registry; returns `false` if it is already.
    pub(super) fn include_in(&self, assets: &Assets) -> bool {
        let own = &self.cell.assets;
        if own.is_same(assets) || !own.add_listener(self.cell.id, assets) {
            return false;
        }
        let cell = Arc::downgrade(&self.cell);
        assets.register(self.cell.id, cell);
        true
    }

    /// Returns [`Asset::flags`] of the current version, without a guard.
    #[inline]
    pub(crate) fn flags(&self) -> u32 {
        self.cell.flags.load(atomic::Ordering::Relaxed)
    }

    /// Returns `true` if this asset was edited since [`geometry_edits`], or [`other_edits`] if it is
    /// not a geometry, was `seen`.
    #[inline]
    pub(crate) fn edited_since(&self, seen: u64) -> bool {
        self.cell.edited_at.load(atomic::Ordering::SeqCst) > seen
    }
}

impl<T: Asset> Cell<T> {
    fn begin_edit(&self) -> impl Drop {
        // A panic in an edit leaves the version before it.
        self.editing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a value the current version and returns the one before. The edit lock is held.
    fn publish(&self, version: Arc<AssetVersion<T>>) -> Arc<AssetVersion<T>> {
        let (number, flags) = (version.version(), version.flags());
        let other_flags = self.flags.swap(flags, atomic::Ordering::Relaxed) != flags;
        let before = self.current.swap(version);
        self.version.store(number, atomic::Ordering::Release);
        // A scene that updates now either sees that this asset was edited, or will find a greater
        // number of edits next time.
        self.edited_at.store(u64::MAX, atomic::Ordering::SeqCst);
        let is_geometry = T::KIND == AssetKind::Geometry;
        let counter = if is_geometry { &GEOMETRY_EDITS } else { &OTHER_EDITS };
        let edits = counter.fetch_add(1, atomic::Ordering::SeqCst) + 1;
        self.edited_at.store(edits, atomic::Ordering::SeqCst);
        if other_flags {
            FLAG_EDITS.fetch_add(1, atomic::Ordering::SeqCst);
        }
        before
    }
}

/// Dropped with the last handle.
impl<T: Asset> Drop for Cell<T> {
    fn drop(&mut self) {
        self.assets.release(T::KIND, self.id);
    }
}

// Implemented by hand, since `derive` would require the same of `T`.

impl<T: Asset> Clone for Handle<T> {
    fn clone(&self) -> Self {
        Self { cell: Arc::clone(&self.cell) }
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

/// Identifies an asset. [`Assets::get`] returns its handle.
///
/// - Never reused, and the same for the lifetime of the asset: an edit changes its
///   [`version`](Handle::version), not its id.
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
// bits for both would be used up in a day by a thousand meshes that are created every frame.
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
