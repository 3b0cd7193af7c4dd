//! Handles: their properties, and that a dead, foreign or forged one is rejected by
//! every call, forever, without any effect.

use std::collections::{BTreeSet, HashMap, HashSet};

use pleach_graph::glam::{Mat4, Vec3};
use pleach_graph::{Error, Graph, NodeId, NodeMap, Transform, Walk};
use testkit::sized;

use crate::common::{add_named, assert_consistent, dump};

fn handle(slot: u32, generation: u32) -> NodeId {
    NodeId::from_bits(u64::from(slot) << 32 | u64::from(generation)).unwrap()
}

#[test]
fn a_handle_is_eight_bytes_and_so_is_an_optional_one() {
    assert_eq!(size_of::<NodeId>(), 8);
    assert_eq!(size_of::<Option<NodeId>>(), 8);
    assert!(align_of::<NodeId>() <= 8);
}

#[test]
fn handles_are_keys_of_maps_and_sets() {
    let mut graph = Graph::new();
    let nodes: Vec<NodeId> =
        (0..20).map(|_| graph.add_root(Transform::IDENTITY).unwrap()).collect();
    let by_hash: HashMap<NodeId, usize> = nodes.iter().copied().zip(0..).collect();
    let by_order: BTreeSet<NodeId> = nodes.iter().rev().copied().collect();
    for (index, node) in nodes.iter().enumerate() {
        assert_eq!(by_hash[node], index);
    }
    assert!(by_order.into_iter().eq(nodes), "ordered by slot");
}

#[test]
fn handles_are_ordered_by_slot_and_then_by_generation() {
    let ordered = [handle(0, 1), handle(0, 2), handle(0, u32::MAX), handle(1, 1), handle(7, 3)];
    assert!(ordered.is_sorted());
    let mut shuffled = [ordered[3], ordered[0], ordered[4], ordered[2], ordered[1]];
    shuffled.sort();
    assert_eq!(shuffled, ordered);
}

#[test]
fn a_handle_prints_as_slot_v_generation() {
    assert_eq!(handle(12, 3).to_string(), "12v3");
    assert_eq!(format!("{:?}", Some(handle(0, u32::MAX))), "Some(0v4294967295)");
}

#[test]
fn handle_bits_round_trip() {
    for (slot, generation) in [(0, 1), (12, 3), (u32::MAX, 1), (0, u32::MAX), (u32::MAX, u32::MAX)]
    {
        let node = handle(slot, generation);
        assert_eq!((node.index(), node.generation()), (slot as usize, generation));
        assert_eq!(node.to_bits(), u64::from(slot) << 32 | u64::from(generation));
        assert_eq!(NodeId::from_bits(node.to_bits()), Some(node));
    }
    let mut graph = Graph::new();
    let node = graph.add_root(Transform::IDENTITY).unwrap();
    assert!(graph.contains(NodeId::from_bits(node.to_bits()).unwrap()));
}

#[test]
fn bits_without_a_generation_are_not_a_handle() {
    for bits in [0, 1 << 32, 12 << 32, u64::from(u32::MAX) << 32] {
        assert_eq!(NodeId::from_bits(bits), None, "{bits}");
    }
}

#[test]
fn a_handle_is_never_issued_twice() {
    let mut graph = Graph::new();
    let mut issued = HashSet::new();
    let mut alive = Vec::new();
    for round in 0..sized(2_000, 15) {
        let node = graph.add_root(Transform::IDENTITY).unwrap();
        assert!(issued.insert(node), "{node} was issued before");
        alive.push(node);
        if round % 3 == 2 {
            graph.remove(alive.swap_remove(round % alive.len())).unwrap();
        }
    }
    assert_consistent(&graph);
}

#[test]
fn removed_handle_stays_dead_after_slot_reuse() {
    let mut graph = Graph::new();
    let old = graph.add_root(Transform::IDENTITY).unwrap();
    graph.remove(old).unwrap();
    let mut reused = false;
    for _ in 0..sized(10_000, 50) {
        let new = graph.add_root(Transform::IDENTITY).unwrap();
        assert_ne!(new, old);
        assert!(graph.get(old).is_none());
        reused |= new.index() == old.index();
    }
    assert!(reused, "the test needs a reused slot");
    assert_eq!(graph.remove(old), Err(Error::Dead(old)));
    assert_consistent(&graph);
}

#[test]
fn every_earlier_handle_of_a_slot_stays_dead() {
    let mut graph = Graph::new();
    let mut dead: Vec<NodeId> = Vec::new();
    for _ in 0..sized(300, 20) {
        let node = graph.add_root(Transform::IDENTITY).unwrap();
        assert_eq!(node.index(), 0);
        assert!(
            dead.iter().all(|&old| !graph.contains(old)),
            "one of {dead:?} is alive again after {node}"
        );
        graph.remove(node).unwrap();
        dead.push(node);
    }
}

#[test]
fn removing_a_node_invalidates_the_handles_of_its_descendants() {
    let mut graph = Graph::new();
    let root = add_named(&mut graph, None, "root");
    let middle = add_named(&mut graph, root, "middle");
    let leaf = add_named(&mut graph, middle, "leaf");
    let other = add_named(&mut graph, None, "other");
    assert_eq!(graph.remove(root), Ok(3));
    assert!([root, middle, leaf].iter().all(|&node| !graph.contains(node)));
    assert!(graph.contains(other));
    assert_eq!(graph.len(), 1);
    assert_eq!([graph.find("root"), graph.find("middle"), graph.find("leaf")], [None; 3]);
    assert_consistent(&graph);
}

#[test]
fn a_node_is_found_by_its_handle_at_any_size() {
    let mut graph = Graph::new();
    let mut nodes = Vec::new();
    for index in 0..sized(100_000, 100) {
        nodes.push(graph.add_root(Transform::from_xyz(index as f32, 0.0, 0.0)).unwrap());
    }
    for (index, &node) in nodes.iter().enumerate().step_by(97) {
        assert_eq!(graph.get(node).unwrap().id(), node);
        assert_eq!(graph.get(node).unwrap().translation().x, index as f32);
    }
    graph.remove(nodes[3]).unwrap();
    assert!(graph.get(nodes[3]).is_none() && graph.get_mut(nodes[3]).is_none());
}

/// A graph with all kinds of data, one of its nodes, and handles it must reject.
struct Fixture {
    graph: Graph,
    /// A node with a parent, a child and a grandchild.
    alive: NodeId,
    bad: Vec<(&'static str, NodeId)>,
}

fn fixture() -> Fixture {
    let mut graph = Graph::new();
    let root = add_named(&mut graph, None, "root");
    let alive = add_named(&mut graph, root, "alive");
    let child = add_named(&mut graph, alive, "child");
    let sheared = add_named(&mut graph, child, "sheared");
    let mut shear = Mat4::IDENTITY;
    shear.y_axis.x = 0.5;
    graph.node_mut(sheared).unwrap().set_local_matrix(shear).unwrap();
    graph.node_mut(child).unwrap().set_visible(false);
    let reused = add_named(&mut graph, root, "reused");
    let removed = add_named(&mut graph, root, "removed");
    graph.update();
    graph.remove(reused).unwrap();
    let replacement = add_named(&mut graph, child, "replacement");
    assert_eq!(replacement.index(), reused.index());
    graph.update();
    graph.clear_changes();
    graph.remove(removed).unwrap();
    graph.node_mut(child).unwrap().set_translation(Vec3::X).unwrap();

    let mut other = Graph::new();
    let foreign = (0..40).map(|_| other.add_root(Transform::IDENTITY).unwrap()).last().unwrap();
    let bad = vec![
        ("removed", removed),
        ("removed, its slot reused", reused),
        ("of another graph", foreign),
        ("forged: the next generation of a free slot", handle(removed.index() as u32, 2)),
        ("forged: a later generation of a live slot", handle(alive.index() as u32, 2)),
        ("forged: the last generation", handle(0, u32::MAX)),
        ("forged: the last slot", handle(u32::MAX, 1)),
        ("forged: all bits", handle(u32::MAX, u32::MAX)),
    ];
    Fixture { graph, alive, bad }
}

/// A call with a live node and an invalid handle; returns the error.
type Call = fn(&mut Graph, NodeId, NodeId) -> Option<Error>;
/// A query with a live node and an invalid handle; returns whether it is found.
type Question = fn(&mut Graph, NodeId, NodeId) -> bool;

/// Every public call that takes a handle, once for each handle it takes.
#[rustfmt::skip]
const CALLS: &[(&str, Call)] = &[
    ("node", |graph, _, bad| graph.node(bad).err()),
    ("node_mut", |graph, _, bad| graph.node_mut(bad).err()),
    ("add_child", |graph, _, bad| graph.add_child(bad, Transform::IDENTITY).err()),
    ("remove", |graph, _, bad| graph.remove(bad).err()),
    ("attach child", |graph, alive, bad| graph.attach(bad, alive).err()),
    ("attach parent", |graph, alive, bad| graph.attach(alive, bad).err()),
    ("attach both", |graph, _, bad| graph.attach(bad, bad).err()),
    ("attach_all child", |graph, alive, bad| {
        let others: Vec<NodeId> = graph.node(alive).unwrap().children().collect();
        let root = graph.roots().next().unwrap();
        graph.attach_all(&[others[0], bad], root).err()
    }),
    ("attach_all parent", |graph, alive, bad| graph.attach_all(&[alive], bad).err()),
    ("attach_all nothing", |graph, _, bad| graph.attach_all(&[], bad).err()),
    ("attach_at child", |graph, alive, bad| graph.attach_at(bad, alive, 0).err()),
    ("attach_at parent", |graph, alive, bad| graph.attach_at(alive, bad, 0).err()),
    ("attach_before child", |graph, alive, bad| graph.attach_before(bad, alive).err()),
    ("attach_before sibling", |graph, alive, bad| graph.attach_before(alive, bad).err()),
    ("attach_before itself", |graph, _, bad| graph.attach_before(bad, bad).err()),
    ("attach_after child", |graph, alive, bad| graph.attach_after(bad, alive).err()),
    ("attach_after sibling", |graph, alive, bad| graph.attach_after(alive, bad).err()),
    ("attach_in_place child", |graph, alive, bad| graph.attach_in_place(bad, alive).err()),
    ("attach_in_place parent", |graph, alive, bad| graph.attach_in_place(alive, bad).err()),
    ("detach", |graph, _, bad| graph.detach(bad).err()),
    ("detach_in_place", |graph, _, bad| graph.detach_in_place(bad).err()),
    ("detach_from child", |graph, alive, bad| graph.detach_from(bad, alive).err()),
    ("detach_from parent", |graph, alive, bad| graph.detach_from(alive, bad).err()),
    ("clone_subtree root", |graph, alive, bad| graph.clone_subtree(bad, Some(alive)).err()),
    ("clone_subtree root to a new root", |graph, _, bad| graph.clone_subtree(bad, None).err()),
    ("clone_subtree parent", |graph, alive, bad| graph.clone_subtree(alive, Some(bad)).err()),
    ("clone_subtree_from root", |graph, alive, bad| {
        graph.clone_subtree_from(&Graph::new(), bad, Some(alive)).err()
    }),
    ("clone_subtree_from parent", |graph, _, bad| {
        let mut other = Graph::new();
        let root = other.add_root(Transform::IDENTITY).unwrap();
        graph.clone_subtree_from(&other, root, Some(bad)).err()
    }),
    ("move_subtree_to root", |graph, _, bad| {
        let mut other = Graph::new();
        let error = graph.move_subtree_to(bad, &mut other, None).err();
        assert!(other.is_empty() && other.structure_version() == 0);
        error
    }),
    ("move_subtree_to under", |graph, _, bad| {
        let mut other = Graph::new();
        let root = other.add_root(Transform::IDENTITY).unwrap();
        let before = dump(&other);
        let error = other.move_subtree_to(root, graph, Some(bad)).err();
        assert_eq!(dump(&other), before, "nothing has moved");
        error
    }),
    ("find_in", |graph, _, bad| graph.find_in(bad, "child").err()),
    ("NodeMap::insert", |graph, _, bad| {
        let mut map = NodeMap::new();
        let error = map.insert(graph, bad, 1).err();
        assert!(map.is_empty());
        error
    }),
];

/// Every public call that answers a handle with a yes or no, or with what it finds.
#[rustfmt::skip]
const QUESTIONS: &[(&str, Question)] = &[
    ("contains", |graph, _, bad| graph.contains(bad)),
    ("get", |graph, _, bad| graph.get(bad).is_some()),
    ("get_mut", |graph, _, bad| graph.get_mut(bad).is_some()),
    ("visit", |graph, _, bad| {
        let mut visited = false;
        graph.visit(bad, |_| { visited = true; pleach_graph::Visit::Continue });
        visited
    }),
    ("Walk::depth_first", |graph, _, bad| {
        let mut walk = Walk::depth_first(bad);
        walk.next(graph).or_else(|| walk.next(graph)).is_some()
    }),
    ("Walk::breadth_first", |graph, _, bad| {
        let mut walk = Walk::breadth_first(bad);
        walk.next(graph).or_else(|| walk.next(graph)).is_some()
    }),
    ("CloneMap::get", |graph, alive, bad| {
        let clones = graph.clone().clone_subtree(alive, None).unwrap();
        clones.get(bad).is_some()
    }),
    ("NodeMap::get", |graph, alive, bad| {
        let mut map = NodeMap::new();
        map.insert(graph, alive, 1).unwrap();
        map.get(graph, bad).is_some()
    }),
    ("NodeMap::get_mut", |graph, alive, bad| {
        let mut map = NodeMap::new();
        map.insert(graph, alive, 1).unwrap();
        map.get_mut(graph, bad).is_some()
    }),
    ("NodeMap::remove", |graph, alive, bad| {
        let mut map = NodeMap::new();
        map.insert(graph, alive, 1).unwrap();
        map.remove(bad).is_some()
    }),
];

#[test]
fn an_invalid_handle_is_rejected_by_every_call_and_changes_nothing() {
    let Fixture { mut graph, alive, bad } = fixture();
    let before = dump(&graph);
    for &(kind, bad) in &bad[..sized(bad.len(), 1)] {
        for (name, call) in CALLS {
            let error = call(&mut graph, alive, bad);
            assert_eq!(error, Some(Error::Dead(bad)), "{name} with a handle that is {kind}");
            // Miri is too slow for a check after every call.
            if !cfg!(miri) {
                assert_eq!(dump(&graph), before, "{name} with a handle that is {kind}");
                assert_consistent(&graph);
            }
        }
        for (name, question) in QUESTIONS {
            let found = question(&mut graph, alive, bad);
            assert!(!found, "{name} found a handle that is {kind}");
        }
        assert_eq!(dump(&graph), before, "after all calls with a handle that is {kind}");
    }
    assert_consistent(&graph);
}

#[test]
fn the_dead_error_names_the_handle() {
    let mut graph = Graph::new();
    let node = graph.add_root(Transform::IDENTITY).unwrap();
    graph.remove(node).unwrap();
    assert_eq!(
        graph.remove(node).unwrap_err().to_string(),
        "node 0v1 is not in this graph: it was removed, or belongs to another graph",
    );
}

#[test]
fn nothing_is_created_below_a_dead_parent() {
    let mut graph = Graph::new();
    let parent = graph.add_root(Transform::IDENTITY).unwrap();
    graph.remove(parent).unwrap();
    graph.clear_changes();
    let before = dump(&graph);
    assert_eq!(graph.add_child(parent, Transform::IDENTITY), Err(Error::Dead(parent)));
    assert_eq!(dump(&graph), before);
    assert!(graph.is_empty());
}
