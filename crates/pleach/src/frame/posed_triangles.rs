//! The triangles of skinned and morphed meshes in their current pose, for picking.
//!
//! Posed when a ray comes near, not by every update: an update only marks them as stale.
//!
//! Invariant: trees that are not stale have the triangles of the last update's pose.

use glam::{Mat4, Vec3};
use pleach_graph::{NodeId, NodeMap};
use pleach_spatial::TriangleTree;

use super::mesh_bounds::PoseInputs;
use super::update::ChangedRows;
use crate::{Graph, JointMatrices, Mesh, Table};

#[derive(Debug, Default)]
pub(crate) struct PosedTriangles {
    meshes: NodeMap<PosedMesh>,
    /// The nodes near the last ray. Kept for its memory.
    pub(super) candidates: Vec<NodeId>,
    /// Kept for its memory.
    positions: Vec<Vec3>,
}

/// The triangle trees of a posed mesh, one per part.
#[derive(Debug)]
struct PosedMesh {
    trees: Vec<TriangleTree>,
    stale: bool,
}

impl PosedTriangles {
    pub(super) fn remove(&mut self, node: NodeId) {
        self.meshes.remove(node);
    }

    /// Drops the trees of meshes that changed, and marks those with another pose as stale.
    pub(super) fn invalidate(&mut self, inputs: &PoseInputs<'_>, changed: &ChangedRows) {
        if self.meshes.is_empty() {
            return;
        }
        let PoseInputs { graph, skins, weights, .. } = *inputs;
        for &node in changed.meshes.iter().chain(&changed.skins) {
            self.meshes.remove(node);
        }
        for &node in &changed.weights {
            if skins.get(graph, node).is_some() || weights.get(graph, node).is_some() {
                self.mark_stale(graph, node);
            } else {
                self.meshes.remove(node);
            }
        }
        for (node, _) in inputs.joint_matrices.changed() {
            self.mark_stale(graph, node);
        }
    }

    fn mark_stale(&mut self, graph: &Graph, node: NodeId) {
        if let Some(mesh) = self.meshes.get_mut(graph, node) {
            mesh.stale = true;
        }
    }

    /// Returns the triangles of a part, if they are up to date.
    pub(super) fn tree(&self, graph: &Graph, node: NodeId, part: usize) -> Option<&TriangleTree> {
        self.meshes.get(graph, node).filter(|mesh| !mesh.stale)?.trees.get(part)
    }

    /// Brings the triangles of a mesh up to date, if it is skinned or morphed.
    pub(super) fn pose(
        &mut self,
        graph: &Graph,
        node: NodeId,
        meshes: &Table<Mesh>,
        weights: &Table<Vec<f32>>,
        joint_matrices: &JointMatrices,
    ) {
        let Some(mesh) = meshes.get(graph, node) else { return };
        let (weights, matrices) = (weights.get(graph, node), joint_matrices.get(node));
        if matrices.is_none() && weights.is_none() {
            return;
        }
        let weights = weights.map_or(&[][..], Vec::as_slice);
        let trees = match self.meshes.get_mut(graph, node) {
            Some(mesh) if !mesh.stale => return,
            Some(mesh) => core::mem::take(&mut mesh.trees),
            None => Vec::new(),
        };
        let trees = pose_parts(mesh, matrices.unwrap_or(&[]), weights, trees, &mut self.positions);
        // Cannot fail: a node with a mesh is in the graph.
        _ = self.meshes.insert(graph, node, PosedMesh { trees, stale: false });
    }
}

/// Refits the trees of a mesh's parts to a pose, or builds those that do not fit.
fn pose_parts(
    mesh: &Mesh,
    joint_matrices: &[Mat4],
    weights: &[f32],
    mut trees: Vec<TriangleTree>,
    positions: &mut Vec<Vec3>,
) -> Vec<TriangleTree> {
    for (index, part) in mesh.parts.iter().enumerate() {
        let geometry = part.geometry.get();
        geometry.posed_positions(joint_matrices, weights, positions);
        let fits = trees.get_mut(index).is_some_and(|tree| {
            tree.len() == geometry.triangle_count() && tree.refit(positions).is_ok()
        });
        if !fits {
            let indices: Vec<u32> = geometry.triangles().flatten().collect();
            trees.truncate(index);
            // With an index out of range the tree is empty.
            trees.push(TriangleTree::build(positions, &indices).unwrap_or_default());
        }
    }
    trees.truncate(mesh.parts.len());
    trees
}
