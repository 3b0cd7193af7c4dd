//! The end of a transaction: the values after its edits are added to those before them.
//!
//! Invariant: after `finish` every live node that the transaction edited or added is `WATCHED` again, and
//! the log is empty.

use alloc::borrow::Cow;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::edit::{Local, Nodes};
use super::edits::{Edits, Other, Packed, Row};
use super::patch::{local_edit, squash};
use super::recorder::Transaction;
use super::revision::{self, EditsHash};
use crate::store::flags::NodeFlags;
use crate::{Edit, Graph, NodeId};

/// The value of a local transform after an edit.
enum After {
    Transform(Packed),
    Unchanged,
    Matrix,
}

impl Graph {
    /// Completes the edits of a transaction that ends, and returns them with the revision that they
    /// lead to.
    pub(super) fn finish(&mut self, transaction: Transaction, base: u64) -> (Edits, u64) {
        self.recorder.set_recording(false);
        let Transaction { is_nested, mut kept, .. } = transaction;
        kept.sort_unstable();
        let is_kept = |node: NodeId| kept.binary_search(&node).is_ok();
        let mut edits = core::mem::take(&mut self.recorder.state.log);
        self.recorder.state.last_len = edits.olds.len();
        let others = core::mem::take(&mut edits.others);
        edits.news.reserve_exact(edits.olds.len());
        // By slot: the nodes that were added.
        let mut added: Vec<u64> = Vec::new();
        // In most transactions everything is in the columns, and stays there.
        let mut hash = EditsHash::new(base, edits.len());
        let is_plain = others.is_empty() && !is_nested;
        if is_plain && self.finish_plain(&edits.olds, &mut edits.news, &mut hash) {
            self.recorder.state.watched_at = Some(self.structure_version);
            edits.shrink();
            return (edits, hash.finish());
        }
        edits.news.clear();
        // Rows that are not needed are dropped on the way.
        let (mut begin, mut len) = (0, 0);
        let segments = others.into_iter().map(|other| (other.transforms, Some(other.edit)));
        for (end, other) in segments.chain([(edits.olds.len(), None)]) {
            for at in begin..end {
                let row = edits.olds[at];
                let new = match self.finish_transform(&row) {
                    After::Transform(new) => new,
                    // Of several edits of a node, `squash` decides.
                    After::Unchanged if is_nested || is_kept(row.node) => row.old,
                    After::Unchanged => continue,
                    After::Matrix => {
                        let (old, new) = (row.old.unpack(), self.local(row.node.index() as u32));
                        let edit = local_edit(row.node, Local::Transform(old), new);
                        edits.others.push(Other { transforms: len, edit });
                        continue;
                    }
                };
                edits.olds[len] = row;
                edits.news.push(new);
                len += 1;
            }
            begin = end;
            if let Some(mut edit) = other {
                self.finish_other(&mut edit, &mut added);
                edits.others.push(Other { transforms: len, edit });
            }
        }
        edits.olds.truncate(len);
        edits.shrink();
        self.recorder.state.watched_at = Some(self.structure_version);
        if !added.is_empty() {
            // The values of these nodes are part of their addition.
            let is_added = |node: &NodeId| added[node.index() / 64] >> (node.index() % 64) & 1 == 1;
            let is_needed = |edit: &Edit| match edit {
                Edit::Transform { node, .. }
                | Edit::Local { node, .. }
                | Edit::Name { node, .. }
                | Edit::Visible { node, .. } => !is_added(node),
                _ => true,
            };
            edits = edits.iter().map(Cow::into_owned).filter(is_needed).collect();
        }
        if is_nested {
            edits = squash(&edits, is_kept);
        }
        let result = revision::result_of(base, &edits);
        (edits, result)
    }

    /// Appends the values after edits of local transforms, of which no other kind was recorded: so all
    /// nodes are alive. Returns `false` if one of them is not needed or became a matrix.
    fn finish_plain(&mut self, rows: &[Row], news: &mut Vec<Packed>, hash: &mut EditsHash) -> bool {
        let any_matrix = self.locals.any_matrix();
        // All flags at once are faster than many single ones.
        let are_many = rows.len() >= self.flags.len() / 8;
        // In blocks that stay in the cache.
        for rows in rows.chunks(128) {
            let begin = news.len();
            let new = |row: &Row| Packed::new(self.locals.transform(row.node.index() as u32));
            news.extend(rows.iter().map(new));
            for (row, new) in rows.iter().zip(&news[begin..]) {
                if !hash.add_transform(row.node, &row.old, new) {
                    return false;
                }
            }
        }
        let has_matrix = |row: &Row| self.flags[row.node.index()].has(NodeFlags::HAS_MATRIX);
        if any_matrix && rows.iter().any(has_matrix) {
            return false;
        }
        if !are_many {
            rows.iter().for_each(|row| self.flags[row.node.index()].set(NodeFlags::WATCHED));
        }
        if are_many {
            self.watch_all();
        }
        true
    }

    /// Returns the value after an edit of a local transform.
    #[inline(always)]
    fn finish_transform(&mut self, row: &Row) -> After {
        let new = Packed::new(self.locals.transform(row.node.index() as u32));
        // A node that was removed since may have any value after this edit.
        if self.slots.get(row.node).is_some() {
            let flags = &mut self.flags[row.node.index()];
            flags.set(NodeFlags::WATCHED);
            if flags.has(NodeFlags::HAS_MATRIX) {
                return After::Matrix;
            }
            if new.has_bits_of(&row.old) {
                return After::Unchanged;
            }
        }
        After::Transform(new)
    }

    /// Sets the values after another edit. Notes the nodes that it added.
    fn finish_other(&mut self, edit: &mut Edit, added: &mut Vec<u64>) {
        match edit {
            Edit::Local { node, change } if self.slots.get(*node).is_some() => {
                self.flags[node.index()].set(NodeFlags::WATCHED);
                change[1] = self.local(node.index() as u32);
            }
            Edit::Add(nodes) => {
                added.resize(self.slots.len().div_ceil(64), 0);
                self.finish_added(nodes, added);
            }
            _ => {}
        }
    }

    /// Sets the values of nodes that were added to those that they have at the end.
    fn finish_added(&mut self, nodes: &mut Arc<Nodes>, added: &mut [u64]) {
        // Not shared yet, unless it comes from a patch that was applied.
        let Some(nodes) = Arc::get_mut(nodes) else { return };
        for record in &mut nodes.records {
            if let Some(slot) = self.slots.get(record.node) {
                self.flags[slot as usize].set(NodeFlags::WATCHED);
                record.local = self.local(slot);
                record.name = self.name(slot);
                record.visible = self.flags[slot as usize].is_visible();
                added[slot as usize / 64] |= 1 << (slot % 64);
            }
        }
    }
}
