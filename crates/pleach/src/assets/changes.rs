//! `AssetChangeReader`: lists the assets that were edited or became unused since it last read.
//!
//! The registry has one log for all its readers, in the order of the changes; a reader has a
//! position in it. The log contains nothing that all readers have read.
//!
//! Invariants: an asset is in the log at most once, at its last change; so the edits in the log are
//! no more than the assets that have handles. Unused assets are limited in number: beyond that the
//! older ones are dropped from the log, and the readers that did not read them are notified.

use std::collections::BTreeMap;
use std::fmt;

use super::registry::{AssetKind, Assets, UnusedAsset};
use crate::AssetId;

/// The maximum number of unused assets in a log, unless more assets have handles.
const MAX_UNUSED: usize = 16_384;

/// An asset that was edited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct AssetEdit {
    /// The id.
    pub id: AssetId,
    /// The kind.
    pub kind: AssetKind,
    /// The number of the version after the last edit; see [`Handle::version`](crate::Handle::version).
    pub version: u64,
}

/// The assets that changed between two reads of an [`AssetChangeReader`].
#[derive(Clone, Debug, Default)]
pub struct AssetChanges {
    edited: Vec<AssetEdit>,
    unused: Vec<UnusedAsset>,
    incomplete: bool,
}

impl AssetChanges {
    /// Returns the assets that were edited and still have handles, each once, by id.
    #[must_use]
    pub fn edited(&self) -> &[AssetEdit] {
        &self.edited
    }

    /// Returns the assets that lost their last handle, each once, by id.
    #[must_use]
    pub fn unused(&self) -> &[UnusedAsset] {
        &self.unused
    }

    /// Returns `true` if [`unused`](Self::unused) is not complete: the reader did not read while
    /// more than 16 384 assets, and more than there are now, became unused. Then free every asset
    /// that the registry does not [contain](Assets::contains). Edits are always complete.
    #[must_use]
    pub fn is_incomplete(&self) -> bool {
        self.incomplete
    }
}

/// Lists the assets of a registry that were edited or became unused, each once.
///
/// Created by [`Assets::change_reader`]. What is not read costs no more than 32 bytes per asset that
/// has handles, and 2 MB of unused ones.
#[derive(Debug)]
pub struct AssetChangeReader {
    assets: Assets,
    reader: usize,
    changes: AssetChanges,
}

impl AssetChangeReader {
    pub(super) fn new(assets: Assets) -> Self {
        let reader = assets.with_log(ChangeLog::add_reader);
        Self { assets, reader, changes: AssetChanges::default() }
    }

    /// Returns the assets that were edited or became unused since the last read, or since the reader
    /// was created. O(changes log changes).
    ///
    /// An asset that was edited and then became unused is unused only. An edit by another thread
    /// during the call is in this result or the next.
    ///
    /// ```
    /// use std::collections::HashMap;
    /// use pleach::{AssetKind, Assets, Geometry, Handle, Material};
    ///
    /// let assets = Assets::new();
    /// let mut reader = assets.change_reader();
    /// let rock = assets.add(Geometry::default());
    /// let mut buffers = HashMap::from([(rock.id(), rock.version())]);
    ///
    /// rock.edit(|geometry| geometry.positions.clear());
    /// let changes = reader.read();
    /// for edit in changes.edited().iter().filter(|edit| edit.kind == AssetKind::Geometry) {
    ///     let geometry: Handle<Geometry> = assets.get(edit.id).unwrap();
    ///     buffers.insert(edit.id, geometry.get().version());      // upload it again
    /// }
    /// for asset in changes.unused() {
    ///     buffers.remove(&asset.id);
    /// }
    /// assert_eq!(buffers[&rock.id()], 2);
    /// assert!(reader.read().edited().is_empty());
    /// ```
    pub fn read(&mut self) -> &AssetChanges {
        let Self { assets, reader, changes } = self;
        assets.with_log(|log| log.read(*reader, changes));
        changes.edited.sort_unstable();
        changes.unused.sort_unstable();
        changes
    }
}

impl Drop for AssetChangeReader {
    fn drop(&mut self) {
        self.assets.with_log(|log| log.remove_reader(self.reader));
    }
}

#[derive(Clone, Copy)]
enum Change {
    Edited(AssetEdit),
    Unused(UnusedAsset),
}

/// The changes that some reader has not read.
#[derive(Default)]
pub(super) struct ChangeLog {
    /// By reader: the number of the last change that it read.
    readers: Vec<Option<Position>>,
    /// The number of the last change.
    last: u64,
    changes: BTreeMap<u64, Change>,
    /// By edited asset: the number of its change.
    edits: BTreeMap<AssetId, u64>,
    unused: usize,
}

#[derive(Clone, Copy)]
struct Position {
    read: u64,
    incomplete: bool,
}

impl ChangeLog {
    fn add_reader(&mut self) -> usize {
        let position = Some(Position { read: self.last, incomplete: false });
        let free = self.readers.iter().position(Option::is_none);
        if let Some(free) = free {
            self.readers[free] = position;
            return free;
        }
        self.readers.push(position);
        self.readers.len() - 1
    }

    fn remove_reader(&mut self, reader: usize) {
        self.readers[reader] = None;
        self.drop_read();
    }

    fn has_readers(&self) -> bool {
        self.readers.iter().any(Option::is_some)
    }

    pub(super) fn record_edit(&mut self, id: AssetId, kind: AssetKind, version: u64) {
        if self.has_readers() {
            self.last += 1;
            if let Some(before) = self.edits.insert(id, self.last) {
                self.changes.remove(&before);
            }
            self.changes.insert(self.last, Change::Edited(AssetEdit { id, kind, version }));
        }
    }

    /// Records an unused asset; `live` assets have handles.
    pub(super) fn record_unused(&mut self, asset: UnusedAsset, live: usize) {
        if !self.has_readers() {
            return;
        }
        if let Some(edit) = self.edits.remove(&asset.id) {
            self.changes.remove(&edit);
        }
        self.last += 1;
        self.changes.insert(self.last, Change::Unused(asset));
        self.unused += 1;
        if self.unused > 2 * live.max(MAX_UNUSED) {
            self.drop_older_unused();
        }
    }

    /// Drops the older half of the unused assets.
    fn drop_older_unused(&mut self) {
        let mut left = self.unused / 2;
        let mut dropped = 0;
        self.changes.retain(|&number, change| {
            let drop = left > 0 && matches!(change, Change::Unused(_));
            if drop {
                (left, dropped) = (left - 1, number);
            }
            !drop
        });
        self.unused -= self.unused / 2;
        for position in self.readers.iter_mut().flatten() {
            position.incomplete |= position.read < dropped;
        }
    }

    fn read(&mut self, reader: usize, into: &mut AssetChanges) {
        into.edited.clear();
        into.unused.clear();
        into.incomplete = false;
        let Some(position) = &mut self.readers[reader] else { return };
        into.incomplete = position.incomplete;
        for (_, change) in self.changes.range(position.read + 1..) {
            match *change {
                Change::Edited(edit) => into.edited.push(edit),
                Change::Unused(unused) => into.unused.push(unused),
            }
        }
        *position = Position { read: self.last, incomplete: false };
        self.drop_read();
    }

    /// Drops what all readers have read.
    fn drop_read(&mut self) {
        let read = self.readers.iter().flatten().map(|position| position.read).min();
        let read = read.unwrap_or(self.last);
        while let Some(entry) = self.changes.first_entry().filter(|entry| *entry.key() <= read) {
            match entry.remove() {
                Change::Edited(edit) => _ = self.edits.remove(&edit.id),
                Change::Unused(_) => self.unused -= 1,
            }
        }
    }
}

impl fmt::Debug for ChangeLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChangeLog").field("len", &self.changes.len()).finish()
    }
}
