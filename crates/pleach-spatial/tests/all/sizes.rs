//! Scan and tree at every size: the same nodes in view, and fewer boxes tested.

use crate::common::RandomShapes;
use crate::common::naive_index::{FilterSpec, NaiveIndex};
use crate::common::queries::assert_consistent;
use pleach_graph::{Graph, Transform};
use pleach_spatial::glam::Vec3;
use pleach_spatial::{Aabb, CullMethod, Filter, Frustum, SpatialIndex, Visible};
use testkit::{Rng, sized};

/// Small sizes, multiples of nodes and words, typical sizes to switch at, and one more and one less
/// of each.
const SIZES: [usize; 15] = [0, 1, 2, 7, 8, 9, 63, 64, 65, 499, 500, 501, 4999, 5000, 5001];

/// Creates boxes distributed in a cube of 100 metres.
fn scene(count: usize, random: &mut Rng) -> (Graph, SpatialIndex, NaiveIndex) {
    let mut graph = Graph::new();
    let mut index = SpatialIndex::new(&mut graph);
    let mut naive = NaiveIndex::default();
    for _ in 0..count {
        let node = graph.add_root(random.transform(50.0)).unwrap();
        let local = random.typical_box();
        index.set_bounds(&graph, node, local).unwrap();
        naive.set_bounds(node, local);
    }
    graph.update();
    naive.sync_with(&graph, &mut index);
    (graph, index, naive)
}

fn cull_with(index: &mut SpatialIndex, method: CullMethod, frustum: &Frustum) -> Visible {
    let mut visible = Visible::new();
    index.set_cull_method(method);
    index.cull(frustum, &Filter::default(), &mut visible);
    assert_consistent(&visible);
    visible
}

#[test]
fn scan_and_tree_give_the_same_result_at_every_size() {
    let mut random = Rng::new(95);
    for count in SIZES.into_iter().filter(|&count| count <= sized(5001, 65)) {
        let (mut graph, mut index, mut naive) = scene(count, &mut random);
        // Once as built, once after some nodes have moved.
        for _ in 0..2 {
            let mut in_view = 0;
            for _ in 0..sized(12, 3) {
                let frustum = random.frustum(50.0);
                let expected = naive.cull(&frustum, FilterSpec::default());
                for method in [
                    CullMethod::Scan,
                    CullMethod::Tree,
                    CullMethod::default(),
                    CullMethod::TreeFrom(count),
                ] {
                    let visible = cull_with(&mut index, method, &frustum);
                    assert_eq!(visible.nodes(), expected, "{count} boxes by {method:?}");
                }
                in_view += expected.len();
            }
            assert!(count < 499 || in_view > 0, "some boxes are in view");
            let nodes: Vec<_> = graph.roots().collect();
            for &node in nodes.iter().step_by(7) {
                graph.node_mut(node).unwrap().set_transform(random.transform(50.0)).unwrap();
            }
            graph.update();
            naive.sync_with(&graph, &mut index);
        }
    }
}

#[test]
fn the_tree_tests_fewer_boxes_than_the_scan() {
    let mut random = Rng::new(94);
    let count = sized(5000, 200);
    let (_graph, mut index, _) = scene(count, &mut random);
    let (mut in_view, mut tested) = (0, 0);
    let views = 40;
    for _ in 0..views {
        let camera = random.camera(50.0);
        let frustum = Frustum::from_view_projection(&camera, Default::default()).unwrap();
        let by_tree = cull_with(&mut index, CullMethod::Tree, &frustum);
        let by_scan = cull_with(&mut index, CullMethod::Scan, &frustum);
        assert_eq!(by_scan.boxes_tested(), count);
        assert!(by_tree.used_tree() && !by_scan.used_tree());
        in_view += by_tree.len();
        tested += by_tree.boxes_tested();
    }
    println!("{tested} boxes tested with {in_view} of {} in {views} views", views * count);
    assert!(in_view > 0 && (tested < views * count / 3 || cfg!(miri)), "{tested} tested");
    // With up to eight boxes, all are tested.
    for few in 1..=8 {
        let (_graph, mut index, _) = scene(few, &mut random);
        let visible = cull_with(&mut index, CullMethod::Tree, &random.frustum(50.0));
        assert_eq!(visible.boxes_tested(), few);
    }
    // A frustum that contains nothing or everything tests only the root's boxes.
    for (center, expected) in [(Vec3::splat(900.0), 0), (Vec3::ZERO, count)] {
        let around = Aabb::from_center_half(center, Vec3::splat(200.0));
        let frustum =
            Frustum::from_planes(crate::common::random_shapes::planes_of(&around)).unwrap();
        let visible = cull_with(&mut index, CullMethod::Tree, &frustum);
        assert_eq!(visible.len(), expected);
        assert!(visible.boxes_tested() <= 8, "{} tested", visible.boxes_tested());
    }
}

/// `used_tree` reports the method.
#[test]
#[cfg_attr(miri, ignore = "hundreds of boxes, which take Miri minutes")]
fn the_tree_is_used_from_the_configured_size_on() {
    let mut random = Rng::new(21);
    let size = 8_000;
    let frustum = random.frustum(50.0);
    for count in [size - 1, size, size + 1] {
        let (_graph, mut index, _) = scene(count, &mut random);
        assert_eq!(index.cull_method(), CullMethod::Adaptive);
        let visible = cull_with(&mut index, CullMethod::TreeFrom(size), &frustum);
        assert_eq!(visible.used_tree(), count >= size, "{count} boxes");
        for (size, uses_tree) in [(count, true), (count + 1, false), (0, true), (usize::MAX, false)]
        {
            assert_eq!(
                cull_with(&mut index, CullMethod::TreeFrom(size), &frustum).used_tree(),
                uses_tree
            );
        }
    }
}

/// A single box on, inside and outside the planes.
#[test]
fn scan_and_tree_agree_on_a_single_box() {
    let mut graph = Graph::new();
    let mut index = SpatialIndex::new(&mut graph);
    let node = graph.add_root(Transform::IDENTITY).unwrap();
    let frustum = Aabb::new(Vec3::ZERO, Vec3::ONE);
    let frustum = Frustum::from_planes(crate::common::random_shapes::planes_of(&frustum)).unwrap();
    for (x, in_view) in [(-0.1, false), (0.0, true), (0.5, true), (1.0, true), (1.1, false)] {
        let at = Vec3::new(x, 0.5, 1.0);
        index.set_bounds(&graph, node, Aabb::new(at, at)).unwrap();
        graph.update();
        index.sync(&graph).unwrap();
        for method in [CullMethod::Scan, CullMethod::Tree] {
            assert_eq!(
                cull_with(&mut index, method, &frustum).contains(node),
                in_view,
                "at {x} by {method:?}"
            );
        }
    }
}
