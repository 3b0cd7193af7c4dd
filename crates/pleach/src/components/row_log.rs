//! `RowLog`: which rows of a table were inserted, changed or removed, for several readers at their
//! own pace.
//!
//! Time is divided into epochs: a read ends the current one, and a reader's position is the first
//! epoch that it has not read. The first write to a row in an epoch appends an entry, which records
//! whether the node had a row before; further writes in the epoch cost a comparison. What a reader
//! at position `p` lists follows from its first entry of a node: whether there was a row at `p` is
//! in that entry, whether there is one now is in the table. That entry is found without any state
//! per reader: each entry has the epoch of the node's previous entry, so it is the first one exactly
//! if `previous < p <= epoch`.
//!
//! An entry is superseded by the node's next one if both record the same: any reader can use the
//! later one. So a row that is written in each epoch has one entry, however far behind readers are.
//! Superseded entries, and entries that are the first one of no reader, are dropped from time to
//! time. That changes no list and no order.
//!
//! Invariants: the epochs of the entries ascend. A reader has at most one first entry per node, and
//! has one if the row was inserted, changed or removed since it last read, unless there was no row
//! then and is none now. There are at most twice as many entries as there are rows, or as were needed
//! when some were last dropped, plus a constant and one per reader. Needed is at most one per reader
//! and row that the reader knows or that exists.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Weak};

use pleach_graph::{Graph, NodeId, NodeMap};

/// No entry.
const NONE: u32 = u32::MAX;
/// `Entry::previous` of an entry that is superseded: it is the first one of no reader.
const SUPERSEDED: u64 = u64::MAX;
/// The position of a reader that was dropped.
const READ_ALL: u64 = u64::MAX;

/// The number of entries, in addition to two per row, below which dropping some does not pay off.
const SLACK: usize = 64;
/// The minimum number of entries between two looks at the readers.
const MIN_LOOK: usize = 64;
/// The minimum of `RowLog::prune_at`.
const MIN_PRUNE_AT: usize = 16;

#[derive(Clone, Copy, Debug)]
struct Entry {
    node: NodeId,
    /// Twice the epoch, plus one if the node had a row.
    epoch_and_had_row: u64,
    /// The epoch of the node's previous entry, 0 if there is none, or `SUPERSEDED`.
    previous: u64,
}

impl Entry {
    #[inline]
    fn new(node: NodeId, epoch: u64, previous: u64, had_row: bool) -> Self {
        Self { node, epoch_and_had_row: 2 * epoch + u64::from(had_row), previous }
    }

    #[inline]
    fn epoch(&self) -> u64 {
        self.epoch_and_had_row / 2
    }

    #[inline]
    fn had_row(&self) -> bool {
        self.epoch_and_had_row % 2 == 1
    }
}

#[derive(Debug)]
pub(super) struct RowLog {
    entries: Vec<Entry>,
    /// By slot: the index of the latest entry of its latest node; or anything that is not the index
    /// of an entry of the slot, such as what is left when the entries are cleared.
    latest: Vec<u32>,
    /// The current epoch, unless a reader ended it.
    epoch: u64,
    /// The position of the owner of the scene.
    owner: u64,
    /// The positions of all readers, and of some that were dropped.
    readers: Vec<Weak<AtomicU64>>,
    /// The number of readers at which those that were dropped are removed.
    prune_at: usize,
    /// Shared with the readers, by which they are recognized; created with the first.
    shared: Option<Arc<Shared>>,
    /// The number of entries at which the readers are looked at.
    look_at: usize,
    /// The number of entries at which those that are not needed are dropped.
    compact_at: usize,
    /// A buffer for `sorted_positions`.
    positions: Vec<u64>,
}

/// The data that a table shares with its readers. Atomic only because a reader ends an epoch while it borrows
/// the table.
#[derive(Debug)]
pub(super) struct Shared {
    /// The first epoch that no reader has read.
    epoch: AtomicU64,
}

/// A position in the log of one table, tracked by it.
#[derive(Debug)]
pub(super) struct Reader {
    position: Arc<AtomicU64>,
    shared: Arc<Shared>,
}

impl RowLog {
    pub(super) const fn new() -> Self {
        Self {
            entries: Vec::new(),
            latest: Vec::new(),
            epoch: 1,
            owner: 1,
            readers: Vec::new(),
            prune_at: MIN_PRUNE_AT,
            shared: None,
            look_at: MIN_LOOK,
            compact_at: 0,
            positions: Vec::new(),
        }
    }

    /// Records that the row of `node` is about to be inserted (`had_row` is `false`), changed or
    /// removed. `rows` are those before.
    #[inline]
    pub(super) fn record<T>(&mut self, rows: &NodeMap<T>, node: NodeId, had_row: bool) {
        if let Some(shared) = &self.shared {
            self.epoch = self.epoch.max(shared.epoch.load(Relaxed));
        }
        let mut latest = self.latest_of(node);
        if latest.is_some_and(|(_, entry)| entry.epoch() == self.epoch) {
            return;
        }
        if self.entries.len() >= self.look_at {
            self.make_room(rows.len(), &|node| rows.node_at(node.index()) == Some(node));
            latest = self.latest_of(node);
        }
        let mut previous = 0;
        if let Some((index, entry)) = latest {
            previous = entry.epoch();
            if entry.had_row() == had_row {
                previous = core::mem::replace(&mut self.entries[index].previous, SUPERSEDED);
            }
        }
        if node.index() >= self.latest.len() {
            self.latest.resize(node.index() + 1, NONE);
        }
        self.latest[node.index()] = self.entries.len() as u32;
        self.entries.push(Entry::new(node, self.epoch, previous, had_row));
    }

    #[inline]
    fn latest_of(&self, node: NodeId) -> Option<(usize, Entry)> {
        let index = *self.latest.get(node.index())? as usize;
        let entry = *self.entries.get(index)?;
        (entry.node == node).then_some((index, entry))
    }

    /// Forgets `node`, whose row was recorded and removed just now, if the row was also inserted in
    /// this epoch, and no reader has seen an earlier one.
    pub(super) fn forget_new(&mut self, node: NodeId) {
        let Some((index, entry)) = self.latest_of(node) else { return };
        if entry.had_row() || entry.previous != 0 || entry.epoch() != self.epoch {
            return;
        }
        self.latest[node.index()] = NONE;
        if index + 1 == self.entries.len() {
            self.entries.pop();
        } else {
            self.entries[index].previous = SUPERSEDED;
        }
    }

    /// Reserves capacity for at least `additional` more entries.
    pub(super) fn reserve(&mut self, additional: usize) {
        self.entries.reserve(additional);
    }

    /// Iterates over the nodes that were recorded since `position`, each once, with whether it had a
    /// row then.
    pub(super) fn since(&self, position: u64) -> impl Iterator<Item = (NodeId, bool)> + Clone + '_ {
        let first = self.entries.partition_point(|entry| entry.epoch() < position);
        let unread = self.entries[first..].iter().filter(move |entry| entry.previous < position);
        unread.map(|entry| (entry.node, entry.had_row()))
    }

    /// Iterates over what the owner has not cleared; otherwise like `since`.
    pub(super) fn since_clear(&self) -> impl Iterator<Item = (NodeId, bool)> + Clone + '_ {
        self.since(self.owner)
    }

    /// Returns the epoch after all entries.
    fn end(&self) -> u64 {
        let end = self.entries.last().map_or(1, |entry| entry.epoch() + 1);
        end.max(self.epoch)
    }

    /// Moves the owner to the end.
    pub(super) fn clear(&mut self) {
        self.epoch = self.end();
        self.owner = self.epoch;
        if self.readers.is_empty() {
            // As many entries are likely until the next clear.
            self.compact_at = self.compact_at.min(2 * self.entries.len());
            self.look_at = MIN_LOOK;
            self.entries.clear();
        }
    }

    // ---- readers ----

    pub(super) fn add_reader(&mut self) -> Reader {
        self.epoch = self.end();
        let position = Arc::new(AtomicU64::new(self.epoch));
        if self.readers.len() >= self.prune_at {
            self.prune_readers();
        }
        self.readers.push(Arc::downgrade(&position));
        let new = || Arc::new(Shared { epoch: AtomicU64::new(0) });
        Reader { position, shared: Arc::clone(self.shared.get_or_insert_with(new)) }
    }

    /// Moves `reader` to the end and returns the position that it had, or `None` if it belongs to
    /// another table.
    pub(super) fn read(&self, reader: &mut Reader) -> Option<u64> {
        let shared = self.shared.as_ref().filter(|ours| Arc::ptr_eq(ours, &reader.shared))?;
        let end = self.end();
        shared.epoch.fetch_max(end, Relaxed);
        Some(reader.position.swap(end, Relaxed))
    }

    /// Removes readers that were dropped.
    fn prune_readers(&mut self) {
        self.readers.retain(|reader| reader.strong_count() > 0);
        self.prune_at = MIN_PRUNE_AT.max(2 * self.readers.len());
    }

    // ---- memory ----

    /// Drops entries that no reader needs, if there may be many. `rows` is the number of rows.
    #[cold]
    fn make_room(&mut self, rows: usize, has_row: &dyn Fn(NodeId) -> bool) {
        let positions = self.sorted_positions();
        if self.entries.last().is_some_and(|entry| entry.epoch() < positions[0]) {
            self.entries.clear();
        }
        if self.entries.len() >= self.compact_at.max(2 * rows + SLACK) {
            self.compact(&positions, has_row);
            self.compact_at = 2 * self.entries.len();
        }
        // At least as many entries as readers, so that looking at these costs little.
        self.look_at = self.entries.len() + MIN_LOOK.max(self.readers.len());
        self.positions = positions;
    }

    /// Returns the positions of the owner and all readers, in the buffer for them.
    fn sorted_positions(&mut self) -> Vec<u64> {
        self.prune_readers();
        let mut positions = core::mem::take(&mut self.positions);
        positions.clear();
        positions.push(self.owner);
        // Another thread may drop a reader at any time.
        let position = |reader: &Weak<AtomicU64>| Some(reader.upgrade()?.load(Relaxed));
        positions.extend(self.readers.iter().map(|reader| position(reader).unwrap_or(READ_ALL)));
        positions.sort_unstable();
        positions
    }

    /// Drops entries that are not the first one of any of the positions, which ascend; and the last
    /// remaining entry of a node if there was no row before it and is none now: a later entry of the
    /// node then takes its part.
    fn compact(&mut self, positions: &[u64], has_row: &dyn Fn(NodeId) -> bool) {
        let Self { entries, latest, .. } = self;
        for entry in &*entries {
            latest[entry.node.index()] = NONE;
        }
        for index in (0..entries.len()).rev() {
            let entry = entries[index];
            let slot = entry.node.index();
            let reader = positions.partition_point(|&position| position <= entry.previous);
            let is_needed =
                positions.get(reader).is_some_and(|&position| position <= entry.epoch());
            // An earlier node of the slot is dead, so it has no later entry that could be hidden.
            let later = entries.get(latest[slot] as usize);
            let is_last = later.is_none_or(|later| later.node != entry.node);
            if !is_needed || is_last && !entry.had_row() && !has_row(entry.node) {
                entries[index].previous = SUPERSEDED;
            } else if latest[slot] == NONE {
                latest[slot] = index as u32;
            }
        }
        entries.retain(|entry| entry.previous != SUPERSEDED);
        for (index, entry) in entries.iter().enumerate() {
            latest[entry.node.index()] = index as u32;
        }
    }

    /// Returns the nodes whose entries are inconsistent: out of order, two for the same reader, or not
    /// found by slot. For `Scene::check`.
    pub(super) fn problems(&self, graph: &Graph) -> Vec<NodeId> {
        let mut problems = Vec::new();
        let mut last: BTreeMap<NodeId, usize> = BTreeMap::new();
        let mut epoch = 0;
        for (index, entry) in self.entries.iter().enumerate() {
            let is_ordered = epoch <= entry.epoch();
            epoch = entry.epoch();
            let earlier = if entry.previous == SUPERSEDED {
                None
            } else {
                last.insert(entry.node, index).map(|earlier| self.entries[earlier].epoch())
            };
            if !is_ordered || earlier.is_some_and(|earlier| entry.previous < earlier) {
                problems.push(entry.node);
            }
        }
        let latest = |node| self.latest_of(node).map(|latest| latest.0);
        let is_lost =
            |&(node, index): &(NodeId, usize)| graph.contains(node) && latest(node) != Some(index);
        problems.extend(last.into_iter().filter(is_lost).map(|(node, _)| node));
        problems
    }
}

impl Clone for RowLog {
    /// The clone keeps what its owner has not cleared yet; readers stay with the original.
    fn clone(&self) -> Self {
        Self {
            entries: self.entries.clone(),
            latest: self.latest.clone(),
            epoch: self.end(),
            owner: self.owner,
            readers: Vec::new(),
            prune_at: MIN_PRUNE_AT,
            shared: None,
            look_at: 0,
            compact_at: 0,
            positions: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use pleach_graph::Transform;
    use testkit::{Effort, Rng};

    use super::*;

    /// The nodes with a row when a reader last read, and those written since.
    #[derive(Clone, Default)]
    struct Unread {
        known: BTreeSet<NodeId>,
        written: BTreeSet<NodeId>,
    }

    impl Unread {
        fn compare(&mut self, log: &RowLog, position: u64, rows: &NodeMap<()>) {
            let mut listed = [const { BTreeSet::new() }; 3];
            for (node, had_row) in log.since(position) {
                let has_row = rows.node_at(node.index()) == Some(node);
                let list = match (had_row, has_row) {
                    (false, true) => 0,
                    (true, true) => 1,
                    (true, false) => 2,
                    (false, false) => continue,
                };
                assert!(listed[list].insert(node), "{node} is listed twice");
            }
            let now: BTreeSet<NodeId> = rows.rows().map(|(node, ())| node).collect();
            let both: BTreeSet<NodeId> = self.known.intersection(&now).copied().collect();
            let changed = both.intersection(&self.written).copied().collect();
            assert_eq!(listed[0], &now - &self.known, "inserted");
            assert_eq!(listed[1], changed, "changed");
            assert_eq!(listed[2], &self.known - &now, "removed");
            *self = Self { known: now, written: BTreeSet::new() };
        }
    }

    /// Entries are dropped after every edit, rarely, or as in use: no list depends on it.
    #[test]
    fn every_reader_sees_the_difference_at_its_own_pace_whatever_is_dropped() {
        for drop_one_in in [1, 20, usize::MAX] {
            let mut rng = Rng::from_env(13);
            let mut graph = Graph::new();
            let mut nodes: Vec<NodeId> =
                (0..8).map(|_| graph.add_root(Transform::IDENTITY).unwrap()).collect();
            let (mut log, mut rows) = (RowLog::new(), NodeMap::new());
            let mut readers: Vec<(Reader, Unread)> = vec![];
            let mut owner = Unread::default();
            for _ in 0..Effort::pick(20_000, 200_000) {
                let index = rng.below(nodes.len());
                let node = nodes[index];
                let has_row = rows.get(&graph, node).is_some();
                match rng.below(8) {
                    0 | 1 => {
                        log.record(&rows, node, has_row);
                        rows.insert(&graph, node, ()).unwrap();
                        owner.written.insert(node);
                        readers.iter_mut().for_each(|(_, unread)| _ = unread.written.insert(node));
                    }
                    2 | 3 if has_row => {
                        log.record(&rows, node, true);
                        rows.remove(node);
                        log.forget_new(node);
                    }
                    4 if rng.one_in(4) => {
                        if has_row {
                            log.record(&rows, node, true);
                            rows.remove(node);
                            log.forget_new(node);
                        }
                        graph.remove(node).unwrap();
                        nodes[index] = graph.add_root(Transform::IDENTITY).unwrap();
                    }
                    5 if rng.one_in(20) => {
                        owner.compare(&log, log.owner, &rows);
                        log.clear();
                    }
                    6 if rng.one_in(10) && readers.len() < 6 => {
                        let known = rows.rows().map(|(node, ())| node).collect();
                        readers.push((log.add_reader(), Unread { known, ..Unread::default() }));
                    }
                    6 if rng.one_in(30) && !readers.is_empty() => {
                        readers.swap_remove(rng.below(readers.len()));
                    }
                    7 if !readers.is_empty() => {
                        // The first reads often, the last hardly ever.
                        let at = rng.below(readers.len());
                        if rng.one_in(1 << (2 * at)) {
                            let (reader, unread) = &mut readers[at];
                            let position = log.read(reader).unwrap();
                            unread.compare(&log, position, &rows);
                        }
                    }
                    _ => {}
                }
                if drop_one_in < usize::MAX && rng.one_in(drop_one_in) {
                    let positions = log.sorted_positions();
                    log.compact(&positions, &|node| rows.node_at(node.index()) == Some(node));
                    log.positions = positions;
                    assert_eq!(log.problems(&graph), []);
                    // Each is the first one of a reader, and lists something or precedes one that
                    // does.
                    assert!(log.entries.len() <= 16 * (readers.len() + 1), "{}", log.entries.len());
                }
                assert!(log.entries.len() <= 2 * 16 * (readers.len() + 1) + SLACK + MIN_LOOK);
            }
            assert_eq!(log.problems(&graph), []);
        }
    }

    #[test]
    fn inconsistent_entries_are_reported() {
        let mut graph = Graph::new();
        let node = graph.add_root(Transform::IDENTITY).unwrap();
        let (mut log, rows) = (RowLog::new(), NodeMap::<()>::new());
        let _reader = log.add_reader();
        log.record(&rows, node, false);
        log.clear();
        log.record(&rows, node, true);
        assert_eq!(log.problems(&graph), []);

        let mut twice = log.clone();
        twice.entries[1].previous = 0;
        assert_eq!(twice.problems(&graph), [node], "two entries for one reader");
        let mut unordered = log.clone();
        unordered.entries[0].epoch_and_had_row = 20;
        assert_eq!(unordered.problems(&graph), [node]);
        let mut lost = log.clone();
        lost.latest[node.index()] = NONE;
        assert_eq!(lost.problems(&graph), [node]);
    }

    #[test]
    fn dropped_readers_are_forgotten() {
        let mut log = RowLog::new();
        for _ in 0..1000 {
            drop(log.add_reader());
        }
        assert!(log.readers.len() <= MIN_PRUNE_AT, "{}", log.readers.len());
    }
}
