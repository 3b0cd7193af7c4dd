//! `check`: validates the invariants of a tree.

use super::dynamic_tree::{ABSENT, DynamicTree, ROOT};
use super::node::{Arena, Child, LANES, NONE};

impl Arena {
    /// Reports broken invariants of the tree below node 0. Calls `leaf` for each leaf with its
    /// item, node and lane.
    pub(crate) fn check(&self, problems: &mut Vec<String>, mut leaf: impl FnMut(u32, u32, usize)) {
        if self.nodes.is_empty() {
            return;
        }
        let mut seen = vec![false; self.nodes.len()];
        let mut stack = vec![ROOT];
        seen[ROOT as usize] = true;
        let root = &self.nodes[ROOT as usize];
        if root.parent != NONE {
            problems.push(format!("the root has the parent {}", root.parent));
        }
        while let Some(index) = stack.pop() {
            let node = &self.nodes[index as usize];
            for lane in 0..LANES {
                let child = node.children[lane];
                if lane >= node.len as usize {
                    if child != Child::VACANT || !node.aabb(lane).is_empty() {
                        problems.push(format!("node {index} lane {lane} should be vacant"));
                    }
                    continue;
                }
                if child == Child::VACANT {
                    problems.push(format!("node {index} lane {lane} should be in use"));
                    continue;
                }
                if (node.leaf_mask & (1 << lane) != 0) != child.is_leaf() {
                    problems.push(format!("node {index} lane {lane}: its leaf bit is wrong"));
                }
                if child.is_leaf() {
                    leaf(child.index(), index, lane);
                    continue;
                }
                let Some(child_node) = self.nodes.get(child.index() as usize) else {
                    problems.push(format!("node {index} lane {lane} refers to a missing node"));
                    continue;
                };
                if core::mem::replace(&mut seen[child.index() as usize], true) {
                    problems.push(format!("node {} has two parents", child.index()));
                    continue;
                }
                if (child_node.parent, child_node.lane) != (index, lane as u8) {
                    problems.push(format!("node {} has the wrong parent or lane", child.index()));
                }
                if child_node.len < 2 {
                    problems.push(format!("node {} has {} lanes", child.index(), child_node.len));
                }
                if node.aabb(lane) != child_node.union() {
                    problems.push(format!("node {index} lane {lane}: the box is not tight"));
                }
                stack.push(child.index());
            }
        }
        let unused = seen.iter().filter(|&&seen| !seen).count();
        if unused != self.free.len() {
            problems
                .push(format!("{unused} nodes are not in the tree, {} are free", self.free.len()));
        }
    }
}

impl DynamicTree {
    pub(crate) fn check(&self, problems: &mut Vec<String>) {
        let mut found = vec![false; self.locations.len()];
        let mut errors = Vec::new();
        self.arena.check(problems, |item, node, lane| {
            let location = self.locations.get(item as usize).copied().unwrap_or(ABSENT);
            if location != node * LANES as u32 + lane as u32 {
                errors.push(format!("item {item} is at node {node} lane {lane}, not {location}"));
            } else {
                found[item as usize] = true;
            }
        });
        problems.append(&mut errors);
        let located = self.locations.iter().filter(|&&location| location != ABSENT).count();
        let found = found.iter().filter(|&&found| found).count();
        if located != self.len || found != self.len {
            problems.push(format!(
                "{} items were inserted, {located} have a location, {found} are in the tree",
                self.len
            ));
        }
    }
}
