//! `NodeRef`: one node to read, its handle checked once.
//!
//! Columns are stored apart, so there is no node to lend a reference to; a view
//! is a graph and a slot. The view that edits is `NodeMut` in `edit/node_mut.rs`.

use core::fmt;

use glam::{Mat3, Mat4, Quat, Vec3};

use crate::graph::Graph;
use crate::math::affine;
use crate::read::walk::{Ancestors, Children, Descendants};
use crate::store::flags::NodeFlags;
use crate::update::kernel::scalar;
use crate::{NodeId, Transform};

/// A living node, to read.
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

    /// Its handle.
    #[must_use]
    pub fn id(self) -> NodeId {
        self.graph.slots.live_id(self.slot)
    }

    /// The graph it is in.
    #[must_use]
    pub fn graph(self) -> &'a Graph {
        self.graph
    }

    /// Its name, if it was given one.
    #[must_use]
    pub fn name(self) -> Option<&'a str> {
        self.graph.names.get(self.slot)
    }

    // ---- links ----

    /// Its parent; `None` for a root.
    #[must_use]
    pub fn parent(self) -> Option<NodeId> {
        self.graph.id(self.graph.links.parent(self.slot))
    }

    /// Its children, in order.
    #[must_use]
    pub fn children(self) -> Children<'a> {
        Children::of(self.graph, self.slot)
    }

    /// Its parent, the parent's parent, and so on up to the root.
    #[must_use]
    pub fn ancestors(self) -> Ancestors<'a> {
        Ancestors::of(self.graph, self.slot)
    }

    /// The node itself and everything below it, depth first: parents before
    /// children, siblings in order.
    #[must_use]
    pub fn descendants(self) -> Descendants<'a> {
        Descendants::of(self.graph, self.slot)
    }

    /// How many steps it is below its root; 0 for a root.
    #[must_use]
    pub fn depth(self) -> usize {
        self.graph.levels.depth(self.slot) as usize
    }

    // ---- local transform ----

    /// Its local transform. For a node with a local matrix, the nearest one.
    #[inline]
    #[must_use]
    pub fn transform(self) -> Transform {
        *self.graph.locals.transform(self.slot)
    }

    /// The local translation.
    #[inline]
    #[must_use]
    pub fn translation(self) -> Vec3 {
        self.transform().translation
    }

    /// The local rotation.
    #[inline]
    #[must_use]
    pub fn rotation(self) -> Quat {
        self.transform().rotation
    }

    /// The local scale.
    #[inline]
    #[must_use]
    pub fn scale(self) -> Vec3 {
        self.transform().scale
    }

    /// The local matrix: the one it was given, bit for bit, or the one its
    /// transform makes. Never stale.
    #[must_use]
    pub fn local_matrix(self) -> Mat4 {
        let matrix = self.graph.locals.to_matrix(self.slot);
        let given = self.has_local_matrix();
        Mat4::from_cols_array(&if given { matrix } else { scalar::saturated(matrix) })
    }

    /// Does it have a local matrix rather than a transform?
    #[must_use]
    pub fn has_local_matrix(self) -> bool {
        self.flags().has(NodeFlags::HAS_MATRIX)
    }

    // ---- world transform ----

    /// The world matrix as of the last [`update`](Graph::update): a plain read.
    ///
    /// Stale after an edit of the node or an ancestor, and the identity before
    /// the first update; [`compute_world`](Self::compute_world) never is.
    #[inline]
    #[must_use]
    pub fn world(self) -> Mat4 {
        if self.flags().has(NodeFlags::NEVER_UPDATED) {
            return Mat4::IDENTITY;
        }
        self.graph.worlds.matrix(self.slot)
    }

    /// The world matrix as the next update will make it, bit for bit: right on
    /// any line of code, and writing nothing.
    ///
    /// Walks up to the root while anything in the graph is out of date, and is a
    /// plain read otherwise.
    ///
    /// ```
    /// use pleach_graph::{Graph, Transform};
    /// use pleach_graph::glam::{Mat4, Vec3};
    ///
    /// let mut graph = Graph::new();
    /// let arm = graph.add_root(Transform::from_xyz(0.0, 0.0, 5.0))?;
    /// let hand = graph.add_child(arm, Transform::from_xyz(1.0, 0.0, 0.0))?;
    ///
    /// let fresh = graph.node(hand)?.compute_world();
    /// assert_eq!(fresh, Mat4::from_translation(Vec3::new(1.0, 0.0, 5.0)));
    /// assert_eq!(graph.node(hand)?.world(), Mat4::IDENTITY);
    /// graph.update();
    /// assert_eq!(graph.node(hand)?.world(), fresh);
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[must_use]
    pub fn compute_world(self) -> Mat4 {
        self.graph.compute_world(self.slot)
    }

    /// Where the node's origin is in the world, as of the last update.
    #[must_use]
    pub fn world_translation(self) -> Vec3 {
        self.world().w_axis.truncate()
    }

    /// The inverse of [`world`](Self::world), which a camera's view matrix is;
    /// `None` if it is flat (a scale of zero).
    #[must_use]
    pub fn inverse_world(self) -> Option<Mat4> {
        affine::inverse(&self.world())
    }

    /// What normals are multiplied with: the transposed inverse of the upper left
    /// 3 × 3 of [`world`](Self::world). Normalise the product.
    ///
    /// Always finite: where a scale of zero (or a tiny one) leaves no inverse,
    /// it is the matrix of cofactors, which keeps the direction of normals.
    #[must_use]
    pub fn normal_matrix(self) -> Mat3 {
        affine::normal_matrix(&self.world())
    }

    /// Does [`world`](Self::world) mirror, so that triangles turn the other way
    /// round? The sign of its determinant.
    #[must_use]
    pub fn winding_flipped(self) -> bool {
        affine::is_mirrored(&self.world())
    }

    // ---- state ----

    /// Its own flag.
    #[must_use]
    pub fn is_visible(self) -> bool {
        self.flags().is_visible()
    }

    /// Its own flag and every ancestor's. Never stale.
    #[must_use]
    pub fn is_shown(self) -> bool {
        self.flags().is_shown()
    }

    /// Is [`world`](Self::world) out of date? Right after any edit; at most one
    /// walk to the root.
    #[must_use]
    pub fn is_dirty(self) -> bool {
        self.graph.dirty_ancestor(self.slot).is_some()
    }

    /// Was the node itself edited since the last update? False for the children
    /// of an edited node.
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
