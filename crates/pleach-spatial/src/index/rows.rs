//! Rows: the data of each node that has bounds.
//!
//! Dense columns; the last row is moved into the position of a removed row. The boxes for culling
//! are stored in six columns, enlarged by their slack (`shapes/slack.rs`) and padded to whole words
//! of 64 rows, so that SIMD loads need no remainder loop.
//!
//! Invariants: `row_of[slot]` is the row of the node in that slot, if it has one. A row has a world
//! box from its first sync on; until then its columns hold a vacant box, which no frustum contains. It
//! is in the tree from the first sync on at which it is attached, until it is detached. `non_default` counts the rows that a default filter may reject because of a
//! flag or a layer.

use std::collections::BTreeSet;

use glam::{Mat4, Vec3, Vec4};
use pleach_graph::NodeId;

use crate::shapes::slack::{FAR, MIN_SLACK, SLACK};
use crate::{Aabb, DEFAULT_LAYERS};

pub(crate) const NONE: u32 = u32::MAX;

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
    /// The row is in the tree. Only rows with a world box are.
    pub(crate) in_tree: bool,
    /// The row is to stay out of the tree.
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
        self.layers != DEFAULT_LAYERS || !self.shown || !self.in_tree
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    /// By slot.
    row_of: Vec<u32>,
    pub(crate) nodes: Vec<NodeId>,
    /// The nodes' slots: half the memory to read if all nodes have the same generation.
    slots: Vec<u32>,
    generation: Option<u32>,
    pub(crate) local: Vec<Aabb>,
    pub(crate) world: Vec<Aabb>,
    pub(crate) columns: [AlignedColumn; 6],
    flags: Vec<RowFlags>,
    pub(crate) non_default: usize,
    /// The number of rows with the `detached` flag.
    pub(crate) detached: usize,
    /// The nodes with the `never_culled` flag, to find them without scanning all rows.
    pub(crate) never_culled: BTreeSet<NodeId>,
    /// `true` if the rows are not sorted by the slots of their nodes.
    pub(crate) unsorted: bool,
}

impl Rows {
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns the row of a node.
    #[inline]
    pub(crate) fn find(&self, node: NodeId) -> Option<usize> {
        let row = *self.row_of.get(node.index())?;
        (row != NONE && self.nodes[row as usize] == node).then_some(row as usize)
    }

    /// Returns the row of the node in a slot.
    #[inline]
    pub(crate) fn at_slot(&self, slot: usize) -> Option<usize> {
        self.row_of.get(slot).filter(|&&row| row != NONE).map(|&row| row as usize)
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

    /// Returns `true` if each row's index equals its node's slot.
    pub(crate) fn rows_equal_slots(&self) -> bool {
        !self.unsorted && self.nodes.last().is_none_or(|last| last.index() + 1 == self.len())
    }

    /// Returns one more than the largest slot that ever had a row.
    pub(crate) fn slot_count(&self) -> usize {
        self.row_of.len()
    }

    pub(crate) fn flags(&self, row: usize) -> RowFlags {
        self.flags[row]
    }

    pub(crate) fn set_flags(&mut self, row: usize, flags: RowFlags) {
        let old = core::mem::replace(&mut self.flags[row], flags);
        self.non_default += usize::from(flags.is_non_default());
        self.non_default -= usize::from(old.is_non_default());
        self.detached += usize::from(flags.detached);
        self.detached -= usize::from(old.detached);
        if flags.never_culled && !old.never_culled {
            self.never_culled.insert(self.nodes[row]);
        } else if old.never_culled && !flags.never_culled {
            self.never_culled.remove(&self.nodes[row]);
        }
    }

    /// Reserves capacity for at least `additional` more rows.
    pub(crate) fn reserve(&mut self, additional: usize) {
        self.nodes.reserve(additional);
        self.slots.reserve(additional);
        self.local.reserve(additional);
        self.world.reserve(additional);
        self.flags.reserve(additional);
        let words = (self.len() + additional).div_ceil(WORD);
        for column in &mut self.columns {
            column.0.reserve((words * (WORD / LINE)).saturating_sub(column.0.len()));
        }
    }

    /// Appends a row that is not in the tree yet. The slot must not have a row.
    pub(crate) fn push(&mut self, node: NodeId, local: Aabb, shown: bool) -> usize {
        let (row, slot) = (self.len(), node.index());
        if self.row_of.len() <= slot {
            self.row_of.resize(slot + 1, NONE);
        }
        debug_assert_eq!(self.row_of[slot], NONE);
        self.row_of[slot] = row as u32;
        self.unsorted |= self.nodes.last().is_some_and(|last| last.index() >= slot);
        let generation = Some(node.generation());
        if row == 0 {
            self.generation = generation;
        } else if self.generation != generation {
            self.generation = None;
        }
        self.slots.push(slot as u32);
        self.nodes.push(node);
        self.local.push(local);
        self.world.push(Aabb::EMPTY);
        if row % WORD == 0 {
            for (i, column) in self.columns.iter_mut().enumerate() {
                column.set_words(row / WORD + 1, vacant_bound(i));
            }
        }
        let flags = RowFlags { layers: DEFAULT_LAYERS, shown, ..RowFlags::default() };
        self.flags.push(flags);
        self.non_default += usize::from(flags.is_non_default());
        row
    }

    /// Removes a row and returns the previous index of the row moved into its position, if any.
    pub(crate) fn swap_remove(&mut self, row: usize) -> Option<usize> {
        let flags = self.flags[row];
        self.non_default -= usize::from(flags.is_non_default());
        self.detached -= usize::from(flags.detached);
        if flags.never_culled {
            self.never_culled.remove(&self.nodes[row]);
        }
        let last = self.len() - 1;
        self.row_of[self.nodes[row].index()] = NONE;
        for (i, column) in self.columns.iter_mut().enumerate() {
            column.set(row, column.get(last));
            column.set(last, vacant_bound(i));
            column.set_words(last.div_ceil(WORD), vacant_bound(i));
        }
        self.nodes.swap_remove(row);
        self.slots.swap_remove(row);
        self.local.swap_remove(row);
        self.world.swap_remove(row);
        self.flags.swap_remove(row);
        if row == last {
            return None;
        }
        self.unsorted = true;
        self.row_of[self.nodes[row].index()] = row as u32;
        Some(last)
    }

    /// Computes a row's world box from the node's world matrix.
    #[inline(always)]
    pub(crate) fn update_world(&mut self, row: usize, matrix: &Mat4) {
        let (min, max) = self.local[row].transformed_corners(matrix);
        let size = (-min).max(max);
        if !(size.x <= FAR && size.y <= FAR && size.z <= FAR) {
            return self.update_world_far(row, matrix);
        }
        // As `Aabb::with_slack`, but kept in registers.
        let slack = (size * SLACK).max(Vec4::splat(MIN_SLACK));
        let (low, high) = (min - slack, max + slack);
        self.world[row] = Aabb { min: min.truncate(), max: max.truncate() };
        let [x, y, z, to_x, to_y, to_z] = &mut self.columns;
        x.set(row, low.x);
        y.set(row, low.y);
        z.set(row, low.z);
        to_x.set(row, high.x);
        to_y.set(row, high.y);
        to_z.set(row, high.z);
    }

    #[cold]
    #[inline(never)]
    fn update_world_far(&mut self, row: usize, matrix: &Mat4) {
        let world = self.local[row].transformed(matrix);
        let padded = world.with_slack();
        self.world[row] = world;
        for axis in 0..3 {
            self.columns[axis].set(row, padded.min[axis]);
            self.columns[axis + 3].set(row, padded.max[axis]);
        }
    }

    /// Returns the box with slack, as used by culling and by the tree.
    #[inline]
    pub(crate) fn padded_box(&self, row: usize) -> Aabb {
        let at = |column: usize| self.columns[column].get(row);
        Aabb { min: Vec3::new(at(0), at(1), at(2)), max: Vec3::new(at(3), at(4), at(5)) }
    }

    /// Iterates over the rows that are in the tree.
    pub(crate) fn in_tree(&self) -> impl Iterator<Item = u32> {
        let rows = (0..self.len() as u32).zip(&self.flags);
        rows.filter(|(_, flags)| flags.in_tree).map(|(row, _)| row)
    }

    /// Sorts the rows by slot. Returns the new row by old row.
    pub(crate) fn sort(&mut self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.len() as u32).collect();
        order.sort_unstable_by_key(|&row| self.nodes[row as usize].index());
        fn permuted<T: Copy>(values: &[T], order: &[u32]) -> Vec<T> {
            order.iter().map(|&row| values[row as usize]).collect()
        }
        self.nodes = permuted(&self.nodes, &order);
        self.slots = permuted(&self.slots, &order);
        self.local = permuted(&self.local, &order);
        self.world = permuted(&self.world, &order);
        self.flags = permuted(&self.flags, &order);
        for column in &mut self.columns {
            let old = column.clone();
            for (row, &from) in order.iter().enumerate() {
                column.set(row, old.get(from as usize));
            }
        }
        let mut new = vec![0; order.len()];
        for (row, &old) in order.iter().enumerate() {
            new[old as usize] = row as u32;
            self.row_of[self.nodes[row].index()] = row as u32;
        }
        self.unsorted = false;
        new
    }
}

/// Returns the value of a column for a row without a box.
fn vacant_bound(column: usize) -> f32 {
    if column < 3 { f32::MAX } else { -f32::MAX }
}
