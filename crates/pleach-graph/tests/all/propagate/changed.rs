//! The nodes that an update computes, counted: exactly the subtrees of the edited
//! nodes, at every size; and the list of changed nodes.

use std::collections::BTreeSet;

use pleach_graph::glam::Vec3;
use pleach_graph::{Graph, NodeId, Transform, UpdateStats};
use testkit::{Rng, sized};

use super::edits::{edit, union_of_subtrees};
use crate::common::{
    RandomTransform, assert_consistent, chain, dump, move_to, node, random_tree, seeds,
    subtree_size,
};

fn leaves(graph: &Graph) -> Vec<NodeId> {
    graph.depth_first().filter(|&id| node(graph, id).children().len() == 0).collect()
}

#[test]
fn an_update_computes_exactly_the_subtrees_of_edited_nodes_once_each() {
    for seed in seeds(20) {
        let mut random = Rng::new(seed);
        let (mut graph, nodes) = random_tree(&mut random, sized(500, 12));
        graph.update();
        for percent in [1, 60, 2, 20, 5, 100].into_iter().take(sized(6, 2)) {
            graph.clear_changes();
            let mut edited = Vec::new();
            for _ in 0..(nodes.len() * percent / 100).max(1) {
                // Some of them several times, in any order.
                let id = random.pick(&nodes);
                for _ in 0..1 + random.below(3) {
                    edit(&mut graph, &mut random, id);
                }
                edited.push(id);
            }
            let expected = union_of_subtrees(&graph, &edited);
            let updated = graph.update();
            assert_eq!(updated.changed, expected.len(), "{percent} %, seed {seed}");
            assert!(updated.visited >= updated.changed, "{percent} %, seed {seed}");
            let changed: Vec<NodeId> = graph.changed().collect();
            assert_eq!(changed.len(), expected.len(), "each once, {percent} %, seed {seed}");
            assert!(changed.iter().all(|id| expected.contains(id)), "{percent} %, seed {seed}");
            assert_consistent(&graph);
        }
    }
}

#[test]
fn the_order_of_edits_does_not_matter() {
    for seed in seeds(20) {
        let mut random = Rng::new(seed);
        let (mut graph, mut nodes) = random_tree(&mut random, sized(200, 12));
        graph.update();
        let mut other = graph.clone();
        nodes.truncate(sized(60, 10));
        let values: Vec<(NodeId, Transform)> =
            nodes.iter().map(|&id| (id, random.transform())).collect();
        let mut shuffled = values.clone();
        random.shuffle(&mut shuffled);
        for (graph, values) in [(&mut graph, values), (&mut other, shuffled)] {
            for (id, transform) in values {
                graph.node_mut(id).unwrap().set_transform(transform).unwrap();
            }
        }
        assert_eq!(graph.update().changed, other.update().changed, "seed {seed}");
        assert_eq!(graph.world_bytes(), other.world_bytes(), "seed {seed}");
    }
}

#[test]
#[cfg_attr(miri, ignore = "the sizes are the point, and too great for Miri")]
fn one_percent_of_leaves_costs_one_percent_of_leaves_at_every_size() {
    for (count, seeds) in [(1_000, 40), (10_000, 10), (100_000, 2)] {
        for seed in 0..seeds {
            let mut random = Rng::new(seed);
            let (mut graph, _) = random_tree(&mut random, count);
            graph.update();
            let mut leaves = leaves(&graph);
            random.shuffle(&mut leaves);
            leaves.truncate(leaves.len() / 100);
            for &leaf in &leaves {
                move_to(&mut graph, leaf, Vec3::ONE);
            }
            let updated = graph.update();
            let counts = [updated.changed, updated.edited, updated.visited];
            assert_eq!(counts, [leaves.len(); 3], "of {count} nodes, seed {seed}");
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "the sizes are the point, and too great for Miri")]
fn one_leaf_costs_one_node_at_every_size() {
    for count in [1_000, 10_000, 100_000] {
        let mut random = Rng::new(count as u64);
        let (mut graph, _) = random_tree(&mut random, count);
        graph.update();
        let leaves = leaves(&graph);
        for _ in 0..20 {
            let leaf = random.pick(&leaves);
            move_to(&mut graph, leaf, random.vec3(1.0));
            let updated = graph.update();
            let counts = [updated.changed, updated.edited, updated.visited];
            assert_eq!(counts, [1; 3], "leaf {leaf} of {count}");
        }
    }
}

#[test]
fn one_inner_node_costs_its_subtree() {
    let mut random = Rng::new(8);
    let (mut graph, nodes) = random_tree(&mut random, sized(20_000, 30));
    graph.update();
    for _ in 0..sized(200, 4) {
        // Not near the root: its subtree is a small part of every level.
        let id = nodes[nodes.len() / 10 + random.below(nodes.len() * 9 / 10)];
        let size = subtree_size(&graph, id);
        move_to(&mut graph, id, random.vec3(1.0));
        let updated = graph.update();
        assert_eq!(updated.changed, size, "{id}");
        assert!(updated.visited <= 3 * size, "{id}: visited {} for {size}", updated.visited);
    }
}

#[test]
fn an_update_without_edits_does_nothing() {
    let mut random = Rng::new(9);
    let (mut graph, nodes) = random_tree(&mut random, sized(2_000, 12));
    assert_eq!(Graph::new().update(), UpdateStats::default());
    assert_eq!(graph.update().changed, nodes.len());
    graph.clear_changes();
    let before = dump(&graph);
    for _ in 0..3 {
        assert_eq!(graph.update(), UpdateStats::default());
        assert_eq!(graph.changed().count(), 0);
    }
    // Neither names nor visibility are transforms.
    graph.node_mut(nodes[0]).unwrap().set_name("name").set_visible(false).set_visible(true);
    graph.node_mut(nodes[0]).unwrap().clear_name();
    assert_eq!(graph.update(), UpdateStats::default());
    graph.clear_changes();
    assert_eq!(dump(&graph), before);
}

#[test]
fn an_update_is_independent_of_the_previous_one() {
    let mut graph = Graph::new();
    let parents: Vec<NodeId> =
        (0..10).map(|_| graph.add_root(Transform::IDENTITY).unwrap()).collect();
    let leaves: Vec<NodeId> =
        parents.iter().map(|&id| graph.add_child(id, Transform::IDENTITY).unwrap()).collect();
    graph.update();
    // The subtree of one parent ends at its leaf, which then gets a child while
    // everything is edited.
    move_to(&mut graph, parents[0], Vec3::X);
    assert_eq!(graph.update().changed, 2);
    let child = graph.add_child(leaves[0], Transform::IDENTITY).unwrap();
    for &root in &parents {
        move_to(&mut graph, root, Vec3::Y);
    }
    assert_eq!(graph.update().changed, 21);
    graph.clear_changes();
    // The subtree of another parent is not affected.
    move_to(&mut graph, parents[5], Vec3::Z);
    let updated = graph.update();
    assert_eq!((updated.changed, updated.edited, updated.visited), (2, 1, 2));
    assert!(graph.changed().eq([parents[5], leaves[5]]));
    assert_eq!(node(&graph, child).world_translation(), Vec3::Y);
    assert_consistent(&graph);
}

#[test]
fn m70_moving_a_parent_changes_its_children_but_does_not_touch_their_local_transforms() {
    let mut random = Rng::new(31);
    let (mut graph, mut nodes) = random_tree(&mut random, sized(2_000, 20));
    graph.update();
    for round in 0..sized(300, 5) {
        let count = if round % 10 == 0 { 400 } else { random.below(5) };
        let mut edited = BTreeSet::new();
        for _ in 0..count.min(nodes.len()) {
            let id = random.pick(&nodes);
            if graph.len() > 30 && random.one_in(20) {
                graph.remove(id).unwrap();
                nodes.retain(|&id| graph.contains(id));
                edited.retain(|&id| graph.contains(id));
                continue;
            }
            move_to(&mut graph, id, random.vec3(5.0));
            edited.insert(id);
        }
        for id in graph.depth_first() {
            assert_eq!(node(&graph, id).is_local_dirty(), edited.contains(&id));
        }
        let locals = graph.transforms().to_vec();
        graph.clear_changes();
        let updated = graph.update();
        assert_eq!(updated.edited, edited.len(), "round {round}");
        assert_eq!(updated.changed, graph.changed().count(), "round {round}");
        assert!(updated.edited <= updated.changed);
        assert_eq!(graph.transforms(), locals);
    }
}

// ---- the list of changed nodes ----

#[test]
fn several_updates_in_a_frame_accumulate_changes() {
    let mut graph = Graph::new();
    let [a, b, c] = [(); 3].map(|()| graph.add_root(Transform::IDENTITY).unwrap());
    graph.update();
    graph.clear_changes();

    move_to(&mut graph, a, Vec3::X);
    assert_eq!(graph.update().changed, 1);
    assert_eq!(node(&graph, a).world_translation(), Vec3::X);
    move_to(&mut graph, b, Vec3::Y);
    move_to(&mut graph, a, Vec3::Z);
    assert_eq!(graph.update().changed, 2);
    assert_eq!(node(&graph, a).world_translation(), Vec3::Z);
    assert_eq!(node(&graph, b).world_translation(), Vec3::Y);
    graph.update();

    // Neither an update, nor an add, nor the removal of another node clears them.
    graph.add_root(Transform::IDENTITY).unwrap();
    graph.remove(c).unwrap();
    let changed: BTreeSet<NodeId> = graph.changed().collect();
    assert_eq!(changed, BTreeSet::from([a, b]));
    assert_eq!(graph.changed().count(), 2, "each once");
    graph.clear_changes();
    assert_eq!(graph.changed().count(), 0);
}

#[test]
fn changed_nodes_come_after_their_parents() {
    for seed in seeds(20) {
        let mut random = Rng::new(seed);
        let (mut graph, nodes) = random_tree(&mut random, sized(300, 12));
        for _ in 0..sized(5, 2) {
            for _ in 0..random.below(40) {
                let (id, other) = (random.pick(&nodes), random.pick(&nodes));
                match random.below(4) {
                    0 => _ = graph.attach(id, other),
                    _ => edit(&mut graph, &mut random, id),
                }
            }
            graph.update();
            let changed: Vec<NodeId> = graph.changed().collect();
            let position = |id| changed.iter().position(|&other| other == id);
            for (index, &id) in changed.iter().enumerate() {
                let parent = node(&graph, id).parent().and_then(position);
                assert!(parent.is_none_or(|parent| parent < index), "{id}, seed {seed}");
            }
        }
    }
}

#[test]
fn a_removed_dirty_node_is_never_in_the_changed_list() {
    let mut graph = Graph::new();
    let [root, middle, leaf] = chain(&mut graph, 3)[..] else { unreachable!() };
    let other = graph.add_root(Transform::IDENTITY).unwrap();
    graph.update();
    graph.clear_changes();

    // Dirty, then removed, before any update.
    move_to(&mut graph, middle, Vec3::X);
    graph.remove(middle).unwrap();
    assert_eq!(graph.dirty_roots(), []);
    assert_eq!(graph.update().changed, 0);
    assert_eq!(graph.changed().count(), 0);
    // Changed, then removed.
    move_to(&mut graph, root, Vec3::X);
    move_to(&mut graph, other, Vec3::X);
    graph.update();
    graph.remove(root).unwrap();
    assert!(graph.changed().eq([other]));
    // New nodes in the slots are listed as themselves.
    let new = graph.add_root(Transform::IDENTITY).unwrap();
    assert!(graph.changed().eq([other]), "not updated yet");
    graph.update();
    assert!(graph.changed().eq([other, new]));
    assert_eq!(graph.removed(), [middle, leaf, root]);
    assert_consistent(&graph);
}
