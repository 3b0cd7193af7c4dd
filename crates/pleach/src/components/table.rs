//! `Table<T>`: rows of one kind by node, and which of them were changed.
//!
//! A `NodeMap` that notes which rows may have changed, so that what follows from them
//! is brought up to date for these only. Reading goes to the map; whatever can write
//! goes through here.
//!
//! Invariant: a row that was put in, taken out or lent for writing since the last
//! `take_changed` is in the list, perhaps more than once.

use core::ops::Deref;

use pleach_graph::{Graph, NodeId, NodeMap};

use crate::Error;

/// Rows of one kind, each of a node of the scene.
///
/// Reads are those of [`NodeMap`]: `table.get(&scene.graph, node)`, `table.iter(..)`.
#[derive(Clone, Debug)]
pub struct Table<T> {
    rows: NodeMap<T>,
    changed: Vec<NodeId>,
    /// Nodes removed since the last purge.
    removed: usize,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self { rows: NodeMap::new(), changed: Vec::new(), removed: 0 }
    }
}

impl<T> Deref for Table<T> {
    type Target = NodeMap<T>;

    fn deref(&self) -> &NodeMap<T> {
        &self.rows
    }
}

impl<T> Table<T> {
    /// Gives a node a row; the one it had before.
    ///
    /// # Errors
    ///
    /// [`Error::Graph`] if the node is not in the graph.
    pub fn insert(&mut self, graph: &Graph, node: NodeId, row: T) -> Result<Option<T>, Error> {
        let before = self.rows.insert(graph, node, row)?;
        self.mark_changed(node);
        Ok(before)
    }

    /// A node's row, to change. It counts as changed.
    pub fn get_mut(&mut self, graph: &Graph, node: NodeId) -> Option<&mut T> {
        let row = self.rows.get_mut(graph, node)?;
        // Written out: `mark_changed` would borrow the row.
        if self.changed.last() != Some(&node) {
            self.changed.push(node);
        }
        Some(row)
    }

    /// Takes a node's row.
    pub fn remove(&mut self, node: NodeId) -> Option<T> {
        let row = self.rows.remove(node);
        if row.is_some() {
            self.mark_changed(node);
        }
        row
    }

    /// Drops the rows of nodes that were removed.
    pub(crate) fn drop_removed(&mut self, graph: &Graph, removed: &[NodeId]) {
        for &node in removed {
            self.rows.remove(node);
        }
        // Rows of slots that have another tenant already are not found by their node.
        self.removed += removed.len();
        if self.removed > self.rows.len() {
            self.removed = 0;
            self.rows.purge(graph);
        }
    }

    /// The map itself, for those who tell afterwards what they changed.
    pub(crate) fn rows_and_changed(&mut self) -> (&mut NodeMap<T>, &mut Vec<NodeId>) {
        (&mut self.rows, &mut self.changed)
    }

    fn mark_changed(&mut self, node: NodeId) {
        if self.changed.last() != Some(&node) {
            self.changed.push(node);
        }
    }

    /// Were any rows changed?
    pub(crate) fn has_changed(&self) -> bool {
        !self.changed.is_empty()
    }

    /// Moves the list of what was changed into `nodes`.
    pub(crate) fn take_changed(&mut self, nodes: &mut Vec<NodeId>) {
        nodes.clear();
        nodes.append(&mut self.changed);
    }

    /// Empties the list of changed rows.
    pub(crate) fn clear_changed(&mut self) {
        self.changed.clear();
    }
}
