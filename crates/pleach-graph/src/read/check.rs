//! `Graph::check`: verifies the invariants of all files.

use alloc::vec::Vec;
use core::fmt;

use crate::store::{flags::NodeFlags, links::NONE};
use crate::update::kernel::scalar;
use crate::{Graph, NodeId};

/// A broken invariant of a [`Graph`], found by [`Graph::check`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GraphProblem {
    /// The node, or `None` for a problem of the graph as a whole or of a dead slot.
    pub node: Option<NodeId>,
    /// The problem.
    pub kind: GraphProblemKind,
}

/// The kind of a [`GraphProblem`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GraphProblemKind {
    /// The number of live nodes is counted wrongly.
    LiveCount,
    /// A slot is free although its node is alive, or free twice, or its next generation
    /// is invalid.
    FreeSlot,
    /// The columns do not have one row per slot.
    ColumnLength,
    /// A link to a parent, child or sibling is wrong or leads to a dead node.
    Link,
    /// A node is not reachable from the roots, or more than once.
    Reachable,
    /// A node is not where the list of its depth should have it.
    Level,
    /// The flags of a node or of a dead slot are wrong.
    Flags,
    /// A node was edited, but is not in the dirty queue; or the queue contains what it
    /// should not.
    DirtyQueue,
    /// A local transform is not finite, or its rotation is zero.
    LocalTransform,
    /// The table of local matrices does not agree with the nodes.
    LocalMatrix,
    /// The texts or the index of names do not agree with the nodes.
    Name,
    /// A list of changes contains a dead node, or a removed one that is alive.
    ChangeList,
    /// A node that an undo can bring back is alive, or its slot is free.
    Parked,
    /// A world matrix is out of date, but its node is not dirty.
    World,
}

impl GraphProblemKind {
    fn of(self, node: impl Into<Option<NodeId>>) -> GraphProblem {
        GraphProblem { node: node.into(), kind: self }
    }
}

impl fmt::Display for GraphProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.node {
            Some(node) => write!(f, "node {node}: {}", self.kind),
            None => self.kind.fmt(f),
        }
    }
}

impl fmt::Display for GraphProblemKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::LiveCount => "the graph has counted its nodes wrongly",
            Self::FreeSlot => "a free slot of the graph is in use, listed twice or exhausted",
            Self::ColumnLength => "a column of the graph does not have one row per slot",
            Self::Link => "a link to a parent, child or sibling is wrong",
            Self::Reachable => "the nodes that are reachable from the roots are not all nodes",
            Self::Level => "the graph has recorded another depth than it has",
            Self::Flags => "its flags are wrong",
            Self::DirtyQueue => "the queue of edited nodes is wrong",
            Self::LocalTransform => "its local transform is not valid",
            Self::LocalMatrix => "the table of local matrices is wrong",
            Self::Name => "the table of names is wrong",
            Self::ChangeList => "a list of changes contains a node that does not belong there",
            Self::Parked => "a parked node is alive, or its slot is free",
            Self::World => "its world transform is out of date and it is not dirty",
        })
    }
}

impl Graph {
    /// Verifies all internal invariants, and returns the broken ones. The list should
    /// always be empty; otherwise there is a bug in this crate. For tests and bug
    /// reports; visits the whole graph.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// let mut graph = Graph::new();
    /// let node = graph.add_root(Transform::IDENTITY)?;
    /// graph.add_child(node, Transform::IDENTITY)?;
    /// assert_eq!(graph.check(), []);
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[must_use]
    pub fn check(&self) -> Vec<GraphProblem> {
        let mut problems = Vec::new();
        self.check_slots(&mut problems);
        self.check_links(&mut problems);
        // The other checks follow the links.
        if problems.is_empty() {
            self.check_levels(&mut problems);
            self.check_flags(&mut problems);
            self.check_locals(&mut problems);
            self.check_names(&mut problems);
            self.check_changes(&mut problems);
            self.check_worlds(&mut problems);
        }
        problems
    }

    fn live_slots(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.slots.len() as u32).filter(|&slot| self.slots.id(slot).is_some())
    }

    fn check_slots(&self, problems: &mut Vec<GraphProblem>) {
        let live = self.live_slots().count();
        if live != self.slots.live() {
            problems.push(GraphProblemKind::LiveCount.of(None));
        }
        for &next in self.slots.free() {
            if let Some(node) = self.slots.id(next.index() as u32) {
                problems.push(GraphProblemKind::FreeSlot.of(node));
            }
            if next.generation() > self.slots.max_generation().get() {
                problems.push(GraphProblemKind::FreeSlot.of(None));
            }
        }
        let mut free: Vec<usize> = self.slots.free().iter().map(|next| next.index()).collect();
        free.sort_unstable();
        free.dedup();
        if free.len() != self.slots.free().len() {
            problems.push(GraphProblemKind::FreeSlot.of(None));
        }
        let mut parked = 0;
        for node in self.recorder.state.parked.nodes() {
            parked += 1;
            let slot = node.index();
            if self.slots.id(slot as u32).is_some() || free.binary_search(&slot).is_ok() {
                problems.push(GraphProblemKind::Parked.of(node));
            }
        }
        if parked != self.recorder.state.parked.count()
            || live + free.len() + parked > self.slots.len()
        {
            problems.push(GraphProblemKind::Parked.of(None));
        }
        let lens = [
            self.flags.len(),
            self.links.parents().len(),
            self.levels.slots(),
            self.locals.transforms().len(),
            self.worlds.matrices().len(),
        ];
        if lens != [self.slots.len(); 5] {
            problems.push(GraphProblemKind::ColumnLength.of(None));
        }
    }

    /// Returns the node of a list of children, or `None` for the list of roots.
    fn id_of_list(&self, parent: u32) -> Option<NodeId> {
        if parent == NONE { None } else { self.slots.id(parent) }
    }

    fn check_links(&self, problems: &mut Vec<GraphProblem>) {
        let links = &self.links;
        let mut reached = 0;
        let lists = core::iter::once(NONE).chain(self.live_slots());
        for parent in lists {
            let (mut prev, mut slot, mut count) = (NONE, links.first(parent), 0);
            while slot != NONE {
                let Some(node) = self.slots.id(slot) else {
                    problems.push(GraphProblemKind::Link.of(self.id_of_list(parent)));
                    return;
                };
                if links.parent(slot) != parent {
                    problems.push(GraphProblemKind::Link.of(node));
                }
                if links.prev(slot) != prev {
                    problems.push(GraphProblemKind::Link.of(node));
                }
                count += 1;
                if count > links.count(parent) {
                    problems.push(GraphProblemKind::Link.of(self.id_of_list(parent)));
                    return;
                }
                (prev, slot) = (slot, links.next(slot));
            }
            if (count, prev) != (links.count(parent), links.last(parent)) {
                problems.push(GraphProblemKind::Link.of(self.id_of_list(parent)));
            }
            reached += count as usize;
        }
        if reached != self.slots.live() {
            problems.push(GraphProblemKind::Reachable.of(None));
        }
        // Each node is in one list; if all are reachable from the roots, the links
        // have no cycle.
        let walked = self.depth_first().take(self.slots.live() + 1).count();
        if walked != self.slots.live() {
            problems.push(GraphProblemKind::Reachable.of(None));
        }
    }

    fn check_levels(&self, problems: &mut Vec<GraphProblem>) {
        let levels = &self.levels;
        let listed: usize = (0..levels.len()).map(|depth| levels.at(depth).len()).sum();
        if listed != self.slots.live() {
            problems.push(GraphProblemKind::Level.of(None));
        }
        let mut moved = levels.moved().to_vec();
        moved.sort_unstable();
        for slot in self.live_slots() {
            let node = self.slots.live_id(slot);
            let depth = levels.child_depth(self.links.parent(slot));
            if levels.depth(slot) != depth && moved.binary_search(&slot).is_err() {
                problems.push(GraphProblemKind::Level.of(node));
            }
            if levels.at(levels.depth(slot)).get(levels.index(slot) as usize) != Some(&slot) {
                problems.push(GraphProblemKind::Level.of(node));
            }
        }
    }

    fn check_flags(&self, problems: &mut Vec<GraphProblem>) {
        for (slot, flags) in self.flags.iter().enumerate() {
            let slot = slot as u32;
            let Some(node) = self.slots.id(slot) else {
                let mut other_flags = *flags;
                other_flags.unset(NodeFlags::QUEUED);
                if other_flags != NodeFlags::DEAD || flags.has(NodeFlags::WATCHED) {
                    problems.push(GraphProblemKind::Flags.of(None));
                }
                continue;
            };
            let (_, parent_shown) = self.child_depth_and_shown(self.links.parent(slot));
            let is_right = flags.is_alive()
                && flags.is_shown() == (flags.is_visible() && parent_shown)
                && flags.has(NodeFlags::HAS_CHILDREN) == (self.links.first(slot) != NONE)
                && (flags.has(NodeFlags::WATCHED) || !self.must_be_watched());
            if !is_right {
                problems.push(GraphProblemKind::Flags.of(node));
            }
            let queued = flags.has(NodeFlags::QUEUED) || !self.dirty.is_complete();
            if flags.is_local_dirty() && !queued {
                problems.push(GraphProblemKind::DirtyQueue.of(node));
            }
        }
        let marked = self.flags.iter().filter(|flags| flags.is_local_dirty()).count();
        if marked != self.dirty.marked() {
            problems.push(GraphProblemKind::DirtyQueue.of(None));
        }
        let mut queue = self.dirty.queue().to_vec();
        queue.sort_unstable();
        queue.dedup();
        let queued = self.flags.iter().filter(|flags| flags.has(NodeFlags::QUEUED)).count();
        if queue.len() != self.dirty.queue().len() || queue.len() != queued {
            problems.push(GraphProblemKind::DirtyQueue.of(None));
        }
    }

    fn check_locals(&self, problems: &mut Vec<GraphProblem>) {
        let flagged = self.flags.iter().filter(|flags| flags.has(NodeFlags::HAS_MATRIX)).count();
        if flagged != self.locals.owners().len() {
            problems.push(GraphProblemKind::LocalMatrix.of(None));
        }
        for slot in self.live_slots() {
            let node = self.slots.live_id(slot);
            let transform = self.locals.transform(slot);
            let is_finite = transform.translation.is_finite()
                && transform.rotation.is_finite()
                && transform.scale.is_finite();
            if !is_finite || transform.rotation.to_array() == [0.0; 4] {
                problems.push(GraphProblemKind::LocalTransform.of(node));
            }
            let has_matrix = self.flags[slot as usize].has(NodeFlags::HAS_MATRIX);
            if has_matrix != self.locals.matrix(slot).is_some() {
                problems.push(GraphProblemKind::LocalMatrix.of(node));
            }
        }
        for (index, &slot) in self.locals.owners().iter().enumerate() {
            if self.locals.matrix_index(slot) as usize != index {
                problems.push(GraphProblemKind::LocalMatrix.of(self.slots.id(slot)));
            }
        }
    }

    fn check_names(&self, problems: &mut Vec<GraphProblem>) {
        let by_age = self.names.by_age();
        let mut by_start = by_age.clone();
        by_start.sort_unstable_by_key(|&slot| self.names.byte_range(slot).start);
        let (mut end, mut used, mut listed) = (0, 0, 0);
        for &slot in &by_start {
            let range = self.names.byte_range(slot);
            if self.slots.id(slot).is_none() || self.names.get(slot).is_none() {
                problems.push(GraphProblemKind::Name.of(self.slots.id(slot)));
            }
            if range.start < end {
                problems.push(GraphProblemKind::Name.of(self.slots.id(slot)));
            }
            end = range.end;
            used += range.len();
        }
        let (bytes, unused) = self.names.byte_counts();
        if end > bytes || used + unused != bytes {
            problems.push(GraphProblemKind::Name.of(None));
        }
        if !self.names.is_indexed() || !problems.is_empty() {
            return;
        }
        for &oldest in &by_age {
            let Some(name) = self.names.get(oldest) else { continue };
            // Each list is walked once.
            if self.names.slots_named(name).next() != Some(oldest) {
                continue;
            }
            let mut previous_age = 0;
            for slot in self.names.slots_named(name) {
                listed += 1;
                if self.names.age(slot) < previous_age {
                    problems.push(GraphProblemKind::Name.of(self.slots.id(slot)));
                    return;
                }
                previous_age = self.names.age(slot);
            }
        }
        if listed != by_age.len() {
            problems.push(GraphProblemKind::Name.of(None));
        }
    }

    fn check_changes(&self, problems: &mut Vec<GraphProblem>) {
        for slot in self.changes.listed_slots() {
            if self.slots.id(slot).is_none() {
                problems.push(GraphProblemKind::ChangeList.of(None));
            }
        }
        for node in self.changes.owner_removed() {
            if self.contains(*node) {
                problems.push(GraphProblemKind::ChangeList.of(*node));
            }
        }
    }

    /// Checks that every world matrix that is not dirty equals `world(parent) ×
    /// local`.
    fn check_worlds(&self, problems: &mut Vec<GraphProblem>) {
        let mut dirty = alloc::vec![false; self.slots.len()];
        for node in self.by_depth() {
            let slot = node.index() as u32;
            let parent = self.links.parent(slot);
            let flags = self.flags[node.index()];
            dirty[node.index()] =
                flags.is_local_dirty() || (parent != NONE && dirty[parent as usize]);
            if dirty[node.index()] {
                continue;
            }
            let local = self.locals.to_matrix(slot);
            let expected = match parent {
                NONE => scalar::saturated(local),
                _ => scalar::product(&self.worlds.matrix(parent).to_cols_array(), &local),
            };
            let stored = self.worlds.matrix(slot).to_cols_array();
            if stored.map(f32::to_bits) != expected.map(f32::to_bits) {
                problems.push(GraphProblemKind::World.of(node));
            }
            if flags.has(NodeFlags::NEVER_UPDATED) {
                problems.push(GraphProblemKind::World.of(node));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;
    use crate::Transform;
    use crate::store::worlds::AlignedMatrix;

    type Break = fn(&mut Graph);

    /// Adds and removes a node, so that slot 2 is free.
    fn free_slot(graph: &mut Graph) {
        let node = graph.add_root(Transform::IDENTITY).unwrap();
        graph.remove(node).unwrap();
    }

    /// Ways to break one invariant of a graph whose slot 1 is a child of slot 0, with the kind of
    /// the problem, and whether it names the child.
    const BREAKS: &[(GraphProblemKind, bool, Break)] = &[
        (GraphProblemKind::LiveCount, false, |graph| *graph.slots.free_and_live_mut().1 += 1),
        (GraphProblemKind::FreeSlot, false, |graph| {
            free_slot(graph);
            let (free, _) = graph.slots.free_and_live_mut();
            free.extend_from_within(..);
        }),
        (GraphProblemKind::ColumnLength, false, |graph| graph.flags.push(NodeFlags::DEAD)),
        (GraphProblemKind::Link, true, |graph| graph.links.link(1, 0, NONE)),
        (GraphProblemKind::Reachable, false, |graph| _ = graph.links.unlink(1)),
        (GraphProblemKind::Level, false, |graph| graph.levels.remove(1)),
        (GraphProblemKind::Flags, true, |graph| graph.flags[1].set_visible(true, false)),
        (GraphProblemKind::DirtyQueue, false, |graph| graph.flags[1].set(NodeFlags::QUEUED)),
        (GraphProblemKind::LocalTransform, true, |graph| {
            graph.locals.transform_mut(1).rotation.w = f32::NAN;
        }),
        (GraphProblemKind::LocalMatrix, false, |graph| graph.flags[1].set(NodeFlags::HAS_MATRIX)),
        (GraphProblemKind::Name, false, |graph| {
            free_slot(graph);
            graph.names.set(2, "name of a dead slot");
        }),
        (GraphProblemKind::ChangeList, true, |graph| {
            graph.changes.reserve_removed(1);
            graph.changes.list_removed(graph.slots.live_id(1));
        }),
        (GraphProblemKind::Parked, true, |graph| {
            let nodes = crate::Nodes::new(alloc::vec![graph.record(1)]);
            graph.recorder.state.parked.park(&nodes, |_| true);
        }),
        (GraphProblemKind::World, true, |graph| {
            graph.worlds.rows_mut()[1] = AlignedMatrix([2.0; 16]);
        }),
    ];

    #[test]
    fn broken_invariants_are_reported_with_their_kind_and_node() {
        for &(kind, names_node, break_it) in BREAKS {
            let mut graph = Graph::new();
            let root = graph.add_root(Transform::IDENTITY).unwrap();
            let node = graph.add_child(root, Transform::IDENTITY).unwrap();
            graph.update();
            assert_eq!(graph.check(), []);
            break_it(&mut graph);
            let problems = graph.check();
            let found = problems.iter().find(|problem| problem.kind == kind);
            let found = found.unwrap_or_else(|| panic!("{kind:?} is not in {problems:?}"));
            assert_eq!(found.node, names_node.then_some(node), "{kind:?}");
            assert_eq!(found.to_string().starts_with("node 1v1: "), names_node, "{kind:?}");
        }
    }

    #[test]
    fn every_kind_of_problem_is_tested() {
        use GraphProblemKind::*;
        // A new kind does not compile here until it is counted.
        let count = |kind| match kind {
            LiveCount | FreeSlot | ColumnLength | Link | Reachable | Level | Flags | DirtyQueue
            | LocalTransform | LocalMatrix | Name | ChangeList | Parked | World => 14,
        };
        assert_eq!(BREAKS.len(), count(World));
        for (number, (kind, ..)) in BREAKS.iter().enumerate() {
            assert!(BREAKS[..number].iter().all(|other| other.0 != *kind), "{kind:?} twice");
        }
    }
}
