//! What can go wrong, and how it is said: the thing, the error, the way out.
//!
//! Every error leaves things as they were. What a part of the crate finds wrong is told
//! by a type of that part's own file; here they come together.

use std::fmt;

use pleach_graph::{NodeId, NodeLabel};

use crate::assets::{GeometryError, ImageError};
use crate::components::{ConstraintError, SkinError};
use crate::shapes::ShapeError;
use crate::view::{ProjectionError, ShadowError, ViewError};

/// Why a call was refused. Nothing was changed by it.
///
/// ```
/// use pleach::shapes;
///
/// let refused = shapes::Sphere::new(-1.0).build().unwrap_err();
/// assert_eq!(refused.to_string(), "sphere: radius is -1; it must be from 0 to 1e37");
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// The graph refused: most often the node is dead.
    Graph(pleach_graph::Error),
    /// A question about space was refused.
    Spatial(pleach_spatial::Error),
    /// The parts of a geometry do not fit together.
    Geometry(GeometryError),
    /// An image is not what it says it is.
    Image(ImageError),
    /// A shape was asked for that cannot be built.
    Shape(ShapeError),
    /// A projection cannot be used.
    Projection(ProjectionError),
    /// There is no view of a camera.
    View {
        /// The camera's node.
        camera: NodeLabel,
        /// Why not.
        error: ViewError,
    },
    /// There is no shadow map.
    Shadow(ShadowError),
    /// A skin cannot be used.
    Skin(SkinError),
    /// The root of a scene cannot be removed.
    Root,
    /// The node has no camera.
    NoCamera(NodeId),
    /// A call about scenes was refused.
    Scenes(ScenesError),
    /// A constraint would wait for itself.
    Constraint(ConstraintError),
    /// A copy names a node of another scene.
    ExternalReference(ExternalReferenceError),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Graph(error) => error.fmt(f),
            Self::Spatial(error) => error.fmt(f),
            Self::Geometry(error) => write!(f, "geometry: {error}"),
            Self::Image(error) => write!(f, "image: {error}"),
            Self::Shape(error) => error.fmt(f),
            Self::Projection(error) => write!(f, "projection: {error}"),
            Self::View { camera, error } => write!(f, "camera {camera}: {error}"),
            Self::Shadow(error) => write!(f, "shadow: {error}"),
            Self::Skin(error) => write!(f, "skin: {error}"),
            Self::Root => write!(
                f,
                "the root of a scene cannot be removed; remove its children, or drop the scene",
            ),
            Self::NoCamera(node) => {
                write!(f, "node {node} has no camera; give it one in `Scene::cameras`")
            }
            Self::Scenes(error) => error.fmt(f),
            Self::Constraint(error) => error.fmt(f),
            Self::ExternalReference(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {}

impl From<pleach_graph::Error> for Error {
    fn from(error: pleach_graph::Error) -> Self {
        Self::Graph(error)
    }
}

impl From<pleach_spatial::Error> for Error {
    fn from(error: pleach_spatial::Error) -> Self {
        Self::Spatial(error)
    }
}

impl From<GeometryError> for Error {
    fn from(error: GeometryError) -> Self {
        Self::Geometry(error)
    }
}

impl From<ImageError> for Error {
    fn from(error: ImageError) -> Self {
        Self::Image(error)
    }
}

impl From<ShapeError> for Error {
    fn from(error: ShapeError) -> Self {
        Self::Shape(error)
    }
}

impl From<ProjectionError> for Error {
    fn from(error: ProjectionError) -> Self {
        Self::Projection(error)
    }
}

impl From<ShadowError> for Error {
    fn from(error: ShadowError) -> Self {
        Self::Shadow(error)
    }
}

/// A row of another scene names a node that is not copied along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExternalReferenceError {
    /// The node whose row it is, in the other scene.
    pub node: NodeId,
    /// The node that it names.
    pub referenced: NodeId,
}

impl fmt::Display for ExternalReferenceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { node, referenced } = self;
        write!(
            f,
            "node {node} of the other scene references its node {referenced} (a joint, target or level), \
             which is not copied along; copy a subtree that holds both",
        )
    }
}

/// Why a call about scenes was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScenesError {
    /// There is a scene of this name.
    Taken(String),
    /// There is none.
    Unknown(String),
}

impl fmt::Display for ScenesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Taken(name) => write!(
                f,
                "there is a scene named {name:?}; remove it first, or give this one another name",
            ),
            Self::Unknown(name) => write!(f, "there is no scene named {name:?}"),
        }
    }
}
