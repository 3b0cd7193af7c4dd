//! Cloning a subtree with all its components, within a scene or from another one.
//!
//! References of components to nodes (joints, targets, levels of detail) are remapped to the
//! clones. A reference to a node outside of the subtree is kept within one scene; from another
//! scene it is an error, since that node does not exist here.
//!
//! Geometry and materials are shared by their handles.

use pleach_graph::{CloneMap, NodeId, Transform};

use crate::{Error, ExternalReferenceError, Lod, Scene, Skin};

impl Scene {
    /// Clones a node with its descendants and their components below `parent` (the scene's root if
    /// `None`). The clones are animated and posed independently of the originals.
    ///
    /// # Errors
    ///
    /// [`Error::Graph`] if a node is not in the graph, or the graph is full.
    pub fn clone_subtree(
        &mut self,
        root: NodeId,
        parent: Option<NodeId>,
    ) -> Result<CloneMap, Error> {
        let parent = parent.unwrap_or(self.root());
        let clones = self.graph.clone_subtree(root, Some(parent))?;
        for &(old, new) in clones.pairs() {
            let remap = |node: NodeId| Some(clones.get(node).unwrap_or(node));
            // Never the default: `remap` does not return `None`.
            let components = Components::cloned(self, old, remap).unwrap_or_default();
            components.insert_into(self, new)?;
        }
        Ok(clones)
    }

    /// Clones a node of another scene with its descendants and their components below `parent` (the
    /// scene's root if `None`): a prefab. [`CloneMap::get`] maps a node of the other scene to its
    /// clone.
    ///
    /// # Errors
    ///
    /// [`Error::Graph`] if a node is not in its graph, or the graph is full;
    /// [`Error::ExternalReference`] if a component references a node outside of the subtree.
    /// Nothing is cloned then.
    pub fn clone_subtree_from(
        &mut self,
        other: &Self,
        root: NodeId,
        parent: Option<NodeId>,
    ) -> Result<CloneMap, Error> {
        let parent = parent.unwrap_or(self.root());
        let clones = self.graph.clone_subtree_from(&other.graph, root, Some(parent))?;
        // References to removed nodes must stay references to a removed node.
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

/// The components of one node.
#[derive(Default)]
struct Components {
    mesh: Option<crate::Mesh>,
    skin: Option<Skin>,
    camera: Option<crate::Camera>,
    light: Option<crate::Light>,
    weights: Option<Vec<f32>>,
    lod: Option<Lod>,
    constraint: Option<crate::Constraint>,
    bounds: Option<crate::Aabb>,
}

impl Components {
    /// Clones the components of a node and remaps the nodes they reference. The error is
    /// the first node that `remap` returns `None` for.
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
            bounds: scene.user_bounds(node),
        };
        if let Some(skin) = &mut components.skin {
            for joint in &mut skin.joints {
                *joint = remap(*joint)?;
            }
            // A hint, which may be an ancestor of the cloned subtree.
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
        if self.bounds.is_some() {
            scene.set_bounds(node, self.bounds)?;
        }
        Ok(())
    }
}
