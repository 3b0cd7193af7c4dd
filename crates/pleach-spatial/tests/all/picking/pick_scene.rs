//! Nodes with geometries, and raycasts against every triangle for comparison.

use std::cell::Cell;

use pleach_graph::{Graph, NodeId, Transform};
use pleach_spatial::glam::{DVec3, Vec3};
use pleach_spatial::{Filter, Hit, Ray, Shape, SpatialIndex, TreeUse, TriangleMesh};
use testkit::Rng;

use crate::common::meshes::{Mesh, assert_first_of_each_node};
use crate::common::plain_ray::{Crossing, MARGIN};

/// A triangle of a node, and its intersection with a ray in world space.
struct Candidate {
    node: NodeId,
    triangle: u32,
    front: bool,
    crossing: Crossing,
}

thread_local! {
    /// `true` if the next frame of a scene is picked by the tree.
    static BY_TREE: Cell<bool> = const { Cell::new(true) };
}

pub(crate) struct Scene {
    pub(crate) graph: Graph,
    pub(crate) index: SpatialIndex,
    /// The geometry by slot.
    pub(crate) geometry_of: Vec<Option<usize>>,
    pub(crate) geometries: Vec<TriangleMesh>,
    pub(crate) meshes: Vec<Mesh>,
}

impl Scene {
    pub(crate) fn new(meshes: Vec<Mesh>) -> Self {
        let mut graph = Graph::new();
        let index = SpatialIndex::new(&mut graph);
        let new =
            |mesh: &Mesh| TriangleMesh::new(mesh.positions.clone(), mesh.indices.clone()).unwrap();
        let geometries = meshes.iter().map(new).collect();
        Self { graph, index, geometry_of: Vec::new(), geometries, meshes }
    }

    pub(crate) fn add(&mut self, parent: Option<NodeId>, geometry: Option<usize>) -> NodeId {
        let node = match parent {
            Some(parent) => self.graph.add_child(parent, Transform::IDENTITY).unwrap(),
            None => self.graph.add_root(Transform::IDENTITY).unwrap(),
        };
        self.geometry_of.resize(node.index() + 1, None);
        self.geometry_of[node.index()] = geometry;
        if let Some(geometry) = geometry {
            let bounds = self.geometries[geometry].bounds();
            self.index.set_bounds(&self.graph, node, bounds).unwrap();
        }
        node
    }

    /// Adds a root with the first geometry.
    pub(crate) fn add_at(&mut self, transform: Transform) -> NodeId {
        let node = self.add(None, Some(0));
        self.graph.node_mut(node).unwrap().set_transform(transform).unwrap();
        node
    }

    pub(crate) fn frame(&mut self) {
        self.graph.update();
        self.index.sync(&self.graph).unwrap();
        // By the tree and by a scan in turns.
        let by_tree = BY_TREE.replace(!BY_TREE.get());
        self.index.set_tree_use(if by_tree { TreeUse::Always } else { TreeUse::Never });
        assert_eq!(self.index.check(), []);
    }

    pub(crate) fn shape(&self, node: NodeId) -> Option<Shape<'_>> {
        let geometry = self.geometry_of[node.index()]?;
        Some(Shape::new(self.geometries[geometry].tree()))
    }

    pub(crate) fn pick(&self, ray: &Ray) -> Option<Hit> {
        self.index.pick(&self.graph, ray, &Filter::default(), |node| self.shape(node))
    }

    pub(crate) fn pick_all(&self, ray: &Ray) -> Vec<Hit> {
        let mut hits = Vec::new();
        let filter = Filter::default();
        self.index.pick_all(&self.graph, ray, &filter, |node| self.shape(node), &mut hits);
        assert_first_of_each_node(&hits, |nodes| {
            self.index.pick_nodes(&self.graph, ray, &filter, |node| self.shape(node), nodes);
        });
        hits
    }

    /// Intersects every triangle of every node.
    fn crossings(&self, ray: &Ray) -> Vec<Candidate> {
        let mut found = Vec::new();
        for id in self.graph.depth_first() {
            let Some(geometry) = self.geometry_of[id.index()] else { continue };
            let node = self.graph.node(id).unwrap();
            let (world, mirrored) = (node.world().as_dmat4(), node.winding_flipped());
            for (number, corners) in self.meshes[geometry].triangles().enumerate() {
                let corners = corners.map(|corner| world.transform_point3(corner.as_dvec3()));
                found.extend(Crossing::new(ray, corners).map(|crossing| Candidate {
                    node: id,
                    triangle: number as u32,
                    // Mirroring a node reverses the winding order; by the rule of glTF the sides
                    // of a triangle stay the same.
                    front: crossing.counter_clockwise != mirrored,
                    crossing,
                }));
            }
        }
        found
    }

    /// Asserts that picking matches testing every triangle. Returns the number of hits.
    #[track_caller]
    pub(crate) fn compare(&self, ray: &Ray) -> usize {
        let crossings = self.crossings(ray);
        let all = self.pick_all(ray);
        for hit in &all {
            let found = crossings
                .iter()
                .find(|found| (found.node, found.triangle) == (hit.node, hit.triangle))
                .expect("every hit is a triangle that the ray intersects");
            let weights = found.crossing.weights;
            assert!(found.crossing.is_hit(ray, MARGIN), "{hit:?} of {ray:?} at {weights}");
            assert_hit_matches(ray, hit, found);
        }
        let must_be_hit =
            |found: &&Candidate| found.crossing.clear && found.crossing.is_hit(ray, 0.0);
        for found in crossings.iter().filter(must_be_hit) {
            let is_same = |hit: &&Hit| (hit.node, hit.triangle) == (found.node, found.triangle);
            assert_eq!(
                all.iter().filter(is_same).count(),
                1,
                "triangle {} of {} by {ray:?}: {:?}",
                found.triangle,
                found.node,
                found.crossing,
            );
        }
        assert!(all.is_sorted_by(|a, b| a.distance <= b.distance), "nearest first");
        assert_eq!(self.pick(ray), all.first().copied(), "the nearest of all of {ray:?}");
        all.len()
    }

    /// Returns a random point on a random triangle of a random node.
    pub(crate) fn point_on(&self, random: &mut Rng) -> Vec3 {
        let nodes: Vec<NodeId> = self.graph.depth_first().collect();
        loop {
            let node = random.pick(&nodes);
            let Some(geometry) = self.geometry_of[node.index()] else { continue };
            let mesh = &self.meshes[geometry];
            let [a, b, c] = mesh.triangles().nth(random.below(mesh.triangles().len())).unwrap();
            let (s, t) = (random.between(0.0, 1.0), random.between(0.0, 1.0));
            let (s, t) = if s + t > 1.0 { (1.0 - s, 1.0 - t) } else { (s, t) };
            let at = a + (b - a) * s + (c - a) * t;
            return self.graph.node(node).unwrap().world().transform_point3(at);
        }
    }
}

/// Compares every field of a hit with the triangle in world space.
#[track_caller]
fn assert_hit_matches(ray: &Ray, hit: &Hit, Candidate { front, crossing, .. }: &Candidate) {
    let [a, b, c] = crossing.corners;
    // f32 has 24 bits; points and distances are rounded once.
    let size =
        [a, b, c, ray.origin().as_dvec3()].map(DVec3::length).into_iter().fold(0.0, f64::max);
    let near = |a: DVec3, b: DVec3| (a - b).length() <= 1e-6 * size;
    assert!((f64::from(hit.distance) - crossing.t).abs() <= 1e-6 * size, "distance of {hit:?}");
    let point = hit.point.as_dvec3();
    let along = ray.origin().as_dvec3() + ray.direction().as_dvec3() * crossing.t;
    assert!(near(point, along), "{hit:?} is not on {ray:?}");
    let weights = hit.barycentrics.as_dvec3();
    assert!(weights.min_element() >= 0.0 && weights.max_element() <= 1.0, "{hit:?}");
    assert!((weights.element_sum() - 1.0).abs() < 1e-6, "{hit:?}");
    let on_triangle = a * weights.x + b * weights.y + c * weights.z;
    assert!(near(point, on_triangle), "{hit:?}: {on_triangle} is not its point");
    assert!((weights - crossing.weights).abs().max_element() < 1e-4, "{hit:?}");
    let normal = hit.normal.as_dvec3();
    assert!((normal.length() - 1.0).abs() < 1e-6, "{hit:?}");
    for edge in [b - a, c - b, a - c] {
        assert!(
            normal.dot(edge).abs() <= 1e-5 * edge.length(),
            "{hit:?}: {edge} is not perpendicular to the normal"
        );
    }
    assert_eq!(hit.front, *front, "{hit:?}");
    assert_eq!(hit.front, normal.dot(ray.direction().as_dvec3()) < 0.0, "{hit:?}");
    assert_eq!(hit.instance, None);
}
