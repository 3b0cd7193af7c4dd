//! `Graph`: owns the columns, and gives access to nodes and changes.
//!
//! A node is a slot: the same row in every column, for its whole life. Columns grow
//! together, from 256 rows by doubling.
//!
//! The invariant of each column is stated in its own file; `read/check.rs` verifies
//! all of them.

use alloc::vec::Vec;
use core::num::NonZeroU32;

use glam::Mat4;

use crate::changes::tracker::ChangeTracker;
use crate::error::NodeLabel;
use crate::patch::recorder::Recorder;
use crate::store::{flags::NodeFlags, levels::Levels, links::Links, links::NONE, locals::Locals};
use crate::store::{names::Names, slots::Slots, worlds::WorldColumn};
use crate::update::{dirty::DirtyQueue, kernel::TransformKernel, propagate::Scratch};
use crate::{AddedNodes, ChangeReader, ChangedNodes, Error, NodeId, NodeMut, NodeRef, Transform};

/// A forest of nodes, each with a local transform relative to its parent.
///
/// Edit it freely; once per frame call [`update`](Self::update), which computes the
/// world transforms that are out of date, and read what [`changed`](Self::changed).
/// `Graph` is `Send` and `Sync`: any number of threads may read it.
///
/// | call | cost |
/// | --- | --- |
/// | [`add_root`](Self::add_root), [`add_child`](Self::add_child), any `set_*` but `set_visible` | constant |
/// | [`add_all`](Self::add_all), [`set_transforms`](Self::set_transforms), [`set_translations`](Self::set_translations) | the number of nodes; [`add_all`](Self::add_all) about three quarters of single calls |
/// | [`attach`](Self::attach), [`attach_each`](Self::attach_each), [`detach`](Self::detach) | at most 64 nodes of the subtree, the ancestors of the new parent, and the nodes whose [`is_shown`](NodeRef::is_shown) changes |
/// | [`remove`](Self::remove), [`set_visible`](NodeMut::set_visible) | the size of the subtree |
/// | [`update`](Self::update) | the number of nodes it computes; nanoseconds if none |
/// | [`find`](Self::find), [`node`](Self::node), [`NodeRef::world`] | constant |
/// | [`change_reader`](Self::change_reader), [`ChangeReader::read`] | constant |
/// | [`NodeRef::compute_world`] | the depth of the node, or constant when nothing is out of date |
///
/// A node takes about 170 bytes (185 in a chain), plus its name and local matrix if
/// it has them, plus the entries that slow readers have not read yet.
///
/// ```
/// use pleach_graph::{Graph, Transform, rotation};
/// use pleach_graph::glam::Vec3;
///
/// let mut graph = Graph::new();
/// let tank = graph.add_root(Transform::from_xyz(10.0, 20.0, 0.0))?;
/// let turret = graph.add_child(tank, Transform::from_xyz(0.0, 0.0, 1.5))?;
/// graph.node_mut(turret)?.set_name("turret").set_rotation(rotation::from_rotation_z(0.5))?;
///
/// graph.update();
/// assert_eq!(graph.node(turret)?.world().transform_point3(Vec3::ZERO), Vec3::new(10.0, 20.0, 1.5));
/// assert_eq!(graph.find("turret"), Some(turret));
/// # Ok::<(), pleach_graph::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Graph {
    pub(crate) slots: Slots,
    pub(crate) flags: Vec<NodeFlags>,
    pub(crate) links: Links,
    pub(crate) levels: Levels,
    pub(crate) locals: Locals,
    pub(crate) worlds: WorldColumn,
    pub(crate) dirty: DirtyQueue,
    pub(crate) names: Names,
    pub(crate) changes: ChangeTracker,
    pub(crate) kernel: TransformKernel,
    pub(crate) scratch: Scratch,
    capacity: usize,
    pub(crate) structure_version: u64,
    pub(crate) world_version: u64,
    pub(crate) recorder: Recorder,
    /// For `update/parallel.rs`; boxed, since few graphs use it.
    #[cfg(feature = "parallel")]
    pub(crate) pace: Option<alloc::boxed::Box<crate::update::pace::Pace>>,
}

const FIRST_CAPACITY: usize = 256;
/// The maximum number of nodes: slot `u32::MAX` means "no slot".
const MAX_NODES: usize = u32::MAX as usize;

impl Default for Graph {
    fn default() -> Self {
        Self::new()
    }
}

impl Graph {
    /// Creates an empty graph. Its first 256 nodes need no further allocation.
    ///
    /// ```
    /// use pleach_graph::Graph;
    /// let graph = Graph::new();
    /// assert!(graph.is_empty() && graph.capacity() == 256);
    /// ```
    #[must_use]
    pub fn new() -> Self {
        let mut graph = Self::unallocated(Slots::new());
        // If even this small allocation fails, the first `add` returns the error.
        _ = graph.try_set_capacity(FIRST_CAPACITY);
        graph
    }

    fn unallocated(slots: Slots) -> Self {
        Self {
            slots,
            flags: Vec::new(),
            links: Links::new(),
            levels: Levels::new(),
            locals: Locals::default(),
            worlds: WorldColumn::default(),
            dirty: DirtyQueue::new(),
            names: Names::default(),
            changes: ChangeTracker::new(),
            kernel: TransformKernel::best(),
            scratch: Scratch::default(),
            capacity: 0,
            structure_version: 0,
            world_version: 0,
            recorder: Recorder::default(),
            #[cfg(feature = "parallel")]
            pace: None,
        }
    }

    /// Creates an empty graph with capacity for `nodes` nodes.
    ///
    /// # Errors
    ///
    /// [`Error::TooManyNodes`] if the allocation fails, or if `nodes` is 2³² or
    /// more.
    ///
    /// ```
    /// use pleach_graph::Graph;
    /// assert!(Graph::with_capacity(10_000)?.capacity() >= 10_000);
    /// assert!(Graph::with_capacity(usize::MAX).is_err());
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    pub fn with_capacity(nodes: usize) -> Result<Self, Error> {
        let mut graph = Self::unallocated(Slots::new());
        graph.try_set_capacity(nodes.max(FIRST_CAPACITY))?;
        Ok(graph)
    }

    /// Reserves capacity for at least `additional` more nodes.
    ///
    /// # Errors
    ///
    /// Same as [`with_capacity`](Self::with_capacity).
    ///
    /// ```
    /// # use pleach_graph::Graph;
    /// let mut graph = Graph::new();
    /// graph.reserve(1_000)?;
    /// assert!(graph.capacity() >= 1_000);
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    pub fn reserve(&mut self, additional: usize) -> Result<(), Error> {
        let nodes =
            self.slots.len().saturating_sub(self.slots.free().len()).saturating_add(additional);
        if nodes > self.capacity {
            self.try_set_capacity(nodes)?;
        }
        Ok(())
    }

    /// Returns the number of slots that fit without reallocation: 256 at first,
    /// then doubling.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Returns the highest [generation](NodeId::generation) of a new handle:
    /// `u32::MAX`, unless [`set_max_generation`](Self::set_max_generation) was called.
    #[must_use]
    pub fn max_generation(&self) -> NonZeroU32 {
        self.slots.max_generation()
    }

    /// Sets the highest [generation](NodeId::generation) of a new handle, so that
    /// handles can be packed into fewer bits.
    ///
    /// A slot that has reached it is retired when its node is removed: it is not used
    /// again, and its row (about 170 bytes) stays unused. Slots that are already
    /// retired, and live nodes with a higher generation, stay as they are.
    ///
    /// ```
    /// use core::num::NonZeroU32;
    /// use pleach_graph::{Graph, Transform};
    ///
    /// let mut graph = Graph::new();
    /// // 32 bits of slot and 21 of generation: an exact integer in JavaScript.
    /// graph.set_max_generation(NonZeroU32::new((1 << 21) - 1).unwrap());
    /// let node = graph.add_root(Transform::IDENTITY)?;
    /// let packed = node.index() as u64 | u64::from(node.generation()) << 32;
    /// assert!(packed < 1 << 53);
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    pub fn set_max_generation(&mut self, max: NonZeroU32) {
        self.slots.set_max_generation(max);
    }

    pub(crate) fn try_set_capacity(&mut self, nodes: usize) -> Result<(), Error> {
        let too_many = |()| Error::TooManyNodes { nodes };
        if nodes > MAX_NODES {
            return Err(too_many(()));
        }
        // The largest column first: if it fits, the others are likely to.
        self.worlds.try_reserve_total(nodes).map_err(too_many)?;
        self.locals.try_reserve_total(nodes).map_err(too_many)?;
        self.slots.try_reserve_total(nodes).map_err(too_many)?;
        self.links.try_reserve_total(nodes).map_err(too_many)?;
        self.levels.try_reserve_total(nodes).map_err(too_many)?;
        self.changes.changed.try_reserve_total(nodes).map_err(too_many)?;
        let additional = nodes.saturating_sub(self.flags.len());
        self.flags.try_reserve_exact(additional).map_err(drop).map_err(too_many)?;
        self.capacity = nodes;
        Ok(())
    }

    /// Ensures capacity for `slots` new slots; at least doubles the capacity if it
    /// must grow.
    #[inline]
    pub(crate) fn reserve_slots(&mut self, slots: usize) -> Result<(), Error> {
        match self.slots.len().saturating_add(slots) {
            nodes if nodes > self.capacity => self.grow_to(nodes),
            _ => Ok(()),
        }
    }

    #[cold]
    fn grow_to(&mut self, nodes: usize) -> Result<(), Error> {
        // Exceeds the maximum once all slots are used: `try_set_capacity` then
        // fails.
        let doubled = self.capacity.saturating_mul(2).min(MAX_NODES);
        self.try_set_capacity(nodes.max(doubled).max(FIRST_CAPACITY))
    }

    /// Returns the number of live nodes.
    #[doc(alias = "node_count")]
    #[must_use]
    pub fn len(&self) -> usize {
        self.slots.live()
    }

    /// Returns `true` if the graph contains no nodes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns `true` if `node` is the handle of a live node.
    ///
    /// ```
    /// use pleach_graph::{Graph, Transform};
    ///
    /// let mut graph = Graph::new();
    /// let node = graph.add_root(Transform::IDENTITY)?;
    /// graph.remove(node)?;
    /// assert!(!graph.contains(node));
    /// let reused = graph.add_root(Transform::IDENTITY)?;
    /// assert!(graph.contains(reused) && !graph.contains(node));
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[doc(alias = "is_alive")]
    #[doc(alias = "is_valid")]
    #[doc(alias = "exists")]
    #[must_use]
    pub fn contains(&self, node: NodeId) -> bool {
        self.slots.get(node).is_some()
    }

    /// Returns a counter that increases whenever a node is added, removed, attached
    /// or detached, but not when transforms, names or visibility change.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// let mut graph = Graph::new();
    /// let before = graph.structure_version();
    /// let node = graph.add_root(Transform::IDENTITY)?;
    /// let after = graph.structure_version();
    /// assert!(after > before);
    /// graph.node_mut(node)?.set_name("not a change of structure");
    /// assert_eq!(graph.structure_version(), after);
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[must_use]
    pub fn structure_version(&self) -> u64 {
        self.structure_version
    }

    /// Returns a counter that increases whenever an update computes world transforms.
    /// If neither it nor [`structure_version`](Self::structure_version) changed, the
    /// graph has the same nodes with the same stored world transforms.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform, glam::Vec3};
    /// let mut graph = Graph::new();
    /// let node = graph.add_root(Transform::IDENTITY)?;
    /// graph.update();
    /// let before = graph.world_version();
    /// graph.update();
    /// assert_eq!(graph.world_version(), before);            // nothing was out of date
    /// graph.node_mut(node)?.set_translation(Vec3::X)?;
    /// graph.update();
    /// assert!(graph.world_version() > before);
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[must_use]
    pub fn world_version(&self) -> u64 {
        self.world_version
    }

    /// Returns the kernel that computes world transforms.
    #[must_use]
    pub fn kernel(&self) -> TransformKernel {
        self.kernel
    }

    /// Selects the kernel that computes world transforms; all give the same bits.
    /// Returns `true` if this CPU supports it; otherwise nothing changes.
    ///
    /// ```
    /// use pleach_graph::{Graph, TransformKernel};
    /// let mut graph = Graph::new();
    /// assert!(graph.set_kernel(TransformKernel::Scalar));
    /// assert_eq!(graph.kernel(), TransformKernel::Scalar);
    /// ```
    pub fn set_kernel(&mut self, kernel: TransformKernel) -> bool {
        let available = kernel.is_available();
        if available {
            self.kernel = kernel;
        }
        available
    }

    // ---- one node -----------------------------------------------------------

    /// Returns a view of a node, or `None` if it is dead.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// let mut graph = Graph::new();
    /// let node = graph.add_root(Transform::IDENTITY)?;
    /// assert!(graph.get(node).is_some_and(|node| node.is_shown()));
    /// graph.remove(node)?;
    /// assert!(graph.get(node).is_none());
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn get(&self, node: NodeId) -> Option<NodeRef<'_>> {
        let slot = self.slots.get(node)?;
        Some(NodeRef::new(self, slot))
    }

    /// Returns the live node in a slot ([`NodeId::index`]), if there is one.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// let mut graph = Graph::new();
    /// let node = graph.add_root(Transform::IDENTITY)?;
    /// assert_eq!(graph.node_at(0), Some(node));
    /// assert_eq!(graph.node_at(1), None);
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn node_at(&self, slot: usize) -> Option<NodeId> {
        self.slots.id(u32::try_from(slot).ok()?)
    }

    /// Returns a mutable view of a node, or `None` if it is dead.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// let mut graph = Graph::new();
    /// let node = graph.add_root(Transform::IDENTITY)?;
    /// if let Some(mut node) = graph.get_mut(node) {
    ///     node.set_name("found");
    /// }
    /// assert_eq!(graph.find("found"), Some(node));
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn get_mut(&mut self, node: NodeId) -> Option<NodeMut<'_>> {
        let slot = self.slots.get(node)?;
        Some(NodeMut::new(self, slot))
    }

    /// Returns a view of a node: [`get`](Self::get) for use with `?`.
    ///
    /// # Errors
    ///
    /// [`Error::Dead`] if `node` is not alive.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// let mut graph = Graph::new();
    /// let node = graph.add_root(Transform::from_xyz(1.0, 2.0, 3.0))?;
    /// assert_eq!(graph.node(node)?.translation().z, 3.0);
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[inline]
    pub fn node(&self, node: NodeId) -> Result<NodeRef<'_>, Error> {
        self.slot(node).map(|slot| NodeRef::new(self, slot))
    }

    /// Returns a mutable view of a node: [`get_mut`](Self::get_mut) for use with
    /// `?`.
    ///
    /// # Errors
    ///
    /// [`Error::Dead`] if `node` is not alive.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// # use pleach_graph::glam::Vec3;
    /// let mut graph = Graph::new();
    /// let node = graph.add_root(Transform::IDENTITY)?;
    /// graph.node_mut(node)?.set_translation(Vec3::Z)?.set_visible(false);
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[inline]
    pub fn node_mut(&mut self, node: NodeId) -> Result<NodeMut<'_>, Error> {
        self.slot(node).map(|slot| NodeMut::new(self, slot))
    }

    #[inline]
    pub(crate) fn slot(&self, node: NodeId) -> Result<u32, Error> {
        match self.slots.get(node) {
            Some(slot) => Ok(slot),
            None => Err(Error::Dead(node)),
        }
    }

    /// Returns the handle of `slot`, or `None` for `NONE`.
    pub(crate) fn id(&self, slot: u32) -> Option<NodeId> {
        if slot == NONE { None } else { Some(self.slots.live_id(slot)) }
    }

    #[cold]
    pub(crate) fn label(&self, slot: u32) -> NodeLabel {
        NodeLabel::new(self.slots.live_id(slot), self.names.get(slot))
    }

    /// Marks a node whose local transform or parent changed.
    #[inline]
    pub(crate) fn mark_dirty(&mut self, slot: u32) {
        self.dirty.mark(slot, &mut self.flags[slot as usize]);
    }

    // ---- changes ------------------------------------------------------------

    /// Returns the nodes whose world transform was computed by updates since
    /// [`clear_changes`](Self::clear_changes): alive, each once, parents before
    /// their children (as of the update that computed them). Several updates
    /// accumulate.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// let mut graph = Graph::new();
    /// let node = graph.add_root(Transform::IDENTITY)?;
    /// graph.update();
    /// assert!(graph.changed().eq([node]));
    /// graph.update();                                  // nothing was edited
    /// assert!(graph.changed().eq([node]));             // still listed
    /// graph.clear_changes();
    /// assert_eq!(graph.changed().count(), 0);
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[must_use]
    pub fn changed(&self) -> ChangedNodes<'_> {
        self.changes.changed_since(&self.changes.owner, self)
    }

    /// Returns the nodes whose [`is_shown`](NodeRef::is_shown) changed since
    /// [`clear_changes`](Self::clear_changes): alive, each once. New nodes are not
    /// listed; nodes that changed and changed back are.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// let mut graph = Graph::new();
    /// let lamp = graph.add_root(Transform::IDENTITY)?;
    /// let bulb = graph.add_child(lamp, Transform::IDENTITY)?;
    /// graph.node_mut(lamp)?.set_visible(false);
    /// assert!(graph.shown_changed().eq([lamp, bulb]));
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[must_use]
    pub fn shown_changed(&self) -> ChangedNodes<'_> {
        self.changes.shown_since(&self.changes.owner, self)
    }

    /// Returns the nodes added since [`clear_changes`](Self::clear_changes) by any
    /// call: alive, each once, in the order of their addition.
    ///
    /// Edits are listed at once, not by the next update. A node that was added and
    /// removed again is listed in [`removed`](Self::removed) only. A node that was
    /// attached or named after it was added is listed in
    /// [`reparented`](Self::reparented) or [`renamed`](Self::renamed) as well.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// let mut graph = Graph::new();
    /// let tree = graph.add_root(Transform::IDENTITY)?;
    /// graph.clear_changes();
    ///
    /// let (leaf, apple) = (graph.add_root(Transform::IDENTITY)?, graph.add_root(Transform::IDENTITY)?);
    /// graph.attach(leaf, tree)?;
    /// graph.node_mut(tree)?.set_name("apple tree");
    /// graph.remove(apple)?;
    /// assert!(graph.added().eq([leaf]));
    /// assert!(graph.reparented().eq([leaf]));
    /// assert!(graph.renamed().eq([tree]));
    /// assert_eq!(graph.removed(), [apple]);
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[must_use]
    pub fn added(&self) -> AddedNodes<'_> {
        self.changes.added_since(&self.changes.owner, self)
    }

    /// Returns the nodes that were attached or detached since
    /// [`clear_changes`](Self::clear_changes), also if only their position among
    /// their siblings changed: alive, each once, in the order of the latest change.
    ///
    /// Their descendants are not listed. A node that was moved back is. Example: see
    /// [`added`](Self::added).
    #[must_use]
    pub fn reparented(&self) -> ChangedNodes<'_> {
        self.changes.reparented_since(&self.changes.owner, self)
    }

    /// Returns the nodes whose name was changed or removed since
    /// [`clear_changes`](Self::clear_changes): alive, each once, in the order of the
    /// latest change. A node that was renamed back is listed. Example: see
    /// [`added`](Self::added).
    #[must_use]
    pub fn renamed(&self) -> ChangedNodes<'_> {
        self.changes.renamed_since(&self.changes.owner, self)
    }

    /// Returns the nodes removed since [`clear_changes`](Self::clear_changes), each
    /// once, in the order of removal. Free what you store for them.
    ///
    /// If more than 65 536 removals (plus four per slot) accumulate unread by any
    /// reader, nodes that were both added and removed in the meantime are omitted.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// let mut graph = Graph::new();
    /// let node = graph.add_root(Transform::IDENTITY)?;
    /// graph.remove(node)?;
    /// assert_eq!(graph.removed(), [node]);
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[doc(alias = "despawned")]
    #[must_use]
    pub fn removed(&self) -> &[NodeId] {
        self.changes.owner_removed()
    }

    /// Clears [`changed`](Self::changed), [`shown_changed`](Self::shown_changed),
    /// [`added`](Self::added), [`reparented`](Self::reparented),
    /// [`renamed`](Self::renamed) and [`removed`](Self::removed). Nothing else clears
    /// them; change readers are not affected.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// let mut graph = Graph::new();
    /// graph.add_root(Transform::IDENTITY)?;
    /// graph.update();
    /// graph.clear_changes();
    /// assert_eq!((graph.changed().count(), graph.added().count()), (0, 0));
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    pub fn clear_changes(&mut self) {
        self.changes.clear();
    }

    /// Creates a reader of all changes from now on, which reads at its own pace.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// let mut graph = Graph::new();
    /// let mut reader = graph.change_reader();
    /// let node = graph.add_root(Transform::IDENTITY)?;
    /// graph.update();
    /// assert!(reader.read(&graph)?.changed().eq([node]));
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[doc(alias = "subscribe")]
    #[doc(alias = "observer")]
    #[doc(alias = "signal")]
    pub fn change_reader(&mut self) -> ChangeReader {
        self.changes.add_reader()
    }

    // ---- columns ------------------------------------------------------------
    //
    // One row per slot, as many rows as slots were ever in use at once. Rows of
    // dead slots keep the values of their last node.

    /// Returns the world matrices as of the last update: 16 floats each,
    /// column-major, every row aligned to 64 bytes. The row of a node is its
    /// [`index`](NodeId::index).
    ///
    /// Only adding nodes may move the column: its address stays the same when nodes are
    /// edited, attached or removed, and in updates.
    ///
    /// With the `bytemuck` feature, `bytemuck::cast_slice` converts it to bytes;
    /// [`world_bytes`](Self::world_bytes) does so without the feature.
    #[doc(alias = "matrix_world")]
    #[doc(alias = "global_transforms")]
    #[must_use]
    pub fn world_matrices(&self) -> &[Mat4] {
        self.worlds.matrices()
    }

    /// Returns the world matrices as bytes for a GPU: 64 bytes per row.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// let mut graph = Graph::new();
    /// let node = graph.add_root(Transform::from_xyz(1.0, 2.0, 3.0))?;
    /// graph.update();
    /// let row = &graph.world_bytes()[node.index() * 64..][..64];
    /// assert_eq!(row[48..52], 1.0f32.to_ne_bytes());
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[must_use]
    pub fn world_bytes(&self) -> &[u8] {
        self.worlds.bytes()
    }

    /// Returns the local transforms by row. For nodes with a local matrix, the nearest
    /// transform.
    ///
    /// The layout is that of a C struct: the translation as 3 floats (x, y, z), the
    /// rotation as 4 floats (x, y, z, w), the scale as 3 floats. Where glam's `Quat`
    /// is a SIMD type, as on x86-64 and aarch64, it is aligned to 16 bytes, so that a
    /// row takes 48 bytes instead of 40; code that reads the column through its address
    /// takes stride and offsets from `size_of` and `offset_of!`:
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// use core::mem::offset_of;
    ///
    /// let (stride, rotation) = (size_of::<Transform>(), offset_of!(Transform, rotation));
    /// assert!([(48, 16), (40, 12)].contains(&(stride, rotation)));
    ///
    /// let mut graph = Graph::new();
    /// let node = graph.add_root(Transform::from_xyz(1.0, 2.0, 3.0))?;
    /// assert_eq!(graph.transforms()[node.index()].translation.to_array(), [1.0, 2.0, 3.0]);
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    ///
    /// Only adding nodes may move the column: its address stays the same when nodes are
    /// edited, attached or removed, and in updates.
    ///
    /// Read-only: a write that bypasses the dirty marks does not compile.
    ///
    /// ```compile_fail,E0594
    /// # use pleach_graph::{Graph, Transform, glam::Vec3};
    /// # let mut graph = Graph::new();
    /// # graph.add_root(Transform::IDENTITY).unwrap();
    /// graph.transforms()[0].translation = Vec3::X;
    /// ```
    #[must_use]
    pub fn transforms(&self) -> &[Transform] {
        self.locals.transforms()
    }

    /// Returns the row of the parent of each node; [`NO_PARENT`](Self::NO_PARENT)
    /// for roots.
    ///
    /// Only adding nodes may move the column: its address stays the same when nodes are
    /// edited, attached or removed, and in updates.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// let mut graph = Graph::new();
    /// let root = graph.add_root(Transform::IDENTITY)?;
    /// let child = graph.add_child(root, Transform::IDENTITY)?;
    /// assert_eq!(graph.parents()[child.index()], root.index() as u32);
    /// assert_eq!(graph.parents()[root.index()], Graph::NO_PARENT);
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[must_use]
    pub fn parents(&self) -> &[u32] {
        self.links.parents()
    }

    /// The entry of a root in [`parents`](Self::parents): −1 as an `i32`.
    pub const NO_PARENT: u32 = NONE;

    /// Returns the flags of each node.
    ///
    /// Only adding nodes may move the column: its address stays the same when nodes are
    /// edited, attached or removed, and in updates.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// let mut graph = Graph::new();
    /// let node = graph.add_root(Transform::IDENTITY)?;
    /// let flags = graph.flags()[node.index()];
    /// assert!(flags.is_alive() && flags.is_shown() && flags.is_local_dirty());
    /// # Ok::<(), pleach_graph::Error>(())
    /// ```
    #[must_use]
    pub fn flags(&self) -> &[NodeFlags] {
        &self.flags
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exhausted_slots_are_retired_and_no_handle_is_reused() {
        const LAST: u32 = 5;
        const ROUNDS: usize = if cfg!(miri) { 30 } else { 400 };
        let mut graph = Graph::new();
        graph.set_max_generation(NonZeroU32::new(LAST).unwrap());
        let mut dead = Vec::new();
        for round in 0..ROUNDS {
            let node = graph.add_root(Transform::from_xyz(round as f32, 0.0, 0.0)).unwrap();
            graph.update();
            for &old in &dead {
                assert!(graph.get(old).is_none(), "{old} came back to life as {node}");
            }
            graph.remove(node).unwrap();
            dead.push(node);
        }
        assert_eq!(graph.flags().len(), ROUNDS / LAST as usize);
        assert_eq!(graph.check(), []);
    }
}
