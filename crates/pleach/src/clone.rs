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
    pub fn clone_subtree(&mut self, top: NodeId, under: Option<NodeId>) -> Result<CloneMap, Error> {
        let under = under.unwrap_or(self.root());
        let copies = self.graph.clone_subtree(top, Some(under))?;
        for &(old, new) in copies.pairs() {
            let named = |node: NodeId| copies.get(node).unwrap_or(node);
            let rows = Rows::of(self, old, |node| Some(named(node)));
            // Every node it names is in this scene.
            rows.unwrap_or_default().give(self, new)?;
        }
        Ok(copies)
    }

    /// Copies another scene's node with everything below it, and their rows, below one of this
    /// scene (the root if `None`): a prefab. `copies.get(old)` tells what became of a node.
    ///
    /// # Errors
    ///
    /// [`Error::Graph`] if a node is not in its graph, or there is no room; [`Error::ExternalReference`] if
    /// something names a node that is not copied along. Nothing is copied then.
    pub fn clone_subtree_from(
        &mut self,
        other: &Self,
        top: NodeId,
        under: Option<NodeId>,
    ) -> Result<CloneMap, Error> {
        let under = under.unwrap_or(self.root());
        let copies = self.graph.clone_subtree_from(&other.graph, top, Some(under))?;
        // What is dead there must not come to life here.
        let dead = self.graph.add_root(Transform::IDENTITY)?;
        self.graph.remove(dead)?;
        let named = |node| if other.graph.contains(node) { copies.get(node) } else { Some(dead) };
        let mut rows = Vec::with_capacity(copies.pairs().len());
        for &(old, new) in copies.pairs() {
            match Rows::of(other, old, named) {
                Ok(row) => rows.push((new, row)),
                Err(names) => {
                    self.graph.remove(copies.root())?;
                    return Err(Error::ExternalReference(ExternalReferenceError {
                        node: old,
                        referenced: names,
                    }));
                }
            }
        }
        for (new, row) in rows {
            row.give(self, new)?;
        }
        Ok(copies)
    }
}

/// The rows of one node.
#[derive(Default)]
struct Rows {
    mesh: Option<crate::Mesh>,
    skin: Option<Skin>,
    camera: Option<crate::Camera>,
    light: Option<crate::Light>,
    weights: Option<Vec<f32>>,
    lod: Option<Lod>,
    constraint: Option<crate::Constraint>,
}

impl Rows {
    /// Copies of a node's rows, with the nodes they name exchanged; a node for which there is
    /// none.
    fn of(
        scene: &Scene,
        node: NodeId,
        named: impl Fn(NodeId) -> Option<NodeId>,
    ) -> Result<Self, NodeId> {
        let graph = &scene.graph;
        let named = |node: NodeId| named(node).ok_or(node);
        let mut rows = Self {
            mesh: scene.meshes.get(graph, node).cloned(),
            skin: scene.skins.get(graph, node).cloned(),
            camera: scene.cameras.get(graph, node).copied(),
            light: scene.lights.get(graph, node).copied(),
            weights: scene.weights.get(graph, node).cloned(),
            lod: scene.lods.get(graph, node).cloned(),
            constraint: scene.constraints.get(graph, node).copied(),
        };
        if let Some(skin) = &mut rows.skin {
            for joint in &mut skin.joints {
                *joint = named(*joint)?;
            }
            // A hint: it may be above what is copied.
            skin.skeleton = skin.skeleton.and_then(|node| named(node).ok());
        }
        for level in rows.lod.iter_mut().flat_map(|lod| &mut lod.levels) {
            level.node = named(level.node)?;
        }
        if let Some(constraint) = &mut rows.constraint {
            *constraint = constraint.with_target(named(constraint.target())?);
        }
        Ok(rows)
    }

    fn give(self, scene: &mut Scene, node: NodeId) -> Result<(), Error> {
        scene.give_rows(node, self.mesh, self.skin, self.camera, self.light)?;
        let graph = &scene.graph;
        if let Some(weights) = self.weights {
            scene.weights.insert(graph, node, weights)?;
        }
        if let Some(lod) = self.lod {
            scene.lods.insert(graph, node, lod)?;
        }
        if let Some(constraint) = self.constraint {
            scene.constraints.copy(graph, node, constraint)?;
        }
        Ok(())
    }
}
