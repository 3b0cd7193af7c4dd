//! `PosedVertices`: positions, normals and tangents of a skinned or morphed part.
//!
//! Positions are those that `Scene::pick` hits.
//!
//! Invariant: an attribute is empty or has one entry per position.

use glam::{Mat4, Vec3, Vec4};
use pleach::Geometry;
use pleach_shading::{PosedDirections, pose_corner_tangents};
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
        let PosedDirections { normals, tangents } =
            PosedDirections::new(geometry, joint_matrices, weights);
        let corner_tangents = generated.map_or_else(Vec::new, |generated| {
            pose_corner_tangents(geometry, generated, joint_matrices)
        });
        let tree = geometry.build_posed_tree(&positions);
        Self { tree, positions, normals, tangents, corner_tangents }
    }
}
