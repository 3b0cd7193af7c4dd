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
const BLOCK: usize = 64;

#[derive(Clone, Debug)]
struct Entry {
    /// The node in the slot, as of the last sync.
    tenant: Option<NodeId>,
    soiled: bool,
    parent: u32,
    place: u32,
    aabb: Aabb,
    children: Option<Box<Children>>,
}

impl Entry {
    const UNKNOWN: Self = Self {
        tenant: None,
        soiled: true,
        parent: NONE,
        place: NONE,
        aabb: Aabb::EMPTY,
        children: None,
    };
}

#[derive(Clone, Debug, Default)]
struct Children {
    /// Slots, in the order they came in.
    members: Vec<u32>,
    blocks: Vec<Block>,
}

#[derive(Clone, Copy, Debug)]
struct Block {
    soiled: bool,
    aabb: Aabb,
}

/// By slot.
#[derive(Clone, Debug, Default)]
pub(crate) struct Subtrees {
    entries: Vec<Entry>,
    /// Kept for its memory.
    open: Vec<u32>,
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
        let subtrees = self.subtrees.get_or_insert_with(|| {
            let mut subtrees = Subtrees::default();
            for node in graph.by_depth() {
                subtrees.attach(graph, node);
            }
            Box::new(subtrees)
        });
        // A node that was added since the last sync has nothing yet.
        let entry = subtrees.entries.get(node.index());
        let known = entry.is_some_and(|entry| entry.tenant == Some(node));
        Some(if known { subtrees.clean(node.index() as u32, &self.rows) } else { Aabb::EMPTY })
    }
}

impl Subtrees {
    /// Follows what a feed tells.
    pub(crate) fn follow(&mut self, graph: &Graph, changes: &Changes<'_>) {
        for node in changes.removed() {
            self.forget(node.index());
        }
        for node in changes.changed() {
            self.attach(graph, node);
        }
    }

    /// What the slot's box is made of changed.
    pub(crate) fn soil(&mut self, slot: usize) {
        let mut slot = slot;
        while let Some(entry) = self.entries.get_mut(slot)
            && !entry.soiled
        {
            entry.soiled = true;
            let (parent, place) = (entry.parent as usize, entry.place);
            self.soil_block(parent, place);
            slot = parent;
        }
    }

    fn soil_block(&mut self, parent: usize, place: u32) {
        let children = self.entries.get_mut(parent).and_then(|entry| entry.children.as_mut());
        if let Some(children) = children {
            children.blocks[place as usize / BLOCK].soiled = true;
        }
    }

    /// Puts a node under the parent it has in the graph.
    fn attach(&mut self, graph: &Graph, node: NodeId) {
        let (slot, parents) = (node.index(), graph.parents());
        if self.entries.len() < parents.len() {
            self.entries.resize(parents.len(), Entry::UNKNOWN);
        }
        let parent = parents[slot];
        let entry = &self.entries[slot];
        if entry.tenant == Some(node) && entry.parent == parent {
            return;
        }
        if entry.tenant != Some(node) {
            self.forget(slot);
        }
        self.unlink(slot);
        let entry = &mut self.entries[slot];
        (entry.tenant, entry.parent) = (Some(node), parent);
        let Some(above) = self.entries.get_mut(parent as usize) else { return };
        let children = above.children.get_or_insert_default();
        let place = children.members.len();
        children.members.push(slot as u32);
        if place % BLOCK == 0 {
            children.blocks.push(Block { soiled: true, aabb: Aabb::EMPTY });
        }
        self.entries[slot].place = place as u32;
        // What is soiled has soiled parents, whatever the node itself is.
        self.soil_block(parent as usize, place as u32);
        self.soil(parent as usize);
    }

    /// Forgets a node that was removed.
    fn forget(&mut self, slot: usize) {
        if self.entries.get(slot).is_none_or(|entry| entry.tenant.is_none()) {
            return;
        }
        self.unlink(slot);
        let entry = core::mem::replace(&mut self.entries[slot], Entry::UNKNOWN);
        // What hung below has been removed as well, or hangs elsewhere by now.
        for child in entry.children.into_iter().flat_map(|children| children.members) {
            let child = &mut self.entries[child as usize];
            (child.parent, child.place) = (NONE, NONE);
        }
    }

    /// Takes a node from its parent, if it has one; the last of its siblings gets its
    /// place.
    fn unlink(&mut self, slot: usize) {
        let entry = &mut self.entries[slot];
        let (parent, place) = (entry.parent as usize, entry.place);
        (entry.parent, entry.place) = (NONE, NONE);
        let Some(children) = self.entries.get_mut(parent).and_then(|it| it.children.as_mut())
        else {
            return;
        };
        let last = children.members.len() as u32 - 1;
        children.members.swap_remove(place as usize);
        children.blocks[last as usize / BLOCK].soiled = true;
        children.blocks.truncate(children.members.len().div_ceil(BLOCK));
        if let Some(&moved) = children.members.get(place as usize) {
            children.blocks[place as usize / BLOCK].soiled = true;
            self.entries[moved as usize].place = place;
        }
        self.soil(parent);
    }

    /// The slot's box, made anew where it is soiled.
    fn clean(&mut self, slot: u32, rows: &Rows) -> Aabb {
        let mut open = core::mem::take(&mut self.open);
        open.clear();
        open.push(slot);
        while let Some(&slot) = open.last() {
            let before = open.len();
            // Taken out, so that members can be read meanwhile.
            let mut children = self.entries[slot as usize].children.take();
            if self.entries[slot as usize].soiled
                && let Some(children) = &mut children
            {
                self.clean_blocks(children, &mut open);
            }
            // With all members clean the box is right; else it comes up again after them.
            if open.len() == before {
                if self.entries[slot as usize].soiled {
                    let row = rows.at_slot(slot as usize).filter(|&row| rows.marks(row).placed);
                    let own = row.map_or(Aabb::EMPTY, |row| rows.world[row]);
                    let blocks = children.iter().flat_map(|children| &children.blocks);
                    let entry = &mut self.entries[slot as usize];
                    entry.aabb = blocks.fold(own, |all, block| all.union(&block.aabb));
                    entry.soiled = false;
                }
                open.pop();
            }
            self.entries[slot as usize].children = children;
        }
        self.open = open;
        self.entries[slot as usize].aabb
    }

    /// Cleans blocks whose members are clean, and lists the members that are not.
    fn clean_blocks(&self, children: &mut Children, open: &mut Vec<u32>) {
        let members = children.members.chunks(BLOCK);
        for (block, members) in children.blocks.iter_mut().zip(members) {
            if !block.soiled {
                continue;
            }
            let before = open.len();
            let mut aabb = Aabb::EMPTY;
            for &member in members {
                let entry = &self.entries[member as usize];
                if entry.soiled {
                    open.push(member);
                } else {
                    aabb = aabb.union(&entry.aabb);
                }
            }
            if open.len() == before {
                *block = Block { soiled: false, aabb };
            }
        }
    }
}
