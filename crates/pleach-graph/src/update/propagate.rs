//! `Graph::update`: computes the world transforms.
//!
//! Two phases: `select.rs` finds the nodes that are out of date and lists them in
//! the change log, parents before children; a kernel then computes them in that
//! order. The results are the same bits for every kernel and every number of
//! threads.
//!
//! Invariant: after `update`, `world(n) = world(parent(n)) × local(n)` for every
//! live node, and nothing is dirty. Each node that was out of date is computed
//! once.

use alloc::vec::Vec;

use crate::edit::attach_each::AttachScratch;
use crate::store::{links::NONE, locals::Locals};
use crate::update::kernel::{Batch, Worlds, scalar};
use crate::update::select::{Selection, Selector};
use crate::{Graph, TransformKernel};

/// The amount of work done by an update.
///
/// ```
/// use pleach_graph::{Graph, Transform};
/// use pleach_graph::glam::Vec3;
///
/// let mut graph = Graph::new();
/// let arm = graph.add_root(Transform::IDENTITY)?;
/// let hand = graph.add_child(arm, Transform::IDENTITY)?;
/// graph.update();
///
/// graph.node_mut(arm)?.set_translation(Vec3::X)?;
/// assert!(graph.node(hand)?.is_dirty() && !graph.node(hand)?.is_local_dirty());
/// let stats = graph.update();
/// assert_eq!((stats.changed, stats.edited), (2, 1));
/// # Ok::<(), pleach_graph::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct UpdateStats {
    /// The number of nodes whose world transform was computed: those edited since
    /// the last update, and their descendants, each once.
    pub changed: usize,
    /// The number of those whose own local transform or parent was edited. The others
    /// changed because an ancestor did: their local transform was neither written nor
    /// marked, and there is no local matrix of theirs that would have to be composed
    /// again.
    pub edited: usize,
    /// The number of nodes visited to find them. Equal to `changed` if little is
    /// out of date; otherwise whole levels or the whole graph are visited.
    pub visited: usize,
}

/// Buffers that are reused between calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    pub(crate) selector: Selector,
    /// For `edit/visibility.rs`.
    pub(crate) shown_changed: Vec<u32>,
    /// For `edit/attach_each.rs`.
    pub(crate) attach: AttachScratch,
    /// The number of nodes that threads left out in the last parallel update, for
    /// tests.
    #[cfg(feature = "parallel")]
    pub(crate) left_out: usize,
}

impl Graph {
    /// Computes every world transform that is out of date, and returns how many.
    ///
    /// The cost is proportional to the nodes computed: those that were edited, and
    /// their descendants, each once however often and in whatever order they were
    /// edited. Without edits it takes a few nanoseconds.
    ///
    /// ```
    /// use pleach_graph::{Graph, Transform};
    /// use pleach_graph::glam::Vec3;
    ///
    /// let mut graph = Graph::new();
    /// let arm = graph.add_root(Transform::IDENTITY)?;
    /// let hand = graph.add_child(arm, Transform::from_xyz(1.0, 0.0, 0.0))?;
    /// let _foot = graph.add_root(Transform::IDENTITY)?;
    /// assert_eq!(graph.update().changed, 3);
    ///
    /// graph.node_mut(hand)?.set_scale(Vec3::splat(2.0))?;
    /// graph.node_mut(arm)?.set_translation(Vec3::Z)?;
    /// assert_eq!(graph.update().changed, 2);           // each once, and not all
    /// assert_eq!(graph.update().changed, 0);
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[inline]
    #[doc(alias("updateMatrixWorld", "propagate_transforms"))]
    pub fn update(&mut self) -> UpdateStats {
        if self.dirty.is_empty() {
            return UpdateStats::default();
        }
        self.update_with(Self::compute)
    }

    /// Updates, with `compute` as the second phase.
    pub(crate) fn update_with(
        &mut self,
        compute: fn(&mut Self, &Selection, &Selector),
    ) -> UpdateStats {
        self.world_version += 1;
        self.refresh_depths();
        let edited = self.dirty.take_marked();
        self.changes.reserve_changed(self.slots.live(), self.slots.len());
        let mut selector = core::mem::take(&mut self.scratch.selector);
        let selection = selector.select(self);
        compute(self, &selection, &selector);
        self.scratch.selector = selector;
        let changed = (self.changes.changed.end() - selection.begin) as usize;
        UpdateStats { changed, edited, visited: selection.visited }
    }

    /// Computes the selected nodes in the order of the change log.
    pub(crate) fn compute(&mut self, selection: &Selection, _: &Selector) {
        let slots = self.changes.changed.since(selection.begin);
        let (roots, children) = slots.split_at(selection.roots);
        let worlds = self.worlds.rows_mut();
        let parents = self.links.parents();
        compute_slots(roots, self.kernel, parents, &self.locals, worlds);
        compute_slots(children, self.kernel, parents, &self.locals, worlds);
    }
}

/// Computes the world transforms of `slots`, either all of them roots or none,
/// parents before children.
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
            let local = locals.matrix(slot).expect("the run ends at a node with a matrix");
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
