//! Questions, and how an index and the model answer them.

use crate::common::RandomShapes;
use pleach_graph::{Graph, NodeId};
use pleach_spatial::glam::Vec3;
use pleach_spatial::{Aabb, CullMethod, CullView, Frustum, Ray, SpatialIndex, Sphere, Visible};
use testkit::Rng;

use super::naive_index::{Ask, Model};

/// Every kind of question, several times.
#[derive(Clone, Debug)]
pub(crate) struct Questions {
    pub(crate) views: Vec<(Frustum, Ask)>,
    pub(crate) rays: Vec<(Ray, Ask)>,
    pub(crate) spheres: Vec<(Sphere, Ask)>,
    pub(crate) boxes: Vec<(Aabb, Ask)>,
    /// With how many are wanted.
    pub(crate) points: Vec<(Vec3, usize, Ask)>,
}

/// What was answered, in the order of the questions.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Answers {
    pub(crate) views: Vec<Vec<NodeId>>,
    pub(crate) nearest_boxes: Vec<Option<(NodeId, f32)>>,
    pub(crate) all_boxes: Vec<Vec<(NodeId, f32)>>,
    pub(crate) in_spheres: Vec<Vec<NodeId>>,
    pub(crate) in_boxes: Vec<Vec<NodeId>>,
    pub(crate) nearest: Vec<Vec<NodeId>>,
}

fn ask(random: &mut Rng) -> Ask {
    match random.below(8) {
        0 => Ask { layers: Some(1 << random.below(4)), ..Ask::default() },
        1 => Ask { hidden: true, ..Ask::default() },
        2 => Ask { not_every: Some(2 + random.below(4)), ..Ask::default() },
        3 => Ask { layers: Some(0b1011), hidden: true, not_every: Some(3) },
        _ => Ask::default(),
    }
}

impl Questions {
    /// So many of each kind, about things within `reach` of the origin. Some are about
    /// the very places where the boxes of the model are.
    pub(crate) fn random(random: &mut Rng, count: usize, reach: f32, model: &Model) -> Self {
        let worlds: Vec<Aabb> = model.rows.values().filter_map(|row| row.world).collect();
        let repeat = |random: &mut Rng| (0..count).map(|_| random.next_u64()).collect::<Vec<_>>();
        let somewhere = |random: &mut Rng| match worlds.is_empty() || random.one_in(2) {
            true => random.vec3(reach),
            false => {
                let world = random.pick(&worlds);
                match random.below(4) {
                    0 => world.min,
                    1 => world.max,
                    2 => Vec3::new(world.min.x, world.center().y, world.max.z),
                    _ => world.center(),
                }
            }
        };
        let each =
            |random: &mut Rng| -> Vec<Rng> { repeat(random).into_iter().map(Rng::new).collect() };
        let views = each(random).iter_mut().map(|r| (r.frustum(reach), ask(r))).collect();
        let rays = each(random)
            .iter_mut()
            .map(|random| {
                let to = somewhere(random);
                let ray = match random.below(4) {
                    // From a face, an edge or a corner along an axis.
                    0 => Ray::new(
                        to,
                        random.pick(&[Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::NEG_Z]),
                    )
                    .unwrap(),
                    1 => Ray::between(random.vec3(reach), to).unwrap_or(random.ray(reach)),
                    2 => Ray::new(random.vec3(reach), to).unwrap_or(random.ray(reach)),
                    _ => random.ray(reach),
                };
                (ray, ask(random))
            })
            .collect();
        let spheres = each(random)
            .iter_mut()
            .map(|random| {
                let radius = match random.below(8) {
                    0 => 0.0,
                    1 => 2e18,
                    2 => f32::INFINITY,
                    _ => random.between(0.0, 0.5) * reach,
                };
                (Sphere::new(somewhere(random), radius), ask(random))
            })
            .collect();
        let boxes = each(random)
            .iter_mut()
            .map(|random| {
                let (a, b) = (somewhere(random), somewhere(random));
                let aabb = match random.below(4) {
                    0 => Aabb::new(a, a),
                    1 => Aabb::from_center_half(a, Vec3::splat(0.05 * reach)),
                    _ => Aabb::new(a.min(b), a.max(b)),
                };
                (aabb, ask(random))
            })
            .collect();
        let points = each(random)
            .iter_mut()
            .enumerate()
            .map(|(number, random)| {
                let count = [1, 7, 0, worlds.len(), worlds.len() + 3, 2][number % 6];
                (somewhere(random), count, ask(random))
            })
            .collect();
        Self { views, rays, spheres, boxes, points }
    }

    /// Asks an index, which culls and walks as it is set to.
    pub(crate) fn put_to(&self, index: &SpatialIndex) -> Answers {
        let mut answers = Answers::default();
        let mut visible = Visible::new();
        for (frustum, ask) in &self.views {
            let predicate = ask.predicate();
            index.cull(frustum, &ask.filter(&predicate), &mut visible);
            assert_whole(&visible);
            answers.views.push(visible.nodes().to_vec());
        }
        let mut hits = Vec::new();
        for (ray, ask) in &self.rays {
            let predicate = ask.predicate();
            let filter = ask.filter(&predicate);
            let nearest = index.raycast_aabb(ray, &filter);
            answers.nearest_boxes.push(nearest.map(|hit| (hit.node, hit.distance)));
            index.raycast_aabb_all(ray, &filter, &mut hits);
            answers.all_boxes.push(hits.iter().map(|hit| (hit.node, hit.distance)).collect());
        }
        let mut nodes = Vec::new();
        for (sphere, ask) in &self.spheres {
            let predicate = ask.predicate();
            index.query_sphere(sphere, &ask.filter(&predicate), &mut nodes);
            answers.in_spheres.push(nodes.clone());
        }
        for (aabb, ask) in &self.boxes {
            let predicate = ask.predicate();
            index.query_aabb(aabb, &ask.filter(&predicate), &mut nodes);
            answers.in_boxes.push(nodes.clone());
        }
        let mut near = Vec::new();
        for (point, count, ask) in &self.points {
            let predicate = ask.predicate();
            index.nearest(*point, *count, &ask.filter(&predicate), &mut near);
            for near in &near {
                let expected = index.world_bounds(near.node).unwrap().distance(*point);
                // Squares of what is farther overflow, of what is nearer they vanish.
                if (1e-18..=1e18).contains(&expected) {
                    assert!((near.distance - expected).abs() <= 1e-6 * expected, "{near:?}");
                }
            }
            answers.nearest.push(near.iter().map(|near| near.node).collect());
        }
        answers
    }

    /// Asks the model.
    pub(crate) fn put_to_model(&self, model: &Model) -> Answers {
        let along = |(ray, ask): &(Ray, Ask)| model.boxes_along(ray, *ask);
        let all_boxes: Vec<_> = self.rays.iter().map(along).collect();
        Answers {
            views: self.views.iter().map(|(frustum, ask)| model.cull(frustum, *ask)).collect(),
            nearest_boxes: all_boxes.iter().map(|all| all.first().copied()).collect(),
            all_boxes,
            in_spheres: self.spheres.iter().map(|(it, ask)| model.in_sphere(it, *ask)).collect(),
            in_boxes: self.boxes.iter().map(|(it, ask)| model.in_box(it, *ask)).collect(),
            // Several orders may be right: see `Model::assert_nearest`.
            nearest: Vec::new(),
        }
    }

    /// Asks both in every way, and expects the same of both.
    #[track_caller]
    pub(crate) fn compare(&self, index: &mut SpatialIndex, model: &Model) {
        assert_eq!(index.check(), Vec::<String>::new());
        assert_same_rows(index, model);
        let expected = self.put_to_model(model);
        for by in [CullMethod::Scan, CullMethod::Tree, CullMethod::TreeFrom(model.rows.len() + 1)] {
            index.set_cull_method(by);
            let mut answers = self.put_to(index);
            for (answer, &(point, count, ask)) in answers.nearest.drain(..).zip(&self.points) {
                model.assert_nearest(point, count, ask, &answer);
            }
            self.assert_answers(&answers, &expected);
        }
        self.compare_views(index, &expected);
        index.set_cull_method(CullMethod::default());
    }

    #[track_caller]
    fn assert_answers(&self, answers: &Answers, expected: &Answers) {
        for (number, question) in self.views.iter().enumerate() {
            assert_eq!(answers.views[number], expected.views[number], "{question:?}");
        }
        for (number, question) in self.rays.iter().enumerate() {
            let [answer, expected_answer] = [answers, expected].map(|all| &all.all_boxes[number]);
            assert_eq!(answer, expected_answer, "all boxes: {question:?}");
            let [answer, expected_answer] =
                [answers, expected].map(|all| &all.nearest_boxes[number]);
            assert_eq!(answer, expected_answer, "nearest box: {question:?}");
        }
        for (number, question) in self.spheres.iter().enumerate() {
            assert_eq!(answers.in_spheres[number], expected.in_spheres[number], "{question:?}");
        }
        for (number, question) in self.boxes.iter().enumerate() {
            assert_eq!(answers.in_boxes[number], expected.in_boxes[number], "{question:?}");
        }
        assert_eq!(answers, expected);
    }

    /// All views in one call; how many boxes were tested, and by what.
    #[track_caller]
    fn compare_views(&self, index: &mut SpatialIndex, expected: &Answers) {
        let predicates: Vec<_> = self.views.iter().map(|(_, ask)| ask.predicate()).collect();
        let views: Vec<CullView<'_>> = self
            .views
            .iter()
            .zip(&predicates)
            .map(|((frustum, ask), predicate)| CullView {
                frustum: *frustum,
                filter: ask.filter(predicate),
            })
            .collect();
        // One too many: the list becomes as long as the views.
        let mut visible = vec![Visible::new(); views.len() + 1];
        let len = index.len();
        for (by, by_tree) in [
            (CullMethod::TreeFrom(len + 1), false),
            (CullMethod::TreeFrom(len), true),
            (CullMethod::TreeFrom(0), true),
            (CullMethod::Scan, false),
            (CullMethod::Tree, true),
        ] {
            index.set_cull_method(by);
            index.cull_each(&views, &mut visible);
            assert_eq!(visible.len(), views.len());
            for (number, visible) in visible.iter().enumerate() {
                assert_whole(visible);
                assert_eq!(visible.nodes(), expected.views[number], "view {number} by {by:?}");
                assert_eq!(visible.used_tree(), by_tree, "by {by:?}");
                let tested = visible.boxes_tested();
                if by_tree {
                    // Every node of the tree but the root has two lanes or more.
                    assert!(tested <= 2 * len, "{tested} of {len} boxes tested");
                } else {
                    assert_eq!(tested, len, "a scan tests all");
                }
            }
        }
    }
}

/// List and bits tell the same, in order.
#[track_caller]
pub(crate) fn assert_whole(visible: &Visible) {
    let nodes = visible.nodes();
    assert!(nodes.is_sorted_by(|a, b| a.index() < b.index()), "in the order of slots");
    assert_eq!((visible.len(), visible.is_empty()), (nodes.len(), nodes.is_empty()));
    assert!(nodes.iter().all(|&node| visible.contains(node)));
    let bits: u32 = visible.bits().iter().map(|word| word.count_ones()).sum();
    assert_eq!(bits as usize, nodes.len(), "a bit for each node and no other");
}

/// What the index tells of each node, without a question about space.
#[track_caller]
fn assert_same_rows(index: &SpatialIndex, model: &Model) {
    assert_eq!((index.len(), index.is_empty()), (model.rows.len(), model.rows.is_empty()));
    let mut nodes: Vec<NodeId> = index.nodes().collect();
    nodes.sort_by_key(|node| node.index());
    assert!(nodes.iter().eq(model.rows.values().map(|row| &row.node)));
    for row in model.rows.values() {
        assert!(index.contains(row.node));
        assert_eq!(index.local_bounds(row.node), Some(row.own));
        assert_eq!(index.layers(row.node), Some(row.layers));
        assert_eq!(index.world_bounds(row.node), row.world, "world bounds of {}", row.node);
    }
    let (bounds, exact) = (index.bounds(), model.bounds());
    assert!(bounds.contains(&exact), "{bounds:?} of all does not hold {exact:?}");
    if exact.is_empty() {
        assert_eq!(bounds, Aabb::EMPTY);
    } else if exact.min.abs().max(exact.max.abs()).max_element() < 5e36 {
        let most = 1e-6 * exact.min.abs().max(exact.max.abs()) + Vec3::splat(1e-30);
        assert!((exact.min - bounds.min).cmple(most).all(), "{bounds:?} of all, {exact:?}");
        assert!((bounds.max - exact.max).cmple(most).all(), "{bounds:?} of all, {exact:?}");
    }
}

/// For every node of the graph, the reason is the model's, and agrees with `cull`.
#[track_caller]
pub(crate) fn compare_reasons(
    graph: &Graph,
    index: &SpatialIndex,
    model: &Model,
    (frustum, ask): (Frustum, Ask),
) {
    let predicate = ask.predicate();
    let filter = ask.filter(&predicate);
    let mut visible = Visible::new();
    index.cull(&frustum, &filter, &mut visible);
    for node in graph.depth_first() {
        let why = index.cull_reason(graph, node, &frustum, &filter).unwrap();
        assert_eq!(why, model.why(graph, node, &frustum, ask), "{node}");
        let at = visible.nodes().binary_search_by_key(&node.index(), |node| node.index());
        let listed = at.is_ok_and(|at| visible.nodes()[at] == node);
        assert_eq!(why.is_in_view(), listed, "{node}: {why}");
    }
}
