//! Rays against boxes: which bounds a ray meets.
//!
//! The tree's test is conservative; each box it finds is tested again exactly, in
//! f64, so the answers are those of `Ray::hit_aabb` on every box.

use pleach_graph::NodeId;

use crate::bvh::traversal::RayTraversal;
use crate::bvh::triangle_tree::pad_distance;
use crate::kernel::{self, Slabs};
use crate::{Filter, Ray, SpatialIndex};

/// A node whose bounds a ray meets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AabbHit {
    /// The node.
    pub node: NodeId,
    /// Where the ray enters its world bounds; 0 if it starts inside.
    pub distance: f32,
}

impl AabbHit {
    /// Nearest first, then by slot.
    fn sort_key(&self) -> (u32, usize) {
        // Distances are not negative, and such floats are ordered as their bits are.
        (self.distance.to_bits(), self.node.index())
    }
}

impl SpatialIndex {
    /// The node whose world bounds a ray enters first; of several at the same distance
    /// the one with the least slot. Bounds only: see [`pick`](Self::pick) for triangles.
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

    /// Every node whose world bounds a ray meets, nearest first, then by slot.
    pub fn raycast_aabb_all(&self, ray: &Ray, filter: &Filter<'_>, hits: &mut Vec<AabbHit>) {
        hits.clear();
        self.each_hit(ray, filter, |hit, max_distance| {
            hits.push(hit);
            max_distance
        });
        hits.sort_unstable_by_key(AabbHit::sort_key);
    }

    /// Calls `found` for the bounds that a ray meets, nearer parts of the tree first;
    /// it tells how far to look from then on.
    fn each_hit(&self, ray: &Ray, filter: &Filter<'_>, mut found: impl FnMut(AabbHit, f32) -> f32) {
        self.each_candidate(ray, |row, max_distance| {
            let Some(distance) = ray.hit_aabb(&self.rows.world[row]) else { return max_distance };
            let node = self.rows.nodes[row];
            if distance > max_distance || !filter.passes(node, self.rows.flags(row)) {
                return max_distance;
            }
            // Without the sign that a zero may have.
            found(AabbHit { node, distance: distance.abs() }, max_distance)
        });
    }

    /// Every node whose bounds a ray may meet, slack included, in the order of slots: those
    /// that [`pick`](Self::pick) asks for their shapes, and a few more.
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

    /// Calls `found` for the rows whose bounds, slack included, a ray may meet.
    pub(crate) fn each_candidate(&self, ray: &Ray, mut found: impl FnMut(usize, f32) -> f32) {
        let slabs = &Slabs::new(ray.origin().as_dvec3(), ray.direction().as_dvec3());
        let max_distance = pad_distance(ray.max_distance());
        let leaf = |row: u32, max_distance: f32| found(row as usize, max_distance);
        let nodes = self.tree.nodes();
        kernel::traverse(self.kernel, RayTraversal { nodes, slabs, max_distance, leaf });
    }
}
