//! The tests of pleach-graph, in one binary.

mod add_all;
mod against_naive_tree;
mod attach;
mod attach_each;
mod change_readers;
mod clone_subtree;
mod common;
mod deep_chain;
mod determinism;
mod examples;
mod handles;
mod in_place;
mod invalid_input;
mod look_at;
mod memory;
mod names;
mod node_map;
mod patches;
mod propagate;
mod rotations;
mod same_bits;
#[cfg(feature = "serde")]
mod serde;
mod set_many;
mod storage;
mod structure_changes;
mod threads;
mod transforms;
mod visibility;
mod walks;
mod world_space;

/// Counts allocations per thread, so that tests that count can run at the same
/// time.
#[global_allocator]
static ALLOCATOR: testkit::allocations::Counting = testkit::allocations::Counting;
