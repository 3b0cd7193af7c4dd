//! Dividing boxes: into two where that makes the least of area times count (binned surface
//! area heuristic), the largest part again, until there are eight.
//!
//! Boxes are counted into bins along an axis, by their centers. The bins know the bounds of
//! what is in them, so those of the two sides are there before a box is moved; moving them is
//! one pass without a branch to guess.

use core::ops::Range;

use glam::Vec3A;

use super::build::Effort;
use super::insert_target::measure;
use super::node::{Child, LANES};
use crate::Aabb;

/// Levels below which parts are halved by count, so that depth is bounded.
const STEEP: u32 = 16;

#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    min: Vec3A,
    max: Vec3A,
}

impl Bounds {
    const NONE: Self = Self { min: Vec3A::MAX, max: Vec3A::MIN };

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
        measure((self.max - self.min).into())
    }

    /// Twice the center.
    #[inline(always)]
    fn center(&self) -> Vec3A {
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

/// The bounds of some boxes, and of their centers, doubled.
#[derive(Clone, Copy, Debug)]
struct Extent {
    bounds: Bounds,
    centers: Bounds,
}

impl Extent {
    const NONE: Self = Self { bounds: Bounds::NONE, centers: Bounds::NONE };

    #[inline(always)]
    fn add_box(&mut self, one: &Bounds) {
        self.bounds.add(one);
        self.centers.add_point(one.center());
    }

    fn of(bins: &[Self]) -> Self {
        let mut all = Self::NONE;
        for bin in bins {
            all.bounds.add(&bin.bounds);
            all.centers.add(&bin.centers);
        }
        all
    }
}

/// Some of the boxes, which become one lane.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) range: Range<usize>,
    extent: Extent,
}

impl Part {
    pub(super) fn aabb(&self) -> Aabb {
        self.extent.bounds.aabb()
    }

    /// The same boxes where they are counted from another start.
    pub(super) fn counted_from(self, start: usize) -> Self {
        Self { range: self.range.start - start..self.range.end - start, ..self }
    }
}

/// Boxes, and what each of them stands for.
#[derive(Debug)]
pub(super) struct Boxes<'a> {
    pub(super) boxes: &'a mut [Bounds],
    pub(super) children: &'a mut [Child],
}

impl Boxes<'_> {
    pub(super) fn part(&self, range: Range<usize>) -> Part {
        let mut extent = Extent::NONE;
        for one in &self.boxes[range.clone()] {
            extent.add_box(one);
        }
        Part { range, extent }
    }

    /// Divides a part into up to eight; how many. Up to `leaf` boxes share a leaf.
    pub(super) fn divide(
        &mut self,
        lanes: &mut [Option<Part>; LANES],
        part: Part,
        leaf: usize,
        level: u32,
        effort: Effort,
    ) -> usize {
        // A part this small fills a node by itself.
        let full = leaf * LANES;
        let bottom = part.range.len() <= full;
        lanes[0] = Some(part);
        let mut count = 1;
        while count < LANES {
            let worth = |part: &Part| match part.range.len() {
                n if n > full => Some((true, part.extent.bounds.cost())),
                n if bottom && n > leaf => Some((false, n as f32)),
                _ => None,
            };
            let mut best = None;
            for (lane, part) in lanes[..count].iter().enumerate() {
                let Some(worth) = part.as_ref().and_then(worth) else { continue };
                if best.is_none_or(|(most, _)| worth > most) {
                    best = Some((worth, lane));
                }
            }
            let Some((_, lane)) = best else { break };
            let Some(part) = lanes[lane].take() else { break };
            let (left, right) = self.split(part, level, effort);
            lanes[lane] = Some(left);
            lanes[count] = Some(right);
            count += 1;
        }
        count
    }

    fn split(&mut self, part: Part, level: u32, effort: Effort) -> (Part, Part) {
        if level < STEEP {
            let cut = if part.range.len() < 64 {
                self.cut::<8>(&part, effort)
            } else {
                self.cut::<16>(&part, effort)
            };
            if let Some(cut) = cut {
                return self.partition(part.range, &cut);
            }
        }
        let middle = part.range.start + part.range.len() / 2;
        (self.part(part.range.start..middle), self.part(middle..part.range.end))
    }

    /// The best plane between bins of centers, if any plane has boxes on both sides.
    fn cut<const BINS: usize>(&self, part: &Part, effort: Effort) -> Option<Cut> {
        let centers = &part.extent.centers;
        let extent = centers.max - centers.min;
        let longest = if extent.x >= extent.y && extent.x >= extent.z {
            0
        } else if extent.y >= extent.z {
            1
        } else {
            2
        };
        // The axis is known to the loops: a number of a vector is then found without a question.
        let along = |axis: usize| match axis {
            0 => self.cut_along::<BINS, 0>(part),
            1 => self.cut_along::<BINS, 1>(part),
            _ => self.cut_along::<BINS, 2>(part),
        };
        if effort == Effort::Quick {
            return along(longest);
        }
        let cuts = (0..3).filter_map(along);
        cuts.reduce(|best, cut| if cut.cost < best.cost { cut } else { best })
    }

    #[inline(never)]
    fn cut_along<const BINS: usize, const AXIS: usize>(&self, part: &Part) -> Option<Cut> {
        let grid = Grid::new::<BINS>(part, AXIS)?;
        let mut bins = [Extent::NONE; BINS];
        let mut counts = [0_u32; BINS];
        for one in &self.boxes[part.range.clone()] {
            let bin = (grid.place::<AXIS>(one) as i32 as usize).min(BINS - 1);
            bins[bin].add_box(one);
            counts[bin] += 1;
        }
        // From the right: what each plane leaves behind it.
        let mut behind = [0.0; BINS];
        let (mut bounds, mut count) = (Bounds::NONE, 0);
        for bin in (1..BINS).rev() {
            bounds.add(&bins[bin].bounds);
            count += counts[bin];
            behind[bin] = if count == 0 { f32::INFINITY } else { bounds.cost() * count as f32 };
        }
        // From the left: the cost of each plane. An area that overflows is never the best.
        let mut best: Option<(usize, f32)> = None;
        let (mut bounds, mut count) = (Bounds::NONE, 0);
        for bin in 0..BINS - 1 {
            bounds.add(&bins[bin].bounds);
            count += counts[bin];
            if count == 0 {
                continue;
            }
            let cost = bounds.cost() * count as f32 + behind[bin + 1];
            if cost < best.map_or(f32::INFINITY, |(_, cost)| cost) {
                best = Some((bin, cost));
            }
        }
        let (last, cost) = best?;
        let (left, right) = bins.split_at(last + 1);
        let sides = [Extent::of(left), Extent::of(right)];
        Some(Cut { axis: AXIS, grid, edge: (last + 1) as f32, sides, cost })
    }

    /// Puts the boxes before the cut's plane before the others.
    fn partition(&mut self, range: Range<usize>, cut: &Cut) -> (Part, Part) {
        let left = match cut.axis {
            0 => self.move_left::<0>(range.clone(), cut),
            1 => self.move_left::<1>(range.clone(), cut),
            _ => self.move_left::<2>(range.clone(), cut),
        };
        let (middle, [before, behind]) = (range.start + left, cut.sides);
        let left = Part { range: range.start..middle, extent: before };
        (left, Part { range: middle..range.end, extent: behind })
    }

    /// How many there are on the left.
    fn move_left<const AXIS: usize>(&mut self, range: Range<usize>, cut: &Cut) -> usize {
        let (boxes, children) = (&mut self.boxes[range.clone()], &mut self.children[range]);
        let mut left = 0;
        for at in 0..boxes.len() {
            let stays = cut.grid.place::<AXIS>(&boxes[at]) >= cut.edge;
            // Exchanged in any case: which side a box is on cannot be guessed.
            boxes.swap(left, at);
            children.swap(left, at);
            left += usize::from(!stays);
        }
        left
    }
}

/// A plane between two bins, and what is on its sides.
#[derive(Clone, Copy, Debug)]
struct Cut {
    axis: usize,
    grid: Grid,
    /// The first bin on the right.
    edge: f32,
    sides: [Extent; 2],
    cost: f32,
}

/// Where a box is among the bins.
#[derive(Clone, Copy, Debug)]
struct Grid {
    from: f32,
    scale: f32,
}

impl Grid {
    fn new<const BINS: usize>(part: &Part, axis: usize) -> Option<Self> {
        let centers = &part.extent.centers;
        let (from, to) = (centers.min[axis], centers.max[axis]);
        let scale = BINS as f32 / (to - from);
        // Neither one point nor an extent that overflows can be divided.
        (scale.is_finite() && scale > 0.0).then_some(Self { from, scale })
    }

    /// In bins; never negative.
    #[inline(always)]
    fn place<const AXIS: usize>(&self, one: &Bounds) -> f32 {
        (one.min[AXIS] + one.max[AXIS] - self.from) * self.scale
    }
}
