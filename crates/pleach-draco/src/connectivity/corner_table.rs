//! The corner table: how triangles meet.
//!
//! Corner `3 t + k` is the `k`th of triangle `t`. Each corner knows its vertex and the
//! corner across the edge that it does not touch. All else is walking: to the next corner of
//! the triangle, across an edge, around a vertex.
//!
//! Invariant: every corner that is stored is below three times the triangles, every vertex
//! below the vertices, or either is [`NONE`]. Asked about `NONE`, everything answers `NONE`,
//! so a walk over a table that a broken stream made ends, and does not panic.

use crate::budget::Room;
use crate::error::Fault;

/// No corner, no vertex, no entry.
pub(crate) const NONE: u32 = u32::MAX;

/// The corner behind this one in its triangle.
#[inline]
pub(crate) fn next(corner: u32) -> u32 {
    match corner {
        NONE => NONE,
        _ if corner % 3 == 2 => corner - 2,
        _ => corner + 1,
    }
}

/// The corner before this one in its triangle.
#[inline]
pub(crate) fn previous(corner: u32) -> u32 {
    match corner {
        NONE => NONE,
        _ if corner.is_multiple_of(3) => corner + 2,
        _ => corner - 1,
    }
}

/// The value at an index that may be [`NONE`].
#[inline]
pub(crate) fn at(values: &[u32], index: u32) -> u32 {
    values.get(index as usize).copied().unwrap_or(NONE)
}

/// Sets the value at an index, unless that is [`NONE`].
#[inline]
pub(crate) fn set(values: &mut [u32], index: u32, value: u32) {
    if let Some(place) = values.get_mut(index as usize) {
        *place = value;
    }
}

/// The table. The arrays are open to the phases that make it.
pub(crate) struct Corners {
    /// By corner: the corner across the edge, which has the same two vertices.
    pub(crate) opposite: Vec<u32>,
    /// By corner: its vertex.
    pub(crate) vertex: Vec<u32>,
    /// By vertex: the corner of it that has no triangle to its left, or any corner if there
    /// are triangles all around.
    pub(crate) leftmost: Vec<u32>,
}

impl Corners {
    /// A table of `triangles` that do not meet yet, with room for `vertices`.
    pub(crate) fn new(triangles: usize, vertices: usize, room: &mut Room) -> Result<Self, Fault> {
        Ok(Self {
            opposite: room.filled(triangles * 3, NONE)?,
            vertex: room.filled(triangles * 3, NONE)?,
            leftmost: room.empty(vertices)?,
        })
    }

    #[inline]
    pub(crate) fn opposite(&self, corner: u32) -> u32 {
        at(&self.opposite, corner)
    }

    #[inline]
    pub(crate) fn vertex(&self, corner: u32) -> u32 {
        at(&self.vertex, corner)
    }

    #[inline]
    pub(crate) fn leftmost(&self, vertex: u32) -> u32 {
        at(&self.leftmost, vertex)
    }

    /// The corner at the same vertex in the triangle to the left.
    #[inline]
    pub(crate) fn swing_left(&self, corner: u32) -> u32 {
        next(self.opposite(next(corner)))
    }

    /// The corner at the same vertex in the triangle to the right.
    #[inline]
    pub(crate) fn swing_right(&self, corner: u32) -> u32 {
        previous(self.opposite(previous(corner)))
    }

    /// Whether a vertex is on an edge that has one triangle only.
    pub(crate) fn is_on_boundary(&self, vertex: u32) -> bool {
        self.swing_left(self.leftmost(vertex)) == NONE
    }

    /// Joins two triangles at the edges across from these corners.
    pub(crate) fn join(&mut self, one: u32, other: u32) {
        set(&mut self.opposite, one, other);
        set(&mut self.opposite, other, one);
    }

    /// The corners at a vertex, from one of them: to the left until the end or around, then
    /// to the right of the first.
    pub(crate) fn around(&self, first: u32) -> impl Iterator<Item = u32> {
        let mut leftwards = true;
        let mut corner = first;
        std::iter::from_fn(move || {
            let here = corner;
            if here == NONE {
                return None;
            }
            if leftwards {
                corner = self.swing_left(here);
                if corner == first {
                    corner = NONE;
                } else if corner == NONE {
                    leftwards = false;
                    corner = self.swing_right(first);
                }
            } else {
                corner = self.swing_right(here);
                if corner == first {
                    corner = NONE;
                }
            }
            Some(here)
        })
    }
}

/// How many steps walks may take in all.
///
/// Sound tables need a few for each corner. A broken one could make each of many short walks
/// a long one; this keeps the time in proportion to the triangles.
pub(crate) struct Steps(usize);

impl Steps {
    /// So many for each of `corners`.
    pub(crate) fn new(corners: usize, each: usize) -> Self {
        Self(corners.saturating_mul(each).saturating_add(1024))
    }

    /// Takes one.
    #[inline]
    pub(crate) fn step(&mut self) -> Result<(), Fault> {
        let left = self.0.checked_sub(1);
        self.0 = left.ok_or(Fault::Broken("triangles meet in circles"))?;
        Ok(())
    }
}
