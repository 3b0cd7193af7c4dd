//! `ChangedNodes`: the nodes of a log, as an iterator or as ranges of rows.

use alloc::vec::Vec;
use core::ops::Range;

use super::log::Entries;
use crate::{Graph, NodeId};

/// An iterator over the nodes in a list of changes.
///
/// Guarantees: each node is alive and is returned once; the order is that of the
/// latest change and depends only on the calls made so far.
#[derive(Clone)]
pub struct ChangedNodes<'a> {
    pub(super) entries: Entries<'a>,
    pub(super) graph: &'a Graph,
    /// Skips slots whose node is dead, also while a new node in the slot awaits its
    /// first update: they are listed only for their rows.
    pub(super) updated_only: bool,
}

impl core::fmt::Debug for ChangedNodes<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

impl Iterator for ChangedNodes<'_> {
    type Item = NodeId;

    #[inline]
    fn next(&mut self) -> Option<NodeId> {
        let Self { entries, graph, updated_only } = self;
        let slot =
            entries.find(|&slot| !*updated_only || graph.flags[slot as usize].is_updated())?;
        Some(graph.slots.live_id(slot))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.entries.size_hint()
    }
}

impl ChangedNodes<'_> {
    /// Writes the listed nodes to `out` as ascending ranges of rows of the columns,
    /// for the upload of [`Graph::world_matrices`] to a GPU. Rows of nodes that
    /// were computed and then removed are included. Replaces the content of `out`.
    ///
    /// Ranges whose gap is at most `max_gap` rows are merged; 0 merges only
    /// adjacent rows, and uploads nothing that did not change.
    ///
    /// Copying these rows to a copy of the column as of the last clear (or the last
    /// read) makes it equal to the column bit for bit; rows beyond its end must
    /// first be filled with the identity.
    ///
    /// ```
    /// use pleach_graph::{Graph, Transform};
    ///
    /// let mut graph = Graph::new();
    /// let nodes: Vec<_> = (0..6).map(|_| graph.add_root(Transform::IDENTITY).unwrap()).collect();
    /// graph.update();
    /// graph.clear_changes();
    ///
    /// for i in [5, 1, 2] {
    ///     graph.node_mut(nodes[i])?.set_transform(Transform::from_xyz(1.0, 0.0, 0.0))?;
    /// }
    /// graph.update();
    /// let mut ranges = Vec::new();
    /// graph.changed().ranges(0, &mut ranges);
    /// assert_eq!(ranges, [1..3, 5..6]);
    /// graph.changed().ranges(2, &mut ranges);
    /// assert_eq!(ranges, [1..6]);
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    pub fn ranges(self, max_gap: usize, out: &mut Vec<Range<usize>>) {
        out.clear();
        let max_len = self.entries.size_hint().1.unwrap_or(0);
        // Many rows: mark them in a bit set, whose cost is the length of the
        // column. Few rows: sort them.
        if max_len >= self.graph.slots.len() / 16 {
            let mut marked = alloc::vec![0u64; self.graph.slots.len().div_ceil(64)];
            for slot in self.entries {
                marked[slot as usize / 64] |= 1 << (slot % 64);
            }
            for (index, &word) in marked.iter().enumerate() {
                let mut word = word;
                while word != 0 {
                    push_row(index * 64 + word.trailing_zeros() as usize, max_gap, out);
                    word &= word - 1;
                }
            }
        } else {
            let mut rows: Vec<u32> = self.entries.collect();
            rows.sort_unstable();
            for row in rows {
                push_row(row as usize, max_gap, out);
            }
        }
    }
}

/// Appends a row, which must be after all ranges.
#[inline]
fn push_row(row: usize, max_gap: usize, out: &mut Vec<Range<usize>>) {
    match out.last_mut() {
        Some(range) if row - range.end <= max_gap => range.end = row + 1,
        _ => out.push(row..row + 1),
    }
}
