//! `Fault`: an error on its way to JavaScript, where it becomes a `PleachError`.
//!
//! The codes are those of `PleachErrorCode` in `packages/pleach/src/errors.ts`.

use pleach_graph::{Error as GraphError, NodeDescription, NodeId};
use pleach_spatial::Error as SpatialError;

/// An error with what a program can act on.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) code: &'static str,
    pub(crate) message: String,
    pub(crate) node: Option<NodeId>,
    /// The world of the node.
    pub(crate) world: Option<u32>,
    pub(crate) index: Option<usize>,
    pub(crate) pointer: Option<String>,
}

impl Fault {
    pub(crate) fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), node: None, world: None, index: None, pointer: None }
    }

    /// The error for a handle that is not one of a live node.
    pub(crate) fn dead(node: Option<NodeId>) -> Self {
        match node {
            Some(node) => GraphError::Dead(node).into(),
            None => Self::new(
                "dead-node",
                "0 is not a node: pass the `id` of a node, or the result of `addAll`",
            ),
        }
    }

    /// Names the world of the node, unless it is known.
    #[cold]
    pub(crate) fn in_world(mut self, world: u32) -> Self {
        self.world = self.world.or(Some(world));
        self
    }

    pub(crate) fn at(mut self, index: usize) -> Self {
        self.index = Some(index);
        self
    }

    /// The error for memory that cannot be allocated.
    #[cold]
    pub(crate) fn memory(what: &str) -> Self {
        Self::new("out-of-memory", format!("there is no memory for {what}; pass fewer at a time"))
    }

    /// The error for an array whose length does not fit.
    pub(crate) fn length(what: &str, given: usize, expected: usize) -> Self {
        Self::new("wrong-length", format!("{what} has {given} elements; {expected} are needed"))
    }
}

impl From<GraphError> for Fault {
    #[cold]
    fn from(error: GraphError) -> Self {
        let code = match &error {
            GraphError::Dead(_) => "dead-node",
            GraphError::NotFinite { .. } => "not-finite",
            GraphError::ZeroRotation(_) => "zero-rotation",
            GraphError::NotAffine { .. } => "not-affine",
            GraphError::Cycle { .. } => "cycle",
            GraphError::SingularParent { .. } => "singular-parent",
            GraphError::NoDirection(_) => "no-direction",
            GraphError::TooManyNodes { .. } => "out-of-memory",
            GraphError::ParentNotBefore { .. } => "parent-order",
            GraphError::LengthMismatch { .. } => "wrong-length",
            _ => "internal",
        };
        let mut fault = Self::new(code, error.to_string());
        match error {
            GraphError::Dead(node) => fault.node = Some(node),
            GraphError::NotFinite { node, .. }
            | GraphError::ZeroRotation(node)
            | GraphError::NotAffine { node, .. } => match node {
                NodeDescription::Node(label) => fault.node = Some(label.node),
                NodeDescription::NewAt(index) => fault.index = Some(index),
                _ => {}
            },
            GraphError::Cycle { child, .. } | GraphError::SingularParent { child, .. } => {
                fault.node = Some(child.node);
            }
            GraphError::NoDirection(label) => fault.node = Some(label.node),
            GraphError::ParentNotBefore { node, .. } => fault.index = Some(node),
            _ => {}
        }
        fault
    }
}

impl From<SpatialError> for Fault {
    #[cold]
    fn from(error: SpatialError) -> Self {
        let code = match &error {
            SpatialError::NotFinite { .. } | SpatialError::BoundsNotFinite { .. } => "not-finite",
            SpatialError::ZeroDirection => "no-direction",
            SpatialError::NoVolume | SpatialError::NothingInside(_) => "out-of-range",
            SpatialError::IndexOutOfRange { .. }
            | SpatialError::TooManyTriangles { .. }
            | SpatialError::VertexCount { .. } => "geometry",
            _ => "internal",
        };
        match error {
            SpatialError::Graph(error) => error.into(),
            error => {
                let mut fault = Self::new(code, error.to_string());
                if let SpatialError::BoundsNotFinite { node, .. } | SpatialError::NoBounds(node) =
                    error
                {
                    fault.node = Some(node);
                }
                fault
            }
        }
    }
}
