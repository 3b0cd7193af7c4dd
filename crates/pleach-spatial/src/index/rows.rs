//! Rows: the data of each node that has bounds.
//!
//! A row keeps its number until the rows are sorted: a removed row leaves a *hole*, which the next
//! node in the same slot reuses, or else any other new node. So a removal moves no other row, and
//! the tree need not know of it until a query uses the tree. The boxes for queries are stored in six
//! columns, enlarged by their slack (`shapes/slack.rs`) and padded to whole words of 64 rows, so that
//! SIMD loads need no remainder loop.
//!
//! Invariants: `row_of[slot]` is the row of the node in that slot, or the hole that its last node
//! left, if either exists. A row has a world box from its first sync on. It is *active* from the
//! first sync on at which it is attached, until it is detached; its columns then hold the enlarged
//! world box, otherwise a vacant box, which nothing intersects. Queries find active rows only.
//! `non_default` counts the rows that a default filter may reject because of a flag or a layer.
//! Unless `displaced` counts rows, the rows, holes included, are sorted by slot. Every write of a row
//! advances the version.

use std::collections::BTreeSet;

use glam::{Mat4, Vec3, Vec4};
use pleach_graph::NodeId;

use crate::index::version::IndexVersion;
use crate::kernel::prefetch::{prefetch_element, prefetch_start};
use crate::query::in_view::Mirrored;
use crate::shapes::slack::{FAR, MIN_SLACK, SLACK};
use crate::{Aabb, DEFAULT_LAYERS};

pub(crate) const NONE: u32 = u32::MAX;

/// Marks the row of a slot as a hole.
const HOLE: u32 = 1 << 31;

/// The number of changed rows ahead of which memory is prefetched.
const PREFETCH_DISTANCE: usize = 16;

/// The number of rows per word of bits.
pub(crate) const WORD: usize = 64;

/// Sixteen numbers of a column in one cache line: a wide load that spans two lines takes twice as
/// long.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct CacheLine(pub(crate) [f32; LINE]);

pub(crate) const LINE: usize = 16;

#[derive(Clone, Debug, Default)]
pub(crate) struct AlignedColumn(pub(crate) Vec<CacheLine>);

impl AlignedColumn {
    #[inline(always)]
    fn get(&self, row: usize) -> f32 {
        self.0[row / LINE].0[row % LINE]
    }

    #[inline(always)]
    fn set(&mut self, row: usize, value: f32) {
        self.0[row / LINE].0[row % LINE] = value;
    }

    /// Combines all numbers of the column by an associative and commutative `pick`.
    fn fold(&self, start: f32, pick: impl Fn(f32, f32) -> f32) -> f32 {
        let each = self
            .0
            .iter()
            .fold([start; LINE], |all, line| core::array::from_fn(|i| pick(all[i], line.0[i])));
        each.into_iter().fold(start, pick)
    }

    /// Resizes the column to `words` words.
    fn set_words(&mut self, words: usize, filler: f32) {
        self.0.resize(words * (WORD / LINE), CacheLine([filler; LINE]));
    }
}

/// The properties of a row that filters test.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RowFlags {
    pub(crate) layers: u32,
    pub(crate) shown: bool,
    /// The row has a world box.
    pub(crate) synced: bool,
    /// Queries find the row. Only rows with a world box are active.
    pub(crate) active: bool,
    /// The row is to stay inactive.
    pub(crate) detached: bool,
    /// The row is listed in every view, whatever its box.
    pub(crate) never_culled: bool,
    /// The bounds were set since the last sync.
    pub(crate) pending: bool,
    /// The local bounds are in world space: the node's transform is ignored.
    pub(crate) world_space: bool,
}

impl RowFlags {
    pub(crate) fn is_non_default(self) -> bool {
        self.layers != DEFAULT_LAYERS || !self.shown || !self.active
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    pub(crate) version: IndexVersion,
    /// By slot.
    row_of: Vec<u32>,
    /// The nodes; for a hole the last one.
    pub(crate) nodes: Vec<NodeId>,
    /// The nodes' slots: half the memory to read if all nodes have the same generation.
    slots: Vec<u32>,
    generation: Option<u32>,
    local: Vec<Aabb>,
    pub(crate) world: Vec<Aabb>,
    /// By row: if the world matrix mirrors.
    pub(crate) mirrored: Vec<Mirrored>,
    pub(crate) columns: [AlignedColumn; 6],
    flags: Vec<RowFlags>,
    /// The holes, and possibly rows that are none any more.
    holes: Vec<u32>,
    hole_count: usize,
    pub(crate) non_default: usize,
    /// The number of rows with the `detached` flag.
    pub(crate) detached: usize,
    /// The number of rows with the `active` flag.
    pub(crate) active: usize,
    /// The nodes with the `never_culled` flag, to find them without scanning all rows.
    pub(crate) never_culled: BTreeSet<NodeId>,
    /// The number of rows that were not inserted in the order of slots.
    pub(crate) displaced: usize,
}

impl Rows {
    /// Returns a clone for another index.
    pub(crate) fn clone_for_other(&self) -> Self {
        Self { version: IndexVersion::default(), ..self.clone() }
    }

    /// Returns the number of rows, holes excluded.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len() - self.hole_count
    }

    /// Returns the number of rows, holes included.
    pub(crate) fn count(&self) -> usize {
        self.nodes.len()
    }

    /// Returns the row of a node.
    #[inline]
    pub(crate) fn find(&self, node: NodeId) -> Option<usize> {
        let row = *self.row_of.get(node.index())?;
        (row < HOLE && self.nodes[row as usize] == node).then_some(row as usize)
    }

    /// Returns the row of the node in a slot.
    #[inline]
    pub(crate) fn at_slot(&self, slot: usize) -> Option<usize> {
        self.row_of.get(slot).filter(|&&row| row < HOLE).map(|&row| row as usize)
    }

    /// Returns `true` if the row is a hole.
    pub(crate) fn is_hole(&self, row: usize) -> bool {
        self.row_of[self.slots[row] as usize] != row as u32
    }

    /// Iterates over the nodes.
    pub(crate) fn iter_nodes(&self) -> IterNodes<'_> {
        IterNodes { rows: self, next: 0, left: self.len() }
    }

    /// Appends the nodes of some rows.
    pub(crate) fn append_nodes(&self, rows: &[u32], nodes: &mut Vec<NodeId>) {
        let node = |row: u32| self.nodes[row as usize];
        match self.generation {
            Some(generation) => nodes.extend(rows.iter().map(|&row| {
                let bits = u64::from(self.slots[row as usize]) << 32 | u64::from(generation);
                NodeId::from_bits(bits).unwrap_or_else(|| node(row))
            })),
            None => nodes.extend(rows.iter().map(|&row| node(row))),
        }
    }

    /// Returns `true` if the rows are sorted by the slots of their nodes.
    pub(crate) fn is_sorted(&self) -> bool {
        self.displaced == 0
    }

    /// Returns `true` if each row's index equals its node's slot.
    pub(crate) fn rows_equal_slots(&self) -> bool {
        self.is_sorted() && self.slots.last().is_none_or(|&last| last as usize + 1 == self.count())
    }

    /// Returns `true` if sorting the rows pays off: a quarter of them are displaced, or half of
    /// them are holes.
    pub(crate) fn need_sorting(&self) -> bool {
        4 * self.displaced > self.count() || 2 * self.hole_count > self.count().max(WORD)
    }

    /// Returns one more than the largest slot that ever had a row.
    pub(crate) fn slot_count(&self) -> usize {
        self.row_of.len()
    }

    #[inline]
    pub(crate) fn local(&self, row: usize) -> Aabb {
        self.local[row]
    }

    #[inline]
    pub(crate) fn flags(&self, row: usize) -> RowFlags {
        self.flags[row]
    }

    /// Prefetches what queries read of a row in a tree: its world box, its node and its flags.
    #[inline(always)]
    pub(crate) fn prefetch(&self, row: usize) {
        prefetch_element(&self.world, row);
        prefetch_element(&self.nodes, row);
        prefetch_element(&self.flags, row);
    }

    pub(crate) fn set_flags(&mut self, row: usize, flags: RowFlags) {
        self.version.advance();
        let old = core::mem::replace(&mut self.flags[row], flags);
        self.count_flags(old, flags);
        if flags.never_culled && !old.never_culled {
            self.never_culled.insert(self.nodes[row]);
        } else if old.never_culled && !flags.never_culled {
            self.never_culled.remove(&self.nodes[row]);
        }
        if old.active && !flags.active {
            self.vacate_columns(row);
        }
    }

    fn count_flags(&mut self, old: RowFlags, new: RowFlags) {
        self.non_default += usize::from(new.is_non_default());
        self.non_default -= usize::from(old.is_non_default());
        self.detached += usize::from(new.detached);
        self.detached -= usize::from(old.detached);
        self.active += usize::from(new.active);
        self.active -= usize::from(old.active);
    }

    /// Sets the local box of a row. Queries do not see it until the next sync.
    pub(crate) fn set_local(&mut self, row: usize, local: Aabb) {
        self.version.advance();
        self.local[row] = local;
    }

    fn vacate_columns(&mut self, row: usize) {
        for (i, column) in self.columns.iter_mut().enumerate() {
            column.set(row, vacant_bound(i));
        }
    }

    /// Reserves capacity for at least `additional` more rows.
    pub(crate) fn reserve(&mut self, additional: usize) {
        self.nodes.reserve(additional);
        self.slots.reserve(additional);
        self.local.reserve(additional);
        self.world.reserve(additional);
        self.mirrored.reserve(additional);
        self.flags.reserve(additional);
        let words = (self.count() + additional).div_ceil(WORD);
        for column in &mut self.columns {
            column.0.reserve((words * (WORD / LINE)).saturating_sub(column.0.len()));
        }
    }

    /// Inserts a row that is not active yet, and returns it. The slot must not have a row.
    pub(crate) fn insert(&mut self, node: NodeId, local: Aabb, shown: bool) -> usize {
        self.version.advance();
        let slot = node.index();
        if self.row_of.len() <= slot {
            self.row_of.resize(slot + 1, NONE);
        }
        debug_assert!(self.row_of[slot] >= HOLE, "the slot of {node} has a row");
        let row = match self.take_hole(slot) {
            Some(row) => row,
            None => self.push_vacant(node),
        };
        self.row_of[slot] = row as u32;
        if self.count() == 1 {
            self.generation = Some(node.generation());
        } else if self.generation != Some(node.generation()) {
            self.generation = None;
        }
        (self.nodes[row], self.slots[row]) = (node, slot as u32);
        (self.local[row], self.world[row]) = (local, Aabb::EMPTY);
        let flags = RowFlags { layers: DEFAULT_LAYERS, shown, ..RowFlags::default() };
        self.flags[row] = flags;
        self.non_default += usize::from(flags.is_non_default());
        row
    }

    /// Returns a hole that is none any more: that of the slot, which keeps the rows sorted, or
    /// else another one.
    fn take_hole(&mut self, slot: usize) -> Option<usize> {
        if self.hole_count == 0 {
            return None;
        }
        self.hole_count -= 1;
        if self.row_of[slot] != NONE {
            // It stays in the list of holes until it is taken from there.
            return Some((self.row_of[slot] & !HOLE) as usize);
        }
        let is_hole = |row: &u32| self.is_hole(*row as usize);
        let at = self.holes.iter().rposition(is_hole).expect("all holes are in the list");
        let row = self.holes[at];
        self.holes.truncate(at);
        self.row_of[self.slots[row as usize] as usize] = NONE;
        self.displaced += 1;
        Some(row as usize)
    }

    /// Appends a row with a vacant box.
    fn push_vacant(&mut self, node: NodeId) -> usize {
        let (row, slot) = (self.count(), node.index() as u32);
        self.displaced += usize::from(self.slots.last().is_some_and(|&last| last >= slot));
        self.slots.push(slot);
        self.nodes.push(node);
        self.local.push(Aabb::EMPTY);
        self.world.push(Aabb::EMPTY);
        self.mirrored.push(Mirrored::default());
        self.flags.push(RowFlags::default());
        if row % WORD == 0 {
            for (i, column) in self.columns.iter_mut().enumerate() {
                column.set_words(row / WORD + 1, vacant_bound(i));
            }
        }
        row
    }

    /// Removes a row, which becomes a hole.
    pub(crate) fn remove(&mut self, row: usize) {
        self.version.advance();
        let flags = self.flags[row];
        self.non_default -= usize::from(flags.is_non_default());
        self.detached -= usize::from(flags.detached);
        self.active -= usize::from(flags.active);
        if flags.never_culled {
            self.never_culled.remove(&self.nodes[row]);
        }
        self.flags[row] = RowFlags::default();
        self.world[row] = Aabb::EMPTY;
        self.vacate_columns(row);
        self.row_of[self.slots[row] as usize] = HOLE | row as u32;
        // Entries that are none any more are dropped before the list would outgrow the rows.
        if self.holes.len() >= self.count() {
            let (row_of, slots) = (&self.row_of, &self.slots);
            self.holes.retain(|&row| row_of[slots[row as usize] as usize] != row);
            self.holes.sort_unstable();
            self.holes.dedup();
        }
        self.holes.push(row as u32);
        self.hole_count += 1;
    }

    /// Computes the world box of an active row from the node's world matrix.
    pub(crate) fn update_world(&mut self, row: usize, matrix: &Mat4) {
        let is_tracked = !self.flags[row].world_space;
        self.mirrored[row].reset(is_tracked);
        self.version.advance();
        let (world, padded) = world_boxes(&self.local[row], matrix);
        self.world[row] = world;
        for (column, value) in self.columns.iter_mut().zip(padded) {
            column.set(row, value);
        }
    }

    /// Computes the world boxes of active rows from their nodes' world matrices, which are in the
    /// order of slots.
    pub(crate) fn update_worlds(&mut self, changed: &[u32], matrices: &[Mat4]) {
        if !changed.is_empty() {
            self.version.advance();
        }
        // All slices of a kind have the same length, so that one check of an index is enough.
        let (count, lines) = (self.count(), self.columns[0].0.len());
        let (slots, local) = (&self.slots[..count], &self.local[..count]);
        let mut boxes = WorldBoxes {
            world: &mut self.world[..count],
            mirrored: &mut self.mirrored[..count],
            columns: self.columns.each_mut().map(|column| &mut column.0[..lines]),
        };
        for (i, &row) in changed.iter().enumerate() {
            if let Some(&ahead) = changed.get(i + PREFETCH_DISTANCE) {
                let ahead = ahead as usize;
                prefetch_start(local, ahead);
                prefetch_start(boxes.world, ahead);
                prefetch_start(matrices, slots[ahead] as usize);
            }
            let row = row as usize;
            let (local, matrix) = (&local[row], &matrices[slots[row] as usize]);
            // Written in both cases, so that the usual one stays in registers.
            match near_world_boxes(local, matrix) {
                Some(computed) => boxes.set(row, computed),
                None => boxes.set(row, far_world_boxes(local, matrix)),
            }
        }
    }

    /// Computes the world box of a row that is not active from the node's world matrix.
    pub(crate) fn update_inactive_world(&mut self, row: usize, matrix: &Mat4) {
        self.version.advance();
        self.world[row] = self.local[row].transformed(matrix);
    }

    /// Returns the box in the columns: with slack for an active row, otherwise vacant.
    #[inline]
    pub(crate) fn padded_box(&self, row: usize) -> Aabb {
        let at = |column: usize| self.columns[column].get(row);
        Aabb { min: Vec3::new(at(0), at(1), at(2)), max: Vec3::new(at(3), at(4), at(5)) }
    }

    /// Returns the box around all active rows, slack included. O(n).
    pub(crate) fn padded_bounds(&self) -> Aabb {
        if self.active == 0 {
            return Aabb::EMPTY;
        }
        let min =
            |column: usize| self.columns[column].fold(f32::MAX, |a, b| if b < a { b } else { a });
        let max =
            |column: usize| self.columns[column].fold(-f32::MAX, |a, b| if b > a { b } else { a });
        Aabb { min: Vec3::new(min(0), min(1), min(2)), max: Vec3::new(max(3), max(4), max(5)) }
    }

    /// Returns the columns.
    pub(crate) fn column_slices(&self) -> [&[CacheLine]; 6] {
        self.columns.each_ref().map(|column| column.0.as_slice())
    }

    /// Iterates over the active rows.
    pub(crate) fn iter_active(&self) -> impl Iterator<Item = u32> {
        let rows = (0..self.count() as u32).zip(&self.flags);
        rows.filter(|(_, flags)| flags.active).map(|(row, _)| row)
    }

    /// Sorts the rows by slot and removes the holes, unless they are sorted without holes.
    pub(crate) fn sort_if_needed(&mut self) {
        if !self.is_sorted() || self.hole_count > 0 {
            self.sort();
        }
    }

    /// Sorts the rows by slot and removes the holes. Returns the old row by new row.
    pub(crate) fn sort(&mut self) -> Vec<u32> {
        self.version.advance();
        let order: Vec<u32> = self.row_of.iter().copied().filter(|&row| row < HOLE).collect();
        fn permuted<T: Clone>(values: &mut Vec<T>, order: &[u32]) {
            *values = order.iter().map(|&row| values[row as usize].clone()).collect();
        }
        permuted(&mut self.nodes, &order);
        permuted(&mut self.slots, &order);
        permuted(&mut self.local, &order);
        permuted(&mut self.world, &order);
        permuted(&mut self.mirrored, &order);
        permuted(&mut self.flags, &order);
        for (i, column) in self.columns.iter_mut().enumerate() {
            let old = core::mem::take(column);
            column.set_words(order.len().div_ceil(WORD), vacant_bound(i));
            for (row, &from) in order.iter().enumerate() {
                column.set(row, old.get(from as usize));
            }
        }
        self.row_of.fill(NONE);
        for (row, &slot) in self.slots.iter().enumerate() {
            self.row_of[slot as usize] = row as u32;
        }
        self.generation = self.nodes.first().map(|node| node.generation());
        if self.nodes.iter().any(|node| Some(node.generation()) != self.generation) {
            self.generation = None;
        }
        self.holes.clear();
        (self.hole_count, self.displaced) = (0, 0);
        order
    }
}

/// An iterator over the nodes of all rows.
#[derive(Clone, Debug)]
pub(crate) struct IterNodes<'a> {
    rows: &'a Rows,
    next: usize,
    left: usize,
}

impl Iterator for IterNodes<'_> {
    type Item = NodeId;

    fn next(&mut self) -> Option<NodeId> {
        self.left = self.left.checked_sub(1)?;
        while self.rows.is_hole(self.next) {
            self.next += 1;
        }
        self.next += 1;
        Some(self.rows.nodes[self.next - 1])
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for IterNodes<'_> {}

/// The columns that an update of moved rows writes.
struct WorldBoxes<'a> {
    world: &'a mut [Aabb],
    mirrored: &'a mut [Mirrored],
    columns: [&'a mut [CacheLine]; 6],
}

impl WorldBoxes<'_> {
    #[inline(always)]
    fn set(&mut self, row: usize, (world, padded): (Aabb, [f32; 6])) {
        self.world[row] = world;
        self.mirrored[row].reset(true);
        let [x, y, z, to_x, to_y, to_z] = &mut self.columns;
        let (line, lane) = (row / LINE, row % LINE);
        x[line].0[lane] = padded[0];
        y[line].0[lane] = padded[1];
        z[line].0[lane] = padded[2];
        to_x[line].0[lane] = padded[3];
        to_y[line].0[lane] = padded[4];
        to_z[line].0[lane] = padded[5];
    }
}

/// Returns the world box of a local box, and the numbers of its columns.
fn world_boxes(local: &Aabb, matrix: &Mat4) -> (Aabb, [f32; 6]) {
    near_world_boxes(local, matrix).unwrap_or_else(|| far_world_boxes(local, matrix))
}

/// Returns the world box of a local box, and the numbers of its columns, unless it is so far away that
/// its slack needs care.
#[inline(always)]
fn near_world_boxes(local: &Aabb, matrix: &Mat4) -> Option<(Aabb, [f32; 6])> {
    let (min, max) = local.transformed_corners(matrix);
    let size = (-min).max(max);
    // False for NaN. The fourth number is of no axis.
    if size.cmple(Vec4::splat(FAR)).bitmask() & 0b111 != 0b111 {
        return None;
    }
    // As `Aabb::with_slack`, but kept in registers.
    let slack = (size * SLACK).max(Vec4::splat(MIN_SLACK));
    let (low, high) = (min - slack, max + slack);
    let world = Aabb { min: min.truncate(), max: max.truncate() };
    Some((world, [low.x, low.y, low.z, high.x, high.y, high.z]))
}

#[cold]
#[inline(never)]
fn far_world_boxes(local: &Aabb, matrix: &Mat4) -> (Aabb, [f32; 6]) {
    let world = local.transformed(matrix);
    let Aabb { min, max } = world.with_slack();
    (world, [min.x, min.y, min.z, max.x, max.y, max.z])
}

/// Returns the value of a column for a row without a box.
fn vacant_bound(column: usize) -> f32 {
    if column < 3 { f32::MAX } else { -f32::MAX }
}
