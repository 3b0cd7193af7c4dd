//! `NodeRef`: a view of one node, whose handle was checked once.
//!
//! Columns are stored separately, so there is no node to borrow; a view is a graph
//! and a slot. The mutable view is `NodeMut` in `edit/node_mut.rs`.

use core::fmt;

use glam::{Mat3, Mat4, Quat, Vec3};

use crate::math::affine;
use crate::read::walk::{Ancestors, Children, Descendants};
use crate::store::flags::NodeFlags;
use crate::update::kernel::scalar;
use crate::{Graph, NodeId, Transform};

/// A view of a live node.
///
/// ```
/// use pleach_graph::{Graph, Transform};
///
/// let mut graph = Graph::new();
/// let tank = graph.add_root(Transform::from_xyz(1.0, 0.0, 0.0))?;
/// let gun = graph.add_child(tank, Transform::IDENTITY)?;
///
/// let tank = graph.node(tank)?;
/// assert_eq!(tank.translation().x, 1.0);
/// assert!(tank.children().eq([gun]));
/// assert_eq!((tank.parent(), tank.name(), tank.is_shown()), (None, None, true));
/// # Ok::<(), pleach_graph::Error>(())
/// ```
#[doc(alias("Object3D", "Node3D", "GameObject"))]
#[derive(Clone, Copy)]
pub struct NodeRef<'a> {
    graph: &'a Graph,
    slot: u32,
}

impl<'a> NodeRef<'a> {
    #[inline]
    pub(crate) fn new(graph: &'a Graph, slot: u32) -> Self {
        Self { graph, slot }
    }

    #[inline]
    fn flags(self) -> NodeFlags {
        self.graph.flags[self.slot as usize]
    }

    /// Returns the handle of the node.
    #[must_use]
    pub fn id(self) -> NodeId {
        self.graph.slots.live_id(self.slot)
    }

    /// Returns the graph of the node.
    #[must_use]
    pub fn graph(self) -> &'a Graph {
        self.graph
    }

    /// Returns the name, if the node has one.
    #[must_use]
    pub fn name(self) -> Option<&'a str> {
        self.graph.names.get(self.slot)
    }

    // ---- links ----

    /// Returns the parent, or `None` for a root.
    #[doc(alias = "get_parent")]
    #[must_use]
    pub fn parent(self) -> Option<NodeId> {
        self.graph.id(self.graph.links.parent(self.slot))
    }

    /// Returns the children, in order.
    #[doc(alias("get_child", "GetChild"))]
    #[doc(alias = "get_children")]
    #[must_use]
    pub fn children(self) -> Children<'a> {
        Children::of(self.graph, self.slot)
    }

    /// Returns the parent, the parent's parent, and so on up to the root.
    #[must_use]
    pub fn ancestors(self) -> Ancestors<'a> {
        Ancestors::of(self.graph, self.slot)
    }

    /// Returns the node itself and its descendants, depth first: parents before
    /// children, siblings in order.
    #[doc(alias = "traverse")]
    #[doc(alias = "iter_descendants")]
    #[must_use]
    pub fn descendants(self) -> Descendants<'a> {
        Descendants::of(self.graph, self.slot)
    }

    /// Returns the number of ancestors; 0 for a root. Takes constant time, but walks up
    /// if a large subtree was attached or detached since the last update.
    #[must_use]
    pub fn depth(self) -> usize {
        self.graph.depth(self.slot) as usize
    }

    // ---- local transform ----

    /// Returns the local transform. For a node with a local matrix, the nearest
    /// transform.
    #[inline]
    #[must_use]
    pub fn transform(self) -> Transform {
        *self.graph.locals.transform(self.slot)
    }

    /// Returns the local translation.
    #[doc(alias = "position")]
    #[doc(alias = "local_position")]
    #[inline]
    #[must_use]
    pub fn translation(self) -> Vec3 {
        self.transform().translation
    }

    /// Returns the local rotation.
    #[doc(alias = "quaternion")]
    #[doc(alias = "local_rotation")]
    #[inline]
    #[must_use]
    pub fn rotation(self) -> Quat {
        self.transform().rotation
    }

    /// Returns the local scale.
    #[doc(alias = "local_scale")]
    #[inline]
    #[must_use]
    pub fn scale(self) -> Vec3 {
        self.transform().scale
    }

    /// Returns the local matrix: the one that was set, bit for bit, or the one
    /// composed from the transform. Never stale.
    #[must_use]
    pub fn local_matrix(self) -> Mat4 {
        let matrix = self.graph.locals.to_matrix(self.slot);
        let given = self.has_local_matrix();
        Mat4::from_cols_array(&if given { matrix } else { scalar::saturated(matrix) })
    }

    /// Returns `true` if the node has a local matrix instead of a transform.
    #[must_use]
    pub fn has_local_matrix(self) -> bool {
        self.flags().has(NodeFlags::HAS_MATRIX)
    }

    // ---- world transform ----

    /// Returns the world matrix as of the last [`update`](Graph::update): a plain
    /// read.
    ///
    /// Stale after an edit of the node or an ancestor, and the identity before the
    /// first update; [`compute_world`](Self::compute_world) is never stale.
    #[doc(alias("to_global", "TransformPoint", "GlobalTransform"))]
    #[doc(alias = "global_transform")]
    #[doc(alias = "matrixWorld")]
    #[doc(alias = "localToWorld")]
    #[doc(alias = "local_to_world")]
    #[inline]
    #[must_use]
    pub fn world(self) -> Mat4 {
        if self.flags().has(NodeFlags::NEVER_UPDATED) {
            return Mat4::IDENTITY;
        }
        self.graph.worlds.matrix(self.slot)
    }

    /// Computes the world matrix as the next update will, bit for bit: up to date
    /// at any time, and without writing anything.
    ///
    /// Walks up to the root if anything in the graph is out of date, and is a plain
    /// read otherwise.
    ///
    /// ```
    /// use pleach_graph::{Graph, Transform};
    /// use pleach_graph::glam::{Mat4, Vec3};
    ///
    /// let mut graph = Graph::new();
    /// let arm = graph.add_root(Transform::from_xyz(0.0, 0.0, 5.0))?;
    /// let hand = graph.add_child(arm, Transform::from_xyz(1.0, 0.0, 0.0))?;
    ///
    /// let computed = graph.node(hand)?.compute_world();
    /// assert_eq!(computed, Mat4::from_translation(Vec3::new(1.0, 0.0, 5.0)));
    /// assert_eq!(graph.node(hand)?.world(), Mat4::IDENTITY);
    /// graph.update();
    /// assert_eq!(graph.node(hand)?.world(), computed);
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[doc(alias = "updateWorldMatrix")]
    #[doc(alias = "global_transform")]
    #[must_use]
    pub fn compute_world(self) -> Mat4 {
        self.graph.compute_world(self.slot)
    }

    /// Returns the position of the node's origin in world space, as of the last
    /// update.
    #[doc(alias = "global_position")]
    #[doc(alias = "getWorldPosition")]
    #[doc(alias = "world_position")]
    #[must_use]
    pub fn world_translation(self) -> Vec3 {
        self.world().w_axis.truncate()
    }

    /// Returns the rotation in world space, as of the last update: of
    /// [`world_transform`](Self::world_transform).
    #[doc(alias = "getWorldDirection")]
    #[doc(alias = "global_rotation")]
    #[doc(alias = "getWorldQuaternion")]
    #[must_use]
    pub fn world_rotation(self) -> Quat {
        self.world_transform().rotation
    }

    /// Returns the scale in world space, as of the last update: of
    /// [`world_transform`](Self::world_transform).
    #[doc(alias = "lossyScale")]
    #[doc(alias = "getWorldScale")]
    #[doc(alias = "lossy_scale")]
    #[must_use]
    pub fn world_scale(self) -> Vec3 {
        self.world_transform().scale
    }

    /// Returns the translation, rotation and scale of [`world`](Self::world), as of the
    /// last update. The identity before the first one.
    ///
    /// For a root these are its own. Below a parent with a non-uniform scale a node may
    /// be sheared; no translation, rotation and scale then equals `world`. In that case
    /// the rotation maps the x axis to the direction of the node's x axis, and the y axis
    /// into the plane of its x and y axis; the scales are the lengths along those axes.
    /// Below a mirroring parent the scale along z changes its sign.
    ///
    /// ```
    /// use pleach_graph::{Graph, Transform, rotation};
    /// use pleach_graph::glam::Vec3;
    ///
    /// let mut graph = Graph::new();
    /// let arm = Transform::from_rotation(rotation::from_rotation_z(0.5)).with_scale(Vec3::splat(2.0));
    /// let arm = graph.add_root(arm)?;
    /// let hand = graph.add_child(arm, Transform::from_rotation(rotation::from_rotation_z(0.25)))?;
    /// graph.update();
    /// let hand = graph.node(hand)?;
    /// assert!(hand.world_rotation().abs_diff_eq(rotation::from_rotation_z(0.75), 1e-6));
    /// assert!(hand.world_scale().abs_diff_eq(Vec3::splat(2.0), 1e-6));
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[doc(alias = "decompose")]
    #[doc(alias = "to_scale_rotation_translation")]
    #[must_use]
    pub fn world_transform(self) -> Transform {
        if self.flags().has(NodeFlags::NEVER_UPDATED) {
            return Transform::IDENTITY;
        }
        let world = self.graph.worlds.matrix(self.slot);
        let (rotation, scale) = affine::rotation_and_scale(&world, self.scale());
        Transform { translation: world.w_axis.truncate(), rotation, scale }
    }

    /// Returns the inverse of [`world`](Self::world), for example the view matrix
    /// of a camera; `None` if it is singular (a scale of zero).
    ///
    /// ```
    /// use pleach_graph::{Graph, Transform};
    /// use pleach_graph::glam::Vec3;
    ///
    /// let mut graph = Graph::new();
    /// let camera = graph.add_root(Transform::from_xyz(0.0, 0.0, 5.0))?;
    /// graph.update();
    /// let view = graph.node(camera)?.inverse_world().unwrap();
    /// assert_eq!(view.transform_point3(Vec3::ZERO), Vec3::new(0.0, 0.0, -5.0));
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[doc(alias("to_local", "InverseTransformPoint"))]
    #[doc(alias = "worldToLocal")]
    #[doc(alias = "world_to_local")]
    #[doc(alias = "view_matrix")]
    #[must_use]
    pub fn inverse_world(self) -> Option<Mat4> {
        affine::inverse(&self.world())
    }

    /// Returns the matrix that transforms normals: the transposed inverse of the
    /// upper left 3 × 3 of [`world`](Self::world). Normalize the transformed
    /// normals.
    ///
    /// Always finite: if a scale of zero (or a tiny one) leaves no inverse, it is
    /// the cofactor matrix, which preserves the direction of normals.
    #[must_use]
    pub fn normal_matrix(self) -> Mat3 {
        affine::normal_matrix(&self.world())
    }

    /// Returns `true` if [`world`](Self::world) mirrors, so that the winding order
    /// of triangles is reversed (its determinant is negative).
    #[inline]
    #[must_use]
    pub fn winding_flipped(self) -> bool {
        affine::is_mirrored(&self.world())
    }

    // ---- state ----

    /// Returns `true` if the node's own visibility flag is set.
    #[must_use]
    pub fn is_visible(self) -> bool {
        self.flags().is_visible()
    }

    /// Returns `true` if the node and all its ancestors are visible. Never stale.
    #[doc(alias = "visible_in_hierarchy")]
    #[doc(alias = "is_visible_in_tree")]
    #[doc(alias = "inherited_visibility")]
    #[doc(alias = "activeInHierarchy")]
    #[must_use]
    pub fn is_shown(self) -> bool {
        self.flags().is_shown()
    }

    /// Returns `true` if [`world`](Self::world) is out of date. Up to date after
    /// any edit; walks at most once to the root.
    #[must_use]
    pub fn is_dirty(self) -> bool {
        self.graph.dirty_ancestor(self.slot).is_some()
    }

    /// Returns `true` if the node itself was edited since the last update. `false`
    /// for the children of an edited node.
    #[must_use]
    pub fn is_local_dirty(self) -> bool {
        self.flags().is_local_dirty()
    }
}

impl fmt::Debug for NodeRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("NodeRef").field(&self.id()).field(&self.name()).finish()
    }
}
