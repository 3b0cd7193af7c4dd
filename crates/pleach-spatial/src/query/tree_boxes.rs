//! The boxes of an index's tree, to look at: for pictures of how a scene is divided.
//!
//! Invariant: a box comes after the box it is in, and all that is in it comes before the next
//! one beside it.

use pleach_graph::NodeId;

use crate::bvh::node::{Child, Node};
use crate::index::rows::Rows;
use crate::{Aabb, SpatialIndex};

/// One box of an index's tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TreeBox {
    /// How many boxes it is in: 0 for the box of everything.
    pub depth: u32,
    /// The box. Larger than needed by up to a millionth of its coordinates.
    pub bounds: Aabb,
    /// The node whose bounds it is; `None` if there are boxes in it.
    pub node: Option<NodeId>,
}

impl SpatialIndex {
    /// The boxes of the tree, as of the last [`sync`](Self::sync): the box of everything, boxes
    /// in it, and so on down to the bounds of nodes. Which boxes there are in between depends on
    /// what came, moved and went; answers to questions never do.
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
        let nodes = self.tree.nodes();
        let root = nodes.first().filter(|root| root.len > 0);
        let stack = root.map(|root| (0, root.union(), Child::node(0)));
        TreeBoxes { nodes, rows: &self.rows, stack: stack.into_iter().collect() }
    }
}

/// The boxes of an index's tree.
///
/// - The box of everything comes first; none if there is nothing.
/// - A box comes after the box it is in, and all that is in it comes before the next one
///   beside it.
/// - Each node with bounds has one box, in which no others are.
#[derive(Clone, Debug)]
pub struct TreeBoxes<'a> {
    nodes: &'a [Node],
    rows: &'a Rows,
    /// What is still to come, last one first: depth, box, what it stands for.
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
