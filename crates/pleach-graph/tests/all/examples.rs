//! The examples run, and what they assert holds.

#[path = "../../examples/first_tree.rs"]
mod first_tree;
#[path = "../../examples/mirror.rs"]
mod mirror;
#[path = "../../examples/own_data.rs"]
mod own_data;

#[test]
fn first_tree_runs() {
    first_tree::main().unwrap();
}

#[test]
fn m84_systems_fed_by_change_readers_equal_the_graph_after_each_frame() {
    mirror::main().unwrap();
}

#[test]
fn own_data_runs() {
    own_data::main().unwrap();
}
