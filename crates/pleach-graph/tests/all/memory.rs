//! Memory, counted: bytes per node, number of allocations, and that steady frames
//! do not allocate.
//!
//! Everything is counted per thread, so that the tests of this file can run in
//! parallel.

use pleach_graph::glam::Vec3;
use pleach_graph::{Graph, NodeId, NodeMap, Transform};
use testkit::Rng;
use testkit::allocations::{self, Tally};

use crate::common::{self, assert_consistent};

/// The index of the parent of the node at an index.
type Shape = fn(usize, &mut Rng) -> Option<usize>;

const SHAPES: [(&str, Shape); 4] = [
    ("flat", |_, _| None),
    ("fan", |index, _| (index > 0).then_some(0)),
    ("random", |index, random| (index > 0).then(|| random.below(index))),
    ("chain", |index, _| index.checked_sub(1)),
];

/// Adds `count` nodes of a shape; `nodes` has the capacity for their handles.
fn build(graph: &mut Graph, nodes: &mut Vec<NodeId>, count: usize, shape: Shape) {
    let mut random = Rng::new(count as u64);
    for index in 0..count {
        let transform = Transform::from_xyz(index as f32, 1.0, 2.0);
        let node = match shape(index, &mut random) {
            None => graph.add_root(transform),
            Some(parent) => graph.add_child(nodes[parent], transform),
        };
        nodes.push(node.unwrap());
    }
}

fn log2(number: usize) -> usize {
    number.ilog2() as usize
}

#[test]
#[cfg_attr(miri, ignore = "Miri has an allocator of its own to count with")]
fn adds_after_reserve_take_few_allocations() {
    for (name, shape) in SHAPES {
        for count in [1_000, 10_000, 100_000] {
            let mut nodes = Vec::with_capacity(count);
            let mut graph = Graph::with_capacity(count).unwrap();
            let (adds, ()) = allocations::count(|| build(&mut graph, &mut nodes, count, shape));
            println!("{name}: {adds} allocations for {count} adds after reserve");
            assert!(adds <= 16 + 4 * log2(count), "{name}: {adds} for {count} adds");
            let (update, _) = allocations::count(|| graph.update());
            println!("{name}: {update} allocations for the first update of {count}");
            assert!(update <= 16 + log2(count), "{name}: {update} for the update of {count}");
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "Miri has an allocator of its own to count with")]
fn reserve_takes_one_allocation_per_column() {
    let mut graph = Graph::new();
    let (count, ()) = allocations::count(|| graph.reserve(100_000).unwrap());
    println!("{count} allocations to reserve");
    assert!(count <= 20, "{count}");
}

#[test]
#[cfg_attr(miri, ignore = "Miri has an allocator of its own to count with")]
fn building_without_reserve_is_linear_and_rebuilds_no_order() {
    for (name, shape) in SHAPES {
        let bytes = |count: usize| {
            let mut nodes = Vec::with_capacity(count);
            let mut graph = Graph::new();
            let before = Tally::now();
            build(&mut graph, &mut nodes, count, shape);
            let now = Tally::now();
            (now.calls - before.calls, now.total - before.total)
        };
        let ((few_calls, few), (many_calls, many)) = (bytes(20_000), bytes(200_000));
        println!("{name}: {few_calls} then {many_calls} allocations, {few} then {many} bytes");
        assert!(many < 15 * few, "{name}: ten times the nodes, {} times the bytes", many / few);
        assert!(many_calls <= few_calls + 20 * log2(10), "{name}: {few_calls} {many_calls}");
    }
}

// The number is documented at `Graph`.
#[test]
#[cfg_attr(miri, ignore = "Miri has an allocator of its own to count with")]
fn a_node_takes_the_documented_number_of_bytes() {
    const COUNT: usize = 100_000;
    for (name, shape) in SHAPES {
        let mut nodes = Vec::with_capacity(COUNT);
        let before = Tally::now();
        Tally::reset_peak();
        let mut graph = Graph::with_capacity(COUNT).unwrap();
        let per_node = |live: isize| (live - before.live) as f64 / COUNT as f64;
        let reserved = per_node(Tally::now().live);
        build(&mut graph, &mut nodes, COUNT, shape);
        let built = per_node(Tally::now().live);
        graph.update();
        graph.clear_changes();
        let updated = per_node(Tally::now().live);
        for &node in &nodes {
            graph.node_mut(node).unwrap().set_translation(Vec3::X).unwrap();
        }
        graph.update();
        graph.clear_changes();
        let moved = per_node(Tally::now().live);
        let peak = per_node(Tally::now().peak);
        assert_eq!(graph.len(), COUNT);
        drop(graph);
        assert_eq!(Tally::now().live, before.live, "{name}: all memory is freed");
        println!(
            "{name}: {reserved:.1} bytes per node reserved, {built:.1} built, {updated:.1} updated, \
             {moved:.1} after all moved, {peak:.1} at the peak",
        );
        assert!(moved <= 200.0, "{name}: {moved:.1} bytes per node");
    }
}

/// Edits one in a hundred nodes, updates, reads and clears.
fn frame(graph: &mut Graph, nodes: &[NodeId], random: &mut Rng, number: usize) -> Vec3 {
    for _ in 0..nodes.len() / 100 {
        let node = random.pick(nodes);
        let position = Vec3::splat(number as f32);
        graph.node_mut(node).unwrap().set_translation(position).unwrap();
    }
    graph.update();
    let sum = graph.changed().map(|node| graph.node(node).unwrap().world_translation()).sum();
    graph.clear_changes();
    sum
}

#[test]
#[cfg_attr(miri, ignore = "Miri has an allocator of its own to count with")]
fn a_steady_frame_allocates_nothing() {
    const COUNT: usize = 3_000;
    for (name, shape) in SHAPES {
        let mut nodes = Vec::with_capacity(COUNT);
        let mut graph = Graph::new();
        build(&mut graph, &mut nodes, COUNT, shape);
        let mut run = || {
            let mut random = Rng::new(1);
            (0..100).map(|number| frame(&mut graph, &nodes, &mut random, number)).sum::<Vec3>()
        };
        run();
        let (count, sum) = allocations::count(run);
        assert_eq!(count, 0, "{name}: allocations in 100 frames");
        assert!(sum.x > 0.0, "{name}: something moved");
    }
}

/// Frames in which two readers are read, the second one only every `pace` frames.
fn steady_frames_with_two_readers(pace: usize) {
    const COUNT: usize = 3_000;
    for (name, shape) in SHAPES {
        let mut nodes = Vec::with_capacity(COUNT);
        let mut graph = Graph::new();
        build(&mut graph, &mut nodes, COUNT, shape);
        let (mut eager, mut lazy) = (graph.change_reader(), graph.change_reader());
        let mut run = || {
            let mut random = Rng::new(2);
            let mut seen = [0; 2];
            for number in 0..100 {
                frame(&mut graph, &nodes, &mut random, number);
                seen[0] += eager.read(&graph).unwrap().changed().count();
                if number % pace == 0 {
                    seen[1] += lazy.read(&graph).unwrap().changed().count();
                }
            }
            seen
        };
        run();
        let (count, seen) = allocations::count(run);
        assert_eq!(count, 0, "{name}: allocations in 100 frames");
        assert!(seen[0] >= seen[1] && seen[1] > 0, "{name}: {seen:?}");
    }
}

#[test]
#[cfg_attr(miri, ignore = "Miri has an allocator of its own to count with")]
fn a_steady_frame_with_two_readers_allocates_nothing() {
    steady_frames_with_two_readers(1);
}

#[test]
#[cfg_attr(miri, ignore = "Miri has an allocator of its own to count with")]
fn a_steady_frame_with_a_slow_reader_allocates_nothing() {
    steady_frames_with_two_readers(5);
}

#[test]
#[cfg_attr(miri, ignore = "Miri has an allocator of its own to count with")]
fn a_steady_frame_with_adds_and_removals_allocates_nothing() {
    const COUNT: usize = 10_000;
    let mut nodes = Vec::with_capacity(COUNT);
    let mut graph = Graph::new();
    build(&mut graph, &mut nodes, COUNT, SHAPES[2].1);
    let mut rows = NodeMap::new();
    let mut reader = graph.change_reader();
    let mut run = || {
        let mut random = Rng::new(3);
        for _ in 0..300 {
            // A hundred leaves below random nodes, then reparented, then removed.
            let mut leaves = [nodes[0]; 100];
            for leaf in &mut leaves {
                *leaf = graph.add_child(random.pick(&nodes), Transform::IDENTITY).unwrap();
                rows.insert(&graph, *leaf, 1u8).unwrap();
            }
            graph.update();
            for leaf in leaves {
                graph.attach(leaf, random.pick(&nodes)).unwrap();
                graph.node_mut(leaf).unwrap().set_visible(false);
            }
            graph.update();
            assert_eq!(graph.shown_changed().count(), 100);
            for leaf in leaves {
                graph.remove(leaf).unwrap();
            }
            assert_eq!(reader.read(&graph).unwrap().removed(), leaves);
            rows.purge(&graph);
            graph.clear_changes();
        }
    };
    // Twice: the buffers of an update are swapped.
    run();
    run();
    let (count, ()) = allocations::count(run);
    assert_eq!(count, 0, "allocations in 300 frames");
    assert_consistent(&graph);
}

/// Adds and removes a small tree repeatedly; returns the bytes in use after
/// `warm_up` rounds and after `more` rounds.
fn churn(
    graph: &mut Graph,
    [warm_up, more]: [usize; 2],
    mut each: impl FnMut(&mut Graph, usize),
) -> [isize; 2] {
    let mut live = [0; 2];
    for (phase, rounds) in [warm_up, more].into_iter().enumerate() {
        for round in 0..rounds {
            let root = graph.add_root(Transform::IDENTITY).unwrap();
            let child = graph.add_child(root, Transform::IDENTITY).unwrap();
            graph.update();
            each(graph, round);
            graph.remove(root).unwrap();
            assert!(!graph.contains(child));
        }
        live[phase] = Tally::now().live;
    }
    live
}

#[test]
#[cfg_attr(miri, ignore = "Miri has an allocator of its own to count with")]
fn memory_is_constant_over_many_adds_and_removals() {
    let mut graph = Graph::new();
    let [warm_bytes, final_bytes] =
        churn(&mut graph, [1_000, 100_000], |graph, _| graph.clear_changes());
    assert_eq!(warm_bytes, final_bytes);
    assert_consistent(&graph);
}

#[test]
#[cfg_attr(miri, ignore = "Miri has an allocator of its own to count with")]
fn memory_is_bounded_if_changes_are_never_cleared() {
    let before = Tally::now().live;
    let mut graph = Graph::new();
    let [warm_bytes, final_bytes] = churn(&mut graph, [80_000, 120_000], |_, _| {});
    println!("{} bytes for an owner that never clears", final_bytes - before);
    assert_eq!(warm_bytes, final_bytes);
    assert!(final_bytes - before < 4 << 20, "{} bytes", final_bytes - before);
    assert!(graph.removed().len() < 200_000);
    assert_consistent(&graph);
}

#[test]
#[cfg_attr(miri, ignore = "Miri has an allocator of its own to count with")]
fn memory_is_bounded_with_a_reader_that_never_reads() {
    let before = Tally::now().live;
    let mut graph = Graph::new();
    let mut reader = graph.change_reader();
    let kept = graph.add_root(Transform::IDENTITY).unwrap();
    let [warm_bytes, final_bytes] = churn(&mut graph, [80_000, 120_000], |graph, round| {
        graph.node_mut(kept).unwrap().set_visible(round % 2 == 0);
        graph.clear_changes();
    });
    println!("{} bytes for a reader that never reads", final_bytes - before);
    assert_eq!(warm_bytes, final_bytes);
    assert!(final_bytes - before < 4 << 20, "{} bytes", final_bytes - before);
    let changes = reader.read(&graph).unwrap();
    assert!(changes.changed().eq([kept]) && changes.shown_changed().eq([kept]));
    assert!(changes.removed().len() < 200_000);
    assert_consistent(&graph);
}

#[test]
#[cfg_attr(miri, ignore = "Miri has an allocator of its own to count with")]
fn a_slow_reader_of_moving_nodes_takes_bounded_memory() {
    const COUNT: usize = 5_000;
    let mut nodes = Vec::with_capacity(COUNT);
    let mut graph = Graph::new();
    build(&mut graph, &mut nodes, COUNT, SHAPES[2].1);
    let lagging = graph.change_reader();
    let mut random = Rng::new(4);
    let mut run = |frames: usize| {
        for number in 0..frames {
            frame(&mut graph, &nodes, &mut random, number);
        }
        Tally::now().live
    };
    let warm_bytes = run(500);
    let final_bytes = run(2_000);
    assert_eq!(warm_bytes, final_bytes);
    drop(lagging);
}

#[test]
#[cfg_attr(miri, ignore = "Miri has an allocator of its own to count with")]
fn dropped_readers_cost_nothing() {
    let mut graph = Graph::new();
    graph.add_root(Transform::IDENTITY).unwrap();
    let create_readers = |graph: &mut Graph, times: usize| {
        for _ in 0..times {
            drop(graph.change_reader());
        }
        Tally::now().live
    };
    let warm_bytes = create_readers(&mut graph, 100);
    assert_eq!(create_readers(&mut graph, 100_000), warm_bytes);
}

#[test]
#[cfg_attr(miri, ignore = "Miri has an allocator of its own to count with")]
fn repeated_renaming_does_not_grow_memory() {
    let mut graph = Graph::new();
    let node = graph.add_root(Transform::IDENTITY).unwrap();
    let rename = |graph: &mut Graph, times: usize| {
        for number in 0..times {
            graph.node_mut(node).unwrap().set_name(&format!("name {number:06}"));
        }
        Tally::now().live
    };
    // More than the list of renamed nodes holds before it drops repetitions.
    let warm_bytes = rename(&mut graph, 3_000);
    assert_eq!(rename(&mut graph, 100_000), warm_bytes);
}

#[test]
#[cfg_attr(miri, ignore = "Miri has an allocator of its own to count with")]
fn repeated_renaming_of_many_nodes_takes_at_most_twice_the_texts() {
    const NODES: usize = 1_000;
    let mut graph = Graph::new();
    let nodes: Vec<_> = (0..NODES).map(|_| graph.add_root(Transform::IDENTITY).unwrap()).collect();
    let before = Tally::now().live;
    for number in 0..100 * NODES {
        let node = nodes[number * 7 % NODES];
        graph.node_mut(node).unwrap().set_name(&format!("name {number:010}"));
    }
    // 16 bytes and 15 letters each, and spare capacity; without `std`, also the
    // index.
    let max_bytes = 2 * 16 + 4 * 15 + 16 + if cfg!(feature = "std") { 0 } else { 120 };
    let bytes = (Tally::now().live - before) as usize / NODES;
    println!("{bytes} bytes per name");
    assert!(bytes <= max_bytes, "{bytes} bytes per name");
    assert_consistent(&graph);
}

#[test]
#[cfg_attr(miri, ignore = "Miri has an allocator of its own to count with")]
fn moving_a_subtree_through_many_depths_does_not_grow_memory() {
    const LEAVES: usize = 1_000;
    const DEPTH: usize = 1_000;
    let mut graph = Graph::with_capacity(LEAVES + DEPTH + 1).unwrap();
    let path = common::chain(&mut graph, DEPTH);
    let fan = graph.add_root(Transform::IDENTITY).unwrap();
    for _ in 0..LEAVES {
        graph.add_child(fan, Transform::IDENTITY).unwrap();
    }
    graph.update();
    let before = Tally::now().live;
    for &parent in &path {
        graph.attach(fan, parent).unwrap();
        graph.update();
        graph.clear_changes();
    }
    let more = (Tally::now().live - before) as usize / graph.len();
    println!("{more} more bytes per node after {DEPTH} depths");
    assert!(more < 200, "{more} more bytes per node");
    assert_consistent(&graph);
}
