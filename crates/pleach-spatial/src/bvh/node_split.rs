//! Splits: a full node that gets one more becomes two, so that no chain grows deep.
//!
//! Boxes that come in a row, one after the other along a line, would each go into the
//! node of the last, and every node that is full would get one more below it. Beyond
//! `depth_limit` a full node is split instead, and the new one goes beside it into
//! the node above, which may have to be split in turn, up to the root.

use super::dynamic_tree::{Dynamic, ROOT};
use super::insert_target::measure;
use super::node::{Child, LANES, NONE, Node};
use crate::Aabb;

/// The boxes of a node, and one more.
type Entries = [(Aabb, Child); LANES + 1];

/// No part of a split gets fewer.
const LEAST: usize = 3;

impl Dynamic {
    /// Twice as deep as a tree of full nodes would be, and a little.
    pub(crate) fn is_too_deep(&self, mut index: u32) -> bool {
        let mut left = 4 + 2 * (usize::BITS - self.len.leading_zeros()) / 3;
        while self.arena.nodes[index as usize].parent != NONE {
            index = self.arena.nodes[index as usize].parent;
            let Some(less) = left.checked_sub(1) else { return true };
            left = less;
        }
        false
    }

    /// Puts a child into a full node, by splitting it.
    pub(crate) fn put_by_split(&mut self, index: u32, aabb: &Aabb, child: Child) {
        let (mut index, mut more) = (index, (*aabb, child));
        loop {
            let old = self.arena.nodes[index as usize];
            let mut entries = [more; LANES + 1];
            for (lane, entry) in entries[..LANES].iter_mut().enumerate() {
                *entry = (old.aabb(lane), old.children[lane]);
            }
            let cut = divide(&mut entries);
            let new = self.arena.add();
            if index == ROOT {
                // The root stays where it is, above both.
                let first = self.arena.add();
                self.arena.nodes[ROOT as usize] = Node::VACANT;
                for (node, entries) in [(first, &entries[..cut]), (new, &entries[cut..])] {
                    self.fill(node, entries);
                    let union = self.arena.nodes[node as usize].union();
                    self.put(ROOT, &union, Child::node(node));
                }
                break;
            }
            self.arena.nodes[index as usize] =
                Node { parent: old.parent, lane: old.lane, ..Node::VACANT };
            self.fill(index, &entries[..cut]);
            self.fill(new, &entries[cut..]);
            self.arena.refit_one(index);
            let union = self.arena.nodes[new as usize].union();
            if (self.arena.nodes[old.parent as usize].len as usize) < LANES {
                self.put(old.parent, &union, Child::node(new));
                self.refit_from(old.parent);
                break;
            }
            (index, more) = (old.parent, (union, Child::node(new)));
        }
        self.straight = false;
    }

    fn fill(&mut self, index: u32, entries: &[(Aabb, Child)]) {
        for (aabb, child) in entries {
            self.put(index, aabb, *child);
        }
    }
}

/// Orders the boxes along the axis on which they are spread most; where the second
/// part begins.
fn divide(entries: &mut Entries) -> usize {
    let all = entries.iter().fold(Aabb::EMPTY, |all, (aabb, _)| {
        let center = aabb.min + aabb.max;
        Aabb { min: all.min.min(center), max: all.max.max(center) }
    });
    let spread = all.max - all.min;
    let axis = if spread.x >= spread.y && spread.x >= spread.z {
        0
    } else if spread.y >= spread.z {
        1
    } else {
        2
    };
    entries.sort_by(|(a, _), (b, _)| {
        (a.min[axis] + a.max[axis]).total_cmp(&(b.min[axis] + b.max[axis]))
    });
    let cost = |part: &[(Aabb, Child)]| {
        let union = part.iter().fold(part[0].0, |union, (aabb, _)| Aabb {
            min: union.min.min(aabb.min),
            max: union.max.max(aabb.max),
        });
        measure(union.max - union.min) * part.len() as f32
    };
    let (mut best, mut least) = (entries.len() / 2, f32::INFINITY);
    for cut in LEAST..=entries.len() - LEAST {
        let cost = cost(&entries[..cut]) + cost(&entries[cut..]);
        if cost < least {
            (best, least) = (cut, cost);
        }
    }
    best
}
