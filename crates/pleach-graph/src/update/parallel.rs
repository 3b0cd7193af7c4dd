//! `Graph::update_parallel`: the same bits as `update`, on several threads.
//!
//! The nodes are selected as for `update`, so the change log is the same; they are
//! then computed level by level, and large levels are split over rayon's threads.
//! The nodes of a level are distinct, and their parents are one level up and
//! finished, so no thread reads what another writes: `store/levels.rs` guarantees
//! both. (A selection of leaves only is one group whatever their depths: no leaf is
//! the parent of another.) The serial counterpart is `Graph::compute` in
//! `propagate.rs`.

#![allow(unsafe_code, reason = "threads write disjoint rows of shared columns")]

use alloc::vec::Vec;
use core::marker::PhantomData;

use rayon::prelude::*;

use crate::store::worlds::{AlignedMatrix, WorldColumn};
use crate::store::{links::Links, locals::Locals};
use crate::update::select::{Selection, Selector};
use crate::update::threads::thread_count;
use crate::update::{kernel::Worlds, propagate::compute_slots};
use crate::{Graph, TransformKernel, UpdateStats};

/// The minimum number of nodes in a level for which threads pay off.
const MIN_PARALLEL_LEVEL: usize = 8 * 1024;
/// The number of nodes that a thread takes at a time.
const CHUNK: usize = 4 * 1024;

impl Graph {
    /// Like [`update`](Self::update), with the same bits, on the threads of rayon's
    /// current pool. Levels of fewer than 8192 nodes are computed on one thread.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// let mut graph = Graph::new();
    /// for i in 0..20_000 {
    ///     graph.add_root(Transform::from_xyz(i as f32, 0.0, 0.0))?;
    /// }
    /// let mut other = graph.clone();
    /// assert_eq!(graph.update_parallel(), other.update());
    /// assert_eq!(graph.world_bytes(), other.world_bytes());
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    pub fn update_parallel(&mut self) -> UpdateStats {
        if thread_count() < 2 {
            return self.update();
        }
        if self.dirty.is_empty() {
            return UpdateStats::default();
        }
        self.update_with(Self::compute_parallel)
    }

    /// Computes the selected nodes, with independent nodes on all threads.
    fn compute_parallel(&mut self, selection: &Selection, selector: &Selector) {
        let log = &self.changes.changed;
        let slots = log.since(selection.begin);
        let mut begin = 0;
        for &end in &selector.group_ends {
            let end = (end - selection.begin) as usize;
            let group = &slots[begin..end];
            compute_level(group, self.kernel, &self.links, &self.locals, &mut self.worlds);
            begin = end;
        }
        if begin == slots.len() {
            return;
        }
        // They were selected by slot; the levels separate dependent nodes.
        let all = slots.len() == self.slots.live();
        let mut batch = Vec::new();
        for depth in 0..self.levels.len() {
            let mut level = self.levels.at(depth);
            if !all {
                let is_selected = |slot: &u32| log.listed_since(*slot, selection.begin);
                batch.clear();
                batch.extend(level.iter().copied().filter(is_selected));
                level = &batch;
            }
            compute_level(level, self.kernel, &self.links, &self.locals, &mut self.worlds);
        }
    }
}

/// Computes the world transforms of nodes that do not depend on each other.
fn compute_level(
    slots: &[u32],
    kernel: TransformKernel,
    links: &Links,
    locals: &Locals,
    worlds: &mut WorldColumn,
) {
    let (parents, worlds) = (links.parents(), worlds.rows_mut());
    if slots.len() < MIN_PARALLEL_LEVEL {
        return compute_slots(slots, kernel, parents, locals, worlds);
    }
    // SAFETY: the slots of a level are distinct and each is in one chunk, so each
    // row is written by one thread. The rows that are read belong to the parents,
    // which are at another depth and therefore not in the level.
    let worlds = unsafe { SharedWorlds::new(worlds) };
    slots.par_chunks(CHUNK).for_each(|slots| {
        compute_slots(slots, kernel, parents, locals, &mut worlds.clone());
    });
}

/// The world column while several threads write to it, each to its own rows.
#[derive(Clone)]
struct SharedWorlds<'a> {
    rows: *mut AlignedMatrix,
    len: usize,
    column: PhantomData<&'a mut [AlignedMatrix]>,
}

// SAFETY: equivalent to `&mut [AlignedMatrix]`, of which each thread uses its own
// rows (see `new`).
unsafe impl Send for SharedWorlds<'_> {}
// SAFETY: same as above.
unsafe impl Sync for SharedWorlds<'_> {}

impl<'a> SharedWorlds<'a> {
    /// # Safety
    ///
    /// While clones are in use, a row that one of them writes is neither read nor
    /// written through another.
    unsafe fn new(column: &'a mut [AlignedMatrix]) -> Self {
        Self { rows: column.as_mut_ptr(), len: column.len(), column: PhantomData }
    }
}

impl Worlds for SharedWorlds<'_> {
    #[inline(always)]
    fn get(&self, slot: usize) -> &[f32; 16] {
        assert!(slot < self.len, "a slot is a row of every column");
        // SAFETY: in bounds; and no thread writes this row, as `new` requires.
        unsafe { &(*self.rows.add(slot)).0 }
    }

    #[inline(always)]
    fn address(&self, slot: usize) -> *const u8 {
        self.rows.wrapping_add(slot).cast()
    }

    #[inline(always)]
    fn get_mut(&mut self, slot: usize) -> &mut [f32; 16] {
        assert!(slot < self.len, "a slot is a row of every column");
        // SAFETY: in bounds; and no other thread uses this row, as `new` requires.
        unsafe { &mut (*self.rows.add(slot)).0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Transform;

    /// With threads of the standard library, which Miri supports, unlike rayon's.
    #[test]
    fn threads_write_disjoint_rows_of_one_column() {
        let mut graph = Graph::new();
        let root = graph.add_root(Transform::from_xyz(1.0, 2.0, 3.0)).unwrap();
        for i in 0..40 {
            graph.add_child(root, Transform::from_xyz(i as f32, 0.0, 0.0)).unwrap();
        }
        graph.update();
        let expected = graph.world_bytes().to_vec();

        let (kernel, parents, locals) = (graph.kernel, graph.links.parents(), &graph.locals);
        let slots = graph.levels.at(1);
        let worlds = graph.worlds.rows_mut();
        worlds[1..].fill(AlignedMatrix([0.0; 16]));
        // SAFETY: each slot is in one chunk, and the root, which is read, in none.
        let shared = unsafe { SharedWorlds::new(worlds) };
        std::thread::scope(|scope| {
            for chunk in slots.chunks(15) {
                let mut worlds = shared.clone();
                scope.spawn(move || compute_slots(chunk, kernel, parents, locals, &mut worlds));
            }
        });
        assert_eq!(graph.world_bytes(), expected);
    }
}
