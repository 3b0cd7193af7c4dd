//! Picking: what a ray meets, to the triangle.
//!
//! Two levels (three with instances): the tree of nodes' bounds, then the tree of
//! the geometry's triangles, with the ray taken into the geometry's space in f64. A
//! distance is the same number in both spaces, so hits of all nodes compare as they
//! are.

use glam::{DMat4, DVec3, Vec3};
use pleach_graph::{Graph, NodeId};

use crate::bvh::triangle_tree::{LocalRay, pad_distance};
use crate::shapes::plane::unit;
use crate::shapes::triangle::RawHit;
use crate::{Filter, Instances, Ray, SpatialIndex, TriangleTree};

/// What a node looks like to a ray.
#[derive(Clone, Copy, Debug)]
pub struct Shape<'a> {
    /// Its triangles, in its own space (or that of its instances).
    pub triangles: &'a TriangleTree,
    /// The copies, if the node has many.
    pub instances: Option<&'a Instances>,
    /// The triangles are in the world already, as posed ones are: the node's transform does
    /// not count.
    pub world_space: bool,
    /// Its front is where its corners go clockwise, as that of triangles which a mirrored
    /// skeleton has posed.
    pub mirrored: bool,
}

impl<'a> Shape<'a> {
    /// One copy of some triangles.
    #[must_use]
    pub fn new(triangles: &'a TriangleTree) -> Self {
        Self { triangles, instances: None, world_space: false, mirrored: false }
    }

    /// Triangles that are in the world already.
    #[must_use]
    pub fn world_space(triangles: &'a TriangleTree) -> Self {
        Self { triangles, instances: None, world_space: true, mirrored: false }
    }

    /// Copies of some triangles.
    #[must_use]
    pub fn instanced(triangles: &'a TriangleTree, instances: &'a Instances) -> Self {
        Self { triangles, instances: Some(instances), world_space: false, mirrored: false }
    }
}

/// Where a ray meets a triangle of a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// The node.
    pub node: NodeId,
    /// Which copy, if the node has instances.
    pub instance: Option<u32>,
    /// Which part of the node's shape; 0 if it has one.
    pub part: u32,
    /// Which triangle of that part.
    pub triangle: u32,
    /// From the ray's origin, in metres.
    pub distance: f32,
    /// The place, in the world.
    pub point: Vec3,
    /// The triangle's own normal in the world, of length 1: to the side from which its
    /// corners go counter-clockwise in its own space, whichever side was hit.
    pub normal: Vec3,
    /// The weights of the triangle's three corners; they add up to one.
    pub barycentrics: Vec3,
    /// The side that the normal points to was hit. (A mirrored node shows the same
    /// sides as one that is not: this is glTF's rule.)
    pub front: bool,
}

impl Hit {
    /// Nearest first, then by slot, part, instance and triangle.
    fn sort_key(&self) -> (u32, usize, u32, Option<u32>, u32) {
        // Distances are not negative, and such floats are ordered as their bits are.
        (self.distance.to_bits(), self.node.index(), self.part, self.instance, self.triangle)
    }
}

/// One copy of some triangles in the world, and the ray as it sees it.
struct Target {
    mirrored: bool,
    node: NodeId,
    part: u32,
    instance: Option<u32>,
    inverse: DMat4,
    ray: LocalRay,
}

impl Target {
    /// None if the matrix is flat: what it shows has no inside that a ray could come to.
    fn new(
        ray: &Ray,
        (node, part, mirrored): (NodeId, u32, bool),
        instance: Option<u32>,
        matrix: &DMat4,
    ) -> Option<Self> {
        let inverse = matrix.inverse();
        let origin = inverse.transform_point3(ray.origin().as_dvec3());
        let direction = inverse.transform_vector3(ray.direction().as_dvec3());
        let is_valid = inverse.is_finite() && origin.is_finite() && direction.is_finite();
        (is_valid && direction != DVec3::ZERO).then(|| Self {
            mirrored,
            node,
            part,
            instance,
            inverse,
            ray: LocalRay::new(origin, direction),
        })
    }

    /// The hit in the world, of one in the target's space.
    fn hit(&self, ray: &Ray, triangle: u32, hit: &RawHit) -> Hit {
        let point = ray.origin().as_dvec3() + ray.direction().as_dvec3() * hit.t;
        // Normals go by the inverse, transposed.
        let normal = self.inverse.transpose().transform_vector3(hit.normal);
        let normal = if self.mirrored { -normal } else { normal };
        Hit {
            node: self.node,
            part: self.part,
            instance: self.instance,
            triangle,
            distance: hit.t as f32,
            point: point.as_vec3(),
            normal: unit(normal).unwrap_or(DVec3::ZERO).as_vec3(),
            barycentrics: hit.weights.as_vec3(),
            front: hit.front != self.mirrored,
        }
    }
}

impl SpatialIndex {
    /// The first triangle that a ray meets, from either side; of several at the same
    /// distance the one with the least slot, then part, instance and triangle.
    ///
    /// `shape` gives the triangles of a node; nodes of which it gives none are
    /// transparent to the ray. Their bounds in the index must hold them, or they may be
    /// missed. World transforms are the graph's as of its last update, bounds the
    /// index's as of its last [`sync`](Self::sync). A node that is flat (a scale of
    /// zero) is never hit. O(log n) for nodes and triangles; allocates nothing.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// # use pleach_spatial::{Filter, Geometry, Ray, Shape, SpatialIndex};
    /// # use pleach_spatial::glam::Vec3;
    /// # let mut graph = Graph::new();
    /// # let mut index = SpatialIndex::new(&mut graph);
    /// let quad = Geometry::new(vec![Vec3::ZERO, Vec3::X, Vec3::ONE, Vec3::Y], vec![0, 1, 2, 0, 2, 3])?;
    /// let node = graph.add_root(Transform::from_xyz(0.0, 0.0, -3.0))?;
    /// index.set_bounds(&graph, node, quad.bounds())?;
    /// graph.update();
    /// index.sync(&graph)?;
    ///
    /// let ray = Ray::new(Vec3::new(0.75, 0.25, 5.0), Vec3::NEG_Z)?;
    /// let hit = index.pick(&graph, &ray, &Filter::default(), |_| Some(Shape::new(quad.tree()))).unwrap();
    /// assert_eq!((hit.node, hit.triangle, hit.front), (node, 0, true));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn pick<'a>(
        &self,
        graph: &Graph,
        ray: &Ray,
        filter: &Filter<'_>,
        shape: impl Fn(NodeId) -> Option<Shape<'a>>,
    ) -> Option<Hit> {
        self.pick_parts(graph, ray, filter, |node, part| single_part(part, || shape(node)))
    }

    /// As [`pick`](Self::pick), for nodes whose shapes have several parts: `shape` is asked
    /// for part 0, 1, 2 … until it gives none.
    pub fn pick_parts<'a>(
        &self,
        graph: &Graph,
        ray: &Ray,
        filter: &Filter<'_>,
        shape: impl Fn(NodeId, u32) -> Option<Shape<'a>>,
    ) -> Option<Hit> {
        let mut best: Option<Hit> = None;
        self.each_target(graph, ray, filter, &shape, |target, triangles, max_distance| {
            let (triangle, hit) = triangles.nearest_hit(self.kernel, &target.ray, max_distance)?;
            let hit = target.hit(ray, triangle, &hit);
            let better = best.is_none_or(|best| hit.sort_key() < best.sort_key());
            better.then(|| best = Some(hit)).map(|()| hit.distance)
        });
        best
    }

    /// Every triangle that a ray meets, from either side: nearest first, then by slot,
    /// part, instance and triangle. Otherwise as [`pick`](Self::pick).
    pub fn pick_all<'a>(
        &self,
        graph: &Graph,
        ray: &Ray,
        filter: &Filter<'_>,
        shape: impl Fn(NodeId) -> Option<Shape<'a>>,
        hits: &mut Vec<Hit>,
    ) {
        let shape = |node, part| single_part(part, || shape(node));
        self.pick_all_parts(graph, ray, filter, shape, hits);
    }

    /// As [`pick_all`](Self::pick_all), for nodes whose shapes have several parts: `shape` is
    /// asked for part 0, 1, 2 … until it gives none.
    pub fn pick_all_parts<'a>(
        &self,
        graph: &Graph,
        ray: &Ray,
        filter: &Filter<'_>,
        shape: impl Fn(NodeId, u32) -> Option<Shape<'a>>,
        hits: &mut Vec<Hit>,
    ) {
        hits.clear();
        self.each_target(graph, ray, filter, &shape, |target, triangles, max_distance| {
            triangles.each_hit(self.kernel, &target.ray, max_distance, &mut |triangle, hit| {
                hits.push(target.hit(ray, triangle, hit));
            });
            None
        });
        hits.sort_unstable_by_key(Hit::sort_key);
    }

    /// Calls `meet` with each copy whose bounds a ray may meet, and how far to look; it
    /// gives a hit that is nearer.
    fn each_target<'a>(
        &self,
        graph: &Graph,
        ray: &Ray,
        filter: &Filter<'_>,
        shape: &impl Fn(NodeId, u32) -> Option<Shape<'a>>,
        mut intersect: impl FnMut(&Target, &TriangleTree, f32) -> Option<f32>,
    ) {
        let mut nearest = ray.max_distance();
        self.each_candidate(ray, |row, max_distance| {
            let node = self.rows.nodes[row];
            let Some(view) = graph.get(node).filter(|_| filter.passes(node, self.rows.flags(row)))
            else {
                return max_distance;
            };
            for part in 0.. {
                let Some(shape) = shape(node, part) else { break };
                let world =
                    if shape.world_space { DMat4::IDENTITY } else { view.world().as_dmat4() };
                let source = (node, part, shape.mirrored);
                let Some(target) = Target::new(ray, source, None, &world) else { continue };
                let Some(instances) = shape.instances else {
                    nearest = intersect(&target, shape.triangles, nearest).unwrap_or(nearest);
                    continue;
                };
                // Only boxes are met in the node's space: each copy has a ray of its own.
                instances.raycast(&target.ray.slabs, pad_distance(nearest), |instance, _| {
                    let matrix = world * instances.matrices()[instance as usize].as_dmat4();
                    let target = Target::new(ray, source, Some(instance), &matrix);
                    if let Some(target) = target {
                        nearest = intersect(&target, shape.triangles, nearest).unwrap_or(nearest);
                    }
                    pad_distance(nearest)
                });
            }
            pad_distance(nearest)
        });
    }
}

/// The shape of a node that has but one part.
fn single_part<'a>(part: u32, shape: impl Fn() -> Option<Shape<'a>>) -> Option<Shape<'a>> {
    if part == 0 { shape() } else { None }
}
