//! `update`: everything that follows from the graph and the tables.
//!
//! After the graph's own update the scene reads what moved and died, and which rows were
//! touched, and brings palettes, poses and bounds up to date for these only.
//!
//! Invariants, after an update: every mesh that has vertices has bounds in the index, posed
//! if it is skinned or morphed; palettes fit the joints' worlds; no table has a row of a
//! dead node.

use std::sync::Arc;

use glam::Vec3;
use pleach_graph::{ChangedNodes, Graph, NodeId, NodeMap};
use pleach_spatial::{Aabb, SpatialIndex, SyncStats};

use super::pick::Posed;
use crate::assets::JointBoxes;
use crate::components::Members;
use crate::{Error, JointMatrices, Mesh, Scene, Skin, Table};

/// A way to fill in the bounds of poses.
pub(crate) type PoseBounds = fn(&mut [(NodeId, Aabb)], &(dyn Fn(NodeId) -> Option<Aabb> + Sync));

/// One after the other.
fn pose_bounds(poses: &mut [(NodeId, Aabb)], posed: &(dyn Fn(NodeId) -> Option<Aabb> + Sync)) {
    for (node, aabb) in poses {
        *aabb = posed(*node).unwrap_or(Aabb::EMPTY);
    }
}

/// What is derived, and lists kept for their memory.
#[derive(Debug, Default)]
pub(crate) struct Followers {
    pub(crate) palettes: JointMatrices,
    joint_boxes: NodeMap<Arc<JointBoxes>>,
    /// Triangles in their poses, of what was picked.
    pub(crate) posed: NodeMap<Posed>,
    touched: Vec<NodeId>,
    pub(crate) members: Members,
    /// By slot: is the node below the scene's root?
    attached: Vec<bool>,
    /// The version of the tree that this was noted of.
    structure: Option<u64>,
    removed: Vec<NodeId>,
    pub(crate) near: Vec<NodeId>,
    pub(crate) positions: Vec<Vec3>,
    poses: Vec<(NodeId, Aabb)>,
}

impl Followers {
    /// Was a node below the scene's root at the last update?
    pub(crate) fn is_attached(&self, node: NodeId) -> bool {
        self.attached.get(node.index()).copied().unwrap_or(false)
    }
}

/// What is to be made anew of a mesh.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Remake {
    /// Everything: another geometry, other joints.
    All,
    /// What follows from other weights.
    Pose,
}

/// What an [`update`](Scene::update) did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SceneUpdateStats {
    /// Nodes whose world transforms were computed.
    pub changed: usize,
    /// Skins whose palettes were computed.
    pub skins: usize,
    /// Nodes whose world bounds were computed.
    pub bounds: usize,
    /// Nodes with bounds that left.
    pub removed: usize,
}

impl Scene {
    /// Once a frame, after all edits: constraints, world transforms, palettes, poses' bounds and
    /// the index. Costs what moved and what was touched.
    ///
    /// Afterwards [`Graph::changed`] lists what this update moved, and
    /// [`removed`](Self::removed) what died since the one before. For changes of `shown`, or to
    /// look less often, [`change_reader`](Graph::change_reader) to the graph.
    ///
    /// # Errors
    ///
    /// [`Error::Graph`] if the graph was exchanged for another: the scene follows its own.
    pub fn update(&mut self) -> Result<SceneUpdateStats, Error> {
        self.begin_update();
        let moved = self.graph.update().changed;
        self.follow(moved, JointMatrices::compute, pose_bounds)
    }

    /// What comes before the graph's update.
    pub(crate) fn begin_update(&mut self) {
        self.constraints.apply(&mut self.graph);
        self.graph.clear_changes();
    }

    /// All palettes anew, moved or not: for measuring.
    #[doc(hidden)]
    pub fn recompute_joint_matrices(&mut self) {
        self.followers.palettes.recompute(&self.graph, &self.skins);
    }

    /// The nodes that were removed between the last two updates, in the order of their removal.
    #[must_use]
    pub fn removed(&self) -> &[NodeId] {
        &self.followers.removed
    }

    /// What follows from an update of the graph that moved so many nodes.
    pub(crate) fn follow(
        &mut self,
        moved: usize,
        compute: fn(&mut JointMatrices, &Graph, &Table<Skin>),
        bounds: PoseBounds,
    ) -> Result<SceneUpdateStats, Error> {
        let changes = self.feed.read(&self.graph)?;
        let removed = changes.removed();
        self.followers.removed.clear();
        self.followers.removed.extend_from_slice(removed);
        let palettes = &mut self.followers.palettes;
        if self.skins.is_touched() || removed.iter().any(|&node| palettes.knows(node)) {
            self.skins.forget(&self.graph, removed);
            palettes.lay_out(&self.graph, &self.skins);
        } else {
            palettes.follow(changes.changed());
        }
        if !removed.is_empty() {
            self.meshes.forget(&self.graph, removed);
            self.cameras.forget(&self.graph, removed);
            self.lights.forget(&self.graph, removed);
            self.weights.forget(&self.graph, removed);
            self.lods.forget(&self.graph, removed);
            self.constraints.purge(&self.graph);
            for &node in removed {
                self.followers.joint_boxes.remove(node);
                self.followers.posed.remove(node);
            }
        }
        let some_removed = !removed.is_empty();
        compute(&mut self.followers.palettes, &self.graph, &self.skins);
        // Only another tree can change that.
        let structure = Some(self.graph.structure_version());
        if core::mem::replace(&mut self.followers.structure, structure) != structure {
            let attached = &mut self.followers.attached;
            let (graph, meshes, spatial) = (&self.graph, &self.meshes, &mut self.spatial);
            note_attached(attached, self.root, graph, meshes, spatial, changes.changed())?;
        }
        self.bound_touched()?;
        self.bound_posed(bounds)?;
        if self.lods.is_touched() || (some_removed && !self.lods.is_empty()) {
            self.lods.take_touched(&mut self.followers.touched);
            self.followers.members.find(&self.graph, &self.lods);
        }
        let SyncStats { computed, removed, .. } = self.spatial.sync(&self.graph)?;
        Ok(SceneUpdateStats {
            changed: moved,
            skins: self.followers.palettes.changed().count(),
            bounds: computed,
            removed,
        })
    }

    /// Bounds of meshes that are new or changed, or whose skin or weights are.
    fn bound_touched(&mut self) -> Result<(), Error> {
        let mut touched = core::mem::take(&mut self.followers.touched);
        self.meshes.take_touched(&mut touched);
        // A scene that was just filled: room for all of it at once.
        let new = self.meshes.len().saturating_sub(self.spatial.len());
        if new.min(touched.len()) > self.spatial.len() {
            self.spatial.reserve(new.min(touched.len()));
        }
        touched.iter().try_for_each(|&node| self.bound(node, Remake::All))?;
        self.skins.take_touched(&mut touched);
        touched.iter().try_for_each(|&node| self.bound(node, Remake::All))?;
        self.weights.take_touched(&mut touched);
        touched.iter().try_for_each(|&node| self.bound(node, Remake::Pose))?;
        // Nothing follows from these.
        self.cameras.take_touched(&mut touched);
        self.lights.take_touched(&mut touched);
        self.followers.touched = touched;
        Ok(())
    }

    /// Bounds of skinned meshes whose joints moved.
    fn bound_posed(&mut self, bounds: PoseBounds) -> Result<(), Error> {
        let Self { graph, meshes, weights, spatial, followers, .. } = self;
        let Followers { palettes, joint_boxes, posed, poses, attached, .. } = followers;
        poses.clear();
        poses.extend(palettes.changed().map(|(node, _)| (node, Aabb::EMPTY)));
        bounds(poses, &|node| {
            let boxes = joint_boxes.get(graph, node)?;
            let weights = weights.get(graph, node).map_or(&[][..], Vec::as_slice);
            Some(boxes.posed(palettes.get(node)?, weights))
        });
        for &(node, aabb) in &*poses {
            if let (Some(_), Some(mesh)) = (joint_boxes.get(graph, node), meshes.get(graph, node)) {
                let is_new = !spatial.contains(node);
                spatial.set_world_bounds(graph, node, finite(aabb))?;
                // A pose without bounds, not finite perhaps, took it out with its layers.
                if is_new {
                    set_marks(spatial, mesh, node, attached.get(node.index()) == Some(&true))?;
                }
            }
            if let Some(posed) = posed.get_mut(graph, node) {
                posed.stale = true;
            }
        }
        Ok(())
    }

    fn bound(&mut self, node: NodeId, remake: Remake) -> Result<(), Error> {
        let Self { graph, meshes, skins, weights, spatial, followers, .. } = self;
        if !graph.contains(node) {
            return Ok(());
        }
        let (skin, weights) = (skins.get(graph, node), weights.get(graph, node));
        let is_posed = skin.is_some() || weights.is_some();
        let weights = weights.map_or(&[][..], Vec::as_slice);
        if remake == Remake::All || !is_posed {
            followers.posed.remove(node);
        } else if let Some(posed) = followers.posed.get_mut(graph, node) {
            posed.stale = true;
        }
        let Some(mesh) = meshes.rows_and_touched().0.get_mut(graph, node) else {
            spatial.remove(node);
            followers.joint_boxes.remove(node);
            return Ok(());
        };
        if let Some(skin) = skin {
            if remake == Remake::All || followers.joint_boxes.get(graph, node).is_none() {
                let boxes = JointBoxes::new(mesh, skin.joints.len());
                followers.joint_boxes.insert(graph, node, boxes)?;
            }
            let boxes = followers.joint_boxes.get(graph, node);
            if let (Some(boxes), Some(palette)) = (boxes, followers.palettes.get(node)) {
                spatial.set_world_bounds(graph, node, finite(boxes.posed(palette, weights)))?;
            }
        } else {
            followers.joint_boxes.remove(node);
            spatial.set_bounds(graph, node, finite(own_bounds(mesh, weights)))?;
        }
        set_marks(spatial, mesh, node, followers.is_attached(node))
    }
}

/// Tells the index what a mesh says of itself, if it has bounds.
fn set_marks(
    spatial: &mut SpatialIndex,
    mesh: &Mesh,
    node: NodeId,
    attached: bool,
) -> Result<(), Error> {
    if spatial.contains(node) {
        spatial.set_layers(node, if attached { mesh.layers } else { 0 })?;
        spatial.set_frustum_culled(node, mesh.frustum_culled)?;
    }
    Ok(())
}

/// Notes which of the nodes that moved are below the scene's root. What is not is neither
/// drawn nor met: in the index it is on no layer.
fn note_attached(
    attached: &mut Vec<bool>,
    root: NodeId,
    graph: &Graph,
    meshes: &Table<Mesh>,
    spatial: &mut SpatialIndex,
    moved: ChangedNodes<'_>,
) -> Result<(), Error> {
    let parents = graph.parents();
    attached.resize(parents.len(), false);
    for node in moved {
        // Parents come first.
        let parent = attached.get(parents[node.index()] as usize).copied();
        let now = parent.unwrap_or(node == root);
        let before = core::mem::replace(&mut attached[node.index()], now);
        if before != now && spatial.contains(node) {
            let layers = meshes.get(graph, node).map_or(0, |mesh| mesh.layers);
            spatial.set_layers(node, if now { layers } else { 0 })?;
        }
    }
    Ok(())
}

/// The box of a mesh in its node's space, of all its copies if it has some.
fn own_bounds(mesh: &mut Mesh, weights: &[f32]) -> Aabb {
    let parts = mesh.parts.iter().map(|part| part.geometry.morphed_bounds(weights));
    let all = parts.fold(Aabb::EMPTY, |all, part| all.union(&part));
    match &mut mesh.instances {
        Some(instances) => {
            instances.set_geometry_bounds(finite(all));
            instances.bounds()
        }
        None => all,
    }
}

/// Bounds that an index takes.
fn finite(aabb: Aabb) -> Aabb {
    if aabb.is_finite() { aabb } else { Aabb::EMPTY }
}
