//! The benchmark tree: parents, local transforms and edits. Plain data from which both sides build,
//! identical on every machine.
//!
//! Invariant: a parent has a smaller index than its children, including those it gets by
//! re-parenting, so there are no cycles.

use pleach::Transform;
use pleach::glam::{Mat4, Quat, Vec3};

/// A scene graph under test. Nodes have the indices of the `TreeSpec`.
pub(super) trait BenchTree {
    /// Builds and updates the tree.
    fn build(spec: &TreeSpec) -> Self;
    /// Sets the translation of a node.
    fn set_translation(&mut self, node: u32, at: Vec3);
    /// Attaches a subtree to another parent.
    fn attach(&mut self, node: u32, parent: u32);
    /// Updates all world transforms.
    fn update(&mut self);
    /// Returns the world transform of each node by index.
    fn worlds(&self) -> Vec<Mat4>;
}

/// The edits before an update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edit {
    All,
    Root,
    Leaves,
    Nothing,
    /// Re-parents nodes, and in every other frame attaches them to their original parents.
    Attach,
}

/// A random tree of nodes and the edits applied to it.
#[derive(Debug)]
pub(super) struct TreeSpec {
    /// Parents by node; the entry of the root is the root itself.
    pub(super) parents: Vec<u32>,
    pub(super) locals: Vec<Transform>,
    /// 1 % of the leaves.
    leaves: Vec<u32>,
    /// 1 % of all nodes, which have small subtrees, each with another parent.
    reparents: Vec<(u32, u32)>,
}

const SEED: u64 = 0x706c_6561_6368;

/// The maximum number of children of a node.
const MAX_CHILDREN: usize = 8;

impl TreeSpec {
    /// Creates a tree of `nodes` nodes, at least 10: each node in turn gets 1 to 8 children.
    pub(super) fn new(nodes: u32) -> Self {
        let count = nodes as usize;
        let mut random = Random(SEED);
        let mut parents = vec![0];
        let mut parent = 0;
        while parents.len() < count {
            let children = (1 + random.below(MAX_CHILDREN)).min(count - parents.len());
            parents.extend(std::iter::repeat_n(parent, children));
            parent += 1;
        }
        // The nodes from here on are leaves.
        let first_leaf = parent as usize;
        let locals = (0..count).map(|_| random.transform()).collect();
        let hundredth = |of: usize| of.div_ceil(100);
        let leaves = random.sample_distinct(first_leaf, count, hundredth(count - first_leaf));
        let moved = random.sample_distinct(count / 2, count, hundredth(count));
        let reparents =
            moved.into_iter().map(|node| (node, random.below(node as usize) as u32)).collect();
        Self { parents, locals, leaves, reparents }
    }

    pub(super) fn len(&self) -> usize {
        self.parents.len()
    }

    /// Applies the edits of a frame and updates the tree.
    pub(super) fn frame(&self, tree: &mut impl BenchTree, edit: Edit, step: u32) {
        match edit {
            Edit::All => (0..self.len() as u32)
                .for_each(|node| tree.set_translation(node, offset(node, step))),
            Edit::Root => tree.set_translation(0, offset(0, step)),
            Edit::Leaves => {
                self.leaves.iter().for_each(|&leaf| tree.set_translation(leaf, offset(leaf, step)));
            }
            Edit::Nothing => {}
            Edit::Attach if step.is_multiple_of(2) => {
                self.reparents.iter().for_each(|&(node, parent)| tree.attach(node, parent));
            }
            Edit::Attach => {
                for &(node, _) in &self.reparents {
                    tree.attach(node, self.parents[node as usize]);
                }
            }
        }
        tree.update();
    }
}

/// Returns a translation that is cheap to compute and different at each step.
#[inline]
fn offset(node: u32, step: u32) -> Vec3 {
    let drift = (step & 1023) as f32 * 1e-3;
    Vec3::new((node & 31) as f32 * 0.03 + drift, drift, 0.5 - drift)
}

/// Splitmix64.
pub(super) struct Random(pub(super) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number less than `limit`, which must not be 0.
    pub(super) fn below(&mut self, limit: usize) -> usize {
        ((u128::from(self.next()) * limit as u128) >> 64) as usize
    }

    pub(super) fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (self.next() >> 40) as f32 / (1_u32 << 24) as f32 * (high - low)
    }

    pub(super) fn vector(&mut self, extent: f32) -> Vec3 {
        Vec3::from_array([(); 3].map(|()| self.between(-extent, extent)))
    }

    fn transform(&mut self) -> Transform {
        let Vec3 { x, y, z } = self.vector(1.0);
        let rotation = Quat::from_xyzw(x, y, z, self.between(1.0, 3.0)).normalize();
        // Close to 1, so that the scale of deep nodes stays bounded.
        let scale = Vec3::ONE + self.vector(0.02);
        Transform { translation: self.vector(1.0), rotation, scale }
    }

    /// Returns up to `count` distinct numbers from the range in random order.
    fn sample_distinct(&mut self, from: usize, to: usize, count: usize) -> Vec<u32> {
        let mut all: Vec<u32> = (from as u32..to as u32).collect();
        for position in 0..count.min(all.len()) {
            let other = position + self.below(all.len() - position);
            all.swap(position, other);
        }
        all.truncate(count);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_spec_is_a_tree_and_its_edits_are_valid() {
        for nodes in [10, 11, 57, 1000, 20_000] {
            let spec = TreeSpec::new(nodes);
            assert_eq!([spec.len(), spec.locals.len()], [nodes as usize; 2]);
            let mut has_children = vec![false; spec.len()];
            let mut children = vec![0; spec.len()];
            for (node, &parent) in spec.parents.iter().enumerate().skip(1) {
                assert!((parent as usize) < node);
                has_children[parent as usize] = true;
                children[parent as usize] += 1;
            }
            assert!(children.iter().all(|&count| count <= MAX_CHILDREN));
            assert!(!spec.leaves.is_empty() && !spec.reparents.is_empty());
            assert!(spec.leaves.iter().all(|&leaf| !has_children[leaf as usize]));
            assert!(spec.reparents.iter().all(|&(node, parent)| parent < node));
            let different = |mut nodes: Vec<u32>| {
                let before = nodes.len();
                nodes.sort_unstable();
                nodes.dedup();
                nodes.len() == before
            };
            assert!(different(spec.leaves.clone()));
            assert!(different(spec.reparents.iter().map(|it| it.0).collect()));
            assert_eq!(spec.reparents.len(), (nodes as usize).div_ceil(100));
        }
    }
}
