//! Queries: culling, raycasts, proximity, picking.
//!
//! Reads the index as of its last sync, and a `Filter`; writes the caller's buffers. A query that
//! uses the tree brings it up to date first (`dispatch.rs`).
//!
//! Guarantees: results equal those of testing every node; their order is documented and depends
//! neither on the kernel, nor on the tree and whether it is used; a query allocates nothing once the
//! caller's buffers are large enough.

pub(crate) mod cull;
pub(crate) mod cull_reason;
pub(crate) mod dispatch;
pub(crate) mod filter;
pub(crate) mod in_view;
pub(crate) mod pick;
pub(crate) mod proximity;
pub(crate) mod raycast_aabb;
pub(crate) mod scan;
pub(crate) mod tree_boxes;
pub(crate) mod visible;
