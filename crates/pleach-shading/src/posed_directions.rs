//! `PosedDirections`: normals and tangents of a skinned or morphed part.
//!
//! Normals are transformed by the cofactors of the blended joint matrices, so that they stay
//! perpendicular to the surface under any scale.
//!
//! Invariant: an attribute is empty or has one entry per position.

use glam::{Mat3, Mat4, Vec3, Vec4};
use pleach::Geometry;

/// The normals and tangents of a part after joints and morph weights: in world space if it is
/// skinned, otherwise in the space of its mesh.
///
/// ```
/// use pleach::glam::{Mat4, Vec3};
/// use pleach::{Geometry, MorphTarget};
/// use pleach_shading::PosedDirections;
///
/// let quarter = Mat4::from_cols(Vec3::Y.extend(0.0), Vec3::NEG_X.extend(0.0), Vec3::Z.extend(0.0), glam::Vec4::W);
/// let geometry = Geometry::from_positions(vec![Vec3::ZERO])
///     .with_normals(vec![Vec3::X])
///     .with_influences(vec![[0; 4]], vec![[1.0, 0.0, 0.0, 0.0]]);
/// assert_eq!(PosedDirections::new(&geometry, &[quarter], &[]).normals, [Vec3::Y]);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PosedDirections {
    /// The normals, of any length; empty if the geometry has none.
    pub normals: Vec<Vec3>,
    /// The tangents, of any length, with the handedness as w; empty if the geometry has none.
    pub tangents: Vec<Vec4>,
}

impl PosedDirections {
    /// Poses the directions of a geometry, in O(vertices). An empty `joint_matrices` means that it
    /// is not skinned. A column that has not one entry per position is left out.
    #[must_use]
    pub fn new(geometry: &Geometry, joint_matrices: &[Mat4], weights: &[f32]) -> Self {
        let count = geometry.positions.len();
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
        Self { normals, tangents }
    }
}

/// Poses tangents that were [generated](crate::tangents) per corner of a triangle, in O(triangles).
/// Those of a part that is not skinned, or of vertices without a joint, are returned unchanged;
/// morph weights have no effect.
///
/// ```
/// use pleach::Geometry;
/// use pleach::glam::{Mat4, Vec3, Vec4};
/// use pleach_shading::pose_corner_tangents;
///
/// let geometry = Geometry::from_positions(vec![Vec3::ZERO, Vec3::X, Vec3::Y]);
/// let tangents = [[Vec4::X; 3]];
/// assert_eq!(pose_corner_tangents(&geometry, &tangents, &[Mat4::IDENTITY]), tangents);
/// ```
#[must_use]
pub fn pose_corner_tangents(
    geometry: &Geometry,
    generated: &[[Vec4; 3]],
    joint_matrices: &[Mat4],
) -> Vec<[Vec4; 3]> {
    let mut posed = generated.to_vec();
    for (vertices, tangents) in geometry.triangles().zip(&mut posed) {
        for (vertex, tangent) in vertices.into_iter().zip(tangents) {
            if let Some(skin) = SkinTransform::at(geometry, vertex as usize, joint_matrices) {
                *tangent = (skin.linear * tangent.truncate()).extend(tangent.w);
            }
        }
    }
    posed
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
