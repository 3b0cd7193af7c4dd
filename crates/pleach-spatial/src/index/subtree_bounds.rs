//! Subtree bounds: the box of a node and all below it.
//!
//! Made when first asked for, and followed from then on. A change soils the node and
//! its ancestors, up to the first that is soiled already; asking cleans what it needs.
//! So nobody pays who does not ask, and a box that is clean is read in O(1). A node's
//! children are looked at in blocks, so that one of very many costs little.
//!
//! The forest is kept here as the last sync saw it: the graph may be ahead.
//!
//! Invariants: a clean node has the union of its own world box and its blocks' boxes,
//! and only clean blocks; a clean block has the union of its members' boxes, and only
//! clean members. Node `c` is at `members[place]` of its parent.

use pleach_graph::{Changes, Graph, NodeId};

use crate::index::rows::{NONE, Rows};
use crate::{Aabb, SpatialIndex};

/// Children to a block.
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
    /// Slots, in the order they came in.
    slots: Vec<u32>,
    blocks: Vec<Block>,
}

#[derive(Clone, Copy, Debug)]
struct Block {
    dirty: bool,
    aabb: Aabb,
}

/// By slot.
#[derive(Clone, Debug, Default)]
pub(crate) struct SubtreeBounds {
    entries: Vec<Entry>,
    /// Kept for its memory.
    stack: Vec<u32>,
}

impl SpatialIndex {
    /// The box of a node's world bounds and those of everything below it, as of the
    /// last [`sync`](Self::sync); empty if there are none. `None` if the graph has no
    /// such node.
    ///
    /// The first call makes a table of the whole graph; from then on O(1) where nothing
    /// below the node changed since it was last asked for, else O(the nodes on the way
    /// to what changed), and for each of these 64 children and one in 64 of the others.
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
    pub fn subtree_bounds(&mut self, graph: &Graph, node: NodeId) -> Option<Aabb> {
        if !graph.contains(node) {
            return None;
        }
        let table = self.subtree_bounds.get_or_insert_with(|| {
            let mut table = SubtreeBounds::default();
            for node in graph.by_depth() {
                table.attach(graph, node);
            }
            Box::new(table)
        });
        // A node that was added since the last sync has nothing yet.
        let entry = table.entries.get(node.index());
        let known = entry.is_some_and(|entry| entry.node == Some(node));
        Some(if known { table.update(node.index() as u32, &self.rows) } else { Aabb::EMPTY })
    }
}

impl SubtreeBounds {
    /// Follows what a feed tells.
    pub(crate) fn apply_changes(&mut self, graph: &Graph, changes: &Changes<'_>) {
        for node in changes.removed() {
            self.remove(node.index());
        }
        for node in changes.changed() {
            self.attach(graph, node);
        }
    }

    /// What the slot's box is made of changed.
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

    /// Puts a node under the parent it has in the graph.
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
        // What is soiled has soiled parents, whatever the node itself is.
        self.mark_block_dirty(parent as usize, index_in_parent as u32);
        self.mark_dirty(parent as usize);
    }

    /// Forgets a node that was removed.
    fn remove(&mut self, slot: usize) {
        if self.entries.get(slot).is_none_or(|entry| entry.node.is_none()) {
            return;
        }
        self.unlink(slot);
        let entry = core::mem::replace(&mut self.entries[slot], Entry::VACANT);
        // What hung below has been removed as well, or hangs elsewhere by now.
        for child in entry.children.into_iter().flat_map(|children| children.slots) {
            let child = &mut self.entries[child as usize];
            (child.parent, child.index_in_parent) = (NONE, NONE);
        }
    }

    /// Takes a node from its parent, if it has one; the last of its siblings gets its
    /// place.
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

    /// The slot's box, made anew where it is soiled.
    fn update(&mut self, slot: u32, rows: &Rows) -> Aabb {
        let mut stack = core::mem::take(&mut self.stack);
        stack.clear();
        stack.push(slot);
        while let Some(&slot) = stack.last() {
            let before = stack.len();
            // Taken out, so that members can be read meanwhile.
            let mut children = self.entries[slot as usize].children.take();
            if self.entries[slot as usize].dirty
                && let Some(children) = &mut children
            {
                self.update_blocks(children, &mut stack);
            }
            // With all members clean the box is right; else it comes up again after them.
            if stack.len() == before {
                if self.entries[slot as usize].dirty {
                    let row = rows.at_slot(slot as usize).filter(|&row| rows.flags(row).in_tree);
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

    /// Cleans blocks whose members are clean, and lists the members that are not.
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
