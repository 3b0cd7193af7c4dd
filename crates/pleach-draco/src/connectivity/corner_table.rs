//! The corner table: how triangles meet.
//!
//! Corner `3 t + k` is the `k`th corner of triangle `t`. The table stores for each corner its
//! vertex and its opposite corner: the one on the other side of the edge that the corner does
//! not touch. Everything else is a walk: to the next corner of the triangle, across an edge,
//! around a vertex.
//!
//! Invariant: every stored corner is below three times the number of triangles, every stored
//! vertex below the number of vertices, or either is [`INVALID`]. Every query for `INVALID`
//! returns `INVALID`, so a walk over the table of a malformed stream does not panic.

use crate::Error;
use crate::budget::Budget;

/// The index of no corner, no vertex, no entry.
pub(crate) const INVALID: u32 = u32::MAX;

/// Returns the corner after this one in its triangle.
#[inline]
pub(crate) fn next(corner: u32) -> u32 {
    match corner {
        INVALID => INVALID,
        _ if corner % 3 == 2 => corner - 2,
        _ => corner + 1,
    }
}

/// Returns the corner before this one in its triangle.
#[inline]
pub(crate) fn previous(corner: u32) -> u32 {
    match corner {
        INVALID => INVALID,
        _ if corner.is_multiple_of(3) => corner + 2,
        _ => corner - 1,
    }
}

/// Returns the value at an index, or [`INVALID`] if the index is out of range.
#[inline]
pub(crate) fn get(values: &[u32], index: u32) -> u32 {
    values.get(index as usize).copied().unwrap_or(INVALID)
}

/// Sets the value at an index, unless the index is out of range.
#[inline]
pub(crate) fn set(values: &mut [u32], index: u32, value: u32) {
    if let Some(slot) = values.get_mut(index as usize) {
        *slot = value;
    }
}

/// The table. Its arrays are open to the stages that build it.
pub(crate) struct CornerTable {
    /// By corner: the opposite corner, whose edge has the same two vertices.
    pub(crate) opposite_corners: Vec<u32>,
    /// By corner: its vertex.
    pub(crate) corner_to_vertex: Vec<u32>,
    /// By vertex: its left-most corner, which has no triangle to its left; any of its corners
    /// if triangles surround the vertex.
    pub(crate) left_most_corners: Vec<u32>,
}

impl CornerTable {
    /// Creates a table of unconnected triangles, with capacity for `vertices`.
    pub(crate) fn new(
        triangles: usize,
        vertices: usize,
        budget: &mut Budget,
    ) -> Result<Self, Error> {
        Ok(Self {
            opposite_corners: budget.vec_filled(triangles * 3, INVALID)?,
            corner_to_vertex: budget.vec_filled(triangles * 3, INVALID)?,
            left_most_corners: budget.vec_with_capacity(vertices)?,
        })
    }

    pub(crate) fn corner_count(&self) -> usize {
        self.corner_to_vertex.len()
    }

    pub(crate) fn triangle_count(&self) -> usize {
        self.corner_to_vertex.len() / 3
    }

    pub(crate) fn vertex_count(&self) -> usize {
        self.left_most_corners.len()
    }

    #[inline]
    pub(crate) fn opposite(&self, corner: u32) -> u32 {
        get(&self.opposite_corners, corner)
    }

    #[inline]
    pub(crate) fn vertex(&self, corner: u32) -> u32 {
        get(&self.corner_to_vertex, corner)
    }

    #[inline]
    pub(crate) fn left_most_corner(&self, vertex: u32) -> u32 {
        get(&self.left_most_corners, vertex)
    }

    /// Returns the opposite corner in the triangle to the left of `corner`.
    #[inline]
    pub(crate) fn left_corner(&self, corner: u32) -> u32 {
        self.opposite(previous(corner))
    }

    /// Returns the opposite corner in the triangle to the right of `corner`.
    #[inline]
    pub(crate) fn right_corner(&self, corner: u32) -> u32 {
        self.opposite(next(corner))
    }

    /// Returns the corner of the same vertex in the triangle to the left.
    #[inline]
    pub(crate) fn swing_left(&self, corner: u32) -> u32 {
        next(self.opposite(next(corner)))
    }

    /// Returns the corner of the same vertex in the triangle to the right.
    #[inline]
    pub(crate) fn swing_right(&self, corner: u32) -> u32 {
        previous(self.opposite(previous(corner)))
    }

    /// Returns `true` if the vertex is on an edge of a single triangle.
    pub(crate) fn is_on_boundary(&self, vertex: u32) -> bool {
        self.swing_left(self.left_most_corner(vertex)) == INVALID
    }

    /// Makes two corners opposite to each other.
    pub(crate) fn set_opposite(&mut self, a: u32, b: u32) {
        set(&mut self.opposite_corners, a, b);
        set(&mut self.opposite_corners, b, a);
    }

    /// Returns the corners of the vertex of `first`: swinging left until the boundary or all
    /// around, then right from the first.
    pub(crate) fn vertex_corners(&self, first: u32) -> impl Iterator<Item = u32> {
        let mut leftwards = true;
        let mut corner = first;
        std::iter::from_fn(move || {
            let current = corner;
            if current == INVALID {
                return None;
            }
            if leftwards {
                corner = self.swing_left(current);
                if corner == first {
                    corner = INVALID;
                } else if corner == INVALID {
                    leftwards = false;
                    corner = self.swing_right(first);
                }
            } else {
                corner = self.swing_right(current);
                if corner == first {
                    corner = INVALID;
                }
            }
            Some(current)
        })
    }
}
