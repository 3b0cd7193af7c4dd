//! Subtree bounds: the union of the world bounds of a node and its descendants.
//!
//! Created by the first query and kept up to date from then on. A change marks the node and its
//! ancestors dirty, up to the first that is dirty already; a query recomputes the dirty boxes it
//! needs. So scenes without such queries pay nothing, and a box that is up to date is read in O(1).
//! Queries may run on several threads: they share the table under a lock, which `sync` does not take
//! because it has exclusive access.
//! Children are grouped into blocks, so that a change of one of very many costs little.
//!
//! The hierarchy is stored as of the last sync: the graph may have changed since.
//!
//! Invariants: a node that is not dirty has the union of its own world box and its blocks' boxes,
//! and no dirty blocks; a block that is not dirty has the union of its children's boxes, and no
//! dirty children. The node in slot `c` is `slots[index_in_parent]` of its parent.

use std::sync::{PoisonError, RwLock};

use pleach_graph::{Changes, Graph, NodeId};

use crate::index::rows::{NONE, Rows};
use crate::{Aabb, SpatialIndex};

/// The number of children per block.
const BLOCK_SIZE: usize = 64;

#[derive(Clone, Debug)]
struct Entry {
    /// The node in the slot, as of the last sync.
    node: Option<NodeId>,
    dirty: bool,
    parent: u32,
    index_in_parent: u32,
    aabb: Aabb,
    children: Option<Box<Children>>,
}

impl Entry {
    const VACANT: Self = Self {
        node: None,
        dirty: true,
        parent: NONE,
        index_in_parent: NONE,
        aabb: Aabb::EMPTY,
        children: None,
    };
}

#[derive(Clone, Debug, Default)]
struct Children {
    /// The slots of the children, in the order of their insertion.
    slots: Vec<u32>,
    blocks: Vec<Block>,
}

#[derive(Clone, Copy, Debug)]
struct Block {
    dirty: bool,
    aabb: Aabb,
}

/// The table of subtree bounds, once a query has created it.
#[derive(Debug, Default)]
pub(crate) struct SubtreeCache(RwLock<Option<Box<SubtreeBounds>>>);

impl SubtreeCache {
    /// Returns the table for changes, without locking.
    pub(crate) fn get_mut(&mut self) -> Option<&mut SubtreeBounds> {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner).as_deref_mut()
    }

    /// Returns the box of a node's subtree, if it is up to date.
    fn get(&self, node: NodeId) -> Option<Aabb> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).as_ref()?.get(node)
    }

    /// Returns the box of a node's subtree, after updating it.
    fn update(&self, graph: &Graph, node: NodeId, rows: &Rows) -> Aabb {
        let mut table = self.0.write().unwrap_or_else(PoisonError::into_inner);
        table.get_or_insert_with(|| Box::new(SubtreeBounds::new(graph))).update(node, rows)
    }
}

/// Bounds of subtrees, by slot.
#[derive(Clone, Debug, Default)]
pub(crate) struct SubtreeBounds {
    entries: Vec<Entry>,
    /// Slots to be updated, reused between queries.
    stack: Vec<u32>,
}

impl SpatialIndex {
    /// Returns the union of the world bounds of a node and its descendants, as of the last
    /// [`sync`](Self::sync), including hidden and detached ones; empty if none has bounds. Returns `None` if the node is not in the
    /// graph.
    ///
    /// The first call is O(nodes of the graph) and creates a table that each sync keeps up to date.
    /// Later calls are O(1) if nothing below the node changed since its last query. Otherwise they
    /// recompute the nodes on the paths to the changes, each by reading up to 64 boxes per changed
    /// child, and one per 64 children.
    ///
    /// May be called from several threads; the results are the same. A call that recomputes boxes
    /// makes the others wait meanwhile.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// # use pleach_spatial::{Aabb, SpatialIndex};
    /// # use pleach_spatial::glam::Vec3;
    /// # let mut graph = Graph::new();
    /// # let mut index = SpatialIndex::new(&mut graph);
    /// let tank = graph.add_root(Transform::IDENTITY)?;
    /// let turret = graph.add_child(tank, Transform::from_xyz(0.0, 0.0, 2.0))?;
    /// let unit = Aabb::new(Vec3::splat(-1.0), Vec3::splat(1.0));
    /// index.set_bounds(&graph, tank, unit)?;
    /// index.set_bounds(&graph, turret, unit)?;
    /// graph.update();
    /// index.sync(&graph)?;
    /// assert_eq!(index.subtree_bounds(&graph, tank).unwrap().max.z, 3.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn subtree_bounds(&self, graph: &Graph, node: NodeId) -> Option<Aabb> {
        if !graph.contains(node) {
            return None;
        }
        let cache = &self.subtree_bounds;
        Some(cache.get(node).unwrap_or_else(|| cache.update(graph, node, &self.rows)))
    }
}

impl SubtreeBounds {
    fn new(graph: &Graph) -> Self {
        let mut table = Self::default();
        for node in graph.by_depth() {
            table.attach(graph, node);
        }
        table
    }

    /// Returns the box of a node's subtree if it is up to date. Empty for a node that was added
    /// since the last sync: it has no bounds yet.
    fn get(&self, node: NodeId) -> Option<Aabb> {
        match self.entries.get(node.index()) {
            Some(entry) if entry.node == Some(node) => (!entry.dirty).then_some(entry.aabb),
            _ => Some(Aabb::EMPTY),
        }
    }

    /// Returns the box of a node's subtree, after recomputing the dirty boxes below it.
    fn update(&mut self, node: NodeId, rows: &Rows) -> Aabb {
        // Another thread may have updated it meanwhile.
        self.get(node).unwrap_or_else(|| self.update_slot(node.index() as u32, rows))
    }

    /// Applies the changes of a sync.
    pub(crate) fn apply_changes(&mut self, graph: &Graph, changes: &Changes<'_>) {
        for node in changes.removed() {
            self.remove(node.index());
        }
        for node in changes.changed() {
            self.attach(graph, node);
        }
    }

    /// Marks the slot's box and those of its ancestors dirty.
    pub(crate) fn mark_dirty(&mut self, slot: usize) {
        let mut slot = slot;
        while let Some(entry) = self.entries.get_mut(slot)
            && !entry.dirty
        {
            entry.dirty = true;
            let (parent, index_in_parent) = (entry.parent as usize, entry.index_in_parent);
            self.mark_block_dirty(parent, index_in_parent);
            slot = parent;
        }
    }

    fn mark_block_dirty(&mut self, parent: usize, index_in_parent: u32) {
        let children = self.entries.get_mut(parent).and_then(|entry| entry.children.as_mut());
        if let Some(children) = children {
            children.blocks[index_in_parent as usize / BLOCK_SIZE].dirty = true;
        }
    }

    /// Links a node to the parent that it has in the graph.
    fn attach(&mut self, graph: &Graph, node: NodeId) {
        let (slot, parents) = (node.index(), graph.parents());
        if self.entries.len() < parents.len() {
            self.entries.resize(parents.len(), Entry::VACANT);
        }
        let parent = parents[slot];
        let entry = &self.entries[slot];
        if entry.node == Some(node) && entry.parent == parent {
            return;
        }
        if entry.node != Some(node) {
            self.remove(slot);
        }
        self.unlink(slot);
        let entry = &mut self.entries[slot];
        (entry.node, entry.parent) = (Some(node), parent);
        let Some(parent_entry) = self.entries.get_mut(parent as usize) else { return };
        let children = parent_entry.children.get_or_insert_default();
        let index_in_parent = children.slots.len();
        children.slots.push(slot as u32);
        if index_in_parent % BLOCK_SIZE == 0 {
            children.blocks.push(Block { dirty: true, aabb: Aabb::EMPTY });
        }
        self.entries[slot].index_in_parent = index_in_parent as u32;
        // The ancestors of a dirty node must be dirty, whether or not the node itself was.
        self.mark_block_dirty(parent as usize, index_in_parent as u32);
        self.mark_dirty(parent as usize);
    }

    /// Removes a node that was removed from the graph.
    fn remove(&mut self, slot: usize) {
        if self.entries.get(slot).is_none_or(|entry| entry.node.is_none()) {
            return;
        }
        self.unlink(slot);
        let entry = core::mem::replace(&mut self.entries[slot], Entry::VACANT);
        // Its children were removed as well, or have another parent by now.
        for child in entry.children.into_iter().flat_map(|children| children.slots) {
            let child = &mut self.entries[child as usize];
            (child.parent, child.index_in_parent) = (NONE, NONE);
        }
    }

    /// Unlinks a node from its parent, if it has one; the last of its siblings moves to its index.
    fn unlink(&mut self, slot: usize) {
        let entry = &mut self.entries[slot];
        let (parent, index_in_parent) = (entry.parent as usize, entry.index_in_parent);
        (entry.parent, entry.index_in_parent) = (NONE, NONE);
        let Some(children) = self.entries.get_mut(parent).and_then(|it| it.children.as_mut())
        else {
            return;
        };
        let last = children.slots.len() as u32 - 1;
        children.slots.swap_remove(index_in_parent as usize);
        children.blocks[last as usize / BLOCK_SIZE].dirty = true;
        children.blocks.truncate(children.slots.len().div_ceil(BLOCK_SIZE));
        if let Some(&moved) = children.slots.get(index_in_parent as usize) {
            children.blocks[index_in_parent as usize / BLOCK_SIZE].dirty = true;
            self.entries[moved as usize].index_in_parent = index_in_parent;
        }
        self.mark_dirty(parent);
    }

    /// Returns the slot's box, after recomputing the dirty boxes below it.
    fn update_slot(&mut self, slot: u32, rows: &Rows) -> Aabb {
        let mut stack = core::mem::take(&mut self.stack);
        stack.clear();
        stack.push(slot);
        while let Some(&slot) = stack.last() {
            let before = stack.len();
            // Taken out, so that other entries can be read meanwhile.
            let mut children = self.entries[slot as usize].children.take();
            if self.entries[slot as usize].dirty
                && let Some(children) = &mut children
            {
                self.update_blocks(children, &mut stack);
            }
            // Complete if no child is dirty; otherwise the slot is processed again after its
            // children.
            if stack.len() == before {
                if self.entries[slot as usize].dirty {
                    let row = rows.at_slot(slot as usize).filter(|&row| rows.flags(row).synced);
                    let local = row.map_or(Aabb::EMPTY, |row| rows.world[row]);
                    let blocks = children.iter().flat_map(|children| &children.blocks);
                    let entry = &mut self.entries[slot as usize];
                    entry.aabb = blocks.fold(local, |all, block| all.union(&block.aabb));
                    entry.dirty = false;
                }
                stack.pop();
            }
            self.entries[slot as usize].children = children;
        }
        self.stack = stack;
        self.entries[slot as usize].aabb
    }

    /// Recomputes the blocks without dirty children, and pushes the dirty children to the stack.
    fn update_blocks(&self, children: &mut Children, stack: &mut Vec<u32>) {
        let slots = children.slots.chunks(BLOCK_SIZE);
        for (block, slots) in children.blocks.iter_mut().zip(slots) {
            if !block.dirty {
                continue;
            }
            let before = stack.len();
            let mut aabb = Aabb::EMPTY;
            for &slot in slots {
                let entry = &self.entries[slot as usize];
                if entry.dirty {
                    stack.push(slot);
                } else {
                    aabb = aabb.union(&entry.aabb);
                }
            }
            if stack.len() == before {
                *block = Block { dirty: false, aabb };
            }
        }
    }
}
