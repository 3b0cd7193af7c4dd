//! `Graph::check`: verifies the invariants of all files.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::Graph;
use crate::store::{flags::NodeFlags, links::NONE};
use crate::update::kernel::scalar;

impl Graph {
    /// Verifies all internal invariants, and returns a description of each
    /// violation. The list should always be empty; otherwise there is a bug in this
    /// crate. For tests and bug reports; visits the whole graph.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// let mut graph = Graph::new();
    /// let node = graph.add_root(Transform::IDENTITY)?;
    /// graph.add_child(node, Transform::IDENTITY)?;
    /// assert_eq!(graph.check(), Vec::<String>::new());
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[must_use]
    pub fn check(&self) -> Vec<String> {
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

    fn check_slots(&self, problems: &mut Vec<String>) {
        let live = self.live_slots().count();
        if live != self.slots.live() {
            problems.push(format!("{live} slots are alive, {} are counted", self.slots.live()));
        }
        for &next in self.slots.free() {
            if let Some(node) = self.slots.id(next.index() as u32) {
                problems.push(format!("{node} is alive and its slot is free"));
            }
            if next.generation() < 2 || next.generation() > self.slots.max_generation().get() {
                problems.push(format!("{next} is in the free list with an invalid generation"));
            }
        }
        let mut free: Vec<usize> = self.slots.free().iter().map(|next| next.index()).collect();
        free.sort_unstable();
        free.dedup();
        if free.len() != self.slots.free().len() {
            problems.push("a slot is free twice".into());
        }
        let lens = [
            self.flags.len(),
            self.links.parents().len(),
            self.levels.slots(),
            self.locals.transforms().len(),
            self.worlds.matrices().len(),
        ];
        if lens != [self.slots.len(); 5] {
            problems.push(format!("{} slots, but columns of {lens:?} rows", self.slots.len()));
        }
    }

    fn check_links(&self, problems: &mut Vec<String>) {
        let links = &self.links;
        let mut reached = 0;
        let lists = core::iter::once(NONE).chain(self.live_slots());
        for parent in lists {
            let (mut prev, mut slot, mut count) = (NONE, links.first(parent), 0);
            while slot != NONE {
                let Some(node) = self.slots.id(slot) else {
                    problems.push(format!("dead slot {slot} is a child of slot {parent}"));
                    return;
                };
                if links.parent(slot) != parent {
                    problems.push(format!("{node} is in the list of another parent's children"));
                }
                if links.prev(slot) != prev {
                    problems.push(format!("{node} has a wrong link to the sibling before it"));
                }
                count += 1;
                if count > links.count(parent) {
                    problems.push(format!("slot {parent} has more children than its count"));
                    return;
                }
                (prev, slot) = (slot, links.next(slot));
            }
            if (count, prev) != (links.count(parent), links.last(parent)) {
                problems.push(format!("slot {parent} has a wrong child count or last child"));
            }
            reached += count as usize;
        }
        if reached != self.slots.live() {
            problems.push(format!("{reached} nodes are in lists, of {}", self.slots.live()));
        }
        // Each node is in one list; if all are reachable from the roots, the links
        // have no cycle.
        let walked = self.depth_first().take(self.slots.live() + 1).count();
        if walked != self.slots.live() {
            problems.push(format!("{walked} nodes are reachable, of {}", self.slots.live()));
        }
    }

    fn check_levels(&self, problems: &mut Vec<String>) {
        let levels = &self.levels;
        let listed: usize = (0..levels.len()).map(|depth| levels.at(depth).len()).sum();
        if listed != self.slots.live() {
            problems.push(format!("{listed} nodes are in levels, of {}", self.slots.live()));
        }
        for slot in self.live_slots() {
            let node = self.slots.live_id(slot);
            let (depth, _) = self.child_depth_and_shown(self.links.parent(slot));
            if levels.depth(slot) != depth {
                problems.push(format!("{node} has depth {depth}, not {}", levels.depth(slot)));
            }
            if levels.at(levels.depth(slot)).get(levels.index(slot) as usize) != Some(&slot) {
                problems.push(format!("{node} is not at its index in its level"));
            }
        }
    }

    fn check_flags(&self, problems: &mut Vec<String>) {
        for (slot, flags) in self.flags.iter().enumerate() {
            let slot = slot as u32;
            let Some(node) = self.slots.id(slot) else {
                let mut other_flags = *flags;
                other_flags.unset(NodeFlags::QUEUED);
                if other_flags != NodeFlags::EMPTY {
                    problems.push(format!("dead slot {slot} has flags {other_flags:?}"));
                }
                continue;
            };
            let (_, parent_shown) = self.child_depth_and_shown(self.links.parent(slot));
            let is_right = flags.is_alive()
                && flags.is_shown() == (flags.is_visible() && parent_shown)
                && flags.has(NodeFlags::HAS_CHILDREN) == (self.links.first(slot) != NONE);
            if !is_right {
                problems.push(format!("{node} has wrong flags: {flags:?}"));
            }
            let queued = flags.has(NodeFlags::QUEUED) || !self.dirty.is_complete();
            if flags.is_local_dirty() && !queued {
                problems.push(format!("{node} was edited, but is not in the dirty queue"));
            }
        }
        let mut queue = self.dirty.queue().to_vec();
        queue.sort_unstable();
        queue.dedup();
        let queued = self.flags.iter().filter(|flags| flags.has(NodeFlags::QUEUED)).count();
        if queue.len() != self.dirty.queue().len() || queue.len() != queued {
            problems.push("the dirty queue and the flags disagree".into());
        }
    }

    fn check_locals(&self, problems: &mut Vec<String>) {
        let flagged = self.flags.iter().filter(|flags| flags.has(NodeFlags::HAS_MATRIX)).count();
        if flagged != self.locals.owners().len() {
            problems.push(format!("{flagged} nodes have matrices, not {:?}", self.locals.owners()));
        }
        for slot in self.live_slots() {
            let node = self.slots.live_id(slot);
            let transform = self.locals.transform(slot);
            let is_finite = transform.translation.is_finite()
                && transform.rotation.is_finite()
                && transform.scale.is_finite();
            if !is_finite || transform.rotation.to_array() == [0.0; 4] {
                problems.push(format!("{node} has the transform {transform:?}"));
            }
            let has_matrix = self.flags[slot as usize].has(NodeFlags::HAS_MATRIX);
            if has_matrix != self.locals.matrix(slot).is_some() {
                problems.push(format!("{node} has a matrix without a flag, or the reverse"));
            }
        }
        for (index, &slot) in self.locals.owners().iter().enumerate() {
            if self.locals.matrix_index(slot) as usize != index {
                problems.push(format!("slot {slot} has a wrong matrix index"));
            }
        }
    }

    fn check_names(&self, problems: &mut Vec<String>) {
        let by_age = self.names.by_age();
        let (mut end, mut used, mut listed) = (0, 0, 0);
        for &slot in &by_age {
            let range = self.names.byte_range(slot);
            if self.slots.id(slot).is_none() || self.names.get(slot).is_none() {
                problems.push(format!("slot {slot} has a name, but no node or no text"));
            }
            if range.start < end {
                problems.push(format!("slot {slot} shares the text of its name"));
            }
            end = range.end;
            used += range.len();
        }
        let (bytes, unused) = self.names.byte_counts();
        if end > bytes || used + unused != bytes {
            problems.push(format!("{bytes} bytes of names, but {used} used and {unused} unused"));
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
            let mut previous_end = 0;
            for slot in self.names.slots_named(name) {
                listed += 1;
                let range = self.names.byte_range(slot);
                if range.start < previous_end {
                    problems.push(format!("slot {slot} is out of order in the list of {name:?}"));
                    return;
                }
                previous_end = range.end;
            }
        }
        if listed != by_age.len() {
            problems.push(format!("{listed} nodes are found by name, of {}", by_age.len()));
        }
    }

    fn check_changes(&self, problems: &mut Vec<String>) {
        for slot in self.changes.listed_slots() {
            if self.slots.id(slot).is_none() {
                problems.push(format!("dead slot {slot} is listed as changed"));
            }
        }
        for node in self.changes.owner_removed() {
            if self.contains(*node) {
                problems.push(format!("{node} is listed as removed, but alive"));
            }
        }
    }

    /// Checks that every world matrix that is not dirty equals `world(parent) ×
    /// local`.
    fn check_worlds(&self, problems: &mut Vec<String>) {
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
                problems.push(format!("{node} is not dirty, but its world transform is stale"));
            }
            if flags.has(NodeFlags::NEVER_UPDATED) {
                problems.push(format!("{node} was never updated, but is not dirty"));
            }
        }
    }
}
