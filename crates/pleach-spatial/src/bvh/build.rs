//! A tree of many boxes at once, from the top down.
//!
//! A node's boxes are divided into up to eight parts (`divide.rs`), as long as one is worth
//! a node of its own. Parts that no plane divides, and everything below a certain level, are
//! split into halves as they lie, so the depth is bounded whatever the boxes are.
//!
//! The same boxes in the same order give the same tree, on however many threads
//! (`parallel.rs`). No recursion.

use super::node::{Arena, Child, LANES};
use super::partition::{Bounds, Boxes, Part};
use crate::Aabb;

/// How much care is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effort {
    /// Looks along the longest axis.
    Quick,
    /// Looks along all three: about twice as slow, a few percent better.
    Thorough,
}

/// A vacant node, and what is to be in it.
#[derive(Debug)]
pub(super) struct Task {
    pub(super) part: Part,
    pub(super) node: u32,
    pub(super) level: u32,
}

/// Where leaves end up, and what they are.
pub(crate) trait Sink {
    /// How many boxes share a leaf.
    const LEAF: usize;
    /// The leaf (or subtree) that stands for these boxes, `LEAF` of them at most.
    fn leaf(&mut self, children: &[Child]) -> Child;
    /// A child got its place.
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
        self.boxes.push(aabb.into());
        self.children.push(child);
    }

    pub(crate) fn len(&self) -> usize {
        self.boxes.len()
    }

    pub(super) fn boxes(&mut self) -> Boxes<'_> {
        Boxes { boxes: &mut self.boxes, children: &mut self.children }
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
        let mut boxes = self.boxes();
        let all = boxes.part(0..boxes.boxes.len());
        boxes.build(arena, Task { part: all, node: top, level: 0 }, effort, sink);
        self.clear();
    }
}

impl Boxes<'_> {
    /// Fills a node and all below it. What is new below lies in one piece, at the arena's end
    /// if no nodes are free: `parallel.rs` counts on that.
    pub(super) fn build(
        &mut self,
        arena: &mut Arena,
        task: Task,
        effort: Effort,
        sink: &mut impl Sink,
    ) {
        let mut tasks = vec![task];
        while let Some(task) = tasks.pop() {
            self.fill(arena, task, effort, sink, &mut tasks);
        }
    }

    /// Fills one node, and adds the nodes below it to the tasks.
    pub(super) fn fill<S: Sink>(
        &mut self,
        arena: &mut Arena,
        task: Task,
        effort: Effort,
        sink: &mut S,
        tasks: &mut Vec<Task>,
    ) {
        let Task { part, node, level } = task;
        if S::LEAF == 1 && part.range.len() <= LANES {
            for (lane, at) in part.range.enumerate() {
                let child = sink.leaf(&self.children[at..=at]);
                arena.nodes[node as usize].push(&self.boxes[at].aabb(), child);
                sink.place(arena, child, node, lane);
            }
            return;
        }
        let mut lanes: [Option<Part>; LANES] = [const { None }; LANES];
        let count = self.divide(&mut lanes, part, S::LEAF, level, effort);
        for part in lanes.into_iter().take(count).flatten() {
            let aabb = part.aabb();
            let child = if part.range.len() <= S::LEAF {
                sink.leaf(&self.children[part.range])
            } else {
                let child = arena.add();
                tasks.push(Task { part, node: child, level: level + 1 });
                Child::node(child)
            };
            arena.nodes[node as usize].push(&aabb, child);
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
}
