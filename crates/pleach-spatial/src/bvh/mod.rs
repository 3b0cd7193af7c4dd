//! Bounding volume hierarchies with eight boxes per node, so that one SIMD operation tests
//! all children of a node.
//!
//! Reads boxes; writes trees; answers traversals. What a leaf refers to (a row of an index, a
//! packet of triangles, an instance) is known to the user of the tree only.
//!
//! Guarantees: every box encloses the boxes below it, so a traversal visits every leaf that
//! passes its test; the same boxes in the same order give the same tree, on any number of
//! threads; depth is logarithmic.
//!
//! - `node.rs`: the node and the arena of nodes.
//! - `build.rs`: top-down construction; `partition.rs` finds the split planes (binned SAH),
//!   `parallel.rs` distributes the work over threads.
//! - `dynamic_tree.rs`: insertion, removal, updates; `insert.rs` chooses the node to insert into,
//!   `node_split.rs` limits the depth, `node_refit.rs` refits a node.
//! - `traversal.rs`: rays, frusta, points, boxes; `traversal_stack.rs`: its stack.
//! - `triangle_tree.rs`, `triangle_mesh.rs`: trees of triangles.
//! - `check.rs`: validation of a tree's invariants.

pub(crate) mod build;
pub(crate) mod check;
pub(crate) mod dynamic_tree;
mod insert;
pub(crate) mod node;
mod node_refit;
mod node_split;
#[cfg(feature = "parallel")]
pub(crate) mod parallel;
mod partition;
pub(crate) mod traversal;
pub(crate) mod traversal_stack;
pub(crate) mod triangle_mesh;
pub(crate) mod triangle_tree;

pub(crate) use dynamic_tree::DynamicTree;
