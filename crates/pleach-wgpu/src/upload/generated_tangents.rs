//! Tangents for geometries without, where a material needs them: MikkTSpace, as glTF asks for.
//!
//! They belong to the corners of triangles. If all corners of each vertex agree, they are stored with the
//! vertices; otherwise each triangle gets vertices of its own.
//!
//! Invariant: the triangles keep their order and their materials.

use glam::Vec4;
use pleach::{Geometry, Topology};
use pleach_shading::tangents::corner_tangents;

/// Returns the geometry with tangents that follow a set of texture coordinates; `None` if it has
/// tangents, or lacks triangles or these coordinates. O(n log n).
pub(crate) fn with_generated_tangents(geometry: &Geometry, uv_set: usize) -> Option<Geometry> {
    if geometry.tangents.len() == geometry.positions.len() {
        return None;
    }
    let corners = corner_tangents(geometry, uv_set)?;
    let mut generated = geometry.clone();
    match vertex_tangents(geometry, &corners) {
        Some(tangents) => generated.tangents = tangents.into(),
        None => {
            split(&mut generated);
            generated.tangents = corners.into_flattened().into();
        }
    }
    Some(generated)
}

/// Returns the tangents by vertex if the corners of each vertex agree.
fn vertex_tangents(geometry: &Geometry, corners: &[[Vec4; 3]]) -> Option<Vec<Vec4>> {
    let mut tangents = vec![Vec4::ZERO; geometry.positions.len()];
    for (triangle, corners) in geometry.triangles().zip(corners) {
        for (vertex, &corner) in triangle.into_iter().zip(corners) {
            let tangent = tangents.get_mut(vertex as usize)?;
            if *tangent != Vec4::ZERO && *tangent != corner {
                return None;
            }
            *tangent = corner;
        }
    }
    Some(tangents)
}

/// Gives each triangle three vertices of its own.
pub(crate) fn split(geometry: &mut Geometry) {
    if geometry.has_material_indices() {
        let count = geometry.triangle_count();
        geometry.face_materials = (0..count).map(|it| geometry.face_material(it)).collect();
        geometry.vertex_materials = Vec::new();
    }
    let mut indices: Vec<u32> = geometry.triangles().flatten().collect();
    super::prepare_geometry::repair(&mut indices, geometry.positions.len(), 3);
    (geometry.topology, geometry.indices) = (Topology::Triangles, Some(indices));
    geometry.split_triangles();
}

#[cfg(test)]
mod tests {
    use glam::{Vec2, Vec3};

    use super::*;

    /// Two triangles that share an edge; `mirrored` mirrors the coordinates of the second one.
    fn strip(mirrored: bool) -> Geometry {
        let positions = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]];
        let uvs = positions
            .map(|[x, y]| Vec2::new(if mirrored && x + y > 1.5 { -x } else { x }, 1.0 - y));
        Geometry::from_triangles(
            positions.map(|[x, y]| Vec3::new(x, y, 0.0)).to_vec(),
            vec![0, 1, 2, 2, 1, 3],
        )
        .with_normals(vec![Vec3::Z; 4])
        .with_uvs(uvs.to_vec())
        .with_face_materials(vec![1, 0])
    }

    #[test]
    fn vertices_are_shared_if_their_corners_agree() {
        let generated = with_generated_tangents(&strip(false), 0).unwrap();
        assert_eq!(generated.tangents[..], [Vec4::new(1.0, 0.0, 0.0, 1.0); 4]);
        assert_eq!(generated.indices, strip(false).indices);
    }

    #[test]
    fn mirrored_triangles_have_their_own_vertices_and_keep_their_materials() {
        let generated = with_generated_tangents(&strip(true), 0).unwrap();
        assert_eq!((generated.positions.len(), generated.tangents.len()), (6, 6));
        assert_eq!(generated.face_materials, strip(true).face_materials);
        let corners = corner_tangents(&strip(true), 0).unwrap();
        assert_eq!(generated.tangents[..], corners.into_flattened());
    }

    #[test]
    fn nothing_is_generated_without_coordinates_or_if_there_are_tangents() {
        assert_eq!(with_generated_tangents(&strip(false), 1), None);
        let own = strip(false).with_tangents(vec![Vec4::ONE; 4]);
        assert_eq!(with_generated_tangents(&own, 0), None);
    }
}
