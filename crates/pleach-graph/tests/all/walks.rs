//! Traversals: depth first, breadth first, of shown nodes, with skips and stops,
//! and with edits during the traversal.

use std::collections::BTreeSet;

use pleach_graph::{Graph, NodeId, Transform, Visit, Walk};
use testkit::{Rng, sized};

use crate::common::{RandomTransform, add_named, chain, node, random_tree, seeds};

/// a ( b ( d e ) c ( f ) ) g
fn letters() -> (Graph, [NodeId; 7]) {
    let mut graph = Graph::new();
    let a = add_named(&mut graph, None, "a");
    let g = add_named(&mut graph, None, "g");
    let b = add_named(&mut graph, a, "b");
    let c = add_named(&mut graph, a, "c");
    let d = add_named(&mut graph, b, "d");
    let e = add_named(&mut graph, b, "e");
    let f = add_named(&mut graph, c, "f");
    (graph, [a, b, c, d, e, f, g])
}

fn text(graph: &Graph, nodes: impl IntoIterator<Item = NodeId>) -> String {
    nodes.into_iter().map(|id| node(graph, id).name().unwrap()).collect()
}

/// The names along a walk without edits.
fn names_along(graph: &Graph, mut walk: Walk) -> String {
    text(graph, core::iter::from_fn(|| walk.next(graph)))
}

/// The names along a walk; `edit` is called at each node.
fn names_along_with(
    graph: &mut Graph,
    mut walk: Walk,
    mut edit: impl FnMut(&mut Graph, &mut Walk, &str, NodeId),
) -> String {
    let mut seen = String::new();
    while let Some(id) = walk.next(graph) {
        let name = node(graph, id).name().unwrap().to_owned();
        edit(graph, &mut walk, &name, id);
        seen.push_str(&name);
        assert!(seen.len() < 100, "the walk does not end: {seen}");
    }
    assert_eq!(walk.next(graph), None, "a finished walk stays finished");
    seen
}

/// Depth first by definition.
fn recursive(graph: &Graph, id: NodeId, out: &mut Vec<NodeId>) {
    out.push(id);
    for child in node(graph, id).children() {
        recursive(graph, child, out);
    }
}

#[test]
fn depth_first_visits_parents_before_children_and_siblings_in_order() {
    let (graph, [a, b, ..]) = letters();
    assert_eq!(text(&graph, graph.depth_first()), "abdecfg");
    assert_eq!(text(&graph, node(&graph, a).descendants()), "abdecf");
    assert_eq!(text(&graph, node(&graph, b).descendants()), "bde");
    assert_eq!(names_along(&graph, Walk::depth_first(None)), "abdecfg");
    assert_eq!(names_along(&graph, Walk::depth_first(b)), "bde");
    let mut visited = Vec::new();
    graph.visit(None, |node| {
        visited.push(node.id());
        Visit::Continue
    });
    assert_eq!(text(&graph, visited), "abdecfg");
}

#[test]
fn all_depth_first_traversals_agree_with_recursion() {
    for seed in seeds(20) {
        let mut random = Rng::new(seed);
        let (mut graph, nodes) = random_tree(&mut random, sized(200, 12));
        for _ in 0..30 {
            _ = graph.attach_at(random.pick(&nodes), random.pick(&nodes), random.below(3));
        }
        let mut expected = Vec::new();
        graph.roots().for_each(|root| recursive(&graph, root, &mut expected));
        assert_eq!(graph.depth_first().collect::<Vec<_>>(), expected, "seed {seed}");
        let mut walk = Walk::depth_first(None);
        let names_along: Vec<NodeId> = core::iter::from_fn(|| walk.next(&graph)).collect();
        assert_eq!(names_along, expected, "seed {seed}");
        let mut visited = Vec::new();
        graph.visit(None, |node| {
            visited.push(node.id());
            Visit::Continue
        });
        assert_eq!(visited, expected, "seed {seed}");
        for &root in nodes.iter().step_by(17) {
            let mut expected = Vec::new();
            recursive(&graph, root, &mut expected);
            assert!(node(&graph, root).descendants().eq(expected), "{root}, seed {seed}");
        }
    }
}

#[test]
fn skip_children_skips_descendants_but_not_siblings() {
    let (mut graph, [_, b, ..]) = letters();
    let mut iterator = graph.depth_first();
    let mut seen = Vec::new();
    iterator.skip_children();
    while let Some(id) = iterator.next() {
        seen.push(id);
        if id == b {
            iterator.skip_children();
        }
    }
    iterator.skip_children();
    assert_eq!(iterator.next(), None);
    assert_eq!(text(&graph, seen), "abcfg");

    let mut seen = Vec::new();
    graph.visit(None, |node| {
        seen.push(node.id());
        if node.id() == b { Visit::SkipChildren } else { Visit::Continue }
    });
    assert_eq!(text(&graph, seen), "abcfg");
    for (walk, expected) in
        [(Walk::depth_first(None), "abcfg"), (Walk::breadth_first(None), "agbcf")]
    {
        let seen = names_along_with(&mut graph, walk, |_, walk, name, _| {
            if name == "b" {
                walk.skip_children();
            }
        });
        assert_eq!(seen, expected);
    }
}

#[test]
fn skip_children_at_the_root_ends_the_traversal() {
    let (graph, [a, ..]) = letters();
    let mut iterator = node(&graph, a).descendants();
    assert_eq!(iterator.next(), Some(a));
    iterator.skip_children();
    assert_eq!(iterator.next(), None);
}

#[test]
fn a_visit_stops_at_visit_stop() {
    let (graph, [a, _, _, _, e, ..]) = letters();
    for start in [None, Some(a)] {
        let mut seen = Vec::new();
        graph.visit(start, |node| {
            seen.push(node.id());
            if node.id() == e { Visit::Stop } else { Visit::Continue }
        });
        assert_eq!(text(&graph, seen), "abde");
    }
}

#[test]
fn shown_traversals_skip_hidden_subtrees() {
    let (mut graph, [a, b, c, ..]) = letters();
    graph.node_mut(b).unwrap().set_visible(false);
    assert_eq!(text(&graph, graph.depth_first().shown()), "acfg");
    assert_eq!(text(&graph, node(&graph, a).descendants().shown()), "acf");
    assert_eq!(text(&graph, node(&graph, b).descendants().shown()), "", "itself hidden");
    assert_eq!(names_along(&graph, Walk::depth_first(None).shown()), "acfg");
    assert_eq!(names_along(&graph, Walk::breadth_first(None).shown()), "agcf");
    assert_eq!(names_along(&graph, Walk::depth_first(b).shown()), "");
    assert_eq!(text(&graph, graph.depth_first()), "abdecfg", "other traversals visit all");
    let mut iterator = graph.depth_first().shown();
    let mut seen = Vec::new();
    while let Some(id) = iterator.next() {
        seen.push(id);
        if id == c {
            iterator.skip_children();
        }
    }
    assert_eq!(text(&graph, seen), "acg");
}

#[test]
fn below_a_hidden_ancestor_nothing_is_shown() {
    let (mut graph, [a, b, ..]) = letters();
    graph.node_mut(a).unwrap().set_visible(false);
    assert_eq!(text(&graph, node(&graph, b).descendants().shown()), "");
    assert_eq!(names_along(&graph, Walk::breadth_first(b).shown()), "");
    assert_eq!(text(&graph, graph.depth_first().shown()), "g");
}

#[test]
fn a_walk_starts_at_the_given_node_or_at_all_roots() {
    let (graph, [_, _, c, ..]) = letters();
    assert_eq!(names_along(&graph, Walk::depth_first(c)), "cf");
    assert_eq!(names_along(&graph, Walk::breadth_first(c)), "cf");
    assert_eq!(names_along(&graph, Walk::depth_first(None)), "abdecfg");
    let mut seen = Vec::new();
    graph.visit(c, |node| {
        seen.push(node.id());
        Visit::Continue
    });
    assert_eq!(text(&graph, seen), "cf");
    let empty = Graph::new();
    assert_eq!(empty.depth_first().count() + empty.by_depth().count(), 0);
    assert_eq!(Walk::breadth_first(None).next(&empty), None);
}

#[test]
fn breadth_first_visits_nodes_by_depth() {
    let (graph, _) = letters();
    assert_eq!(names_along(&graph, Walk::breadth_first(None)), "agbcdef");
    for seed in seeds(10) {
        let mut random = Rng::new(seed);
        let (mut graph, nodes) = random_tree(&mut random, sized(200, 12));
        for _ in 0..50 {
            _ = graph.attach(random.pick(&nodes), random.pick(&nodes));
        }
        let mut walk = Walk::breadth_first(None);
        let names_along: Vec<NodeId> = core::iter::from_fn(|| walk.next(&graph)).collect();
        for order in [graph.by_depth().collect::<Vec<_>>(), names_along] {
            assert!(order.is_sorted_by_key(|&id| node(&graph, id).depth()), "seed {seed}");
            let distinct: BTreeSet<NodeId> = order.iter().copied().collect();
            assert_eq!((order.len(), distinct.len()), (nodes.len(), nodes.len()), "seed {seed}");
        }
    }
}

#[test]
fn setting_transforms_does_not_change_any_order() {
    let mut random = Rng::new(2);
    let (mut graph, nodes) = random_tree(&mut random, sized(300, 12));
    graph.update();
    let version = graph.structure_version();
    let orders = |graph: &Graph| {
        (graph.depth_first().collect::<Vec<_>>(), graph.by_depth().collect::<Vec<_>>())
    };
    let before = orders(&graph);
    for &id in &nodes {
        graph.node_mut(id).unwrap().set_transform(random.transform()).unwrap();
    }
    graph.update();
    assert_eq!(orders(&graph), before);
    assert_eq!(graph.structure_version(), version);
}

#[test]
fn ancestors_end_at_the_root() {
    let mut graph = Graph::new();
    let path = chain(&mut graph, 5);
    assert!(node(&graph, path[4]).ancestors().eq(path[..4].iter().rev().copied()));
    assert_eq!(node(&graph, path[0]).ancestors().next(), None);
}

#[test]
fn children_can_be_iterated_from_both_ends() {
    let mut graph = Graph::new();
    let parent = add_named(&mut graph, None, "p");
    let kids: Vec<NodeId> = (0..5).map(|_| add_named(&mut graph, parent, "k")).collect();
    let mut both = node(&graph, parent).children();
    assert_eq!(both.len(), 5);
    assert_eq!((both.next(), both.next_back()), (Some(kids[0]), Some(kids[4])));
    assert_eq!(both.len(), 3);
    assert_eq!(
        (both.next_back(), both.next(), both.next_back()),
        (Some(kids[3]), Some(kids[1]), Some(kids[2]))
    );
    assert_eq!((both.next(), both.next_back(), both.len()), (None, None, 0));
}

// ---- edits during a walk -----------------------------------------------------

/// Creates a walk from a node, or from all roots.
type StartWalk = fn(Option<NodeId>) -> Walk;

/// Both walks, and the order in which they visit the letters.
const BOTH: [(StartWalk, &str); 2] = [
    (|start| Walk::depth_first(start), "abdecfg"),
    (|start| Walk::breadth_first(start), "agbcdef"),
];

#[test]
fn the_current_node_can_be_removed() {
    for (walk, order) in BOTH {
        for removed in order.chars().take(sized(7, 2)) {
            let (mut graph, _) = letters();
            let seen = names_along_with(&mut graph, walk(None), |graph, _, name, id| {
                if name.starts_with(removed) {
                    graph.remove(id).unwrap();
                }
            });
            // All nodes except its descendants.
            let below = match removed {
                'a' => "bcdef",
                'b' => "de",
                'c' => "f",
                _ => "",
            };
            let expected: String = order.chars().filter(|&name| !below.contains(name)).collect();
            assert_eq!(seen, expected, "{removed} removed");
        }
    }
}

#[test]
fn a_pending_node_can_be_removed() {
    for (walk, order) in BOTH {
        for removed in ["c", "e", "f", "g"].into_iter().take(sized(4, 1)) {
            let (mut graph, _) = letters();
            let seen = names_along_with(&mut graph, walk(None), |graph, _, name, _| {
                if name == "a" {
                    let id = graph.find(removed).unwrap();
                    graph.remove(id).unwrap();
                }
            });
            let gone = if removed == "c" { "cf" } else { removed };
            let expected: String = order.chars().filter(|&name| !gone.contains(name)).collect();
            assert_eq!(seen, expected, "{removed} removed");
        }
    }
}

#[test]
fn pending_siblings_can_be_removed_and_their_slots_reused() {
    let mut graph = Graph::new();
    let parent = add_named(&mut graph, None, "p");
    for name in ["1", "2", "3", "4"] {
        add_named(&mut graph, parent, name);
    }
    let seen = names_along_with(&mut graph, Walk::depth_first(parent), |graph, _, name, _| {
        if name == "1" {
            for removed in ["2", "3"] {
                graph.remove(graph.find(removed).unwrap()).unwrap();
            }
            // New nodes in the slots are not the nodes that were pending.
            add_named(graph, None, "x");
            add_named(graph, parent, "y");
        }
    });
    assert_eq!(seen, "p14");
}

#[test]
fn nodes_added_below_the_current_node_are_visited() {
    for (walk, expected) in
        [(Walk::depth_first(None), "abndecfg"), (Walk::breadth_first(None), "agbcndef")]
    {
        let (mut graph, [_, b, ..]) = letters();
        let seen = names_along_with(&mut graph, walk, |graph, _, name, id| {
            if name == "b" {
                let new = add_named(graph, id, "n");
                graph.attach_at(new, b, 0).unwrap();
            }
        });
        assert_eq!(seen, expected);
    }
}

#[test]
fn nodes_added_below_visited_nodes_are_not_visited() {
    let (mut graph, [a, b, ..]) = letters();
    let seen = names_along_with(&mut graph, Walk::depth_first(None), |graph, _, name, _| {
        if name == "e" {
            add_named(graph, a, "n");
            add_named(graph, b, "n");
            add_named(graph, None, "n");
        }
    });
    assert_eq!(seen, "abdecfg");
}

#[test]
fn a_pending_node_moved_ahead_is_visited_at_its_new_position_only() {
    // `c` is pending when it moves below `d`, where the walk is.
    let (mut graph, [_, _, c, d, ..]) = letters();
    let seen = names_along_with(&mut graph, Walk::depth_first(None), |graph, _, name, _| {
        if name == "d" {
            graph.attach(c, d).unwrap();
        }
    });
    assert_eq!(seen, "abdcfeg");
}

#[test]
fn a_pending_node_moved_below_a_visited_node_is_not_visited() {
    let (mut graph, [_, b, c, ..]) = letters();
    let seen = names_along_with(&mut graph, Walk::depth_first(None), |graph, _, name, _| {
        if name == "e" {
            graph.attach(c, b).unwrap();
        }
    });
    assert_eq!(seen, "abdeg");
}

#[test]
fn the_current_node_can_be_moved_and_its_children_are_still_visited() {
    for to_root in [false, true] {
        let (mut graph, [_, b, .., g]) = letters();
        let seen = names_along_with(&mut graph, Walk::depth_first(None), |graph, _, name, _| {
            if name == "b" && to_root {
                graph.detach(b).unwrap();
            } else if name == "b" {
                graph.attach(b, g).unwrap();
            }
        });
        // Below `g` the walk visits it again, with its descendants.
        assert_eq!(seen, if to_root { "abdecfg" } else { "abdecfgbde" });
    }
}

#[test]
fn a_node_hidden_during_a_shown_walk_is_skipped() {
    for (walk, expected) in
        [(Walk::depth_first(None).shown(), "abdeg"), (Walk::breadth_first(None).shown(), "agbde")]
    {
        let (mut graph, [_, _, c, ..]) = letters();
        let seen = names_along_with(&mut graph, walk, |graph, _, name, _| {
            if name == "a" {
                graph.node_mut(c).unwrap().set_visible(false);
            }
        });
        assert_eq!(seen, expected);
    }
}

#[test]
fn the_graph_can_be_cleared_during_a_walk() {
    for (walk, _) in BOTH {
        let (mut graph, _) = letters();
        let seen = names_along_with(&mut graph, walk(None), |graph, _, name, _| {
            if name == "b" {
                graph.clear();
            }
        });
        assert!(seen.ends_with('b'), "{seen}");
    }
}

#[test]
fn a_walk_starts_at_the_first_call_of_next() {
    let (mut graph, [_, b, ..]) = letters();
    let mut walk = Walk::depth_first(None);
    let mut below_b = Walk::depth_first(b);
    graph.remove(b).unwrap();
    assert_eq!(text(&graph, core::iter::from_fn(|| walk.next(&graph))), "acfg");
    assert_eq!((below_b.next(&graph), below_b.next(&graph)), (None, None));
}

/// Whatever is edited during a walk, it visits only live nodes, and every unedited
/// node exactly once.
#[test]
fn unedited_nodes_are_visited_once_despite_random_edits_during_a_walk() {
    for seed in seeds(60) {
        let mut random = Rng::new(seed);
        let (mut graph, nodes) = random_tree(&mut random, sized(80, 12));
        let mut touched: BTreeSet<NodeId> = BTreeSet::new();
        let mut seen = Vec::new();
        let mut walk =
            if random.one_in(2) { Walk::depth_first(None) } else { Walk::breadth_first(None) };
        while let Some(id) = walk.next(&graph) {
            assert!(graph.contains(id), "{id}, seed {seed}");
            seen.push(id);
            assert!(seen.len() < 10_000, "the walk does not end, seed {seed}");
            let other = random.pick(&nodes);
            if !graph.contains(other) || !random.one_in(4) {
                continue;
            }
            touched.extend(node(&graph, other).descendants());
            match random.below(4) {
                0 => _ = graph.remove(other).unwrap(),
                1 => _ = graph.add_child(other, Transform::IDENTITY).unwrap(),
                2 => graph.detach(other).unwrap(),
                // To the first root, so that the walk ends.
                _ => {
                    let root = graph.roots().next().unwrap();
                    _ = graph.attach(other, root);
                }
            }
        }
        for id in nodes.iter().filter(|id| !touched.contains(id)) {
            let times = seen.iter().filter(|&other| other == id).count();
            assert_eq!(times, 1, "{id}, seed {seed}");
        }
    }
}
