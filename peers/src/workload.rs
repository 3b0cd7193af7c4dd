//! The workloads and their names.

use crate::named_enum::named_enum;

named_enum! {
    /// What a frame edits before it updates. Edits and update are timed together.
    pub enum Workload {
        /// Nothing at first, `N` nodes and their world matrices at the end.
        Build = "build",
        /// Every node gets a translation.
        AllMoved = "all_moved",
        /// The root gets a translation.
        RootMoved = "root_moved",
        /// 1 % of the leaves get a translation.
        Leaves = "leaves_1pct",
        /// An update with nothing to do.
        Nothing = "nothing",
        /// 1 % of the nodes, with their small subtrees, get another parent.
        Reparent = "reparent_1pct",
        /// As many leaves as 1 % of the nodes are removed, and as many are added.
        Churn = "churn_1pct",
    }
}

impl Workload {
    /// Whether a list says which few nodes are edited.
    pub fn is_sparse(self) -> bool {
        self == Self::Leaves || self.is_structural()
    }

    /// Whether the hierarchy itself changes.
    pub fn is_structural(self) -> bool {
        matches!(self, Self::Reparent | Self::Churn)
    }
}
