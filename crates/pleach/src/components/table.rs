//! `Table<T>`: one component per node, and which of them changed.
//!
//! A `NodeMap` with two lists of rows that may have changed: one that the next update takes, so
//! that it only recomputes what depends on these rows, and one for the owner of the scene, which
//! accumulates until it is cleared (`row_changes.rs`).
//!
//! Reads go to the map. Every access that can write a row first calls `Tracker::before_write`, while
//! the row still has its old value: the one place to record that value, for example to undo an edit.
//!
//! Invariants: a row that was inserted, removed or borrowed mutably since the last `take_changed`
//! is in `changed`, possibly more than once, and since the last `clear_changes` in `changes`, once.
//! No slot has more than one row: a new row drops that of an earlier, removed node in its slot.

use core::ops::Deref;

use pleach_graph::{Graph, NodeId, NodeMap};

use super::row_changes::RowChanges;
use crate::{Component, Error};

/// Components of one type by node.
///
/// Reads are those of [`NodeMap`]: `table.get(&scene.graph, node)`, `table.iter(..)`.
///
/// ```
/// use pleach::glam::Vec3;
/// use pleach::{Light, Node, Scene};
///
/// let mut scene = Scene::new();
/// let lamp = scene.spawn(Node::light(Light::point(Vec3::ONE, 60.0)))?;
/// for (_, light) in scene.lights.iter_mut(&scene.graph) {
///     light.intensity *= 0.5;
/// }
/// assert_eq!(scene.lights.get(&scene.graph, lamp).unwrap().intensity, 30.0);
/// # Ok::<(), pleach::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Table<T> {
    rows: NodeMap<T>,
    tracker: Tracker,
}

/// The lists of rows that may have changed.
#[derive(Clone, Debug)]
struct Tracker {
    /// For the next update.
    changed: Vec<NodeId>,
    /// For the owner of the scene.
    changes: RowChanges,
}

impl Tracker {
    /// Records that the row of `node` is about to be inserted, changed or removed. `rows` still has
    /// its old value.
    #[inline]
    fn before_write<T>(&mut self, rows: &NodeMap<T>, node: NodeId) {
        if self.changed.last() != Some(&node) {
            self.changed.push(node);
        }
        self.changes.record(node, rows.node_at(node.index()) == Some(node));
    }
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Deref for Table<T> {
    type Target = NodeMap<T>;

    fn deref(&self) -> &NodeMap<T> {
        &self.rows
    }
}

impl<T> Table<T> {
    /// Creates an empty table.
    #[must_use]
    pub const fn new() -> Self {
        let tracker = Tracker { changed: Vec::new(), changes: RowChanges::new() };
        Self { rows: NodeMap::new(), tracker }
    }

    /// Returns the component of a node for editing. It counts as changed.
    ///
    /// ```
    /// # use pleach::{Camera, Node, Scene};
    /// # let mut scene = Scene::new();
    /// let camera = scene.spawn(Node::camera(Camera::default()))?;
    /// scene.cameras.get_mut(&scene.graph, camera).unwrap().layers = 2;
    /// # Ok::<(), pleach::Error>(())
    /// ```
    pub fn get_mut(&mut self, graph: &Graph, node: NodeId) -> Option<&mut T> {
        if !graph.contains(node) || !self.has_row(node) {
            return None;
        }
        self.tracker.before_write(&self.rows, node);
        self.rows.get_mut(graph, node)
    }

    /// Iterates over the components for editing, in unspecified order. All of them count as
    /// changed.
    pub fn iter_mut<'a>(
        &'a mut self,
        graph: &'a Graph,
    ) -> impl Iterator<Item = (NodeId, &'a mut T)> + 'a {
        for (node, _) in self.rows.iter(graph) {
            self.tracker.before_write(&self.rows, node);
        }
        self.rows.iter_mut(graph)
    }

    /// Removes and returns the component of a node.
    ///
    /// ```
    /// # use pleach::{Camera, Node, Scene};
    /// # let mut scene = Scene::new();
    /// let node = scene.spawn(Node::camera(Camera::default()))?;
    /// assert!(scene.cameras.remove(node).is_some());
    /// assert!(scene.cameras.remove(node).is_none());
    /// # Ok::<(), pleach::Error>(())
    /// ```
    pub fn remove(&mut self, node: NodeId) -> Option<T> {
        if !self.has_row(node) {
            return None;
        }
        self.tracker.before_write(&self.rows, node);
        let row = self.rows.remove(node);
        self.tracker.changes.forget_new(node);
        row
    }

    /// Inserts a row without [`Component::validate`]; for clones, which are as valid as their
    /// originals.
    pub(crate) fn insert_unchecked(
        &mut self,
        graph: &Graph,
        node: NodeId,
        row: T,
    ) -> Result<Option<T>, Error> {
        graph.node(node)?;
        if let Some(earlier) = self.rows.node_at(node.index())
            && earlier != node
        {
            self.drop_row(earlier);
        }
        self.tracker.before_write(&self.rows, node);
        Ok(self.rows.insert(graph, node, row)?)
    }

    fn has_row(&self, node: NodeId) -> bool {
        self.rows.node_at(node.index()) == Some(node)
    }

    /// Drops the row of a removed node. Nothing derived from it is left to update.
    fn drop_row(&mut self, node: NodeId) {
        if self.has_row(node) {
            self.tracker.changes.record(node, true);
            self.rows.remove(node);
            self.tracker.changes.forget_new(node);
        }
    }

    /// Drops the rows of removed nodes. O(removed).
    pub(crate) fn drop_removed(&mut self, removed: &[NodeId]) {
        if !self.rows.is_empty() {
            removed.iter().for_each(|&node| self.drop_row(node));
        }
    }

    /// Returns a row to write data to that is derived from it: this does not count as a change.
    pub(crate) fn derived_mut(&mut self, graph: &Graph, node: NodeId) -> Option<&mut T> {
        self.rows.get_mut(graph, node)
    }

    /// Returns `true` if rows changed since the last update took them.
    pub(crate) fn has_changed(&self) -> bool {
        !self.tracker.changed.is_empty()
    }

    /// Moves the list of changed rows to `nodes`, which is cleared first.
    pub(crate) fn take_changed(&mut self, nodes: &mut Vec<NodeId>) {
        nodes.clear();
        nodes.append(&mut self.tracker.changed);
    }

    /// Clears the list of changed rows.
    pub(crate) fn clear_changed(&mut self) {
        self.tracker.changed.clear();
    }

    /// Iterates over the nodes that got a row since the last `clear_changes`.
    pub(crate) fn inserted<'a>(&'a self, graph: &'a Graph) -> impl Iterator<Item = NodeId> + 'a {
        self.changed_rows(graph, false)
    }

    /// Iterates over the nodes whose row may have changed since the last `clear_changes`.
    pub(crate) fn edited<'a>(&'a self, graph: &'a Graph) -> impl Iterator<Item = NodeId> + 'a {
        self.changed_rows(graph, true)
    }

    fn changed_rows<'a>(
        &'a self,
        graph: &'a Graph,
        had_row: bool,
    ) -> impl Iterator<Item = NodeId> + 'a {
        let entries = self.tracker.changes.iter().filter(move |&(_, had)| had == had_row);
        entries.map(|(node, _)| node).filter(|&node| self.rows.get(graph, node).is_some())
    }

    /// Iterates over the nodes whose row was removed since the last `clear_changes`.
    pub(crate) fn removed(&self) -> impl Iterator<Item = NodeId> + '_ {
        let entries = self.tracker.changes.iter().filter(|&(_, had_row)| had_row);
        entries.map(|(node, _)| node).filter(|&node| !self.has_row(node))
    }

    /// Starts new lists of inserted, changed and removed rows.
    pub(crate) fn clear_changes(&mut self) {
        self.tracker.changes.clear();
    }
}

impl<T: Component> Table<T> {
    /// Inserts the component of a node and returns its previous one, if any.
    ///
    /// # Errors
    ///
    /// [`Error::Graph`] if the node is not in the graph; what [`Component::validate`] returns.
    /// The table is unchanged then.
    ///
    /// ```
    /// # use pleach::{Camera, Node, Scene};
    /// # let mut scene = Scene::new();
    /// let node = scene.spawn(Node::group())?;
    /// assert!(scene.cameras.insert(&scene.graph, node, Camera::default())?.is_none());
    /// assert!(scene.cameras.insert(&scene.graph, node, Camera::default())?.is_some());
    /// # Ok::<(), pleach::Error>(())
    /// ```
    pub fn insert(&mut self, graph: &Graph, node: NodeId, row: T) -> Result<Option<T>, Error> {
        row.validate(graph, node, &self.rows)?;
        self.insert_unchecked(graph, node, row)
    }

    /// Inserts clones of a component for each of `nodes`. The rows before the one that failed
    /// remain.
    pub(crate) fn insert_clones(
        &mut self,
        graph: &Graph,
        nodes: &[NodeId],
        row: &T,
    ) -> Result<(), Error> {
        self.tracker.changed.reserve(nodes.len());
        nodes.iter().try_for_each(|&node| self.insert(graph, node, row.clone()).map(drop))
    }
}
