//! `SpatialIndex`: the nodes that have bounds, where they are, and a tree of them.
//!
//! The caller gives nodes their own bounds; `sync` reads from the graph what moved,
//! what is shown and what died, and brings rows and tree up to date. Everything else
//! only asks. Derived data: it can be dropped and made again from the graph and the
//! own bounds.

use pleach_graph::{ChangeReader, Graph, NodeId};

use crate::bvh::DynamicTree;
use crate::index::rows::{RowFlags, Rows};
use crate::index::subtree_bounds::SubtreeBounds;
use crate::{Aabb, CullMethod, Error, QueryKernel};

/// Where things are: world bounds of nodes, and a tree of them for culling, picking
/// and search.
///
/// ```
/// use pleach_graph::{Graph, Transform};
/// use pleach_spatial::glam::Vec3;
/// use pleach_spatial::glam::camera::rh::{proj::directx::perspective, view::look_to_mat4};
/// use pleach_spatial::{Aabb, ClipSpace, Filter, Frustum, Ray, SpatialIndex, Visible};
///
/// let mut graph = Graph::new();
/// let mut index = SpatialIndex::new(&mut graph);
/// let crate_ = graph.add_root(Transform::from_xyz(0.0, 10.0, 0.0))?;
/// index.set_bounds(&graph, crate_, Aabb::new(Vec3::splat(-0.5), Vec3::splat(0.5)))?;
///
/// // Once a frame, after the graph's update:
/// graph.update();
/// index.sync(&graph)?;
///
/// // What does a camera at the origin see that looks along +Y?
/// let camera = perspective(1.0, 1.6, 0.1, 100.0) * look_to_mat4(Vec3::ZERO, Vec3::Y, Vec3::Z);
/// let frustum = Frustum::from_view_projection(&camera, ClipSpace::ZeroToOne)?;
/// let mut visible = Visible::new();
/// index.cull(&frustum, &Filter::default(), &mut visible);
/// assert_eq!(visible.nodes(), [crate_]);
///
/// // And what is in front of it?
/// let hit = index.raycast_aabb(&Ray::new(Vec3::ZERO, Vec3::Y)?, &Filter::default()).unwrap();
/// assert_eq!((hit.node, hit.distance), (crate_, 9.5));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Staleness
///
/// Answers are as of the last [`sync`](Self::sync): bounds set, nodes moved, hidden
/// or removed since then are not in them. [`compute_world_bounds`](Self::compute_world_bounds)
/// is right on any line of code.
///
/// # Costs
///
/// | call | cost |
/// | --- | --- |
/// | `set_bounds`, `set_layers`, … | O(1) |
/// | `sync` | O(moved nodes), each O(log n) in the tree; nothing if nothing moved |
/// | `cull` | O(n) scan of about a nanosecond a box, or O(in view + log n) |
/// | rays, `nearest`, … | O(log n) for what is nearest, O(answers + log n) for all |
///
/// About 280 bytes a node with bounds (counted at 131 072), nothing for nodes without (past 4
/// bytes a slot).
#[derive(Debug)]
pub struct SpatialIndex {
    pub(crate) change_reader: ChangeReader,
    pub(crate) rows: Rows,
    /// Items are rows.
    pub(crate) tree: DynamicTree,
    /// Nodes whose bounds were set since the last sync.
    pub(crate) pending: Vec<NodeId>,
    /// Did any row ever have bounds in the world?
    pub(crate) any_world_space: bool,
    /// Rows that moved; kept for its memory.
    pub(crate) changed_rows: Vec<u32>,
    /// Made when first asked for.
    pub(crate) subtree_bounds: Option<Box<SubtreeBounds>>,
    pub(crate) kernel: QueryKernel,
    pub(crate) cull_method: CullMethod,
}

impl SpatialIndex {
    /// An index of a graph, of no nodes yet. It reads the graph's changes through a
    /// feed of its own, so it disturbs no other reader.
    #[must_use]
    pub fn new(graph: &mut Graph) -> Self {
        Self {
            change_reader: graph.change_reader(),
            rows: Rows::default(),
            tree: DynamicTree::default(),
            pending: Vec::new(),
            any_world_space: false,
            changed_rows: Vec::new(),
            subtree_bounds: None,
            kernel: QueryKernel::best(),
            cull_method: CullMethod::default(),
        }
    }

    /// Makes room for so many more nodes with bounds, in one go. There is no need to, but
    /// before a large scene is filled in it saves moving what is there about.
    pub fn reserve(&mut self, additional: usize) {
        self.rows.reserve(additional);
        self.pending.reserve(additional);
    }

    /// Gives a node bounds, in its own space: those of its geometry, before its own
    /// transform. Seen from the next [`sync`](Self::sync) on.
    ///
    /// An empty box (geometry without vertices) means no bounds: it takes the node
    /// out of the index, with its layers.
    ///
    /// # Errors
    ///
    /// [`Error::Graph`] if the node is not in the graph; [`Error::Bounds`] if the box
    /// has a number that is NaN or infinite. (Not the empty box `Aabb::EMPTY`.)
    pub fn set_bounds(&mut self, graph: &Graph, node: NodeId, local: Aabb) -> Result<(), Error> {
        self.set_row_bounds(graph, node, local, false)
    }

    /// Gives a node bounds in the world, which stay there when the node moves: for what is
    /// posed by other nodes, as skinned meshes are. Set them anew whenever the pose changes.
    /// Otherwise as [`set_bounds`](Self::set_bounds), which takes their place and has its
    /// errors.
    ///
    /// # Errors
    ///
    /// [`Error::Graph`] and [`Error::Bounds`].
    pub fn set_world_bounds(
        &mut self,
        graph: &Graph,
        node: NodeId,
        world: Aabb,
    ) -> Result<(), Error> {
        self.set_row_bounds(graph, node, world, true)
    }

    fn set_row_bounds(
        &mut self,
        graph: &Graph,
        node: NodeId,
        local: Aabb,
        world_space: bool,
    ) -> Result<(), Error> {
        let shown = graph.node(node)?.is_shown();
        if local.is_empty() && !local.min.is_nan() && !local.max.is_nan() {
            self.remove(node);
            return Ok(());
        }
        if !local.is_finite() {
            return Err(Error::BoundsNotFinite { node, bounds: local });
        }
        let row = if let Some(row) = self.rows.find(node) {
            self.rows.local[row] = local;
            row
        } else {
            // The slot's last tenant may have died without a sync since.
            if let Some(row) = self.rows.at_slot(node.index()) {
                self.remove_row(row);
            }
            self.rows.push(node, local, shown)
        };
        let flags = self.rows.flags(row);
        if !flags.pending {
            self.pending.push(node);
        }
        self.any_world_space |= world_space;
        self.rows.set_flags(row, RowFlags { pending: true, world_space, ..flags });
        Ok(())
    }

    /// Takes a node out of the index, now. Did it have bounds?
    pub fn remove(&mut self, node: NodeId) -> bool {
        let row = self.rows.find(node);
        if let Some(row) = row {
            self.remove_row(row);
        }
        row.is_some()
    }

    pub(crate) fn remove_row(&mut self, row: usize) {
        let node = self.rows.nodes[row];
        if self.rows.flags(row).in_tree {
            self.tree.remove(row as u32);
        }
        if let Some(moved) = self.rows.swap_remove(row)
            && self.rows.flags(row).in_tree
        {
            self.tree.renumber(moved as u32, row as u32);
        }
        if let Some(subtree_bounds) = &mut self.subtree_bounds {
            subtree_bounds.mark_dirty(node.index());
        }
    }

    /// Puts a node on layers (bits). It has [`DEFAULT_LAYERS`](crate::DEFAULT_LAYERS)
    /// at first.
    ///
    /// # Errors
    ///
    /// [`Error::NoBounds`] if the node has no bounds here.
    pub fn set_layers(&mut self, node: NodeId, layers: u32) -> Result<(), Error> {
        let row = self.row(node)?;
        let flags = self.rows.flags(row);
        if flags.layers != layers {
            self.rows.set_flags(row, RowFlags { layers, ..flags });
        }
        Ok(())
    }

    /// Whether frusta may cull a node; `false` lists it in every view that its layers
    /// and visibility let it into. Rays and searches still go by its bounds.
    ///
    /// # Errors
    ///
    /// [`Error::NoBounds`] if the node has no bounds here.
    pub fn set_frustum_culled(&mut self, node: NodeId, culled: bool) -> Result<(), Error> {
        let row = self.row(node)?;
        let flags = self.rows.flags(row);
        if flags.never_culled == culled {
            self.rows.set_flags(row, RowFlags { never_culled: !culled, ..flags });
        }
        Ok(())
    }

    /// How many nodes have bounds.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Has no node bounds?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.len() == 0
    }

    /// Has the node bounds?
    #[must_use]
    pub fn contains(&self, node: NodeId) -> bool {
        self.rows.find(node).is_some()
    }

    /// A node's bounds as they were set: in its own space, or in the world.
    #[must_use]
    pub fn local_bounds(&self, node: NodeId) -> Option<Aabb> {
        Some(self.rows.local[self.rows.find(node)?])
    }

    /// A node's layers.
    #[must_use]
    pub fn layers(&self, node: NodeId) -> Option<u32> {
        Some(self.rows.flags(self.rows.find(node)?).layers)
    }

    /// A node's bounds in the world, as of the last [`sync`](Self::sync). The box of
    /// its own bounds' eight corners in the world. O(1).
    #[must_use]
    pub fn world_bounds(&self, node: NodeId) -> Option<Aabb> {
        let row = self.rows.find(node)?;
        self.rows.flags(row).in_tree.then(|| self.rows.world[row])
    }

    /// A node's bounds in the world, right on any line of code: O(ancestors) if the
    /// node moved since the graph's last update. `None` for a dead node.
    #[must_use]
    pub fn compute_world_bounds(&self, graph: &Graph, node: NodeId) -> Option<Aabb> {
        let row = self.rows.find(node)?;
        let (local, node) = (self.rows.local[row], graph.get(node)?);
        let world_space = self.rows.flags(row).world_space;
        Some(if world_space { local } else { local.transformed(&node.compute_world()) })
    }

    /// The nodes that have bounds, in no promised order.
    #[must_use]
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = NodeId> {
        self.rows.nodes.iter().copied()
    }

    /// The box of everything, as of the last sync; empty if there is nothing. Larger
    /// than needed by up to a millionth of its coordinates. O(1).
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        match self.tree.nodes().first() {
            Some(root) if root.len > 0 => root.union(),
            _ => Aabb::EMPTY,
        }
    }

    /// How [`cull`](Self::cull) finds what is in view.
    #[must_use]
    pub fn cull_method(&self) -> CullMethod {
        self.cull_method
    }

    /// Sets how [`cull`](Self::cull) finds what is in view. The answers are the same.
    pub fn set_cull_method(&mut self, cull_method: CullMethod) {
        self.cull_method = cull_method;
    }

    /// The kernel that culls and walks.
    #[must_use]
    pub fn kernel(&self) -> QueryKernel {
        self.kernel
    }

    /// Sets the kernel, if this CPU can run it; the one in use. The answers are the
    /// same.
    pub fn set_kernel(&mut self, kernel: QueryKernel) -> QueryKernel {
        if kernel.is_available() {
            self.kernel = kernel;
        }
        self.kernel
    }

    pub(crate) fn row(&self, node: NodeId) -> Result<usize, Error> {
        self.rows.find(node).ok_or(Error::NoBounds(node))
    }

    /// What is broken, if anything: a list of sentences for people who change this
    /// crate. O(n).
    #[must_use]
    pub fn check(&self) -> Vec<String> {
        let mut problems = Vec::new();
        self.tree.check(&mut problems);
        self.check_rows(&mut problems);
        problems
    }

    fn check_rows(&self, problems: &mut Vec<String>) {
        let rows = &self.rows;
        let mut last = None;
        for (row, &node) in rows.nodes.iter().enumerate() {
            if rows.find(node) != Some(row) {
                problems.push(format!("row {row}: {node} is found elsewhere"));
            }
            let (in_tree, item) = (rows.flags(row).in_tree, row as u32);
            if in_tree != self.tree.contains(item) {
                problems.push(format!("row {row}: in_tree is {in_tree}, but not so in the tree"));
            } else if in_tree && self.tree.aabb(item) != rows.padded_box(row) {
                problems.push(format!("row {row}: the tree has another box"));
            } else if in_tree && rows.world[row].with_slack() != rows.padded_box(row) {
                problems.push(format!("row {row}: the columns have another box"));
            }
            if !rows.unsorted && last.is_some_and(|last| last >= node.index()) {
                problems.push(format!("row {row} is not in order"));
            }
            last = Some(node.index());
        }
        let non_default = (0..rows.len()).filter(|&row| rows.flags(row).is_non_default()).count();
        if non_default != rows.non_default {
            problems.push(format!("{non_default} rows are non_default, not {}", rows.non_default));
        }
    }
}
