//! Performing edits that fit.
//!
//! Nothing here can fail: `fit.rs` has checked an edit of a patch, and one that is rolled back was
//! just made. Every edit leaves the same traces as the call that it was recorded from: dirty flags,
//! lists of changes.

use alloc::sync::Arc;
use alloc::vec::Vec;

use super::edit::{Local, Name, NodeRecord, Nodes, Place};
use crate::store::{flags::NodeFlags, links::NONE};
use crate::{Edit, Graph, NodeId};

/// The fate of the slots of nodes that an edit removes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Removal {
    /// Keeps them for the same nodes.
    Park,
    /// Frees them for other nodes.
    Free,
}

impl Graph {
    /// Performs one edit. Nothing may be recorded.
    pub(super) fn perform(&mut self, edit: &Edit) {
        match edit {
            Edit::Add(nodes) => self.restore_nodes(nodes),
            Edit::Remove(nodes) => self.remove_nodes(nodes, Removal::Park),
            Edit::Attach { node, new, .. } => {
                let (parent, next) = slots_of(*new);
                self.relink(node.index() as u32, parent, next);
            }
            Edit::Transform { node, new, .. } => self.restore_transform(*node, *new),
            Edit::Local { node, change } => self.restore_local(*node, &change[1]),
            Edit::Name { node, change } => self.restore_name(*node, change[1].as_ref()),
            Edit::Visible { node, new } => self.set_visible(node.index() as u32, *new),
        }
    }

    /// Undoes one edit that was just recorded. Nodes that it added are dead for good.
    pub(super) fn undo_edit(&mut self, edit: &Edit) {
        match edit {
            // Those of a patch that was applied can come back.
            Edit::Add(nodes)
                if Arc::strong_count(&nodes.token) > 1 || Arc::strong_count(nodes) > 1 =>
            {
                self.remove_nodes(nodes, Removal::Park);
            }
            Edit::Add(nodes) => self.remove_nodes(nodes, Removal::Free),
            Edit::Remove(nodes) => self.restore_nodes(nodes),
            Edit::Attach { node, old, .. } => {
                let (parent, next) = slots_of(*old);
                self.relink(node.index() as u32, parent, next);
            }
            Edit::Transform { node, old, .. } => self.restore_transform(*node, *old),
            Edit::Local { node, change } => self.restore_local(*node, &change[0]),
            Edit::Name { node, change } => self.restore_name(*node, change[0].as_ref()),
            Edit::Visible { node, new } => self.set_visible(node.index() as u32, !new),
        }
    }

    pub(super) fn restore_transform(&mut self, node: NodeId, transform: crate::Transform) {
        let slot = node.index() as u32;
        let flags = &mut self.flags[slot as usize];
        self.dirty.mark(slot, flags);
        self.locals.clear_matrix(slot, flags);
        *self.locals.transform_mut(slot) = transform;
        flags.set(NodeFlags::WATCHED);
    }

    fn restore_local(&mut self, node: NodeId, local: &Local) {
        match local {
            Local::Transform(transform) => self.restore_transform(node, *transform),
            Local::Matrix(matrix) => {
                let slot = node.index() as u32;
                let flags = &mut self.flags[slot as usize];
                self.dirty.mark(slot, flags);
                self.locals.set_matrix(slot, flags, matrix.0, matrix.1);
                flags.set(NodeFlags::WATCHED);
            }
        }
    }

    fn restore_name(&mut self, node: NodeId, name: Option<&Name>) {
        let slot = node.index() as u32;
        match name {
            Some(name) => self.names.restore(slot, &name.text, name.age),
            None => _ = self.names.clear(slot),
        }
        self.names.finish_restoring();
        self.changes.list_renamed(slot, self.slots.len());
    }

    /// Removes nodes, the last one first. Each has no children by then.
    fn remove_nodes(&mut self, nodes: &Arc<Nodes>, removal: Removal) {
        if removal == Removal::Park {
            self.recorder.state.parked.park(nodes, |node| self.flags[node.index()].is_updated());
        }
        self.changes.reserve_removed(self.slots.len());
        for record in nodes.records().iter().rev() {
            let slot = record.node.index() as u32;
            self.unlink(slot);
            let node = self.slots.live_id(slot);
            self.empty_slot(slot, node);
            match removal {
                Removal::Park => self.slots.park(slot),
                Removal::Free => self.slots.remove(node),
            }
        }
    }

    /// Brings back nodes, or adds those of another graph's patch, the first one first.
    fn restore_nodes(&mut self, nodes: &Nodes) {
        let ids: Vec<NodeId> = nodes.records().iter().map(|record| record.node).collect();
        self.changes.forget_removed(&ids);
        let last = nodes.records().iter().map(|record| record.node.index() + 1).max().unwrap_or(0);
        self.append_free_slots(last);
        for record in nodes.records() {
            self.restore_node(record);
        }
        self.names.finish_restoring();
    }

    /// Appends slots that are not in use, up to `len`.
    fn append_free_slots(&mut self, len: usize) {
        for _ in self.slots.len()..len {
            self.slots.push_free();
            self.flags.push(NodeFlags::DEAD);
            self.links.push_unlinked();
            self.levels.push_unlisted();
            self.locals.push(&crate::Transform::IDENTITY);
            self.worlds.push();
        }
    }

    fn restore_node(&mut self, record: &NodeRecord) {
        let (node, slot) = (record.node, record.node.index() as u32);
        let (parked, is_updated) = self.recorder.state.parked.take(node.index());
        if parked == 0 {
            self.slots.take_free(node);
        }
        self.slots.restore(node);
        let (parent, next) = slots_of(record.place);
        let (depth, parent_shown) = self.child_depth_and_shown(parent);
        let mut new = NodeFlags::new_node(parent_shown && record.visible);
        new.set_visible(record.visible, parent_shown && record.visible);
        new.set(NodeFlags::WATCHED);
        let flags = &mut self.flags[slot as usize];
        flags.reuse(new);
        if is_updated && parked == node.generation() {
            // The world transform is still there.
            flags.unset(NodeFlags::NEVER_UPDATED);
        }
        self.dirty.mark(slot, flags);
        match &record.local {
            Local::Transform(transform) => *self.locals.transform_mut(slot) = *transform,
            Local::Matrix(matrix) => self.locals.set_matrix(slot, flags, matrix.0, matrix.1),
        }
        if next == NONE {
            self.links.relink_last(slot, parent);
        } else {
            self.links.forget(slot);
            self.links.link(slot, parent, next);
        }
        if parent != NONE {
            self.flags[parent as usize].set(NodeFlags::HAS_CHILDREN);
        }
        self.levels.insert(slot, depth);
        if let Some(name) = &record.name {
            self.names.restore(slot, &name.text, name.age);
        }
        self.structure_version += 1;
        self.changes.list_restored(node, &self.slots);
    }

    /// Returns everything about a live node.
    pub(crate) fn record(&self, slot: u32) -> NodeRecord {
        NodeRecord {
            node: self.slots.live_id(slot),
            place: self.place(slot),
            local: self.local(slot),
            name: self.name(slot),
            visible: self.flags[slot as usize].is_visible(),
        }
    }

    pub(super) fn local(&self, slot: u32) -> Local {
        let has_matrix = self.flags[slot as usize].has(NodeFlags::HAS_MATRIX);
        let matrix = if has_matrix { self.locals.matrix(slot) } else { None };
        Local::new(matrix, *self.locals.transform(slot))
    }

    pub(super) fn name(&self, slot: u32) -> Option<Name> {
        let (text, age) = self.names.get_with_age(slot)?;
        Some(Name { text: text.into(), age })
    }

    pub(super) fn place(&self, slot: u32) -> Place {
        Place { parent: self.id(self.links.parent(slot)), next: self.id(self.links.next(slot)) }
    }
}

/// Returns the slots of the parent and the next sibling, or `NONE`.
fn slots_of(place: Place) -> (u32, u32) {
    let slot = |node: Option<NodeId>| node.map_or(NONE, |node| node.index() as u32);
    (slot(place.parent), slot(place.next))
}
