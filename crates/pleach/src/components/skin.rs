//! `Skin`: which nodes pose a mesh.

use std::sync::Arc;

use glam::Mat4;
use pleach_graph::{Graph, NodeId};

use crate::{Error, SkinError};

/// Which nodes pose a mesh, and how: a row beside the mesh's.
///
/// A bone is any node that a skin lists: attach things to it as to any node. Vertices
/// name joints by their place in the list.
#[derive(Clone, Debug)]
pub struct Skin {
    /// The bones.
    pub joints: Vec<NodeId>,
    /// By joint: from the mesh's space, in the pose it was bound in, to the joint's.
    pub inverse_bind_matrices: Arc<[Mat4]>,
    /// Applied to vertices before anything else; the identity for glTF.
    pub bind_matrix: Mat4,
    /// The node that the skeleton hangs below, if it is known: a hint.
    pub skeleton: Option<NodeId>,
}

impl Skin {
    /// A skin of these joints. Joint `i` has `inverse_bind_matrices[i]`.
    ///
    /// # Errors
    ///
    /// [`Error::Skin`] if there are not as many matrices as joints, or one is not finite.
    pub fn new(
        joints: Vec<NodeId>,
        inverse_bind_matrices: impl Into<Arc<[Mat4]>>,
    ) -> Result<Self, Error> {
        let inverse_bind_matrices = inverse_bind_matrices.into();
        if joints.len() != inverse_bind_matrices.len() {
            return Err(Error::Skin(SkinError::Counts {
                joints: joints.len(),
                inverse_bind_matrices: inverse_bind_matrices.len(),
            }));
        }
        if let Some(joint) = inverse_bind_matrices.iter().position(|matrix| !matrix.is_finite()) {
            return Err(Error::Skin(SkinError::NotFinite { joint }));
        }
        Ok(Self { joints, inverse_bind_matrices, bind_matrix: Mat4::IDENTITY, skeleton: None })
    }

    /// A skin of joints as they stand now, for a mesh that stands at the origin.
    ///
    /// # Errors
    ///
    /// [`Error::Graph`] if a joint is not in the graph; [`Error::Skin`] if one is flat.
    pub fn from_current_pose(graph: &Graph, joints: Vec<NodeId>) -> Result<Self, Error> {
        let mut inverse_bind_matrices = Vec::with_capacity(joints.len());
        for &joint in &joints {
            let inverse = graph.node(joint)?.compute_world().inverse();
            if !inverse.is_finite() {
                return Err(Error::Skin(SkinError::Singular(joint)));
            }
            inverse_bind_matrices.push(inverse);
        }
        Self::new(joints, inverse_bind_matrices)
    }

    /// The place of a node among the joints.
    #[must_use]
    pub fn joint_index(&self, node: NodeId) -> Option<usize> {
        self.joints.iter().position(|&joint| joint == node)
    }

    /// The first joint of this name.
    #[must_use]
    pub fn joint_by_name(&self, graph: &Graph, name: &str) -> Option<NodeId> {
        let is_named = |joint: &&NodeId| graph.get(**joint).and_then(|it| it.name()) == Some(name);
        self.joints.iter().find(is_named).copied()
    }
}
