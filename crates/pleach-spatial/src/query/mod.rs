//! Queries: culling, raycasts, proximity, picking.
//!
//! Reads the index as of its last sync, and a `Filter`; writes the caller's buffers only.
//!
//! Guarantees: results equal those of testing every node; their order is documented and depends
//! neither on the kernel nor on the shape of the tree; a query allocates nothing once the
//! caller's buffers are large enough.

pub(crate) mod cull;
pub(crate) mod cull_reason;
pub(crate) mod filter;
pub(crate) mod pick;
pub(crate) mod proximity;
pub(crate) mod raycast_aabb;
pub(crate) mod tree_boxes;
pub(crate) mod visible;
