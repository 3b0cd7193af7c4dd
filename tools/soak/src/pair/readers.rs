//! Readers of changes, each at its own pace: the graph's owner and some change
//! readers.
//!
//! Each keeps a copy of the world column, like a GPU, and updates it with the
//! ranges it reads.

use core::ops::Range;

use pleach_graph::{ChangeReader, ChangedNodes, Error, Graph, NodeId};
use testkit::matrix::IDENTITY;
use testkit::naive::Key;

use super::{Effect, Pair};
use crate::difference::{Difference, Result, ensure, ensure_eq};
use crate::model::Model;

/// The number of readers: the owner and the change readers.
pub(super) const READERS: usize = 4;
/// The index of the owner.
pub(super) const OWNER: usize = 0;
/// The indices of the change readers.
pub(super) const CHANGE_READERS: Range<usize> = 1..READERS;

/// The maximum number of removals that a reader leaves unread here. With more than
/// 65 536 the graph may omit some, which `change_readers.rs` of pleach-graph's
/// tests covers.
const MAX_UNREAD: usize = 50_000;
/// The number of bytes in a row of the world column.
const ROW: usize = 64;

#[derive(Debug, Default)]
pub(super) struct Reader {
    /// `None` for the owner.
    change_reader: Option<ChangeReader>,
    /// The world column when last read.
    copy: Vec<u8>,
    /// The number of removals it has read.
    removals: usize,
}

pub(super) fn of(graph: &mut Graph) -> [Reader; READERS] {
    core::array::from_fn(|reader| Reader {
        change_reader: CHANGE_READERS.contains(&reader).then(|| graph.change_reader()),
        ..Reader::default()
    })
}

/// The changes that a reader reads.
struct ReaderChanges<'a> {
    changed: ChangedNodes<'a>,
    shown: ChangedNodes<'a>,
    removed: &'a [NodeId],
}

impl Reader {
    /// Reads the change reader, or the changes that the owner has not cleared yet.
    fn read<'a>(&mut self, graph: &'a Graph) -> Result<ReaderChanges<'a>> {
        let Some(change_reader) = &mut self.change_reader else {
            return Ok(ReaderChanges::of_owner(graph));
        };
        let changes = change_reader.read(graph).map_err(Difference::new)?;
        let (changed, shown, removed) =
            (changes.changed(), changes.shown_changed(), changes.removed());
        Ok(ReaderChanges { changed, shown, removed })
    }

    /// Updates the copy of the world column.
    fn apply_ranges(&mut self, column: &[u8], ranges: Vec<Range<usize>>) {
        let identity = IDENTITY.map(f32::to_ne_bytes);
        while self.copy.len() < column.len() {
            self.copy.extend_from_slice(identity.as_flattened());
        }
        for rows in ranges {
            let bytes = rows.start * ROW..rows.end * ROW;
            self.copy[bytes.clone()].copy_from_slice(&column[bytes]);
        }
    }
}

/// Returns the rows in order, as ranges merged over gaps of at most `max_gap` rows.
fn merged_ranges(mut rows: Vec<usize>, max_gap: usize) -> Vec<Range<usize>> {
    rows.sort_unstable();
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for row in rows {
        match ranges.last_mut() {
            Some(last) if row <= last.end + max_gap => last.end = row + 1,
            _ => ranges.push(row..row + 1),
        }
    }
    ranges
}

impl<'a> ReaderChanges<'a> {
    fn of_owner(graph: &'a Graph) -> Self {
        Self { changed: graph.changed(), shown: graph.shown_changed(), removed: graph.removed() }
    }

    /// Checks that the reader gets exactly its unread changes, each node once.
    fn compare(&self, reader: usize, removals: usize, model: &Model, ids: &[NodeId]) -> Result<()> {
        let sorted = |mut nodes: Vec<NodeId>| {
            nodes.sort_unstable();
            nodes
        };
        let ids_of =
            |keys: &mut dyn Iterator<Item = Key>| sorted(keys.map(|key| ids[key]).collect());
        let changed = sorted(self.changed.clone().collect());
        ensure_eq("nodes changed", changed, ids_of(&mut model.changed_unread(reader)))?;
        let shown = sorted(self.shown.clone().collect());
        ensure_eq("nodes whose shown changed", shown, ids_of(&mut model.shown_unread(reader)))?;
        let removed = model.dead()[removals..].iter().map(|&key| ids[key]);
        ensure("all removed nodes are listed, in order", removed.eq(self.removed.iter().copied()))
    }
}

impl Pair {
    /// Lets a reader read all its unread changes, and compares them.
    pub(super) fn read(&mut self, reader: usize, max_gap: usize) -> Result<Effect> {
        let expected = merged_ranges(self.rows_changed(reader), max_gap);
        let this = &mut self.readers[reader];
        let changes = this.read(&self.graph)?;
        changes.compare(reader, this.removals, &self.model, &self.ids)?;
        let mut ranges = Vec::new();
        changes.changed.ranges(max_gap, &mut ranges);
        ensure_eq(format_args!("ranges over gaps of {max_gap}"), &ranges, &expected)?;
        this.apply_ranges(self.graph.world_bytes(), ranges);
        ensure("the copy equals the column", this.copy == self.graph.world_bytes())?;

        this.removals = self.model.dead().len();
        self.model.mark_read(reader);
        if reader == OWNER {
            self.graph.clear_changes();
        }
        let again = self.readers[reader].read(&self.graph)?;
        let remaining = (again.changed.count(), again.shown.count(), again.removed.len());
        ensure_eq("changes remaining after reading", remaining, (0, 0, 0))?;
        Ok(Effect::None)
    }

    /// Returns the rows that were written since a reader last read, including those
    /// of removed nodes.
    fn rows_changed(&self, reader: usize) -> Vec<usize> {
        let removed = self.model.changed_then_removed(reader, self.readers[reader].removals);
        let changed = self.model.changed_unread(reader).chain(removed);
        changed.map(|key| self.ids[key].index()).collect()
    }

    /// Compares the changes for the owner, without clearing them.
    pub(super) fn compare_owner(&self) -> Result<()> {
        let changes = ReaderChanges::of_owner(&self.graph);
        changes.compare(OWNER, self.readers[OWNER].removals, &self.model, &self.ids)?;
        self.compare_order(changes.changed)
    }

    /// Checks that nodes that are up to date are listed after their parents.
    fn compare_order(&self, changed: ChangedNodes<'_>) -> Result<()> {
        let mut position = vec![None; self.graph.flags().len()];
        for (index, node) in changed.enumerate() {
            position[node.index()] = Some(index);
        }
        for &key in self.model.live() {
            let Some(parent) = self.model.node(key).parent else { continue };
            let [of_node, of_parent] = [key, parent].map(|key| position[self.ids[key].index()]);
            let is_right = of_node.is_none() || of_parent < of_node || self.model.is_dirty(key);
            ensure(format_args!("{} is listed after its parent", self.ids[key]), is_right)?;
        }
        Ok(())
    }

    pub(super) fn replace_reader(&mut self, reader: usize) -> Result<Effect> {
        self.readers[reader] = Reader {
            change_reader: Some(self.graph.change_reader()),
            copy: self.graph.world_bytes().to_vec(),
            removals: self.model.dead().len(),
        };
        self.model.mark_read(reader);
        Ok(Effect::None)
    }

    pub(super) fn check_other_graph_is_rejected(&mut self, other: &Graph) -> Result<()> {
        for change_reader in
            self.readers.iter_mut().filter_map(|reader| reader.change_reader.as_mut())
        {
            let error = change_reader.read(other).err();
            ensure_eq("reading another graph", error, Some(Error::ForeignChangeReader))?;
        }
        Ok(())
    }

    /// Lets readers that are far behind read.
    pub(super) fn read_before_overflow(&mut self) -> Result<()> {
        for reader in 0..READERS {
            if self.model.dead().len() - self.readers[reader].removals > MAX_UNREAD {
                self.read(reader, 0)?;
            }
        }
        Ok(())
    }
}
