//! `NodeId`: the handle of a node, a slot and a generation in 8 bytes.
//!
//! The slot is the node's row in every column, for the node's whole life; the
//! generation distinguishes it from earlier and later nodes in the same slot.
//!
//! Both are packed into one integer, the slot in the upper 32 bits, so that a
//! handle moves in one register: with two fields, each `add` made its caller wait
//! until they were combined.
//!
//! Invariant: a generation is never zero, so `Option<NodeId>` has the same size.
//! Which generation of a slot is alive is known to `slots.rs` alone.

use core::fmt;
use core::num::{NonZeroU32, NonZeroU64};

/// The handle of a node in a [`Graph`](crate::Graph).
///
/// A `NodeId` is the identity of its node: once the node is removed, every call
/// rejects the handle forever, even when its slot is reused. Handles are small,
/// `Copy`, ordered (by slot, then generation) and hashable, and are displayed as
/// `<slot>v<generation>`:
///
/// ```
/// use pleach_graph::{Graph, NodeId, Transform};
///
/// let mut graph = Graph::new();
/// let first = graph.add_root(Transform::IDENTITY)?;
/// graph.remove(first)?;
/// let second = graph.add_root(Transform::IDENTITY)?;   // the same slot again
///
/// assert_eq!((first.to_string(), second.to_string()), ("0v1".into(), "0v2".into()));
/// assert!(graph.get(first).is_none());
/// assert_eq!(size_of::<NodeId>(), 8);
/// assert_eq!(size_of::<Option<NodeId>>(), 8);
/// # Ok::<(), pleach_graph::Error>(())
/// ```
///
/// A handle does not identify its graph. A handle of another graph is rejected if
/// its slot or generation does not exist here, but it may also match a live node of
/// this graph: keep handles together with the graph that created them.
#[doc(alias("Entity", "InstanceID"))]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(NonZeroU64);

impl NodeId {
    #[inline]
    pub(crate) const fn new(slot: u32, generation: NonZeroU32) -> Self {
        let bits = ((slot as u64) << 32) | generation.get() as u64;
        Self(NonZeroU64::new(bits).expect("the generation is not zero"))
    }

    /// Returns the node's slot: its index in
    /// [`Graph::world_matrices`](crate::Graph::world_matrices), in the graph's other
    /// slices, and in a GPU buffer uploaded from them.
    ///
    /// It is constant during the node's life, and is reused after the node's removal.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// let mut graph = Graph::new();
    /// let node = graph.add_root(Transform::from_xyz(1.0, 2.0, 3.0))?;
    /// graph.update();
    /// assert_eq!(graph.world_matrices()[node.index()], graph.node(node)?.world());
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        (self.0.get() >> 32) as usize
    }

    /// Returns the generation: how many nodes had occupied this slot when the node was
    /// created, including itself.
    #[inline]
    #[must_use]
    pub const fn generation(self) -> u32 {
        self.0.get() as u32
    }

    /// Returns the handle as one integer, for files and external tables: the slot
    /// in the upper 32 bits, the generation in the lower.
    #[inline]
    #[must_use]
    pub const fn to_bits(self) -> u64 {
        self.0.get()
    }

    /// Returns the handle with these [`to_bits`](Self::to_bits), or `None` if the
    /// generation is zero.
    ///
    /// ```
    /// use pleach_graph::NodeId;
    ///
    /// let node = NodeId::from_bits(0x0000_000c_0000_0003).unwrap();
    /// assert_eq!(node.to_string(), "12v3");
    /// assert_eq!(NodeId::from_bits(node.to_bits()), Some(node));
    /// assert_eq!(NodeId::from_bits(12 << 32), None);      // generation 0
    /// ```
    #[inline]
    #[must_use]
    pub const fn from_bits(bits: u64) -> Option<Self> {
        match NonZeroU32::new(bits as u32) {
            Some(generation) => Some(Self::new((bits >> 32) as u32, generation)),
            None => None,
        }
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}v{}", self.index(), self.generation())
    }
}

impl fmt::Debug for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
