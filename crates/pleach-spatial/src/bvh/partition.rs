//! Partitioning: splits clusters of boxes in two by the binned surface area heuristic (minimal
//! sum of area times number of leaves), the largest cluster again, until there are eight.
//!
//! Boxes are assigned to bins along an axis by their centroids. The bins store the bounds of their
//! boxes, so those of both sides are known before a box is moved; moving them is one branchless
//! pass.

use core::ops::Range;

use glam::Vec3A;

use super::build::Quality;
use super::insert::sah_cost;
use super::node::{Child, LANES};
use crate::Aabb;
use crate::shapes::vector::longest_axis;

/// The level from which clusters are halved by count, so that the depth is bounded.
const MAX_SAH_LEVEL: u32 = 16;

#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    min: Vec3A,
    max: Vec3A,
}

impl Bounds {
    const EMPTY: Self = Self { min: Vec3A::MAX, max: Vec3A::MIN };

    #[inline(always)]
    fn add(&mut self, other: &Self) {
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }

    #[inline(always)]
    fn add_point(&mut self, point: Vec3A) {
        self.min = self.min.min(point);
        self.max = self.max.max(point);
    }

    #[inline(always)]
    fn cost(&self) -> f32 {
        sah_cost((self.max - self.min).into())
    }

    /// Returns twice the centroid.
    #[inline(always)]
    fn doubled_centroid(&self) -> Vec3A {
        self.min + self.max
    }

    #[inline(always)]
    pub(super) fn aabb(&self) -> Aabb {
        Aabb { min: self.min.into(), max: self.max.into() }
    }
}

impl From<&Aabb> for Bounds {
    #[inline(always)]
    fn from(aabb: &Aabb) -> Self {
        Self { min: aabb.min.into(), max: aabb.max.into() }
    }
}

/// The bounds of some boxes, and those of their centroids, doubled.
#[derive(Clone, Copy, Debug)]
struct ClusterBounds {
    boxes: Bounds,
    centroids: Bounds,
}

impl ClusterBounds {
    const EMPTY: Self = Self { boxes: Bounds::EMPTY, centroids: Bounds::EMPTY };

    #[inline(always)]
    fn add_box(&mut self, aabb: &Bounds) {
        self.boxes.add(aabb);
        self.centroids.add_point(aabb.doubled_centroid());
    }

    fn union_of(bins: &[Self]) -> Self {
        let mut all = Self::EMPTY;
        for bin in bins {
            all.boxes.add(&bin.boxes);
            all.centroids.add(&bin.centroids);
        }
        all
    }
}

/// Consecutive primitives that become one lane.
#[derive(Clone, Debug)]
pub(super) struct Cluster {
    pub(super) range: Range<usize>,
    bounds: ClusterBounds,
}

impl Cluster {
    pub(super) fn aabb(&self) -> Aabb {
        self.bounds.boxes.aabb()
    }
}

/// Boxes and the child that each of them represents.
#[derive(Debug)]
pub(super) struct Primitives<'a> {
    pub(super) bounds: &'a mut [Bounds],
    pub(super) children: &'a mut [Child],
}

impl Primitives<'_> {
    pub(super) fn cluster(&self, range: Range<usize>) -> Cluster {
        let mut bounds = ClusterBounds::EMPTY;
        for aabb in &self.bounds[range.clone()] {
            bounds.add_box(aabb);
        }
        Cluster { range, bounds }
    }

    /// Splits a cluster into up to eight, at most `max_leaf_size` boxes per leaf. Returns their
    /// number.
    pub(super) fn split_into_lanes(
        &mut self,
        lanes: &mut [Option<Cluster>; LANES],
        cluster: Cluster,
        max_leaf_size: usize,
        level: u32,
        quality: Quality,
    ) -> usize {
        // A cluster of at most this size fits into one node.
        let max_node_size = max_leaf_size * LANES;
        let fits_one_node = cluster.range.len() <= max_node_size;
        lanes[0] = Some(cluster);
        let mut count = 1;
        while count < LANES {
            let vacant = LANES - count;
            // Clusters that need nodes below their own come first, then, if lanes are left,
            // those that become leaves of this node and so need no node at all.
            let priority = |cluster: &Cluster| {
                let (len, cost) = (cluster.range.len(), cluster.bounds.boxes.cost());
                let more_lanes = len.div_ceil(max_leaf_size) - 1;
                match len {
                    _ if len > max_node_size => Some((true, cost)),
                    _ if len <= max_leaf_size => None,
                    _ if fits_one_node => Some((false, len as f32)),
                    _ if more_lanes <= vacant => Some((false, cost / more_lanes as f32)),
                    _ => None,
                }
            };
            let mut best = None;
            for (lane, cluster) in lanes[..count].iter().enumerate() {
                let Some(priority) = cluster.as_ref().and_then(priority) else { continue };
                if best.is_none_or(|(highest, _)| priority > highest) {
                    best = Some((priority, lane));
                }
            }
            let Some((_, lane)) = best else { break };
            let Some(cluster) = lanes[lane].take() else { break };
            let search = Search { max_leaf_size, level, quality };
            let (left, right) = self.bisect(cluster, search);
            lanes[lane] = Some(left);
            lanes[count] = Some(right);
            count += 1;
        }
        count
    }

    fn bisect(&mut self, cluster: Cluster, search: Search) -> (Cluster, Cluster) {
        if search.level < MAX_SAH_LEVEL {
            let split = if cluster.range.len() < 64 {
                self.find_split::<8>(&cluster, search)
            } else {
                self.find_split::<16>(&cluster, search)
            };
            if let Some(split) = split {
                return self.partition(cluster.range, &split);
            }
        }
        let middle = cluster.range.start + cluster.range.len() / 2;
        (self.cluster(cluster.range.start..middle), self.cluster(middle..cluster.range.end))
    }

    /// Finds the best plane between bins of centroids, if any has boxes on both sides.
    fn find_split<const BINS: usize>(&self, cluster: &Cluster, search: Search) -> Option<Split> {
        let centroids = &cluster.bounds.centroids;
        let extent = centroids.max - centroids.min;
        let longest = longest_axis([extent.x, extent.y, extent.z]);
        // A constant axis lets the loops access components without a branch.
        let along = |axis: usize| match axis {
            0 => self.axis_split::<BINS, 0>(cluster, search.max_leaf_size),
            1 => self.axis_split::<BINS, 1>(cluster, search.max_leaf_size),
            _ => self.axis_split::<BINS, 2>(cluster, search.max_leaf_size),
        };
        if search.quality == Quality::Fast {
            return along(longest);
        }
        let splits = (0..3).filter_map(along);
        splits.reduce(|best, split| if split.cost < best.cost { split } else { best })
    }

    #[inline(never)]
    fn axis_split<const BINS: usize, const AXIS: usize>(
        &self,
        cluster: &Cluster,
        max_leaf_size: usize,
    ) -> Option<Split> {
        // A leaf costs the same whether or not it is full, so its boxes count as one.
        let leaves = |count: u32| count.div_ceil(max_leaf_size as u32) as f32;
        let mapping = BinMapping::new::<BINS>(cluster, AXIS)?;
        let mut bins = [ClusterBounds::EMPTY; BINS];
        let mut counts = [0_u32; BINS];
        for aabb in &self.bounds[cluster.range.clone()] {
            let bin = (mapping.bin_position::<AXIS>(aabb) as i32 as usize).min(BINS - 1);
            bins[bin].add_box(aabb);
            counts[bin] += 1;
        }
        // From the right: the cost of the right side of each plane.
        let mut right_cost = [0.0; BINS];
        let (mut bounds, mut count) = (Bounds::EMPTY, 0);
        for bin in (1..BINS).rev() {
            bounds.add(&bins[bin].boxes);
            count += counts[bin];
            right_cost[bin] =
                if count == 0 { f32::INFINITY } else { bounds.cost() * leaves(count) };
        }
        // From the left: the cost of each plane. A cost that overflows is never the best.
        let mut best: Option<(usize, f32)> = None;
        let (mut bounds, mut count) = (Bounds::EMPTY, 0);
        for bin in 0..BINS - 1 {
            bounds.add(&bins[bin].boxes);
            count += counts[bin];
            if count == 0 {
                continue;
            }
            let cost = bounds.cost() * leaves(count) + right_cost[bin + 1];
            if cost < best.map_or(f32::INFINITY, |(_, cost)| cost) {
                best = Some((bin, cost));
            }
        }
        let (last, cost) = best?;
        let (left, right) = bins.split_at(last + 1);
        let sides = [ClusterBounds::union_of(left), ClusterBounds::union_of(right)];
        Some(Split { axis: AXIS, mapping, first_right: (last + 1) as f32, sides, cost })
    }

    /// Moves the boxes on the left of the split plane before the others.
    fn partition(&mut self, range: Range<usize>, split: &Split) -> (Cluster, Cluster) {
        let left = match split.axis {
            0 => self.partition_axis::<0>(range.clone(), split),
            1 => self.partition_axis::<1>(range.clone(), split),
            _ => self.partition_axis::<2>(range.clone(), split),
        };
        let (middle, [left_bounds, right_bounds]) = (range.start + left, split.sides);
        let left = Cluster { range: range.start..middle, bounds: left_bounds };
        (left, Cluster { range: middle..range.end, bounds: right_bounds })
    }

    /// Returns the number of boxes on the left.
    fn partition_axis<const AXIS: usize>(&mut self, range: Range<usize>, split: &Split) -> usize {
        let (bounds, children) = (&mut self.bounds[range.clone()], &mut self.children[range]);
        let mut left = 0;
        for at in 0..bounds.len() {
            let is_right = split.mapping.bin_position::<AXIS>(&bounds[at]) >= split.first_right;
            // Swapped unconditionally: the branch would be unpredictable.
            bounds.swap(left, at);
            children.swap(left, at);
            left += usize::from(!is_right);
        }
        left
    }
}

/// The parameters of a split.
#[derive(Clone, Copy, Debug)]
struct Search {
    max_leaf_size: usize,
    level: u32,
    quality: Quality,
}

/// A plane between two bins, and the bounds of both sides.
#[derive(Clone, Copy, Debug)]
struct Split {
    axis: usize,
    mapping: BinMapping,
    /// The first bin on the right.
    first_right: f32,
    sides: [ClusterBounds; 2],
    cost: f32,
}

/// Maps centroids to bins.
#[derive(Clone, Copy, Debug)]
struct BinMapping {
    start: f32,
    scale: f32,
}

impl BinMapping {
    fn new<const BINS: usize>(cluster: &Cluster, axis: usize) -> Option<Self> {
        let centroids = &cluster.bounds.centroids;
        let (start, end) = (centroids.min[axis], centroids.max[axis]);
        let scale = BINS as f32 / (end - start);
        // Neither a single point nor an extent that overflows can be split.
        (scale.is_finite() && scale > 0.0).then_some(Self { start, scale })
    }

    /// Returns the position in bins; never negative.
    #[inline(always)]
    fn bin_position<const AXIS: usize>(&self, aabb: &Bounds) -> f32 {
        (aabb.min[AXIS] + aabb.max[AXIS] - self.start) * self.scale
    }
}
