//! `Graph::update_parallel`: the same bits as `update`, on several threads.
//!
//! The nodes are selected as for `update`, so the change log is the same. What was
//! selected level by level is computed in groups of nodes that do not depend on each
//! other. What was selected by slot is computed in spans of the log, as long as what is
//! done already: each thread takes chunks of consecutive nodes, in memory order, and
//! leaves out those whose parents are neither done nor in the same chunk; these follow
//! after the span. In trees built level by level or depth first, few are left out. If
//! many would be, which is counted before the first span and known after each, the rest is
//! computed on one thread, so that trying costs next to nothing.
//!
//! Whether threads are used at all depends on what they gained before (`pace.rs`).
//!
//! Invariant: no thread reads what another writes. A node is written by the thread of
//! its chunk; its parent was computed before, or is in the same chunk, or is not
//! selected. The serial counterpart is `Graph::compute` in `propagate.rs`.

#![allow(unsafe_code, reason = "threads write disjoint rows of shared columns")]

use alloc::vec::Vec;
use core::marker::PhantomData;
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use crate::changes::log::ChangeLog;
use crate::store::{locals::Locals, worlds::AlignedMatrix};
use crate::update::pace::{Kind, Way};
use crate::update::select::{Selection, Selector};
use crate::update::threads::thread_count;
use crate::update::{kernel::Worlds, propagate::compute_slots};
use crate::{Graph, TransformKernel, UpdateStats};

/// The minimum number of independent nodes for which threads pay off.
const MIN_PARALLEL: usize = 8 * 1024;
/// The number of nodes that a thread takes at a time.
const CHUNK: usize = 4 * 1024;
/// If more than one in this many nodes of a span has to be left out, the rest is
/// computed on one thread.
const MAX_LEFT_OUT: usize = 8;

impl Graph {
    /// Like [`update`](Self::update), with the same bits, on the threads of rayon's
    /// current pool. Up to 8192 nodes, and nodes that depend on each other, are computed
    /// on one thread.
    ///
    /// Measures its own time: where threads were not faster in the last updates of about as
    /// many nodes (for want of memory bandwidth, or because other programs use the other cores),
    /// they are only tried now and then. The results do not depend on it.
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
        if self.dirty.is_empty() {
            return UpdateStats::default();
        }
        self.update_with(Self::compute_parallel)
    }

    /// Computes the selected nodes, on all threads if that is faster.
    fn compute_parallel(&mut self, selection: &Selection, selector: &Selector) {
        let nodes = self.changes.changed.since(selection.begin).len();
        if nodes < MIN_PARALLEL || thread_count() < 2 {
            return self.compute(selection, selector);
        }
        // Tests are to cover threads, and browsers have no clock.
        if cfg!(any(debug_assertions, target_family = "wasm")) {
            return self.compute_on_threads(selection, selector);
        }
        let kind = Kind { nodes, in_groups: !selector.group_ends.is_empty() };
        let way = self.pace.get_or_insert_default().choose(kind);
        let start = Instant::now();
        match way {
            Way::Serial => self.compute(selection, selector),
            Way::Parallel => self.compute_on_threads(selection, selector),
        }
        self.pace.get_or_insert_default().record(kind, way, start.elapsed());
    }

    /// Computes the selected nodes, with independent nodes on all threads.
    fn compute_on_threads(&mut self, selection: &Selection, selector: &Selector) {
        let log = &self.changes.changed;
        let slots = log.since(selection.begin);
        let columns = Columns {
            kernel: self.kernel,
            parents: self.links.parents(),
            locals: &self.locals,
            log,
            begin: selection.begin,
        };
        let worlds = self.worlds.rows_mut();
        if selector.group_ends.is_empty() {
            let left_out = columns.compute_spans(slots, selection.roots, worlds);
            self.scratch.left_out = left_out;
            return;
        }
        let mut begin = 0;
        for &end in &selector.group_ends {
            let end = (end - selection.begin) as usize;
            columns.compute_independent(&slots[begin..end], worlds);
            begin = end;
        }
    }
}

/// The columns that the threads read.
#[derive(Clone, Copy)]
struct Columns<'a> {
    kernel: TransformKernel,
    parents: &'a [u32],
    locals: &'a Locals,
    log: &'a ChangeLog,
    /// The position in the log of the first selected node.
    begin: u32,
}

impl Columns<'_> {
    fn compute<W: Worlds + ?Sized>(&self, slots: &[u32], worlds: &mut W) {
        compute_slots(slots, self.kernel, self.parents, self.locals, worlds);
    }

    /// Computes nodes that do not depend on each other.
    fn compute_independent(&self, slots: &[u32], worlds: &mut [AlignedMatrix]) {
        if slots.len() < MIN_PARALLEL {
            return self.compute(slots, worlds);
        }
        // SAFETY: the slots are distinct and each is in one chunk, so each row is
        // written by one thread. The rows that are read belong to the parents, which
        // are not among the slots.
        let worlds = unsafe { SharedWorlds::new(worlds) };
        for_each_chunk(slots, |_, slots| self.compute(slots, &mut worlds.clone()));
    }

    /// Computes nodes that are listed parents before children, the first `roots` of
    /// them roots. Returns the number of nodes that threads left out.
    fn compute_spans(&self, slots: &[u32], roots: usize, worlds: &mut [AlignedMatrix]) -> usize {
        self.compute_independent(&slots[..roots], worlds);
        let mut done = roots;
        let mut left_out = Vec::new();
        let mut total = 0;
        let mut is_first = true;
        while done < slots.len() {
            let len = done.min(slots.len() - done);
            if len < MIN_PARALLEL {
                // A short span at the beginning or the end.
                let end = slots.len().min(MIN_PARALLEL.max(done + len));
                self.compute(&slots[done..end], worlds);
                done = end;
                continue;
            }
            let span = &slots[done..done + len];
            // Before the first span, because threads that leave out most nodes cost more.
            let is_first = core::mem::replace(&mut is_first, false);
            if is_first && self.count_left_out(span, done) > len / MAX_LEFT_OUT {
                self.compute(&slots[done..], worlds);
                return total;
            }
            left_out.clear();
            self.compute_span(span, done, worlds, &mut left_out);
            self.compute(&left_out, worlds);
            done += len;
            total += left_out.len();
            if left_out.len() > len / MAX_LEFT_OUT {
                self.compute(&slots[done..], worlds);
                return total;
            }
        }
        total
    }

    /// Returns the number of nodes of a span that would be left out.
    fn count_left_out(&self, span: &[u32], done: usize) -> usize {
        let chunks = span.chunks(CHUNK).enumerate();
        let left_out = chunks.map(|(index, chunk)| {
            self.mark_left_out(chunk, done + index * CHUNK, done, &mut [false; CHUNK])
        });
        left_out.sum()
    }

    /// Computes a span of nodes on all threads, of which the first comes after `done`
    /// others. Appends the nodes that were left out, in order.
    fn compute_span(
        &self,
        span: &[u32],
        done: usize,
        worlds: &mut [AlignedMatrix],
        left_out: &mut Vec<u32>,
    ) {
        // SAFETY: each slot is in one chunk, and `compute_chunk` writes rows of its
        // chunk only. It reads only rows of the same chunk and of nodes outside of the
        // span.
        let worlds = unsafe { SharedWorlds::new(worlds) };
        let by_chunk = Mutex::new(Vec::new());
        for_each_chunk(span, |index, chunk| {
            let slots = self.compute_chunk(chunk, done + index * CHUNK, done, &mut worlds.clone());
            if !slots.is_empty() {
                by_chunk.lock().unwrap_or_else(PoisonError::into_inner).push((index, slots));
            }
        });
        let mut by_chunk = by_chunk.into_inner().unwrap_or_else(PoisonError::into_inner);
        by_chunk.sort_unstable_by_key(|&(index, _)| index);
        by_chunk.iter().for_each(|(_, slots)| left_out.extend_from_slice(slots));
    }

    /// Computes those nodes of a chunk whose parents are among the first `done` of the
    /// selection, or not selected, or computed in this chunk; returns the others. `at` is
    /// the index of the first.
    fn compute_chunk<W: Worlds + ?Sized>(
        &self,
        chunk: &[u32],
        at: usize,
        done: usize,
        worlds: &mut W,
    ) -> Vec<u32> {
        // A parent before this position is computed, or not selected.
        let ready = self.begin + done as u32;
        let parents = chunk.iter().map(|&slot| self.parents[slot as usize]);
        // No early exit, so that the loop has few branches.
        if parents.clone().fold(true, |all, it| all & (self.log.position(it) < ready)) {
            self.compute(chunk, worlds);
            return Vec::new();
        }
        let mut is_left_out = [false; CHUNK];
        if self.mark_left_out(chunk, at, done, &mut is_left_out) == 0 {
            self.compute(chunk, worlds);
            return Vec::new();
        }
        let marked = |mark: bool| -> Vec<u32> {
            let slots = chunk.iter().zip(&is_left_out).filter(|&(_, &it)| it == mark);
            slots.map(|(&slot, _)| slot).collect()
        };
        self.compute(&marked(false), worlds);
        marked(true)
    }

    /// Marks the nodes of a chunk that `compute_chunk` leaves out, and returns their
    /// number. The marks must be `false` before.
    fn mark_left_out(
        &self,
        chunk: &[u32],
        at: usize,
        done: usize,
        is_left_out: &mut [bool; CHUNK],
    ) -> usize {
        let ready = self.begin + done as u32;
        let chunk_begin = self.begin + at as u32;
        let mut count = 0;
        for (index, &slot) in chunk.iter().enumerate() {
            let parent = self.log.position(self.parents[slot as usize]);
            let in_chunk = parent.wrapping_sub(chunk_begin) as usize;
            let is_ready =
                parent < ready || is_left_out.get(in_chunk).is_some_and(|left_out| !left_out);
            is_left_out[index] = !is_ready;
            count += usize::from(!is_ready);
        }
        count
    }
}

/// Calls `work` with each chunk and its index, on this thread and the others of the pool.
///
/// This thread begins at once, so that little is lost if the others wake up late.
fn for_each_chunk(slots: &[u32], work: impl Fn(usize, &[u32]) + Sync) {
    let next = AtomicUsize::new(0);
    let take_chunks = || {
        loop {
            let index = next.fetch_add(1, Relaxed);
            let Some(slots) = slots.chunks(CHUNK).nth(index) else { break };
            work(index, slots);
        }
    };
    let helpers = thread_count().min(slots.len().div_ceil(CHUNK)).saturating_sub(1);
    rayon::in_place_scope(|scope| {
        (0..helpers).for_each(|_| scope.spawn(|_| take_chunks()));
        take_chunks();
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
        let mut last = root;
        for i in 0..60 {
            // Some of them in chains, so that chunks depend on each other.
            let parent = if i % 3 == 0 { root } else { last };
            last = graph.add_child(parent, Transform::from_xyz(i as f32, 0.0, 0.0)).unwrap();
        }
        graph.update();
        let expected = graph.world_bytes().to_vec();

        let log = &graph.changes.changed;
        let begin = log.end() - graph.slots.len() as u32;
        let slots = log.since(begin);
        let columns = Columns {
            kernel: graph.kernel,
            parents: graph.links.parents(),
            locals: &graph.locals,
            log,
            begin,
        };
        let worlds = graph.worlds.rows_mut();
        worlds[1..].fill(AlignedMatrix([0.0; 16]));
        // SAFETY: each slot is in one chunk; see `compute_span`.
        let shared = unsafe { SharedWorlds::new(worlds) };
        let left_out = std::thread::scope(|scope| {
            let chunks = slots[1..].chunks(20).enumerate().map(|(index, chunk)| {
                let mut worlds = shared.clone();
                let at = 1 + index * 20;
                scope.spawn(move || columns.compute_chunk(chunk, at, 1, &mut worlds))
            });
            let threads: Vec<_> = chunks.collect();
            threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
        });
        assert!((1..10).contains(&left_out.len()), "{left_out:?}");
        columns.compute(&left_out, worlds);
        assert_eq!(graph.world_bytes(), expected);
    }

    /// Returns the number of a node's parent.
    type Shape = fn(usize) -> usize;

    /// Adds nodes below a root.
    fn graph_of(count: usize, parent: Shape) -> Graph {
        let mut graph = Graph::with_capacity(count).unwrap();
        let mut nodes = Vec::with_capacity(count);
        nodes.push(graph.add_root(Transform::IDENTITY).unwrap());
        for number in 1..count {
            let transform = Transform::from_xyz(number as f32, 1.0, 0.0);
            nodes.push(graph.add_child(nodes[parent(number)], transform).unwrap());
        }
        graph
    }

    #[test]
    #[cfg_attr(miri, ignore = "rayon's threads")]
    fn few_nodes_of_usual_trees_are_left_out_by_threads() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        let shapes: [(&str, Shape, usize); 7] = [
            ("flat", |_| 0, 0),
            ("level by level", |number| (number - 1) / 4, 0),
            ("binary", |number| (number - 1) / 2, 0),
            ("chains of 64", |number| if number % 64 == 1 { 0 } else { number - 1 }, 2_000),
            // These cannot be split: no thread is started.
            ("one chain", |number| number - 1, 0),
            ("interleaved chains", |number| number.saturating_sub(100), 0),
            ("random", |number| number.wrapping_mul(2_654_435_761) % number, 0),
        ];
        for (name, parent, max_left_out) in shapes {
            let mut graph = graph_of(100_000, parent);
            let mut serial = graph.clone();
            let (stats, expected) = (pool.install(|| graph.update_parallel()), serial.update());
            assert_eq!(stats, expected, "{name}");
            assert!(graph.world_bytes() == serial.world_bytes(), "{name}");
            assert!(graph.changed().eq(serial.changed()), "{name}");
            let left_out = graph.scratch.left_out;
            assert!(left_out <= max_left_out, "{name}: {left_out}");
        }
    }
}
