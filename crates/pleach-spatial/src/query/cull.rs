//! Culling: what is in view, by a scan of all boxes or by the tree.
//!
//! Both test the same boxes with the same operations and list what they find by
//! slot, so the answer does not depend on the way.

use crate::bvh::traversal::FrustumTraversal;
use crate::index::rows::WORD;
use crate::kernel::scalar::each_bit;
use crate::kernel::{self, CullPlanes};
use crate::{Filter, Frustum, SpatialIndex, Visible};

/// How culling finds what is in view. The answer is the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CullMethod {
    /// The tree from this many boxes on, a scan below.
    TreeFrom(usize),
    /// A scan of all boxes, always.
    Scan,
    /// The tree, always.
    Tree,
}

impl Default for CullMethod {
    /// Where the two are level on the machine they were measured on: see the
    /// decisions page "scan or tree".
    fn default() -> Self {
        Self::TreeFrom(8_000)
    }
}

/// A view to cull for: a camera's, or a light's for its shadows.
#[derive(Clone, Copy, Debug)]
pub struct CullView<'a> {
    /// What it sees of space.
    pub frustum: Frustum,
    /// What it sees of nodes.
    pub filter: Filter<'a>,
}

impl SpatialIndex {
    /// The nodes whose world bounds are not wholly outside of the frustum, as of the
    /// last [`sync`](Self::sync).
    ///
    /// Never culls a node with a point in view; may keep one near a corner of the
    /// frustum that is just out of it. By a scan that is O(boxes), about a nanosecond
    /// each; by the tree O(boxes in view + log of all).
    pub fn cull(&self, frustum: &Frustum, filter: &Filter<'_>, visible: &mut Visible) {
        visible.begin(self.rows.slot_count());
        let planes = CullPlanes::new(frustum);
        let used_tree = match self.cull_method {
            CullMethod::TreeFrom(size) => self.rows.len() >= size,
            CullMethod::Scan => false,
            CullMethod::Tree => true,
        };
        let mut words = core::mem::take(&mut visible.words);
        words.clear();
        words.resize(self.rows.len().div_ceil(WORD), 0);
        let tested = if used_tree {
            let leaf = |row: u32| words[row as usize / WORD] |= 1 << (row as usize % WORD);
            let traversal = FrustumTraversal { nodes: self.tree.nodes(), planes: &planes, leaf };
            kernel::traverse(self.kernel, traversal)
        } else {
            let columns = self.rows.columns.each_ref().map(|column| column.0.as_slice());
            kernel::cull_columns(self.kernel, columns, &planes, &mut words);
            // The last columns are filled up with boxes that no frustum sees, unless all its
            // planes are at infinity.
            if let (Some(last), 1..) = (words.last_mut(), self.rows.len() % WORD) {
                *last &= (1 << (self.rows.len() % WORD)) - 1;
            }
            self.rows.len()
        };
        self.list_nodes(&mut words, filter, visible);
        visible.words = words;
        visible.finish(tested, used_tree);
    }

    /// One `Visible` for each view, in order; the list becomes as long as the views.
    pub fn cull_each(&self, views: &[CullView<'_>], visible: &mut Vec<Visible>) {
        visible.resize_with(views.len(), Visible::new);
        for (view, visible) in views.iter().zip(visible) {
            self.cull(&view.frustum, &view.filter, visible);
        }
    }

    /// Lists the nodes of the rows that have a bit and pass the filter.
    fn list_nodes(&self, words: &mut [u64], filter: &Filter<'_>, visible: &mut Visible) {
        let rows = &self.rows;
        for row in rows.never_culled.iter().filter_map(|&node| rows.find(node)) {
            words[row / WORD] |= 1 << (row % WORD);
        }
        // Rows first, then what they hold: the reads do not wait for each other.
        let mut kept = core::mem::take(&mut visible.rows);
        kernel::list_bits(self.kernel, words, &mut kept);
        let all_pass = rows.non_default == 0 && filter.passes_default_rows();
        if !all_pass {
            kept.retain(|&row| filter.passes(rows.nodes[row as usize], rows.flags(row as usize)));
        }
        rows.append_nodes(&kept, &mut visible.nodes);
        visible.rows = kept;
        if all_pass && rows.rows_equal_slots() {
            visible.bits[..words.len()].copy_from_slice(words);
            return;
        }
        for node in &visible.nodes {
            visible.bits[node.index() / WORD] |= 1 << (node.index() % WORD);
        }
        if rows.unsorted {
            visible.nodes.clear();
            let node = |slot| rows.at_slot(slot).map(|row| rows.nodes[row]);
            each_bit(&visible.bits, |slot| visible.nodes.extend(node(slot)));
        }
    }
}
