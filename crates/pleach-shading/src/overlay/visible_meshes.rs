//! `VisibleMeshes`: the meshes of a render list, nearest first, and their vertices.

use std::borrow::Cow;
use std::sync::Arc;

use glam::{DMat4, Mat4, Vec3};
use pleach::{AssetId, AssetVersion, Draw, Geometry, MorphWeights, NodeId, RenderList, Scene};

use crate::posed_directions::PosedDirections;

/// The mesh parts of a render list.
#[derive(Debug)]
pub(super) struct VisibleMeshes<'a> {
    pub(super) scene: &'a Scene,
    list: &'a RenderList,
    draws: Vec<&'a Draw>,
}

impl<'a> VisibleMeshes<'a> {
    /// Sorts the draws of a list, which was built for this scene.
    pub(super) fn new(scene: &'a Scene, list: &'a RenderList) -> Self {
        // A part with several materials has several draws, of which one suffices.
        let is_first =
            |draw: &&Draw| draw.group.as_ref().is_none_or(|triangles| triangles.start == 0);
        let draws = list.opaque().iter().chain(list.transparent()).filter(is_first);
        let mut draws: Vec<&Draw> = draws.collect();
        draws.sort_by(|a, b| {
            a.depth.total_cmp(&b.depth).then_with(|| (a.world, a.part).cmp(&(b.world, b.part)))
        });
        Self { scene, list, draws }
    }

    /// Returns the nodes, without duplicates.
    pub(super) fn nodes(&self) -> impl Iterator<Item = NodeId> {
        self.draws.iter().filter(|draw| draw.part == 0).map(|draw| draw.node)
    }

    /// Returns the parts of the meshes.
    pub(super) fn parts(&self) -> impl Iterator<Item = VisiblePart<'_>> {
        self.draws.iter().filter_map(|draw| self.part(draw))
    }

    fn part(&self, draw: &Draw) -> Option<VisiblePart<'_>> {
        let scene = self.scene;
        let mesh = scene.mesh(draw.node)?;
        let part = mesh.parts.get(draw.part as usize)?;
        let joints = draw.joint_matrices.and_then(|_| scene.joint_matrices().get(draw.node));
        let world = scene.graph.get(draw.node)?.world().as_dmat4();
        let indices = self
            .list
            .instances()
            .get(draw.instances.start as usize..draw.instances.end as usize)?;
        let matrices = match (&mesh.instances, joints) {
            // The joint matrices transform vertices to world space.
            (_, Some(_)) => vec![DMat4::IDENTITY],
            (None, None) => vec![world],
            (Some(instances), None) => {
                let matrix = |&instance: &u32| instances.matrices().get(instance as usize);
                indices.iter().filter_map(matrix).map(|it| world * it.as_dmat4()).collect()
            }
        };
        let weights = scene.weights.get(&scene.graph, draw.node);
        Some(VisiblePart {
            id: draw.geometry,
            geometry: part.geometry.snapshot(),
            joint_matrices: joints.unwrap_or(&[]),
            weights: weights.map_or(&[], MorphWeights::as_slice),
            matrices,
        })
    }
}

/// A part of a mesh with its pose.
#[derive(Debug)]
pub(super) struct VisiblePart<'a> {
    pub(super) id: AssetId,
    pub(super) geometry: Arc<AssetVersion<Geometry>>,
    joint_matrices: &'a [Mat4],
    weights: &'a [f32],
    /// The transforms from vertex space to world space, one per instance.
    pub(super) matrices: Vec<DMat4>,
}

impl VisiblePart<'_> {
    /// Returns the positions, in world space if the part is skinned, otherwise in the space of its
    /// node. O(vertices) if the part is skinned or morphed.
    pub(super) fn positions(&self) -> Cow<'_, [Vec3]> {
        if !self.is_posed() {
            return Cow::Borrowed(&self.geometry.positions);
        }
        let mut positions = Vec::new();
        self.geometry.posed_positions(self.joint_matrices, self.weights, &mut positions);
        Cow::Owned(positions)
    }

    /// Returns positions and normals. Normals have any length, and are empty if the geometry has
    /// none. O(vertices) if the part is skinned or morphed.
    pub(super) fn vertices(&self) -> (Cow<'_, [Vec3]>, Cow<'_, [Vec3]>) {
        let positions = self.positions();
        if !self.is_posed() {
            return (positions, Cow::Borrowed(&self.geometry.normals));
        }
        let posed = PosedDirections::new(&self.geometry, self.joint_matrices, self.weights);
        (positions, Cow::Owned(posed.normals))
    }

    fn is_posed(&self) -> bool {
        !self.joint_matrices.is_empty() || !self.weights.is_empty()
    }
}
