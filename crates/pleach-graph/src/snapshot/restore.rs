//! `Graph::from_snapshot`: checks a snapshot completely, then fills the columns from it.
//!
//! Every node is then as if it had just been added: listed as added, dirty, and never updated.

use alloc::vec;
use alloc::vec::Vec;

use super::{GraphSnapshot, SnapshotError};
use crate::edit::validate::{is_valid, validate};
use crate::error::{NodeDescription, NodeLabel, Property};
use crate::store::{flags::NodeFlags, links::NONE};
use crate::{Error, Graph, NodeId};

/// A limit for the ages of names that no graph reaches, so that they never overflow.
const MAX_NAME_AGE: u64 = 1 << 62;

/// The depth of a node that is being visited: met again, the node is its own ancestor.
const VISITING: u32 = NONE - 1;

impl Graph {
    /// Creates a graph from the snapshot of another: with the same handles, also those that come
    /// next, the same parents, order of siblings, transforms, matrices, visibility and names, bit for
    /// bit. Handles of nodes that had been removed stay dead. O(slots).
    ///
    /// All nodes are listed as [`added`](Self::added), and their world matrices are the identity
    /// until the next [`update`](Self::update). The order of [`by_depth`](Self::by_depth) within a
    /// depth may differ.
    ///
    /// # Errors
    ///
    /// [`SnapshotError`] if the columns do not describe a graph: every handle, link, number and name
    /// is checked.
    ///
    /// ```
    /// use pleach_graph::{Graph, SnapshotError, Transform};
    ///
    /// let mut graph = Graph::new();
    /// let root = graph.add_root(Transform::IDENTITY)?;
    /// graph.add_child(root, Transform::from_xyz(1.0, 2.0, 3.0))?;
    /// let mut snapshot = graph.to_snapshot();
    /// assert_eq!(Graph::from_snapshot(snapshot.clone()).unwrap().to_snapshot(), snapshot);
    ///
    /// snapshot.parents[0] = 1;
    /// let error = Graph::from_snapshot(snapshot).unwrap_err();
    /// assert_eq!(error, SnapshotError::Cycle { slot: 0 });
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    pub fn from_snapshot(snapshot: GraphSnapshot) -> Result<Self, SnapshotError> {
        let slots = snapshot.generations.len();
        let mut graph = Self::with_capacity(slots)?;
        snapshot.check_lists()?;
        snapshot.check_transforms()?;
        let depths = snapshot.depths()?;

        graph.levels.restore(&depths);
        let live = live_slots(&snapshot.generations);
        match &snapshot.order {
            Some(order) => graph.links.restore(snapshot.parents, order.iter().copied()),
            None => graph.links.restore(snapshot.parents, live.clone()),
        }
        graph.worlds.append(slots);
        graph.restore_flags(live, &snapshot.hidden);
        graph.locals.restore(snapshot.transforms);
        for (&slot, matrix) in snapshot.matrix_slots.iter().zip(&snapshot.matrices) {
            let nearest = *graph.locals.transform(slot);
            let flags = &mut graph.flags[slot as usize];
            graph.locals.set_matrix(slot, flags, matrix.to_cols_array(), nearest);
        }
        let GraphSnapshot { named, name_ages, name_ends, name_text, next_name_age, .. } = snapshot;
        graph.names.restore_all(&named, &name_ages, &name_ends, name_text, next_name_age);
        graph.set_revision(snapshot.lineage, snapshot.revision);
        graph.slots.restore_all(snapshot.generations, snapshot.free, snapshot.max_generation);
        graph.list_all_as_added();
        graph.structure_version = graph.slots.live() as u64;
        // The columns that were moved here may have less capacity than the graph.
        graph.try_set_capacity(graph.capacity())?;
        Ok(graph)
    }

    /// Sets the flags of all nodes from the links, the levels and the hidden nodes, and marks them
    /// dirty.
    fn restore_flags(&mut self, live: impl Iterator<Item = u32> + Clone, hidden: &[u32]) {
        self.flags.resize(self.links.parents().len(), NodeFlags::DEAD);
        for slot in live.clone() {
            let flags = &mut self.flags[slot as usize];
            *flags = NodeFlags::new_node(true);
            flags.assign(NodeFlags::HAS_CHILDREN, self.links.first(slot) != NONE);
        }
        for &slot in hidden {
            self.flags[slot as usize].set_visible(false, false);
        }
        for depth in 1..self.levels.len() {
            for &slot in self.levels.at(depth) {
                let is_parent_shown = self.flags[self.links.parent(slot) as usize].is_shown();
                let flags = &mut self.flags[slot as usize];
                if flags.is_visible() {
                    flags.set_visible(true, is_parent_shown);
                }
            }
        }
        let mut marks = self.dirty.marks();
        for slot in live {
            marks.mark(slot, &mut self.flags[slot as usize]);
        }
    }

    /// Lists all nodes as added, in the order of their slots.
    fn list_all_as_added(&mut self) {
        let slots = self.slots.len() as u32;
        let is_first = |slot| self.slots.id(slot).is_some_and(|node| node.generation() == 1);
        let mut slot = 0;
        while slot < slots {
            let Some(node) = self.slots.id(slot) else {
                slot += 1;
                continue;
            };
            // Runs consist of nodes that are the first of their slots, except for the first one.
            let len = 1 + (slot + 1..slots).take_while(|&next| is_first(next)).count();
            self.changes.list_added(node, len, &self.slots);
            slot += len as u32;
        }
    }
}

fn check_length(column: &'static str, rows: usize, expected: usize) -> Result<(), SnapshotError> {
    if rows == expected { Ok(()) } else { Err(SnapshotError::Length { column, rows, expected }) }
}

fn live_slots(generations: &[u32]) -> impl Iterator<Item = u32> + Clone + '_ {
    let slots = (0..).zip(generations);
    slots.filter(|&(_, &generation)| generation != 0).map(|(slot, _)| slot)
}

/// Checks that lists contain live slots, each at most once.
struct SlotSet<'a> {
    snapshot: &'a GraphSnapshot,
    /// By slot; reset after each list.
    is_listed: Vec<bool>,
}

impl SlotSet<'_> {
    fn check(&mut self, column: &'static str, slots: &[u32]) -> Result<(), SnapshotError> {
        if slots.is_empty() {
            return Ok(());
        }
        self.is_listed.resize(self.snapshot.generations.len(), false);
        for (at, &slot) in slots.iter().enumerate() {
            let is_listed = self.is_listed.get_mut(slot as usize);
            match is_listed.filter(|_| self.snapshot.is_alive(slot)) {
                Some(is_listed) if !*is_listed => *is_listed = true,
                _ => return Err(SnapshotError::Slot { column, at, slot }),
            }
        }
        slots.iter().for_each(|&slot| self.is_listed[slot as usize] = false);
        Ok(())
    }
}

impl GraphSnapshot {
    fn is_alive(&self, slot: u32) -> bool {
        self.generations.get(slot as usize).is_some_and(|&generation| generation != 0)
    }

    /// Checks the lengths of all columns, and that lists contain each live slot at most once.
    fn check_lists(&self) -> Result<(), SnapshotError> {
        let slots = self.generations.len();
        check_length("parents", self.parents.len(), slots)?;
        check_length("transforms", self.transforms.len(), slots)?;
        check_length("matrices", self.matrices.len(), self.matrix_slots.len())?;
        check_length("name_ends", self.name_ends.len(), self.named.len())?;
        self.check_free()?;
        let mut listed = SlotSet { snapshot: self, is_listed: Vec::new() };
        listed.check("matrix_slots", &self.matrix_slots)?;
        listed.check("hidden", &self.hidden)?;
        listed.check("named", &self.named)?;
        if let Some(order) = &self.order {
            listed.check("order", order)?;
            check_length("order", order.len(), live_slots(&self.generations).count())?;
        }
        self.check_names()
    }

    /// Checks that every name is a part of the text, and that together they are all of it.
    fn check_names(&self) -> Result<(), SnapshotError> {
        let mut start = 0;
        for (at, &end) in self.name_ends.iter().enumerate() {
            self.name_text.get(start..end).ok_or(SnapshotError::Name { at, end })?;
            start = end;
        }
        check_length("name_text", self.name_text.len(), start)?;
        check_length("name_ages", self.name_ages.len(), self.named.len())?;
        let later = self.name_ages.iter().skip(1).chain([&self.next_name_age]);
        let is_ordered = self.name_ages.iter().zip(later).all(|(age, next)| age <= next);
        if !is_ordered || self.next_name_age > MAX_NAME_AGE {
            return Err(SnapshotError::NameAges);
        }
        Ok(())
    }

    /// Checks that the free slots exist, are not in use, and are listed once.
    fn check_free(&self) -> Result<(), SnapshotError> {
        if self.free.is_empty() {
            return Ok(());
        }
        let mut is_taken: Vec<bool> = self.generations.iter().map(|&it| it != 0).collect();
        for (at, &node) in self.free.iter().enumerate() {
            // The first generation of a slot is issued when the slot is created.
            let is_next = (2..=self.max_generation.get()).contains(&node.generation());
            let is_taken = is_taken.get_mut(node.index());
            let is_free = is_next && is_taken.is_some_and(|it| !core::mem::replace(it, true));
            if !is_free {
                return Err(SnapshotError::Free { at, node });
            }
        }
        Ok(())
    }

    /// Checks that all transforms and matrices can be stored unchanged.
    fn check_transforms(&self) -> Result<(), SnapshotError> {
        for slot in live_slots(&self.generations) {
            let transform = &self.transforms[slot as usize];
            if !is_valid(transform) {
                validate(transform, || self.description(slot))?;
                return Err(SnapshotError::Rotation { slot });
            }
        }
        for (&slot, matrix) in self.matrix_slots.iter().zip(&self.matrices) {
            let numbers = matrix.to_cols_array();
            let node = || self.description(slot);
            if let Some(component) = numbers.iter().position(|number| !number.is_finite()) {
                let (property, value) = (Property::Matrix, numbers[component]);
                return Err(Error::NotFinite { node: node(), property, component, value }.into());
            }
            let last_row = matrix.row(3).to_array();
            if last_row != [0.0, 0.0, 0.0, 1.0] {
                return Err(Error::NotAffine { node: node(), last_row }.into());
            }
        }
        Ok(())
    }

    #[cold]
    fn description(&self, slot: u32) -> NodeDescription {
        let generation = core::num::NonZeroU32::new(self.generations[slot as usize]);
        let node = NodeId::new(slot, generation.unwrap_or(core::num::NonZeroU32::MIN));
        NodeDescription::Node(NodeLabel::new(node, None))
    }

    /// Returns the depth of every live slot, `NONE` for others. Each node is visited at most
    /// twice.
    fn depths(&self) -> Result<Vec<u32>, SnapshotError> {
        let mut depths = vec![NONE; self.generations.len()];
        let mut path = Vec::new();
        for start in live_slots(&self.generations) {
            let mut slot = start;
            let mut depth = loop {
                match depths[slot as usize] {
                    NONE => {}
                    VISITING => return Err(SnapshotError::Cycle { slot }),
                    known => break known + 1,
                }
                depths[slot as usize] = VISITING;
                path.push(slot);
                let parent = self.parents[slot as usize];
                if parent == NONE {
                    break 0;
                }
                if !self.is_alive(parent) {
                    return Err(SnapshotError::Parent { slot, parent });
                }
                slot = parent;
            };
            while let Some(slot) = path.pop() {
                depths[slot as usize] = depth;
                depth += 1;
            }
        }
        Ok(depths)
    }
}
