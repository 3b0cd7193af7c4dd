//! Attaching and detaching with the world kept: nothing moves, whatever shear
//! the new parents bring.

use pleach_graph::glam::{DMat4, DVec4, Mat4, Quat, Vec3};
use pleach_graph::{Error, Graph, LocalKind, NodeId, Transform};
use testkit::Rng;

use crate::common::{
    self, RandomTransform, assert_sound, bits, chain, corners, dump, named, node, seeds,
};

/// How far the corners of a cube of side 2 around a node moved, and how big that
/// cube is in the world.
fn drift(before: DMat4, after: DMat4) -> (f64, f64) {
    let error = corners().map(|corner| (before * corner - after * corner).length());
    let reach = |corner: DVec4| (before * corner - before * DVec4::W).length();
    (error.fold(0.0, f64::max), 2.0 * corners().map(reach).fold(0.0, f64::max))
}

fn world(graph: &Graph, id: NodeId) -> DMat4 {
    node(graph, id).compute_world().as_dmat4()
}

/// A forest of chains, turned and unevenly scaled: shear all over.
fn shearing_chains(random: &mut Rng, count: usize, length: usize) -> (Graph, Vec<NodeId>) {
    let mut graph = Graph::new();
    let mut nodes = Vec::new();
    for _ in 0..count {
        let way = chain(&mut graph, length);
        for &id in &way {
            let transform = random.transform().with_translation(random.vec3(2.0));
            graph.node_mut(id).unwrap().set_transform(transform).unwrap();
        }
        nodes.extend(way);
    }
    (graph, nodes)
}

// M67, PAINS 3
#[test]
fn a_node_stays_in_place_under_any_parent_and_back() {
    let mut worst: f64 = 0.0;
    for seed in seeds(200) {
        let mut random = Rng::new(seed);
        let (mut graph, parents) = shearing_chains(&mut random, 3, 4);
        let home = random.pick(&parents);
        let id = graph.add_child(home, random.transform()).unwrap();
        let below = graph.add_child(id, random.transform()).unwrap();
        let before = [id, below].map(|id| world(&graph, id));
        for _ in 0..6 {
            let kept = graph.attach_in_place(id, random.pick(&parents)).unwrap();
            assert_eq!(
                kept == LocalKind::Matrix,
                node(&graph, id).has_local_matrix(),
                "seed {seed}"
            );
            if random.one_in(3) {
                graph.update();
            }
            if random.one_in(4) {
                graph.detach_in_place(id).unwrap();
            }
        }
        graph.attach_in_place(id, home).unwrap();
        graph.update();
        for (id, before) in [id, below].into_iter().zip(before) {
            let (error, size) = drift(before, world(&graph, id));
            worst = worst.max(error / size);
            assert!(error < 1e-4 * size, "{id} moved by {error} of {size}, seed {seed}");
        }
        assert_eq!(node(&graph, id).parent(), Some(home));
        assert_sound(&graph);
    }
    println!("the worst moved by {worst:e} of its size");
}

// M67
#[test]
fn a_parent_that_scales_evenly_keeps_a_transform() {
    for seed in seeds(100) {
        let mut random = Rng::new(seed);
        let mut graph = Graph::new();
        let size =
            Vec3::splat(random.between(0.2, 5.0) * if random.one_in(2) { -1.0 } else { 1.0 });
        let parent = graph.add_root(random.transform().with_scale(size)).unwrap();
        let id = graph.add_root(random.transform()).unwrap();
        let before = world(&graph, id);
        assert_eq!(graph.attach_in_place(id, parent), Ok(LocalKind::Transform), "seed {seed}");
        assert!(!node(&graph, id).has_local_matrix());
        let (error, size) = drift(before, world(&graph, id));
        assert!(error < 1e-5 * size.max(10.0), "{error} of {size}, seed {seed}");
        assert_eq!(graph.detach_in_place(id), Ok(LocalKind::Transform), "seed {seed}");
    }
}

// M67
#[test]
fn a_turned_node_under_an_unevenly_scaled_parent_gets_a_matrix() {
    let mut graph = Graph::new();
    let cart = graph.add_root(Transform::from_scale(Vec3::new(4.0, 1.0, 1.0))).unwrap();
    let cat = graph.add_root(Transform::from_rotation(Quat::from_rotation_z(0.7))).unwrap();
    let before = world(&graph, cat);
    assert_eq!(graph.attach_in_place(cat, cart), Ok(LocalKind::Matrix));
    assert!(node(&graph, cat).has_local_matrix());
    assert!(drift(before, world(&graph, cat)).0 < 1e-6);
    // Back in the open it is a transform again.
    assert_eq!(graph.detach_in_place(cat), Ok(LocalKind::Transform));
    assert!(!node(&graph, cat).has_local_matrix());
    assert!(drift(before, world(&graph, cat)).0 < 1e-6);
    assert_sound(&graph);
}

// M67
#[test]
fn a_node_detached_in_place_stands_where_it_stood() {
    for seed in seeds(100) {
        let mut random = Rng::new(seed);
        let (mut graph, nodes) = shearing_chains(&mut random, 1, 5);
        let id = nodes[1 + random.below(4)];
        let before = node(&graph, id).compute_world();
        let kept = graph.detach_in_place(id).unwrap();
        let after = node(&graph, id).compute_world();
        match kept {
            LocalKind::Matrix => assert_eq!(bits(after), bits(before), "to the bit, seed {seed}"),
            LocalKind::Transform => {
                let (error, size) = drift(before.as_dmat4(), after.as_dmat4());
                assert!(error < 1e-5 * size, "{error} of {size}, seed {seed}");
            }
        }
        assert_eq!(node(&graph, id).parent(), None);
        assert!(graph.roots().last() == Some(id));
        graph.update();
        assert_sound(&graph);
    }
}

#[test]
fn a_root_detached_in_place_tells_what_it_has() {
    let mut graph = Graph::new();
    let id = graph.add_root(Transform::IDENTITY).unwrap();
    assert_eq!(graph.detach_in_place(id), Ok(LocalKind::Transform));
    graph.node_mut(id).unwrap().set_local_matrix(Mat4::IDENTITY).unwrap();
    assert_eq!(graph.detach_in_place(id), Ok(LocalKind::Matrix));
}

// M67
#[test]
fn worlds_are_taken_as_the_next_update_will_make_them() {
    let mut graph = Graph::new();
    let old = graph.add_root(Transform::IDENTITY).unwrap();
    let new = graph.add_root(Transform::IDENTITY).unwrap();
    let id = graph.add_child(old, Transform::from_xyz(1.0, 0.0, 0.0)).unwrap();
    graph.update();
    common::shift(&mut graph, old, Vec3::new(0.0, 5.0, 0.0));
    common::shift(&mut graph, new, Vec3::new(0.0, 0.0, 7.0));
    graph.attach_in_place(id, new).unwrap();
    assert_eq!(node(&graph, id).translation(), Vec3::new(1.0, 5.0, -7.0));
    graph.update();
    assert_eq!(node(&graph, id).world_translation(), Vec3::new(1.0, 5.0, 0.0));
}

#[test]
fn attach_in_place_makes_the_last_child_and_carries_what_is_below() {
    let mut graph = Graph::new();
    let parent = graph.add_root(Transform::from_xyz(1.0, 2.0, 3.0)).unwrap();
    let first = graph.add_child(parent, Transform::IDENTITY).unwrap();
    let way = chain(&mut graph, 3);
    let before: Vec<Mat4> = way.iter().map(|&id| node(&graph, id).compute_world()).collect();
    graph.attach_in_place(way[0], parent).unwrap();
    assert_eq!(common::children(&graph, parent), [first, way[0]]);
    graph.update();
    for (&id, before) in way.iter().zip(before) {
        assert!(node(&graph, id).world().abs_diff_eq(before, 1e-6));
    }
    // Under the parent it has already, it only becomes the last child.
    graph.attach_in_place(first, parent).unwrap();
    assert_eq!(common::children(&graph, parent), [way[0], first]);
}

#[test]
fn a_flat_parent_is_refused() {
    let flat_scales = [Vec3::new(0.0, 1.0, 1.0), Vec3::new(1.0, -0.0, 0.0), Vec3::ZERO];
    for scale in flat_scales {
        let mut graph = Graph::new();
        let flat = named(&mut graph, None, "flat");
        graph.node_mut(flat).unwrap().set_scale(scale).unwrap();
        let below = graph.add_child(flat, Transform::IDENTITY).unwrap();
        let id = named(&mut graph, None, "box");
        graph.update();
        let before = dump(&graph);
        for parent in [flat, below] {
            let refused = graph.attach_in_place(id, parent).unwrap_err();
            let Error::SingularParent { child, parent: told } = &refused else {
                panic!("{refused}")
            };
            assert_eq!((child.node, told.node), (id, parent), "{scale}");
            assert_eq!(dump(&graph), before, "{scale}");
        }
        assert_eq!(
            graph.attach_in_place(id, flat).unwrap_err().to_string(),
            "2v1 \"box\" cannot be placed in the world under 0v1 \"flat\": the world transform of \
             0v1 \"flat\" is flat (a scale of zero, or nearly) and cannot be undone; give it a scale \
             first",
        );
        graph.attach(id, flat).unwrap();
        assert_sound(&graph);
    }
}

#[test]
fn a_flat_child_keeps_its_flatness() {
    for seed in seeds(50) {
        let mut random = Rng::new(seed);
        let (mut graph, parents) = shearing_chains(&mut random, 1, 3);
        let id = graph.add_root(random.transform().with_scale(Vec3::new(2.0, 0.0, 1.0))).unwrap();
        let before = world(&graph, id);
        graph.attach_in_place(id, parents[2]).unwrap();
        let (error, size) = drift(before, world(&graph, id));
        assert!(error < 1e-4 * size, "{error} of {size}, seed {seed}");
    }
}

/// Nearly flat parents: kept in place, or refused; never moved.
#[test]
fn a_nearly_flat_parent_keeps_the_place_or_is_refused() {
    let mut refused = 0;
    let seeds = seeds(300);
    for seed in seeds.clone() {
        let mut random = Rng::new(seed);
        let mut graph = Graph::new();
        let mut scale = random.scale();
        scale[random.below(3)] = random.pick(&[1e-2, 1e-4, 1e-6, 1e-10, 1e-20, 1e-38, 1e-45]);
        let parent = graph.add_root(random.transform().with_scale(scale)).unwrap();
        let id = graph.add_root(random.transform()).unwrap();
        let before = world(&graph, id);
        let text = dump(&graph);
        match graph.attach_in_place(id, parent) {
            Ok(_) => {
                let (error, size) = drift(before, world(&graph, id));
                let reach = before.w_axis.length().max(size);
                assert!(error < 2e-3 * reach, "{error} of {size} under {scale}, seed {seed}");
            }
            Err(error) => {
                assert!(matches!(error, Error::SingularParent { .. }), "{error}, seed {seed}");
                assert_eq!(dump(&graph), text, "seed {seed}");
                refused += 1;
            }
        }
    }
    let all = seeds.end;
    assert!(cfg!(miri) || (refused > 0 && refused < all), "{refused} of {all} were refused");
}
