//! Wireframe: the edges of triangles, each once, and the lines of line geometry.

use std::collections::BTreeMap;
use std::rc::Rc;

use glam::DVec3;
use pleach::{AssetId, Geometry, Topology};

use super::coverage_mask::Color;
use super::line_rasterizer::{LineRasterizer, OccludedLines};
use super::visible_meshes::VisibleMeshes;
use crate::lines::line_instance::{primitive_count, primitive_vertices};
use crate::threads;

const DARK: Color = [20, 24, 32];
const LIGHT: Color = [190, 196, 208];

pub(super) fn draw(lines: &mut LineRasterizer<'_>, meshes: &VisibleMeshes<'_>) {
    lines.begin(OccludedLines::Hidden);
    let mut cache: BTreeMap<AssetId, Rc<[[u32; 2]]>> = BTreeMap::new();
    'parts: for part in meshes.parts(lines.projector) {
        let edges = cache.entry(part.id).or_insert_with(|| edges(&part.geometry).into());
        let edges = Rc::clone(edges);
        if !lines.charge(part.geometry.positions.len()) {
            break;
        }
        let (positions, _) = part.vertices();
        for matrix in &part.matrices {
            let at = |vertex: u32| match positions.get(vertex as usize) {
                Some(position) => matrix.transform_point3(position.as_dvec3()),
                None => DVec3::NAN,
            };
            if !lines.draw_lines(&edges, |&[a, b]| [at(a), at(b)]) {
                break 'parts;
            }
        }
    }
    lines.composite_contrasting(DARK, LIGHT);
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
    threads::sort(&mut keys);
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
