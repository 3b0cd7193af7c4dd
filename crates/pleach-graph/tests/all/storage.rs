//! Storage: columns by slot, their growth, and the reuse of slots.

use core::num::NonZeroU32;
use std::collections::BTreeSet;

use pleach_graph::glam::{Mat4, Quat, Vec3};
#[cfg(feature = "bytemuck")]
use pleach_graph::rotation;
use pleach_graph::{Error, Graph, NodeFlags, NodeId, NodeMap, Transform};
use testkit::{Rng, sized};

use crate::common::{
    RandomTransform, add_named, assert_consistent, bits, chain, dump, move_to, node, random_tree,
    seeds, transform_bits,
};

/// Adds roots until there are `nodes` nodes.
fn fill(graph: &mut Graph, nodes: usize) -> Vec<NodeId> {
    (graph.len()..nodes).map(|_| graph.add_root(Transform::IDENTITY).unwrap()).collect()
}

#[test]
fn the_transform_column_contains_the_values_that_were_set() {
    let mut random = Rng::new(1);
    let (mut graph, nodes) = random_tree(&mut random, sized(600, 12));
    for &id in &nodes {
        let transform = random.transform();
        graph.node_mut(id).unwrap().set_transform(transform).unwrap();
        assert_eq!(
            transform_bits(graph.transforms()[id.index()]),
            transform_bits(node(&graph, id).transform()),
        );
        assert_eq!(graph.transforms()[id.index()].translation, transform.translation);
        assert_eq!(graph.transforms()[id.index()].scale, transform.scale);
    }
    assert_eq!(graph.transforms().len(), nodes.len());
}

#[test]
fn a_rotation_is_stored_as_x_y_z_w() {
    let mut graph = Graph::new();
    let id = graph.add_root(Transform::IDENTITY).unwrap();
    graph.node_mut(id).unwrap().set_rotation(Quat::from_xyzw(0.6, 0.0, 0.0, 0.8)).unwrap();
    assert_eq!(graph.transforms()[id.index()].rotation.to_array(), [0.6, 0.0, 0.0, 0.8]);
}

#[test]
fn the_parent_column_agrees_with_the_links() {
    assert_eq!(Graph::NO_PARENT as i32, -1);
    for seed in seeds(5) {
        let mut random = Rng::new(seed);
        let (mut graph, nodes) = random_tree(&mut random, sized(300, 12));
        for _ in 0..nodes.len() / 2 {
            let (child, parent) = (random.pick(&nodes), random.pick(&nodes));
            match random.below(3) {
                0 => graph.detach(child).unwrap(),
                _ => _ = graph.attach(child, parent),
            }
        }
        for &id in &nodes {
            let row = graph.parents()[id.index()];
            match node(&graph, id).parent() {
                None => assert_eq!(row, Graph::NO_PARENT, "{id}, seed {seed}"),
                Some(parent) => assert_eq!(row as usize, parent.index(), "{id}, seed {seed}"),
            }
        }
    }
}

#[test]
fn the_flag_column_has_alive_visible_shown_and_local_dirty() {
    let mut graph = Graph::new();
    let parent = graph.add_root(Transform::IDENTITY).unwrap();
    let child = graph.add_child(parent, Transform::IDENTITY).unwrap();
    let removed_node = graph.add_root(Transform::IDENTITY).unwrap();
    let flags_of = |graph: &Graph, id: NodeId| {
        let flags = graph.flags()[id.index()];
        [flags.is_alive(), flags.is_visible(), flags.is_shown(), flags.is_local_dirty()]
    };
    assert_eq!(flags_of(&graph, parent), [true, true, true, true]);
    graph.update();
    assert!(
        graph.flags().iter().all(|flags| !flags.is_local_dirty()),
        "none is dirty after an update"
    );

    graph.node_mut(parent).unwrap().set_visible(false);
    assert_eq!(flags_of(&graph, parent), [true, false, false, false]);
    assert_eq!(flags_of(&graph, child), [true, true, false, false]);
    move_to(&mut graph, child, Vec3::X);
    assert_eq!(flags_of(&graph, child), [true, true, false, true]);
    graph.remove(removed_node).unwrap();
    assert_eq!(flags_of(&graph, removed_node), [false, false, false, false]);
    assert_eq!(size_of::<NodeFlags>(), 1);
}

#[test]
fn after_an_update_no_row_is_locally_dirty() {
    for seed in seeds(10) {
        let mut random = Rng::new(seed);
        let (mut graph, nodes) = random_tree(&mut random, sized(500, 12));
        for percent in [100, 1, 30, 60] {
            graph.update();
            let edited = graph.flags().iter().filter(|flags| flags.is_local_dirty()).count();
            assert_eq!(edited, 0, "before {percent} %, seed {seed}");
            for &id in nodes.iter().filter(|_| random.below(100) < percent) {
                graph.node_mut(id).unwrap().set_scale(Vec3::ONE).unwrap();
            }
        }
    }
}

#[test]
fn capacity_is_256_and_doubles() {
    let mut graph = Graph::new();
    assert_eq!(graph.capacity(), 256);
    let steps = [(256, 256), (257, 512), (512, 512), (513, 1024), (1025, 2048)];
    for (nodes, capacity) in steps.into_iter().take(sized(5, 2)) {
        fill(&mut graph, nodes);
        assert_eq!((graph.len(), graph.capacity()), (nodes, capacity));
    }
    assert_consistent(&graph);
}

#[test]
fn with_capacity_does_not_grow_up_to_that_number_of_nodes() {
    for nodes in [257, 0, 1, 256, 10_000].into_iter().take(sized(5, 1)) {
        let mut graph = Graph::with_capacity(nodes).unwrap();
        let capacity = graph.capacity();
        assert!(capacity >= nodes);
        let column = graph.world_matrices().as_ptr();
        fill(&mut graph, nodes);
        assert_eq!(graph.capacity(), capacity, "for {nodes} nodes");
        assert_eq!(
            graph.world_matrices().as_ptr(),
            column,
            "for {nodes} nodes: the column was reallocated"
        );
    }
}

/// Returns the addresses of the four columns.
fn addresses(graph: &Graph) -> [usize; 4] {
    [
        graph.world_matrices().as_ptr().addr(),
        graph.transforms().as_ptr().addr(),
        graph.parents().as_ptr().addr(),
        graph.flags().as_ptr().addr(),
    ]
}

#[test]
fn only_adding_nodes_moves_a_column() {
    for seed in seeds(20) {
        let mut random = Rng::new(seed);
        let (mut graph, mut nodes) = random_tree(&mut random, sized(200, 40));
        graph.update();
        let (columns, capacity) = (addresses(&graph), graph.capacity());
        for step in 0..sized(300, 60) {
            let (node, other) = (random.pick(&nodes), random.pick(&nodes));
            let edit = random.below(12);
            match edit {
                0 => _ = graph.node_mut(node).unwrap().set_transform(random.transform()),
                1 => _ = graph.node_mut(node).unwrap().set_local_matrix(Mat4::IDENTITY).unwrap(),
                2 => _ = graph.node_mut(node).unwrap().set_world_translation(random.vec3(5.0)),
                3 => _ = graph.node_mut(node).unwrap().set_name("a name").set_visible(false),
                4 => _ = graph.attach(node, other),
                5 => _ = graph.attach_in_place(node, other),
                6 => graph.detach(node).unwrap(),
                7 if nodes.len() > 20 => {
                    graph.remove(node).unwrap();
                    nodes.retain(|&node| graph.contains(node));
                    if nodes.is_empty() {
                        break;
                    }
                }
                8 => graph.clear_changes(),
                9 => _ = graph.change_reader(),
                // A slot of a removed node is used again: the columns have a row for it.
                10 if graph.len() < graph.parents().len() => {
                    nodes.push(graph.add_root(Transform::IDENTITY).unwrap());
                }
                _ => _ = graph.update(),
            }
            assert_eq!(addresses(&graph), columns, "seed {seed}, step {step}, edit {edit}");
        }
        // Within the capacity, adding does not move them either.
        fill(&mut graph, capacity);
        assert_eq!(addresses(&graph), columns, "seed {seed}");
        assert_consistent(&graph);
    }
}

#[test]
#[cfg_attr(miri, ignore = "1200 nodes are too many for Miri")]
fn reserve_reserves_capacity_for_additional_nodes() {
    let mut graph = Graph::new();
    let nodes = fill(&mut graph, 200);
    graph.reserve(56).unwrap();
    assert_eq!(graph.capacity(), 256, "the capacity sufficed");
    graph.reserve(1_000).unwrap();
    assert_eq!(graph.capacity(), 1_200);
    for &node in &nodes[..100] {
        graph.remove(node).unwrap();
    }
    graph.reserve(1_100).unwrap();
    assert_eq!(graph.capacity(), 1_200, "free slots count as capacity");
    fill(&mut graph, 1_200);
    assert_eq!(graph.capacity(), 1_200);
    graph.add_root(Transform::IDENTITY).unwrap();
    assert_eq!(graph.capacity(), 2_400);
    assert_consistent(&graph);
}

#[test]
fn exceeding_the_maximum_number_of_nodes_is_an_error_and_changes_nothing() {
    let mut graph = Graph::new();
    add_named(&mut graph, None, "here");
    graph.update();
    let before = dump(&graph);
    for nodes in [usize::MAX, usize::MAX - 1, 1 << 33, 1 << 32] {
        let error = graph.reserve(nodes).unwrap_err();
        assert!(matches!(error, Error::TooManyNodes { .. }), "{nodes}: {error}");
        assert_eq!(dump(&graph), before);
        let error = Graph::with_capacity(nodes).unwrap_err();
        assert_eq!(error, Error::TooManyNodes { nodes });
        assert_eq!(
            error.to_string(),
            format!("cannot store {nodes} nodes: out of memory, or more than 2^32 - 1"),
        );
    }
    assert_consistent(&graph);
    graph.add_root(Transform::IDENTITY).unwrap();
}

/// A graph with all kinds of data: names, matrices, hidden nodes, edits, changes,
/// and a map of its nodes.
fn full_of_everything(random: &mut Rng, count: usize) -> (Graph, Vec<NodeId>, NodeMap<usize>) {
    let (mut graph, nodes) = random_tree(random, count);
    graph.update();
    graph.clear_changes();
    let mut map = NodeMap::new();
    for (index, &id) in nodes.iter().enumerate() {
        let mut node = graph.node_mut(id).unwrap();
        match index % 6 {
            0 => _ = node.set_name("same"),
            1 => _ = node.set_name(&format!("node {index}")),
            2 => _ = node.set_local_matrix(random.affine(10.0)).unwrap(),
            3 => _ = node.set_visible(false),
            4 => _ = node.set_transform(random.transform()).unwrap(),
            _ => _ = map.insert(&graph, id, index).unwrap(),
        }
    }
    graph.update();
    for &id in nodes.iter().step_by(7) {
        move_to(&mut graph, id, random.vec3(5.0));
    }
    (graph, nodes, map)
}

/// The dump without the capacity.
fn dump_without_capacity(graph: &Graph) -> String {
    dump(graph).replace(&format!("capacity {}", graph.capacity()), "")
}

#[test]
#[cfg_attr(miri, ignore = "257 nodes full of everything are too many for Miri")]
fn growth_at_257_keeps_all_data_of_all_columns() {
    for seed in seeds(4) {
        let mut random = Rng::new(seed);
        let (mut graph, nodes, map) = full_of_everything(&mut random, 256);
        let mut reader = graph.change_reader();
        assert_eq!(graph.capacity(), 256);
        let before = dump_without_capacity(&graph);
        let rows: Vec<_> = map.iter(&graph).map(|(id, &row)| (id, row)).collect();

        let extra = graph.add_root(Transform::IDENTITY).unwrap();
        assert_eq!(graph.capacity(), 512);
        assert!(map.iter(&graph).map(|(id, &row)| (id, row)).eq(rows), "seed {seed}");
        assert_consistent(&graph);

        // Except for the new node itself, the graph is the same as before.
        let mut untouched = graph.clone();
        untouched.remove(extra).unwrap();
        assert_eq!(untouched.removed(), [extra]);
        let strip = |text: &str| -> Vec<String> {
            let lines = text.lines().skip(2).filter(|line| !line.starts_with(&extra.to_string()));
            lines.map(String::from).collect()
        };
        assert_eq!(strip(&dump(&untouched)), strip(&before), "seed {seed}");

        graph.update();
        assert!(nodes.iter().all(|&id| graph.contains(id)));
        assert!(reader.read(&graph).unwrap().changed().any(|id| id == extra));
        assert_consistent(&graph);
    }
}

#[test]
fn reserve_keeps_all_data_of_all_columns() {
    let mut random = Rng::new(3);
    let (mut graph, ..) = full_of_everything(&mut random, sized(400, 12));
    let before = dump_without_capacity(&graph);
    graph.reserve(sized(100_000, 1_000)).unwrap();
    assert_eq!(dump_without_capacity(&graph), before);
    assert_consistent(&graph);
}

#[test]
fn replacing_removed_nodes_needs_no_more_rows() {
    let all = sized(256, 16);
    let mut graph = Graph::new();
    let mut nodes = fill(&mut graph, all);
    graph.update();
    let mut random = Rng::new(9);
    for round in 0..sized(50, 3) {
        let count = 1 + random.below(all - 1);
        random.shuffle(&mut nodes);
        for id in nodes.drain(..count) {
            graph.remove(id).unwrap();
        }
        nodes.extend(fill(&mut graph, all));
        graph.update();
        assert_eq!((graph.capacity(), graph.world_matrices().len()), (256, all), "round {round}");
    }
    assert_consistent(&graph);
}

#[test]
fn the_bytes_of_a_row_are_the_world_matrix_of_its_node() {
    let mut random = Rng::new(2);
    let (mut graph, nodes) = random_tree(&mut random, sized(500, 12));
    graph.update();
    for &id in &nodes {
        let world = node(&graph, id).world();
        assert_eq!(bits(graph.world_matrices()[id.index()]), bits(world));
        let row = &graph.world_bytes()[id.index() * 64..][..64];
        for (element, bytes) in world.to_cols_array().iter().zip(row.chunks_exact(4)) {
            assert_eq!(element.to_ne_bytes(), bytes, "column-major");
        }
    }
    assert_eq!(graph.world_bytes().len(), graph.world_matrices().len() * 64);
}

#[test]
fn the_translation_is_in_elements_12_to_14() {
    let mut graph = Graph::new();
    let id = graph.add_root(Transform::from_xyz(1.0, 2.0, 3.0)).unwrap();
    graph.update();
    let world = graph.world_matrices()[id.index()].to_cols_array();
    assert_eq!(world[12..], [1.0, 2.0, 3.0, 1.0]);
}

#[test]
fn world_rows_are_64_byte_aligned_before_and_after_growth() {
    let mut graph = Graph::new();
    for nodes in [1, 256, 257, sized(600, 258)] {
        fill(&mut graph, nodes);
        for row in [0, nodes / 2, nodes - 1] {
            let address = (&raw const graph.world_matrices()[row]).addr();
            assert_eq!(address % 64, 0, "row {row} of {nodes}");
        }
        assert_eq!(graph.world_bytes().as_ptr().addr() % 64, 0);
    }
}

#[cfg(feature = "bytemuck")]
#[test]
fn world_matrices_cast_to_bytes_without_a_copy() {
    let mut random = Rng::new(4);
    let (mut graph, _) = random_tree(&mut random, 50);
    graph.update();
    let cast: &[u8] = bytemuck::cast_slice(graph.world_matrices());
    assert_eq!(cast, graph.world_bytes());
    assert_eq!(cast.as_ptr(), graph.world_bytes().as_ptr());
    let floats: &[f32] = bytemuck::cast_slice(graph.world_matrices());
    assert_eq!(floats.len(), 16 * 50);
}

#[test]
fn the_index_of_a_node_is_stable_while_others_are_added_and_removed() {
    let mut graph = Graph::new();
    let kept = graph.add_root(Transform::from_xyz(7.0, 0.0, 0.0)).unwrap();
    let mut others = fill(&mut graph, sized(300, 8));
    others.drain(..).step_by(2).for_each(|id| _ = graph.remove(id).unwrap());
    fill(&mut graph, sized(1_000, 16));
    graph.update();
    assert_eq!(graph.world_matrices()[kept.index()].w_axis.x, 7.0);
    assert_eq!(node(&graph, kept).id(), kept);
}

#[test]
fn the_last_of_three_nodes_is_readable_by_index_after_the_first_is_removed() {
    let mut graph = Graph::new();
    let nodes = [1.0, 2.0, 3.0].map(|x| graph.add_root(Transform::from_xyz(x, 0.0, 0.0)).unwrap());
    graph.update();
    graph.remove(nodes[0]).unwrap();
    graph.update();
    assert_eq!(graph.len(), 2);
    // A buffer of `len` rows would end before row 2.
    assert_eq!(graph.world_matrices().len(), 3);
    assert_eq!(graph.world_matrices()[nodes[2].index()].w_axis.x, 3.0);
    assert_eq!(graph.world_bytes()[2 * 64 + 48..][..4], 3.0f32.to_ne_bytes());
}

#[test]
fn flags_distinguish_live_rows_from_dead_ones() {
    let mut graph = Graph::new();
    let nodes = fill(&mut graph, 10);
    for &id in &nodes[2..5] {
        graph.remove(id).unwrap();
    }
    let alive: Vec<usize> = (0..10).filter(|&row| graph.flags()[row].is_alive()).collect();
    assert_eq!(alive, [0, 1, 5, 6, 7, 8, 9]);
    assert_eq!(graph.len(), alive.len());
}

#[test]
fn every_removed_node_is_listed_once_parents_before_children() {
    for seed in seeds(10) {
        let mut random = Rng::new(seed);
        let (mut graph, nodes) = random_tree(&mut random, sized(200, 12));
        let mut expected = Vec::new();
        for _ in 0..20 {
            let id = random.pick(&nodes);
            if let Some(node) = graph.get(id) {
                expected.extend(node.descendants());
                graph.remove(id).unwrap();
            }
            graph.update();
        }
        assert_eq!(graph.removed(), expected, "seed {seed}");
        assert_eq!(graph.len() + expected.len(), nodes.len());
        graph.clear_changes();
        assert_eq!(graph.removed(), []);
    }
}

#[test]
fn the_slots_of_a_removed_subtree_are_reused() {
    let mut graph = Graph::new();
    let all = sized(256, 12);
    let nodes = chain(&mut graph, all);
    assert_eq!(graph.remove(nodes[all / 2]), Ok(all - all / 2));
    fill(&mut graph, all);
    assert_eq!((graph.capacity(), graph.transforms().len()), (256, all));
    assert_consistent(&graph);
}

#[test]
fn clear_removes_every_node_and_keeps_the_capacity() {
    let mut random = Rng::new(11);
    let (mut graph, nodes) = random_tree(&mut random, sized(300, 12));
    let capacity = graph.capacity();
    graph.update();
    graph.clear();
    assert!(graph.is_empty() && graph.roots().next().is_none() && graph.changed().next().is_none());
    assert_eq!(graph.capacity(), capacity);
    let mut removed = graph.removed().to_vec();
    removed.sort();
    assert_eq!(removed, nodes, "each once");
    assert_consistent(&graph);
    assert_eq!(graph.update().changed, 0);
    fill(&mut graph, nodes.len());
    assert_eq!(graph.transforms().len(), nodes.len());
}

#[test]
fn a_new_node_in_a_reused_slot_inherits_nothing() {
    let mut graph = Graph::new();
    let parent = graph.add_root(Transform::IDENTITY).unwrap();
    let old = graph.add_child(parent, Transform::from_xyz(1.0, 2.0, 3.0)).unwrap();
    add_named(&mut graph, old, "child");
    let mut shear = Mat4::IDENTITY;
    shear.y_axis.x = 1.0;
    graph
        .node_mut(old)
        .unwrap()
        .set_name("old")
        .set_visible(false)
        .set_local_matrix(shear)
        .unwrap();
    graph.update();
    graph.remove(parent).unwrap();

    for _ in 0..3 {
        let id = graph.add_root(Transform::IDENTITY).unwrap();
        let new = node(&graph, id);
        assert_eq!((new.name(), new.parent(), new.depth()), (None, None, 0));
        assert_eq!(new.children().count(), 0);
        assert!(new.is_visible() && new.is_shown() && new.is_dirty() && !new.has_local_matrix());
        assert_eq!(new.transform(), Transform::IDENTITY);
        assert_eq!((new.world(), new.local_matrix()), (Mat4::IDENTITY, Mat4::IDENTITY));
    }
    graph.update();
    assert!(graph.world_matrices().iter().all(|&world| world == Mat4::IDENTITY));
    assert_consistent(&graph);
}

#[test]
fn a_clone_of_a_graph_is_equal_and_independent() {
    let mut random = Rng::new(5);
    let (mut graph, nodes, _) = full_of_everything(&mut random, sized(150, 12));
    let mut copy = graph.clone();
    let before = dump(&graph);
    assert_eq!(dump(&copy), before);
    copy.update();
    copy.remove(nodes[0]).unwrap();
    copy.clear_changes();
    assert_eq!(dump(&graph), before);
    assert_consistent(&copy);
    graph.update();
    assert_consistent(&graph);
}

// ---- layout ----

#[test]
fn m6_columns_have_the_documented_layout() {
    use core::mem::offset_of;
    let is_simd = align_of::<Quat>() == 16;
    let expected = if is_simd { [0, 16, 32, 48] } else { [0, 12, 28, 40] };
    let offsets = [
        offset_of!(Transform, translation),
        offset_of!(Transform, rotation),
        offset_of!(Transform, scale),
        size_of::<Transform>(),
    ];
    assert_eq!(offsets, expected);
    assert_eq!([size_of::<Vec3>(), size_of::<Quat>()], [3 * 4, 4 * 4]);
    assert_eq!((size_of::<Mat4>(), size_of::<u32>(), size_of::<NodeFlags>()), (16 * 4, 4, 1));
}

#[test]
#[cfg(feature = "bytemuck")]
fn a_value_written_by_a_setter_is_at_the_slot_of_its_node_in_the_documented_order() {
    let mut graph = Graph::new();
    let nodes = fill(&mut graph, 300);
    graph.remove(nodes[5]).unwrap();
    let reused = graph.add_root(Transform::IDENTITY).unwrap();
    for node in [nodes[0], nodes[299], reused] {
        let number = 1.0 + node.index() as f32;
        let quaternion = rotation::from_axis_angle(Vec3::new(1.0, 2.0, 3.0), number);
        graph
            .node_mut(node)
            .unwrap()
            .set_translation(Vec3::new(number, number + 1.0, number + 2.0))
            .unwrap()
            .set_rotation(quaternion)
            .unwrap()
            .set_scale(Vec3::new(number, 2.0, 3.0))
            .unwrap();
        graph.update();
        let row = &graph.transforms()[node.index()];
        let translation: &[f32; 3] = bytemuck::cast_ref(&row.translation);
        let rotation: &[f32; 4] = bytemuck::cast_ref(&row.rotation);
        let scale: &[f32; 3] = bytemuck::cast_ref(&row.scale);
        assert_eq!(translation, &[number, number + 1.0, number + 2.0]);
        assert_eq!(rotation, &[quaternion.x, quaternion.y, quaternion.z, quaternion.w]);
        assert_eq!(scale, &[number, 2.0, 3.0]);
        let floats: &[f32] = bytemuck::cast_slice(graph.world_matrices());
        let row = &floats[16 * node.index()..][..16];
        assert_eq!(row, graph.node(node).unwrap().compute_world().to_cols_array());
        assert_eq!(row[12..], [number, number + 1.0, number + 2.0, 1.0]);
    }
}

// ---- bounded generations ----

#[test]
fn generations_stay_below_their_bound_and_slots_beyond_it_are_retired() {
    let mut graph = Graph::new();
    assert_eq!(graph.max_generation(), NonZeroU32::MAX);
    let mut random = Rng::new(12);
    let mut issued = BTreeSet::new();
    let mut nodes = Vec::new();
    // Some slots are beyond the bound already when it is set: free ones and live ones.
    for _ in 0..10 {
        let node = graph.add_root(Transform::IDENTITY).unwrap();
        graph.remove(node).unwrap();
    }
    let above = graph.add_root(Transform::IDENTITY).unwrap();
    graph.set_max_generation(NonZeroU32::new(3).unwrap());
    assert_eq!((above.generation(), graph.contains(above)), (11, true));
    graph.remove(above).unwrap();
    for _ in 0..500 {
        if nodes.len() > 20 || (!nodes.is_empty() && random.one_in(3)) {
            graph.remove(nodes.swap_remove(random.below(nodes.len()))).unwrap();
        } else {
            let node = graph.add_root(Transform::IDENTITY).unwrap();
            assert!(node.generation() <= 3, "{node}");
            assert!(node.index() != above.index(), "the slot was retired");
            assert!(issued.insert(node), "{node} was issued twice");
            nodes.push(node);
        }
        assert_consistent(&graph);
    }
    assert_eq!(graph.len(), nodes.len());
}
