//! Reading a graph: node views, walks, search by name, up-to-date world
//! matrices, data by node, and the check of all invariants.
//!
//! Reads every column; writes nothing, except that the first search by name
//! builds the index of names.
//!
//! Guarantees: a dead handle yields `None` or an error; results do not depend on
//! what was read before.

pub(crate) mod check;
mod compute_world;
mod find;
pub(crate) mod node_map;
pub(crate) mod node_ref;
pub(crate) mod walk;
