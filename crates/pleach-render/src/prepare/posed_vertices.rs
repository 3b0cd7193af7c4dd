//! `PosedVertices`: positions, normals and tangents of a skinned or morphed part.
//!
//! Positions are those that `Scene::pick` hits. Normals are transformed by the cofactors of the
//! blended joint matrices, so that they stay perpendicular to the surface under any scale.
//!
//! Invariant: an attribute is empty or has one entry per position.

use glam::{Mat3, Mat4, Vec3, Vec4};
use pleach::Geometry;
use pleach_spatial::TriangleTree;

/// The posed vertices of a part: in world space if it is skinned, otherwise in the space of its
/// mesh.
#[derive(Debug, Default)]
pub(crate) struct PosedVertices {
    pub(crate) tree: TriangleTree,
    pub(crate) positions: Vec<Vec3>,
    pub(crate) normals: Vec<Vec3>,
    pub(crate) tangents: Vec<Vec4>,
    /// By triangle; empty if the geometry has tangents or needs none.
    pub(crate) corner_tangents: Vec<[Vec4; 3]>,
}

impl PosedVertices {
    /// Poses a geometry, and tangents that were generated for it, if any. An empty
    /// `joint_matrices` means that it is not skinned.
    pub(crate) fn new(
        geometry: &Geometry,
        generated: Option<&[[Vec4; 3]]>,
        joint_matrices: &[Mat4],
        weights: &[f32],
    ) -> Self {
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
            let Some(skin) = SkinTransform::at(geometry, vertex, joint_matrices) else {
                continue;
            };
            if let Some(normal) = normals.get_mut(vertex) {
                *normal = skin.normal(*normal);
            }
            if let Some(tangent) = tangents.get_mut(vertex) {
                *tangent = (skin.linear * tangent.truncate()).extend(tangent.w);
            }
        }
        let mut corner_tangents = generated.map_or(Vec::new(), <[_]>::to_vec);
        for (vertices, tangents) in geometry.triangles().zip(&mut corner_tangents) {
            for (vertex, tangent) in vertices.into_iter().zip(tangents) {
                if let Some(skin) = SkinTransform::at(geometry, vertex as usize, joint_matrices) {
                    *tangent = (skin.linear * tangent.truncate()).extend(tangent.w);
                }
            }
        }
        let tree = geometry.build_posed_tree(&positions);
        Self { tree, positions, normals, tangents, corner_tangents }
    }
}

/// The blended joint transform of directions at a vertex.
struct SkinTransform {
    linear: Mat3,
}

impl SkinTransform {
    /// Blends the joint matrices of a vertex. Returns `None` if it has no joint: its directions
    /// stay unchanged.
    fn at(geometry: &Geometry, vertex: usize, joint_matrices: &[Mat4]) -> Option<Self> {
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

    /// Transforms a normal by the inverse transpose, up to its length.
    fn normal(&self, normal: Vec3) -> Vec3 {
        let Mat3 { x_axis: x, y_axis: y, z_axis: z } = self.linear;
        let cofactors = y.cross(z) * normal.x + z.cross(x) * normal.y + x.cross(y) * normal.z;
        if x.dot(y.cross(z)) < 0.0 { -cofactors } else { cofactors }
    }
}
