//! `update`: the one place where world transforms are written.
//!
//! Two phases. `select.rs` finds the nodes that are out of date and lists them in
//! the change log, parents before children; a kernel then goes down that list and
//! computes them. Whichever kernel it is, on however many threads, the results are
//! the same bits.
//!
//! Invariant: after `update`, `world(n) = world(parent(n)) × local(n)` for every
//! living node, and nothing is dirty. Each node out of date is rewritten once.

use alloc::vec::Vec;

use crate::TransformKernel;
use crate::graph::Graph;
use crate::store::{links::NONE, locals::Locals};
use crate::update::{
    kernel::{Batch, Worlds, scalar},
    select::{Selection, Selector},
};

/// What an update did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UpdateStats {
    /// Nodes whose world transform was computed: those edited since the last
    /// update, and everything below them, each once.
    pub changed: usize,
    /// Nodes looked at to find those. Equal to `changed` where little is out of
    /// date; where much is, all nodes of a level or of the graph are looked at.
    pub visited: usize,
}

/// Buffers that are reused from call to call.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    pub(crate) selector: Selector,
    /// For `visibility.rs`.
    pub(crate) shown_changed: Vec<u32>,
}

impl Graph {
    /// Computes every world transform that is out of date, and says how many.
    ///
    /// Costs what it rewrites: a node that was edited, and the nodes below it,
    /// each once however often and in whatever order they were edited. With
    /// nothing to do it takes a few nanoseconds.
    ///
    /// ```
    /// use pleach_graph::{Graph, Transform};
    /// use pleach_graph::glam::Vec3;
    ///
    /// let mut graph = Graph::new();
    /// let arm = graph.add_root(Transform::IDENTITY)?;
    /// let hand = graph.add_child(arm, Transform::from_xyz(1.0, 0.0, 0.0))?;
    /// let _foot = graph.add_root(Transform::IDENTITY)?;
    /// assert_eq!(graph.update().rewritten, 3);
    ///
    /// graph.node_mut(hand)?.set_scale(Vec3::splat(2.0))?;
    /// graph.node_mut(arm)?.set_translation(Vec3::Z)?;
    /// assert_eq!(graph.update().rewritten, 2);         // not three, not all
    /// assert_eq!(graph.update().rewritten, 0);
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[inline]
    pub fn update(&mut self) -> UpdateStats {
        if self.dirty.is_empty() {
            return UpdateStats::default();
        }
        self.update_with(Self::compute)
    }

    /// An update whose second phase is `compute`.
    pub(crate) fn update_with(
        &mut self,
        compute: fn(&mut Self, &Selection, &Selector),
    ) -> UpdateStats {
        self.changes.reserve_changed(self.slots.live(), self.slots.len());
        let mut selector = core::mem::take(&mut self.scratch.selector);
        let selection = selector.select(self);
        compute(self, &selection, &selector);
        self.scratch.selector = selector;
        let changed = (self.changes.changed.end() - selection.begin) as usize;
        UpdateStats { changed, visited: selection.visited }
    }

    /// Computes the selected nodes in the order of the change log.
    fn compute(&mut self, selection: &Selection, _: &Selector) {
        let slots = self.changes.changed.since(selection.begin);
        let (roots, children) = slots.split_at(selection.roots);
        let worlds = self.worlds.rows_mut();
        let parents = self.links.parents();
        compute_slots(roots, self.kernel, parents, &self.locals, worlds);
        compute_slots(children, self.kernel, parents, &self.locals, worlds);
    }
}

/// World transforms of nodes, either all of them roots or none, parents before
/// children.
pub(crate) fn compute_slots<W: Worlds + ?Sized>(
    slots: &[u32],
    kernel: TransformKernel,
    parents: &[u32],
    locals: &Locals,
    worlds: &mut W,
) {
    let batch = Batch { slots, parents, locals: locals.transforms() };
    if !locals.any_matrix() {
        return compute_batch(batch, kernel, worlds);
    }
    // Runs of nodes without a matrix, each followed by one with a matrix.
    let mut remaining = slots;
    while !remaining.is_empty() {
        let run = remaining.iter().take_while(|&&slot| locals.matrix(slot).is_none()).count();
        compute_batch(Batch { slots: &remaining[..run], ..batch }, kernel, worlds);
        if let Some(&slot) = remaining.get(run) {
            let local = locals.matrix(slot).expect("the run ends at a matrix");
            let world = match parents[slot as usize] {
                NONE => scalar::saturated(*local),
                parent => scalar::product(worlds.get(parent as usize), local),
            };
            *worlds.get_mut(slot as usize) = world;
        }
        remaining = remaining.get(run + 1..).unwrap_or(&[]);
    }
}

fn compute_batch<W: Worlds + ?Sized>(batch: Batch<'_>, kernel: TransformKernel, worlds: &mut W) {
    match batch.slots.first() {
        Some(&slot) if batch.parents[slot as usize] == NONE => kernel.roots(batch, worlds),
        Some(_) => kernel.children(batch, worlds),
        None => {}
    }
}
