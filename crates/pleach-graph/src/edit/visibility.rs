//! Own flag → `shown`: a node's own flag and every ancestor's.
//!
//! Invariant: `SHOWN` is right at any time, not only after an update: each edit
//! carries it down as far as it changes, and lists the nodes it changed for.

use crate::graph::Graph;
use crate::store::flags::NodeFlags;
use crate::store::links::NONE;

impl Graph {
    pub(crate) fn set_visible(&mut self, slot: u32, visible: bool) {
        let flags = &mut self.flags[slot as usize];
        if flags.is_visible() != visible {
            flags.put(NodeFlags::VISIBLE, visible);
            self.refresh_shown(slot);
        }
    }

    /// Brings `SHOWN` up to date from `top` down, after the flag or the parent of
    /// `top` changed.
    #[inline]
    pub(crate) fn refresh_shown(&mut self, top: u32) {
        let (_, parent_shown) = self.place_under(self.links.parent(top));
        let flags = self.flags[top as usize];
        if flags.is_shown() != (flags.is_visible() && parent_shown) {
            self.change_shown(top);
        }
    }

    fn change_shown(&mut self, top: u32) {
        let mut changed = core::mem::take(&mut self.scratch.shown);
        changed.clear();
        let mut slot = top;
        while slot != NONE {
            let (_, parent_shown) = self.place_under(self.links.parent(slot));
            let flags = &mut self.flags[slot as usize];
            let shown = flags.is_visible() && parent_shown;
            slot = if flags.is_shown() == shown {
                self.links.following_subtree(top, slot)
            } else {
                flags.put(NodeFlags::SHOWN, shown);
                changed.push(slot);
                self.links.following(top, slot)
            };
        }
        self.changes.list_shown(&changed, self.slots.len());
        self.scratch.shown = changed;
    }
}
