//! Refits one node: reads the boxes of its leaves, adds slack, and returns the union of all lanes.
//!
//! The boxes are transposed in registers, four lanes at a time. Writing them lane by lane and reading
//! them back as vectors risks stalls: processors do not forward several narrow stores to one wide
//! load.
//!
//! Invariant: afterwards every leaf has the box `Aabb::with_slack`; other lanes are unchanged.

use glam::{BVec4A, Mat4, Vec4};

use super::node::{LANES, Node};
use crate::Aabb;
use crate::kernel::prefetch::prefetch_element;
use crate::shapes::slack::{FAR, MIN_SLACK, SLACK};

/// The number of lanes that are transposed at a time.
const HALF: usize = 4;

/// Six columns of four lanes: minimum x, y, z, then maximum x, y, z.
type HalfBounds = [Vec4; 6];

impl Node {
    /// Prefetches what `refit` reads.
    #[inline(always)]
    pub(crate) fn prefetch_leaves(&self, boxes: &[Aabb]) {
        let mut leaves = u32::from(self.leaf_mask);
        while leaves != 0 {
            let child = self.children[leaves.trailing_zeros() as usize % LANES];
            prefetch_element(boxes, child.index() as usize);
            leaves &= leaves - 1;
        }
    }

    /// Sets the box of each leaf to `boxes[item]` with slack, and returns the union of all boxes.
    #[inline(always)]
    pub(crate) fn refit(&mut self, boxes: &[Aabb]) -> Aabb {
        let halves = [self.refit_half(0, boxes), self.refit_half(HALF, boxes)];
        let min = |column: usize| halves[0][column].min(halves[1][column]);
        let max = |column: usize| halves[0][column].max(halves[1][column]);
        let mins = Mat4::from_cols(min(0), min(1), min(2), Vec4::ZERO).transpose();
        let maxs = Mat4::from_cols(max(3), max(4), max(5), Vec4::ZERO).transpose();
        let min = mins.x_axis.min(mins.y_axis).min(mins.z_axis.min(mins.w_axis));
        let max = maxs.x_axis.max(maxs.y_axis).max(maxs.z_axis.max(maxs.w_axis));
        Aabb { min: min.truncate(), max: max.truncate() }
    }

    /// Refits the four lanes from `first` on, and returns their boxes.
    #[inline(always)]
    fn refit_half(&mut self, first: usize, boxes: &[Aabb]) -> HalfBounds {
        let leaves = u32::from(self.leaf_mask) >> first & 0b1111;
        if leaves == 0 {
            return self.half(first);
        }
        let item = |lane: usize| {
            let is_leaf = leaves >> lane & 1 != 0;
            if is_leaf { &boxes[self.children[first + lane].index() as usize] } else { &UNUSED }
        };
        let items = [item(0), item(1), item(2), item(3)];
        // Two transposes that overlap, because a box has six numbers.
        let front = items.map(|it| Vec4::new(it.min.x, it.min.y, it.min.z, it.max.x));
        let back = items.map(|it| Vec4::new(it.min.z, it.max.x, it.max.y, it.max.z));
        let front = Mat4::from_cols(front[0], front[1], front[2], front[3]).transpose();
        let back = Mat4::from_cols(back[0], back[1], back[2], back[3]).transpose();
        let (x, to_x) = with_slack(front.x_axis, front.w_axis);
        let (y, to_y) = with_slack(front.y_axis, back.z_axis);
        let (z, to_z) = with_slack(front.z_axis, back.w_axis);
        let far = |min: Vec4, max: Vec4| (-min).max(max).cmpgt(Vec4::splat(FAR)).any();
        if far(x, to_x) | far(y, to_y) | far(z, to_z) {
            return self.refit_half_far(first, items);
        }
        let mut bounds = [x, y, z, to_x, to_y, to_z];
        if leaves != 0b1111 {
            let bit = |lane: u32| leaves >> lane & 1 != 0;
            let is_leaf = BVec4A::new(bit(0), bit(1), bit(2), bit(3));
            let old = self.half(first);
            for (column, old) in bounds.iter_mut().zip(old) {
                *column = Vec4::select(is_leaf, *column, old);
            }
        }
        for (column, four) in self.bounds.iter_mut().zip(bounds) {
            column[first..first + HALF].copy_from_slice(&four.to_array());
        }
        bounds
    }

    /// Refits four lanes with boxes beyond `FAR`, or so close to it that slack makes them so.
    #[cold]
    #[inline(never)]
    fn refit_half_far(&mut self, first: usize, items: [&Aabb; HALF]) -> HalfBounds {
        for (lane, item) in (first..).zip(items) {
            if self.leaf_mask >> lane & 1 != 0 {
                self.set_aabb(lane, &item.with_slack());
            }
        }
        self.half(first)
    }

    /// Returns the boxes of four lanes.
    #[inline(always)]
    fn half(&self, first: usize) -> HalfBounds {
        self.bounds.each_ref().map(|column| Vec4::from_slice(&column[first..first + HALF]))
    }
}

/// The box of a lane without a leaf, which is ignored.
static UNUSED: Aabb = Aabb { min: glam::Vec3::ZERO, max: glam::Vec3::ZERO };

/// Adds slack to the intervals of one axis, as `Aabb::with_slack` does within `FAR`.
#[inline(always)]
fn with_slack(min: Vec4, max: Vec4) -> (Vec4, Vec4) {
    let slack = ((-min).max(max) * SLACK).max(Vec4::splat(MIN_SLACK));
    (min - slack, max + slack)
}

#[cfg(test)]
mod tests {
    use glam::Vec3;
    use testkit::Rng;

    use super::super::node::Child;
    use super::*;

    #[test]
    fn a_refit_node_has_the_boxes_with_slack_of_its_leaves() {
        for seed in 0..if cfg!(miri) { 50 } else { 5000 } {
            let mut random = Rng::new(seed);
            let mut number = || {
                let size = [0.0, 1e-30, 1.0, 100.0, 1e30, FAR, f32::MAX][random.below(7)];
                random.between(-1.0, 1.0) * size
            };
            let mut aabb = || {
                let [a, b] = [(); 2].map(|()| Vec3::new(number(), number(), number()));
                Aabb::new(a.min(b), a.max(b))
            };
            let boxes: [Aabb; 20] = core::array::from_fn(|_| aabb());
            let mut node = Node::VACANT;
            let len = seed as usize % (LANES + 1);
            for lane in 0..len {
                let is_leaf = seed >> (8 + lane) & 1 == 0;
                let item = (7 * lane + 3) as u32 % 20;
                let child = if is_leaf { Child::leaf(item) } else { Child::node(item) };
                node.push(&aabb(), child);
            }
            let old = node;
            let union = node.refit(&boxes);
            assert_eq!(union, node.union(), "seed {seed}");
            for lane in 0..len {
                let child = node.children[lane];
                let expected = match child.is_leaf() {
                    true => boxes[child.index() as usize].with_slack(),
                    false => old.aabb(lane),
                };
                assert_eq!(node.aabb(lane), expected, "seed {seed}, lane {lane}");
            }
            assert!((len..LANES).all(|lane| node.aabb(lane) == old.aabb(lane)), "seed {seed}");
        }
    }
}
