//! Setters and getters in world space, relative moves, and products of transforms,
//! compared with f64.

use pleach_graph::glam::{DMat3, DMat4, DVec3, Mat4, Quat, Vec3};
use pleach_graph::{Error, Graph, LocalKind, NodeId, Transform};
use testkit::Rng;

use crate::common::{RandomTransform, node, reference_local, reference_world, seeds};

/// A chain of four nodes with non-uniform scales, of which any may be dirty and one
/// may have a sheared local matrix. Returns the last.
fn chain(random: &mut Rng) -> (Graph, NodeId) {
    let mut graph = Graph::new();
    let mut nodes = vec![graph.add_root(random.transform()).unwrap()];
    for _ in 0..3 {
        nodes.push(graph.add_child(nodes[nodes.len() - 1], random.transform()).unwrap());
    }
    if random.one_in(3) {
        let sheared = random.transform().to_matrix() * random.transform().to_matrix();
        let index = random.below(4);
        graph.node_mut(nodes[index]).unwrap().set_local_matrix(sheared).unwrap();
    }
    graph.update();
    for &node in &nodes {
        if random.one_in(2) {
            graph.node_mut(node).unwrap().set_translation(random.vec3(10.0)).unwrap();
        }
    }
    (graph, nodes[3])
}

fn position(graph: &Graph, id: NodeId) -> DVec3 {
    reference_world(node(graph, id)).0.w_axis.truncate()
}

/// Returns the world matrix without its translation, computed in f64.
fn linear(graph: &Graph, id: NodeId) -> DMat3 {
    DMat3::from_mat4(reference_world(node(graph, id)).0)
}

#[test]
fn set_world_translation_moves_only_the_origin() {
    for seed in seeds(300) {
        let mut random = Rng::new(seed);
        let (mut graph, id) = chain(&mut random);
        let (target, before) = (random.vec3(20.0), linear(&graph, id));
        graph.node_mut(id).unwrap().set_world_translation(target).unwrap();
        let error = (position(&graph, id) - target.as_dvec3()).length();
        assert!(error < 3e-5, "seed {seed}: {error}");
        assert!(linear(&graph, id).abs_diff_eq(before, 1e-12), "seed {seed}");
        graph.update();
        let stored = node(&graph, id).world_translation();
        assert!(stored.abs_diff_eq(target, 1e-4), "seed {seed}: {stored} {target}");
    }
}

#[test]
fn set_world_rotation_aligns_the_axes_in_f64() {
    for seed in seeds(300) {
        let mut random = Rng::new(seed);
        let (mut graph, id) = chain(&mut random);
        let target = random.rotation();
        let scale = node(&graph, id).scale();
        graph.node_mut(id).unwrap().set_world_rotation(target).unwrap();
        assert_eq!(node(&graph, id).scale(), scale);
        // The own x axis, without the sign of its scale, points along the rotated x axis.
        let exact = target.as_dquat().normalize();
        let world = linear(&graph, id);
        let sign = |scale: f32| f64::from(scale.signum());
        let x = (world.x_axis * sign(scale.x)).normalize();
        assert!((x - exact * DVec3::X).length() < 3e-6, "seed {seed}: {x}");
        let y = world.y_axis * sign(scale.y);
        assert!(y.dot(exact * DVec3::Z).abs() < 5e-6 * y.length(), "seed {seed}");
        assert!(y.dot(exact * DVec3::Y) > 0.0, "seed {seed}");
        graph.update();
        let read = node(&graph, id).world_rotation();
        assert!(read.dot(target).abs() > 1.0 - 1e-6, "seed {seed}: {read} {target}");
    }
}

#[test]
fn a_rotation_below_rotated_and_uniformly_scaled_parents_is_the_product_of_rotations() {
    for seed in seeds(50) {
        let mut random = Rng::new(seed);
        let mut graph = Graph::new();
        let uniform =
            |random: &mut Rng| random.transform().with_scale(Vec3::splat(random.between(0.3, 3.0)));
        let parent = graph.add_root(uniform(&mut random)).unwrap();
        let child = graph.add_child(parent, uniform(&mut random)).unwrap();
        graph.update();
        let [a, b] = [parent, child].map(|id| node(&graph, id).rotation().as_dquat());
        let world = node(&graph, child).world_transform();
        assert!(
            world.rotation.as_dquat().normalize().dot((a * b).normalize()).abs() > 1.0 - 1e-12,
            "seed {seed}"
        );
        let scale = node(&graph, parent).scale() * node(&graph, child).scale();
        assert!(world.scale.abs_diff_eq(scale, 1e-5), "seed {seed}");
        assert!(world.to_matrix().abs_diff_eq(node(&graph, child).world(), 1e-4), "seed {seed}");
    }
}

#[test]
fn set_world_matrix_is_exact_for_any_affine_matrix() {
    for seed in seeds(300) {
        let mut random = Rng::new(seed);
        let (mut graph, id) = chain(&mut random);
        let target = if random.one_in(2) {
            random.transform().to_matrix()
        } else {
            random.transform().to_matrix() * random.transform().to_matrix()
        };
        let kind = graph.node_mut(id).unwrap().set_world_matrix(target).unwrap();
        let is_matrix = node(&graph, id).has_local_matrix();
        assert_eq!(is_matrix, kind == LocalKind::Matrix, "seed {seed}");
        let reached = reference_world(node(&graph, id)).0;
        assert!(reached.abs_diff_eq(target.as_dmat4(), 1e-4), "seed {seed}: {reached} {target}");
    }
}

#[test]
fn a_root_gets_exactly_what_is_set_in_world_space() {
    let mut random = Rng::new(1);
    let mut graph = Graph::new();
    let id = graph.add_root(random.transform()).unwrap();
    let (position, rotation) = (random.vec3(5.0), random.rotation());
    let mut root = graph.node_mut(id).unwrap();
    root.set_world_translation(position).unwrap().set_world_rotation(rotation).unwrap();
    assert_eq!((root.translation(), root.rotation()), (position, rotation));
    let matrix = random.transform().to_matrix();
    assert_eq!(root.set_world_matrix(matrix).unwrap(), LocalKind::Transform);
    assert!(root.compute_world().abs_diff_eq(matrix, 1e-5));
}

#[test]
fn the_world_transform_of_a_root_is_its_own_even_if_it_mirrors() {
    let mut graph = Graph::new();
    for seed in seeds(30) {
        let own = Rng::new(seed).transform();
        let id = graph.add_root(own).unwrap();
        assert_eq!(node(&graph, id).world_transform(), Transform::IDENTITY);
        graph.update();
        let world = node(&graph, id).world_transform();
        assert_eq!(world.translation, own.translation);
        assert!(world.rotation.dot(own.rotation).abs() > 1.0 - 1e-6, "seed {seed}");
        assert!(world.scale.abs_diff_eq(own.scale, 1e-6), "seed {seed}: {world:?} {own:?}");
    }
}

#[test]
fn below_a_singular_parent_world_setters_are_rejected_and_change_nothing() {
    for flat in [Vec3::new(1.0, 0.0, 1.0), Vec3::ZERO, Vec3::new(1e-30, 1e30, 1.0)] {
        let mut graph = Graph::new();
        let parent = graph.add_root(Transform::from_scale(flat)).unwrap();
        let id = graph.add_child(parent, Transform::from_xyz(1.0, 2.0, 3.0)).unwrap();
        graph.update();
        let before = node(&graph, id).transform();
        let mut child = graph.node_mut(id).unwrap();
        let matrix = child.set_world_matrix(Mat4::from_translation(Vec3::ONE)).map(drop);
        let translation = child.set_world_translation(Vec3::ONE).map(drop);
        let rotation = child.set_world_rotation(Quat::from_xyzw(0.6, 0.0, 0.0, 0.8)).map(drop);
        for result in [matrix, translation, rotation] {
            if flat.min_element() == 0.0 {
                assert!(matches!(result, Err(Error::SingularParent { .. })), "{flat}: {result:?}");
            }
        }
        if flat.min_element() == 0.0 {
            assert_eq!(node(&graph, id).transform(), before);
            assert!(!node(&graph, id).is_dirty());
        }
        assert_eq!(graph.check(), []);
    }
}

#[test]
fn world_setters_reject_invalid_input() {
    let mut graph = Graph::new();
    let parent = graph.add_root(Transform::IDENTITY).unwrap();
    let id = graph.add_child(parent, Transform::IDENTITY).unwrap();
    graph.update();
    let mut child = graph.node_mut(id).unwrap();
    let bad = Vec3::new(0.0, f32::NAN, 0.0);
    let bad_rotation = Quat::from_xyzw(f32::INFINITY, 0.0, 0.0, 1.0);
    let projection = Mat4::from_cols_array(&[1.0; 16]);
    let results = [
        child.set_world_translation(bad).map(drop),
        child.set_world_rotation(bad_rotation).map(drop),
        child.set_world_matrix(Mat4::from_translation(bad)).map(drop),
        child.translate(bad).map(drop),
        child.translate_local(bad).map(drop),
        child.rotate(bad_rotation).map(drop),
        child.rotate_local(bad_rotation).map(drop),
        child.translate(Vec3::MAX).and_then(|child| child.translate(Vec3::MAX)).map(drop),
    ];
    for result in results {
        assert!(matches!(result, Err(Error::NotFinite { .. })), "{result:?}");
    }
    let zero = Quat::from_xyzw(0.0, 0.0, 0.0, 0.0);
    for result in [child.set_world_rotation(zero).map(drop), child.rotate(zero).map(drop)] {
        assert!(matches!(result, Err(Error::ZeroRotation(_))), "{result:?}");
    }
    let result = child.set_world_matrix(projection);
    assert!(matches!(result, Err(Error::NotAffine { .. })), "{result:?}");
}

#[test]
fn relative_moves_and_rotations_agree_with_f64() {
    for seed in seeds(200) {
        let mut random = Rng::new(seed);
        let (mut graph, id) = chain(&mut random);
        let (offset, turn) = (random.vec3(3.0), random.rotation());
        let local = |graph: &Graph| reference_local(node(graph, id));
        let rotation = DMat4::from_quat(turn.as_dquat());

        let before = local(&graph);
        graph.node_mut(id).unwrap().translate(offset).unwrap();
        let expected = DMat4::from_translation(offset.as_dvec3()) * before;
        assert!(local(&graph).abs_diff_eq(expected, 2e-6), "seed {seed}: translate");

        let before = local(&graph);
        let own = node(&graph, id).rotation().as_dquat().normalize();
        graph.node_mut(id).unwrap().translate_local(offset).unwrap();
        let expected = DMat4::from_translation(own * offset.as_dvec3()) * before;
        assert!(local(&graph).abs_diff_eq(expected, 2e-6), "seed {seed}: translate_local");

        let before = local(&graph);
        graph.node_mut(id).unwrap().rotate(turn).unwrap();
        let mut expected = rotation * before;
        expected.w_axis = before.w_axis;
        assert!(local(&graph).abs_diff_eq(expected, 5e-6), "seed {seed}: rotate");

        // In its own space, before its scale is applied: only for nodes without a matrix
        // does the scale come between.
        let (before, is_matrix) = (local(&graph), node(&graph, id).has_local_matrix());
        let (own, scale) = (node(&graph, id).rotation(), node(&graph, id).scale());
        graph.node_mut(id).unwrap().rotate_local(turn).unwrap();
        let mut expected = if is_matrix {
            before * rotation
        } else {
            DMat4::from_quat(own.as_dquat()) * rotation * DMat4::from_scale(scale.as_dvec3())
        };
        expected.w_axis = before.w_axis;
        assert!(local(&graph).abs_diff_eq(expected, 5e-6), "seed {seed}: rotate_local");
        assert_eq!(node(&graph, id).has_local_matrix(), is_matrix);
    }
}

#[test]
fn the_getters_of_a_mutable_view_are_those_of_the_view() {
    let mut graph = Graph::new();
    let parent = graph.add_root(Transform::from_xyz(0.0, 0.0, 1.0)).unwrap();
    let own = Rng::new(5).transform();
    let id = graph.add_child(parent, own).unwrap();
    let mut child = graph.node_mut(id).unwrap();
    child.set_name("child").set_visible(false);
    assert_eq!((child.id(), child.parent(), child.name()), (id, Some(parent), Some("child")));
    assert_eq!((child.transform(), child.is_visible()), (own, false));
    assert_eq!(
        (child.translation(), child.rotation(), child.scale()),
        (own.translation, own.rotation, own.scale)
    );
    assert_eq!(child.compute_world(), child.as_node_ref().compute_world());
}

#[test]
fn products_of_transforms_agree_with_products_of_matrices_where_there_is_no_shear() {
    for seed in seeds(200) {
        let mut random = Rng::new(seed);
        let uniform = random.between(-2.0, 2.0);
        let a = random.transform().with_scale(Vec3::splat(uniform));
        let b = random.transform();
        let exact = |it: Transform| {
            DMat4::from_scale_rotation_translation(
                it.scale.as_dvec3(),
                it.rotation.as_dquat(),
                it.translation.as_dvec3(),
            )
        };
        let product = exact(a * b);
        assert!(product.abs_diff_eq(exact(a) * exact(b), 1e-5), "seed {seed}");
        // Not rotated on the right side.
        let (a, b) = (random.transform(), b.with_rotation(Quat::IDENTITY));
        let product = exact(a * b);
        assert!(product.abs_diff_eq(exact(a) * exact(b), 2e-5), "seed {seed}");
        // A point.
        let point = random.vec3(5.0);
        let expected = exact(a).transform_point3(point.as_dvec3());
        assert!(((a * point).as_dvec3() - expected).length() < 2e-6, "seed {seed}");
        assert_eq!(Transform::IDENTITY * point, point);
    }
}

#[test]
fn a_sheared_product_is_the_nearest_transform_and_keeps_the_first_axis() {
    for seed in seeds(100) {
        let mut random = Rng::new(seed);
        let (a, b) = (random.transform(), random.transform());
        let product = a * b;
        let matrix = a.to_matrix().as_dmat4() * b.to_matrix().as_dmat4();
        let x = product.to_matrix().as_dmat4().x_axis;
        assert!(
            (x - matrix.x_axis).length() < 1e-5 * (1.0 + matrix.x_axis.length()),
            "seed {seed}"
        );
        let translation = product.translation.as_dvec3() - matrix.w_axis.truncate();
        assert!(translation.length() < 1e-5, "seed {seed}");
        assert!((product.rotation.length() - 1.0).abs() < 1e-6);
    }
    let huge = Transform::from_scale(Vec3::new(1e30, 2e30, 3e30)).with_translation(Vec3::MAX);
    let product = huge * huge.with_rotation(Quat::from_xyzw(0.6, 0.0, 0.0, 0.8));
    assert!(product.translation.is_finite() && product.scale.is_finite(), "{product:?}");
    assert!(product.rotation.is_finite());
}

#[test]
fn from_matrix_reproduces_composed_matrices() {
    for seed in seeds(100) {
        let own = Rng::new(seed).transform();
        let matrix = own.to_matrix();
        let read = Transform::from_matrix(&matrix);
        assert!(read.to_matrix().abs_diff_eq(matrix, 2e-6), "seed {seed}: {read:?} {own:?}");
    }
}
