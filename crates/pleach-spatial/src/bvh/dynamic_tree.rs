//! `DynamicTree`: a tree of boxes with insertion, removal and updates.
//!
//! Items are small numbers chosen by the caller. An item that moves within the box of its node
//! stays there; otherwise it is reinserted from the nearest ancestor that encloses its new box,
//! where it adds the least area. That keeps the tree about as good as a newly built one
//! (measured: see `docs/decisions/eight-wide-bvh.md`). `needs_rebuild` reports if it becomes much
//! worse.
//!
//! Invariants: `locations[item]` is the lane of the item, for each item in the tree; every box of
//! an inner node is the exact union of the boxes below it (`node.rs`); every node but the root
//! has at least two lanes in use.

use super::build::{Builder, LeafSink, Quality};
use super::insert::{InsertStep, TieBreaker, sah_cost};
use super::node::{Arena, Child, LANES, NONE, Node};
use crate::Aabb;

/// The location of an item that is not in the tree.
pub(crate) const ABSENT: u32 = u32::MAX;

/// The index of the root, once there is one.
pub(crate) const ROOT: u32 = 0;

#[derive(Clone, Debug, Default)]
pub(crate) struct DynamicTree {
    pub(crate) arena: Arena,
    /// By item: eight times the node, plus the lane.
    pub(crate) locations: Vec<u32>,
    pub(crate) len: usize,
    builder: Builder,
    /// `true` if parents precede their children in memory.
    pub(super) topologically_sorted: bool,
    /// The number of insertions since the cost was last computed.
    insertions: usize,
    /// The relative cost and `len` after the last build.
    last_build: (f64, usize),
    refit_order: Vec<u32>,
}

/// The growth of the relative cost from which a rebuild is needed.
const REBUILD_RATIO: f64 = 1.5;

/// A refit prefetches the boxes of the node that is refitted after this many others. The boxes are
/// scattered in memory; waiting for them was two thirds of the time.
const PREFETCH_DISTANCE: usize = 4;

/// Records the locations of items.
pub(crate) struct ItemLocations<'a>(pub(crate) &'a mut Vec<u32>);

impl LeafSink for ItemLocations<'_> {
    const MAX_LEAF_SIZE: usize = 1;

    #[inline]
    fn make_leaf(&mut self, children: &[Child]) -> Child {
        children[0]
    }

    #[inline]
    fn set_location(&mut self, arena: &mut Arena, child: Child, node: u32, lane: usize) {
        if child.is_leaf() {
            self.0[child.index() as usize] = node * LANES as u32 + lane as u32;
        } else {
            let child_node = &mut arena.nodes[child.index() as usize];
            (child_node.parent, child_node.lane) = (node, lane as u8);
        }
    }
}

/// Usual trees have at least this many boxes per node: capacity is reserved accordingly.
pub(super) const BOXES_PER_NODE: usize = 4;

impl Builder {
    /// Builds a tree of items on the calling thread. The arena must have no nodes.
    fn build_items(&mut self, arena: &mut Arena, items: &mut ItemLocations<'_>) {
        arena.nodes.reserve(self.len() / BOXES_PER_NODE);
        let root = arena.allocate();
        self.build(arena, root, Quality::Fast, items);
    }
}

impl DynamicTree {
    pub(crate) fn nodes(&self) -> &[Node] {
        &self.arena.nodes
    }

    pub(crate) fn contains(&self, item: u32) -> bool {
        self.locations.get(item as usize).is_some_and(|&location| location != ABSENT)
    }

    /// Returns the box of an item, which must be in the tree.
    pub(crate) fn aabb(&self, item: u32) -> Aabb {
        let (node, lane) = self.location(item);
        self.arena.nodes[node as usize].aabb(lane)
    }

    fn location(&self, item: u32) -> (u32, usize) {
        let location = self.locations[item as usize];
        debug_assert_ne!(location, ABSENT);
        (location / LANES as u32, location as usize % LANES)
    }

    /// Replaces the tree by one of these items.
    pub(crate) fn rebuild(&mut self, items: impl Iterator<Item = (u32, Aabb)>) {
        self.rebuild_with(items, Builder::build_items);
    }

    /// Replaces the tree by one that `build` builds from these items.
    pub(super) fn rebuild_with(
        &mut self,
        items: impl Iterator<Item = (u32, Aabb)>,
        build: fn(&mut Builder, &mut Arena, &mut ItemLocations<'_>),
    ) {
        self.arena.clear();
        self.locations.fill(ABSENT);
        self.builder.clear();
        self.builder.reserve(items.size_hint().1.unwrap_or(0));
        let mut capacity = 0;
        for (item, aabb) in items {
            capacity = capacity.max(item as usize + 1);
            self.builder.push(&aabb, Child::leaf(item));
        }
        if self.locations.len() < capacity {
            self.locations.resize(capacity, ABSENT);
        }
        self.len = self.builder.len();
        if self.len > 0 {
            let items = &mut ItemLocations(&mut self.locations);
            build(&mut self.builder, &mut self.arena, items);
        }
        // Moving items need a few more nodes: allocate them now, not during a frame.
        let additional = self.arena.nodes.len() / 2 + 8;
        self.arena.nodes.reserve(additional);
        self.arena.free.reserve(additional);
        self.topologically_sorted = true;
        self.insertions = 0;
        self.last_build = (self.relative_cost(self.cost()), self.len);
    }

    pub(crate) fn insert(&mut self, item: u32, aabb: &Aabb) {
        if self.locations.len() <= item as usize {
            self.locations.resize(item as usize + 1, ABSENT);
        }
        debug_assert_eq!(self.locations[item as usize], ABSENT);
        if self.arena.nodes.is_empty() {
            self.arena.allocate();
        }
        self.len += 1;
        self.insert_under(ROOT, item, aabb);
    }

    pub(crate) fn remove(&mut self, item: u32) {
        self.remove_leaf(item);
        self.len -= 1;
    }

    /// Renumbers all items: item `i` is the previous item `old_items[i]`, whether or not that is in
    /// the tree. Items that are not listed are removed. O(n).
    pub(crate) fn renumber_all(&mut self, old_items: &[u32]) {
        let mut new_items = vec![ABSENT; self.locations.len()];
        for (item, &old) in (0..).zip(old_items) {
            if let Some(new) = new_items.get_mut(old as usize) {
                *new = item;
            }
        }
        for (old, &new) in (0..).zip(&new_items) {
            if new == ABSENT && self.contains(old) {
                self.remove(old);
            }
        }
        let old_locations = core::mem::replace(&mut self.locations, vec![ABSENT; old_items.len()]);
        for (&location, &item) in old_locations.iter().zip(&new_items) {
            if location != ABSENT {
                self.locations[item as usize] = location;
                let (node, lane) = (location / LANES as u32, location as usize % LANES);
                self.arena.nodes[node as usize].set_child(lane, Child::leaf(item));
            }
        }
    }

    /// Sets the box of an item.
    pub(crate) fn update(&mut self, item: u32, aabb: &Aabb) {
        let (index, lane) = self.location(item);
        if self.encloses(index, aabb) {
            self.arena.nodes[index as usize].set_aabb(lane, aabb);
            self.refit_ancestors(index);
            return;
        }
        let mut ancestor = self.arena.nodes[index as usize].parent;
        while ancestor != NONE && !self.encloses(ancestor, aabb) {
            ancestor = self.arena.nodes[ancestor as usize].parent;
        }
        // Removing the leaf may remove its node, but none above it.
        self.remove_leaf(item);
        self.insert_under(if ancestor == NONE { ROOT } else { ancestor }, item, aabb);
    }

    /// Returns `true` if the node's box encloses `aabb`. The root encloses everything.
    #[inline]
    fn encloses(&self, index: u32, aabb: &Aabb) -> bool {
        let node = &self.arena.nodes[index as usize];
        if node.parent == NONE {
            return true;
        }
        let node_box = self.arena.nodes[node.parent as usize].aabb(node.lane as usize);
        node_box.min.cmple(aabb.min).all() && node_box.max.cmpge(aabb.max).all()
    }

    /// Recomputes all boxes from those of the items, `boxes[item]`, to which slack is added. Returns
    /// `true` if the tree needs a rebuild.
    pub(crate) fn refit_all(&mut self, boxes: &[Aabb]) -> bool {
        let mut order = core::mem::take(&mut self.refit_order);
        if self.topologically_sorted {
            order.clear();
            order.extend(0..self.arena.nodes.len() as u32);
        } else if !self.arena.nodes.is_empty() {
            self.arena.list_top_down(ROOT, &mut order);
        }
        let mut cost = 0.0;
        let nodes = &mut self.arena.nodes;
        for (position, &index) in order.iter().enumerate().rev() {
            if let Some(later) = position.checked_sub(PREFETCH_DISTANCE) {
                nodes[order[later] as usize].prefetch_leaves(boxes);
            }
            let node = &mut nodes[index as usize];
            let union = node.refit(boxes);
            let (parent, lane) = (node.parent, node.lane as usize);
            cost += f64::from(sah_cost(union.max - union.min));
            if let Some(parent) = nodes.get_mut(parent as usize) {
                parent.set_aabb(lane, &union);
            }
        }
        self.refit_order = order;
        self.insertions = 0;
        self.exceeds_rebuild_ratio(cost)
    }

    /// Returns `true` if the tree became much worse than it was built. Computes the cost only
    /// after as many insertions as there are items, so that it is amortized.
    pub(crate) fn needs_rebuild(&mut self) -> bool {
        if self.insertions < self.len.max(64) {
            return false;
        }
        self.insertions = 0;
        self.exceeds_rebuild_ratio(self.cost())
    }

    fn exceeds_rebuild_ratio(&self, cost: f64) -> bool {
        let (built, len) = self.last_build;
        let growth = self.len as f64 / len.max(1) as f64;
        self.relative_cost(cost) > built * growth.max(1.0) * REBUILD_RATIO
    }

    /// Returns the cost relative to the root box: spreading boxes do not make a tree worse.
    fn relative_cost(&self, cost: f64) -> f64 {
        let Some(root) = self.arena.nodes.first() else { return 0.0 };
        let root_box = root.union();
        // A cost that overflows is NaN, which does not exceed anything.
        cost / f64::from(sah_cost(root_box.max - root_box.min)).max(f64::MIN_POSITIVE)
    }

    /// Recomputes the boxes of a node's ancestors, up to the first that is unchanged.
    pub(super) fn refit_ancestors(&mut self, mut index: u32) {
        while self.arena.refit_one(index) {
            index = self.arena.nodes[index as usize].parent;
        }
    }

    /// Returns the total cost of all nodes: the expected number of nodes that a ray visits.
    fn cost(&self) -> f64 {
        let nodes = self.arena.nodes.iter().filter(|node| node.len > 0);
        let unions = nodes.map(|node| node.union());
        unions.map(|union| f64::from(sah_cost(union.max - union.min))).sum()
    }

    fn insert_under(&mut self, start: u32, item: u32, aabb: &Aabb) {
        self.insertions += 1;
        let mut index = start;
        let mut ties = TieBreaker::for_item(item);
        loop {
            match self.arena.nodes[index as usize].insert_step(aabb, &mut ties) {
                InsertStep::VacantLane => break,
                InsertStep::Descend(lane) => {
                    index = self.arena.nodes[index as usize].children[lane].index();
                }
                InsertStep::MakePair(_) if self.is_too_deep(index) => {
                    self.insert_by_split(index, aabb, Child::leaf(item));
                    return;
                }
                InsertStep::MakePair(lane) => {
                    index = self.make_pair(index, lane);
                    break;
                }
            }
        }
        self.push_child(index, aabb, Child::leaf(item));
        self.refit_ancestors(index);
    }

    /// Replaces a child by a new node that contains it.
    fn make_pair(&mut self, index: u32, lane: usize) -> u32 {
        let pair = self.arena.allocate();
        let node = &mut self.arena.nodes[index as usize];
        let (other, other_box) = (node.children[lane], node.aabb(lane));
        node.set_child(lane, Child::node(pair));
        let new = &mut self.arena.nodes[pair as usize];
        (new.parent, new.lane) = (index, lane as u8);
        self.push_child(pair, &other_box, other);
        self.topologically_sorted = false;
        pair
    }

    pub(super) fn push_child(&mut self, index: u32, aabb: &Aabb, child: Child) {
        let lane = self.arena.nodes[index as usize].push(aabb, child);
        self.record_location(child, index, lane);
    }

    /// Records the location of a child.
    fn record_location(&mut self, child: Child, index: u32, lane: usize) {
        ItemLocations(&mut self.locations).set_location(&mut self.arena, child, index, lane);
    }

    fn remove_leaf(&mut self, item: u32) {
        let (index, lane) = self.location(item);
        self.locations[item as usize] = ABSENT;
        let node = &mut self.arena.nodes[index as usize];
        if let Some(moved) = node.swap_remove(lane) {
            self.record_location(moved, index, lane);
        }
        let node = &self.arena.nodes[index as usize];
        if node.parent == NONE || node.len > 1 {
            self.refit_ancestors(index);
            return;
        }
        // One child remains: it replaces its node.
        let (parent, lane) = (node.parent, node.lane as usize);
        let (remaining, remaining_box) = (node.children[0], node.aabb(0));
        let parent_node = &mut self.arena.nodes[parent as usize];
        parent_node.set_aabb(lane, &remaining_box);
        parent_node.set_child(lane, remaining);
        self.record_location(remaining, parent, lane);
        self.arena.nodes[index as usize] = Node::VACANT;
        self.arena.free.push(index);
        self.topologically_sorted = false;
        self.refit_ancestors(parent);
    }
}
