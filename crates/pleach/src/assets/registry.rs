//! `Assets`: assigns ids to assets, finds them by id, and lists those that were edited or are no
//! longer used.
//!
//! It does not hold the assets: handles do (`handle.rs`). It assigns ids, has a weak reference to
//! each asset, and records edits and the ids whose last handle was dropped, for the owner of the
//! resources that were made of them (`changes.rs`).
//!
//! Invariants: an id is in the list of unused assets at most once, as it is added when its last
//! handle is dropped. Ids increase in one registry; it may know assets of others (`include`). There is one lock, held for a few instructions, never while a
//! value is cloned or dropped (which may drop other handles).

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::changes::{AssetChangeReader, ChangeLog};
use super::edits::{AnyAssetEdit, AssetEdits};
use super::handle::Cell;
use crate::content::Content;
use crate::{AssetId, Handle};

/// A type that a [`Handle`] can hold.
///
/// Implement it for your own types, such as sounds, shaders or terrain: they then use the same
/// handles, and are edited and listed like the others.
///
/// ```
/// use pleach::{Asset, AssetKind, Assets};
///
/// struct Sound { samples: Vec<f32> }
///
/// impl Asset for Sound {
///     const KIND: AssetKind = AssetKind::Other("sound");
///     type Derived = ();
/// }
///
/// let assets = Assets::new();
/// let horn = assets.add(Sound { samples: vec![0.0; 100] });
/// assert_eq!(horn.get().samples.len(), 100);
/// assert_eq!(format!("{horn:?}"), "Handle(sound a1)");
/// ```
pub trait Asset: Sized + Send + Sync + 'static {
    /// The kind, for the lists of edited and unused assets.
    const KIND: AssetKind;

    /// Data derived from the value and stored with it: cells that are filled on first use, such as
    /// `OnceLock`s. Each [version](crate::AssetVersion) starts with the default. `()` for none.
    ///
    /// It is stored next to the value and not in it, so that the value is plain data whose fields
    /// may be changed freely, and derived data is never out of date.
    type Derived: Default + Send + Sync + 'static;

    /// [Includes](Assets::include) the assets that this one uses in a registry. The default is for
    /// assets that use no others.
    fn include_used(&self, assets: &Assets) {
        _ = assets;
    }

    /// Returns the memory that the value uses, in bytes, for the limit of a
    /// [`History`](crate::History). The default does not count what it refers to.
    fn byte_size(&self) -> usize {
        size_of::<Self>()
    }

    /// Writes everything that the value consists of, and returns `true`: so that revisions of a scene
    /// differ if versions do. The default returns `false`; an edit then leads to a revision that no
    /// other edit leads to.
    fn write_content(&self, content: &mut Content) -> bool {
        _ = content;
        false
    }

    /// Returns properties that a render list needs for every draw, as bits.
    #[doc(hidden)]
    fn flags(&self) -> u32 {
        0
    }
}

/// The kind of an asset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum AssetKind {
    /// A [`Geometry`](crate::Geometry).
    Geometry,
    /// A [`Material`](crate::Material).
    Material,
    /// An [`Image`](crate::Image).
    Image,
    /// A type of your own, with a name of your choice.
    Other(&'static str),
}

impl fmt::Display for AssetKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Geometry => "geometry",
            Self::Material => "material",
            Self::Image => "image",
            Self::Other(name) => name,
        })
    }
}

/// An asset that is no longer used, as [`Assets::drain_unused`] lists it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct UnusedAsset {
    /// The id, which is not used again.
    pub id: AssetId,
    /// The kind.
    pub kind: AssetKind,
}

/// Creates [`Handle`]s, finds them by id, and lists the assets that were edited or became unused.
///
/// Clones are the same registry. The owner of uploaded assets [reads](Self::change_reader) once per
/// frame what to upload again and what to free; if there is one owner, and assets are not edited,
/// [`drain_unused`](Self::drain_unused) will do:
///
/// ```
/// use std::collections::HashMap;
/// use pleach::{AssetKind, Assets, Geometry};
///
/// let assets = Assets::new();
/// let mut buffers = HashMap::new();                 // GPU buffers by id
///
/// let rock = assets.add(Geometry::default());
/// buffers.insert(rock.id(), "a vertex buffer");
/// let again = rock.clone();
///
/// let mut unused = Vec::new();
/// drop(rock);
/// assets.drain_unused(&mut unused);
/// assert!(unused.is_empty());                       // `again` is left
///
/// drop(again);
/// assets.drain_unused(&mut unused);
/// assert_eq!(unused[0].kind, AssetKind::Geometry);
/// for asset in &unused {
///     buffers.remove(&asset.id);
/// }
/// assert!(buffers.is_empty());
/// ```
///
/// Threads may share it. It may be dropped before the handles.
///
/// # Cost
///
/// An asset takes about 150 bytes in addition to its value and the data derived from it; adding and
/// dropping take two allocations, a lock and O(log assets). An unused asset takes 32 bytes until the
/// list is drained; a program that has nothing to free uses [`untracked`](Self::untracked), or the
/// list grows.
#[derive(Clone)]
pub struct Assets {
    registry: Arc<Mutex<Registry>>,
}

/// A registry that may have been dropped.
struct WeakAssets(Weak<Mutex<Registry>>);

impl WeakAssets {
    fn upgrade(&self) -> Option<Assets> {
        self.0.upgrade().map(|registry| Assets { registry })
    }

    fn is_alive(&self) -> bool {
        self.0.strong_count() > 0
    }

    /// Returns `true` for clones of the same registry.
    fn refers_to(&self, assets: &Assets) -> bool {
        core::ptr::eq(self.0.as_ptr(), Arc::as_ptr(&assets.registry))
    }
}

struct Registry {
    /// The current block of ids.
    block: u32,
    /// The number of ids assigned in this block.
    allocated: u32,
    /// The assets that have handles.
    assets: BTreeMap<AssetId, Weak<dyn Any + Send + Sync>>,
    /// For [`Assets::drain_unused`]; `None` if unused assets are not recorded.
    unused: Option<Vec<UnusedAsset>>,
    /// By asset of this registry: the other registries that know it, to which its edits and its end
    /// are reported.
    listeners: BTreeMap<AssetId, Vec<WeakAssets>>,
    /// For the change readers.
    log: ChangeLog,
    recorders: Vec<AssetRecorder>,
}

/// The edits of assets while a transaction of a scene runs. Scenes may share a registry.
struct AssetRecorder {
    scene: u64,
    is_paused: bool,
    /// The edits of each of the running transactions, the outermost first.
    transactions: Vec<AssetEdits>,
}

impl Assets {
    /// Creates an empty registry.
    #[must_use]
    pub fn new() -> Self {
        Self::with_unused(Some(Vec::new()))
    }

    /// Creates a registry that does not record unused assets: [`drain_unused`](Self::drain_unused)
    /// lists none. For programs without a renderer.
    #[must_use]
    pub fn untracked() -> Self {
        Self::with_unused(None)
    }

    fn with_unused(unused: Option<Vec<UnusedAsset>>) -> Self {
        let (assets, listeners) = (BTreeMap::new(), BTreeMap::new());
        let (block, log) = (next_block(), ChangeLog::default());
        let recorders = Vec::new();
        let registry = Registry { block, allocated: 0, assets, unused, listeners, log, recorders };
        Self { registry: Arc::new(Mutex::new(registry)) }
    }

    /// Adds a value without checking it; to check geometry, use
    /// [`Geometry::check`](crate::Geometry::check).
    #[must_use = "without a handle the asset is dropped at once"]
    pub fn add<T: Asset>(&self, value: T) -> Handle<T> {
        Handle::new(value, self.clone())
    }

    /// Returns a handle of the asset with an id, or `None` if it has no handle any more, is of
    /// another type, or was neither added to this registry nor [included](Self::include) in it.
    /// O(log assets).
    ///
    /// A [`Draw`](crate::Draw) identifies its assets by id:
    ///
    /// ```
    /// use pleach::{Assets, Geometry, Material};
    ///
    /// let assets = Assets::new();
    /// let paint = assets.add(Material::default());
    /// let id = paint.id();
    /// assert_eq!(assets.get::<Material>(id), Some(paint.clone()));
    /// assert_eq!(assets.get::<Geometry>(id), None);
    ///
    /// drop(paint);
    /// assert_eq!(assets.get::<Material>(id), None);
    /// ```
    #[must_use]
    pub fn get<T: Asset>(&self, id: AssetId) -> Option<Handle<T>> {
        // Not dropped under the lock: it may have become the last reference.
        let cell = self.lock().assets.get(&id).and_then(Weak::upgrade);
        let cell = Arc::downcast::<Cell<T>>(cell?).ok()?;
        Some(Handle::from_cell(cell))
    }

    /// Returns `true` if the asset with an id has a handle and was added to this registry or
    /// [included](Self::include) in it. O(log assets).
    #[must_use]
    pub fn contains(&self, id: AssetId) -> bool {
        self.lock().assets.contains_key(&id)
    }

    /// Creates a reader of the assets that are edited or become unused from now on. Readers are
    /// independent of each other and of [`drain_unused`](Self::drain_unused).
    ///
    /// ```
    /// use pleach::{Assets, Material};
    ///
    /// let assets = Assets::new();
    /// let (wood, iron) = (assets.add(Material::default()), assets.add(Material::default()));
    /// let mut uploads = assets.change_reader();
    ///
    /// wood.edit(|material| material.roughness = 0.5);
    /// wood.edit(|material| material.metallic = 0.0);
    /// let id = iron.id();
    /// drop(iron);
    ///
    /// let changes = uploads.read();
    /// assert_eq!((changes.edited().len(), changes.edited()[0].id), (1, wood.id()));
    /// assert_eq!(changes.edited()[0].version, 3);
    /// assert_eq!(changes.unused()[0].id, id);
    /// ```
    #[doc(alias = "AssetEvent")]
    #[doc(alias = "subscribe")]
    #[must_use]
    pub fn change_reader(&self) -> AssetChangeReader {
        AssetChangeReader::new(self.clone())
    }

    /// Makes an asset of another registry known to this one, too: [`get`](Self::get) finds it, and
    /// the readers of both registries report its edits and that it became unused. Also includes
    /// what the asset [uses](Asset::include_used): the images of a material. Returns `false` if it
    /// was known already.
    ///
    /// A [`Scene`](crate::Scene) does this for the meshes that are inserted, spawned or
    /// [cloned](crate::Scene::clone_subtree_from) into it, and for changed ones when it is updated.
    /// Call it for an image of another registry that an edit gives to a material. Scenes that share
    /// a registry need none of this: `scene.assets = other.assets.clone()` before assets are added.
    ///
    /// The registry of the asset keeps a weak reference to this one. O(registries that know the asset).
    ///
    /// ```
    /// use pleach::{Assets, Material};
    ///
    /// let (library, level) = (Assets::new(), Assets::new());
    /// let wood = library.add(Material::default());
    /// assert!(level.include(&wood) && !level.include(&wood));
    /// assert_eq!(level.get(wood.id()), Some(wood.clone()));
    ///
    /// let mut uploads = level.change_reader();
    /// wood.edit(|material| material.roughness = 0.5);
    /// assert_eq!(uploads.read().edited()[0].id, wood.id());
    /// ```
    #[allow(clippy::must_use_candidate, reason = "called for its effect")]
    pub fn include<T: Asset>(&self, handle: &Handle<T>) -> bool {
        let is_new = handle.include_in(self);
        if is_new {
            handle.get().include_used(self);
        }
        is_new
    }

    /// Returns the number of assets that have handles.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lock().assets.len()
    }

    /// Returns `true` if no asset has a handle.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Replaces the contents of `unused` with the assets that lost their last handle since the last
    /// call.
    ///
    /// - In increasing order of ids.
    /// - Each asset once. There is one list: two callers that drain it each get a part. Drain it in
    ///   one place and distribute the result.
    /// - Every asset that lost its last handle before this call, in this thread or one it has
    ///   waited for, is in the list.
    ///
    /// Does not allocate: the buffers are swapped.
    pub fn drain_unused(&self, unused: &mut Vec<UnusedAsset>) {
        unused.clear();
        if let Some(list) = &mut self.lock().unused {
            std::mem::swap(list, unused);
        }
        unused.sort_unstable_by_key(|asset| asset.id);
    }

    /// Returns `true` if both are the same registry: one is a clone of the other.
    ///
    /// ```
    /// use pleach::Assets;
    ///
    /// let assets = Assets::new();
    /// assert!(assets.is_same(&assets.clone()));
    /// assert!(!assets.is_same(&Assets::new()));
    /// ```
    #[must_use]
    #[inline]
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.registry, &other.registry)
    }

    /// Returns an id for a new asset.
    pub(super) fn allocate_id(&self) -> AssetId {
        self.lock().next_id()
    }

    /// Makes a new asset known by its id.
    pub(super) fn register(&self, id: AssetId, asset: Weak<dyn Any + Send + Sync>) {
        self.lock().assets.insert(id, asset);
    }

    /// Reports edits and the end of an asset of this registry to another one, too. Returns `false` if
    /// that was so already.
    pub(super) fn add_listener(&self, id: AssetId, assets: &Self) -> bool {
        let mut registry = self.lock();
        let listeners = registry.listeners.entry(id).or_default();
        if listeners.iter().any(|listener| listener.refers_to(assets)) {
            return false;
        }
        listeners.retain(WeakAssets::is_alive);
        listeners.push(WeakAssets(Arc::downgrade(&assets.registry)));
        true
    }

    /// Records an edit of an asset, in all registries that know it.
    pub(super) fn record_edit(
        &self,
        id: AssetId,
        kind: AssetKind,
        version: u64,
        recorded: &dyn Fn() -> Box<dyn AnyAssetEdit>,
    ) {
        let mut registry = self.lock();
        let left = registry.record_edit(id, kind, version, recorded);
        let listeners: Vec<_> = registry.listeners_of(id).collect();
        // One lock at a time, and nothing is dropped meanwhile.
        drop(registry);
        drop(left);
        for assets in listeners {
            let left = assets.lock().record_edit(id, kind, version, recorded);
            drop(left);
        }
    }

    /// Begins to record edits, or a transaction inside of the one that is recorded.
    pub(crate) fn begin_recording(&self, scene: u64) {
        let recorders = &mut self.lock().recorders;
        match recorders.iter_mut().find(|recorder| recorder.scene == scene) {
            Some(recorder) => recorder.transactions.push(AssetEdits::default()),
            None => recorders.push(AssetRecorder {
                scene,
                is_paused: false,
                transactions: vec![AssetEdits::default()],
            }),
        }
    }

    /// Ends the innermost transaction; returns its edits if it is the outermost one.
    pub(crate) fn end_recording(&self, scene: u64) -> Vec<Box<dyn AnyAssetEdit>> {
        let mut registry = self.lock();
        let recorders = &mut registry.recorders;
        let Some(at) = recorders.iter().position(|recorder| recorder.scene == scene) else {
            return Vec::new();
        };
        let ended = recorders[at].transactions.pop().unwrap_or_default().into_vec();
        let Some(outer) = recorders[at].transactions.last_mut() else {
            recorders.swap_remove(at);
            return ended;
        };
        let left: Vec<_> = ended.into_iter().filter_map(|edit| outer.push(edit)).collect();
        // Nothing is dropped while the registry is locked.
        drop(registry);
        drop(left);
        Vec::new()
    }

    /// Undoes the innermost transaction, and ends it.
    pub(crate) fn roll_back_recording(&self, scene: u64) {
        let edits = {
            let recorders = &mut self.lock().recorders;
            let Some(at) = recorders.iter().position(|recorder| recorder.scene == scene) else {
                return;
            };
            recorders[at].is_paused = true;
            recorders[at].transactions.pop().unwrap_or_default().into_vec()
        };
        // Without the lock, which publishing a version takes.
        edits.iter().rev().for_each(|edit| edit.apply(false));
        let recorders = &mut self.lock().recorders;
        recorders.retain_mut(|recorder| {
            recorder.is_paused &= recorder.scene != scene;
            !recorder.transactions.is_empty()
        });
    }

    /// Records that the last handle of an asset was dropped, in all registries that know it.
    pub(super) fn release(&self, kind: AssetKind, id: AssetId) {
        let unused = UnusedAsset { id, kind };
        let mut registry = self.lock();
        registry.release(unused);
        let listeners: Vec<_> = registry.listeners_of(id).collect();
        registry.listeners.remove(&id);
        // One lock at a time.
        drop(registry);
        for assets in listeners {
            assets.lock().release(unused);
        }
    }

    /// Calls `read` with the log of changes.
    pub(super) fn with_log<R>(&self, read: impl FnOnce(&mut ChangeLog) -> R) -> R {
        read(&mut self.lock().log)
    }

    fn lock(&self) -> MutexGuard<'_, Registry> {
        // A panic cannot leave the registry inconsistent.
        self.registry.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Registry {
    fn record_edit(
        &mut self,
        id: AssetId,
        kind: AssetKind,
        version: u64,
        recorded: &dyn Fn() -> Box<dyn AnyAssetEdit>,
    ) -> Vec<Box<dyn AnyAssetEdit>> {
        self.log.record_edit(id, kind, version);
        let active = self.recorders.iter_mut().filter(|recorder| !recorder.is_paused);
        let innermost = active.filter_map(|recorder| recorder.transactions.last_mut());
        innermost.filter_map(|edits| edits.push(recorded())).collect()
    }

    fn listeners_of(&self, id: AssetId) -> impl Iterator<Item = Assets> + '_ {
        self.listeners.get(&id).into_iter().flatten().filter_map(WeakAssets::upgrade)
    }

    fn release(&mut self, asset: UnusedAsset) {
        let live = self.assets.len();
        // Frees only the memory of the cell, which has no value any more.
        self.assets.remove(&asset.id);
        if let Some(list) = &mut self.unused {
            list.push(asset);
        }
        self.log.record_unused(asset, live);
    }

    fn next_id(&mut self) -> AssetId {
        if self.allocated == u32::MAX {
            (self.block, self.allocated) = (next_block(), 0);
        }
        self.allocated += 1;
        AssetId::new(self.block, NonZeroU32::new(self.allocated).expect("it was just incremented"))
    }
}

/// Returns a block of ids that no other registry has; later blocks are greater.
fn next_block() -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl Default for Assets {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Assets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let registry = self.lock();
        let unused = registry.unused.as_ref().map(Vec::len);
        f.debug_struct("Assets")
            .field("len", &registry.assets.len())
            .field("unused", &unused)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Material;

    #[test]
    fn ids_continue_in_a_new_block_when_one_is_used_up() {
        let assets = Assets::new();
        assets.lock().allocated = u32::MAX - 1;
        let last = assets.add(Material::default());
        let next = assets.add(Material::default());
        assert_eq!(
            (last.id().to_string(), next.id().to_string()),
            ("a4294967295".into(), "a1".into())
        );
        assert!(last.id() < next.id());
    }
}
