//! Node splits: keep the tree shallow under adversarial insertion orders.
//!
//! Boxes inserted one after the other along a line would each go into the node of the previous
//! one, and every full node would get another node below it. Beyond a depth limit a full node is
//! split instead; the new node becomes its sibling, and the parent may have to be split in turn,
//! up to the root.

use super::dynamic_tree::{DynamicTree, ROOT};
use super::insert::sah_cost;
use super::node::{Child, LANES, NONE, Node};
use crate::Aabb;
use crate::shapes::vector::longest_axis;

/// The boxes of a full node, and one more.
type Entries = [(Aabb, Child); LANES + 1];

/// The minimum number of boxes on each side of a split.
const MIN_ENTRIES: usize = 3;

impl DynamicTree {
    /// Returns `true` if the node is deeper than about twice the depth of a tree of full nodes.
    pub(crate) fn is_too_deep(&self, mut index: u32) -> bool {
        let mut levels_left = 4 + 2 * (usize::BITS - self.len.leading_zeros()) / 3;
        while self.arena.nodes[index as usize].parent != NONE {
            index = self.arena.nodes[index as usize].parent;
            let Some(fewer) = levels_left.checked_sub(1) else { return true };
            levels_left = fewer;
        }
        false
    }

    /// Inserts a child into a full node by splitting it.
    pub(crate) fn insert_by_split(&mut self, index: u32, aabb: &Aabb, child: Child) {
        let (mut index, mut extra) = (index, (*aabb, child));
        loop {
            let old = self.arena.nodes[index as usize];
            let mut entries = [extra; LANES + 1];
            for (lane, entry) in entries[..LANES].iter_mut().enumerate() {
                *entry = (old.aabb(lane), old.children[lane]);
            }
            let split = choose_split(&mut entries);
            let new = self.arena.allocate();
            if index == ROOT {
                // The root keeps its index, above both.
                let first = self.arena.allocate();
                self.arena.nodes[ROOT as usize] = Node::VACANT;
                for (node, entries) in [(first, &entries[..split]), (new, &entries[split..])] {
                    self.fill_node(node, entries);
                    let union = self.arena.nodes[node as usize].union();
                    self.push_child(ROOT, &union, Child::node(node));
                }
                break;
            }
            self.arena.nodes[index as usize] =
                Node { parent: old.parent, lane: old.lane, ..Node::VACANT };
            self.fill_node(index, &entries[..split]);
            self.fill_node(new, &entries[split..]);
            self.arena.refit_one(index);
            let union = self.arena.nodes[new as usize].union();
            if (self.arena.nodes[old.parent as usize].len as usize) < LANES {
                self.push_child(old.parent, &union, Child::node(new));
                self.refit_ancestors(old.parent);
                break;
            }
            (index, extra) = (old.parent, (union, Child::node(new)));
        }
        self.topologically_sorted = false;
    }

    fn fill_node(&mut self, index: u32, entries: &[(Aabb, Child)]) {
        for (aabb, child) in entries {
            self.push_child(index, aabb, *child);
        }
    }
}

/// Sorts the boxes along the axis with the largest extent of their centres, and returns the index
/// at which to split.
fn choose_split(entries: &mut Entries) -> usize {
    let centers = entries.iter().fold(Aabb::EMPTY, |centers, (aabb, _)| {
        let center = aabb.min + aabb.max;
        Aabb { min: centers.min.min(center), max: centers.max.max(center) }
    });
    let axis = longest_axis((centers.max - centers.min).to_array());
    entries.sort_by(|(a, _), (b, _)| {
        (a.min[axis] + a.max[axis]).total_cmp(&(b.min[axis] + b.max[axis]))
    });
    let cost = |half: &[(Aabb, Child)]| {
        let union = half.iter().fold(half[0].0, |union, (aabb, _)| Aabb {
            min: union.min.min(aabb.min),
            max: union.max.max(aabb.max),
        });
        sah_cost(union.max - union.min) * half.len() as f32
    };
    let (mut best, mut best_cost) = (entries.len() / 2, f32::INFINITY);
    for split in MIN_ENTRIES..=entries.len() - MIN_ENTRIES {
        let cost = cost(&entries[..split]) + cost(&entries[split..]);
        if cost < best_cost {
            (best, best_cost) = (split, cost);
        }
    }
    best
}
