//! A tree of boxes that come, move and go.
//!
//! Items are small numbers chosen by the caller. An item that moves within the box
//! of its node stays there; one that leaves it is put in again from the nearest
//! ancestor that holds its new box, wherever it adds the least area: that keeps the
//! tree about as good as one that was built of all at once (measured: see the
//! decisions page on the tree). Should it ever get much worse, `is_worn` tells.
//!
//! Invariants: `places[item]` is the lane that holds the item, for each item in the
//! tree; every box above is the exact union of those below (`node.rs`); a node but
//! the root has two lanes in use or more.

use super::build::{Builder, Effort, Sink};
use super::insert_target::{Choice, Taste, measure};
use super::node::{Arena, Child, LANES, NONE, Node};
use super::parallel::threads_for;
use crate::Aabb;

/// The place of an item that is not in the tree.
pub(crate) const ABSENT: u32 = u32::MAX;

/// The root, once there is one.
pub(crate) const ROOT: u32 = 0;

#[derive(Clone, Debug, Default)]
pub(crate) struct Dynamic {
    pub(crate) arena: Arena,
    /// By item: eight times the node, plus the lane.
    pub(crate) places: Vec<u32>,
    pub(crate) len: usize,
    builder: Builder,
    /// Do parents come before their children in memory?
    pub(super) straight: bool,
    /// Items put in since the tree was last looked over.
    put_in: usize,
    /// `cost` and `len` after the last build.
    built: (f64, usize),
    order: Vec<u32>,
}

/// By how much `cost` may grow before a tree counts as worn.
const WORN: f64 = 1.5;

/// Tells items where they are.
pub(crate) struct Items<'a>(pub(crate) &'a mut Vec<u32>);

impl Sink for Items<'_> {
    const LEAF: usize = 1;

    #[inline]
    fn leaf(&mut self, children: &[Child]) -> Child {
        children[0]
    }

    #[inline]
    fn place(&mut self, arena: &mut Arena, child: Child, node: u32, lane: usize) {
        if child.is_leaf() {
            self.0[child.index() as usize] = node * LANES as u32 + lane as u32;
        } else {
            let below = &mut arena.nodes[child.index() as usize];
            (below.parent, below.lane) = (node, lane as u8);
        }
    }
}

impl Dynamic {
    pub(crate) fn nodes(&self) -> &[Node] {
        &self.arena.nodes
    }

    pub(crate) fn contains(&self, item: u32) -> bool {
        self.places.get(item as usize).is_some_and(|&place| place != ABSENT)
    }

    /// The box an item has in the tree; it must be in it.
    pub(crate) fn aabb(&self, item: u32) -> Aabb {
        let (node, lane) = self.place(item);
        self.arena.nodes[node as usize].aabb(lane)
    }

    fn place(&self, item: u32) -> (u32, usize) {
        let place = self.places[item as usize];
        debug_assert_ne!(place, ABSENT);
        (place / LANES as u32, place as usize % LANES)
    }

    /// Makes the tree of these items anew, and nothing else in it.
    pub(crate) fn rebuild(&mut self, items: impl Iterator<Item = (u32, Aabb)>) {
        let threads = threads_for(items.size_hint().1.unwrap_or(0));
        self.rebuild_on(items, threads);
    }

    /// On so many threads: the same tree, whatever their number.
    pub(super) fn rebuild_on(&mut self, items: impl Iterator<Item = (u32, Aabb)>, threads: usize) {
        self.arena.clear();
        self.places.fill(ABSENT);
        self.builder.clear();
        self.builder.reserve(items.size_hint().1.unwrap_or(0));
        let mut most = 0;
        for (item, aabb) in items {
            most = most.max(item as usize + 1);
            self.builder.push(&aabb, Child::leaf(item));
        }
        if self.places.len() < most {
            self.places.resize(most, ABSENT);
        }
        self.len = self.builder.len();
        if self.len > 0 {
            let items = &mut Items(&mut self.places);
            self.builder.build_items(&mut self.arena, Effort::Quick, items, threads);
        }
        // Items that move about make some more nodes: not in the middle of a frame.
        let more = self.arena.nodes.len() / 2 + 8;
        self.arena.nodes.reserve(more);
        self.arena.free.reserve(more);
        self.straight = true;
        self.put_in = 0;
        self.built = (self.relative(self.cost()), self.len);
    }

    pub(crate) fn insert(&mut self, item: u32, aabb: &Aabb) {
        if self.places.len() <= item as usize {
            self.places.resize(item as usize + 1, ABSENT);
        }
        debug_assert_eq!(self.places[item as usize], ABSENT);
        if self.arena.nodes.is_empty() {
            self.arena.add();
        }
        self.len += 1;
        self.insert_below(ROOT, item, aabb);
    }

    pub(crate) fn remove(&mut self, item: u32) {
        self.take_out(item);
        self.len -= 1;
    }

    /// Another name for an item.
    pub(crate) fn rename(&mut self, item: u32, to: u32) {
        let (node, lane) = self.place(item);
        self.places[to as usize] = self.places[item as usize];
        self.places[item as usize] = ABSENT;
        self.arena.nodes[node as usize].set_child(lane, Child::leaf(to));
    }

    /// Gives an item another box.
    pub(crate) fn update(&mut self, item: u32, aabb: &Aabb) {
        let (index, lane) = self.place(item);
        if self.holds(index, aabb) {
            self.arena.nodes[index as usize].set_aabb(lane, aabb);
            self.refit_from(index);
            return;
        }
        let mut above = self.arena.nodes[index as usize].parent;
        while above != NONE && !self.holds(above, aabb) {
            above = self.arena.nodes[above as usize].parent;
        }
        // What is taken out may dissolve its node, but none above.
        self.take_out(item);
        self.insert_below(if above == NONE { ROOT } else { above }, item, aabb);
    }

    /// Is the box within the node's? All space counts as the root's.
    #[inline]
    fn holds(&self, index: u32, aabb: &Aabb) -> bool {
        let node = &self.arena.nodes[index as usize];
        if node.parent == NONE {
            return true;
        }
        let outer = self.arena.nodes[node.parent as usize].aabb(node.lane as usize);
        outer.min.cmple(aabb.min).all() && outer.max.cmpge(aabb.max).all()
    }

    /// All boxes anew, given those of the items, to which slack is added. Is the tree
    /// worn?
    pub(crate) fn refit_all(&mut self, aabb: impl Fn(u32) -> Aabb) -> bool {
        let mut order = core::mem::take(&mut self.order);
        if self.straight {
            order.clear();
            order.extend(0..self.arena.nodes.len() as u32);
        } else if !self.arena.nodes.is_empty() {
            self.arena.list_from_top(ROOT, &mut order);
        }
        let mut cost = 0.0;
        let nodes = &mut self.arena.nodes;
        for &index in order.iter().rev() {
            let node = &mut nodes[index as usize];
            for lane in 0..node.len as usize {
                let child = node.children[lane];
                if child.is_leaf() {
                    node.set_aabb(lane, &aabb(child.index()));
                }
            }
            node.grow_leaves();
            let union = node.union();
            let (parent, lane) = (node.parent, node.lane as usize);
            cost += f64::from(measure(union.max - union.min));
            if let Some(parent) = nodes.get_mut(parent as usize) {
                parent.set_aabb(lane, &union);
            }
        }
        self.order = order;
        self.put_in = 0;
        self.is_worse_than_built(cost)
    }

    /// Did it get much worse than it was built? Looks only after as many items
    /// were put in as there are, so that it costs next to nothing.
    pub(crate) fn is_worn(&mut self) -> bool {
        if self.put_in < self.len.max(64) {
            return false;
        }
        self.put_in = 0;
        self.is_worse_than_built(self.cost())
    }

    fn is_worse_than_built(&self, cost: f64) -> bool {
        let (built, len) = self.built;
        let growth = self.len as f64 / len.max(1) as f64;
        self.relative(cost) > built * growth.max(1.0) * WORN
    }

    /// Of the whole: boxes that spread make a tree no worse.
    fn relative(&self, cost: f64) -> f64 {
        let Some(root) = self.arena.nodes.first() else { return 0.0 };
        let whole = root.union();
        // Areas that overflow tell nothing: a NaN is not worse than anything.
        cost / f64::from(measure(whole.max - whole.min)).max(f64::MIN_POSITIVE)
    }

    /// The boxes from a node's own up to the root, until one is right already.
    pub(super) fn refit_from(&mut self, mut index: u32) {
        while self.arena.refit_one(index) {
            index = self.arena.nodes[index as usize].parent;
        }
    }

    /// The costs of all nodes together: what a ray will visit, on average.
    fn cost(&self) -> f64 {
        let nodes = self.arena.nodes.iter().filter(|node| node.len > 0);
        let unions = nodes.map(|node| node.union());
        unions.map(|union| f64::from(measure(union.max - union.min))).sum()
    }

    fn insert_below(&mut self, top: u32, item: u32, aabb: &Aabb) {
        self.put_in += 1;
        let mut index = top;
        let mut taste = Taste::of(item);
        loop {
            match self.arena.nodes[index as usize].choose(aabb, &mut taste) {
                Choice::Here => break,
                Choice::Below(lane) => {
                    index = self.arena.nodes[index as usize].children[lane].index();
                }
                Choice::With(_) if self.is_too_deep(index) => {
                    self.put_by_split(index, aabb, Child::leaf(item));
                    return;
                }
                Choice::With(lane) => {
                    index = self.make_pair(index, lane);
                    break;
                }
            }
        }
        self.put(index, aabb, Child::leaf(item));
        self.refit_from(index);
    }

    /// Puts a new node in place of a child, with that child in it.
    fn make_pair(&mut self, index: u32, lane: usize) -> u32 {
        let pair = self.arena.add();
        let node = &mut self.arena.nodes[index as usize];
        let (other, other_box) = (node.children[lane], node.aabb(lane));
        node.set_child(lane, Child::node(pair));
        let new = &mut self.arena.nodes[pair as usize];
        (new.parent, new.lane) = (index, lane as u8);
        self.put(pair, &other_box, other);
        self.straight = false;
        pair
    }

    pub(super) fn put(&mut self, index: u32, aabb: &Aabb, child: Child) {
        let lane = self.arena.nodes[index as usize].push(aabb, child);
        self.told(child, index, lane);
    }

    /// Tells a child where it is.
    fn told(&mut self, child: Child, index: u32, lane: usize) {
        Items(&mut self.places).place(&mut self.arena, child, index, lane);
    }

    fn take_out(&mut self, item: u32) {
        let (index, lane) = self.place(item);
        self.places[item as usize] = ABSENT;
        let node = &mut self.arena.nodes[index as usize];
        if let Some(moved) = node.swap_remove(lane) {
            self.told(moved, index, lane);
        }
        let node = &self.arena.nodes[index as usize];
        if node.parent == NONE || node.len > 1 {
            self.refit_from(index);
            return;
        }
        // One is left: it takes the place of its node.
        let (parent, lane) = (node.parent, node.lane as usize);
        let (left, left_box) = (node.children[0], node.aabb(0));
        let above = &mut self.arena.nodes[parent as usize];
        above.set_aabb(lane, &left_box);
        above.set_child(lane, left);
        self.told(left, parent, lane);
        self.arena.nodes[index as usize] = Node::VACANT;
        self.arena.free.push(index);
        self.straight = false;
        self.refit_from(parent);
    }
}
