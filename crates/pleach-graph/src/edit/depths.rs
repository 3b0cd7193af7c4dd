//! Depths after a subtree was moved: small subtrees at once, large ones before the
//! next update.
//!
//! A move costs the update the whole subtree anyway, so putting off the depths of a
//! large one adds nothing to it, and a subtree that is moved many times (a chain built
//! from its end, for example) is renumbered once instead of every time.
//!
//! Invariant, with `store/levels.rs`: a node whose depth is not its parent's plus one
//! is listed in `Levels::moved`.

use alloc::vec::Vec;

use crate::Graph;
use crate::store::{flags::NodeFlags, links::NONE};

/// The largest subtree whose depths are brought up to date at once.
const MAX_IMMEDIATE: usize = 64;

impl Graph {
    /// Brings the depths of a subtree up to date after its root was linked elsewhere,
    /// or lists it for `refresh_depths`.
    pub(super) fn move_depths(&mut self, root: u32) {
        if self.has_right_depth(root) {
            return;
        }
        if self.is_small_subtree(root) {
            self.set_depths(root, false);
        } else {
            self.levels.list_moved(root);
            // The list stays shorter than the graph, however often subtrees are moved.
            if self.levels.moved().len() > self.slots.live() {
                self.refresh_depths();
            }
        }
    }

    /// Brings all depths up to date. Costs the size of the moved subtrees; if there are
    /// several, also their ancestors, each once.
    #[inline]
    pub(crate) fn refresh_depths(&mut self) {
        if !self.levels.is_up_to_date() {
            self.refresh_moved();
        }
    }

    #[cold]
    fn refresh_moved(&mut self) {
        let moved = self.levels.take_moved();
        if let [root] = moved[..] {
            if self.is_misplaced(root) {
                self.set_depths(root, true);
            }
        } else {
            // Subtrees may have been moved into each other: the topmost comes first.
            // Nodes whose ancestors all have the right depth are not walked again.
            let mut is_right = alloc::vec![false; self.slots.len()];
            let mut path = Vec::new();
            for &slot in &moved {
                if !self.is_misplaced(slot) {
                    continue;
                }
                path.clear();
                let mut at = slot;
                while at != NONE && !is_right[at as usize] {
                    path.push(at);
                    at = self.links.parent(at);
                }
                for &at in path.iter().rev() {
                    if !self.has_right_depth(at) {
                        self.set_depths(at, true);
                    }
                    is_right[at as usize] = true;
                }
            }
        }
        self.levels.return_moved(moved);
    }

    /// Returns `true` if the slot holds a node whose depth does not follow from that of
    /// its parent.
    fn is_misplaced(&self, slot: u32) -> bool {
        self.flags[slot as usize].is_alive() && !self.has_right_depth(slot)
    }

    /// Returns `true` if the depth of the node is its parent's plus one.
    #[inline]
    fn has_right_depth(&self, slot: u32) -> bool {
        self.levels.depth(slot) == self.levels.child_depth(self.links.parent(slot))
    }

    #[inline]
    fn is_small_subtree(&self, root: u32) -> bool {
        if !self.flags[root as usize].has(NodeFlags::HAS_CHILDREN) {
            return true;
        }
        let mut slot = root;
        for _ in 0..MAX_IMMEDIATE {
            slot = self.links.next_in_preorder(root, slot);
            if slot == NONE {
                return true;
            }
        }
        false
    }

    /// Sets the depths of a subtree from that of its parent. If `prune`, skips the
    /// descendants of nodes whose depth is right: where it is not right further down,
    /// that node is listed.
    fn set_depths(&mut self, root: u32, prune: bool) {
        let mut slot = root;
        while slot != NONE {
            let depth = self.levels.child_depth(self.links.parent(slot));
            slot = if depth != self.levels.depth(slot) {
                self.levels.remove(slot);
                self.levels.insert(slot, depth);
                self.links.next_in_preorder(root, slot)
            } else if prune {
                self.links.next_after_subtree(root, slot)
            } else {
                self.links.next_in_preorder(root, slot)
            };
        }
    }

    /// Returns the number of ancestors of a node.
    pub(crate) fn depth(&self, slot: u32) -> u32 {
        if self.levels.is_up_to_date() {
            return self.levels.depth(slot);
        }
        let up = |&slot: &u32| Some(self.links.parent(slot)).filter(|&parent| parent != NONE);
        core::iter::successors(Some(slot), up).count() as u32 - 1
    }

    /// Returns all slots by depth, found by following the links, if the levels are not
    /// up to date.
    pub(crate) fn slots_by_depth_from_links(&self) -> Vec<u32> {
        let mut order = Vec::with_capacity(self.slots.live());
        let (mut parent, mut next) = (NONE, 0);
        loop {
            let mut child = self.links.first(parent);
            while child != NONE {
                order.push(child);
                child = self.links.next(child);
            }
            match order.get(next) {
                Some(&slot) => (parent, next) = (slot, next + 1),
                None => return order,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use crate::{Graph, NodeId, Transform};

    fn roots(graph: &mut Graph, count: usize) -> Vec<NodeId> {
        (0..count).map(|_| graph.add_root(Transform::IDENTITY).unwrap()).collect()
    }

    #[test]
    fn a_chain_built_from_its_end_is_renumbered_once() {
        let count = if cfg!(miri) { 300 } else { 20_000 };
        let mut graph = Graph::new();
        let nodes = roots(&mut graph, count);
        graph.update();
        let before = graph.levels.insertions;
        for pair in nodes.windows(2) {
            graph.attach(pair[0], pair[1]).unwrap();
        }
        assert_eq!(graph.node(nodes[0]).unwrap().depth(), count - 1);
        assert_eq!(graph.by_depth().last(), Some(nodes[0]));
        assert_eq!(graph.check(), []);
        graph.update();
        let insertions = graph.levels.insertions - before;
        // Quadratic before: half of count².
        assert!(insertions <= (super::MAX_IMMEDIATE + 2) * count, "{insertions}");
        assert_eq!(graph.node(nodes[0]).unwrap().depth(), count - 1);
        assert_eq!(graph.check(), []);
    }

    #[test]
    fn a_subtree_moved_many_times_between_updates_is_renumbered_once() {
        let mut graph = Graph::new();
        let root = graph.add_root(Transform::IDENTITY).unwrap();
        let middle = graph.add_child(root, Transform::IDENTITY).unwrap();
        let moved = graph.add_child(middle, Transform::IDENTITY).unwrap();
        for _ in 0..200 {
            graph.add_child(moved, Transform::IDENTITY).unwrap();
        }
        graph.update();
        let before = graph.levels.insertions;
        for _ in 0..if cfg!(miri) { 3 } else { 150 } {
            graph.detach(moved).unwrap();
            assert_eq!(graph.check(), []);
            graph.attach(moved, root).unwrap();
        }
        assert!(graph.attach(root, moved).is_err(), "a cycle is found without levels");
        graph.update();
        assert_eq!(graph.levels.insertions - before, 201);
        assert_eq!(graph.check(), []);
    }

    #[test]
    fn a_moved_subtree_inside_another_whose_depth_is_right_again_is_renumbered() {
        let mut graph = Graph::new();
        let [a, b, d, p] = [(); 4].map(|()| graph.add_root(Transform::IDENTITY).unwrap());
        let q = graph.add_child(p, Transform::IDENTITY).unwrap();
        let c = graph.add_child(q, Transform::IDENTITY).unwrap();
        for large in [b, c, d] {
            (0..100).for_each(|_| _ = graph.add_child(large, Transform::IDENTITY).unwrap());
        }
        graph.update();
        // All three are listed, `d` first. Once `b` is renumbered, the depth of `c` is
        // what it was, and that of `d` is not.
        graph.attach(d, c).unwrap();
        graph.attach(c, b).unwrap();
        graph.attach(b, a).unwrap();
        assert_eq!(graph.levels.moved().len(), 3);
        graph.update();
        assert_eq!(graph.node(d).unwrap().depth(), 3);
        assert_eq!(graph.check(), []);
    }

    #[test]
    fn many_moves_without_an_update_take_bounded_memory() {
        let mut graph = Graph::new();
        let root = graph.add_root(Transform::IDENTITY).unwrap();
        let moved = graph.add_child(root, Transform::IDENTITY).unwrap();
        for _ in 0..100 {
            graph.add_child(moved, Transform::IDENTITY).unwrap();
        }
        for _ in 0..if cfg!(miri) { 20 } else { 1_000 } {
            graph.detach(moved).unwrap();
            graph.attach(moved, root).unwrap();
            assert!(graph.levels.moved().len() <= graph.len());
        }
        assert_eq!(graph.check(), []);
    }
}
