//! `Assets`: where assets get their ids, and where it is told which are no longer used.
//!
//! It holds no assets: handles do (`handle.rs`). It gives ids, counts, and keeps a list of
//! the ids whose last handle is gone, for the one who owns what was made of them.
//!
//! Invariants: an id is in the list at most once, as it is put there when its value is
//! dropped or gets another id. Ids rise. One lock, held for a few instructions, never while
//! a value is cloned or dropped (which may drop other handles).

use std::fmt;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::{AssetId, Handle};

/// What can be held by a [`Handle`].
///
/// Open to your own types: what else a program shares and frees (sounds, shaders, terrain)
/// then goes through the same handles and the same list of what became unused.
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
    /// What it is, for the list of what became unused.
    const KIND: AssetKind;

    /// What is worked out from the value and kept beside it: cells that are filled when
    /// first asked for, such as `OnceLock`s. It begins as its default, and again whenever
    /// the value changes. `()` for nothing.
    ///
    /// It is beside the value and not in it, so that the value is plain data whose fields
    /// anyone may change, and what was worked out is never out of date.
    type Derived: Default;
}

/// What an asset is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum AssetKind {
    /// A [`Geometry`](crate::Geometry).
    Geometry,
    /// A [`Material`](crate::Material).
    Material,
    /// An [`Image`](crate::Image).
    Image,
    /// A type of yours, by a name you choose.
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

/// An asset that nothing uses any more, as [`Assets::drain_unused`] tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnusedAsset {
    /// Its id, which will not be used again.
    pub id: AssetId,
    /// What it was.
    pub kind: AssetKind,
}

/// Makes [`Handle`]s, and tells which assets became unused.
///
/// Clones are the same registry. The one who uploads assets asks once a frame what to free:
///
/// ```
/// use std::collections::HashMap;
/// use pleach::{AssetKind, Assets, Geometry};
///
/// let assets = Assets::new();
/// let mut buffers = HashMap::new();                 // the GPU's, by id
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
/// # What it costs
///
/// An asset takes 32 bytes more than its value and what is worked out from it; adding and
/// dropping take one allocation and a lock. What became unused takes 32 bytes until the list
/// is drained; a program that has nothing to free uses
/// [`untracked`](Self::untracked), or the list grows.
#[derive(Clone)]
pub struct Assets {
    registry: Arc<Mutex<Registry>>,
}

struct Registry {
    /// The block of ids that is being allocated.
    block: u32,
    /// How many of it were allocated.
    allocated: u32,
    len: usize,
    /// `None` if no one is to be told.
    unused: Option<Vec<UnusedAsset>>,
}

impl Assets {
    /// A registry with no assets.
    #[must_use]
    pub fn new() -> Self {
        Self::with_unused(Some(Vec::new()))
    }

    /// A registry that does not note what became unused:
    /// [`drain_unused`](Self::drain_unused) gives nothing. For programs without a renderer.
    #[must_use]
    pub fn untracked() -> Self {
        Self::with_unused(None)
    }

    fn with_unused(unused: Option<Vec<UnusedAsset>>) -> Self {
        let registry = Registry { block: next_block(), allocated: 0, len: 0, unused };
        Self { registry: Arc::new(Mutex::new(registry)) }
    }

    /// Takes a value, as it is; what can be wrong with geometry
    /// [`Geometry::check`](crate::Geometry::check) tells.
    #[must_use = "without a handle the asset is dropped at once"]
    pub fn add<T: Asset>(&self, value: T) -> Handle<T> {
        Handle::new(value, self.clone())
    }

    /// How many assets have handles.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lock().len
    }

    /// Puts into `unused` what lost its last handle since the last call, also by
    /// [`make_mut`](Handle::make_mut), and nothing else.
    ///
    /// - In rising order of ids.
    /// - Each asset once. There is one list: of two that drain it each gets a part. Let one
    ///   do so and tell the others.
    /// - What lost its last handle before this call, in this thread or one it waited for, is
    ///   told now.
    ///
    /// Allocates nothing: the buffers change places.
    pub fn drain_unused(&self, unused: &mut Vec<UnusedAsset>) {
        unused.clear();
        if let Some(list) = &mut self.lock().unused {
            std::mem::swap(list, unused);
        }
        unused.sort_unstable_by_key(|asset| asset.id);
    }

    /// An id for a new asset.
    pub(crate) fn allocate_id(&self) -> AssetId {
        let mut registry = self.lock();
        registry.len += 1;
        registry.next_id()
    }

    /// A new id for an asset that changes.
    pub(crate) fn replace_id(&self, kind: AssetKind, old: AssetId) -> AssetId {
        let mut registry = self.lock();
        registry.record(UnusedAsset { id: old, kind });
        registry.next_id()
    }

    /// The last handle of an asset is gone.
    pub(crate) fn release_id(&self, kind: AssetKind, id: AssetId) {
        let mut registry = self.lock();
        registry.len -= 1;
        registry.record(UnusedAsset { id, kind });
    }

    fn lock(&self) -> MutexGuard<'_, Registry> {
        // Nothing in here is left half done by a panic.
        self.registry.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Registry {
    fn next_id(&mut self) -> AssetId {
        if self.allocated == u32::MAX {
            (self.block, self.allocated) = (next_block(), 0);
        }
        self.allocated += 1;
        AssetId::new(self.block, NonZeroU32::new(self.allocated).expect("one was added"))
    }

    fn record(&mut self, asset: UnusedAsset) {
        if let Some(list) = &mut self.unused {
            list.push(asset);
        }
    }
}

/// A block of ids that no other registry has; later ones are greater.
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
    fn ids_go_on_when_a_block_is_used_up() {
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
