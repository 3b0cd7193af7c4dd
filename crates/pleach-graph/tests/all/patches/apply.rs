//! Patches that do not fit are rejected as a whole.

use pleach_graph::glam::Vec3;
use pleach_graph::{
    Edit, Error, Graph, Local, Misfit, NodeId, NodeRecord, Nodes, Patch, PatchError, Place,
    Transform,
};
use std::sync::Arc;

use super::state;
use crate::common::{assert_consistent, move_to};

struct Case {
    graph: Graph,
    root: NodeId,
    child: NodeId,
    other: NodeId,
    dead: NodeId,
}

fn case() -> Case {
    let mut graph = Graph::new();
    let root = graph.add_root(Transform::IDENTITY).unwrap();
    let child = graph.add_child(root, Transform::IDENTITY).unwrap();
    let other = graph.add_root(Transform::IDENTITY).unwrap();
    let dead = graph.add_root(Transform::IDENTITY).unwrap();
    graph.remove(dead).unwrap();
    graph.transact("Begin", |_| Ok::<_, Error>(())).unwrap();
    Case { graph, root, child, other, dead }
}

fn record(node: NodeId, parent: Option<NodeId>) -> NodeRecord {
    NodeRecord {
        node,
        place: Place { parent, next: None },
        local: Local::Transform(Transform::IDENTITY),
        name: None,
        visible: true,
    }
}

/// Applies a good edit and then a bad one: neither is performed.
#[track_caller]
fn assert_misfit(case: &mut Case, bad: Edit, node: NodeId, reason: Misfit) {
    let Case { graph, root, .. } = case;
    let new = Transform::from_xyz(1.0, 0.0, 0.0);
    let good = Edit::Transform { node: *root, old: Transform::IDENTITY, new };
    let revisions = (graph.revision(), 7);
    let patch = Patch::from_parts("bad", graph.lineage(), revisions, vec![good, bad]);
    let before = state(graph);
    let error = graph.apply(&patch).unwrap_err();
    assert_eq!(error, PatchError::Edit { index: 1, node, reason });
    assert!(error.to_string().contains(&node.to_string()), "{error}");
    assert_eq!(state(graph), before);
    assert_eq!(graph.revision(), revisions.0);
    assert_consistent(graph);
}

#[test]
fn edits_that_do_not_fit() {
    let mut case = case();
    let Case { root, child, other, dead, .. } = case;
    let place = |parent| Place { parent, next: None };
    let nan = Transform::from_xyz(f32::NAN, 0.0, 0.0);
    let identity = Transform::IDENTITY;
    let add = |records: Vec<NodeRecord>| Edit::Add(Arc::new(Nodes::new(records)));
    let remove = |records: Vec<NodeRecord>| Edit::Remove(Arc::new(Nodes::new(records)));
    let far = NodeId::from_bits(4_000_000_000 << 32 | 1).unwrap();
    let new = NodeId::from_bits(4 << 32 | 1).unwrap();
    let mut next = record(new, Some(root));
    next.place.next = Some(other);
    let mut bad_number = record(new, None);
    bad_number.local = Local::Transform(nan);
    let cases = [
        (Edit::Transform { node: dead, old: identity, new: identity }, dead, Misfit::Dead),
        (Edit::Transform { node: other, old: identity, new: nan }, other, Misfit::Number),
        (Edit::Transform { node: other, old: nan, new: identity }, other, Misfit::Number),
        (Edit::Visible { node: dead, new: false }, dead, Misfit::Dead),
        (Edit::Name { node: dead, change: Box::new([None, None]) }, dead, Misfit::Dead),
        (
            Edit::Attach { node: root, old: place(None), new: place(Some(child)) },
            root,
            Misfit::Cycle,
        ),
        (
            Edit::Attach { node: other, old: place(None), new: place(Some(other)) },
            other,
            Misfit::Cycle,
        ),
        (
            Edit::Attach { node: other, old: place(None), new: place(Some(dead)) },
            other,
            Misfit::ParentDead,
        ),
        (
            Edit::Attach { node: other, old: place(Some(root)), new: place(None) },
            other,
            Misfit::Moved,
        ),
        (
            Edit::Attach {
                node: other,
                old: place(None),
                new: Place { parent: None, next: Some(child) },
            },
            other,
            Misfit::Sibling,
        ),
        (add(vec![record(child, Some(root))]), child, Misfit::Alive),
        (add(vec![record(dead, None)]), dead, Misfit::Taken),
        (add(vec![record(far, None)]), far, Misfit::Taken),
        (add(vec![record(new, Some(dead))]), new, Misfit::ParentDead),
        (add(vec![next]), new, Misfit::Sibling),
        (add(vec![bad_number]), new, Misfit::Number),
        (add(vec![record(new, None), record(new, None)]), new, Misfit::Alive),
        (remove(vec![record(root, None)]), root, Misfit::Children),
        (remove(vec![record(child, Some(other))]), child, Misfit::Moved),
        (remove(vec![record(dead, None)]), dead, Misfit::Dead),
        (remove(vec![record(child, Some(root)), record(child, Some(root))]), child, Misfit::Dead),
    ];
    for (edit, node, reason) in cases {
        assert_misfit(&mut case, edit, node, reason);
    }
}

#[test]
fn patches_of_other_graphs_twice_and_out_of_order() {
    let Case { mut graph, root, .. } = case();
    let step = |graph: &mut Graph, x: f32| {
        let moved = graph.transact("Move", |graph| {
            move_to(graph, root, Vec3::X * x);
            Ok::<_, Error>(())
        });
        moved.unwrap().1
    };
    let (first, second) = (step(&mut graph, 1.0), step(&mut graph, 2.0));
    let before = state(&graph);
    let is_revision = |result| matches!(result, Err(PatchError::Revision { .. }));
    assert!(is_revision(graph.apply(&second)), "twice");
    assert!(is_revision(graph.apply(&first.invert())), "out of order");
    let mut foreign = Graph::new();
    foreign.add_root(Transform::from_xyz(0.0, 0.0, 9.0)).unwrap();
    assert!(matches!(foreign.apply(&second), Err(PatchError::Lineage { .. })), "another graph");
    assert_eq!(state(&graph), before);
    let mut appended = second.clone();
    assert!(!appended.append(&first) && appended == second);
    graph.apply(&second.invert()).unwrap();
    graph.apply(&first.invert()).unwrap();
    assert_eq!(graph.revision(), graph.lineage(), "the revision is that of the beginning");
}

/// The same content has the same lineage: a patch fits the same file on another machine.
#[test]
fn the_same_nodes_have_the_same_lineage() {
    let (mut one, mut two) = (case(), case());
    assert_eq!(one.graph.lineage(), two.graph.lineage());
    let root = one.root;
    let (_, patch) = one.graph.transact("Delete", |graph| graph.remove(root)).unwrap();
    two.graph.apply(&patch).unwrap();
    assert_eq!(state(&one.graph), state(&two.graph));
    two.graph.apply(&patch.invert()).unwrap();
    assert_eq!(state(&two.graph), state(&case().graph));
}

#[test]
fn a_removal_outside_of_transactions_makes_an_undo_fail_cleanly() {
    let Case { mut graph, root, child, .. } = case();
    let (_, patch) = graph
        .transact("Move", |graph| {
            move_to(graph, child, Vec3::X);
            Ok::<_, Error>(())
        })
        .unwrap();
    graph.remove(root).unwrap();
    let before = state(&graph);
    let error = graph.apply(&patch.invert()).unwrap_err();
    assert_eq!(error, PatchError::Edit { index: 0, node: child, reason: Misfit::Dead });
    assert_eq!(state(&graph), before);
}

/// Nodes that come back have the slots that they had, and copies that follow need as many as the original.
#[test]
fn undoing_a_removal_needs_no_more_capacity() {
    let mut graph = Graph::with_capacity(1000).unwrap();
    let mut copy = graph.clone();
    let root = graph.add_root(Transform::IDENTITY).unwrap();
    let add = |graph: &mut Graph| {
        (1..1000).try_for_each(|_| graph.add_child(root, Transform::IDENTITY).map(drop))
    };
    assert_eq!(copy.add_root(Transform::IDENTITY).unwrap(), root);
    let (_, added) = graph.transact("Add", add).unwrap();
    let (_, removed) = graph.transact("Delete", |graph| graph.remove(root)).unwrap();
    graph.apply(&removed.invert()).unwrap();
    assert_eq!((graph.len(), graph.capacity()), (1000, 1000));
    copy.apply(&added).unwrap();
    assert_eq!((copy.len(), copy.capacity()), (1000, 1000));
}
