//! `sync`: rows and tree follow the graph.
//!
//! Reads the index's feed once: the removed leave, the moved get new world boxes,
//! `shown` is noted. Nothing that did not change is looked at.

use glam::Mat4;
use pleach_graph::Graph;

use crate::index::rows::RowFlags;
use crate::{Error, SpatialIndex};

/// What a [`sync`](SpatialIndex::sync) did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SyncStats {
    /// Nodes whose world bounds were computed: each once, however often it moved.
    pub computed: usize,
    /// Nodes that left, because the graph removed them.
    pub removed: usize,
    /// The tree was built anew, rather than changed where things moved.
    pub rebuilt: bool,
}

/// Of the tree's items, one in so many may move before its boxes are fitted all at
/// once rather than one by one.
const BULK_REFIT_DIVISOR: usize = 4;

impl SpatialIndex {
    /// Brings the index up to date with the graph: call it after the graph's
    /// [`update`](Graph::update), once a frame.
    ///
    /// O(nodes that moved): each is O(log n), and if a quarter of all moved, the tree's
    /// boxes are fitted in one go; if that wore it out, it is built anew, O(n log n).
    ///
    /// # Errors
    ///
    /// [`Error::Graph`] if it is not the graph the index was made for (a clone is
    /// another graph). The index stays as it was.
    pub fn sync(&mut self, graph: &Graph) -> Result<SyncStats, Error> {
        let changes = self.change_reader.read(graph)?;
        let mut stats = SyncStats::default();
        for &node in changes.removed() {
            stats.removed += usize::from(self.remove(node));
        }
        if let Some(subtree_bounds) = &mut self.subtree_bounds {
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
            // With none placed all are pending, as at the first sync.
            if self.tree.len == 0 {
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
        // Bounds that were set come last: most are of new nodes.
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
            self.rows.set_flags(row, RowFlags { pending: false, in_tree: true, shown, ..flags });
            new += usize::from(!flags.in_tree);
            changed_rows.push(row as u32);
        }
        self.pending = pending;
        if let Some(subtree_bounds) = &mut self.subtree_bounds {
            for &row in &changed_rows {
                subtree_bounds.mark_dirty(self.rows.nodes[row as usize].index());
            }
        }
        stats.rebuilt = self.update_tree(&changed_rows, new);
        self.changed_rows = changed_rows;
        Ok(stats)
    }

    /// Brings the tree up to date with the rows that moved, `new` of which it does
    /// not have. Was it built anew?
    fn update_tree(&mut self, changed_rows: &[u32], new: usize) -> bool {
        if new > 0 && new * BULK_REFIT_DIVISOR >= self.tree.len {
            self.rebuild();
            return true;
        }
        let (tree, rows) = (&mut self.tree, &self.rows);
        let known = changed_rows.len() - new;
        let mut needs_rebuild = false;
        if known > 0 && known * BULK_REFIT_DIVISOR >= tree.len {
            // From the world boxes: a box there is in one piece.
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
                if !tree.contains(row) {
                    tree.insert(row, &rows.padded_box(row as usize));
                }
            }
        }
        needs_rebuild |= tree.needs_rebuild();
        if needs_rebuild {
            self.rebuild();
        }
        needs_rebuild
    }

    /// Builds the tree anew, O(n log n). `sync` does so when it has to; there is no
    /// need to call this, but before a time of many questions and few moves it may pay.
    ///
    /// On several threads, if there are some, from 16 384 boxes on: the same tree.
    pub fn rebuild(&mut self) {
        if self.rows.unsorted {
            self.rows.sort();
        }
        let rows = &self.rows;
        let in_tree = (0..rows.len()).filter(|&row| rows.flags(row).in_tree);
        self.tree.rebuild(in_tree.map(|row| (row as u32, rows.padded_box(row))));
    }
}
