//! `NodeSet`: nodes that come back, to take them off the lists of changes.
//!
//! Few nodes are sorted; many are marked by slot, which takes memory for all slots between the lowest
//! and the highest, but constant time for each node.

use alloc::vec::Vec;

use crate::NodeId;

/// The number of nodes up to which they are sorted.
const MAX_SORTED: usize = 64;

pub(super) enum NodeSet {
    Sorted(Vec<NodeId>),
    /// From slot `first` on: the generation of the node, or 0.
    BySlot {
        first: usize,
        generations: Vec<u32>,
    },
}

impl NodeSet {
    pub(super) fn new(nodes: &[NodeId]) -> Self {
        let slots = nodes.iter().map(|node| node.index());
        let (Some(first), Some(last)) = (slots.clone().min(), slots.max()) else {
            return Self::Sorted(Vec::new());
        };
        if nodes.len() <= MAX_SORTED {
            let mut sorted = nodes.to_vec();
            sorted.sort_unstable();
            return Self::Sorted(sorted);
        }
        let mut generations = alloc::vec![0; last + 1 - first];
        for node in nodes {
            generations[node.index() - first] = node.generation();
        }
        Self::BySlot { first, generations }
    }

    #[inline]
    pub(super) fn contains(&self, node: NodeId) -> bool {
        match self {
            Self::Sorted(nodes) => nodes.binary_search(&node).is_ok(),
            Self::BySlot { first, generations } => {
                let index = node.index().wrapping_sub(*first);
                generations.get(index) == Some(&node.generation())
            }
        }
    }

    /// Returns `true` if there may be a node in one of `len` slots from `slot` on.
    pub(super) fn contains_slot_of(&self, slot: u32, len: u32) -> bool {
        let (begin, end) = (slot as usize, slot as usize + len as usize);
        match self {
            Self::Sorted(nodes) => {
                let at = nodes.partition_point(|node| node.index() < begin);
                nodes.get(at).is_some_and(|node| node.index() < end)
            }
            Self::BySlot { first, generations } => {
                begin < first + generations.len() && *first < end
            }
        }
    }
}
