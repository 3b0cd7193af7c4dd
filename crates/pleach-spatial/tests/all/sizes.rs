//! Scan or tree, at every size: the same visible set, and fewer boxes tested.

use crate::common::RandomShapes;
use crate::common::naive_index::{Ask, Model};
use crate::common::queries::assert_whole;
use pleach_graph::{Graph, Transform};
use pleach_spatial::glam::Vec3;
use pleach_spatial::{Aabb, CullMethod, Filter, Frustum, SpatialIndex, Visible};
use testkit::{Rng, sized};

/// The sizes that documents 000 and 002 switch at, whole words and nodes of the tree,
/// and one more and one less.
const SIZES: [usize; 15] = [0, 1, 2, 7, 8, 9, 63, 64, 65, 499, 500, 501, 4999, 5000, 5001];

/// Boxes all over a cube of 100 metres.
fn scene(count: usize, random: &mut Rng) -> (Graph, SpatialIndex, Model) {
    let mut graph = Graph::new();
    let mut index = SpatialIndex::new(&mut graph);
    let mut model = Model::default();
    for _ in 0..count {
        let node = graph.add_root(random.transform(50.0)).unwrap();
        let own = random.usual_box();
        index.set_bounds(&graph, node, own).unwrap();
        model.set_bounds(node, own);
    }
    graph.update();
    model.sync_with(&graph, &mut index);
    (graph, index, model)
}

fn culled(index: &mut SpatialIndex, by: CullMethod, frustum: &Frustum) -> Visible {
    let mut visible = Visible::new();
    index.set_cull_method(by);
    index.cull(frustum, &Filter::default(), &mut visible);
    assert_whole(&visible);
    visible
}

/// M95.
#[test]
fn scan_and_tree_see_the_same_at_every_size() {
    let mut random = Rng::new(95);
    for count in SIZES.into_iter().filter(|&count| count <= sized(5001, 65)) {
        let (mut graph, mut index, mut model) = scene(count, &mut random);
        // Once as it was built, once after a part has moved.
        for _ in 0..2 {
            let mut seen = 0;
            for _ in 0..sized(12, 3) {
                let frustum = random.frustum(50.0);
                let expected = model.cull(&frustum, Ask::default());
                for by in [
                    CullMethod::Scan,
                    CullMethod::Tree,
                    CullMethod::default(),
                    CullMethod::TreeFrom(count),
                ] {
                    let visible = culled(&mut index, by, &frustum);
                    assert_eq!(visible.nodes(), expected, "{count} boxes by {by:?}");
                }
                seen += expected.len();
            }
            assert!(count < 499 || seen > 0, "the frusta see something");
            let nodes: Vec<_> = graph.roots().collect();
            for &node in nodes.iter().step_by(7) {
                graph.node_mut(node).unwrap().set_transform(random.transform(50.0)).unwrap();
            }
            graph.update();
            model.sync_with(&graph, &mut index);
        }
    }
}

/// M94.
#[test]
fn the_tree_tests_fewer_boxes_than_there_are() {
    let mut random = Rng::new(94);
    let count = sized(5000, 200);
    let (_graph, mut index, _) = scene(count, &mut random);
    let (mut seen, mut tested) = (0, 0);
    let views = 40;
    for _ in 0..views {
        let camera = random.camera(50.0);
        let frustum = Frustum::from_view_projection(&camera, Default::default()).unwrap();
        let by_tree = culled(&mut index, CullMethod::Tree, &frustum);
        let by_scan = culled(&mut index, CullMethod::Scan, &frustum);
        assert_eq!(by_scan.boxes_tested(), count);
        assert!(by_tree.used_tree() && !by_scan.used_tree());
        seen += by_tree.len();
        tested += by_tree.boxes_tested();
    }
    println!("{tested} boxes tested to see {seen} of {} in {views} views", views * count);
    assert!(seen > 0 && (tested < views * count / 3 || cfg!(miri)), "{tested} tested");
    // A few boxes are all tested.
    for few in 1..=8 {
        let (_graph, mut index, _) = scene(few, &mut random);
        let visible = culled(&mut index, CullMethod::Tree, &random.frustum(50.0));
        assert_eq!(visible.boxes_tested(), few);
    }
    // A frustum that sees nothing tests a handful, and one that holds all no more.
    for (place, expected) in [(Vec3::splat(900.0), 0), (Vec3::ZERO, count)] {
        let around = Aabb::from_center_half(place, Vec3::splat(200.0));
        let frustum =
            Frustum::from_planes(crate::common::random_shapes::planes_of(&around)).unwrap();
        let visible = culled(&mut index, CullMethod::Tree, &frustum);
        assert_eq!(visible.len(), expected);
        assert!(visible.boxes_tested() <= 8, "{} tested", visible.boxes_tested());
    }
}

/// C21: the default is a number, and what it switches is told.
#[test]
#[cfg_attr(miri, ignore = "hundreds of boxes, which take Miri minutes")]
fn the_switch_is_where_it_was_set() {
    let mut random = Rng::new(21);
    let CullMethod::TreeFrom(default) = CullMethod::default() else {
        panic!("the default is by size")
    };
    let frustum = random.frustum(50.0);
    for count in [default.saturating_sub(1), default, default + 1] {
        let (_graph, mut index, _) = scene(count, &mut random);
        assert_eq!(index.cull_method(), CullMethod::TreeFrom(default));
        let visible = culled(&mut index, CullMethod::default(), &frustum);
        assert_eq!(visible.used_tree(), count >= default, "{count} boxes");
        for (size, by_tree) in [(count, true), (count + 1, false), (0, true), (usize::MAX, false)] {
            assert_eq!(
                culled(&mut index, CullMethod::TreeFrom(size), &frustum).used_tree(),
                by_tree
            );
        }
    }
}

/// One box exactly: on and beside the planes.
#[test]
fn one_box_is_seen_or_not_by_scan_and_tree_alike() {
    let mut graph = Graph::new();
    let mut index = SpatialIndex::new(&mut graph);
    let node = graph.add_root(Transform::IDENTITY).unwrap();
    let frustum = Aabb::new(Vec3::ZERO, Vec3::ONE);
    let frustum = Frustum::from_planes(crate::common::random_shapes::planes_of(&frustum)).unwrap();
    for (x, seen) in [(-0.1, false), (0.0, true), (0.5, true), (1.0, true), (1.1, false)] {
        let at = Vec3::new(x, 0.5, 1.0);
        index.set_bounds(&graph, node, Aabb::new(at, at)).unwrap();
        graph.update();
        index.sync(&graph).unwrap();
        for by in [CullMethod::Scan, CullMethod::Tree] {
            assert_eq!(culled(&mut index, by, &frustum).contains(node), seen, "at {x} by {by:?}");
        }
    }
}
