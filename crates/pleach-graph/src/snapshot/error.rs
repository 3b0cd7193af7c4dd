//! `SnapshotError`: the column, the row and the fault.

use core::fmt;

use crate::{Error, NodeId};

/// The reason why a [`GraphSnapshot`](crate::GraphSnapshot) is not that of a graph.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum SnapshotError {
    /// A column does not have as many rows as the one that it belongs to.
    Length {
        /// The name of the column.
        column: &'static str,
        /// The number of its rows.
        rows: usize,
        /// The number of rows that it must have.
        expected: usize,
    },
    /// A slot in a list is not that of a live node, or is listed twice.
    Slot {
        /// The name of the list.
        column: &'static str,
        /// The position in the list.
        at: usize,
        /// The slot.
        slot: u32,
    },
    /// The next handle of a free slot is that of a slot in use, is listed twice, or its generation
    /// is 1 or exceeds the maximum.
    Free {
        /// The position in the list.
        at: usize,
        /// The handle.
        node: NodeId,
    },
    /// The parent of a node is not a live node.
    Parent {
        /// The slot of the node.
        slot: u32,
        /// The slot of the parent.
        parent: u32,
    },
    /// A node is its own ancestor.
    Cycle {
        /// The slot of the node.
        slot: u32,
    },
    /// The length of a rotation is not 1, so it would be changed when it is stored.
    Rotation {
        /// The slot of the node.
        slot: u32,
    },
    /// A name does not end between two characters of the text, or before it starts.
    Name {
        /// The position in the list of names.
        at: usize,
        /// The end of the name in bytes.
        end: usize,
    },
    /// The ages of the names decrease, exceed the next one, or are too large.
    NameAges,
    /// A transform or matrix is not valid, or the nodes do not fit into memory.
    Graph(Error),
}

impl fmt::Display for SnapshotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { column, rows, expected } => {
                write!(f, "{column} has {rows} rows; it must have {expected}")
            }
            Self::Slot { column, at, slot } => write!(
                f,
                "{column}[{at}] is slot {slot}, which has no live node or is listed twice; list \
                 each live slot at most once",
            ),
            Self::Free { at, node } => write!(
                f,
                "free[{at}] is {node}, whose slot is in use, listed twice or does not exist, or \
                 whose generation is not from 2 to the maximum",
            ),
            Self::Parent { slot, parent } => write!(
                f,
                "the parent of slot {slot} is slot {parent}, which has no live node; use \
                 {} for a root",
                u32::MAX,
            ),
            Self::Cycle { slot } => write!(f, "the node in slot {slot} is its own ancestor"),
            Self::Rotation { slot } => {
                write!(f, "the rotation of slot {slot} is not of length 1; normalize it first")
            }
            Self::Name { at, end } => write!(
                f,
                "name_ends[{at}] is {end}, which is before the start of the name, after the end of \
                 the text or inside of a character",
            ),
            Self::NameAges => write!(
                f,
                "name_ages must not decrease, nor exceed next_name_age, which is at most 2^62",
            ),
            Self::Graph(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for SnapshotError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Graph(error) => Some(error),
            _ => None,
        }
    }
}

impl From<Error> for SnapshotError {
    fn from(error: Error) -> Self {
        Self::Graph(error)
    }
}
