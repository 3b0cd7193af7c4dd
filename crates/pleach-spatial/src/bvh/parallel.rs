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
//! On the threads of rayon's current pool; on the calling thread if they cannot be started.

use pleach_graph::thread_count;
use rayon::prelude::*;

use super::DynamicTree;
use super::build::{Builder, LeafSink, Quality, Task};
use super::dynamic_tree::{BOXES_PER_NODE, ItemLocations};
use super::node::{Arena, Child, LANES, NONE, Node};
use super::partition::{Cluster, Primitives};
use crate::Aabb;

/// Below this number of boxes threads do not pay off.
pub(crate) const MIN_PARALLEL_BOXES: usize = 16_384;

/// The upper tree ends at clusters of at most one in this many of the boxes. With smaller clusters
/// the serial part would take longer, with larger ones threads would wait for the last.
const UPPER_TREE_SHARE: usize = 4;

/// The same as that of a build on one thread.
const QUALITY: Quality = Quality::Fast;

impl DynamicTree {
    /// Like `rebuild`, with the same result, on rayon's threads if there are enough items.
    pub(crate) fn rebuild_parallel(&mut self, items: impl Iterator<Item = (u32, Aabb)>) {
        let count = items.size_hint().1.unwrap_or(0);
        if count < MIN_PARALLEL_BOXES || thread_count() < 2 {
            self.rebuild(items);
        } else {
            self.rebuild_with(items, Builder::build_items_parallel);
        }
    }
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
    /// Builds a tree of items on rayon's threads. The arena must have no nodes.
    fn build_items_parallel(&mut self, arena: &mut Arena, items: &mut ItemLocations<'_>) {
        debug_assert!(arena.nodes.is_empty() && arena.free.is_empty());
        let (mut upper_tree, mut primitives) = (Arena::default(), self.primitives());
        let tasks = primitives.build_upper_tree(&mut upper_tree, QUALITY);
        let mut jobs = primitives.jobs(tasks);
        jobs.par_iter_mut().with_max_len(1).for_each(|(_, job)| job.run(QUALITY));
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

impl Cluster {
    /// Returns the same primitives with a range relative to `start`.
    fn rebased(mut self, start: usize) -> Self {
        self.range = self.range.start - start..self.range.end - start;
        self
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

    use super::*;

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

    fn built(boxes: &[(u32, Aabb)]) -> DynamicTree {
        let mut tree = DynamicTree::default();
        tree.rebuild(boxes.iter().copied());
        checked(tree)
    }

    fn built_on(boxes: &[(u32, Aabb)], threads: usize) -> DynamicTree {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut tree = DynamicTree::default();
        let boxes = boxes.iter().copied();
        pool.install(|| tree.rebuild_with(boxes, Builder::build_items_parallel));
        checked(tree)
    }

    fn checked(tree: DynamicTree) -> DynamicTree {
        let mut problems = Vec::new();
        tree.check(&mut problems);
        assert_eq!(problems, []);
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
            let one = built(&boxes);
            for threads in [1, 2, 3, 8] {
                let other = built_on(&boxes, threads);
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
        let mut tree = built_on(&boxes, 3);
        for &(item, _) in &boxes[..1000] {
            tree.remove(item);
        }
        tree.rebuild_with(boxes[500..].iter().copied(), Builder::build_items_parallel);
        for (item, aabb) in &boxes[..500] {
            tree.insert(*item, aabb);
        }
        let mut problems = Vec::new();
        tree.check(&mut problems);
        assert_eq!((problems.len(), tree.len), (0, 5000), "{problems:?}");
    }
}
