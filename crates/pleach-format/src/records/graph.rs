//! The graph: a few numbers, and columns.

use serde::{Deserialize, Serialize};

/// The graph. Rows "by node" are by live node, in the order of slots; columns that are `None` are
/// empty, or what the field states.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GraphRecord {
    pub(crate) max_generation: u32,
    /// The number of slots, alive or not.
    pub(crate) slots: u32,
    /// u32 by slot: the generation of the live node, or 0. `None` if all are 1.
    pub(crate) generations: Option<u32>,
    /// u32 × 2: the slot and the next generation of each free slot; the last is used first.
    pub(crate) free: Option<u32>,
    /// u32 by node: the slot of the parent, 2³² − 1 for roots.
    pub(crate) parents: Option<u32>,
    /// u32: the live slots, siblings in order. `None` for ascending slots.
    pub(crate) order: Option<u32>,
    /// f32 × 3 by node. `None` if all are 0.
    pub(crate) translations: Option<u32>,
    /// f32 × 4 by node: x, y, z, w. `None` if all are 0, 0, 0, 1.
    pub(crate) rotations: Option<u32>,
    /// f32 × 3 by node. `None` if all are 1.
    pub(crate) scales: Option<u32>,
    /// u32: the slots with a local matrix.
    pub(crate) matrix_slots: Option<u32>,
    /// f32 × 16: their matrices, column by column.
    pub(crate) matrices: Option<u32>,
    /// u32: the slots of nodes that are not visible themselves.
    pub(crate) hidden: Option<u32>,
    /// u32: the slots of named nodes, the oldest name first.
    pub(crate) named: Option<u32>,
    /// u32: the length of each name in bytes.
    pub(crate) name_lengths: Option<u32>,
    /// u8: the names in UTF-8.
    pub(crate) name_text: Option<u32>,
    /// u32 × 2: the lower and the upper half of the age of each name. `None` if they are 0, 1, 2, ….
    pub(crate) name_ages: Option<u32>,
    pub(crate) next_name_age: u64,
    pub(crate) lineage: u64,
    pub(crate) revision: u64,
}
