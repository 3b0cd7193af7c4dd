//! Stage 3: what changed, for the graph's owner and for any number of readers.
//!
//! Reads nothing of the tree but which nodes are alive; is written by `update/`
//! (changed worlds) and `edit/` (all other changes).
//!
//! Guarantees: every reader sees each change once, at its own pace; a node is
//! listed at most once, and never after its removal; memory is bounded by the
//! number of slots, however far a reader lags behind.

pub(crate) mod added;
pub(crate) mod changed_nodes;
pub(crate) mod log;
mod node_set;
pub(crate) mod reader;
mod renumbering;
pub(crate) mod tracker;
