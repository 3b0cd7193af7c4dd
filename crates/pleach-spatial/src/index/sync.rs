//! `sync`: rows and tree follow the graph.
//!
//! Reads the index's feed once: the removed leave, the moved get new world boxes,
//! `shown` is noted. Nothing that did not change is looked at.

use glam::Mat4;
use pleach_graph::Graph;

use crate::index::rows::Marks;
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
const MANY: usize = 4;

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
        let changes = self.feed.read(graph)?;
        let mut synced = SyncStats::default();
        for &node in changes.removed() {
            synced.removed += usize::from(self.remove(node));
        }
        if let Some(subtrees) = &mut self.subtrees {
            subtrees.follow(graph, &changes);
        }
        for node in changes.shown_changed() {
            if let (Some(row), Some(node)) = (self.rows.find(node), graph.get(node)) {
                let marks = Marks { shown: node.is_shown(), ..self.rows.marks(row) };
                self.rows.set_marks(row, marks);
            }
        }
        let mut moved = core::mem::take(&mut self.moved);
        moved.clear();
        let worlds = graph.world_matrices();
        let some_stay = self.some_in_world || !self.pending.is_empty();
        for node in changes.changed() {
            // With none placed all are pending, as at the first sync.
            if self.tree.len == 0 {
                break;
            }
            let Some(row) = self.rows.find(node) else { continue };
            if some_stay {
                let marks = self.rows.marks(row);
                if marks.pending || marks.in_world {
                    continue;
                }
            }
            synced.computed += 1;
            self.rows.follow(row, &worlds[node.index()]);
            moved.push(row as u32);
        }
        // Bounds that were set come last: most are of new nodes.
        let mut new = 0;
        let mut pending = core::mem::take(&mut self.pending);
        for node in pending.drain(..) {
            let Some(row) = self.rows.find(node) else { continue };
            let marks = self.rows.marks(row);
            if !marks.pending {
                continue;
            }
            // Not from the column: before its first update a node has no matrix there.
            let Some(view) = graph.get(node) else { continue };
            synced.computed += 1;
            let matrix = if marks.in_world { Mat4::IDENTITY } else { view.world() };
            self.rows.follow(row, &matrix);
            let shown = view.is_shown();
            self.rows.set_marks(row, Marks { pending: false, placed: true, shown, ..marks });
            new += usize::from(!marks.placed);
            moved.push(row as u32);
        }
        self.pending = pending;
        if let Some(subtrees) = &mut self.subtrees {
            for &row in &moved {
                subtrees.soil(self.rows.nodes[row as usize].index());
            }
        }
        synced.rebuilt = self.fit_tree(&moved, new);
        self.moved = moved;
        Ok(synced)
    }

    /// Brings the tree up to date with the rows that moved, `new` of which it does
    /// not have. Was it built anew?
    fn fit_tree(&mut self, moved: &[u32], new: usize) -> bool {
        if new > 0 && new * MANY >= self.tree.len {
            self.rebuild();
            return true;
        }
        let (tree, rows) = (&mut self.tree, &self.rows);
        let known = moved.len() - new;
        let mut worn = false;
        if known > 0 && known * MANY >= tree.len {
            // From the world boxes: a box there is in one piece.
            worn = tree.refit_all(|row| rows.world[row as usize]);
        } else if known > 0 {
            for &row in moved {
                if tree.contains(row) {
                    tree.update(row, &rows.slack_box(row as usize));
                }
            }
        }
        if new > 0 {
            for &row in moved {
                if !tree.contains(row) {
                    tree.insert(row, &rows.slack_box(row as usize));
                }
            }
        }
        worn |= tree.is_worn();
        if worn {
            self.rebuild();
        }
        worn
    }

    /// Builds the tree anew, O(n log n). `sync` does so when it has to; there is no
    /// need to call this, but before a time of many questions and few moves it may pay.
    ///
    /// On several threads, if there are some, from 16 384 boxes on: the same tree.
    pub fn rebuild(&mut self) {
        if !self.rows.in_order {
            self.rows.sort();
        }
        let rows = &self.rows;
        let placed = (0..rows.len()).filter(|&row| rows.marks(row).placed);
        self.tree.rebuild(placed.map(|row| (row as u32, rows.slack_box(row))));
    }
}
