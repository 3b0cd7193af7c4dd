//! Snapshots: a restored graph behaves like the original, and columns that are not those of a graph
//! are rejected.

use core::num::NonZeroU32;

use pleach_graph::glam::{Mat4, Quat, Vec3};
use pleach_graph::{Graph, GraphSnapshot, NodeId, SnapshotError, Transform};
use testkit::{Effort, Rng};

fn random_edit(graph: &mut Graph, nodes: &mut Vec<NodeId>, rng: &mut Rng) {
    let transform =
        Transform { translation: rng.vec3(9.0), rotation: rng.rotation(), scale: rng.scale() };
    let node = rng.choose(nodes).copied();
    match (rng.below(11), node) {
        (0..=3, _) | (_, None) => nodes.push(match node {
            Some(parent) => graph.add_child(parent, transform).unwrap(),
            None => graph.add_root(transform).unwrap(),
        }),
        (4, Some(node)) => _ = graph.attach(node, rng.pick(nodes)),
        (5, Some(node)) => graph.detach(node).unwrap(),
        (6, Some(node)) if rng.one_in(3) => {
            graph.remove(node).unwrap();
            nodes.retain(|&node| graph.contains(node));
        }
        (7, Some(node)) => {
            let names = ["", "a", "b", "ä🌳"];
            graph.node_mut(node).unwrap().set_name(rng.pick(&names));
        }
        (8, Some(node)) => _ = graph.node_mut(node).unwrap().set_visible(rng.one_in(2)),
        (9, Some(node)) => {
            _ = graph.node_mut(node).unwrap().set_local_matrix(rng.affine(4.0)).unwrap();
            if rng.one_in(2) {
                graph.node_mut(node).unwrap().set_translation(rng.vec3(9.0)).unwrap();
            }
        }
        _ => _ = graph.update(),
    }
}

/// After any edits a graph and the one restored from it go on alike under the same edits.
#[test]
fn restored_graph_goes_on_like_the_original() {
    let mut rng = Rng::from_env(1);
    for _ in 0..Effort::pick(300, 5_000) {
        let mut graph = Graph::new();
        if rng.one_in(3) {
            graph.set_max_generation(NonZeroU32::new(2).unwrap());
        }
        let mut nodes = Vec::new();
        for _ in 0..rng.below(200) {
            random_edit(&mut graph, &mut nodes, &mut rng);
        }
        let snapshot = graph.to_snapshot();
        let mut restored = Graph::from_snapshot(snapshot.clone()).unwrap();
        assert_eq!(restored.check(), []);
        assert_eq!(restored.to_snapshot(), snapshot);
        let mut added: Vec<NodeId> = restored.added().collect();
        added.sort_unstable();
        let mut all: Vec<NodeId> = graph.depth_first().collect();
        all.sort_unstable();
        assert_eq!(added, all);

        let seed = rng.next_u64();
        let alike = |graph: &mut Graph| {
            let (mut rng, mut nodes) = (Rng::new(seed), nodes.clone());
            (0..30).for_each(|_| random_edit(graph, &mut nodes, &mut rng));
            graph.update();
            assert_eq!(graph.check(), []);
            let world = |node| graph.node(node).unwrap().world().to_cols_array().map(f32::to_bits);
            let shown = |node| graph.node(node).unwrap().is_shown();
            let rows = graph.depth_first().map(|node| (node, world(node), shown(node)));
            let rows: Vec<_> = rows.collect();
            let named: Vec<NodeId> = graph.find_all("a").collect();
            (rows, named, nodes)
        };
        assert_eq!(alike(&mut graph), alike(&mut restored));
        assert_eq!(graph.to_snapshot(), restored.to_snapshot());
    }
}

fn snapshot() -> GraphSnapshot {
    let mut graph = Graph::new();
    let root = graph.add_root(Transform::IDENTITY).unwrap();
    let child = graph.add_child(root, Transform::IDENTITY).unwrap();
    let other = graph.add_child(root, Transform::IDENTITY).unwrap();
    let dead = graph.add_child(root, Transform::IDENTITY).unwrap();
    graph.remove(dead).unwrap();
    graph.attach(child, root).unwrap();
    graph.node_mut(child).unwrap().set_name("ä").set_visible(false);
    graph.node_mut(other).unwrap().set_local_matrix(Mat4::from_scale(Vec3::X)).unwrap();
    graph.to_snapshot()
}

#[test]
fn columns_that_are_not_those_of_a_graph_are_rejected() {
    type Break = fn(&mut GraphSnapshot);
    let breaks: [(Break, &str); 25] = [
        (|it| it.parents.clear(), "parents has 0 rows; it must have 4"),
        (|it| _ = it.transforms.pop(), "transforms has 3 rows; it must have 4"),
        (|it| it.matrices.clear(), "matrices has 0 rows; it must have 1"),
        (|it| it.name_ends.push(2), "name_ends has 2 rows; it must have 1"),
        (|it| it.free.push(it.free[0]), "free[1] is 3v2"),
        (|it| it.generations[3] = 1, "free[0] is 3v2"),
        (|it| it.max_generation = NonZeroU32::MIN, "free[0] is 3v2"),
        (|it| it.free[0] = NodeId::from_bits(3 << 32 | 1).unwrap(), "free[0] is 3v1"),
        (|it| it.free[0] = NodeId::from_bits(9 << 32 | 2).unwrap(), "free[0] is 9v2"),
        (|it| it.parents[1] = 3, "the parent of slot 1 is slot 3, which has no live node"),
        (|it| it.parents[1] = 99, "the parent of slot 1 is slot 99"),
        (|it| it.parents[0] = 2, "the node in slot 0 is its own ancestor"),
        (|it| it.parents[1] = 1, "the node in slot 1 is its own ancestor"),
        (|it| it.order = Some(vec![0, 1]), "order has 2 rows; it must have 3"),
        (|it| it.order = Some(vec![0, 1, 1]), "order[2] is slot 1"),
        (|it| it.hidden = vec![3], "hidden[0] is slot 3, which has no live node"),
        (|it| it.named = vec![77], "named[0] is slot 77"),
        (|it| it.name_ends[0] = 1, "name_ends[0] is 1"),
        (|it| it.name_ages.clear(), "name_ages has 0 rows; it must have 1"),
        (|it| it.name_ages[0] = 2, "name_ages must not decrease"),
        (|it| it.next_name_age = u64::MAX, "at most 2^62"),
        (|it| it.name_text.push('x'), "name_text has 3 rows; it must have 2"),
        (|it| it.transforms[1].translation.y = f32::NAN, "node 1v1: translation.y is NaN"),
        (
            |it| it.transforms[1].rotation = Quat::from_xyzw(0.0, 0.0, 0.0, 2.0),
            "rotation of slot 1",
        ),
        (|it| it.matrices[0].x_axis.w = 1.0, "node 2v1: the last row of the matrix"),
    ];
    assert!(Graph::from_snapshot(snapshot()).is_ok());
    for (break_it, message) in breaks {
        let mut snapshot = snapshot();
        break_it(&mut snapshot);
        let error = Graph::from_snapshot(snapshot).unwrap_err().to_string();
        assert!(error.contains(message), "{error:?} does not contain {message:?}");
    }
}

#[test]
fn deep_chains_and_cycles_are_found_without_recursion() {
    let slots = testkit::sized(200_000, 200);
    let mut snapshot = GraphSnapshot::default();
    snapshot.generations = vec![1; slots];
    snapshot.transforms = vec![Transform::IDENTITY; slots];
    // Each is the child of the next.
    snapshot.parents = (1..slots as u32).chain([Graph::NO_PARENT]).collect();
    let graph = Graph::from_snapshot(snapshot.clone()).unwrap();
    assert_eq!(graph.check(), []);
    snapshot.parents[slots - 1] = 0;
    assert_eq!(Graph::from_snapshot(snapshot).unwrap_err(), SnapshotError::Cycle { slot: 0 });
}

#[test]
fn parked_nodes_are_removed_ones_in_a_snapshot() {
    let mut graph = Graph::new();
    let [kept, removed] = [(); 2].map(|()| graph.add_root(Transform::IDENTITY).unwrap());
    let (_, patch) = graph.transact("Remove", |graph| graph.remove(removed)).unwrap();
    assert!(graph.is_parked(removed));
    let mut restored = Graph::from_snapshot(graph.to_snapshot()).unwrap();
    assert_eq!(restored.check(), []);
    assert_eq!((restored.contains(kept), restored.contains(removed)), (true, false));
    assert_eq!((restored.lineage(), restored.revision()), (graph.lineage(), graph.revision()));
    // The history is not part of it, so the removal cannot be undone, and the slot is used again.
    assert!(restored.apply(&patch.invert()).is_err());
    assert_eq!(restored.add_root(Transform::IDENTITY).unwrap().to_string(), "1v2");
    // What is recorded later fits.
    let (_, later) = graph
        .transact("Move", |graph| graph.node_mut(kept)?.set_translation(Vec3::X).map(drop))
        .unwrap();
    restored.apply(&later).unwrap();
    assert_eq!(restored.node(kept).unwrap().translation(), Vec3::X);
}
