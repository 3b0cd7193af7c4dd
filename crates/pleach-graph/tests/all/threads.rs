//! Threads: a graph can be sent to another thread, and any number of threads can
//! read it.

use pleach_graph::{
    Ancestors, ChangeReader, ChangedNodes, Changes, Children, CloneMap, Descendants, Error, Graph,
    NodeFlags, NodeId, NodeMap, NodeRef, Transform, Walk,
};
use testkit::{Rng, sized};

use crate::common::{RandomTransform, bits, node, random_tree};

const fn send_and_sync<T: Send + Sync>() {}

const _: () = {
    send_and_sync::<Graph>();
    send_and_sync::<NodeId>();
    send_and_sync::<NodeRef<'_>>();
    send_and_sync::<NodeFlags>();
    send_and_sync::<NodeMap<String>>();
    send_and_sync::<Transform>();
    send_and_sync::<ChangeReader>();
    send_and_sync::<Changes<'_>>();
    send_and_sync::<ChangedNodes<'_>>();
    send_and_sync::<CloneMap>();
    send_and_sync::<Walk>();
    send_and_sync::<Children<'_>>();
    send_and_sync::<Descendants<'_>>();
    send_and_sync::<Ancestors<'_>>();
    send_and_sync::<Error>();
};

/// Reads everything, and hashes it.
fn digest(graph: &Graph, seed: u64) -> u64 {
    let mut sum = seed;
    let mut add = |number: u64| sum = sum.wrapping_mul(31).wrapping_add(number);
    for id in graph.depth_first() {
        let view = node(graph, id);
        add(id.to_bits());
        bits(view.world()).into_iter().for_each(|bits| add(bits.into()));
        bits(view.compute_world()).into_iter().for_each(|bits| add(bits.into()));
        add(view.depth() as u64);
        add(view.name().and_then(|name| graph.find(name)).map_or(0, NodeId::to_bits));
    }
    graph.changed().for_each(|id| add(id.to_bits()));
    let mut walk = Walk::breadth_first(None);
    while let Some(id) = walk.next(graph) {
        add(id.to_bits());
    }
    sum
}

#[test]
fn several_threads_read_one_graph() {
    let mut random = Rng::new(1);
    let (mut graph, nodes) = random_tree(&mut random, sized(2_000, 12));
    for &id in nodes.iter().step_by(5) {
        graph.node_mut(id).unwrap().set_name("five");
    }
    graph.update();
    // Some of it is out of date, so that `compute_world` has to walk.
    for &id in nodes.iter().step_by(7) {
        graph.node_mut(id).unwrap().set_transform(random.transform()).unwrap();
    }
    let expected = digest(&graph, 0);
    std::thread::scope(|scope| {
        for _ in 0..sized(4, 2) {
            scope.spawn(|| assert_eq!(digest(&graph, 0), expected));
        }
    });
}

#[test]
fn change_readers_are_read_on_separate_threads() {
    let mut random = Rng::new(2);
    let (mut graph, nodes) = random_tree(&mut random, sized(500, 12));
    let mut readers: Vec<ChangeReader> = (0..sized(4, 2)).map(|_| graph.change_reader()).collect();
    for _ in 0..sized(5, 2) {
        for &id in nodes.iter().step_by(3) {
            graph.node_mut(id).unwrap().set_transform(random.transform()).unwrap();
        }
        graph.update();
        let expected: Vec<NodeId> = graph.changed().collect();
        let graph_ref = &graph;
        std::thread::scope(|scope| {
            for reader in &mut readers {
                let expected = &expected;
                scope.spawn(move || {
                    let changes = reader.read(graph_ref).unwrap();
                    assert!(changes.changed().eq(expected.iter().copied()));
                });
            }
        });
        graph.clear_changes();
    }
}

#[test]
fn a_graph_is_sent_to_another_thread_and_back() {
    let mut random = Rng::new(3);
    let (graph, nodes) = random_tree(&mut random, sized(200, 12));
    let mut here = graph.clone();
    let there = std::thread::spawn(move || {
        let mut graph = graph;
        graph.update();
        graph
    });
    let there = there.join().unwrap();
    here.update();
    assert_eq!(there.world_bytes(), here.world_bytes());
    assert!(nodes.iter().all(|&id| there.contains(id)));
}

#[cfg(feature = "parallel")]
#[test]
#[cfg_attr(miri, ignore = "too many nodes, and Miri objects to the queues that rayon uses")]
fn update_parallel_equals_update() {
    for (seed, two_levels) in [(4, true), (5, false)] {
        let mut random = Rng::new(seed);
        let (mut graph, mut nodes) = random_tree(&mut random, 50_000);
        if two_levels {
            (graph, nodes) = (Graph::new(), Vec::new());
            for _ in 0..50_000 {
                nodes.push(graph.add_root(random.transform()).unwrap());
            }
            for _ in 0..50_000 {
                let parent = random.pick(&nodes[..50_000]);
                nodes.push(graph.add_child(parent, random.transform()).unwrap());
            }
        }
        for &id in nodes.iter().step_by(1_000) {
            graph.node_mut(id).unwrap().set_local_matrix(random.affine(10.0)).unwrap();
        }
        let mut serial = graph.clone();
        for percent in [100, 50, 1] {
            assert_eq!(graph.update_parallel(), serial.update(), "{percent} %, seed {seed}");
            assert!(graph.world_bytes() == serial.world_bytes(), "{percent} %, seed {seed}");
            assert!(graph.changed().eq(serial.changed()), "{percent} %, seed {seed}");
            assert!(graph.flags() == serial.flags(), "{percent} %, seed {seed}");
            for _ in 0..nodes.len() * percent / 100 {
                let (id, transform) = (random.pick(&nodes), random.transform());
                for graph in [&mut graph, &mut serial] {
                    graph.node_mut(id).unwrap().set_transform(transform).unwrap();
                }
            }
        }
        assert_eq!(graph.update_parallel(), serial.update(), "seed {seed}");
        assert!(graph.world_bytes() == serial.world_bytes(), "seed {seed}");
        crate::common::assert_consistent(&graph);
    }
}

#[cfg(feature = "parallel")]
#[test]
#[cfg_attr(miri, ignore = "Miri objects to the queues that rayon uses")]
fn update_parallel_handles_small_and_up_to_date_graphs() {
    let mut graph = Graph::new();
    assert_eq!(graph.update_parallel().changed, 0);
    let id = graph.add_root(Transform::from_xyz(1.0, 2.0, 3.0)).unwrap();
    assert_eq!(graph.update_parallel().changed, 1);
    assert_eq!(node(&graph, id).world_translation().to_array(), [1.0, 2.0, 3.0]);
    assert_eq!(graph.update_parallel().changed, 0);
}
