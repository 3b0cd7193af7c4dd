//! The spatial index: world bounds of nodes and a tree of them, kept up to date once per frame.
//!
//! Reads the graph's changes and world transforms, and the local bounds that the caller sets.
//! Writes rows (`rows.rs`) and, once requested, subtree bounds. The tree (`bvh/`) follows when a query
//! needs it (`lazy_tree.rs`); until then the changed rows are listed (`dirty_rows.rs`).
//!
//! Guarantees: after `sync` every row has the world bounds of its node as of the graph's last
//! update; a sync costs O(changed nodes) and allocates nothing in the steady state.

pub(crate) mod check;
pub(crate) mod dirty_rows;
pub(crate) mod instances;
pub(crate) mod lazy_tree;
pub(crate) mod policy;
pub(crate) mod rows;
pub(crate) mod spatial_index;
pub(crate) mod subtree_bounds;
pub(crate) mod sync;
pub(crate) mod version;
