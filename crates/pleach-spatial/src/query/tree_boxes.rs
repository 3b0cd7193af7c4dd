//! The boxes of an index's tree, for debug visualization.
//!
//! Invariant: pre-order. A box follows the box that contains it, and everything within it precedes
//! its next sibling.

use pleach_graph::NodeId;

use crate::bvh::node::{Child, Node};
use crate::index::rows::Rows;
use crate::{Aabb, SpatialIndex};

/// A box of the tree of a [`SpatialIndex`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct TreeBox {
    /// The number of boxes that contain it: 0 for the root box.
    pub depth: u32,
    /// The box in world space. It is enlarged beyond the exact bounds by up to a millionth of its
    /// coordinates.
    pub bounds: Aabb,
    /// The node whose bounds it is; `None` for an inner box.
    pub node: Option<NodeId>,
}

impl SpatialIndex {
    /// Iterates over the boxes of the tree as of the last [`sync`](Self::sync), from the root box
    /// down to the bounds of nodes. The inner boxes depend on the history of changes; query
    /// results never do. Brings the tree up to date, as [`update_tree`](Self::update_tree) does.
    ///
    /// ```
    /// use pleach_graph::{Graph, Transform};
    /// use pleach_spatial::glam::Vec3;
    /// use pleach_spatial::{Aabb, SpatialIndex};
    ///
    /// let mut graph = Graph::new();
    /// let mut index = SpatialIndex::new(&mut graph);
    /// for i in 0..100 {
    ///     let node = graph.add_root(Transform::from_xyz(i as f32, 0.0, 0.0))?;
    ///     index.set_bounds(&graph, node, Aabb::new(Vec3::ZERO, Vec3::splat(0.5)))?;
    /// }
    /// graph.update();
    /// index.sync(&graph)?;
    ///
    /// let all = index.tree_boxes().next().unwrap();
    /// assert_eq!((all.depth, all.bounds, all.node), (0, index.bounds(), None));
    /// assert_eq!(index.tree_boxes().filter(|it| it.node.is_some()).count(), 100);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn tree_boxes(&self) -> TreeBoxes<'_> {
        let nodes = self.tree.bring_up_to_date(&self.rows).nodes();
        let root = nodes.first().filter(|root| root.len > 0);
        let stack = root.map(|root| (0, root.union(), Child::node(0)));
        TreeBoxes { nodes, rows: &self.rows, stack: stack.into_iter().collect() }
    }
}

/// An iterator over the boxes of the tree of a [`SpatialIndex`].
///
/// - The root box comes first; nothing if the index is empty.
/// - A box follows the box that contains it, and everything within it precedes its next sibling.
/// - Each attached node with bounds has one box, which contains no others.
#[derive(Clone, Debug)]
pub struct TreeBoxes<'a> {
    nodes: &'a [Node],
    rows: &'a Rows,
    /// The boxes to be visited, last one first: depth, box, child.
    stack: Vec<(u32, Aabb, Child)>,
}

impl Iterator for TreeBoxes<'_> {
    type Item = TreeBox;

    fn next(&mut self) -> Option<TreeBox> {
        let (depth, bounds, child) = self.stack.pop()?;
        if child.is_leaf() {
            let node = Some(self.rows.nodes[child.index() as usize]);
            return Some(TreeBox { depth, bounds, node });
        }
        let inner = &self.nodes[child.index() as usize];
        let lanes = (0..inner.len as usize).rev();
        self.stack.extend(lanes.map(|lane| (depth + 1, inner.aabb(lane), inner.children[lane])));
        Some(TreeBox { depth, bounds, node: None })
    }
}

impl core::iter::FusedIterator for TreeBoxes<'_> {}
