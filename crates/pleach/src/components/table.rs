//! `Table<T>`: one component per node, and which of them changed.
//!
//! A `NodeMap` with a list of rows that may have changed, which the next update takes, so that it
//! only recomputes what depends on these rows; and a log of the rows that were inserted, changed and
//! removed, for the owner of the scene and any number of readers (`row_log.rs`).
//!
//! Reads go to the map. Every access that can write or drop a row first calls `Tracker::record`,
//! while the row still has its old value, and so passes that value to the recorder of the table while
//! a transaction runs (`row_edits.rs`). The exception is `derived_mut`, for derived data.
//!
//! Invariants: a row that was inserted, removed or borrowed mutably since the last `take_changed`
//! is in `changed`, possibly more than once, unless its node was removed; and is in `log`. While
//! `changed` is empty, tables with the same stamp have the same rows.
//! No slot has more than one row: a new row drops that of an earlier, removed node in its slot.

use core::fmt;
use core::ops::Deref;
use std::collections::BTreeMap;

use pleach_graph::{Graph, NodeId, NodeMap};

use super::row_changes::RowChangeReader;
use super::row_edits::RowRecorder;
use super::row_log::RowLog;
use crate::stamp::next_stamp;
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
#[derive(Debug)]
pub struct Table<T> {
    rows: NodeMap<T>,
    tracker: Tracker<T>,
    /// 0, or a number that no other set of rows has.
    stamp: u64,
}

/// The number of changed rows, in addition to two per row, below which dropping repeated ones does
/// not pay off.
const SLACK: usize = 1024;

/// The rows that may have changed, and the recorder of their old values.
struct Tracker<T> {
    /// For the next update.
    changed: Vec<NodeId>,
    /// For the owner of the scene and the readers.
    log: RowLog,
    recorder: Option<Box<RowRecorder<T>>>,
}

/// A write of a row that is about to happen.
#[derive(Clone, Copy)]
enum Write {
    /// An insertion, a replacement or a mutable borrow.
    Set,
    Remove,
}

impl<T> Tracker<T> {
    /// Records that the row of `node` is about to be inserted, changed or removed, for the next
    /// update too. `rows` still has its old value.
    #[inline]
    fn before_write(&mut self, rows: &NodeMap<T>, node: NodeId, write: Write) {
        if self.changed.last() != Some(&node) {
            if self.changed.len() == self.changed.capacity() {
                self.make_room(rows.len());
            }
            self.changed.push(node);
        }
        self.record(rows, node, write);
    }

    /// Makes room in `changed`: without updates it would otherwise grow with every write. Only the
    /// latest node of a slot can be alive, and have something to update.
    #[cold]
    fn make_room(&mut self, rows: usize) {
        if self.changed.len() >= 2 * rows + SLACK {
            let mut latest: BTreeMap<usize, NodeId> =
                self.changed.iter().map(|&node| (node.index(), node)).collect();
            self.changed.retain(|node| {
                let is_kept = latest.get(&node.index()) == Some(node);
                is_kept && latest.remove(&node.index()).is_some()
            });
        }
        if self.changed.len() >= self.changed.capacity() / 2 {
            self.changed.reserve(self.changed.len().max(4));
        }
    }

    /// Records that the row of `node` is about to be inserted, changed or removed. `rows` still has
    /// its old value.
    #[inline]
    fn record(&mut self, rows: &NodeMap<T>, node: NodeId, write: Write) {
        let row = rows.row_at(node.index()).filter(|row| row.0 == node);
        self.log.record(rows, node, row.is_some());
        if let Some(recorder) = &mut self.recorder {
            match (row, write) {
                (None, _) => recorder.inserts(node),
                (Some((_, old)), Write::Set) => recorder.changes(node, old),
                (Some((_, old)), Write::Remove) => {
                    let index = rows.position(node).unwrap_or(usize::MAX);
                    recorder.removes(node, index, old);
                }
            }
        }
    }
}

/// The clone has no recorder and no readers: they stay with the original.
impl<T: Clone> Clone for Table<T> {
    fn clone(&self) -> Self {
        let Tracker { changed, log, .. } = &self.tracker;
        let (changed, log) = (changed.clone(), log.clone());
        let tracker = Tracker { changed, log, recorder: None };
        Self { rows: self.rows.clone(), tracker, stamp: self.stamp }
    }
}

impl<T> fmt::Debug for Tracker<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut tracker = f.debug_struct("Tracker");
        tracker.field("changed", &self.changed).field("log", &self.log);
        tracker.field("is_recorded", &self.recorder.is_some()).finish()
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
        let tracker = Tracker { changed: Vec::new(), log: RowLog::new(), recorder: None };
        Self { rows: NodeMap::new(), tracker, stamp: 0 }
    }

    /// Returns the row of a node, alive or not.
    pub(super) fn row(&self, node: NodeId) -> Option<&T> {
        self.rows.row_at(node.index()).filter(|row| row.0 == node).map(|row| row.1)
    }

    /// Inserts a row that was removed from `index`, or after all others. Its node need not be alive:
    /// the next edit may remove the row again.
    pub(super) fn restore_row(&mut self, node: NodeId, index: usize, row: T) {
        if let Some(earlier) = self.rows.node_at(node.index())
            && earlier != node
        {
            self.drop_row(earlier);
        }
        self.tracker.before_write(&self.rows, node, Write::Set);
        self.rows.insert_at(index, node, row);
    }

    /// Replaces the row of a node, alive or not, if it has one.
    pub(super) fn replace_row(&mut self, node: NodeId, row: T) {
        if self.has_row(node) {
            self.tracker.before_write(&self.rows, node, Write::Set);
            self.rows.insert_at(usize::MAX, node, row);
        }
    }

    pub(super) fn recorder(&self) -> Option<&RowRecorder<T>> {
        self.tracker.recorder.as_deref()
    }

    pub(super) fn recorder_mut(&mut self) -> &mut Option<Box<RowRecorder<T>>> {
        &mut self.tracker.recorder
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
        self.tracker.before_write(&self.rows, node, Write::Set);
        self.rows.get_mut(graph, node)
    }

    /// Iterates over the components for editing, in unspecified order. All of them count as
    /// changed.
    pub fn iter_mut<'a>(
        &'a mut self,
        graph: &'a Graph,
    ) -> impl Iterator<Item = (NodeId, &'a mut T)> + 'a {
        for (node, _) in self.rows.iter(graph) {
            self.tracker.before_write(&self.rows, node, Write::Set);
        }
        self.rows.iter_mut(graph)
    }

    /// Iterates over all rows for editing, in unspecified order, without borrowing the graph: so the
    /// loop can edit the graph too. All rows count as changed.
    ///
    /// The nodes are alive, except for those that were removed with
    /// [`Graph::remove`](pleach_graph::Graph::remove) since the last update: skip these with
    /// [`Graph::get_mut`](pleach_graph::Graph::get_mut), or use [`Scene::remove`](crate::Scene::remove).
    ///
    /// ```
    /// use pleach::glam::Vec3;
    /// use pleach::{Component, Node, Scene};
    ///
    /// #[derive(Clone)]
    /// struct Speed(Vec3);
    ///
    /// impl Component for Speed {
    ///     const NAME: &'static str = "speed";
    /// }
    ///
    /// let mut scene = Scene::new();
    /// let ball = scene.spawn(Node::group().with(Speed(Vec3::ZERO)))?;
    /// let (graph, speeds) = scene.graph_and_table_mut::<Speed>();
    /// for (node, speed) in speeds.rows_mut() {
    ///     speed.0.z -= 9.81;
    ///     graph.node_mut(node)?.translate(speed.0)?;
    /// }
    /// assert_eq!(scene.node(ball)?.translation().z, -9.81);
    /// # Ok::<(), pleach::Error>(())
    /// ```
    pub fn rows_mut(&mut self) -> impl ExactSizeIterator<Item = (NodeId, &mut T)> {
        for (node, _) in self.rows.rows() {
            self.tracker.before_write(&self.rows, node, Write::Set);
        }
        self.rows.rows_mut()
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
        self.tracker.before_write(&self.rows, node, Write::Remove);
        let row = self.rows.remove(node);
        self.tracker.log.forget_new(node);
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
        self.tracker.before_write(&self.rows, node, Write::Set);
        Ok(self.rows.insert(graph, node, row)?)
    }

    /// Reserves capacity for at least `additional` more rows, of a graph with `slots` slots.
    pub(crate) fn reserve(&mut self, additional: usize, slots: usize) {
        self.rows.reserve(additional, slots);
        self.tracker.changed.reserve(additional);
        self.tracker.log.reserve(additional);
    }

    /// Creates a reader of all changes of rows from now on, which reads at its own pace. Takes
    /// constant time.
    ///
    /// ```
    /// use pleach::glam::Vec3;
    /// use pleach::{Light, Node, Scene};
    ///
    /// let mut scene = Scene::new();
    /// let mut reader = scene.lights.change_reader();
    /// let lamp = scene.spawn(Node::light(Light::point(Vec3::ONE, 60.0)))?;
    /// assert!(reader.read(&scene.lights)?.inserted().eq([lamp]));
    /// # Ok::<(), pleach::Error>(())
    /// ```
    #[doc(alias = "subscribe")]
    #[doc(alias = "observer")]
    #[doc(alias = "signal")]
    pub fn change_reader(&mut self) -> RowChangeReader {
        RowChangeReader(self.tracker.log.add_reader())
    }

    pub(super) fn log(&self) -> &RowLog {
        &self.tracker.log
    }

    pub(super) fn has_row(&self, node: NodeId) -> bool {
        self.rows.node_at(node.index()) == Some(node)
    }

    /// Drops the row of a removed node. Nothing derived from it is left to update.
    fn drop_row(&mut self, node: NodeId) {
        if self.has_row(node) {
            self.tracker.record(&self.rows, node, Write::Remove);
            self.rows.remove(node);
            self.tracker.log.forget_new(node);
            self.stamp = next_stamp();
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
        nodes.extend_from_slice(&self.tracker.changed);
        self.clear_changed();
    }

    /// Clears the list of changed rows.
    pub(crate) fn clear_changed(&mut self) {
        if self.has_changed() {
            self.tracker.changed.clear();
            self.stamp = next_stamp();
        }
    }

    /// Returns a number that differs between tables with different rows, or `None` if rows changed
    /// since the last update.
    pub(crate) fn stamp(&self) -> Option<u64> {
        (!self.has_changed()).then_some(self.stamp)
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
        let entries = self.tracker.log.since_clear().filter(move |&(_, had)| had == had_row);
        entries.map(|(node, _)| node).filter(|&node| self.rows.get(graph, node).is_some())
    }

    /// Iterates over the nodes whose row was removed since the last `clear_changes`.
    pub(crate) fn removed(&self) -> impl Iterator<Item = NodeId> + '_ {
        let entries = self.tracker.log.since_clear().filter(|&(_, had_row)| had_row);
        entries.map(|(node, _)| node).filter(|&node| !self.has_row(node))
    }

    /// Starts new lists of inserted, changed and removed rows for the owner of the scene.
    pub(crate) fn clear_changes(&mut self) {
        self.tracker.log.clear();
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
        self.tracker.log.reserve(nodes.len());
        nodes.iter().try_for_each(|&node| self.insert(graph, node, row.clone()).map(drop))
    }
}
