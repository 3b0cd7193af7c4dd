//! Copies of subtrees, within a graph and into another.

use pleach_graph::glam::{Quat, Vec3};
use pleach_graph::{CloneMap, Error, Graph, NodeId, Transform};
use testkit::{Rng, sized};

use crate::common::{
    self, assert_sound, bits, chain, children, dump, named, node, random_tree, seeds,
    transform_bits,
};

/// A random tree with names (some shared), matrices, hidden nodes and rotations
/// that are not units.
fn full(random: &mut Rng, count: usize) -> (Graph, Vec<NodeId>) {
    let (mut graph, nodes) = random_tree(random, count);
    for &id in &nodes {
        let mut view = graph.node_mut(id).unwrap();
        match random.below(6) {
            0 => _ = view.set_name("same"),
            1 => _ = view.set_name(&format!("{id}")),
            2 => _ = view.set_local_matrix(random.affine(10.0)).unwrap(),
            3 => _ = view.set_visible(false),
            4 => {
                let odd = Quat::from_xyzw(0.5, 2.0, random.between(1.0, 2.0), -3.0);
                view.set_rotation_raw(odd).unwrap();
            }
            _ => {}
        }
    }
    (graph, nodes)
}

/// The copy is like the original, node for node.
#[track_caller]
fn assert_alike(from: &Graph, to: &Graph, copies: &CloneMap) {
    let originals: Vec<NodeId> = copies.pairs().iter().map(|pair| pair.0).collect();
    for &(old, new) in copies.pairs() {
        let (old, new) = (node(from, old), node(to, new));
        assert_eq!(old.name(), new.name());
        assert_eq!(old.is_visible(), new.is_visible());
        assert_eq!(old.has_local_matrix(), new.has_local_matrix());
        assert_eq!(bits(old.local_matrix()), bits(new.local_matrix()));
        assert_eq!(transform_bits(old.transform()), transform_bits(new.transform()));
        let copied = |id: &NodeId| originals.contains(id);
        let kids: Vec<NodeId> = old.children().filter(copied).collect();
        let expected: Vec<NodeId> = kids.iter().map(|&kid| copies.get(kid).unwrap()).collect();
        let new_kids: Vec<NodeId> =
            new.children().filter(|id| copies.pairs().iter().any(|pair| pair.1 == *id)).collect();
        assert_eq!(new_kids, expected, "the children of {}, in order", old.id());
    }
}

// PAINS 16
#[test]
fn a_copy_is_like_its_original_in_everything() {
    for seed in seeds(20) {
        let mut random = Rng::new(seed);
        let (mut graph, nodes) = full(&mut random, sized(120, 12));
        graph.update();
        let top = random.pick(&nodes);
        let under = random.one_in(2).then(|| random.pick(&nodes));
        let originals: Vec<NodeId> = node(&graph, top).descendants().collect();
        let before = graph.len();
        let copies = graph.clone_subtree(top, under).unwrap();

        assert!(copies.pairs().iter().map(|pair| pair.0).eq(originals.iter().copied()));
        assert_eq!(graph.len(), before + originals.len(), "seed {seed}");
        assert_eq!(node(&graph, copies.root()).parent(), under, "seed {seed}");
        let siblings: Vec<NodeId> = match under {
            Some(under) => children(&graph, under),
            None => graph.roots().collect(),
        };
        assert_eq!(siblings.last(), Some(&copies.root()), "the last child, seed {seed}");
        assert_alike(&graph, &graph, &copies);
        assert_eq!(graph.update().changed, originals.len(), "seed {seed}");
        assert_sound(&graph);
    }
}

#[test]
fn copies_tell_which_came_of_which() {
    let mut graph = Graph::new();
    let way = chain(&mut graph, 4);
    let other = graph.add_root(Transform::IDENTITY).unwrap();
    let copies = graph.clone_subtree(way[1], None).unwrap();
    assert_eq!(copies.pairs().len(), 3);
    assert_eq!(copies.get(way[1]), Some(copies.root()));
    for pair in copies.pairs().windows(2) {
        assert_eq!(node(&graph, pair[1].1).parent(), Some(pair[0].1), "parents before children");
    }
    for not_copied in [way[0], other, copies.root()] {
        assert_eq!(copies.get(not_copied), None);
    }
}

#[test]
fn a_copy_and_its_original_live_apart() {
    let mut graph = Graph::new();
    let way = chain(&mut graph, 3);
    graph.update();
    let copies = graph.clone_subtree(way[0], None).unwrap();
    let copied = copies.get(way[2]).unwrap();
    common::shift(&mut graph, way[0], Vec3::new(50.0, 0.0, 0.0));
    graph.update();
    assert_eq!(node(&graph, copied).world_translation().to_array(), [1.0, 2.0, 0.0]);
    graph.remove(way[0]).unwrap();
    assert!(copies.pairs().iter().all(|pair| graph.contains(pair.1)));
    assert_sound(&graph);
}

#[test]
fn a_subtree_is_copied_under_its_own_nodes() {
    for under in (0..4).step_by(sized(1, 3)) {
        let mut graph = Graph::new();
        let way = chain(&mut graph, 4);
        let copies = graph.clone_subtree(way[0], Some(way[under])).unwrap();
        assert_eq!(copies.pairs().len(), 4, "the copy is not copied");
        assert_eq!(graph.len(), 8);
        assert_eq!(node(&graph, copies.root()).parent(), Some(way[under]));
        assert_eq!(node(&graph, copies.get(way[3]).unwrap()).depth(), under + 4);
        assert_sound(&graph);
        // And once more, the first copy included.
        let again = graph.clone_subtree(way[0], Some(way[under])).unwrap();
        assert_eq!(again.pairs().len(), 8);
        assert_sound(&graph);
    }
}

// C5
#[test]
fn copies_are_found_by_name_after_their_originals() {
    let mut graph = Graph::new();
    let arm = named(&mut graph, None, "arm");
    let hand = named(&mut graph, arm, "hand");
    let copies = graph.clone_subtree(arm, None).unwrap();
    assert!(graph.find_all("hand").eq([hand, copies.get(hand).unwrap()]));
    assert_eq!(graph.find_in(copies.root(), "hand"), Ok(copies.get(hand)));
}

// C9
#[test]
fn a_copy_under_a_hidden_parent_is_hidden_but_visible() {
    let mut graph = Graph::new();
    let way = chain(&mut graph, 2);
    let hidden = graph.add_root(Transform::IDENTITY).unwrap();
    graph.node_mut(hidden).unwrap().set_visible(false);
    graph.clear_changes();
    let copies = graph.clone_subtree(way[0], Some(hidden)).unwrap();
    for &(_, new) in copies.pairs() {
        assert!(node(&graph, new).is_visible() && !node(&graph, new).is_shown());
    }
    assert_eq!(graph.shown_changed().count(), 0, "new nodes are not listed");
    assert_sound(&graph);
}

// C9: `shown_changed` promises that new nodes are not listed.
#[test]
fn copies_of_hidden_nodes_are_not_listed_as_changed_in_visibility() {
    let mut graph = Graph::new();
    let way = chain(&mut graph, 3);
    graph.node_mut(way[0]).unwrap().set_visible(false);
    graph.clear_changes();
    let copies = graph.clone_subtree(way[0], None).unwrap();
    assert!(!node(&graph, copies.root()).is_visible());
    assert_eq!(graph.shown_changed().collect::<Vec<_>>(), []);
}

#[test]
fn a_subtree_is_copied_from_another_graph() {
    for seed in seeds(10) {
        let mut random = Rng::new(seed);
        let (from, nodes) = full(&mut random, sized(100, 12));
        let (mut to, others) = full(&mut random, sized(50, 8));
        let before = dump(&from);
        let copies = to.clone_subtree_from(&from, nodes[0], Some(others[3])).unwrap();
        assert_eq!(dump(&from), before, "seed {seed}");
        assert_eq!(node(&to, copies.root()).parent(), Some(others[3]));
        assert_alike(&from, &to, &copies);
        to.update();
        assert_sound(&to);
    }
}

#[test]
fn a_subtree_is_moved_to_another_graph() {
    for seed in seeds(10) {
        let mut random = Rng::new(seed);
        let (mut from, nodes) = full(&mut random, sized(100, 12));
        let (mut to, others) = full(&mut random, sized(50, 8));
        from.update();
        from.clear_changes();
        let top = random.pick(&nodes);
        let originals: Vec<NodeId> = node(&from, top).descendants().collect();
        let kept = from.clone();
        let (from_len, to_len) = (from.len(), to.len());
        let copies = from.move_subtree_to(top, &mut to, Some(others[0])).unwrap();

        assert_alike(&kept, &to, &copies);
        assert_eq!(from.removed(), originals, "seed {seed}");
        assert_eq!(from.len(), from_len - originals.len(), "seed {seed}");
        assert_eq!(to.len(), to_len + originals.len(), "seed {seed}");
        assert!(originals.iter().all(|&id| !from.contains(id)), "seed {seed}");
        from.update();
        to.update();
        assert_sound(&from);
        assert_sound(&to);
    }
}

#[test]
fn a_subtree_moved_there_and_back_is_what_it_was() {
    let mut random = Rng::new(1);
    let (mut here, nodes) = full(&mut random, sized(60, 12));
    let original = here.clone();
    let mut there = Graph::new();
    let away = here.move_subtree_to(nodes[0], &mut there, None).unwrap();
    let back = there.move_subtree_to(away.root(), &mut here, None).unwrap();
    assert!(there.is_empty());
    for &(id, moved) in away.pairs() {
        let (old, new) = (node(&original, id), node(&here, back.get(moved).unwrap()));
        assert_eq!((old.name(), bits(old.local_matrix())), (new.name(), bits(new.local_matrix())));
        assert_ne!(old.id(), new.id(), "a handle never comes back to life");
    }
    assert_sound(&here);
}

#[test]
fn a_refused_copy_or_move_changes_neither_graph() {
    let mut random = Rng::new(2);
    let (mut graph, nodes) = full(&mut random, 20);
    let (mut other, others) = full(&mut random, 10);
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
