//! Handles as JavaScript numbers: `slot + 2^32 × generation`, exact below 2^53.
//!
//! Invariant: generations have at most 21 bits, because every world limits them to [`MAX_GENERATION`].

use std::num::NonZeroU32;

use pleach_graph::NodeId;

/// The last generation of a slot; after it, the slot is retired.
pub(crate) const MAX_GENERATION: NonZeroU32 = NonZeroU32::new((1 << 21) - 1).expect("not zero");

/// Returns the node as a number that JavaScript represents exactly.
pub(crate) fn to_number(node: NodeId) -> f64 {
    f64::from(node.generation()) * 4_294_967_296.0 + node.index() as f64
}

/// Returns the node that a number stands for, or `None` for numbers that are not handles.
pub(crate) fn from_number(number: f64) -> Option<NodeId> {
    let bits = number as u64;
    (bits as f64 == number).then_some(())?;
    from_parts(bits as u32, (bits >> 32) as u32)
}

/// Returns the node of a slot and a generation, or `None` if the generation is zero.
#[inline]
pub(crate) fn from_parts(slot: u32, generation: u32) -> Option<NodeId> {
    NodeId::from_bits((u64::from(slot) << 32) | u64::from(generation))
}
