//! Recorded edits of a table: which rows were inserted, removed and changed, with their values.
//!
//! While a transaction runs, `RowRecorder` keeps the values before each write, and the position of
//! each removed row: the last row takes its place, so rows come back in the same order if edits are
//! undone in the opposite order. At the end, the values after them are added.
//!
//! Invariant: undoing the edits from the last to the first leads from the rows after them to the rows
//! before, in the same order; performing them from the first to the last leads back.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;

use pleach_graph::NodeId;

use super::any_table::AnyTable;
use crate::{Component, Table};

/// An edit of one row.
#[derive(Clone, Debug)]
pub(crate) enum RowEdit<T> {
    /// A row was inserted, after all others.
    Insert { node: NodeId, new: Option<T> },
    /// A row was removed, from a position.
    Remove { node: NodeId, index: usize, old: T },
    /// A row was replaced, or borrowed mutably.
    Change { node: NodeId, old: T, new: Option<T> },
}

impl<T> RowEdit<T> {
    fn node(&self) -> NodeId {
        let (Self::Insert { node, .. } | Self::Remove { node, .. } | Self::Change { node, .. }) =
            self;
        *node
    }
}

/// The edits of a table while a transaction runs.
pub(crate) struct RowRecorder<T> {
    edits: Vec<RowEdit<T>>,
    /// The number of edits when each of the running transactions began.
    begins: Vec<usize>,
    is_paused: bool,
    clone: fn(&T) -> T,
    /// The number of edits at which they are merged.
    squash_at: usize,
}

/// The minimum of `RowRecorder::squash_at`.
const MIN_SQUASH_AT: usize = 4096;

impl<T> RowRecorder<T> {
    pub(super) fn changes(&mut self, node: NodeId, old: &T) {
        if self.is_paused {
            return;
        }
        let begin = self.begins.last().copied().unwrap_or(0);
        if let Some(RowEdit::Change { node: last, .. } | RowEdit::Insert { node: last, .. }) =
            self.edits[begin..].last()
            && *last == node
        {
            return;
        }
        if self.edits.len() >= self.squash_at {
            squash(&mut self.edits, begin);
            self.squash_at = MIN_SQUASH_AT.max(2 * self.edits.len());
        }
        self.edits.push(RowEdit::Change { node, old: (self.clone)(old), new: None });
    }

    pub(super) fn inserts(&mut self, node: NodeId) {
        if !self.is_paused {
            self.edits.push(RowEdit::Insert { node, new: None });
        }
    }

    pub(super) fn removes(&mut self, node: NodeId, index: usize, old: &T) {
        if !self.is_paused {
            self.edits.push(RowEdit::Remove { node, index, old: (self.clone)(old) });
        }
    }
}

/// Merges edits from `begin` on: those of the same row become one, unless it was removed between
/// them.
fn squash<T>(edits: &mut Vec<RowEdit<T>>, begin: usize) {
    let mut latest: BTreeMap<NodeId, usize> = BTreeMap::new();
    let mut squashed: Vec<RowEdit<T>> = Vec::new();
    for edit in edits.drain(begin..) {
        match edit {
            RowEdit::Change { node, old, new } => match latest.get(&node) {
                Some(&at) => {
                    if let RowEdit::Insert { new: merged, .. }
                    | RowEdit::Change { new: merged, .. } = &mut squashed[at]
                    {
                        *merged = new;
                    }
                }
                None => {
                    latest.insert(node, squashed.len());
                    squashed.push(RowEdit::Change { node, old, new });
                }
            },
            RowEdit::Insert { node, .. } => {
                latest.insert(node, squashed.len());
                squashed.push(edit);
            }
            RowEdit::Remove { node, .. } => {
                latest.remove(&node);
                squashed.push(edit);
            }
        }
    }
    edits.append(&mut squashed);
}

/// The edits of the rows of one kind.
#[derive(Clone)]
pub(crate) struct RowEdits<T> {
    edits: Vec<RowEdit<T>>,
}

/// `RowEdits` of any kind.
pub(crate) trait AnyRowEdits: Any + Send + Sync {
    fn name(&self) -> &'static str;

    fn len(&self) -> usize;

    fn nodes(&self) -> Vec<NodeId>;

    fn byte_size(&self) -> usize;

    fn clone_box(&self) -> Box<dyn AnyRowEdits>;

    /// Returns a table for these rows.
    fn new_table(&self) -> Box<dyn AnyTable>;

    /// Performs the edits, or undoes them, if the table is of their kind; otherwise returns `false`.
    fn apply(&self, table: &mut dyn AnyTable, forward: bool) -> bool;

    /// Appends later edits of the same kind; returns `false` if they are of another.
    fn append(&mut self, next: &dyn AnyRowEdits) -> bool;

    fn squash(&mut self);
}

impl<T: Component> AnyRowEdits for RowEdits<T> {
    fn name(&self) -> &'static str {
        T::NAME
    }

    fn len(&self) -> usize {
        self.edits.len()
    }

    fn nodes(&self) -> Vec<NodeId> {
        self.edits.iter().map(RowEdit::node).collect()
    }

    fn byte_size(&self) -> usize {
        let heap = |row: &T| row.byte_size() - size_of::<T>().min(row.byte_size());
        let rows = self.edits.iter().map(|edit| match edit {
            RowEdit::Insert { new, .. } => new.as_ref().map_or(0, heap),
            RowEdit::Remove { old, .. } => heap(old),
            RowEdit::Change { old, new, .. } => heap(old) + new.as_ref().map_or(0, heap),
        });
        size_of_val(&self.edits[..]) + rows.sum::<usize>()
    }

    fn clone_box(&self) -> Box<dyn AnyRowEdits> {
        Box::new(self.clone())
    }

    fn new_table(&self) -> Box<dyn AnyTable> {
        Box::new(Table::<T>::new())
    }

    fn apply(&self, table: &mut dyn AnyTable, forward: bool) -> bool {
        let Some(table) = (table as &mut dyn Any).downcast_mut::<Table<T>>() else { return false };
        if forward {
            self.edits.iter().for_each(|edit| perform(table, edit));
        } else {
            self.edits.iter().rev().for_each(|edit| undo(table, edit));
        }
        true
    }

    fn append(&mut self, next: &dyn AnyRowEdits) -> bool {
        let Some(next) = (next as &dyn Any).downcast_ref::<Self>() else { return false };
        self.edits.extend_from_slice(&next.edits);
        true
    }

    fn squash(&mut self) {
        squash(&mut self.edits, 0);
    }
}

impl Clone for Box<dyn AnyRowEdits> {
    fn clone(&self) -> Self {
        (**self).clone_box()
    }
}

impl fmt::Debug for dyn AnyRowEdits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} edits of {:?}", self.len(), self.name())
    }
}

fn perform<T: Component>(table: &mut Table<T>, edit: &RowEdit<T>) {
    match edit {
        RowEdit::Insert { node, new } => {
            if let Some(new) = new {
                table.restore_row(*node, usize::MAX, new.clone());
            }
        }
        RowEdit::Remove { node, .. } => _ = table.remove(*node),
        RowEdit::Change { node, new, .. } => {
            if let Some(new) = new {
                table.replace_row(*node, new.clone());
            }
        }
    }
}

fn undo<T: Component>(table: &mut Table<T>, edit: &RowEdit<T>) {
    match edit {
        RowEdit::Insert { node, .. } => _ = table.remove(*node),
        RowEdit::Remove { node, index, old } => table.restore_row(*node, *index, old.clone()),
        RowEdit::Change { node, old, .. } => table.replace_row(*node, old.clone()),
    }
}

impl<T: Component> Table<T> {
    /// Begins to record, or a transaction inside of the one that is recorded.
    pub(super) fn begin_recording(&mut self) {
        let recorder = self.recorder_mut().get_or_insert_with(|| {
            Box::new(RowRecorder {
                edits: Vec::new(),
                begins: Vec::new(),
                is_paused: false,
                clone: T::clone,
                squash_at: MIN_SQUASH_AT,
            })
        });
        recorder.begins.push(recorder.edits.len());
    }

    /// Ends the innermost transaction. Returns its edits if it is the outermost one and has any.
    pub(super) fn end_recording(&mut self) -> Option<RowEdits<T>> {
        let recorder = self.recorder_mut().as_mut()?;
        recorder.begins.pop();
        if !recorder.begins.is_empty() {
            return None;
        }
        let mut edits = self.recorder_mut().take()?.edits;
        if edits.is_empty() {
            return None;
        }
        // Backwards: the value after an edit is the one before the next edit of the row.
        let mut later: BTreeMap<NodeId, Option<T>> = BTreeMap::new();
        for edit in edits.iter_mut().rev() {
            match edit {
                RowEdit::Remove { node, old, .. } => _ = later.insert(*node, Some(old.clone())),
                RowEdit::Insert { node, new } => {
                    *new = later.remove(node).unwrap_or_else(|| self.row(*node).cloned());
                }
                RowEdit::Change { node, old, new } => {
                    let before = later.insert(*node, Some(old.clone()));
                    *new = before.unwrap_or_else(|| self.row(*node).cloned());
                }
            }
        }
        squash(&mut edits, 0);
        Some(RowEdits { edits })
    }

    /// Undoes the edits of the innermost transaction, and ends it.
    pub(super) fn roll_back_recording(&mut self) {
        let Some(mut recorder) = self.recorder_mut().take() else { return };
        let begin = recorder.begins.pop().unwrap_or(0).min(recorder.edits.len());
        for edit in recorder.edits.drain(begin..).rev() {
            undo(self, &edit);
        }
        if !recorder.begins.is_empty() {
            *self.recorder_mut() = Some(recorder);
        }
    }

    /// Stops or continues to record, for rows that are derived from others.
    pub(crate) fn pause_recording(&mut self, is_paused: bool) {
        if let Some(recorder) = self.recorder_mut() {
            recorder.is_paused = is_paused;
        }
    }

    /// Returns the nodes whose rows were edited since recording began.
    pub(crate) fn recorded_nodes(&mut self) -> Vec<NodeId> {
        let edits = self.recorder_mut().as_ref().map_or(&[][..], |recorder| &recorder.edits);
        edits.iter().map(RowEdit::node).collect()
    }

    pub(super) fn is_recording(&mut self) -> bool {
        self.recorder_mut().is_some()
    }
}
