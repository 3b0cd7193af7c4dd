//! The edit lists of a scene: which leaves move, which nodes are reparented, which leaves are
//! replaced. They are generated before any timing and are the same for every contender.

use crate::contender::Edits;
use crate::rng::Rng;
use crate::scene::{Case, ROOT, Scene};
use crate::workload::Workload;

/// The number of lists of each kind, so that consecutive frames edit different nodes.
const LISTS: u64 = 4;
/// The maximum size of a subtree that is reparented.
const SMALL: u32 = 8;

pub struct EditLists {
    nodes: usize,
    leaves: Vec<Vec<u32>>,
    /// In pairs: the second list reverts the first.
    attachments: Vec<Vec<(u32, u32)>>,
    replacements: Vec<Vec<(u32, u32)>>,
}

impl EditLists {
    pub fn new(case: &Case, scene: &Scene) -> Self {
        let hierarchy = Hierarchy::new(scene);
        let one_percent = (scene.len() / 100).max(1);
        let seeds = (1..=LISTS).map(|list| case.seed ^ (list << 32));

        let mut leaves = Vec::new();
        let mut replaced_sets = Vec::new();
        for seed in seeds.clone() {
            let mut all = hierarchy.leaves.clone();
            Rng::new(seed).shuffle(&mut all);
            leaves.push(all[..(all.len() / 100).max(1)].to_vec());
            replaced_sets.push(all[all.len() - one_percent.min(all.len())..].to_vec());
        }
        let attachments = seeds
            .flat_map(|seed| hierarchy.attachments(one_percent, seed, &replaced_sets))
            .collect();
        let replacements = [1, 2]
            .iter()
            .flat_map(|offset| replaced_sets.iter().map(|set| hierarchy.replacements(set, *offset)))
            .collect();
        Self { nodes: scene.len(), leaves, attachments, replacements }
    }

    pub fn edits(&self, workload: Workload, step: u32) -> Edits<'_> {
        match workload {
            Workload::Build | Workload::Nothing => Edits::Nothing,
            Workload::AllMoved => Edits::MoveAll { step },
            Workload::AllSet => Edits::SetAll { step },
            Workload::RootMoved => Edits::MoveRoot { step },
            Workload::Leaves => Edits::MoveLeaves { leaves: nth(&self.leaves, step), step },
            Workload::Reparent => Edits::Attach(nth(&self.attachments, step)),
            Workload::Churn => Edits::Replace { leaves: nth(&self.replacements, step), step },
        }
    }

    /// Returns the number of nodes that a frame edits.
    pub fn edited(&self, workload: Workload) -> usize {
        match workload {
            Workload::Nothing => 0,
            Workload::RootMoved => 1,
            Workload::Build | Workload::AllMoved | Workload::AllSet => self.nodes,
            Workload::Leaves => self.leaves[0].len(),
            Workload::Reparent => self.attachments[0].len(),
            Workload::Churn => self.replacements[0].len(),
        }
    }
}

fn nth<T>(lists: &[Vec<T>], step: u32) -> &[T] {
    &lists[step as usize % lists.len()]
}

/// The hierarchy that the lists are generated from.
struct Hierarchy<'a> {
    parents: &'a [u32],
    sizes: Vec<u32>,
    leaves: Vec<u32>,
}

impl<'a> Hierarchy<'a> {
    fn new(scene: &'a Scene) -> Self {
        let mut sizes = vec![1; scene.len()];
        for node in (1..scene.len()).rev() {
            sizes[scene.parents[node] as usize] += sizes[node];
        }
        let leaves = (0..scene.len() as u32).filter(|&node| sizes[node as usize] == 1).collect();
        Self { parents: &scene.parents, sizes, leaves }
    }

    fn parent(&self, node: u32) -> u32 {
        self.parents[node as usize]
    }

    fn is_small(&self, node: u32) -> bool {
        self.sizes[node as usize] <= SMALL
    }

    /// Returns two lists of nodes and parents: the first moves small subtrees elsewhere, the second
    /// moves them back. No selected node is an ancestor of another, so no order of attaching
    /// creates a cycle.
    fn attachments(&self, count: usize, seed: u64, replaced: &[Vec<u32>]) -> [Vec<(u32, u32)>; 2] {
        let selected = self.unrelated_subtrees(count, seed);
        let mut new_parents = self.fixed_leaves(&selected, replaced);
        let moved = (0..selected.len()).map(|index| {
            let node = selected[index];
            let other = self.parent(selected[(index + selected.len() / 2) % selected.len()]);
            if other != self.parent(node) {
                (node, other)
            } else {
                (node, new_parents.next().expect("too few leaves to attach to"))
            }
        });
        let moved = moved.collect();
        let restored = selected.iter().map(|&node| (node, self.parent(node)));
        [moved, restored.collect()]
    }

    /// Returns up to `count` small subtrees, none inside another.
    fn unrelated_subtrees(&self, count: usize, seed: u64) -> Vec<u32> {
        let mut candidates: Vec<u32> =
            (1..self.parents.len() as u32).filter(|&node| self.is_small(node)).collect();
        Rng::new(seed).shuffle(&mut candidates);
        let mut is_ancestor_of_selected = vec![false; self.parents.len()];
        let mut is_selected = vec![false; self.parents.len()];
        let mut selected = Vec::with_capacity(count);
        for node in candidates {
            if selected.len() == count {
                break;
            }
            let related = is_ancestor_of_selected[node as usize]
                || self.small_ancestors(node).any(|ancestor| is_selected[ancestor as usize]);
            if !related {
                selected.push(node);
                is_selected[node as usize] = true;
                for ancestor in self.small_ancestors(node) {
                    is_ancestor_of_selected[ancestor as usize] = true;
                }
            }
        }
        selected
    }

    /// Returns the node and its ancestors, as long as their subtrees are small.
    fn small_ancestors(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        std::iter::successors(Some(node), |&descendant| Some(self.parent(descendant)))
            .take_while(|&node| node != ROOT && self.is_small(node))
    }

    /// Returns leaves that no list moves, directly or with a subtree.
    fn fixed_leaves(&self, selected: &[u32], replaced: &[Vec<u32>]) -> impl Iterator<Item = u32> {
        let mut moves = vec![false; self.parents.len()];
        for &node in selected.iter().chain(replaced.iter().flatten()) {
            moves[node as usize] = true;
        }
        self.leaves.iter().copied().filter(move |&leaf| {
            !self.small_ancestors(leaf).any(|ancestor| moves[ancestor as usize])
        })
    }

    /// Assigns to each leaf the old parent of the leaf `offset` entries further on.
    fn replacements(&self, set: &[u32], offset: usize) -> Vec<(u32, u32)> {
        (0..set.len())
            .map(|index| (set[index], self.parent(set[(index + offset) % set.len()])))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Order, Shape};

    /// Replays edits on an array of parents; `None` if a node would become its own ancestor.
    fn replay(parents: &mut [u32], edits: Edits<'_>) -> Option<()> {
        let (Edits::Attach(pairs) | Edits::Replace { leaves: pairs, .. }) = edits else {
            return Some(());
        };
        for &(node, parent) in pairs {
            let mut ancestors = std::iter::successors(Some(parent), |&ancestor| {
                (ancestor != ROOT).then(|| parents[ancestor as usize])
            });
            if ancestors.any(|ancestor| ancestor == node) {
                return None;
            }
            parents[node as usize] = parent;
        }
        Some(())
    }

    #[test]
    fn edits_create_no_cycles_and_restore_all_parents() {
        for &shape in Shape::ALL {
            for &order in Order::ALL {
                let case = Case { shape, n: 2_000, order, seed: 7 };
                let scene = Scene::new(&case);
                let edit_lists = EditLists::new(&case, &scene);
                let mut parents = scene.parents.clone();
                for step in 0..16 {
                    replay(&mut parents, edit_lists.edits(Workload::Reparent, step)).unwrap();
                }
                assert_eq!(parents, scene.parents, "{case:?}");
                for step in 0..16 {
                    replay(&mut parents, edit_lists.edits(Workload::Churn, step)).unwrap();
                    replay(&mut parents, edit_lists.edits(Workload::Reparent, step)).unwrap();
                }
            }
        }
    }
}
