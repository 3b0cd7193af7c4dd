//! Stage 2: numbers to triangles.
//!
//! Reads the connectivity part of the stream; writes a [`Connectivity`]: a point for each corner
//! of each triangle and, for Edgebreaker, the corner tables that attributes are predicted on.
//! Guarantees that every point is below the number of points, and that walks over a corner
//! table of any stream end.
//!
//! - `sequential.rs`: triangles as a list of indices.
//! - `edgebreaker.rs`, with its symbols from `clers.rs`: triangles by Edgebreaker.
//! - `seams.rs`: a corner table for each attribute with seams; the points.
//! - `corner_table.rs`: how triangles meet. `step_limit.rs`: bounds the time of walks.

pub(crate) mod clers;
pub(crate) mod corner_table;
pub(crate) mod edgebreaker;
pub(crate) mod seams;
pub(crate) mod sequential;
pub(crate) mod step_limit;

use corner_table::CornerTable;

/// The triangles with all their corner tables.
pub(crate) struct Connectivity {
    /// The corner table of the mesh, then those of attributes with seams. Empty for sequential
    /// connectivity.
    pub(crate) corner_tables: Vec<CornerTable>,
    /// By attribute that may have seams: the index of its corner table. It is 0 for those that
    /// turn out to have none.
    pub(crate) attribute_tables: Vec<usize>,
    /// By corner: its point, below `point_count`.
    pub(crate) corner_to_point: Vec<u32>,
    pub(crate) point_count: usize,
}
