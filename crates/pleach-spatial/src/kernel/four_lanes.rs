//! Kernels for registers of four lanes: the eight lanes of a node in two of them.
//!
//! Generic over `Lanes`, which `neon.rs` and `simd128.rs` implement. The same operations in the same
//! order as `scalar.rs`.

use core::marker::PhantomData;

use super::{CullMasks, CullPlane, CullPlanes, NodeKernel, Slabs};
use crate::Aabb;
use crate::bvh::node::{F32x8, LANES, Node};
use crate::index::rows::{CacheLine, LINE, WORD};

/// A register of four numbers.
///
/// Every operation rounds each lane as IEEE 754 defines for one number.
pub(super) trait Lanes: Copy {
    fn load(values: &[f32; 4]) -> Self;
    fn store(self) -> [f32; 4];
    fn splat(value: f32) -> Self;
    fn add(self, other: Self) -> Self;
    fn subtract(self, other: Self) -> Self;
    fn multiply(self, other: Self) -> Self;
    /// Returns `self` where it is greater than `other`, otherwise `other`; so of a NaN and a number
    /// in this order the number.
    fn or_greater(self, other: Self) -> Self;
    /// Returns `self` where it is less than `other`, otherwise `other`.
    fn or_less(self, other: Self) -> Self;
    /// Returns a bit for each lane that is less than that of `other`.
    fn less(self, other: Self) -> u32;
    /// Returns a bit for each lane that is at most that of `other`.
    fn at_most(self, other: Self) -> u32;
}

/// The tests of a node's boxes in registers `L`.
#[derive(Clone, Copy, Debug)]
pub(super) struct FourLanes<L>(PhantomData<L>);

impl<L> FourLanes<L> {
    pub(super) const NEW: Self = Self(PhantomData);
}

/// The number of registers that hold a number for each lane of a node.
const HALVES: usize = LANES / 4;

#[inline(always)]
fn half<L: Lanes>(lanes: &F32x8, half: usize) -> L {
    L::load(&lanes.as_chunks().0[half])
}

#[inline(always)]
fn join<L: Lanes>(halves: [L; HALVES]) -> F32x8 {
    let [[a, b, c, d], [e, f, g, h]] = halves.map(L::store);
    [a, b, c, d, e, f, g, h]
}

#[inline(always)]
fn plane_distance<L: Lanes>(plane: &CullPlane, [x, y, z]: [L; 3]) -> L {
    let [a, b, c] = plane.normal;
    let x = L::splat(a).multiply(x);
    let y = L::splat(b).multiply(y);
    let z = L::splat(c).multiply(z);
    x.add(y).add(z).add(L::splat(plane.d))
}

impl<L: Lanes> NodeKernel for FourLanes<L> {
    type Ray = Slabs;

    #[inline(always)]
    fn prepare(self, slabs: &Slabs) -> Slabs {
        *slabs
    }

    #[inline(always)]
    fn cull(self, node: &Node, planes: &CullPlanes, active: u32) -> CullMasks {
        let zero = L::splat(0.0);
        let mut masks = CullMasks { outside: 0, intersecting: [0; 6] };
        let mut left = active;
        while left != 0 {
            let index = left.trailing_zeros() as usize;
            left &= left - 1;
            let plane = &planes.0[index];
            for i in 0..HALVES {
                let corner = |columns: [usize; 3]| columns.map(|it| half::<L>(&node.bounds[it], i));
                let positive = plane_distance(plane, corner(plane.positive_vertex));
                let negative = plane_distance(plane, corner(plane.negative_vertex));
                masks.outside |= positive.less(zero) << (4 * i);
                masks.intersecting[index] |= negative.less(zero) << (4 * i);
            }
        }
        masks
    }

    #[inline(always)]
    fn ray(self, node: &Node, slabs: &Slabs, max_distance: f32) -> (u32, F32x8) {
        let mut mask = 0;
        let near = [0, 1].map(|i| {
            let (mut near, mut far) = (L::splat(0.0), L::splat(max_distance));
            for axis in 0..3 {
                let from: L = half(&node.bounds[slabs.near[axis]], i);
                let to: L = half(&node.bounds[slabs.far[axis]], i);
                let from = from.subtract(L::splat(slabs.near_origin[axis]));
                let to = to.subtract(L::splat(slabs.far_origin[axis]));
                near = from.multiply(L::splat(slabs.near_slope[axis])).or_greater(near);
                far = to.multiply(L::splat(slabs.far_slope[axis])).or_less(far);
            }
            mask |= near.at_most(far) << (4 * i);
            near
        });
        (mask, join(near))
    }

    #[inline(always)]
    fn distances(self, node: &Node, point: [f32; 3]) -> F32x8 {
        join([0, 1].map(|i| {
            let square = |axis: usize| {
                let point = L::splat(point[axis]);
                let below = half::<L>(&node.bounds[axis], i).subtract(point);
                let above = point.subtract(half(&node.bounds[axis + 3], i));
                let gap = below.or_greater(above).or_greater(L::splat(0.0));
                gap.multiply(gap)
            };
            square(0).add(square(1)).add(square(2))
        }))
    }

    #[inline(always)]
    fn overlaps(self, node: &Node, aabb: &Aabb) -> u32 {
        let (min, max) = (aabb.min.to_array(), aabb.max.to_array());
        let of_half = |i: usize| {
            let on = |axis: usize| {
                let begins = half::<L>(&node.bounds[axis], i).at_most(L::splat(max[axis]));
                begins & L::splat(min[axis]).at_most(half(&node.bounds[axis + 3], i))
            };
            (on(0) & on(1) & on(2)) << (4 * i)
        };
        of_half(0) | of_half(1)
    }
}

#[inline(always)]
pub(super) fn cull_columns<L: Lanes>(
    columns: [&[CacheLine]; 6],
    planes: &CullPlanes,
    words: &mut [u64],
) {
    for (index, word) in words.iter_mut().enumerate() {
        *word = 0;
        for quarter in 0..WORD / 4 {
            let lane = |column: usize| {
                let line = &columns[column][index * (WORD / LINE) + quarter / 4].0;
                L::load(&line.as_chunks().0[quarter % 4])
            };
            let boxes = [lane(0), lane(1), lane(2), lane(3), lane(4), lane(5)];
            let mut lowest = L::splat(f32::INFINITY);
            for plane in &planes.0 {
                let corner = plane.positive_vertex.map(|column| boxes[column]);
                lowest = plane_distance(plane, corner).or_less(lowest);
            }
            *word |= u64::from(L::splat(0.0).at_most(lowest)) << (4 * quarter);
        }
    }
}
