//! Top-down construction of a tree from many boxes.
//!
//! The boxes of a node are split into up to eight clusters (`partition.rs`). Clusters that no plane
//! splits, and all clusters below a certain level, are halved by count, so that the depth is
//! bounded for any input.
//!
//! The same boxes in the same order give the same tree, on any number of threads (`parallel.rs`).
//! No recursion.

use super::node::{Arena, Child, LANES};
use super::partition::{Bounds, Cluster, Primitives};
use crate::Aabb;

/// The thoroughness of the search for split planes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quality {
    /// Searches along the longest axis only.
    Fast,
    /// Searches along all three axes: about half as fast, with a few percent better trees.
    High,
}

/// A vacant node and the primitives to be placed below it.
#[derive(Debug)]
pub(super) struct Task {
    pub(super) cluster: Cluster,
    pub(super) node: u32,
    pub(super) level: u32,
}

/// Creates leaves and records the locations of children.
pub(crate) trait LeafSink {
    /// The maximum number of primitives per leaf.
    const MAX_LEAF_SIZE: usize;
    /// Returns the leaf for these primitives, at most `MAX_LEAF_SIZE` of them.
    fn make_leaf(&mut self, children: &[Child]) -> Child;
    /// Records that a child was placed in a lane of a node.
    fn set_location(&mut self, arena: &mut Arena, child: Child, node: u32, lane: usize);
}

/// Builds trees; reuses its memory for the next one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Builder {
    bounds: Vec<Bounds>,
    children: Vec<Child>,
}

impl Builder {
    pub(crate) fn clear(&mut self) {
        self.bounds.clear();
        self.children.clear();
    }

    pub(crate) fn reserve(&mut self, additional: usize) {
        self.bounds.reserve(additional);
        self.children.reserve(additional);
    }

    #[inline]
    pub(crate) fn push(&mut self, aabb: &Aabb, child: Child) {
        self.bounds.push(aabb.into());
        self.children.push(child);
    }

    pub(crate) fn len(&self) -> usize {
        self.bounds.len()
    }

    pub(super) fn primitives(&mut self) -> Primitives<'_> {
        Primitives { bounds: &mut self.bounds, children: &mut self.children }
    }

    /// Builds the tree of all pushed primitives below `root`, a vacant node of the arena, and
    /// clears them.
    pub(crate) fn build(
        &mut self,
        arena: &mut Arena,
        root: u32,
        quality: Quality,
        sink: &mut impl LeafSink,
    ) {
        let mut primitives = self.primitives();
        let all = primitives.cluster(0..primitives.bounds.len());
        primitives.build(arena, Task { cluster: all, node: root, level: 0 }, quality, sink);
        self.clear();
    }
}

impl Primitives<'_> {
    /// Builds the subtree of a node. New nodes are contiguous, at the end of the arena if no
    /// nodes are free: `parallel.rs` depends on that.
    pub(super) fn build(
        &mut self,
        arena: &mut Arena,
        task: Task,
        quality: Quality,
        sink: &mut impl LeafSink,
    ) {
        let mut tasks = vec![task];
        while let Some(task) = tasks.pop() {
            self.fill_node(arena, task, quality, sink, &mut tasks);
        }
    }

    /// Fills one node, and pushes tasks for the nodes below it.
    pub(super) fn fill_node<S: LeafSink>(
        &mut self,
        arena: &mut Arena,
        task: Task,
        quality: Quality,
        sink: &mut S,
        tasks: &mut Vec<Task>,
    ) {
        let Task { cluster, node, level } = task;
        if S::MAX_LEAF_SIZE == 1 && cluster.range.len() <= LANES {
            for (lane, at) in cluster.range.enumerate() {
                let child = sink.make_leaf(&self.children[at..=at]);
                arena.nodes[node as usize].push(&self.bounds[at].aabb(), child);
                sink.set_location(arena, child, node, lane);
            }
            return;
        }
        let mut lanes: [Option<Cluster>; LANES] = [const { None }; LANES];
        let count = self.split_into_lanes(&mut lanes, cluster, S::MAX_LEAF_SIZE, level, quality);
        for cluster in lanes.into_iter().take(count).flatten() {
            let aabb = cluster.aabb();
            let child = if cluster.range.len() <= S::MAX_LEAF_SIZE {
                sink.make_leaf(&self.children[cluster.range])
            } else {
                let child = arena.allocate();
                tasks.push(Task { cluster, node: child, level: level + 1 });
                Child::node(child)
            };
            arena.nodes[node as usize].push(&aabb, child);
        }
        for lane in 0..count {
            let child = arena.nodes[node as usize].children[lane];
            if !child.is_leaf() {
                let child_node = &mut arena.nodes[child.index() as usize];
                (child_node.parent, child_node.lane) = (node, lane as u8);
            }
            sink.set_location(arena, child, node, lane);
        }
    }
}
