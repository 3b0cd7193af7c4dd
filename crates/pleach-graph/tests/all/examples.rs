//! The examples run, and what they assert holds.

#[path = "../../examples/first_tree.rs"]
mod first_tree;
#[path = "../../examples/mirror.rs"]
mod mirror;
#[path = "../../examples/own_components.rs"]
mod own_components;

#[test]
fn first_tree_runs() {
    first_tree::main().unwrap();
}

#[test]
fn systems_fed_by_change_readers_equal_the_graph_after_each_frame() {
    mirror::main().unwrap();
}

#[test]
fn own_components_runs() {
    own_components::main().unwrap();
}
