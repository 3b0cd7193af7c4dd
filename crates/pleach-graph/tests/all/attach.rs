//! Moving nodes in the tree: attach, detach and remove, and what they reject.

use pleach_graph::glam::{Mat4, Quat, Vec3};
use pleach_graph::{Error, Graph, NodeId, Transform};
use testkit::{Rng, sized};

use crate::common::{
    add_named, assert_consistent, chain, children, dump, move_to, node, random_tree, seeds,
    subtree_size,
};

/// A parent with four children `a b c d`, and a lone root.
struct Family {
    graph: Graph,
    parent: NodeId,
    kids: [NodeId; 4],
    lone: NodeId,
}

fn family() -> Family {
    let mut graph = Graph::new();
    let parent = add_named(&mut graph, None, "parent");
    let kids = ["a", "b", "c", "d"].map(|name| add_named(&mut graph, parent, name));
    let lone = add_named(&mut graph, None, "lone");
    graph.update();
    graph.clear_changes();
    Family { graph, parent, kids, lone }
}

fn names(graph: &Graph, nodes: impl Iterator<Item = NodeId>) -> String {
    nodes.map(|id| node(graph, id).name().unwrap_or("?")).collect::<Vec<_>>().join(" ")
}

#[test]
fn children_are_in_the_order_of_insertion() {
    let Family { graph, parent, kids, lone } = family();
    assert_eq!(children(&graph, parent), kids);
    assert!(kids.iter().all(|&kid| node(&graph, kid).parent() == Some(parent)));
    assert_eq!(node(&graph, parent).parent(), None);
    assert_eq!(children(&graph, lone), []);
    assert_eq!(node(&graph, parent).children().len(), 4);
    assert!(node(&graph, parent).children().rev().eq(kids.into_iter().rev()));
}

#[test]
fn new_nodes_are_the_last_root_or_the_last_child() {
    let Family { mut graph, parent, kids, lone } = family();
    let root = graph.add_root(Transform::IDENTITY).unwrap();
    let child = graph.add_child(parent, Transform::IDENTITY).unwrap();
    assert!(graph.roots().eq([parent, lone, root]));
    assert_eq!(children(&graph, parent).last(), Some(&child));
    assert_eq!(children(&graph, parent)[..4], kids);
    assert_consistent(&graph);
}

#[test]
fn attach_appends_to_the_children() {
    let Family { mut graph, parent, kids: [a, ..], lone } = family();
    graph.attach(lone, parent).unwrap();
    assert_eq!(names(&graph, node(&graph, parent).children()), "a b c d lone");
    graph.attach(a, parent).unwrap();
    assert_eq!(names(&graph, node(&graph, parent).children()), "b c d lone a");
    assert!(graph.roots().eq([parent]));
    assert_consistent(&graph);
}

#[test]
fn an_attached_node_leaves_its_old_parent_and_is_once_in_every_traversal() {
    let Family { mut graph, parent, kids: [_, b, ..], lone } = family();
    for to in [lone, lone, parent, lone] {
        graph.attach(b, to).unwrap();
        let from = if to == lone { parent } else { lone };
        assert!(!children(&graph, from).contains(&b), "still with its old parent");
        assert_eq!(children(&graph, to).iter().filter(|&&child| child == b).count(), 1);
        assert_eq!(graph.by_depth().filter(|&id| id == b).count(), 1);
        assert_eq!(graph.depth_first().filter(|&id| id == b).count(), 1);
        assert_consistent(&graph);
    }
}

#[test]
fn attach_all_keeps_the_given_order() {
    let Family { mut graph, parent, kids: [a, b, c, d], lone } = family();
    graph.attach_all(&[d, lone, b], parent).unwrap();
    assert_eq!(names(&graph, node(&graph, parent).children()), "a c d lone b");
    graph.attach_all(&[c, c], parent).unwrap();
    assert_eq!(names(&graph, node(&graph, parent).children()), "a d lone b c");
    graph.attach_all(&[], a).unwrap();
    assert_eq!(children(&graph, a), []);
    assert_consistent(&graph);
}

#[test]
fn attach_all_attaches_all_or_none() {
    let Family { mut graph, parent, kids: [a, b, c, _], lone } = family();
    let before = dump(&graph);
    // The last one is an ancestor of the new parent.
    assert!(matches!(graph.attach_all(&[b, c, lone, parent], a), Err(Error::Cycle { .. })));
    assert_eq!(dump(&graph), before);
    assert!(matches!(graph.attach_all(&[b, a], a), Err(Error::Cycle { .. })));
    assert_eq!(dump(&graph), before);
    let mut other = graph.clone();
    other.remove(c).unwrap();
    let before = dump(&other);
    assert_eq!(other.attach_all(&[b, lone, c], a), Err(Error::Dead(c)));
    assert_eq!(dump(&other), before);
}

#[test]
fn attach_at_inserts_a_new_child_at_every_index() {
    let positions = [
        (0, "lone a b c d"),
        (1, "a lone b c d"),
        (2, "a b lone c d"),
        (3, "a b c lone d"),
        (4, "a b c d lone"),
        (5, "a b c d lone"),
        (usize::MAX, "a b c d lone"),
    ];
    for (index, expected) in positions.into_iter().take(sized(7, 2)) {
        let Family { mut graph, parent, lone, .. } = family();
        graph.attach_at(lone, parent, index).unwrap();
        assert_eq!(names(&graph, node(&graph, parent).children()), expected, "at {index}");
        assert_consistent(&graph);
    }
}

#[test]
fn attach_at_moves_a_child_among_its_siblings() {
    for child in (0..4).step_by(sized(1, 3)) {
        for index in (0..6).step_by(sized(1, 3)) {
            let Family { mut graph, parent, kids, .. } = family();
            graph.attach_at(kids[child], parent, index).unwrap();
            // Like `Vec::remove` and `Vec::insert`.
            let mut expected = kids.to_vec();
            let moved = expected.remove(child);
            expected.insert(index.min(3), moved);
            assert_eq!(children(&graph, parent), expected, "{child} to {index}");
            assert_consistent(&graph);
        }
    }
}

#[test]
fn attach_at_a_parent_without_children_makes_the_only_child() {
    for index in [0, 1, 7] {
        let Family { mut graph, kids: [a, ..], lone, .. } = family();
        graph.attach_at(a, lone, index).unwrap();
        assert_eq!(children(&graph, lone), [a]);
        assert_consistent(&graph);
    }
}

#[test]
fn attach_before_and_after_insert_next_to_the_sibling() {
    for child in (0..5).step_by(sized(1, 5)) {
        for sibling in (0..4).step_by(sized(1, 3)) {
            for after in [false, true] {
                let Family { mut graph, parent, kids, lone } = family();
                let all = [kids[0], kids[1], kids[2], kids[3], lone];
                let (child, sibling) = (all[child], kids[sibling]);
                match after {
                    false => graph.attach_before(child, sibling).unwrap(),
                    true => graph.attach_after(child, sibling).unwrap(),
                }
                let mut expected = kids.to_vec();
                if child != sibling {
                    expected.retain(|&kid| kid != child);
                    let at = expected.iter().position(|&kid| kid == sibling).unwrap();
                    expected.insert(at + usize::from(after), child);
                }
                assert_eq!(children(&graph, parent), expected, "{child} {sibling} {after}");
                assert_consistent(&graph);
            }
        }
    }
}

#[test]
fn attach_next_to_a_root_makes_a_root() {
    let Family { mut graph, parent, kids: [a, b, ..], lone } = family();
    graph.attach_before(a, parent).unwrap();
    graph.attach_after(b, parent).unwrap();
    assert_eq!(names(&graph, graph.roots()), "a parent b lone");
    graph.attach_after(parent, lone).unwrap();
    assert_eq!(names(&graph, graph.roots()), "a b lone parent");
    graph.attach_before(parent, a).unwrap();
    assert_eq!(names(&graph, graph.roots()), "parent a b lone");
    assert_eq!((node(&graph, a).parent(), node(&graph, a).depth()), (None, 0));
    assert_eq!(names(&graph, node(&graph, parent).children()), "c d");
    assert_consistent(&graph);
}

#[test]
fn attach_next_to_itself_changes_nothing() {
    let Family { mut graph, kids: [a, ..], lone, .. } = family();
    let before = dump(&graph);
    graph.attach_before(a, a).unwrap();
    graph.attach_after(a, a).unwrap();
    graph.attach_after(lone, lone).unwrap();
    assert_eq!(dump(&graph), before);
}

#[test]
fn the_world_transform_of_a_detached_node_is_its_local_transform() {
    let mut graph = Graph::new();
    let parent = graph.add_root(Transform::from_xyz(10.0, 0.0, 0.0)).unwrap();
    let child = graph.add_child(parent, Transform::from_xyz(1.0, 2.0, 3.0)).unwrap();
    let grandchild = graph.add_child(child, Transform::from_xyz(0.0, 0.0, 1.0)).unwrap();
    graph.update();
    move_to(&mut graph, parent, Vec3::new(20.0, 0.0, 0.0));
    graph.update();
    graph.detach(child).unwrap();

    assert!(node(&graph, child).is_dirty() && node(&graph, grandchild).is_dirty());
    assert_eq!(graph.update().changed, 2);
    assert_eq!(node(&graph, child).world(), node(&graph, child).local_matrix());
    assert_eq!(node(&graph, child).translation(), Vec3::new(1.0, 2.0, 3.0));
    assert_eq!(node(&graph, grandchild).world_translation(), Vec3::new(1.0, 2.0, 4.0));
    assert_eq!(node(&graph, child).parent(), None);
    assert_eq!(children(&graph, child), [grandchild]);
    assert_eq!(children(&graph, parent), []);
    assert!(graph.roots().eq([parent, child]));
    assert_consistent(&graph);
}

#[test]
fn detaching_a_root_changes_nothing() {
    let Family { mut graph, parent, .. } = family();
    let before = dump(&graph);
    graph.detach(parent).unwrap();
    graph.detach_in_place(parent).unwrap();
    assert_eq!(dump(&graph), before);
}

#[test]
fn detach_from_another_parent_returns_false_and_changes_nothing() {
    let Family { mut graph, parent, kids: [a, b, ..], lone } = family();
    let before = dump(&graph);
    for (child, not_its_parent) in [(a, lone), (a, b), (a, a), (lone, parent), (parent, a)] {
        assert_eq!(graph.detach_from(child, not_its_parent), Ok(false));
        assert_eq!(dump(&graph), before);
    }
    assert_eq!(graph.detach_from(a, parent), Ok(true));
    assert_eq!(names(&graph, graph.roots()), "parent lone a");
    assert_eq!(graph.detach_from(a, parent), Ok(false));
}

#[test]
fn remove_also_removes_all_descendants() {
    for seed in seeds(20) {
        let mut random = Rng::new(seed);
        let (mut graph, nodes) = random_tree(&mut random, sized(200, 15));
        graph.update();
        for _ in 0..sized(10, 3) {
            let root = random.pick(&nodes);
            if !graph.contains(root) {
                continue;
            }
            let removed: Vec<NodeId> = node(&graph, root).descendants().collect();
            let before = graph.len();
            assert_eq!(graph.remove(root), Ok(removed.len()), "seed {seed}");
            assert_eq!(graph.len(), before - removed.len(), "seed {seed}");
            assert!(removed.iter().all(|&id| !graph.contains(id)), "seed {seed}");
            assert!(graph.changed().all(|id| !removed.contains(&id)), "seed {seed}");
            assert_consistent(&graph);
        }
    }
}

#[test]
fn roots_are_in_the_order_in_which_they_became_roots() {
    let Family { mut graph, parent, kids: [a, b, ..], lone } = family();
    graph.detach(b).unwrap();
    graph.detach(a).unwrap();
    let last = add_named(&mut graph, None, "last");
    assert!(graph.roots().eq([parent, lone, b, a, last]));
    graph.attach(lone, parent).unwrap();
    graph.remove(a).unwrap();
    assert!(graph.roots().eq([parent, b, last]));
    assert!(graph.roots().rev().eq([last, b, parent]));
    assert_eq!(graph.roots().len(), 3);
}

#[test]
fn moving_the_common_root_moves_all_nodes() {
    let mut graph = Graph::new();
    let scene = graph.add_root(Transform::IDENTITY).unwrap();
    let things: Vec<NodeId> = (0..5)
        .map(|x| graph.add_child(scene, Transform::from_xyz(x as f32, 0.0, 0.0)).unwrap())
        .collect();
    graph.update();
    move_to(&mut graph, scene, Vec3::Z);
    graph.update();
    for (x, &thing) in things.iter().enumerate() {
        assert_eq!(node(&graph, thing).world_translation(), Vec3::new(x as f32, 0.0, 1.0));
    }
}

#[test]
fn every_node_of_a_moved_subtree_is_dirty() {
    let mut graph = Graph::new();
    let target = graph.add_root(Transform::IDENTITY).unwrap();
    let moved = chain(&mut graph, 5);
    let untouched = graph.add_child(target, Transform::IDENTITY).unwrap();
    let edits: [fn(&mut Graph, NodeId, NodeId); 6] = [
        |graph, child, parent| graph.attach(child, parent).unwrap(),
        |graph, child, _| graph.detach(child).unwrap(),
        |graph, child, parent| graph.attach_at(child, parent, 0).unwrap(),
        |graph, child, parent| graph.attach_before(child, parent).unwrap(),
        |graph, child, parent| graph.attach_all(&[child], parent).unwrap(),
        |graph, child, parent| assert!(graph.detach_from(child, parent).unwrap()),
    ];
    for edit in edits {
        graph.update();
        assert!(moved.iter().all(|&id| !node(&graph, id).is_dirty()));
        edit(&mut graph, moved[0], target);
        assert!(moved.iter().all(|&id| node(&graph, id).is_dirty()));
        assert!(!node(&graph, untouched).is_dirty() && !node(&graph, target).is_dirty());
        assert_eq!(graph.update().changed, moved.len());
    }
}

type AttachFn = fn(&mut Graph, NodeId, NodeId) -> Result<(), Error>;

/// Every call that attaches a child to a parent.
const ATTACH_CALLS: [AttachFn; 4] = [
    |graph, child, parent| graph.attach(child, parent),
    |graph, child, parent| graph.attach_at(child, parent, 0),
    |graph, child, parent| graph.attach_all(&[child], parent),
    |graph, child, parent| graph.attach_in_place(child, parent).map(drop),
];

#[test]
fn attach_to_itself_or_its_own_descendant_is_rejected() {
    for seed in seeds(10) {
        let mut random = Rng::new(seed);
        let (mut graph, nodes) = random_tree(&mut random, sized(60, 6));
        graph.update();
        let before = dump(&graph);
        for &root in &nodes {
            let descendants: Vec<NodeId> = node(&graph, root).descendants().collect();
            for below in descendants {
                for attach in ATTACH_CALLS {
                    let error = attach(&mut graph, root, below).unwrap_err();
                    let Error::Cycle { child, parent } = error else {
                        panic!("{error}, seed {seed}");
                    };
                    assert_eq!((child.node, parent.node), (root, below), "seed {seed}");
                }
            }
        }
        assert_eq!(dump(&graph), before, "seed {seed}");
        assert_consistent(&graph);
    }
}

#[test]
fn attach_next_to_its_own_descendant_is_rejected() {
    let mut graph = Graph::new();
    let path = chain(&mut graph, 4);
    graph.update();
    let before = dump(&graph);
    for root in 0..4 {
        for below in root + 1..4 {
            for error in [
                graph.attach_before(path[root], path[below]),
                graph.attach_after(path[root], path[below]),
            ] {
                assert!(matches!(error, Err(Error::Cycle { .. })), "{root} next to {below}");
            }
        }
    }
    assert_eq!(dump(&graph), before);
    assert_consistent(&graph);
}

#[test]
fn attach_without_a_cycle_is_accepted() {
    let mut graph = Graph::new();
    let path = chain(&mut graph, 4);
    // To its own ancestors, and to the same parent again.
    graph.attach(path[3], path[1]).unwrap();
    graph.attach(path[3], path[0]).unwrap();
    graph.attach(path[3], path[0]).unwrap();
    assert_eq!(children(&graph, path[0]), [path[1], path[3]]);
    // To a former descendant, once that is detached.
    graph.detach(path[2]).unwrap();
    graph.attach(path[0], path[2]).unwrap();
    assert_eq!(node(&graph, path[3]).ancestors().collect::<Vec<_>>(), [path[0], path[2]]);
    assert_consistent(&graph);
}

#[test]
fn the_cycle_error_names_both_nodes() {
    let Family { mut graph, parent, kids: [a, ..], lone } = family();
    assert_eq!(
        graph.attach(parent, a).unwrap_err().to_string(),
        r#"cannot attach 0v1 "parent" to 1v1 "a": 1v1 "a" is a descendant of 0v1 "parent"; detach it first"#,
    );
    assert_eq!(
        graph.attach(lone, lone).unwrap_err().to_string(),
        r#"cannot attach 5v1 "lone" to itself"#,
    );
    graph.node_mut(a).unwrap().clear_name();
    assert_eq!(
        graph.attach(parent, a).unwrap_err().to_string(),
        r#"cannot attach 0v1 "parent" to 1v1: 1v1 is a descendant of 0v1 "parent"; detach it first"#,
    );
    let as_error: &dyn core::error::Error = &graph.attach(lone, lone).unwrap_err();
    assert!(as_error.source().is_none());
}

#[test]
fn the_structure_version_changes_with_the_structure_only() {
    let Family { mut graph, parent, kids: [a, b, ..], lone } = family();
    let mut other = Graph::new();
    type Edit = Box<dyn Fn(&mut Graph, &mut Graph)>;
    #[rustfmt::skip]
    let structural: Vec<(&str, Edit)> = vec![
        ("add_root", Box::new(|graph, _| _ = graph.add_root(Transform::IDENTITY).unwrap())),
        ("add_child", Box::new(move |graph, _| _ = graph.add_child(a, Transform::IDENTITY).unwrap())),
        ("attach", Box::new(move |graph, _| graph.attach(a, lone).unwrap())),
        ("detach", Box::new(move |graph, _| graph.detach(a).unwrap())),
        ("attach_all", Box::new(move |graph, _| graph.attach_all(&[a], parent).unwrap())),
        ("attach_at", Box::new(move |graph, _| graph.attach_at(a, parent, 0).unwrap())),
        ("attach_before", Box::new(move |graph, _| graph.attach_before(a, lone).unwrap())),
        ("attach_after", Box::new(move |graph, _| graph.attach_after(a, b).unwrap())),
        ("attach_in_place", Box::new(move |graph, _| _ = graph.attach_in_place(a, lone).unwrap())),
        ("detach_in_place", Box::new(move |graph, _| _ = graph.detach_in_place(a).unwrap())),
        ("clone_subtree", Box::new(move |graph, _| _ = graph.clone_subtree(a, None).unwrap())),
        ("move_subtree_to", Box::new(move |graph, other| {
            _ = graph.move_subtree_to(b, other, None).unwrap();
        })),
        ("remove", Box::new(move |graph, _| _ = graph.remove(a).unwrap())),
        ("clear", Box::new(|graph, _| graph.clear())),
    ];
    for (name, edit) in structural {
        let version = graph.structure_version();
        edit(&mut graph, &mut other);
        assert!(graph.structure_version() > version, "{name}");
    }
    assert!(other.structure_version() > 0, "the other graph got nodes");

    let Family { mut graph, parent, kids: [a, b, ..], lone } = family();
    let version = graph.structure_version();
    let mut view = graph.node_mut(a).unwrap();
    view.set_name("new").clear_name().set_visible(false).set_translation(Vec3::X).unwrap();
    view.set_rotation(Quat::from_rotation_x(1.0)).unwrap().set_scale(Vec3::ZERO).unwrap();
    view.set_local_matrix(Mat4::IDENTITY).unwrap();
    view.look_at(Vec3::ONE, Vec3::Z).unwrap();
    graph.update();
    graph.clear_changes();
    graph.change_reader();
    graph.reserve(10_000).unwrap();
    // Rejected, or nothing to do.
    graph.detach(lone).unwrap();
    graph.detach_from(a, lone).unwrap();
    graph.attach_before(a, a).unwrap();
    graph.attach_all(&[], a).unwrap();
    graph.attach(parent, b).unwrap_err();
    graph.add_root(Transform::from_xyz(f32::NAN, 0.0, 0.0)).unwrap_err();
    assert_eq!(graph.structure_version(), version);
}

#[test]
fn depth_follows_a_moved_subtree() {
    for seed in seeds(10) {
        let mut random = Rng::new(seed);
        let (mut graph, nodes) = random_tree(&mut random, sized(100, 10));
        for _ in 0..sized(200, 8) {
            let (child, to) = (random.pick(&nodes), random.pick(&nodes));
            if random.one_in(5) {
                graph.detach(child).unwrap();
            } else {
                _ = graph.attach(child, to);
            }
            let size = subtree_size(&graph, child);
            for &id in &nodes {
                assert_eq!(
                    node(&graph, id).depth(),
                    node(&graph, id).ancestors().count(),
                    "{id} after a move of {size} nodes, seed {seed}",
                );
            }
        }
        assert_consistent(&graph);
    }
}

/// Random attaches of every kind, compared with plain lists of children.
#[test]
fn random_attaches_agree_with_plain_lists() {
    for seed in seeds(30) {
        let mut random = Rng::new(seed);
        let mut graph = Graph::new();
        let nodes: Vec<NodeId> =
            (0..sized(20, 6)).map(|_| graph.add_root(Transform::IDENTITY).unwrap()).collect();
        // The children of each node, and at the end the roots.
        let mut lists: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
        lists.push((0..nodes.len()).collect());
        let list_of = |lists: &[Vec<usize>], node: usize| {
            lists.iter().position(|list| list.contains(&node)).unwrap()
        };
        let is_in_subtree = |lists: &[Vec<usize>], mut node: usize, root: usize| {
            while node != root && node != nodes.len() {
                node = list_of(lists, node);
            }
            node == root
        };
        for _ in 0..sized(300, 12) {
            let (child, other) = (random.below(nodes.len()), random.below(nodes.len()));
            let index = random.below(5);
            let kind = random.below(4);
            let (done, parent) = match kind {
                0 => (graph.attach(nodes[child], nodes[other]), other),
                1 => (graph.attach_at(nodes[child], nodes[other], index), other),
                2 => (graph.attach_before(nodes[child], nodes[other]), list_of(&lists, other)),
                _ => (graph.attach_after(nodes[child], nodes[other]), list_of(&lists, other)),
            };
            let next_to_itself = kind >= 2 && child == other;
            if !next_to_itself {
                let cycle = is_in_subtree(&lists, parent, child);
                assert_eq!(done.is_err(), cycle, "{child} {other} kind {kind}, seed {seed}");
                if !cycle {
                    let old = list_of(&lists, child);
                    lists[old].retain(|&node| node != child);
                    let list = &mut lists[parent];
                    let sibling = list.iter().position(|&node| node == other);
                    let at = match kind {
                        0 => list.len(),
                        1 => index.min(list.len()),
                        2 => sibling.unwrap(),
                        _ => sibling.unwrap() + 1,
                    };
                    list.insert(at, child);
                }
            }
            for (parent, list) in lists.iter().enumerate() {
                let expected = list.iter().map(|&node| nodes[node]);
                let agrees = match nodes.get(parent) {
                    Some(&parent) => node(&graph, parent).children().eq(expected),
                    None => graph.roots().eq(expected),
                };
                assert!(agrees, "children of {parent}, seed {seed}");
            }
        }
        assert_consistent(&graph);
    }
}

#[test]
fn renamed_and_moved_nodes_have_correct_local_and_world_transforms() {
    let mut graph = Graph::new();
    let arm = graph.add_root(Transform::from_xyz(5.0, 0.0, 0.0)).unwrap();
    let leg = graph.add_root(Transform::from_xyz(0.0, 7.0, 0.0)).unwrap();
    let end = graph.add_child(arm, Transform::from_xyz(1.0, 0.0, 0.0)).unwrap();
    graph.node_mut(end).unwrap().set_name("hand");
    graph.update();
    assert_eq!(node(&graph, end).translation(), Vec3::new(1.0, 0.0, 0.0));
    assert_eq!(node(&graph, end).world_translation(), Vec3::new(6.0, 0.0, 0.0));

    graph.attach(end, leg).unwrap();
    graph.node_mut(end).unwrap().set_name("foot");
    graph.update();
    assert_eq!((graph.find("hand"), graph.find("foot")), (None, Some(end)));
    assert_eq!(node(&graph, end).translation(), Vec3::new(1.0, 0.0, 0.0));
    assert_eq!(node(&graph, end).world_translation(), Vec3::new(1.0, 7.0, 0.0));
}
