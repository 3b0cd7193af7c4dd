//! Moving nodes in the tree: `attach`, `detach` and their variants.
//!
//! Each call is rejected or completed: everything is checked before anything is
//! changed. What depends on the parent is updated here: depth, `shown`, and the
//! dirty mark of the world transform.

use glam::Mat4;

use crate::math::affine;
use crate::store::{flags::NodeFlags, links::NONE};
use crate::{Error, Graph, NodeId, Transform};

/// The representation of a node's local transform after a move that kept its world
/// transform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocalKind {
    /// A translation, rotation and scale.
    Transform,
    /// A local matrix: relative to the new parent the node is sheared, which a
    /// translation, rotation and scale cannot express.
    Matrix,
}

impl Graph {
    /// Makes `child` the last child of `parent`. It keeps its local transform, so
    /// its world transform changes.
    ///
    /// # Errors
    ///
    /// [`Error::Dead`], or [`Error::Cycle`] if `parent` is `child` or one of its
    /// descendants.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// let mut graph = Graph::new();
    /// let hand = graph.add_root(Transform::from_xyz(5.0, 0.0, 0.0))?;
    /// let sword = graph.add_root(Transform::from_xyz(0.0, 0.0, 0.1))?;
    /// graph.attach(sword, hand)?;
    /// graph.update();
    /// assert_eq!(graph.node(sword)?.world_translation().to_array(), [5.0, 0.0, 0.1]);
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[doc(alias = "set_parent")]
    #[doc(alias = "reparent")]
    #[doc(alias = "add_child")]
    #[doc(alias = "push_child")]
    #[doc(alias = "add")]
    pub fn attach(&mut self, child: NodeId, parent: NodeId) -> Result<(), Error> {
        let (child, parent) = (self.slot(child)?, self.slot(parent)?);
        self.check_cycle(child, parent)?;
        self.relink(child, parent, NONE);
        Ok(())
    }

    /// Makes each of `children` a child of `parent`, in this order, or none of
    /// them.
    ///
    /// # Errors
    ///
    /// Same as [`attach`](Self::attach), for any of them.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// let mut graph = Graph::new();
    /// let hand = graph.add_root(Transform::IDENTITY)?;
    /// let fingers = [(); 5].map(|()| graph.add_root(Transform::IDENTITY).unwrap());
    /// graph.attach_all(&fingers, hand)?;
    /// assert!(graph.node(hand)?.children().eq(fingers));
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[doc(alias = "push_children")]
    #[doc(alias = "add_children")]
    pub fn attach_all(&mut self, children: &[NodeId], parent: NodeId) -> Result<(), Error> {
        let parent = self.slot(parent)?;
        for &child in children {
            self.check_cycle(self.slot(child)?, parent)?;
        }
        for &child in children {
            self.relink(self.slot(child)?, parent, NONE);
        }
        Ok(())
    }

    /// Makes `child` a child of `parent`, before the child at `index`, or last if
    /// there are fewer children. Walks to that index.
    ///
    /// If `child` already is a child of `parent`, it is removed before the index is
    /// counted.
    ///
    /// # Errors
    ///
    /// Same as [`attach`](Self::attach).
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// let mut graph = Graph::new();
    /// let train = graph.add_root(Transform::IDENTITY)?;
    /// let car = graph.add_child(train, Transform::IDENTITY)?;
    /// let engine = graph.add_root(Transform::IDENTITY)?;
    /// graph.attach_at(engine, train, 0)?;
    /// assert!(graph.node(train)?.children().eq([engine, car]));
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[doc(alias = "insert_child")]
    #[doc(alias = "insert_children")]
    #[doc(alias = "move_child")]
    #[doc(alias = "set_sibling_index")]
    pub fn attach_at(&mut self, child: NodeId, parent: NodeId, index: usize) -> Result<(), Error> {
        let (child, parent) = (self.slot(child)?, self.slot(parent)?);
        self.check_cycle(child, parent)?;
        let mut sibling = self.links.first(parent);
        let mut remaining = index;
        while sibling != NONE && (remaining > 0 || sibling == child) {
            remaining -= usize::from(sibling != child);
            sibling = self.links.next(sibling);
        }
        self.relink(child, parent, sibling);
        Ok(())
    }

    /// Makes `child` the sibling right before `sibling`; a root, if `sibling` is
    /// one.
    ///
    /// # Errors
    ///
    /// [`Error::Dead`], or [`Error::Cycle`] if `sibling` is a descendant of
    /// `child`.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// let mut graph = Graph::new();
    /// let tree = graph.add_root(Transform::IDENTITY)?;
    /// let b = graph.add_child(tree, Transform::IDENTITY)?;
    /// let a = graph.add_root(Transform::IDENTITY)?;
    /// graph.attach_before(a, b)?;
    /// assert!(graph.node(tree)?.children().eq([a, b]));
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    pub fn attach_before(&mut self, child: NodeId, sibling: NodeId) -> Result<(), Error> {
        let (child, sibling) = (self.slot(child)?, self.slot(sibling)?);
        self.attach_next_to(child, sibling, sibling)
    }

    /// Makes `child` the sibling right after `sibling`; a root, if `sibling` is
    /// one.
    ///
    /// # Errors
    ///
    /// Same as [`attach_before`](Self::attach_before).
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// let mut graph = Graph::new();
    /// let tree = graph.add_root(Transform::IDENTITY)?;
    /// let a = graph.add_child(tree, Transform::IDENTITY)?;
    /// let c = graph.add_child(tree, Transform::IDENTITY)?;
    /// let b = graph.add_root(Transform::IDENTITY)?;
    /// graph.attach_after(b, a)?;
    /// assert!(graph.node(tree)?.children().eq([a, b, c]));
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[doc(alias = "add_sibling")]
    pub fn attach_after(&mut self, child: NodeId, sibling: NodeId) -> Result<(), Error> {
        let (child, sibling) = (self.slot(child)?, self.slot(sibling)?);
        self.attach_next_to(child, sibling, self.links.next(sibling))
    }

    /// Inserts `child` before `next` among the siblings of `sibling`.
    fn attach_next_to(&mut self, child: u32, sibling: u32, mut next: u32) -> Result<(), Error> {
        if child == sibling {
            return Ok(());
        }
        let parent = self.links.parent(sibling);
        if parent != NONE {
            self.check_cycle(child, parent)?;
        }
        if next == child {
            next = self.links.next(child);
        }
        self.relink(child, parent, next);
        Ok(())
    }

    /// Makes `child` the last child of `parent` and keeps its world transform, by
    /// changing its local transform.
    ///
    /// If `parent` has a non-uniform scale, a rotation and scale may not suffice;
    /// `child` then gets a local matrix, which the returned [`LocalKind`] reports.
    /// The world transforms used are those that the next update will compute.
    ///
    /// # Errors
    ///
    /// Same as [`attach`](Self::attach); and [`Error::SingularParent`] if the world
    /// transform of `parent` has a scale of zero, or so close to it that `child`
    /// would not keep its world transform.
    ///
    /// ```
    /// use pleach_graph::{Graph, LocalKind, Transform};
    /// use pleach_graph::glam::{Quat, Vec3};
    ///
    /// let mut graph = Graph::new();
    /// let cart = graph.add_root(Transform::from_scale(Vec3::new(4.0, 1.0, 1.0)))?;
    /// let cat = graph.add_root(Transform::from_rotation(Quat::from_rotation_z(0.7)))?;
    /// let before = graph.node(cat)?.compute_world();
    ///
    /// assert_eq!(graph.attach_in_place(cat, cart)?, LocalKind::Matrix);
    /// assert!(graph.node(cat)?.compute_world().abs_diff_eq(before, 1e-6));
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[doc(alias = "set_parent_in_place")]
    #[doc(alias = "reparent_keep_global_transform")]
    #[doc(alias = "worldPositionStays")]
    pub fn attach_in_place(&mut self, child: NodeId, parent: NodeId) -> Result<LocalKind, Error> {
        let (child, parent) = (self.slot(child)?, self.slot(parent)?);
        self.check_cycle(child, parent)?;
        let (world, parent_world) = (self.compute_world(child), self.compute_world(parent));
        let local = affine::local_keeping_world(&parent_world, &world).ok_or_else(|| {
            Error::SingularParent { child: self.label(child), parent: self.label(parent) }
        })?;
        let (nearest, exact) = affine::decompose_below(&parent_world, &local, &world);
        self.relink(child, parent, NONE);
        Ok(self.set_local(child, &local, nearest, exact))
    }

    /// Makes a node the last root, together with its descendants. It keeps its
    /// local transform, which becomes its world transform. A root is not changed.
    ///
    /// # Errors
    ///
    /// [`Error::Dead`].
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// let mut graph = Graph::new();
    /// let rocket = graph.add_root(Transform::from_xyz(0.0, 0.0, 100.0))?;
    /// let stage = graph.add_child(rocket, Transform::from_xyz(0.0, 0.0, -1.0))?;
    /// graph.detach(stage)?;
    /// assert_eq!(graph.node(stage)?.compute_world().w_axis.z, -1.0);       // its local transform
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[doc(alias = "remove_parent")]
    #[doc(alias = "remove_child")]
    #[doc(alias = "unparent")]
    #[doc(alias = "remove_from_parent")]
    pub fn detach(&mut self, node: NodeId) -> Result<(), Error> {
        let slot = self.slot(node)?;
        if self.links.parent(slot) != NONE {
            self.relink(slot, NONE, NONE);
        }
        Ok(())
    }

    /// Like [`detach`](Self::detach), but keeps the node's world transform.
    ///
    /// # Errors
    ///
    /// [`Error::Dead`].
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// let mut graph = Graph::new();
    /// let rocket = graph.add_root(Transform::from_xyz(0.0, 0.0, 100.0))?;
    /// let stage = graph.add_child(rocket, Transform::from_xyz(0.0, 0.0, -1.0))?;
    /// graph.detach_in_place(stage)?;
    /// assert_eq!(graph.node(stage)?.translation().z, 99.0);
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[doc(alias = "remove_parent_in_place")]
    pub fn detach_in_place(&mut self, node: NodeId) -> Result<LocalKind, Error> {
        let slot = self.slot(node)?;
        if self.links.parent(slot) == NONE {
            let matrix = self.flags[slot as usize].has(NodeFlags::HAS_MATRIX);
            return Ok(if matrix { LocalKind::Matrix } else { LocalKind::Transform });
        }
        let world = self.compute_world(slot);
        let (nearest, exact) = affine::decompose(&world);
        self.relink(slot, NONE, NONE);
        Ok(self.set_local(slot, &world, nearest, exact))
    }

    /// Detaches `child` if it is a child of `parent`, and returns whether it was.
    ///
    /// # Errors
    ///
    /// [`Error::Dead`].
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// let mut graph = Graph::new();
    /// let [a, b] = [(); 2].map(|()| graph.add_root(Transform::IDENTITY).unwrap());
    /// let child = graph.add_child(a, Transform::IDENTITY)?;
    /// assert!(!graph.detach_from(child, b)?);
    /// assert!(graph.detach_from(child, a)?);
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    pub fn detach_from(&mut self, child: NodeId, parent: NodeId) -> Result<bool, Error> {
        let (slot, parent) = (self.slot(child)?, self.slot(parent)?);
        let is_child = self.links.parent(slot) == parent;
        if is_child {
            self.relink(slot, NONE, NONE);
        }
        Ok(is_child)
    }

    fn check_cycle(&self, child: u32, parent: u32) -> Result<(), Error> {
        // A leaf, or a node at least as deep as `parent`, is not its ancestor.
        let may_be_ancestor = self.flags[child as usize].has(NodeFlags::HAS_CHILDREN)
            && (!self.levels.is_up_to_date()
                || self.levels.depth(child) < self.levels.depth(parent));
        if child == parent || (may_be_ancestor && self.links.is_in_subtree(parent, child)) {
            return Err(Error::Cycle { child: self.label(child), parent: self.label(parent) });
        }
        Ok(())
    }

    /// Moves a subtree to a parent outside of it, before `next` or, for `NONE`,
    /// last.
    pub(crate) fn relink(&mut self, slot: u32, parent: u32, next: u32) {
        if self.recorder.is_recording {
            self.record_attach(slot, parent, next);
        }
        self.unlink(slot);
        self.link(slot, parent, next);
        self.follow_parent(slot);
        self.mark_reparented(slot);
    }

    /// Brings depths and `shown` up to date, after a node was linked to its parent.
    pub(super) fn follow_parent(&mut self, slot: u32) {
        self.move_depths(slot);
        self.refresh_shown(slot);
    }

    /// Marks and lists a node that was linked to a parent.
    pub(super) fn mark_reparented(&mut self, slot: u32) {
        self.mark_dirty(slot);
        self.changes.list_reparented(slot, self.slots.len());
    }

    /// Stores `nearest` if it is exact, otherwise `matrix`.
    pub(super) fn set_local(
        &mut self,
        slot: u32,
        matrix: &Mat4,
        nearest: Transform,
        exact: bool,
    ) -> LocalKind {
        self.watch_local(slot);
        let flags = &mut self.flags[slot as usize];
        if exact {
            self.locals.clear_matrix(slot, flags);
            *self.locals.transform_mut(slot) = nearest;
            LocalKind::Transform
        } else {
            self.locals.set_matrix(slot, flags, matrix.to_cols_array(), nearest);
            LocalKind::Matrix
        }
    }
}
