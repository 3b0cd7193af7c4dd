//! What can go wrong, and how it is said: the thing, the fault, the way out.
//!
//! Every error leaves things as they were. What a part of the crate finds wrong is told
//! by a type of that part's own file; here they come together.

use std::fmt;

use crate::ConstraintError;
use crate::ExternalReferenceError;
use crate::GeometryError;
use crate::ImageError;
use crate::ProjectionError;
use crate::ScenesError;
use crate::ShadowError;
use crate::SkinError;
use crate::ViewError;
use crate::shapes::ShapeError;

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
        camera: pleach_graph::NodeLabel,
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
    NoCamera(pleach_graph::NodeId),
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
            Self::Geometry(fault) => write!(f, "geometry: {fault}"),
            Self::Image(fault) => write!(f, "image: {fault}"),
            Self::Shape(fault) => fault.fmt(f),
            Self::Projection(fault) => write!(f, "projection: {fault}"),
            Self::View { camera, error: fault } => write!(f, "camera {camera}: {fault}"),
            Self::Shadow(fault) => write!(f, "shadow: {fault}"),
            Self::Skin(fault) => write!(f, "skin: {fault}"),
            Self::Root => write!(
                f,
                "the root of a scene cannot be removed; remove its children, or drop the scene",
            ),
            Self::NoCamera(node) => {
                write!(f, "node {node} has no camera; give it one in `Scene::cameras`")
            }
            Self::Scenes(fault) => fault.fmt(f),
            Self::Constraint(cycle) => cycle.fmt(f),
            Self::ExternalReference(outside) => outside.fmt(f),
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
    fn from(fault: GeometryError) -> Self {
        Self::Geometry(fault)
    }
}

impl From<ImageError> for Error {
    fn from(fault: ImageError) -> Self {
        Self::Image(fault)
    }
}

impl From<ShapeError> for Error {
    fn from(fault: ShapeError) -> Self {
        Self::Shape(fault)
    }
}
