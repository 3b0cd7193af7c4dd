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
