//! `AddedLog`: the nodes that were added, in the order of their addition.
//!
//! Most nodes are added in new slots, one after the other. Such a run of nodes is
//! one entry, so a graph that is built and never read pays two counters for it, and
//! no memory. A node in a reused slot begins a new run.
//!
//! A reader's position is an index into the runs. When a reader moves to the end,
//! the last run is closed: the next node begins another one.
//!
//! Invariant: every live node that was added after a reader last read is in one run
//! from its position on, once. The first node of a run may have any generation; the
//! others were the first of their slots. There are at most twice as many runs as
//! live nodes, plus a constant and one per reader: runs that all have read, and if
//! there are too many, those without a live node, are dropped.

use alloc::vec::Vec;
use core::num::NonZeroU32;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::renumbering::Renumbering;
use crate::store::{links::NONE, slots::Slots};
use crate::{Graph, NodeId};

/// Nodes in consecutive slots.
#[derive(Clone, Copy, Debug)]
struct Run {
    slot: u32,
    /// The generation of the first node. The others have the first one.
    generation: NonZeroU32,
    len: u32,
}

impl Run {
    const EMPTY: Self = Self { slot: 0, generation: NonZeroU32::MIN, len: 0 };

    /// Removes and returns the first node.
    #[inline]
    fn pop_first(&mut self) -> Option<NodeId> {
        self.len = self.len.checked_sub(1)?;
        let node = NodeId::new(self.slot, self.generation);
        self.slot += 1;
        self.generation = NonZeroU32::MIN;
        Some(node)
    }

    fn has_live_node(mut self, slots: &Slots) -> bool {
        core::iter::from_fn(|| self.pop_first()).any(|node| slots.get(node).is_some())
    }
}

#[derive(Debug)]
pub(crate) struct AddedLog {
    closed: Vec<Run>,
    /// The last run; empty if there is none.
    open: Run,
    /// The slot that extends the open run; `NONE` once a reader has read the run.
    /// Atomic only because a reader closes the run while it borrows the graph.
    open_end: AtomicU32,
    /// The number of runs at which those that are no longer needed are dropped.
    compact_at: usize,
    renumbering: Renumbering,
}

const MIN_COMPACT_AT: usize = 64;

impl AddedLog {
    pub(super) fn new() -> Self {
        Self {
            closed: Vec::new(),
            open: Run::EMPTY,
            open_end: AtomicU32::new(NONE),
            compact_at: MIN_COMPACT_AT,
            renumbering: Renumbering::default(),
        }
    }

    /// Returns the position after the last run, and closes that run.
    pub(super) fn end(&self) -> u32 {
        self.open_end.store(NONE, Relaxed);
        self.closed.len() as u32 + u32::from(self.open.len > 0)
    }

    /// Adds a node in a new slot if it extends the last run.
    #[inline(always)]
    pub(super) fn extend(&mut self, slot: u32) -> bool {
        let open_end = self.open_end.get_mut();
        if *open_end != slot {
            return false;
        }
        *open_end += 1;
        self.open.len += 1;
        true
    }

    /// Ends the open run, so that `extend` fails.
    pub(super) fn close(&mut self) {
        *self.open_end.get_mut() = NONE;
    }

    /// Begins a run of `len` nodes, all but the first of them in new slots.
    #[inline]
    pub(super) fn begin_run(&mut self, first: NodeId, len: u32) {
        if self.open.len > 0 {
            self.closed.push(self.open);
        }
        let slot = first.index() as u32;
        let generation = NonZeroU32::new(first.generation()).expect("no generation is zero");
        self.open = Run { slot, generation, len };
        *self.open_end.get_mut() = slot + len;
    }

    #[inline]
    pub(super) fn needs_compaction(&self) -> bool {
        self.closed.len() >= self.compact_at
    }

    /// Drops runs that were read by all readers; if there are still more than live
    /// nodes, also those without a live node.
    #[cold]
    pub(super) fn compact(&mut self, slots: &Slots, readers: &mut [u32]) {
        let first_unread = readers.iter().copied().min().unwrap_or(0);
        let read_by_all = self.closed.len().min(first_unread as usize);
        self.closed.drain(..read_by_all);
        readers.iter_mut().for_each(|reader| *reader -= read_by_all as u32);
        if self.closed.len() > slots.live() + MIN_COMPACT_AT {
            self.drop_dead_runs(slots, readers);
        }
        // At least as many runs as readers, so that looking at these costs little.
        let len = self.closed.len();
        self.compact_at = MIN_COMPACT_AT.max(2 * len).max(len + readers.len());
    }

    /// Takes nodes, which are sorted, out of the runs.
    pub(super) fn forget(&mut self, nodes: &[NodeId], readers: &mut [u32]) {
        let is_in = |run: &Run| {
            let at = nodes.partition_point(|node| (node.index() as u32) < run.slot);
            nodes.get(at).is_some_and(|node| (node.index() as u32) < run.slot + run.len)
        };
        if !self.closed.iter().any(is_in) && !is_in(&self.open) {
            return;
        }
        self.renumbering.begin(readers);
        let mut closed = Vec::with_capacity(self.closed.len());
        // The open run is closed by this.
        let open = core::mem::replace(&mut self.open, Run::EMPTY);
        *self.open_end.get_mut() = NONE;
        let runs = self.closed.iter().copied().chain((open.len > 0).then_some(open));
        for (old, run) in runs.enumerate() {
            self.renumbering.advance(old as u32, closed.len() as u32);
            if !is_in(&run) {
                closed.push(run);
                continue;
            }
            let (mut rest, mut kept) = (run, Run::EMPTY);
            while let Some(node) = rest.pop_first() {
                if nodes.binary_search(&node).is_ok() {
                    closed.extend((kept.len > 0).then_some(kept));
                    kept = Run::EMPTY;
                } else if kept.len > 0 {
                    kept.len += 1;
                } else {
                    let generation = NonZeroU32::new(node.generation());
                    let generation = generation.expect("no generation is zero");
                    kept = Run { slot: node.index() as u32, generation, len: 1 };
                }
            }
            closed.extend((kept.len > 0).then_some(kept));
        }
        self.renumbering.finish(closed.len() as u32, readers);
        self.closed = closed;
    }

    fn drop_dead_runs(&mut self, slots: &Slots, readers: &mut [u32]) {
        self.renumbering.begin(readers);
        let mut kept = 0;
        for index in 0..self.closed.len() {
            self.renumbering.advance(index as u32, kept as u32);
            let run = self.closed[index];
            if run.has_live_node(slots) {
                self.closed[kept] = run;
                kept += 1;
            }
        }
        // The open run stays, so a position at its end has to stay there too.
        self.renumbering.advance(self.closed.len() as u32, kept as u32);
        self.renumbering.finish(kept as u32 + u32::from(self.open.len > 0), readers);
        self.closed.truncate(kept);
    }

    pub(super) fn read<'a>(&'a self, from: u32, graph: &'a Graph) -> AddedNodes<'a> {
        let closed = self.closed.get(from as usize..).unwrap_or(&[]);
        let open = if from as usize <= self.closed.len() { self.open } else { Run::EMPTY };
        AddedNodes { closed: closed.iter(), open, current: Run::EMPTY, graph }
    }
}

impl Clone for AddedLog {
    fn clone(&self) -> Self {
        Self {
            closed: self.closed.clone(),
            open: self.open,
            open_end: AtomicU32::new(self.open_end.load(Relaxed)),
            compact_at: self.compact_at,
            renumbering: Renumbering::default(),
        }
    }
}

/// An iterator over nodes that were added: alive, each once, in the order of their
/// addition.
#[derive(Clone)]
pub struct AddedNodes<'a> {
    closed: core::slice::Iter<'a, Run>,
    /// The last run, until it becomes the current one.
    open: Run,
    current: Run,
    graph: &'a Graph,
}

impl Iterator for AddedNodes<'_> {
    type Item = NodeId;

    fn next(&mut self) -> Option<NodeId> {
        loop {
            if let Some(node) = self.current.pop_first() {
                if self.graph.contains(node) {
                    return Some(node);
                }
                continue;
            }
            self.current = match self.closed.next() {
                Some(&run) => run,
                None => core::mem::replace(&mut self.open, Run::EMPTY),
            };
            if self.current.len == 0 {
                return None;
            }
        }
    }
}

impl core::fmt::Debug for AddedNodes<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}
