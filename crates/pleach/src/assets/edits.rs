//! Recorded edits of assets: the versions before and after.
//!
//! While a transaction of a scene runs, its registry records every edit of an asset that it knows,
//! from whichever handle. A version is never changed, so that keeping it costs nothing but its memory,
//! and undoing an edit makes the version before it the current one again, with everything that was
//! derived from it.
//!
//! Invariant: an edit holds a handle, so its asset exists as long as it can be undone.

use std::any::Any;
use std::collections::{BTreeMap, btree_map::Entry};
use std::fmt;
use std::sync::Arc;

use super::error::AssetEditError;
use super::registry::Asset;
use super::version::AssetVersion;
use crate::content::{Comparison, Content};
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
    /// The values come from elsewhere, so `old` need not have been the current version.
    pub(crate) is_foreign: bool,
}

/// `RecordedAsset` of any kind.
pub(crate) trait AnyAssetEdit: Any + Send + Sync {
    fn id(&self) -> AssetId;

    /// Returns the versions before and after.
    fn versions(&self) -> (u64, u64);

    fn byte_size(&self) -> usize;

    /// Writes which asset it is, and the version after the edit.
    fn write_content(&self, content: &mut Content);

    /// Counts the assets that the version before the edit uses, and the one after it does not.
    fn count_assets(&self, assets: &mut Content);

    /// Checks that the current version is the one before the edit, or after it if it is to be undone,
    /// or has the same value.
    fn check(&self, forward: bool) -> Result<(), AssetEditError>;

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

    fn write_content(&self, content: &mut Content) {
        content.write_asset_edit(&self.handle, &self.new);
    }

    fn count_assets(&self, assets: &mut Content) {
        let write = |version: &AssetVersion<T>, it: &mut Content| _ = version.write_content(it);
        assets.skip_asset(self.id());
        assets.count_without(|it| write(&self.new, it), |it| write(&self.old, it));
    }

    fn check(&self, forward: bool) -> Result<(), AssetEditError> {
        let expected = if forward { &self.old } else { &self.new };
        let current = self.handle.snapshot();
        if current.version() == expected.version() {
            return Ok(());
        }
        let is_same = Comparison::new().is_same_asset(current.value(), expected.value());
        // A kind without content that comes from elsewhere cannot be compared.
        if is_same.unwrap_or(self.is_foreign) {
            return Ok(());
        }
        let asset = format!("{} {}", T::KIND, self.id());
        Err(AssetEditError { asset, expected: expected.version(), current: current.version() })
    }

    fn clone_box(&self) -> Box<dyn AnyAssetEdit> {
        let Self { ref handle, ref old, ref new, is_foreign } = *self;
        let (handle, old, new) = (handle.clone(), Arc::clone(old), Arc::clone(new));
        Box::new(Self { handle, old, new, is_foreign })
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

/// Edits of assets, in the order of the first edit of each: one per asset. Adding one takes O(log n).
#[derive(Default)]
pub(crate) struct AssetEdits {
    edits: Vec<Box<dyn AnyAssetEdit>>,
    /// By asset: the index of its edit.
    indices: BTreeMap<AssetId, usize>,
}

impl AssetEdits {
    /// Appends an edit, or merges it with the earlier one of the same asset. Returns what is left of it,
    /// which must not be dropped while a registry is locked.
    #[must_use]
    pub(crate) fn push(
        &mut self,
        mut edit: Box<dyn AnyAssetEdit>,
    ) -> Option<Box<dyn AnyAssetEdit>> {
        match self.indices.entry(edit.id()) {
            Entry::Occupied(index) => {
                self.edits[*index.get()].append(&mut *edit);
                Some(edit)
            }
            Entry::Vacant(index) => {
                index.insert(self.edits.len());
                self.edits.push(edit);
                None
            }
        }
    }

    pub(crate) fn into_vec(self) -> Vec<Box<dyn AnyAssetEdit>> {
        self.edits
    }
}

impl From<Vec<Box<dyn AnyAssetEdit>>> for AssetEdits {
    /// From edits of one asset each.
    fn from(edits: Vec<Box<dyn AnyAssetEdit>>) -> Self {
        let indices = edits.iter().enumerate().map(|(index, edit)| (edit.id(), index)).collect();
        Self { edits, indices }
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// An edit that counts how often it is looked at.
    struct Counted {
        id: AssetId,
        edits: u64,
        looks: Arc<AtomicUsize>,
    }

    impl AnyAssetEdit for Counted {
        fn id(&self) -> AssetId {
            self.looks.fetch_add(1, Ordering::Relaxed);
            self.id
        }

        fn versions(&self) -> (u64, u64) {
            (0, self.edits)
        }

        fn byte_size(&self) -> usize {
            0
        }

        fn write_content(&self, _: &mut Content) {}

        fn count_assets(&self, _: &mut Content) {}

        fn check(&self, _: bool) -> Result<(), AssetEditError> {
            Ok(())
        }

        fn clone_box(&self) -> Box<dyn AnyAssetEdit> {
            let Self { id, edits, ref looks } = *self;
            Box::new(Self { id, edits, looks: Arc::clone(looks) })
        }

        fn apply(&self, _: bool) {}

        fn append(&mut self, next: &mut dyn AnyAssetEdit) {
            self.edits += next.versions().1;
        }
    }

    #[test]
    fn each_edit_is_looked_at_once() {
        let looks = Arc::new(AtomicUsize::new(0));
        let count = 1_000;
        let edit = |number: u32| {
            let id = AssetId::new(0, NonZeroU32::new(1 + number % count).unwrap());
            Box::new(Counted { id, edits: 1, looks: Arc::clone(&looks) })
        };
        let mut edits = AssetEdits::default();
        let left = (0..3 * count).filter_map(|number| edits.push(edit(number))).count();
        assert_eq!((left, edits.edits.len()), (2_000, 1_000));
        assert_eq!(looks.load(Ordering::Relaxed), 3_000);
        assert!(edits.edits.iter().all(|edit| edit.versions().1 == 3));

        let mut edits = AssetEdits::from(edits.into_vec());
        assert!((0..count).all(|number| edits.push(edit(number)).is_some()));
        assert_eq!(looks.load(Ordering::Relaxed), 5_000);
    }
}
