//! The spatial index: world bounds of nodes and a tree of them, kept up to date once per frame.
//!
//! Reads the graph's changes and world transforms, and the local bounds that the caller sets.
//! Writes rows (`rows.rs`), the tree (`bvh/`) and, once requested, subtree bounds.
//!
//! Guarantees: after `sync` every row has the world bounds of its node as of the graph's last
//! update; a sync costs O(changed nodes) and allocates nothing in the steady state.

pub(crate) mod check;
pub(crate) mod instances;
pub(crate) mod rows;
pub(crate) mod spatial_index;
pub(crate) mod subtree_bounds;
pub(crate) mod sync;
