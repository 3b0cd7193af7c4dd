//! Cloning and moving subtrees, within a graph or into another.
//!
//! A snapshot is taken before anything is added, so a subtree can be cloned below
//! one of its own nodes. Local transforms (matrices too), names and visibility are
//! copied bit for bit.

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use crate::store::links::NONE;
use crate::{Error, Graph, NodeId, Transform};

/// A map from the nodes of a subtree to their clones, as returned by
/// [`Graph::clone_subtree`].
///
/// ```
/// use pleach_graph::{Graph, Transform};
///
/// let mut graph = Graph::new();
/// let tree = graph.add_root(Transform::IDENTITY)?;
/// let leaf = graph.add_child(tree, Transform::from_xyz(0.0, 0.0, 2.0))?;
///
/// let clones = graph.clone_subtree(tree, None)?;
/// let new_leaf = clones.get(leaf).unwrap();
/// assert_eq!(graph.node(new_leaf)?.parent(), Some(clones.root()));
/// assert_eq!(graph.node(new_leaf)?.transform(), graph.node(leaf)?.transform());
/// assert_eq!(clones.pairs(), [(tree, clones.root()), (leaf, new_leaf)]);
/// # Ok::<(), pleach_graph::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CloneMap {
    pairs: Vec<(NodeId, NodeId)>,
    /// Indices into `pairs`, sorted by old handle.
    sorted: Vec<u32>,
}

impl CloneMap {
    fn new(pairs: Vec<(NodeId, NodeId)>) -> Self {
        let mut sorted: Vec<u32> = (0..pairs.len() as u32).collect();
        sorted.sort_unstable_by_key(|&index| pairs[index as usize].0);
        Self { pairs, sorted }
    }

    /// Returns the clone of a node, or `None` if it was not cloned. Takes
    /// logarithmic time.
    #[must_use]
    pub fn get(&self, old: NodeId) -> Option<NodeId> {
        let old_at = |&index: &u32| self.pairs[index as usize].0;
        let index = self.sorted.binary_search_by_key(&old, old_at).ok()?;
        Some(self.pairs[self.sorted[index] as usize].1)
    }

    /// Returns the clone of the root of the subtree.
    #[must_use]
    pub fn root(&self) -> NodeId {
        self.pairs[0].1
    }

    /// Returns the old and new handles, parents before children.
    #[must_use]
    pub fn pairs(&self) -> &[(NodeId, NodeId)] {
        &self.pairs
    }
}

/// A copy of a subtree, parents before children.
#[derive(Default)]
struct Snapshot {
    nodes: Vec<SnapshotNode>,
    /// Local matrices with the indices of their nodes.
    matrices: Vec<(usize, [f32; 16])>,
    /// All names, concatenated.
    names: String,
}

struct SnapshotNode {
    old: NodeId,
    /// The index of the parent; the root has its own index.
    parent: u32,
    transform: Transform,
    /// The range of the name in `names`.
    name: Option<Range<usize>>,
    visible: bool,
}

impl Graph {
    /// Clones a node and its descendants. The clone becomes the last child of
    /// `parent`, or the last root for `None`.
    ///
    /// # Errors
    ///
    /// [`Error::Dead`] if either node is not alive; [`Error::TooManyNodes`] if the
    /// allocation fails.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// let mut graph = Graph::new();
    /// let tree = graph.add_root(Transform::IDENTITY)?;
    /// let leaf = graph.add_child(tree, Transform::IDENTITY)?;
    /// let clones = graph.clone_subtree(tree, None)?;
    /// assert_eq!(graph.node(clones.root())?.children().next(), clones.get(leaf));
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[doc(alias = "duplicate")]
    #[doc(alias = "instantiate")]
    #[doc(alias = "copy")]
    #[doc(alias = "clone_hierarchy")]
    pub fn clone_subtree(
        &mut self,
        root: NodeId,
        parent: Option<NodeId>,
    ) -> Result<CloneMap, Error> {
        let snapshot = self.snapshot(root)?;
        self.paste(snapshot, parent)
    }

    /// Clones a node of another graph and its descendants into this one. The clone
    /// becomes the last child of `parent`, or the last root for `None`.
    ///
    /// # Errors
    ///
    /// Same as [`clone_subtree`](Self::clone_subtree).
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// let mut prefabs = Graph::new();
    /// let crate_box = prefabs.add_root(Transform::IDENTITY)?;
    /// let mut level = Graph::new();
    /// for x in 0..3 {
    ///     let clone = level.clone_subtree_from(&prefabs, crate_box, None)?.root();
    ///     level.node_mut(clone)?.set_transform(Transform::from_xyz(x as f32, 0.0, 0.0))?;
    /// }
    /// assert_eq!(level.len(), 3);
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[doc(alias = "instantiate")]
    pub fn clone_subtree_from(
        &mut self,
        other: &Self,
        root: NodeId,
        parent: Option<NodeId>,
    ) -> Result<CloneMap, Error> {
        self.paste(other.snapshot(root)?, parent)
    }

    /// Moves a node and its descendants into another graph, where it becomes the
    /// last child of `parent`, or the last root for `None`. The nodes are removed
    /// from this graph and listed in [`removed`](Self::removed); in `other` they
    /// have new handles.
    ///
    /// # Errors
    ///
    /// Same as [`clone_subtree`](Self::clone_subtree); nothing is moved then.
    ///
    /// ```
    /// use pleach_graph::{Graph, Transform};
    ///
    /// let (mut workshop, mut street) = (Graph::new(), Graph::new());
    /// let car = workshop.add_root(Transform::from_xyz(1.0, 0.0, 0.0))?;
    /// let wheel = workshop.add_child(car, Transform::IDENTITY)?;
    ///
    /// let moved = workshop.move_subtree_to(car, &mut street, None)?;
    /// assert!(workshop.is_empty());
    /// assert!(street.contains(moved.get(wheel).unwrap()));
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    pub fn move_subtree_to(
        &mut self,
        root: NodeId,
        other: &mut Self,
        parent: Option<NodeId>,
    ) -> Result<CloneMap, Error> {
        let clones = other.clone_subtree_from(self, root, parent)?;
        self.remove(root)?;
        Ok(clones)
    }

    fn snapshot(&self, root: NodeId) -> Result<Snapshot, Error> {
        let root_slot = self.slot(root)?;
        let mut snapshot = Snapshot::default();
        // The current node's ancestors within the subtree, and their indices.
        let mut path: Vec<(u32, u32)> = Vec::new();
        let mut slot = root_slot;
        while slot != NONE {
            let index = snapshot.nodes.len();
            while path.last().is_some_and(|&(ancestor, _)| ancestor != self.links.parent(slot)) {
                path.pop();
            }
            let parent = path.last().map_or(0, |&(_, index)| index);
            path.push((slot, index as u32));
            let flags = self.flags[slot as usize];
            if let Some(&matrix) = self.locals.matrix(slot) {
                snapshot.matrices.push((index, matrix));
            }
            let name = self.names.get(slot).map(|name| {
                let start = snapshot.names.len();
                snapshot.names.push_str(name);
                start..snapshot.names.len()
            });
            snapshot.nodes.push(SnapshotNode {
                old: self.slots.live_id(slot),
                parent,
                transform: *self.locals.transform(slot),
                name,
                visible: flags.is_visible(),
            });
            slot = self.links.next_in_preorder(root_slot, slot);
        }
        Ok(snapshot)
    }

    fn paste(&mut self, snapshot: Snapshot, parent: Option<NodeId>) -> Result<CloneMap, Error> {
        let parent = parent.map_or(Ok(NONE), |node| self.slot(node))?;
        // The only step that can fail.
        self.reserve(snapshot.nodes.len())?;
        let mut pairs: Vec<(NodeId, NodeId)> = Vec::with_capacity(snapshot.nodes.len());
        for node in snapshot.nodes {
            let parent =
                pairs.get(node.parent as usize).map_or(parent, |pair| pair.1.index() as u32);
            let new = self.insert_reserved(parent);
            self.locals.insert(new.index() as u32, node.transform);
            if let Some(name) = node.name {
                self.names.set(new.index() as u32, &snapshot.names[name]);
            }
            if !node.visible {
                // Hidden from the start, so it is not listed as changed.
                self.flags[new.index()].set_visible(false, false);
            }
            pairs.push((node.old, new));
        }
        for (index, matrix) in snapshot.matrices {
            let slot = pairs[index].1.index();
            let nearest = *self.locals.transform(slot as u32);
            self.locals.set_matrix(slot as u32, &mut self.flags[slot], matrix, nearest);
        }
        Ok(CloneMap::new(pairs))
    }
}
