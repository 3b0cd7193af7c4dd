//! `SpatialIndex`: the nodes that have bounds, their world bounds, and a tree of them.
//!
//! The caller sets local bounds; `sync` reads from the graph which nodes changed, are shown or were
//! removed, and updates the rows. Queries only read them, and bring the tree up to date if they use it. The
//! index is derived data: it can be dropped and recreated from the graph and the local bounds.

use glam::Vec3;
use pleach_graph::{ChangeReader, Graph, NodeId};

use crate::index::dirty_rows::DirtyRows;
use crate::index::lazy_tree::LazyTree;
use crate::index::policy::TreeUse;
use crate::index::rows::{RowFlags, Rows};
use crate::index::subtree_bounds::SubtreeCache;
use crate::index::version::IndexVersion;
use crate::{Aabb, CullMethod, Error, QueryKernel, TreeStats};

/// A spatial index: world bounds of nodes, and a bounding volume hierarchy for culling, picking
/// and proximity queries.
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
/// // Cull for a camera at the origin that looks along +Y.
/// let camera = perspective(1.0, 1.6, 0.1, 100.0) * look_to_mat4(Vec3::ZERO, Vec3::Y, Vec3::Z);
/// let frustum = Frustum::from_view_projection(&camera, ClipSpace::ZeroToOne)?;
/// let mut visible = Visible::new();
/// index.cull(&frustum, &Filter::default(), &mut visible);
/// assert_eq!(visible.nodes(), [crate_]);
///
/// // Cast a ray.
/// let hit = index.raycast_aabb(&Ray::new(Vec3::ZERO, Vec3::Y)?, &Filter::default()).unwrap();
/// assert_eq!((hit.node, hit.distance), (crate_, 9.5));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Staleness
///
/// Results are as of the last [`sync`](Self::sync): they do not take into account bounds that were
/// set, and nodes that were moved, hidden, attached or removed from the graph, since then. Layers,
/// `set_frustum_culled`, detaching and [`remove`](Self::remove) take effect immediately.
/// [`compute_world_bounds`](Self::compute_world_bounds) is always up to date.
///
/// # Threads
///
/// Queries take `&self` and may run on several threads at the same time, with predicates and shapes
/// that borrow the graph or anything else that is `Sync`. While one of them brings the tree up to
/// date, others that need it wait.
///
/// # Order
///
/// The slot of a node, by which results are sorted, is its [`NodeId::index`].
///
/// # Costs
///
/// | call | cost |
/// | --- | --- |
/// | `set_bounds`, `set_layers`, … | O(1) |
/// | `sync` | O(changed nodes), a few nanoseconds each; nothing if nothing changed |
/// | `cull` | O(n) scan of about half a nanosecond per box, or O(in view + log n) by the tree; see [`CullMethod`] |
/// | raycasts, `nearest`, … | by the tree O(log n) for the nearest, O(results + log n) for all; or a scan |
/// | the tree | O(changed nodes), each O(log n), when a query needs it; at most O(n) or, for a rebuild, O(n log n) |
///
/// # The tree
///
/// A sync only notes which boxes changed. While the tree is out of date, queries scan all boxes,
/// until the time that the tree would have saved them exceeds the cost of bringing it up to date;
/// the next query then does so. In a scene that is in motion and only culled, the tree costs nothing;
/// with many raycasts per frame, one of the first updates it. Results do not depend on it.
/// [`tree_stats`](Self::tree_stats) shows what happened.
///
/// Memory: about 280 bytes per node with bounds (measured with 131 072 nodes), 4 bytes per slot for
/// other nodes.
#[doc(alias = "DynamicBVH")]
#[doc(alias("bvh", "broadphase", "octree", "bounding volume hierarchy"))]
#[derive(Debug)]
pub struct SpatialIndex {
    pub(crate) change_reader: ChangeReader,
    pub(crate) rows: Rows,
    /// The structure and world versions of the graph at the last sync.
    pub(crate) synced: Option<(u64, u64)>,
    /// Items are rows.
    pub(crate) tree: LazyTree,
    /// Nodes whose bounds were set since the last sync.
    pub(crate) pending: Vec<NodeId>,
    /// `true` if any row ever had world-space bounds.
    pub(crate) any_world_space: bool,
    /// Rows that changed, reused between syncs.
    pub(crate) changed_rows: Vec<u32>,
    /// The rows of `pending`, while a sync runs.
    pub(crate) pending_rows: DirtyRows,
    /// Created by the first call of `subtree_bounds`.
    pub(crate) subtree_bounds: SubtreeCache,
    pub(crate) kernel: QueryKernel,
    pub(crate) cull_method: CullMethod,
}

impl SpatialIndex {
    /// Creates an empty index of a graph. It has its own change reader, so it does not affect other
    /// readers.
    ///
    /// ```
    /// use pleach_graph::Graph;
    /// use pleach_spatial::SpatialIndex;
    ///
    /// let mut graph = Graph::new();
    /// let index = SpatialIndex::new(&mut graph);
    /// assert!(index.is_empty());
    /// ```
    #[must_use]
    pub fn new(graph: &mut Graph) -> Self {
        Self {
            change_reader: graph.change_reader(),
            rows: Rows::default(),
            synced: None,
            tree: LazyTree::default(),
            pending: Vec::new(),
            any_world_space: false,
            changed_rows: Vec::new(),
            pending_rows: DirtyRows::default(),
            subtree_bounds: SubtreeCache::default(),
            kernel: QueryKernel::best(),
            cull_method: CullMethod::default(),
        }
    }

    /// Creates an index of a clone of the graph, with the same bounds. Its tree is built when a query
    /// needs it.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// # use pleach_spatial::{Aabb, SpatialIndex};
    /// # use pleach_spatial::glam::Vec3;
    /// let mut graph = Graph::new();
    /// let mut index = SpatialIndex::new(&mut graph);
    /// let node = graph.add_root(Transform::IDENTITY)?;
    /// index.set_bounds(&graph, node, Aabb::new(Vec3::ZERO, Vec3::ONE))?;
    /// graph.update();
    /// index.sync(&graph)?;
    ///
    /// let mut clone = graph.clone();
    /// let index = index.clone_for(&mut clone);
    /// assert_eq!(index.world_bounds(node).unwrap().max, Vec3::ONE);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn clone_for(&self, clone: &mut Graph) -> Self {
        Self {
            change_reader: self.change_reader.clone_for(clone),
            rows: self.rows.clone_for_other(),
            synced: self.synced,
            tree: self.tree.clone_empty(),
            pending: self.pending.clone(),
            any_world_space: self.any_world_space,
            changed_rows: self.changed_rows.clone(),
            pending_rows: DirtyRows::default(),
            subtree_bounds: SubtreeCache::default(),
            kernel: self.kernel,
            cull_method: self.cull_method,
        }
    }

    /// Returns the version of this index, which changes whenever the result of a cull, a raycast or a
    /// proximity query may: with a sync that changed something, and with calls that take effect
    /// immediately.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// # use pleach_spatial::{Aabb, SpatialIndex};
    /// # use pleach_spatial::glam::Vec3;
    /// let mut graph = Graph::new();
    /// let mut index = SpatialIndex::new(&mut graph);
    /// let node = graph.add_root(Transform::IDENTITY)?;
    /// index.set_bounds(&graph, node, Aabb::new(Vec3::ZERO, Vec3::ONE))?;
    /// graph.update();
    /// index.sync(&graph)?;
    ///
    /// let version = index.version();
    /// index.sync(&graph)?;
    /// assert_eq!(index.version(), version);                 // nothing changed
    /// graph.node_mut(node)?.set_translation(Vec3::X)?;
    /// graph.update();
    /// index.sync(&graph)?;
    /// assert_ne!(index.version(), version);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn version(&self) -> IndexVersion {
        self.rows.version
    }

    /// Reserves capacity for at least `additional` more nodes with bounds. Optional; avoids
    /// reallocations while a large scene is filled.
    ///
    /// ```
    /// use pleach_graph::Graph;
    /// use pleach_spatial::SpatialIndex;
    ///
    /// let mut index = SpatialIndex::new(&mut Graph::new());
    /// index.reserve(10_000);
    /// ```
    pub fn reserve(&mut self, additional: usize) {
        self.rows.reserve(additional);
        self.pending.reserve(additional);
    }

    /// Sets the bounds of a node in its local space: those of its geometry, before the node's own
    /// transform. Takes effect with the next [`sync`](Self::sync).
    ///
    /// An empty box (geometry without vertices) removes the node from the index immediately,
    /// including its layers.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// # use pleach_spatial::{Aabb, SpatialIndex};
    /// # use pleach_spatial::glam::Vec3;
    /// # let mut graph = Graph::new();
    /// # let mut index = SpatialIndex::new(&mut graph);
    /// let node = graph.add_root(Transform::from_xyz(5.0, 0.0, 0.0))?;
    /// index.set_bounds(&graph, node, Aabb::new(Vec3::ZERO, Vec3::ONE))?;
    /// assert_eq!(index.world_bounds(node), None, "not yet");
    /// graph.update();
    /// index.sync(&graph)?;
    /// assert_eq!(index.world_bounds(node).unwrap().max.x, 6.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Graph`] if the node is not in the graph; [`Error::BoundsNotFinite`] if a
    /// coordinate is NaN or infinite. (The empty box `Aabb::EMPTY` is allowed.)
    pub fn set_bounds(&mut self, graph: &Graph, node: NodeId, local: Aabb) -> Result<(), Error> {
        self.set_row_bounds(graph, node, local, false)
    }

    /// Sets the bounds of a node in world space, for geometry that is posed by other nodes, such as
    /// skinned meshes. They do not follow the node's transform: set them again whenever the pose
    /// changes. Replaces bounds set by [`set_bounds`](Self::set_bounds), and vice versa; otherwise
    /// the same.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// # use pleach_spatial::{Aabb, SpatialIndex};
    /// # use pleach_spatial::glam::Vec3;
    /// # let mut graph = Graph::new();
    /// # let mut index = SpatialIndex::new(&mut graph);
    /// let posed = Aabb::new(Vec3::ZERO, Vec3::ONE);
    /// let node = graph.add_root(Transform::from_xyz(5.0, 0.0, 0.0))?;
    /// index.set_world_bounds(&graph, node, posed)?;
    /// graph.update();
    /// index.sync(&graph)?;
    /// assert_eq!(index.world_bounds(node), Some(posed));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Graph`] and [`Error::BoundsNotFinite`], as for [`set_bounds`](Self::set_bounds).
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
            self.rows.set_local(row, local);
            row
        } else {
            // The slot's previous node may have been removed without a sync since.
            if let Some(row) = self.rows.at_slot(node.index()) {
                self.remove_row(row);
            }
            self.rows.insert(node, local, shown)
        };
        let flags = self.rows.flags(row);
        if !flags.pending {
            self.pending.push(node);
        }
        self.any_world_space |= world_space;
        self.rows.set_flags(row, RowFlags { pending: true, world_space, ..flags });
        Ok(())
    }

    /// Removes a node from the index immediately. Returns `true` if it had bounds. The graph is not
    /// changed; nodes that are removed from the graph are dropped by the next [`sync`](Self::sync).
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// # use pleach_spatial::{Aabb, SpatialIndex};
    /// # use pleach_spatial::glam::Vec3;
    /// # let mut graph = Graph::new();
    /// # let mut index = SpatialIndex::new(&mut graph);
    /// # let cube = Aabb::new(Vec3::ZERO, Vec3::ONE);
    /// let node = graph.add_root(Transform::IDENTITY)?;
    /// index.set_bounds(&graph, node, cube)?;
    /// assert!(index.remove(node));
    /// assert!(!index.contains(node));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn remove(&mut self, node: NodeId) -> bool {
        let row = self.rows.find(node);
        if let Some(row) = row {
            self.remove_row(row);
        }
        row.is_some()
    }

    pub(crate) fn remove_row(&mut self, row: usize) {
        let node = self.rows.nodes[row];
        if self.rows.flags(row).active {
            self.tree.begin_changes().mark(row);
        }
        self.rows.remove(row);
        if let Some(subtree_bounds) = self.subtree_bounds.get_mut() {
            subtree_bounds.mark_dirty(node.index());
        }
    }

    /// Sets the layers of a node, a bit mask. The default is
    /// [`DEFAULT_LAYERS`](crate::DEFAULT_LAYERS). Takes effect immediately.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// # use pleach_spatial::{Aabb, Filter, SpatialIndex};
    /// # use pleach_spatial::glam::Vec3;
    /// # let mut graph = Graph::new();
    /// # let mut index = SpatialIndex::new(&mut graph);
    /// # let cube = Aabb::new(Vec3::ZERO, Vec3::ONE);
    /// # let near = graph.add_root(Transform::from_xyz(0.0, 2.0, 0.0))?;
    /// # let far = graph.add_root(Transform::from_xyz(0.0, 8.0, 0.0))?;
    /// # for node in [near, far] {
    /// #     index.set_bounds(&graph, node, cube)?;
    /// # }
    /// # graph.update();
    /// # index.sync(&graph)?;
    /// const TOOLS: u32 = 1 << 5;
    /// index.set_layers(far, TOOLS)?;
    /// let mut found = Vec::new();
    /// index.query_aabb(&index.bounds(), &Filter::default().with_layers(TOOLS), &mut found);
    /// assert_eq!(found, [far]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::NoBounds`] if the node has no bounds in this index.
    pub fn set_layers(&mut self, node: NodeId, layers: u32) -> Result<(), Error> {
        let row = self.row(node)?;
        let flags = self.rows.flags(row);
        if flags.layers != layers {
            self.rows.set_flags(row, RowFlags { layers, ..flags });
        }
        Ok(())
    }

    /// Sets whether a node may be culled by a frustum; the default is `true`. With `false` it is
    /// listed in every view whose filter it passes. Raycasts and proximity queries still use its
    /// bounds. Takes effect immediately.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// # use pleach_spatial::{Aabb, Filter, SpatialIndex};
    /// # use pleach_spatial::glam::Vec3;
    /// # let mut graph = Graph::new();
    /// # let mut index = SpatialIndex::new(&mut graph);
    /// # let cube = Aabb::new(Vec3::ZERO, Vec3::ONE);
    /// # use pleach_spatial::{Frustum, Plane, Visible};
    /// let sky = graph.add_root(Transform::IDENTITY)?;
    /// index.set_bounds(&graph, sky, cube)?;
    /// index.set_frustum_culled(sky, false)?;
    /// graph.update();
    /// index.sync(&graph)?;
    /// // Nothing below x = 100 is in view.
    /// let mut planes = [Plane::AT_INFINITY; 6];
    /// planes[0] = Plane::new(Vec3::X, -100.0);
    /// let mut visible = Visible::new();
    /// index.cull(&Frustum::from_planes(planes)?, &Filter::default(), &mut visible);
    /// assert_eq!(visible.nodes(), [sky]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::NoBounds`] if the node has no bounds in this index.
    pub fn set_frustum_culled(&mut self, node: NodeId, culled: bool) -> Result<(), Error> {
        let row = self.row(node)?;
        let flags = self.rows.flags(row);
        if flags.never_culled == culled {
            self.rows.set_flags(row, RowFlags { never_culled: !culled, ..flags });
        }
        Ok(())
    }

    /// Sets whether a node is part of the scene; the default is `true`. With `false` no query finds
    /// it, whatever the filter, and [`bounds`](Self::bounds) ignores it. It keeps its own
    /// [`world_bounds`](Self::world_bounds), which [`subtree_bounds`](Self::subtree_bounds) include.
    ///
    /// The index does not derive this from the graph, in which every root is the top of a scene of
    /// its own. `pleach` sets it to `false` for nodes that are not below the root of their scene.
    /// Detaching takes effect immediately, O(1); attaching with the next [`sync`](Self::sync).
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// # use pleach_spatial::{Aabb, Filter, SpatialIndex};
    /// # use pleach_spatial::glam::Vec3;
    /// # let mut graph = Graph::new();
    /// # let mut index = SpatialIndex::new(&mut graph);
    /// let prefab = graph.add_root(Transform::IDENTITY)?;
    /// index.set_bounds(&graph, prefab, Aabb::new(Vec3::ZERO, Vec3::ONE))?;
    /// index.set_attached(prefab, false)?;
    /// graph.update();
    /// index.sync(&graph)?;
    /// assert!(index.bounds().is_empty());
    /// assert!(index.world_bounds(prefab).is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::NoBounds`] if the node has no bounds in this index.
    pub fn set_attached(&mut self, node: NodeId, attached: bool) -> Result<(), Error> {
        let row = self.row(node)?;
        let flags = self.rows.flags(row);
        if flags.detached != attached {
            return Ok(());
        }
        if flags.active {
            self.tree.begin_changes().mark(row);
        }
        // A sync activates it, together with new rows.
        let pending = flags.pending || attached;
        if pending && !flags.pending {
            self.pending.push(node);
        }
        let flags = RowFlags { detached: !attached, active: false, pending, ..flags };
        self.rows.set_flags(row, flags);
        Ok(())
    }

    /// Returns `true` if a node has bounds and is part of the scene: see
    /// [`set_attached`](Self::set_attached).
    ///
    /// ```
    /// use pleach_graph::{Graph, Transform};
    /// use pleach_spatial::glam::Vec3;
    /// use pleach_spatial::{Aabb, SpatialIndex};
    ///
    /// let mut graph = Graph::new();
    /// let mut index = SpatialIndex::new(&mut graph);
    /// let node = graph.add_root(Transform::from_xyz(5.0, 0.0, 0.0))?;
    /// index.set_bounds(&graph, node, Aabb::new(Vec3::ZERO, Vec3::ONE))?;
    /// assert!(index.is_attached(node));
    /// index.set_attached(node, false)?;
    /// assert!(!index.is_attached(node));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn is_attached(&self, node: NodeId) -> bool {
        self.rows.find(node).is_some_and(|row| !self.rows.flags(row).detached)
    }

    /// Returns the number of nodes with bounds.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns `true` if no node has bounds.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns `true` if the node has bounds.
    ///
    /// ```
    /// use pleach_graph::{Graph, Transform};
    /// use pleach_spatial::glam::Vec3;
    /// use pleach_spatial::{Aabb, SpatialIndex};
    ///
    /// let mut graph = Graph::new();
    /// let mut index = SpatialIndex::new(&mut graph);
    /// let node = graph.add_root(Transform::from_xyz(5.0, 0.0, 0.0))?;
    /// index.set_bounds(&graph, node, Aabb::new(Vec3::ZERO, Vec3::ONE))?;
    /// assert!(index.contains(node));
    /// index.remove(node);
    /// assert!(!index.contains(node));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn contains(&self, node: NodeId) -> bool {
        self.rows.find(node).is_some()
    }

    /// Returns a node's bounds in its local space, as they were set. `None` if it has no bounds, or
    /// if they are in world space ([`set_world_bounds`](Self::set_world_bounds)).
    ///
    /// ```
    /// use pleach_graph::{Graph, Transform};
    /// use pleach_spatial::glam::Vec3;
    /// use pleach_spatial::{Aabb, SpatialIndex};
    ///
    /// let mut graph = Graph::new();
    /// let mut index = SpatialIndex::new(&mut graph);
    /// let node = graph.add_root(Transform::from_xyz(5.0, 0.0, 0.0))?;
    /// index.set_bounds(&graph, node, Aabb::new(Vec3::ZERO, Vec3::ONE))?;
    /// assert_eq!(index.local_bounds(node), Some(Aabb::new(Vec3::ZERO, Vec3::ONE)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn local_bounds(&self, node: NodeId) -> Option<Aabb> {
        let row = self.rows.find(node)?;
        (!self.rows.flags(row).world_space).then(|| self.rows.local(row))
    }

    /// Returns a node's layers, or `None` if it has no bounds.
    ///
    /// ```
    /// use pleach_graph::{Graph, Transform};
    /// use pleach_spatial::glam::Vec3;
    /// use pleach_spatial::{Aabb, SpatialIndex};
    ///
    /// let mut graph = Graph::new();
    /// let mut index = SpatialIndex::new(&mut graph);
    /// let node = graph.add_root(Transform::from_xyz(5.0, 0.0, 0.0))?;
    /// index.set_bounds(&graph, node, Aabb::new(Vec3::ZERO, Vec3::ONE))?;
    /// index.set_layers(node, 0b100)?;
    /// assert_eq!(index.layers(node), Some(0b100));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn layers(&self, node: NodeId) -> Option<u32> {
        Some(self.rows.flags(self.rows.find(node)?).layers)
    }

    /// Returns a node's world bounds as of the last [`sync`](Self::sync): the box around the eight
    /// transformed corners of its local bounds. `None` if it had no bounds then. O(1).
    ///
    /// ```
    /// use pleach_graph::{Graph, Transform};
    /// use pleach_spatial::glam::Vec3;
    /// use pleach_spatial::{Aabb, SpatialIndex};
    ///
    /// let mut graph = Graph::new();
    /// let mut index = SpatialIndex::new(&mut graph);
    /// let node = graph.add_root(Transform::from_xyz(5.0, 0.0, 0.0))?;
    /// index.set_bounds(&graph, node, Aabb::new(Vec3::ZERO, Vec3::ONE))?;
    /// graph.update();
    /// index.sync(&graph)?;
    /// assert_eq!(index.world_bounds(node).unwrap().max, Vec3::new(6.0, 1.0, 1.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn world_bounds(&self, node: NodeId) -> Option<Aabb> {
        let row = self.rows.find(node)?;
        self.rows.flags(row).synced.then(|| self.rows.world[row])
    }

    /// Returns the centre of a node's world bounds as of the last [`sync`](Self::sync); `None` as for
    /// [`world_bounds`](Self::world_bounds).
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// # use pleach_spatial::{Aabb, SpatialIndex};
    /// # use pleach_spatial::glam::Vec3;
    /// # let mut graph = Graph::new();
    /// # let mut index = SpatialIndex::new(&mut graph);
    /// let node = graph.add_root(Transform::from_xyz(4.0, 0.0, 0.0))?;
    /// index.set_bounds(&graph, node, Aabb::new(Vec3::ZERO, Vec3::ONE))?;
    /// graph.update();
    /// index.sync(&graph)?;
    /// assert_eq!(index.world_center(node), Some(Vec3::new(4.5, 0.5, 0.5)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn world_center(&self, node: NodeId) -> Option<Vec3> {
        let row = self.rows.find(node)?;
        // By reference: a copied box would cross the stack, where reading it back stalls.
        self.rows.flags(row).synced.then(|| self.rows.world[row].center())
    }

    /// Returns a node's world bounds, always up to date: O(ancestors) if the node changed since the
    /// graph's last update. Returns `None` if the node was removed or has no bounds.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// # use pleach_spatial::{Aabb, SpatialIndex};
    /// # use pleach_spatial::glam::Vec3;
    /// # let mut graph = Graph::new();
    /// # let mut index = SpatialIndex::new(&mut graph);
    /// # let cube = Aabb::new(Vec3::ZERO, Vec3::ONE);
    /// let node = graph.add_root(Transform::IDENTITY)?;
    /// index.set_bounds(&graph, node, cube)?;
    /// graph.node_mut(node)?.set_translation(Vec3::X * 7.0)?;
    /// // Before an update and a sync:
    /// assert_eq!(index.compute_world_bounds(&graph, node).unwrap().min.x, 7.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn compute_world_bounds(&self, graph: &Graph, node: NodeId) -> Option<Aabb> {
        let row = self.rows.find(node)?;
        let (local, node) = (self.rows.local(row), graph.get(node)?);
        let world_space = self.rows.flags(row).world_space;
        Some(if world_space { local } else { local.transformed(&node.compute_world()) })
    }

    /// Returns the nodes that have bounds, in unspecified order.
    #[must_use]
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = NodeId> {
        self.rows.iter_nodes()
    }

    /// Returns the box around the world bounds of all attached nodes as of the last sync, hidden ones
    /// included, or [`Aabb::EMPTY`] if there are none. It is larger than the tight box by up to a millionth of
    /// its coordinates. O(1) if the tree is up to date, otherwise a scan of all boxes.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        match self.tree.get().map(|tree| tree.nodes().first()) {
            Some(Some(root)) if root.len > 0 => root.union(),
            Some(_) => Aabb::EMPTY,
            None => self.rows.padded_bounds(),
        }
    }

    /// Brings the tree up to date now, instead of when it pays off for the queries.
    ///
    /// Never necessary: queries do so themselves, and their results are the same. It may help if
    /// very many queries follow at once. O(changed nodes), each O(log n). If a quarter of all nodes
    /// changed since the last time, all boxes are refitted at once; if that makes the tree too
    /// inefficient, or if there are many new nodes, it is rebuilt, O(n log n).
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// # use pleach_spatial::{Aabb, SpatialIndex};
    /// # use pleach_spatial::glam::Vec3;
    /// # let mut graph = Graph::new();
    /// # let mut index = SpatialIndex::new(&mut graph);
    /// # let node = graph.add_root(Transform::IDENTITY)?;
    /// # index.set_bounds(&graph, node, Aabb::new(Vec3::ZERO, Vec3::ONE))?;
    /// # graph.update();
    /// index.sync(&graph)?;
    /// assert!(!index.tree_stats().up_to_date);
    /// index.update_tree();
    /// assert!(index.tree_stats().up_to_date);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn update_tree(&self) {
        self.tree.bring_up_to_date(&self.rows);
    }

    /// Returns whether the tree is up to date, and how often it was updated and rebuilt.
    ///
    /// ```
    /// use pleach_graph::Graph;
    /// use pleach_spatial::SpatialIndex;
    ///
    /// let mut index = SpatialIndex::new(&mut Graph::new());
    /// index.rebuild();
    /// assert_eq!(index.tree_stats().rebuilds, 1);
    /// ```
    #[must_use]
    pub fn tree_stats(&self) -> TreeStats {
        self.tree.stats()
    }

    /// Forces queries to use the tree or to scan, for tests.
    #[doc(hidden)]
    pub fn set_tree_use(&mut self, tree_use: TreeUse) {
        self.tree.policy.tree_use = tree_use;
    }

    /// Returns how [`cull`](Self::cull) finds the nodes in view.
    #[must_use]
    pub fn cull_method(&self) -> CullMethod {
        self.cull_method
    }

    /// Sets how [`cull`](Self::cull) finds the nodes in view. The results are the same.
    ///
    /// ```
    /// use pleach_graph::Graph;
    /// use pleach_spatial::{CullMethod, SpatialIndex};
    ///
    /// let mut index = SpatialIndex::new(&mut Graph::new());
    /// index.set_cull_method(CullMethod::Tree);
    /// assert_eq!(index.cull_method(), CullMethod::Tree);
    /// ```
    pub fn set_cull_method(&mut self, cull_method: CullMethod) {
        self.cull_method = cull_method;
    }

    /// Returns the instruction set used by culling and traversals.
    #[must_use]
    pub fn kernel(&self) -> QueryKernel {
        self.kernel
    }

    /// Sets the instruction set used by culling and traversals; results do not depend on it.
    /// Returns `true` if this CPU supports it and it is now in use; otherwise nothing changes.
    ///
    /// ```
    /// use pleach_graph::Graph;
    /// use pleach_spatial::{QueryKernel, SpatialIndex};
    ///
    /// let mut index = SpatialIndex::new(&mut Graph::new());
    /// assert!(index.set_kernel(QueryKernel::Scalar));
    /// ```
    pub fn set_kernel(&mut self, kernel: QueryKernel) -> bool {
        let available = kernel.is_available();
        self.kernel = if available { kernel } else { self.kernel };
        available
    }

    pub(crate) fn row(&self, node: NodeId) -> Result<usize, Error> {
        self.rows.find(node).ok_or(Error::NoBounds(node))
    }
}
