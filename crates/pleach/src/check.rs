//! `Scene::check`: reports inconsistencies of a scene as sentences.
//!
//! Not needed for safety: inconsistent data is skipped when posing, drawing and picking. It is for
//! importers and editors to show to their users.

use pleach_graph::NodeId;

use crate::{Mesh, Scene, Skin};

/// An inconsistency of a scene, found by [`Scene::problems`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SceneProblem {
    /// The node, or `None` for a problem of the graph or the spatial index.
    pub node: Option<NodeId>,
    /// The problem, without the node.
    pub message: String,
}

impl Scene {
    /// Reports invalid geometry, skins without influences, removed joints, wrong numbers of morph
    /// target weights, and face materials that a mesh does not have. Each problem names its node.
    /// O(size of the scene).
    #[must_use]
    pub fn check(&self) -> Vec<String> {
        let to_sentence = |SceneProblem { node, message }| match node {
            Some(node) => format!("{}: {message}", self.label(node)),
            None => message,
        };
        self.problems().into_iter().map(to_sentence).collect()
    }

    /// Returns the problems that [`check`](Self::check) reports, with their nodes as ids. O(size of
    /// the scene).
    #[must_use]
    pub fn problems(&self) -> Vec<SceneProblem> {
        let of_graph = self.graph.check().into_iter();
        let of_graph =
            of_graph.map(|it| SceneProblem { node: it.node, message: it.kind.to_string() });
        let of_index = self.spatial.check().into_iter();
        let of_index =
            of_index.map(|it| SceneProblem { node: it.node, message: it.kind.to_string() });
        let mut problems: Vec<SceneProblem> = of_graph.chain(of_index).collect();
        let mut nodes: Vec<NodeId> = self.graph.by_depth().collect();
        nodes.sort_unstable_by_key(|node| node.index());
        for node in nodes {
            let mut found = Vec::new();
            if let Some(mesh) = self.mesh(node) {
                self.check_mesh(node, mesh, &mut found);
            }
            if let Some(skin) = self.skin(node) {
                self.check_skin(node, skin, &mut found);
            }
            if let Some(lod) = self.lods.get(&self.graph, node) {
                for (index, level) in lod.levels.iter().enumerate() {
                    if !self.graph.contains(level.node) {
                        found.push(format!("level {index} is a dead node"));
                    }
                }
            }
            if let Some(constraint) = self.constraints.get(&self.graph, node)
                && !self.graph.contains(constraint.target())
            {
                found.push("the target of its constraint is a dead node".into());
            }
            let found = found.into_iter();
            problems.extend(found.map(|message| SceneProblem { node: Some(node), message }));
        }
        problems
    }

    fn label(&self, node: NodeId) -> String {
        match self.graph.get(node).and_then(|node| node.name()) {
            Some(name) => format!("node {node} {name:?}"),
            None => format!("node {node}"),
        }
    }

    fn check_mesh(&self, node: NodeId, mesh: &Mesh, problems: &mut Vec<String>) {
        if mesh.parts.is_empty() {
            problems.push("its mesh has no parts".into());
        }
        let weights = self.weights.get(&self.graph, node);
        for (index, part) in mesh.parts.iter().enumerate() {
            let geometry = part.geometry.get();
            if let Err(error) = geometry.check() {
                problems.push(format!("part {index}: {error}"));
            }
            if geometry.material_count() > mesh.materials.len()
                && !geometry.face_materials.is_empty()
            {
                problems.push(format!(
                    "part {index}: a face has material {}, but its mesh has {}",
                    geometry.material_count() - 1,
                    mesh.materials.len(),
                ));
            }
            let targets = geometry.morph_targets.len();
            if let Some(weights) = weights.filter(|weights| weights.len() != targets) {
                problems.push(format!(
                    "part {index} has {targets} morph targets, but there are {} weights",
                    weights.len(),
                ));
            }
        }
    }

    fn check_skin(&self, node: NodeId, skin: &Skin, problems: &mut Vec<String>) {
        if skin.joints.len() != skin.inverse_bind_matrices.len() {
            problems.push(format!(
                "its skin has {} joints, but {} inverse bind matrices",
                skin.joints.len(),
                skin.inverse_bind_matrices.len(),
            ));
        }
        for (index, &joint) in skin.joints.iter().enumerate() {
            if !self.graph.contains(joint) {
                problems.push(format!("joint {index} is a dead node"));
            }
        }
        let Some(mesh) = self.mesh(node) else {
            problems.push("it has a skin, but no mesh".into());
            return;
        };
        for (index, part) in mesh.parts.iter().enumerate() {
            let geometry = part.geometry.get();
            if geometry.influences.is_empty() {
                problems.push(format!(
                    "part {index} is skinned, but its geometry has no joints and weights"
                ));
            }
            let joints = geometry.influences.iter().flat_map(|set| &set.joints).flatten();
            if let Some(&joint) = joints.max().filter(|&&joint| joint as usize >= skin.joints.len())
            {
                problems.push(format!(
                    "part {index} refers to joint {joint}, but its skin has {}",
                    skin.joints.len(),
                ));
            }
        }
    }
}
