//! `Skin`: the joints that pose a mesh.

use std::hash::Hash;
use std::sync::Arc;

use glam::Mat4;
use pleach_graph::{Graph, NodeId};

use crate::content::Content;
use crate::{Component, Error, MapNode, Scene, SceneProblemKind, SkinError, UnmappedNode};

/// The joints that pose the mesh of a node.
///
/// A joint is any node that a skin lists; other nodes can be attached to it like to any node.
/// Vertices refer to joints by their index in the list.
#[doc(alias("SkinnedMesh", "Skeleton3D"))]
#[derive(Clone, Debug)]
pub struct Skin {
    /// The joints.
    pub joints: Vec<NodeId>,
    /// By joint: the transform from mesh space to the space of the joint, in the bind pose.
    pub inverse_bind_matrices: Arc<[Mat4]>,
    /// Applied to vertices before the joint matrices; the identity in glTF.
    pub bind_matrix: Mat4,
    /// The effect of the transform of the mesh's node.
    pub bind_mode: BindMode,
    /// The root of the skeleton, if it is known: a hint.
    pub skeleton: Option<NodeId>,
}

/// The effect of the transform of a skinned mesh's node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BindMode {
    /// The joints alone position the mesh, and the transform of its node is ignored, as glTF
    /// requires. Several meshes with equal skins are drawn at the same place.
    #[default]
    Attached,
    /// The mesh is posed relative to its node: the joint matrices are multiplied by the node's
    /// world matrix and the inverse of the [bind matrix](Skin::bind_matrix). So several meshes at
    /// different places can have the pose of one skeleton, as with three.js' `DetachedBindMode`.
    /// glTF cannot express it.
    Detached,
}

impl Component for Skin {
    const NAME: &'static str = "skin";

    fn write_content(&self, content: &mut Content) -> bool {
        let Self { joints, inverse_bind_matrices, bind_matrix, bind_mode, skeleton } = self;
        (joints, bind_mode, skeleton).hash(content);
        content.write_rows(inverse_bind_matrices);
        content.write_rows(&[*bind_matrix]);
        true
    }

    fn map_nodes(&mut self, map: &MapNode<'_>) -> Result<(), UnmappedNode> {
        for joint in &mut self.joints {
            *joint = map(*joint)?;
        }
        // A hint, which may be an ancestor of the cloned subtree.
        self.skeleton = self.skeleton.and_then(|node| map(node).ok());
        Ok(())
    }

    fn check(&self, scene: &Scene, node: NodeId, report: &mut dyn FnMut(SceneProblemKind)) {
        let (joints, inverse_bind_matrices) = (self.joints.len(), self.inverse_bind_matrices.len());
        if joints != inverse_bind_matrices {
            report(SceneProblemKind::JointCount { joints, inverse_bind_matrices });
        }
        for (joint, &it) in self.joints.iter().enumerate() {
            if !scene.graph.contains(it) {
                report(SceneProblemKind::DeadJoint { joint });
            }
        }
        let Some(mesh) = scene.mesh(node) else {
            report(SceneProblemKind::SkinWithoutMesh);
            return;
        };
        for (part, it) in mesh.parts.iter().enumerate() {
            let geometry = it.geometry.get();
            let influences = &geometry.influences;
            if influences.is_empty() {
                report(SceneProblemKind::NoInfluences { part });
            }
            let used = influences.iter().flat_map(|set| &set.joints).flatten().max();
            if let Some(joint) = used.map(|&it| it as usize).filter(|&it| it >= joints) {
                report(SceneProblemKind::JointIndex { part, joint, joints });
            }
        }
    }

    fn byte_size(&self) -> usize {
        size_of::<Self>()
            + size_of_val(&self.joints[..])
            + size_of_val(&self.inverse_bind_matrices[..])
    }
}

impl Skin {
    /// Creates a skin. Joint `i` has the matrix `inverse_bind_matrices[i]`.
    ///
    /// # Errors
    ///
    /// [`Error::Skin`] if the numbers of matrices and joints differ, or a matrix is not finite.
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
        Ok(Self {
            joints,
            inverse_bind_matrices,
            bind_matrix: Mat4::IDENTITY,
            bind_mode: BindMode::Attached,
            skeleton: None,
        })
    }

    /// Creates a skin whose bind pose is the current pose of the joints, for a mesh at the origin.
    ///
    /// # Errors
    ///
    /// [`Error::Graph`] if a joint is not in the graph; [`Error::Skin`] if the world matrix of a
    /// joint is singular.
    pub fn from_current_pose(graph: &Graph, joints: Vec<NodeId>) -> Result<Self, Error> {
        let mut inverse_bind_matrices = Vec::with_capacity(joints.len());
        for &joint in &joints {
            // In f64: the f32 inverse of glam is rounded differently on other processors.
            let inverse = graph.node(joint)?.compute_world().as_dmat4().inverse().as_mat4();
            if !inverse.is_finite() {
                return Err(Error::Skin(SkinError::Singular(joint)));
            }
            inverse_bind_matrices.push(inverse);
        }
        Self::new(joints, inverse_bind_matrices)
    }

    /// Sets the effect of the transform of the mesh's node.
    ///
    /// ```
    /// use pleach::glam::{Mat4, Vec3};
    /// use pleach::{BindMode, Node, Scene, Skin};
    ///
    /// let mut scene = Scene::new();
    /// let joint = scene.spawn(Node::group())?;
    /// let skin = Skin::new(vec![joint], vec![Mat4::IDENTITY])?.with_bind_mode(BindMode::Detached);
    /// let left = scene.spawn(Node::group().skinned(skin.clone()).at(Vec3::NEG_X))?;
    /// let right = scene.spawn(Node::group().skinned(skin).at(Vec3::X))?;
    /// scene.update()?;
    /// let x = |node| scene.joint_matrices().get(node).unwrap()[0].w_axis.x;
    /// assert_eq!((x(left), x(right)), (-1.0, 1.0));
    /// # Ok::<(), pleach::Error>(())
    /// ```
    #[must_use]
    #[doc(alias = "DetachedBindMode")]
    pub fn with_bind_mode(self, bind_mode: BindMode) -> Self {
        Self { bind_mode, ..self }
    }

    /// Returns `true` if the joint matrices of both skins are always the same.
    pub(crate) fn has_matrices_of(&self, other: &Self) -> bool {
        let same_inverse_bind_matrices = || {
            Arc::ptr_eq(&self.inverse_bind_matrices, &other.inverse_bind_matrices)
                || self.inverse_bind_matrices == other.inverse_bind_matrices
        };
        // Those of detached skins depend on their own nodes.
        self.bind_mode == BindMode::Attached
            && other.bind_mode == BindMode::Attached
            && self.joints == other.joints
            && self.bind_matrix == other.bind_matrix
            && same_inverse_bind_matrices()
    }

    /// Returns the index of `node` in the list of joints.
    #[must_use]
    pub fn joint_index(&self, node: NodeId) -> Option<usize> {
        self.joints.iter().position(|&joint| joint == node)
    }

    /// Returns the first joint of this name.
    #[must_use]
    pub fn joint_by_name(&self, graph: &Graph, name: &str) -> Option<NodeId> {
        let is_named = |joint: &&NodeId| graph.get(**joint).and_then(|it| it.name()) == Some(name);
        self.joints.iter().find(is_named).copied()
    }
}
