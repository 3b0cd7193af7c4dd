//! Inherited visibility: a node is shown if it and all its ancestors are visible.
//!
//! Invariant: whether a node is shown is up to date at any time, not only after an update: each
//! edit propagates it down as far as it changes, and lists the changed nodes.

use crate::Graph;
use crate::store::links::NONE;

impl Graph {
    pub(crate) fn set_visible(&mut self, slot: u32, visible: bool) {
        if self.flags[slot as usize].is_visible() != visible {
            if self.recorder.is_recording {
                self.record_visible(slot, visible);
            }
            let was_shown = self.flags[slot as usize].is_shown();
            let shown = visible && self.is_parent_shown(slot);
            self.flags[slot as usize].set_visible(visible, shown);
            if was_shown != shown {
                self.change_shown_below(slot);
            }
        }
    }

    #[inline]
    fn is_parent_shown(&self, slot: u32) -> bool {
        let parent = self.links.parent(slot);
        parent == NONE || self.flags[parent as usize].is_shown()
    }

    /// Updates what is shown from `root` down, after its parent changed.
    #[inline]
    pub(crate) fn refresh_shown(&mut self, root: u32) {
        let parent_shown = self.is_parent_shown(root);
        let flags = &mut self.flags[root as usize];
        if flags.differs_from_parent(parent_shown) {
            flags.set_visible(true, parent_shown);
            self.change_shown_below(root);
        }
    }

    /// Updates what is shown below `root`, which has changed, and lists all changed nodes.
    fn change_shown_below(&mut self, root: u32) {
        let mut changed = core::mem::take(&mut self.scratch.shown_changed);
        changed.clear();
        changed.push(root);
        let mut slot = self.links.next_in_preorder(root, root);
        while slot != NONE {
            let parent_shown = self.is_parent_shown(slot);
            let flags = &mut self.flags[slot as usize];
            slot = if flags.differs_from_parent(parent_shown) {
                flags.set_visible(true, parent_shown);
                changed.push(slot);
                self.links.next_in_preorder(root, slot)
            } else {
                self.links.next_after_subtree(root, slot)
            };
        }
        self.changes.list_shown_changed(&changed, self.slots.len());
        self.scratch.shown_changed = changed;
    }
}
