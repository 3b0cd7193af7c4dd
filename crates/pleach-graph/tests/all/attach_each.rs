//! Attaching many nodes at once, each to a parent of its own.

use pleach_graph::{Error, Graph, NodeId, Transform};
use testkit::Rng;

use crate::common::{assert_consistent, chain, children, dump, node, random_tree, seeds};

fn roots<const N: usize>(graph: &mut Graph) -> [NodeId; N] {
    [(); N].map(|()| graph.add_root(Transform::IDENTITY).unwrap())
}

/// Returns `true` if all paths up end after the moves.
fn is_tree(graph: &Graph, moves: &[(NodeId, NodeId)]) -> bool {
    let parent = |&id: &NodeId| match moves.iter().rev().find(|&&(child, _)| child == id) {
        Some(&(_, parent)) => Some(parent),
        None => node(graph, id).parent(),
    };
    let path_len = |id: NodeId| core::iter::successors(Some(id), parent).take(1_000).count();
    moves.iter().all(|&(child, _)| path_len(child) < 1_000)
}

#[test]
fn random_moves_are_accepted_if_the_result_is_a_tree() {
    let (mut accepted, mut rejected) = (0, 0);
    for seed in seeds(100) {
        let mut random = Rng::new(seed);
        let count = 2 + random.below(150);
        let (mut graph, nodes) = random_tree(&mut random, count);
        graph.update();
        for _ in 0..5 {
            let hidden = random.pick(&nodes);
            graph.node_mut(hidden).unwrap().set_visible(random.one_in(2));
            let moves: Vec<(NodeId, NodeId)> = (0..1 + random.below(6))
                .map(|_| (random.pick(&nodes), random.pick(&nodes)))
                .collect();
            let (of, to): (Vec<NodeId>, Vec<NodeId>) = moves.iter().copied().unzip();
            let before = dump(&graph);
            match graph.attach_each(&of, &to) {
                Ok(()) => {
                    accepted += 1;
                    for (index, &(child, parent)) in moves.iter().enumerate() {
                        if moves[index + 1..].iter().all(|later| later.0 != child) {
                            assert_eq!(node(&graph, child).parent(), Some(parent), "seed {seed}");
                        }
                    }
                }
                Err(error) => {
                    rejected += 1;
                    assert!(matches!(error, Error::Cycle { .. }), "seed {seed}: {error}");
                    assert!(!is_tree(&graph, &moves), "seed {seed}: {moves:?}");
                    assert_eq!(dump(&graph), before, "seed {seed}");
                }
            }
            assert_consistent(&graph);
            if random.one_in(2) {
                graph.update();
                assert_consistent(&graph);
            }
        }
    }
    assert!(cfg!(miri) || (accepted > 50 && rejected > 50), "{accepted}, {rejected}");
}

#[test]
fn without_cycles_on_the_way_the_result_is_that_of_single_calls() {
    for seed in seeds(40) {
        let mut random = Rng::new(seed);
        let (mut graph, nodes) = random_tree(&mut random, 200);
        graph.update();
        let (mut of, mut to) = (Vec::new(), Vec::new());
        let mut one_by_one = graph.clone();
        for _ in 0..20 {
            let (child, parent) = (random.pick(&nodes), random.pick(&nodes));
            if !of.contains(&child) && one_by_one.attach(child, parent).is_ok() {
                of.push(child);
                to.push(parent);
            }
        }
        graph.attach_each(&of, &to).unwrap();
        assert!(graph.depth_first().eq(one_by_one.depth_first()), "seed {seed}");
        assert_eq!(graph.parents(), one_by_one.parents(), "seed {seed}");
        assert!(graph.reparented().eq(one_by_one.reparented()), "seed {seed}");
        graph.update();
        one_by_one.update();
        assert_eq!(graph.world_bytes(), one_by_one.world_bytes(), "seed {seed}");
        assert_consistent(&graph);
    }
}

#[test]
fn parents_and_children_change_places() {
    let mut graph = Graph::new();
    let nodes = chain(&mut graph, 4);
    // 0 1 2 3 becomes 0 3 2 1.
    let [a, b, c, d] = [nodes[0], nodes[1], nodes[2], nodes[3]];
    graph.attach_each(&[b, c, d], &[c, d, a]).unwrap();
    assert!(node(&graph, b).ancestors().eq([c, d, a]));
    assert_consistent(&graph);
}

#[test]
fn the_last_parent_of_a_node_counts_and_siblings_keep_the_order_of_the_list() {
    let mut graph = Graph::new();
    let [a, b, x, y, z] = roots(&mut graph);
    graph.attach_each(&[x, y, z, x], &[a, a, a, a]).unwrap();
    assert_eq!(children(&graph, a), [y, z, x]);
    graph.attach_each(&[y, y], &[a, b]).unwrap();
    assert_eq!((children(&graph, a), children(&graph, b)), (vec![z, x], vec![y]));
    assert_consistent(&graph);
}

#[test]
fn cycles_dead_nodes_and_different_lengths_are_rejected_as_a_whole() {
    let mut graph = Graph::new();
    let [a, b, c, d] = roots(&mut graph);
    graph.remove(d).unwrap();
    graph.attach(b, a).unwrap();
    graph.update();
    let before = dump(&graph);
    for (of, to) in [(vec![c, a], vec![a, c]), (vec![c, a], vec![b, b]), (vec![c], vec![c])] {
        let error = graph.attach_each(&of, &to).unwrap_err();
        assert!(matches!(error, Error::Cycle { .. }), "{error}");
    }
    assert_eq!(graph.attach_each(&[c, d], &[a, a]), Err(Error::Dead(d)));
    assert_eq!(graph.attach_each(&[c], &[d]), Err(Error::Dead(d)));
    let error = graph.attach_each(&[b, c], &[a]).unwrap_err();
    assert_eq!(error, Error::LengthMismatch { nodes: 2, values: 1 });
    assert_eq!(dump(&graph), before);
    let error = graph.attach_each(&[c, a], &[a, c]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot attach 2v1 to 0v1: 0v1 is a descendant of 2v1; detach it first"
    );
}

#[test]
#[cfg_attr(miri, ignore = "100,000 nodes are too many for Miri")]
fn a_long_chain_is_attached_with_one_call() {
    let mut graph = Graph::new();
    let nodes: Vec<NodeId> =
        (0..100_000).map(|_| graph.add_root(Transform::from_xyz(1.0, 0.0, 0.0)).unwrap()).collect();
    graph.attach_each(&nodes[1..], &nodes[..nodes.len() - 1]).unwrap();
    graph.update();
    let last = nodes[nodes.len() - 1];
    assert_eq!(node(&graph, last).depth(), nodes.len() - 1);
    assert_eq!(node(&graph, last).world_translation().x, 100_000.0);
    // Turned around, and refused as a ring.
    graph.attach_each(&nodes[..nodes.len() - 1], &nodes[1..]).unwrap_err();
    graph.detach(last).unwrap();
    let (of, to) = (&nodes[..nodes.len() - 1], &nodes[1..]);
    graph.attach_each(of, to).unwrap();
    graph.update();
    assert_eq!(node(&graph, nodes[0]).depth(), nodes.len() - 1);
    assert_consistent(&graph);
}
