//! What can go wrong, and how it is said: the thing, the fault, the way out.
//!
//! Every error leaves the graph as it was.

use alloc::boxed::Box;
use core::fmt;

use crate::NodeId;

/// Why a call was refused. The graph is as it was before the call.
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
/// let refused = graph.attach(arm, hand).unwrap_err();
/// assert_eq!(
///     refused.to_string(),
///     r#"cannot attach 0v1 "arm" under 1v1 "hand": 1v1 "hand" is below 0v1 "arm"; detach it first"#,
/// );
/// # Ok::<(), pleach_graph::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// The handle names no living node of this graph.
    Dead(NodeId),
    /// A number is infinite or not a number.
    NotFinite {
        /// Whose.
        node: NodeDescription,
        /// Which part of the transform.
        property: Property,
        /// Which number of that part: 0 for `x`, or an index into the
        /// column-major matrix.
        component: usize,
        /// The number.
        value: f32,
    },
    /// A quaternion of length zero is no rotation.
    ZeroRotation(NodeDescription),
    /// The last row of a matrix is not 0 0 0 1.
    NotAffine {
        /// Whose.
        node: NodeDescription,
        /// The row it has.
        last_row: [f32; 4],
    },
    /// A node cannot be put below itself.
    Cycle {
        /// The node to attach.
        child: NodeLabel,
        /// The node it was to be attached to, which is the child or below it.
        parent: NodeLabel,
    },
    /// Nothing under a flat parent (a scale of zero) can keep its place.
    SingularParent {
        /// The node that was to keep its world transform, or to look somewhere.
        child: NodeLabel,
        /// The node whose world transform cannot be undone.
        parent: NodeLabel,
    },
    /// There is no direction from a node to itself.
    NoDirection(NodeLabel),
    /// There is no memory, or no number, for so many nodes.
    TooManyNodes {
        /// How many were asked for in all.
        nodes: usize,
    },
    /// Of the nodes to be added, one comes before its parent, or is its own.
    ParentNotBefore {
        /// Its place among the nodes to be added.
        node: usize,
        /// The place where it says that its parent is.
        parent: u32,
    },
    /// The feed was made by another graph.
    ForeignChangeReader,
}

/// A node as errors name it: handle and, if it has one, name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeLabel {
    /// The handle.
    pub node: NodeId,
    /// The name at the time.
    pub name: Option<Box<str>>,
}

/// The node that an error is about; it may not have come into being.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeDescription {
    /// A living node.
    Node(NodeLabel),
    /// A root that was to be added.
    NewRoot,
    /// A node that was to be added under this one.
    NewChildOf(NodeLabel),
    /// The node at this place, of many that were to be added.
    NewAt(usize),
}

/// A part of a local transform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Property {
    /// `translation`
    Translation,
    /// `rotation`
    Rotation,
    /// `scale`
    Scale,
    /// The local matrix.
    Matrix,
    /// The point to look at.
    Target,
    /// The direction that is up.
    Up,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dead(node) => {
                write!(f, "node {node} is not in this graph: it was removed, or is another graph's")
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
                write!(f, "{node}: rotation is 0 0 0 0, which is no rotation; 0 0 0 1 is none")
            }
            Self::NotAffine { node, last_row: [x, y, z, w] } => write!(
                f,
                "{node}: the matrix has the last row {x} {y} {z} {w}; \
                 it must be 0 0 0 1 (projections belong to cameras, not to nodes)",
            ),
            Self::Cycle { child, parent } if child.node == parent.node => {
                write!(f, "cannot attach {child} under itself")
            }
            Self::Cycle { child, parent } => write!(
                f,
                "cannot attach {child} under {parent}: {parent} is below {child}; detach it first",
            ),
            Self::SingularParent { child, parent } => write!(
                f,
                "{child} cannot be placed in the world under {parent}: the world transform of {parent} \
                 is flat (a scale of zero, or nearly) and cannot be undone; give it a scale first",
            ),
            Self::NoDirection(node) => write!(
                f,
                "{node} cannot look at the point where it stands; give it a target elsewhere",
            ),
            Self::TooManyNodes { nodes } => {
                write!(
                    f,
                    "there is no room for {nodes} nodes: out of memory, or more than 2^32 - 1"
                )
            }
            Self::ParentNotBefore { node, parent } => write!(
                f,
                "nodes[{node}]: its parent is nodes[{parent}]; a parent must come before its children",
            ),
            Self::ForeignChangeReader => write!(
                f,
                "the feed was subscribed to another graph; subscribe to this one with `Graph::subscribe`",
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
