//! Raycasts against bounds.
//!
//! The test of boxes is conservative; each box that passes is tested again in f64, so the results
//! are those of `Ray::hit_aabb` on every box.

use pleach_graph::NodeId;

use crate::bvh::triangle_tree::pad_distance;
use crate::kernel::Slabs;
use crate::{Filter, Ray, SpatialIndex};

/// A node whose bounds a ray hits.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct AabbHit {
    /// The node.
    pub node: NodeId,
    /// The distance at which the ray enters the world bounds, in metres; 0 if it starts inside.
    pub distance: f32,
}

impl AabbHit {
    /// Nearest first, then by slot.
    fn sort_key(&self) -> (u32, usize) {
        // Distances are not negative, and such floats are ordered like their bits.
        (self.distance.to_bits(), self.node.index())
    }
}

impl SpatialIndex {
    /// Returns the node whose world bounds a ray enters first, at distance 0 if the ray starts
    /// inside. Of several at the same distance it is the one with the smallest slot. Tests bounds
    /// only: see [`pick`](Self::pick) for triangles.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// # use pleach_spatial::{Aabb, Filter, Ray, SpatialIndex};
    /// # use pleach_spatial::glam::Vec3;
    /// # let mut graph = Graph::new();
    /// # let mut index = SpatialIndex::new(&mut graph);
    /// # let cube = Aabb::new(Vec3::ZERO, Vec3::ONE);
    /// # let near = graph.add_root(Transform::from_xyz(0.0, 2.0, 0.0))?;
    /// # let far = graph.add_root(Transform::from_xyz(0.0, 8.0, 0.0))?;
    /// # for node in [near, far] {
    /// #     index.set_bounds(&graph, node, cube)?;
    /// # }
    /// # graph.update();
    /// # index.sync(&graph)?;
    /// let ray = Ray::new(Vec3::splat(0.5), Vec3::Y)?;
    /// let hit = index.raycast_aabb(&ray, &Filter::default()).unwrap();
    /// assert_eq!((hit.node, hit.distance), (near, 1.5));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias("raycast", "broadphase", "intersectObject"))]
    #[must_use]
    pub fn raycast_aabb(&self, ray: &Ray, filter: &Filter<'_>) -> Option<AabbHit> {
        let mut best: Option<AabbHit> = None;
        self.each_hit(ray, filter, |hit, max_distance| {
            if best.is_none_or(|best| hit.sort_key() < best.sort_key()) {
                best = Some(hit);
                return pad_distance(hit.distance);
            }
            max_distance
        });
        best
    }

    /// Replaces the contents of `hits` with the nodes whose world bounds a ray hits, nearest first,
    /// then by slot.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// # use pleach_spatial::{Aabb, Filter, Ray, SpatialIndex};
    /// # use pleach_spatial::glam::Vec3;
    /// # let mut graph = Graph::new();
    /// # let mut index = SpatialIndex::new(&mut graph);
    /// # let cube = Aabb::new(Vec3::ZERO, Vec3::ONE);
    /// # let near = graph.add_root(Transform::from_xyz(0.0, 2.0, 0.0))?;
    /// # let far = graph.add_root(Transform::from_xyz(0.0, 8.0, 0.0))?;
    /// # for node in [near, far] {
    /// #     index.set_bounds(&graph, node, cube)?;
    /// # }
    /// # graph.update();
    /// # index.sync(&graph)?;
    /// let ray = Ray::new(Vec3::splat(0.5), Vec3::Y)?;
    /// let mut hits = Vec::new();
    /// index.raycast_aabb_all(&ray, &Filter::default(), &mut hits);
    /// assert_eq!([hits[0].node, hits[1].node], [near, far]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias("raycast", "broadphase", "intersectObjects"))]
    pub fn raycast_aabb_all(&self, ray: &Ray, filter: &Filter<'_>, hits: &mut Vec<AabbHit>) {
        hits.clear();
        self.each_hit(ray, filter, |hit, max_distance| {
            hits.push(hit);
            max_distance
        });
        hits.sort_unstable_by_key(AabbHit::sort_key);
    }

    /// Calls `found` for the bounds that a ray hits, roughly nearest first. `found`
    /// returns the new maximum distance.
    fn each_hit(&self, ray: &Ray, filter: &Filter<'_>, mut found: impl FnMut(AabbHit, f32) -> f32) {
        self.each_candidate(ray, |row, max_distance| {
            let Some(distance) = ray.hit_aabb(&self.rows.world[row]) else { return max_distance };
            let node = self.rows.nodes[row];
            if distance > max_distance || !filter.passes(node, self.rows.flags(row)) {
                return max_distance;
            }
            // Removes the sign of negative zero.
            found(AabbHit { node, distance: distance.abs() }, max_distance)
        });
    }

    /// Replaces the contents of `nodes` with the nodes whose world bounds, enlarged by the rounding
    /// error, a ray hits, sorted by slot. These include all nodes whose shapes
    /// [`pick`](Self::pick) requests, so that their triangles can be prepared.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// # use pleach_spatial::{Aabb, Filter, Ray, SpatialIndex};
    /// # use pleach_spatial::glam::Vec3;
    /// # let mut graph = Graph::new();
    /// # let mut index = SpatialIndex::new(&mut graph);
    /// # let cube = Aabb::new(Vec3::ZERO, Vec3::ONE);
    /// # let near = graph.add_root(Transform::from_xyz(0.0, 2.0, 0.0))?;
    /// # let far = graph.add_root(Transform::from_xyz(0.0, 8.0, 0.0))?;
    /// # for node in [near, far] {
    /// #     index.set_bounds(&graph, node, cube)?;
    /// # }
    /// # graph.update();
    /// # index.sync(&graph)?;
    /// let ray = Ray::new(Vec3::splat(0.5), Vec3::Y)?;
    /// let mut nodes = Vec::new();
    /// index.ray_candidates(&ray.with_max_distance(3.0), &Filter::default(), &mut nodes);
    /// assert_eq!(nodes, [near]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn ray_candidates(&self, ray: &Ray, filter: &Filter<'_>, nodes: &mut Vec<NodeId>) {
        nodes.clear();
        self.each_candidate(ray, |row, max_distance| {
            let node = self.rows.nodes[row];
            if filter.passes(node, self.rows.flags(row)) {
                nodes.push(node);
            }
            max_distance
        });
        nodes.sort_unstable_by_key(|node| node.index());
    }

    /// Calls `found` for the rows whose bounds, slack included, a ray may hit. `found` returns
    /// the new maximum distance.
    pub(crate) fn each_candidate(&self, ray: &Ray, found: impl FnMut(usize, f32) -> f32) {
        let slabs = &Slabs::new(ray.origin().as_dvec3(), ray.direction().as_dvec3());
        let max_distance = pad_distance(ray.max_distance());
        self.visit_along_ray(slabs, max_distance, found);
    }
}
