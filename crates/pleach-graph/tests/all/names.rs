//! Names: set, removed, shared, and found.

use std::collections::BTreeMap;

use pleach_graph::{Error, Graph, NodeId, Transform};
use testkit::{Rng, sized};

use crate::common::{add_named, assert_consistent, node, random_tree, seeds};

fn rename(graph: &mut Graph, id: NodeId, name: &str) {
    graph.node_mut(id).unwrap().set_name(name);
}

fn all(graph: &Graph, name: &str) -> Vec<NodeId> {
    graph.find_all(name).collect()
}

#[test]
fn a_node_has_no_name_until_one_is_set() {
    let mut graph = Graph::new();
    let id = graph.add_root(Transform::IDENTITY).unwrap();
    assert_eq!(node(&graph, id).name(), None);
    assert_eq!((graph.find(""), graph.find("Group")), (None, None));
    rename(&mut graph, id, "lamp");
    assert_eq!(node(&graph, id).name(), Some("lamp"));
    graph.node_mut(id).unwrap().clear_name();
    assert_eq!((node(&graph, id).name(), graph.find("lamp")), (None, None));
    graph.node_mut(id).unwrap().clear_name();
    assert_consistent(&graph);
}

#[test]
fn any_text_is_a_name() {
    let mut graph = Graph::new();
    let long = "x".repeat(sized(10_000, 50));
    for name in ["", " ", "a/b", "Ünïcödé 🌳", "nul\0inside", "line\nbreak", long.as_str()] {
        let id = add_named(&mut graph, None, name);
        assert_eq!(node(&graph, id).name(), Some(name));
        assert_eq!(graph.find(name), Some(id));
    }
    assert_eq!(graph.find("A/B"), None, "case matters");
    assert_consistent(&graph);
}

#[test]
fn a_name_is_found_right_after_add_rename_and_remove() {
    let mut graph = Graph::new();
    let first = add_named(&mut graph, None, "first");
    assert_eq!(graph.find("first"), Some(first));
    let late = add_named(&mut graph, first, "late");
    assert_eq!(graph.find("late"), Some(late));
    rename(&mut graph, first, "renamed");
    assert_eq!((graph.find("first"), graph.find("renamed")), (None, Some(first)));
    graph.remove(first).unwrap();
    assert_eq!(
        (graph.find("renamed"), graph.find("late")),
        (None, None),
        "its child was removed too"
    );
    let reused = add_named(&mut graph, None, "late");
    assert_eq!(graph.find("late"), Some(reused));
    assert_consistent(&graph);
}

#[test]
fn find_returns_the_node_that_has_had_the_name_for_longest() {
    let mut graph = Graph::new();
    let [a, b, c] = [(); 3].map(|()| add_named(&mut graph, None, "wheel"));
    assert_eq!(all(&graph, "wheel"), [a, b, c]);
    rename(&mut graph, a, "spare");
    assert_eq!(graph.find("wheel"), Some(b));
    rename(&mut graph, a, "wheel");
    assert_eq!(all(&graph, "wheel"), [b, c, a], "it is the youngest again");
    rename(&mut graph, b, "wheel");
    assert_eq!(all(&graph, "wheel"), [b, c, a], "setting the same name keeps its age");
    graph.remove(c).unwrap();
    assert_eq!(all(&graph, "wheel"), [b, a]);
    // Neither the position in the tree nor the slot matters.
    graph.attach(b, a).unwrap();
    let reused = add_named(&mut graph, None, "wheel");
    assert!(reused.index() == c.index());
    assert_eq!(all(&graph, "wheel"), [b, a, reused]);
    assert_consistent(&graph);
}

#[test]
fn names_agree_with_a_plain_map_after_random_edits() {
    const NAMES: [&str; 4] = ["a", "b", "c", ""];
    for seed in seeds(30) {
        let mut random = Rng::new(seed);
        let mut graph = Graph::new();
        let mut nodes: Vec<NodeId> = Vec::new();
        let mut expected: BTreeMap<&str, Vec<NodeId>> = BTreeMap::new();
        for _ in 0..sized(400, 12) {
            if nodes.is_empty() || random.one_in(4) {
                let added = match nodes.is_empty() || random.one_in(3) {
                    true => graph.add_root(Transform::IDENTITY),
                    false => graph.add_child(random.pick(&nodes), Transform::IDENTITY),
                };
                nodes.push(added.unwrap());
            }
            let (id, name) = (random.pick(&nodes), random.pick(&NAMES));
            match random.below(8) {
                0 => {
                    graph.remove(id).unwrap();
                    nodes.retain(|&id| graph.contains(id));
                    expected.values_mut().for_each(|ids| ids.retain(|&id| graph.contains(id)));
                }
                1 => {
                    graph.node_mut(id).unwrap().clear_name();
                    expected.values_mut().for_each(|ids| ids.retain(|&other| other != id));
                }
                _ if node(&graph, id).name() == Some(name) => rename(&mut graph, id, name),
                _ => {
                    rename(&mut graph, id, name);
                    expected.values_mut().for_each(|ids| ids.retain(|&other| other != id));
                    expected.entry(name).or_default().push(id);
                }
            }
            for name in NAMES {
                let expected = expected.get(name).map_or(&[][..], Vec::as_slice);
                assert_eq!(all(&graph, name), expected, "{name:?}, seed {seed}");
                assert_eq!(graph.find(name), expected.first().copied(), "{name:?}, seed {seed}");
            }
        }
        assert_consistent(&graph);
    }
}

/// The index is built by the first search, which is not observable except for the
/// time it takes.
#[test]
fn the_time_of_the_first_search_does_not_affect_the_results() {
    const NAMES: [&str; 6] = ["a", "b", "a longer name", "ä", "🌳", ""];
    for seed in seeds(30) {
        let mut random = Rng::new(seed);
        let (mut late, mut nodes) = random_tree(&mut random, sized(60, 10));
        let mut early = late.clone();
        for step in 0..sized(600, 20) {
            let (id, name) = (random.pick(&nodes), random.pick(&NAMES));
            match random.below(20) {
                0 if nodes.len() > 30 => {
                    assert_eq!(late.remove(id), early.remove(id));
                    nodes.retain(|&id| late.contains(id));
                    // All nodes were below it.
                    if nodes.is_empty() {
                        break;
                    }
                }
                1 => {
                    let clones = late.clone_subtree(id, None).unwrap();
                    assert_eq!(early.clone_subtree(id, None), Ok(clones.clone()));
                    nodes.extend(clones.pairs().iter().map(|&(_, copy)| copy).take(10));
                }
                2 | 3 => {
                    late.node_mut(id).unwrap().clear_name();
                    early.node_mut(id).unwrap().clear_name();
                }
                _ => {
                    rename(&mut late, id, name);
                    rename(&mut early, id, name);
                }
            }
            _ = early.find(name);
            if step % 100 == 7 {
                assert_consistent(&late);
                assert_consistent(&early);
                // The clone builds its own index, and `late` none.
                let clone = late.clone();
                for name in NAMES {
                    assert_eq!(all(&clone, name), all(&early, name), "{name:?}, seed {seed}");
                }
            }
        }
        for name in NAMES {
            assert_eq!(all(&late, name), all(&early, name), "{name:?}, seed {seed}");
        }
        assert_consistent(&late);
    }
}

#[test]
fn several_threads_can_search_first() {
    let mut graph = Graph::new();
    let count = sized(5_000, 20);
    let nodes: Vec<NodeId> =
        (0..count).map(|index| add_named(&mut graph, None, &format!("node {index}"))).collect();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (graph, nodes) = (&graph, &nodes);
            scope.spawn(move || {
                for (index, &id) in nodes.iter().enumerate().skip(thread).step_by(4) {
                    assert_eq!(graph.find(&format!("node {index}")), Some(id));
                }
            });
        }
    });
    assert_consistent(&graph);
}

#[test]
fn long_names_come_and_go_among_short_ones() {
    let mut graph = Graph::new();
    let nodes = [(); 20].map(|()| add_named(&mut graph, None, "short"));
    for round in 0..sized(200, 10) {
        let id = nodes[round * 7 % 20];
        rename(&mut graph, id, &"long ".repeat(round * 13 % 100));
        assert_eq!(node(&graph, id).name().map(str::len), Some(round * 13 % 100 * 5));
        rename(&mut graph, id, &format!("short {round}"));
        assert_eq!(graph.find(&format!("short {round}")), Some(id));
        assert_consistent(&graph);
    }
}

#[test]
fn one_of_many_is_found_by_name() {
    let mut graph = Graph::new();
    let count = sized(100_000, 12);
    let nodes: Vec<NodeId> =
        (0..count).map(|index| add_named(&mut graph, None, &format!("node {index}"))).collect();
    for (index, &id) in nodes.iter().enumerate().step_by(97) {
        assert_eq!(graph.find(&format!("node {index}")), Some(id));
    }
    assert_eq!(graph.find(&format!("node {count}")), None);
}

/// A quadratic step would show here: 20 000 nodes with one name are renamed one by
/// one, the newest, the oldest and in between.
#[test]
fn nodes_that_share_a_name_can_be_renamed_in_any_order() {
    let mut graph = Graph::new();
    let count = sized(20_000, 30);
    let mut nodes: Vec<NodeId> = (0..count).map(|_| add_named(&mut graph, None, "crowd")).collect();
    assert_eq!(graph.find_all("crowd").count(), count);
    let mut random = Rng::new(1);
    random.shuffle(&mut nodes);
    let stay: Vec<NodeId> = nodes.split_off(count - 10);
    for (index, &id) in nodes.iter().enumerate() {
        match index % 3 {
            0 => rename(&mut graph, id, "alone"),
            1 => _ = graph.node_mut(id).unwrap().clear_name(),
            _ => _ = graph.remove(id).unwrap(),
        }
    }
    let mut expected = stay;
    expected.sort();
    assert_eq!(all(&graph, "crowd"), expected, "the oldest first");
    assert_consistent(&graph);
}

/// Two arms; the first has one hand, the second has two.
fn body() -> (Graph, [NodeId; 2], [NodeId; 3]) {
    let mut graph = Graph::new();
    let body = add_named(&mut graph, None, "body");
    let arms = [(); 2].map(|()| add_named(&mut graph, body, "arm"));
    let hands = [arms[0], arms[1], arms[1]].map(|arm| add_named(&mut graph, arm, "hand"));
    (graph, arms, hands)
}

#[test]
fn find_in_searches_one_subtree_depth_first() {
    let (mut graph, arms, hands) = body();
    let body = graph.roots().next().unwrap();
    assert_eq!(graph.find_in(body, "hand"), Ok(Some(hands[0])));
    assert_eq!(graph.find_in(arms[1], "hand"), Ok(Some(hands[1])));
    assert_eq!(graph.find_in(arms[0], "arm"), Ok(Some(arms[0])), "itself included");
    assert_eq!(graph.find_in(arms[0], "body"), Ok(None), "an ancestor");
    assert_eq!(graph.find_in(body, "foot"), Ok(None));
    // The first depth first, not the oldest name.
    graph.attach(arms[0], hands[2]).unwrap();
    assert_eq!(graph.find_in(body, "hand"), Ok(Some(hands[1])));
    assert_eq!(graph.find("hand"), Some(hands[0]));
    let other = add_named(&mut graph, None, "outside");
    assert_eq!(graph.find_in(body, "outside"), Ok(None));
    graph.remove(other).unwrap();
    assert_eq!(graph.find_in(other, "hand"), Err(Error::Dead(other)));
}

#[test]
fn find_path_starts_at_the_roots() {
    let (mut graph, arms, hands) = body();
    let thumb = add_named(&mut graph, hands[2], "thumb");
    assert_eq!(graph.find_path("body"), graph.roots().next());
    assert_eq!(graph.find_path("body/arm"), Some(arms[0]));
    assert_eq!(graph.find_path("body/arm/hand"), Some(hands[0]));
    // Neither the first arm nor the second arm's first hand has it.
    assert_eq!(graph.find_path("body/arm/hand/thumb"), Some(thumb));
    for none in
        ["arm", "body/hand", "body/arm/thumb", "hand/thumb", "body/arm/hand/thumb/nail", "nose"]
    {
        assert_eq!(graph.find_path(none), None, "{none}");
    }
    for malformed in ["", "/", "/body", "body/", "body//arm"] {
        assert_eq!(graph.find_path(malformed), None, "{malformed:?}");
    }
}

#[test]
fn find_path_backtracks_from_any_number_of_dead_ends() {
    let mut graph = Graph::new();
    // Every node is named "n" and has two children; one leaf is named "goal".
    let mut level = vec![add_named(&mut graph, None, "n"), add_named(&mut graph, None, "n")];
    for _ in 0..sized(7, 3) {
        level = level
            .iter()
            .flat_map(|&parent| [(); 2].map(|()| add_named(&mut graph, parent, "n")))
            .collect();
    }
    let goal = add_named(&mut graph, *level.last().unwrap(), "goal");
    let mut path = "n/".repeat(sized(8, 4));
    path.push_str("goal");
    assert_eq!(graph.find_path(&path), Some(goal));
    assert_eq!(graph.find_path(&path[2..]), None);
    assert_eq!(graph.find_path(&format!("n/{path}")), None);
}

#[test]
fn find_path_agrees_with_the_paths_of_all_nodes() {
    for seed in seeds(20) {
        let mut random = Rng::new(seed);
        let (mut graph, nodes) = random_tree(&mut random, sized(80, 12));
        for &id in &nodes {
            if !random.one_in(8) {
                rename(&mut graph, id, ["a", "b"][random.below(2)]);
            }
        }
        // By definition: the first node, depth first, with that path.
        let mut first: BTreeMap<String, NodeId> = BTreeMap::new();
        for id in graph.depth_first() {
            let path = core::iter::once(id).chain(node(&graph, id).ancestors());
            let names: Option<Vec<&str>> = path.map(|id| node(&graph, id).name()).collect();
            if let Some(mut names) = names {
                names.reverse();
                first.entry(names.join("/")).or_insert(id);
            }
        }
        for (path, id) in &first {
            assert_eq!(graph.find_path(path), Some(*id), "{path}, seed {seed}");
            let longer = format!("{path}/a");
            assert_eq!(graph.find_path(&longer), first.get(&longer).copied(), "seed {seed}");
        }
    }
}

#[test]
fn naming_a_node_does_not_mark_it_dirty() {
    let mut graph = Graph::new();
    let id = add_named(&mut graph, None, "a");
    graph.update();
    graph.clear_changes();
    rename(&mut graph, id, "b");
    assert!(!node(&graph, id).is_dirty());
    assert_eq!(graph.update().changed, 0);
}
