//! Setting many transforms at once: the same as one after the other, or nothing.

use pleach_graph::glam::{Mat4, Quat, Vec3, Vec4};
use pleach_graph::{Error, Graph, NodeId, Transform};
use testkit::Rng;

use crate::common::{RandomTransform, assert_consistent, dump, node, random_tree, seeds};

fn sheared() -> Mat4 {
    Mat4::from_cols(Vec4::X, Vec4::new(0.5, 1.0, 0.0, 0.0), Vec4::Z, Vec4::W)
}

/// Random nodes of the graph, some of them several times.
fn some_nodes(random: &mut Rng, nodes: &[NodeId]) -> Vec<NodeId> {
    (0..random.below(2 * nodes.len())).map(|_| random.pick(nodes)).collect()
}

#[test]
fn many_transforms_are_set_as_one_after_the_other() {
    for seed in seeds(20) {
        let mut random = Rng::new(seed);
        let count = 1 + random.below(200);
        let (mut graph, nodes) = random_tree(&mut random, count);
        graph.update();
        for round in 0..6 {
            // Some rounds with local matrices, and with rotations to be normalized.
            if round % 2 == 1 {
                let matrix_node = random.pick(&nodes);
                graph.node_mut(matrix_node).unwrap().set_local_matrix(sheared()).unwrap();
            }
            let chosen = some_nodes(&mut random, &nodes);
            let transforms: Vec<Transform> = chosen
                .iter()
                .map(|_| {
                    let transform = random.transform();
                    let by = if round >= 3 && random.one_in(4) { 2.0 } else { 1.0 };
                    transform.with_rotation(transform.rotation * by)
                })
                .collect();
            let mut one_by_one = graph.clone();
            for (&node, &transform) in chosen.iter().zip(&transforms) {
                one_by_one.node_mut(node).unwrap().set_transform(transform).unwrap();
            }
            graph.set_transforms(&chosen, &transforms).unwrap();
            assert_eq!(dump(&graph), dump(&one_by_one), "seed {seed}");
            assert_eq!(graph.update(), one_by_one.update(), "seed {seed}");
            assert_eq!(dump(&graph), dump(&one_by_one), "seed {seed}");

            let places: Vec<Vec3> = chosen.iter().map(|_| random.vec3(5.0)).collect();
            for (&node, &place) in chosen.iter().zip(&places) {
                one_by_one.node_mut(node).unwrap().set_translation(place).unwrap();
            }
            graph.set_translations(&chosen, &places).unwrap();
            assert_eq!(dump(&graph), dump(&one_by_one), "seed {seed}");
            assert_consistent(&graph);
        }
    }
}

#[test]
fn an_invalid_value_anywhere_changes_nothing_and_names_the_node() {
    let mut graph = Graph::new();
    let nodes = [(); 3].map(|()| graph.add_root(Transform::IDENTITY).unwrap());
    let dead = graph.add_root(Transform::IDENTITY).unwrap();
    graph.remove(dead).unwrap();
    graph.update();
    graph.node_mut(nodes[2]).unwrap().set_name("third");
    let before = dump(&graph);
    let moved = Transform::from_xyz(1.0, 2.0, 3.0);

    let nan = moved.with_scale(Vec3::new(1.0, 1.0, f32::NAN));
    let error = graph.set_transforms(&nodes, &[moved, moved, nan]).unwrap_err();
    assert_eq!(error.to_string(), r#"node 2v1 "third": scale.z is NaN; it must be finite"#);
    let zero = moved.with_rotation(Quat::from_xyzw(0.0, 0.0, 0.0, 0.0));
    let error = graph.set_transforms(&nodes, &[moved, zero, nan]).unwrap_err();
    assert!(error.to_string().starts_with("node 1v1: rotation is the zero"), "{error}");
    let with_dead = [nodes[0], dead, nodes[1]];
    assert_eq!(graph.set_transforms(&with_dead, &[moved; 3]), Err(Error::Dead(dead)));
    assert_eq!(graph.set_translations(&with_dead, &[Vec3::ONE; 3]), Err(Error::Dead(dead)));
    let infinite = [Vec3::ONE, Vec3::ONE, Vec3::new(0.0, f32::INFINITY, 0.0)];
    let error = graph.set_translations(&nodes, &infinite).unwrap_err();
    let text = r#"node 2v1 "third": translation.y is inf; it must be finite"#;
    assert_eq!(error.to_string(), text);

    let error = graph.set_transforms(&nodes, &[moved; 2]).unwrap_err();
    assert_eq!(error, Error::LengthMismatch { nodes: 3, values: 2 });
    let text = "there are 3 nodes, but 2 values for them; give one value per node";
    assert_eq!(error.to_string(), text);
    let error = graph.set_translations(&nodes[..1], &[Vec3::ONE; 2]).unwrap_err();
    assert_eq!(error, Error::LengthMismatch { nodes: 1, values: 2 });
    assert_eq!(dump(&graph), before);
}

#[test]
fn large_and_tiny_numbers_are_stored_bit_for_bit() {
    let mut graph = Graph::new();
    let nodes = [(); 2].map(|()| graph.add_root(Transform::IDENTITY).unwrap());
    // Finite, although their sum is not.
    let large = Transform::from_translation(Vec3::splat(3e38)).with_scale(Vec3::splat(-3e38));
    let tiny = Transform::from_xyz(-0.0, 1e-42, 0.0);
    graph.set_transforms(&nodes, &[large, tiny]).unwrap();
    assert_eq!(node(&graph, nodes[0]).transform(), large);
    assert_eq!(node(&graph, nodes[1]).translation().x.to_bits(), (-0.0f32).to_bits());
    graph.node_mut(nodes[1]).unwrap().set_transform(large).unwrap();
    assert_eq!(node(&graph, nodes[1]).transform(), large);
}

#[test]
fn empty_slices_change_nothing() {
    let mut graph = Graph::new();
    graph.add_root(Transform::IDENTITY).unwrap();
    graph.update();
    let before = dump(&graph);
    graph.set_transforms(&[], &[]).unwrap();
    graph.set_translations(&[], &[]).unwrap();
    graph.attach_each(&[], &[]).unwrap();
    assert_eq!(dump(&graph), before);
}

/// Lists of handles that are in consecutive slots, for whole blocks or in part.
fn lists(nodes: &[NodeId], random: &mut Rng) -> Vec<Vec<NodeId>> {
    let from = random.below(nodes.len());
    let to = from + random.below(nodes.len() - from);
    let mut swapped = nodes.to_vec();
    let (a, b) = (random.below(nodes.len()), random.below(nodes.len()));
    swapped.swap(a, b);
    let mut repeated = nodes.to_vec();
    repeated[a] = nodes[b];
    let gaps = nodes.iter().copied().filter(|_| !random.one_in(60)).collect();
    let reversed = nodes.iter().rev().copied().collect();
    vec![nodes.to_vec(), nodes[from..to].to_vec(), swapped, repeated, gaps, reversed]
}

#[test]
fn consecutive_nodes_are_set_as_one_after_the_other() {
    for seed in seeds(12) {
        let mut random = Rng::new(seed);
        let count = 1 + random.below(700);
        let (mut graph, nodes) = random_tree(&mut random, count);
        graph.update();
        for _ in 0..3 {
            for list in lists(&nodes, &mut random) {
                // Some are dirty already, and the queue of dirty nodes is more or less full.
                let mut one_by_one = graph.clone();
                for _ in 0..random.below(40) {
                    let (node, place) = (random.pick(&nodes), random.vec3(5.0));
                    for graph in [&mut graph, &mut one_by_one] {
                        graph.node_mut(node).unwrap().set_translation(place).unwrap();
                    }
                }
                let transforms: Vec<Transform> = list.iter().map(|_| random.transform()).collect();
                let places: Vec<Vec3> = list.iter().map(|_| random.vec3(5.0)).collect();
                let only_places = random.one_in(3);
                for ((&node, &transform), &place) in list.iter().zip(&transforms).zip(&places) {
                    let mut node = one_by_one.node_mut(node).unwrap();
                    match only_places {
                        true => _ = node.set_translation(place).unwrap(),
                        false => _ = node.set_transform(transform).unwrap(),
                    }
                }
                match only_places {
                    true => graph.set_translations(&list, &places).unwrap(),
                    false => graph.set_transforms(&list, &transforms).unwrap(),
                }
                assert_eq!(dump(&graph), dump(&one_by_one), "seed {seed}");
                assert_consistent(&graph);
                if random.one_in(2) {
                    assert_eq!(graph.update(), one_by_one.update(), "seed {seed}");
                    assert!(graph.changed().eq(one_by_one.changed()), "seed {seed}");
                    graph.clear_changes();
                }
            }
        }
    }
}

#[test]
fn one_invalid_value_at_any_index_of_a_long_list_changes_nothing() {
    const COUNT: usize = 203;
    let mut graph = Graph::new();
    let nodes: Vec<NodeId> =
        (0..COUNT).map(|_| graph.add_root(Transform::IDENTITY).unwrap()).collect();
    // The handle of a node that was in a slot before.
    let mut stale = nodes.clone();
    stale[COUNT / 2] = graph.add_root(Transform::IDENTITY).unwrap();
    graph.remove(stale[COUNT / 2]).unwrap();
    graph.update();
    let before = dump(&graph);
    let moved = Transform::from_xyz(1.0, 2.0, 3.0);
    let spoil: [fn(&mut Transform, f32); 10] = [
        |it, bad| it.translation.x = bad,
        |it, bad| it.translation.y = bad,
        |it, bad| it.translation.z = bad,
        |it, bad| it.rotation.x = bad,
        |it, bad| it.rotation.y = bad,
        |it, bad| it.rotation.z = bad,
        |it, bad| it.rotation.w = bad,
        |it, bad| it.scale.x = bad,
        |it, bad| it.scale.y = bad,
        |it, bad| it.scale.z = bad,
    ];
    let mut transforms = vec![moved; COUNT];
    let mut places = vec![moved.translation; COUNT];
    for (index, &node) in nodes.iter().enumerate() {
        for (property, spoil) in spoil.iter().enumerate() {
            for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
                spoil(&mut transforms[index], bad);
                let error = graph.set_transforms(&nodes, &transforms).unwrap_err();
                assert!(error.to_string().starts_with(&format!("node {node}: ")), "{error}");
                if property < 3 {
                    places[index] = transforms[index].translation;
                    let error = graph.set_translations(&nodes, &places).unwrap_err();
                    assert!(error.to_string().starts_with(&format!("node {node}: ")), "{error}");
                }
                (transforms[index], places[index]) = (moved, moved.translation);
            }
        }
        let mut with_dead = nodes.clone();
        with_dead[index] = stale[COUNT / 2];
        assert!(graph.set_transforms(&with_dead, &transforms).is_err());
        assert!(graph.set_translations(&with_dead, &places).is_err());
    }
    assert_eq!(graph.set_transforms(&stale, &transforms), Err(Error::Dead(stale[COUNT / 2])));
    assert_eq!(dump(&graph), before);
    // Sums that overflow are not an error, and opposite infinities are.
    transforms[7].translation = Vec3::splat(3e38);
    transforms[8].scale = Vec3::splat(3e38);
    graph.set_transforms(&nodes, &transforms).unwrap();
    assert_eq!(node(&graph, nodes[7]).translation(), Vec3::splat(3e38));
    transforms[9].translation.x = f32::INFINITY;
    transforms[10].translation.x = f32::NEG_INFINITY;
    assert!(graph.set_transforms(&nodes, &transforms).is_err());
}

#[test]
fn a_handle_of_a_reused_slot_among_consecutive_nodes_is_rejected() {
    let mut graph = Graph::new();
    let mut nodes: Vec<NodeId> =
        (0..150).map(|_| graph.add_root(Transform::IDENTITY).unwrap()).collect();
    let old = nodes[70];
    graph.remove(old).unwrap();
    let moved = vec![Transform::from_xyz(1.0, 2.0, 3.0); nodes.len()];
    assert_eq!(graph.set_transforms(&nodes, &moved), Err(Error::Dead(old)));
    nodes[70] = graph.add_root(Transform::IDENTITY).unwrap();
    assert_eq!(nodes[70].index(), old.index());
    graph.set_transforms(&nodes, &moved).unwrap();
    assert!(nodes.iter().all(|&it| node(&graph, it).transform() == moved[0]));
    let stale: Vec<NodeId> =
        nodes.iter().map(|&it| if it == nodes[70] { old } else { it }).collect();
    assert_eq!(graph.set_transforms(&stale, &moved), Err(Error::Dead(old)));
    assert_consistent(&graph);
}
