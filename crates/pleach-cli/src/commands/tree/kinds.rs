//! The kinds of nodes. A node may have several, such as mesh and light.

use pleach::{NodeId, Scene};
use serde::Serialize;

/// A kind of node, in arguments and answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum NodeKind {
    /// Has a mesh, skinned or not
    Mesh,
    /// Has a skinned mesh
    Skin,
    Camera,
    Light,
    /// Is a joint of a skin
    Joint,
    /// None of these
    Group,
}

/// The joints of a scene; other kinds follow from its components.
#[derive(Debug)]
pub(crate) struct Kinds {
    /// `true` for joints, by slot. `Scene::kind` would search all skins for every node.
    joints: Vec<bool>,
}

impl Kinds {
    pub(crate) fn of(scene: &Scene) -> Self {
        let mut joints = vec![false; scene.graph.parents().len()];
        for (_, skin) in scene.skins.iter(&scene.graph) {
            for joint in &skin.joints {
                if let Some(is_joint) = joints.get_mut(joint.index()) {
                    *is_joint = true;
                }
            }
        }
        Self { joints }
    }

    pub(crate) fn is_joint(&self, node: NodeId) -> bool {
        self.joints.get(node.index()).copied().unwrap_or(false)
    }

    /// Returns the kinds of a node, at least one.
    pub(crate) fn get(&self, scene: &Scene, node: NodeId) -> Vec<NodeKind> {
        let mut kinds = Vec::new();
        if scene.mesh(node).is_some() {
            kinds.push(NodeKind::Mesh);
        }
        if scene.mesh(node).is_some() && scene.skin(node).is_some() {
            kinds.push(NodeKind::Skin);
        }
        if scene.camera(node).is_some() {
            kinds.push(NodeKind::Camera);
        }
        if scene.light(node).is_some() {
            kinds.push(NodeKind::Light);
        }
        if self.is_joint(node) {
            kinds.push(NodeKind::Joint);
        }
        if kinds.is_empty() {
            kinds.push(NodeKind::Group);
        }
        kinds
    }
}
