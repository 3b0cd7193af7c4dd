//! Picking: intersects a ray with the triangles of nodes.
//!
//! Two levels (three with instances): the tree of the nodes' bounds, then the tree of the
//! geometry's triangles, with the ray transformed into the geometry's space in f64. The direction
//! is not normalized there, so distances are the same numbers in both spaces and the hits of all
//! nodes can be compared.

use core::ops::Deref;

use glam::{DMat4, DVec3, Vec3};
use pleach_graph::{Graph, NodeId, unit};

use crate::bvh::triangle_tree::{LocalRay, pad_distance};
use crate::shapes::ray_triangle::RawHit;
use crate::{Filter, Instances, Ray, SpatialIndex, TriangleTree};

/// The geometry of a node, as seen by raycasts.
///
/// The triangles are a reference, or anything that dereferences to a tree, such as a guard.
#[derive(Clone, Copy, Debug)]
pub struct Shape<'a, T = &'a TriangleTree> {
    /// The triangles, in the node's local space (or in that of its instances).
    pub triangles: T,
    /// The instances, if the node has any.
    pub instances: Option<&'a Instances>,
    /// `true` if the triangles are in world space, such as skinned ones: the node's transform is
    /// ignored.
    pub world_space: bool,
    /// `true` if the front side is the one with clockwise corners, as for triangles posed by a
    /// mirrored skeleton.
    pub mirrored: bool,
}

impl<'a, T: Deref<Target = TriangleTree>> Shape<'a, T> {
    /// Creates a shape from triangles in the node's local space.
    #[must_use]
    pub fn new(triangles: T) -> Self {
        Self { triangles, instances: None, world_space: false, mirrored: false }
    }

    /// Creates a shape from triangles in world space.
    #[must_use]
    pub fn world_space(triangles: T) -> Self {
        Self { triangles, instances: None, world_space: true, mirrored: false }
    }

    /// Creates a shape from instances of triangles.
    #[must_use]
    pub fn instanced(triangles: T, instances: &'a Instances) -> Self {
        Self { triangles, instances: Some(instances), world_space: false, mirrored: false }
    }
}

/// An intersection of a ray and a triangle of a node.
#[doc(alias("RaycastHit", "Intersection"))]
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Hit {
    /// The node.
    pub node: NodeId,
    /// The index of the instance, if the node has instances.
    pub instance: Option<u32>,
    /// The index of the part of the node's shape; 0 if there is only one.
    pub part: u32,
    /// The index of the triangle in that part.
    pub triangle: u32,
    /// The distance from the ray's origin, in metres.
    pub distance: f32,
    /// The intersection point, in world space.
    pub point: Vec3,
    /// The geometric normal in world space, of length 1. It points to the side on which the corners
    /// are in counter-clockwise order in local space, whichever side was hit.
    pub normal: Vec3,
    /// The barycentric coordinates: the weights of the three corners, which sum to one.
    pub barycentrics: Vec3,
    /// `true` if the side that the normal points to was hit. (As in glTF, mirroring a node does not
    /// exchange its sides.)
    pub front: bool,
}

impl Hit {
    /// Nearest first, then by slot, part, instance and triangle.
    fn sort_key(&self) -> (u32, usize, u32, Option<u32>, u32) {
        // Distances are not negative, and such floats are ordered like their bits.
        (self.distance.to_bits(), self.node.index(), self.part, self.instance, self.triangle)
    }
}

/// Triangles with their transform, and the ray in their space.
struct Target {
    mirrored: bool,
    node: NodeId,
    part: u32,
    instance: Option<u32>,
    inverse: DMat4,
    ray: LocalRay,
}

impl Target {
    /// Returns `None` if the matrix is singular: such geometry is never hit.
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

    /// Converts a hit in the target's space to world space.
    fn hit(&self, ray: &Ray, triangle: u32, hit: &RawHit) -> Hit {
        let point = ray.origin().as_dvec3() + ray.direction().as_dvec3() * hit.t;
        // Normals are transformed by the inverse transpose.
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
    /// Returns the nearest intersection of a ray with the triangles of nodes, which are hit from
    /// either side. Of several at the same distance it is the one with the smallest slot, then part,
    /// instance and triangle.
    ///
    /// `shape` returns the triangles of a node; nodes for which it returns `None` are ignored.
    /// The bounds of a node in the index must enclose its triangles, or they may be missed. World
    /// transforms are those of the graph's last update, bounds those of the last
    /// [`sync`](Self::sync). A node with a singular transform (a scale of zero) is never hit.
    /// O(log n) for nodes and for triangles; allocates nothing.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// # use pleach_spatial::{Filter, TriangleMesh, Ray, Shape, SpatialIndex};
    /// # use pleach_spatial::glam::Vec3;
    /// # let mut graph = Graph::new();
    /// # let mut index = SpatialIndex::new(&mut graph);
    /// let quad = TriangleMesh::new(vec![Vec3::ZERO, Vec3::X, Vec3::ONE, Vec3::Y], vec![0, 1, 2, 0, 2, 3])?;
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
    #[doc(alias("raycast", "intersectObject", "ray_cast", "hit test"))]
    pub fn pick<'a, T: Deref<Target = TriangleTree>>(
        &self,
        graph: &Graph,
        ray: &Ray,
        filter: &Filter<'_>,
        shape: impl Fn(NodeId) -> Option<Shape<'a, T>>,
    ) -> Option<Hit> {
        self.pick_parts(graph, ray, filter, |node, part| single_part(part, || shape(node)))
    }

    /// Like [`pick`](Self::pick), for nodes whose shapes have several parts: `shape` is called with
    /// part 0, 1, 2 … until it returns `None`.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// # use pleach_spatial::{Filter, Ray, Shape, SpatialIndex, TriangleMesh};
    /// # use pleach_spatial::glam::Vec3;
    /// # let mut graph = Graph::new();
    /// # let mut index = SpatialIndex::new(&mut graph);
    /// # let mesh = TriangleMesh::new(vec![Vec3::ZERO, Vec3::X, Vec3::Y], vec![0, 1, 2])?;
    /// # let node = graph.add_root(Transform::IDENTITY)?;
    /// # index.set_bounds(&graph, node, mesh.bounds().grown(1.0))?;
    /// # graph.update();
    /// # index.sync(&graph)?;
    /// # let raised = TriangleMesh::new(mesh.positions().iter().map(|it| it + Vec3::Z).collect(), vec![0, 1, 2])?;
    /// let ray = Ray::new(Vec3::new(0.2, 0.2, 5.0), Vec3::NEG_Z)?;
    /// let parts = [&mesh, &raised];
    /// let shape = |_, part| Some(Shape::new(parts.get(part as usize)?.tree()));
    /// let hit = index.pick_parts(&graph, &ray, &Filter::default(), shape).unwrap();
    /// assert_eq!((hit.part, hit.distance), (1, 4.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn pick_parts<'a, T: Deref<Target = TriangleTree>>(
        &self,
        graph: &Graph,
        ray: &Ray,
        filter: &Filter<'_>,
        shape: impl Fn(NodeId, u32) -> Option<Shape<'a, T>>,
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

    /// Replaces the contents of `hits` with all intersections of a ray with the triangles of nodes:
    /// nearest first, then by slot, part, instance and triangle. Otherwise like [`pick`](Self::pick).
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// # use pleach_spatial::{Filter, Ray, Shape, SpatialIndex, TriangleMesh};
    /// # use pleach_spatial::glam::Vec3;
    /// # let mut graph = Graph::new();
    /// # let mut index = SpatialIndex::new(&mut graph);
    /// # let mesh = TriangleMesh::new(vec![Vec3::ZERO, Vec3::X, Vec3::Y], vec![0, 1, 2])?;
    /// # let node = graph.add_root(Transform::IDENTITY)?;
    /// # index.set_bounds(&graph, node, mesh.bounds().grown(1.0))?;
    /// # graph.update();
    /// # index.sync(&graph)?;
    /// # let raised = TriangleMesh::new(mesh.positions().iter().map(|it| it + Vec3::Z).collect(), vec![0, 1, 2])?;
    /// let ray = Ray::new(Vec3::new(0.2, 0.2, 5.0), Vec3::NEG_Z)?;
    /// let mut hits = Vec::new();
    /// let shape = |_| Some(Shape::new(mesh.tree()));
    /// index.pick_all(&graph, &ray, &Filter::default(), shape, &mut hits);
    /// assert_eq!((hits.len(), hits[0].distance), (1, 5.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias("raycast", "raycast_all", "intersectObjects"))]
    pub fn pick_all<'a, T: Deref<Target = TriangleTree>>(
        &self,
        graph: &Graph,
        ray: &Ray,
        filter: &Filter<'_>,
        shape: impl Fn(NodeId) -> Option<Shape<'a, T>>,
        hits: &mut Vec<Hit>,
    ) {
        let shape = |node, part| single_part(part, || shape(node));
        self.pick_all_parts(graph, ray, filter, shape, hits);
    }

    /// Like [`pick_all`](Self::pick_all), for nodes whose shapes have several parts: `shape` is
    /// called with part 0, 1, 2 … until it returns `None`.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// # use pleach_spatial::{Filter, Ray, Shape, SpatialIndex, TriangleMesh};
    /// # use pleach_spatial::glam::Vec3;
    /// # let mut graph = Graph::new();
    /// # let mut index = SpatialIndex::new(&mut graph);
    /// # let mesh = TriangleMesh::new(vec![Vec3::ZERO, Vec3::X, Vec3::Y], vec![0, 1, 2])?;
    /// # let node = graph.add_root(Transform::IDENTITY)?;
    /// # index.set_bounds(&graph, node, mesh.bounds().grown(1.0))?;
    /// # graph.update();
    /// # index.sync(&graph)?;
    /// # let raised = TriangleMesh::new(mesh.positions().iter().map(|it| it + Vec3::Z).collect(), vec![0, 1, 2])?;
    /// let ray = Ray::new(Vec3::new(0.2, 0.2, 5.0), Vec3::NEG_Z)?;
    /// let parts = [&mesh, &raised];
    /// let shape = |_, part| Some(Shape::new(parts.get(part as usize)?.tree()));
    /// let mut hits = Vec::new();
    /// index.pick_all_parts(&graph, &ray, &Filter::default(), shape, &mut hits);
    /// assert_eq!([hits[0].part, hits[1].part], [1, 0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn pick_all_parts<'a, T: Deref<Target = TriangleTree>>(
        &self,
        graph: &Graph,
        ray: &Ray,
        filter: &Filter<'_>,
        shape: impl Fn(NodeId, u32) -> Option<Shape<'a, T>>,
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

    /// Replaces the contents of `hits` with the nearest intersection of a ray with each node: nearest
    /// first, then by slot. Each node is listed once, with the hit that
    /// [`pick_all`](Self::pick_all) lists first for it. Otherwise like [`pick`](Self::pick).
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// # use pleach_spatial::{Filter, Ray, Shape, SpatialIndex, TriangleMesh};
    /// # use pleach_spatial::glam::Vec3;
    /// # let mut graph = Graph::new();
    /// # let mut index = SpatialIndex::new(&mut graph);
    /// // Two triangles above each other.
    /// let corners = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z, Vec3::X + Vec3::Z, Vec3::Y + Vec3::Z];
    /// let mesh = TriangleMesh::new(corners, vec![0, 1, 2, 3, 4, 5])?;
    /// let node = graph.add_root(Transform::IDENTITY)?;
    /// index.set_bounds(&graph, node, mesh.bounds())?;
    /// graph.update();
    /// index.sync(&graph)?;
    ///
    /// let ray = Ray::new(Vec3::new(0.2, 0.2, 5.0), Vec3::NEG_Z)?;
    /// let (shape, mut hits) = (|_| Some(Shape::new(mesh.tree())), Vec::new());
    /// index.pick_all(&graph, &ray, &Filter::default(), shape, &mut hits);
    /// assert_eq!(hits.len(), 2);
    /// index.pick_nodes(&graph, &ray, &Filter::default(), shape, &mut hits);
    /// assert_eq!((hits.len(), hits[0].node, hits[0].distance), (1, node, 4.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias("raycast", "intersectObjects"))]
    pub fn pick_nodes<'a, T: Deref<Target = TriangleTree>>(
        &self,
        graph: &Graph,
        ray: &Ray,
        filter: &Filter<'_>,
        shape: impl Fn(NodeId) -> Option<Shape<'a, T>>,
        hits: &mut Vec<Hit>,
    ) {
        let shape = |node, part| single_part(part, || shape(node));
        self.pick_nodes_parts(graph, ray, filter, shape, hits);
    }

    /// Like [`pick_nodes`](Self::pick_nodes), for nodes whose shapes have several parts: `shape` is
    /// called with part 0, 1, 2 … until it returns `None`.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// # use pleach_spatial::{Filter, Ray, Shape, SpatialIndex, TriangleMesh};
    /// # use pleach_spatial::glam::Vec3;
    /// # let mut graph = Graph::new();
    /// # let mut index = SpatialIndex::new(&mut graph);
    /// # let mesh = TriangleMesh::new(vec![Vec3::ZERO, Vec3::X, Vec3::Y], vec![0, 1, 2])?;
    /// # let node = graph.add_root(Transform::IDENTITY)?;
    /// # index.set_bounds(&graph, node, mesh.bounds().grown(1.0))?;
    /// # graph.update();
    /// # index.sync(&graph)?;
    /// # let raised = TriangleMesh::new(mesh.positions().iter().map(|it| it + Vec3::Z).collect(), vec![0, 1, 2])?;
    /// let ray = Ray::new(Vec3::new(0.2, 0.2, 5.0), Vec3::NEG_Z)?;
    /// let parts = [&mesh, &raised];
    /// let shape = |_, part| Some(Shape::new(parts.get(part as usize)?.tree()));
    /// let mut hits = Vec::new();
    /// index.pick_nodes_parts(&graph, &ray, &Filter::default(), shape, &mut hits);
    /// assert_eq!((hits.len(), hits[0].part), (1, 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn pick_nodes_parts<'a, T: Deref<Target = TriangleTree>>(
        &self,
        graph: &Graph,
        ray: &Ray,
        filter: &Filter<'_>,
        shape: impl Fn(NodeId, u32) -> Option<Shape<'a, T>>,
        hits: &mut Vec<Hit>,
    ) {
        hits.clear();
        self.each_target(graph, ray, filter, &shape, |target, triangles, max_distance| {
            let (triangle, hit) = triangles.nearest_hit(self.kernel, &target.ray, max_distance)?;
            let hit = target.hit(ray, triangle, &hit);
            // The parts and instances of a node are consecutive.
            match hits.last_mut().filter(|last| last.node == hit.node) {
                Some(last) if hit.sort_key() < last.sort_key() => *last = hit,
                Some(_) => {}
                None => hits.push(hit),
            }
            None
        });
        hits.sort_unstable_by_key(Hit::sort_key);
    }

    /// Calls `intersect` with each target whose bounds a ray may hit, and the maximum distance. It
    /// returns the distance of a nearer hit, if it finds one.
    fn each_target<'a, T: Deref<Target = TriangleTree>>(
        &self,
        graph: &Graph,
        ray: &Ray,
        filter: &Filter<'_>,
        shape: &impl Fn(NodeId, u32) -> Option<Shape<'a, T>>,
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
                    nearest = intersect(&target, &shape.triangles, nearest).unwrap_or(nearest);
                    continue;
                };
                // In the node's space only boxes are tested: each instance transforms the ray for
                // itself.
                instances.raycast(&target.ray.slabs, pad_distance(nearest), |instance, _| {
                    let matrix = world * instances.matrices()[instance as usize].as_dmat4();
                    let target = Target::new(ray, source, Some(instance), &matrix);
                    if let Some(target) = target {
                        nearest = intersect(&target, &shape.triangles, nearest).unwrap_or(nearest);
                    }
                    pad_distance(nearest)
                });
            }
            pad_distance(nearest)
        });
    }
}

/// Returns the shape of a node with a single part.
fn single_part<'a, T>(part: u32, shape: impl Fn() -> Option<Shape<'a, T>>) -> Option<Shape<'a, T>> {
    if part == 0 { shape() } else { None }
}
