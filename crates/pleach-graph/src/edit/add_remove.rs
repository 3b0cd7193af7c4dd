//! Adding and removing single nodes.
//!
//! A new node takes a free slot if there is one, otherwise a new row in every
//! column; a removed node frees its slot and lists its handle in `changes/`.

use crate::edit::validate::{is_valid, validate};
use crate::error::NodeDescription;
use crate::store::{flags::NodeFlags, links::NONE};
use crate::{Error, Graph, NodeId, Transform};

impl Graph {
    /// Adds a node without a parent, as the last root.
    ///
    /// # Errors
    ///
    /// [`Error::NotFinite`] or [`Error::ZeroRotation`] for an invalid transform;
    /// [`Error::TooManyNodes`] if the allocation fails.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// let mut graph = Graph::new();
    /// let root = graph.add_root(Transform::from_xyz(1.0, 2.0, 3.0))?;
    /// assert!(graph.roots().eq([root]));
    /// assert!(graph.add_root(Transform::from_xyz(f32::NAN, 0.0, 0.0)).is_err());
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[doc(alias = "spawn")]
    #[doc(alias = "instantiate")]
    #[doc(alias = "create_node")]
    #[inline]
    pub fn add_root(&mut self, transform: Transform) -> Result<NodeId, Error> {
        self.add(NONE, transform)
    }

    /// Adds a node as the last child of `parent`.
    ///
    /// # Errors
    ///
    /// [`Error::Dead`] if `parent` is not alive; otherwise the same as
    /// [`add_root`](Self::add_root).
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// let mut graph = Graph::new();
    /// let tank = graph.add_root(Transform::IDENTITY)?;
    /// let turret = graph.add_child(tank, Transform::from_xyz(0.0, 0.0, 1.5))?;
    /// assert_eq!(graph.node(turret)?.parent(), Some(tank));
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[doc(alias = "spawn")]
    #[doc(alias = "with_child")]
    #[inline]
    pub fn add_child(&mut self, parent: NodeId, transform: Transform) -> Result<NodeId, Error> {
        let slot = self.slot(parent)?;
        self.add(slot, transform)
    }

    /// Inlined, so that the transform is stored directly: passed by reference, it
    /// would be assembled in memory and read back in wider pieces than it was
    /// written in, which stalls the CPU (store forwarding).
    #[inline(always)]
    fn add(&mut self, parent: u32, transform: Transform) -> Result<NodeId, Error> {
        if !is_valid(&transform) {
            let Transform { translation, rotation, scale } = transform;
            return self.add_validated(parent, Transform { translation, rotation, scale });
        }
        let node = self.insert_node(parent)?;
        self.locals.insert(node.index() as u32, transform);
        Ok(node)
    }

    /// Adds a node whose transform needs its rotation normalized, or is invalid.
    #[cold]
    fn add_validated(&mut self, parent: u32, transform: Transform) -> Result<NodeId, Error> {
        let transform = validate(&transform, || match parent {
            NONE => NodeDescription::NewRoot,
            _ => NodeDescription::NewChildOf(self.label(parent)),
        })?;
        let node = self.insert_node(parent)?;
        self.locals.insert(node.index() as u32, transform);
        Ok(node)
    }

    /// Adds a node; the caller inserts its transform into `locals`.
    #[inline(always)]
    fn insert_node(&mut self, parent: u32) -> Result<NodeId, Error> {
        if !self.slots.free().is_empty() {
            return Ok(self.insert_in_free_slot(parent));
        }
        self.reserve_slots(1)?;
        Ok(self.insert_in_new_slot(parent))
    }

    /// Adds a node for which a slot is free or reserved; the caller inserts its
    /// transform into `locals`.
    #[inline]
    pub(crate) fn insert_reserved(&mut self, parent: u32) -> NodeId {
        match self.slots.free().is_empty() {
            true => self.insert_in_new_slot(parent),
            false => self.insert_in_free_slot(parent),
        }
    }

    /// Implements `insert_reserved` if no slot is free.
    fn insert_in_new_slot(&mut self, parent: u32) -> NodeId {
        let node = self.slots.push();
        let (depth, shown) = self.become_parent(parent);
        let mut flags = NodeFlags::new_node(shown);
        self.dirty.mark(node.index() as u32, &mut flags);
        self.flags.push(flags);
        self.links.push_last(parent);
        self.levels.push(depth);
        self.worlds.push();
        if !self.changes.try_list_added(node) {
            self.list_added(node);
        }
        self.structure_version += 1;
        node
    }

    /// Implements `insert_reserved` if a slot is free.
    fn insert_in_free_slot(&mut self, parent: u32) -> NodeId {
        let node = self.slots.insert();
        let slot = node.index() as u32;
        let (depth, shown) = self.become_parent(parent);
        let mut flags = self.flags[node.index()];
        flags.reuse(NodeFlags::new_node(shown));
        self.dirty.mark(slot, &mut flags);
        self.flags[node.index()] = flags;
        self.links.relink_last(slot, parent);
        self.levels.insert(slot, depth);
        self.changes.list_added(node, 1, &self.slots);
        if self.recorder.is_recording {
            self.record_added(core::iter::once(slot));
        }
        self.structure_version += 1;
        node
    }

    /// Sets `HAS_CHILDREN` of the parent of a node that is added. Returns the depth of the node,
    /// and whether it is shown if visible.
    #[inline(always)]
    fn become_parent(&mut self, parent: u32) -> (u32, bool) {
        if parent == NONE {
            return (0, true);
        }
        let flags = &mut self.flags[parent as usize];
        flags.set(NodeFlags::HAS_CHILDREN);
        (self.levels.depth(parent) + 1, flags.is_shown())
    }

    /// Lists a node that was added, and records it while a transaction does. That calls this for
    /// every node.
    #[inline(never)]
    fn list_added(&mut self, node: NodeId) {
        self.changes.list_added(node, 1, &self.slots);
        if self.recorder.is_recording {
            self.record_added(core::iter::once(node.index() as u32));
        }
    }

    /// Returns the depth of a child of `parent`, and whether it is shown if
    /// visible.
    #[inline]
    pub(crate) fn child_depth_and_shown(&self, parent: u32) -> (u32, bool) {
        match parent {
            NONE => (0, true),
            _ => (self.levels.depth(parent) + 1, self.flags[parent as usize].is_shown()),
        }
    }

    /// Links a node before `next` (last for `NONE`), and updates what depends on
    /// it.
    #[inline]
    pub(crate) fn link(&mut self, slot: u32, parent: u32, next: u32) {
        self.links.link(slot, parent, next);
        if parent != NONE {
            self.flags[parent as usize].set(NodeFlags::HAS_CHILDREN);
        }
        self.structure_version += 1;
    }

    /// Unlinks a node, and updates what depends on it.
    #[inline]
    pub(crate) fn unlink(&mut self, slot: u32) {
        let parent = self.links.parent(slot);
        if self.links.unlink(slot) == 0 && parent != NONE {
            self.flags[parent as usize].unset(NodeFlags::HAS_CHILDREN);
        }
        self.structure_version += 1;
    }

    /// Removes a node and all its descendants, and returns the number of removed
    /// nodes.
    ///
    /// Their handles are dead from now on. They are listed in
    /// [`removed`](Self::removed), parents before children, and no longer in
    /// [`changed`](Self::changed).
    ///
    /// # Errors
    ///
    /// [`Error::Dead`] if `node` is not alive.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// let mut graph = Graph::new();
    /// let tree = graph.add_root(Transform::IDENTITY)?;
    /// let leaf = graph.add_child(tree, Transform::IDENTITY)?;
    ///
    /// assert_eq!(graph.remove(tree)?, 2);
    /// assert_eq!(graph.removed(), [tree, leaf]);
    /// assert!(graph.remove(leaf).is_err());
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[doc(alias = "despawn")]
    #[doc(alias = "despawn_recursive")]
    #[doc(alias = "destroy")]
    #[doc(alias = "queue_free")]
    #[doc(alias = "free")]
    #[doc(alias = "delete")]
    #[doc(alias = "dispose")]
    pub fn remove(&mut self, node: NodeId) -> Result<usize, Error> {
        let root = self.slot(node)?;
        if self.changes.is_removed_full() {
            // Always the case while a transaction records.
            if self.recorder.is_recording {
                return Ok(self.remove_recorded(root));
            }
            self.changes.reserve_removed(self.slots.len());
        }
        self.unlink(root);
        if !self.flags[root as usize].has(NodeFlags::HAS_CHILDREN) {
            self.free_slot(root, node);
            return Ok(1);
        }
        Ok(self.free_subtree(root))
    }

    /// Frees the slots of an unlinked node and its descendants, and returns their number.
    fn free_subtree(&mut self, root: u32) -> usize {
        let before = self.slots.live();
        let mut slot = root;
        while slot != NONE {
            // The walk goes up again over freed nodes: their links stay valid until
            // the slot is reused.
            let next = self.links.next_in_preorder(root, slot);
            self.free_slot(slot, self.slots.live_id(slot));
            slot = next;
        }
        before - self.slots.live()
    }

    /// Frees the slot of a node that is linked to no live node outside of the
    /// removed subtree. Its links stay readable until the slot is reused.
    #[inline(always)]
    fn free_slot(&mut self, slot: u32, node: NodeId) {
        self.empty_slot(slot, node);
        self.slots.remove(node);
    }

    /// Drops everything about a node but its slot.
    #[inline(always)]
    pub(crate) fn empty_slot(&mut self, slot: u32, node: NodeId) {
        self.changes.list_removed(node);
        if self.names.is_named(slot) {
            self.names.clear(slot);
        }
        self.levels.remove(slot);
        let flags = &mut self.flags[slot as usize];
        self.locals.clear_matrix(slot, flags);
        self.dirty.unmark(*flags);
        flags.kill();
    }

    /// Removes every node.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// let mut graph = Graph::new();
    /// let node = graph.add_root(Transform::IDENTITY)?;
    /// graph.clear();
    /// assert!(graph.is_empty() && graph.removed() == [node]);
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[doc(alias = "despawn_all")]
    pub fn clear(&mut self) {
        while let Some(root) = self.roots().next() {
            _ = self.remove(root);
        }
    }
}
