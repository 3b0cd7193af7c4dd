//! `Error`: every reason why a call of this crate can fail.
//!
//! An operation that returns an error has changed nothing. Messages name the thing, the fault and
//! the way out.
//!
//! The specific error types are in the `error.rs` of each folder, which imports nothing of the
//! crate; this file imports these and nothing else, so any module can return [`Error`] without an
//! import cycle.

use std::fmt;

use pleach_graph::{NodeId, NodeLabel};

use crate::animation::{BindError, ClipError, CurveError};
use crate::assets::{AssetEditError, GeometryError, ImageError};
use crate::components::{ConstraintError, EnvironmentError, LightError, RowError, SkinError};
use crate::shapes::ShapeError;
use crate::view::{ProjectionError, ShadowError, ViewError};

/// The reason why a call failed. The call has changed nothing.
///
/// ```
/// use pleach::shapes;
///
/// let error = shapes::Sphere::new(-1.0).build().unwrap_err();
/// assert_eq!(error.to_string(), "sphere: radius is -1; it must be from 0 to 1e37");
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// The graph returned an error; most often the node was removed.
    Graph(pleach_graph::Error),
    /// A spatial query or edit returned an error.
    Spatial(pleach_spatial::Error),
    /// A geometry is inconsistent.
    Geometry(GeometryError),
    /// An image is inconsistent.
    Image(ImageError),
    /// A parameter of a shape is out of range.
    Shape(ShapeError),
    /// A projection is invalid.
    Projection(ProjectionError),
    /// The view of a camera cannot be computed.
    View {
        /// The camera's node, if it is in a scene.
        camera: Option<NodeLabel>,
        /// The reason.
        error: ViewError,
    },
    /// A shadow view cannot be computed.
    Shadow(ShadowError),
    /// A skin is invalid.
    Skin(SkinError),
    /// A light has a value without an effect.
    Light(LightError),
    /// An environment has a value that cannot be drawn.
    Environment(EnvironmentError),
    /// The root of a scene cannot be removed.
    Root,
    /// The root of a scene cannot be attached to another node.
    RootAttached,
    /// The root of the scene was removed from its graph, so the scene has no nodes any more.
    RootRemoved,
    /// A node that is spawned below another has a parent of its own ([`Node::under`](crate::Node::under)).
    ChildWithParent(NodeId),
    /// The node has no camera.
    NoCamera(NodeId),
    /// A call of [`Scenes`](crate::Scenes) failed.
    Scenes(ScenesError),
    /// A constraint depends on itself.
    Constraint(ConstraintError),
    /// A component was rejected by its own [`validate`](crate::Component::validate).
    Component {
        /// The name of its kind.
        component: &'static str,
        /// The node.
        node: NodeId,
        /// The reason.
        reason: String,
    },
    /// A patch does not fit the scene.
    Patch(pleach_graph::PatchError),
    /// An edit of a component in a patch does not fit the scene.
    Row(RowError),
    /// An edit of an asset in a patch does not fit the scene.
    AssetEdit(AssetEditError),
    /// A transaction was to be ended, but none runs.
    NoTransaction,
    /// An undo or redo while a transaction runs.
    InTransaction,
    /// A transaction replaced a whole table, the graph or the registry of assets.
    Replaced(&'static str),
    /// The change reader belongs to another table.
    ForeignChangeReader,
    /// A cloned subtree references a node outside of it.
    ExternalReference(ExternalReferenceError),
    /// The keys of a curve are invalid.
    Curve(CurveError),
    /// A clip or one of its channels is invalid.
    Clip(ClipError),
    /// A clip cannot be bound to nodes.
    Bind(BindError),
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
            Self::View { camera: Some(camera), error } => write!(f, "camera {camera}: {error}"),
            Self::View { camera: None, error } => write!(f, "camera: {error}"),
            Self::Shadow(error) => write!(f, "shadow: {error}"),
            Self::Skin(error) => write!(f, "skin: {error}"),
            Self::Light(error) => write!(f, "light: {error}"),
            Self::Environment(error) => write!(f, "environment: {error}"),
            Self::Root => write!(
                f,
                "the root of a scene cannot be removed; remove its children, or drop the scene",
            ),
            Self::RootAttached => write!(
                f,
                "the root of a scene cannot be attached to another node; attach its children",
            ),
            Self::RootRemoved => write!(
                f,
                "the root of the scene was removed from its graph (by `Graph::remove` or \
                 `Graph::clear`); create another scene",
            ),
            Self::ChildWithParent(parent) => write!(
                f,
                "a node to spawn below another is also under node {parent}; remove `under`, or spawn it \
                 on its own",
            ),
            Self::NoCamera(node) => {
                write!(f, "node {node} has no camera; give it one in `Scene::cameras`")
            }
            Self::Scenes(error) => error.fmt(f),
            Self::Constraint(error) => error.fmt(f),
            Self::Component { component, node, reason } => {
                write!(f, "{component} of node {node}: {reason}")
            }
            Self::ForeignChangeReader => write!(
                f,
                "the change reader belongs to another table; create one with `Table::change_reader`",
            ),
            Self::Patch(error) => error.fmt(f),
            Self::Row(error) => error.fmt(f),
            Self::AssetEdit(error) => error.fmt(f),
            Self::NoTransaction => write!(
                f,
                "no transaction runs; begin one with `Scene::begin_transaction`, or use `Scene::transact`",
            ),
            Self::InTransaction => write!(
                f,
                "cannot undo or redo while a transaction runs; end it with `Scene::commit` first",
            ),
            Self::Replaced(what) => write!(
                f,
                "the {what} of the scene was replaced as a whole inside of a transaction, which cannot be \
                 recorded; change its rows instead, or replace it outside of the transaction",
            ),
            Self::ExternalReference(error) => error.fmt(f),
            Self::Curve(error) => error.fmt(f),
            Self::Clip(error) => error.fmt(f),
            Self::Bind(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {}

macro_rules! impl_from {
    ($($variant:ident($error:ty),)*) => {$(
        impl From<$error> for Error {
            fn from(error: $error) -> Self {
                Self::$variant(error)
            }
        }
    )*};
}

impl_from! {
    Graph(pleach_graph::Error),
    Spatial(pleach_spatial::Error),
    Geometry(GeometryError),
    Image(ImageError),
    Shape(ShapeError),
    Projection(ProjectionError),
    Shadow(ShadowError),
    Skin(SkinError),
    Light(LightError),
    Environment(EnvironmentError),
    Scenes(ScenesError),
    Constraint(ConstraintError),
    Patch(pleach_graph::PatchError),
    Row(RowError),
    AssetEdit(AssetEditError),
    ExternalReference(ExternalReferenceError),
    Curve(CurveError),
    Clip(ClipError),
    Bind(BindError),
}

/// A component of another scene references a node that is not cloned with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExternalReferenceError {
    /// The node with the component, in the other scene.
    pub node: NodeId,
    /// The node that the component references.
    pub referenced: NodeId,
}

impl fmt::Display for ExternalReferenceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { node, referenced } = self;
        write!(
            f,
            "node {node} of the other scene references its node {referenced} (a joint, target or level), \
             which is not cloned with it; clone a subtree that contains both",
        )
    }
}

impl std::error::Error for ExternalReferenceError {}

/// A reason why a call of [`Scenes`](crate::Scenes) failed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ScenesError {
    /// A scene of this name exists already.
    Taken(String),
    /// No scene has this name.
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

impl std::error::Error for ScenesError {}
