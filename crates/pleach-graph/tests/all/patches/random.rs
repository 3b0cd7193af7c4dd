//! Random transactions, undone, redone, merged and dropped in any order, against copies of the whole
//! state.

use pleach_graph::glam::Mat4;
use pleach_graph::{Error, Graph, NodeId, Patch, Transform};
use testkit::{Effort, Rng, sized};

use super::numbers as state;
use crate::common::{RandomTransform, assert_consistent, seeds};

const NAMES: [&str; 4] = ["a", "b", "lamp", "a longer name"];

/// Edits a graph at random, once.
fn edit(graph: &mut Graph, random: &mut Rng, escaped: &mut Vec<NodeId>) {
    let nodes: Vec<NodeId> = graph.depth_first().collect();
    if nodes.is_empty() || (nodes.len() < 12 && random.one_in(4)) {
        let parent = if nodes.is_empty() { None } else { Some(random.pick(&nodes)) };
        let parent = parent.filter(|_| !random.one_in(4));
        let added = match random.below(3) {
            0 => {
                graph.add_all(parent, &[(None, random.transform()), (Some(0), random.transform())])
            }
            1 if !nodes.is_empty() => {
                let clones = graph.clone_subtree(random.pick(&nodes), parent).unwrap();
                Ok(clones.pairs().iter().map(|pair| pair.1).collect())
            }
            _ => Ok(vec![match parent {
                Some(parent) => graph.add_child(parent, random.transform()).unwrap(),
                None => graph.add_root(random.transform()).unwrap(),
            }]),
        };
        escaped.extend(added.unwrap());
        return;
    }
    let (node, other) = (random.pick(&nodes), random.pick(&nodes));
    // Cycles are rejected, which is part of the test.
    let result: Result<(), Error> = match random.below(20) {
        0 | 1 => graph.remove(node).map(drop),
        2 => graph.attach(node, other),
        3 => graph.attach_at(node, other, random.below(3)),
        4 => graph.attach_before(node, other),
        5 => graph.attach_after(node, other),
        6 => graph.attach_in_place(node, other).map(drop),
        7 => graph.detach(node),
        8 => graph.detach_in_place(node).map(drop),
        9 => graph.attach_each(&[node, other], &[random.pick(&nodes), random.pick(&nodes)]),
        10 => {
            graph.node_mut(node).unwrap().set_name(random.pick(&NAMES));
            Ok(())
        }
        11 => {
            graph.node_mut(node).unwrap().clear_name();
            Ok(())
        }
        12 => {
            graph.node_mut(node).unwrap().set_visible(random.one_in(2));
            Ok(())
        }
        13 => {
            let sheared = Mat4::from_cols_array(&[
                1.0, 0.5, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.25, 1.0, 0.0, 3.0, 2.0, 1.0, 1.0,
            ]);
            graph.node_mut(node).unwrap().set_local_matrix(sheared).map(drop)
        }
        14 => graph.set_transforms(&[node, other], &[random.transform(), random.transform()]),
        15 => graph.set_translations(&[node], &[random.vec3(5.0)]),
        16 => graph.node_mut(node).unwrap().set_transform(random.transform()).map(drop),
        17 | 18 => {
            // Most of the nodes.
            for &node in &nodes {
                if !random.one_in(5) {
                    graph.node_mut(node).unwrap().set_transform(random.transform()).unwrap();
                }
            }
            Ok(())
        }
        _ => graph.node_mut(node).unwrap().set_translation(random.vec3(5.0)).map(drop),
    };
    match result {
        Ok(()) | Err(Error::Cycle { .. } | Error::SingularParent { .. }) => {}
        Err(error) => panic!("{error}"),
    }
}

fn edits(graph: &mut Graph, random: &mut Rng, escaped: &mut Vec<NodeId>) {
    for _ in 0..1 + random.below(6) {
        if random.one_in(6) {
            let before = state(graph);
            let fails = random.one_in(2);
            let nested = graph.transact("nested", |graph| {
                edits(graph, random, escaped);
                if fails { Err(()) } else { Ok(()) }
            });
            match nested {
                Ok(((), patch)) => assert!(patch.is_empty(), "its edits belong to the outer one"),
                Err(()) => assert_eq!(state(graph), before),
            }
        } else if random.one_in(10) {
            graph.update();
        } else {
            edit(graph, random, escaped);
        }
    }
}

/// Two tests, which run at the same time: with those of scenes (`tools/soak-scene`), a million steps.
const STEPS: usize = 200_000;

#[test]
fn any_order_of_undo_and_redo_restores_copies_of_the_whole_state() {
    undo_and_redo(0..2);
}

#[test]
fn any_order_of_undo_and_redo_restores_copies_of_the_whole_state_other_seeds() {
    undo_and_redo(2..4);
}

fn undo_and_redo(seeds: core::ops::Range<u64>) {
    let steps = sized(Effort::pick(STEPS, 4 * STEPS), 30);
    println!("{} steps", steps * seeds.clone().count());
    for seed in seeds {
        let mut random = Rng::new(seed);
        let mut graph = Graph::new();
        // The patches that can be undone and redone, each with the state before and after.
        let mut undo: Vec<(Patch, Vec<u32>, Vec<u32>)> = Vec::new();
        let mut redo: Vec<(Patch, Vec<u32>, Vec<u32>)> = Vec::new();
        let (mut escaped, mut dead) = (Vec::new(), Vec::new());
        let mut current = state(&graph);
        for step in 0..steps {
            let before = current.clone();
            match random.below(10) {
                0..4 => {
                    redo.clear();
                    escaped.clear();
                    let ((), patch) = graph
                        .transact("edit", |graph| {
                            edits(graph, &mut random, &mut escaped);
                            Ok::<_, Error>(())
                        })
                        .unwrap();
                    assert_eq!(patch.revisions().1, graph.revision());
                    current = state(&graph);
                    undo.push((patch, before, current.clone()));
                }
                4 => {
                    escaped.clear();
                    let failed = graph.transact("fails", |graph| {
                        edits(graph, &mut random, &mut escaped);
                        Err::<(), _>(())
                    });
                    assert!(failed.is_err());
                    assert_eq!(state(&graph), before, "seed {seed}, step {step}");
                    dead.append(&mut escaped);
                }
                5 | 6 => {
                    if let Some((patch, before, after)) = undo.pop() {
                        graph.apply(&patch.invert()).unwrap();
                        current = state(&graph);
                        assert_eq!(current, before, "undo, seed {seed}, step {step}");
                        redo.push((patch, before, after));
                    }
                }
                7 => {
                    if let Some((patch, before, after)) = redo.pop() {
                        graph.apply(&patch).unwrap();
                        current = state(&graph);
                        assert_eq!(current, after, "redo, seed {seed}, step {step}");
                        undo.push((patch, before, after));
                    }
                }
                8 => {
                    // Two steps become one.
                    if let (Some((second, _, after)), Some((mut first, before, _))) =
                        (undo.pop(), undo.pop())
                    {
                        assert!(first.append(&second));
                        first.squash();
                        undo.push((first, before, after));
                    }
                    if undo.len() < 2 {
                        undo.clear();
                    }
                }
                _ => {
                    // The oldest steps are forgotten, and what was undone.
                    undo.drain(..undo.len() / 2);
                    redo.clear();
                    graph.free_parked();
                    let copy = graph.clone();
                    assert_eq!(state(&copy), before);
                    assert_consistent(&copy);
                }
            }
            if step % 8 == 0 {
                assert_consistent(&graph);
            }
            // All of them sometimes, the last ones always.
            let checked = if step % 1_000 == 0 { dead.len() } else { dead.len().min(20) };
            for &node in dead.iter().rev().take(checked) {
                assert!(!graph.contains(node), "{node} is alive again; seed {seed}, step {step}");
            }
        }
        drop((undo, redo));
        graph.free_parked();
        assert_eq!(graph.parked_count(), 0);
        assert_consistent(&graph);
    }
}

/// A copy that applies the patches of another graph has the same nodes.
#[test]
fn a_copy_follows_by_patches() {
    for seed in seeds(4) {
        let mut random = Rng::new(seed);
        let mut graph = Graph::new();
        graph.add_root(Transform::IDENTITY).unwrap();
        let mut copy = graph.clone();
        let mut escaped = Vec::new();
        for step in 0..sized(300, 10) {
            let ((), mut patch) = graph
                .transact("edit", |graph| {
                    edits(graph, &mut random, &mut escaped);
                    Ok::<_, Error>(())
                })
                .unwrap();
            if random.one_in(3) {
                patch.squash();
            }
            let revisions = patch.revisions();
            let stored = Patch::from_parts(
                patch.label(),
                patch.lineage(),
                revisions,
                patch.iter().map(std::borrow::Cow::into_owned),
            );
            copy.apply(&stored).unwrap();
            assert_eq!(state(&copy), state(&graph), "seed {seed}, step {step}");
            assert_consistent(&copy);
            if random.one_in(4) {
                let inverse = stored.invert();
                copy.apply(&inverse).unwrap();
                graph.apply(&inverse).unwrap();
                assert_eq!(state(&copy), state(&graph), "seed {seed}, step {step}");
            }
        }
    }
}

/// A mirror that follows a change reader has the same nodes as the graph, whatever comes back.
#[test]
fn change_readers_follow_undo_and_redo() {
    for seed in seeds(4) {
        let mut random = Rng::new(seed);
        let mut graph = Graph::new();
        let mut readers = [(); 3].map(|()| (graph.change_reader(), Vec::<NodeId>::new()));
        let mut undo: Vec<Patch> = Vec::new();
        for step in 0..sized(400, 10) {
            if random.one_in(3) && !undo.is_empty() {
                let patch = undo.pop().unwrap();
                graph.apply(&patch.invert()).unwrap();
                if random.one_in(2) {
                    graph.apply(&patch).unwrap();
                    undo.push(patch);
                }
            } else {
                let run = |graph: &mut Graph| {
                    edits(graph, &mut random, &mut Vec::new());
                    Ok::<_, Error>(())
                };
                undo.push(graph.transact("edit", run).unwrap().1);
            }
            graph.update();
            for (reader, mirror) in &mut readers {
                if !random.one_in(3) {
                    continue;
                }
                let changes = reader.read(&graph).unwrap();
                mirror.retain(|node| !changes.removed().contains(node));
                let added: Vec<NodeId> = changes.added().collect();
                for (index, node) in added.iter().enumerate() {
                    assert!(!added[..index].contains(node), "{node} is listed twice, seed {seed}");
                    if !mirror.contains(node) {
                        mirror.push(*node);
                    }
                }
                let mut expected: Vec<NodeId> = graph.depth_first().collect();
                expected.sort_unstable();
                mirror.sort_unstable();
                assert_eq!(*mirror, expected, "seed {seed}, step {step}");
            }
        }
    }
}
