//! `Scene::check`: reports inconsistencies of a scene.
//!
//! Not needed for safety: inconsistent data is skipped when posing, drawing and picking. It is for
//! importers and editors to show to their users. What can be wrong with a component is in the file
//! of its type (`Component::check`).

use std::fmt;

use pleach_graph::{GraphProblemKind, NodeId, NodeLabel};
use pleach_spatial::IndexProblemKind;

use crate::frame::Derived;
use crate::{Error, GeometryError, LightError, Scene};

/// An inconsistency of a scene, found by [`Scene::check`]. It is displayed as a sentence.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SceneProblem {
    /// The node and its name, or `None` for a problem of the environment, or of the graph or the spatial
    /// index as a whole.
    pub node: Option<NodeLabel>,
    /// The problem.
    pub kind: SceneProblemKind,
}

/// The kinds of inconsistencies of a scene.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum SceneProblemKind {
    /// A problem that [`Graph::check`](crate::Graph::check) found.
    Graph(GraphProblemKind),
    /// A problem that [`SpatialIndex::check`](crate::SpatialIndex::check) found.
    Spatial(IndexProblemKind),
    /// The root of the scene was removed from the graph: nothing can be spawned or updated.
    RootRemoved,
    /// The root of the scene is attached to another node, whose transform applies to it too.
    RootAttached,
    /// The scene has recorded wrongly whether the node is below its root. Only a bug of this crate
    /// causes it.
    Attachment,
    /// The scene has recorded other draws than those of the mesh. Only a bug of this crate causes it.
    Draws,
    /// The scene has recorded the changes of a component wrongly. Only a bug of this crate causes it.
    RowChanges {
        /// The name of its kind.
        component: &'static str,
    },
    /// The mesh has no parts.
    NoParts,
    /// The geometry of a part is invalid.
    Geometry {
        /// The index of the part.
        part: usize,
        /// The reason.
        error: GeometryError,
    },
    /// A face has a material that the mesh does not have.
    FaceMaterial {
        /// The index of the part.
        part: usize,
        /// The largest index of a face's material.
        material: usize,
        /// The number of materials of the mesh.
        materials: usize,
    },
    /// The number of weights is not the number of morph targets.
    MorphWeightCount {
        /// The index of the part.
        part: usize,
        /// The number of its morph targets.
        targets: usize,
        /// The number of weights.
        weights: usize,
    },
    /// The number of inverse bind matrices is not the number of joints.
    JointCount {
        /// The number of joints.
        joints: usize,
        /// The number of matrices.
        inverse_bind_matrices: usize,
    },
    /// A joint was removed.
    DeadJoint {
        /// The index of the joint in the skin.
        joint: usize,
    },
    /// There is a skin, but no mesh.
    SkinWithoutMesh,
    /// The geometry of a part has no joints and weights, but there is a skin.
    NoInfluences {
        /// The index of the part.
        part: usize,
    },
    /// A vertex refers to a joint that the skin does not have.
    JointIndex {
        /// The index of the part.
        part: usize,
        /// The largest index of a joint.
        joint: usize,
        /// The number of joints of the skin.
        joints: usize,
    },
    /// The environment of the scene has a value that cannot be drawn, or an invalid image.
    Environment(Error),
    /// A light has a value without an effect.
    Light(LightError),
    /// The node of a level of detail was removed.
    DeadLevel {
        /// The index of the level.
        level: usize,
    },
    /// The target of a constraint was removed.
    DeadTarget,
    /// Bounds that were set by the user have an infinite or NaN coordinate: the node is treated as
    /// if they were empty.
    BoundsNotFinite,
    /// A problem of a user's own component.
    Component {
        /// The name of its kind.
        component: &'static str,
        /// The problem.
        message: String,
    },
}

impl Scene {
    /// Reports invalid geometry, skins without influences, removed joints, wrong numbers of morph
    /// target weights, face materials that a mesh does not have, and what
    /// [`Component::check`](crate::Component::check) of users' own components reports; also a root
    /// that was removed or attached to another node, and an invalid environment. Problems of components are in the order of the
    /// nodes' slots and come last. O(size of the scene).
    ///
    /// ```
    /// use pleach::{Node, Scene, SceneProblemKind, Skin};
    ///
    /// let mut scene = Scene::new();
    /// let node = scene.spawn(Node::group().named("arm").with(Skin::new(vec![], vec![])?))?;
    /// let problems = scene.check();
    /// assert_eq!(problems[0].kind, SceneProblemKind::SkinWithoutMesh);
    /// assert_eq!(problems[0].to_string(), r#"node 1v1 "arm": it has a skin, but no mesh"#);
    /// # Ok::<(), pleach::Error>(())
    /// ```
    #[must_use]
    pub fn check(&self) -> Vec<SceneProblem> {
        let mut problems = Vec::new();
        problems.extend(self.graph.check().into_iter().map(|problem| SceneProblem {
            node: problem.node.map(|node| self.label(node)),
            kind: SceneProblemKind::Graph(problem.kind),
        }));
        problems.extend(self.spatial.check().into_iter().map(|problem| SceneProblem {
            node: problem.node.map(|node| self.label(node)),
            kind: SceneProblemKind::Spatial(problem.kind),
        }));
        let root = match self.graph.get(self.root()) {
            Some(root) => root.parent().map(|_| SceneProblemKind::RootAttached),
            None => Some(SceneProblemKind::RootRemoved),
        };
        problems
            .extend(root.map(|kind| SceneProblem { node: Some(self.label(self.root())), kind }));
        let environment = self.environment.check().err().map(SceneProblemKind::Environment);
        problems.extend(environment.map(|kind| SceneProblem { node: None, kind }));
        let Derived { attachment, draw_records, .. } = &self.derived;
        problems.extend(attachment.problems(&self.graph, self.root).map(|node| SceneProblem {
            node: Some(self.label(node)),
            kind: SceneProblemKind::Attachment,
        }));
        let draws = draw_records.problems(self).into_iter();
        problems.extend(draws.map(|node| SceneProblem {
            node: node.map(|node| self.label(node)),
            kind: SceneProblemKind::Draws,
        }));
        let general = problems.len();
        for table in self.tables() {
            table.check(self, &mut |node, kind| {
                problems.push(SceneProblem { node: Some(self.label(node)), kind });
            });
        }
        // Stable: the problems of a node stay in the order of the tables.
        let slot = |problem: &SceneProblem| problem.node.as_ref().map(|it| it.node.index());
        problems[general..].sort_by_key(slot);
        problems
    }

    fn label(&self, node: NodeId) -> NodeLabel {
        NodeLabel::new(node, self.graph.get(node).and_then(|node| node.name()))
    }
}

impl fmt::Display for SceneProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.node {
            Some(node) => write!(f, "node {node}: {}", self.kind),
            None => self.kind.fmt(f),
        }
    }
}

impl fmt::Display for SceneProblemKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Graph(problem) => problem.fmt(f),
            Self::Spatial(problem) => problem.fmt(f),
            Self::RootRemoved => f.write_str("the root of the scene was removed"),
            Self::RootAttached => f.write_str("the root of the scene is attached to another node"),
            Self::Attachment => {
                f.write_str("the scene has recorded wrongly whether it is below the root")
            }
            Self::Draws => f.write_str("the scene has recorded other draws than those of its mesh"),
            Self::RowChanges { component } => {
                write!(f, "the scene has recorded the changes of its {component} wrongly")
            }
            Self::NoParts => f.write_str("its mesh has no parts"),
            Self::Geometry { part, error } => write!(f, "part {part}: geometry: {error}"),
            Self::FaceMaterial { part, material, materials } => {
                write!(
                    f,
                    "part {part}: a face has material {material}, but its mesh has {materials}"
                )
            }
            Self::MorphWeightCount { part, targets, weights } => {
                write!(
                    f,
                    "part {part} has {targets} morph targets, but there are {weights} weights"
                )
            }
            Self::JointCount { joints, inverse_bind_matrices } => write!(
                f,
                "its skin has {joints} joints, but {inverse_bind_matrices} inverse bind matrices",
            ),
            Self::DeadJoint { joint } => write!(f, "joint {joint} is a dead node"),
            Self::SkinWithoutMesh => f.write_str("it has a skin, but no mesh"),
            Self::NoInfluences { part } => {
                write!(f, "part {part} is skinned, but its geometry has no joints and weights")
            }
            Self::JointIndex { part, joint, joints } => {
                write!(f, "part {part} refers to joint {joint}, but its skin has {joints}")
            }
            Self::Environment(error) => error.fmt(f),
            Self::Light(error) => write!(f, "light: {error}"),
            Self::DeadLevel { level } => write!(f, "level {level} is a dead node"),
            Self::DeadTarget => f.write_str("the target of its constraint is a dead node"),
            Self::BoundsNotFinite => f.write_str(
                "the bounds set by the user have a coordinate that is infinite or NaN; set finite \
                 ones, or remove them",
            ),
            Self::Component { component, message } => write!(f, "{component}: {message}"),
        }
    }
}
