//! What can go wrong, and how it is said: the thing, the fault, the way out.
//!
//! Every error leaves things as they were. What a part of the crate finds wrong is told
//! by a type of that part's own file; here they come together.

use std::fmt;

use crate::constraint::ConstraintCycle;
use crate::copy::Outside;
use crate::geometry::GeometryFault;
use crate::image::ImageFault;
use crate::projection::ProjectionFault;
use crate::scenes::ScenesFault;
use crate::shadow::ShadowFault;
use crate::shapes::ShapeFault;
use crate::skin::SkinFault;
use crate::view::ViewFault;

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
    Geometry(GeometryFault),
    /// An image is not what it says it is.
    Image(ImageFault),
    /// A shape was asked for that cannot be built.
    Shape(ShapeFault),
    /// A projection cannot be used.
    Projection(ProjectionFault),
    /// There is no view of a camera.
    View {
        /// The camera's node.
        camera: pleach_graph::Label,
        /// Why not.
        fault: ViewFault,
    },
    /// There is no shadow map.
    Shadow(ShadowFault),
    /// A skin cannot be used.
    Skin(SkinFault),
    /// The root of a scene cannot be removed.
    Root,
    /// The node has no camera.
    NoCamera(pleach_graph::NodeId),
    /// A call about scenes was refused.
    Scenes(ScenesFault),
    /// A constraint would wait for itself.
    Constraint(ConstraintCycle),
    /// A copy names a node of another scene.
    Outside(Outside),
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
            Self::View { camera, fault } => write!(f, "camera {camera}: {fault}"),
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
            Self::Outside(outside) => outside.fmt(f),
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

impl From<GeometryFault> for Error {
    fn from(fault: GeometryFault) -> Self {
        Self::Geometry(fault)
    }
}

impl From<ImageFault> for Error {
    fn from(fault: ImageFault) -> Self {
        Self::Image(fault)
    }
}

impl From<ShapeFault> for Error {
    fn from(fault: ShapeFault) -> Self {
        Self::Shape(fault)
    }
}
