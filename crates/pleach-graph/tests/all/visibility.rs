//! Visibility: a node's own flag, and `shown`, which it inherits from its
//! ancestors.

use pleach_graph::{Graph, NodeId, Transform, UpdateStats};
use testkit::{Rng, sized};

use crate::common::{assert_consistent, chain, node, random_tree, seeds};

fn hide(graph: &mut Graph, id: NodeId) {
    graph.node_mut(id).unwrap().set_visible(false);
}

fn show(graph: &mut Graph, id: NodeId) {
    graph.node_mut(id).unwrap().set_visible(true);
}

/// By definition: the node and all its ancestors are visible.
fn shown_by_definition(graph: &Graph, id: NodeId) -> bool {
    let path = core::iter::once(id).chain(node(graph, id).ancestors());
    path.into_iter().all(|id| node(graph, id).is_visible())
}

#[test]
fn a_new_node_is_visible_and_shown() {
    let mut graph = Graph::new();
    let root = graph.add_root(Transform::IDENTITY).unwrap();
    let child = graph.add_child(root, Transform::IDENTITY).unwrap();
    for id in [root, child] {
        assert!(node(&graph, id).is_visible() && node(&graph, id).is_shown());
    }
    assert_eq!(graph.shown_changed().count(), 0, "new nodes are not listed");
}

#[test]
fn hiding_a_node_hides_its_descendants_immediately() {
    let mut graph = Graph::new();
    let path = chain(&mut graph, 4);
    hide(&mut graph, path[0]);
    for &id in &path {
        assert!(!node(&graph, id).is_shown(), "{id}");
        assert!(!graph.flags()[id.index()].is_shown(), "{id}");
        assert_eq!(node(&graph, id).is_visible(), id != path[0], "its own flag is not inherited");
    }
    show(&mut graph, path[0]);
    assert!(path.iter().all(|&id| node(&graph, id).is_shown()));
}

#[test]
fn a_hidden_node_stays_hidden_when_its_parent_is_shown_again() {
    let mut graph = Graph::new();
    let path = chain(&mut graph, 3);
    hide(&mut graph, path[1]);
    hide(&mut graph, path[0]);
    show(&mut graph, path[0]);
    assert_eq!(
        path.iter().map(|&id| node(&graph, id).is_shown()).collect::<Vec<_>>(),
        [true, false, false]
    );
}

#[test]
fn reparenting_changes_the_inherited_visibility() {
    let mut graph = Graph::new();
    let (hidden, open) = (
        graph.add_root(Transform::IDENTITY).unwrap(),
        graph.add_root(Transform::IDENTITY).unwrap(),
    );
    hide(&mut graph, hidden);
    let moved = graph.add_child(open, Transform::IDENTITY).unwrap();
    let leaf = graph.add_child(moved, Transform::IDENTITY).unwrap();
    let shown = |graph: &Graph| [moved, leaf].map(|id| node(graph, id).is_shown());

    graph.attach(moved, hidden).unwrap();
    assert_eq!(shown(&graph), [false, false]);
    graph.attach_in_place(moved, open).unwrap();
    assert_eq!(shown(&graph), [true, true]);
    graph.attach_at(moved, hidden, 0).unwrap();
    assert_eq!(shown(&graph), [false, false]);
    graph.detach(moved).unwrap();
    assert_eq!(shown(&graph), [true, true]);
    hide(&mut graph, leaf);
    graph.attach(moved, hidden).unwrap();
    graph.attach_before(moved, open).unwrap();
    assert_eq!(shown(&graph), [true, false]);
    let born_hidden = graph.add_child(hidden, Transform::IDENTITY).unwrap();
    assert!(node(&graph, born_hidden).is_visible() && !node(&graph, born_hidden).is_shown());
    assert_consistent(&graph);
}

#[test]
fn shown_agrees_with_its_definition_after_random_edits() {
    for seed in seeds(30) {
        let mut random = Rng::new(seed);
        let (mut graph, mut nodes) = random_tree(&mut random, sized(120, 12));
        for _ in 0..sized(200, 12) {
            let (id, other) = (random.pick(&nodes), random.pick(&nodes));
            match random.below(8) {
                0 => _ = graph.attach(id, other),
                1 => graph.detach(id).unwrap(),
                2 => nodes.push(graph.add_child(id, Transform::IDENTITY).unwrap()),
                3 if nodes.len() > 20 => {
                    graph.remove(id).unwrap();
                    nodes.retain(|&id| graph.contains(id));
                }
                _ => _ = graph.node_mut(id).unwrap().set_visible(random.one_in(2)),
            }
            for &id in &nodes {
                let expected = shown_by_definition(&graph, id);
                assert_eq!(node(&graph, id).is_shown(), expected, "{id}, seed {seed}");
            }
            if nodes.is_empty() {
                break;
            }
        }
        assert_consistent(&graph);
    }
}

#[test]
fn changes_of_shown_are_listed_once_in_a_separate_list() {
    let mut graph = Graph::new();
    let path = chain(&mut graph, 3);
    let other = graph.add_root(Transform::IDENTITY).unwrap();
    graph.update();
    graph.clear_changes();
    hide(&mut graph, path[1]);
    assert!(graph.shown_changed().eq([path[1], path[2]]), "the node and its descendants");
    hide(&mut graph, path[0]);
    assert!(graph.shown_changed().eq([path[1], path[2], path[0]]), "only what changed");
    show(&mut graph, path[0]);
    let mut listed: Vec<NodeId> = graph.shown_changed().collect();
    listed.sort();
    assert_eq!(listed, path, "a node that changed back is listed too, each once");
    assert!(!listed.contains(&other));
    assert_eq!(graph.changed().count(), 0, "nothing has moved");
    assert_eq!(graph.update(), UpdateStats::default());
    graph.clear_changes();
    assert_eq!(graph.shown_changed().count(), 0);
}

#[test]
fn setting_the_current_visibility_changes_nothing() {
    let mut graph = Graph::new();
    let path = chain(&mut graph, 2);
    show(&mut graph, path[0]);
    hide(&mut graph, path[0]);
    graph.clear_changes();
    hide(&mut graph, path[0]);
    show(&mut graph, path[1]);
    hide(&mut graph, path[1]);
    assert_eq!(graph.shown_changed().count(), 0, "it was hidden all the time");
}

#[test]
fn removed_nodes_leave_the_list_of_shown_changes() {
    let mut graph = Graph::new();
    let path = chain(&mut graph, 3);
    hide(&mut graph, path[0]);
    graph.remove(path[1]).unwrap();
    assert!(graph.shown_changed().eq([path[0]]));
    let reused = graph.add_root(Transform::IDENTITY).unwrap();
    assert!(graph.shown_changed().all(|id| id != reused));
    assert_consistent(&graph);
}

#[test]
fn replaying_shown_changes_on_a_copy_gives_the_new_state() {
    for seed in seeds(20) {
        let mut random = Rng::new(seed);
        let (mut graph, nodes) = random_tree(&mut random, sized(150, 12));
        let mut mirror: Vec<bool> = vec![true; nodes.len()];
        for _ in 0..20 {
            for _ in 0..random.below(10) {
                let (id, other) = (random.pick(&nodes), random.pick(&nodes));
                match random.below(4) {
                    0 => _ = graph.attach(id, other),
                    _ => _ = graph.node_mut(id).unwrap().set_visible(random.one_in(2)),
                }
            }
            for id in graph.shown_changed() {
                mirror[id.index()] = node(&graph, id).is_shown();
            }
            graph.clear_changes();
            for &id in &nodes {
                assert_eq!(mirror[id.index()], node(&graph, id).is_shown(), "{id}, seed {seed}");
            }
        }
    }
}

#[test]
fn hidden_nodes_are_updated_like_any_other() {
    let mut graph = Graph::new();
    let path = chain(&mut graph, 3);
    hide(&mut graph, path[0]);
    assert_eq!(graph.update().changed, 3);
    assert_eq!(node(&graph, path[2]).world_translation().to_array(), [1.0, 2.0, 0.0]);
}
