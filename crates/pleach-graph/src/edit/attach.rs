//! Moving nodes in the tree: `attach`, `detach` and their kin.
//!
//! Each is refused or done whole: everything is checked before anything is
//! touched. What depends on the parent is kept here: depth, `shown`, and the
//! mark that the world transform is out of date.

use glam::Mat4;

use crate::graph::Graph;
use crate::math::affine;
use crate::store::{flags::NodeFlags, links::NONE};
use crate::{Error, NodeId, Transform};

/// How a node kept its world transform under a new parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocalKind {
    /// By a translation, rotation and scale.
    Transform,
    /// By a local matrix: under the new parent it is sheared, which no rotation
    /// and scale can express.
    Matrix,
}

impl Graph {
    /// Makes `child` the last child of `parent`. It keeps its local transform, so
    /// it jumps to its place under the new parent.
    ///
    /// # Errors
    ///
    /// [`Error::Dead`], or [`Error::Cycle`] if `parent` is `child` or below it.
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
    /// As [`attach`](Self::attach), for any of them.
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

    /// Makes `child` a child of `parent` in front of the child that now is at
    /// `index`; at the end if there are not so many. Walks to that index.
    ///
    /// If `child` is a child of `parent` already, it is taken out before the
    /// index is counted.
    ///
    /// # Errors
    ///
    /// As [`attach`](Self::attach).
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

    /// Makes `child` a sibling of `sibling`, right before it: a root, if that is
    /// one.
    ///
    /// # Errors
    ///
    /// [`Error::Dead`], or [`Error::Cycle`] if `sibling` is below `child`.
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

    /// Makes `child` a sibling of `sibling`, right after it: a root, if that is
    /// one.
    ///
    /// # Errors
    ///
    /// As [`attach_before`](Self::attach_before).
    pub fn attach_after(&mut self, child: NodeId, sibling: NodeId) -> Result<(), Error> {
        let (child, sibling) = (self.slot(child)?, self.slot(sibling)?);
        self.attach_next_to(child, sibling, self.links.next(sibling))
    }

    /// Puts `child` where `next` is, among the siblings of `sibling`.
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

    /// Makes `child` the last child of `parent` and keeps its world transform: it
    /// stays where it is, and its local transform changes.
    ///
    /// Where `parent` scales unevenly, no rotation and scale may do; `child` then
    /// gets a local matrix, and the answer says so. World transforms are taken as
    /// the next update will make them.
    ///
    /// # Errors
    ///
    /// As [`attach`](Self::attach); and [`Error::SingularParent`] if `parent` has,
    /// in the world, a scale of zero or so near it that `child` would not keep
    /// its place.
    ///
    /// ```
    /// use pleach_graph::{Graph, Kept, Transform};
    /// use pleach_graph::glam::{Quat, Vec3};
    ///
    /// let mut graph = Graph::new();
    /// let cart = graph.add_root(Transform::from_scale(Vec3::new(4.0, 1.0, 1.0)))?;
    /// let cat = graph.add_root(Transform::from_rotation(Quat::from_rotation_z(0.7)))?;
    /// let before = graph.node(cat)?.compute_world();
    ///
    /// assert_eq!(graph.attach_in_place(cat, cart)?, Kept::Matrix);
    /// assert!(graph.node(cat)?.compute_world().abs_diff_eq(before, 1e-6));
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    pub fn attach_in_place(&mut self, child: NodeId, parent: NodeId) -> Result<LocalKind, Error> {
        let (child, parent) = (self.slot(child)?, self.slot(parent)?);
        self.check_cycle(child, parent)?;
        let (world, parent_world) = (self.compute_world(child), self.compute_world(parent));
        let local = affine::local_keeping_world(&parent_world, &world).ok_or_else(|| {
            Error::SingularParent { child: self.label(child), parent: self.label(parent) }
        })?;
        let (nearest, exact) = affine::decompose(&local);
        // What is next to nothing here may be something in the world.
        let exact =
            exact && affine::preserves_world(&parent_world, &nearest.to_matrix(), &world, 2e-6);
        self.relink(child, parent, NONE);
        Ok(self.set_local(child, &local, nearest, exact))
    }

    /// Makes a node the last root, with everything below it. It keeps its local
    /// transform, which is now its world transform. A root stays where it is.
    ///
    /// # Errors
    ///
    /// [`Error::Dead`].
    pub fn detach(&mut self, node: NodeId) -> Result<(), Error> {
        let slot = self.slot(node)?;
        if self.links.parent(slot) != NONE {
            self.relink(slot, NONE, NONE);
        }
        Ok(())
    }

    /// As [`detach`](Self::detach), but the node stays where it is in the world.
    ///
    /// # Errors
    ///
    /// [`Error::Dead`].
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

    /// Takes `child` off `parent` if it is its child, and says whether it was.
    ///
    /// # Errors
    ///
    /// [`Error::Dead`].
    pub fn detach_from(&mut self, child: NodeId, parent: NodeId) -> Result<bool, Error> {
        let (slot, parent) = (self.slot(child)?, self.slot(parent)?);
        let is_child = self.links.parent(slot) == parent;
        if is_child {
            self.relink(slot, NONE, NONE);
        }
        Ok(is_child)
    }

    fn check_cycle(&self, child: u32, parent: u32) -> Result<(), Error> {
        // A leaf, or a node not higher than the parent, is not above it.
        let above = self.flags[child as usize].has(NodeFlags::HAS_CHILDREN)
            && self.levels.depth(child) < self.levels.depth(parent);
        if child == parent || (above && self.links.is_in_subtree(parent, child)) {
            return Err(Error::Cycle { child: self.label(child), parent: self.label(parent) });
        }
        Ok(())
    }

    /// Moves a subtree to a parent that is not within it.
    fn relink(&mut self, slot: u32, parent: u32, next: u32) {
        self.unlink(slot);
        self.link(slot, parent, next);
        let (depth, _) = self.child_depth_and_shown(parent);
        let old_depth = self.levels.depth(slot);
        if depth != old_depth {
            let mut at = slot;
            while at != NONE {
                let new_depth = self.levels.depth(at) - old_depth + depth;
                self.levels.remove(at);
                self.levels.insert(at, new_depth);
                at = self.links.next_in_preorder(slot, at);
            }
        }
        self.refresh_shown(slot);
        self.mark_dirty(slot);
    }

    /// Sets the transform nearest to a matrix if it is as good, or else the matrix.
    fn set_local(
        &mut self,
        slot: u32,
        matrix: &Mat4,
        nearest: Transform,
        exact: bool,
    ) -> LocalKind {
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
