//! `Graph::to_snapshot`: copies the columns that edits determine.
//!
//! Equal graphs give equal snapshots: rows of dead slots are neutral, and lists are sorted where
//! their order has no meaning.

use alloc::vec::Vec;

use glam::Mat4;

use super::GraphSnapshot;
use crate::store::{flags::NodeFlags, links::NONE};
use crate::{Graph, NodeId, Transform};

impl Graph {
    /// Copies everything that edits determine, so that
    /// [`from_snapshot`](Self::from_snapshot) can restore it with the same handles, order and bits.
    /// O(slots).
    ///
    /// World matrices are not included: the next update computes them. Changes that were not read,
    /// readers, and nodes that are [parked](Self::parked_count) for an undo are not included either;
    /// patches that were recorded later fit the restored graph.
    ///
    /// ```
    /// use pleach_graph::{Graph, Transform};
    ///
    /// let mut graph = Graph::new();
    /// let arm = graph.add_root(Transform::from_xyz(0.0, 0.0, 1.0))?;
    /// let hand = graph.add_child(arm, Transform::IDENTITY)?;
    /// let ring = graph.add_child(hand, Transform::IDENTITY)?;
    /// graph.node_mut(hand)?.set_name("hand");
    /// graph.remove(ring)?;
    ///
    /// let mut restored = Graph::from_snapshot(graph.to_snapshot()).unwrap();
    /// assert_eq!(restored.find("hand"), Some(hand));
    /// assert_eq!(restored.node(hand)?.parent(), Some(arm));
    /// assert!(!restored.contains(ring), "it stays dead");
    /// // The next handle is the same, too.
    /// assert_eq!(restored.add_root(Transform::IDENTITY)?, graph.add_root(Transform::IDENTITY)?);
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[must_use]
    pub fn to_snapshot(&self) -> GraphSnapshot {
        let slots = self.slots.len() as u32;
        let generation = |slot| self.slots.id(slot).map_or(0, |node| node.generation());
        let generations: Vec<u32> = (0..slots).map(generation).collect();
        let is_alive = |slot: &u32| generations[*slot as usize] != 0;
        let mut parents = self.links.parents().to_vec();
        let mut transforms = self.locals.transforms().to_vec();
        for slot in (0..slots as usize).filter(|&slot| generations[slot] == 0) {
            parents[slot] = NONE;
            transforms[slot] = Transform::IDENTITY;
        }
        // The last sibling has no next one, which is the greatest number.
        let is_ascending = |slot: u32| self.links.next(slot) > slot;
        let is_sorted = (0..slots).filter(is_alive).all(is_ascending);
        let order = || self.depth_first().map(|node| node.index() as u32).collect();
        let has_matrix = |slot: &u32| self.flags[*slot as usize].has(NodeFlags::HAS_MATRIX);
        let is_hidden = |slot: &u32| !self.flags[*slot as usize].is_visible();
        let matrix_slots: Vec<u32> = match self.locals.any_matrix() {
            true => (0..slots).filter(is_alive).filter(has_matrix).collect(),
            false => Vec::new(),
        };
        let matrix = |&slot: &u32| Mat4::from_cols_array(&self.locals.to_matrix(slot));
        let hidden = (0..slots).filter(is_alive).filter(is_hidden).collect();
        let mut snapshot = GraphSnapshot {
            max_generation: self.slots.max_generation(),
            free: self.next_handles(),
            parents,
            order: (!is_sorted).then(order),
            transforms,
            matrices: matrix_slots.iter().map(matrix).collect(),
            matrix_slots,
            hidden,
            named: self.names.by_age(),
            next_name_age: self.names.next_age(),
            lineage: self.lineage(),
            revision: self.revision(),
            ..GraphSnapshot::default()
        };
        let age = |&slot: &u32| self.names.get_with_age(slot).map_or(0, |(_, age)| age);
        snapshot.name_ages = snapshot.named.iter().map(age).collect();
        snapshot.name_ends.reserve_exact(snapshot.named.len());
        for &slot in &snapshot.named {
            snapshot.name_text.push_str(self.names.get(slot).unwrap_or_default());
            snapshot.name_ends.push(snapshot.name_text.len());
        }
        snapshot.generations = generations;
        snapshot
    }

    /// Returns the next handles of free slots, after those of parked ones: these are free once the history
    /// drops them, and so are used last.
    fn next_handles(&self) -> Vec<NodeId> {
        let max = self.slots.max_generation().get();
        let next = |node: NodeId| {
            let is_last = node.generation() >= max;
            NodeId::from_bits(node.to_bits() + 1).filter(|_| !is_last)
        };
        let parked = self.recorder.state.parked.nodes().filter_map(next);
        parked.chain(self.slots.free().iter().copied()).collect()
    }
}
