//! Culling: finds the nodes in view, by a scan of all boxes or by the tree.
//!
//! Both test the same boxes with the same operations and list the results by slot, so the result
//! does not depend on the method.

use crate::bvh::DynamicTree;
use crate::bvh::traversal::FrustumTraversal;
use crate::index::policy::{self, TreeUse};
use crate::index::rows::WORD;
use crate::kernel::scalar::each_bit;
use crate::kernel::{self, CullPlanes};
use crate::{Filter, Frustum, SpatialIndex, Visible};

/// The method by which culling finds the nodes in view. All give the same results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum CullMethod {
    /// Uses the tree where it saves time, judging by recent culls, and scans otherwise. A tree that
    /// is out of date is brought up to date once that pays off: see `docs/decisions/scan-or-tree.md`.
    #[default]
    Adaptive,
    /// Uses the tree if there are at least this many boxes, otherwise a scan.
    TreeFrom(usize),
    /// Always scans all boxes.
    Scan,
    /// Always uses the tree.
    Tree,
}

/// A view to cull for: that of a camera, or that of a light for its shadow map.
#[derive(Clone, Copy, Debug)]
pub struct CullView<'a> {
    /// The frustum.
    pub frustum: Frustum,
    /// The filter that nodes must pass.
    pub filter: Filter<'a>,
}

impl SpatialIndex {
    /// Replaces the contents of `visible` with the nodes whose world bounds are not entirely outside
    /// the frustum, as of the last [`sync`](Self::sync).
    ///
    /// Never culls a node with a point in view; may keep a node near an edge or corner of the
    /// frustum that is just out of view. O(n) by a scan, about half a nanosecond per box; O(boxes in
    /// view + log n) by the tree. [`CullMethod`] selects between them.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// # use pleach_spatial::{Aabb, ClipSpace, Filter, Frustum, SpatialIndex, Visible};
    /// # use pleach_spatial::glam::Vec3;
    /// # let mut graph = Graph::new();
    /// # let mut index = SpatialIndex::new(&mut graph);
    /// # let cube = Aabb::new(Vec3::ZERO, Vec3::ONE);
    /// # use pleach_spatial::glam::camera::rh::{proj::directx::perspective, view::look_to_mat4};
    /// # let near = graph.add_root(Transform::from_xyz(0.0, 2.0, 0.0))?;
    /// # let far = graph.add_root(Transform::from_xyz(0.0, 8.0, 0.0))?;
    /// # for node in [near, far] {
    /// #     index.set_bounds(&graph, node, cube)?;
    /// # }
    /// # graph.update();
    /// # index.sync(&graph)?;
    /// // From the origin along +Y.
    /// let camera = perspective(1.0, 1.6, 0.1, 5.0) * look_to_mat4(Vec3::ZERO, Vec3::Y, Vec3::Z);
    /// let frustum = Frustum::from_view_projection(&camera, ClipSpace::ZeroToOne)?;
    /// let mut visible = Visible::new();
    /// index.cull(&frustum, &Filter::default(), &mut visible);
    /// assert_eq!(visible.nodes(), [near]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias("frustum culling", "visible objects", "intersectsFrustum"))]
    pub fn cull(&self, frustum: &Frustum, filter: &Filter<'_>, visible: &mut Visible) {
        visible.begin(self.rows.slot_count());
        let planes = CullPlanes::new(frustum);
        let tree = match self.cull_method {
            CullMethod::Adaptive => self.tree_for_cull(),
            CullMethod::TreeFrom(size) => (self.rows.len() >= size).then(|| self.up_to_date_tree()),
            CullMethod::Scan => None,
            CullMethod::Tree => Some(self.up_to_date_tree()),
        };
        let mut words = core::mem::take(&mut visible.words);
        words.clear();
        words.resize(self.rows.count().div_ceil(WORD), 0);
        let mut may_contain_vacant = false;
        let tested = if let Some(tree) = tree {
            let leaf = |row: u32| words[row as usize / WORD] |= 1 << (row as usize % WORD);
            let traversal = FrustumTraversal { nodes: tree.nodes(), planes: &planes, leaf };
            kernel::traverse(self.kernel, traversal)
        } else {
            kernel::cull_columns(self.kernel, self.rows.column_slices(), &planes, &mut words);
            // No frustum contains a vacant box, unless all its planes are at infinity.
            may_contain_vacant = planes.0.iter().all(|plane| plane.normal == [0.0; 3]);
            if let (Some(last), 1..) = (words.last_mut(), self.rows.count() % WORD) {
                *last &= (1 << (self.rows.count() % WORD)) - 1;
            }
            self.rows.len()
        };
        self.list_nodes(&mut words, filter, may_contain_vacant, visible);
        visible.words = words;
        visible.version = Some(self.version());
        visible.finish(tested, tree.is_some());
        let saving = policy::cull_saving(self.rows.count(), visible.rows.len());
        self.tree.policy.record_cull(saving);
    }

    /// Returns the tree if a cull like the recent ones should use it.
    fn tree_for_cull(&self) -> Option<&DynamicTree> {
        let saving = self.tree.policy.expected_cull_saving();
        let is_forced = self.tree.policy.tree_use == TreeUse::Always;
        (saving > 0 || is_forced).then(|| self.tree_for(saving)).flatten()
    }

    fn up_to_date_tree(&self) -> &DynamicTree {
        self.tree.bring_up_to_date(&self.rows)
    }

    /// [Culls](Self::cull) for several views: `visible[i]` receives the nodes in `views[i]`.
    /// `visible` is resized to the number of views.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// # use pleach_spatial::{Aabb, ClipSpace, CullView, Filter, Frustum, Plane, SpatialIndex};
    /// # use pleach_spatial::glam::Vec3;
    /// # let mut graph = Graph::new();
    /// # let mut index = SpatialIndex::new(&mut graph);
    /// # let cube = Aabb::new(Vec3::ZERO, Vec3::ONE);
    /// # use pleach_spatial::glam::camera::rh::{proj::directx::perspective, view::look_to_mat4};
    /// # let near = graph.add_root(Transform::from_xyz(0.0, 2.0, 0.0))?;
    /// # let far = graph.add_root(Transform::from_xyz(0.0, 8.0, 0.0))?;
    /// # for node in [near, far] {
    /// #     index.set_bounds(&graph, node, cube)?;
    /// # }
    /// # graph.update();
    /// # index.sync(&graph)?;
    /// // From the origin along +Y.
    /// let camera = perspective(1.0, 1.6, 0.1, 5.0) * look_to_mat4(Vec3::ZERO, Vec3::Y, Vec3::Z);
    /// let frustum = Frustum::from_view_projection(&camera, ClipSpace::ZeroToOne)?;
    /// let everything = Frustum::from_planes([Plane::AT_INFINITY; 6])?;
    /// let views = [frustum, everything].map(|frustum| CullView { frustum, filter: Filter::default() });
    /// let mut visible = Vec::new();
    /// index.cull_each(&views, &mut visible);
    /// assert_eq!([visible[0].len(), visible[1].len()], [1, 2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cull_each(&self, views: &[CullView<'_>], visible: &mut Vec<Visible>) {
        visible.resize_with(views.len(), Visible::new);
        for (view, visible) in views.iter().zip(visible) {
            self.cull(&view.frustum, &view.filter, visible);
        }
    }

    /// Lists the nodes of the rows whose bit is set and that pass the filter.
    fn list_nodes(
        &self,
        words: &mut [u64],
        filter: &Filter<'_>,
        may_contain_vacant: bool,
        visible: &mut Visible,
    ) {
        let rows = &self.rows;
        for row in rows.never_culled.iter().filter_map(|&node| rows.find(node)) {
            words[row / WORD] |= 1 << (row % WORD);
        }
        // Rows first, then their nodes, so that the reads do not depend on each other.
        let mut kept = core::mem::take(&mut visible.rows);
        kernel::list_bits(self.kernel, words, &mut kept);
        let all_pass = rows.non_default == 0 && filter.passes_default_rows() && !may_contain_vacant;
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
        if !rows.is_sorted() {
            visible.nodes.clear();
            visible.rows.clear();
            each_bit(&visible.bits, |slot| {
                if let Some(row) = rows.at_slot(slot) {
                    visible.nodes.push(rows.nodes[row]);
                    visible.rows.push(row as u32);
                }
            });
        }
    }
}
