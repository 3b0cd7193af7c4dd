//! The bounds of meshes in the spatial index.
//!
//! A skinned mesh has world bounds, computed from the bounds of what each joint moves; any
//! other has local bounds, morphed if it has weights. Bounds that are not finite are empty,
//! which removes the node from the index. Bounds set by the user replace both, and other nodes than
//! meshes may have them.

use std::sync::Arc;

use pleach_graph::{Graph, NodeId, NodeMap};
use pleach_spatial::{Aabb, SpatialIndex};

use super::attachment::Attachment;
use super::update::{ChangedRows, Executor, PosedBounds};
use crate::assets::JointBounds;
use crate::{Bounds, Error, JointMatrices, Mesh, MorphWeights, Scene, Skin, Table};

/// The data that poses, and so bounds, are computed from.
pub(super) struct PoseInputs<'a> {
    pub(super) graph: &'a Graph,
    pub(super) skins: &'a Table<Skin>,
    pub(super) weights: &'a Table<MorphWeights>,
    pub(super) bounds: &'a Table<Bounds>,
    pub(super) joint_matrices: &'a JointMatrices,
    pub(super) attachment: &'a Attachment,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct MeshBounds {
    /// By skinned node: the bounds of what each joint moves, before posing.
    joint_bounds: NodeMap<Arc<JointBounds>>,
    /// The bounds of the skins whose joints moved. Kept for its memory.
    posed: Vec<PosedBounds>,
}

impl MeshBounds {
    pub(super) fn remove(&mut self, node: NodeId) {
        self.joint_bounds.remove(node);
    }

    /// Computes the bounds of the nodes whose mesh, skin, weights or user bounds changed.
    pub(super) fn update_changed(
        &mut self,
        inputs: &PoseInputs<'_>,
        changed: &ChangedRows,
        meshes: &mut Table<Mesh>,
        spatial: &mut SpatialIndex,
    ) -> Result<(), Error> {
        // A scene that was just filled: reserve capacity for all of it at once.
        let new = meshes.len().saturating_sub(spatial.len()).min(changed.meshes.len());
        if new > spatial.len() {
            spatial.reserve(new);
        }
        for &node in changed.meshes.iter().chain(&changed.skins).chain(&changed.bounds) {
            // Another geometry or other joints: computed again if it is still skinned.
            self.joint_bounds.remove(node);
            self.update_node(inputs, node, meshes, spatial)?;
        }
        changed.weights.iter().try_for_each(|&node| self.update_node(inputs, node, meshes, spatial))
    }

    fn update_node(
        &mut self,
        inputs: &PoseInputs<'_>,
        node: NodeId,
        meshes: &mut Table<Mesh>,
        spatial: &mut SpatialIndex,
    ) -> Result<(), Error> {
        let PoseInputs { graph, joint_matrices, attachment, .. } = *inputs;
        if !graph.contains(node) {
            return Ok(());
        }
        let user = inputs.bounds.get(graph, node).map(|bounds| finite_or_empty(bounds.0));
        let Some(mesh) = meshes.derived_mut(graph, node) else {
            let Some(bounds) = user else {
                spatial.remove(node);
                return Ok(());
            };
            spatial.set_bounds(graph, node, bounds)?;
            if spatial.contains(node) {
                spatial.set_attached(node, attachment.is_attached(node))?;
            }
            return Ok(());
        };
        let weights = inputs.weights.get(graph, node).map_or(&[][..], MorphWeights::as_slice);
        let skin = inputs.skins.get(graph, node);
        if let Some(user) = user {
            if skin.is_none() {
                // Also that of the instances, which are culled one by one.
                _ = local_bounds(mesh, weights);
            }
            spatial.set_bounds(graph, node, user)?;
        } else if let Some(skin) = skin {
            if self.joint_bounds.get(graph, node).is_none() {
                let bounds = mesh.joint_bounds(skin.joints.len());
                self.joint_bounds.insert(graph, node, bounds)?;
            }
            let bounds = self.joint_bounds.get(graph, node);
            if let (Some(bounds), Some(matrices)) = (bounds, joint_matrices.get(node)) {
                let posed = bounds.posed(matrices, weights);
                spatial.set_world_bounds(graph, node, finite_or_empty(posed))?;
            }
        } else {
            spatial.set_bounds(graph, node, finite_or_empty(local_bounds(mesh, weights)))?;
        }
        set_filtering(spatial, mesh, node, attachment.is_attached(node))
    }

    /// Computes the bounds of the skinned meshes whose joints moved.
    pub(super) fn update_posed<E: Executor>(
        &mut self,
        inputs: &PoseInputs<'_>,
        meshes: &Table<Mesh>,
        spatial: &mut SpatialIndex,
    ) -> Result<(), Error> {
        let Self { joint_bounds, posed, .. } = self;
        let PoseInputs { graph, weights, joint_matrices, attachment, .. } = *inputs;
        posed.clear();
        if joint_bounds.is_empty() {
            return Ok(());
        }
        let changed = joint_matrices.changed().map(|(node, _)| node);
        let with_bounds = changed.filter(|&node| joint_bounds.get(graph, node).is_some());
        posed.extend(with_bounds.map(|node| (node, Aabb::EMPTY)));
        E::compute_bounds(posed, |node| {
            let bounds = joint_bounds.get(graph, node)?;
            let weights = weights.get(graph, node).map_or(&[][..], MorphWeights::as_slice);
            Some(bounds.posed(joint_matrices.get(node)?, weights))
        });
        for &(node, aabb) in &*posed {
            if let Some(mesh) = meshes.get(graph, node) {
                let is_new = !spatial.contains(node);
                spatial.set_world_bounds(graph, node, finite_or_empty(aabb))?;
                // Empty bounds, of a pose that was not finite, removed it with its layers.
                if is_new {
                    set_filtering(spatial, mesh, node, attachment.is_attached(node))?;
                }
            }
        }
        Ok(())
    }
}

/// Sets the layers, the attachment and the culling of a mesh in the index, if it has bounds there.
fn set_filtering(
    spatial: &mut SpatialIndex,
    mesh: &Mesh,
    node: NodeId,
    attached: bool,
) -> Result<(), Error> {
    if spatial.contains(node) {
        spatial.set_layers(node, mesh.layers)?;
        spatial.set_attached(node, attached)?;
        spatial.set_frustum_culled(node, mesh.frustum_culled)?;
    }
    Ok(())
}

/// Computes the bounds of a mesh, with all its instances, in the space of its node.
fn local_bounds(mesh: &mut Mesh, weights: &[f32]) -> Aabb {
    let parts = mesh.parts.iter().map(|part| part.geometry.get().morphed_bounds(weights));
    let bounds = parts.fold(Aabb::EMPTY, |bounds, part| bounds.union(&part));
    match &mut mesh.instances {
        Some(instances) => {
            instances.set_geometry_bounds(finite_or_empty(bounds));
            instances.bounds()
        }
        None => bounds,
    }
}

fn finite_or_empty(aabb: Aabb) -> Aabb {
    if aabb.is_finite() { aabb } else { Aabb::EMPTY }
}

impl Scene {
    /// Sets the bounds of a node in its local space, instead of those of its mesh: its component
    /// [`Bounds`]; `None` for those of its mesh again. Nodes without a mesh may have them, too. Takes
    /// effect with the next [`update`](Self::update), and stays in effect, whatever happens to the
    /// mesh, until it is cleared.
    ///
    /// Culling, picking, queries and subtree bounds use these bounds: what extends beyond them may
    /// be culled or missed. They follow the node's transform, also if the mesh is skinned. An empty
    /// box removes the node from the spatial index: it is never drawn or picked.
    ///
    /// ```
    /// use pleach::glam::Vec3;
    /// use pleach::{Aabb, Node, Scene};
    ///
    /// let mut scene = Scene::new();
    /// let area = scene.spawn(Node::group().at(Vec3::X * 10.0))?;
    /// scene.set_bounds(area, Some(Aabb::new(Vec3::ZERO, Vec3::ONE)))?;
    /// scene.update()?;
    /// assert_eq!(scene.subtree_bounds(area).unwrap().max, Vec3::new(11.0, 1.0, 1.0));
    /// scene.set_bounds(area, None)?;
    /// scene.update()?;
    /// assert_eq!(scene.subtree_bounds(area), None);
    /// # Ok::<(), pleach::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Graph`] if the node is not in the graph; [`Error::Spatial`] if a coordinate is NaN
    /// or infinite.
    #[doc(alias = "set_custom_aabb")]
    #[doc(alias = "boundingBox")]
    pub fn set_bounds(&mut self, node: NodeId, bounds: Option<Aabb>) -> Result<(), Error> {
        match bounds {
            Some(bounds) => _ = self.bounds.insert(&self.graph, node, Bounds(bounds))?,
            None => {
                self.graph.node(node)?;
                self.bounds.remove(node);
            }
        }
        Ok(())
    }

    /// Returns the bounds that were set by [`set_bounds`](Self::set_bounds).
    ///
    /// ```
    /// use pleach::{Aabb, Node, Scene};
    ///
    /// let mut scene = Scene::new();
    /// let node = scene.spawn(Node::group())?;
    /// assert_eq!(scene.user_bounds(node), None);
    /// let bounds = Aabb::new(pleach::glam::Vec3::ZERO, pleach::glam::Vec3::ONE);
    /// scene.set_bounds(node, Some(bounds))?;
    /// assert_eq!(scene.user_bounds(node), Some(bounds));
    /// # Ok::<(), pleach::Error>(())
    /// ```
    #[must_use]
    pub fn user_bounds(&self, node: NodeId) -> Option<Aabb> {
        self.bounds.get(&self.graph, node).map(|bounds| bounds.0)
    }
}
