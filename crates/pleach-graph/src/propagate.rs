//! `update`: the one place where world transforms are written.
//!
//! Levels are visited from the top. At each, the batch is what was edited there
//! and what hangs below the batch above; a kernel computes its world transforms,
//! and the change log takes it down. How the batch is found depends on how much
//! there is: a level below a wholly rewritten one is a batch as it lies; a level
//! that is mostly out of date is filtered; where little is, the children of the
//! batch above are gathered. Whichever it is, the results are the same bits.
//!
//! Invariant: after `update`, `world(n) = world(parent(n)) × local(n)` for every
//! living node, and nothing is dirty. Each node out of date is rewritten once.
//! The nodes looked at are at most a few times the nodes rewritten.

use alloc::vec::Vec;

use crate::Kernel;
use crate::flags::NodeFlags;
use crate::graph::Graph;
use crate::kernel::{Batch, Rows, scalar};
use crate::links::NONE;
use crate::locals::Locals;
use crate::worlds::WorldRow;

/// What an update did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Updated {
    /// Nodes whose world transform was computed: those edited since the last
    /// update, and everything below them, each once.
    pub rewritten: usize,
    /// Nodes looked at to find those. Equal to `rewritten` where little is out of
    /// date; where most of a level is, the whole level is looked at.
    pub visited: usize,
}

/// Buffers that are reused from call to call.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    edited: Vec<u32>,
    counts: Vec<u32>,
    batch: Vec<u32>,
    above: Vec<u32>,
    /// For `visibility.rs`.
    pub(crate) shown: Vec<u32>,
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
    pub fn update(&mut self) -> Updated {
        if self.dirty.is_empty() {
            return Updated::default();
        }
        self.update_with(compute)
    }

    /// An update whose batches `compute` works on.
    pub(crate) fn update_with(&mut self, compute: impl Fn(&[u32], u32, Columns<'_>)) -> Updated {
        let live = self.slots.live();
        self.changes.make_room_for_moves(live, live, self.slots.len());
        let mut scratch = core::mem::take(&mut self.scratch);
        let updated = Pass::new(self, &mut scratch).run(compute);
        self.scratch = scratch;
        updated
    }
}

/// What a batch is computed from and written to.
pub(crate) struct Columns<'a> {
    pub(crate) kernel: Kernel,
    pub(crate) parents: &'a [u32],
    pub(crate) locals: &'a Locals,
    pub(crate) rows: WholeRows<'a>,
}

/// The columns that an update writes, as one thread sees them.
pub(crate) struct WholeRows<'a> {
    pub(crate) worlds: &'a mut [WorldRow],
    pub(crate) flags: &'a mut [NodeFlags],
    /// By slot: its position in the change log.
    pub(crate) latest: &'a mut [u32],
}

impl Rows for WholeRows<'_> {
    #[inline(always)]
    fn world(&self, slot: usize) -> &[f32; 16] {
        &self.worlds[slot].0
    }

    #[inline(always)]
    fn world_mut(&mut self, slot: usize) -> &mut [f32; 16] {
        &mut self.worlds[slot].0
    }

    #[inline(always)]
    fn settle(&mut self, slot: usize, position: u32) {
        settle(&mut self.flags[slot], &mut self.latest[slot], position);
    }
}

/// Notes that a node is up to date, and at `position` in the change log.
#[inline(always)]
pub(crate) fn settle(flags: &mut NodeFlags, latest: &mut u32, position: u32) {
    flags.unset(NodeFlags::EDITED | NodeFlags::FRESH);
    *latest = position;
}

/// Computes a batch of one depth, whose first node has this position in the
/// change log, on this thread.
pub(crate) fn compute(slots: &[u32], position: u32, mut columns: Columns<'_>) {
    let Columns { kernel, parents, locals, rows } = &mut columns;
    compute_rows(slots, position, *kernel, parents, locals, rows);
}

/// World transforms of nodes of one depth, whose parents' are up to date.
pub(crate) fn compute_rows<R: Rows>(
    slots: &[u32],
    position: u32,
    kernel: Kernel,
    parents: &[u32],
    locals: &Locals,
    rows: &mut R,
) {
    let batch = Batch { slots, position, parents, locals: locals.transforms() };
    match slots.first() {
        Some(&slot) if parents[slot as usize] == NONE => kernel.roots(batch, rows),
        Some(_) => kernel.children(batch, rows),
        None => {}
    }
    if locals.any_matrix() {
        compute_matrices(batch, locals, rows);
    }
}

/// Computes once more, from their matrices, the nodes that have one.
#[cold]
fn compute_matrices<R: Rows>(batch: Batch<'_>, locals: &Locals, rows: &mut R) {
    for &slot in batch.slots {
        if let Some(local) = locals.matrix(slot) {
            let world = match batch.parents[slot as usize] {
                NONE => scalar::saturated(*local),
                parent => scalar::product(rows.world(parent as usize), local),
            };
            *rows.world_mut(slot as usize) = world;
        }
    }
}

/// One update, level by level.
struct Pass<'a> {
    graph: &'a mut Graph,
    scratch: &'a mut Scratch,
    /// Where in the change log this update begins: what is listed from here on
    /// was rewritten by it.
    begin: u32,
    updated: Updated,
}

/// What the level above left to do.
#[derive(Clone, Copy, PartialEq)]
enum Above {
    /// Nothing of it was rewritten.
    Untouched,
    /// The nodes in `scratch.above` were, which have so many children.
    Some { children: usize },
    /// All of it was, and so is all below.
    All,
}

impl<'a> Pass<'a> {
    fn new(graph: &'a mut Graph, scratch: &'a mut Scratch) -> Self {
        let begin = graph.changes.moved.end();
        Self { graph, scratch, begin, updated: Updated::default() }
    }

    fn run(mut self, compute: impl Fn(&[u32], u32, Columns<'_>)) -> Updated {
        let Graph { dirty, flags, slots, .. } = &mut *self.graph;
        let complete = dirty.take(flags, slots.live(), &mut self.scratch.edited);
        if complete {
            self.sort_edited();
        }
        let mut edited = 0;
        let mut depth = 0;
        let mut above = Above::Untouched;
        while depth < self.graph.levels.len() {
            if complete && above == Above::Untouched {
                // Nothing is out of date before the next edited node.
                match self.scratch.edited.get(edited) {
                    Some(&slot) => depth = self.graph.levels.depth(slot),
                    None => break,
                }
            }
            let edited_here = complete.then(|| {
                let from = edited;
                while self.edited_at(edited, depth) {
                    edited += 1;
                }
                from..edited
            });
            above = self.level(depth, above, edited_here, &compute);
            depth += 1;
        }
        self.updated
    }

    #[inline]
    fn edited_at(&self, index: usize, depth: u32) -> bool {
        let edited = self.scratch.edited.get(index);
        edited.is_some_and(|&slot| self.graph.levels.depth(slot) == depth)
    }

    /// Rewrites what is out of date at one depth. `edited` tells the part of
    /// `scratch.edited` that lies there, if all edited nodes are known.
    fn level(
        &mut self,
        depth: u32,
        above: Above,
        edited: Option<core::ops::Range<usize>>,
        compute: impl Fn(&[u32], u32, Columns<'_>),
    ) -> Above {
        let level_len = self.graph.levels.at(depth).len();
        let out_of_date = match (above, &edited) {
            (Above::All, _) => level_len,
            (Above::Some { children }, Some(edited)) => children + edited.len(),
            (Above::Untouched, Some(edited)) => edited.len(),
            // How many were edited is not known, but that they are many.
            (_, None) => level_len,
        };
        let whole = match above {
            Above::All => true,
            Above::Some { children } => children == level_len,
            Above::Untouched => edited.as_ref().is_some_and(|edited| edited.len() == level_len),
        };
        let mut batch = core::mem::take(&mut self.scratch.batch);
        batch.clear();
        if whole {
            self.updated.visited += level_len;
        } else if 2 * out_of_date >= level_len {
            self.filter(depth, &mut batch);
        } else {
            self.gather(above, edited.unwrap_or(0..0), &mut batch);
        }
        let above = self.rewrite(depth, whole, &batch, compute);
        self.scratch.batch = core::mem::replace(&mut self.scratch.above, batch);
        above
    }

    /// The nodes at `depth` that are out of date, found by looking at all.
    fn filter(&mut self, depth: u32, batch: &mut Vec<u32>) {
        let graph = &*self.graph;
        let level = graph.levels.at(depth);
        self.updated.visited += level.len();
        let parents = graph.links.parents();
        let log = &graph.changes.moved;
        batch.extend(level.iter().copied().filter(|&slot| {
            graph.flags[slot as usize].is_edited() || {
                let parent = parents[slot as usize];
                parent != NONE && log.listed_since(parent, self.begin)
            }
        }));
    }

    /// The children of what was rewritten above, and the edited nodes.
    fn gather(&mut self, above: Above, edited: core::ops::Range<usize>, batch: &mut Vec<u32>) {
        let graph = &mut *self.graph;
        if let Above::Some { .. } = above {
            for &parent in &self.scratch.above {
                if !graph.flags[parent as usize].has(NodeFlags::PARENT) {
                    continue;
                }
                let mut child = graph.links.first(parent);
                while child != NONE {
                    // So that it is not taken once more below.
                    graph.flags[child as usize].unset(NodeFlags::EDITED);
                    batch.push(child);
                    child = graph.links.next(child);
                }
            }
        }
        let edited = self.scratch.edited[edited].iter().copied();
        batch.extend(edited.filter(|&slot| graph.flags[slot as usize].is_edited()));
        self.updated.visited += batch.len();
    }

    /// Computes a batch (or the whole level), lists it, and says what it means
    /// for the level below.
    fn rewrite(
        &mut self,
        depth: u32,
        whole: bool,
        batch: &[u32],
        compute: impl Fn(&[u32], u32, Columns<'_>),
    ) -> Above {
        let graph = &mut *self.graph;
        let level = graph.levels.at(depth);
        let all = whole || batch.len() == level.len();
        let slots = if all { level } else { batch };
        self.updated.rewritten += slots.len();
        let (position, latest) = graph.changes.moved.append(slots);
        let columns = Columns {
            kernel: graph.kernel,
            parents: graph.links.parents(),
            locals: &graph.locals,
            rows: WholeRows { worlds: graph.worlds.rows_mut(), flags: &mut graph.flags, latest },
        };
        compute(slots, position, columns);
        if all && !slots.is_empty() {
            return Above::All;
        }
        let parents =
            batch.iter().filter(|&&slot| graph.flags[slot as usize].has(NodeFlags::PARENT));
        match parents.map(|&slot| graph.links.count(slot) as usize).sum() {
            0 => Above::Untouched,
            children => Above::Some { children },
        }
    }

    /// Puts the edited nodes in order of depth.
    fn sort_edited(&mut self) {
        let depths = self.graph.levels.depths();
        let Scratch { edited, counts, batch, .. } = &mut *self.scratch;
        let depth_of = |slot: u32| depths[slot as usize] as usize;
        let Some(deepest) = edited.iter().map(|&slot| depth_of(slot)).max() else { return };
        if edited.is_sorted_by_key(|&slot| depth_of(slot)) {
            return;
        }
        if deepest > 4 * edited.len() {
            edited.sort_unstable_by_key(|&slot| (depth_of(slot), slot));
            return;
        }
        counts.clear();
        counts.resize(deepest + 2, 0);
        for &slot in &*edited {
            counts[depth_of(slot) + 1] += 1;
        }
        for depth in 1..counts.len() {
            counts[depth] += counts[depth - 1];
        }
        batch.clear();
        batch.resize(edited.len(), 0);
        for &slot in &*edited {
            let place = &mut counts[depth_of(slot)];
            batch[*place as usize] = slot;
            *place += 1;
        }
        core::mem::swap(edited, batch);
    }
}
