//! What is near: in a sphere, in a box, the nearest few.

use std::collections::BinaryHeap;

use glam::Vec3;
use pleach_graph::NodeId;

use crate::bvh::traverse::{Around, Within};
use crate::kernel;
use crate::{Aabb, Filter, SpatialIndex, Sphere};

/// A node near a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Near {
    /// The node.
    pub node: NodeId,
    /// From the point to the node's world bounds; 0 if it is inside.
    pub distance: f32,
}

impl SpatialIndex {
    /// Every node whose world bounds meet a sphere, in the order of slots.
    pub fn in_sphere(&self, sphere: &Sphere, filter: &Filter<'_>, nodes: &mut Vec<NodeId>) {
        nodes.clear();
        if sphere.radius.is_nan() || sphere.radius < 0.0 || !sphere.center.is_finite() {
            return;
        }
        let rows = &self.rows;
        // In f32 the squares are off by a few units in the last place.
        let reach = (f64::from(sphere.radius).powi(2) * 1.000_01) as f32;
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
    pub fn in_box(&self, aabb: &Aabb, filter: &Filter<'_>, nodes: &mut Vec<NodeId>) {
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
    pub fn nearest_to(
        &self,
        point: Vec3,
        count: usize,
        filter: &Filter<'_>,
        nearest: &mut Vec<Near>,
    ) {
        nearest.clear();
        if count == 0 || !point.is_finite() {
            return;
        }
        let rows = &self.rows;
        // The worst of the best on top, by squared distance (whose bits are in order, as it
        // is not negative), then slot.
        let mut best: BinaryHeap<(u32, usize, u32)> = BinaryHeap::new();
        let leaf = |row: u32, reach: f32| {
            let (node, aabb) = (rows.nodes[row as usize], &rows.world[row as usize]);
            let squared = aabb.distance_squared(point);
            let entry = (squared.to_bits(), node.index(), row);
            let full = best.len() == count;
            if full && best.peek().is_some_and(|worst| entry > *worst) {
                return reach;
            }
            if !filter.passes(node, rows.marks(row as usize)) {
                return reach;
            }
            if full {
                best.pop();
            }
            best.push(entry);
            match best.peek() {
                Some(worst) if best.len() == count => f32::from_bits(worst.0),
                _ => reach,
            }
        };
        let nodes = self.tree.nodes();
        let point = point.to_array();
        kernel::walk(self.kernel, Around { nodes, point, reach: f32::INFINITY, leaf });
        nearest.extend(best.into_sorted_vec().into_iter().map(|(squared, _, row)| Near {
            node: rows.nodes[row as usize],
            distance: f32::from_bits(squared).sqrt(),
        }));
    }
}
