//! One byte a node: what is true of it.
//!
//! Invariant: `ALIVE` agrees with `slots.rs`; a dead slot has no other bit but
//! `QUEUED`, which belongs to the slot and not to its tenant (see `dirty.rs`).

use core::fmt;

/// What is true of one node; a row of [`Graph::flags`](crate::Graph::flags).
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub struct NodeFlags(u8);

impl NodeFlags {
    pub(crate) const EMPTY: Self = Self(0);
    pub(crate) const ALIVE: u8 = 1;
    /// Its own flag.
    pub(crate) const VISIBLE: u8 = 1 << 1;
    /// Its own flag and every ancestor's.
    pub(crate) const SHOWN: u8 = 1 << 2;
    /// Edited since the last update; its descendants are then out of date too.
    pub(crate) const LOCAL_DIRTY: u8 = 1 << 3;
    /// Stands in the list of edited slots.
    pub(crate) const QUEUED: u8 = 1 << 4;
    /// Its local transform is a matrix.
    pub(crate) const HAS_MATRIX: u8 = 1 << 5;
    /// No update has written its world transform yet.
    pub(crate) const NEVER_UPDATED: u8 = 1 << 6;
    /// Has children.
    pub(crate) const HAS_CHILDREN: u8 = 1 << 7;

    #[inline]
    pub(crate) fn has(self, bit: u8) -> bool {
        self.0 & bit != 0
    }

    #[inline]
    pub(crate) fn set(&mut self, bits: u8) {
        self.0 |= bits;
    }

    #[inline]
    pub(crate) fn unset(&mut self, bits: u8) {
        self.0 &= !bits;
    }

    #[inline]
    pub(crate) fn assign(&mut self, bit: u8, on: bool) {
        if on { self.set(bit) } else { self.unset(bit) }
    }

    /// Does a node live in this row, and has been updated?
    #[inline]
    pub(crate) fn is_updated(self) -> bool {
        self.0 & (Self::ALIVE | Self::NEVER_UPDATED) == Self::ALIVE
    }

    /// Does a node live in this row?
    #[must_use]
    pub fn is_alive(self) -> bool {
        self.has(Self::ALIVE)
    }

    /// The node's own flag.
    #[must_use]
    pub fn is_visible(self) -> bool {
        self.has(Self::VISIBLE)
    }

    /// The node's own flag and every ancestor's. Never stale.
    #[must_use]
    pub fn is_shown(self) -> bool {
        self.has(Self::SHOWN)
    }

    /// Was the node's own local transform or parent changed since the last update?
    #[must_use]
    pub fn is_local_dirty(self) -> bool {
        self.has(Self::LOCAL_DIRTY)
    }
}

impl fmt::Debug for NodeFlags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const NAMES: [&str; 8] =
            ["alive", "visible", "shown", "dirty", "queued", "matrix", "never_updated", "parent"];
        let set = (0..8).filter(|&bit| self.has(1 << bit));
        f.debug_set().entries(set.map(|bit| NAMES[bit])).finish()
    }
}
