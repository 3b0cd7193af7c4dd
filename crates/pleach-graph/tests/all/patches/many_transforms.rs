//! Transactions that write most local transforms, alone and with other edits.

use std::borrow::Cow;
use std::collections::BTreeMap;

use pleach_graph::glam::{Mat4, Vec3};
use pleach_graph::{Edit, Error, Graph, NodeId, Patch, Transform};
use testkit::Rng;

use super::state;
use crate::common::{RandomTransform, assert_consistent, seeds};

const NODES: usize = 150;

/// Returns a tree of nodes at random places.
fn forest(random: &mut Rng) -> (Graph, Vec<NodeId>) {
    let mut graph = Graph::new();
    let mut nodes = vec![graph.add_root(random.transform()).unwrap()];
    while nodes.len() < NODES {
        nodes.push(graph.add_child(random.pick(&nodes), random.transform()).unwrap());
    }
    graph.update();
    (graph, nodes)
}

fn sheared() -> Mat4 {
    let mut matrix = Mat4::IDENTITY;
    matrix.y_axis.x = 0.5;
    matrix
}

/// Sets the transforms of most nodes that are alive.
fn write_most(graph: &mut Graph, nodes: &[NodeId], random: &mut Rng) {
    for &node in nodes {
        if !random.one_in(8)
            && let Ok(mut node) = graph.node_mut(node)
        {
            node.set_transform(random.transform()).unwrap();
        }
    }
}

fn record(graph: &mut Graph, edit: impl FnOnce(&mut Graph)) -> Patch {
    let recorded = graph.transact("many", |graph| {
        edit(graph);
        Ok::<_, Error>(())
    });
    recorded.unwrap().1
}

/// Undoes and redoes a patch, and compares the states with copies.
fn check(mut graph: Graph, patch: &Patch, before: &Graph) {
    let after = state(&graph);
    assert_consistent(&graph);
    graph.apply(&patch.invert()).unwrap();
    assert_eq!(state(&graph), state(before));
    graph.apply(patch).unwrap();
    assert_eq!(state(&graph), after);
    assert_consistent(&graph);
    // The next transaction records as usual.
    let node = graph.depth_first().next().unwrap();
    let patch = record(&mut graph, |graph| {
        graph.node_mut(node).unwrap().set_translation(Vec3::splat(77.0)).unwrap();
    });
    assert_eq!(patch.len(), 1);
}

#[test]
fn the_patch_contains_what_changed_and_nothing_else() {
    for seed in seeds(8) {
        let mut random = Rng::new(seed);
        let (mut graph, nodes) = forest(&mut random);
        let before = graph.clone();
        let mut expected = BTreeMap::new();
        for _ in 0..3 {
            expected.clear();
            let before = graph.clone();
            let patch = record(&mut graph, |graph| {
                for _ in 0..2 * NODES {
                    let node = random.pick(&nodes);
                    let old = before.node(node).unwrap().transform();
                    let new = if random.one_in(5) { old } else { random.transform() };
                    graph.node_mut(node).unwrap().set_transform(new).unwrap();
                }
                for &node in &nodes {
                    let (old, new) = (&before, &*graph);
                    let [old, new] = [old, new].map(|it| it.node(node).unwrap().transform());
                    if old != new {
                        expected.insert(node, (old, new));
                    }
                }
            });
            let edits: BTreeMap<_, _> = patch
                .iter()
                .map(|edit| match edit {
                    Cow::Owned(Edit::Transform { node, old, new }) => (node, (old, new)),
                    other => panic!("{other:?}, seed {seed}"),
                })
                .collect();
            assert_eq!(edits.len(), patch.len());
            assert_eq!(edits, expected, "seed {seed}");
            check(graph.clone(), &patch, &before);
        }
        assert_ne!(state(&graph), state(&before));
    }
}

#[test]
fn a_recorded_transform_takes_88_bytes() {
    let mut random = Rng::new(2);
    let (mut graph, nodes) = forest(&mut random);
    let mut bytes_of = |count: usize| {
        let patch = record(&mut graph, |graph| {
            for &node in &nodes[..count] {
                graph.node_mut(node).unwrap().set_transform(random.transform()).unwrap();
            }
        });
        assert_eq!(patch.len(), count);
        patch.byte_size()
    };
    assert_eq!(bytes_of(3) - bytes_of(1), 2 * 88);
}

#[test]
fn the_revision_is_that_of_the_same_edits_of_a_stored_patch() {
    let mut random = Rng::new(1);
    let (mut graph, nodes) = forest(&mut random);
    let mut copy = graph.clone();
    let patch = record(&mut graph, |graph| {
        for &node in &nodes {
            graph.node_mut(node).unwrap().set_transform(random.transform()).unwrap();
        }
    });
    let edits = patch.iter().map(Cow::into_owned);
    let stored = Patch::from_parts(patch.label(), patch.lineage(), patch.revisions(), edits);
    copy.apply(&stored).unwrap();
    assert_eq!((state(&copy), copy.revision()), (state(&graph), graph.revision()));
    let mut squashed = patch.clone();
    squashed.squash();
    assert_eq!(squashed.len(), patch.len());
}

#[test]
fn matrices_before_and_after() {
    let mut random = Rng::new(2);
    let (mut graph, nodes) = forest(&mut random);
    graph.node_mut(nodes[7]).unwrap().set_local_matrix(sheared()).unwrap();
    let before = graph.clone();
    let patch = record(&mut graph, |graph| {
        for (index, &node) in nodes.iter().enumerate() {
            let mut node = graph.node_mut(node).unwrap();
            match index {
                // One that has a matrix is written last; others get one.
                7 => {}
                3 | 100 => _ = node.set_local_matrix(sheared()).unwrap(),
                // The nearest transform of this matrix is the transform before.
                101 => {
                    let matrix = node.transform().to_matrix() * sheared();
                    node.set_local_matrix(matrix).unwrap();
                    let nearest = node.transform();
                    node.set_transform(nearest).unwrap();
                    node.set_local_matrix(matrix).unwrap();
                }
                _ => _ = node.set_transform(random.transform()).unwrap(),
            }
        }
        graph.node_mut(nodes[7]).unwrap().set_translation(Vec3::X).unwrap();
    });
    assert_eq!(patch.len(), NODES);
    check(graph, &patch, &before);
}

#[test]
fn other_edits_follow() {
    type Follow = fn(&mut Graph, &[NodeId]);
    let follows: [Follow; 9] = [
        |graph, nodes| _ = graph.remove(nodes[NODES - 1]).unwrap(),
        |graph, nodes| _ = graph.remove(nodes[1]).unwrap(),
        |graph, nodes| _ = graph.add_child(nodes[1], Transform::IDENTITY).unwrap(),
        |graph, nodes| graph.detach(nodes[5]).unwrap(),
        |graph, nodes| _ = graph.node_mut(nodes[5]).unwrap().set_name("new"),
        |graph, nodes| _ = graph.node_mut(nodes[5]).unwrap().set_visible(false),
        |graph, nodes| {
            // In the slot of a node that the same transaction removes.
            graph.remove(nodes[NODES - 2]).unwrap();
            graph.add_root(Transform::from_xyz(1.0, 2.0, 3.0)).unwrap();
        },
        |graph, nodes| {
            let nested = graph.transact("fails", |graph| {
                graph.node_mut(nodes[9]).unwrap().set_translation(Vec3::X).unwrap();
                Err::<(), ()>(())
            });
            assert!(nested.is_err());
        },
        |graph, nodes| {
            let nested = graph.transact("nested", |graph| {
                graph.node_mut(nodes[9]).unwrap().set_translation(Vec3::X).map(drop)
            });
            nested.unwrap();
        },
    ];
    for (kind, follow) in follows.iter().enumerate() {
        for is_slot_free in [false, true] {
            println!("kind {kind}, a slot is free: {is_slot_free}");
            let mut random = Rng::new(kind as u64);
            let (mut graph, nodes) = forest(&mut random);
            if is_slot_free {
                let extra = graph.add_root(random.transform()).unwrap();
                graph.remove(extra).unwrap();
            }
            let before = graph.clone();
            let mut edit = |graph: &mut Graph| {
                write_most(graph, &nodes, &mut random);
                follow(graph, &nodes);
                write_most(graph, &nodes, &mut random);
            };
            let failed = graph.transact("fails", |graph| {
                edit(graph);
                Err::<(), ()>(())
            });
            assert!(failed.is_err());
            assert_eq!(state(&graph), state(&before));
            assert_consistent(&graph);
            let patch = record(&mut graph, edit);
            check(graph, &patch, &before);
        }
    }
}

#[test]
fn unrecorded_writes_are_not_undone() {
    let mut random = Rng::new(3);
    let (mut graph, nodes) = forest(&mut random);
    let posed = nodes[NODES - 1];
    let patch = record(&mut graph, |graph| {
        for &node in &nodes[..NODES - 1] {
            graph.node_mut(node).unwrap().set_transform(random.transform()).unwrap();
        }
        graph.unrecorded(|graph| {
            graph.node_mut(posed).unwrap().set_translation(Vec3::splat(9.0)).unwrap();
        });
    });
    assert_eq!(patch.len(), NODES - 1);
    graph.apply(&patch.invert()).unwrap();
    assert_eq!(graph.node(posed).unwrap().translation(), Vec3::splat(9.0));
}
