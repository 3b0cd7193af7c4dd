//! Poses: where the vertices of a skinned or morphed part are, with their normals and tangents.
//!
//! Positions are those that `Scene::pick` meets. Normals go by the cofactors of the same blend of
//! matrices, so that they stay square to the surface under any scale.
//!
//! Invariant: a column is empty or has one entry for each position.

use glam::{Mat3, Mat4, Vec3, Vec4};
use pleach::Geometry;
use pleach_spatial::TriangleTree;

/// A part in its pose. In the world if it is skinned, else in the space of its mesh.
#[derive(Debug, Default)]
pub(crate) struct PosedVertices {
    pub(crate) tree: TriangleTree,
    pub(crate) positions: Vec<Vec3>,
    pub(crate) normals: Vec<Vec3>,
    pub(crate) tangents: Vec<Vec4>,
}

impl PosedVertices {
    /// No palette: not skinned.
    pub(crate) fn new(geometry: &Geometry, joint_matrices: &[Mat4], weights: &[f32]) -> Self {
        let mut positions = Vec::new();
        geometry.posed_positions(joint_matrices, weights, &mut positions);
        let count = positions.len();
        let mut normals =
            if geometry.normals.len() == count { geometry.normals.to_vec() } else { Vec::new() };
        let mut tangents =
            if geometry.tangents.len() == count { geometry.tangents.to_vec() } else { Vec::new() };
        for (target, &weight) in geometry.morph_targets.iter().zip(weights) {
            if weight != 0.0 && weight.is_finite() {
                for (normal, &delta) in normals.iter_mut().zip(&target.normals) {
                    *normal += delta * weight;
                }
                for (tangent, &delta) in tangents.iter_mut().zip(&target.tangents) {
                    *tangent += (delta * weight).extend(0.0);
                }
            }
        }
        for vertex in 0..normals.len().max(tangents.len()) {
            let Some(skin) = SkinTransform::at_vertex(geometry, vertex, joint_matrices) else {
                continue;
            };
            if let Some(normal) = normals.get_mut(vertex) {
                *normal = skin.normal(*normal);
            }
            if let Some(tangent) = tangents.get_mut(vertex) {
                *tangent = (skin.linear * tangent.truncate()).extend(tangent.w);
            }
        }
        let tree = tree(geometry, &positions);
        Self { tree, positions, normals, tangents }
    }
}

/// As `Geometry::build_tree` makes it: a triangle that does not exist keeps its number.
fn tree(geometry: &Geometry, positions: &[Vec3]) -> TriangleTree {
    if positions.is_empty() {
        return TriangleTree::default();
    }
    let exists = |&vertex: &u32| (vertex as usize) < positions.len();
    let existing = |vertices: [u32; 3]| if vertices.iter().all(exists) { vertices } else { [0; 3] };
    let indices: Vec<u32> = geometry.triangles().flat_map(existing).collect();
    TriangleTree::build(positions, &indices).unwrap_or_default()
}

/// What its joints do to the directions at a vertex.
struct SkinTransform {
    linear: Mat3,
}

impl SkinTransform {
    /// `None` if it has no joint: they stay as the mesh has them.
    fn at_vertex(geometry: &Geometry, vertex: usize, joint_matrices: &[Mat4]) -> Option<Self> {
        let mut linear = [Vec3::ZERO; 3];
        let mut any = false;
        for (joint, weight) in geometry.normalized_joint_weights(vertex, joint_matrices.len()) {
            let Mat4 { x_axis, y_axis, z_axis, .. } = joint_matrices[joint];
            for (column, axis) in linear.iter_mut().zip([x_axis, y_axis, z_axis]) {
                *column += axis.truncate() * weight;
            }
            any = true;
        }
        let [x, y, z] = linear;
        any.then_some(Self { linear: Mat3::from_cols(x, y, z) })
    }

    /// By the inverse, transposed, but for its length.
    fn normal(&self, normal: Vec3) -> Vec3 {
        let Mat3 { x_axis: x, y_axis: y, z_axis: z } = self.linear;
        let cofactors = y.cross(z) * normal.x + z.cross(x) * normal.y + x.cross(y) * normal.z;
        if x.dot(y.cross(z)) < 0.0 { -cofactors } else { cofactors }
    }
}
