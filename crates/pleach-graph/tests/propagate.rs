//! Dirty and update: what is out of date, what an update rewrites, and that it
//! rewrites it right. Work is counted, never timed.

mod common;

use std::collections::BTreeSet;

use common::{Random, assert_sound, bits, chain, dump, error64, node};
use common::{random_tree, seeds, shift, size_of_tree, sized, world64};
use pleach_graph::glam::{Mat3, Mat4, Quat, Vec3};
use pleach_graph::{Graph, NodeId, Transform, Updated};

/// All the nodes below `tops`, and those themselves: what an update has to
/// rewrite when these were edited.
fn union_of_trees(graph: &Graph, tops: &[NodeId]) -> BTreeSet<NodeId> {
    let mut seen = BTreeSet::new();
    for &top in tops {
        if !seen.contains(&top) {
            seen.extend(node(graph, top).descendants());
        }
    }
    seen
}

fn leaves(graph: &Graph) -> Vec<NodeId> {
    graph.depth_first().filter(|&id| node(graph, id).children().len() == 0).collect()
}

/// An edit of a node's transform, of any kind.
fn edit(graph: &mut Graph, random: &mut Random, id: NodeId) {
    let mut view = graph.node_mut(id).unwrap();
    match random.below(5) {
        0 => _ = view.set_translation(random.vec3(10.0)).unwrap(),
        1 => _ = view.set_rotation(random.rotation()).unwrap(),
        2 => _ = view.set_scale(random.scale()).unwrap(),
        3 => _ = view.set_local_matrix(random.matrix()).unwrap(),
        _ => _ = view.set_transform(random.transform()).unwrap(),
    }
}

// M22, M60, M75
#[test]
fn worlds_of_random_trees_agree_with_a_reference_in_f64() {
    let mut worst: f64 = 0.0;
    for seed in seeds(20) {
        let mut random = Random::new(seed);
        let (mut graph, nodes) = random_tree(&mut random, sized(1_000, 12));
        for &id in nodes.iter().step_by(13) {
            graph.node_mut(id).unwrap().set_local_matrix(random.matrix()).unwrap();
        }
        graph.update();
        for &id in &nodes {
            let error = error64(node(&graph, id).world(), world64(node(&graph, id)));
            worst = worst.max(error);
            assert!(error < 1e-5, "{id} is off by {error:e}, seed {seed}");
        }
    }
    println!("the worst is off by {worst:e}");
}

// M75
#[test]
fn worlds_agree_with_the_reference_after_any_edits() {
    for seed in seeds(10) {
        let mut random = Random::new(seed);
        let (mut graph, nodes) = random_tree(&mut random, sized(300, 12));
        for round in 0..sized(30, 4) {
            for _ in 0..random.below(nodes.len()) {
                let (id, other) = (random.pick(&nodes), random.pick(&nodes));
                match random.below(8) {
                    0 => _ = graph.attach(id, other),
                    1 => graph.detach(id).unwrap(),
                    _ => edit(&mut graph, &mut random, id),
                }
            }
            graph.update();
            for &id in &nodes {
                let error = error64(node(&graph, id).world(), world64(node(&graph, id)));
                assert!(error < 1e-5, "{id} is off by {error:e}, round {round}, seed {seed}");
            }
            assert_sound(&graph);
        }
    }
}

// M60, S10
#[test]
fn three_levels_multiply_to_these_numbers() {
    // A quarter turn about Z, exact in f32.
    let mut quarter = Mat4::ZERO;
    (quarter.x_axis.y, quarter.y_axis.x) = (1.0, -1.0);
    (quarter.z_axis.z, quarter.w_axis) = (1.0, Vec3::new(1.0, 0.0, 0.0).extend(1.0));
    let mut graph = Graph::new();
    let a = graph.add_root(Transform::IDENTITY).unwrap();
    graph.node_mut(a).unwrap().set_local_matrix(quarter).unwrap();
    let b = graph
        .add_child(a, Transform::from_xyz(0.0, 2.0, 0.0).with_scale(Vec3::new(2.0, 1.0, 1.0)))
        .unwrap();
    let c = graph.add_child(b, Transform::from_xyz(3.0, 0.0, 5.0)).unwrap();
    graph.update();
    #[rustfmt::skip]
    let expected = [
        [0.0, 1.0, 0.0, 0.0,  -1.0, 0.0, 0.0, 0.0,  0.0, 0.0, 1.0, 0.0,  1.0, 0.0, 0.0, 1.0],
        [0.0, 2.0, 0.0, 0.0,  -1.0, 0.0, 0.0, 0.0,  0.0, 0.0, 1.0, 0.0,  -1.0, 0.0, 0.0, 1.0],
        [0.0, 2.0, 0.0, 0.0,  -1.0, 0.0, 0.0, 0.0,  0.0, 0.0, 1.0, 0.0,  -1.0, 6.0, 5.0, 1.0],
    ];
    for (id, expected) in [a, b, c].into_iter().zip(expected) {
        assert_eq!(node(&graph, id).world().to_cols_array(), expected, "{id}");
    }
}

// M60
#[test]
fn under_an_identity_the_world_is_exactly_the_local() {
    let mut random = Random::new(6);
    let mut graph = Graph::new();
    let root = graph.add_root(Transform::IDENTITY).unwrap();
    for _ in 0..sized(100, 10) {
        let id = graph.add_child(root, random.transform()).unwrap();
        graph.update();
        assert_eq!(node(&graph, id).world(), node(&graph, id).local_matrix());
    }
}

// M27, M56, M68
#[test]
fn everything_below_an_edited_node_is_dirty_at_once_and_nothing_else() {
    for seed in seeds(30) {
        let mut random = Random::new(seed);
        let (mut graph, nodes) = random_tree(&mut random, sized(150, 12));
        assert!(nodes.iter().all(|&id| node(&graph, id).is_dirty()), "new nodes are dirty");
        graph.update();
        assert!(nodes.iter().all(|&id| !node(&graph, id).is_dirty()), "updated nodes are not");
        let mut edited = Vec::new();
        for _ in 0..5 {
            let id = random.pick(&nodes);
            edit(&mut graph, &mut random, id);
            edited.push(id);
            let dirty = union_of_trees(&graph, &edited);
            for &id in &nodes {
                assert_eq!(node(&graph, id).is_dirty(), dirty.contains(&id), "{id}, seed {seed}");
            }
        }
    }
}

// M27
#[test]
fn a_node_is_dirty_exactly_when_its_stored_world_may_be_stale() {
    for seed in seeds(20) {
        let mut random = Random::new(seed);
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

// M70
#[test]
fn the_child_of_a_moved_parent_is_dirty_but_not_edited() {
    let mut graph = Graph::new();
    let [parent, child, leaf] = chain(&mut graph, 3)[..] else { unreachable!() };
    graph.update();
    let local = bits(node(&graph, child).local_matrix());
    shift(&mut graph, parent, Vec3::Z);
    for id in [child, leaf] {
        assert!(node(&graph, id).is_dirty() && !node(&graph, id).is_local_dirty());
    }
    assert!(node(&graph, parent).is_dirty() && node(&graph, parent).is_local_dirty());
    assert_eq!(bits(node(&graph, child).local_matrix()), local, "its local is what it was");
    graph.update();
    assert!(!node(&graph, parent).is_local_dirty());
}

// M69, S21
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
        shift(&mut graph, root, Vec3::splat(x as f32));
        // A set marks the node itself; what is below is dirty by derivation.
        let edited = || graph.flags().iter().filter(|flags| flags.is_edited());
        if x % (count / 10) == 0 {
            assert_eq!(edited().count(), 1);
        }
    }
    assert_eq!(graph.update(), Updated { rewritten: count, visited: count });
    assert_eq!(graph.changed().count(), count);
}

// M71
#[test]
fn dirty_roots_are_the_fewest_in_any_order_of_edits() {
    let mut graph = Graph::new();
    let [top, middle, leaf] = chain(&mut graph, 3)[..] else { unreachable!() };
    let sibling = graph.add_child(top, Transform::IDENTITY).unwrap();
    for (edits, expected) in [
        (vec![top, leaf], vec![top]),
        (vec![leaf, top], vec![top]),
        (vec![leaf, middle, top], vec![top]),
        (vec![middle, top, leaf], vec![top]),
        (vec![sibling, leaf], vec![leaf, sibling]),
        (vec![middle, leaf, sibling], vec![middle, sibling]),
        (vec![], vec![]),
    ] {
        graph.update();
        assert_eq!(graph.dirty_roots(), []);
        for &id in &edits {
            shift(&mut graph, id, Vec3::X);
        }
        assert_eq!(graph.dirty_roots(), expected, "after edits of {edits:?}");
    }
}

// M71, M76
#[test]
fn dirty_roots_of_random_edits_are_the_edited_nodes_without_edited_ancestors() {
    for seed in seeds(20) {
        let mut random = Random::new(seed);
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
            let is_top = |id: &NodeId| {
                !node(&graph, *id).ancestors().any(|ancestor| edited.contains(&ancestor))
            };
            let expected: Vec<NodeId> = edited.iter().copied().filter(is_top).collect();
            assert_eq!(graph.dirty_roots(), expected, "{count} edits, seed {seed}");
        }
    }
}

// M72, P5
#[test]
fn an_update_rewrites_exactly_the_trees_of_the_edited_nodes_once_each() {
    for seed in seeds(20) {
        let mut random = Random::new(seed);
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
            let expected = union_of_trees(&graph, &edited);
            let updated = graph.update();
            assert_eq!(updated.rewritten, expected.len(), "{percent} %, seed {seed}");
            assert!(updated.visited >= updated.rewritten, "{percent} %, seed {seed}");
            let changed: Vec<NodeId> = graph.changed().collect();
            assert_eq!(changed.len(), expected.len(), "each once, {percent} %, seed {seed}");
            assert!(changed.iter().all(|id| expected.contains(id)), "{percent} %, seed {seed}");
            assert_sound(&graph);
        }
    }
}

// M72
#[test]
fn the_order_of_edits_does_not_matter() {
    for seed in seeds(20) {
        let mut random = Random::new(seed);
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
        assert_eq!(graph.update().rewritten, other.update().rewritten, "seed {seed}");
        assert_eq!(graph.world_bytes(), other.world_bytes(), "seed {seed}");
    }
}

// M73, S12, P5, P6
#[test]
#[cfg_attr(miri, ignore = "the sizes are the point, and too great for Miri")]
fn one_percent_of_leaves_costs_one_percent_of_leaves_at_every_size() {
    for (count, seeds) in [(1_000, 40), (10_000, 10), (100_000, 2)] {
        for seed in 0..seeds {
            let mut random = Random::new(seed);
            let (mut graph, _) = random_tree(&mut random, count);
            graph.update();
            let mut leaves = leaves(&graph);
            random.shuffle(&mut leaves);
            leaves.truncate(leaves.len() / 100);
            for &leaf in &leaves {
                shift(&mut graph, leaf, Vec3::ONE);
            }
            let expected = Updated { rewritten: leaves.len(), visited: leaves.len() };
            assert_eq!(graph.update(), expected, "of {count} nodes, seed {seed}");
        }
    }
}

// M73, S12
#[test]
#[cfg_attr(miri, ignore = "the sizes are the point, and too great for Miri")]
fn one_leaf_costs_one_node_at_every_size() {
    for count in [1_000, 10_000, 100_000] {
        let mut random = Random::new(count as u64);
        let (mut graph, _) = random_tree(&mut random, count);
        graph.update();
        let leaves = leaves(&graph);
        for _ in 0..20 {
            let leaf = random.pick(&leaves);
            shift(&mut graph, leaf, random.vec3(1.0));
            let once = Updated { rewritten: 1, visited: 1 };
            assert_eq!(graph.update(), once, "leaf {leaf} of {count}");
        }
    }
}

// M73
#[test]
fn one_node_in_the_middle_costs_its_tree() {
    let mut random = Random::new(8);
    let (mut graph, nodes) = random_tree(&mut random, sized(20_000, 30));
    graph.update();
    for _ in 0..sized(200, 4) {
        // Not near the top: its tree is a small part of every level.
        let id = nodes[nodes.len() / 10 + random.below(nodes.len() * 9 / 10)];
        let size = size_of_tree(&graph, id);
        shift(&mut graph, id, random.vec3(1.0));
        let updated = graph.update();
        assert_eq!(updated.rewritten, size, "{id}");
        assert!(updated.visited <= 3 * size, "{id}: visited {} for {size}", updated.visited);
    }
}

// M74
#[test]
fn an_update_with_nothing_to_do_does_nothing() {
    let mut random = Random::new(9);
    let (mut graph, nodes) = random_tree(&mut random, sized(2_000, 12));
    assert_eq!(Graph::new().update(), Updated::default());
    assert_eq!(graph.update().rewritten, nodes.len());
    graph.clear_changes();
    let before = dump(&graph);
    for _ in 0..3 {
        assert_eq!(graph.update(), Updated { rewritten: 0, visited: 0 });
        assert_eq!(graph.changed().count(), 0);
    }
    // Neither names nor visibility are transforms.
    graph.node_mut(nodes[0]).unwrap().set_name("name").set_visible(false).set_visible(true);
    graph.node_mut(nodes[0]).unwrap().clear_name();
    assert_eq!(graph.update(), Updated::default());
    graph.clear_changes();
    assert_eq!(dump(&graph), before);
}

// M77, M80, M81
#[test]
fn several_updates_in_a_frame_accumulate_changes() {
    let mut graph = Graph::new();
    let [a, b, c] = [(); 3].map(|()| graph.add_root(Transform::IDENTITY).unwrap());
    graph.update();
    graph.clear_changes();

    shift(&mut graph, a, Vec3::X);
    assert_eq!(graph.update().rewritten, 1);
    assert_eq!(node(&graph, a).world_translation(), Vec3::X);
    shift(&mut graph, b, Vec3::Y);
    shift(&mut graph, a, Vec3::Z);
    assert_eq!(graph.update().rewritten, 2);
    assert_eq!(node(&graph, a).world_translation(), Vec3::Z);
    assert_eq!(node(&graph, b).world_translation(), Vec3::Y);
    graph.update();

    // Neither an update, nor an add, nor the removal of another clears them.
    graph.add_root(Transform::IDENTITY).unwrap();
    graph.remove(c).unwrap();
    let changed: BTreeSet<NodeId> = graph.changed().collect();
    assert_eq!(changed, BTreeSet::from([a, b]));
    assert_eq!(graph.changed().count(), 2, "each once");
    graph.clear_changes();
    assert_eq!(graph.changed().count(), 0);
}

// M80
#[test]
fn changed_nodes_come_after_their_parents() {
    for seed in seeds(20) {
        let mut random = Random::new(seed);
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
            let place = |id| changed.iter().position(|&other| other == id);
            for (index, &id) in changed.iter().enumerate() {
                let parent = node(&graph, id).parent().and_then(place);
                assert!(parent.is_none_or(|parent| parent < index), "{id}, seed {seed}");
            }
        }
    }
}

// S17
#[test]
fn a_dirty_grandchild_below_clean_ancestors_is_updated() {
    let mut graph = Graph::new();
    let [_, _, grandchild] = chain(&mut graph, 3)[..] else { unreachable!() };
    graph.update();
    shift(&mut graph, grandchild, Vec3::new(0.0, 0.0, 9.0));
    assert_eq!(graph.update().rewritten, 1);
    assert_eq!(node(&graph, grandchild).world_translation(), Vec3::new(1.0, 1.0, 9.0));
}

// S17
#[test]
fn a_child_dirty_before_its_parent_still_updates_its_own_children() {
    let mut graph = Graph::new();
    let [parent, child, leaf] = chain(&mut graph, 3)[..] else { unreachable!() };
    graph.update();
    shift(&mut graph, child, Vec3::ZERO);
    shift(&mut graph, parent, Vec3::ZERO);
    assert_eq!(graph.update().rewritten, 3);
    assert_eq!(node(&graph, leaf).world_translation(), Vec3::new(0.0, 1.0, 0.0));
}

// S19
#[test]
fn a_node_put_under_a_dirty_parent_is_dirty_itself() {
    let mut graph = Graph::new();
    let parent = graph.add_root(Transform::IDENTITY).unwrap();
    let clean = graph.add_root(Transform::from_xyz(0.0, 0.0, 2.0)).unwrap();
    let below = graph.add_child(clean, Transform::IDENTITY).unwrap();
    graph.update();
    shift(&mut graph, parent, Vec3::X);
    let new = graph.add_child(parent, Transform::IDENTITY).unwrap();
    graph.attach(clean, parent).unwrap();
    for id in [new, clean, below] {
        assert!(node(&graph, id).is_dirty(), "{id}");
    }
    assert!(node(&graph, new).is_local_dirty() && node(&graph, clean).is_local_dirty());
    // And stays so when the parent's own edit is gone from above it.
    graph.detach(clean).unwrap();
    assert!(node(&graph, clean).is_dirty() && node(&graph, below).is_dirty());
    assert_eq!(graph.update().rewritten, 4);
    assert_eq!(node(&graph, below).world_translation(), Vec3::new(0.0, 0.0, 2.0));
}

// S20, M82, M38
#[test]
fn a_removed_dirty_node_is_never_in_the_changed_list() {
    let mut graph = Graph::new();
    let [top, middle, leaf] = chain(&mut graph, 3)[..] else { unreachable!() };
    let other = graph.add_root(Transform::IDENTITY).unwrap();
    graph.update();
    graph.clear_changes();

    // Dirty, then removed, before any update.
    shift(&mut graph, middle, Vec3::X);
    graph.remove(middle).unwrap();
    assert_eq!(graph.dirty_roots(), []);
    assert_eq!(graph.update().rewritten, 0);
    assert_eq!(graph.changed().count(), 0);
    // Changed, then removed.
    shift(&mut graph, top, Vec3::X);
    shift(&mut graph, other, Vec3::X);
    graph.update();
    graph.remove(top).unwrap();
    assert!(graph.changed().eq([other]));
    // The slots' next tenants are listed as themselves.
    let new = graph.add_root(Transform::IDENTITY).unwrap();
    assert!(graph.changed().eq([other]), "not updated yet");
    graph.update();
    assert!(graph.changed().eq([other, new]));
    assert_eq!(graph.removed(), [middle, leaf, top]);
    assert_sound(&graph);
}

// M78
#[test]
fn compute_world_is_what_the_next_update_will_store_and_alters_nothing() {
    for seed in seeds(30) {
        let mut random = Random::new(seed);
        let (mut graph, nodes) = random_tree(&mut random, sized(100, 12));
        for &id in nodes.iter().step_by(11) {
            graph.node_mut(id).unwrap().set_local_matrix(random.matrix()).unwrap();
        }
        if random.one_in(2) {
            graph.update();
        }
        for _ in 0..random.below(10) {
            let (id, other) = (random.pick(&nodes), random.pick(&nodes));
            match random.below(4) {
                0 => _ = graph.attach(id, other),
                1 => graph.detach(id).unwrap(),
                _ => edit(&mut graph, &mut random, id),
            }
        }
        let before = dump(&graph);
        let computed: Vec<[u32; 16]> =
            nodes.iter().map(|&id| bits(node(&graph, id).compute_world())).collect();
        assert_eq!(dump(&graph), before, "seed {seed}");
        graph.update();
        for (&id, computed) in nodes.iter().zip(computed) {
            assert_eq!(bits(node(&graph, id).world()), computed, "{id}, seed {seed}");
            assert_eq!(bits(node(&graph, id).compute_world()), computed, "{id}, seed {seed}");
        }
    }
}

// PAINS 1
#[test]
fn the_stored_world_is_the_identity_before_and_as_of_the_last_update_after() {
    let mut graph = Graph::new();
    let id = graph.add_root(Transform::from_xyz(1.0, 0.0, 0.0)).unwrap();
    assert_eq!(node(&graph, id).world(), Mat4::IDENTITY);
    assert_eq!(node(&graph, id).compute_world(), Mat4::from_translation(Vec3::X));
    graph.update();
    shift(&mut graph, id, Vec3::Y);
    assert_eq!(node(&graph, id).world(), Mat4::from_translation(Vec3::X), "as of the last update");
    assert_eq!(node(&graph, id).compute_world(), Mat4::from_translation(Vec3::Y));
}

// M79
#[test]
fn what_follows_from_the_world_is_refreshed_with_it() {
    let mut graph = Graph::new();
    let parent = graph.add_root(Transform::IDENTITY).unwrap();
    let child = graph.add_child(parent, Transform::IDENTITY).unwrap();
    graph.update();
    let transform = Transform::from_xyz(1.0, 2.0, 3.0)
        .with_rotation(Quat::from_rotation_x(1.0))
        .with_scale(Vec3::new(-2.0, 1.0, 1.0));
    graph.node_mut(parent).unwrap().set_transform(transform).unwrap();
    graph.update();
    let child = node(&graph, child);
    let world = transform.to_matrix();
    let normal = Mat3::from_mat4(world).inverse().transpose();
    assert!(child.normal_matrix().abs_diff_eq(normal, 1e-6));
    assert!(child.inverse_world().unwrap().abs_diff_eq(world.inverse(), 1e-6));
    assert_eq!(child.world_translation(), Vec3::new(1.0, 2.0, 3.0));
    assert!(child.winding_flipped());
}

#[test]
fn an_update_in_steps_gives_the_bits_of_an_update_from_scratch() {
    for seed in seeds(10) {
        let mut random = Random::new(seed);
        let (mut graph, nodes) = random_tree(&mut random, sized(300, 12));
        for _ in 0..sized(20, 4) {
            for _ in 0..random.below(nodes.len()) {
                let id = random.pick(&nodes);
                edit(&mut graph, &mut random, id);
            }
            graph.update();
        }
        let mut scratch = Graph::new();
        for id in graph.depth_first() {
            let old = node(&graph, id);
            // Their handles differ; their places in this order do not.
            let parent = old.parent().map(|parent| graph.depth_first().position(|id| id == parent));
            let new = match parent {
                None => scratch.add_root(old.transform()).unwrap(),
                Some(parent) => {
                    let parent = scratch.depth_first().nth(parent.unwrap()).unwrap();
                    scratch.add_child(parent, old.transform()).unwrap()
                }
            };
            if old.has_local_matrix() {
                scratch.node_mut(new).unwrap().set_local_matrix(old.local_matrix()).unwrap();
            }
        }
        scratch.update();
        for (old, new) in graph.depth_first().zip(scratch.depth_first()) {
            let (old, new) = (node(&graph, old), node(&scratch, new));
            assert_eq!(bits(old.world()), bits(new.world()), "{}, seed {seed}", old.id());
        }
    }
}

#[test]
fn an_update_remembers_nothing_of_the_one_before() {
    let mut graph = Graph::new();
    let parents: Vec<NodeId> =
        (0..10).map(|_| graph.add_root(Transform::IDENTITY).unwrap()).collect();
    let leaves: Vec<NodeId> =
        parents.iter().map(|&id| graph.add_child(id, Transform::IDENTITY).unwrap()).collect();
    graph.update();
    // One of them ends at its leaf; which gets a child while everything is edited.
    shift(&mut graph, parents[0], Vec3::X);
    assert_eq!(graph.update().rewritten, 2);
    let child = graph.add_child(leaves[0], Transform::IDENTITY).unwrap();
    for &root in &parents {
        shift(&mut graph, root, Vec3::Y);
    }
    assert_eq!(graph.update().rewritten, 21);
    graph.clear_changes();
    // Another is none of its business.
    shift(&mut graph, parents[5], Vec3::Z);
    assert_eq!(graph.update(), Updated { rewritten: 2, visited: 2 });
    assert!(graph.changed().eq([parents[5], leaves[5]]));
    assert_eq!(node(&graph, child).world_translation(), Vec3::Y);
    assert_sound(&graph);
}
