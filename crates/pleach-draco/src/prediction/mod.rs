//! Stage 4: prediction schemes.
//!
//! Reads the corner table, the values of lower entries and, for some schemes, positions; writes
//! values in place: corrections in, values out. Guarantees that a value is predicted from lower
//! entries only. Arithmetic wraps, as in the reference decoder: a malformed stream gives wrong
//! numbers, not a panic.
//!
//! - `delta.rs`: from the value before.
//! - `parallelogram.rs`: from the triangles across the edges, one or several.
//! - `tex_coords.rs`, `geometric_normal.rs`: from positions.
//! - `wrap.rs`, `octahedron.rs`: the transforms that add a correction to a prediction.

pub(crate) mod delta;
pub(crate) mod geometric_normal;
pub(crate) mod octahedron;
pub(crate) mod parallelogram;
pub(crate) mod tex_coords;
pub(crate) mod wrap;

use crate::Error;
use crate::attributes::traversal::EntryOrder;
use crate::connectivity::corner_table::{CornerTable, get, next, previous};

/// The corner table of an attribute, and its order of entries.
#[derive(Clone, Copy)]
pub(crate) struct MeshData<'a> {
    pub(crate) table: &'a CornerTable,
    pub(crate) order: &'a EntryOrder,
}

impl MeshData<'_> {
    /// Returns the entry of the vertex at a corner.
    pub(crate) fn entry(&self, corner: u32) -> u32 {
        get(&self.order.vertex_to_entry, self.table.vertex(corner))
    }

    /// Returns the entries of the triangle across the edge opposite to a corner, if all are
    /// below `entry`: the two of the shared edge, and the one opposite to it.
    fn parallelogram_entries(&self, corner: u32, entry: usize) -> Option<[usize; 3]> {
        let opposite = self.table.opposite(corner);
        let entries =
            [next(opposite), previous(opposite), opposite].map(|c| self.entry(c) as usize);
        entries.iter().all(|&lower| lower < entry).then_some(entries)
    }
}

/// The positions, for schemes that predict from them.
#[derive(Clone, Copy)]
pub(crate) struct Positions<'a> {
    pub(crate) mesh: MeshData<'a>,
    /// Three per entry, before dequantization.
    pub(crate) values: &'a [i32],
}

impl Positions<'_> {
    /// Returns the position at a corner.
    pub(crate) fn at_corner(&self, corner: u32) -> Result<[i64; 3], Error> {
        let entry = self.mesh.entry(corner) as usize;
        let value = self.values.get(entry.saturating_mul(3)..).and_then(|rest| rest.first_chunk());
        let value: &[i32; 3] = value.ok_or(Error::Malformed("a corner has no position"))?;
        Ok(value.map(i64::from))
    }
}
