//! The definition of the kernels: plain IEEE operations in a fixed order.

use super::{CullMasks, CullPlane, CullPlanes, NodeKernel, Slabs};
use crate::Aabb;
use crate::bvh::node::{F32x8, LANES, Node};
use crate::index::rows::{CacheLine, LINE, WORD};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Scalar;

impl NodeKernel for Scalar {
    type Ray = Slabs;

    #[inline(always)]
    fn prepare(self, slabs: &Slabs) -> Slabs {
        *slabs
    }

    #[inline(always)]
    fn cull(self, node: &Node, planes: &CullPlanes, active: u32) -> CullMasks {
        let mut masks = CullMasks { outside: 0, intersecting: [0; 6] };
        for (index, plane) in planes.0.iter().enumerate() {
            if active & (1 << index) == 0 {
                continue;
            }
            let positive = plane.plane_distances(&node.bounds, plane.positive_vertex);
            let negative = plane.plane_distances(&node.bounds, plane.negative_vertex);
            for lane in 0..LANES {
                masks.outside |= u32::from(positive[lane] < 0.0) << lane;
                masks.intersecting[index] |= u32::from(negative[lane] < 0.0) << lane;
            }
        }
        masks
    }

    #[inline(always)]
    fn ray(self, node: &Node, slabs: &Slabs, max_distance: f32) -> (u32, F32x8) {
        let (mut near, mut far) = ([0.0; LANES], [max_distance; LANES]);
        for axis in 0..3 {
            let (from, to) = (&node.bounds[slabs.near[axis]], &node.bounds[slabs.far[axis]]);
            for lane in 0..LANES {
                let enter = (from[lane] - slabs.near_origin[axis]) * slabs.near_slope[axis];
                let leave = (to[lane] - slabs.far_origin[axis]) * slabs.far_slope[axis];
                // A NaN is ignored, as by the SIMD instructions.
                near[lane] = if enter > near[lane] { enter } else { near[lane] };
                far[lane] = if leave < far[lane] { leave } else { far[lane] };
            }
        }
        let mask = (0..LANES).map(|lane| u32::from(near[lane] <= far[lane]) << lane).sum();
        (mask, near)
    }

    #[inline(always)]
    fn distances(self, node: &Node, point: [f32; 3]) -> F32x8 {
        core::array::from_fn(|lane| {
            let gap = |axis: usize| {
                let below = node.bounds[axis][lane] - point[axis];
                let above = point[axis] - node.bounds[axis + 3][lane];
                let gap = if below > above { below } else { above };
                if gap > 0.0 { gap } else { 0.0 }
            };
            let [x, y, z] = [gap(0), gap(1), gap(2)];
            x * x + y * y + z * z
        })
    }

    #[inline(always)]
    fn overlaps(self, node: &Node, aabb: &Aabb) -> u32 {
        let [x, y, z, to_x, to_y, to_z] = &node.bounds;
        let overlaps = |lane: usize| {
            (x[lane] <= aabb.max.x)
                & (y[lane] <= aabb.max.y)
                & (z[lane] <= aabb.max.z)
                & (to_x[lane] >= aabb.min.x)
                & (to_y[lane] >= aabb.min.y)
                & (to_z[lane] >= aabb.min.z)
        };
        (0..LANES).map(|lane| u32::from(overlaps(lane)) << lane).sum()
    }
}

impl CullPlane {
    /// Returns the signed distances of the selected corners from the plane.
    #[inline(always)]
    fn plane_distances(&self, bounds: &[F32x8; 6], corner: [usize; 3]) -> F32x8 {
        let [x, y, z] = corner.map(|column| &bounds[column]);
        core::array::from_fn(|lane| self.plane_distance([x[lane], y[lane], z[lane]]))
    }

    #[inline(always)]
    fn plane_distance(&self, [x, y, z]: [f32; 3]) -> f32 {
        let [a, b, c] = self.normal;
        ((a * x + b * y) + c * z) + self.d
    }
}

pub(crate) fn cull_columns(columns: [&[CacheLine]; 6], planes: &CullPlanes, words: &mut [u64]) {
    for (index, word) in words.iter_mut().enumerate() {
        *word = 0;
        for line in 0..WORD / LINE {
            let lines = columns.map(|column| &column[index * (WORD / LINE) + line].0);
            let mut lowest = [f32::INFINITY; LINE];
            for plane in &planes.0 {
                let [x, y, z] = plane.positive_vertex.map(|column| lines[column]);
                for row in 0..LINE {
                    let distance = plane.plane_distance([x[row], y[row], z[row]]);
                    lowest[row] = if distance < lowest[row] { distance } else { lowest[row] };
                }
            }
            for (row, &lowest) in lowest.iter().enumerate() {
                *word |= u64::from(lowest >= 0.0) << (line * LINE + row);
            }
        }
    }
}

/// Calls `f` with the index and value of each word that is not zero.
///
/// Finds them 64 at a time, without a branch for each word: with few such words, most of the time
/// would be spent on mispredicted branches.
#[inline(always)]
pub(crate) fn each_word(words: &[u64], mut f: impl FnMut(usize, u64)) {
    for (block, words) in words.chunks(WORD).enumerate() {
        let mut nonzero = 0;
        for (i, &word) in words.iter().enumerate() {
            nonzero |= u64::from(word != 0) << i;
        }
        while nonzero != 0 {
            let i = nonzero.trailing_zeros() as usize;
            nonzero &= nonzero - 1;
            f(block * WORD + i, words[i]);
        }
    }
}

/// Calls `f` with the index of each bit that is set, in ascending order.
#[inline]
pub(crate) fn each_bit(words: &[u64], mut f: impl FnMut(usize)) {
    each_word(words, |index, mut bits| {
        while bits != 0 {
            f(index * WORD + bits.trailing_zeros() as usize);
            bits &= bits - 1;
        }
    });
}
