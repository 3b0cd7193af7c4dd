//! Rolling back, nesting, parked nodes.

use std::borrow::Cow;

use pleach_graph::glam::{Mat4, Vec3};
use pleach_graph::{Edit, Error, Graph, NodeMap, Transform};

use super::state;
use crate::common::{add_named, assert_consistent, move_to};

#[test]
fn an_error_undoes_everything_and_escaped_handles_stay_dead() {
    let mut graph = Graph::new();
    let desk = add_named(&mut graph, None, "desk");
    let lamp = add_named(&mut graph, desk, "lamp");
    graph.update();
    let before = state(&graph);
    let mut escaped = None;
    let result = graph.transact("fails", |graph| {
        graph.remove(lamp)?;
        let other = add_named(graph, desk, "lamp");
        escaped = Some(other);
        move_to(graph, desk, Vec3::X);
        // Reads are right on every line.
        assert_eq!(graph.find("lamp"), Some(other));
        assert_eq!(graph.node(other)?.compute_world().w_axis.x, 1.0);
        assert!(!graph.contains(lamp) && graph.is_parked(lamp));
        graph.remove(lamp).map(drop)
    });
    assert_eq!(result.map(drop), Err(Error::Dead(lamp)));
    assert_eq!(state(&graph), before);
    assert_eq!((graph.len(), graph.parked_count()), (2, 0));
    let next = graph.add_root(Transform::IDENTITY).unwrap();
    assert!(!graph.contains(escaped.unwrap()) && next != escaped.unwrap());
    assert_consistent(&graph);
}

#[test]
fn a_panic_undoes_everything() {
    let mut graph = Graph::new();
    let desk = add_named(&mut graph, None, "desk");
    let before = state(&graph);
    let panicked = std::panic::catch_unwind(core::panic::AssertUnwindSafe(|| {
        graph.transact("panics", |graph| -> Result<(), Error> {
            graph.remove(desk)?;
            panic!("on purpose")
        })
    }));
    assert!(panicked.is_err());
    assert_eq!(state(&graph), before);
    assert!(!graph.is_in_transaction());
    assert_consistent(&graph);
    // And the next one is recorded as usual.
    let (_, patch) = graph.transact("Delete", |graph| graph.remove(desk)).unwrap();
    assert_eq!(patch.len(), 1);
}

#[test]
fn a_drag_of_a_thousand_moves_in_one_transaction_is_one_edit() {
    let mut graph = Graph::new();
    let lamp = graph.add_root(Transform::IDENTITY).unwrap();
    let ((), patch) = graph
        .transact("Drag", |graph| {
            (0..1000).for_each(|step| move_to(graph, lamp, Vec3::splat(step as f32)));
            Ok::<_, Error>(())
        })
        .unwrap();
    let new = Transform::from_translation(Vec3::splat(999.0));
    let edits: Vec<Edit> = patch.iter().map(Cow::into_owned).collect();
    assert_eq!(edits, [Edit::Transform { node: lamp, old: Transform::IDENTITY, new }]);
}

#[test]
fn an_edit_that_restores_the_value_before_is_dropped() {
    let mut graph = Graph::new();
    let [lamp, desk] = [(); 2].map(|()| graph.add_root(Transform::IDENTITY).unwrap());
    let there_and_back = |graph: &mut Graph| {
        move_to(graph, lamp, Vec3::X);
        let nested = graph.transact("Inner", |graph| {
            move_to(graph, lamp, Vec3::Y);
            move_to(graph, desk, Vec3::Z);
            Ok::<_, Error>(())
        });
        assert!(nested.unwrap().1.is_empty());
        move_to(graph, lamp, Vec3::ZERO);
        Ok::<_, Error>(())
    };
    let before = graph.clone();
    let ((), patch) = graph.transact("Move", there_and_back).unwrap();
    assert_eq!(
        patch.iter().flat_map(|edit| edit.nodes().collect::<Vec<_>>()).collect::<Vec<_>>(),
        [desk]
    );
    graph.apply(&patch.invert()).unwrap();
    assert_eq!(graph.node(desk).unwrap().translation(), before.node(desk).unwrap().translation());

    let revision = graph.revision();
    // −0 has other bits.
    for (translation, edits) in [(Vec3::ZERO, 0), (-Vec3::ZERO, 1)] {
        let set = |graph: &mut Graph| {
            move_to(graph, lamp, translation);
            Ok::<_, Error>(())
        };
        let ((), patch) = graph.transact("Set", set).unwrap();
        assert_eq!(patch.len(), edits);
        assert_eq!(graph.revision() == revision, edits == 0);
    }
}

#[test]
fn matrix_of_a_node_that_is_edited_twice_and_removed_comes_back() {
    let mut graph = Graph::new();
    let node = graph.add_root(Transform::IDENTITY).unwrap();
    let sheared = Mat4::from_cols_array(&[
        1.0, 0.5, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 3.0, 2.0, 1.0, 1.0,
    ]);
    graph.node_mut(node).unwrap().set_local_matrix(sheared).unwrap();
    let before = state(&graph);
    let edit = |graph: &mut Graph| {
        graph.node_mut(node)?.set_local_matrix(sheared)?;
        graph.transact("Inner", |graph| {
            graph.node_mut(node)?.set_transform(Transform::IDENTITY).map(drop)
        })?;
        graph.remove(node)
    };
    let (_, patch) = graph.transact("Edit and remove", edit).unwrap();
    graph.apply(&patch.invert()).unwrap();
    assert_eq!(state(&graph), before);
}

#[test]
fn edits_outside_of_transactions_are_not_recorded_and_values_are_replaced() {
    let mut graph = Graph::new();
    let lamp = graph.add_root(Transform::IDENTITY).unwrap();
    let moved = |graph: &mut Graph, x: f32| {
        graph.transact("Move", |graph| {
            move_to(graph, lamp, Vec3::X * x);
            Ok::<_, Error>(())
        })
    };
    let (_, first) = moved(&mut graph, 1.0).unwrap();
    move_to(&mut graph, lamp, Vec3::Y);
    let added = graph.add_root(Transform::IDENTITY).unwrap();
    let (_, second) = moved(&mut graph, 2.0).unwrap();
    let Some(Edit::Transform { old, .. }) = second.iter().next().map(Cow::into_owned) else {
        panic!()
    };
    assert_eq!(old.translation, Vec3::Y, "as it was when the transaction began");
    // A node that was added outside is watched, too.
    let (_, third) = graph
        .transact("Move", |graph| {
            move_to(graph, added, Vec3::Z);
            Ok::<_, Error>(())
        })
        .unwrap();
    for patch in [third, second, first] {
        graph.apply(&patch.invert()).unwrap();
    }
    assert_eq!(graph.node(lamp).unwrap().translation(), Vec3::ZERO);
    assert_eq!(graph.node(added).unwrap().translation(), Vec3::ZERO);
}

#[test]
fn rows_of_parked_nodes_survive_until_the_slot_is_freed() {
    let mut graph = Graph::new();
    let node = graph.add_root(Transform::IDENTITY).unwrap();
    let mut names = NodeMap::new();
    names.insert(&graph, node, "row").unwrap();
    let (_, patch) = graph.transact("Delete", |graph| graph.remove(node)).unwrap();
    assert_eq!(names.get(&graph, node), None, "the handle is dead");
    assert_eq!(names.purge(&graph), 0);
    graph.apply(&patch.invert()).unwrap();
    assert_eq!(names.get(&graph, node), Some(&"row"));
    graph.apply(&patch).unwrap();
    drop(patch);
    graph.free_parked();
    assert_eq!(names.purge(&graph), 1);
}

#[test]
fn worlds_are_back_before_the_next_update() {
    let mut graph = Graph::new();
    let desk = graph.add_root(Transform::from_xyz(1.0, 2.0, 3.0)).unwrap();
    let lamp = graph.add_child(desk, Transform::from_xyz(0.1, 0.2, 0.3)).unwrap();
    graph.update();
    let world = graph.node(lamp).unwrap().world();
    let (_, patch) = graph.transact("Delete", |graph| graph.remove(desk)).unwrap();
    graph.add_root(Transform::IDENTITY).unwrap();
    graph.update();
    graph.apply(&patch.invert()).unwrap();
    assert_eq!(graph.node(lamp).unwrap().world(), world);
    assert_eq!(graph.update().changed, 2);
    assert_eq!(graph.node(lamp).unwrap().world(), world);
}

#[test]
fn undoing_the_removal_of_many_nodes_of_one_name_is_not_quadratic() {
    let mut graph = Graph::new();
    let root = graph.add_root(Transform::IDENTITY).unwrap();
    let count = if cfg!(miri) { 100 } else { 20_000 };
    for _ in 0..count {
        add_named(&mut graph, root, "box");
    }
    let other = graph.add_root(Transform::IDENTITY).unwrap();
    for _ in 0..count {
        add_named(&mut graph, other, "box");
    }
    let first = graph.find("box");
    let (_, patch) = graph.transact("Delete", |graph| graph.remove(root)).unwrap();
    assert_ne!(graph.find("box"), first);
    graph.apply(&patch.invert()).unwrap();
    assert_eq!(graph.find("box"), first);
    assert_eq!(graph.find_all("box").count(), 2 * count);
    assert_consistent(&graph);
}

#[test]
fn edits_without_effect_are_not_in_the_patch() {
    let mut graph = Graph::new();
    let desk = add_named(&mut graph, None, "desk");
    let lamp = add_named(&mut graph, desk, "lamp");
    let set_same = |graph: &mut Graph| {
        let transform = graph.node(lamp)?.transform();
        graph.node_mut(lamp)?.set_transform(transform)?;
        graph.set_translations(&[lamp, desk], &[Vec3::ZERO; 2])?;
        graph.node_mut(lamp)?.set_visible(true);
        graph.node_mut(lamp)?.set_name("lamp");
        graph.attach(lamp, desk)?;
        Ok::<_, Error>(())
    };
    // Changed and restored.
    let return_to = |graph: &mut Graph| {
        move_to(graph, lamp, Vec3::X);
        graph.set_translations(&[desk], &[Vec3::Y])?;
        graph.set_translations(&[desk], &[Vec3::ZERO])?;
        move_to(graph, lamp, Vec3::ZERO);
        Ok(())
    };
    type Change<'a> = &'a dyn Fn(&mut Graph) -> Result<(), Error>;
    let cases: [(&str, Change<'_>); 2] = [("the same", &set_same), ("restored", &return_to)];
    for (what, edit) in cases {
        let revision = graph.transact("Begin", |_| Ok::<_, Error>(())).unwrap().1.revisions().1;
        let (_, patch) = graph.transact("Nothing", |graph| edit(graph)).unwrap();
        let edits: Vec<Edit> = patch.iter().map(Cow::into_owned).collect();
        assert_eq!(edits, [], "{what}");
        assert_eq!(graph.revision(), revision, "{what}");
    }
}
