//! The workloads and their names.

use crate::named_enum::named_enum;

named_enum! {
    /// The edits of a frame before its update. Edits and update are timed together.
    pub enum Workload {
        /// Builds `N` nodes and their world matrices from nothing.
        Build = "build",
        /// Sets the translation of every node.
        AllMoved = "all_moved",
        /// Sets translation, rotation and scale of every node.
        AllSet = "all_set",
        /// Sets the translation of the root.
        RootMoved = "root_moved",
        /// Sets the translation of 1 % of the leaves.
        Leaves = "leaves_1pct",
        /// An update without edits.
        Nothing = "nothing",
        /// Reparents 1 % of the nodes with their small subtrees.
        Reparent = "reparent_1pct",
        /// Removes leaves (1 % of the nodes) and adds the same number.
        Churn = "churn_1pct",
    }
}

impl Workload {
    /// Returns `true` if a list selects the edited nodes.
    pub fn is_sparse(self) -> bool {
        self == Self::Leaves || self.is_structural()
    }

    /// Returns `true` if the hierarchy changes.
    pub fn is_structural(self) -> bool {
        matches!(self, Self::Reparent | Self::Churn)
    }
}
