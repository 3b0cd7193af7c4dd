//! The slot allocator: which slots are alive, and their generations.
//!
//! Invariant: a `NodeId` is never issued twice. A free slot stores generation 0,
//! which no handle has; its next handle is in `free`. A slot whose generations are
//! exhausted is not put there: it is retired, never wrapped. A parked slot
//! (`patch/parked.rs`) also stores generation 0, and is not in `free`: the handle
//! that it had may be restored.

use alloc::vec::Vec;
use core::num::NonZeroU32;

use crate::NodeId;

#[derive(Clone, Debug)]
pub(crate) struct Slots {
    /// By slot: the generation of the live node, or 0.
    generations: Vec<u32>,
    /// The handles to issue next, from the back.
    free: Vec<NodeId>,
    live: usize,
    /// The last generation that a slot may have.
    max_generation: NonZeroU32,
}

impl Slots {
    pub(crate) fn new() -> Self {
        Self { generations: Vec::new(), free: Vec::new(), live: 0, max_generation: NonZeroU32::MAX }
    }

    /// Fills an empty allocator from the columns of a snapshot, which were checked.
    pub(crate) fn restore_all(
        &mut self,
        generations: Vec<u32>,
        free: Vec<NodeId>,
        max: NonZeroU32,
    ) {
        self.live = generations.iter().filter(|&&generation| generation != 0).count();
        self.generations = generations;
        self.free = free;
        self.max_generation = max;
    }

    /// Returns the slot of a live node.
    #[inline]
    pub(crate) fn get(&self, node: NodeId) -> Option<u32> {
        match self.generations.get(node.index()) {
            Some(&generation) if generation == node.generation() => Some(node.index() as u32),
            _ => None,
        }
    }

    /// Returns the slot of the first node if all are alive and in consecutive slots.
    #[inline]
    pub(crate) fn first_of_consecutive(&self, nodes: &[NodeId]) -> Option<usize> {
        let first = nodes.first()?.index();
        if nodes.last()?.index().checked_sub(first)? != nodes.len() - 1 {
            return None;
        }
        let generations = self.generations.get(first..)?.get(..nodes.len())?;
        // No early exit, so that the loop is vectorized.
        let mut differences = 0;
        for ((&node, &generation), slot) in nodes.iter().zip(generations).zip(first as u64..) {
            differences |= node.to_bits() ^ (slot << 32 | u64::from(generation));
        }
        (differences == 0).then_some(first)
    }

    /// Returns the handle of the live node in `slot`.
    #[inline]
    pub(crate) fn id(&self, slot: u32) -> Option<NodeId> {
        let generation = *self.generations.get(slot as usize)?;
        Some(NodeId::new(slot, NonZeroU32::new(generation)?))
    }

    /// Returns the handle of a slot that is known to be alive, as every slot in the
    /// links, levels and change logs is.
    #[inline]
    pub(crate) fn live_id(&self, slot: u32) -> NodeId {
        self.id(slot).expect("links, levels and change logs contain only live slots")
    }

    /// Returns the number of slots, alive or not.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.generations.len()
    }

    /// Returns the number of live nodes.
    #[inline]
    pub(crate) fn live(&self) -> usize {
        self.live
    }

    /// Returns the next handles of the free slots that are not retired.
    pub(crate) fn free(&self) -> &[NodeId] {
        &self.free
    }

    pub(crate) fn max_generation(&self) -> NonZeroU32 {
        self.max_generation
    }

    /// Retires slots after generation `max`, and those free slots that exceed it.
    pub(crate) fn set_max_generation(&mut self, max: NonZeroU32) {
        self.max_generation = max;
        self.free.retain(|next| next.generation() <= max.get());
    }

    pub(crate) fn try_reserve_total(&mut self, slots: usize) -> Result<(), ()> {
        let additional = slots.saturating_sub(self.generations.len());
        self.generations.try_reserve_exact(additional).map_err(drop)
    }

    /// Allocates a slot: a free one if there is any, otherwise a new one at the
    /// end.
    #[inline]
    pub(crate) fn insert(&mut self) -> NodeId {
        let Some(node) = self.free.pop() else { return self.push() };
        self.live += 1;
        self.generations[node.index()] = node.generation();
        node
    }

    /// Allocates a new slot at the end. No slot may be free.
    #[inline]
    pub(crate) fn push(&mut self) -> NodeId {
        self.live += 1;
        let slot = self.generations.len() as u32;
        self.generations.push(1);
        NodeId::new(slot, NonZeroU32::MIN)
    }

    /// Returns the handles that the next `count` calls of `insert` will return.
    pub(crate) fn upcoming(&self, count: usize) -> impl Iterator<Item = NodeId> + '_ {
        let reused = self.free.iter().rev().copied();
        let new = (self.generations.len()..).map(|slot| NodeId::new(slot as u32, NonZeroU32::MIN));
        reused.chain(new).take(count)
    }

    /// Allocates `count` new slots at the end. No slot may be free.
    pub(crate) fn append(&mut self, count: usize) {
        self.live += count;
        self.generations.resize(self.generations.len() + count, 1);
    }

    /// Returns the free slots and the number of live ones, for the tests of `check`, which break
    /// them.
    #[cfg(test)]
    pub(crate) fn free_and_live_mut(&mut self) -> (&mut Vec<NodeId>, &mut usize) {
        (&mut self.free, &mut self.live)
    }

    /// Empties a live slot, whose handle may be restored.
    #[inline]
    pub(crate) fn park(&mut self, slot: u32) {
        self.generations[slot as usize] = 0;
        self.live -= 1;
    }

    /// Frees the slot of a parked node.
    pub(crate) fn free_parked(&mut self, node: NodeId) {
        self.push_next(node.index() as u32, node.generation());
    }

    /// Makes a node alive whose slot is neither in use nor in `free`.
    #[inline]
    pub(crate) fn restore(&mut self, node: NodeId) {
        self.generations[node.index()] = node.generation();
        self.live += 1;
    }

    /// Appends a free slot.
    pub(crate) fn push_free(&mut self) {
        self.free.push(NodeId::new(self.generations.len() as u32, NonZeroU32::MIN));
        self.generations.push(0);
    }

    /// Takes the slot of a node from `free`, whatever its next generation is.
    pub(crate) fn take_free(&mut self, node: NodeId) {
        // Those that are issued next are at the end.
        if let Some(at) = self.free.iter().rposition(|next| next.index() == node.index()) {
            self.free.remove(at);
        }
    }

    #[inline]
    fn push_next(&mut self, slot: u32, generation: u32) {
        if generation < self.max_generation.get() {
            let next = NonZeroU32::new(generation + 1).expect("a successor is not zero");
            self.free.push(NodeId::new(slot, next));
        }
    }

    /// Frees the slot of a live node.
    #[inline]
    pub(crate) fn remove(&mut self, node: NodeId) {
        self.generations[node.index()] = 0;
        self.live -= 1;
        self.push_next(node.index() as u32, node.generation());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exhausted_slot_is_retired_and_its_handles_stay_dead() {
        const LAST: u32 = 7;
        let mut slots = Slots::new();
        slots.set_max_generation(NonZeroU32::new(LAST).unwrap());
        let mut issued = Vec::new();
        for _ in 0..100 {
            let node = slots.insert();
            assert!(!issued.contains(&node), "{node} was issued twice");
            for &old in &issued {
                assert_eq!(slots.get(old), None, "{old} is alive again");
            }
            assert_eq!(slots.get(node), Some(node.index() as u32));
            issued.push(node);
            slots.remove(node);
        }
        // 100 nodes, 7 per slot: 14 slots are retired, one is in use.
        assert_eq!(slots.len(), 100usize.div_ceil(LAST as usize));
        assert_eq!(slots.free().len(), 1);
        assert!(issued.iter().all(|node| node.generation() <= LAST));
    }

    #[test]
    fn last_generation_is_used_before_the_slot_is_retired() {
        let mut slots = Slots::new();
        let first = slots.insert();
        slots.remove(first);
        slots.free[0] = NodeId::from_bits(u64::from(u32::MAX)).unwrap();
        let last = slots.insert();
        assert_eq!(last.generation(), u32::MAX);
        slots.remove(last);
        let next = slots.insert();
        assert_eq!(next.index(), 1, "slot 0 is retired");
        assert_eq!((slots.get(first), slots.get(last)), (None, None));
    }

    #[test]
    fn forged_handle_of_a_free_slot_is_rejected() {
        let mut slots = Slots::new();
        let node = slots.insert();
        slots.remove(node);
        for generation in 1..5u64 {
            let forged = NodeId::from_bits((node.index() as u64) << 32 | generation).unwrap();
            assert_eq!(slots.get(forged), None);
        }
    }
}
