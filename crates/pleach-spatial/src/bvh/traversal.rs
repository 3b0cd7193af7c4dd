//! Walks over a tree: along a ray, through a frustum, around a point, into a box.
//!
//! Boxes above hold those below and rounding keeps order, so what a walk prunes no
//! leaf below could have passed: the answers are those of testing every leaf. Each
//! leaf that may matter is handed to the caller, in no promised order.

use super::node::{LANES, Lane, Node};
use super::traversal_stack::Stack;
use crate::Aabb;
use crate::kernel::{CullPlanes, Lanes, Slabs, Walk};

/// The lanes of a mask, lowest first.
#[inline(always)]
fn each_lane(mut mask: u32, mut f: impl FnMut(usize)) {
    while mask != 0 {
        f(mask.trailing_zeros() as usize);
        mask &= mask - 1;
    }
}

/// A distance (not negative) and a node, ordered by distance.
#[inline(always)]
fn key(distance: f32, node: u32) -> u64 {
    u64::from(distance.to_bits()) << 32 | u64::from(node)
}

#[inline(always)]
fn unpack(key: u64) -> (f32, usize) {
    (f32::from_bits((key >> 32) as u32), key as u32 as usize)
}

/// The walk to what is near first: leaves and nodes come with a distance (along a
/// ray, or squared from a point), and those beyond `reach` are left out.
#[inline(always)]
fn nearest_first(
    nodes: &[Node],
    mut reach: f32,
    test: impl Fn(&Node, f32) -> (u32, Lane),
    mut leaf: impl FnMut(u32, f32) -> f32,
) {
    if nodes.is_empty() {
        return;
    }
    let mut stack = Stack::<u64, 96>::new(0);
    let mut next = 0;
    loop {
        let node = &nodes[next];
        let (hit, near) = test(node, reach);
        let hit = hit & node.lanes();
        each_lane(hit & u32::from(node.leaves), |lane| {
            if near[lane] <= reach {
                reach = leaf(node.children[lane].index(), reach);
            }
        });
        // The others in order of distance, the nearest on top.
        let mut found = [0; LANES];
        let mut count = 0;
        each_lane(hit & !u32::from(node.leaves), |lane| {
            let entry = key(near[lane], node.children[lane].index());
            let mut at = count;
            while at > 0 && found[at - 1] < entry {
                found[at] = found[at - 1];
                at -= 1;
            }
            found[at] = entry;
            count += 1;
        });
        if count > 0 {
            for &entry in &found[..count - 1] {
                stack.push(entry);
            }
            let (near, index) = unpack(found[count - 1]);
            if near <= reach {
                next = index;
                continue;
            }
        }
        loop {
            let Some(entry) = stack.pop() else { return };
            let (near, index) = unpack(entry);
            if near <= reach {
                next = index;
                break;
            }
        }
    }
}

/// Along a ray, near boxes first. `leaf` gets each leaf with the reach so far and
/// gives the reach from now on.
pub(crate) struct Along<'a, F> {
    pub(crate) nodes: &'a [Node],
    pub(crate) slabs: &'a Slabs,
    pub(crate) reach: f32,
    pub(crate) leaf: F,
}

impl<F: FnMut(u32, f32) -> f32> Walk for Along<'_, F> {
    type Answer = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let test = |node: &Node, reach: f32| lanes.ray(node, self.slabs, reach);
        nearest_first(self.nodes, self.reach, test, self.leaf);
    }
}

/// Around a point, near boxes first, by squared distance.
pub(crate) struct Around<'a, F> {
    pub(crate) nodes: &'a [Node],
    pub(crate) point: [f32; 3],
    pub(crate) reach: f32,
    pub(crate) leaf: F,
}

impl<F: FnMut(u32, f32) -> f32> Walk for Around<'_, F> {
    type Answer = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let test = |node: &Node, reach: f32| {
            let near = lanes.distances(node, self.point);
            ((0..LANES).map(|lane| u32::from(near[lane] <= reach) << lane).sum(), near)
        };
        nearest_first(self.nodes, self.reach, test, self.leaf);
    }
}

/// Into a box: every leaf whose box meets it.
pub(crate) struct Within<'a, F> {
    pub(crate) nodes: &'a [Node],
    pub(crate) aabb: &'a Aabb,
    pub(crate) leaf: F,
}

impl<F: FnMut(u32)> Walk for Within<'_, F> {
    type Answer = ();

    #[inline(always)]
    fn run<L: Lanes>(mut self, lanes: L) {
        let mut stack = Stack::<u32, 128>::new(0);
        if !self.nodes.is_empty() {
            stack.push(0);
        }
        while let Some(index) = stack.pop() {
            let node = &self.nodes[index as usize];
            each_lane(lanes.overlaps(node, self.aabb) & node.lanes(), |lane| {
                let child = node.children[lane];
                if child.is_leaf() { (self.leaf)(child.index()) } else { stack.push(child.index()) }
            });
        }
    }
}

/// Through a frustum: every leaf that no plane culls. The answer is the number of
/// boxes that were tested.
pub(crate) struct Through<'a, F> {
    pub(crate) nodes: &'a [Node],
    pub(crate) planes: &'a CullPlanes,
    pub(crate) leaf: F,
}

/// All six planes.
const ALL: u32 = 0b11_1111;

impl<F: FnMut(u32)> Walk for Through<'_, F> {
    type Answer = usize;

    #[inline(always)]
    fn run<L: Lanes>(mut self, lanes: L) -> usize {
        let mut tested = 0;
        // A node, and above it the planes that its box is astride of.
        let mut stack = Stack::<(u32, u32), 128>::new((0, 0));
        if !self.nodes.is_empty() {
            stack.push((0, ALL));
        }
        while let Some((index, active)) = stack.pop() {
            let node = &self.nodes[index as usize];
            let leaves = u32::from(node.leaves);
            if active == 0 {
                each_lane(node.lanes() & leaves, |lane| (self.leaf)(node.children[lane].index()));
                each_lane(node.lanes() & !leaves, |lane| {
                    let child = node.children[lane].index();
                    lanes.expect_links(&self.nodes[child as usize]);
                    stack.push((child, 0));
                });
                continue;
            }
            tested += node.len as usize;
            let culled = lanes.cull(node, self.planes, active);
            let seen = node.lanes() & !culled.outside;
            each_lane(seen & leaves, |lane| (self.leaf)(node.children[lane].index()));
            each_lane(seen & !leaves, |lane| {
                let mut astride = 0;
                for (plane, lanes) in culled.astride.iter().enumerate() {
                    astride |= (lanes >> lane & 1) << plane;
                }
                let child = node.children[lane].index();
                lanes.expect(&self.nodes[child as usize]);
                stack.push((child, astride));
            });
        }
        tested
    }
}
