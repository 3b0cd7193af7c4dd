//! Normals at vertices, or at triangle centres for geometry without normals.

use glam::{DMat3, DMat4, DVec3, Vec3};
use pleach::graph::unit;
use pleach::{Aabb, Geometry};

use super::line::{Color, Line, LineBatch, LineColor, LineStyle, OccludedLines};
use super::visible_meshes::VisibleMeshes;

const COLOR: Color = [80, 170, 255];

/// The length of a normal, relative to the size of the mesh.
const LENGTH_RATIO: f64 = 0.025;

pub(super) fn generate(lines: &mut LineBatch<'_>, meshes: &VisibleMeshes<'_>) {
    lines.begin(LineStyle::thin(LineColor::Fixed(COLOR), OccludedLines::Hidden));
    for part in meshes.parts() {
        if !lines.charge(part.geometry.positions.len()) {
            break;
        }
        let (positions, normals) = part.vertices();
        let bases: Vec<(Vec3, Vec3)> = if normals.is_empty() {
            triangle_normals(&part.geometry, &positions)
        } else {
            positions.iter().copied().zip(normals.iter().copied()).collect()
        };
        let bounds = Aabb::from_points(positions.iter().copied());
        for matrix in &part.matrices {
            let normal_matrix = cofactor_matrix(matrix);
            let length = LENGTH_RATIO * size(&bounds, matrix);
            for &(position, normal) in &bases {
                let from = matrix.transform_point3(position.as_dvec3());
                let direction = unit(normal_matrix * normal.as_dvec3()).unwrap_or_default();
                if !lines.push(Line::new(from, from + direction * length)) {
                    return;
                }
            }
            if !lines.flush() {
                return;
            }
        }
    }
}

/// Returns the centres of triangles and their normals.
fn triangle_normals(geometry: &Geometry, positions: &[Vec3]) -> Vec<(Vec3, Vec3)> {
    let position = |vertex: u32| positions.get(vertex as usize).copied();
    let corners = |[a, b, c]: [u32; 3]| Some([position(a)?, position(b)?, position(c)?]);
    let triangles = geometry.triangles().filter_map(corners);
    triangles.map(|[a, b, c]| ((a + b + c) / 3.0, (b - a).cross(c - a))).collect()
}

/// Returns the length of the diagonal of a box scaled by a matrix, ignoring shear.
fn size(bounds: &Aabb, matrix: &DMat4) -> f64 {
    if bounds.is_empty() {
        return 0.0;
    }
    let size = bounds.max.as_dvec3() - bounds.min.as_dvec3();
    let axes = DMat3::from_mat4(*matrix);
    let scales = DVec3::new(axes.x_axis.length(), axes.y_axis.length(), axes.z_axis.length());
    (size * scales).length()
}

/// Returns the matrix that transforms normals, up to their length.
fn cofactor_matrix(matrix: &DMat4) -> DMat3 {
    let DMat3 { x_axis: x, y_axis: y, z_axis: z } = DMat3::from_mat4(*matrix);
    let cofactors = DMat3::from_cols(y.cross(z), z.cross(x), x.cross(y));
    if x.dot(cofactors.x_axis) < 0.0 { cofactors * -1.0 } else { cofactors }
}
