//! The tree of an index, brought up to date by the queries that need it.
//!
//! A sync only records which rows changed. The first query that wants the tree applies them, through
//! `&self`: the tree is in a cell, and other threads that want it wait meanwhile. When rows change
//! again, the tree moves out of the cell and waits for the next such query. `policy.rs` decides
//! which queries want it; their results do not depend on that.
//!
//! Invariants: while the cell holds a tree, it contains exactly the active rows with the boxes of
//! their columns, and `dirty` is not read. While the cell is empty, `out_of_date` differs from that
//! in rows marked in `dirty` only. `known` is the number of rows in the tree when it was last up to date.

use core::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use super::dirty_rows::DirtyRows;
use super::policy::Policy;
use super::rows::Rows;
use crate::bvh::DynamicTree;

/// If at least one in this many items of the tree changed, all boxes are refitted at once instead
/// of one by one; if at least one in this many is new, the tree is rebuilt.
const BULK_DIVISOR: usize = 4;

#[derive(Debug, Default)]
pub(crate) struct LazyTree {
    up_to_date: OnceLock<DynamicTree>,
    out_of_date: Mutex<DynamicTree>,
    pub(crate) dirty: DirtyRows,
    known: usize,
    pub(crate) policy: Policy,
    counts: Counts,
}

#[derive(Debug, Default)]
struct Counts {
    updates: AtomicUsize,
    rebuilds: AtomicUsize,
}

/// Statistics of the tree of a [`SpatialIndex`](crate::SpatialIndex).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TreeStats {
    /// `true` if the tree is up to date.
    pub up_to_date: bool,
    /// The number of times that the tree was brought up to date, rebuilds included.
    pub updates: usize,
    /// The number of times that the tree was built from all boxes.
    pub rebuilds: usize,
}

impl LazyTree {
    /// Returns the tree if it is up to date.
    pub(crate) fn get(&self) -> Option<&DynamicTree> {
        self.up_to_date.get()
    }

    /// Returns the tree, after bringing it up to date.
    pub(crate) fn bring_up_to_date(&self, rows: &Rows) -> &DynamicTree {
        self.up_to_date.get_or_init(|| {
            let mut tree = self.out_of_date.lock().unwrap_or_else(PoisonError::into_inner);
            let rebuilt = update(&mut tree, rows, &self.dirty);
            self.count_update(rebuilt);
            core::mem::take(&mut tree)
        })
    }

    fn count_update(&self, rebuilt: bool) {
        self.counts.updates.fetch_add(1, Ordering::Relaxed);
        self.counts.rebuilds.fetch_add(usize::from(rebuilt), Ordering::Relaxed);
    }

    pub(crate) fn stats(&self) -> TreeStats {
        TreeStats {
            up_to_date: self.get().is_some(),
            updates: self.counts.updates.load(Ordering::Relaxed),
            rebuilds: self.counts.rebuilds.load(Ordering::Relaxed),
        }
    }

    /// Calls `f` with the tree, up to date or not, and a function that returns `true` for the rows
    /// in which it may differ from the index.
    pub(crate) fn read<T>(
        &self,
        rows: &Rows,
        f: impl FnOnce(&DynamicTree, &dyn Fn(usize) -> bool) -> T,
    ) -> T {
        let out_of_date = self.out_of_date.lock().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have taken it just now.
        if self.get().is_some() || out_of_date.len != self.known {
            drop(out_of_date);
            return f(self.bring_up_to_date(rows), &|_| false);
        }
        f(&out_of_date, &|row| self.dirty.contains(row))
    }

    /// Prepares for changes of rows: from now on the tree is out of date. Returns the rows to be
    /// marked.
    pub(crate) fn begin_changes(&mut self) -> &mut DirtyRows {
        if let Some(tree) = self.up_to_date.take() {
            self.known = tree.len;
            *self.out_of_date.get_mut().unwrap_or_else(PoisonError::into_inner) = tree;
            self.dirty.clear();
        }
        &mut self.dirty
    }

    /// Marks changed rows, of `count` rows.
    pub(crate) fn mark(&mut self, changed: &[u32], count: usize) {
        let is_new = self.stats().updates == 0;
        let dirty = self.begin_changes();
        let refits_all = |changed: usize| changed * BULK_DIVISOR >= count;
        if is_new || refits_all(changed.len()) {
            return dirty.mark_all();
        }
        changed.iter().for_each(|&row| dirty.mark(row as usize));
        if refits_all(dirty.list().len()) {
            dirty.mark_all();
        }
    }

    /// Returns the numbers of rows to change in the tree, and of those that are new in it: the
    /// latter a lower bound.
    pub(crate) fn pending(&self, rows: &Rows) -> (usize, usize) {
        if self.get().is_some() {
            return (0, 0);
        }
        (self.dirty.len(rows.count()), rows.active.saturating_sub(self.known))
    }

    /// Returns `true` if bringing the tree up to date means to build it.
    #[cfg(feature = "parallel")]
    pub(crate) fn needs_build(&self, rows: &Rows) -> bool {
        let (_, new) = self.pending(rows);
        new > 0 && new * BULK_DIVISOR >= self.known
    }

    /// Returns a tree without any rows, with the same policy.
    pub(crate) fn clone_empty(&self) -> Self {
        let mut tree = Self::default();
        tree.policy.tree_use = self.policy.tree_use;
        tree.dirty.mark_all();
        tree
    }

    /// Replaces the tree, which is up to date from now on. `build` gets the old one.
    pub(crate) fn replace(&mut self, build: impl FnOnce(&mut DynamicTree)) {
        self.begin_changes();
        let mut tree =
            core::mem::take(self.out_of_date.get_mut().unwrap_or_else(PoisonError::into_inner));
        build(&mut tree);
        self.count_update(true);
        // The cell is empty: `begin_changes` has emptied it.
        _ = self.up_to_date.set(tree);
    }

    /// Adapts the tree to sorted rows; `old_rows` lists the old row of each new row. Rows that are
    /// not in it leave the tree.
    pub(crate) fn renumber(&mut self, old_rows: &[u32]) {
        self.begin_changes();
        let tree = self.out_of_date.get_mut().unwrap_or_else(PoisonError::into_inner);
        tree.renumber_all(old_rows);
        self.known = tree.len;
        let was_dirty = core::mem::take(&mut self.dirty);
        if was_dirty.is_all() {
            return self.dirty.mark_all();
        }
        for (row, &old) in old_rows.iter().enumerate() {
            if was_dirty.contains(old as usize) {
                self.dirty.mark(row);
            }
        }
    }
}

/// Applies the changed rows to a tree. Returns `true` if it was rebuilt.
fn update(tree: &mut DynamicTree, rows: &Rows, dirty: &DirtyRows) -> bool {
    let needs_rebuild = if dirty.is_all() {
        update_rows(tree, rows, 0..rows.count() as u32)
    } else {
        update_rows(tree, rows, dirty.list().iter().copied())
    };
    if needs_rebuild {
        tree.rebuild(rows.iter_active().map(|row| (row, rows.padded_box(row as usize))));
    }
    needs_rebuild
}

/// Removes, moves and inserts rows. Returns `true` if the tree needs a rebuild, possibly instead.
fn update_rows(
    tree: &mut DynamicTree,
    rows: &Rows,
    changed: impl ExactSizeIterator<Item = u32> + Clone,
) -> bool {
    let is_active = |row: u32| rows.flags(row as usize).active;
    let (mut new, mut gone) = (0, 0);
    for row in changed.clone() {
        let (is_active, is_in_tree) = (is_active(row), tree.contains(row));
        new += usize::from(is_active & !is_in_tree);
        gone += usize::from(!is_active & is_in_tree);
    }
    if new > 0 && new * BULK_DIVISOR >= tree.len {
        return true;
    }
    // Removals first: a refit of all boxes must not see them.
    if gone > 0 {
        for row in changed.clone().filter(|&row| !is_active(row)) {
            if tree.contains(row) {
                tree.remove(row);
            }
        }
    }
    let refits_all = changed.len() * BULK_DIVISOR >= tree.len;
    // From the world boxes, each of which is contiguous in memory.
    if refits_all && tree.refit_all(&rows.world) {
        return true;
    }
    if refits_all && new == 0 {
        return false;
    }
    for row in changed.filter(|&row| is_active(row)) {
        if !tree.contains(row) {
            tree.insert(row, &rows.padded_box(row as usize));
        } else if !refits_all {
            tree.update(row, &rows.padded_box(row as usize));
        }
    }
    tree.needs_rebuild()
}
