//! The tree: parents, children and the order of siblings.
//!
//! Siblings form a doubly linked list, and so do the roots, so linking and
//! unlinking a node takes constant time. Nothing here recurses: a traversal follows
//! the links and needs no stack.
//!
//! Invariant: each live node has at most one parent and is exactly once in the list
//! of its parent's children (or of the roots); there are no cycles; `count` is the
//! length of the list. The cycle test is `is_in_subtree`; callers use it before
//! they link.

use alloc::vec::Vec;
use core::hint::select_unpredictable;

/// "No slot".
pub(crate) const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Link {
    first: u32,
    last: u32,
    prev: u32,
    next: u32,
    count: u32,
}

const UNLINKED: Link = Link { first: NONE, last: NONE, prev: NONE, next: NONE, count: 0 };

#[derive(Clone, Debug)]
pub(crate) struct Links {
    /// By slot; separate from `links` because `update/propagate.rs` reads it for
    /// every node.
    parents: Vec<u32>,
    links: Vec<Link>,
    /// `first`, `last` and `count` of the roots.
    roots: Link,
}

impl Links {
    pub(crate) fn new() -> Self {
        Self { parents: Vec::new(), links: Vec::new(), roots: UNLINKED }
    }

    /// Fills empty links: each slot in `order`, which are the live ones, becomes the last child of
    /// its parent, in turn. `parents` is by slot and has no cycles.
    pub(crate) fn restore(&mut self, parents: Vec<u32>, order: impl Iterator<Item = u32>) {
        self.links.resize(parents.len(), UNLINKED);
        self.parents = parents;
        for slot in order {
            let parent = self.parent(slot);
            self.links[slot as usize].prev = self.append_to_list(parent, slot);
        }
    }

    pub(crate) fn try_reserve_total(&mut self, slots: usize) -> Result<(), ()> {
        let additional = slots.saturating_sub(self.parents.len());
        self.parents.try_reserve_exact(additional).map_err(drop)?;
        self.links.try_reserve_exact(additional).map_err(drop)
    }

    /// Appends a slot as the last child of `parent`, or the last root for `NONE`.
    #[inline]
    pub(crate) fn push_last(&mut self, parent: u32) {
        let prev = self.append_to_list(parent, self.links.len() as u32);
        self.parents.push(parent);
        self.links.push(Link { prev, ..UNLINKED });
    }

    /// Makes a slot that is linked to nothing, but has the links of its previous node,
    /// the last child of `parent`, or the last root for `NONE`.
    #[inline]
    pub(crate) fn relink_last(&mut self, slot: u32, parent: u32) {
        let prev = self.append_to_list(parent, slot);
        self.parents[slot as usize] = parent;
        self.links[slot as usize] = Link { prev, ..UNLINKED };
    }

    /// Appends a slot to a list, and returns its previous sibling.
    #[inline]
    fn append_to_list(&mut self, parent: u32, slot: u32) -> u32 {
        let list = self.list_mut(parent);
        list.count += 1;
        let prev = core::mem::replace(&mut list.last, slot);
        if prev == NONE {
            list.first = slot;
        } else {
            self.links[prev as usize].next = slot;
        }
        prev
    }

    /// Appends a slot that is linked to nothing.
    pub(crate) fn push_unlinked(&mut self) {
        self.parents.push(NONE);
        self.links.push(UNLINKED);
    }

    /// Clears the links that a slot has from its previous node.
    pub(crate) fn forget(&mut self, slot: u32) {
        self.parents[slot as usize] = NONE;
        self.links[slot as usize] = UNLINKED;
    }

    /// Appends a slot with its parent; `link_appended` does the rest.
    #[inline]
    pub(crate) fn push_parent(&mut self, parent: u32) {
        self.parents.push(parent);
    }

    /// Removes what `push_parent` appended, from slot `slots` on.
    pub(crate) fn truncate_parents(&mut self, slots: usize) {
        self.parents.truncate(slots);
    }

    /// Makes every slot that `push_parent` appended the last child of its parent,
    /// which has a lower slot or is linked already.
    pub(crate) fn link_appended(&mut self) {
        for slot in self.links.len()..self.parents.len() {
            let parent = self.parents[slot];
            let prev = self.append_to_list(parent, slot as u32);
            self.links.push(Link { prev, ..UNLINKED });
        }
    }

    /// Returns the parent of each slot, or `NONE`.
    #[inline]
    pub(crate) fn parents(&self) -> &[u32] {
        &self.parents
    }

    #[inline]
    pub(crate) fn parent(&self, slot: u32) -> u32 {
        self.parents[slot as usize]
    }

    /// Returns the first child of `parent`, or the first root for `NONE`.
    #[inline]
    pub(crate) fn first(&self, parent: u32) -> u32 {
        self.list(parent).first
    }

    /// Returns the last child of `parent`, or the last root for `NONE`.
    #[inline]
    pub(crate) fn last(&self, parent: u32) -> u32 {
        self.list(parent).last
    }

    #[inline]
    pub(crate) fn next(&self, slot: u32) -> u32 {
        self.links[slot as usize].next
    }

    #[inline]
    pub(crate) fn prev(&self, slot: u32) -> u32 {
        self.links[slot as usize].prev
    }

    /// Returns the number of children of `parent`, or of roots for `NONE`.
    #[inline]
    pub(crate) fn count(&self, parent: u32) -> u32 {
        self.list(parent).count
    }

    #[inline]
    fn list(&self, parent: u32) -> &Link {
        if parent == NONE { &self.roots } else { &self.links[parent as usize] }
    }

    #[inline]
    fn list_mut(&mut self, parent: u32) -> &mut Link {
        if parent == NONE { &mut self.roots } else { &mut self.links[parent as usize] }
    }

    /// Inserts an unlinked node into the children of `parent` (or the roots),
    /// before `next` or, for `NONE`, last.
    #[inline]
    pub(crate) fn link(&mut self, slot: u32, parent: u32, next: u32) {
        let list = self.list_mut(parent);
        list.count += 1;
        let prev = if next == NONE {
            core::mem::replace(&mut list.last, slot)
        } else {
            core::mem::replace(&mut self.links[next as usize].prev, slot)
        };
        if prev == NONE {
            self.list_mut(parent).first = slot;
        } else {
            self.links[prev as usize].next = slot;
        }
        self.parents[slot as usize] = parent;
        let link = &mut self.links[slot as usize];
        (link.prev, link.next) = (prev, next);
    }

    /// Removes a node from its sibling list, and returns the number of siblings left; it
    /// keeps its children.
    #[inline]
    pub(crate) fn unlink(&mut self, slot: u32) -> u32 {
        let parent = core::mem::replace(&mut self.parents[slot as usize], NONE);
        let link = &mut self.links[slot as usize];
        let (prev, next) = (link.prev, link.next);
        (link.prev, link.next) = (NONE, NONE);
        if parent == NONE {
            return self.unlink_root(prev, next);
        }
        // Without branches: whether a node is the first or the last child cannot be
        // predicted, and a wrong guess waits for memory.
        let (is_first, is_last) = (prev == NONE, next == NONE);
        let before = &mut self.links[select_unpredictable(is_first, parent, prev) as usize];
        *select_unpredictable(is_first, &mut before.first, &mut before.next) = next;
        let after = &mut self.links[select_unpredictable(is_last, parent, next) as usize];
        *select_unpredictable(is_last, &mut after.last, &mut after.prev) = prev;
        let list = &mut self.links[parent as usize];
        list.count -= 1;
        list.count
    }

    /// Implements `unlink` for a root with these siblings.
    fn unlink_root(&mut self, prev: u32, next: u32) -> u32 {
        match self.links.get_mut(prev as usize) {
            Some(prev) => prev.next = next,
            None => self.roots.first = next,
        }
        match self.links.get_mut(next as usize) {
            Some(next) => next.prev = prev,
            None => self.roots.last = prev,
        }
        self.roots.count -= 1;
        self.roots.count
    }

    /// Returns `true` if `slot` is `root` or a descendant of it. Walks up from
    /// `slot`.
    pub(crate) fn is_in_subtree(&self, mut slot: u32, root: u32) -> bool {
        while slot != NONE && slot != root {
            slot = self.parent(slot);
        }
        slot == root
    }

    /// Returns the node after `slot` in depth-first pre-order within the subtree of
    /// `root` (of the whole forest for `NONE`), or `NONE` at the end.
    #[inline]
    pub(crate) fn next_in_preorder(&self, root: u32, slot: u32) -> u32 {
        let first = self.first(slot);
        if first == NONE { self.next_after_subtree(root, slot) } else { first }
    }

    /// Like `next_in_preorder`, but skips the descendants of `slot`.
    #[inline]
    pub(crate) fn next_after_subtree(&self, root: u32, mut slot: u32) -> u32 {
        while slot != root {
            let next = self.next(slot);
            if next != NONE {
                return next;
            }
            slot = self.parent(slot);
        }
        NONE
    }
}
