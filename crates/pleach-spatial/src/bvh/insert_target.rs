//! Where a new box goes: down the way that adds the least area.
//!
//! Where all ways are alike, as among boxes at one place, a number of the item's own
//! decides, so that they spread and the tree stays shallow.

use glam::Vec3;

use super::node::{LANES, Node};
use crate::Aabb;

/// How much a box of this size costs: half its area, and a little for its length, so
/// that boxes without area can be told apart. Sizes beyond `LARGE` are alike: sums and
/// differences of costs stay finite.
#[inline(always)]
pub(crate) fn measure(size: Vec3) -> f32 {
    /// 2^48, a light-week in metres.
    const LARGE: f32 = f32::from_bits((127 + 48) << 23);
    let cut = |size: f32| if size < LARGE { size } else { LARGE };
    let size = Vec3 { x: cut(size.x), y: cut(size.y), z: cut(size.z) };
    let length = size.x + size.y + size.z;
    (size.x * size.y + size.y * size.z + size.z * size.x) + 0.001 * length * length
}

/// Which of several equal ways an item takes: another one at each node.
pub(crate) struct Taste(u32);

impl Taste {
    pub(crate) fn of(item: u32) -> Self {
        Self(item.wrapping_mul(0x9e37_79b9) | 1)
    }

    fn turn(&mut self) -> usize {
        self.0 = self.0.rotate_left(7).wrapping_mul(0x85eb_ca6b);
        (self.0 >> 16) as usize % LANES
    }
}

/// Where a box goes next on its way down.
pub(crate) enum Choice {
    /// Into a vacant lane.
    Here,
    /// Into the node of this lane.
    Below(usize),
    /// Into a new node, together with the leaf of this lane.
    With(usize),
}

impl Node {
    /// The way that adds the least area.
    pub(crate) fn choose(&self, aabb: &Aabb, taste: &mut Taste) -> Choice {
        let turn = taste.turn();
        let [x, y, z, to_x, to_y, to_z] = &self.bounds;
        let low = |a: f32, b: f32| if a < b { a } else { b };
        let high = |a: f32, b: f32| if a > b { a } else { b };
        let together: [f32; LANES] = core::array::from_fn(|i| {
            measure(Vec3 {
                x: high(to_x[i], aabb.max.x) - low(x[i], aabb.min.x),
                y: high(to_y[i], aabb.max.y) - low(y[i], aabb.min.y),
                z: high(to_z[i], aabb.max.z) - low(z[i], aabb.min.z),
            })
        });
        let alone: [f32; LANES] = core::array::from_fn(|i| {
            measure(Vec3 { x: to_x[i] - x[i], y: to_y[i] - y[i], z: to_z[i] - z[i] })
        });
        let full = self.len as usize == LANES;
        let (mut best, mut choice) = if full {
            (f32::INFINITY, Choice::With(0))
        } else {
            (measure(aabb.max - aabb.min), Choice::Here)
        };
        // Leaves count only if there is no vacant lane.
        let ways = if full { self.lanes() } else { self.lanes() & !u32::from(self.leaves) };
        for step in 0..LANES {
            let lane = (step + turn) % LANES;
            if ways & (1 << lane) == 0 {
                continue;
            }
            let leaf = self.leaves & (1 << lane) != 0;
            let cost = if leaf { together[lane] } else { together[lane] - alone[lane] };
            if cost < best {
                best = cost;
                choice = if leaf { Choice::With(lane) } else { Choice::Below(lane) };
            }
        }
        choice
    }
}
