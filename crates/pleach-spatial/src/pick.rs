//! Picking: what a ray meets, to the triangle.
//!
//! Two levels (three with instances): the tree of nodes' bounds, then the tree of
//! the geometry's triangles, with the ray taken into the geometry's space in f64. A
//! distance is the same number in both spaces, so hits of all nodes compare as they
//! are.

use glam::{DMat4, DVec3, Vec3};
use pleach_graph::{Graph, NodeId};

use crate::triangle::RawHit;
use crate::triangles::{LocalRay, outer};
use crate::{Filter, Instances, Ray, SpatialIndex, TriangleTree};

/// What a node looks like to a ray.
#[derive(Clone, Copy, Debug)]
pub struct Shape<'a> {
    /// Its triangles, in its own space (or that of its instances).
    pub triangles: &'a TriangleTree,
    /// The copies, if the node has many.
    pub instances: Option<&'a Instances>,
}

impl<'a> Shape<'a> {
    /// One copy of some triangles.
    #[must_use]
    pub fn new(triangles: &'a TriangleTree) -> Self {
        Self { triangles, instances: None }
    }
}

/// Where a ray meets a triangle of a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// The node.
    pub node: NodeId,
    /// Which copy, if the node has instances.
    pub instance: Option<u32>,
    /// Which triangle of the geometry.
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

/// A hit in full precision, as it is compared.
#[derive(Clone, Copy, Debug)]
struct Found {
    hit: RawHit,
    node: NodeId,
    instance: Option<u32>,
    triangle: u32,
}

impl Found {
    fn comes_before(&self, other: &Self) -> bool {
        let rank = |found: &Self| (found.node.index(), found.instance, found.triangle);
        self.hit.t < other.hit.t || (self.hit.t == other.hit.t && rank(self) < rank(other))
    }
}

impl SpatialIndex {
    /// The first triangle that a ray meets, from either side; of several at the same
    /// distance the one with the least slot, then instance, then triangle.
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
        let mut best: Option<Found> = None;
        let limit = f64::from(ray.reach());
        self.candidates(ray, |row, reach| {
            let node = self.rows.nodes[row];
            if !filter.passes(node, self.rows.marks(row)) {
                return reach;
            }
            let (Some(world), Some(shape)) = (world_of(graph, node), shape(node)) else {
                return reach;
            };
            let limit = best.map_or(limit, |best| best.hit.t);
            let mut consider = |instance, local: &LocalRay, limit: f64| {
                let found = shape.triangles.nearest_within(self.kernel, local, limit);
                if let Some((triangle, hit)) = found {
                    let found = Found { hit, node, instance, triangle };
                    if best.is_none_or(|best| found.comes_before(&best)) {
                        best = Some(found);
                        return hit.t;
                    }
                }
                limit
            };
            let Some(instances) = shape.instances else {
                return local(ray, &world).map_or(reach, |ray| outer(consider(None, &ray, limit)));
            };
            // Only boxes are tested in the node's space: each copy has a ray of its own.
            let Some(in_node) = local(ray, &world) else { return reach };
            let mut limit = limit;
            instances.along(&in_node.slabs, outer(limit), |instance, _| {
                let matrix = world * instances.matrices()[instance as usize].as_dmat4();
                if let Some(local) = local(ray, &matrix) {
                    limit = consider(Some(instance), &local, limit);
                }
                outer(limit)
            });
            outer(limit)
        });
        let found = best?;
        let shape = shape(found.node)?;
        Some(finish(graph, ray, &found, &shape))
    }

    /// Every triangle that a ray meets, from either side: nearest first, then by slot,
    /// instance and triangle. Otherwise as [`pick`](Self::pick).
    pub fn pick_all<'a>(
        &self,
        graph: &Graph,
        ray: &Ray,
        filter: &Filter<'_>,
        shape: impl Fn(NodeId) -> Option<Shape<'a>>,
        hits: &mut Vec<Hit>,
    ) {
        hits.clear();
        let mut all: Vec<Found> = Vec::new();
        let limit = f64::from(ray.reach());
        self.candidates(ray, |row, reach| {
            let node = self.rows.nodes[row];
            if !filter.passes(node, self.rows.marks(row)) {
                return reach;
            }
            let (Some(world), Some(shape)) = (world_of(graph, node), shape(node)) else {
                return reach;
            };
            let mut collect = |instance, local: &LocalRay| {
                shape.triangles.each_along(self.kernel, local, limit, &mut |triangle, hit| {
                    all.push(Found { hit: *hit, node, instance, triangle });
                });
            };
            let Some(in_node) = local(ray, &world) else { return reach };
            match shape.instances {
                None => collect(None, &in_node),
                Some(instances) => instances.along(&in_node.slabs, reach, |instance, reach| {
                    let matrix = world * instances.matrices()[instance as usize].as_dmat4();
                    if let Some(local) = local(ray, &matrix) {
                        collect(Some(instance), &local);
                    }
                    reach
                }),
            }
            reach
        });
        all.sort_unstable_by(|a, b| {
            if a.comes_before(b) { core::cmp::Ordering::Less } else { core::cmp::Ordering::Greater }
        });
        hits.extend(all.iter().filter_map(|found| {
            let shape = shape(found.node)?;
            Some(finish(graph, ray, found, &shape))
        }));
    }
}

fn world_of(graph: &Graph, node: NodeId) -> Option<DMat4> {
    Some(graph.get(node)?.world().as_dmat4())
}

/// A ray in the space that `matrix` leads out of; none if that space is flat.
fn local(ray: &Ray, matrix: &DMat4) -> Option<LocalRay> {
    let inverse = inverse(matrix)?;
    let origin = inverse.transform_point3(ray.origin().as_dvec3());
    let direction = inverse.transform_vector3(ray.direction().as_dvec3());
    (origin.is_finite() && direction.is_finite() && direction != DVec3::ZERO)
        .then(|| LocalRay::new(origin, direction))
}

fn inverse(matrix: &DMat4) -> Option<DMat4> {
    let inverse = matrix.inverse();
    inverse.is_finite().then_some(inverse)
}

fn finish(graph: &Graph, ray: &Ray, found: &Found, shape: &Shape<'_>) -> Hit {
    let mut matrix = world_of(graph, found.node).unwrap_or(DMat4::IDENTITY);
    if let (Some(instances), Some(instance)) = (shape.instances, found.instance) {
        matrix *= instances.matrices()[instance as usize].as_dmat4();
    }
    // Normals go by the inverse, transposed.
    let world = inverse(&matrix).map_or(found.hit.normal, |inverse| {
        inverse.transpose().transform_vector3(found.hit.normal)
    });
    let t = found.hit.t;
    let point = ray.origin().as_dvec3() + ray.direction().as_dvec3() * t;
    Hit {
        node: found.node,
        instance: found.instance,
        triangle: found.triangle,
        distance: t as f32,
        point: point.as_vec3(),
        normal: crate::plane::unit(world).unwrap_or(DVec3::ZERO).as_vec3(),
        barycentrics: found.hit.weights.as_vec3(),
        front: found.hit.front,
    }
}
