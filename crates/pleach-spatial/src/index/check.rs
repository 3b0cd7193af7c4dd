//! `SpatialIndex::check`: validates the invariants of rows and tree.

use core::fmt;

use glam::Vec3;
use pleach_graph::NodeId;

use crate::bvh::DynamicTree;
use crate::{Aabb, SpatialIndex, TreeProblem};

/// A broken invariant of a [`SpatialIndex`], found by [`SpatialIndex::check`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct IndexProblem {
    /// The node, or `None` for a problem of the index as a whole.
    pub node: Option<NodeId>,
    /// The problem.
    pub kind: IndexProblemKind,
}

/// The kind of an [`IndexProblem`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum IndexProblemKind {
    /// Another row is recorded for the node than the one with its data.
    WrongRow,
    /// The node should be in the tree and is not, or the other way round; or queries find it
    /// although it is detached or has no world bounds.
    TreeMembership,
    /// The box in the tree is not the enlarged world box of the node.
    TreeBox,
    /// The box that scans test is not the enlarged world box of the node, or not vacant although
    /// queries do not find the node.
    ScanBox,
    /// The rows count as sorted by slot, and the node's row is not.
    RowOrder,
    /// A count of rows, such as that of detached nodes, is wrong.
    RowCount,
    /// The tree itself is broken.
    Tree(TreeProblem),
}

impl fmt::Display for IndexProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.node {
            Some(node) => write!(f, "node {node}: {}", self.kind),
            None => self.kind.fmt(f),
        }
    }
}

impl fmt::Display for IndexProblemKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WrongRow => write!(f, "the spatial index has recorded another row for it"),
            Self::TreeMembership => {
                write!(f, "the spatial index does not agree with its tree on whether it is there")
            }
            Self::TreeBox => write!(f, "the tree of the spatial index has another box for it"),
            Self::ScanBox => write!(f, "the spatial index scans another box for it"),
            Self::RowOrder => write!(f, "its row in the spatial index is not sorted by slot"),
            Self::RowCount => write!(f, "the spatial index has counted its rows wrongly"),
            Self::Tree(problem) => write!(f, "the spatial index: {problem}"),
        }
    }
}

impl SpatialIndex {
    /// Returns the broken invariants of the index: none, unless this crate has a bug. For tests and
    /// bug reports. O(n).
    ///
    /// ```
    /// use pleach_graph::Graph;
    /// use pleach_spatial::SpatialIndex;
    ///
    /// let index = SpatialIndex::new(&mut Graph::new());
    /// assert_eq!(index.check(), []);
    /// ```
    #[must_use]
    pub fn check(&self) -> Vec<IndexProblem> {
        self.tree.read(&self.rows, |tree, is_dirty| {
            let mut tree_problems = Vec::new();
            tree.check(&mut tree_problems);
            let of_tree =
                |problem| IndexProblem { node: None, kind: IndexProblemKind::Tree(problem) };
            let mut problems: Vec<IndexProblem> = tree_problems.into_iter().map(of_tree).collect();
            self.check_rows(&mut problems, tree, is_dirty);
            problems
        })
    }

    fn check_rows(
        &self,
        problems: &mut Vec<IndexProblem>,
        tree: &DynamicTree,
        is_dirty: &dyn Fn(usize) -> bool,
    ) {
        let rows = &self.rows;
        let mut last = None;
        let (mut non_default, mut detached, mut active, mut len) = (0, 0, 0, 0);
        for (row, &node) in rows.nodes.iter().enumerate() {
            let mut report = |kind| problems.push(IndexProblem { node: Some(node), kind });
            let (flags, item, is_hole) = (rows.flags(row), row as u32, rows.is_hole(row));
            if !is_hole && rows.find(node) != Some(row) {
                report(IndexProblemKind::WrongRow);
            }
            let may_be_active = flags.synced && !flags.detached && !is_hole;
            let in_tree = tree.contains(item);
            if (flags.active && !may_be_active) || (in_tree != flags.active && !is_dirty(row)) {
                report(IndexProblemKind::TreeMembership);
            } else if in_tree && tree.aabb(item) != rows.padded_box(row) && !is_dirty(row) {
                report(IndexProblemKind::TreeBox);
            }
            let padded = if flags.active { rows.world[row].with_slack() } else { VACANT };
            if rows.padded_box(row) != padded {
                report(IndexProblemKind::ScanBox);
            }
            if rows.is_sorted() && last.is_some_and(|last| last >= node.index()) {
                report(IndexProblemKind::RowOrder);
            }
            last = Some(node.index());
            non_default += usize::from(!is_hole && flags.is_non_default());
            detached += usize::from(flags.detached);
            active += usize::from(flags.active);
            len += usize::from(!is_hole);
        }
        let counts = (rows.non_default, rows.detached, rows.active, rows.len());
        if (non_default, detached, active, len) != counts {
            problems.push(IndexProblem { node: None, kind: IndexProblemKind::RowCount });
        }
        // Rows beyond the last one, of which a tree must not know either.
        let beyond = rows.count()..tree.locations.len();
        if beyond.into_iter().any(|row| tree.contains(row as u32) && !is_dirty(row)) {
            problems.push(IndexProblem { node: None, kind: IndexProblemKind::RowCount });
        }
    }
}

/// The box of a row that is not active.
const VACANT: Aabb = Aabb { min: Vec3::MAX, max: Vec3::MIN };

#[cfg(test)]
mod tests {
    use pleach_graph::{Graph, Transform};

    use super::*;
    use crate::bvh::node::Child;
    use crate::index::rows::RowFlags;

    fn index() -> (SpatialIndex, Vec<NodeId>) {
        let mut graph = Graph::new();
        let mut index = SpatialIndex::new(&mut graph);
        let mut nodes = Vec::new();
        for x in 0..20 {
            let node = graph.add_root(Transform::from_xyz(x as f32, 0.0, 0.0)).unwrap();
            index.set_bounds(&graph, node, Aabb::new(Vec3::ZERO, Vec3::ONE)).unwrap();
            nodes.push(node);
        }
        graph.update();
        index.sync(&graph).unwrap();
        index.update_tree();
        assert_eq!(index.check(), []);
        (index, nodes)
    }

    #[test]
    fn each_broken_row_is_reported_with_its_node() {
        type Break = fn(&mut SpatialIndex);
        let cases: [(Break, IndexProblemKind, Option<usize>); 5] = [
            (|index| index.rows.nodes.swap(3, 4), IndexProblemKind::WrongRow, Some(4)),
            (
                |index| index.tree.replace(|tree| tree.remove(5)),
                IndexProblemKind::TreeMembership,
                Some(5),
            ),
            (
                |index| {
                    let flags = RowFlags { detached: true, ..index.rows.flags(6) };
                    index.rows.set_flags(6, flags);
                },
                IndexProblemKind::TreeMembership,
                Some(6),
            ),
            (|index| index.rows.world[7].max.x += 1.0, IndexProblemKind::ScanBox, Some(7)),
            (|index| index.rows.non_default += 1, IndexProblemKind::RowCount, None),
        ];
        for (break_it, kind, node) in cases {
            let (mut index, nodes) = index();
            break_it(&mut index);
            let expected = IndexProblem { node: node.map(|node| nodes[node]), kind };
            let problems = index.check();
            assert!(problems.contains(&expected), "{expected}: {problems:?}");
        }
    }

    #[test]
    fn a_broken_tree_is_reported() {
        let (mut index, _) = index();
        index.tree.replace(|tree| tree.arena.nodes[0].set_child(0, Child::VACANT));
        let lane = TreeProblem::LaneVacant { node: 0, lane: 0 };
        let expected = IndexProblem { node: None, kind: IndexProblemKind::Tree(lane) };
        assert!(index.check().contains(&expected));
        let message = "the spatial index: tree node 0 lane 0 should be in use";
        assert_eq!(expected.to_string(), message);
    }
}
