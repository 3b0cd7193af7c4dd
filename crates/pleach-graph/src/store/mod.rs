//! The columns: one row per slot, at the same index in every column.
//!
//! `slots` decides which rows are in use; the other files each own one column or
//! a few that change together, and keep the invariant stated at their top.
//! Columns do not know of each other: `edit/` changes them in step, `update/`
//! writes `worlds`, `read/` only reads, and `read/check.rs` verifies them all.
//!
//! Guarantees: a node keeps its slot for life, and a handle is never reused.

pub(crate) mod flags;
pub(crate) mod levels;
pub(crate) mod links;
pub(crate) mod locals;
pub(crate) mod names;
pub(crate) mod node_id;
pub(crate) mod slots;
pub(crate) mod worlds;
