//! A tree of many boxes at once, from the top down.
//!
//! A node's boxes are split in two where that makes the least of area times count
//! (binned surface area heuristic), the largest part again, until there are eight
//! parts or none is worth a node of its own. Parts that no plane divides, and
//! everything below `STEEP` levels, are split into halves as they lie, so the
//! depth is bounded whatever the boxes are.
//!
//! The same boxes in the same order give the same tree. No recursion.

use core::ops::Range;

use glam::Vec3A;

use super::choose::measure;
use super::node::{Arena, Child, LANES};
use crate::Aabb;

/// Levels below which parts are halved by count, so that depth is bounded.
const STEEP: u32 = 16;

/// How much care is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effort {
    /// Looks along the longest axis.
    Quick,
    /// Looks along all three: about twice as slow, a few percent better.
    Thorough,
}

#[derive(Clone, Copy, Debug)]
struct Bounds {
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

    fn aabb(&self) -> Aabb {
        Aabb { min: self.min.into(), max: self.max.into() }
    }
}

/// Some of the boxes, which become one lane.
#[derive(Clone, Debug)]
struct Part {
    range: Range<usize>,
    bounds: Bounds,
    /// The bounds of the boxes' centers, doubled.
    centers: Bounds,
}

#[derive(Debug)]
struct Task {
    part: Part,
    node: u32,
    level: u32,
}

/// Where leaves end up, and what they are.
pub(crate) trait Sink {
    /// How many boxes share a leaf.
    const LEAF: usize;
    /// The leaf (or subtree) that stands for these boxes, `LEAF` of them at most.
    fn leaf(&mut self, children: &[Child]) -> Child;
    /// A child got its place. Called once the node has all its lanes.
    fn place(&mut self, arena: &mut Arena, child: Child, node: u32, lane: usize);
}

/// Builds trees; keeps its memory for the next one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Builder {
    boxes: Vec<Bounds>,
    children: Vec<Child>,
}

impl Builder {
    pub(crate) fn clear(&mut self) {
        self.boxes.clear();
        self.children.clear();
    }

    pub(crate) fn reserve(&mut self, more: usize) {
        self.boxes.reserve(more);
        self.children.reserve(more);
    }

    #[inline]
    pub(crate) fn push(&mut self, aabb: &Aabb, child: Child) {
        self.boxes.push(Bounds { min: aabb.min.into(), max: aabb.max.into() });
        self.children.push(child);
    }

    pub(crate) fn len(&self) -> usize {
        self.boxes.len()
    }

    /// Fills `top`, a vacant node of the arena, with all that was pushed, and
    /// forgets it.
    pub(crate) fn build(
        &mut self,
        arena: &mut Arena,
        top: u32,
        effort: Effort,
        sink: &mut impl Sink,
    ) {
        let all = self.part(0..self.boxes.len());
        let mut tasks = vec![Task { part: all, node: top, level: 0 }];
        while let Some(task) = tasks.pop() {
            self.fill(arena, task, effort, sink, &mut tasks);
        }
        self.clear();
    }

    fn fill<S: Sink>(
        &mut self,
        arena: &mut Arena,
        task: Task,
        effort: Effort,
        sink: &mut S,
        tasks: &mut Vec<Task>,
    ) {
        let Task { part, node, level } = task;
        let mut lanes: [Option<Part>; LANES] = [const { None }; LANES];
        let count = if S::LEAF == 1 && part.range.len() <= LANES {
            for (lane, at) in lanes.iter_mut().zip(part.range) {
                *lane =
                    Some(Part { range: at..at + 1, bounds: self.boxes[at], centers: Bounds::NONE });
            }
            lanes.iter().flatten().count()
        } else {
            self.divide::<S>(&mut lanes, part, level, effort)
        };
        for part in lanes[..count].iter().flatten() {
            let child = if part.range.len() <= S::LEAF {
                sink.leaf(&self.children[part.range.clone()])
            } else {
                let child = arena.add();
                tasks.push(Task { part: part.clone(), node: child, level: level + 1 });
                Child::node(child)
            };
            arena.nodes[node as usize].push(&part.bounds.aabb(), child);
        }
        for lane in 0..count {
            let child = arena.nodes[node as usize].children[lane];
            if !child.is_leaf() {
                let below = &mut arena.nodes[child.index() as usize];
                (below.parent, below.lane) = (node, lane as u8);
            }
            sink.place(arena, child, node, lane);
        }
    }

    /// Divides a part into up to eight; how many.
    fn divide<S: Sink>(
        &mut self,
        lanes: &mut [Option<Part>; LANES],
        part: Part,
        level: u32,
        effort: Effort,
    ) -> usize {
        // A part this small fills a node by itself.
        let full = S::LEAF * LANES;
        let bottom = part.range.len() <= full;
        lanes[0] = Some(part);
        let mut count = 1;
        while count < LANES {
            let worth = |part: &Part| match part.range.len() {
                n if n > full => Some((true, part.bounds.cost())),
                n if bottom && n > S::LEAF => Some((false, n as f32)),
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

    fn part(&self, range: Range<usize>) -> Part {
        let (mut bounds, mut centers) = (Bounds::NONE, Bounds::NONE);
        for one in &self.boxes[range.clone()] {
            bounds.add(one);
            centers.add_point(one.center());
        }
        Part { range, bounds, centers }
    }

    /// The best plane between bins of centers, if any plane has boxes on both sides.
    fn cut<const BINS: usize>(&self, part: &Part, effort: Effort) -> Option<Cut> {
        let extent = part.centers.max - part.centers.min;
        let longest = if extent.x >= extent.y && extent.x >= extent.z {
            0
        } else if extent.y >= extent.z {
            1
        } else {
            2
        };
        if effort == Effort::Quick {
            return self.cut_along::<BINS>(part, longest);
        }
        let cuts = (0..3).filter_map(|axis| self.cut_along::<BINS>(part, axis));
        cuts.reduce(|best, cut| if cut.cost < best.cost { cut } else { best })
    }

    fn cut_along<const BINS: usize>(&self, part: &Part, axis: usize) -> Option<Cut> {
        let grid = Grid::new::<BINS>(part, axis)?;
        let mut bins = [(Bounds::NONE, 0u32); BINS];
        for one in &self.boxes[part.range.clone()] {
            let bin = &mut bins[grid.bin(one)];
            bin.0.add(one);
            bin.1 += 1;
        }
        // From the right: what each plane leaves behind it.
        let mut behind = [0.0; BINS];
        let (mut bounds, mut count) = (Bounds::NONE, 0);
        for bin in (1..BINS).rev() {
            bounds.add(&bins[bin].0);
            count += bins[bin].1;
            behind[bin] = if count == 0 { f32::INFINITY } else { bounds.cost() * count as f32 };
        }
        // From the left: the cost of each plane. An area that overflows is never the best.
        let mut best: Option<Cut> = None;
        let (mut bounds, mut count) = (Bounds::NONE, 0);
        for bin in 0..BINS - 1 {
            bounds.add(&bins[bin].0);
            count += bins[bin].1;
            if count == 0 {
                continue;
            }
            let cost = bounds.cost() * count as f32 + behind[bin + 1];
            if cost < best.as_ref().map_or(f32::INFINITY, |best| best.cost) {
                best = Some(Cut { grid, last: bin, cost });
            }
        }
        best
    }

    /// Puts the boxes of the bins up to the cut before the others.
    fn partition(&mut self, range: Range<usize>, cut: &Cut) -> (Part, Part) {
        let mut sides = [(Bounds::NONE, Bounds::NONE); 2];
        let (mut front, mut back) = (range.start, range.end);
        while front < back {
            let one = self.boxes[front];
            let right = cut.grid.bin(&one) > cut.last;
            let side = &mut sides[usize::from(right)];
            side.0.add(&one);
            side.1.add_point(one.center());
            if right {
                back -= 1;
                self.boxes.swap(front, back);
                self.children.swap(front, back);
            } else {
                front += 1;
            }
        }
        let part = |range, (bounds, centers)| Part { range, bounds, centers };
        (part(range.start..front, sides[0]), part(front..range.end, sides[1]))
    }
}

#[derive(Clone, Copy, Debug)]
struct Cut {
    grid: Grid,
    /// The last bin on the left.
    last: usize,
    cost: f32,
}

/// Which bin a box falls into.
#[derive(Clone, Copy, Debug)]
struct Grid {
    axis: usize,
    from: f32,
    scale: f32,
    last: usize,
}

impl Grid {
    fn new<const BINS: usize>(part: &Part, axis: usize) -> Option<Self> {
        let (from, to) = (part.centers.min[axis], part.centers.max[axis]);
        let scale = BINS as f32 / (to - from);
        // Neither one point nor an extent that overflows can be divided.
        (scale.is_finite() && scale > 0.0).then_some(Self { axis, from, scale, last: BINS - 1 })
    }

    #[inline(always)]
    fn bin(&self, one: &Bounds) -> usize {
        let place = (one.min[self.axis] + one.max[self.axis] - self.from) * self.scale;
        (place as i32 as usize).min(self.last)
    }
}
