//! Copying a subtree, within a graph or into another.
//!
//! The nodes are listed first and added then, so a subtree may be copied under
//! one of its own nodes. Local transforms (matrices too), names and visibility
//! are copied, bit for bit.

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use crate::graph::Graph;
use crate::store::{flags::NodeFlags, links::NONE};
use crate::{Error, NodeId, Transform};

/// Which copy came of which node.
///
/// ```
/// use pleach_graph::{Graph, Transform};
///
/// let mut graph = Graph::new();
/// let tree = graph.add_root(Transform::IDENTITY)?;
/// let leaf = graph.add_child(tree, Transform::from_xyz(0.0, 0.0, 2.0))?;
///
/// let copies = graph.clone_subtree(tree, None)?;
/// let new_leaf = copies.get(leaf).unwrap();
/// assert_eq!(graph.node(new_leaf)?.parent(), Some(copies.top()));
/// assert_eq!(graph.node(new_leaf)?.transform(), graph.node(leaf)?.transform());
/// assert_eq!(copies.pairs(), [(tree, copies.top()), (leaf, new_leaf)]);
/// # Ok::<(), pleach_graph::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CloneMap {
    pairs: Vec<(NodeId, NodeId)>,
    /// Indices into `pairs`, by old handle.
    sorted: Vec<u32>,
}

impl CloneMap {
    fn new(pairs: Vec<(NodeId, NodeId)>) -> Self {
        let mut sorted: Vec<u32> = (0..pairs.len() as u32).collect();
        sorted.sort_unstable_by_key(|&index| pairs[index as usize].0);
        Self { pairs, sorted }
    }

    /// The copy of a node, or `None` if it was not among those copied. Takes the
    /// logarithm of their number.
    #[must_use]
    pub fn get(&self, old: NodeId) -> Option<NodeId> {
        let old_at = |&index: &u32| self.pairs[index as usize].0;
        let index = self.sorted.binary_search_by_key(&old, old_at).ok()?;
        Some(self.pairs[self.sorted[index] as usize].1)
    }

    /// The copy of the topmost node.
    #[must_use]
    pub fn root(&self) -> NodeId {
        self.pairs[0].1
    }

    /// Old and new handles, parents before children.
    #[must_use]
    pub fn pairs(&self) -> &[(NodeId, NodeId)] {
        &self.pairs
    }
}

/// A subtree taken down, parents before children.
#[derive(Default)]
struct Snapshot {
    nodes: Vec<SnapshotNode>,
    /// Local matrices, with the index of the node.
    matrices: Vec<(usize, [f32; 16])>,
    /// All names, one after the other.
    names: String,
}

struct SnapshotNode {
    old: NodeId,
    /// The index of its parent; the topmost node's own.
    parent: u32,
    transform: Transform,
    /// Where its name stands in `names`.
    name: Option<Range<usize>>,
    visible: bool,
}

impl Graph {
    /// Copies a node and everything below it. The copy becomes the last child of
    /// `under`, or the last root.
    ///
    /// # Errors
    ///
    /// [`Error::Dead`] if either node is not alive; [`Error::TooManyNodes`] when
    /// memory is used up.
    pub fn clone_subtree(
        &mut self,
        root: NodeId,
        parent: Option<NodeId>,
    ) -> Result<CloneMap, Error> {
        let snapshot = self.snapshot(root)?;
        self.paste(snapshot, parent)
    }

    /// Copies a node of another graph and everything below it into this one,
    /// where it becomes the last child of `under`, or the last root.
    ///
    /// # Errors
    ///
    /// As [`clone_subtree`](Self::clone_subtree).
    pub fn clone_subtree_from(
        &mut self,
        other: &Self,
        root: NodeId,
        parent: Option<NodeId>,
    ) -> Result<CloneMap, Error> {
        self.paste(other.snapshot(root)?, parent)
    }

    /// Moves a node and everything below it into another graph, where it becomes
    /// the last child of `under`, or the last root. Here the nodes are removed,
    /// and listed in [`removed`](Self::removed); there they have new handles.
    ///
    /// # Errors
    ///
    /// As [`clone_subtree`](Self::clone_subtree); then nothing has moved.
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
        let root_depth = self.levels.depth(root_slot);
        let mut snapshot = Snapshot::default();
        // The indices of the node last met at each depth.
        let mut path: Vec<u32> = Vec::new();
        let mut slot = root_slot;
        while slot != NONE {
            let index = snapshot.nodes.len();
            let depth = (self.levels.depth(slot) - root_depth) as usize;
            path.truncate(depth);
            let parent = path.last().copied().unwrap_or(0);
            path.push(index as u32);
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
        // From here on nothing can fail.
        self.reserve(snapshot.nodes.len())?;
        let mut pairs: Vec<(NodeId, NodeId)> = Vec::with_capacity(snapshot.nodes.len());
        for node in snapshot.nodes {
            let parent =
                pairs.get(node.parent as usize).map_or(parent, |pair| pair.1.index() as u32);
            let new = self.insert_node(parent)?;
            *self.locals.transform_mut(new.index() as u32) = node.transform;
            if let Some(name) = node.name {
                self.names.set(new.index() as u32, &snapshot.names[name]);
            }
            if !node.visible {
                // Hidden from the start, which is no change.
                self.flags[new.index()].unset(NodeFlags::VISIBLE | NodeFlags::SHOWN);
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
