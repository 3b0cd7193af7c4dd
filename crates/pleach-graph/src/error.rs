//! `Error`: the node, the fault and the remedy.
//!
//! Every error leaves the graph unchanged.

use alloc::boxed::Box;
use core::fmt;

use crate::NodeId;

/// The reason a call was rejected. The graph is unchanged.
///
/// ```
/// use pleach_graph::{Graph, Transform};
///
/// let mut graph = Graph::new();
/// let arm = graph.add_root(Transform::IDENTITY)?;
/// let hand = graph.add_child(arm, Transform::IDENTITY)?;
/// graph.node_mut(arm)?.set_name("arm");
/// graph.node_mut(hand)?.set_name("hand");
///
/// let error = graph.attach(arm, hand).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     r#"cannot attach 0v1 "arm" to 1v1 "hand": 1v1 "hand" is a descendant of 0v1 "arm"; detach it first"#,
/// );
/// # Ok::<(), pleach_graph::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// The handle does not refer to a live node of this graph.
    Dead(NodeId),
    /// A number is infinite or NaN.
    NotFinite {
        /// The node.
        node: NodeDescription,
        /// The property of the transform.
        property: Property,
        /// The component of that property: 0 for `x`, or an index into the
        /// column-major matrix.
        component: usize,
        /// The value of the component.
        value: f32,
    },
    /// The rotation is the zero quaternion.
    ZeroRotation(NodeDescription),
    /// The last row of a matrix is not 0 0 0 1.
    NotAffine {
        /// The node.
        node: NodeDescription,
        /// The last row of the matrix.
        last_row: [f32; 4],
    },
    /// A node cannot be attached to itself or to one of its descendants.
    Cycle {
        /// The node to attach.
        child: NodeLabel,
        /// The requested parent, which is the child or one of its descendants.
        parent: NodeLabel,
    },
    /// The world transform of the parent is singular (a scale of zero), so a
    /// world-space position or direction cannot be expressed below it.
    SingularParent {
        /// The node that should keep its world transform or be oriented.
        child: NodeLabel,
        /// The node whose world transform has no inverse.
        parent: NodeLabel,
    },
    /// The target is at the position of the node, so there is no direction to it.
    NoDirection(NodeLabel),
    /// The nodes do not fit into memory, or there are 2³² or more.
    TooManyNodes {
        /// The total number of nodes requested.
        nodes: usize,
    },
    /// In the list of nodes to add, a node comes before its parent or is its own
    /// parent.
    ParentNotBefore {
        /// The index of the node in the list.
        node: usize,
        /// The index it gives for its parent.
        parent: u32,
    },
    /// Two slices that belong together, one of them of nodes, differ in length.
    LengthMismatch {
        /// The number of nodes.
        nodes: usize,
        /// The number of values for them: transforms, translations or parents.
        values: usize,
    },
    /// The change reader belongs to another graph.
    ForeignChangeReader,
}

/// The handle of a node and, if it has one, its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeLabel {
    /// The handle.
    pub node: NodeId,
    /// The name at the time of the error.
    pub name: Option<Box<str>>,
}

/// The node that an error is about, which may not exist yet.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NodeDescription {
    /// A live node.
    Node(NodeLabel),
    /// A root that should have been added.
    NewRoot,
    /// A child of this node that should have been added.
    NewChildOf(NodeLabel),
    /// The node at this index of a list of nodes to add.
    NewAt(usize),
}

/// The property whose value an error rejects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Property {
    /// `translation`
    Translation,
    /// `rotation`
    Rotation,
    /// `scale`
    Scale,
    /// The local matrix.
    Matrix,
    /// The target point to look at.
    Target,
    /// The up direction.
    Up,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dead(node) => {
                write!(
                    f,
                    "node {node} is not in this graph: it was removed, or belongs to another graph"
                )
            }
            Self::NotFinite { node, property, component, value } => {
                write!(f, "{node}: {}", property.name())?;
                if *property == Property::Matrix {
                    write!(f, " column {} row {}", component / 4, component % 4)?;
                } else {
                    write!(f, ".{}", ["x", "y", "z", "w"][component % 4])?;
                }
                write!(f, " is {value}; it must be finite")
            }
            Self::ZeroRotation(node) => {
                write!(
                    f,
                    "{node}: rotation is the zero quaternion; use (0, 0, 0, 1) for the identity"
                )
            }
            Self::NotAffine { node, last_row: [x, y, z, w] } => write!(
                f,
                "{node}: the last row of the matrix is ({x}, {y}, {z}, {w}); \
                 it must be (0, 0, 0, 1) (projections belong to cameras, not to nodes)",
            ),
            Self::Cycle { child, parent } if child.node == parent.node => {
                write!(f, "cannot attach {child} to itself")
            }
            Self::Cycle { child, parent } => write!(
                f,
                "cannot attach {child} to {parent}: {parent} is a descendant of {child}; detach it first",
            ),
            Self::SingularParent { child, parent } => write!(
                f,
                "{child} cannot be placed in world space below {parent}: the world transform of {parent} \
                 is singular (a scale of zero, or nearly) and has no inverse; give it a scale first",
            ),
            Self::NoDirection(node) => {
                write!(f, "{node} cannot look at its own position; use a target elsewhere")
            }
            Self::TooManyNodes { nodes } => {
                write!(f, "cannot store {nodes} nodes: out of memory, or more than 2^32 - 1")
            }
            Self::ParentNotBefore { node, parent } => write!(
                f,
                "nodes[{node}]: its parent is nodes[{parent}]; a parent must come before its children",
            ),
            Self::LengthMismatch { nodes, values } => write!(
                f,
                "there are {nodes} nodes, but {values} values for them; give one value per node",
            ),
            Self::ForeignChangeReader => write!(
                f,
                "the change reader belongs to another graph; create one with `Graph::change_reader`",
            ),
        }
    }
}

impl core::error::Error for Error {}

impl fmt::Display for NodeLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => write!(f, "{} {name:?}", self.node),
            None => write!(f, "{}", self.node),
        }
    }
}

impl fmt::Display for NodeDescription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Node(label) => write!(f, "node {label}"),
            Self::NewRoot => write!(f, "new root"),
            Self::NewChildOf(parent) => write!(f, "new child of {parent}"),
            Self::NewAt(index) => write!(f, "nodes[{index}]"),
        }
    }
}

impl Property {
    fn name(self) -> &'static str {
        match self {
            Self::Translation => "translation",
            Self::Rotation => "rotation",
            Self::Scale => "scale",
            Self::Matrix => "matrix",
            Self::Target => "target",
            Self::Up => "up",
        }
    }
}
