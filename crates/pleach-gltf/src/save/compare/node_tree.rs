//! `NodeTree`: the parents of nodes by index, for questions about skins.
//!
//! Invariant: `enter[n]..exit[n]` is the range of positions of the subtree of `n` in depth-first
//! order, so that ancestors are found by comparing two numbers, whatever the depth.

use super::index_map::{EntryKind, IndexMap, children};
use crate::json::Root;
use crate::save::SaveInput;

/// Marks a node without a parent.
const NONE: u32 = u32::MAX;

/// The trees of a file's nodes.
#[derive(Debug)]
pub(crate) struct NodeTree {
    enter: Vec<u32>,
    exit: Vec<u32>,
    root: Vec<u32>,
}

impl NodeTree {
    /// Returns the trees of the file as it was loaded.
    pub(crate) fn of_file(root: &Root<'_>) -> Self {
        let mut parents = vec![NONE; root.nodes.len()];
        for (parent, node) in root.nodes.iter().enumerate() {
            for child in &node.children {
                parents[child.index()] = parent as u32;
            }
        }
        Self::of_parents(&parents)
    }

    /// Returns the trees of the file as it will be written.
    pub(crate) fn written(input: &SaveInput<'_>, index_map: &IndexMap) -> Self {
        let mut parents = vec![NONE; index_map.entries.len()];
        for entry in &index_map.entries {
            let scene = input.scenes[entry.scene_index];
            let below = match &entry.kind {
                EntryKind::Node(node) => children(scene, *node),
                EntryKind::UpAxis(nodes) => nodes.clone(),
            };
            for child in below {
                if let Some(child) = index_map.index(entry.scene_index, child) {
                    parents[child] = entry.index as u32;
                }
            }
        }
        Self::of_parents(&parents)
    }

    /// Computes the tree in depth-first order, without recursion.
    fn of_parents(parents: &[u32]) -> Self {
        let count = parents.len();
        // Children as linked lists.
        let (mut first, mut next) = (vec![NONE; count], vec![NONE; count]);
        for (node, &parent) in parents.iter().enumerate().rev() {
            if parent != NONE {
                next[node] = std::mem::replace(&mut first[parent as usize], node as u32);
            }
        }
        let mut tree = Self { enter: vec![0; count], exit: vec![0; count], root: vec![0; count] };
        let mut position = 0;
        for root in (0..count as u32).filter(|&node| parents[node as usize] == NONE) {
            let mut node = root;
            loop {
                tree.enter[node as usize] = position;
                tree.root[node as usize] = root;
                position += 1;
                if first[node as usize] != NONE {
                    node = first[node as usize];
                    continue;
                }
                tree.exit[node as usize] = position;
                while node != root && next[node as usize] == NONE {
                    node = parents[node as usize];
                    tree.exit[node as usize] = position;
                }
                if node == root {
                    break;
                }
                node = next[node as usize];
            }
        }
        tree
    }

    /// Returns the root of a node's tree.
    pub(crate) fn root(&self, node: usize) -> usize {
        self.root[node] as usize
    }

    /// Returns the first of `nodes` that is in another tree than the first one, by its position in
    /// the list.
    pub(crate) fn find_in_other_tree(&self, nodes: &[usize]) -> Option<usize> {
        let root = self.root(*nodes.first()?);
        nodes.iter().position(|&node| self.root(node) != root)
    }

    /// Returns `true` if `ancestor` is each of `nodes` or above it.
    pub(crate) fn is_above_all(&self, ancestor: usize, nodes: &[usize]) -> bool {
        let range = self.enter[ancestor]..self.exit[ancestor];
        nodes.iter().all(|&node| range.contains(&self.enter[node]))
    }
}

#[cfg(test)]
mod tests {
    use testkit::Rng;

    use super::*;

    #[test]
    fn ancestors_and_roots_equal_those_of_a_walk() {
        for seed in 0..20 {
            let mut random = Rng::new(seed);
            // Parents before and after their children.
            let mut order: Vec<u32> = (0..40).collect();
            for at in (1..order.len()).rev() {
                order.swap(at, random.below(at + 1));
            }
            let mut parents = vec![NONE; order.len()];
            for (at, &node) in order.iter().enumerate() {
                let above = random.below(at + 3);
                if above < at {
                    parents[node as usize] = order[above];
                }
            }
            let tree = NodeTree::of_parents(&parents);
            for node in 0..order.len() {
                let mut above = vec![node];
                while parents[above[above.len() - 1]] != NONE {
                    above.push(parents[above[above.len() - 1]] as usize);
                }
                assert_eq!(tree.root(node), above[above.len() - 1], "seed {seed}");
                for other in 0..order.len() {
                    let expected = above.contains(&other);
                    assert_eq!(tree.is_above_all(other, &[node]), expected, "seed {seed}");
                }
            }
        }
    }
}
