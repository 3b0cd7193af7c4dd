//! Who is whose parent, and the order of siblings.
//!
//! Siblings form a doubly linked list, and so do the roots, so that linking and
//! unlinking a node costs the same whatever its number of siblings. Nothing
//! here recurses: a walk follows the links and needs no stack.
//!
//! Invariant: each living node has at most one parent and stands exactly once
//! in the list of its parent's children (or of the roots); there are no cycles;
//! `count` is the length of the list. The cycle test is `is_within`; callers
//! ask before they link.

use alloc::vec::Vec;

/// The slot of no node.
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
    /// By slot; apart from `links` because `propagate.rs` reads it for every node.
    parents: Vec<u32>,
    links: Vec<Link>,
    /// `first`, `last` and `count` of the roots.
    roots: Link,
}

impl Links {
    pub(crate) fn new() -> Self {
        Self { parents: Vec::new(), links: Vec::new(), roots: UNLINKED }
    }

    pub(crate) fn try_reserve_total(&mut self, slots: usize) -> Result<(), ()> {
        let more = slots.saturating_sub(self.parents.len());
        self.parents.try_reserve_exact(more).map_err(drop)?;
        self.links.try_reserve_exact(more).map_err(drop)
    }

    /// Makes room for one more slot, unlinked.
    #[inline]
    pub(crate) fn push(&mut self) {
        self.parents.push(NONE);
        self.links.push(UNLINKED);
    }

    /// Notes the parent of one more slot; `link_appended` does the rest.
    #[inline]
    pub(crate) fn push_parent(&mut self, parent: u32) {
        self.parents.push(parent);
    }

    /// Takes back what `push_parent` noted from slot `slots` on.
    pub(crate) fn truncate_parents(&mut self, slots: usize) {
        self.parents.truncate(slots);
    }

    /// Makes every slot that `push_parent` added the last child of its parent,
    /// which has a lower slot or was linked before.
    pub(crate) fn link_appended(&mut self) {
        for slot in self.links.len()..self.parents.len() {
            let parent = self.parents[slot];
            let slot = slot as u32;
            let list = self.list_mut(parent);
            list.count += 1;
            let prev = core::mem::replace(&mut list.last, slot);
            if prev == NONE {
                list.first = slot;
            } else {
                self.links[prev as usize].next = slot;
            }
            self.links.push(Link { prev, ..UNLINKED });
        }
    }

    /// By slot: the parent's slot, or `NONE`.
    #[inline]
    pub(crate) fn parents(&self) -> &[u32] {
        &self.parents
    }

    #[inline]
    pub(crate) fn parent(&self, slot: u32) -> u32 {
        self.parents[slot as usize]
    }

    /// The first child of `parent`, or the first root for `NONE`.
    #[inline]
    pub(crate) fn first(&self, parent: u32) -> u32 {
        self.list(parent).first
    }

    /// The last child of `parent`, or the last root for `NONE`.
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

    /// The number of children of `parent`, or of roots for `NONE`.
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

    /// Puts an unlinked node among the children of `parent` (or the roots).
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

    /// Takes a node out of its sibling list; its children stay with it.
    #[inline]
    pub(crate) fn unlink(&mut self, slot: u32) {
        let parent = core::mem::replace(&mut self.parents[slot as usize], NONE);
        let link = &mut self.links[slot as usize];
        let (prev, next) = (link.prev, link.next);
        (link.prev, link.next) = (NONE, NONE);
        if prev == NONE {
            self.list_mut(parent).first = next;
        } else {
            self.links[prev as usize].next = next;
        }
        if next == NONE {
            self.list_mut(parent).last = prev;
        } else {
            self.links[next as usize].prev = prev;
        }
        self.list_mut(parent).count -= 1;
    }

    /// Forgets the links that a slot's last tenant left.
    #[inline]
    pub(crate) fn reset(&mut self, slot: u32) {
        self.parents[slot as usize] = NONE;
        self.links[slot as usize] = UNLINKED;
    }

    /// Is `slot` the node `ancestor`, or below it? Walks up from `slot`.
    pub(crate) fn is_in_subtree(&self, mut slot: u32, root: u32) -> bool {
        while slot != NONE && slot != root {
            slot = self.parent(slot);
        }
        slot == root
    }

    /// The node after `slot` in depth-first order within the tree of `top`
    /// (of all roots, for `NONE`); `NONE` at the end.
    #[inline]
    pub(crate) fn next_in_preorder(&self, root: u32, slot: u32) -> u32 {
        let first = self.first(slot);
        if first == NONE { self.next_after_subtree(root, slot) } else { first }
    }

    /// As `following`, leaving out everything below `slot`.
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
