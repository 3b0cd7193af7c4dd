//! `NodeMap<T>`: data beside the tree, a row for some of the nodes.
//!
//! Rows lie densely, in the order they came in (the last one takes the place of
//! a row that is removed); a sparse column by slot finds them. A map knows no
//! graph: what is asked by handle takes the graph along, to tell whether the
//! handle is alive.
//!
//! Invariant: the place of a slot is the row of its latest tenant that got one;
//! rows of earlier tenants have no place and wait for the purge. A row whose node
//! has died is never returned for a handle, and is dropped at the next `purge`.

use alloc::vec::Vec;

use crate::store::links::NONE;
use crate::{Error, Graph, NodeId};

/// A value of your own for some nodes of a [`Graph`].
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
/// assert_eq!(health.get(&graph, tree), None);               // dead, hence no row
/// assert!(health.iter(&graph).eq([(tank, &70)]));
/// # Ok::<(), pleach_graph::Error>(())
/// ```
///
/// Two ways lead to many rows. [`iter`](Self::iter) takes the graph and leaves
/// the dead out, on any line of code. [`rows`](Self::rows) and
/// [`rows_mut`](Self::rows_mut) read the map's own memory and nothing else, so
/// the graph can be edited in the loop; call [`purge`](Self::purge) once a frame
/// and they hold living nodes only.
///
/// ```
/// # use pleach_graph::{Graph, NodeMap, Transform};
/// # use pleach_graph::glam::Vec3;
/// # let mut graph = Graph::new();
/// # let ball = graph.add_root(Transform::IDENTITY)?;
/// let mut velocities = NodeMap::new();
/// velocities.insert(&graph, ball, Vec3::new(0.0, 0.0, 9.0))?;
/// velocities.purge(&graph);
/// for (node, velocity) in velocities.rows_mut() {
///     velocity.z -= 9.81 / 60.0;
///     let place = graph.node(node)?.translation();
///     graph.node_mut(node)?.set_translation(place + *velocity / 60.0)?;
/// }
/// # Ok::<(), pleach_graph::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct NodeMap<T> {
    /// By slot: the index of its row, or `NONE`.
    row_indices: Vec<u32>,
    nodes: Vec<NodeId>,
    rows: Vec<T>,
    /// How many rows have no place.
    displaced: usize,
}

impl<T> Default for NodeMap<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> NodeMap<T> {
    /// A map without rows.
    #[must_use]
    pub const fn new() -> Self {
        Self { row_indices: Vec::new(), nodes: Vec::new(), rows: Vec::new(), displaced: 0 }
    }

    /// How many rows there are, those of dead nodes included until the next
    /// [`purge`](Self::purge).
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Is there no row?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    fn row_index(&self, node: NodeId) -> Option<usize> {
        let index = *self.row_indices.get(node.index())? as usize;
        (*self.nodes.get(index)? == node).then_some(index)
    }

    /// Gives a node a row; returns the one it had.
    ///
    /// # Errors
    ///
    /// [`Error::Dead`] if the node is not alive; the map is as it was.
    pub fn insert(&mut self, graph: &Graph, node: NodeId, row: T) -> Result<Option<T>, Error> {
        graph.node(node)?;
        if let Some(index) = self.row_index(node) {
            return Ok(Some(core::mem::replace(&mut self.rows[index], row)));
        }
        if self.row_indices.len() <= node.index() {
            self.row_indices.resize(node.index() + 1, NONE);
        }
        // The slot's earlier tenant may have a row still; it waits for the purge.
        let earlier =
            core::mem::replace(&mut self.row_indices[node.index()], self.rows.len() as u32);
        self.displaced += usize::from(earlier != NONE);
        self.nodes.push(node);
        self.rows.push(row);
        Ok(None)
    }

    /// The row of a living node.
    #[must_use]
    pub fn get(&self, graph: &Graph, node: NodeId) -> Option<&T> {
        if graph.contains(node) { self.rows.get(self.row_index(node)?) } else { None }
    }

    /// The row of a living node, to edit.
    #[must_use]
    pub fn get_mut(&mut self, graph: &Graph, node: NodeId) -> Option<&mut T> {
        let index = self.row_index(node)?;
        if graph.contains(node) { self.rows.get_mut(index) } else { None }
    }

    /// Takes a node's row away, also if the node has died.
    pub fn remove(&mut self, node: NodeId) -> Option<T> {
        let displaced = || match self.displaced {
            0 => None,
            _ => self.nodes.iter().position(|&other| other == node),
        };
        let index = self.row_index(node).or_else(displaced)?;
        Some(self.remove_at(index).1)
    }

    fn remove_at(&mut self, index: usize) -> (NodeId, T) {
        let node = self.nodes.swap_remove(index);
        match &mut self.row_indices[node.index()] {
            at if *at == index as u32 => *at = NONE,
            _ => self.displaced -= 1,
        }
        if let Some(moved) = self.nodes.get(index) {
            let at = &mut self.row_indices[moved.index()];
            if *at == self.nodes.len() as u32 {
                *at = index as u32;
            }
        }
        (node, self.rows.swap_remove(index))
    }

    /// Drops the rows of nodes that have died, and says how many there were.
    pub fn purge(&mut self, graph: &Graph) -> usize {
        let before = self.len();
        self.purge_with(graph, |_, _| {});
        before - self.len()
    }

    /// As [`purge`](Self::purge), handing each row to `f`.
    pub fn purge_with(&mut self, graph: &Graph, mut f: impl FnMut(NodeId, T)) {
        let mut index = 0;
        while index < self.nodes.len() {
            if graph.contains(self.nodes[index]) {
                index += 1;
            } else {
                let (node, row) = self.remove_at(index);
                f(node, row);
            }
        }
    }

    /// The rows of living nodes.
    pub fn iter<'a>(
        &'a self,
        graph: &'a Graph,
    ) -> impl Iterator<Item = (NodeId, &'a T)> + Clone + 'a {
        self.rows().filter(|&(node, _)| graph.contains(node))
    }

    /// The rows of living nodes, to edit.
    pub fn iter_mut<'a>(
        &'a mut self,
        graph: &'a Graph,
    ) -> impl Iterator<Item = (NodeId, &'a mut T)> + 'a {
        self.rows_mut().filter(|&(node, _)| graph.contains(node))
    }

    /// All rows, densely; those of dead nodes too, until the next
    /// [`purge`](Self::purge).
    #[must_use]
    pub fn rows(&self) -> impl ExactSizeIterator<Item = (NodeId, &T)> + Clone {
        self.nodes.iter().copied().zip(&self.rows)
    }

    /// All rows, densely, to edit; otherwise as [`rows`](Self::rows).
    pub fn rows_mut(&mut self) -> impl ExactSizeIterator<Item = (NodeId, &mut T)> {
        self.nodes.iter().copied().zip(&mut self.rows)
    }

    /// The values of all rows as a slice, in the order of [`rows`](Self::rows).
    #[must_use]
    pub fn values(&self) -> &[T] {
        &self.rows
    }

    /// Drops all rows.
    pub fn clear(&mut self) {
        self.row_indices.clear();
        self.nodes.clear();
        self.rows.clear();
        self.displaced = 0;
    }
}
