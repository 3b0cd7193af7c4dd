//! `VisibleMeshes`: the meshes that a view shows, nearest first, and their vertices.

use std::borrow::Cow;
use std::sync::Arc;

use glam::{DMat4, Mat4, Vec3};
use pleach::{AssetId, AssetVersion, Draw, Geometry, NodeId, RenderList, Scene, View, Visible};

use crate::lines::projector::Projector;
use crate::prepare::posed_vertices::PosedVertices;

/// The mesh parts that a view shows.
#[derive(Debug)]
pub(super) struct VisibleMeshes<'a> {
    pub(super) scene: &'a Scene,
    draws: Vec<Draw>,
    list: RenderList,
}

impl<'a> VisibleMeshes<'a> {
    /// Collects the meshes on the camera's layers, at the level of detail for this view.
    pub(super) fn new(scene: &'a Scene, view: &View) -> Self {
        let (mut visible, mut list) = (Visible::new(), RenderList::new());
        scene.cull(view, &mut visible);
        list.build(scene, &visible, view);
        // A part with several materials has several draws, of which one suffices.
        let is_first =
            |draw: &&Draw| draw.group.as_ref().is_none_or(|triangles| triangles.start == 0);
        let draws = list.opaque().iter().chain(list.transparent()).filter(is_first);
        let mut draws: Vec<Draw> = draws.cloned().collect();
        draws.sort_by(|a, b| {
            a.depth.total_cmp(&b.depth).then_with(|| (a.world, a.part).cmp(&(b.world, b.part)))
        });
        Self { scene, draws, list }
    }

    /// Returns the nodes, without duplicates.
    pub(super) fn nodes(&self) -> impl Iterator<Item = NodeId> {
        self.draws.iter().filter(|draw| draw.part == 0).map(|draw| draw.node)
    }

    /// Returns the parts of the meshes.
    pub(super) fn parts(&self, projector: &Projector) -> impl Iterator<Item = VisiblePart<'_>> {
        self.draws.iter().filter_map(move |draw| self.part(projector, draw))
    }

    fn part(&self, projector: &Projector, draw: &Draw) -> Option<VisiblePart<'_>> {
        let scene = self.scene;
        let mesh = scene.mesh(draw.node)?;
        let part = mesh.parts.get(draw.part as usize)?;
        let joints = draw.joint_matrices.and_then(|_| scene.joint_matrices().get(draw.node));
        let world = projector.model_to_view(scene.graph.get(draw.node)?.world().as_dmat4());
        let indices =
            &self.list.instances()[draw.instances.start as usize..draw.instances.end as usize];
        let matrices = match (&mesh.instances, joints) {
            // The joint matrices transform vertices to world space.
            (_, Some(_)) => vec![projector.model_to_view(DMat4::IDENTITY)],
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
            weights: weights.map_or(&[], pleach::MorphWeights::as_slice),
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
    /// The transforms from vertex space to view space, one per instance.
    pub(super) matrices: Vec<DMat4>,
}

impl VisiblePart<'_> {
    /// Returns positions and normals, in world space if the part is skinned, otherwise in the space
    /// of its node. Normals have any length, and are empty if the geometry has none. O(vertices) if
    /// the part is skinned or morphed.
    pub(super) fn vertices(&self) -> (Cow<'_, [Vec3]>, Cow<'_, [Vec3]>) {
        if self.joint_matrices.is_empty() && self.weights.is_empty() {
            let Geometry { positions, normals, .. } = self.geometry.value();
            return (Cow::Borrowed(positions), Cow::Borrowed(normals));
        }
        let posed = PosedVertices::new(&self.geometry, None, self.joint_matrices, self.weights);
        (Cow::Owned(posed.positions), Cow::Owned(posed.normals))
    }
}
