//! Which slots are alive, and under which generation.
//!
//! Invariant: a `NodeId` never comes back to life. A free slot stores generation
//! 0, which no handle has; the handle of its next tenant waits in `free`. A slot
//! whose generations are used up is not put there: it is retired, never wrapped.

use alloc::vec::Vec;
use core::num::NonZeroU32;

use crate::NodeId;

#[derive(Clone, Debug)]
pub(crate) struct Slots {
    /// By slot: the generation of the living node, or 0.
    generations: Vec<u32>,
    /// The handles to give out next, last one first.
    free: Vec<NodeId>,
    live: usize,
    /// The last generation a slot may have.
    last_generation: u32,
}

impl Slots {
    pub(crate) fn new() -> Self {
        Self::with_last_generation(u32::MAX)
    }

    /// Slots that wear out after `last_generation` tenants.
    pub(crate) fn with_last_generation(last_generation: u32) -> Self {
        Self { generations: Vec::new(), free: Vec::new(), live: 0, last_generation }
    }

    /// The slot of a living node.
    #[inline]
    pub(crate) fn get(&self, node: NodeId) -> Option<u32> {
        match self.generations.get(node.index()) {
            Some(&generation) if generation == node.generation() => Some(node.index() as u32),
            _ => None,
        }
    }

    /// The handle of the node living in `slot`.
    #[inline]
    pub(crate) fn id(&self, slot: u32) -> Option<NodeId> {
        let generation = *self.generations.get(slot as usize)?;
        Some(NodeId::new(slot, NonZeroU32::new(generation)?))
    }

    /// The handle of a slot known to be alive, as every slot in the links,
    /// levels and change logs is.
    #[inline]
    pub(crate) fn live_id(&self, slot: u32) -> NodeId {
        self.id(slot).expect("links, levels and logs name living slots only")
    }

    /// How many slots exist, alive or not.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.generations.len()
    }

    /// How many nodes are alive.
    #[inline]
    pub(crate) fn live(&self) -> usize {
        self.live
    }

    /// Slots that are free and not worn out.
    pub(crate) fn free(&self) -> &[NodeId] {
        &self.free
    }

    pub(crate) fn last_generation(&self) -> u32 {
        self.last_generation
    }

    pub(crate) fn try_reserve_total(&mut self, slots: usize) -> Result<(), ()> {
        let more = slots.saturating_sub(self.generations.len());
        self.generations.try_reserve_exact(more).map_err(drop)
    }

    /// Gives out a slot: a used one if there is any, else a new one at the end.
    #[inline]
    pub(crate) fn insert(&mut self) -> NodeId {
        self.live += 1;
        if let Some(node) = self.free.pop() {
            self.generations[node.index()] = node.generation();
            return node;
        }
        let slot = self.generations.len() as u32;
        self.generations.push(1);
        NodeId::new(slot, NonZeroU32::MIN)
    }

    /// The handles that so many calls of `insert` will give out.
    pub(crate) fn upcoming(&self, count: usize) -> impl Iterator<Item = NodeId> + '_ {
        let reused = self.free.iter().rev().copied();
        let new = (self.generations.len()..).map(|slot| NodeId::new(slot as u32, NonZeroU32::MIN));
        reused.chain(new).take(count)
    }

    /// Gives out so many new slots at the end; none is free.
    pub(crate) fn append(&mut self, count: usize) {
        self.live += count;
        self.generations.resize(self.generations.len() + count, 1);
    }

    /// Takes a living slot back.
    #[inline]
    pub(crate) fn remove(&mut self, slot: u32) {
        let generation = core::mem::take(&mut self.generations[slot as usize]);
        self.live -= 1;
        if generation < self.last_generation {
            let next = NonZeroU32::new(generation + 1).expect("one more than a number is not zero");
            self.free.push(NodeId::new(slot, next));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worn_out_slot_is_retired_and_its_handles_stay_dead() {
        const LAST: u32 = 7;
        let mut slots = Slots::with_last_generation(LAST);
        let mut issued = Vec::new();
        for _ in 0..100 {
            let node = slots.insert();
            assert!(!issued.contains(&node), "{node} was given out twice");
            for &old in &issued {
                assert_eq!(slots.get(old), None, "{old} came back to life");
            }
            assert_eq!(slots.get(node), Some(node.index() as u32));
            issued.push(node);
            slots.remove(node.index() as u32);
        }
        // 100 tenants, 7 to a slot: 14 slots are worn out, one is in use.
        assert_eq!(slots.len(), 100usize.div_ceil(LAST as usize));
        assert_eq!(slots.free().len(), 1);
        assert!(issued.iter().all(|node| node.generation() <= LAST));
    }

    #[test]
    fn the_widest_generation_is_used_and_then_retired() {
        let mut slots = Slots::new();
        let first = slots.insert();
        slots.remove(0);
        slots.free[0] = NodeId::from_bits(u64::from(u32::MAX)).unwrap();
        let last = slots.insert();
        assert_eq!(last.generation(), u32::MAX);
        slots.remove(0);
        let next = slots.insert();
        assert_eq!(next.index(), 1, "slot 0 is worn out");
        assert_eq!((slots.get(first), slots.get(last)), (None, None));
    }

    #[test]
    fn a_forged_handle_of_a_free_slot_is_refused() {
        let mut slots = Slots::new();
        let node = slots.insert();
        slots.remove(0);
        for generation in 1..5u64 {
            let forged = NodeId::from_bits((node.index() as u64) << 32 | generation).unwrap();
            assert_eq!(slots.get(forged), None);
        }
    }
}
