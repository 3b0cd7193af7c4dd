//! `update_parallel`: the same bits as `update`, on several threads.
//!
//! Large batches are split over rayon's threads. The nodes of a batch are
//! distinct and of one depth, so no thread reads what another writes: parents
//! lie one level up, and were finished before. `levels.rs` keeps both; the
//! serial twin is `propagate::compute`.

#![allow(unsafe_code, reason = "threads write disjoint rows of shared columns")]

use core::marker::PhantomData;

use rayon::prelude::*;

use crate::flags::NodeFlags;
use crate::graph::Graph;
use crate::kernel::Rows;
use crate::propagate::{Columns, Updated, compute, compute_rows, settle};
use crate::worlds::WorldRow;

/// A batch of fewer nodes is not worth waking a thread for.
const WORTH_SPLITTING: usize = 8 * 1024;
/// Nodes that a thread takes at a time.
const SHARE: usize = 4 * 1024;

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
    let Columns { kernel, parents, locals, rows } = columns;
    // SAFETY: the slots of a batch are distinct and each is in one share, so each
    // row is written by one thread. What is read of the worlds are the rows of
    // parents, which are of another depth and so not in the batch.
    let rows = unsafe {
        SharedRows {
            worlds: Shared::new(rows.worlds),
            flags: Shared::new(rows.flags),
            latest: Shared::new(rows.latest),
        }
    };
    batch.par_chunks(SHARE).enumerate().for_each(|(share, slots)| {
        let position = position + (share * SHARE) as u32;
        compute_rows(slots, position, kernel, parents, locals, &mut rows.clone());
    });
}

/// The columns that an update writes, as each of several threads sees them.
#[derive(Clone)]
struct SharedRows<'a> {
    worlds: Shared<'a, WorldRow>,
    flags: Shared<'a, NodeFlags>,
    latest: Shared<'a, u32>,
}

impl Rows for SharedRows<'_> {
    #[inline(always)]
    fn world(&self, slot: usize) -> &[f32; 16] {
        &self.worlds.get(slot).0
    }

    #[inline(always)]
    fn world_mut(&mut self, slot: usize) -> &mut [f32; 16] {
        &mut self.worlds.get_mut(slot).0
    }

    #[inline(always)]
    fn settle(&mut self, slot: usize, position: u32) {
        settle(self.flags.get_mut(slot), self.latest.get_mut(slot), position);
    }
}

/// A column that several threads write, each its own rows.
struct Shared<'a, T> {
    rows: *mut T,
    len: usize,
    column: PhantomData<&'a mut [T]>,
}

impl<T> Clone for Shared<'_, T> {
    fn clone(&self) -> Self {
        Self { ..*self }
    }
}

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
    fn get(&self, row: usize) -> &T {
        assert!(row < self.len, "a slot is a row of every column");
        // SAFETY: in bounds; and nobody writes this row, as `new` demands.
        unsafe { &*self.rows.add(row) }
    }

    #[inline(always)]
    fn get_mut(&mut self, row: usize) -> &mut T {
        assert!(row < self.len, "a slot is a row of every column");
        // SAFETY: in bounds; and nobody else uses this row, as `new` demands.
        unsafe { &mut *self.rows.add(row) }
    }
}
