//! `sync`: updates the rows from the graph's changes.
//!
//! Reads the index's change reader once: removed nodes are dropped, changed nodes get new world
//! boxes, visibility is recorded. Unchanged nodes are not visited. The changed rows are marked, so that
//! the tree can be updated when a query needs it (`lazy_tree.rs`).

use glam::Mat4;
use pleach_graph::{Changes, Graph};

#[cfg(feature = "parallel")]
use crate::bvh::parallel::MIN_PARALLEL_BOXES;
use crate::index::policy;
use crate::index::rows::RowFlags;
use crate::{Error, SpatialIndex};

/// Statistics of a [`sync`](SpatialIndex::sync).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SyncStats {
    /// The number of nodes whose world bounds were computed; each counts once.
    pub computed: usize,
    /// The number of nodes that were dropped because the graph removed them.
    pub removed: usize,
}

impl SpatialIndex {
    /// Updates the index from the graph. Call it once per frame, after the graph's
    /// [`update`](Graph::update).
    ///
    /// O(changed nodes), a few nanoseconds each. The tree is not touched: see
    /// [`SpatialIndex`].
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// # use pleach_spatial::{Aabb, SpatialIndex};
    /// # use pleach_spatial::glam::Vec3;
    /// # let mut graph = Graph::new();
    /// # let mut index = SpatialIndex::new(&mut graph);
    /// # let cube = Aabb::new(Vec3::ZERO, Vec3::ONE);
    /// let node = graph.add_root(Transform::IDENTITY)?;
    /// index.set_bounds(&graph, node, cube)?;
    /// graph.update();
    /// assert_eq!(index.sync(&graph)?.computed, 1);
    /// graph.update();
    /// assert_eq!(index.sync(&graph)?.computed, 0, "nothing changed");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Graph`] if `graph` is not the graph that the index was created for (a clone is
    /// another graph). The index is then unchanged.
    pub fn sync(&mut self, graph: &Graph) -> Result<SyncStats, Error> {
        self.sync_rows(graph)
    }

    /// Like [`sync`](Self::sync), with the same results of all queries. If the tree of at least
    /// 16 384 boxes has to be built, for the first time or because recent queries need it, it
    /// does so on the threads of rayon's current pool, instead of leaving that to a query.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// # use pleach_spatial::{Aabb, SpatialIndex};
    /// # use pleach_spatial::glam::Vec3;
    /// # let mut graph = Graph::new();
    /// # let mut index = SpatialIndex::new(&mut graph);
    /// # let cube = Aabb::new(Vec3::ZERO, Vec3::ONE);
    /// let node = graph.add_root(Transform::IDENTITY)?;
    /// index.set_bounds(&graph, node, cube)?;
    /// graph.update_parallel();
    /// assert_eq!(index.sync_parallel(&graph)?.computed, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`sync`](Self::sync).
    #[cfg(feature = "parallel")]
    pub fn sync_parallel(&mut self, graph: &Graph) -> Result<SyncStats, Error> {
        let stats = self.sync_rows(graph)?;
        let (changed, new) = self.tree.pending(&self.rows);
        let cost = policy::update_cost(self.rows.active, changed, new);
        let is_first = self.tree.stats().updates == 0;
        if self.rows.active >= MIN_PARALLEL_BOXES
            && self.tree.needs_build(&self.rows)
            && (is_first || self.tree.policy.can_afford(cost))
        {
            self.rebuild_parallel();
        }
        Ok(stats)
    }

    fn sync_rows(&mut self, graph: &Graph) -> Result<SyncStats, Error> {
        let changes = self.change_reader.read(graph)?;
        self.synced = Some((graph.structure_version(), graph.world_version()));
        let mut stats = SyncStats::default();
        for &node in changes.removed() {
            stats.removed += usize::from(self.remove(node));
        }
        if let Some(subtree_bounds) = self.subtree_bounds.get_mut() {
            subtree_bounds.apply_changes(graph, &changes);
        }
        for node in changes.shown_changed() {
            if let (Some(row), Some(node)) = (self.rows.find(node), graph.get(node)) {
                let flags = RowFlags { shown: node.is_shown(), ..self.rows.flags(row) };
                self.rows.set_flags(row, flags);
            }
        }
        let mut changed_rows = core::mem::take(&mut self.changed_rows);
        changed_rows.clear();
        let inactive = self.update_changed(&changes, graph.world_matrices(), &mut changed_rows);
        // Pending bounds come last: most of them belong to new nodes.
        let known = self.rows.active;
        self.update_pending(graph, &mut changed_rows);
        stats.computed = changed_rows.len() + inactive;
        if let Some(subtree_bounds) = self.subtree_bounds.get_mut() {
            for &row in &changed_rows {
                subtree_bounds.mark_dirty(self.rows.nodes[row as usize].index());
            }
        }
        self.mark_tree_dirty(&changed_rows, stats.removed, self.rows.active - known);
        self.changed_rows = changed_rows;
        if self.rows.need_sorting() {
            let old_rows = self.rows.sort();
            self.tree.renumber(&old_rows);
        }
        Ok(stats)
    }

    /// Updates the world boxes of the rows that the graph changed, except for pending ones. Lists
    /// the active ones and returns the number of the others.
    fn update_changed(
        &mut self,
        changes: &Changes<'_>,
        worlds: &[Mat4],
        changed_rows: &mut Vec<u32>,
    ) -> usize {
        let rows = &mut self.rows;
        // With no such row all are pending, as in the first sync.
        if rows.active == 0 && rows.detached == 0 {
            return 0;
        }
        let check_flags = self.any_world_space || rows.detached > 0;
        // Otherwise flags are not read: all rows are active but the pending ones, which are few.
        let is_pending = &mut self.pending_rows;
        for &node in &self.pending {
            if let Some(row) = rows.find(node).filter(|&row| rows.flags(row).pending) {
                is_pending.mark(row);
            }
        }
        let any_pending = !self.pending.is_empty();
        let mut inactive = 0;
        // First the rows, then their boxes, so that the reads do not depend on each other.
        for node in changes.changed() {
            let Some(row) = rows.find(node) else { continue };
            if any_pending && is_pending.contains(row) {
                continue;
            }
            if check_flags {
                let flags = rows.flags(row);
                if flags.world_space {
                    continue;
                }
                if !flags.active {
                    rows.update_inactive_world(row, &worlds[node.index()]);
                    if let Some(subtree_bounds) = self.subtree_bounds.get_mut() {
                        subtree_bounds.mark_dirty(node.index());
                    }
                    inactive += 1;
                    continue;
                }
            }
            changed_rows.push(row as u32);
        }
        is_pending.clear();
        rows.update_worlds(changed_rows, worlds);
        inactive
    }

    /// Updates the world boxes of the rows whose bounds were set or that were attached.
    fn update_pending(&mut self, graph: &Graph, changed_rows: &mut Vec<u32>) {
        let mut pending = core::mem::take(&mut self.pending);
        for node in pending.drain(..) {
            let Some(row) = self.rows.find(node) else { continue };
            let flags = self.rows.flags(row);
            if !flags.pending {
                continue;
            }
            // Not from the column: before its first update a node has no matrix there.
            let Some(view) = graph.get(node) else { continue };
            let matrix = if flags.world_space { Mat4::IDENTITY } else { view.world() };
            let active = !flags.detached;
            if active {
                self.rows.update_world(row, &matrix);
            } else {
                self.rows.update_inactive_world(row, &matrix);
            }
            let shown = view.is_shown();
            let flags = RowFlags { pending: false, synced: true, active, shown, ..flags };
            self.rows.set_flags(row, flags);
            changed_rows.push(row as u32);
        }
        self.pending = pending;
    }

    /// Marks the rows that the tree has to be updated for, `new` of which it does not contain.
    fn mark_tree_dirty(&mut self, changed_rows: &[u32], removed: usize, new: usize) {
        if changed_rows.is_empty() && removed == 0 {
            return;
        }
        let (tree, rows) = (&mut self.tree, &self.rows);
        tree.mark(changed_rows, rows.count());
        let cost = policy::update_cost(rows.active, changed_rows.len() + removed, new);
        let (changed, new) = tree.pending(rows);
        let total_cost = policy::update_cost(rows.active, changed, new);
        tree.policy.record_changes(cost, total_cost);
    }

    /// Rebuilds the tree, O(n log n), and sorts the boxes in memory. Queries do so when needed.
    /// Calling it explicitly may pay off before many queries with few changes; results are the same.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// # use pleach_spatial::{Aabb, SpatialIndex};
    /// # use pleach_spatial::glam::Vec3;
    /// # let mut graph = Graph::new();
    /// # let mut index = SpatialIndex::new(&mut graph);
    /// # let node = graph.add_root(Transform::IDENTITY)?;
    /// # index.set_bounds(&graph, node, Aabb::new(Vec3::ZERO, Vec3::ONE))?;
    /// # graph.update();
    /// # index.sync(&graph)?;
    /// index.rebuild();
    /// assert_eq!(index.tree_boxes().filter(|it| it.node.is_some()).count(), index.len());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn rebuild(&mut self) {
        self.rows.sort_if_needed();
        let rows = &self.rows;
        let boxes = rows.iter_active().map(|row| (row, rows.padded_box(row as usize)));
        self.tree.replace(|tree| tree.rebuild(boxes));
    }

    /// Like [`rebuild`](Self::rebuild), with the same result, on the threads of rayon's current
    /// pool: from 16 384 boxes on.
    ///
    /// ```
    /// # use pleach_graph::Graph;
    /// # use pleach_spatial::SpatialIndex;
    /// # let mut index = SpatialIndex::new(&mut Graph::new());
    /// index.rebuild_parallel();
    /// assert_eq!(index.check(), []);
    /// ```
    #[cfg(feature = "parallel")]
    pub fn rebuild_parallel(&mut self) {
        self.rows.sort_if_needed();
        let rows = &self.rows;
        let boxes = rows.iter_active().map(|row| (row, rows.padded_box(row as usize)));
        self.tree.replace(|tree| tree.rebuild_parallel(boxes));
    }
}
