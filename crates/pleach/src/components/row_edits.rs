//! Recorded edits of a table: which rows were inserted, removed and changed, with their values.
//!
//! While a transaction runs, `RowRecorder` keeps the values before each write, and the position of
//! each removed row: the last row takes its place, so rows come back in the same order if edits are
//! undone in the opposite order. At the end, the values after them are added, and changes that changed
//! no bit are dropped.
//!
//! Invariant: undoing the edits from the last to the first leads from the rows after them to the rows
//! before, in the same order; performing them from the first to the last leads back.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::hash::{Hash, Hasher};

use pleach_graph::NodeId;

use super::any_table::AnyTable;
use super::error::{RowError, RowMisfit};
use crate::content::{Comparison, Content};
use crate::{Component, Table};

/// An edit of one row of a [`Table`], with the value before and after it. An element of a
/// [`ScenePatch`](crate::history::ScenePatch).
#[derive(Clone, Debug, PartialEq)]
pub enum RowEdit<T> {
    /// A row was inserted, after all others.
    Insert {
        /// The node.
        node: NodeId,
        /// The value after.
        new: T,
    },
    /// A row was removed; the last one took its place.
    Remove {
        /// The node.
        node: NodeId,
        /// The index of the row in its table before.
        index: usize,
        /// The value before.
        old: T,
    },
    /// A row was replaced, or borrowed mutably.
    Change {
        /// The node.
        node: NodeId,
        /// The value before.
        old: T,
        /// The value after.
        new: T,
    },
}

impl<T> RowEdit<T> {
    /// Returns the node whose row was edited.
    #[must_use]
    pub fn node(&self) -> NodeId {
        let (Self::Insert { node, .. } | Self::Remove { node, .. } | Self::Change { node, .. }) =
            self;
        *node
    }

    /// Returns the values before and after the edit, as far as there are any.
    pub fn values(&self) -> impl Iterator<Item = &T> {
        let (old, new) = match self {
            Self::Insert { new, .. } => (None, Some(new)),
            Self::Remove { old, .. } => (Some(old), None),
            Self::Change { old, new, .. } => (Some(old), Some(new)),
        };
        old.into_iter().chain(new)
    }
}

/// An edit whose value after it is not known yet.
enum Recorded<T> {
    Insert { node: NodeId },
    Remove { node: NodeId, index: usize, old: T },
    Change { node: NodeId, old: T },
}

impl<T> Recorded<T> {
    fn node(&self) -> NodeId {
        let (Self::Insert { node } | Self::Remove { node, .. } | Self::Change { node, .. }) = self;
        *node
    }
}

/// The edits of a table while a transaction runs.
pub(crate) struct RowRecorder<T> {
    edits: Vec<Recorded<T>>,
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
        if let Some(Recorded::Change { node: last, .. } | Recorded::Insert { node: last }) =
            self.edits[begin..].last()
            && *last == node
        {
            return;
        }
        if self.edits.len() >= self.squash_at {
            self.squash(begin);
            self.squash_at = MIN_SQUASH_AT.max(2 * self.edits.len());
        }
        self.edits.push(Recorded::Change { node, old: (self.clone)(old) });
    }

    pub(super) fn inserts(&mut self, node: NodeId) {
        if !self.is_paused {
            self.edits.push(Recorded::Insert { node });
        }
    }

    pub(super) fn removes(&mut self, node: NodeId, index: usize, old: &T) {
        if !self.is_paused {
            self.edits.push(Recorded::Remove { node, index, old: (self.clone)(old) });
        }
    }

    /// Drops changes from `begin` on of rows that were changed or inserted since, and not removed.
    fn squash(&mut self, begin: usize) {
        let mut later = self.edits.split_off(begin);
        let mut open = BTreeMap::new();
        later.retain(|edit| match edit {
            Recorded::Insert { node } => {
                open.insert(*node, ());
                true
            }
            Recorded::Change { node, .. } => open.insert(*node, ()).is_none(),
            Recorded::Remove { node, .. } => {
                open.remove(node);
                true
            }
        });
        self.edits.append(&mut later);
    }
}

/// Adds the values after recorded edits, and merges those of the same row; `current` returns the row
/// of a node after all of them.
fn finish<T: Clone>(
    recorded: Vec<Recorded<T>>,
    current: impl Fn(NodeId) -> Option<T>,
) -> Vec<RowEdit<T>> {
    // By node: the edit whose value after it is not known yet.
    let mut open: BTreeMap<NodeId, usize> = BTreeMap::new();
    let mut edits: Vec<(Recorded<T>, Option<T>)> = Vec::with_capacity(recorded.len());
    for edit in recorded {
        match &edit {
            Recorded::Change { node, .. } if open.contains_key(node) => continue,
            Recorded::Insert { node } | Recorded::Change { node, .. } => {
                open.insert(*node, edits.len());
            }
            Recorded::Remove { node, old, .. } => {
                if let Some(at) = open.remove(node) {
                    edits[at].1 = Some(old.clone());
                }
            }
        }
        edits.push((edit, None));
    }
    open.into_iter().for_each(|(node, at)| edits[at].1 = current(node));
    let edits = edits.into_iter().filter_map(|(edit, new)| {
        Some(match edit {
            Recorded::Insert { node } => RowEdit::Insert { node, new: new? },
            Recorded::Remove { node, index, old } => RowEdit::Remove { node, index, old },
            Recorded::Change { node, old } => RowEdit::Change { node, old, new: new? },
        })
    });
    edits.collect()
}

/// Merges the edits of the same row, unless it was removed between them.
fn squash<T>(edits: &mut Vec<RowEdit<T>>) {
    let mut latest: BTreeMap<NodeId, usize> = BTreeMap::new();
    let mut squashed: Vec<RowEdit<T>> = Vec::with_capacity(edits.len());
    for edit in edits.drain(..) {
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
    *edits = squashed;
}

/// Drops changes after which the rows are as before, bit for bit: they were only borrowed.
fn drop_unchanged<T: Component>(edits: &mut Vec<RowEdit<T>>) {
    let mut comparison = Comparison::new();
    edits.retain(|edit| match edit {
        RowEdit::Change { old, new, .. } => !comparison.is_same_component(old, new),
        RowEdit::Insert { .. } | RowEdit::Remove { .. } => true,
    });
}

/// The edits of the rows of one kind.
#[derive(Clone)]
pub(crate) struct RowEdits<T> {
    pub(crate) edits: Vec<RowEdit<T>>,
}

/// The rows that edits have to fit.
#[derive(Clone, Copy)]
pub(crate) enum Expected<'a> {
    /// The rows of a table; no rows if there is no table yet.
    Rows(Option<&'a dyn AnyTable>),
    /// Any rows: what is written outside of transactions is not recorded.
    Any,
}

/// `RowEdits` of any kind.
pub(crate) trait AnyRowEdits: Any + Send + Sync {
    fn name(&self) -> &'static str;

    fn len(&self) -> usize;

    fn nodes(&self) -> Vec<NodeId>;

    fn byte_size(&self) -> usize;

    /// Writes the edits, with the values after them.
    fn write_content(&self, content: &mut Content);

    /// Counts the assets that the rows before the edits use, and those after them do not.
    fn count_assets(&self, assets: &mut Content);

    fn clone_box(&self) -> Box<dyn AnyRowEdits>;

    /// Returns `true` for a table of these rows.
    fn is_of(&self, table: &dyn AnyTable) -> bool;

    /// Returns a table for these rows.
    fn new_table(&self) -> Box<dyn AnyTable>;

    /// Checks that the edits can be performed, or undone, and that nodes that are given a row exist
    /// afterwards, as `is_alive` returns. With a `table`, also that the rows are there which the
    /// edits expect.
    fn check(
        &self,
        table: Expected<'_>,
        forward: bool,
        is_alive: &dyn Fn(NodeId) -> bool,
    ) -> Result<(), RowError>;

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
        let rows = self.edits.iter().flat_map(RowEdit::values).map(heap);
        size_of_val(&self.edits[..]) + rows.sum::<usize>()
    }

    fn write_content(&self, content: &mut Content) {
        content.write_text(T::NAME);
        content.write_usize(self.edits.len());
        for edit in &self.edits {
            let (number, index) = match edit {
                RowEdit::Insert { .. } => (0_u8, 0),
                RowEdit::Remove { index, .. } => (1, *index),
                RowEdit::Change { .. } => (2, 0),
            };
            (number, edit.node(), index).hash(content);
            if let RowEdit::Insert { new, .. } | RowEdit::Change { new, .. } = edit {
                content.write_component(new);
            }
        }
    }

    fn count_assets(&self, assets: &mut Content) {
        for edit in &self.edits {
            match edit {
                RowEdit::Insert { .. } => {}
                RowEdit::Remove { old, .. } => assets.write_component(old),
                RowEdit::Change { old, new, .. } => {
                    assets
                        .count_without(|it| it.write_component(new), |it| it.write_component(old));
                }
            }
        }
    }

    fn clone_box(&self) -> Box<dyn AnyRowEdits> {
        Box::new(self.clone())
    }

    fn is_of(&self, table: &dyn AnyTable) -> bool {
        (table as &dyn Any).is::<Table<T>>()
    }

    fn new_table(&self) -> Box<dyn AnyTable> {
        Box::new(Table::<T>::new())
    }

    fn check(
        &self,
        table: Expected<'_>,
        forward: bool,
        is_alive: &dyn Fn(NodeId) -> bool,
    ) -> Result<(), RowError> {
        let mut sketch = match table {
            Expected::Rows(table) => {
                Sketch::new(table.and_then(|table| (table as &dyn Any).downcast_ref::<Table<T>>()))
            }
            Expected::Any => Sketch::of_any_rows(),
        };
        let checked = if forward {
            self.edits.iter().try_for_each(|edit| sketch.check(edit, true))
        } else {
            self.edits.iter().rev().try_for_each(|edit| sketch.check(edit, false))
        };
        let checked = checked.and_then(|()| sketch.check_alive(is_alive));
        checked.map_err(|(node, reason)| RowError { component: T::NAME, node, reason })
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
        squash(&mut self.edits);
        drop_unchanged(&mut self.edits);
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

/// The nodes that have a row after some edits.
struct Sketch<'a, T> {
    table: Option<&'a Table<T>>,
    /// The rows must be those that the edits expect.
    is_strict: bool,
    /// The nodes whose rows edits inserted (`true`) or removed.
    changed: BTreeMap<NodeId, bool>,
    /// The number of rows.
    rows: usize,
}

impl<'a, T> Sketch<'a, T> {
    fn new(table: Option<&'a Table<T>>) -> Self {
        let rows = table.map_or(0, |table| table.len());
        Self { table, is_strict: true, changed: BTreeMap::new(), rows }
    }

    fn of_any_rows() -> Self {
        Self { table: None, is_strict: false, changed: BTreeMap::new(), rows: 0 }
    }

    fn check(&mut self, edit: &RowEdit<T>, forward: bool) -> Result<(), (NodeId, RowMisfit)> {
        let node = edit.node();
        let is_change = matches!(edit, RowEdit::Change { .. });
        let has_after = is_change || matches!(edit, RowEdit::Insert { .. }) == forward;
        let has_before = is_change || !has_after;
        if self.is_strict {
            let has_row = || self.table.is_some_and(|table| table.has_row(node));
            let has_row = self.changed.get(&node).copied().unwrap_or_else(has_row);
            if has_row != has_before {
                return Err((node, if has_row { RowMisfit::Exists } else { RowMisfit::Missing }));
            }
            self.rows = self.rows + usize::from(has_after) - usize::from(has_before);
            // The index is that of a row before the removal.
            let rows = self.rows + usize::from(forward);
            if matches!(edit, RowEdit::Remove { index, .. } if *index >= rows) {
                return Err((node, RowMisfit::Index));
            }
        }
        if has_after != has_before {
            self.changed.insert(node, has_after);
        }
        Ok(())
    }

    fn check_alive(&self, is_alive: &dyn Fn(NodeId) -> bool) -> Result<(), (NodeId, RowMisfit)> {
        let dead = self.changed.iter().find(|&(&node, &has_row)| has_row && !is_alive(node));
        dead.map_or(Ok(()), |(&node, _)| Err((node, RowMisfit::Dead)))
    }
}

fn perform<T: Component>(table: &mut Table<T>, edit: &RowEdit<T>) {
    match edit {
        RowEdit::Insert { node, new } => table.restore_row(*node, usize::MAX, new.clone()),
        RowEdit::Remove { node, .. } => _ = table.remove(*node),
        RowEdit::Change { node, new, .. } => table.replace_row(*node, new.clone()),
    }
}

fn undo<T: Component>(table: &mut Table<T>, edit: &RowEdit<T>) {
    let before = match edit {
        &RowEdit::Insert { node, .. } => Recorded::Insert { node },
        RowEdit::Remove { node, index, old } => {
            Recorded::Remove { node: *node, index: *index, old: old.clone() }
        }
        RowEdit::Change { node, old, .. } => Recorded::Change { node: *node, old: old.clone() },
    };
    undo_recorded(table, before);
}

fn undo_recorded<T: Component>(table: &mut Table<T>, edit: Recorded<T>) {
    match edit {
        Recorded::Insert { node } => _ = table.remove(node),
        Recorded::Remove { node, index, old } => table.restore_row(node, index, old),
        Recorded::Change { node, old } => table.replace_row(node, old),
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
        let recorded = self.recorder_mut().take()?.edits;
        let mut edits = finish(recorded, |node| self.row(node).cloned());
        drop_unchanged(&mut edits);
        (!edits.is_empty()).then_some(RowEdits { edits })
    }

    /// Undoes the edits of the innermost transaction, and ends it.
    pub(super) fn roll_back_recording(&mut self) {
        let Some(mut recorder) = self.recorder_mut().take() else { return };
        let begin = recorder.begins.pop().unwrap_or(0).min(recorder.edits.len());
        for edit in recorder.edits.drain(begin..).rev() {
            undo_recorded(self, edit);
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

    /// Returns the nodes whose rows were edited since recording began, without those that are as
    /// before.
    pub(crate) fn recorded_nodes(&self) -> Vec<NodeId> {
        let edits = self.recorder().map_or(&[][..], |recorder| &recorder.edits);
        let mut comparison = Comparison::new();
        let mut is_edited = |edit: &&Recorded<T>| match edit {
            Recorded::Change { node, old } => {
                let row = self.row(*node);
                !row.is_some_and(|row| comparison.is_same_component(old, row))
            }
            Recorded::Insert { .. } | Recorded::Remove { .. } => true,
        };
        edits.iter().filter(|edit| is_edited(edit)).map(Recorded::node).collect()
    }

    pub(super) fn is_recording(&mut self) -> bool {
        self.recorder_mut().is_some()
    }
}
