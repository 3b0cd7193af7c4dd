//! Parallel construction of a tree of items.
//!
//! One thread builds the upper part of the tree, as long as clusters are large; the lowest nodes of
//! that upper tree stay vacant. Threads then build the subtrees below these, each in an arena of
//! its own. Finally all nodes are merged into one arena.
//!
//! Invariant: nodes are numbered as by a build on one thread. Such a build takes the nodes to be
//! filled from a stack, so the new nodes below each of them are contiguous; merging the arenas in
//! the order of that stack gives each node the same index.
//!
//! If no threads can be started, the calling thread does all the work.

use std::num::NonZero;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;

use super::build::{Builder, LeafSink, Quality, Task};
use super::dynamic_tree::ItemLocations;
use super::node::{Arena, Child, LANES, NONE, Node};
use super::partition::{Cluster, Primitives};

/// Below this number of boxes threads do not pay off: starting one takes as long as adding about a
/// thousand boxes to a tree.
const MIN_PARALLEL_BOXES: usize = 16_384;

/// The upper tree ends at clusters of at most one in this many of the boxes. With smaller clusters
/// the serial part would take longer, with larger ones threads would wait for the last.
const UPPER_TREE_SHARE: usize = 4;

/// Usual trees have at least this many boxes per node: capacity is reserved accordingly.
const BOXES_PER_NODE: usize = 4;

/// Returns the number of threads that pay off for a number of boxes.
pub(super) fn threads_for(boxes: usize) -> usize {
    // The query takes as long as adding a thousand boxes to a tree.
    static THREADS: OnceLock<usize> = OnceLock::new();
    if boxes < MIN_PARALLEL_BOXES {
        return 1;
    }
    *THREADS.get_or_init(|| thread::available_parallelism().map_or(1, NonZero::get))
}

/// The subtree below a vacant node of the upper tree.
struct Job<'a> {
    primitives: Primitives<'a>,
    cluster: Cluster,
    level: u32,
    /// Node 0 is the node of the upper tree.
    arena: Arena,
}

impl Job<'_> {
    fn run(&mut self, quality: Quality) {
        self.arena.nodes.reserve(self.cluster.range.len() / BOXES_PER_NODE);
        let task =
            Task { cluster: self.cluster.clone(), node: self.arena.allocate(), level: self.level };
        self.primitives.build(&mut self.arena, task, quality, &mut NoLocations);
    }
}

/// Ignores locations: the final node indices are not known yet.
struct NoLocations;

impl LeafSink for NoLocations {
    const MAX_LEAF_SIZE: usize = 1;

    #[inline]
    fn make_leaf(&mut self, children: &[Child]) -> Child {
        children[0]
    }

    #[inline]
    fn set_location(&mut self, _: &mut Arena, _: Child, _: u32, _: usize) {}
}

impl Builder {
    /// Builds a tree of items on `threads` threads. The arena must have no nodes.
    pub(super) fn build_items(
        &mut self,
        arena: &mut Arena,
        quality: Quality,
        items: &mut ItemLocations<'_>,
        threads: usize,
    ) {
        debug_assert!(arena.nodes.is_empty() && arena.free.is_empty());
        if threads <= 1 {
            arena.nodes.reserve(self.len() / BOXES_PER_NODE);
            let root = arena.allocate();
            return self.build(arena, root, quality, items);
        }
        let (mut upper_tree, mut primitives) = (Arena::default(), self.primitives());
        let tasks = primitives.build_upper_tree(&mut upper_tree, quality);
        let mut jobs = primitives.jobs(tasks);
        run(&mut jobs, quality, threads);
        merge(arena, &upper_tree, &jobs);
        for (index, node) in (0..).zip(&arena.nodes) {
            for (lane, child) in (0..).zip(&node.children[..node.len as usize]) {
                if child.is_leaf() {
                    items.0[child.index() as usize] = index * LANES as u32 + lane;
                }
            }
        }
        self.clear();
    }
}

impl<'a> Primitives<'a> {
    /// Builds the upper nodes of the tree. Returns the tasks for its vacant nodes.
    fn build_upper_tree(&mut self, arena: &mut Arena, quality: Quality) -> Vec<Task> {
        let all = self.cluster(0..self.bounds.len());
        let max_lower = all.range.len() / UPPER_TREE_SHARE;
        let mut tasks = vec![Task { cluster: all, node: arena.allocate(), level: 0 }];
        let mut lower_tasks = Vec::new();
        while let Some(task) = tasks.pop() {
            if task.cluster.range.len() <= max_lower {
                lower_tasks.push(task);
            } else {
                self.fill_node(arena, task, quality, &mut NoLocations, &mut tasks);
            }
        }
        lower_tasks
    }

    /// Returns a job for each task with its primitives, sorted by the node in the upper tree.
    fn jobs(self, mut tasks: Vec<Task>) -> Vec<(u32, Job<'a>)> {
        tasks.sort_unstable_by_key(|task| task.cluster.range.start);
        let Self { mut bounds, mut children } = self;
        let mut from = 0;
        let mut jobs = Vec::with_capacity(tasks.len());
        for Task { cluster, node, level } in tasks {
            // Between them are boxes that are leaves of the upper tree.
            let (skip, len, start) =
                (cluster.range.start - from, cluster.range.len(), cluster.range.start);
            from = cluster.range.end;
            let (own_bounds, rest_bounds) = bounds.split_at_mut(skip).1.split_at_mut(len);
            let (own_children, rest_children) = children.split_at_mut(skip).1.split_at_mut(len);
            (bounds, children) = (rest_bounds, rest_children);
            let primitives = Primitives { bounds: own_bounds, children: own_children };
            let cluster = cluster.rebased(start);
            jobs.push((node, Job { primitives, cluster, level, arena: Arena::default() }));
        }
        jobs.sort_unstable_by_key(|&(node, _)| node);
        jobs
    }
}

/// Runs all jobs, on this thread and others.
fn run(jobs: &mut [(u32, Job<'_>)], quality: Quality, threads: usize) {
    let others = threads.min(jobs.len()).saturating_sub(1);
    let queue = Mutex::new(jobs.iter_mut());
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
    let work = || {
        while let Some((_, job)) = next() {
            job.run(quality);
        }
    };
    thread::scope(|scope| {
        for _ in 0..others {
            // If a thread cannot be started, the others do its share.
            if thread::Builder::new().spawn_scoped(scope, work).is_err() {
                break;
            }
        }
        work();
    });
}

/// Merges the upper tree and the subtrees below its vacant nodes into one arena.
fn merge(arena: &mut Arena, upper_tree: &Arena, jobs: &[(u32, Job<'_>)]) {
    let lower_nodes: usize = jobs.iter().map(|(_, job)| job.arena.nodes.len() - 1).sum();
    // With the capacity that `DynamicTree` reserves.
    arena.nodes.reserve((upper_tree.nodes.len() + lower_nodes) * 3 / 2 + 8);
    arena.nodes.push(Node::VACANT);
    // Nodes of the upper tree, and their indices in the arena, where their parents are set.
    let mut stack = vec![(0, 0)];
    while let Some((upper_index, index)) = stack.pop() {
        let Node { parent, lane, .. } = arena.nodes[index as usize];
        let first = arena.nodes.len() as u32;
        if let Ok(job) = jobs.binary_search_by_key(&upper_index, |&(node, _)| node) {
            let new_index = |local: u32| if local == 0 { index } else { first + local - 1 };
            let mut nodes = jobs[job].1.arena.nodes.iter().map(|node| node.renumbered(new_index));
            if let Some(root) = nodes.next() {
                arena.nodes[index as usize] = Node { parent, lane, ..root };
            }
            arena.nodes.extend(nodes);
            continue;
        }
        let mut node = Node { parent, lane, ..upper_tree.nodes[upper_index as usize] };
        for (lane, child) in (0..).zip(&mut node.children[..node.len as usize]) {
            if !child.is_leaf() {
                let child_index = arena.nodes.len() as u32;
                stack.push((child.index(), child_index));
                *child = Child::node(child_index);
                arena.nodes.push(Node { parent: index, lane, ..Node::VACANT });
            }
        }
        arena.nodes[index as usize] = node;
    }
}

impl Node {
    /// Returns the node with new indices for its parent and children.
    fn renumbered(&self, new_index: impl Fn(u32) -> u32) -> Self {
        let mut node = *self;
        for child in &mut node.children[..self.len as usize] {
            if !child.is_leaf() {
                *child = Child::node(new_index(child.index()));
            }
        }
        if node.parent != NONE {
            node.parent = new_index(node.parent);
        }
        node
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;
    use testkit::Rng;

    use super::super::DynamicTree;
    use crate::Aabb;

    /// Returns `count` boxes, distributed as `kind` selects.
    fn boxes(count: u32, kind: u32) -> Vec<(u32, Aabb)> {
        let mut random = Rng::new(0x1234_5678);
        let mut next = || random.between(0.0, 1.0);
        let one = |item: u32| {
            let position = Vec3::new(next(), next(), next()) * 100.0;
            let position = match kind {
                // Uniform, mostly in one corner, along a line, all at one point.
                0 => position,
                1 if !item.is_multiple_of(50) => position * 0.001,
                2 => Vec3::new(item as f32, 0.0, 0.0),
                3 => Vec3::ONE,
                // Exponentially farther away: a split separates only a few.
                4 => Vec3::splat(1.5_f32.powi((item % 200) as i32)),
                _ => position,
            };
            (item, Aabb::new(position, position + Vec3::new(next(), next(), next())))
        };
        (0..count).map(one).collect()
    }

    fn built(boxes: &[(u32, Aabb)], threads: usize) -> DynamicTree {
        let mut tree = DynamicTree::default();
        tree.rebuild_on(boxes.iter().copied(), threads);
        let mut problems = Vec::new();
        tree.check(&mut problems);
        assert_eq!(problems, [""; 0]);
        tree
    }

    #[test]
    #[cfg_attr(miri, ignore = "safe code, and thousands of boxes")]
    fn the_tree_does_not_depend_on_the_number_of_threads() {
        for (count, kind) in (0..5).map(|kind| (3000 + kind, kind)).chain([
            (0, 0),
            (1, 0),
            (2, 3),
            (8, 0),
            (9, 0),
            (33, 1),
            (64, 2),
            (100, 4),
            (40_000, 1),
        ]) {
            let boxes = boxes(count, kind);
            let one = built(&boxes, 1);
            for threads in [2, 3, 8] {
                let other = built(&boxes, threads);
                assert_eq!(one.locations, other.locations, "{count} {kind} {threads}");
                // Every bit of every node.
                assert_eq!(
                    format!("{:?}", one.nodes()),
                    format!("{:?}", other.nodes()),
                    "{count} {kind} {threads}"
                );
            }
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "safe code, and thousands of boxes")]
    fn a_tree_built_in_parallel_can_be_rebuilt_and_changed() {
        let boxes = boxes(5000, 0);
        let mut tree = built(&boxes, 3);
        for &(item, _) in &boxes[..1000] {
            tree.remove(item);
        }
        tree.rebuild_on(boxes[500..].iter().copied(), 3);
        for (item, aabb) in &boxes[..500] {
            tree.insert(*item, aabb);
        }
        let mut problems = Vec::new();
        tree.check(&mut problems);
        assert_eq!((problems.len(), tree.len), (0, 5000), "{problems:?}");
    }
}
