//! Every public method of `Graph` and `NodeMut` that can edit is recorded: the list is compared with
//! the sources, so that a new method cannot be forgotten.

use std::collections::BTreeSet;

use pleach_graph::axes::LocalAxes;
use pleach_graph::glam::{Mat4, Quat, Vec3};
use pleach_graph::{Error, Graph, NodeId, Transform};
use testkit::mutating_methods;

use super::state;
use crate::common::{add_named, assert_consistent};

/// Methods that take `&mut self` and edit nothing that an undo restores.
const NOT_EDITS: [&str; 17] = [
    "apply", // its edits are recorded: see `apply_inside_of_a_transaction`
    "begin_transaction",
    "change_reader",
    "clear_changes",
    "commit",
    "free_parked",
    "get_mut",
    "node_mut",
    "record_local",
    "reserve",
    "roll_back",
    "set_kernel",
    "set_max_generation",
    "set_revision",
    "transact",
    "unrecorded", // as its name states
    "update",
];

type Call = (&'static str, fn(&mut Graph, [NodeId; 4]) -> Result<(), Error>);

/// Every method that edits, called on `[root, child, grandchild, other]`.
const EDITS: &[Call] = &[
    ("add_root", |graph, _| graph.add_root(Transform::from_xyz(1.0, 2.0, 3.0)).map(drop)),
    ("add_child", |graph, [root, ..]| graph.add_child(root, Transform::IDENTITY).map(drop)),
    ("add_all", |graph, [root, ..]| {
        graph
            .add_all(Some(root), &[(None, Transform::IDENTITY), (Some(0), Transform::IDENTITY)])?;
        Ok(())
    }),
    ("remove", |graph, [_, child, ..]| graph.remove(child).map(drop)),
    ("clear", |graph, _| {
        graph.clear();
        Ok(())
    }),
    ("attach", |graph, [root, _, _, other]| graph.attach(other, root)),
    ("attach_all", |graph, [root, _, leaf, other]| graph.attach_all(&[leaf, other], root)),
    ("attach_at", |graph, [root, _, _, other]| graph.attach_at(other, root, 0)),
    ("attach_before", |graph, [_, child, _, other]| graph.attach_before(other, child)),
    ("attach_after", |graph, [_, child, _, other]| graph.attach_after(other, child)),
    ("attach_each", |graph, [root, child, _, other]| {
        graph.attach_each(&[root, child], &[child, other])
    }),
    ("attach_in_place", |graph, [root, _, _, other]| graph.attach_in_place(other, root).map(drop)),
    ("detach", |graph, [_, child, ..]| graph.detach(child)),
    ("detach_in_place", |graph, [_, child, ..]| graph.detach_in_place(child).map(drop)),
    ("detach_from", |graph, [root, child, ..]| graph.detach_from(child, root).map(drop)),
    ("set_transforms", |graph, [root, child, ..]| {
        graph.set_transforms(&[root, child], &[Transform::from_xyz(1.0, 1.0, 1.0); 2])
    }),
    ("set_translations", |graph, [root, child, ..]| {
        graph.set_translations(&[root, child], &[Vec3::ONE; 2])
    }),
    ("clone_subtree", |graph, [root, child, ..]| graph.clone_subtree(root, Some(child)).map(drop)),
    ("clone_subtree_from", |graph, [root, ..]| {
        graph.clone_subtree_from(&graph.clone(), root, None).map(drop)
    }),
    ("move_subtree_to", |graph, [_, child, ..]| {
        graph.move_subtree_to(child, &mut Graph::new(), None).map(drop)
    }),
    // NodeMut
    ("set_name", |graph, [root, ..]| {
        graph.node_mut(root)?.set_name("other");
        Ok(())
    }),
    ("clear_name", |graph, [root, ..]| {
        graph.node_mut(root)?.clear_name();
        Ok(())
    }),
    ("set_visible", |graph, [root, ..]| {
        graph.node_mut(root)?.set_visible(false);
        Ok(())
    }),
    ("set_translation", |graph, [root, ..]| {
        graph.node_mut(root)?.set_translation(Vec3::ONE).map(drop)
    }),
    ("set_rotation", |graph, [root, ..]| {
        graph.node_mut(root)?.set_rotation(Quat::from_xyzw(1.0, 0.0, 0.0, 0.0)).map(drop)
    }),
    ("set_rotation_raw", |graph, [root, ..]| {
        graph.node_mut(root)?.set_rotation_raw(Quat::from_xyzw(2.0, 0.0, 0.0, 0.0)).map(drop)
    }),
    ("set_scale", |graph, [root, ..]| graph.node_mut(root)?.set_scale(Vec3::splat(2.0)).map(drop)),
    ("set_transform", |graph, [root, ..]| {
        graph.node_mut(root)?.set_transform(Transform::from_xyz(1.0, 0.0, 0.0)).map(drop)
    }),
    ("set_transform_if_changed", |graph, [root, ..]| {
        graph.node_mut(root)?.set_transform_if_changed(Transform::from_xyz(1.0, 0.0, 0.0)).map(drop)
    }),
    ("set_local_matrix", |graph, [root, ..]| {
        graph.node_mut(root)?.set_local_matrix(sheared() * sheared()).map(drop)
    }),
    ("translate", |graph, [root, ..]| graph.node_mut(root)?.translate(Vec3::ONE).map(drop)),
    ("translate_local", |graph, [root, ..]| {
        graph.node_mut(root)?.translate_local(Vec3::ONE).map(drop)
    }),
    ("rotate", |graph, [root, ..]| {
        graph.node_mut(root)?.rotate(Quat::from_xyzw(0.0, 1.0, 0.0, 0.0)).map(drop)
    }),
    ("rotate_local", |graph, [root, ..]| {
        graph.node_mut(root)?.rotate_local(Quat::from_xyzw(0.0, 1.0, 0.0, 0.0)).map(drop)
    }),
    ("set_world_translation", |graph, [_, child, ..]| {
        graph.node_mut(child)?.set_world_translation(Vec3::ONE).map(drop)
    }),
    ("set_world_rotation", |graph, [_, child, ..]| {
        graph.node_mut(child)?.set_world_rotation(Quat::from_xyzw(0.0, 1.0, 0.0, 0.0)).map(drop)
    }),
    ("set_world_matrix", |graph, [_, child, ..]| {
        graph.node_mut(child)?.set_world_matrix(sheared().transpose()).map(drop)
    }),
    ("look_at", |graph, [_, child, ..]| {
        graph.node_mut(child)?.look_at(Vec3::splat(9.0), Vec3::Z).map(drop)
    }),
    ("face", |graph, [_, child, ..]| {
        graph.node_mut(child)?.face(Vec3::splat(9.0), Vec3::Z).map(drop)
    }),
    ("aim", |graph, [_, child, ..]| {
        let axes = LocalAxes::MODEL;
        graph.node_mut(child)?.aim(axes, Vec3::splat(9.0), Vec3::Z).map(drop)
    }),
];

fn sheared() -> Mat4 {
    let mut matrix = Mat4::IDENTITY;
    matrix.x_axis.y = 0.5;
    matrix
}

fn scene(matrices: bool) -> (Graph, [NodeId; 4]) {
    let mut graph = Graph::new();
    let root = add_named(&mut graph, None, "root");
    let child = add_named(&mut graph, root, "child");
    let grandchild = add_named(&mut graph, child, "grandchild");
    let other = add_named(&mut graph, None, "other");
    let nodes = [root, child, grandchild, other];
    if matrices {
        for node in nodes {
            graph.node_mut(node).unwrap().set_local_matrix(sheared()).unwrap();
        }
    }
    graph.update();
    (graph, nodes)
}

#[test]
fn every_method_that_edits_is_listed() {
    let edits = EDITS.iter().map(|(name, _)| (*name).to_owned());
    let mut expected: BTreeSet<String> = edits.chain(NOT_EDITS.map(Into::into)).collect();
    // Under a feature.
    expected.insert("update_parallel".into());
    let sources = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src"));
    let found = mutating_methods(sources, &[" Graph {", " NodeMut<"]);
    assert_eq!(found, expected, "list new methods in EDITS or NOT_EDITS");
}

#[test]
fn every_edit_is_undone_redone_and_rolled_back() {
    for matrices in [false, true] {
        for (name, call) in EDITS {
            let (mut graph, nodes) = scene(matrices);
            let before = state(&graph);
            let ((), patch) = graph.transact(name, |graph| call(graph, nodes)).unwrap();
            let after = state(&graph);
            assert_ne!(before, after, "{name} does nothing");
            graph.apply(&patch.invert()).unwrap();
            assert_eq!(state(&graph), before, "{name}, undone");
            graph.apply(&patch).unwrap();
            assert_eq!(state(&graph), after, "{name}, redone");
            assert_consistent(&graph);

            let (mut graph, nodes) = scene(matrices);
            let failed = graph.transact(name, |graph| {
                call(graph, nodes)?;
                Err::<(), _>(Error::ForeignChangeReader)
            });
            assert_eq!(failed.map(drop), Err(Error::ForeignChangeReader));
            assert_eq!(state(&graph), before, "{name}, rolled back");
            assert_consistent(&graph);
        }
    }
}

#[test]
fn apply_inside_of_a_transaction() {
    let (mut graph, [root, child, ..]) = scene(false);
    let before = state(&graph);
    let (_, first) = graph.transact("Delete", |graph| graph.remove(child)).unwrap();
    let after = state(&graph);
    // As a part of another one, which is undone as a whole.
    let ((), outer) = graph
        .transact("Undo and move", |graph| {
            graph.apply(&first.invert()).unwrap();
            graph.node_mut(root)?.set_translation(Vec3::ONE).map(drop)
        })
        .unwrap();
    assert!(graph.contains(child));
    graph.apply(&outer.invert()).unwrap();
    assert_eq!(state(&graph), after);
    // Rolled back: the node is parked again.
    let failed = graph.transact("Fails", |graph| {
        graph.apply(&first.invert()).unwrap();
        Err::<(), _>(())
    });
    assert!(failed.is_err() && graph.is_parked(child));
    assert_eq!(state(&graph), after);
    graph.apply(&first.invert()).unwrap();
    assert_eq!(state(&graph), before);
    assert_consistent(&graph);
}
