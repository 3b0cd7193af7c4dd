//! Recorded edits of assets: the versions before and after.
//!
//! While a transaction of a scene runs, its registry records every edit of an asset that it knows,
//! from whichever handle. A version is never changed, so that keeping it costs nothing but its memory,
//! and undoing an edit makes the version before it the current one again, with everything that was
//! derived from it.
//!
//! Invariant: an edit holds a handle, so its asset exists as long as it can be undone.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use super::registry::Asset;
use super::version::AssetVersion;
use crate::{AssetId, Handle};

/// An edit of one asset, as a [`ScenePatch`](crate::undo::ScenePatch) has it.
#[derive(Debug)]
#[non_exhaustive]
pub struct RecordedAsset<T: Asset> {
    /// The asset.
    pub handle: Handle<T>,
    /// The version before.
    pub old: Arc<AssetVersion<T>>,
    /// The version after.
    pub new: Arc<AssetVersion<T>>,
}

/// `RecordedAsset` of any kind.
pub(crate) trait AnyAssetEdit: Any + Send + Sync {
    fn id(&self) -> AssetId;

    /// Returns the versions before and after.
    fn versions(&self) -> (u64, u64);

    fn byte_size(&self) -> usize;

    fn clone_box(&self) -> Box<dyn AnyAssetEdit>;

    /// Makes the version after the edit, or before it, the current one.
    fn apply(&self, forward: bool);

    /// Continues with a later edit of the same asset, which then has the version between them.
    fn append(&mut self, next: &mut dyn AnyAssetEdit);
}

impl<T: Asset> AnyAssetEdit for RecordedAsset<T> {
    fn id(&self) -> AssetId {
        self.handle.id()
    }

    fn versions(&self) -> (u64, u64) {
        (self.old.version(), self.new.version())
    }

    fn byte_size(&self) -> usize {
        size_of::<Self>() + self.old.byte_size() + self.new.byte_size()
    }

    fn clone_box(&self) -> Box<dyn AnyAssetEdit> {
        let Self { handle, old, new } = self;
        Box::new(Self { handle: handle.clone(), old: Arc::clone(old), new: Arc::clone(new) })
    }

    fn apply(&self, forward: bool) {
        self.handle.restore(if forward { &self.new } else { &self.old });
    }

    fn append(&mut self, next: &mut dyn AnyAssetEdit) {
        if let Some(next) = (next as &mut dyn Any).downcast_mut::<Self>()
            && next.handle == self.handle
        {
            std::mem::swap(&mut self.new, &mut next.new);
        }
    }
}

impl Clone for Box<dyn AnyAssetEdit> {
    fn clone(&self) -> Self {
        (**self).clone_box()
    }
}

impl fmt::Debug for dyn AnyAssetEdit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (old, new) = self.versions();
        write!(f, "asset {}, version {old} → {new}", self.id())
    }
}

/// Appends an edit, or merges it with an earlier one of the same asset from `begin` on. Returns what is
/// left of it, which must not be dropped while a registry is locked.
#[must_use]
pub(crate) fn push_merged(
    edits: &mut Vec<Box<dyn AnyAssetEdit>>,
    begin: usize,
    mut edit: Box<dyn AnyAssetEdit>,
) -> Option<Box<dyn AnyAssetEdit>> {
    match edits[begin..].iter_mut().find(|earlier| earlier.id() == edit.id()) {
        Some(earlier) => {
            earlier.append(&mut *edit);
            Some(edit)
        }
        None => {
            edits.push(edit);
            None
        }
    }
}
