//! `Edit`: one change of a graph, with the value before and after it.
//!
//! Invariant: an edit and its inverse cancel each other out. A place is given by the parent and the
//! next sibling, which exist both when an edit is performed and when it is undone; an index would
//! have to be counted.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::{NodeId, Transform};

/// One change of a graph, with the value before and after it. An element of a
/// [`Patch`](crate::Patch).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Edit {
    /// Nodes were added, in this order: a parent comes before its children.
    Add(Arc<Nodes>),
    /// Nodes were removed, in the reverse of this order.
    Remove(Arc<Nodes>),
    /// A node was attached elsewhere, detached, or moved among its siblings.
    Attach {
        /// The node.
        node: NodeId,
        /// The place before.
        old: Place,
        /// The place after.
        new: Place,
    },
    /// The local transform of a node was set.
    Transform {
        /// The node.
        node: NodeId,
        /// The transform before.
        old: Transform,
        /// The transform after.
        new: Transform,
    },
    /// The local transform of a node was set, and was or became a matrix.
    Local {
        /// The node.
        node: NodeId,
        /// Before and after.
        change: Box<[Local; 2]>,
    },
    /// The name of a node was set or cleared.
    Name {
        /// The node.
        node: NodeId,
        /// Before and after.
        change: Box<[Option<Name>; 2]>,
    },
    /// The visibility of a node was set.
    Visible {
        /// The node.
        node: NodeId,
        /// After; before, it was the opposite.
        new: bool,
    },
}

/// Nodes that an edit adds or removes.
///
/// Clones share a token: as long as one of them exists, the nodes stay parked after their removal.
#[derive(Clone, Debug, Default)]
pub struct Nodes {
    pub(crate) records: Vec<NodeRecord>,
    pub(crate) token: Arc<()>,
}

/// Everything about one node.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeRecord {
    /// The handle.
    pub node: NodeId,
    /// The parent, and the sibling that comes after the node.
    pub place: Place,
    /// The local transform.
    pub local: Local,
    /// The name.
    pub name: Option<Name>,
    /// The node's own visibility.
    pub visible: bool,
}

/// A place in the tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The parent; `None` for a root.
    pub parent: Option<NodeId>,
    /// The sibling that comes after it; `None` for the last one.
    pub next: Option<NodeId>,
}

/// A local transform.
#[derive(Clone, Debug, PartialEq)]
pub enum Local {
    /// Translation, rotation and scale.
    Transform(Transform),
    /// A matrix, column by column, and the transform that is nearest to it.
    Matrix(Box<([f32; 16], Transform)>),
}

/// A name, and how old it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The text.
    pub text: Box<str>,
    /// Of two nodes with the same name, [`Graph::find`](crate::Graph::find) returns the one of
    /// lower age: the order in which names were set.
    pub age: u64,
}

impl Edit {
    /// Returns the edit that undoes this one. Takes constant time, except for names and
    /// matrices, which are copied.
    #[must_use]
    pub fn invert(&self) -> Self {
        match self {
            Self::Add(nodes) => Self::Remove(Arc::clone(nodes)),
            Self::Remove(nodes) => Self::Add(Arc::clone(nodes)),
            &Self::Attach { node, old, new } => Self::Attach { node, old: new, new: old },
            &Self::Transform { node, old, new } => Self::Transform { node, old: new, new: old },
            Self::Local { node, change } => {
                let [old, new] = &**change;
                Self::Local { node: *node, change: Box::new([new.clone(), old.clone()]) }
            }
            Self::Name { node, change } => {
                let [old, new] = &**change;
                Self::Name { node: *node, change: Box::new([new.clone(), old.clone()]) }
            }
            &Self::Visible { node, new } => Self::Visible { node, new: !new },
        }
    }

    /// Returns the nodes that the edit changes, adds or removes.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> + '_ {
        let (one, many) = match self {
            Self::Add(nodes) | Self::Remove(nodes) => (None, nodes.records()),
            Self::Attach { node, .. }
            | Self::Transform { node, .. }
            | Self::Local { node, .. }
            | Self::Name { node, .. }
            | Self::Visible { node, .. } => (Some(*node), &[][..]),
        };
        one.into_iter().chain(many.iter().map(|record| record.node))
    }

    /// Returns the memory that the edit uses, in bytes: for nodes that are added or removed, with that of
    /// the slots that they keep in the graph while they are [parked](crate::Graph::parked_count).
    #[must_use]
    pub fn byte_size(&self) -> usize {
        let name_size = |name: &Option<Name>| name.as_ref().map_or(0, |name| name.text.len());
        size_of::<Self>()
            + match self {
                Self::Add(nodes) | Self::Remove(nodes) => nodes.byte_size(),
                Self::Local { change, .. } => {
                    size_of_val(&**change) + change.iter().map(Local::boxed_size).sum::<usize>()
                }
                Self::Name { change, .. } => {
                    size_of_val(&**change) + change.iter().map(name_size).sum::<usize>()
                }
                _ => 0,
            }
    }
}

/// The memory of a parked node in the columns of its graph, in bytes, rounded up (`tests/all/memory.rs` counts
/// that of nodes).
const PARKED_SLOT: usize = 200;

impl PartialEq for Nodes {
    fn eq(&self, other: &Self) -> bool {
        self.records == other.records
    }
}

impl Local {
    /// Returns `true` if both are stored by the same bits.
    pub(crate) fn has_bits_of(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Transform(a), Self::Transform(b)) => a.bits() == b.bits(),
            (Self::Matrix(a), Self::Matrix(b)) => {
                a.0.map(f32::to_bits) == b.0.map(f32::to_bits) && a.1.bits() == b.1.bits()
            }
            _ => false,
        }
    }

    pub(crate) fn new(matrix: Option<&[f32; 16]>, transform: Transform) -> Self {
        match matrix {
            Some(&matrix) => Self::Matrix(Box::new((matrix, transform))),
            None => Self::Transform(transform),
        }
    }

    fn boxed_size(&self) -> usize {
        match self {
            Self::Matrix(matrix) => size_of_val(&**matrix),
            Self::Transform(_) => 0,
        }
    }
}

impl Nodes {
    /// Returns the nodes of an edit that was stored elsewhere.
    #[must_use]
    pub fn new(records: Vec<NodeRecord>) -> Self {
        Self { records, token: Arc::default() }
    }

    /// Returns the nodes, parents before their children.
    #[must_use]
    pub fn records(&self) -> &[NodeRecord] {
        &self.records
    }

    fn byte_size(&self) -> usize {
        let boxed = |record: &NodeRecord| {
            record.local.boxed_size() + record.name.as_ref().map_or(0, |name| name.text.len())
        };
        let slots = PARKED_SLOT * self.records.len();
        size_of_val(&self.records[..]) + self.records.iter().map(boxed).sum::<usize>() + slots
    }
}
