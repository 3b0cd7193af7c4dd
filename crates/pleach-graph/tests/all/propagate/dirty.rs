//! Dirty nodes: exactly the subtrees of edited nodes, immediately; and the minimal
//! set of dirty roots.

use std::collections::BTreeSet;

use pleach_graph::glam::Vec3;
use pleach_graph::{Graph, NodeId, Transform};
use testkit::{Rng, sized};

use super::edits::{edit, union_of_subtrees};
use crate::common::{bits, chain, move_to, node, random_tree, seeds};

#[test]
fn exactly_the_subtrees_of_edited_nodes_are_dirty() {
    for seed in seeds(30) {
        let mut random = Rng::new(seed);
        let (mut graph, nodes) = random_tree(&mut random, sized(150, 12));
        assert!(nodes.iter().all(|&id| node(&graph, id).is_dirty()), "new nodes are dirty");
        graph.update();
        assert!(nodes.iter().all(|&id| !node(&graph, id).is_dirty()), "updated nodes are not");
        let mut edited = Vec::new();
        for _ in 0..5 {
            let id = random.pick(&nodes);
            edit(&mut graph, &mut random, id);
            edited.push(id);
            let dirty = union_of_subtrees(&graph, &edited);
            for &id in &nodes {
                assert_eq!(node(&graph, id).is_dirty(), dirty.contains(&id), "{id}, seed {seed}");
            }
        }
    }
}

#[test]
fn a_node_that_is_not_dirty_has_an_up_to_date_world_transform() {
    for seed in seeds(20) {
        let mut random = Rng::new(seed);
        let (mut graph, nodes) = random_tree(&mut random, sized(80, 12));
        for _ in 0..sized(100, 10) {
            let (id, other) = (random.pick(&nodes), random.pick(&nodes));
            match random.below(6) {
                0 => _ = graph.attach(id, other),
                1 => graph.detach(id).unwrap(),
                2 => _ = graph.update(),
                _ => edit(&mut graph, &mut random, id),
            }
            for &id in &nodes {
                let view = node(&graph, id);
                if !view.is_dirty() {
                    assert_eq!(bits(view.world()), bits(view.compute_world()), "{id}, seed {seed}");
                }
            }
        }
    }
}

#[test]
fn the_child_of_a_moved_parent_is_dirty_but_not_locally_dirty() {
    let mut graph = Graph::new();
    let [parent, child, leaf] = chain(&mut graph, 3)[..] else { unreachable!() };
    graph.update();
    let local = bits(node(&graph, child).local_matrix());
    move_to(&mut graph, parent, Vec3::Z);
    for id in [child, leaf] {
        assert!(node(&graph, id).is_dirty() && !node(&graph, id).is_local_dirty());
    }
    assert!(node(&graph, parent).is_dirty() && node(&graph, parent).is_local_dirty());
    assert_eq!(bits(node(&graph, child).local_matrix()), local, "its local matrix is unchanged");
    graph.update();
    assert!(!node(&graph, parent).is_local_dirty());
}

#[test]
fn ten_thousand_sets_of_one_root_are_one_edit() {
    let count = sized(10_000, 20);
    let mut graph = Graph::new();
    let root = graph.add_root(Transform::IDENTITY).unwrap();
    for _ in 1..count {
        graph.add_child(root, Transform::IDENTITY).unwrap();
    }
    graph.update();
    for x in 0..count {
        move_to(&mut graph, root, Vec3::splat(x as f32));
        // A setter marks the node itself; its descendants are dirty by derivation.
        let edited = || graph.flags().iter().filter(|flags| flags.is_local_dirty());
        if x % (count / 10) == 0 {
            assert_eq!(edited().count(), 1);
        }
    }
    let updated = graph.update();
    assert_eq!((updated.changed, updated.edited, updated.visited), (count, 1, count));
    assert_eq!(graph.changed().count(), count);
}

#[test]
fn dirty_roots_are_minimal_in_any_order_of_edits() {
    let mut graph = Graph::new();
    let [root, middle, leaf] = chain(&mut graph, 3)[..] else { unreachable!() };
    let sibling = graph.add_child(root, Transform::IDENTITY).unwrap();
    for (edits, expected) in [
        (vec![root, leaf], vec![root]),
        (vec![leaf, root], vec![root]),
        (vec![leaf, middle, root], vec![root]),
        (vec![middle, root, leaf], vec![root]),
        (vec![sibling, leaf], vec![leaf, sibling]),
        (vec![middle, leaf, sibling], vec![middle, sibling]),
        (vec![], vec![]),
    ] {
        graph.update();
        assert_eq!(graph.dirty_roots(), []);
        for &id in &edits {
            move_to(&mut graph, id, Vec3::X);
        }
        assert_eq!(graph.dirty_roots(), expected, "after edits of {edits:?}");
    }
}

#[test]
fn dirty_roots_of_random_edits_are_the_edited_nodes_without_edited_ancestors() {
    for seed in seeds(20) {
        let mut random = Rng::new(seed);
        let (mut graph, nodes) = random_tree(&mut random, sized(400, 12));
        for count in [1, 20, 3, 100, 400].into_iter().take(sized(5, 2)) {
            graph.update();
            assert_eq!(graph.dirty_roots(), [], "seed {seed}");
            let edited: BTreeSet<NodeId> = (0..count).map(|_| random.pick(&nodes)).collect();
            let mut order: Vec<NodeId> = edited.iter().copied().collect();
            random.shuffle(&mut order);
            for &id in &order {
                edit(&mut graph, &mut random, id);
            }
            let is_root_of_edits = |id: &NodeId| {
                !node(&graph, *id).ancestors().any(|ancestor| edited.contains(&ancestor))
            };
            let expected: Vec<NodeId> = edited.iter().copied().filter(is_root_of_edits).collect();
            assert_eq!(graph.dirty_roots(), expected, "{count} edits, seed {seed}");
        }
    }
}

#[test]
fn a_dirty_grandchild_below_clean_ancestors_is_updated() {
    let mut graph = Graph::new();
    let [_, _, grandchild] = chain(&mut graph, 3)[..] else { unreachable!() };
    graph.update();
    move_to(&mut graph, grandchild, Vec3::new(0.0, 0.0, 9.0));
    assert_eq!(graph.update().changed, 1);
    assert_eq!(node(&graph, grandchild).world_translation(), Vec3::new(1.0, 1.0, 9.0));
}

#[test]
fn a_child_dirty_before_its_parent_still_updates_its_own_children() {
    let mut graph = Graph::new();
    let [parent, child, leaf] = chain(&mut graph, 3)[..] else { unreachable!() };
    graph.update();
    move_to(&mut graph, child, Vec3::ZERO);
    move_to(&mut graph, parent, Vec3::ZERO);
    assert_eq!(graph.update().changed, 3);
    assert_eq!(node(&graph, leaf).world_translation(), Vec3::new(0.0, 1.0, 0.0));
}

#[test]
fn a_node_attached_to_a_dirty_parent_is_dirty_itself() {
    let mut graph = Graph::new();
    let parent = graph.add_root(Transform::IDENTITY).unwrap();
    let clean = graph.add_root(Transform::from_xyz(0.0, 0.0, 2.0)).unwrap();
    let below = graph.add_child(clean, Transform::IDENTITY).unwrap();
    graph.update();
    move_to(&mut graph, parent, Vec3::X);
    let new = graph.add_child(parent, Transform::IDENTITY).unwrap();
    graph.attach(clean, parent).unwrap();
    for id in [new, clean, below] {
        assert!(node(&graph, id).is_dirty(), "{id}");
    }
    assert!(node(&graph, new).is_local_dirty() && node(&graph, clean).is_local_dirty());
    // It stays dirty when it is detached from the edited parent.
    graph.detach(clean).unwrap();
    assert!(node(&graph, clean).is_dirty() && node(&graph, below).is_dirty());
    assert_eq!(graph.update().changed, 4);
    assert_eq!(node(&graph, below).world_translation(), Vec3::new(0.0, 0.0, 2.0));
}
