//! `check`: validates the invariants of a tree.

use core::fmt;

use super::dynamic_tree::{ABSENT, DynamicTree, ROOT};
use super::node::{Arena, Child, LANES, NONE};

/// A broken invariant of a tree: a bug of this crate. Nodes are those of the tree, with up to eight
/// lanes each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TreeProblem {
    /// The root has a parent.
    RootHasParent,
    /// A lane beyond the number of lanes in use is in use.
    LaneInUse {
        /// The node.
        node: u32,
        /// The lane.
        lane: usize,
    },
    /// A lane within the number of lanes in use is vacant.
    LaneVacant {
        /// The node.
        node: u32,
        /// The lane.
        lane: usize,
    },
    /// The flag that distinguishes leaves from nodes is wrong.
    LeafFlag {
        /// The node.
        node: u32,
        /// The lane.
        lane: usize,
    },
    /// A lane refers to a node that does not exist.
    MissingNode {
        /// The node.
        node: u32,
        /// The lane.
        lane: usize,
    },
    /// The box of a lane is not the union of the boxes below it.
    LooseBox {
        /// The node.
        node: u32,
        /// The lane.
        lane: usize,
    },
    /// A node is below two others.
    TwoParents {
        /// The node.
        node: u32,
    },
    /// A node has another parent or lane than the one that refers to it.
    WrongParent {
        /// The node.
        node: u32,
    },
    /// A node other than the root has fewer than two lanes in use.
    TooFewLanes {
        /// The node.
        node: u32,
    },
    /// The number of nodes that are not in the tree differs from the number of free nodes.
    FreeNodes {
        /// The number of nodes that are not in the tree.
        unused: usize,
        /// The number of free nodes.
        free: usize,
    },
    /// A leaf is not at its recorded location.
    LeafLocation {
        /// The leaf.
        leaf: u32,
    },
    /// The number of leaves differs from the number of insertions.
    LeafCount {
        /// The number of leaves in the tree.
        found: usize,
        /// The number of leaves that should be in the tree.
        expected: usize,
    },
    /// A triangle is in two leaves.
    TriangleTwice {
        /// The triangle.
        triangle: u32,
    },
}

impl fmt::Display for TreeProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RootHasParent => write!(f, "the root of the tree has a parent"),
            Self::LaneInUse { node, lane } => {
                write!(f, "tree node {node} lane {lane} should be vacant")
            }
            Self::LaneVacant { node, lane } => {
                write!(f, "tree node {node} lane {lane} should be in use")
            }
            Self::LeafFlag { node, lane } => {
                write!(f, "tree node {node} lane {lane}: the leaf flag is wrong")
            }
            Self::MissingNode { node, lane } => {
                write!(f, "tree node {node} lane {lane} refers to a missing node")
            }
            Self::LooseBox { node, lane } => {
                write!(f, "tree node {node} lane {lane}: the box is not the union of those below")
            }
            Self::TwoParents { node } => write!(f, "tree node {node} has two parents"),
            Self::WrongParent { node } => {
                write!(f, "tree node {node} has the wrong parent or lane")
            }
            Self::TooFewLanes { node } => write!(f, "tree node {node} has fewer than two lanes"),
            Self::FreeNodes { unused, free } => {
                write!(f, "{unused} tree nodes are not in the tree, but {free} are free")
            }
            Self::LeafLocation { leaf } => write!(f, "leaf {leaf} is not at its recorded location"),
            Self::LeafCount { found, expected } => {
                write!(f, "{found} leaves are in the tree, but {expected} were inserted")
            }
            Self::TriangleTwice { triangle } => write!(f, "triangle {triangle} is in two leaves"),
        }
    }
}

impl Arena {
    /// Reports broken invariants of the tree below node 0. Calls `leaf` for each leaf with its
    /// item, node and lane.
    pub(crate) fn check(
        &self,
        problems: &mut Vec<TreeProblem>,
        mut leaf: impl FnMut(u32, u32, usize),
    ) {
        if self.nodes.is_empty() {
            return;
        }
        let mut seen = vec![false; self.nodes.len()];
        let mut stack = vec![ROOT];
        seen[ROOT as usize] = true;
        if self.nodes[ROOT as usize].parent != NONE {
            problems.push(TreeProblem::RootHasParent);
        }
        while let Some(node) = stack.pop() {
            let lanes = &self.nodes[node as usize];
            for lane in 0..LANES {
                let child = lanes.children[lane];
                if lane >= lanes.len as usize {
                    if child != Child::VACANT || !lanes.aabb(lane).is_empty() {
                        problems.push(TreeProblem::LaneInUse { node, lane });
                    }
                    continue;
                }
                if child == Child::VACANT {
                    problems.push(TreeProblem::LaneVacant { node, lane });
                    continue;
                }
                if (lanes.leaf_mask & (1 << lane) != 0) != child.is_leaf() {
                    problems.push(TreeProblem::LeafFlag { node, lane });
                }
                if child.is_leaf() {
                    leaf(child.index(), node, lane);
                    continue;
                }
                let index = child.index();
                let Some(child_node) = self.nodes.get(index as usize) else {
                    problems.push(TreeProblem::MissingNode { node, lane });
                    continue;
                };
                if core::mem::replace(&mut seen[index as usize], true) {
                    problems.push(TreeProblem::TwoParents { node: index });
                    continue;
                }
                if (child_node.parent, child_node.lane) != (node, lane as u8) {
                    problems.push(TreeProblem::WrongParent { node: index });
                }
                if child_node.len < 2 {
                    problems.push(TreeProblem::TooFewLanes { node: index });
                }
                if lanes.aabb(lane) != child_node.union() {
                    problems.push(TreeProblem::LooseBox { node, lane });
                }
                stack.push(index);
            }
        }
        let unused = seen.iter().filter(|&&seen| !seen).count();
        if unused != self.free.len() {
            problems.push(TreeProblem::FreeNodes { unused, free: self.free.len() });
        }
    }
}

impl DynamicTree {
    pub(crate) fn check(&self, problems: &mut Vec<TreeProblem>) {
        let mut found = vec![false; self.locations.len()];
        let mut misplaced = Vec::new();
        self.arena.check(problems, |leaf, node, lane| {
            let location = self.locations.get(leaf as usize).copied().unwrap_or(ABSENT);
            if location != node * LANES as u32 + lane as u32 {
                misplaced.push(TreeProblem::LeafLocation { leaf });
            } else {
                found[leaf as usize] = true;
            }
        });
        problems.append(&mut misplaced);
        let located = self.locations.iter().filter(|&&location| location != ABSENT).count();
        let found = found.iter().filter(|&&found| found).count();
        if located != self.len || found != self.len {
            problems.push(TreeProblem::LeafCount { found, expected: self.len });
        }
    }
}
