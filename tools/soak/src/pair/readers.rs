//! Readers of changes, each at its own pace: the graph's owner and some feeds.
//!
//! Each keeps a copy of the world column, as a GPU would, and brings it up to
//! date with the ranges it is told.

use core::ops::Range;

use pleach_graph::{ChangeReader, ChangedNodes, Error, Graph, NodeId};
use testkit::matrix::IDENTITY;
use testkit::naive::Key;

use super::{Done, Pair};
use crate::difference::{Difference, holds, same};
use crate::model::Model;

/// The owner and the feeds.
pub(super) const READERS: usize = 4;
/// The owner's number.
pub(super) const OWNER: usize = 0;
/// The feeds' numbers.
pub(super) const FEEDS: Range<usize> = 1..READERS;

/// How many removals a reader may leave unread here. With more than 65 536 the
/// graph may leave some out; `feeds.rs` of pleach-graph's tests is about that.
const MOST_UNREAD: usize = 50_000;
/// The bytes of a row of the world column.
const ROW: usize = 64;

#[derive(Debug, Default)]
pub(super) struct Reader {
    /// `None` for the owner.
    feed: Option<ChangeReader>,
    /// The world column when last read.
    copy: Vec<u8>,
    /// How many removals it has seen.
    removals: usize,
}

pub(super) fn of(graph: &mut Graph) -> [Reader; READERS] {
    core::array::from_fn(|reader| Reader {
        feed: FEEDS.contains(&reader).then(|| graph.change_reader()),
        ..Reader::default()
    })
}

/// What a reader is told.
struct Told<'a> {
    moved: ChangedNodes<'a>,
    shown: ChangedNodes<'a>,
    removed: &'a [NodeId],
}

impl Reader {
    /// Lets a feed read; looks at what the owner has yet to clear.
    fn ask<'a>(&mut self, graph: &'a Graph) -> Result<Told<'a>, Difference> {
        let Some(feed) = &mut self.feed else { return Ok(Told::to_owner(graph)) };
        let changes = feed.read(graph).map_err(Difference::new)?;
        let (moved, shown, removed) =
            (changes.changed(), changes.shown_changed(), changes.removed());
        Ok(Told { moved, shown, removed })
    }

    /// Brings the copy of the world column up to date.
    fn replay(&mut self, column: &[u8], ranges: Vec<Range<usize>>) {
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

/// The rows in order, as ranges joined over gaps of at most `max_gap` rows.
fn joined(mut rows: Vec<usize>, max_gap: usize) -> Vec<Range<usize>> {
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

impl<'a> Told<'a> {
    fn to_owner(graph: &'a Graph) -> Self {
        Self { moved: graph.changed(), shown: graph.shown_changed(), removed: graph.removed() }
    }

    /// Is it told what it has yet to see, each node once, and nothing else?
    fn compare(
        &self,
        reader: usize,
        removals: usize,
        model: &Model,
        ids: &[NodeId],
    ) -> Result<(), Difference> {
        let sorted = |mut nodes: Vec<NodeId>| {
            nodes.sort_unstable();
            nodes
        };
        let named =
            |keys: &mut dyn Iterator<Item = Key>| sorted(keys.map(|key| ids[key]).collect());
        let moved = sorted(self.moved.clone().collect());
        same("nodes moved", moved, named(&mut model.moved_unseen(reader)))?;
        let shown = sorted(self.shown.clone().collect());
        same("nodes whose shown changed", shown, named(&mut model.shown_unseen(reader)))?;
        let removed = model.dead()[removals..].iter().map(|&key| ids[key]);
        holds("all that was removed is told, in order", removed.eq(self.removed.iter().copied()))
    }
}

impl Pair {
    /// Lets a reader read all it has yet to see, and compares that.
    pub(super) fn read(&mut self, reader: usize, max_gap: usize) -> Result<Done, Difference> {
        let expected = joined(self.rows_rewritten(reader), max_gap);
        let this = &mut self.readers[reader];
        let told = this.ask(&self.graph)?;
        told.compare(reader, this.removals, &self.model, &self.ids)?;
        let mut ranges = Vec::new();
        told.moved.ranges(max_gap, &mut ranges);
        same(format_args!("ranges over gaps of {max_gap}"), &ranges, &expected)?;
        this.replay(self.graph.world_bytes(), ranges);
        holds("the copy is the column", this.copy == self.graph.world_bytes())?;

        this.removals = self.model.dead().len();
        self.model.seen(reader);
        if reader == OWNER {
            self.graph.clear_changes();
        }
        let again = self.readers[reader].ask(&self.graph)?;
        let left = (again.moved.count(), again.shown.count(), again.removed.len());
        same("changes left after reading", left, (0, 0, 0))?;
        Ok(Done::Nothing)
    }

    /// The rows that were rewritten since a reader last read, also those of nodes
    /// that died.
    fn rows_rewritten(&self, reader: usize) -> Vec<usize> {
        let died = self.model.moved_and_died(reader, self.readers[reader].removals);
        let rewritten = self.model.moved_unseen(reader).chain(died);
        rewritten.map(|key| self.ids[key].index()).collect()
    }

    /// Compares what the owner is told, and leaves it there.
    pub(super) fn compare_owner(&self) -> Result<(), Difference> {
        let told = Told::to_owner(&self.graph);
        told.compare(OWNER, self.readers[OWNER].removals, &self.model, &self.ids)?;
        self.compare_order(told.moved)
    }

    /// Nodes that are up to date are listed after their parents.
    fn compare_order(&self, moved: ChangedNodes<'_>) -> Result<(), Difference> {
        let mut place = vec![None; self.graph.flags().len()];
        for (index, node) in moved.enumerate() {
            place[node.index()] = Some(index);
        }
        for &key in self.model.living() {
            let Some(parent) = self.model.node(key).parent else { continue };
            let [of_node, of_parent] = [key, parent].map(|key| place[self.ids[key].index()]);
            let is_right = of_node.is_none() || of_parent < of_node || self.model.is_dirty(key);
            holds(format_args!("{} is listed after its parent", self.ids[key]), is_right)?;
        }
        Ok(())
    }

    pub(super) fn resubscribe(&mut self, reader: usize) -> Result<Done, Difference> {
        self.readers[reader] = Reader {
            feed: Some(self.graph.change_reader()),
            copy: self.graph.world_bytes().to_vec(),
            removals: self.model.dead().len(),
        };
        self.model.seen(reader);
        Ok(Done::Nothing)
    }

    pub(super) fn refuse_foreign_feeds(&mut self, other: &Graph) -> Result<(), Difference> {
        for feed in self.readers.iter_mut().filter_map(|reader| reader.feed.as_mut()) {
            let refused = feed.read(other).err();
            same("reading another graph", refused, Some(Error::ForeignChangeReader))?;
        }
        Ok(())
    }

    /// Lets readers that lag far behind read.
    pub(super) fn read_removals_in_time(&mut self) -> Result<(), Difference> {
        for reader in 0..READERS {
            if self.model.dead().len() - self.readers[reader].removals > MOST_UNREAD {
                self.read(reader, 0)?;
            }
        }
        Ok(())
    }
}
