//! Scans: the twins of the traversals in `bvh/traversal.rs` without a tree. They test every row of
//! the columns, eight at a time, by the same kernels.
//!
//! The boxes are those of the tree's leaves, so the same rows pass; all callers give results that do
//! not depend on the order of the calls of `leaf`. A vacant box may pass a test that everything
//! passes: the callers' filters reject rows that are not active.

use crate::Aabb;
use crate::bvh::node::{LANES, Node};
use crate::bvh::traversal::LeafVisitor;
use crate::index::rows::{CacheLine, LINE};
use crate::kernel::{NodeKernel, Slabs, Traversal};

/// Six columns of boxes.
pub(crate) type Columns<'a> = [&'a [CacheLine]; 6];

/// Calls `test` with the first row and the boxes of each group of eight rows.
#[inline(always)]
fn each_group(columns: Columns<'_>, mut test: impl FnMut(u32, &Node)) {
    let mut node = Node::VACANT;
    let [x, y, z, to_x, to_y, to_z] = columns;
    let lines = x.iter().zip(y).zip(z).zip(to_x).zip(to_y).zip(to_z);
    let mut first = 0;
    for (((((x, y), z), to_x), to_y), to_z) in lines {
        for half in 0..LINE / LANES {
            for (bounds, line) in node.bounds.iter_mut().zip([x, y, z, to_x, to_y, to_z]) {
                *bounds = line.0.as_chunks::<LANES>().0[half];
            }
            test(first, &node);
            first += LANES as u32;
        }
    }
}

/// Calls `f` with each lane of a mask, lowest first.
#[inline(always)]
fn each_lane(mut mask: u32, mut f: impl FnMut(usize)) {
    while mask != 0 {
        f(mask.trailing_zeros() as usize);
        mask &= mask - 1;
    }
}

/// The number of rows that a scan along a ray collects before it sorts them by distance.
const BATCH: usize = 256;

/// Calls `leaf` with the rows that a ray may hit and the maximum distance, nearest boxes of a batch
/// first. `leaf` returns the new maximum distance.
pub(crate) struct RayScan<'a, F> {
    pub(crate) columns: Columns<'a>,
    pub(crate) slabs: &'a Slabs,
    pub(crate) max_distance: f32,
    pub(crate) leaf: F,
}

impl<F: LeafVisitor> Traversal for RayScan<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<L: NodeKernel>(self, kernel: L) {
        let Self { columns, slabs, mut max_distance, mut leaf } = self;
        let (mut batch, mut len) = ([0_u64; BATCH], 0);
        let ray = kernel.prepare(slabs);
        each_group(columns, |first, node| {
            let (hit, near) = kernel.ray(node, &ray, max_distance);
            if hit == 0 {
                return;
            }
            each_lane(hit, |lane| {
                // Distances are not negative, and such floats are ordered like their bits.
                batch[len] = u64::from(near[lane].to_bits()) << 32 | u64::from(first + lane as u32);
                len += 1;
            });
            if len > BATCH - LANES {
                max_distance =
                    visit_nearest_first(kernel, &mut batch[..len], max_distance, &mut leaf);
                len = 0;
            }
        });
        visit_nearest_first(kernel, &mut batch[..len], max_distance, &mut leaf);
    }
}

fn visit_nearest_first(
    kernel: impl NodeKernel,
    batch: &mut [u64],
    mut max_distance: f32,
    leaf: &mut impl LeafVisitor,
) -> f32 {
    batch.sort_unstable();
    for &entry in &*batch {
        if f32::from_bits((entry >> 32) as u32) > max_distance {
            break;
        }
        max_distance = leaf.visit(kernel, entry as u32, max_distance);
    }
    max_distance
}

/// Calls `leaf` with the rows near a point and the maximum squared distance. `leaf` returns the new
/// one.
pub(crate) struct NearestScan<'a, F> {
    pub(crate) columns: Columns<'a>,
    pub(crate) point: [f32; 3],
    pub(crate) max_squared: f32,
    pub(crate) leaf: F,
}

impl<F: FnMut(u32, f32) -> f32> Traversal for NearestScan<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<L: NodeKernel>(self, kernel: L) {
        let Self { columns, point, mut max_squared, mut leaf } = self;
        each_group(columns, |first, node| {
            let near = kernel.distances(node, point);
            let mask = (0..LANES).map(|lane| u32::from(near[lane] <= max_squared) << lane).sum();
            each_lane(mask, |lane| {
                if near[lane] <= max_squared {
                    max_squared = leaf(first + lane as u32, max_squared);
                }
            });
        });
    }
}

/// Calls `leaf` with the rows whose boxes intersect a box.
pub(crate) struct AabbScan<'a, F> {
    pub(crate) columns: Columns<'a>,
    pub(crate) aabb: &'a Aabb,
    pub(crate) leaf: F,
}

impl<F: FnMut(u32)> Traversal for AabbScan<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<L: NodeKernel>(self, kernel: L) {
        let Self { columns, aabb, mut leaf } = self;
        each_group(columns, |first, node| {
            each_lane(kernel.overlaps(node, aabb), |lane| leaf(first + lane as u32));
        });
    }
}
