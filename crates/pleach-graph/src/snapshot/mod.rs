//! Snapshots: the whole content of a graph as plain columns, and graphs made of them.
//!
//! A snapshot holds what edits determine: handles (also those that come next), parents, the order
//! of siblings, local transforms and matrices, visibility and names. World matrices, depths and
//! what is shown are derived, and computed again. The history of edits is not part of it: parked nodes are
//! removed ones.
//!
//! Invariant: a graph that was restored from the snapshot of another graph behaves like it in
//! every call, except that all its nodes are new to change readers and wait for an update.

mod error;
mod restore;
mod take;

pub use error::SnapshotError;

use alloc::string::String;
use alloc::vec::Vec;
use core::num::NonZeroU32;

use glam::Mat4;

use crate::{NodeId, Transform};

/// The content of a [`Graph`](crate::Graph) as plain columns, for files and copies; made by
/// [`Graph::to_snapshot`](crate::Graph::to_snapshot) and turned into a graph by
/// [`Graph::from_snapshot`](crate::Graph::from_snapshot).
///
/// Columns "by slot" have one row per slot ([`NodeId::index`]), also for slots without a live
/// node, whose rows are ignored. A snapshot may be changed or filled by hand: everything is checked
/// when it is restored.
///
/// ```
/// use pleach_graph::{Graph, GraphSnapshot, Transform};
///
/// let mut snapshot = GraphSnapshot::default();
/// snapshot.generations = vec![1, 7];
/// snapshot.parents = vec![Graph::NO_PARENT, 0];
/// snapshot.transforms = vec![Transform::IDENTITY; 2];
/// let graph = Graph::from_snapshot(snapshot)?;
/// assert_eq!(graph.roots().next().unwrap().to_string(), "0v1");
/// assert_eq!(graph.depth_first().last().unwrap().to_string(), "1v7");
/// # Ok::<(), pleach_graph::SnapshotError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct GraphSnapshot {
    /// The highest generation of a new handle; see
    /// [`Graph::set_max_generation`](crate::Graph::set_max_generation).
    pub max_generation: NonZeroU32,
    /// By slot: the generation of its live node, or 0.
    pub generations: Vec<u32>,
    /// The handles that the free slots get next; the last is used first. A slot that is neither
    /// alive nor free is retired.
    pub free: Vec<NodeId>,
    /// By slot: the slot of the parent, or [`Graph::NO_PARENT`](crate::Graph::NO_PARENT).
    pub parents: Vec<u32>,
    /// All live slots in an order in which siblings follow their older siblings, and later roots
    /// earlier ones; `None` for ascending slots.
    pub order: Option<Vec<u32>>,
    /// By slot: the local transform; the nearest one if the node has a matrix.
    pub transforms: Vec<Transform>,
    /// The slots with a local matrix.
    pub matrix_slots: Vec<u32>,
    /// The matrices of `matrix_slots`.
    pub matrices: Vec<Mat4>,
    /// The slots whose nodes are not visible themselves.
    pub hidden: Vec<u32>,
    /// The slots with a name, the oldest name first.
    pub named: Vec<u32>,
    /// By entry of `named`: the end of its name in `name_text`. The first name starts at 0, each other
    /// one at the end of the one before it.
    pub name_ends: Vec<usize>,
    /// All names, one after the other.
    pub name_text: String,
    /// By entry of `named`: a number that is greater for names that were given later. Patches refer to
    /// it ([`Name::age`](crate::Name::age)).
    pub name_ages: Vec<u64>,
    /// The age of the next name, which is greater than all.
    pub next_name_age: u64,
    /// The [lineage](crate::Graph::lineage) for patches; 0 if there was no transaction.
    pub lineage: u64,
    /// The [revision](crate::Graph::revision) for patches.
    pub revision: u64,
}

impl Default for GraphSnapshot {
    fn default() -> Self {
        Self {
            max_generation: NonZeroU32::MAX,
            generations: Vec::new(),
            free: Vec::new(),
            parents: Vec::new(),
            order: None,
            transforms: Vec::new(),
            matrix_slots: Vec::new(),
            matrices: Vec::new(),
            hidden: Vec::new(),
            named: Vec::new(),
            name_ends: Vec::new(),
            name_text: String::new(),
            name_ages: Vec::new(),
            next_name_age: 0,
            lineage: 0,
            revision: 0,
        }
    }
}
