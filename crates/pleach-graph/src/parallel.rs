//! `update_parallel`: the same bits as `update`, on several threads.
//!
//! Large batches are split over rayon's threads. The nodes of a batch are
//! distinct and of one depth, so no thread reads what another writes: parents
//! lie one level up, and were finished before. `levels.rs` keeps both; the
//! serial twin is `propagate::compute`.

#![allow(unsafe_code, reason = "threads write disjoint rows of shared columns")]

use core::marker::PhantomData;

use rayon::prelude::*;

use crate::graph::Graph;
use crate::kernel::Worlds;
use crate::propagate::{CHUNK, Columns, Updated, compute, compute_worlds, settle};
use crate::worlds::WorldRow;

/// A batch of fewer nodes is not worth waking a thread for.
const WORTH_SPLITTING: usize = 8 * 1024;
/// Nodes that a thread takes at a time.
const SHARE: usize = 4 * 1024;
const _: () = assert!(SHARE.is_multiple_of(CHUNK));

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
    pub fn update_parallel(&mut self) -> Updated {
        if rayon::current_num_threads() < 2 {
            return self.update();
        }
        self.update_with(compute_parallel)
    }
}

fn compute_parallel(batch: &[u32], position: u32, columns: Columns<'_>) {
    if batch.len() < WORTH_SPLITTING {
        return compute(batch, position, columns);
    }
    let Columns { kernel, parents, locals, flags, worlds, latest } = columns;
    // SAFETY: the slots of a batch are distinct and each is in one share, so each
    // row is written by one thread. What `compute_worlds` reads of the worlds are
    // the rows of parents, which are of another depth and so not in the batch.
    let (worlds, flags, latest) =
        unsafe { (Shared::new(worlds), Shared::new(flags), Shared::new(latest)) };
    batch.par_chunks(SHARE).enumerate().for_each(|(share, slots)| {
        let (mut worlds, mut flags, mut latest) = (worlds, flags, latest);
        let mut position = position + (share * SHARE) as u32;
        for slots in slots.chunks(CHUNK) {
            compute_worlds(slots, kernel, parents, locals, &mut worlds);
            for &slot in slots {
                settle(flags.at(slot as usize), latest.at(slot as usize), position);
                position += 1;
            }
        }
    });
}

/// A column that several threads write, each its own rows.
struct Shared<'a, T> {
    rows: *mut T,
    len: usize,
    column: PhantomData<&'a mut [T]>,
}

impl<T> Clone for Shared<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Shared<'_, T> {}

// SAFETY: as `&mut [T]`, of which each thread uses its own rows (see `new`).
unsafe impl<T: Send> Send for Shared<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Send> Sync for Shared<'_, T> {}

impl<'a, T> Shared<'a, T> {
    /// # Safety
    ///
    /// While copies are in use, a row that one of them writes is neither read nor
    /// written through another.
    unsafe fn new(column: &'a mut [T]) -> Self {
        Self { rows: column.as_mut_ptr(), len: column.len(), column: PhantomData }
    }

    #[inline(always)]
    fn at(&mut self, row: usize) -> &mut T {
        assert!(row < self.len, "a slot is a row of every column");
        // SAFETY: in bounds; and nobody else uses this row, as `new` demands.
        unsafe { &mut *self.rows.add(row) }
    }
}

impl Worlds for Shared<'_, WorldRow> {
    #[inline(always)]
    fn get(&self, slot: usize) -> &[f32; 16] {
        assert!(slot < self.len, "a slot is a row of every column");
        // SAFETY: in bounds; and nobody writes this row, as `new` demands.
        unsafe { &(*self.rows.add(slot)).0 }
    }

    #[inline(always)]
    fn row(&mut self, slot: usize) -> &mut [f32; 16] {
        &mut self.at(slot).0
    }
}
