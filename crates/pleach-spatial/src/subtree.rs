//! Subtree bounds: the box of a node and all below it.
//!
//! Made when first asked for, and followed from then on. A change soils the node and
//! its ancestors, up to the first that is soiled already; asking cleans what it needs.
//! So nobody pays who does not ask, and a box that is clean is read in O(1).
//!
//! The forest is kept here as the last sync saw it: the graph may be ahead.
//!
//! Invariants: a clean node has the union of its own world box and its children's
//! boxes, and only clean children.

use pleach_graph::{ChangesSince, Graph, NodeId};

use crate::rows::{NONE, Rows};
use crate::{Aabb, SpatialIndex};

#[derive(Clone, Copy, Debug)]
struct Entry {
    parent: u32,
    first: u32,
    next: u32,
    previous: u32,
    soiled: bool,
    known: bool,
    aabb: Aabb,
}

impl Entry {
    const UNKNOWN: Self = Self {
        parent: NONE,
        first: NONE,
        next: NONE,
        previous: NONE,
        soiled: true,
        known: false,
        aabb: Aabb::EMPTY,
    };
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
    /// to what changed, and their children).
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
        let known = subtrees.entries.get(node.index()).is_some_and(|entry| entry.known);
        Some(if known { subtrees.clean(node.index() as u32, &self.rows) } else { Aabb::EMPTY })
    }
}

impl Subtrees {
    /// Follows what a feed tells.
    pub(crate) fn follow(&mut self, graph: &Graph, changes: &ChangesSince<'_>) {
        for node in changes.removed() {
            self.forget(node.index());
        }
        for node in changes.moved() {
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
            slot = entry.parent as usize;
        }
    }

    /// Puts a node under the parent it has in the graph.
    fn attach(&mut self, graph: &Graph, node: NodeId) {
        let slot = node.index();
        let parents = graph.parents();
        if self.entries.len() < parents.len() {
            self.entries.resize(parents.len(), Entry::UNKNOWN);
        }
        let parent = parents[slot];
        let entry = &mut self.entries[slot];
        if entry.known && entry.parent == parent {
            return;
        }
        if entry.known {
            self.unlink(slot);
        }
        let entry = &mut self.entries[slot];
        (entry.known, entry.parent) = (true, parent);
        // Clean nodes have clean children: soil the parent whatever this one is.
        if let Some(above) = self.entries.get_mut(parent as usize) {
            let first = core::mem::replace(&mut above.first, slot as u32);
            self.entries[slot].next = first;
            if let Some(next) = self.entries.get_mut(first as usize) {
                next.previous = slot as u32;
            }
            self.soil(parent as usize);
        }
    }

    fn forget(&mut self, slot: usize) {
        if self.entries.get(slot).is_some_and(|entry| entry.known) {
            self.unlink(slot);
            // What hung below has been removed as well, or moved elsewhere since.
            let mut child = self.entries[slot].first;
            while let Some(entry) = self.entries.get_mut(child as usize) {
                let next = entry.next;
                (entry.parent, entry.next, entry.previous) = (NONE, NONE, NONE);
                child = next;
            }
            self.entries[slot] = Entry::UNKNOWN;
        }
    }

    fn unlink(&mut self, slot: usize) {
        let Entry { parent, next, previous, .. } = self.entries[slot];
        if let Some(entry) = self.entries.get_mut(next as usize) {
            entry.previous = previous;
        }
        if let Some(entry) = self.entries.get_mut(previous as usize) {
            entry.next = next;
        } else if let Some(above) = self.entries.get_mut(parent as usize) {
            above.first = next;
        }
        self.soil(parent as usize);
        let entry = &mut self.entries[slot];
        (entry.parent, entry.next, entry.previous) = (NONE, NONE, NONE);
    }

    /// The slot's box, made anew where it is soiled.
    fn clean(&mut self, slot: u32, rows: &Rows) -> Aabb {
        let mut open = core::mem::take(&mut self.open);
        open.clear();
        open.push(slot);
        while let Some(&slot) = open.last() {
            if !self.entries[slot as usize].soiled {
                open.pop();
                continue;
            }
            let before = open.len();
            let row = rows.at_slot(slot as usize).filter(|&row| rows.marks(row).placed);
            let mut aabb = row.map_or(Aabb::EMPTY, |row| rows.world[row]);
            let mut child = self.entries[slot as usize].first;
            while let Some(entry) = self.entries.get(child as usize) {
                if entry.soiled {
                    open.push(child);
                } else {
                    aabb = aabb.union(&entry.aabb);
                }
                child = entry.next;
            }
            // With all children clean the box is right; else it comes up again after them.
            if open.len() == before {
                let entry = &mut self.entries[slot as usize];
                (entry.aabb, entry.soiled) = (aabb, false);
                open.pop();
            }
        }
        self.open = open;
        self.entries[slot as usize].aabb
    }
}
