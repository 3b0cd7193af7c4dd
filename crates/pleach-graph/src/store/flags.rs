//! One byte of flags per node.
//!
//! Two bits hold one of four states: a dead slot has neither `VISIBLE` nor `SHOWN`, a
//! hidden node has `SHOWN` alone, one below a hidden node `VISIBLE` alone, and one that
//! is shown has both.
//!
//! Invariant: a slot has a state other than dead if it is alive in `slots.rs`; a dead slot has
//! `NEVER_UPDATED`, so that one test finds nodes that were updated, and no other bit but `QUEUED`, which belongs to the slot and not to its node (see `update/dirty.rs`).

use core::fmt;

/// The flags of one node; an element of [`Graph::flags`](crate::Graph::flags).
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct NodeFlags(u8);

impl NodeFlags {
    /// The local transform is recorded before it is written (see `patch/recorder.rs`).
    pub(crate) const WATCHED: u8 = 1;
    /// The node's own visibility.
    const VISIBLE: u8 = 1 << 1;
    /// With `VISIBLE`, the node and all its ancestors are visible; without, it is hidden.
    const SHOWN: u8 = 1 << 2;
    /// The local transform or parent changed since the last update; the world
    /// transforms of the node and its descendants are out of date.
    pub(crate) const LOCAL_DIRTY: u8 = 1 << 3;
    /// The slot is in the dirty queue.
    pub(crate) const QUEUED: u8 = 1 << 4;
    /// The local transform is a matrix.
    pub(crate) const HAS_MATRIX: u8 = 1 << 5;
    /// No update has computed the world transform yet; also set if the slot is dead.
    pub(crate) const NEVER_UPDATED: u8 = 1 << 6;
    /// The flags of a dead slot that is not queued.
    pub(crate) const DEAD: Self = Self(Self::NEVER_UPDATED);
    /// The node has children.
    pub(crate) const HAS_CHILDREN: u8 = 1 << 7;
    /// No flags, to add those of several nodes to.
    pub(crate) const NONE: Self = Self(0);

    /// Returns the flags of a node that is added: visible, without children.
    #[inline]
    pub(crate) fn new_node(shown: bool) -> Self {
        let mut flags = Self(Self::VISIBLE | Self::NEVER_UPDATED);
        flags.assign(Self::SHOWN, shown);
        flags
    }

    /// Makes the slot of a removed node dead.
    #[inline]
    pub(crate) fn kill(&mut self) {
        self.0 = self.0 & Self::QUEUED | Self::NEVER_UPDATED;
    }

    /// Returns `true` if a node is visible, and is not shown exactly as its parent is.
    #[inline]
    pub(crate) fn differs_from_parent(self, parent_shown: bool) -> bool {
        self.has(Self::VISIBLE) && self.has(Self::SHOWN) != parent_shown
    }

    /// Sets whether a node is visible, and whether it is shown, which it is only if it is visible.
    #[inline]
    pub(crate) fn set_visible(&mut self, visible: bool, shown: bool) {
        self.assign(Self::VISIBLE, visible);
        self.assign(Self::SHOWN, shown || !visible);
    }

    /// Replaces the flags of a dead slot by those of its next node.
    #[inline]
    pub(crate) fn reuse(&mut self, new: Self) {
        self.0 |= new.0;
    }

    #[inline]
    pub(crate) fn has(self, bit: u8) -> bool {
        self.0 & bit != 0
    }

    /// Adds the flags of another node.
    #[inline]
    pub(crate) fn add(&mut self, other: Self) {
        self.0 |= other.0;
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

    /// Returns `true` if the row holds a live node that has been updated.
    #[inline]
    pub(crate) fn is_updated(self) -> bool {
        !self.has(Self::NEVER_UPDATED)
    }

    /// Returns `true` if the row holds a live node.
    #[must_use]
    pub fn is_alive(self) -> bool {
        self.has(Self::VISIBLE | Self::SHOWN)
    }

    /// Returns `true` if the node's own visibility flag is set.
    #[must_use]
    pub fn is_visible(self) -> bool {
        self.has(Self::VISIBLE)
    }

    /// Returns `true` if the node and all its ancestors are visible. Never stale.
    #[must_use]
    pub fn is_shown(self) -> bool {
        self.0 & (Self::VISIBLE | Self::SHOWN) == Self::VISIBLE | Self::SHOWN
    }

    /// Returns `true` if the node's own local transform or parent changed since the
    /// last update.
    #[must_use]
    pub fn is_local_dirty(self) -> bool {
        self.has(Self::LOCAL_DIRTY)
    }
}

impl PartialEq for NodeFlags {
    /// Ignores `WATCHED`, which is not observable.
    fn eq(&self, other: &Self) -> bool {
        (self.0 ^ other.0) & !Self::WATCHED == 0
    }
}

impl Eq for NodeFlags {}

impl fmt::Debug for NodeFlags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = [
            (self.is_alive(), "alive"),
            (self.is_visible(), "visible"),
            (self.is_shown(), "shown"),
            (self.has(Self::LOCAL_DIRTY), "dirty"),
            (self.has(Self::QUEUED), "queued"),
            (self.has(Self::HAS_MATRIX), "matrix"),
            (self.has(Self::NEVER_UPDATED), "never_updated"),
            (self.has(Self::HAS_CHILDREN), "parent"),
        ];
        let set = names.into_iter().filter(|(is_set, _)| *is_set);
        f.debug_set().entries(set.map(|(_, name)| name)).finish()
    }
}
