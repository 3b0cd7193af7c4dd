//! Patches as files: recorded edits are restored, small, and hostile bytes are errors.

use pleach::glam::Vec3;
use pleach::graph::{Edit, Patch, PatchError};
use pleach::{Graph, NodeId, Transform};
use pleach_format::{ErrorKind, Options, from_bytes, patch_from_bytes, patch_from_json};
use pleach_format::{patch_to_bytes, patch_to_json, to_bytes};
use testkit::{Effort, Rng};

use crate::hostile::{mutate, mutated_text, within_limits};

fn random_graph(rng: &mut Rng) -> (Graph, Vec<NodeId>) {
    let mut graph = Graph::new();
    let mut nodes = vec![graph.add_root(Transform::IDENTITY).unwrap()];
    for _ in 0..rng.below(30) {
        random_edit(&mut graph, &mut nodes, rng);
    }
    (graph, nodes)
}

fn random_edit(graph: &mut Graph, nodes: &mut Vec<NodeId>, rng: &mut Rng) {
    let node = rng.pick(nodes);
    let transform =
        Transform { translation: rng.vec3(9.0), rotation: rng.rotation(), scale: rng.scale() };
    match rng.below(10) {
        0 | 1 => nodes.push(graph.add_child(node, transform).unwrap()),
        2 => _ = graph.attach(node, rng.pick(nodes)),
        3 if node != nodes[0] => {
            graph.remove(node).unwrap();
            nodes.retain(|&node| graph.contains(node));
        }
        4 => _ = graph.node_mut(node).unwrap().set_name(rng.pick(&["", "a", "ä🌳"])),
        5 => _ = graph.node_mut(node).unwrap().set_visible(rng.one_in(2)),
        6 => _ = graph.node_mut(node).unwrap().set_local_matrix(rng.affine(3.0)).unwrap(),
        7 => graph.node_mut(node).unwrap().set_transform(transform).map(drop).unwrap(),
        _ => {
            graph.node_mut(node).unwrap().set_translation(transform.translation).map(drop).unwrap();
        }
    }
}

/// Records random edits, and returns the graph before them.
fn record(graph: &mut Graph, nodes: &mut Vec<NodeId>, rng: &mut Rng) -> (Graph, Patch) {
    let before = graph.clone();
    let edit = |graph: &mut Graph| {
        (0..rng.below(20)).for_each(|_| random_edit(graph, nodes, rng));
        Ok::<_, pleach::graph::Error>(())
    };
    let (_, patch) = graph.transact("Edit", edit).unwrap();
    (before, patch)
}

#[test]
fn recorded_patches_are_restored_and_fit_a_restored_graph() {
    let mut rng = Rng::from_env(1);
    for _ in 0..Effort::pick(500, 20_000) {
        let (mut graph, mut nodes) = random_graph(&mut rng);
        let mut copy = Graph::from_snapshot(graph.to_snapshot()).unwrap();
        for _ in 0..4 {
            let (before, patch) = record(&mut graph, &mut nodes, &mut rng);
            let bytes = patch_to_bytes(&patch).unwrap();
            let text = patch_to_json(&patch).unwrap();
            for read in [patch_from_bytes(&bytes, &before), patch_from_json(&text, &before)] {
                let read = read.unwrap();
                assert_eq!(read, patch);
                assert!(patch_to_bytes(&read).unwrap() == bytes);
                assert_eq!(patch_to_json(&read).unwrap(), text);
            }
            let read = patch_from_bytes(&bytes, &copy).unwrap();
            copy.apply(&read).unwrap();
            let rest = |graph: &Graph| {
                let snapshot = graph.to_snapshot();
                (snapshot.generations, snapshot.parents, snapshot.transforms, snapshot.name_text)
            };
            assert_eq!(rest(&copy), rest(&graph));
            assert_eq!(copy.revision(), graph.revision());
            // Undone by the patch from the file, too.
            if rng.one_in(2) {
                copy.apply(&read.invert()).unwrap();
                copy.apply(&read).unwrap();
            }
            copy = Graph::from_snapshot(copy.to_snapshot()).unwrap();
        }
    }
}

#[test]
fn moves_in_a_batch_take_at_most_24_bytes() {
    let mut rng = Rng::from_env(2);
    let mut graph = Graph::new();
    let transform = |rng: &mut Rng| Transform {
        translation: rng.vec3(100.0),
        rotation: rng.rotation(),
        scale: rng.scale(),
    };
    let nodes: Vec<NodeId> =
        (0..10_000).map(|_| graph.add_root(transform(&mut rng)).unwrap()).collect();
    let before = graph.clone();
    let moves = |graph: &mut Graph| {
        for &node in &nodes {
            graph.node_mut(node)?.translate(rng.vec3(2.0))?;
        }
        Ok::<_, pleach::graph::Error>(())
    };
    let (_, patch) = graph.transact("Move", moves).unwrap();
    assert!(patch.iter().all(|edit| matches!(*edit, Edit::Transform { .. })));
    let bytes = patch_to_bytes(&patch).unwrap();
    println!("{:.2} bytes per edit", bytes.len() as f64 / nodes.len() as f64);
    assert!(bytes.len() <= 24 * nodes.len(), "{}", bytes.len());
    assert_eq!(patch_from_bytes(&bytes, &before).unwrap(), patch);
}

#[test]
fn hostile_patches_are_errors_or_do_not_fit() {
    let mut rng = Rng::from_env(3);
    let options = Options::new().without_checksums();
    let (rounds, mutations) = Effort::pick((100, 200), (2_000, 5_000));
    let (mut read, mut applied) = (0, 0);
    for _ in 0..rounds {
        let (mut graph, mut nodes) = random_graph(&mut rng);
        let (before, patch) = record(&mut graph, &mut nodes, &mut rng);
        let original = patch_to_bytes(&patch).unwrap();
        for length in (0..original.len()).step_by(Effort::pick(7, 1)) {
            let truncated = options.patch_from_bytes(&original[..length], &before);
            assert!(truncated.unwrap_err().offset().is_some());
        }
        let snapshot = before.to_snapshot();
        for _ in 0..mutations {
            let mut bytes = original.clone();
            mutate(&mut bytes, &mut rng);
            let read_patch = || options.patch_from_bytes(&bytes, &before);
            let Ok(patch) = within_limits(&bytes, read_patch) else { continue };
            read += 1;
            let mut graph = before.clone();
            match within_limits(&bytes, || graph.apply(&patch)) {
                Ok(()) => {
                    applied += 1;
                    assert_eq!(graph.check(), []);
                }
                Err(_) => assert_eq!(graph.to_snapshot(), snapshot),
            }
        }
    }
    println!("{read} of {} mutated patches were read, {applied} applied", rounds * mutations);
    assert!(read > 0 && applied > 0);
}

#[test]
fn mutated_json_of_a_patch_is_an_error_or_does_not_fit() {
    let mut rng = Rng::from_env(4);
    let (rounds, mutations) = Effort::pick((50, 100), (500, 2_000));
    let (mut read, mut applied) = (0, 0);
    for _ in 0..rounds {
        let (mut graph, mut nodes) = random_graph(&mut rng);
        let (before, patch) = record(&mut graph, &mut nodes, &mut rng);
        let text = patch_to_json(&patch).unwrap();
        let snapshot = before.to_snapshot();
        for _ in 0..mutations {
            let text = mutated_text(&text, &mut rng);
            let read_patch = || patch_from_json(&text, &before);
            let Ok(patch) = within_limits(text.as_bytes(), read_patch) else { continue };
            read += 1;
            let mut graph = before.clone();
            match graph.apply(&patch) {
                Ok(()) => {
                    applied += 1;
                    assert_eq!(graph.check(), []);
                }
                Err(_) => assert_eq!(graph.to_snapshot(), snapshot),
            }
        }
    }
    println!("{read} of {} mutated texts were read, {applied} applied", rounds * mutations);
    assert!(read > 0 && applied > 0);
}

/// Returns the graph before a patch that hides a node, and the patch.
fn hide() -> (Graph, Patch) {
    let mut graph = Graph::new();
    let node = graph.add_root(Transform::IDENTITY).unwrap();
    let before = graph.clone();
    let edit = |graph: &mut Graph| {
        graph.node_mut(node)?.set_visible(false);
        Ok::<_, pleach::graph::Error>(())
    };
    (before, graph.transact("Hide", edit).unwrap().1)
}

#[test]
fn an_unknown_operation_names_the_version_that_wrote_it() {
    let (before, patch) = hide();
    let mut bytes = patch_to_bytes(&patch).unwrap();
    bytes[12] = 7;
    let section = bytes.windows(4).position(|tag| tag == b"EDIT").unwrap();
    // After the header of the section and the number of edits.
    let at = section + 17;
    assert_eq!(bytes[at], 6, "the number of `Visible`");
    bytes[at] = 7;
    let options = Options::new().without_checksums();
    let error = options.patch_from_bytes(&bytes, &before).unwrap_err();
    assert_eq!((error.kind(), error.offset()), (ErrorKind::Version, Some(at as u64)));
    assert_eq!(
        error.to_string(),
        format!(
            "byte {at}: section EDIT: operation 7 is unknown to pleach-format 0.1.0; it was written by \
             pleach-format 7.1.0, so read it with that version or a later one",
        ),
    );

    let text = patch_to_json(&patch).unwrap();
    for (from, to, unknown) in [
        ("{\"visible\":{", "{\"hidden\":{", "unknown variant `hidden`"),
        ("\"visible\":false", "\"visible\":false,\"layer\":1", "unknown field `layer`"),
    ] {
        assert!(text.contains(from), "{text}");
        let text = text.replace(from, to).replace("pleach-format 0.1.0", "pleach-format 7.1.0");
        let error = patch_from_json(&text, &before).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Version, "{error}");
        assert!(error.to_string().starts_with(unknown), "{error}");
        assert!(error.to_string().contains("written by \"pleach-format 7.1.0\""), "{error}");
    }
}

#[test]
fn a_patch_is_applied_once_to_its_own_graph() {
    let mut graph = Graph::new();
    let node = graph.add_root(Transform::IDENTITY).unwrap();
    let other = Graph::new();
    let before = graph.clone();
    let (_, patch) = graph
        .transact("Move", |graph| graph.node_mut(node)?.set_translation(Vec3::X).map(drop))
        .unwrap();
    let bytes = patch_to_bytes(&patch).unwrap();
    let error = patch_from_bytes(&bytes, &other).unwrap_err();
    assert!(error.to_string().contains("node 0v1 is not in the graph"), "{error}");
    let read = patch_from_bytes(&bytes, &before).unwrap();
    assert!(matches!(graph.apply(&read), Err(PatchError::Revision { .. })));

    // The kinds of files are not confused.
    assert_eq!(from_bytes(&bytes).unwrap_err().kind(), ErrorKind::NotPleach);
    let scene = to_bytes(&pleach::Scene::new()).unwrap();
    assert_eq!(patch_from_bytes(&scene, &before).unwrap_err().kind(), ErrorKind::NotPleach);
    let text = pleach_format::to_json(&pleach::Scene::new()).unwrap();
    assert_eq!(patch_from_json(&text, &before).unwrap_err().kind(), ErrorKind::NotPleach);
}
