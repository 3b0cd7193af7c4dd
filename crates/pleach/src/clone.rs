//! Copies: a subtree with all its rows, within a scene or from another.
//!
//! What a row names that was copied, it names the copy of: joints, targets, levels. What was
//! not copied stays as it is within a scene; another scene's nodes mean nothing here, so a
//! row that names some is refused.
//!
//! Geometry and materials are shared by their handles.

use pleach_graph::{CloneMap, NodeId, Transform};

use crate::{Error, ExternalReferenceError, Lod, Scene, Skin};

impl Scene {
    /// Copies a node with everything below it, and their rows, below another (the root if
    /// `None`). Copies animate and are posed apart from what they were copied from.
    ///
    /// # Errors
    ///
    /// [`Error::Graph`] if a node is not in the graph, or there is no room.
    pub fn clone_subtree(
        &mut self,
        root: NodeId,
        parent: Option<NodeId>,
    ) -> Result<CloneMap, Error> {
        let parent = parent.unwrap_or(self.root());
        let clones = self.graph.clone_subtree(root, Some(parent))?;
        for &(old, new) in clones.pairs() {
            let remap = |node: NodeId| clones.get(node).unwrap_or(node);
            let components = Components::cloned(self, old, |node| Some(remap(node)));
            // Every node it names is in this scene.
            components.unwrap_or_default().insert_into(self, new)?;
        }
        Ok(clones)
    }

    /// Copies another scene's node with everything below it, and their rows, below one of this
    /// scene (the root if `None`): a prefab. `clones.get(old)` tells what became of a node.
    ///
    /// # Errors
    ///
    /// [`Error::Graph`] if a node is not in its graph, or there is no room; [`Error::ExternalReference`] if
    /// something names a node that is not copied along. Nothing is copied then.
    pub fn clone_subtree_from(
        &mut self,
        other: &Self,
        root: NodeId,
        parent: Option<NodeId>,
    ) -> Result<CloneMap, Error> {
        let parent = parent.unwrap_or(self.root());
        let clones = self.graph.clone_subtree_from(&other.graph, root, Some(parent))?;
        // What is dead there must not come to life here.
        let removed = self.graph.add_root(Transform::IDENTITY)?;
        self.graph.remove(removed)?;
        let remap =
            |node| if other.graph.contains(node) { clones.get(node) } else { Some(removed) };
        let mut cloned = Vec::with_capacity(clones.pairs().len());
        for &(old, new) in clones.pairs() {
            match Components::cloned(other, old, remap) {
                Ok(components) => cloned.push((new, components)),
                Err(referenced) => {
                    self.graph.remove(clones.root())?;
                    return Err(Error::ExternalReference(ExternalReferenceError {
                        node: old,
                        referenced,
                    }));
                }
            }
        }
        for (new, components) in cloned {
            components.insert_into(self, new)?;
        }
        Ok(clones)
    }
}

/// The rows of one node.
#[derive(Default)]
struct Components {
    mesh: Option<crate::Mesh>,
    skin: Option<Skin>,
    camera: Option<crate::Camera>,
    light: Option<crate::Light>,
    weights: Option<Vec<f32>>,
    lod: Option<Lod>,
    constraint: Option<crate::Constraint>,
}

impl Components {
    /// Copies of a node's rows, with the nodes they name exchanged; a node for which there is
    /// none.
    fn cloned(
        scene: &Scene,
        node: NodeId,
        remap: impl Fn(NodeId) -> Option<NodeId>,
    ) -> Result<Self, NodeId> {
        let graph = &scene.graph;
        let remap = |node: NodeId| remap(node).ok_or(node);
        let mut components = Self {
            mesh: scene.meshes.get(graph, node).cloned(),
            skin: scene.skins.get(graph, node).cloned(),
            camera: scene.cameras.get(graph, node).copied(),
            light: scene.lights.get(graph, node).copied(),
            weights: scene.weights.get(graph, node).cloned(),
            lod: scene.lods.get(graph, node).cloned(),
            constraint: scene.constraints.get(graph, node).copied(),
        };
        if let Some(skin) = &mut components.skin {
            for joint in &mut skin.joints {
                *joint = remap(*joint)?;
            }
            // A hint: it may be above what is copied.
            skin.skeleton = skin.skeleton.and_then(|node| remap(node).ok());
        }
        for level in components.lod.iter_mut().flat_map(|lod| &mut lod.levels) {
            level.node = remap(level.node)?;
        }
        if let Some(constraint) = &mut components.constraint {
            *constraint = constraint.with_target(remap(constraint.target())?);
        }
        Ok(components)
    }

    fn insert_into(self, scene: &mut Scene, node: NodeId) -> Result<(), Error> {
        scene.insert_components(node, self.mesh, self.skin, self.camera, self.light)?;
        let graph = &scene.graph;
        if let Some(weights) = self.weights {
            scene.weights.insert(graph, node, weights)?;
        }
        if let Some(lod) = self.lod {
            scene.lods.insert(graph, node, lod)?;
        }
        if let Some(constraint) = self.constraint {
            scene.constraints.insert_unchecked(graph, node, constraint)?;
        }
        Ok(())
    }
}
