//! `AssetWatch`: which assets of a scene were edited or became unused.
//!
//! Invariant: the reader is of the registry of the scene that was synced last.

use pleach::{AssetChangeReader, AssetChanges, Assets};

/// A reader of the assets of the current scene.
#[derive(Debug, Default)]
pub(crate) struct AssetWatch {
    current: Option<(Assets, AssetChangeReader)>,
}

impl AssetWatch {
    /// Returns the changes since the last call; `None` if the registry is another one, or changes were
    /// missed: then every asset may have changed.
    pub(crate) fn read(&mut self, assets: &Assets) -> Option<&AssetChanges> {
        let is_same = self.current.as_ref().is_some_and(|(known, _)| known.is_same(assets));
        if !is_same {
            self.current = Some((assets.clone(), assets.change_reader()));
            return None;
        }
        let (_, reader) = self.current.as_mut()?;
        let changes = reader.read();
        (!changes.is_incomplete()).then_some(changes)
    }
}
