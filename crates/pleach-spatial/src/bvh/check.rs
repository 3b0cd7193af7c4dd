//! `check`: every invariant of a tree, as a list of what is broken.

use super::dynamic_tree::{ABSENT, Dynamic, ROOT};
use super::node::{Arena, Child, LANES, NONE};

impl Arena {
    /// What is broken in the tree below node 0; calls `leaf` for each leaf with
    /// its number, node and lane.
    pub(crate) fn check(&self, problems: &mut Vec<String>, mut leaf: impl FnMut(u32, u32, usize)) {
        if self.nodes.is_empty() {
            return;
        }
        let mut seen = vec![false; self.nodes.len()];
        let mut open = vec![ROOT];
        seen[ROOT as usize] = true;
        let root = &self.nodes[ROOT as usize];
        if root.parent != NONE {
            problems.push(format!("the root has the parent {}", root.parent));
        }
        while let Some(index) = open.pop() {
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
                if (node.leaves & (1 << lane) != 0) != child.is_leaf() {
                    problems.push(format!("node {index} lane {lane}: its leaf bit is wrong"));
                }
                if child.is_leaf() {
                    leaf(child.index(), index, lane);
                    continue;
                }
                let Some(below) = self.nodes.get(child.index() as usize) else {
                    problems.push(format!("node {index} lane {lane} leads nowhere"));
                    continue;
                };
                if core::mem::replace(&mut seen[child.index() as usize], true) {
                    problems.push(format!("node {} has two parents", child.index()));
                    continue;
                }
                if (below.parent, below.lane) != (index, lane as u8) {
                    problems.push(format!("node {} does not know its parent", child.index()));
                }
                if below.len < 2 {
                    problems.push(format!("node {} has {} lanes", child.index(), below.len));
                }
                if node.aabb(lane) != below.union() {
                    problems.push(format!("node {index} lane {lane}: the box does not fit"));
                }
                open.push(child.index());
            }
        }
        let lost = seen.iter().filter(|&&seen| !seen).count();
        if lost != self.free.len() {
            problems
                .push(format!("{lost} nodes are not in the tree, {} are free", self.free.len()));
        }
    }
}

impl Dynamic {
    pub(crate) fn check(&self, problems: &mut Vec<String>) {
        let mut found = vec![false; self.places.len()];
        let mut wrong = Vec::new();
        self.arena.check(problems, |item, node, lane| {
            let place = self.places.get(item as usize).copied().unwrap_or(ABSENT);
            if place != node * LANES as u32 + lane as u32 {
                wrong.push(format!("item {item} is in node {node} lane {lane}, not at {place}"));
            } else {
                found[item as usize] = true;
            }
        });
        problems.append(&mut wrong);
        let placed = self.places.iter().filter(|&&place| place != ABSENT).count();
        let found = found.iter().filter(|&&found| found).count();
        if placed != self.len || found != self.len {
            problems.push(format!(
                "{} items were put in, {placed} have a place, {found} are in the tree",
                self.len
            ));
        }
    }
}
