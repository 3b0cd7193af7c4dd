//! `Table<T>`: one component per node, and which of them changed.
//!
//! A `NodeMap` that records which rows may have changed, so that an update only recomputes what
//! depends on these. Reads go to the map; every write goes through the table.
//!
//! Invariant: a row that was inserted, removed or borrowed mutably since the last `take_changed` is
//! in the list, possibly more than once.

use core::ops::Deref;

use pleach_graph::{Graph, NodeId, NodeMap};

use crate::Error;

/// Components of one type by node.
///
/// Reads are those of [`NodeMap`]: `table.get(&scene.graph, node)`, `table.iter(..)`.
#[derive(Clone, Debug)]
pub struct Table<T> {
    rows: NodeMap<T>,
    changed: Vec<NodeId>,
    /// The number of nodes removed since the last purge.
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
    /// Inserts the component of a node and returns its previous one, if any.
    ///
    /// # Errors
    ///
    /// [`Error::Graph`] if the node is not in the graph.
    pub fn insert(&mut self, graph: &Graph, node: NodeId, row: T) -> Result<Option<T>, Error> {
        let before = self.rows.insert(graph, node, row)?;
        push_changed(&mut self.changed, node);
        Ok(before)
    }

    /// Returns the component of a node for editing. It counts as changed.
    pub fn get_mut(&mut self, graph: &Graph, node: NodeId) -> Option<&mut T> {
        let row = self.rows.get_mut(graph, node)?;
        push_changed(&mut self.changed, node);
        Some(row)
    }

    /// Removes and returns the component of a node.
    pub fn remove(&mut self, node: NodeId) -> Option<T> {
        let row = self.rows.remove(node);
        if row.is_some() {
            push_changed(&mut self.changed, node);
        }
        row
    }

    /// Drops the rows of removed nodes.
    pub(crate) fn drop_removed(&mut self, graph: &Graph, removed: &[NodeId]) {
        for &node in removed {
            self.rows.remove(node);
        }
        // Rows whose slot was already reused are not found by their node.
        self.removed += removed.len();
        if self.removed > self.rows.len() {
            self.removed = 0;
            self.rows.purge(graph);
        }
    }

    /// Returns the map and the list of changed rows, which the caller has to extend.
    pub(crate) fn rows_and_changed(&mut self) -> (&mut NodeMap<T>, &mut Vec<NodeId>) {
        (&mut self.rows, &mut self.changed)
    }

    /// Returns `true` if rows changed.
    pub(crate) fn has_changed(&self) -> bool {
        !self.changed.is_empty()
    }

    /// Moves the list of changed rows to `nodes`, which is cleared first.
    pub(crate) fn take_changed(&mut self, nodes: &mut Vec<NodeId>) {
        nodes.clear();
        nodes.append(&mut self.changed);
    }

    /// Clears the list of changed rows.
    pub(crate) fn clear_changed(&mut self) {
        self.changed.clear();
    }
}

/// Adds a node to a list of changed rows, unless it was the last to be added.
fn push_changed(changed: &mut Vec<NodeId>, node: NodeId) {
    if changed.last() != Some(&node) {
        changed.push(node);
    }
}
