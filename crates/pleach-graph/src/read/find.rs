//! Search by name: one node, all nodes, within a subtree, along a path.

use crate::store::links::NONE;
use crate::{Error, Graph, NodeId};

impl Graph {
    /// Returns the node with this name; of several, the one that has had it for the
    /// longest time.
    ///
    /// Takes constant time, except that the first search builds the index of all
    /// names (with the `std` feature; without it, every search takes logarithmic
    /// time).
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// let mut graph = Graph::new();
    /// let first = graph.add_root(Transform::IDENTITY)?;
    /// let second = graph.add_root(Transform::IDENTITY)?;
    /// graph.node_mut(first)?.set_name("wheel");
    /// graph.node_mut(second)?.set_name("wheel");
    ///
    /// assert_eq!(graph.find("wheel"), Some(first));
    /// assert!(graph.find_all("wheel").eq([first, second]));
    /// graph.node_mut(first)?.set_name("spare wheel");
    /// assert_eq!(graph.find("wheel"), Some(second));
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[doc(alias = "find_child")]
    #[doc(alias = "get_node")]
    #[doc(alias = "getObjectByName")]
    #[doc(alias = "find_by_name")]
    #[must_use]
    pub fn find(&self, name: &str) -> Option<NodeId> {
        self.find_all(name).next()
    }

    /// Returns all nodes with this name, the one that has had it for the longest
    /// time first.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// let mut graph = Graph::new();
    /// for _ in 0..4 {
    ///     let wheel = graph.add_root(Transform::IDENTITY)?;
    ///     graph.node_mut(wheel)?.set_name("wheel");
    /// }
    /// assert_eq!(graph.find_all("wheel").count(), 4);
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[doc(alias = "getObjectsByProperty")]
    pub fn find_all(&self, name: &str) -> impl Iterator<Item = NodeId> + Clone + '_ {
        self.names.slots_named(name).map(|slot| self.slots.live_id(slot))
    }

    /// Returns the first node with this name, depth first, in the subtree of
    /// `root`, including `root`. Walks the subtree, unless no node of the graph has
    /// the name.
    ///
    /// # Errors
    ///
    /// [`Error::Dead`] if `root` is not alive.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// let mut graph = Graph::new();
    /// let [left, right] = [(); 2].map(|()| graph.add_root(Transform::IDENTITY).unwrap());
    /// for arm in [left, right] {
    ///     let hand = graph.add_child(arm, Transform::IDENTITY)?;
    ///     graph.node_mut(hand)?.set_name("hand");
    /// }
    /// let hand = graph.find_in(right, "hand")?.unwrap();
    /// assert_eq!(graph.node(hand)?.parent(), Some(right));
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[doc(alias = "find_child")]
    pub fn find_in(&self, root: NodeId, name: &str) -> Result<Option<NodeId>, Error> {
        let root = self.slot(root)?;
        if !self.names.is_used(name) {
            return Ok(None);
        }
        let mut slot = root;
        while slot != NONE && self.names.get(slot) != Some(name) {
            slot = self.links.next_in_preorder(root, slot);
        }
        Ok(self.id(slot))
    }

    /// Returns the node at a path of names from a root down, like
    /// `"tank/turret/gun"`; of several, the first, depth first. Names that contain
    /// a `/` cannot be part of a path.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// let mut graph = Graph::new();
    /// for _ in 0..2 {
    ///     let arm = graph.add_root(Transform::IDENTITY)?;
    ///     graph.node_mut(arm)?.set_name("arm");
    /// }
    /// let arm = graph.roots().last().unwrap();
    /// let hand = graph.add_child(arm, Transform::IDENTITY)?;
    /// graph.node_mut(hand)?.set_name("hand");
    ///
    /// assert_eq!(graph.find_path("arm/hand"), Some(hand));      // of the second arm
    /// assert_eq!(graph.find_path("hand"), None);                // not a root
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[doc(alias = "get_node")]
    #[doc(alias = "transform_find")]
    #[must_use]
    pub fn find_path(&self, path: &str) -> Option<NodeId> {
        let names: alloc::vec::Vec<&str> = path.split('/').collect();
        if !names.iter().all(|name| self.names.is_used(name)) {
            return None;
        }
        // Depth first over the nodes that match: `parent` matches the first `depth`
        // names, and `slot` is the next candidate.
        let (mut parent, mut depth) = (NONE, 0);
        let mut slot = self.links.first(NONE);
        loop {
            while slot != NONE && self.names.get(slot) != Some(names[depth]) {
                slot = self.links.next(slot);
            }
            if slot != NONE && depth + 1 == names.len() {
                return self.id(slot);
            }
            if slot == NONE {
                // No further match among these siblings: continue with the
                // parent's.
                depth = depth.checked_sub(1)?;
                slot = self.links.next(parent);
                parent = self.links.parent(parent);
            } else {
                depth += 1;
                parent = slot;
                slot = self.links.first(slot);
            }
        }
    }
}
