//! World transforms are correct: compared with a reference in f64 and with known
//! numbers, and bit for bit the same for incremental and full updates.

use pleach_graph::glam::{Mat3, Mat4, Quat, Vec3};
use pleach_graph::{Graph, Transform};
use testkit::{Rng, sized};

use super::edits::edit;
use crate::common::{
    RandomTransform, assert_consistent, bits, dump, move_to, node, random_tree, reference_world,
    relative_error, seeds,
};

#[test]
fn worlds_of_random_trees_agree_with_a_reference_in_f64() {
    let mut worst: f64 = 0.0;
    for seed in seeds(20) {
        let mut random = Rng::new(seed);
        let (mut graph, nodes) = random_tree(&mut random, sized(1_000, 12));
        for &id in nodes.iter().step_by(13) {
            graph.node_mut(id).unwrap().set_local_matrix(random.affine(10.0)).unwrap();
        }
        graph.update();
        for &id in &nodes {
            let error = relative_error(node(&graph, id).world(), reference_world(node(&graph, id)));
            worst = worst.max(error);
            assert!(error < 1e-5, "{id} is off by {error:e}, seed {seed}");
        }
    }
    println!("maximum error: {worst:e}");
}

#[test]
fn worlds_agree_with_the_reference_after_random_edits() {
    for seed in seeds(10) {
        let mut random = Rng::new(seed);
        let (mut graph, nodes) = random_tree(&mut random, sized(300, 12));
        for round in 0..sized(30, 4) {
            for _ in 0..random.below(nodes.len()) {
                let (id, other) = (random.pick(&nodes), random.pick(&nodes));
                match random.below(8) {
                    0 => _ = graph.attach(id, other),
                    1 => graph.detach(id).unwrap(),
                    _ => edit(&mut graph, &mut random, id),
                }
            }
            graph.update();
            for &id in &nodes {
                let error =
                    relative_error(node(&graph, id).world(), reference_world(node(&graph, id)));
                assert!(error < 1e-5, "{id} is off by {error:e}, round {round}, seed {seed}");
            }
            assert_consistent(&graph);
        }
    }
}

#[test]
fn three_levels_multiply_to_the_expected_numbers() {
    // A rotation by 90° about Z, exact in f32.
    let mut quarter = Mat4::ZERO;
    (quarter.x_axis.y, quarter.y_axis.x) = (1.0, -1.0);
    (quarter.z_axis.z, quarter.w_axis) = (1.0, Vec3::new(1.0, 0.0, 0.0).extend(1.0));
    let mut graph = Graph::new();
    let a = graph.add_root(Transform::IDENTITY).unwrap();
    graph.node_mut(a).unwrap().set_local_matrix(quarter).unwrap();
    let b = graph
        .add_child(a, Transform::from_xyz(0.0, 2.0, 0.0).with_scale(Vec3::new(2.0, 1.0, 1.0)))
        .unwrap();
    let c = graph.add_child(b, Transform::from_xyz(3.0, 0.0, 5.0)).unwrap();
    graph.update();
    #[rustfmt::skip]
    let expected = [
        [0.0, 1.0, 0.0, 0.0,  -1.0, 0.0, 0.0, 0.0,  0.0, 0.0, 1.0, 0.0,  1.0, 0.0, 0.0, 1.0],
        [0.0, 2.0, 0.0, 0.0,  -1.0, 0.0, 0.0, 0.0,  0.0, 0.0, 1.0, 0.0,  -1.0, 0.0, 0.0, 1.0],
        [0.0, 2.0, 0.0, 0.0,  -1.0, 0.0, 0.0, 0.0,  0.0, 0.0, 1.0, 0.0,  -1.0, 6.0, 5.0, 1.0],
    ];
    for (id, expected) in [a, b, c].into_iter().zip(expected) {
        assert_eq!(node(&graph, id).world().to_cols_array(), expected, "{id}");
    }
}

#[test]
fn below_an_identity_the_world_is_exactly_the_local() {
    let mut random = Rng::new(6);
    let mut graph = Graph::new();
    let root = graph.add_root(Transform::IDENTITY).unwrap();
    for _ in 0..sized(100, 10) {
        let id = graph.add_child(root, random.transform()).unwrap();
        graph.update();
        assert_eq!(node(&graph, id).world(), node(&graph, id).local_matrix());
    }
}

#[test]
fn compute_world_gives_the_bits_of_the_next_update_and_changes_nothing() {
    for seed in seeds(30) {
        let mut random = Rng::new(seed);
        let (mut graph, nodes) = random_tree(&mut random, sized(100, 12));
        for &id in nodes.iter().step_by(11) {
            graph.node_mut(id).unwrap().set_local_matrix(random.affine(10.0)).unwrap();
        }
        if random.one_in(2) {
            graph.update();
        }
        for _ in 0..random.below(10) {
            let (id, other) = (random.pick(&nodes), random.pick(&nodes));
            match random.below(4) {
                0 => _ = graph.attach(id, other),
                1 => graph.detach(id).unwrap(),
                _ => edit(&mut graph, &mut random, id),
            }
        }
        let before = dump(&graph);
        let computed: Vec<[u32; 16]> =
            nodes.iter().map(|&id| bits(node(&graph, id).compute_world())).collect();
        assert_eq!(dump(&graph), before, "seed {seed}");
        graph.update();
        for (&id, computed) in nodes.iter().zip(computed) {
            assert_eq!(bits(node(&graph, id).world()), computed, "{id}, seed {seed}");
            assert_eq!(bits(node(&graph, id).compute_world()), computed, "{id}, seed {seed}");
        }
    }
}

#[test]
fn the_stored_world_is_the_identity_and_then_as_of_the_last_update() {
    let mut graph = Graph::new();
    let id = graph.add_root(Transform::from_xyz(1.0, 0.0, 0.0)).unwrap();
    assert_eq!(node(&graph, id).world(), Mat4::IDENTITY);
    assert_eq!(node(&graph, id).compute_world(), Mat4::from_translation(Vec3::X));
    graph.update();
    move_to(&mut graph, id, Vec3::Y);
    assert_eq!(node(&graph, id).world(), Mat4::from_translation(Vec3::X), "as of the last update");
    assert_eq!(node(&graph, id).compute_world(), Mat4::from_translation(Vec3::Y));
}

#[test]
fn values_derived_from_the_world_are_updated_with_it() {
    let mut graph = Graph::new();
    let parent = graph.add_root(Transform::IDENTITY).unwrap();
    let child = graph.add_child(parent, Transform::IDENTITY).unwrap();
    graph.update();
    let transform = Transform::from_xyz(1.0, 2.0, 3.0)
        .with_rotation(Quat::from_rotation_x(1.0))
        .with_scale(Vec3::new(-2.0, 1.0, 1.0));
    graph.node_mut(parent).unwrap().set_transform(transform).unwrap();
    graph.update();
    let child = node(&graph, child);
    let world = transform.to_matrix();
    let normal = Mat3::from_mat4(world).inverse().transpose();
    assert!(child.normal_matrix().abs_diff_eq(normal, 1e-6));
    assert!(child.inverse_world().unwrap().abs_diff_eq(world.inverse(), 1e-6));
    assert_eq!(child.world_translation(), Vec3::new(1.0, 2.0, 3.0));
    assert!(child.winding_flipped());
}

#[test]
fn incremental_updates_give_the_bits_of_a_full_update() {
    for seed in seeds(10) {
        let mut random = Rng::new(seed);
        let (mut graph, nodes) = random_tree(&mut random, sized(300, 12));
        for _ in 0..sized(20, 4) {
            for _ in 0..random.below(nodes.len()) {
                let id = random.pick(&nodes);
                edit(&mut graph, &mut random, id);
            }
            graph.update();
        }
        let mut scratch = Graph::new();
        for id in graph.depth_first() {
            let old = node(&graph, id);
            // Their handles differ; their positions in this order do not.
            let parent = old.parent().map(|parent| graph.depth_first().position(|id| id == parent));
            let new = match parent {
                None => scratch.add_root(old.transform()).unwrap(),
                Some(parent) => {
                    let parent = scratch.depth_first().nth(parent.unwrap()).unwrap();
                    scratch.add_child(parent, old.transform()).unwrap()
                }
            };
            if old.has_local_matrix() {
                scratch.node_mut(new).unwrap().set_local_matrix(old.local_matrix()).unwrap();
            }
        }
        scratch.update();
        for (old, new) in graph.depth_first().zip(scratch.depth_first()) {
            let (old, new) = (node(&graph, old), node(&scratch, new));
            assert_eq!(bits(old.world()), bits(new.world()), "{}, seed {seed}", old.id());
        }
    }
}
