//! `sync`: updates rows and tree from the graph's changes.
//!
//! Reads the index's change reader once: removed nodes are dropped, changed nodes get new world
//! boxes, visibility is recorded. Unchanged nodes are not visited.

use glam::Mat4;
use pleach_graph::Graph;

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
    /// `true` if the tree was rebuilt instead of updated.
    pub rebuilt: bool,
}

/// If at least one in this many items of the tree changed, all boxes are refitted at once instead
/// of one by one.
const BULK_REFIT_DIVISOR: usize = 4;

impl SpatialIndex {
    /// Updates the index from the graph. Call it once per frame, after the graph's
    /// [`update`](Graph::update).
    ///
    /// O(changed nodes), each O(log n). If a quarter of all nodes changed, all boxes of the tree
    /// are refitted at once; if that makes the tree too inefficient, it is rebuilt, O(n log n).
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
        self.sync_with(graph, Self::rebuild)
    }

    /// Like [`sync`](Self::sync), with the same result, on the threads of rayon's current pool where
    /// that pays off: if it rebuilds the tree of at least 16 384 boxes.
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
        self.sync_with(graph, Self::rebuild_parallel)
    }

    fn sync_with(&mut self, graph: &Graph, rebuild: fn(&mut Self)) -> Result<SyncStats, Error> {
        let changes = self.change_reader.read(graph)?;
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
        let worlds = graph.world_matrices();
        let check_flags = self.any_world_space || !self.pending.is_empty();
        for node in changes.changed() {
            // With no row in the tree all attached rows are pending, as in the first sync.
            if self.tree.len == 0 && self.rows.detached == 0 {
                break;
            }
            let Some(row) = self.rows.find(node) else { continue };
            if check_flags {
                let flags = self.rows.flags(row);
                if flags.pending || flags.world_space {
                    continue;
                }
            }
            stats.computed += 1;
            self.rows.update_world(row, &worlds[node.index()]);
            changed_rows.push(row as u32);
        }
        // Pending bounds come last: most of them belong to new nodes.
        let mut new = 0;
        let mut pending = core::mem::take(&mut self.pending);
        for node in pending.drain(..) {
            let Some(row) = self.rows.find(node) else { continue };
            let flags = self.rows.flags(row);
            if !flags.pending {
                continue;
            }
            // Not from the column: before its first update a node has no matrix there.
            let Some(view) = graph.get(node) else { continue };
            stats.computed += 1;
            let matrix = if flags.world_space { Mat4::IDENTITY } else { view.world() };
            self.rows.update_world(row, &matrix);
            let shown = view.is_shown();
            let in_tree = !flags.detached;
            let new_flags = RowFlags { pending: false, synced: true, in_tree, shown, ..flags };
            self.rows.set_flags(row, new_flags);
            new += usize::from(in_tree && !flags.in_tree);
            changed_rows.push(row as u32);
        }
        self.pending = pending;
        if let Some(subtree_bounds) = self.subtree_bounds.get_mut() {
            for &row in &changed_rows {
                subtree_bounds.mark_dirty(self.rows.nodes[row as usize].index());
            }
        }
        stats.rebuilt = self.update_tree(&changed_rows, new, rebuild);
        self.changed_rows = changed_rows;
        Ok(stats)
    }

    /// Updates the tree from the changed rows, `new` of which it does not contain yet. Returns
    /// `true` if it was rebuilt, by `rebuild`.
    fn update_tree(&mut self, changed_rows: &[u32], new: usize, rebuild: fn(&mut Self)) -> bool {
        if new > 0 && new * BULK_REFIT_DIVISOR >= self.tree.len {
            rebuild(self);
            return true;
        }
        let (tree, rows) = (&mut self.tree, &self.rows);
        let known = changed_rows.len() - new;
        let mut needs_rebuild = false;
        if known > 0 && known * BULK_REFIT_DIVISOR >= tree.len {
            // From the world boxes, each of which is contiguous in memory.
            needs_rebuild = tree.refit_all(|row| rows.world[row as usize]);
        } else if known > 0 {
            for &row in changed_rows {
                if tree.contains(row) {
                    tree.update(row, &rows.padded_box(row as usize));
                }
            }
        }
        if new > 0 {
            for &row in changed_rows {
                if rows.flags(row as usize).in_tree && !tree.contains(row) {
                    tree.insert(row, &rows.padded_box(row as usize));
                }
            }
        }
        needs_rebuild |= tree.needs_rebuild();
        if needs_rebuild {
            rebuild(self);
        }
        needs_rebuild
    }

    /// Rebuilds the tree, O(n log n). [`sync`](Self::sync) does so when needed. Calling it
    /// explicitly may pay off before many queries with few changes; results are the same.
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
        self.sort_rows();
        let rows = &self.rows;
        self.tree.rebuild(rows.in_tree().map(|row| (row, rows.padded_box(row as usize))));
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
        self.sort_rows();
        let rows = &self.rows;
        self.tree.rebuild_parallel(rows.in_tree().map(|row| (row, rows.padded_box(row as usize))));
    }

    fn sort_rows(&mut self) {
        if self.rows.unsorted {
            self.rows.sort();
        }
    }
}
