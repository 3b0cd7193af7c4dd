//! Parked nodes: removed by a recorded edit, so that undoing it brings back the same handles.
//!
//! A parked slot is dead to every call, but not free: it keeps its generation, and is not reused.
//! The patches that can bring the nodes back share a token (`Nodes::token`); once the last of them is
//! dropped, the slots become free.
//!
//! Invariant: a slot is parked exactly if `slots` has its generation. It belongs to the list that
//! parked it last, and becomes free with that.

use alloc::boxed::Box;
use alloc::sync::{Arc, Weak};
use alloc::vec::Vec;

use crate::patch::edit::Nodes;
use crate::{Graph, NodeId};

/// The parked nodes of a graph.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parked {
    /// By slot, up to the highest that was ever parked.
    slots: Vec<ParkedSlot>,
    lists: Vec<ParkedList>,
    count: usize,
    next_list: u64,
    /// The number of lists at which they are looked at.
    look_at: usize,
}

#[derive(Clone, Copy, Debug, Default)]
struct ParkedSlot {
    /// The generation of the parked node, or 0.
    generation: u32,
    /// The node has a world transform.
    is_updated: bool,
    list: u64,
}

/// Nodes that were parked together.
#[derive(Clone, Debug)]
struct ParkedList {
    id: u64,
    nodes: Box<[NodeId]>,
    token: Weak<()>,
}

/// The minimum of `Parked::look_at`.
const MIN_LOOK_AT: usize = 16;

impl Parked {
    /// Returns the generation of the node that is parked in a slot, or 0.
    pub(crate) fn generation(&self, slot: usize) -> u32 {
        self.slots.get(slot).map_or(0, |it| it.generation)
    }

    pub(crate) fn contains(&self, node: NodeId) -> bool {
        self.generation(node.index()) == node.generation()
    }

    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Returns the parked nodes, by slot.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = NodeId> + '_ {
        let node = |(slot, it): (usize, &ParkedSlot)| {
            NodeId::from_bits((slot as u64) << 32 | u64::from(it.generation))
        };
        self.slots.iter().enumerate().filter_map(node)
    }

    /// Begins a list: parks nodes that are about to lose their slots. `is_updated` returns whether one of
    /// them has a world transform.
    pub(crate) fn park(&mut self, nodes: &Nodes, is_updated: impl Fn(NodeId) -> bool) {
        let id = self.next_list;
        self.next_list += 1;
        let ids: Box<[NodeId]> = nodes.records().iter().map(|record| record.node).collect();
        let slots = ids.iter().map(|node| node.index() + 1).max().unwrap_or(0);
        if self.slots.len() < slots {
            self.slots.resize(slots, ParkedSlot::default());
        }
        for &node in &ids {
            let (generation, is_updated) = (node.generation(), is_updated(node));
            self.slots[node.index()] = ParkedSlot { generation, is_updated, list: id };
        }
        self.count += ids.len();
        self.lists.push(ParkedList { id, nodes: ids, token: Arc::downgrade(&nodes.token) });
    }

    /// Takes the node out of a slot. Returns its generation, or 0 if none was parked, and whether it
    /// has a world transform.
    pub(crate) fn take(&mut self, slot: usize) -> (u32, bool) {
        let Some(slot) = self.slots.get_mut(slot) else { return (0, false) };
        let ParkedSlot { generation, is_updated, .. } = core::mem::take(slot);
        self.count -= usize::from(generation > 0);
        (generation, is_updated)
    }

    fn belongs_to(&self, list: u64, node: NodeId) -> bool {
        let slot = self.slots[node.index()];
        slot.list == list && slot.generation == node.generation()
    }
}

impl Graph {
    /// Frees the slots of the nodes that no patch can bring back any more, and returns how many there
    /// were.
    ///
    /// A transaction and [`apply`](Self::apply) do this from time to time; call it to have the slots
    /// at once.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// let mut graph = Graph::new();
    /// let node = graph.add_root(Transform::IDENTITY)?;
    /// let (_, patch) = graph.transact("Delete", |graph| graph.remove(node))?;
    /// assert_eq!((graph.parked_count(), graph.free_parked()), (1, 0));
    /// drop(patch);
    /// assert_eq!((graph.free_parked(), graph.parked_count()), (1, 0));
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    pub fn free_parked(&mut self) -> usize {
        let before = self.recorder.state.parked.count;
        let mut lists = core::mem::take(&mut self.recorder.state.parked.lists);
        lists.retain(|list| {
            if list.token.strong_count() > 0 {
                // A list whose nodes are all back is not needed.
                return list
                    .nodes
                    .iter()
                    .any(|&node| self.recorder.state.parked.belongs_to(list.id, node));
            }
            for &node in &list.nodes {
                if self.recorder.state.parked.belongs_to(list.id, node) {
                    self.recorder.state.parked.take(node.index());
                    self.slots.free_parked(node);
                }
            }
            false
        });
        self.recorder.state.parked.look_at = MIN_LOOK_AT.max(2 * lists.len());
        self.recorder.state.parked.lists = lists;
        before - self.recorder.state.parked.count
    }

    /// Calls `free_parked` if there are many more lists than the last time.
    pub(super) fn free_parked_sometimes(&mut self) {
        if self.recorder.state.parked.lists.len() >= self.recorder.state.parked.look_at {
            self.free_parked();
        }
    }

    /// Returns the number of parked nodes: removed, but a patch can bring them back. They take as much
    /// memory as live ones.
    #[must_use]
    pub fn parked_count(&self) -> usize {
        self.recorder.state.parked.count()
    }

    /// Returns `true` if a node was removed, and a patch can bring it back.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// let mut graph = Graph::new();
    /// let node = graph.add_root(Transform::IDENTITY)?;
    /// let (_, patch) = graph.transact("Delete", |graph| graph.remove(node))?;
    /// assert!(graph.is_parked(node) && !graph.contains(node));
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[must_use]
    pub fn is_parked(&self, node: NodeId) -> bool {
        self.recorder.state.parked.contains(node)
    }
}
