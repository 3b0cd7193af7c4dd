//! Traversals of a tree: by ray, frustum, distance from a point, or box.
//!
//! Every box encloses those below it and rounding is monotonic, so no leaf below a pruned node
//! could have passed the test: the results are those of testing every leaf. Each leaf that passes
//! is reported to the caller, in unspecified order.

use super::node::{F32x8, LANES, Node};
use super::traversal_stack::Stack;
use crate::Aabb;
use crate::kernel::{CullPlanes, NodeKernel, Slabs, Traversal};

/// Calls `f` with each lane of a mask, lowest first.
#[inline(always)]
fn each_lane(mut mask: u32, mut f: impl FnMut(usize)) {
    while mask != 0 {
        f(mask.trailing_zeros() as usize);
        mask &= mask - 1;
    }
}

/// Combines a distance (not negative) and a node into a key ordered by distance.
#[inline(always)]
fn sort_key(distance: f32, node: u32) -> u64 {
    u64::from(distance.to_bits()) << 32 | u64::from(node)
}

#[inline(always)]
fn unpack_key(key: u64) -> (f32, usize) {
    (f32::from_bits((key >> 32) as u32), key as u32 as usize)
}

/// Receives the leaves that a traversal finds. A closure is one that prefetches nothing.
pub(crate) trait LeafVisitor {
    /// Visits a leaf within the maximum distance, and returns the new maximum distance.
    fn visit<L: NodeKernel>(&mut self, kernel: L, leaf: u32, max_distance: f32) -> f32;
    /// Prefetches what `visit` reads.
    fn prefetch(&self, leaf: u32);
}

impl<F: FnMut(u32, f32) -> f32> LeafVisitor for F {
    #[inline(always)]
    fn visit<L: NodeKernel>(&mut self, _: L, leaf: u32, max_distance: f32) -> f32 {
        self(leaf, max_distance)
    }

    #[inline(always)]
    fn prefetch(&self, _: u32) {}
}

/// Visits the nearest nodes first. Leaves and nodes have a distance (along a ray, or squared from a
/// point); those beyond `max_distance` are skipped.
#[inline(always)]
fn traverse_nearest_first<L: NodeKernel>(
    kernel: L,
    nodes: &[Node],
    mut max_distance: f32,
    test: impl Fn(&Node, f32) -> (u32, F32x8),
    mut leaf: impl LeafVisitor,
) {
    if nodes.is_empty() {
        return;
    }
    let mut stack = Stack::<u64, 64>::new(0);
    let mut next = 0;
    loop {
        let node = &nodes[next];
        let (hit, near) = test(node, max_distance);
        let hit = hit & node.lane_mask();
        let leaves = hit & u32::from(node.leaf_mask);
        let inner = hit & !u32::from(node.leaf_mask);
        if leaves != 0 {
            // All at once: waiting for one of them is then waiting for all.
            each_lane(leaves, |lane| leaf.prefetch(node.children[lane].index()));
            each_lane(inner, |lane| {
                nodes[node.children[lane].index() as usize].prefetch();
            });
            each_lane(leaves, |lane| {
                if near[lane] <= max_distance {
                    max_distance = leaf.visit(kernel, node.children[lane].index(), max_distance);
                }
            });
        }
        if inner != 0 {
            let entry = |lane: usize| sort_key(near[lane], node.children[lane].index());
            let mut nearest = entry(inner.trailing_zeros() as usize);
            let others = inner & (inner - 1);
            if others != 0 {
                // Sorted by distance, the nearest on top.
                let mut found = [0; LANES];
                let mut count = 1;
                found[0] = nearest;
                each_lane(others, |lane| {
                    let entry = entry(lane);
                    let mut at = count;
                    while at > 0 && found[at - 1] < entry {
                        found[at] = found[at - 1];
                        at -= 1;
                    }
                    found[at] = entry;
                    count += 1;
                });
                for &entry in &found[..count - 1] {
                    nodes[unpack_key(entry).1].prefetch();
                    stack.push(entry);
                }
                nearest = found[count - 1];
            }
            let (near, index) = unpack_key(nearest);
            if near <= max_distance {
                next = index;
                continue;
            }
        }
        loop {
            let Some(entry) = stack.pop() else { return };
            let (near, index) = unpack_key(entry);
            if near <= max_distance {
                next = index;
                break;
            }
        }
    }
}

/// Traverses a tree along a ray, nearest boxes first. `leaf` visits each leaf.
pub(crate) struct RayTraversal<'a, F> {
    pub(crate) nodes: &'a [Node],
    pub(crate) slabs: &'a Slabs,
    pub(crate) max_distance: f32,
    pub(crate) leaf: F,
}

impl<F: LeafVisitor> Traversal for RayTraversal<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<L: NodeKernel>(self, kernel: L) {
        let ray = kernel.prepare(self.slabs);
        let test = |node: &Node, max_distance: f32| kernel.ray(node, &ray, max_distance);
        traverse_nearest_first(kernel, self.nodes, self.max_distance, test, self.leaf);
    }
}

/// Traverses a tree around a point, nearest boxes first, by squared distance.
pub(crate) struct NearestTraversal<'a, F> {
    pub(crate) nodes: &'a [Node],
    pub(crate) point: [f32; 3],
    pub(crate) max_squared: f32,
    pub(crate) leaf: F,
}

impl<F: LeafVisitor> Traversal for NearestTraversal<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<L: NodeKernel>(self, kernel: L) {
        let test = |node: &Node, max_squared: f32| {
            let near = kernel.distances(node, self.point);
            ((0..LANES).map(|lane| u32::from(near[lane] <= max_squared) << lane).sum(), near)
        };
        traverse_nearest_first(kernel, self.nodes, self.max_squared, test, self.leaf);
    }
}

/// Visits every leaf whose box intersects a box.
pub(crate) struct AabbTraversal<'a, F> {
    pub(crate) nodes: &'a [Node],
    pub(crate) aabb: &'a Aabb,
    pub(crate) leaf: F,
}

impl<F: FnMut(u32)> Traversal for AabbTraversal<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<L: NodeKernel>(mut self, kernel: L) {
        let mut stack = Stack::<u32, 128>::new(0);
        if !self.nodes.is_empty() {
            stack.push(0);
        }
        while let Some(index) = stack.pop() {
            let node = &self.nodes[index as usize];
            each_lane(kernel.overlaps(node, self.aabb) & node.lane_mask(), |lane| {
                let child = node.children[lane];
                if child.is_leaf() { (self.leaf)(child.index()) } else { stack.push(child.index()) }
            });
        }
    }
}

/// Visits every leaf that no plane culls. Returns the number of boxes tested.
pub(crate) struct FrustumTraversal<'a, F> {
    pub(crate) nodes: &'a [Node],
    pub(crate) planes: &'a CullPlanes,
    pub(crate) leaf: F,
}

/// All six planes.
const ALL_PLANES: u32 = 0b11_1111;

impl<F: FnMut(u32)> Traversal for FrustumTraversal<'_, F> {
    type Output = usize;

    #[inline(always)]
    fn run<L: NodeKernel>(mut self, kernel: L) -> usize {
        let mut tested = 0;
        // Nodes, with the planes that intersect their boxes.
        let mut stack = Stack::<(u32, u32), 128>::new((0, 0));
        if !self.nodes.is_empty() {
            stack.push((0, ALL_PLANES));
        }
        while let Some((index, active)) = stack.pop() {
            let node = &self.nodes[index as usize];
            let (lanes, leaves) = (node.lane_mask(), u32::from(node.leaf_mask));
            if active == 0 {
                each_lane(lanes & leaves, |lane| (self.leaf)(node.children[lane].index()));
                each_lane(lanes & !leaves, |lane| {
                    let child = node.children[lane].index();
                    self.nodes[child as usize].prefetch_links();
                    stack.push((child, 0));
                });
                continue;
            }
            tested += node.len as usize;
            let masks = kernel.cull(node, self.planes, active);
            let visible = lanes & !masks.outside;
            each_lane(visible & leaves, |lane| (self.leaf)(node.children[lane].index()));
            each_lane(visible & !leaves, |lane| {
                let mut intersecting = 0;
                for (plane, mask) in masks.intersecting.iter().enumerate() {
                    intersecting |= (mask >> lane & 1) << plane;
                }
                let child = node.children[lane].index();
                self.nodes[child as usize].prefetch();
                stack.push((child, intersecting));
            });
        }
        tested
    }
}
