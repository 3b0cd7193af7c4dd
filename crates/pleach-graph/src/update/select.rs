//! Selection: the nodes that an update computes, which are the edited nodes and
//! their descendants.
//!
//! Each is listed once in the change log, parents before children, and its dirty
//! flag is cleared. There are three ways to find them:
//!
//! - if only leaves were edited, they are the selection;
//! - if few nodes were edited, levels are visited from the top: a node is selected
//!   if it was edited or its parent was selected, by following the links from the
//!   level above (except from nodes all of whose children were edited) or, if most
//!   of a level is affected, by scanning the level;
//! - if many nodes were edited, or all roots, slots are visited in memory order
//!   (unless few of them are alive); the few nodes whose parents come later in
//!   memory are deferred to the end.
//!
//! Invariant: a node is listed iff it or an ancestor had `LOCAL_DIRTY`. The number
//! of nodes visited is at most a small multiple of the nodes edited or listed.

use alloc::vec::Vec;
use core::ops::Range;

use crate::Graph;
use crate::store::{flags::NodeFlags, links::NONE};

/// The result: the nodes listed in the change log from position `begin` on.
pub(crate) struct Selection {
    pub(crate) begin: u32,
    /// The number of roots, which come first.
    pub(crate) roots: usize,
    pub(crate) visited: usize,
}

/// The buffers of a selection.
#[derive(Clone, Debug, Default)]
pub(crate) struct Selector {
    edited: Vec<u32>,
    /// The runs of equal depth in `edited`, once it is sorted.
    edited_runs: Vec<DepthRun>,
    depths: Vec<u32>,
    counts: Vec<u32>,
    keys: Vec<u64>,
    batch: Vec<u32>,
    /// By position in the level above: whether all children were edited.
    covered: Vec<bool>,
    deferred: Vec<u32>,
    is_deferred: Vec<bool>,
    /// The ends, in the change log, of groups of nodes that do not depend on each
    /// other; empty if the nodes were selected by slot.
    pub(crate) group_ends: Vec<u32>,
}

/// The edited nodes at one depth.
#[derive(Clone, Copy, Debug)]
struct DepthRun {
    depth: u32,
    /// The end in `Selector::edited`; the beginning is the end of the run before.
    end: u32,
}

/// The nodes selected in the level above.
#[derive(Clone, Copy, PartialEq)]
enum ParentLevel {
    /// None of them, or none that has children.
    Unchanged,
    /// The nodes in the change log from position `since` on, which have `children`
    /// children.
    Partial { since: u32, children: usize },
    /// All of them, so all of the next level is selected.
    All,
}

impl Selector {
    pub(crate) fn select(&mut self, graph: &mut Graph) -> Selection {
        let begin = graph.changes.changed.end();
        let (complete, only_leaves) = self.take_edited(graph);
        let is_edited = |&slot: &u32| graph.flags[slot as usize].is_local_dirty();
        let all = graph.levels.at(0).iter().all(is_edited);
        // Visiting slots in order pays off only if most of them are alive.
        let live = graph.slots.live();
        if (all || !complete) && graph.slots.len() <= 4 * live {
            let roots = self.select_by_slot(graph, begin, all);
            return Selection { begin, roots, visited: live };
        }
        if !complete {
            self.find_edited(graph);
        }
        let visited = if complete && only_leaves {
            self.select_leaves(graph)
        } else {
            self.sort_edited(graph);
            self.select_by_level(graph, begin)
        };
        let visited = if complete { visited } else { live };
        let first_end = self.group_ends.first().copied().unwrap_or(begin);
        let first = graph.changes.changed.since(begin).first();
        let begins_at_roots = first.is_some_and(|&slot| graph.links.parent(slot) == NONE);
        let roots = if begins_at_roots { (first_end - begin) as usize } else { 0 };
        Selection { begin, roots, visited }
    }

    /// Takes the edited nodes from the queue; returns whether these are all, and
    /// whether none of them has children.
    fn take_edited(&mut self, graph: &mut Graph) -> (bool, bool) {
        let live = graph.slots.live();
        let (complete, any) = graph.dirty.take(&mut graph.flags, live, &mut self.edited);
        (complete, !any.has(NodeFlags::HAS_CHILDREN))
    }

    /// Finds the edited nodes by scanning all nodes.
    fn find_edited(&mut self, graph: &Graph) {
        let nodes = (0..graph.levels.len()).flat_map(|depth| graph.levels.at(depth)).copied();
        self.edited.clear();
        self.edited.extend(nodes.filter(|&slot| graph.flags[slot as usize].is_local_dirty()));
    }

    /// Selects the edited nodes, none of which has children: roots first. Returns
    /// the number of nodes visited.
    fn select_leaves(&mut self, graph: &mut Graph) -> usize {
        let parents = graph.links.parents();
        self.batch.clear();
        self.edited.retain(|&slot| {
            clear_dirty(&mut graph.flags[slot as usize]);
            let is_root = parents[slot as usize] == NONE;
            if is_root {
                self.batch.push(slot);
            }
            !is_root
        });
        self.group_ends.clear();
        for slots in [&self.batch, &self.edited] {
            graph.changes.changed.append(slots);
            if !slots.is_empty() {
                self.group_ends.push(graph.changes.changed.end());
            }
        }
        self.batch.len() + self.edited.len()
    }

    // ---- by slot ------------------------------------------------------------

    /// Selects in slot order, and returns the number of roots selected. If `all`,
    /// every node is out of date.
    fn select_by_slot(&mut self, graph: &mut Graph, begin: u32, all: bool) -> usize {
        let slots = graph.slots.len();
        let roots = graph.levels.at(0);
        let parents = graph.links.parents();
        self.group_ends.clear();
        let log = &mut graph.changes.changed;
        let flags = &mut graph.flags[..];
        if all && graph.slots.live() == slots && is_topologically_sorted(parents, roots.len()) {
            log.append_all(slots);
            flags.iter_mut().for_each(clear_dirty);
            return roots.len();
        }
        for &slot in roots {
            if all || flags[slot as usize].is_local_dirty() {
                clear_dirty(&mut flags[slot as usize]);
                log.push(slot);
            }
        }
        let selected_roots = (log.end() - begin) as usize;
        self.deferred.clear();
        for (slot, (&parent, flags)) in (0..).zip(parents.iter().zip(flags.iter_mut())) {
            if parent == NONE || !flags.is_alive() {
                continue;
            }
            if parent > slot || (!self.deferred.is_empty() && self.is_deferred[parent as usize]) {
                self.defer(slot, slots);
            } else if all || flags.is_local_dirty() || log.listed_since(parent, begin) {
                clear_dirty(flags);
                log.push(slot);
            }
        }
        // The nodes that come before their parents in memory, and their
        // descendants.
        self.deferred.sort_unstable_by_key(|&slot| (graph.levels.depth(slot), slot));
        for &slot in &self.deferred {
            self.is_deferred[slot as usize] = false;
            let flags = &mut flags[slot as usize];
            if all || flags.is_local_dirty() || log.listed_since(parents[slot as usize], begin) {
                clear_dirty(flags);
                log.push(slot);
            }
        }
        selected_roots
    }

    fn defer(&mut self, slot: u32, slots: usize) {
        if self.is_deferred.len() < slots {
            self.is_deferred.resize(slots, false);
        }
        self.is_deferred[slot as usize] = true;
        self.deferred.push(slot);
    }

    // ---- by depth -----------------------------------------------------------

    /// Selects level by level, and returns the number of nodes visited.
    fn select_by_level(&mut self, graph: &mut Graph, begin: u32) -> usize {
        self.group_ends.clear();
        let mut visited = 0;
        let (mut run, mut from) = (0, 0);
        let mut depth = 0;
        let mut parents = ParentLevel::Unchanged;
        loop {
            let next = self.edited_runs.get(run).copied();
            if parents == ParentLevel::Unchanged {
                // Nothing is out of date above the next edited node.
                let Some(next) = next else { return visited };
                depth = next.depth;
            }
            let edited = match next {
                Some(DepthRun { depth: next, end }) if next == depth => {
                    run += 1;
                    from..end as usize
                }
                _ => from..from,
            };
            from = edited.end;
            parents = self.select_level(graph, begin, depth, parents, edited, &mut visited);
            depth += 1;
        }
    }

    /// Selects the nodes that are out of date at one depth, and returns what that
    /// means for the next. `edited` is the range of `self.edited` at this depth.
    fn select_level(
        &mut self,
        graph: &mut Graph,
        begin: u32,
        depth: u32,
        parents: ParentLevel,
        edited: Range<usize>,
        visited: &mut usize,
    ) -> ParentLevel {
        let level_len = graph.levels.at(depth).len();
        let children = match parents {
            ParentLevel::Unchanged => 0,
            ParentLevel::Partial { children, .. } => children,
            ParentLevel::All => level_len,
        };
        self.batch.clear();
        if children == level_len || edited.len() == level_len {
            self.batch.extend_from_slice(graph.levels.at(depth));
            *visited += level_len;
        } else if 2 * (children + edited.len()) >= level_len {
            self.filter_level(graph, begin, depth);
            *visited += level_len;
        } else {
            self.gather_children(graph, parents, edited);
            *visited += self.batch.len();
        }
        let mut children = 0;
        for &slot in &self.batch {
            let flags = &mut graph.flags[slot as usize];
            clear_dirty(flags);
            if flags.has(NodeFlags::HAS_CHILDREN) {
                children += graph.links.count(slot) as usize;
            }
        }
        let since = graph.changes.changed.end();
        graph.changes.changed.append(&self.batch);
        self.group_ends.push(graph.changes.changed.end());
        match (self.batch.len(), children) {
            (0, _) => ParentLevel::Unchanged,
            (len, _) if len == level_len => ParentLevel::All,
            (_, 0) => ParentLevel::Unchanged,
            _ => ParentLevel::Partial { since, children },
        }
    }

    /// Collects the nodes at `depth` that are out of date, by scanning the level.
    fn filter_level(&mut self, graph: &Graph, begin: u32, depth: u32) {
        let (parents, log) = (graph.links.parents(), &graph.changes.changed);
        self.batch.extend(graph.levels.at(depth).iter().copied().filter(|&slot| {
            let parent = parents[slot as usize];
            graph.flags[slot as usize].is_local_dirty()
                || (parent != NONE && log.listed_since(parent, begin))
        }));
    }

    /// Collects the edited nodes, and the other children of the nodes selected in the
    /// level above.
    fn gather_children(&mut self, graph: &Graph, above: ParentLevel, edited: Range<usize>) {
        let Self { batch, covered, .. } = self;
        let edited = &self.edited[edited];
        batch.extend_from_slice(edited);
        let ParentLevel::Partial { since, children } = above else { return };
        let found = mark_covered(graph, since, edited, covered);
        if found == children {
            return;
        }
        for (&parent, &covered) in graph.changes.changed.since(since).iter().zip(&*covered) {
            if covered || !graph.flags[parent as usize].has(NodeFlags::HAS_CHILDREN) {
                continue;
            }
            let mut child = graph.links.first(parent);
            while child != NONE {
                if !graph.flags[child as usize].is_local_dirty() {
                    batch.push(child);
                }
                child = graph.links.next(child);
            }
        }
    }

    /// Sorts the edited nodes by depth. Within one depth the order of edits is kept.
    fn sort_edited(&mut self, graph: &Graph) {
        let Self { edited, edited_runs, depths, counts, keys, batch, .. } = self;
        edited_runs.clear();
        depths.clear();
        batch.clear();
        // Including those that have no nodes any more: the order does not depend on them.
        let levels = graph.levels.len() as usize;
        if levels > 4 * edited.len() {
            let depths = edited.iter().map(|&slot| u64::from(graph.levels.depth(slot)) << 32);
            keys.clear();
            keys.extend(depths.zip(0_u64..).map(|(depth, position)| depth | position));
            keys.sort_unstable();
            batch.extend(keys.iter().map(|&key| edited[key as u32 as usize]));
            for (end, key) in (1..).zip(&*keys) {
                let depth = (key >> 32) as u32;
                match edited_runs.last_mut() {
                    Some(run) if run.depth == depth => run.end = end,
                    _ => edited_runs.push(DepthRun { depth, end }),
                }
            }
        } else {
            counts.clear();
            counts.resize(levels + 1, 0);
            depths.extend(edited.iter().map(|&slot| {
                let depth = graph.levels.depth(slot);
                counts[depth as usize + 1] += 1;
                depth
            }));
            for depth in 0..levels {
                let (start, end) = (counts[depth], counts[depth] + counts[depth + 1]);
                counts[depth + 1] = end;
                if start < end {
                    edited_runs.push(DepthRun { depth: depth as u32, end });
                }
            }
            if edited_runs.len() <= 1 {
                return;
            }
            batch.resize(edited.len(), 0);
            for (&slot, &depth) in edited.iter().zip(&*depths) {
                let index = &mut counts[depth as usize];
                batch[*index as usize] = slot;
                *index += 1;
            }
        }
        edited.copy_from_slice(batch);
    }
}

/// Marks the nodes in the change log from position `since` on all of whose children are in
/// `edited`, one after the other. Returns the number of all their children in `edited`.
///
/// Whole subtrees are mostly edited in one go: their links need not be followed then.
fn mark_covered(graph: &Graph, since: u32, edited: &[u32], covered: &mut Vec<bool>) -> usize {
    let (parents, log) = (graph.links.parents(), &graph.changes.changed);
    covered.clear();
    covered.resize((log.end() - since) as usize, false);
    let mut found = 0;
    for siblings in edited.chunk_by(|&a, &b| parents[a as usize] == parents[b as usize]) {
        let parent = parents[siblings[0] as usize];
        if parent != NONE && log.listed_since(parent, since) {
            found += siblings.len();
            let position = (log.position(parent) - since) as usize;
            covered[position] = siblings.len() == graph.links.count(parent) as usize;
        }
    }
    found
}

/// Clears the dirty flags of a selected node.
#[inline(always)]
fn clear_dirty(flags: &mut NodeFlags) {
    flags.unset(NodeFlags::LOCAL_DIRTY | NodeFlags::NEVER_UPDATED);
}

/// Returns `true` if the first `roots` slots are the roots, and every other slot
/// has a parent before it.
fn is_topologically_sorted(parents: &[u32], roots: usize) -> bool {
    let (roots, others) = parents.split_at(roots);
    let first = roots.len() as u32;
    // No early exit, so that the loop is vectorized.
    roots.iter().all(|&parent| parent == NONE)
        && others.iter().zip(first..).fold(true, |sorted, (&parent, slot)| sorted & (parent < slot))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Transform;
    use glam::Vec3;

    /// A graph from which most nodes were removed.
    fn mostly_dead(live: usize) -> (Graph, Vec<crate::NodeId>) {
        let mut graph = Graph::new();
        let root = graph.add_root(Transform::IDENTITY).unwrap();
        let mut add = || graph.add_child(root, Transform::from_xyz(1.0, 0.0, 0.0)).unwrap();
        let mut nodes: Vec<_> = (0..6 * live).map(|_| add()).collect();
        for node in nodes.drain(live..) {
            graph.remove(node).unwrap();
        }
        nodes.insert(0, root);
        graph.update();
        (graph, nodes)
    }

    /// Subtrees of which all, most, some or no nodes were edited, in any order: small parts of their
    /// levels, so that links are followed, unless all children of a node were edited.
    #[test]
    fn edited_subtrees_are_selected_once_and_parents_first() {
        let areas = if cfg!(miri) { 20 } else { 60 };
        for seed in 0..if cfg!(miri) { 4 } else { 400 } {
            let mut random = testkit::Rng::new(seed);
            let mut graph = Graph::new();
            let mut subtrees = Vec::new();
            for _ in 0..areas {
                let mut nodes = alloc::vec![graph.add_root(Transform::IDENTITY).unwrap()];
                for _ in 0..3 {
                    let object = graph.add_child(nodes[0], Transform::IDENTITY).unwrap();
                    nodes.push(object);
                    for _ in 0..4 {
                        nodes.push(graph.add_child(object, Transform::IDENTITY).unwrap());
                    }
                }
                subtrees.push(nodes);
            }
            graph.update();
            graph.clear_changes();

            let mut edited = Vec::new();
            for _ in 0..1 + random.below(3) {
                let subtree = &subtrees[random.below(areas)];
                let skipped = [usize::MAX, 5, 2, 1][random.below(4)];
                let nodes = subtree.iter().enumerate();
                edited.extend(nodes.filter(|(i, _)| (i + 1) % skipped != 0).map(|(_, &it)| it));
                // Also one without the nodes above it.
                edited.push(subtrees[random.below(areas)][random.below(16)]);
            }
            if random.below(2) == 0 {
                random.shuffle(&mut edited);
            }
            for &node in &edited {
                graph.node_mut(node).unwrap().translate(Vec3::X).unwrap();
            }
            let mut expected = alloc::collections::BTreeSet::new();
            for &node in &edited {
                expected.extend(graph.node(node).unwrap().descendants());
            }
            let worlds: Vec<_> =
                expected.iter().map(|&it| graph.node(it).unwrap().compute_world()).collect();

            let updated = graph.update();
            assert_eq!(updated.changed, expected.len(), "seed {seed}");
            assert!(updated.visited <= 4 * expected.len(), "seed {seed}: {updated:?}");
            let found: Vec<_> =
                expected.iter().map(|&it| graph.node(it).unwrap().world()).collect();
            assert_eq!(found, worlds, "seed {seed}");
            let changed: Vec<_> = graph.changed().collect();
            assert!(changed.iter().copied().eq(unique(&changed)), "seed {seed}: once");
            for (at, &node) in changed.iter().enumerate() {
                let parent = graph.node(node).unwrap().parent();
                assert!(!changed[at..].iter().any(|&it| Some(it) == parent), "seed {seed}");
            }
            assert_eq!(graph.check(), [], "seed {seed}");
        }
    }

    fn unique(nodes: &[crate::NodeId]) -> impl Iterator<Item = crate::NodeId> + '_ {
        let mut seen = alloc::collections::BTreeSet::new();
        nodes.iter().copied().filter(move |&node| seen.insert(node))
    }

    #[test]
    fn dead_slots_are_not_visited() {
        // More than the capacity of the dirty queue.
        let live = if cfg!(miri) { 66 } else { 300 };
        let (mut graph, nodes) = mostly_dead(live);
        for edited in [1, nodes.len()] {
            for &node in &nodes[..edited] {
                graph.node_mut(node).unwrap().set_translation(Vec3::Y).unwrap();
            }
            let updated = graph.update();
            assert_eq!(updated.changed, nodes.len());
            assert!(updated.visited <= nodes.len(), "{updated:?}");
            assert_eq!(graph.check(), []);
        }
    }
}
