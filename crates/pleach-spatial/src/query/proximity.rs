//! Proximity queries: the nodes in a sphere, in a box, or nearest to a point.

use glam::Vec3;
use pleach_graph::NodeId;

use crate::bvh::traversal::{AabbTraversal, NearestTraversal};
use crate::kernel;
use crate::{Aabb, Filter, SpatialIndex, Sphere};

/// A node and its distance from a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearestHit {
    /// The node.
    pub node: NodeId,
    /// The distance from the point to the node's world bounds, in metres; 0 if the point is inside.
    pub distance: f32,
}

impl SpatialIndex {
    /// Replaces the contents of `nodes` with the nodes whose world bounds intersect a sphere, sorted
    /// by slot. None if the radius is negative or NaN, or the centre is not finite.
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
        let traversal = NearestTraversal { nodes: self.tree.nodes(), point, max_squared, leaf };
        kernel::traverse(self.kernel, traversal);
        nodes.sort_unstable_by_key(|node| node.index());
    }

    /// Replaces the contents of `nodes` with the nodes whose world bounds intersect a box, sorted by
    /// slot. None if the box is empty.
    pub fn query_aabb(&self, aabb: &Aabb, filter: &Filter<'_>, nodes: &mut Vec<NodeId>) {
        nodes.clear();
        if !aabb.is_empty() {
            let rows = &self.rows;
            let leaf = |row: u32| {
                let row = row as usize;
                if rows.world[row].intersects(aabb)
                    && filter.passes(rows.nodes[row], rows.flags(row))
                {
                    nodes.push(rows.nodes[row]);
                }
            };
            kernel::traverse(self.kernel, AabbTraversal { nodes: self.tree.nodes(), aabb, leaf });
            nodes.sort_unstable_by_key(|node| node.index());
        }
    }

    /// Replaces the contents of `nearest` with the `count` nodes whose world bounds are nearest to
    /// the point `at`, nearest first, then by slot. Fewer if there are fewer nodes; none if the
    /// point is not finite.
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
        let (nodes, point) = (self.tree.nodes(), at.to_array());
        let traversal = NearestTraversal { nodes, point, max_squared: f32::INFINITY, leaf };
        kernel::traverse(self.kernel, traversal);
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
