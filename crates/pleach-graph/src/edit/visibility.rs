//! Inherited visibility: a node is shown if it and all its ancestors are visible.
//!
//! Invariant: `SHOWN` is up to date at any time, not only after an update: each
//! edit propagates it down as far as it changes, and lists the changed nodes.

use crate::Graph;
use crate::store::{flags::NodeFlags, links::NONE};

impl Graph {
    pub(crate) fn set_visible(&mut self, slot: u32, visible: bool) {
        let flags = &mut self.flags[slot as usize];
        if flags.is_visible() != visible {
            flags.assign(NodeFlags::VISIBLE, visible);
            self.refresh_shown(slot);
        }
    }

    /// Updates `SHOWN` from `root` down, after the visibility or the parent of
    /// `root` changed.
    #[inline]
    pub(crate) fn refresh_shown(&mut self, root: u32) {
        let (_, parent_shown) = self.child_depth_and_shown(self.links.parent(root));
        let flags = self.flags[root as usize];
        if flags.is_shown() != (flags.is_visible() && parent_shown) {
            self.change_shown(root);
        }
    }

    fn change_shown(&mut self, root: u32) {
        let mut changed = core::mem::take(&mut self.scratch.shown_changed);
        changed.clear();
        let mut slot = root;
        while slot != NONE {
            let (_, parent_shown) = self.child_depth_and_shown(self.links.parent(slot));
            let flags = &mut self.flags[slot as usize];
            let shown = flags.is_visible() && parent_shown;
            slot = if flags.is_shown() == shown {
                self.links.next_after_subtree(root, slot)
            } else {
                flags.assign(NodeFlags::SHOWN, shown);
                changed.push(slot);
                self.links.next_in_preorder(root, slot)
            };
        }
        self.changes.list_shown_changed(&changed, self.slots.len());
        self.scratch.shown_changed = changed;
    }
}
