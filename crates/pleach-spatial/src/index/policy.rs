//! Decides when a query brings the tree up to date, and when it scans all boxes instead.
//!
//! As in the ski rental problem: each query earns a credit, the time that the tree would have saved
//! it; each sync takes away what its changes would have cost in the tree. Once the credit exceeds the
//! cost of bringing the tree up to date, the next query does so. So a tree is maintained where
//! queries pay for it.
//!
//! All costs are estimates in nanoseconds, computed from counts: no clock is read. They affect time
//! only, never a result. `docs/decisions/scan-or-tree.md` explains them.

use core::sync::atomic::{AtomicI64, Ordering};

/// The cost of changing, removing or inserting one box.
const CHANGE: i64 = 250;
/// The cost per box of refitting all boxes.
const REFIT: i64 = 20;
/// The cost per box of building the tree.
const BUILD: i64 = 250;
/// The cost of a query by the tree is this, times the logarithm of the number of boxes.
const TREE_LEVEL: i64 = 40;
/// The cost per box that a cull by the tree lists, beyond that of a scan.
const TREE_LISTED: i64 = 8;
/// The credit that outlasts a sync is at most this multiple of the cost of bringing the tree up to
/// date, so that few updates are wasted once queries cease.
const MAX_CREDIT: i64 = 2;

/// Selects the queries that use the tree, for tests: results do not depend on it.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TreeUse {
    /// Queries for which it pays.
    #[default]
    Adaptive,
    /// All queries, except culls by [`CullMethod::Scan`](crate::CullMethod::Scan).
    Always,
    /// No query, except culls by a method other than [`CullMethod::Adaptive`](crate::CullMethod::Adaptive).
    Never,
}

#[derive(Debug, Default)]
pub(crate) struct Policy {
    pub(crate) tree_use: TreeUse,
    credit: AtomicI64,
    /// The mean time that the tree would have saved recent culls; negative if it costs time.
    cull_saving: AtomicI64,
}

/// Returns the time that the tree saves a query of `count` boxes with few results.
pub(crate) fn query_saving(count: usize) -> i64 {
    scan_cost(count) - tree_cost(count)
}

/// Returns the time that the tree saves a cull that finds `found` of `count` boxes.
pub(crate) fn cull_saving(count: usize, found: usize) -> i64 {
    scan_cost(count) * 3 / 2 - tree_cost(count) - TREE_LISTED * found as i64
}

/// The cost of a scan: 0.4 nanoseconds per box.
fn scan_cost(count: usize) -> i64 {
    count as i64 * 2 / 5
}

fn tree_cost(count: usize) -> i64 {
    TREE_LEVEL * i64::from(usize::BITS - count.leading_zeros())
}

/// Returns the cost of bringing a tree of `active` boxes up to date, of which `changed` changed and
/// at least `new` are new.
pub(crate) fn update_cost(active: usize, changed: usize, new: usize) -> i64 {
    let [active, changed, new] = [active, changed, new].map(|it| it as i64);
    (CHANGE * (changed - new).max(0)).min(REFIT * active) + (BUILD * new).min(BUILD * active)
}

/// Returns an upper bound of `update_cost`.
pub(crate) fn max_cost(active: usize) -> i64 {
    (REFIT + BUILD) * active as i64
}

impl Policy {
    /// Returns `true` if a query by the tree pays for bringing it up to date at this cost. The tree
    /// saves it `saving`, which is added to the credit, unless that is sufficient for any cost.
    pub(crate) fn pays(&self, saving: i64, cost: i64, max_cost: i64) -> bool {
        if saving <= 0 {
            return false;
        }
        // Not written once it is sufficient, so that threads do not contend for it.
        let credit = self.credit.load(Ordering::Relaxed);
        if credit < MAX_CREDIT * max_cost {
            self.credit.fetch_add(saving, Ordering::Relaxed);
        }
        credit + saving >= cost
    }

    /// Returns `true` if the next query that the tree serves would bring it up to date at this cost.
    #[cfg(feature = "parallel")]
    pub(crate) fn can_afford(&mut self, cost: i64) -> bool {
        *self.credit.get_mut() >= cost
    }

    /// Records what a sync changed: its cost in the tree, and the cost of all changes since the
    /// tree was up to date.
    pub(crate) fn record_changes(&mut self, cost: i64, total_cost: i64) {
        let credit = self.credit.get_mut();
        *credit = (*credit - cost).clamp(0, MAX_CREDIT * total_cost);
    }

    /// Returns the time that the tree is expected to save the next cull.
    pub(crate) fn expected_cull_saving(&self) -> i64 {
        self.cull_saving.load(Ordering::Relaxed)
    }

    /// Records the time that the tree saved or would have saved a cull.
    pub(crate) fn record_cull(&self, saving: i64) {
        let mean = (self.cull_saving.load(Ordering::Relaxed) + saving) / 2;
        self.cull_saving.store(mean, Ordering::Relaxed);
    }
}
