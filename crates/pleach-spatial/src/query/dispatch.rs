//! Chooses between the tree and a scan for each query, as `index/policy.rs` decides.
//!
//! Both call `leaf` with the same rows, in different orders; no result depends on the order.

use crate::bvh::DynamicTree;
use crate::bvh::traversal::{AabbTraversal, LeafVisitor, NearestTraversal, RayTraversal};
use crate::index::policy::{self, TreeUse};
use crate::index::rows::Rows;
use crate::kernel::{self, NodeKernel, Slabs};
use crate::query::scan::{AabbScan, NearestScan, RayScan};
use crate::{Aabb, SpatialIndex};

/// Calls `found` with rows and the maximum distance. `found` returns the new one.
struct RowVisitor<'a, F> {
    rows: &'a Rows,
    found: F,
}

impl<F: FnMut(usize, f32) -> f32> LeafVisitor for RowVisitor<'_, F> {
    #[inline(always)]
    fn visit<L: NodeKernel>(&mut self, _: L, row: u32, max_distance: f32) -> f32 {
        // In a scan, vacant boxes may pass if the ray starts beyond the range of culling.
        let row = row as usize;
        if row < self.rows.count() { (self.found)(row, max_distance) } else { max_distance }
    }

    #[inline(always)]
    fn prefetch(&self, row: u32) {
        self.rows.prefetch(row as usize);
    }
}

impl SpatialIndex {
    /// Returns the tree, up to date, if a query should use it: one that it saves `saving`
    /// nanoseconds.
    pub(crate) fn tree_for(&self, saving: i64) -> Option<&DynamicTree> {
        let (tree, rows) = (&self.tree, &self.rows);
        let use_tree = match tree.policy.tree_use {
            TreeUse::Adaptive => {
                let (changed, new) = tree.pending(rows);
                let cost = policy::update_cost(rows.active, changed, new);
                let pays = tree.policy.pays(saving, cost, policy::max_cost(rows.active));
                pays || tree.get().is_some()
            }
            TreeUse::Always => true,
            TreeUse::Never => false,
        };
        use_tree.then(|| tree.bring_up_to_date(rows))
    }

    fn tree_for_few_results(&self) -> Option<&DynamicTree> {
        self.tree_for(policy::query_saving(self.rows.active))
    }

    /// Visits the rows that a ray may hit, roughly nearest first.
    pub(crate) fn visit_along_ray(
        &self,
        slabs: &Slabs,
        max_distance: f32,
        found: impl FnMut(usize, f32) -> f32,
    ) {
        let leaf = RowVisitor { rows: &self.rows, found };
        if let Some(tree) = self.tree_for_few_results() {
            let nodes = tree.nodes();
            kernel::traverse(self.kernel, RayTraversal { nodes, slabs, max_distance, leaf });
        } else {
            let columns = self.rows.column_slices();
            kernel::traverse(self.kernel, RayScan { columns, slabs, max_distance, leaf });
        }
    }

    /// Calls `leaf` with the rows around a point and the maximum squared distance. `leaf` returns
    /// the new one.
    pub(crate) fn visit_near(
        &self,
        point: [f32; 3],
        max_squared: f32,
        mut leaf: impl FnMut(u32, f32) -> f32,
    ) {
        if let Some(tree) = self.tree_for_few_results() {
            let nodes = tree.nodes();
            kernel::traverse(self.kernel, NearestTraversal { nodes, point, max_squared, leaf });
        } else {
            let (columns, count) = (self.rows.column_slices(), self.rows.count() as u32);
            // Vacant boxes pass if the distance is not limited.
            let leaf = |row, max| if row < count { leaf(row, max) } else { max };
            kernel::traverse(self.kernel, NearestScan { columns, point, max_squared, leaf });
        }
    }

    /// Calls `leaf` with the rows whose boxes intersect a box.
    pub(crate) fn visit_within(&self, aabb: &Aabb, mut leaf: impl FnMut(u32)) {
        if let Some(tree) = self.tree_for_few_results() {
            kernel::traverse(self.kernel, AabbTraversal { nodes: tree.nodes(), aabb, leaf });
        } else {
            let (columns, count) = (self.rows.column_slices(), self.rows.count() as u32);
            // Vacant boxes intersect a box that covers the whole range of f32.
            let leaf = |row| {
                if row < count {
                    leaf(row);
                }
            };
            kernel::traverse(self.kernel, AabbScan { columns, aabb, leaf });
        }
    }
}
