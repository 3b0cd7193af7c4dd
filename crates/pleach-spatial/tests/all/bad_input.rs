//! Bad input: numbers that are none, boxes at the ends of f32, frusta that show
//! nothing, worlds that overflow. A clear error or the documented answer; never a
//! panic, a hang or a wrong "visible".

use crate::common::model::{Ask, Model};
use crate::common::questions::{Answers, Questions};
use crate::common::random::planes_of;
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
    model: Model,
}

impl Scene {
    /// A root for each box, where the box is.
    fn of(boxes: &[Aabb]) -> Self {
        let mut graph = Graph::new();
        let index = SpatialIndex::new(&mut graph);
        let mut scene = Self { graph, index, model: Model::default() };
        for &own in boxes {
            let node = scene.graph.add_root(Transform::IDENTITY).unwrap();
            scene.index.set_bounds(&scene.graph, node, own).unwrap();
            scene.model.set_bounds(node, own);
        }
        scene.frame();
        scene
    }

    fn frame(&mut self) {
        self.graph.update();
        self.model.sync_with(&self.graph, &mut self.index);
        assert_eq!(self.index.check(), Vec::<String>::new());
    }

    fn node(&self, slot: usize) -> NodeId {
        self.graph.depth_first().find(|node| node.index() == slot).unwrap()
    }

    #[track_caller]
    fn seen(&mut self, frustum: &Frustum) -> Vec<usize> {
        let [scan, tree] = [CullMethod::Scan, CullMethod::Tree].map(|by| {
            self.index.set_cull_method(by);
            let mut visible = Visible::new();
            self.index.cull(frustum, &Filter::default(), &mut visible);
            visible.nodes().iter().map(|node| node.index()).collect::<Vec<_>>()
        });
        assert_eq!(scan, tree);
        scan
    }

    fn slots(&self, ask: impl FnOnce(&SpatialIndex, &mut Vec<NodeId>)) -> Vec<usize> {
        let mut nodes = vec![self.node(0)];
        ask(&self.index, &mut nodes);
        nodes.iter().map(|node| node.index()).collect()
    }
}

fn everywhere() -> Frustum {
    Frustum::from_planes([Plane::AT_INFINITY; 6]).unwrap()
}

fn usual() -> Filter<'static> {
    Filter::default()
}

// ---- bounds -----------------------------------------------------------------

#[test]
fn bounds_that_are_not_finite_are_refused_with_the_box_and_the_way_out() {
    let mut scene = Scene::of(&[UNIT]);
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
        let refused = scene.index.set_bounds(&scene.graph, node, bounds).unwrap_err();
        assert!(
            matches!(refused, Error::BoundsNotFinite { node: of, .. } if of == node),
            "{refused:?}"
        );
        assert_eq!(
            refused.to_string(),
            format!(
                "node 0v1: bounds from {} to {}; all six numbers must be finite \
                 (`Aabb::EMPTY` for geometry without vertices)",
                bounds.min, bounds.max,
            ),
        );
        // As it was.
        assert_eq!(scene.index.local_bounds(node), Some(UNIT));
        assert_eq!(scene.index.sync(&scene.graph).unwrap().computed, 0);
    }
    assert_eq!(
        Error::BoundsNotFinite { node, bounds: Aabb::new(Vec3::new(NAN, 0.0, 0.0), one) }
            .to_string(),
        "node 0v1: bounds from [NaN, 0, 0] to [1, 1, 1]; all six numbers must be finite \
         (`Aabb::EMPTY` for geometry without vertices)",
    );
    assert_eq!(scene.seen(&everywhere()), [0]);
}

#[test]
fn boxes_inside_out_are_no_bounds() {
    for own in [Aabb::EMPTY, Aabb::new(Vec3::ONE, Vec3::NEG_ONE), Aabb::new(Vec3::Y, Vec3::X)] {
        let mut scene = Scene::of(&[UNIT, UNIT]);
        scene.index.set_bounds(&scene.graph, scene.node(0), own).unwrap();
        assert_eq!(scene.seen(&everywhere()), [1]);
        assert!(!scene.index.contains(scene.node(0)));
    }
}

#[test]
fn nodes_that_are_dead_or_without_bounds_are_named() {
    let mut scene = Scene::of(&[UNIT]);
    let dead = scene.graph.add_root(Transform::IDENTITY).unwrap();
    let bare = scene.graph.add_root(Transform::IDENTITY).unwrap();
    scene.graph.remove(dead).unwrap();
    let refused = scene.index.set_bounds(&scene.graph, dead, UNIT).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "node 1v1 is not in this graph: it was removed, or belongs to another graph",
    );
    // Dead comes first: bad bounds of a dead node are not the point.
    let both = scene.index.set_bounds(&scene.graph, dead, Aabb::new(Vec3::NAN, Vec3::NAN));
    assert_eq!(both, Err(refused));
    for refused in [
        scene.index.set_layers(bare, 1).unwrap_err(),
        scene.index.set_frustum_culled(bare, true).unwrap_err(),
    ] {
        assert_eq!(
            refused.to_string(),
            "node 2v1 has no bounds in this index; give it some with \
             `SpatialIndex::set_bounds` first",
        );
    }
    assert!(!scene.index.remove(bare) && !scene.index.remove(dead));
    assert_eq!(scene.index.subtree_bounds(&scene.graph, dead), None);
    assert_eq!(scene.index.compute_world_bounds(&scene.graph, bare), None);
    assert_eq!(scene.index.len(), 1);
}

/// Rays, spheres, boxes and points at both ends of f32.
fn extreme_questions() -> Questions {
    let tiny = f32::from_bits(1);
    let numbers = [0.0, -0.0, tiny, 1e-30, 1.0, 1e19, 5e30, 6.5e36, 1.5e38, MAX];
    let numbers: Vec<f32> = numbers.iter().flat_map(|&it| [it, -it]).collect();
    let mut questions = Questions {
        views: vec![(everywhere(), Ask::default())],
        rays: Vec::new(),
        spheres: Vec::new(),
        boxes: Vec::new(),
        points: Vec::new(),
    };
    for &number in &numbers {
        for place in [Vec3::splat(number), Vec3::new(number, 0.0, 0.0)] {
            for direction in [Vec3::X, Vec3::NEG_X, Vec3::ONE, Vec3::NEG_ONE, Vec3::Z] {
                let ray = Ray::new(place, direction).unwrap();
                questions.rays.push((ray, Ask::default()));
            }
            for radius in [0.0, tiny, 1.0, 1e18, 1e30, INF] {
                questions.spheres.push((Sphere::new(place, radius), Ask::default()));
            }
            questions.boxes.push((Aabb::new(place, place), Ask::default()));
            for &other in &numbers {
                let other = Vec3::splat(other);
                let aabb = Aabb::new(place.min(other), place.max(other));
                questions.boxes.push((aabb, Ask::default()));
            }
        }
    }
    questions
}

fn point(x: f32) -> Aabb {
    Aabb::new(Vec3::splat(x), Vec3::splat(x))
}

fn span(from: f32, to: f32) -> Aabb {
    Aabb::new(Vec3::splat(from), Vec3::splat(to))
}

#[track_caller]
fn assert_found_as_by_hand(boxes: &[Aabb]) {
    let mut scene = Scene::of(boxes);
    let questions = extreme_questions();
    questions.compare(&mut scene.index, &scene.model);
    // And after everything moved, one by one.
    for slot in 0..boxes.len() {
        let node = scene.node(slot);
        let own = boxes[(slot + 5) % boxes.len()];
        scene.index.set_bounds(&scene.graph, node, own).unwrap();
        scene.model.set_bounds(node, own);
        scene.frame();
    }
    questions.compare(&mut scene.index, &scene.model);
}

#[test]
fn boxes_from_the_least_to_huge_ones_are_found_as_by_hand() {
    let tiny = f32::from_bits(1);
    assert_found_as_by_hand(&[
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

/// To frusta such a box is as large as the world; to rays and searches it is where it is.
#[test]
fn boxes_beyond_what_frusta_can_tell_apart_are_found_as_by_hand() {
    assert_found_as_by_hand(&[
        UNIT,
        span(6e36, 7e36),
        span(1e38, 2e38),
        point(MAX),
        span(-MAX, -1e38),
        span(-MAX, MAX),
        Aabb::new(Vec3::new(1e38, -1.0, -1.0), Vec3::new(2e38, 1.0, 1.0)),
    ]);
}

/// The same in its smallest form.
#[test]
fn a_box_at_1e38_is_met_where_it_is() {
    let scene = Scene::of(&[UNIT, span(1e38, 2e38)]);
    let within = Aabb::from_center_half(Vec3::splat(1.5e38), Vec3::splat(1e30));
    assert_eq!(scene.slots(|index, nodes| index.query_aabb(&within, &usual(), nodes)), [1]);
    let ball = Sphere::new(Vec3::splat(1.5e38), 1.0);
    assert_eq!(scene.slots(|index, nodes| index.query_sphere(&ball, &usual(), nodes)), [1]);
    let ray = Ray::new(Vec3::splat(1.5e38), Vec3::X).unwrap();
    assert_eq!(scene.index.raycast_aabb(&ray, &usual()).map(|hit| hit.node.index()), Some(1));
    assert!(scene.index.bounds().contains(&span(-1.0, 2e38)), "{:?}", scene.index.bounds());
}

// ---- worlds -----------------------------------------------------------------

/// A scale of 1e30 below another: the graph stops at `f32::MAX`, and so does the box.
#[test]
fn a_node_whose_world_overflows_is_as_large_as_can_be_until_it_is_back() {
    let mut scene = Scene::of(&[UNIT]);
    let parent = scene.graph.add_root(Transform::from_scale(Vec3::splat(1e30))).unwrap();
    let child = scene.graph.add_child(parent, Transform::from_scale(Vec3::splat(1e30))).unwrap();
    scene.index.set_bounds(&scene.graph, child, UNIT).unwrap();
    scene.model.set_bounds(child, UNIT);
    scene.frame();
    let all = Aabb::new(Vec3::splat(-MAX), Vec3::splat(MAX));
    assert_eq!(scene.index.world_bounds(child), Some(all));
    let elsewhere = Aabb::from_center_half(Vec3::splat(50.0), Vec3::ONE);
    let elsewhere = Frustum::from_planes(planes_of(&elsewhere)).unwrap();
    assert_eq!(scene.seen(&elsewhere), [child.index()]);
    // A usual scale again.
    scene.graph.node_mut(parent).unwrap().set_scale(Vec3::splat(1e-30)).unwrap();
    scene.frame();
    let world = scene.index.world_bounds(child).unwrap();
    assert!((world.max.x - 1.0).abs() < 1e-5, "{world:?}");
    assert_eq!(scene.seen(&elsewhere), []);
}

/// A box that overflows under a matrix that does not: it stops at `f32::MAX`.
#[test]
fn a_box_that_overflows_under_its_world_is_as_large_as_can_be() {
    let mut scene = Scene::of(&[UNIT]);
    let node = scene.graph.add_root(Transform::from_scale(Vec3::splat(1e30))).unwrap();
    scene.index.set_bounds(&scene.graph, node, Aabb::new(Vec3::ZERO, Vec3::splat(1e30))).unwrap();
    scene.model.set_bounds(node, Aabb::new(Vec3::ZERO, Vec3::splat(1e30)));
    scene.frame();
    let world = Aabb::new(Vec3::ZERO, Vec3::splat(MAX));
    assert_eq!(scene.index.world_bounds(node), Some(world));
    assert_eq!(scene.seen(&Frustum::from_planes(planes_of(&UNIT)).unwrap()), [0, 1]);
}

#[test]
fn flat_nodes_have_flat_boxes() {
    let mut scene = Scene::of(&[]);
    for scale in [Vec3::ZERO, Vec3::new(1.0, 0.0, 1.0), Vec3::new(0.0, 0.0, 2.0)] {
        let node = scene.graph.add_root(Transform::from_scale(scale)).unwrap();
        scene.index.set_bounds(&scene.graph, node, UNIT).unwrap();
        scene.model.set_bounds(node, UNIT);
    }
    scene.frame();
    assert_eq!(scene.seen(&Frustum::from_planes(planes_of(&UNIT)).unwrap()), [0, 1, 2]);
    let mut random = Rng::new(3);
    let questions = Questions::random(&mut random, 20, 2.0, &scene.model);
    questions.compare(&mut scene.index, &scene.model);
}

// ---- questions --------------------------------------------------------------

#[test]
fn frusta_that_show_nothing_are_an_error_or_see_nothing() {
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
        let refused = Frustum::from_view_projection(&matrix, ClipSpace::ZeroToOne).unwrap_err();
        assert_eq!(refused, Error::NoVolume, "{matrix}");
    }
    for (matrix, value) in [
        (Mat4::from_translation(Vec3::new(NAN, 0.0, 0.0)), "NaN"),
        (Mat4::from_translation(Vec3::new(INF, 0.0, 0.0)), "inf"),
    ] {
        let refused = Frustum::from_view_projection(&matrix, ClipSpace::ZeroToOne).unwrap_err();
        assert!(matches!(refused, Error::NotFinite { argument: Argument::ViewProjection, .. }));
        assert_eq!(
            refused.to_string(),
            format!(
                "view-projection column 3 row 0 is {value}; it must be finite \
                 (a flat camera, near = far, or a field of view or aspect of zero?)"
            ),
        );
    }
    // Planes that leave nothing between them: no box is in view.
    let mut scene = Scene::of(&[UNIT, Aabb::new(Vec3::ZERO, Vec3::ZERO)]);
    let mut nothing = planes_of(&UNIT);
    nothing[0] = Plane::new(Vec3::X, -9.0);
    assert_eq!(scene.seen(&Frustum::from_planes(nothing).unwrap()), []);
    // An area of zero: what touches it is in view, what does not is not.
    let line = Aabb::new(Vec3::new(0.0, 0.0, -5.0), Vec3::new(0.0, 0.0, 5.0));
    assert_eq!(scene.seen(&Frustum::from_planes(planes_of(&line)).unwrap()), [0, 1]);
    let aside = Aabb::new(Vec3::new(2.0, 0.0, -5.0), Vec3::new(2.0, 0.0, 5.0));
    assert_eq!(scene.seen(&Frustum::from_planes(planes_of(&aside)).unwrap()), []);
}

#[test]
fn a_frustum_open_on_all_sides_sees_all_there_is_and_no_more() {
    for count in [0, 1, 7, 63, 64, 65, 130] {
        let mut scene = Scene::of(&vec![UNIT; count]);
        assert!(scene.seen(&everywhere()).into_iter().eq(0..count));
        // Rows without a place yet are nowhere.
        let late = scene.graph.add_root(Transform::IDENTITY).unwrap();
        scene.index.set_bounds(&scene.graph, late, UNIT).unwrap();
        assert!(scene.seen(&everywhere()).into_iter().eq(0..count));
        let why = scene.index.cull_reason(&scene.graph, late, &everywhere(), &usual());
        assert_eq!(why, Ok(CullReason::NoBounds));
    }
}

#[test]
fn rays_that_lead_nowhere_are_refused_and_those_without_reach_meet_nothing() {
    assert_eq!(Ray::new(Vec3::ZERO, Vec3::ZERO), Err(Error::ZeroDirection));
    assert!(Ray::new(Vec3::NAN, Vec3::X).is_err() && Ray::new(Vec3::ZERO, Vec3::INFINITY).is_err());
    let scene = Scene::of(&[UNIT]);
    let positions = [Vec3::NEG_ONE, Vec3::X, Vec3::Y];
    let triangles = TriangleTree::build(&positions, &[0, 1, 2]).unwrap();
    let shape = |_: NodeId| Some(Shape::new(&triangles));
    let ray = Ray::new(Vec3::ZERO, Vec3::X).unwrap();
    for reach in [-1.0, NAN, -INF, -f32::from_bits(1)] {
        let ray = ray.with_max_distance(reach);
        assert_eq!(scene.index.raycast_aabb(&ray, &usual()), None);
        let mut boxes = vec![];
        scene.index.raycast_aabb_all(&ray, &usual(), &mut boxes);
        assert_eq!(boxes, []);
        assert_eq!(scene.index.pick(&scene.graph, &ray, &usual(), shape), None);
        let mut hits = vec![];
        scene.index.pick_all(&scene.graph, &ray, &usual(), shape, &mut hits);
        assert_eq!(hits, []);
        assert_eq!(triangles.raycast(&ray), None);
    }
    // A reach of zero still meets where it starts.
    let hit = scene.index.raycast_aabb(&ray.with_max_distance(0.0), &usual()).unwrap();
    assert_eq!(hit.distance, 0.0);
}

#[test]
fn spheres_boxes_and_points_that_are_none_find_nothing() {
    let scene = Scene::of(&[UNIT, UNIT]);
    for sphere in [
        Sphere::EMPTY,
        Sphere::new(Vec3::ZERO, NAN),
        Sphere::new(Vec3::ZERO, -0.001),
        Sphere::new(Vec3::new(NAN, 0.0, 0.0), 9.0),
        Sphere::new(Vec3::new(INF, 0.0, 0.0), INF),
    ] {
        let found = scene.slots(|index, nodes| index.query_sphere(&sphere, &usual(), nodes));
        assert_eq!(found, [], "{sphere:?}");
    }
    let all = Sphere::new(Vec3::splat(1e30), INF);
    assert_eq!(scene.slots(|index, nodes| index.query_sphere(&all, &usual(), nodes)), [0, 1]);
    for aabb in [
        Aabb::EMPTY,
        Aabb::new(Vec3::ONE, Vec3::ZERO),
        Aabb::new(Vec3::new(NAN, -1.0, -1.0), Vec3::ONE),
        Aabb::new(Vec3::NEG_ONE, Vec3::new(1.0, 1.0, NAN)),
    ] {
        let found = scene.slots(|index, nodes| index.query_aabb(&aabb, &usual(), nodes));
        assert_eq!(found, [], "{aabb:?}");
    }
    let all = Aabb::new(Vec3::splat(-INF), Vec3::splat(INF));
    assert_eq!(scene.slots(|index, nodes| index.query_aabb(&all, &usual(), nodes)), [0, 1]);
    let mut near = Vec::new();
    for point in [Vec3::NAN, Vec3::new(0.0, NAN, 0.0), Vec3::INFINITY, Vec3::NEG_INFINITY] {
        scene.index.nearest(point, 2, &usual(), &mut near);
        assert_eq!(near, [], "{point}");
    }
    scene.index.nearest(Vec3::ZERO, usize::MAX, &usual(), &mut near);
    assert!(near.iter().map(|near| near.node.index()).eq([0, 1]));
    scene.index.nearest(Vec3::ZERO, 0, &usual(), &mut near);
    assert_eq!(near, []);
}

/// Squares of such distances overflow, or vanish; the distances themselves do not.
#[test]
fn near_tells_distances_that_f32_can_hold() {
    let at = |x: f32| Aabb::new(Vec3::new(x, 0.0, 0.0), Vec3::new(x, 0.0, 0.0));
    for distance in [1e30, 1e20, 1e10, 1.0, 1e-15, 1e-25, 1e-30] {
        let scene = Scene::of(&[at(3.0 * distance), at(distance), at(2.0 * distance)]);
        let mut near = Vec::new();
        scene.index.nearest(Vec3::ZERO, 3, &usual(), &mut near);
        let slots: Vec<usize> = near.iter().map(|near| near.node.index()).collect();
        assert_eq!(slots, [1, 2, 0], "at {distance}, nearest first");
        let error = (near[0].distance - distance).abs();
        assert!(error <= 1e-6 * distance, "{} for {distance}", near[0].distance);
    }
}

#[test]
fn an_index_of_nothing_answers_everything_with_nothing() {
    let mut scene = Scene::of(&[]);
    let mut random = Rng::new(5);
    let questions = Questions::random(&mut random, 10, 10.0, &scene.model);
    questions.compare(&mut scene.index, &scene.model);
    let answers = questions.put_to(&scene.index);
    assert!(answers.views.iter().all(Vec::is_empty));
    assert_ne!(answers, Answers::default());
    scene.index.rebuild();
    questions.compare(&mut scene.index, &scene.model);
}

/// The origin on a face and a direction away from it give a zero of either sign, which
/// must not count as the farthest of all.
#[test]
fn rays_that_start_on_faces_meet_them_at_zero_and_in_the_order_of_slots() {
    let shifted = |x: f32| Aabb::new(Vec3::new(x, -1.0, -1.0), Vec3::new(x + 1.0, 1.0, 1.0));
    let boxes = [shifted(5.0), shifted(0.0), shifted(-1.0), UNIT, shifted(0.0)];
    let mut scene = Scene::of(&boxes);
    let mut questions = Questions {
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
                questions.rays.push((ray, Ask::default()));
                questions.rays.push((ray.with_max_distance(0.0), Ask::default()));
            }
        }
    }
    questions.compare(&mut scene.index, &scene.model);
}
