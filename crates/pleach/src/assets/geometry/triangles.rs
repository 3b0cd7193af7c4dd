//! The triangles of a geometry in any topology, numbered as in glTF.
//!
//! The number of a triangle is its index here: `face_materials` and a pick's hit use it. Triangles
//! without area keep their number.

use super::{Geometry, Topology};

impl Geometry {
    /// Returns the number of triangles; 0 if the [`topology`](Self::topology) is points or lines.
    #[must_use]
    pub fn triangle_count(&self) -> usize {
        let corners = self.corner_count();
        match self.topology {
            Topology::Triangles => corners / 3,
            Topology::TriangleStrip | Topology::TriangleFan => corners.saturating_sub(2),
            Topology::Points | Topology::Lines | Topology::LineLoop | Topology::LineStrip => 0,
        }
    }

    /// Returns the vertices of a triangle, counter-clockwise seen from the front. They may be out
    /// of range if the geometry was not [checked](Self::check).
    #[must_use]
    pub fn triangle(&self, triangle: usize) -> Option<[u32; 3]> {
        if triangle >= self.triangle_count() {
            return None;
        }
        let n = triangle;
        // In the order of section 3.7.2.1 of the glTF specification.
        let corners = match self.topology {
            Topology::TriangleStrip => [n, n + 1 + n % 2, n + 2 - n % 2],
            Topology::TriangleFan => [n + 1, n + 2, 0],
            _ => [3 * n, 3 * n + 1, 3 * n + 2],
        };
        Some(match &self.indices {
            Some(indices) => corners.map(|corner| indices[corner]),
            None => corners.map(|corner| corner as u32),
        })
    }

    /// Iterates over all triangles in order.
    ///
    /// ```
    /// use pleach::{Geometry, Topology, glam::Vec3};
    ///
    /// let strip = Geometry::from_positions(vec![Vec3::ZERO; 4]).with_topology(Topology::TriangleStrip);
    /// assert_eq!(strip.triangles().collect::<Vec<_>>(), [[0, 1, 2], [1, 3, 2]]);
    /// ```
    #[must_use]
    pub fn triangles(&self) -> Triangles<'_> {
        Triangles { geometry: self, next: 0, end: self.triangle_count() }
    }

    /// Returns the number of indices, or of vertices if there are none.
    fn corner_count(&self) -> usize {
        match &self.indices {
            Some(indices) => indices.len(),
            // Vertices beyond have no index.
            None => self.positions.len().min(u32::MAX as usize),
        }
    }
}

/// An iterator over the triangles of a [`Geometry`], as three vertices each.
///
/// - In order: the `n`th triangle has the number `n`.
/// - Counter-clockwise seen from the front, also in strips.
/// - Including triangles without area.
#[derive(Clone, Debug)]
pub struct Triangles<'a> {
    geometry: &'a Geometry,
    next: usize,
    end: usize,
}

impl Iterator for Triangles<'_> {
    type Item = [u32; 3];

    fn next(&mut self) -> Option<[u32; 3]> {
        if self.next == self.end {
            return None;
        }
        self.next += 1;
        self.geometry.triangle(self.next - 1)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.end - self.next;
        (left, Some(left))
    }
}

impl ExactSizeIterator for Triangles<'_> {}
impl std::iter::FusedIterator for Triangles<'_> {}
