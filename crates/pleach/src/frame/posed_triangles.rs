//! The triangles of skinned and morphed meshes in their current pose, for picking.
//!
//! Posed when a ray comes near, not by every update: an update only drops those whose pose changed.
//! Several threads may pick at the same time: the first one that comes near a mesh poses it, and
//! the others wait for that mesh meanwhile.
//!
//! Invariants after an update: each skinned or morphed mesh has an entry; trees that are present
//! have the triangles of the last update's pose.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use glam::{Mat4, Vec3};
use pleach_graph::{NodeId, NodeMap};
use pleach_spatial::TriangleTree;

use super::mesh_bounds::PoseInputs;
use super::update::ChangedRows;
use crate::{Geometry, Graph, Mesh, Table};

#[derive(Debug, Default)]
pub(crate) struct PosedTriangles {
    meshes: NodeMap<PosedMesh>,
    /// Kept for its memory.
    positions: Mutex<Vec<Vec3>>,
}

/// The triangle trees of a posed mesh, one per part.
#[derive(Debug, Default)]
struct PosedMesh {
    trees: OnceLock<Vec<TriangleTree>>,
    /// The trees of an earlier pose, to be refitted.
    previous: Mutex<Vec<TriangleTree>>,
}

impl Clone for PosedTriangles {
    fn clone(&self) -> Self {
        Self { meshes: self.meshes.clone(), positions: Mutex::default() }
    }
}

impl Clone for PosedMesh {
    /// Without earlier trees: the next pose builds new ones.
    fn clone(&self) -> Self {
        Self { trees: self.trees.clone(), previous: Mutex::default() }
    }
}

/// The data that a mesh is posed with.
pub(super) struct Pose<'a> {
    pub(super) mesh: &'a Mesh,
    pub(super) joint_matrices: &'a [Mat4],
    pub(super) weights: &'a [f32],
}

impl PosedTriangles {
    pub(super) fn remove(&mut self, node: NodeId) {
        self.meshes.remove(node);
    }

    /// Drops the trees of meshes that changed or have another pose.
    pub(super) fn invalidate(
        &mut self,
        inputs: &PoseInputs<'_>,
        meshes: &Table<Mesh>,
        changed: &ChangedRows,
    ) {
        let PoseInputs { graph, skins, weights, .. } = *inputs;
        let is_posed = |node| {
            let is_posed = skins.get(graph, node).is_some() || weights.get(graph, node).is_some();
            is_posed && meshes.get(graph, node).is_some()
        };
        for &node in changed.meshes.iter().chain(&changed.skins) {
            self.meshes.remove(node);
            if is_posed(node) {
                self.insert(graph, node);
            }
        }
        for &node in &changed.weights {
            match self.meshes.get_mut(graph, node) {
                Some(mesh) if is_posed(node) => mesh.reset(),
                Some(_) => _ = self.meshes.remove(node),
                None if is_posed(node) => self.insert(graph, node),
                None => {}
            }
        }
        if self.meshes.is_empty() {
            return;
        }
        for (node, _) in inputs.joint_matrices.changed() {
            if let Some(mesh) = self.meshes.get_mut(graph, node) {
                mesh.reset();
            }
        }
    }

    fn insert(&mut self, graph: &Graph, node: NodeId) {
        // Cannot fail: a node with a mesh is in the graph.
        _ = self.meshes.insert(graph, node, PosedMesh::default());
    }

    /// Returns the triangles of a part, posed by the first caller since the pose changed; `None`
    /// if the mesh was not posed at the last update.
    pub(super) fn tree<'a>(
        &'a self,
        graph: &Graph,
        node: NodeId,
        part: usize,
        pose: impl FnOnce() -> Pose<'a>,
    ) -> Option<&'a TriangleTree> {
        let mesh = self.meshes.get(graph, node)?;
        let trees = mesh.trees.get_or_init(|| {
            let previous = core::mem::take(&mut *lock(&mesh.previous));
            let mut positions = core::mem::take(&mut *lock(&self.positions));
            let trees = pose_parts(&pose(), previous, &mut positions);
            *lock(&self.positions) = positions;
            trees
        });
        trees.get(part)
    }
}

impl PosedMesh {
    /// Keeps the memory of the trees for the next pose.
    fn reset(&mut self) {
        if let Some(trees) = self.trees.take() {
            *lock(&self.previous) = trees;
        }
    }
}

/// Locks buffers, which a panic cannot leave inconsistent.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Refits the trees of a mesh's parts to a pose, or builds those that do not fit.
fn pose_parts(
    pose: &Pose<'_>,
    mut trees: Vec<TriangleTree>,
    positions: &mut Vec<Vec3>,
) -> Vec<TriangleTree> {
    let parts = &pose.mesh.parts;
    for (index, part) in parts.iter().enumerate() {
        let geometry = part.geometry.get();
        geometry.posed_positions(pose.joint_matrices, pose.weights, positions);
        let fits = trees.get_mut(index).is_some_and(|tree| {
            tree.len() == geometry.triangle_count() && tree.refit(positions).is_ok()
        });
        if !fits {
            trees.truncate(index);
            trees.push(geometry.build_posed_tree(positions));
        }
    }
    trees.truncate(parts.len());
    trees
}

impl Geometry {
    /// Builds a tree of the triangles with other positions, for example
    /// [posed](Self::posed_positions) ones; otherwise like [`build_tree`](Self::build_tree).
    ///
    /// ```
    /// use pleach::glam::{Vec2, Vec3};
    /// use pleach::{Ray, shapes::Plane};
    ///
    /// let floor = Plane::new(Vec2::splat(4.0)).build()?;
    /// let raised: Vec<Vec3> = floor.positions.iter().map(|&position| position + Vec3::Z).collect();
    /// let down = Ray::new(Vec3::new(1.0, 0.5, 3.0), Vec3::NEG_Z)?;
    /// let (_triangle, hit) = floor.build_posed_tree(&raised).raycast(&down).unwrap();
    /// assert_eq!(hit.distance, 2.0);
    /// # Ok::<(), pleach::Error>(())
    /// ```
    #[must_use]
    pub fn build_posed_tree(&self, positions: &[Vec3]) -> TriangleTree {
        if positions.is_empty() {
            return TriangleTree::default();
        }
        let exists = |&vertex: &u32| (vertex as usize) < positions.len();
        // A triangle with an index out of range keeps its number, as one without area.
        let existing = |vertices: [u32; 3]| match vertices.iter().all(exists) {
            true => vertices,
            false => [0; 3],
        };
        let indices: Vec<u32> = self.triangles().flat_map(existing).collect();
        TriangleTree::build(positions, &indices).unwrap_or_default()
    }
}
