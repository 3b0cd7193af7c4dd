//! Stage 1: edits. Everything that changes the tree, a local transform, a name
//! or visibility.
//!
//! Reads and writes the columns of `store/` except for the world matrices, which
//! only `update/` writes; marks nodes in `update/dirty.rs` and lists visibility
//! changes and removals in `changes/`.
//!
//! Guarantees: an edit is either rejected before anything is written, or completed;
//! only valid numbers are stored (`validate.rs`); an edit of a transform costs the
//! same whatever the size of the subtree.

mod add_all;
mod add_remove;
pub(crate) mod attach;
pub(crate) mod attach_each;
pub(crate) mod clone_subtree;
mod depths;
pub(crate) mod node_mut;
mod set_many;
pub(crate) mod validate;
mod visibility;
mod world_space;
