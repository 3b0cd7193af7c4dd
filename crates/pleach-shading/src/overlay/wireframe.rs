//! Wireframe: the edges of triangles, each once, and the lines of line geometry.
//!
//! Sorting edges costs more than drawing them: so they are kept for the next picture, as long as
//! their geometry is drawn and not edited.

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::DVec3;
use pleach::{AssetId, Geometry, Topology};

use super::line::{Line, LineBatch, LineColor, LineStyle, OccludedLines};
use super::visible_meshes::{VisibleMeshes, VisiblePart};
use crate::line_primitives::{primitive_count, primitive_vertices};

/// The edges of geometries.
#[derive(Clone, Debug, Default)]
pub(super) struct EdgeCache {
    entries: BTreeMap<AssetId, Entry>,
    /// Counts the pictures.
    picture: u64,
}

#[derive(Clone, Debug)]
struct Entry {
    version: u64,
    edges: Arc<[[u32; 2]]>,
    last_used: u64,
}

impl EdgeCache {
    fn edges(&mut self, part: &VisiblePart<'_>) -> Arc<[[u32; 2]]> {
        let version = part.geometry.version();
        let fresh = || Entry { version, edges: edges(&part.geometry).into(), last_used: 0 };
        let entry = self.entries.entry(part.id).or_insert_with(fresh);
        if entry.version != version {
            *entry = fresh();
        }
        entry.last_used = self.picture;
        Arc::clone(&entry.edges)
    }

    /// Drops the edges of geometries that the last picture did not show.
    fn end_picture(&mut self) {
        self.entries.retain(|_, entry| entry.last_used == self.picture);
        self.picture += 1;
    }
}

pub(super) fn generate(
    lines: &mut LineBatch<'_>,
    meshes: &VisibleMeshes<'_>,
    cache: &mut EdgeCache,
) {
    lines.begin(LineStyle::thin(LineColor::CONTRASTING, OccludedLines::Hidden));
    for part in meshes.parts() {
        let edges = cache.edges(&part);
        if !lines.charge(part.geometry.positions.len()) || !push_edges(lines, &part, &edges) {
            break;
        }
    }
    cache.end_picture();
}

/// Adds the edges of all instances of a part. Returns `false` if the overlay should end.
fn push_edges(lines: &mut LineBatch<'_>, part: &VisiblePart<'_>, edges: &[[u32; 2]]) -> bool {
    let positions = part.positions();
    part.matrices.iter().all(|matrix| {
        let at = |vertex: u32| match positions.get(vertex as usize) {
            Some(position) => matrix.transform_point3(position.as_dvec3()),
            None => DVec3::NAN,
        };
        edges.iter().all(|&[a, b]| lines.push(Line::new(at(a), at(b)))) && lines.flush()
    })
}

/// Returns the edges of a geometry, without duplicates, sorted.
fn edges(geometry: &Geometry) -> Vec<[u32; 2]> {
    let triangles = geometry.triangles().flat_map(|[a, b, c]| [[a, b], [b, c], [c, a]]);
    let count = if geometry.topology == Topology::Points { 0 } else { primitive_count(geometry) };
    let lines = (0..count).map(|index| primitive_vertices(geometry, index).map(|it| it as u32));
    let mut keys: Vec<u64> = triangles
        .chain(lines)
        .map(|[a, b]| u64::from(a.min(b)) << 32 | u64::from(a.max(b)))
        .collect();
    keys.sort_unstable();
    keys.dedup();
    keys.into_iter().map(|key| [(key >> 32) as u32, key as u32]).collect()
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;

    #[test]
    fn a_shared_edge_is_listed_once() {
        let quad = Geometry::from_triangles(vec![Vec3::ZERO; 4], vec![0, 1, 2, 0, 2, 3]);
        assert_eq!(edges(&quad), [[0, 1], [0, 2], [0, 3], [1, 2], [2, 3]]);
    }

    #[test]
    fn lines_are_listed_according_to_their_topology() {
        let of = |topology, count| {
            edges(&Geometry::from_positions(vec![Vec3::ZERO; count]).with_topology(topology))
        };
        assert_eq!(of(Topology::Lines, 5), [[0, 1], [2, 3]]);
        assert_eq!(of(Topology::LineStrip, 3), [[0, 1], [1, 2]]);
        assert_eq!(of(Topology::LineLoop, 3), [[0, 1], [0, 2], [1, 2]]);
        assert!(of(Topology::Points, 3).is_empty());
        for topology in
            [Topology::Lines, Topology::LineStrip, Topology::LineLoop, Topology::Triangles]
        {
            assert!(of(topology, 0).is_empty());
        }
    }
}
