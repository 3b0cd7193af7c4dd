//! `NodeMap`: values by node, dense, and never the values of a dead node.

use std::collections::BTreeMap;
use std::rc::Rc;

use pleach_graph::{Error, Graph, NodeId, NodeMap, Transform};
use testkit::{Rng, sized};

use crate::common::seeds;

fn roots(graph: &mut Graph, count: usize) -> Vec<NodeId> {
    (0..count).map(|_| graph.add_root(Transform::IDENTITY).unwrap()).collect()
}

#[test]
fn a_row_is_inserted_read_edited_replaced_and_removed() {
    let mut graph = Graph::new();
    let nodes = roots(&mut graph, 3);
    let mut map = NodeMap::new();
    assert!(map.is_empty());
    assert_eq!(map.insert(&graph, nodes[1], "one".to_owned()), Ok(None));
    assert_eq!(map.get(&graph, nodes[1]).map(String::as_str), Some("one"));
    assert_eq!(map.get(&graph, nodes[0]), None);
    map.get_mut(&graph, nodes[1]).unwrap().push('!');
    assert_eq!(map.insert(&graph, nodes[1], "two".to_owned()), Ok(Some("one!".to_owned())));
    assert_eq!(map.len(), 1);
    assert_eq!(map.remove(nodes[1]), Some("two".to_owned()));
    assert_eq!((map.remove(nodes[1]), map.len()), (None, 0));
}

#[test]
fn inserting_a_dead_node_is_rejected_and_leaves_the_map_unchanged() {
    let mut graph = Graph::new();
    let nodes = roots(&mut graph, 2);
    let mut map = NodeMap::new();
    map.insert(&graph, nodes[0], 1).unwrap();
    graph.remove(nodes[1]).unwrap();
    assert_eq!(map.insert(&graph, nodes[1], 2), Err(Error::Dead(nodes[1])));
    assert!(map.rows().eq([(nodes[0], &1)]));
}

#[test]
fn the_row_of_a_dead_node_is_never_returned() {
    let mut graph = Graph::new();
    let nodes = roots(&mut graph, 4);
    let mut map = NodeMap::new();
    for (row, &id) in nodes.iter().enumerate() {
        map.insert(&graph, id, row).unwrap();
    }
    graph.remove(nodes[2]).unwrap();
    assert_eq!(map.get(&graph, nodes[2]), None);
    assert_eq!(map.get_mut(&graph, nodes[2]), None);
    assert!(map.iter(&graph).eq([(nodes[0], &0), (nodes[1], &1), (nodes[3], &3)]));
    assert!(map.iter_mut(&graph).all(|(id, _)| id != nodes[2]));
    // It does not belong to the next node in the slot either.
    let reused = graph.add_root(Transform::IDENTITY).unwrap();
    assert_eq!(reused.index(), nodes[2].index());
    assert_eq!(map.get(&graph, reused), None);
    assert!(map.iter(&graph).all(|(id, _)| id != reused));
    assert_eq!(map.insert(&graph, reused, 9), Ok(None));
    assert_eq!((map.get(&graph, reused), map.get(&graph, nodes[2])), (Some(&9), None));
}

#[test]
fn purge_drops_the_rows_of_dead_nodes() {
    let mut graph = Graph::new();
    let nodes = roots(&mut graph, 6);
    let mut map = NodeMap::new();
    for (row, &id) in nodes.iter().enumerate() {
        map.insert(&graph, id, row).unwrap();
    }
    for index in [0, 3, 5] {
        graph.remove(nodes[index]).unwrap();
    }
    assert_eq!(map.len(), 6, "not purged yet");
    assert_eq!(map.purge(&graph), 3);
    assert_eq!(map.purge(&graph), 0);
    let mut left: Vec<(NodeId, usize)> = map.rows().map(|(id, &row)| (id, row)).collect();
    left.sort();
    assert_eq!(left, [(nodes[1], 1), (nodes[2], 2), (nodes[4], 4)]);
    assert_eq!(map.len(), 3);
}

#[test]
fn purge_with_passes_each_dead_row_once() {
    let mut graph = Graph::new();
    let nodes = roots(&mut graph, 10);
    let mut map = NodeMap::new();
    for (row, &id) in nodes.iter().enumerate() {
        map.insert(&graph, id, row).unwrap();
    }
    for id in nodes.iter().copied().filter(|id| id.index() % 3 == 0) {
        graph.remove(id).unwrap();
    }
    let mut freed = Vec::new();
    map.purge_with(&graph, |id, row| freed.push((id, row)));
    freed.sort();
    assert_eq!(freed, [0, 3, 6, 9].map(|index| (nodes[index], index)));
    map.purge_with(&graph, |id, _| panic!("{id} was passed before"));
}

// Every dropped row must reach its owner, even if the slot is reused before the
// next purge.
#[test]
fn a_dead_row_whose_slot_was_reused_is_not_lost() {
    let mut graph = Graph::new();
    let old = graph.add_root(Transform::IDENTITY).unwrap();
    let mut map = NodeMap::new();
    map.insert(&graph, old, "old texture").unwrap();
    graph.remove(old).unwrap();
    let new = graph.add_root(Transform::IDENTITY).unwrap();
    assert_eq!(new.index(), old.index());
    map.insert(&graph, new, "new texture").unwrap();
    let mut freed = Vec::new();
    map.purge_with(&graph, |id, row| freed.push((id, row)));
    assert_eq!(freed, [(old, "old texture")]);
    assert_eq!(map.get(&graph, new), Some(&"new texture"));
}

#[test]
fn the_row_of_a_dead_node_can_be_removed_by_its_handle() {
    let mut graph = Graph::new();
    let nodes = roots(&mut graph, 2);
    let mut map = NodeMap::new();
    map.insert(&graph, nodes[0], 7).unwrap();
    graph.clear();
    assert!(graph.removed().iter().filter_map(|&id| map.remove(id)).eq([7]));
    assert!(map.is_empty());
}

#[test]
fn rows_are_dense_and_iterated_without_the_graph() {
    let count = sized(1_000, 40);
    let mut graph = Graph::new();
    let nodes = roots(&mut graph, 3 * count);
    let mut map = NodeMap::new();
    for (row, &id) in nodes.iter().step_by(3).enumerate() {
        map.insert(&graph, id, row).unwrap();
    }
    assert_eq!(map.values(), (0..count).collect::<Vec<_>>());
    assert_eq!(map.rows().len(), count);
    for (_, row) in map.rows_mut() {
        // The graph can be edited meanwhile.
        graph.add_root(Transform::IDENTITY).unwrap();
        *row += 1;
    }
    assert!(map.rows().map(|(_, row)| *row).eq(1..=count));
    assert!(map.rows().zip(nodes.iter().step_by(3)).all(|((id, _), &node)| id == node));
}

#[test]
fn a_node_map_agrees_with_a_plain_map_after_random_edits() {
    for seed in seeds(30) {
        let mut random = Rng::new(seed);
        let mut graph = Graph::new();
        let mut ever: Vec<NodeId> = roots(&mut graph, 5);
        let mut map = NodeMap::new();
        let mut expected: BTreeMap<NodeId, usize> = BTreeMap::new();
        for value in 0..sized(600, 25) {
            let id = random.pick(&ever);
            match random.below(8) {
                0 => ever.push(graph.add_root(Transform::IDENTITY).unwrap()),
                1 => {
                    _ = graph.remove(id);
                    expected.retain(|&id, _| graph.contains(id));
                }
                2 => assert_eq!(map.remove(id).is_some_and(|_| graph.contains(id)), {
                    expected.remove(&id).is_some()
                }),
                3 => _ = map.purge(&graph),
                _ => {
                    let alive = graph.contains(id);
                    let inserted = map.insert(&graph, id, value);
                    assert_eq!(inserted.is_ok(), alive, "seed {seed}");
                    if alive {
                        assert_eq!(inserted.unwrap(), expected.insert(id, value), "seed {seed}");
                    }
                }
            }
            for &id in &ever {
                assert_eq!(map.get(&graph, id), expected.get(&id), "{id}, seed {seed}");
            }
            let rows: BTreeMap<NodeId, usize> =
                map.iter(&graph).map(|(id, &row)| (id, row)).collect();
            assert_eq!(rows, expected, "seed {seed}");
            assert_eq!(map.iter(&graph).count(), expected.len(), "each once, seed {seed}");
        }
        map.purge(&graph);
        assert_eq!(map.len(), expected.len(), "seed {seed}");
    }
}

#[test]
fn rows_are_dropped_by_clear_and_with_the_map() {
    let mut graph = Graph::new();
    let nodes = roots(&mut graph, 4);
    let token = Rc::new(());
    let mut map = NodeMap::new();
    for &id in &nodes {
        map.insert(&graph, id, token.clone()).unwrap();
    }
    assert_eq!(Rc::strong_count(&token), 5);
    graph.remove(nodes[0]).unwrap();
    map.purge(&graph);
    map.remove(nodes[1]);
    assert_eq!(Rc::strong_count(&token), 3);
    let copy = map.clone();
    assert_eq!(Rc::strong_count(&token), 5);
    map.clear();
    assert_eq!((map.len(), map.get(&graph, nodes[2])), (0, None));
    assert_eq!(Rc::strong_count(&token), 3);
    drop(copy);
    assert_eq!(Rc::strong_count(&token), 1);
    map.insert(&graph, nodes[3], token.clone()).unwrap();
    assert_eq!(map.len(), 1, "usable after a clear");
}

#[test]
fn several_maps_hold_rows_of_the_same_nodes() {
    let mut graph = Graph::new();
    let nodes = roots(&mut graph, 3);
    let (mut lights, mut meshes) = (NodeMap::new(), NodeMap::default());
    lights.insert(&graph, nodes[0], 1.5f32).unwrap();
    lights.insert(&graph, nodes[1], 2.5f32).unwrap();
    meshes.insert(&graph, nodes[1], "box").unwrap();
    meshes.insert(&graph, nodes[2], "cone").unwrap();
    let both: Vec<_> = lights
        .iter(&graph)
        .filter_map(|(id, light)| Some((id, *light, *meshes.get(&graph, id)?)))
        .collect();
    assert_eq!(both, [(nodes[1], 2.5, "box")]);
}

#[test]
fn m32_remove_dead_drops_the_rows_of_removed_nodes_and_no_others() {
    for seed in 0..if cfg!(miri) { 1 } else { 20 } {
        let mut random = Rng::new(seed);
        let mut graph = Graph::new();
        let mut reader = graph.change_reader();
        let mut map = NodeMap::new();
        let mut expected: BTreeMap<NodeId, usize> = BTreeMap::new();
        let mut nodes = Vec::new();
        for step in 0..if cfg!(miri) { 60 } else { 2_000 } {
            if nodes.len() > 30 || (!nodes.is_empty() && random.one_in(3)) {
                graph.remove(nodes.swap_remove(random.below(nodes.len()))).unwrap();
            } else {
                nodes.extend(roots(&mut graph, 1));
            }
            if !nodes.is_empty() && random.one_in(2) {
                let id = random.pick(&nodes);
                map.insert(&graph, id, step).unwrap();
                expected.insert(id, step);
            }
            if random.one_in(10) {
                let dead = expected.keys().filter(|&&id| !graph.contains(id)).count();
                let dropped = map.remove_dead(reader.read(&graph).unwrap().removed());
                assert_eq!(dropped, dead, "seed {seed}");
                expected.retain(|&id, _| graph.contains(id));
                let rows: BTreeMap<NodeId, usize> =
                    map.rows().map(|(id, &row)| (id, row)).collect();
                assert_eq!(rows, expected, "seed {seed}");
                assert_eq!((map.len(), map.purge(&graph)), (expected.len(), 0), "seed {seed}");
                for (_, row) in map.iter_mut(&graph) {
                    *row += 1;
                }
                expected.values_mut().for_each(|row| *row += 1);
            }
        }
    }
}

/// A search of all rows would take 20,000,000,000 steps here: minutes.
#[test]
#[cfg_attr(miri, ignore = "the size is the point, and too great for Miri")]
fn m32_removing_rows_of_reused_slots_does_not_search_all_rows() {
    let count = 200_000;
    let mut graph = Graph::new();
    let old = roots(&mut graph, count);
    let mut map = NodeMap::new();
    for &id in &old {
        map.insert(&graph, id, id).unwrap();
    }
    graph.clear();
    for id in roots(&mut graph, count) {
        map.insert(&graph, id, id).unwrap();
    }
    assert!(old.iter().all(|&id| map.remove(id) == Some(id)));
    assert_eq!(map.len(), count);
}
