//! Queries, and their results from an index and from the naive index.

use crate::common::RandomShapes;
use pleach_graph::{Graph, NodeId};
use pleach_spatial::glam::Vec3;
use pleach_spatial::{
    Aabb, CullMethod, CullView, Frustum, Ray, SpatialIndex, Sphere, TreeUse, Visible,
};
use testkit::Rng;

use super::naive_index::{FilterSpec, NaiveIndex};

/// Every kind of query, several times.
#[derive(Clone, Debug)]
pub(crate) struct Queries {
    pub(crate) views: Vec<(Frustum, FilterSpec)>,
    pub(crate) rays: Vec<(Ray, FilterSpec)>,
    pub(crate) spheres: Vec<(Sphere, FilterSpec)>,
    pub(crate) boxes: Vec<(Aabb, FilterSpec)>,
    /// With the number of nodes to find.
    pub(crate) points: Vec<(Vec3, usize, FilterSpec)>,
}

/// The results, in the order of the queries.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Results {
    pub(crate) views: Vec<Vec<NodeId>>,
    pub(crate) nearest_box_hits: Vec<Option<(NodeId, f32)>>,
    pub(crate) box_hits: Vec<Vec<(NodeId, f32)>>,
    pub(crate) in_spheres: Vec<Vec<NodeId>>,
    pub(crate) in_boxes: Vec<Vec<NodeId>>,
    pub(crate) nearest: Vec<Vec<NodeId>>,
}

fn random_filter(random: &mut Rng) -> FilterSpec {
    match random.below(8) {
        0 => FilterSpec { layers: Some(1 << random.below(4)), ..FilterSpec::default() },
        1 => FilterSpec { hidden: true, ..FilterSpec::default() },
        2 => FilterSpec { excluded_multiples: Some(2 + random.below(4)), ..FilterSpec::default() },
        3 => FilterSpec { layers: Some(0b1011), hidden: true, excluded_multiples: Some(3) },
        _ => FilterSpec::default(),
    }
}

impl Queries {
    /// Creates `count` queries of each kind, within `extent` of the origin. Some refer to the exact
    /// positions of the boxes in the index.
    pub(crate) fn random(random: &mut Rng, count: usize, extent: f32, naive: &NaiveIndex) -> Self {
        let worlds: Vec<Aabb> = naive.rows.values().filter_map(|row| row.world).collect();
        let repeat = |random: &mut Rng| (0..count).map(|_| random.next_u64()).collect::<Vec<_>>();
        let random_point = |random: &mut Rng| match worlds.is_empty() || random.one_in(2) {
            true => random.vec3(extent),
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
        let views =
            each(random).iter_mut().map(|r| (r.frustum(extent), random_filter(r))).collect();
        let rays = each(random)
            .iter_mut()
            .map(|random| {
                let to = random_point(random);
                let ray = match random.below(4) {
                    // From a face, an edge or a corner along an axis.
                    0 => Ray::new(
                        to,
                        random.pick(&[Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::NEG_Z]),
                    )
                    .unwrap(),
                    1 => Ray::between(random.vec3(extent), to).unwrap_or(random.ray(extent)),
                    2 => Ray::new(random.vec3(extent), to).unwrap_or(random.ray(extent)),
                    _ => random.ray(extent),
                };
                (ray, random_filter(random))
            })
            .collect();
        let spheres = each(random)
            .iter_mut()
            .map(|random| {
                let radius = match random.below(8) {
                    0 => 0.0,
                    1 => 2e18,
                    2 => f32::INFINITY,
                    _ => random.between(0.0, 0.5) * extent,
                };
                (Sphere::new(random_point(random), radius), random_filter(random))
            })
            .collect();
        let boxes = each(random)
            .iter_mut()
            .map(|random| {
                let (a, b) = (random_point(random), random_point(random));
                let aabb = match random.below(4) {
                    0 => Aabb::new(a, a),
                    1 => Aabb::from_center_half(a, Vec3::splat(0.05 * extent)),
                    _ => Aabb::new(a.min(b), a.max(b)),
                };
                (aabb, random_filter(random))
            })
            .collect();
        let points = each(random)
            .iter_mut()
            .enumerate()
            .map(|(number, random)| {
                let count = [1, 7, 0, worlds.len(), worlds.len() + 3, 2][number % 6];
                (random_point(random), count, random_filter(random))
            })
            .collect();
        Self { views, rays, spheres, boxes, points }
    }

    /// Runs the queries on an index, with its current settings.
    pub(crate) fn run(&self, index: &SpatialIndex) -> Results {
        let mut results = Results::default();
        let mut visible = Visible::new();
        for (frustum, spec) in &self.views {
            let predicate = spec.predicate();
            index.cull(frustum, &spec.filter(&predicate), &mut visible);
            assert_consistent(&visible);
            results.views.push(visible.nodes().to_vec());
        }
        let mut hits = Vec::new();
        for (ray, spec) in &self.rays {
            let predicate = spec.predicate();
            let filter = spec.filter(&predicate);
            let nearest = index.raycast_aabb(ray, &filter);
            results.nearest_box_hits.push(nearest.map(|hit| (hit.node, hit.distance)));
            index.raycast_aabb_all(ray, &filter, &mut hits);
            results.box_hits.push(hits.iter().map(|hit| (hit.node, hit.distance)).collect());
        }
        let mut nodes = Vec::new();
        for (sphere, spec) in &self.spheres {
            let predicate = spec.predicate();
            index.query_sphere(sphere, &spec.filter(&predicate), &mut nodes);
            results.in_spheres.push(nodes.clone());
        }
        for (aabb, spec) in &self.boxes {
            let predicate = spec.predicate();
            index.query_aabb(aabb, &spec.filter(&predicate), &mut nodes);
            results.in_boxes.push(nodes.clone());
        }
        let mut hits = Vec::new();
        for (point, count, spec) in &self.points {
            let predicate = spec.predicate();
            index.nearest(*point, *count, &spec.filter(&predicate), &mut hits);
            for hits in &hits {
                let expected = index.world_bounds(hits.node).unwrap().distance(*point);
                // The squares of larger distances overflow, those of smaller ones underflow.
                if (1e-18..=1e18).contains(&expected) {
                    assert!((hits.distance - expected).abs() <= 1e-6 * expected, "{hits:?}");
                }
            }
            results.nearest.push(hits.iter().map(|hits| hits.node).collect());
        }
        results
    }

    /// Runs the queries on the naive index.
    pub(crate) fn run_naive(&self, naive: &NaiveIndex) -> Results {
        let along = |(ray, spec): &(Ray, FilterSpec)| naive.raycast_aabb_all(ray, *spec);
        let box_hits: Vec<_> = self.rays.iter().map(along).collect();
        Results {
            views: self.views.iter().map(|(frustum, spec)| naive.cull(frustum, *spec)).collect(),
            nearest_box_hits: box_hits.iter().map(|all| all.first().copied()).collect(),
            box_hits,
            in_spheres: self
                .spheres
                .iter()
                .map(|(it, spec)| naive.query_sphere(it, *spec))
                .collect(),
            in_boxes: self.boxes.iter().map(|(it, spec)| naive.query_aabb(it, *spec)).collect(),
            // Several orders may be correct: see `NaiveIndex::assert_nearest`.
            nearest: Vec::new(),
        }
    }

    /// Runs the queries on both with every method, and asserts equal results.
    #[track_caller]
    pub(crate) fn compare(&self, index: &mut SpatialIndex, naive: &NaiveIndex) {
        assert_eq!(index.check(), []);
        assert_same_rows(index, naive);
        let expected = self.run_naive(naive);
        let mut nearest = None;
        // First without touching the tree, which may be out of date.
        for (tree_use, method) in [
            (TreeUse::Never, CullMethod::Scan),
            (TreeUse::Adaptive, CullMethod::Adaptive),
            (TreeUse::Adaptive, CullMethod::Tree),
            (TreeUse::Always, CullMethod::Adaptive),
        ] {
            index.set_tree_use(tree_use);
            index.set_cull_method(method);
            let before = index.tree_stats();
            let mut results = self.run(index);
            let after = index.tree_stats();
            assert!(tree_use != TreeUse::Never || after == before, "{before:?}, {after:?}");
            assert!(tree_use != TreeUse::Always || after.up_to_date || self.rays.is_empty());
            let nearest = nearest.get_or_insert_with(|| {
                for (result, &(point, count, spec)) in results.nearest.iter().zip(&self.points) {
                    naive.assert_nearest(point, count, spec, result);
                }
                results.nearest.clone()
            });
            assert_eq!(results.nearest, *nearest, "by {tree_use:?}");
            results.nearest.clear();
            self.assert_results(&results, &expected);
        }
        assert_eq!(index.check(), []);
        index.set_tree_use(TreeUse::Adaptive);
        self.compare_views(index, &expected);
        index.set_cull_method(CullMethod::default());
    }

    #[track_caller]
    fn assert_results(&self, results: &Results, expected: &Results) {
        for (number, query) in self.views.iter().enumerate() {
            assert_eq!(results.views[number], expected.views[number], "{query:?}");
        }
        for (number, query) in self.rays.iter().enumerate() {
            let [result, expected_result] = [results, expected].map(|all| &all.box_hits[number]);
            assert_eq!(result, expected_result, "all boxes: {query:?}");
            let [result, expected_result] =
                [results, expected].map(|all| &all.nearest_box_hits[number]);
            assert_eq!(result, expected_result, "nearest box: {query:?}");
        }
        for (number, query) in self.spheres.iter().enumerate() {
            assert_eq!(results.in_spheres[number], expected.in_spheres[number], "{query:?}");
        }
        for (number, query) in self.boxes.iter().enumerate() {
            assert_eq!(results.in_boxes[number], expected.in_boxes[number], "{query:?}");
        }
        assert_eq!(results, expected);
    }

    /// Compares all views culled in one call, the number of boxes tested, and the method.
    #[track_caller]
    fn compare_views(&self, index: &mut SpatialIndex, expected: &Results) {
        let predicates: Vec<_> = self.views.iter().map(|(_, spec)| spec.predicate()).collect();
        let views: Vec<CullView<'_>> = self
            .views
            .iter()
            .zip(&predicates)
            .map(|((frustum, spec), predicate)| CullView {
                frustum: *frustum,
                filter: spec.filter(predicate),
            })
            .collect();
        // One too many: the list is resized to the number of views.
        let mut visible = vec![Visible::new(); views.len() + 1];
        let len = index.len();
        for (method, uses_tree) in [
            (CullMethod::TreeFrom(len + 1), false),
            (CullMethod::TreeFrom(len), true),
            (CullMethod::TreeFrom(0), true),
            (CullMethod::Scan, false),
            (CullMethod::Tree, true),
        ] {
            index.set_cull_method(method);
            index.cull_each(&views, &mut visible);
            assert_eq!(visible.len(), views.len());
            for (number, visible) in visible.iter().enumerate() {
                assert_consistent(visible);
                assert_eq!(visible.nodes(), expected.views[number], "view {number} by {method:?}");
                assert_eq!(visible.used_tree(), uses_tree, "by {method:?}");
                let tested = visible.boxes_tested();
                if uses_tree {
                    // Every node of the tree but the root has at least two lanes in use.
                    assert!(tested <= 2 * len, "{tested} of {len} boxes tested");
                } else {
                    assert_eq!(tested, len, "a scan tests all");
                }
            }
        }
    }
}

/// Asserts that the list and the bits contain the same nodes, in order.
#[track_caller]
pub(crate) fn assert_consistent(visible: &Visible) {
    let nodes = visible.nodes();
    assert!(nodes.is_sorted_by(|a, b| a.index() < b.index()), "in the order of slots");
    assert_eq!((visible.len(), visible.is_empty()), (nodes.len(), nodes.is_empty()));
    assert!(nodes.iter().all(|&node| visible.contains(node)));
    let bits: u32 = visible.bits().iter().map(|word| word.count_ones()).sum();
    assert_eq!(bits as usize, nodes.len(), "a bit for each node and no other");
}

/// Asserts that the stored data of each node is the same.
#[track_caller]
fn assert_same_rows(index: &SpatialIndex, naive: &NaiveIndex) {
    assert_eq!((index.len(), index.is_empty()), (naive.rows.len(), naive.rows.is_empty()));
    let mut nodes: Vec<NodeId> = index.nodes().collect();
    nodes.sort_by_key(|node| node.index());
    assert!(nodes.iter().eq(naive.rows.values().map(|row| &row.node)));
    for row in naive.rows.values() {
        assert!(index.contains(row.node));
        assert_eq!(index.local_bounds(row.node), (!row.world_space).then_some(row.local));
        assert_eq!(index.layers(row.node), Some(row.layers));
        assert_eq!(index.world_bounds(row.node), row.world, "world bounds of {}", row.node);
    }
    let (bounds, exact) = (index.bounds(), naive.bounds());
    assert!(bounds.contains(&exact), "{bounds:?} of all does not hold {exact:?}");
    if exact.is_empty() {
        assert_eq!(bounds, Aabb::EMPTY);
    } else if exact.min.abs().max(exact.max.abs()).max_element() < 5e36 {
        let tolerance = 1e-6 * exact.min.abs().max(exact.max.abs()) + Vec3::splat(1e-30);
        assert!((exact.min - bounds.min).cmple(tolerance).all(), "{bounds:?} of all, {exact:?}");
        assert!((bounds.max - exact.max).cmple(tolerance).all(), "{bounds:?} of all, {exact:?}");
    }
}

/// Asserts for every node of the graph that the reason matches the naive index and `cull`.
#[track_caller]
pub(crate) fn compare_cull_reasons(
    graph: &Graph,
    index: &SpatialIndex,
    naive: &NaiveIndex,
    (frustum, spec): (Frustum, FilterSpec),
) {
    let predicate = spec.predicate();
    let filter = spec.filter(&predicate);
    let mut visible = Visible::new();
    index.cull(&frustum, &filter, &mut visible);
    for node in graph.depth_first() {
        let reason = index.cull_reason(graph, node, &frustum, &filter).unwrap();
        assert_eq!(reason, naive.cull_reason(graph, node, &frustum, spec), "{node}");
        let at = visible.nodes().binary_search_by_key(&node.index(), |node| node.index());
        let listed = at.is_ok_and(|at| visible.nodes()[at] == node);
        assert_eq!(reason.is_in_view(), listed, "{node}: {reason}");
    }
}
