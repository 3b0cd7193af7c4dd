//! Attaching and detaching in place: world transforms are kept, whatever shear the
//! new parents introduce.

use pleach_graph::glam::{DMat4, DVec4, Mat4, Quat, Vec3};
use pleach_graph::{Error, Graph, LocalKind, NodeId, Transform};
use testkit::Rng;

use crate::common::{
    self, RandomTransform, add_named, assert_consistent, bits, chain, corners, dump, node, seeds,
};

/// The maximum distance by which the corners of a cube of side 2 around a node
/// moved, and the size of that cube in world space.
fn drift(before: DMat4, after: DMat4) -> (f64, f64) {
    let error = corners().map(|corner| (before * corner - after * corner).length());
    let distance = |corner: DVec4| (before * corner - before * DVec4::W).length();
    (error.fold(0.0, f64::max), 2.0 * corners().map(distance).fold(0.0, f64::max))
}

fn world(graph: &Graph, id: NodeId) -> DMat4 {
    node(graph, id).compute_world().as_dmat4()
}

/// A forest of chains, rotated and non-uniformly scaled, so that there is shear.
fn shearing_chains(random: &mut Rng, count: usize, length: usize) -> (Graph, Vec<NodeId>) {
    let mut graph = Graph::new();
    let mut nodes = Vec::new();
    for _ in 0..count {
        let path = chain(&mut graph, length);
        for &id in &path {
            let transform = random.transform().with_translation(random.vec3(2.0));
            graph.node_mut(id).unwrap().set_transform(transform).unwrap();
        }
        nodes.extend(path);
    }
    (graph, nodes)
}

#[test]
fn attach_in_place_keeps_the_world_transform_below_any_parent() {
    let mut worst: f64 = 0.0;
    for seed in seeds(200) {
        let mut random = Rng::new(seed);
        let (mut graph, parents) = shearing_chains(&mut random, 3, 4);
        let first_parent = random.pick(&parents);
        let id = graph.add_child(first_parent, random.transform()).unwrap();
        let below = graph.add_child(id, random.transform()).unwrap();
        let before = [id, below].map(|id| world(&graph, id));
        for _ in 0..6 {
            let kind = graph.attach_in_place(id, random.pick(&parents)).unwrap();
            assert_eq!(
                kind == LocalKind::Matrix,
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
        graph.attach_in_place(id, first_parent).unwrap();
        graph.update();
        for (id, before) in [id, below].into_iter().zip(before) {
            let (error, size) = drift(before, world(&graph, id));
            worst = worst.max(error / size);
            assert!(error < 1e-4 * size, "{id} moved by {error} of {size}, seed {seed}");
        }
        assert_eq!(node(&graph, id).parent(), Some(first_parent));
        assert_consistent(&graph);
    }
    println!("maximum drift: {worst:e} of the size");
}

#[test]
fn attach_in_place_below_a_uniform_scale_keeps_a_transform() {
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

#[test]
fn attach_in_place_of_a_rotated_node_below_a_non_uniform_scale_yields_a_matrix() {
    let mut graph = Graph::new();
    let cart = graph.add_root(Transform::from_scale(Vec3::new(4.0, 1.0, 1.0))).unwrap();
    let cat = graph.add_root(Transform::from_rotation(Quat::from_rotation_z(0.7))).unwrap();
    let before = world(&graph, cat);
    assert_eq!(graph.attach_in_place(cat, cart), Ok(LocalKind::Matrix));
    assert!(node(&graph, cat).has_local_matrix());
    assert!(drift(before, world(&graph, cat)).0 < 1e-6);
    // Detached, it has a transform again.
    assert_eq!(graph.detach_in_place(cat), Ok(LocalKind::Transform));
    assert!(!node(&graph, cat).has_local_matrix());
    assert!(drift(before, world(&graph, cat)).0 < 1e-6);
    assert_consistent(&graph);
}

#[test]
fn detach_in_place_keeps_the_world_transform() {
    for seed in seeds(100) {
        let mut random = Rng::new(seed);
        let (mut graph, nodes) = shearing_chains(&mut random, 1, 5);
        let id = nodes[1 + random.below(4)];
        let before = node(&graph, id).compute_world();
        let kind = graph.detach_in_place(id).unwrap();
        let after = node(&graph, id).compute_world();
        match kind {
            LocalKind::Matrix => assert_eq!(bits(after), bits(before), "bit for bit, seed {seed}"),
            LocalKind::Transform => {
                let (error, size) = drift(before.as_dmat4(), after.as_dmat4());
                assert!(error < 1e-5 * size, "{error} of {size}, seed {seed}");
            }
        }
        assert_eq!(node(&graph, id).parent(), None);
        assert!(graph.roots().last() == Some(id));
        graph.update();
        assert_consistent(&graph);
    }
}

#[test]
fn detach_in_place_of_a_root_returns_its_local_kind() {
    let mut graph = Graph::new();
    let id = graph.add_root(Transform::IDENTITY).unwrap();
    assert_eq!(graph.detach_in_place(id), Ok(LocalKind::Transform));
    graph.node_mut(id).unwrap().set_local_matrix(Mat4::IDENTITY).unwrap();
    assert_eq!(graph.detach_in_place(id), Ok(LocalKind::Matrix));
}

#[test]
fn attach_in_place_uses_up_to_date_world_transforms() {
    let mut graph = Graph::new();
    let old = graph.add_root(Transform::IDENTITY).unwrap();
    let new = graph.add_root(Transform::IDENTITY).unwrap();
    let id = graph.add_child(old, Transform::from_xyz(1.0, 0.0, 0.0)).unwrap();
    graph.update();
    common::move_to(&mut graph, old, Vec3::new(0.0, 5.0, 0.0));
    common::move_to(&mut graph, new, Vec3::new(0.0, 0.0, 7.0));
    graph.attach_in_place(id, new).unwrap();
    assert_eq!(node(&graph, id).translation(), Vec3::new(1.0, 5.0, -7.0));
    graph.update();
    assert_eq!(node(&graph, id).world_translation(), Vec3::new(1.0, 5.0, 0.0));
}

#[test]
fn attach_in_place_appends_and_keeps_the_descendants_in_place() {
    let mut graph = Graph::new();
    let parent = graph.add_root(Transform::from_xyz(1.0, 2.0, 3.0)).unwrap();
    let first = graph.add_child(parent, Transform::IDENTITY).unwrap();
    let path = chain(&mut graph, 3);
    let before: Vec<Mat4> = path.iter().map(|&id| node(&graph, id).compute_world()).collect();
    graph.attach_in_place(path[0], parent).unwrap();
    assert_eq!(common::children(&graph, parent), [first, path[0]]);
    graph.update();
    for (&id, before) in path.iter().zip(before) {
        assert!(node(&graph, id).world().abs_diff_eq(before, 1e-6));
    }
    // Attached to its current parent, it only becomes the last child.
    graph.attach_in_place(first, parent).unwrap();
    assert_eq!(common::children(&graph, parent), [path[0], first]);
}

#[test]
fn attach_in_place_to_a_singular_parent_is_rejected() {
    let singular_scales = [Vec3::new(0.0, 1.0, 1.0), Vec3::new(1.0, -0.0, 0.0), Vec3::ZERO];
    for scale in singular_scales {
        let mut graph = Graph::new();
        let singular = add_named(&mut graph, None, "singular");
        graph.node_mut(singular).unwrap().set_scale(scale).unwrap();
        let below = graph.add_child(singular, Transform::IDENTITY).unwrap();
        let id = add_named(&mut graph, None, "box");
        graph.update();
        let before = dump(&graph);
        for parent in [singular, below] {
            let error = graph.attach_in_place(id, parent).unwrap_err();
            let Error::SingularParent { child, parent: reported } = &error else {
                panic!("{error}")
            };
            assert_eq!((child.node, reported.node), (id, parent), "{scale}");
            assert_eq!(dump(&graph), before, "{scale}");
        }
        assert_eq!(
            graph.attach_in_place(id, singular).unwrap_err().to_string(),
            "2v1 \"box\" cannot be placed in world space below 0v1 \"singular\": the world transform of \
             0v1 \"singular\" is singular (a scale of zero, or nearly) and has no inverse; give it a scale \
             first",
        );
        graph.attach(id, singular).unwrap();
        assert_consistent(&graph);
    }
}

#[test]
fn attach_in_place_of_a_singular_child_keeps_its_world_transform() {
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

/// Nearly singular parents: the world transform is kept, or the call is rejected.
#[test]
fn attach_in_place_to_a_nearly_singular_parent_is_exact_or_rejected() {
    let mut rejected = 0;
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
                let distance = before.w_axis.length().max(size);
                assert!(error < 2e-3 * distance, "{error} of {size} below {scale}, seed {seed}");
            }
            Err(error) => {
                assert!(matches!(error, Error::SingularParent { .. }), "{error}, seed {seed}");
                assert_eq!(dump(&graph), text, "seed {seed}");
                rejected += 1;
            }
        }
    }
    let all = seeds.end;
    assert!(cfg!(miri) || (rejected > 0 && rejected < all), "{rejected} of {all} were rejected");
}
