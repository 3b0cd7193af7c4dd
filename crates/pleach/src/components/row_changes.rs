//! `RowChanges`: the rows of a table that were inserted, changed or removed since the last clear.
//!
//! Invariants: a node has at most one entry, which records whether it had a row at the last clear;
//! a node that had none then and has none now has no entry. So there are at most as many entries as
//! rows, plus the rows removed since.

use pleach_graph::NodeId;

/// No entry.
const NONE: u32 = u32::MAX;

#[derive(Clone, Debug)]
pub(super) struct RowChanges {
    entries: Vec<Entry>,
    /// By slot: the index of the entry of the latest node there, or `NONE`.
    index: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    node: NodeId,
    had_row: bool,
}

impl RowChanges {
    pub(super) const fn new() -> Self {
        Self { entries: Vec::new(), index: Vec::new() }
    }

    /// Records that the row of `node` is about to be inserted (`had_row` is `false`), changed or
    /// removed.
    #[inline]
    pub(super) fn record(&mut self, node: NodeId, had_row: bool) {
        let slot = node.index();
        if slot >= self.index.len() {
            self.index.resize(slot + 1, NONE);
        }
        let at = self.index[slot];
        if self.entries.get(at as usize).is_none_or(|entry| entry.node != node) {
            self.index[slot] = self.entries.len() as u32;
            self.entries.push(Entry { node, had_row });
        }
    }

    /// Forgets `node`, whose row was removed, if it had none at the last clear.
    pub(super) fn forget_new(&mut self, node: NodeId) {
        let Some(&at) = self.index.get(node.index()) else { return };
        let Some(entry) = self.entries.get(at as usize) else { return };
        if entry.node != node || entry.had_row {
            return;
        }
        self.index[node.index()] = NONE;
        self.entries.swap_remove(at as usize);
        if let Some(moved) = self.entries.get(at as usize) {
            let index = &mut self.index[moved.node.index()];
            // Otherwise a later node of the slot has an entry too.
            if *index == self.entries.len() as u32 {
                *index = at;
            }
        }
    }

    /// Iterates over the nodes with an entry, each with whether it had a row at the last clear.
    pub(super) fn iter(&self) -> impl Iterator<Item = (NodeId, bool)> + Clone + '_ {
        self.entries.iter().map(|entry| (entry.node, entry.had_row))
    }

    pub(super) fn clear(&mut self) {
        for entry in self.entries.drain(..) {
            self.index[entry.node.index()] = NONE;
        }
    }
}
