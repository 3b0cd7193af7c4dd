//! `update_parallel`: the same bits as `update`, on several threads.
//!
//! The nodes are selected as for `update`, so the change log is the same; they
//! are then computed level by level, and large levels are split over rayon's
//! threads. The nodes of a level are distinct, and their parents lie one level
//! up and were finished before, so no thread reads what another writes: `levels.rs`
//! keeps both. (Leaves alone are one part whatever their depth: no leaf is another's
//! parent.) The serial twin is `Graph::compute` in `propagate.rs`.

#![allow(unsafe_code, reason = "threads write disjoint rows of shared columns")]

use alloc::vec::Vec;
use core::marker::PhantomData;

use rayon::prelude::*;

use crate::graph::Graph;
use crate::store::{
    links::Links,
    locals::Locals,
    worlds::{AlignedMatrix, WorldColumn},
};
use crate::update::{
    kernel::Worlds,
    propagate::compute_slots,
    select::{Selection, Selector},
};
use crate::{TransformKernel, UpdateStats};

/// A level of fewer nodes is not worth waking a thread for.
const MIN_PARALLEL_LEVEL: usize = 8 * 1024;
/// Nodes that a thread takes at a time.
const CHUNK: usize = 4 * 1024;

impl Graph {
    /// As [`update`](Self::update), the same bits, on the threads of rayon's
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
        if rayon::current_num_threads() < 2 {
            return self.update();
        }
        if self.dirty.is_empty() {
            return UpdateStats::default();
        }
        self.update_with(Self::compute_parallel)
    }

    /// Computes the selected nodes, those that do not depend on each other on all
    /// threads.
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
        // They were selected by slot; the levels tell what does not depend on what.
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

/// World transforms of nodes of one depth.
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
    // SAFETY: the slots of a level are distinct and each is in one share, so each
    // row is written by one thread. What is read of the column are the rows of
    // parents, which are of another depth and so not in the level.
    let worlds = unsafe { SharedWorlds::new(worlds) };
    slots.par_chunks(CHUNK).for_each(|slots| {
        compute_slots(slots, kernel, parents, locals, &mut worlds.clone());
    });
}

/// The world column while several threads write it, each its own rows.
#[derive(Clone)]
struct SharedWorlds<'a> {
    rows: *mut AlignedMatrix,
    len: usize,
    column: PhantomData<&'a mut [AlignedMatrix]>,
}

// SAFETY: as `&mut [AlignedMatrix]`, of which each thread uses its own rows (see `new`).
unsafe impl Send for SharedWorlds<'_> {}
// SAFETY: as above.
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
        // SAFETY: in bounds; and nobody writes this row, as `new` demands.
        unsafe { &(*self.rows.add(slot)).0 }
    }

    #[inline(always)]
    fn address(&self, slot: usize) -> *const u8 {
        self.rows.wrapping_add(slot).cast()
    }

    #[inline(always)]
    fn get_mut(&mut self, slot: usize) -> &mut [f32; 16] {
        assert!(slot < self.len, "a slot is a row of every column");
        // SAFETY: in bounds; and nobody else uses this row, as `new` demands.
        unsafe { &mut (*self.rows.add(slot)).0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Transform;

    /// With threads of the standard library, which Miri can follow; rayon's it
    /// cannot.
    #[test]
    fn threads_write_their_own_rows_of_one_column() {
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
        // SAFETY: each slot is in one share, and the root, which is read, in none.
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
