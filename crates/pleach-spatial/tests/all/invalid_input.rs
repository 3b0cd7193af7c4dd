//! Invalid and extreme input: NaN, numbers near the limits of f32, frusta without volume, world
//! transforms that overflow. Each gives a clear error or the documented result; never a panic, an
//! endless loop or a wrong result.

use crate::common::naive_index::{FilterSpec, NaiveIndex};
use crate::common::queries::{Queries, Results};
use crate::common::random_shapes::planes_of;
use pleach_graph::{Graph, NodeId, Transform};
use pleach_spatial::glam::camera::rh::proj::directx;
use pleach_spatial::glam::{Mat4, Vec3};
use pleach_spatial::{
    Aabb, Argument, ClipSpace, CullMethod, CullReason, Error, Filter, Frustum, Plane, Ray, Shape,
    SpatialIndex, Sphere, TriangleTree, Visible,
};
use testkit::Rng;

const NAN: f32 = f32::NAN;
const INF: f32 = f32::INFINITY;
const MAX: f32 = f32::MAX;
const UNIT: Aabb = Aabb::new(Vec3::NEG_ONE, Vec3::ONE);

struct Scene {
    graph: Graph,
    index: SpatialIndex,
    naive: NaiveIndex,
}

impl Scene {
    /// Creates a root for each box.
    fn from_boxes(boxes: &[Aabb]) -> Self {
        let mut graph = Graph::new();
        let index = SpatialIndex::new(&mut graph);
        let mut scene = Self { graph, index, naive: NaiveIndex::default() };
        for &local in boxes {
            let node = scene.graph.add_root(Transform::IDENTITY).unwrap();
            scene.index.set_bounds(&scene.graph, node, local).unwrap();
            scene.naive.set_bounds(node, local);
        }
        scene.frame();
        scene
    }

    fn frame(&mut self) {
        self.graph.update();
        self.naive.sync_with(&self.graph, &mut self.index);
        assert_eq!(self.index.check(), []);
    }

    fn node(&self, slot: usize) -> NodeId {
        self.graph.depth_first().find(|node| node.index() == slot).unwrap()
    }

    #[track_caller]
    fn cull(&mut self, frustum: &Frustum) -> Vec<usize> {
        let [scan, tree] = [CullMethod::Scan, CullMethod::Tree].map(|method| {
            self.index.set_cull_method(method);
            let mut visible = Visible::new();
            self.index.cull(frustum, &Filter::default(), &mut visible);
            visible.nodes().iter().map(|node| node.index()).collect::<Vec<_>>()
        });
        assert_eq!(scan, tree);
        scan
    }

    fn slots(&self, query: impl FnOnce(&SpatialIndex, &mut Vec<NodeId>)) -> Vec<usize> {
        let mut nodes = vec![self.node(0)];
        query(&self.index, &mut nodes);
        nodes.iter().map(|node| node.index()).collect()
    }
}

fn everywhere() -> Frustum {
    Frustum::from_planes([Plane::AT_INFINITY; 6]).unwrap()
}

fn no_filter() -> Filter<'static> {
    Filter::default()
}

// ---- bounds -----------------------------------------------------------------

#[test]
fn bounds_that_are_not_finite_are_an_error_that_names_the_box() {
    let mut scene = Scene::from_boxes(&[UNIT]);
    let node = scene.node(0);
    let one = Vec3::ONE;
    for bounds in [
        Aabb::new(Vec3::new(NAN, 0.0, 0.0), one),
        Aabb::new(Vec3::ZERO, Vec3::new(1.0, NAN, 1.0)),
        Aabb::new(Vec3::NAN, Vec3::NAN),
        Aabb::new(Vec3::ZERO, Vec3::new(1.0, 1.0, INF)),
        Aabb::new(Vec3::new(0.0, -INF, 0.0), one),
        Aabb::new(Vec3::splat(-INF), Vec3::splat(INF)),
        Aabb::new(Vec3::splat(INF), Vec3::splat(INF)),
    ] {
        let error = scene.index.set_bounds(&scene.graph, node, bounds).unwrap_err();
        assert!(
            matches!(error, Error::BoundsNotFinite { node: id, .. } if id == node),
            "{error:?}"
        );
        assert_eq!(
            error.to_string(),
            format!(
                "node 0v1: the bounds are {} to {}; all six numbers must be finite \
                 (use `Aabb::EMPTY` for geometry without vertices)",
                bounds.min, bounds.max,
            ),
        );
        // Unchanged.
        assert_eq!(scene.index.local_bounds(node), Some(UNIT));
        assert_eq!(scene.index.sync(&scene.graph).unwrap().computed, 0);
    }
    assert_eq!(
        Error::BoundsNotFinite { node, bounds: Aabb::new(Vec3::new(NAN, 0.0, 0.0), one) }
            .to_string(),
        "node 0v1: the bounds are [NaN, 0, 0] to [1, 1, 1]; all six numbers must be finite \
         (use `Aabb::EMPTY` for geometry without vertices)",
    );
    assert_eq!(scene.cull(&everywhere()), [0]);
}

#[test]
fn inverted_boxes_remove_the_bounds() {
    for local in [Aabb::EMPTY, Aabb::new(Vec3::ONE, Vec3::NEG_ONE), Aabb::new(Vec3::Y, Vec3::X)] {
        let mut scene = Scene::from_boxes(&[UNIT, UNIT]);
        scene.index.set_bounds(&scene.graph, scene.node(0), local).unwrap();
        assert_eq!(scene.cull(&everywhere()), [1]);
        assert!(!scene.index.contains(scene.node(0)));
    }
}

#[test]
fn errors_name_nodes_that_were_removed_or_have_no_bounds() {
    let mut scene = Scene::from_boxes(&[UNIT]);
    let removed = scene.graph.add_root(Transform::IDENTITY).unwrap();
    let without_bounds = scene.graph.add_root(Transform::IDENTITY).unwrap();
    scene.graph.remove(removed).unwrap();
    let error = scene.index.set_bounds(&scene.graph, removed, UNIT).unwrap_err();
    assert_eq!(error, Error::Graph(pleach_graph::Error::Dead(removed)));
    assert_eq!(error.to_string(), pleach_graph::Error::Dead(removed).to_string());
    // The removed node is reported first, even if the bounds are invalid as well.
    let both = scene.index.set_bounds(&scene.graph, removed, Aabb::new(Vec3::NAN, Vec3::NAN));
    assert_eq!(both, Err(error));
    for error in [
        scene.index.set_layers(without_bounds, 1).unwrap_err(),
        scene.index.set_frustum_culled(without_bounds, true).unwrap_err(),
    ] {
        assert_eq!(
            error.to_string(),
            "node 2v1 has no bounds in this index; call \
             `SpatialIndex::set_bounds` first",
        );
    }
    assert!(!scene.index.remove(without_bounds) && !scene.index.remove(removed));
    assert_eq!(scene.index.subtree_bounds(&scene.graph, removed), None);
    assert_eq!(scene.index.compute_world_bounds(&scene.graph, without_bounds), None);
    assert_eq!(scene.index.len(), 1);
}

/// Returns rays, spheres, boxes and points near both limits of f32.
fn extreme_queries() -> Queries {
    let tiny = f32::from_bits(1);
    let numbers = [0.0, -0.0, tiny, 1e-30, 1.0, 1e19, 5e30, 6.5e36, 1.5e38, MAX];
    let numbers: Vec<f32> = numbers.iter().flat_map(|&it| [it, -it]).collect();
    let mut queries = Queries {
        views: vec![(everywhere(), FilterSpec::default())],
        rays: Vec::new(),
        spheres: Vec::new(),
        boxes: Vec::new(),
        points: Vec::new(),
    };
    for &number in &numbers {
        for position in [Vec3::splat(number), Vec3::new(number, 0.0, 0.0)] {
            for direction in [Vec3::X, Vec3::NEG_X, Vec3::ONE, Vec3::NEG_ONE, Vec3::Z] {
                let ray = Ray::new(position, direction).unwrap();
                queries.rays.push((ray, FilterSpec::default()));
            }
            for radius in [0.0, tiny, 1.0, 1e18, 1e30, INF] {
                queries.spheres.push((Sphere::new(position, radius), FilterSpec::default()));
            }
            queries.boxes.push((Aabb::new(position, position), FilterSpec::default()));
            for &other in &numbers {
                let other = Vec3::splat(other);
                let aabb = Aabb::new(position.min(other), position.max(other));
                queries.boxes.push((aabb, FilterSpec::default()));
            }
        }
    }
    queries
}

fn point(x: f32) -> Aabb {
    Aabb::new(Vec3::splat(x), Vec3::splat(x))
}

fn span(from: f32, to: f32) -> Aabb {
    Aabb::new(Vec3::splat(from), Vec3::splat(to))
}

#[track_caller]
fn assert_matches_naive_index(boxes: &[Aabb]) {
    let mut scene = Scene::from_boxes(boxes);
    let queries = extreme_queries();
    queries.compare(&mut scene.index, &scene.naive);
    // Again after every box was changed, one by one.
    for slot in 0..boxes.len() {
        let node = scene.node(slot);
        let local = boxes[(slot + 5) % boxes.len()];
        scene.index.set_bounds(&scene.graph, node, local).unwrap();
        scene.naive.set_bounds(node, local);
        scene.frame();
    }
    queries.compare(&mut scene.index, &scene.naive);
}

#[test]
fn tiny_to_huge_boxes_match_the_naive_index() {
    let tiny = f32::from_bits(1);
    assert_matches_naive_index(&[
        UNIT,
        point(0.0),
        point(tiny),
        span(-tiny, tiny),
        point(1e-30),
        point(1e19),
        span(1e30, 1e31),
        span(-1e36, 1e36),
        Aabb::new(Vec3::new(1e30, -1.0, -1.0), Vec3::new(2e30, 1.0, 1.0)),
    ]);
}

/// For culling such a box is unbounded; raycasts and proximity queries use its actual bounds.
#[test]
fn boxes_beyond_the_range_of_culling_match_the_naive_index() {
    assert_matches_naive_index(&[
        UNIT,
        span(6e36, 7e36),
        span(1e38, 2e38),
        point(MAX),
        span(-MAX, -1e38),
        span(-MAX, MAX),
        Aabb::new(Vec3::new(1e38, -1.0, -1.0), Vec3::new(2e38, 1.0, 1.0)),
    ]);
}

/// A minimal case of the above.
#[test]
fn a_box_at_1e38_is_found_by_queries() {
    let scene = Scene::from_boxes(&[UNIT, span(1e38, 2e38)]);
    let within = Aabb::from_center_half(Vec3::splat(1.5e38), Vec3::splat(1e30));
    assert_eq!(scene.slots(|index, nodes| index.query_aabb(&within, &no_filter(), nodes)), [1]);
    let sphere = Sphere::new(Vec3::splat(1.5e38), 1.0);
    assert_eq!(scene.slots(|index, nodes| index.query_sphere(&sphere, &no_filter(), nodes)), [1]);
    let ray = Ray::new(Vec3::splat(1.5e38), Vec3::X).unwrap();
    assert_eq!(scene.index.raycast_aabb(&ray, &no_filter()).map(|hit| hit.node.index()), Some(1));
    assert!(scene.index.bounds().contains(&span(-1.0, 2e38)), "{:?}", scene.index.bounds());
}

// ---- world transforms --------------------------------------------------------

/// A scale of 1e30 below another: the graph clamps to `f32::MAX`, and so does the box.
#[test]
fn a_node_whose_world_transform_overflows_has_clamped_bounds() {
    let mut scene = Scene::from_boxes(&[UNIT]);
    let parent = scene.graph.add_root(Transform::from_scale(Vec3::splat(1e30))).unwrap();
    let child = scene.graph.add_child(parent, Transform::from_scale(Vec3::splat(1e30))).unwrap();
    scene.index.set_bounds(&scene.graph, child, UNIT).unwrap();
    scene.naive.set_bounds(child, UNIT);
    scene.frame();
    let all = Aabb::new(Vec3::splat(-MAX), Vec3::splat(MAX));
    assert_eq!(scene.index.world_bounds(child), Some(all));
    let elsewhere = Aabb::from_center_half(Vec3::splat(50.0), Vec3::ONE);
    let elsewhere = Frustum::from_planes(planes_of(&elsewhere)).unwrap();
    assert_eq!(scene.cull(&elsewhere), [child.index()]);
    // Back to a normal scale.
    scene.graph.node_mut(parent).unwrap().set_scale(Vec3::splat(1e-30)).unwrap();
    scene.frame();
    let world = scene.index.world_bounds(child).unwrap();
    assert!((world.max.x - 1.0).abs() < 1e-5, "{world:?}");
    assert_eq!(scene.cull(&elsewhere), []);
}

/// A box that overflows under a finite matrix is clamped to `f32::MAX`.
#[test]
fn a_box_that_overflows_when_transformed_is_clamped() {
    let mut scene = Scene::from_boxes(&[UNIT]);
    let node = scene.graph.add_root(Transform::from_scale(Vec3::splat(1e30))).unwrap();
    scene.index.set_bounds(&scene.graph, node, Aabb::new(Vec3::ZERO, Vec3::splat(1e30))).unwrap();
    scene.naive.set_bounds(node, Aabb::new(Vec3::ZERO, Vec3::splat(1e30)));
    scene.frame();
    let world = Aabb::new(Vec3::ZERO, Vec3::splat(MAX));
    assert_eq!(scene.index.world_bounds(node), Some(world));
    assert_eq!(scene.cull(&Frustum::from_planes(planes_of(&UNIT)).unwrap()), [0, 1]);
}

#[test]
fn nodes_with_a_zero_scale_have_boxes_without_volume() {
    let mut scene = Scene::from_boxes(&[]);
    for scale in [Vec3::ZERO, Vec3::new(1.0, 0.0, 1.0), Vec3::new(0.0, 0.0, 2.0)] {
        let node = scene.graph.add_root(Transform::from_scale(scale)).unwrap();
        scene.index.set_bounds(&scene.graph, node, UNIT).unwrap();
        scene.naive.set_bounds(node, UNIT);
    }
    scene.frame();
    assert_eq!(scene.cull(&Frustum::from_planes(planes_of(&UNIT)).unwrap()), [0, 1, 2]);
    let mut random = Rng::new(3);
    let queries = Queries::random(&mut random, 20, 2.0, &scene.naive);
    queries.compare(&mut scene.index, &scene.naive);
}

// ---- queries -----------------------------------------------------------------

#[test]
fn frusta_without_volume_are_an_error_or_cull_everything() {
    let projection = directx::perspective(1.0, 1.0, 0.1, 100.0);
    let singular = [
        Mat4::ZERO,
        projection * Mat4::from_scale(Vec3::new(1.0, 0.0, 1.0)),
        Mat4::from_scale(Vec3::new(1.0, 1.0, 0.0)),
        // No width: an area of zero.
        directx::orthographic(-1.0, 1.0, -1.0, 1.0, 0.0, 9.0)
            * Mat4::from_scale(Vec3::new(0.0, 1.0, 1.0)),
    ];
    for matrix in singular {
        let error = Frustum::from_view_projection(&matrix, ClipSpace::ZeroToOne).unwrap_err();
        assert_eq!(error, Error::NoVolume, "{matrix}");
    }
    for (matrix, value) in [
        (Mat4::from_translation(Vec3::new(NAN, 0.0, 0.0)), "NaN"),
        (Mat4::from_translation(Vec3::new(INF, 0.0, 0.0)), "inf"),
    ] {
        let error = Frustum::from_view_projection(&matrix, ClipSpace::ZeroToOne).unwrap_err();
        assert!(matches!(error, Error::NotFinite { argument: Argument::ViewProjection, .. }));
        assert_eq!(
            error.to_string(),
            format!(
                "view-projection column 3 row 0 is {value}; it must be finite \
                 (is the camera's transform singular, near = far, or the field of view or aspect ratio zero?)"
            ),
        );
    }
    // Planes with nothing between them: no box is in view.
    let mut scene = Scene::from_boxes(&[UNIT, Aabb::new(Vec3::ZERO, Vec3::ZERO)]);
    let mut nothing = planes_of(&UNIT);
    nothing[0] = Plane::new(Vec3::X, -9.0);
    assert_eq!(scene.cull(&Frustum::from_planes(nothing).unwrap()), []);
    // An area of zero: only boxes that touch it are in view.
    let line = Aabb::new(Vec3::new(0.0, 0.0, -5.0), Vec3::new(0.0, 0.0, 5.0));
    assert_eq!(scene.cull(&Frustum::from_planes(planes_of(&line)).unwrap()), [0, 1]);
    let outside = Aabb::new(Vec3::new(2.0, 0.0, -5.0), Vec3::new(2.0, 0.0, 5.0));
    assert_eq!(scene.cull(&Frustum::from_planes(planes_of(&outside)).unwrap()), []);
}

#[test]
fn a_frustum_at_infinity_contains_every_synced_node() {
    for count in [0, 1, 7, 63, 64, 65, 130] {
        let mut scene = Scene::from_boxes(&vec![UNIT; count]);
        assert!(scene.cull(&everywhere()).into_iter().eq(0..count));
        // Nodes that were not synced yet are not in view.
        let new = scene.graph.add_root(Transform::IDENTITY).unwrap();
        scene.index.set_bounds(&scene.graph, new, UNIT).unwrap();
        assert!(scene.cull(&everywhere()).into_iter().eq(0..count));
        let reason = scene.index.cull_reason(&scene.graph, new, &everywhere(), &no_filter());
        assert_eq!(reason, Ok(CullReason::NoBounds));
    }
}

#[test]
fn rays_without_direction_are_an_error_and_rays_without_distance_hit_nothing() {
    assert_eq!(Ray::new(Vec3::ZERO, Vec3::ZERO), Err(Error::ZeroDirection));
    assert!(Ray::new(Vec3::NAN, Vec3::X).is_err() && Ray::new(Vec3::ZERO, Vec3::INFINITY).is_err());
    let scene = Scene::from_boxes(&[UNIT]);
    let positions = [Vec3::NEG_ONE, Vec3::X, Vec3::Y];
    let triangles = TriangleTree::build(&positions, &[0, 1, 2]).unwrap();
    let shape = |_: NodeId| Some(Shape::new(&triangles));
    let ray = Ray::new(Vec3::ZERO, Vec3::X).unwrap();
    for max_distance in [-1.0, NAN, -INF, -f32::from_bits(1)] {
        let ray = ray.with_max_distance(max_distance);
        assert_eq!(scene.index.raycast_aabb(&ray, &no_filter()), None);
        let mut boxes = vec![];
        scene.index.raycast_aabb_all(&ray, &no_filter(), &mut boxes);
        assert_eq!(boxes, []);
        assert_eq!(scene.index.pick(&scene.graph, &ray, &no_filter(), shape), None);
        let mut hits = vec![];
        scene.index.pick_all(&scene.graph, &ray, &no_filter(), shape, &mut hits);
        assert_eq!(hits, []);
        assert_eq!(triangles.raycast(&ray), None);
    }
    // With a maximum distance of zero a ray still hits the box that it starts in.
    let hit = scene.index.raycast_aabb(&ray.with_max_distance(0.0), &no_filter()).unwrap();
    assert_eq!(hit.distance, 0.0);
}

#[test]
fn invalid_spheres_boxes_and_points_find_nothing() {
    let scene = Scene::from_boxes(&[UNIT, UNIT]);
    for sphere in [
        Sphere::EMPTY,
        Sphere::new(Vec3::ZERO, NAN),
        Sphere::new(Vec3::ZERO, -0.001),
        Sphere::new(Vec3::new(NAN, 0.0, 0.0), 9.0),
        Sphere::new(Vec3::new(INF, 0.0, 0.0), INF),
    ] {
        let found = scene.slots(|index, nodes| index.query_sphere(&sphere, &no_filter(), nodes));
        assert_eq!(found, [], "{sphere:?}");
    }
    let all = Sphere::new(Vec3::splat(1e30), INF);
    assert_eq!(scene.slots(|index, nodes| index.query_sphere(&all, &no_filter(), nodes)), [0, 1]);
    for aabb in [
        Aabb::EMPTY,
        Aabb::new(Vec3::ONE, Vec3::ZERO),
        Aabb::new(Vec3::new(NAN, -1.0, -1.0), Vec3::ONE),
        Aabb::new(Vec3::NEG_ONE, Vec3::new(1.0, 1.0, NAN)),
    ] {
        let found = scene.slots(|index, nodes| index.query_aabb(&aabb, &no_filter(), nodes));
        assert_eq!(found, [], "{aabb:?}");
    }
    let all = Aabb::new(Vec3::splat(-INF), Vec3::splat(INF));
    assert_eq!(scene.slots(|index, nodes| index.query_aabb(&all, &no_filter(), nodes)), [0, 1]);
    let mut near = Vec::new();
    for point in [Vec3::NAN, Vec3::new(0.0, NAN, 0.0), Vec3::INFINITY, Vec3::NEG_INFINITY] {
        scene.index.nearest(point, 2, &no_filter(), &mut near);
        assert_eq!(near, [], "{point}");
    }
    scene.index.nearest(Vec3::ZERO, usize::MAX, &no_filter(), &mut near);
    assert!(near.iter().map(|near| near.node.index()).eq([0, 1]));
    scene.index.nearest(Vec3::ZERO, 0, &no_filter(), &mut near);
    assert_eq!(near, []);
}

/// The squares of such distances overflow or underflow; the distances themselves do not.
#[test]
fn nearest_returns_distances_whose_squares_overflow() {
    let at = |x: f32| Aabb::new(Vec3::new(x, 0.0, 0.0), Vec3::new(x, 0.0, 0.0));
    for distance in [1e30, 1e20, 1e10, 1.0, 1e-15, 1e-25, 1e-30] {
        let scene = Scene::from_boxes(&[at(3.0 * distance), at(distance), at(2.0 * distance)]);
        let mut near = Vec::new();
        scene.index.nearest(Vec3::ZERO, 3, &no_filter(), &mut near);
        let slots: Vec<usize> = near.iter().map(|near| near.node.index()).collect();
        assert_eq!(slots, [1, 2, 0], "at {distance}, nearest first");
        let error = (near[0].distance - distance).abs();
        assert!(error <= 1e-6 * distance, "{} for {distance}", near[0].distance);
    }
}

#[test]
fn queries_of_an_empty_index_find_nothing() {
    let mut scene = Scene::from_boxes(&[]);
    let mut random = Rng::new(5);
    let queries = Queries::random(&mut random, 10, 10.0, &scene.naive);
    queries.compare(&mut scene.index, &scene.naive);
    let results = queries.run(&scene.index);
    assert!(results.views.iter().all(Vec::is_empty));
    assert_ne!(results, Results::default());
    scene.index.rebuild();
    queries.compare(&mut scene.index, &scene.naive);
}

/// With the origin on a face, directions away from it give zeros of either sign; negative zero must
/// not be sorted as the farthest.
#[test]
fn rays_that_start_on_faces_hit_them_at_zero_in_the_order_of_slots() {
    let shifted = |x: f32| Aabb::new(Vec3::new(x, -1.0, -1.0), Vec3::new(x + 1.0, 1.0, 1.0));
    let boxes = [shifted(5.0), shifted(0.0), shifted(-1.0), UNIT, shifted(0.0)];
    let mut scene = Scene::from_boxes(&boxes);
    let mut queries = Queries {
        views: Vec::new(),
        rays: Vec::new(),
        spheres: Vec::new(),
        boxes: Vec::new(),
        points: Vec::new(),
    };
    for x in [-1.0, -0.0, 0.0, 1.0, 5.0, 6.0] {
        for y in [-1.0, -0.0, 1.0] {
            for direction in [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::NEG_ONE, Vec3::ONE]
            {
                let ray = Ray::new(Vec3::new(x, y, -0.0), direction).unwrap();
                queries.rays.push((ray, FilterSpec::default()));
                queries.rays.push((ray.with_max_distance(0.0), FilterSpec::default()));
            }
        }
    }
    queries.compare(&mut scene.index, &scene.naive);
}
