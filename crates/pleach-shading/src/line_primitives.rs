//! The points and lines of a geometry as pairs of vertices.

use pleach::{Geometry, Topology};

/// Returns the number of points or lines of a geometry: 0 if it consists of triangles.
#[must_use]
pub fn primitive_count(geometry: &Geometry) -> usize {
    let corners = vertex_reference_count(geometry);
    match geometry.topology {
        Topology::Points => corners,
        Topology::Lines => corners / 2,
        Topology::LineStrip => corners.saturating_sub(1),
        Topology::LineLoop if corners > 1 => corners,
        _ => 0,
    }
}

/// Returns the vertex indices of both ends of a point or line, which are equal for a point. They may
/// be out of range.
///
/// ```
/// use pleach::{Geometry, Topology, glam::Vec3};
/// use pleach_shading::{primitive_count, primitive_vertices};
///
/// let ring = Geometry::from_positions(vec![Vec3::ZERO; 3]).with_topology(Topology::LineLoop);
/// let lines: Vec<_> = (0..primitive_count(&ring)).map(|it| primitive_vertices(&ring, it)).collect();
/// assert_eq!(lines, [[0, 1], [1, 2], [2, 0]]);
/// ```
///
/// # Panics
///
/// If `index` is not less than [`primitive_count`].
#[must_use]
pub fn primitive_vertices(geometry: &Geometry, index: usize) -> [usize; 2] {
    let corners = match geometry.topology {
        Topology::Points => [index; 2],
        Topology::Lines => [2 * index, 2 * index + 1],
        _ => [index, (index + 1) % vertex_reference_count(geometry)],
    };
    corners.map(|corner| match &geometry.indices {
        Some(indices) => indices[corner] as usize,
        None => corner,
    })
}

/// Returns the number of vertex references of a geometry.
fn vertex_reference_count(geometry: &Geometry) -> usize {
    geometry.indices.as_ref().map_or(geometry.positions.len(), Vec::len)
}
