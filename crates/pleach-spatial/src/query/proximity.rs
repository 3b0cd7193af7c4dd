//! Proximity queries: the nodes in a sphere, in a box, or nearest to a point.

use glam::Vec3;
use pleach_graph::NodeId;

use crate::{Aabb, Filter, SpatialIndex, Sphere};

/// A node and its distance from a point.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct NearestHit {
    /// The node.
    pub node: NodeId,
    /// The distance from the point to the node's world bounds, in metres; 0 if the point is inside.
    pub distance: f32,
}

impl SpatialIndex {
    /// Replaces the contents of `nodes` with the nodes whose world bounds intersect a sphere, sorted
    /// by slot. None if the radius is negative or NaN, or the centre is not finite.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// # use pleach_spatial::{Aabb, Filter, Sphere, SpatialIndex};
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
    /// let mut nodes = Vec::new();
    /// index.query_sphere(&Sphere::new(Vec3::ZERO, 4.0), &Filter::default(), &mut nodes);
    /// assert_eq!(nodes, [near]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias("overlap_sphere", "OverlapSphere", "broadphase"))]
    pub fn query_sphere(&self, sphere: &Sphere, filter: &Filter<'_>, nodes: &mut Vec<NodeId>) {
        nodes.clear();
        if sphere.radius.is_nan() || sphere.radius < 0.0 || !sphere.center.is_finite() {
            return;
        }
        let rows = &self.rows;
        let max_squared = padded_square(sphere.radius);
        let leaf = |row: u32, max_squared: f32| {
            let row = row as usize;
            if rows.world[row].intersects_sphere(sphere)
                && filter.passes(rows.nodes[row], rows.flags(row))
            {
                nodes.push(rows.nodes[row]);
            }
            max_squared
        };
        let point = sphere.center.to_array();
        self.visit_near(point, max_squared, leaf);
        nodes.sort_unstable_by_key(|node| node.index());
    }

    /// Replaces the contents of `nodes` with the nodes whose world bounds intersect a box, sorted by
    /// slot. None if the box is empty.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// # use pleach_spatial::{Aabb, Filter, SpatialIndex};
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
    /// let mut nodes = Vec::new();
    /// let (from, to) = (Vec3::new(0.0, 7.0, 0.0), Vec3::new(1.0, 20.0, 1.0));
    /// index.query_aabb(&Aabb::new(from, to), &Filter::default(), &mut nodes);
    /// assert_eq!(nodes, [far]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias("overlap_box", "OverlapBox", "broadphase", "sweep"))]
    pub fn query_aabb(&self, aabb: &Aabb, filter: &Filter<'_>, nodes: &mut Vec<NodeId>) {
        nodes.clear();
        if !aabb.is_empty() {
            let rows = &self.rows;
            self.visit_within(aabb, |row| {
                let row = row as usize;
                if rows.world[row].intersects(aabb)
                    && filter.passes(rows.nodes[row], rows.flags(row))
                {
                    nodes.push(rows.nodes[row]);
                }
            });
            nodes.sort_unstable_by_key(|node| node.index());
        }
    }

    /// Replaces the contents of `nearest` with the `count` nodes whose world bounds are nearest to
    /// the point `at`, nearest first, then by slot. Fewer if there are fewer nodes; none if the
    /// point is not finite.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// # use pleach_spatial::{Aabb, Filter, SpatialIndex};
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
    /// let mut nearest = Vec::new();
    /// index.nearest(Vec3::ZERO, 1, &Filter::default(), &mut nearest);
    /// assert_eq!((nearest[0].node, nearest[0].distance), (near, 2.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias("closest", "nearest neighbour", "nearest neighbor", "knn"))]
    pub fn nearest(
        &self,
        at: Vec3,
        count: usize,
        filter: &Filter<'_>,
        nearest: &mut Vec<NearestHit>,
    ) {
        nearest.clear();
        if count == 0 || !at.is_finite() {
            return;
        }
        let rows = &self.rows;
        // Distances are not negative, and such floats are ordered like their bits.
        let sort_key = |hit: &NearestHit| (hit.distance.to_bits(), hit.node.index());
        // More than `count` hits are collected, so that the farthest need not be found for each.
        let capacity = count.saturating_add(count / 2).saturating_add(8);
        let leaf = |row: u32, max_squared: f32| {
            let (node, aabb) = (rows.nodes[row as usize], &rows.world[row as usize]);
            if !filter.passes(node, rows.flags(row as usize)) {
                return max_squared;
            }
            nearest.push(NearestHit { node, distance: aabb.distance(at) });
            if nearest.len() != count && nearest.len() < capacity {
                return max_squared;
            }
            let (_, worst, _) = nearest.select_nth_unstable_by_key(count - 1, sort_key);
            let max_squared = padded_square(worst.distance);
            nearest.truncate(count);
            max_squared
        };
        self.visit_near(at.to_array(), f32::INFINITY, leaf);
        nearest.sort_unstable_by_key(sort_key);
        nearest.truncate(count);
    }
}

/// Returns a square that is not less than what the kernels compute for this distance: they may be
/// wrong by a few units in the last place.
fn padded_square(distance: f32) -> f32 {
    let distance = f64::from(distance);
    (distance * distance * 1.000_01) as f32
}
