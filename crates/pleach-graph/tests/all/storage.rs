//! Storage: columns by slot, their growth, and the reuse of slots.

use pleach_graph::glam::{Mat4, Quat, Vec3};
use pleach_graph::{Error, Graph, NodeFlags, NodeId, NodeMap, Transform};
use testkit::{Rng, sized};

use crate::common::{
    RandomTransform, assert_sound, bits, chain, dump, named, node, random_tree, seeds, shift,
    transform_bits,
};

/// Adds roots until there are so many nodes.
fn fill(graph: &mut Graph, nodes: usize) -> Vec<NodeId> {
    (graph.len()..nodes).map(|_| graph.add_root(Transform::IDENTITY).unwrap()).collect()
}

// M6
#[test]
fn the_transform_column_holds_what_the_setters_were_given() {
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

// M6
#[test]
fn a_rotation_lies_in_its_column_as_x_y_z_w() {
    let mut graph = Graph::new();
    let id = graph.add_root(Transform::IDENTITY).unwrap();
    graph.node_mut(id).unwrap().set_rotation(Quat::from_xyzw(0.6, 0.0, 0.0, 0.8)).unwrap();
    assert_eq!(graph.transforms()[id.index()].rotation.to_array(), [0.6, 0.0, 0.0, 0.8]);
}

// M7
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

// M8
#[test]
fn the_flag_column_tells_alive_visible_shown_and_edited() {
    let mut graph = Graph::new();
    let parent = graph.add_root(Transform::IDENTITY).unwrap();
    let child = graph.add_child(parent, Transform::IDENTITY).unwrap();
    let gone = graph.add_root(Transform::IDENTITY).unwrap();
    let told = |graph: &Graph, id: NodeId| {
        let flags = graph.flags()[id.index()];
        [flags.is_alive(), flags.is_visible(), flags.is_shown(), flags.is_local_dirty()]
    };
    assert_eq!(told(&graph, parent), [true, true, true, true]);
    graph.update();
    assert!(
        graph.flags().iter().all(|flags| !flags.is_local_dirty()),
        "an update leaves none edited"
    );

    graph.node_mut(parent).unwrap().set_visible(false);
    assert_eq!(told(&graph, parent), [true, false, false, false]);
    assert_eq!(told(&graph, child), [true, true, false, false]);
    shift(&mut graph, child, Vec3::X);
    assert_eq!(told(&graph, child), [true, true, false, true]);
    graph.remove(gone).unwrap();
    assert_eq!(told(&graph, gone), [false, false, false, false]);
    assert_eq!(size_of::<NodeFlags>(), 1);
}

// M8
#[test]
fn after_an_update_no_row_is_edited() {
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

// M9
#[test]
fn capacity_is_256_and_doubles() {
    let mut graph = Graph::new();
    assert_eq!(graph.capacity(), 256);
    let steps = [(256, 256), (257, 512), (512, 512), (513, 1024), (1025, 2048)];
    for (nodes, capacity) in steps.into_iter().take(sized(5, 2)) {
        fill(&mut graph, nodes);
        assert_eq!((graph.len(), graph.capacity()), (nodes, capacity));
    }
    assert_sound(&graph);
}

// M9
#[test]
fn with_capacity_grows_no_further_for_so_many_nodes() {
    for nodes in [257, 0, 1, 256, 10_000].into_iter().take(sized(5, 1)) {
        let mut graph = Graph::with_capacity(nodes).unwrap();
        let capacity = graph.capacity();
        assert!(capacity >= nodes);
        let column = graph.world_matrices().as_ptr();
        fill(&mut graph, nodes);
        assert_eq!(graph.capacity(), capacity, "for {nodes} nodes");
        assert_eq!(graph.world_matrices().as_ptr(), column, "for {nodes} nodes: it moved");
    }
}

// M9
#[test]
#[cfg_attr(miri, ignore = "1200 nodes are too many for Miri")]
fn reserve_makes_room_for_so_many_more() {
    let mut graph = Graph::new();
    let nodes = fill(&mut graph, 200);
    graph.reserve(56).unwrap();
    assert_eq!(graph.capacity(), 256, "there was room");
    graph.reserve(1_000).unwrap();
    assert_eq!(graph.capacity(), 1_200);
    for &node in &nodes[..100] {
        graph.remove(node).unwrap();
    }
    graph.reserve(1_100).unwrap();
    assert_eq!(graph.capacity(), 1_200, "free slots count as room");
    fill(&mut graph, 1_200);
    assert_eq!(graph.capacity(), 1_200);
    graph.add_root(Transform::IDENTITY).unwrap();
    assert_eq!(graph.capacity(), 2_400);
    assert_sound(&graph);
}

// M3
#[test]
fn more_nodes_than_there_are_numbers_is_an_error_and_changes_nothing() {
    let mut graph = Graph::new();
    named(&mut graph, None, "here");
    graph.update();
    let before = dump(&graph);
    for nodes in [usize::MAX, usize::MAX - 1, 1 << 33, 1 << 32] {
        let refused = graph.reserve(nodes).unwrap_err();
        assert!(matches!(refused, Error::TooManyNodes { .. }), "{nodes}: {refused}");
        assert_eq!(dump(&graph), before);
        let refused = Graph::with_capacity(nodes).unwrap_err();
        assert_eq!(refused, Error::TooManyNodes { nodes });
        assert_eq!(
            refused.to_string(),
            format!("there is no room for {nodes} nodes: out of memory, or more than 2^32 - 1"),
        );
    }
    assert_sound(&graph);
    graph.add_root(Transform::IDENTITY).unwrap();
}

/// One graph with all kinds of data in use: names, matrices, hidden nodes,
/// edits, changes, a map beside it.
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
        shift(&mut graph, id, random.vec3(5.0));
    }
    (graph, nodes, map)
}

/// All that the graph tells, but for how much room there is.
fn dump_but_capacity(graph: &Graph) -> String {
    dump(graph).replace(&format!("room for {}", graph.capacity()), "room")
}

// M10, S4
#[test]
#[cfg_attr(miri, ignore = "257 nodes full of everything are too many for Miri")]
fn growth_at_257_keeps_all_data_of_all_columns() {
    for seed in seeds(4) {
        let mut random = Rng::new(seed);
        let (mut graph, nodes, map) = full_of_everything(&mut random, 256);
        let mut feed = graph.change_reader();
        assert_eq!(graph.capacity(), 256);
        let before = dump_but_capacity(&graph);
        let rows: Vec<_> = map.iter(&graph).map(|(id, &row)| (id, row)).collect();

        let extra = graph.add_root(Transform::IDENTITY).unwrap();
        assert_eq!(graph.capacity(), 512);
        assert!(map.iter(&graph).map(|(id, &row)| (id, row)).eq(rows), "seed {seed}");
        assert_sound(&graph);

        // But for the new node itself, the graph tells what it told before.
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
        assert!(feed.read(&graph).unwrap().changed().any(|id| id == extra));
        assert_sound(&graph);
    }
}

// M10
#[test]
fn reserve_keeps_all_data_of_all_columns() {
    let mut random = Rng::new(3);
    let (mut graph, ..) = full_of_everything(&mut random, sized(400, 12));
    let before = dump_but_capacity(&graph);
    graph.reserve(sized(100_000, 1_000)).unwrap();
    assert_eq!(dump_but_capacity(&graph), before);
    assert_sound(&graph);
}

// M11
#[test]
fn as_many_nodes_added_as_removed_need_no_more_rows() {
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
    assert_sound(&graph);
}

// M12
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

// M12, M132
#[test]
fn the_translation_is_in_elements_12_to_14() {
    let mut graph = Graph::new();
    let id = graph.add_root(Transform::from_xyz(1.0, 2.0, 3.0)).unwrap();
    graph.update();
    let world = graph.world_matrices()[id.index()].to_cols_array();
    assert_eq!(world[12..], [1.0, 2.0, 3.0, 1.0]);
}

// M12
#[test]
fn world_rows_lie_on_64_byte_boundaries_before_and_after_growth() {
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

// M12
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

// M12
#[test]
fn the_index_of_a_node_does_not_change_while_others_come_and_go() {
    let mut graph = Graph::new();
    let kept = graph.add_root(Transform::from_xyz(7.0, 0.0, 0.0)).unwrap();
    let mut others = fill(&mut graph, sized(300, 8));
    others.drain(..).step_by(2).for_each(|id| _ = graph.remove(id).unwrap());
    fill(&mut graph, sized(1_000, 16));
    graph.update();
    assert_eq!(graph.world_matrices()[kept.index()].w_axis.x, 7.0);
    assert_eq!(node(&graph, kept).id(), kept);
}

// S18
#[test]
fn the_third_of_three_is_readable_by_index_after_the_first_is_removed() {
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

// M13
#[test]
fn rows_of_living_nodes_are_told_from_holes() {
    let mut graph = Graph::new();
    let nodes = fill(&mut graph, 10);
    for &id in &nodes[2..5] {
        graph.remove(id).unwrap();
    }
    let alive: Vec<usize> = (0..10).filter(|&row| graph.flags()[row].is_alive()).collect();
    assert_eq!(alive, [0, 1, 5, 6, 7, 8, 9]);
    assert_eq!(graph.len(), alive.len());
}

// M15
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

// M15
#[test]
fn a_removed_subtree_gives_its_slots_back() {
    let mut graph = Graph::new();
    let all = sized(256, 12);
    let nodes = chain(&mut graph, all);
    assert_eq!(graph.remove(nodes[all / 2]), Ok(all - all / 2));
    fill(&mut graph, all);
    assert_eq!((graph.capacity(), graph.transforms().len()), (256, all));
    assert_sound(&graph);
}

// M15
#[test]
fn clear_removes_every_node_and_keeps_the_room() {
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
    assert_sound(&graph);
    assert_eq!(graph.update().changed, 0);
    fill(&mut graph, nodes.len());
    assert_eq!(graph.transforms().len(), nodes.len());
}

#[test]
fn a_new_tenant_of_a_slot_inherits_nothing() {
    let mut graph = Graph::new();
    let parent = graph.add_root(Transform::IDENTITY).unwrap();
    let old = graph.add_child(parent, Transform::from_xyz(1.0, 2.0, 3.0)).unwrap();
    named(&mut graph, old, "child");
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
    assert_sound(&graph);
}

#[test]
fn a_clone_of_a_graph_is_its_equal_and_lives_apart() {
    let mut random = Rng::new(5);
    let (mut graph, nodes, _) = full_of_everything(&mut random, sized(150, 12));
    let mut copy = graph.clone();
    let before = dump(&graph);
    assert_eq!(dump(&copy), before);
    copy.update();
    copy.remove(nodes[0]).unwrap();
    copy.clear_changes();
    assert_eq!(dump(&graph), before);
    assert_sound(&copy);
    graph.update();
    assert_sound(&graph);
}
