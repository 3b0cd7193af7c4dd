//! Clones of subtrees, within a graph and into another.

use pleach_graph::glam::{Quat, Vec3};
use pleach_graph::{CloneMap, Error, Graph, NodeId, Transform};
use testkit::{Rng, sized};

use crate::common::{
    self, add_named, assert_consistent, bits, chain, children, dump, node, random_tree, seeds,
    transform_bits,
};

/// A random tree with names (some shared), matrices, hidden nodes and rotations
/// that are not normalized.
fn full_graph(random: &mut Rng, count: usize) -> (Graph, Vec<NodeId>) {
    let (mut graph, nodes) = random_tree(random, count);
    for &id in &nodes {
        let mut view = graph.node_mut(id).unwrap();
        match random.below(6) {
            0 => _ = view.set_name("same"),
            1 => _ = view.set_name(&format!("{id}")),
            2 => _ = view.set_local_matrix(random.affine(10.0)).unwrap(),
            3 => _ = view.set_visible(false),
            4 => {
                let raw = Quat::from_xyzw(0.5, 2.0, random.between(1.0, 2.0), -3.0);
                view.set_rotation_raw(raw).unwrap();
            }
            _ => {}
        }
    }
    (graph, nodes)
}

/// Asserts that the clone equals the original, node by node.
#[track_caller]
fn assert_equal_subtrees(from: &Graph, to: &Graph, clones: &CloneMap) {
    let originals: Vec<NodeId> = clones.pairs().iter().map(|pair| pair.0).collect();
    for &(old, new) in clones.pairs() {
        let (old, new) = (node(from, old), node(to, new));
        assert_eq!(old.name(), new.name());
        assert_eq!(old.is_visible(), new.is_visible());
        assert_eq!(old.has_local_matrix(), new.has_local_matrix());
        assert_eq!(bits(old.local_matrix()), bits(new.local_matrix()));
        assert_eq!(transform_bits(old.transform()), transform_bits(new.transform()));
        let copied = |id: &NodeId| originals.contains(id);
        let kids: Vec<NodeId> = old.children().filter(copied).collect();
        let expected: Vec<NodeId> = kids.iter().map(|&kid| clones.get(kid).unwrap()).collect();
        let new_kids: Vec<NodeId> =
            new.children().filter(|id| clones.pairs().iter().any(|pair| pair.1 == *id)).collect();
        assert_eq!(new_kids, expected, "the children of {}, in order", old.id());
    }
}

#[test]
fn a_clone_equals_its_original() {
    for seed in seeds(20) {
        let mut random = Rng::new(seed);
        let (mut graph, nodes) = full_graph(&mut random, sized(120, 12));
        graph.update();
        let root = random.pick(&nodes);
        let parent = random.one_in(2).then(|| random.pick(&nodes));
        let originals: Vec<NodeId> = node(&graph, root).descendants().collect();
        let before = graph.len();
        let clones = graph.clone_subtree(root, parent).unwrap();

        assert!(clones.pairs().iter().map(|pair| pair.0).eq(originals.iter().copied()));
        assert_eq!(graph.len(), before + originals.len(), "seed {seed}");
        assert_eq!(node(&graph, clones.root()).parent(), parent, "seed {seed}");
        let siblings: Vec<NodeId> = match parent {
            Some(parent) => children(&graph, parent),
            None => graph.roots().collect(),
        };
        assert_eq!(siblings.last(), Some(&clones.root()), "the last child, seed {seed}");
        assert_equal_subtrees(&graph, &graph, &clones);
        assert_eq!(graph.update().changed, originals.len(), "seed {seed}");
        assert_consistent(&graph);
    }
}

#[test]
fn the_clone_map_maps_originals_to_clones() {
    let mut graph = Graph::new();
    let path = chain(&mut graph, 4);
    let other = graph.add_root(Transform::IDENTITY).unwrap();
    let clones = graph.clone_subtree(path[1], None).unwrap();
    assert_eq!(clones.pairs().len(), 3);
    assert_eq!(clones.get(path[1]), Some(clones.root()));
    for pair in clones.pairs().windows(2) {
        assert_eq!(node(&graph, pair[1].1).parent(), Some(pair[0].1), "parents before children");
    }
    for not_copied in [path[0], other, clones.root()] {
        assert_eq!(clones.get(not_copied), None);
    }
}

#[test]
fn a_clone_is_independent_of_its_original() {
    let mut graph = Graph::new();
    let path = chain(&mut graph, 3);
    graph.update();
    let clones = graph.clone_subtree(path[0], None).unwrap();
    let copied = clones.get(path[2]).unwrap();
    common::move_to(&mut graph, path[0], Vec3::new(50.0, 0.0, 0.0));
    graph.update();
    assert_eq!(node(&graph, copied).world_translation().to_array(), [1.0, 2.0, 0.0]);
    graph.remove(path[0]).unwrap();
    assert!(clones.pairs().iter().all(|pair| graph.contains(pair.1)));
    assert_consistent(&graph);
}

#[test]
fn a_subtree_can_be_cloned_below_its_own_nodes() {
    for parent in (0..4).step_by(sized(1, 3)) {
        let mut graph = Graph::new();
        let path = chain(&mut graph, 4);
        let clones = graph.clone_subtree(path[0], Some(path[parent])).unwrap();
        assert_eq!(clones.pairs().len(), 4, "the clone is not cloned again");
        assert_eq!(graph.len(), 8);
        assert_eq!(node(&graph, clones.root()).parent(), Some(path[parent]));
        assert_eq!(node(&graph, clones.get(path[3]).unwrap()).depth(), parent + 4);
        assert_consistent(&graph);
        // And again, including the first clone.
        let again = graph.clone_subtree(path[0], Some(path[parent])).unwrap();
        assert_eq!(again.pairs().len(), 8);
        assert_consistent(&graph);
    }
}

#[test]
fn clones_are_found_by_name_after_their_originals() {
    let mut graph = Graph::new();
    let arm = add_named(&mut graph, None, "arm");
    let hand = add_named(&mut graph, arm, "hand");
    let clones = graph.clone_subtree(arm, None).unwrap();
    assert!(graph.find_all("hand").eq([hand, clones.get(hand).unwrap()]));
    assert_eq!(graph.find_in(clones.root(), "hand"), Ok(clones.get(hand)));
}

#[test]
fn a_clone_below_a_hidden_parent_is_visible_but_not_shown() {
    let mut graph = Graph::new();
    let path = chain(&mut graph, 2);
    let hidden = graph.add_root(Transform::IDENTITY).unwrap();
    graph.node_mut(hidden).unwrap().set_visible(false);
    graph.clear_changes();
    let clones = graph.clone_subtree(path[0], Some(hidden)).unwrap();
    for &(_, new) in clones.pairs() {
        assert!(node(&graph, new).is_visible() && !node(&graph, new).is_shown());
    }
    assert_eq!(graph.shown_changed().count(), 0, "new nodes are not listed");
    assert_consistent(&graph);
}

// `shown_changed` guarantees that new nodes are not listed.
#[test]
fn clones_of_hidden_nodes_are_not_listed_in_shown_changed() {
    let mut graph = Graph::new();
    let path = chain(&mut graph, 3);
    graph.node_mut(path[0]).unwrap().set_visible(false);
    graph.clear_changes();
    let clones = graph.clone_subtree(path[0], None).unwrap();
    assert!(!node(&graph, clones.root()).is_visible());
    assert_eq!(graph.shown_changed().collect::<Vec<_>>(), []);
}

#[test]
fn a_subtree_is_cloned_from_another_graph() {
    for seed in seeds(10) {
        let mut random = Rng::new(seed);
        let (from, nodes) = full_graph(&mut random, sized(100, 12));
        let (mut to, others) = full_graph(&mut random, sized(50, 8));
        let before = dump(&from);
        let clones = to.clone_subtree_from(&from, nodes[0], Some(others[3])).unwrap();
        assert_eq!(dump(&from), before, "seed {seed}");
        assert_eq!(node(&to, clones.root()).parent(), Some(others[3]));
        assert_equal_subtrees(&from, &to, &clones);
        to.update();
        assert_consistent(&to);
    }
}

#[test]
fn a_subtree_is_moved_to_another_graph() {
    for seed in seeds(10) {
        let mut random = Rng::new(seed);
        let (mut from, nodes) = full_graph(&mut random, sized(100, 12));
        let (mut to, others) = full_graph(&mut random, sized(50, 8));
        from.update();
        from.clear_changes();
        let root = random.pick(&nodes);
        let originals: Vec<NodeId> = node(&from, root).descendants().collect();
        let original = from.clone();
        let (from_len, to_len) = (from.len(), to.len());
        let clones = from.move_subtree_to(root, &mut to, Some(others[0])).unwrap();

        assert_equal_subtrees(&original, &to, &clones);
        assert_eq!(from.removed(), originals, "seed {seed}");
        assert_eq!(from.len(), from_len - originals.len(), "seed {seed}");
        assert_eq!(to.len(), to_len + originals.len(), "seed {seed}");
        assert!(originals.iter().all(|&id| !from.contains(id)), "seed {seed}");
        from.update();
        to.update();
        assert_consistent(&from);
        assert_consistent(&to);
    }
}

#[test]
fn moving_a_subtree_to_another_graph_and_back_preserves_it() {
    let mut random = Rng::new(1);
    let (mut here, nodes) = full_graph(&mut random, sized(60, 12));
    let original = here.clone();
    let mut there = Graph::new();
    let away = here.move_subtree_to(nodes[0], &mut there, None).unwrap();
    let back = there.move_subtree_to(away.root(), &mut here, None).unwrap();
    assert!(there.is_empty());
    for &(id, moved) in away.pairs() {
        let (old, new) = (node(&original, id), node(&here, back.get(moved).unwrap()));
        assert_eq!((old.name(), bits(old.local_matrix())), (new.name(), bits(new.local_matrix())));
        assert_ne!(old.id(), new.id(), "a handle is never reused");
    }
    assert_consistent(&here);
}

#[test]
fn a_rejected_clone_or_move_changes_neither_graph() {
    let mut random = Rng::new(2);
    let (mut graph, nodes) = full_graph(&mut random, 20);
    let (mut other, others) = full_graph(&mut random, 10);
    let (dead, gone) = (nodes[19], others[9]);
    graph.remove(dead).unwrap();
    other.remove(gone).unwrap();
    let before = (dump(&graph), dump(&other));
    // Slot 19 does not exist in the other graph, where slot 9 is free.
    assert_eq!(graph.clone_subtree(dead, None), Err(Error::Dead(dead)));
    assert_eq!(graph.clone_subtree(nodes[0], Some(dead)), Err(Error::Dead(dead)));
    assert_eq!(other.clone_subtree_from(&graph, dead, None), Err(Error::Dead(dead)));
    assert_eq!(other.clone_subtree_from(&graph, nodes[0], Some(gone)), Err(Error::Dead(gone)));
    assert_eq!(graph.move_subtree_to(dead, &mut other, None), Err(Error::Dead(dead)));
    assert_eq!(graph.move_subtree_to(nodes[0], &mut other, Some(gone)), Err(Error::Dead(gone)));
    assert_eq!((dump(&graph), dump(&other)), before);
}
