//! `Scene::update`: brings everything derived from the graph and the tables up to date.
//!
//! After the graph's own update the stages below run in order, each for the nodes that changed
//! or were removed and the rows that changed since the last update.
//!
//! Invariants after an update: every mesh with vertices has bounds in the spatial index, posed
//! if it is skinned or morphed; joint matrices match the world transforms of the joints; the records
//! of draws match the meshes; the scene's registry knows the assets of every mesh; no table has a row
//! of a removed node.

use pleach_graph::{Graph, NodeId};
use pleach_spatial::{Aabb, SpatialIndex, SyncStats};

use super::attachment::Attachment;
use super::draw_records::DrawRecords;
use super::lod_selection::LodMembers;
use super::mesh_bounds::{MeshBounds, PoseInputs};
use super::posed_triangles::PosedTriangles;
use crate::assets::{flag_edits, geometry_edits};
use crate::components::ConstraintSolver;
use crate::stamp::next_stamp;
use crate::{Assets, Component, Error, JointMatrices, Mesh, Scene, Table};

/// The data that [`Scene::update`] derives, by stage.
#[derive(Clone, Debug, Default)]
pub(crate) struct Derived {
    removed: Vec<NodeId>,
    pub(crate) constraints: ConstraintSolver,
    pub(crate) attachment: Attachment,
    pub(crate) joint_matrices: JointMatrices,
    changed_rows: ChangedRows,
    pub(crate) posed_triangles: PosedTriangles,
    pub(crate) mesh_bounds: MeshBounds,
    pub(crate) lod_members: LodMembers,
    pub(crate) draw_records: DrawRecords,
    /// Changes with what [`NodeLists`](crate::NodeLists) depends on.
    pub(super) lists_stamp: u64,
    /// Changes whenever an update changes anything here.
    pub(super) stamp: u64,
    /// The numbers of edits of geometries and of flags at the last update.
    geometry_edits: u64,
    flag_edits: u64,
}

/// Nodes whose rows changed since the last update; a node may be listed more than once.
#[derive(Clone, Debug, Default)]
pub(super) struct ChangedRows {
    pub(super) meshes: Vec<NodeId>,
    pub(super) skins: Vec<NodeId>,
    pub(super) weights: Vec<NodeId>,
    pub(super) bounds: Vec<NodeId>,
}

/// A skinned node and its world bounds.
pub(super) type PosedBounds = (NodeId, Aabb);

/// Runs the stages that threads can share; by default on the calling thread.
pub(super) trait Executor {
    /// Computes the matrices of the dirty skins.
    fn compute_matrices(graph: &Graph, matrices: &mut JointMatrices) {
        matrices.compute(graph);
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
#[non_exhaustive]
pub struct SceneUpdateStats {
    /// The number of nodes whose world transforms were computed.
    pub changed: usize,
    /// The number of skeletons whose joint matrices were computed; equal skins count once.
    pub skins: usize,
    /// The number of nodes whose world bounds were computed.
    pub bounds: usize,
    /// The number of nodes removed from the spatial index.
    pub removed: usize,
}

impl Scene {
    /// Updates constraints, world transforms, joint matrices, bounds and the spatial index. Call it
    /// once per frame, after all edits. The cost is proportional to the nodes and rows that changed;
    /// the update after an [edit](crate::Handle::edit) of a geometry, or of whether a material is
    /// transparent, also looks at every mesh.
    ///
    /// Afterwards [`changes`](Self::changes) lists what this update changed, in addition to what
    /// changed before it: call [`clear_changes`](Self::clear_changes) once per frame.
    ///
    /// ```
    /// use pleach::glam::Vec3;
    /// use pleach::{Node, Scene};
    ///
    /// let mut scene = Scene::new();
    /// let cart = scene.spawn(Node::group())?;
    /// let wheel = scene.spawn(Node::group().under(cart))?;
    /// scene.update()?;
    ///
    /// scene.node_mut(cart)?.set_translation(Vec3::X)?;
    /// let stats = scene.update()?;
    /// assert_eq!(stats.changed, 2);
    /// assert_eq!(scene.node(wheel)?.world_translation(), Vec3::X);
    /// # Ok::<(), pleach::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Graph`] if `graph` was replaced by another graph; [`Error::RootRemoved`] if the root
    /// was removed from it.
    #[doc(alias("updateMatrixWorld"))]
    pub fn update(&mut self) -> Result<SceneUpdateStats, Error> {
        self.begin_update();
        let changed = self.graph.update().changed;
        self.update_derived::<Serial>(changed)
    }

    /// Applies the constraints.
    pub(super) fn begin_update(&mut self) {
        self.record_constrained();
        let Self { graph, constraints, derived, .. } = self;
        constraints.pause_recording(true);
        graph.unrecorded(|graph| derived.constraints.apply(graph, constraints));
        constraints.pause_recording(false);
    }

    /// Runs the stages after the graph's update, which changed `changed` nodes.
    pub(super) fn update_derived<E: Executor>(
        &mut self,
        changed: usize,
    ) -> Result<SceneUpdateStats, Error> {
        self.read_graph_changes()?;
        self.drop_rows_of_removed_nodes();
        self.take_changed_rows();
        let Self { graph, meshes, skins, weights, bounds, lods, spatial, derived, .. } = self;
        let Derived { removed, attachment, joint_matrices, changed_rows, .. } = derived;
        E::compute_matrices(graph, joint_matrices);
        let inputs = PoseInputs { graph, skins, weights, bounds, joint_matrices, attachment };
        let edits = derived.geometry_edits;
        derived.draw_records.update(graph, meshes, &changed_rows.meshes, edits);
        derived.posed_triangles.invalidate(&inputs, meshes, changed_rows);
        derived.mesh_bounds.update_changed(&inputs, changed_rows, meshes, spatial)?;
        derived.mesh_bounds.update_posed::<E>(&inputs, meshes, spatial)?;
        derived.lod_members.update(graph, lods, !removed.is_empty());
        let SyncStats { computed, removed, .. } = E::sync(spatial, graph)?;
        let skins = joint_matrices.changed_ranges().len();
        self.graph_and_tables_mut().1.for_each(|table| table.clear_changed());
        Ok(SceneUpdateStats { changed, skins, bounds: computed, removed })
    }

    /// Reads the graph's changes: removed nodes, skins to recompute, nodes that were attached
    /// or detached.
    fn read_graph_changes(&mut self) -> Result<(), Error> {
        let Self { graph, root, skins, spatial, derived, .. } = self;
        let changes = self.change_reader.read(graph)?;
        if !graph.contains(*root) {
            return Err(Error::RootRemoved);
        }
        let is_unchanged = changes.changed().next().is_none()
            && changes.shown_changed().next().is_none()
            && changes.reparented().next().is_none()
            && changes.added().next().is_none()
            && changes.removed().is_empty();
        if !is_unchanged {
            derived.stamp = next_stamp();
        }
        derived.removed.clear();
        derived.removed.extend_from_slice(changes.removed());
        derived.joint_matrices.mark_dirty(graph, skins, &changes);
        if derived.attachment.is_outdated(graph) || changes.shown_changed().next().is_some() {
            derived.lists_stamp = next_stamp();
        }
        derived.attachment.update(graph, *root, &changes, spatial)
    }

    /// Drops what belongs to removed nodes: their rows in all tables, and what was derived for them.
    fn drop_rows_of_removed_nodes(&mut self) {
        let removed = core::mem::take(&mut self.derived.removed);
        if !removed.is_empty() {
            for table in self.graph_and_tables_mut().1 {
                table.drop_removed(&removed);
            }
            self.derived.constraints.drop_removed(&removed);
            for &node in &removed {
                self.derived.mesh_bounds.remove(node);
                self.derived.posed_triangles.remove(node);
                self.derived.draw_records.remove(node);
            }
        }
        self.derived.removed = removed;
    }

    /// Drops the rows of a node and its descendants, which are about to be removed.
    pub(crate) fn drop_rows_below(&mut self, node: NodeId) {
        let mut below = core::mem::take(&mut self.derived.removed);
        below.clear();
        below.extend(self.graph.get(node).into_iter().flat_map(|node| node.descendants()));
        for table in self.graph_and_tables_mut().1 {
            table.drop_removed(&below);
        }
        self.derived.removed = below;
    }

    /// Takes the lists of changed rows that bounds depend on.
    fn take_changed_rows(&mut self) {
        if self.meshes.has_changed()
            || self.skins.has_changed()
            || self.cameras.has_changed()
            || self.lights.has_changed()
        {
            self.derived.lists_stamp = next_stamp();
        }
        let edits = (geometry_edits(), flag_edits());
        if self.meshes.has_changed()
            || self.skins.has_changed()
            || self.weights.has_changed()
            || self.bounds.has_changed()
            || self.lods.has_changed()
            || edits != (self.derived.geometry_edits, self.derived.flag_edits)
        {
            self.derived.flag_edits = edits.1;
            self.derived.stamp = next_stamp();
        }
        let ChangedRows { meshes, skins, weights, bounds } = &mut self.derived.changed_rows;
        self.meshes.take_changed(meshes);
        add_edited_meshes(&self.meshes, &self.graph, &mut self.derived.geometry_edits, meshes);
        include_assets(&self.assets, &self.meshes, &self.graph, meshes);
        self.skins.take_changed(skins);
        self.weights.take_changed(weights);
        self.bounds.take_changed(bounds);
        self.include_environment();
    }

    /// Makes the image of the environment map known to the registry of the scene: it may be set at
    /// any time. O(1).
    pub(crate) fn include_environment(&self) {
        if let Some(map) = &self.environment.map {
            map.include_assets(&self.assets);
        }
    }
}

/// Makes the assets of changed meshes known to the registry of the scene.
fn include_assets(assets: &Assets, meshes: &Table<Mesh>, graph: &Graph, changed: &[NodeId]) {
    for mesh in changed.iter().filter_map(|&node| meshes.get(graph, node)) {
        mesh.include_assets(assets);
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
