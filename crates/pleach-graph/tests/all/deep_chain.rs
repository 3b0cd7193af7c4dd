//! A million nodes in a chain, and very many siblings, on a stack of 256 KiB:
//! nothing recurses, and nothing takes quadratic time.
//!
//! Each test runs on its own thread, whose stack would overflow if any call
//! recursed down the tree.

use pleach_graph::glam::Vec3;
use pleach_graph::{Graph, LocalKind, NodeId, NodeMap, Transform, Visit, Walk};
use testkit::Rng;

use crate::common::{self, assert_consistent, bits, children, node};

const MILLION: usize = 1_000_000;
/// A million in release builds. Debug builds use fewer, but still more than the
/// stack has bytes.
const MANY: usize = if cfg!(debug_assertions) { 300_000 } else { MILLION };
const STACK: usize = 256 * 1024;

/// Runs a test on a small stack.
fn on_a_small_stack(test: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(test).unwrap();
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}

/// A chain along X, one unit per node.
fn chain(graph: &mut Graph, length: usize) -> Vec<NodeId> {
    let mut nodes = vec![graph.add_root(Transform::IDENTITY).unwrap()];
    for _ in 1..length {
        let parent = nodes[nodes.len() - 1];
        nodes.push(graph.add_child(parent, Transform::from_xyz(1.0, 0.0, 0.0)).unwrap());
    }
    nodes
}

fn wide(graph: &mut Graph, count: usize) -> Vec<NodeId> {
    let parent = graph.add_root(Transform::IDENTITY).unwrap();
    let mut nodes = vec![parent];
    for _ in 1..count {
        nodes.push(graph.add_child(parent, Transform::from_xyz(1.0, 0.0, 0.0)).unwrap());
    }
    nodes
}

/// Asserts that every kind of traversal visits `count` nodes, from the roots and
/// from `root`.
#[track_caller]
fn assert_walks(graph: &Graph, root: NodeId, count: usize) {
    assert_eq!(graph.depth_first().count(), count);
    assert_eq!(graph.depth_first().shown().count(), count);
    assert_eq!(graph.by_depth().count(), count);
    assert_eq!(node(graph, root).descendants().count(), count);
    for mut walk in
        [Walk::depth_first(root), Walk::breadth_first(root), Walk::depth_first(None).shown()]
    {
        assert_eq!(core::iter::from_fn(|| walk.next(graph)).count(), count);
    }
    let mut visited = 0;
    graph.visit(root, |_| {
        visited += 1;
        Visit::Continue
    });
    assert_eq!(visited, count);
}

#[test]
#[cfg_attr(miri, ignore = "a million nodes are too many for Miri")]
fn a_chain_of_a_million_nodes_is_added_updated_traversed_and_dropped() {
    on_a_small_stack(|| {
        let mut graph = Graph::new();
        let nodes = chain(&mut graph, MILLION);
        let (root, last) = (nodes[0], nodes[MILLION - 1]);
        assert_eq!(node(&graph, last).compute_world().w_axis.x, (MILLION - 1) as f32);
        assert!(node(&graph, last).is_dirty());
        assert_eq!(graph.dirty_roots(), [root]);
        assert_eq!(graph.update().changed, MILLION);
        assert_eq!(node(&graph, last).world_translation().x, (MILLION - 1) as f32);
        assert_eq!(graph.changed().count(), MILLION);

        assert_eq!(node(&graph, last).depth(), MILLION - 1);
        assert_eq!(node(&graph, last).ancestors().count(), MILLION - 1);
        assert_walks(&graph, root, MILLION);
        assert_consistent(&graph);
    });
}

#[test]
#[cfg_attr(miri, ignore = "a million nodes are too many for Miri")]
fn a_very_deep_chain_is_moved_hidden_named_and_edited() {
    on_a_small_stack(|| {
        let mut graph = Graph::new();
        let nodes = chain(&mut graph, MANY);
        let (root, last) = (nodes[0], nodes[MANY - 1]);
        let second = nodes[1];
        let other = graph.add_root(Transform::from_xyz(0.0, 7.0, 0.0)).unwrap();
        graph.update();
        graph.clear_changes();

        // Moved: below another root, detached, in place, and back.
        graph.attach(second, other).unwrap();
        assert_eq!(node(&graph, last).depth(), MANY - 1);
        graph.detach(second).unwrap();
        assert_eq!(node(&graph, last).depth(), MANY - 2);
        graph.attach_in_place(second, other).unwrap();
        graph.update();
        assert_eq!(node(&graph, last).world_translation(), Vec3::new((MANY - 1) as f32, 0.0, 0.0));
        assert_eq!(graph.detach_in_place(second), Ok(LocalKind::Transform));
        graph.attach_at(second, root, 0).unwrap();
        assert!(graph.attach(root, last).is_err(), "a very long cycle");
        assert_eq!(children(&graph, root), [second]);

        // Hidden and shown.
        graph.node_mut(root).unwrap().set_visible(false);
        assert!(!node(&graph, last).is_shown());
        assert_eq!(graph.shown_changed().count(), MANY);
        graph.node_mut(root).unwrap().set_visible(true);
        assert!(node(&graph, last).is_shown());

        // Found by name.
        graph.node_mut(last).unwrap().set_name("end");
        assert_eq!(graph.find_in(root, "end"), Ok(Some(last)));
        assert_eq!(graph.find_path("end"), None);

        // Edited at both ends and in the middle.
        graph.update();
        for index in [MANY - 1, 0, MANY / 2] {
            common::move_to(&mut graph, nodes[index], Vec3::Z);
        }
        assert_eq!(graph.dirty_roots(), [root]);
        let computed = node(&graph, last).compute_world();
        assert_eq!(graph.update().changed, MANY);
        assert_eq!(bits(node(&graph, last).world()), bits(computed));
        graph.node_mut(last).unwrap().look_at(Vec3::ZERO, Vec3::Z).unwrap();
        assert_eq!(graph.update().changed, 1);
        assert_consistent(&graph);
    });
}

#[test]
#[cfg_attr(miri, ignore = "a million nodes are too many for Miri")]
fn a_very_deep_chain_is_cloned_moved_and_removed() {
    on_a_small_stack(|| {
        let mut graph = Graph::new();
        let nodes = chain(&mut graph, MANY);
        let (root, last) = (nodes[0], nodes[MANY - 1]);
        graph.update();

        let clones = graph.clone_subtree(root, None).unwrap();
        assert_eq!(graph.len(), 2 * MANY);
        let copied = clones.get(last).unwrap();
        assert_eq!(node(&graph, copied).depth(), MANY - 1);

        let mut other = Graph::new();
        let moved = graph.move_subtree_to(clones.root(), &mut other, None).unwrap();
        assert_eq!((graph.len(), other.len()), (MANY, MANY));
        assert_eq!(graph.removed().len(), MANY);
        other.update();
        let moved = node(&other, moved.get(copied).unwrap());
        assert_eq!(bits(moved.world()), bits(node(&graph, last).world()));
        assert_consistent(&other);
        drop(other);

        let mut map = NodeMap::new();
        for &id in nodes.iter().step_by(1_000) {
            map.insert(&graph, id, ()).unwrap();
        }
        assert_eq!(graph.remove(nodes[MANY / 2]), Ok(MANY / 2));
        assert_eq!(map.purge(&graph), MANY / 2_000);
        assert_eq!(graph.remove(root), Ok(MANY / 2));
        assert!(graph.is_empty());
        assert_eq!(graph.removed().len(), 2 * MANY, "each once");
        assert_consistent(&graph);
        // The slots are reused, as roots this time.
        for _ in 0..1_000 {
            graph.add_root(Transform::IDENTITY).unwrap();
        }
        assert_eq!(graph.update().changed, 1_000);
    });
}

#[test]
#[cfg_attr(miri, ignore = "a million nodes are too many for Miri")]
fn one_node_with_very_many_children_is_handled() {
    on_a_small_stack(|| {
        let mut graph = Graph::new();
        let nodes = wide(&mut graph, MANY);
        let (parent, last) = (nodes[0], nodes[MANY - 1]);
        assert_eq!(graph.update().changed, MANY);
        assert_walks(&graph, parent, MANY);
        graph.node_mut(parent).unwrap().set_visible(false).set_visible(true);
        let clones = graph.clone_subtree(parent, None).unwrap();
        assert_eq!(graph.remove(clones.root()), Ok(MANY));
        let mut other = Graph::new();
        graph.attach_before(last, nodes[1]).unwrap();
        assert_eq!(node(&graph, parent).children().next(), Some(last));
        graph.move_subtree_to(parent, &mut other, None).unwrap();
        assert_eq!((graph.len(), other.len()), (0, MANY));
        other.clear();
        assert_eq!(other.removed().len(), MANY);
        assert_consistent(&other);
    });
}

// No step takes time proportional to the number of siblings: removing very many one
// by one, from both ends and the middle, would take quadratic time otherwise.
#[test]
#[cfg_attr(miri, ignore = "a million nodes are too many for Miri")]
fn very_many_siblings_are_removed_one_by_one() {
    on_a_small_stack(|| {
        let mut graph = Graph::new();
        let mut nodes = wide(&mut graph, MANY);
        let parent = nodes.remove(0);
        let target = graph.add_root(Transform::IDENTITY).unwrap();
        Rng::new(1).shuffle(&mut nodes);
        for (index, &id) in nodes.iter().enumerate() {
            match index % 3 {
                0 => _ = graph.remove(id).unwrap(),
                1 => graph.attach(id, target).unwrap(),
                _ => graph.detach(id).unwrap(),
            }
        }
        assert_eq!(node(&graph, parent).children().len(), 0);
        graph.update();
        graph.clear();
        assert!(graph.is_empty());
    });
}
