//! `NodeMap<T>`: values by node, for some of the nodes.
//!
//! Rows are dense, in the order of insertion (the last one replaces a removed row);
//! a sparse column by slot finds them. A map does not store its graph: lookups by
//! handle take the graph, to check whether the handle is alive.
//!
//! Invariant: there is at most one dense row per slot, of the latest node in it that
//! has one. A node in the same slot takes over the dense row; the value of the dead
//! node moves to `displaced` and is dropped with it. The row of a dead node is never
//! returned for a handle.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use crate::store::links::NONE;
use crate::{Error, Graph, NodeId};

/// A map from nodes of a [`Graph`] to values.
///
/// ```
/// use pleach_graph::{Graph, NodeMap, Transform};
///
/// let mut graph = Graph::new();
/// let (tank, tree) = (graph.add_root(Transform::IDENTITY)?, graph.add_root(Transform::IDENTITY)?);
/// let mut health = NodeMap::new();
/// health.insert(&graph, tank, 100)?;
/// health.insert(&graph, tree, 40)?;
///
/// if let Some(left) = health.get_mut(&graph, tank) {
///     *left -= 30;
/// }
/// graph.remove(tree)?;
/// assert_eq!(health.get(&graph, tree), None);               // dead nodes have no row
/// assert!(health.iter(&graph).eq([(tank, &70)]));
/// # Ok::<(), pleach_graph::Error>(())
/// ```
///
/// There are two ways to iterate. [`iter`](Self::iter) takes the graph and skips
/// dead nodes, at any time. [`rows`](Self::rows) and [`rows_mut`](Self::rows_mut)
/// do not borrow the graph, so it can be edited in the loop; call
/// [`remove_dead`](Self::remove_dead) (or [`purge`](Self::purge), which visits all
/// rows) once per frame, and they contain only live nodes.
///
/// ```
/// # use pleach_graph::{Graph, NodeMap, Transform};
/// # use pleach_graph::glam::Vec3;
/// # let mut graph = Graph::new();
/// # let ball = graph.add_root(Transform::IDENTITY)?;
/// let mut velocities = NodeMap::new();
/// velocities.insert(&graph, ball, Vec3::new(0.0, 0.0, 9.0))?;
/// velocities.remove_dead(graph.removed());
/// for (node, velocity) in velocities.rows_mut() {
///     velocity.z -= 9.81 / 60.0;
///     let position = graph.node(node)?.translation();
///     graph.node_mut(node)?.set_translation(position + *velocity / 60.0)?;
/// }
/// # Ok::<(), pleach_graph::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct NodeMap<T> {
    /// By slot: the index of its row, or `NONE`.
    indices: Vec<u32>,
    nodes: Vec<NodeId>,
    rows: Vec<T>,
    /// The values of dead nodes whose slots have the rows of later nodes.
    displaced: BTreeMap<NodeId, T>,
}

impl<T> Default for NodeMap<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> NodeMap<T> {
    /// Creates an empty map.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            indices: Vec::new(),
            nodes: Vec::new(),
            rows: Vec::new(),
            displaced: BTreeMap::new(),
        }
    }

    /// Returns the number of rows, as [`rows`](Self::rows) iterates over them: they
    /// include dead nodes until these are removed.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns `true` if the map contains no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Reserves capacity for at least `additional` more rows, of a graph with `slots` slots.
    ///
    /// ```
    /// # use pleach_graph::NodeMap;
    /// let mut map = NodeMap::<u32>::new();
    /// map.reserve(100, 1_000);                        // then inserting 100 rows does not allocate
    /// ```
    pub fn reserve(&mut self, additional: usize, slots: usize) {
        self.nodes.reserve(additional);
        self.rows.reserve(additional);
        if self.indices.len() < slots {
            self.indices.resize(slots, NONE);
        }
    }

    #[inline]
    fn index_of(&self, node: NodeId) -> Option<usize> {
        let index = *self.indices.get(node.index())? as usize;
        (*self.nodes.get(index)? == node).then_some(index)
    }

    /// Returns the node of the row at a slot ([`NodeId::index`]), or `None` if there is no
    /// row. The node may be dead.
    ///
    /// ```
    /// use pleach_graph::{Graph, NodeMap, Transform};
    ///
    /// let mut graph = Graph::new();
    /// let node = graph.add_root(Transform::IDENTITY)?;
    /// let mut map = NodeMap::new();
    /// assert_eq!(map.node_at(node.index()), None);
    /// map.insert(&graph, node, "row")?;
    /// assert_eq!(map.node_at(node.index()), Some(node));
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[must_use]
    pub fn node_at(&self, slot: usize) -> Option<NodeId> {
        self.nodes.get(*self.indices.get(slot)? as usize).copied()
    }

    /// Returns the index of the row of a node in [`values`](Self::values), alive or not.
    ///
    /// ```
    /// # use pleach_graph::{Graph, NodeMap, Transform};
    /// # let mut graph = Graph::new();
    /// # let node = graph.add_root(Transform::IDENTITY)?;
    /// let mut map = NodeMap::new();
    /// map.insert(&graph, node, "row")?;
    /// assert_eq!(map.position(node), Some(0));
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[must_use]
    pub fn position(&self, node: NodeId) -> Option<usize> {
        self.index_of(node)
    }

    /// Undoes a [`remove`](Self::remove): inserts the row of a node at an index, and moves the row
    /// that is there to the end. With a greater index it is inserted at the end. A row that the node
    /// has already is replaced in its place. The node need not be alive.
    ///
    /// ```
    /// # use pleach_graph::{Graph, NodeMap, Transform};
    /// # let mut graph = Graph::new();
    /// # let [a, b, c] = [(); 3].map(|()| graph.add_root(Transform::IDENTITY).unwrap());
    /// let mut map = NodeMap::new();
    /// for (node, row) in [(a, 'a'), (b, 'b'), (c, 'c')] {
    ///     map.insert(&graph, node, row)?;
    /// }
    /// map.remove(a);
    /// assert_eq!(map.values(), ['c', 'b']);
    /// map.insert_at(0, a, 'a');
    /// assert_eq!(map.values(), ['a', 'b', 'c']);
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    pub fn insert_at(&mut self, index: usize, node: NodeId, row: T) {
        if let Some(index) = self.index_of(node) {
            self.rows[index] = row;
            return;
        }
        self.push(node, row);
        let last = self.rows.len() - 1;
        if index < last {
            self.rows.swap(index, last);
            self.nodes.swap(index, last);
            self.indices[self.nodes[index].index()] = index as u32;
            self.indices[self.nodes[last].index()] = last as u32;
        }
    }

    /// Returns the row at a slot ([`NodeId::index`]) with its node, which may be dead; `None` if
    /// there is no row.
    ///
    /// ```
    /// use pleach_graph::{Graph, NodeMap, Transform};
    ///
    /// let mut graph = Graph::new();
    /// let node = graph.add_root(Transform::IDENTITY)?;
    /// let mut map = NodeMap::new();
    /// map.insert(&graph, node, "row")?;
    /// assert_eq!(map.row_at(node.index()), Some((node, &"row")));
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[must_use]
    pub fn row_at(&self, slot: usize) -> Option<(NodeId, &T)> {
        let index = *self.indices.get(slot)? as usize;
        Some((*self.nodes.get(index)?, &self.rows[index]))
    }

    /// Inserts a row for a node, and returns the row that it had.
    ///
    /// # Errors
    ///
    /// [`Error::Dead`] if the node is not alive; the map is unchanged.
    pub fn insert(&mut self, graph: &Graph, node: NodeId, row: T) -> Result<Option<T>, Error> {
        graph.node(node)?;
        if let Some(index) = self.index_of(node) {
            return Ok(Some(core::mem::replace(&mut self.rows[index], row)));
        }
        self.push(node, row);
        Ok(None)
    }

    /// Inserts a row at the end, or in the place of an earlier node in the slot.
    fn push(&mut self, node: NodeId, row: T) {
        if self.indices.len() <= node.index() {
            self.indices.resize(node.index() + 1, NONE);
        }
        // An earlier node in the slot, which is dead, may still have a row.
        let index = self.indices[node.index()] as usize;
        if let Some(earlier) = self.rows.get_mut(index) {
            let earlier = core::mem::replace(earlier, row);
            let dead = core::mem::replace(&mut self.nodes[index], node);
            self.displaced.insert(dead, earlier);
            return;
        }
        self.indices[node.index()] = self.rows.len() as u32;
        self.nodes.push(node);
        self.rows.push(row);
    }

    /// Returns the row of a live node.
    #[must_use]
    pub fn get(&self, graph: &Graph, node: NodeId) -> Option<&T> {
        if graph.contains(node) { self.rows.get(self.index_of(node)?) } else { None }
    }

    /// Returns the row of a live node, mutably.
    #[must_use]
    pub fn get_mut(&mut self, graph: &Graph, node: NodeId) -> Option<&mut T> {
        let index = self.index_of(node)?;
        if graph.contains(node) { self.rows.get_mut(index) } else { None }
    }

    /// Removes and returns a node's row, even if the node is dead. Takes constant time,
    /// or logarithmic time for a dead node whose slot has the row of a later one.
    pub fn remove(&mut self, node: NodeId) -> Option<T> {
        match self.index_of(node) {
            Some(index) => Some(self.remove_at(index).1),
            None if self.displaced.is_empty() => None,
            None => self.displaced.remove(&node),
        }
    }

    fn remove_at(&mut self, index: usize) -> (NodeId, T) {
        let node = self.nodes.swap_remove(index);
        self.indices[node.index()] = NONE;
        if let Some(moved) = self.nodes.get(index) {
            self.indices[moved.index()] = index as u32;
        }
        (node, self.rows.swap_remove(index))
    }

    /// Drops the rows of removed nodes, and returns their number. The cost is
    /// proportional to the length of `removed`, not to the number of rows.
    ///
    /// Pass [`Graph::removed`] before each [`Graph::clear_changes`], or the
    /// [`removed`](crate::Changes::removed) of every read of a
    /// [`ChangeReader`](crate::ChangeReader); the map then never has more than the rows
    /// of nodes that were removed since.
    ///
    /// ```
    /// use pleach_graph::{Graph, NodeMap, Transform};
    ///
    /// let mut graph = Graph::new();
    /// let mut health = NodeMap::new();
    /// let orc = graph.add_root(Transform::IDENTITY)?;
    /// health.insert(&graph, orc, 100)?;
    ///
    /// graph.remove(orc)?;
    /// let elf = graph.add_root(Transform::IDENTITY)?;      // in the same slot
    /// health.insert(&graph, elf, 70)?;
    /// assert_eq!(health.remove_dead(graph.removed()), 1);
    /// graph.clear_changes();
    /// assert!(health.rows().eq([(elf, &70)]));
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    pub fn remove_dead(&mut self, removed: &[NodeId]) -> usize {
        removed.iter().filter(|&&node| self.remove(node).is_some()).count()
    }

    /// Drops the rows of dead nodes, and returns their number. Visits all rows; see
    /// [`remove_dead`](Self::remove_dead) for a cost that follows the removals. Rows of
    /// [parked](Graph::is_parked) nodes, which an undo can bring back, are kept until these
    /// are freed; `remove_dead` drops them at once.
    pub fn purge(&mut self, graph: &Graph) -> usize {
        let mut purged = 0;
        self.purge_with(graph, |_, _| purged += 1);
        purged
    }

    /// Like [`purge`](Self::purge), but passes each row to `f`.
    pub fn purge_with(&mut self, graph: &Graph, mut f: impl FnMut(NodeId, T)) {
        let mut index = 0;
        while index < self.nodes.len() {
            let node = self.nodes[index];
            if graph.contains(node) || graph.is_parked(node) {
                index += 1;
            } else {
                let (node, row) = self.remove_at(index);
                f(node, row);
            }
        }
        while let Some((node, row)) = self.displaced.pop_first() {
            f(node, row);
        }
    }

    /// Iterates over the rows of live nodes.
    pub fn iter<'a>(
        &'a self,
        graph: &'a Graph,
    ) -> impl Iterator<Item = (NodeId, &'a T)> + Clone + 'a {
        self.rows().filter(|&(node, _)| graph.contains(node))
    }

    /// Iterates over the rows of live nodes, mutably.
    pub fn iter_mut<'a>(
        &'a mut self,
        graph: &'a Graph,
    ) -> impl Iterator<Item = (NodeId, &'a mut T)> + 'a {
        self.rows_mut().filter(|&(node, _)| graph.contains(node))
    }

    /// Iterates over all rows. A dead node has its row until it is removed, by
    /// [`remove_dead`](Self::remove_dead) or otherwise, or until its slot gets the row
    /// of another node.
    #[must_use]
    pub fn rows(&self) -> impl ExactSizeIterator<Item = (NodeId, &T)> + Clone {
        self.nodes.iter().copied().zip(&self.rows)
    }

    /// Iterates over all rows, mutably; otherwise like [`rows`](Self::rows).
    pub fn rows_mut(&mut self) -> impl ExactSizeIterator<Item = (NodeId, &mut T)> {
        self.nodes.iter().copied().zip(&mut self.rows)
    }

    /// Returns the values of all rows as a slice, in the order of
    /// [`rows`](Self::rows).
    #[must_use]
    pub fn values(&self) -> &[T] {
        &self.rows
    }

    /// Drops all rows.
    pub fn clear(&mut self) {
        self.indices.clear();
        self.nodes.clear();
        self.rows.clear();
        self.displaced.clear();
    }
}
