//! A node: up to eight boxes in structure-of-arrays layout, each with a child.
//!
//! Invariants: lanes `0..len` are in use, the others have `VACANT` boxes, which neither enlarge a
//! union nor intersect anything. The box of a lane with a child node is exactly the union of that
//! node's boxes. `parent` and `lane` identify the lane that refers to this node; the root is node 0
//! and has neither.

use glam::Vec3;

use crate::Aabb;

/// The maximum number of children of a node.
pub(crate) const LANES: usize = 8;

/// The parent of the root.
pub(crate) const NONE: u32 = u32::MAX;

/// One value for each lane.
pub(crate) type F32x8 = [f32; LANES];

/// A child of a node: another node, or a leaf with a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Child(u32);

impl Child {
    const LEAF: u32 = 1 << 31;
    pub(crate) const VACANT: Self = Self(u32::MAX);

    pub(crate) fn node(index: u32) -> Self {
        debug_assert!(index < Self::LEAF);
        Self(index)
    }

    pub(crate) fn leaf(item: u32) -> Self {
        debug_assert!(item < Self::LEAF - 1);
        Self(item | Self::LEAF)
    }

    #[inline]
    pub(crate) fn is_leaf(self) -> bool {
        self.0 & Self::LEAF != 0
    }

    /// Returns the index of the node, or the number of the leaf.
    #[inline]
    pub(crate) fn index(self) -> u32 {
        self.0 & !Self::LEAF
    }
}

/// A node of four cache lines: three of boxes, one of links.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Node {
    /// Minimum x, y, z, then maximum x, y, z.
    pub(crate) bounds: [F32x8; 6],
    pub(crate) children: [Child; LANES],
    pub(crate) parent: u32,
    pub(crate) lane: u8,
    pub(crate) len: u8,
    /// A bit for each lane with a leaf.
    pub(crate) leaf_mask: u8,
}

impl Node {
    pub(crate) const VACANT: Self = Self {
        bounds: [
            [f32::MAX; LANES],
            [f32::MAX; LANES],
            [f32::MAX; LANES],
            [-f32::MAX; LANES],
            [-f32::MAX; LANES],
            [-f32::MAX; LANES],
        ],
        children: [Child::VACANT; LANES],
        parent: NONE,
        lane: 0,
        len: 0,
        leaf_mask: 0,
    };

    /// Returns a bit for each lane in use.
    #[inline]
    pub(crate) fn lane_mask(&self) -> u32 {
        (1 << self.len) - 1
    }

    #[inline(always)]
    pub(crate) fn aabb(&self, lane: usize) -> Aabb {
        let at = |column: usize| self.bounds[column][lane];
        Aabb { min: Vec3::new(at(0), at(1), at(2)), max: Vec3::new(at(3), at(4), at(5)) }
    }

    #[inline(always)]
    pub(crate) fn set_aabb(&mut self, lane: usize, aabb: &Aabb) {
        for axis in 0..3 {
            self.bounds[axis][lane] = aabb.min[axis];
            self.bounds[axis + 3][lane] = aabb.max[axis];
        }
    }

    /// Fills the next lane and returns it. There must be a vacant one.
    pub(crate) fn push(&mut self, aabb: &Aabb, child: Child) -> usize {
        let lane = self.len as usize;
        self.len += 1;
        self.set_aabb(lane, aabb);
        self.set_child(lane, child);
        lane
    }

    pub(crate) fn set_child(&mut self, lane: usize, child: Child) {
        self.children[lane] = child;
        let bit = 1 << lane;
        self.leaf_mask = if child.is_leaf() { self.leaf_mask | bit } else { self.leaf_mask & !bit };
    }

    /// Vacates a lane and moves the last one into it. Returns the child that was moved, if any.
    pub(crate) fn swap_remove(&mut self, lane: usize) -> Option<Child> {
        self.len -= 1;
        let last = self.len as usize;
        for column in &mut self.bounds {
            column[lane] = column[last];
        }
        self.set_child(lane, self.children[last]);
        for axis in 0..3 {
            self.bounds[axis][last] = f32::MAX;
            self.bounds[axis + 3][last] = -f32::MAX;
        }
        self.children[last] = Child::VACANT;
        self.leaf_mask &= !(1 << last);
        (lane != last).then(|| self.children[lane])
    }

    /// Returns the union of all boxes; `MAX` and `-MAX` if there are none.
    #[inline(always)]
    pub(crate) fn union(&self) -> Aabb {
        let [x, y, z, to_x, to_y, to_z] = &self.bounds;
        Aabb {
            min: Vec3::new(min_of(x), min_of(y), min_of(z)),
            max: Vec3::new(max_of(to_x), max_of(to_y), max_of(to_z)),
        }
    }
}

// Comparisons instead of `f32::min`, which handles NaN: these compile to one instruction.
#[inline(always)]
fn min_of(lane: &F32x8) -> f32 {
    let min = |a: f32, b: f32| if a < b { a } else { b };
    let four: [f32; 4] = core::array::from_fn(|i| min(lane[i], lane[i + 4]));
    min(min(four[0], four[2]), min(four[1], four[3]))
}

#[inline(always)]
fn max_of(lane: &F32x8) -> f32 {
    let max = |a: f32, b: f32| if a > b { a } else { b };
    let four: [f32; 4] = core::array::from_fn(|i| max(lane[i], lane[i + 4]));
    max(max(four[0], four[2]), max(four[1], four[3]))
}

/// The storage of nodes. Freed nodes are reused.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arena {
    pub(crate) nodes: Vec<Node>,
    pub(crate) free: Vec<u32>,
}

impl Arena {
    pub(crate) fn allocate(&mut self) -> u32 {
        if let Some(index) = self.free.pop() {
            self.nodes[index as usize] = Node::VACANT;
            return index;
        }
        self.nodes.push(Node::VACANT);
        (self.nodes.len() - 1) as u32
    }

    pub(crate) fn clear(&mut self) {
        self.nodes.clear();
        self.free.clear();
    }

    /// Lists `root` and all nodes below it, parents before children.
    pub(crate) fn list_top_down(&self, root: u32, order: &mut Vec<u32>) {
        order.clear();
        order.push(root);
        let mut next = 0;
        while let Some(&index) = order.get(next) {
            next += 1;
            let node = &self.nodes[index as usize];
            let inner = node.children[..node.len as usize].iter().filter(|child| !child.is_leaf());
            order.extend(inner.map(|child| child.index()));
        }
    }

    /// Recomputes the box of a node in its parent. Returns `true` if it changed.
    #[inline]
    pub(crate) fn refit_one(&mut self, index: u32) -> bool {
        let node = &self.nodes[index as usize];
        if node.parent == NONE {
            return false;
        }
        let (parent, lane, union) = (node.parent as usize, node.lane as usize, node.union());
        let parent = &mut self.nodes[parent];
        if parent.aabb(lane) == union {
            return false;
        }
        parent.set_aabb(lane, &union);
        true
    }
}
