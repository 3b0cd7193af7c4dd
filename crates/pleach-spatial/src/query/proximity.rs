//! What is near: in a sphere, in a box, the nearest few.

use glam::Vec3;
use pleach_graph::NodeId;

use crate::bvh::traversal::{Around, Within};
use crate::kernel;
use crate::{Aabb, Filter, SpatialIndex, Sphere};

/// A node near a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearestHit {
    /// The node.
    pub node: NodeId,
    /// From the point to the node's world bounds; 0 if it is inside.
    pub distance: f32,
}

impl SpatialIndex {
    /// Every node whose world bounds meet a sphere, in the order of slots.
    pub fn query_sphere(&self, sphere: &Sphere, filter: &Filter<'_>, nodes: &mut Vec<NodeId>) {
        nodes.clear();
        if sphere.radius.is_nan() || sphere.radius < 0.0 || !sphere.center.is_finite() {
            return;
        }
        let rows = &self.rows;
        let reach = squared(sphere.radius);
        let leaf = |row: u32, reach: f32| {
            let row = row as usize;
            if rows.world[row].intersects_sphere(sphere)
                && filter.passes(rows.nodes[row], rows.marks(row))
            {
                nodes.push(rows.nodes[row]);
            }
            reach
        };
        let point = sphere.center.to_array();
        kernel::walk(self.kernel, Around { nodes: self.tree.nodes(), point, reach, leaf });
        nodes.sort_unstable_by_key(|node| node.index());
    }

    /// Every node whose world bounds meet a box, in the order of slots.
    pub fn query_aabb(&self, aabb: &Aabb, filter: &Filter<'_>, nodes: &mut Vec<NodeId>) {
        nodes.clear();
        if !aabb.is_empty() {
            let rows = &self.rows;
            let leaf = |row: u32| {
                let row = row as usize;
                if rows.world[row].intersects(aabb)
                    && filter.passes(rows.nodes[row], rows.marks(row))
                {
                    nodes.push(rows.nodes[row]);
                }
            };
            kernel::walk(self.kernel, Within { nodes: self.tree.nodes(), aabb, leaf });
            nodes.sort_unstable_by_key(|node| node.index());
        }
    }

    /// The `count` nodes whose world bounds are nearest to a point, nearest first, then
    /// by slot. Fewer if there are not so many; none if the point is not finite.
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
        // Distances are not negative, and such floats are ordered as their bits are.
        let order = |near: &NearestHit| (near.distance.to_bits(), near.node.index());
        // Some more than asked for are kept, so that the worst are not looked for at each.
        let most = count.saturating_add(count / 2).saturating_add(8);
        let leaf = |row: u32, reach: f32| {
            let (node, aabb) = (rows.nodes[row as usize], &rows.world[row as usize]);
            if !filter.passes(node, rows.marks(row as usize)) {
                return reach;
            }
            nearest.push(NearestHit { node, distance: aabb.distance(at) });
            if nearest.len() != count && nearest.len() < most {
                return reach;
            }
            let (_, worst, _) = nearest.select_nth_unstable_by_key(count - 1, order);
            let reach = squared(worst.distance);
            nearest.truncate(count);
            reach
        };
        let (nodes, point) = (self.tree.nodes(), at.to_array());
        kernel::walk(self.kernel, Around { nodes, point, reach: f32::INFINITY, leaf });
        nearest.sort_unstable_by_key(order);
        nearest.truncate(count);
    }
}

/// A square that is not less than what the kernels make of such a distance: they are off
/// by a few units in the last place.
fn squared(distance: f32) -> f32 {
    let distance = f64::from(distance);
    (distance * distance * 1.000_01) as f32
}
