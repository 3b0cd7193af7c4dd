//! `Assets`: assigns ids to assets, and lists those that are no longer used.
//!
//! It does not hold the assets: handles do (`handle.rs`). It assigns ids, counts assets, and keeps
//! a list of the ids whose last handle was dropped, for the owner of the resources that were made
//! of them.
//!
//! Invariants: an id is in the list at most once, as it is added when its value is dropped or gets
//! another id. Ids increase. There is one lock, held for a few instructions, never while a value is
//! cloned or dropped (which may drop other handles).

use std::fmt;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::{AssetId, Handle};

/// A type that a [`Handle`] can hold.
///
/// Implement it for your own types, such as sounds, shaders or terrain: they then use the same
/// handles and the same list of unused assets.
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
/// assert_eq!(horn.samples.len(), 100);
/// assert_eq!(format!("{horn:?}"), "Handle(sound a1)");
/// ```
pub trait Asset: Sized {
    /// The kind, for the list of unused assets.
    const KIND: AssetKind;

    /// Data derived from the value and stored with it: cells that are filled on first use, such as
    /// `OnceLock`s. It is reset to its default whenever the value changes. `()` for none.
    ///
    /// It is stored next to the value and not in it, so that the value is plain data whose fields
    /// may be changed freely, and derived data is never out of date.
    type Derived: Default;
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
pub struct UnusedAsset {
    /// The id, which is not used again.
    pub id: AssetId,
    /// The kind.
    pub kind: AssetKind,
}

/// Creates [`Handle`]s, and lists the assets that became unused.
///
/// Clones are the same registry. The owner of uploaded assets drains the list once per frame:
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
/// An asset takes 32 bytes in addition to its value and the data derived from it; adding and
/// dropping take one allocation and a lock. An unused asset takes 32 bytes until the list is
/// drained; a program that has nothing to free uses [`untracked`](Self::untracked), or the list
/// grows.
#[derive(Clone)]
pub struct Assets {
    registry: Arc<Mutex<Registry>>,
}

struct Registry {
    /// The current block of ids.
    block: u32,
    /// The number of ids assigned in this block.
    allocated: u32,
    len: usize,
    /// `None` if unused assets are not recorded.
    unused: Option<Vec<UnusedAsset>>,
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
        let registry = Registry { block: next_block(), allocated: 0, len: 0, unused };
        Self { registry: Arc::new(Mutex::new(registry)) }
    }

    /// Adds a value without checking it; to check geometry, use
    /// [`Geometry::check`](crate::Geometry::check).
    #[must_use = "without a handle the asset is dropped at once"]
    pub fn add<T: Asset>(&self, value: T) -> Handle<T> {
        Handle::new(value, self.clone())
    }

    /// Returns the number of assets that have handles.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lock().len
    }

    /// Returns `true` if no asset has a handle.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Replaces the contents of `unused` with the assets that lost their last handle since the last
    /// call, or got another id by [`make_mut`](Handle::make_mut).
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

    /// Returns an id for a new asset.
    pub(crate) fn allocate_id(&self) -> AssetId {
        let mut registry = self.lock();
        registry.len += 1;
        registry.next_id()
    }

    /// Returns a new id for an asset that changes, and records the old one as unused.
    pub(crate) fn replace_id(&self, kind: AssetKind, old: AssetId) -> AssetId {
        let mut registry = self.lock();
        registry.record(UnusedAsset { id: old, kind });
        registry.next_id()
    }

    /// Records that the last handle of an asset was dropped.
    pub(crate) fn release_id(&self, kind: AssetKind, id: AssetId) {
        let mut registry = self.lock();
        registry.len -= 1;
        registry.record(UnusedAsset { id, kind });
    }

    fn lock(&self) -> MutexGuard<'_, Registry> {
        // A panic cannot leave the registry inconsistent.
        self.registry.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Registry {
    fn next_id(&mut self) -> AssetId {
        if self.allocated == u32::MAX {
            (self.block, self.allocated) = (next_block(), 0);
        }
        self.allocated += 1;
        AssetId::new(self.block, NonZeroU32::new(self.allocated).expect("it was just incremented"))
    }

    fn record(&mut self, asset: UnusedAsset) {
        if let Some(list) = &mut self.unused {
            list.push(asset);
        }
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
        f.debug_struct("Assets").field("len", &registry.len).field("unused", &unused).finish()
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
