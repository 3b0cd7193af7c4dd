//! The edges of triangles, each once, and the lines of geometry that has no triangles.

use std::collections::BTreeMap;
use std::rc::Rc;

use glam::DVec3;
use pleach::{AssetId, Geometry, Topology};
use rayon::slice::ParallelSliceMut;

use super::coverage_mask::Color;
use super::line_rasterizer::{Behind, Pen};
use super::visible_meshes::Drawn;
use crate::lines::line_instance as linework;

const DARK: Color = [20, 24, 32];
const LIGHT: Color = [190, 196, 208];

pub(super) fn draw(pen: &mut Pen<'_>, drawn: &Drawn<'_>) {
    pen.begin(Behind::Hidden);
    let mut known: BTreeMap<AssetId, Rc<[[u32; 2]]>> = BTreeMap::new();
    'parts: for part in drawn.parts(pen.lens) {
        let edges = known.entry(part.id).or_insert_with(|| edges(part.geometry).into());
        let edges = Rc::clone(edges);
        if !pen.spend(part.geometry.positions.len()) {
            break;
        }
        let (positions, _) = part.vertices();
        for matrix in &part.matrices {
            let at = |vertex: u32| match positions.get(vertex as usize) {
                Some(position) => matrix.transform_point3(position.as_dvec3()),
                None => DVec3::NAN,
            };
            if !pen.lines(&edges, |&[a, b]| [at(a), at(b)]) {
                break 'parts;
            }
        }
    }
    pen.paint_against(DARK, LIGHT);
}

/// The edges of a geometry, each once, in order.
fn edges(geometry: &Geometry) -> Vec<[u32; 2]> {
    let triangles = geometry.triangles().flat_map(|[a, b, c]| [[a, b], [b, c], [c, a]]);
    let count = if geometry.topology == Topology::Points { 0 } else { linework::count(geometry) };
    let lines = (0..count).map(|number| linework::ends(geometry, number).map(|it| it as u32));
    let mut keys: Vec<u64> = triangles
        .chain(lines)
        .map(|[a, b]| u64::from(a.min(b)) << 32 | u64::from(a.max(b)))
        .collect();
    keys.par_sort_unstable();
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
    fn lines_are_listed_as_their_mode_joins_them() {
        let of = |mode, count| {
            edges(&Geometry::from_positions(vec![Vec3::ZERO; count]).with_topology(mode))
        };
        assert_eq!(of(Topology::Lines, 5), [[0, 1], [2, 3]]);
        assert_eq!(of(Topology::LineStrip, 3), [[0, 1], [1, 2]]);
        assert_eq!(of(Topology::LineLoop, 3), [[0, 1], [0, 2], [1, 2]]);
        assert!(of(Topology::Points, 3).is_empty());
        for mode in [Topology::Lines, Topology::LineStrip, Topology::LineLoop, Topology::Triangles]
        {
            assert!(of(mode, 0).is_empty());
        }
    }
}
