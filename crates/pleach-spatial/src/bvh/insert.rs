//! Insertion: chooses the path of a new box that adds the least area.
//!
//! Among equal choices, as for boxes at the same position, a hash of the item decides, so that such
//! items spread evenly and the tree stays shallow.

use glam::Vec3;

use super::node::{LANES, Node};
use crate::Aabb;

/// Returns the SAH cost of a box of this size: half its area, plus a little for its length, so
/// that boxes without area differ. Sizes are clamped to `MAX_SIZE`, so that sums and differences
/// of costs stay finite.
#[inline(always)]
pub(crate) fn sah_cost(size: Vec3) -> f32 {
    /// 2^48 metres, a light-week.
    const MAX_SIZE: f32 = f32::from_bits((127 + 48) << 23);
    let clamp = |size: f32| if size < MAX_SIZE { size } else { MAX_SIZE };
    let size = Vec3 { x: clamp(size.x), y: clamp(size.y), z: clamp(size.z) };
    let length = size.x + size.y + size.z;
    (size.x * size.y + size.y * size.z + size.z * size.x) + 0.001 * length * length
}

/// Chooses among equal lanes: a different one at each node.
pub(crate) struct TieBreaker(u32);

impl TieBreaker {
    pub(crate) fn for_item(item: u32) -> Self {
        Self(item.wrapping_mul(0x9e37_79b9) | 1)
    }

    fn next_lane(&mut self) -> usize {
        self.0 = self.0.rotate_left(7).wrapping_mul(0x85eb_ca6b);
        (self.0 >> 16) as usize % LANES
    }
}

/// The next step of an insertion.
pub(crate) enum InsertStep {
    /// Insert into a vacant lane of this node.
    VacantLane,
    /// Descend into the node of this lane.
    Descend(usize),
    /// Replace the leaf of this lane by a new node with both.
    MakePair(usize),
}

impl Node {
    /// Returns the step that adds the least area.
    pub(crate) fn insert_step(&self, aabb: &Aabb, ties: &mut TieBreaker) -> InsertStep {
        let first_lane = ties.next_lane();
        let [x, y, z, to_x, to_y, to_z] = &self.bounds;
        let min_of = |a: f32, b: f32| if a < b { a } else { b };
        let max_of = |a: f32, b: f32| if a > b { a } else { b };
        let union_cost: [f32; LANES] = core::array::from_fn(|i| {
            sah_cost(Vec3 {
                x: max_of(to_x[i], aabb.max.x) - min_of(x[i], aabb.min.x),
                y: max_of(to_y[i], aabb.max.y) - min_of(y[i], aabb.min.y),
                z: max_of(to_z[i], aabb.max.z) - min_of(z[i], aabb.min.z),
            })
        });
        let own_cost: [f32; LANES] = core::array::from_fn(|i| {
            sah_cost(Vec3 { x: to_x[i] - x[i], y: to_y[i] - y[i], z: to_z[i] - z[i] })
        });
        let is_full = self.len as usize == LANES;
        let (mut best_cost, mut step) = if is_full {
            (f32::INFINITY, InsertStep::MakePair(0))
        } else {
            (sah_cost(aabb.max - aabb.min), InsertStep::VacantLane)
        };
        // Pairs with leaves are considered only if there is no vacant lane.
        let lanes = self.lane_mask() & if is_full { !0 } else { !u32::from(self.leaf_mask) };
        for offset in 0..LANES {
            let lane = (offset + first_lane) % LANES;
            if lanes & (1 << lane) == 0 {
                continue;
            }
            let is_leaf = self.leaf_mask & (1 << lane) != 0;
            let cost = if is_leaf { union_cost[lane] } else { union_cost[lane] - own_cost[lane] };
            if cost < best_cost {
                best_cost = cost;
                step = if is_leaf { InsertStep::MakePair(lane) } else { InsertStep::Descend(lane) };
            }
        }
        step
    }
}
