//! Nodes by depth: parents before children.
//!
//! Each depth has a list of its slots, and each slot stores its index in that list,
//! so insertion and removal take constant time and no order is ever rebuilt. Nodes
//! of one level never depend on each other: `update/` gives a whole level to SIMD
//! lanes and threads.
//!
//! Edits keep the lists up to date, except after large subtrees were moved: these
//! are listed in `moved`, and `edit/depths.rs` moves their nodes before the next
//! update, so that moving a subtree many times costs its size once.
//!
//! All lists share one pool, in blocks of power-of-two sizes that are reused when a
//! list outgrows its block or shrinks to a quarter. A `Vec` per depth would cost an
//! allocation for each node of a chain.
//!
//! Invariant: every live node is in the list of its depth, once, at its index. Roots
//! have depth 0, and a child's depth is its parent's plus one, except for nodes in
//! `moved`. If `moved` is empty, all depths are therefore right.

use alloc::vec::Vec;

use crate::store::links::NONE;

#[derive(Clone, Copy, Debug)]
struct Level {
    /// The start of the block in the pool.
    start: usize,
    /// The number of slots in the list.
    len: u32,
    /// The block holds `1 << size` slots.
    size: u8,
}

/// The position of a node in the lists.
#[derive(Clone, Copy, Debug)]
struct LevelPosition {
    depth: u32,
    /// The index in the list of that depth.
    index: u32,
}

/// Blocks of this size and smaller are not shrunk.
const MIN_SHRINK_SIZE: u8 = 4;

#[derive(Clone, Debug)]
pub(crate) struct Levels {
    /// By slot.
    positions: Vec<LevelPosition>,
    levels: Vec<Level>,
    pool: Vec<u32>,
    /// By size: the starts of unused blocks.
    free_blocks: [Vec<usize>; 33],
    /// The roots of subtrees whose depths may be out of date. Some may have been
    /// moved back or removed since.
    moved: Vec<u32>,
    /// The number of insertions, for tests that count work.
    #[cfg(test)]
    pub(crate) insertions: usize,
}

impl Levels {
    pub(crate) fn new() -> Self {
        Self {
            positions: Vec::new(),
            levels: Vec::new(),
            pool: Vec::new(),
            free_blocks: [const { Vec::new() }; 33],
            moved: Vec::new(),
            #[cfg(test)]
            insertions: 0,
        }
    }

    pub(crate) fn try_reserve_total(&mut self, slots: usize) -> Result<(), ()> {
        let additional = slots.saturating_sub(self.positions.len());
        self.positions.try_reserve_exact(additional).map_err(drop)
    }

    /// Appends a slot that is in no list, until `insert`.
    pub(crate) fn push_unlisted(&mut self) {
        self.positions.push(LevelPosition { depth: 0, index: 0 });
    }

    /// Appends a slot at `depth`.
    #[inline]
    pub(crate) fn push(&mut self, depth: u32) {
        let index = self.append_to_level(self.positions.len() as u32, depth);
        self.positions.push(LevelPosition { depth, index });
    }

    /// Returns the depth of the list that the slot is in, which is its depth in the
    /// tree if `is_up_to_date`.
    #[inline]
    pub(crate) fn depth(&self, slot: u32) -> u32 {
        self.positions[slot as usize].depth
    }

    /// Returns `true` if all depths are right.
    #[inline]
    pub(crate) fn is_up_to_date(&self) -> bool {
        self.moved.is_empty()
    }

    /// Returns the roots of subtrees whose depths may be out of date.
    pub(crate) fn moved(&self) -> &[u32] {
        &self.moved
    }

    /// Lists a subtree whose depths are out of date.
    pub(crate) fn list_moved(&mut self, slot: u32) {
        self.moved.push(slot);
    }

    /// Empties the list of moved subtrees and returns it; `return_moved` reuses its
    /// memory.
    pub(crate) fn take_moved(&mut self) -> Vec<u32> {
        core::mem::take(&mut self.moved)
    }

    pub(crate) fn return_moved(&mut self, mut moved: Vec<u32>) {
        moved.clear();
        self.moved = moved;
    }

    /// Returns the number of slots, for `read/check.rs`.
    pub(crate) fn slots(&self) -> usize {
        self.positions.len()
    }

    /// Returns one more than the maximum depth that any node has had.
    #[inline]
    pub(crate) fn len(&self) -> u32 {
        self.levels.len() as u32
    }

    /// Returns the slots at `depth`, in an arbitrary but deterministic order.
    #[inline]
    pub(crate) fn at(&self, depth: u32) -> &[u32] {
        match self.levels.get(depth as usize) {
            Some(level) => &self.pool[level.start..][..level.len as usize],
            None => &[],
        }
    }

    /// Returns the index of `slot` in the list of its depth.
    pub(crate) fn index(&self, slot: u32) -> u32 {
        self.positions[slot as usize].index
    }

    /// Inserts a slot that is in no level.
    #[inline]
    pub(crate) fn insert(&mut self, slot: u32, depth: u32) {
        let index = self.append_to_level(slot, depth);
        self.positions[slot as usize] = LevelPosition { depth, index };
    }

    /// Appends a slot to the list of a level, and returns its index there.
    #[inline]
    fn append_to_level(&mut self, slot: u32, depth: u32) -> u32 {
        #[cfg(test)]
        {
            self.insertions += 1;
        }
        match self.levels.get_mut(depth as usize) {
            Some(level) if u64::from(level.len) < 1 << level.size => {
                let index = level.len;
                level.len += 1;
                self.pool[level.start + index as usize] = slot;
                index
            }
            Some(_) => self.append_to_full_level(slot, depth),
            None => self.begin_level(slot, depth),
        }
    }

    /// Appends a slot to a list that fills its block.
    #[cold]
    fn append_to_full_level(&mut self, slot: u32, depth: u32) -> u32 {
        let Level { len, size, .. } = self.levels[depth as usize];
        let start = self.move_to_block(depth, size + 1);
        self.levels[depth as usize].len += 1;
        self.pool[start + len as usize] = slot;
        len
    }

    /// Appends the first slot of a level.
    #[cold]
    fn begin_level(&mut self, slot: u32, depth: u32) -> u32 {
        while self.levels.len() <= depth as usize {
            let start = self.allocate_block(0);
            self.levels.push(Level { start, len: 0, size: 0 });
        }
        let level = &mut self.levels[depth as usize];
        level.len = 1;
        self.pool[level.start] = slot;
        0
    }

    /// Inserts the slots from the current end to `parents.len()`, each one level
    /// below its parent, which has a lower slot or is in a level already. `parents`
    /// is by slot.
    pub(crate) fn append(&mut self, parents: &[u32]) {
        let new = self.positions.len()..parents.len();
        if new.len() >= self.levels.len() {
            return self.append_many(parents);
        }
        // Visiting every level would cost more than inserting the nodes one by one.
        for slot in new {
            let depth = self.child_depth(parents[slot]);
            self.push(depth);
        }
    }

    /// Implements `append` for many slots. Depths are counted first, so that each
    /// list moves at most once, to a block that fits all.
    fn append_many(&mut self, parents: &[u32]) {
        let first = self.positions.len();
        let mut lens: Vec<u32> = self.levels.iter().map(|level| level.len).collect();
        for &parent in &parents[first..] {
            let depth = self.child_depth(parent);
            if depth as usize == lens.len() {
                lens.push(0);
            }
            let len = &mut lens[depth as usize];
            self.positions.push(LevelPosition { depth, index: *len });
            *len += 1;
        }
        for (depth, &len) in lens.iter().enumerate() {
            let size = u64::from(len).next_power_of_two().trailing_zeros() as u8;
            if depth == self.levels.len() {
                let start = self.allocate_block(size);
                self.levels.push(Level { start, len, size });
            } else if size > self.levels[depth].size {
                self.move_to_block(depth as u32, size);
            }
            self.levels[depth].len = len;
        }
        for (slot, position) in (first as u32..).zip(&self.positions[first..]) {
            let start = self.levels[position.depth as usize].start;
            self.pool[start + position.index as usize] = slot;
        }
    }

    /// Fills empty lists with slots of these depths, in the order of slots; `NONE` for slots
    /// without a node. Each list gets a block that fits all of it.
    pub(crate) fn restore(&mut self, depths: &[u32]) {
        let mut lens: Vec<u32> = Vec::new();
        for &depth in depths.iter().filter(|&&depth| depth != NONE) {
            if depth as usize >= lens.len() {
                lens.resize(depth as usize + 1, 0);
            }
            lens[depth as usize] += 1;
        }
        for len in lens {
            let size = u64::from(len).next_power_of_two().trailing_zeros() as u8;
            let start = self.allocate_block(size);
            self.levels.push(Level { start, len: 0, size });
        }
        self.positions.resize(depths.len(), LevelPosition { depth: 0, index: 0 });
        for (slot, &depth) in (0..).zip(depths) {
            if depth != NONE {
                self.insert(slot, depth);
            }
        }
    }

    /// Returns the depth of a child of `parent`, or of a root for `NONE`.
    #[inline]
    pub(crate) fn child_depth(&self, parent: u32) -> u32 {
        if parent == NONE { 0 } else { self.depth(parent) + 1 }
    }

    #[inline]
    pub(crate) fn remove(&mut self, slot: u32) {
        let LevelPosition { depth, index } = self.positions[slot as usize];
        let level = &mut self.levels[depth as usize];
        level.len -= 1;
        let last = self.pool[level.start + level.len as usize];
        self.pool[level.start + index as usize] = last;
        self.positions[last as usize].index = index;
        let Level { len, size, .. } = *level;
        if size > MIN_SHRINK_SIZE && len as usize <= 1 << (size - 2) {
            self.move_to_block(depth, size - 1);
        }
    }

    /// Moves the list of a level to a block of another size, which must fit it, and
    /// returns its start.
    #[cold]
    fn move_to_block(&mut self, depth: u32, new_size: u8) -> usize {
        let Level { start, len, size } = self.levels[depth as usize];
        let new_start = self.allocate_block(new_size);
        self.pool.copy_within(start..start + len as usize, new_start);
        self.free_blocks[size as usize].push(start);
        self.levels[depth as usize] = Level { start: new_start, len, size: new_size };
        new_start
    }

    fn allocate_block(&mut self, size: u8) -> usize {
        if let Some(start) = self.free_blocks[size as usize].pop() {
            return start;
        }
        let start = self.pool.len();
        self.pool.resize(start + (1 << size), 0);
        start
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Random insertion and removal, compared with a plain `Vec` of depths.
    #[test]
    fn lists_agree_with_depths_after_random_insertions_and_removals() {
        let mut levels = Levels::new();
        let mut naive: Vec<Option<u32>> = Vec::new();
        let mut rng = testkit::Rng::new(7);
        let mut random = |below: u32| rng.below(below as usize) as u32;
        for _ in 0..if cfg!(miri) { 200 } else { 2_000 } {
            if naive.is_empty() || random(3) == 0 {
                levels.push(random(6));
                naive.push(Some(levels.depth(naive.len() as u32)));
                continue;
            }
            let slot = random(naive.len() as u32);
            if naive[slot as usize].take().is_some() {
                levels.remove(slot);
            } else {
                let depth = random(40);
                levels.insert(slot, depth);
                naive[slot as usize] = Some(depth);
            }
        }
        let mut listed = 0;
        for depth in 0..levels.len() {
            for (index, &slot) in levels.at(depth).iter().enumerate() {
                assert_eq!(naive[slot as usize], Some(depth));
                assert_eq!((levels.depth(slot), levels.index(slot) as usize), (depth, index));
                listed += 1;
            }
        }
        assert_eq!(listed, naive.iter().flatten().count());
    }
}
