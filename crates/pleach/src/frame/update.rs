//! `Scene::update`: brings everything derived from the graph and the tables up to date.
//!
//! After the graph's own update the stages below run in order, each for the nodes that changed
//! or were removed and the rows that changed since the last update.
//!
//! Invariants after an update: every mesh with vertices has bounds in the spatial index, posed
//! if it is skinned or morphed; joint matrices match the world transforms of the joints; no
//! table has a row of a removed node.

use pleach_graph::{Graph, NodeId};
use pleach_spatial::{Aabb, SpatialIndex, SyncStats};

use super::attachment::Attachment;
use super::lod_selection::LodMembers;
use super::mesh_bounds::{MeshBounds, PoseInputs};
use super::posed_triangles::PosedTriangles;
use crate::assets::geometry_edits;
use crate::{Error, JointMatrices, Mesh, Scene, Skin, Table};

/// The data that [`Scene::update`] derives, by stage.
#[derive(Debug, Default)]
pub(crate) struct Derived {
    removed: Vec<NodeId>,
    pub(crate) attachment: Attachment,
    pub(crate) joint_matrices: JointMatrices,
    changed_rows: ChangedRows,
    pub(crate) posed_triangles: PosedTriangles,
    mesh_bounds: MeshBounds,
    pub(crate) lod_members: LodMembers,
    /// The number of edits of geometries at the last update.
    geometry_edits: u64,
}

/// Nodes whose rows changed since the last update; a node may be listed more than once.
#[derive(Debug, Default)]
pub(super) struct ChangedRows {
    pub(super) meshes: Vec<NodeId>,
    pub(super) skins: Vec<NodeId>,
    pub(super) weights: Vec<NodeId>,
}

/// A skinned node and its world bounds.
pub(super) type PosedBounds = (NodeId, Aabb);

/// Runs the stages that threads can share; by default on the calling thread.
pub(super) trait Executor {
    /// Computes the matrices of the dirty skins.
    fn compute_matrices(graph: &Graph, skins: &Table<Skin>, matrices: &mut JointMatrices) {
        matrices.compute(graph, skins);
    }

    /// Sets the bounds of each node to `posed(node)`, or to [`Aabb::EMPTY`].
    fn compute_bounds(all: &mut [PosedBounds], posed: impl Fn(NodeId) -> Option<Aabb> + Sync) {
        for (node, bounds) in all {
            *bounds = posed(*node).unwrap_or(Aabb::EMPTY);
        }
    }

    /// Updates the spatial index.
    fn sync(spatial: &mut SpatialIndex, graph: &Graph) -> Result<SyncStats, pleach_spatial::Error> {
        spatial.sync(graph)
    }
}

/// The calling thread.
struct Serial;

impl Executor for Serial {}

/// Statistics of one [`update`](Scene::update).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SceneUpdateStats {
    /// The number of nodes whose world transforms were computed.
    pub changed: usize,
    /// The number of skins whose joint matrices were computed.
    pub skins: usize,
    /// The number of nodes whose world bounds were computed.
    pub bounds: usize,
    /// The number of nodes removed from the spatial index.
    pub removed: usize,
}

impl Scene {
    /// Updates constraints, world transforms, joint matrices, bounds and the spatial index. Call it
    /// once per frame, after all edits. The cost is proportional to the nodes and rows that changed;
    /// the update after an [edit](crate::Handle::edit) of a geometry also looks at every mesh.
    ///
    /// Afterwards [`Graph::changed`] lists the nodes that this update changed, and
    /// [`removed`](Self::removed) the nodes removed since the previous one. For changes of
    /// visibility, or to read changes less often, create a
    /// [`change_reader`](Graph::change_reader) of the graph.
    ///
    /// # Errors
    ///
    /// [`Error::Graph`] if `graph` was replaced by another graph.
    pub fn update(&mut self) -> Result<SceneUpdateStats, Error> {
        self.begin_update();
        let changed = self.graph.update().changed;
        self.update_derived::<Serial>(changed)
    }

    /// Applies the constraints and starts a new list of changed nodes.
    pub(super) fn begin_update(&mut self) {
        self.constraints.apply(&mut self.graph);
        self.graph.clear_changes();
    }

    /// Runs the stages after the graph's update, which changed `changed` nodes.
    pub(super) fn update_derived<E: Executor>(
        &mut self,
        changed: usize,
    ) -> Result<SceneUpdateStats, Error> {
        self.read_graph_changes()?;
        self.drop_rows_of_removed_nodes();
        self.take_changed_rows();
        let Self { graph, meshes, skins, weights, lods, spatial, derived, .. } = self;
        let Derived { removed, attachment, joint_matrices, changed_rows, .. } = derived;
        E::compute_matrices(graph, skins, joint_matrices);
        let inputs = PoseInputs { graph, skins, weights, joint_matrices, attachment };
        derived.posed_triangles.invalidate(&inputs, changed_rows);
        derived.mesh_bounds.update_changed(&inputs, changed_rows, meshes, spatial)?;
        derived.mesh_bounds.update_posed::<E>(&inputs, meshes, spatial)?;
        derived.lod_members.update(graph, lods, !removed.is_empty());
        let SyncStats { computed, removed, .. } = E::sync(spatial, graph)?;
        let skins = joint_matrices.changed().count();
        Ok(SceneUpdateStats { changed, skins, bounds: computed, removed })
    }

    /// Reads the graph's changes: removed nodes, skins to recompute, nodes that were attached
    /// or detached.
    fn read_graph_changes(&mut self) -> Result<(), Error> {
        let Self { graph, root, skins, spatial, derived, .. } = self;
        let changes = self.change_reader.read(graph)?;
        derived.removed.clear();
        derived.removed.extend_from_slice(changes.removed());
        derived.joint_matrices.mark_dirty(graph, skins, &changes);
        derived.attachment.update(graph, *root, changes.changed(), spatial)
    }

    /// Drops the rows of removed nodes from the tables, except from the skins: `mark_dirty` did.
    fn drop_rows_of_removed_nodes(&mut self) {
        let Self { graph, derived, .. } = self;
        let removed = derived.removed.as_slice();
        if removed.is_empty() {
            return;
        }
        self.meshes.drop_removed(graph, removed);
        self.cameras.drop_removed(graph, removed);
        self.lights.drop_removed(graph, removed);
        self.weights.drop_removed(graph, removed);
        self.lods.drop_removed(graph, removed);
        self.constraints.purge(graph);
        for &node in removed {
            derived.mesh_bounds.remove(node);
            derived.posed_triangles.remove(node);
        }
    }

    /// Takes the lists of changed rows that bounds depend on, and clears those of cameras and
    /// lights, which nothing is derived from.
    fn take_changed_rows(&mut self) {
        let ChangedRows { meshes, skins, weights } = &mut self.derived.changed_rows;
        self.meshes.take_changed(meshes);
        add_edited_meshes(&self.meshes, &self.graph, &mut self.derived.geometry_edits, meshes);
        self.skins.take_changed(skins);
        self.weights.take_changed(weights);
        self.cameras.clear_changed();
        self.lights.clear_changed();
    }

    /// Computes the joint matrices of all skins, changed or not: for measurements.
    #[doc(hidden)]
    pub fn recompute_joint_matrices(&mut self) {
        self.derived.joint_matrices.recompute(&self.graph, &self.skins);
    }

    /// Returns the nodes that were removed between the last two updates, in order of removal.
    #[must_use]
    pub fn removed(&self) -> &[NodeId] {
        &self.derived.removed
    }
}

/// Adds the meshes whose geometry was edited to a list of changed rows. O(meshes) after an edit of a
/// geometry anywhere in the process, otherwise O(1).
fn add_edited_meshes(
    meshes: &Table<Mesh>,
    graph: &Graph,
    seen: &mut u64,
    changed: &mut Vec<NodeId>,
) {
    let edits = geometry_edits();
    if edits == *seen {
        return;
    }
    for (node, mesh) in meshes.iter(graph) {
        if mesh.parts.iter().any(|part| part.geometry.edited_since(*seen)) {
            changed.push(node);
        }
    }
    *seen = edits;
}
