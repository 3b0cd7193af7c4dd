//! The edit lists of a scene: which leaves move, which nodes change parents, which leaves are
//! replaced. All are drawn before anything is timed, and every contender is given the same.

use crate::contender::Edits;
use crate::rng::Rng;
use crate::scene::{Case, ROOT, Scene};
use crate::workload::Workload;

/// How many lists of each kind there are, so that one frame's nodes are not the last one's.
const LISTS: u64 = 4;
/// The largest subtree that changes parents.
const SMALL: u32 = 8;

pub struct Script {
    nodes: usize,
    leaves: Vec<Vec<u32>>,
    /// In twos: the second puts back what the first took away.
    attachments: Vec<Vec<(u32, u32)>>,
    replacements: Vec<Vec<(u32, u32)>>,
}

impl Script {
    pub fn new(case: &Case, scene: &Scene) -> Self {
        let family = Family::of(scene);
        let one_percent = (scene.len() / 100).max(1);
        let seeds = (1..=LISTS).map(|list| case.seed ^ (list << 32));

        let mut leaves = Vec::new();
        let mut replaced_sets = Vec::new();
        for seed in seeds.clone() {
            let mut all = family.leaves.clone();
            Rng::new(seed).shuffle(&mut all);
            leaves.push(all[..(all.len() / 100).max(1)].to_vec());
            replaced_sets.push(all[all.len() - one_percent.min(all.len())..].to_vec());
        }
        let attachments =
            seeds.flat_map(|seed| family.attachments(one_percent, seed, &replaced_sets)).collect();
        let replacements = [1, 2]
            .iter()
            .flat_map(|turn| replaced_sets.iter().map(|set| family.replacements(set, *turn)))
            .collect();
        Self { nodes: scene.len(), leaves, attachments, replacements }
    }

    pub fn edits(&self, workload: Workload, step: u32) -> Edits<'_> {
        match workload {
            Workload::Build | Workload::Nothing => Edits::Nothing,
            Workload::AllMoved => Edits::MoveAll { step },
            Workload::RootMoved => Edits::MoveRoot { step },
            Workload::Leaves => Edits::MoveLeaves { leaves: nth(&self.leaves, step), step },
            Workload::Reparent => Edits::Attach(nth(&self.attachments, step)),
            Workload::Churn => Edits::Replace { leaves: nth(&self.replacements, step), step },
        }
    }

    /// How many nodes a frame edits.
    pub fn touched(&self, workload: Workload) -> usize {
        match workload {
            Workload::Nothing => 0,
            Workload::RootMoved => 1,
            Workload::Build | Workload::AllMoved => self.nodes,
            Workload::Leaves => self.leaves[0].len(),
            Workload::Reparent => self.attachments[0].len(),
            Workload::Churn => self.replacements[0].len(),
        }
    }
}

fn nth<T>(lists: &[Vec<T>], step: u32) -> &[T] {
    &lists[step as usize % lists.len()]
}

/// What the lists are drawn from.
struct Family<'a> {
    parents: &'a [u32],
    sizes: Vec<u32>,
    leaves: Vec<u32>,
}

impl<'a> Family<'a> {
    fn of(scene: &'a Scene) -> Self {
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

    /// Two lists of nodes and parents: the first takes small subtrees elsewhere, the second
    /// takes them back. No chosen node is above another, so no order of attaching makes a
    /// cycle.
    fn attachments(&self, count: usize, seed: u64, replaced: &[Vec<u32>]) -> [Vec<(u32, u32)>; 2] {
        let chosen = self.unrelated_subtrees(count, seed);
        let mut hosts = self.fixed_leaves(&chosen, replaced);
        let away = (0..chosen.len()).map(|place| {
            let node = chosen[place];
            let other = self.parent(chosen[(place + chosen.len() / 2) % chosen.len()]);
            if other != self.parent(node) {
                (node, other)
            } else {
                (node, hosts.next().expect("too few leaves to attach to"))
            }
        });
        let away = away.collect();
        let back = chosen.iter().map(|&node| (node, self.parent(node)));
        [away, back.collect()]
    }

    /// Up to `count` small subtrees, none of them inside another.
    fn unrelated_subtrees(&self, count: usize, seed: u64) -> Vec<u32> {
        let mut candidates: Vec<u32> =
            (1..self.parents.len() as u32).filter(|&node| self.is_small(node)).collect();
        Rng::new(seed).shuffle(&mut candidates);
        let mut is_above_chosen = vec![false; self.parents.len()];
        let mut is_chosen = vec![false; self.parents.len()];
        let mut chosen = Vec::with_capacity(count);
        for node in candidates {
            if chosen.len() == count {
                break;
            }
            let related = is_above_chosen[node as usize]
                || self.small_line(node).any(|above| is_chosen[above as usize]);
            if !related {
                chosen.push(node);
                is_chosen[node as usize] = true;
                for above in self.small_line(node) {
                    is_above_chosen[above as usize] = true;
                }
            }
        }
        chosen
    }

    /// The node and those above it, as far up as their subtrees are small.
    fn small_line(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        std::iter::successors(Some(node), |&below| Some(self.parent(below)))
            .take_while(|&node| node != ROOT && self.is_small(node))
    }

    /// Leaves that stay where they are whatever the lists do: in none of them, and in no
    /// chosen subtree.
    fn fixed_leaves(&self, chosen: &[u32], replaced: &[Vec<u32>]) -> impl Iterator<Item = u32> {
        let mut moves = vec![false; self.parents.len()];
        for &node in chosen.iter().chain(replaced.iter().flatten()) {
            moves[node as usize] = true;
        }
        self.leaves
            .iter()
            .copied()
            .filter(move |&leaf| !self.small_line(leaf).any(|above| moves[above as usize]))
    }

    /// Each leaf comes back under the old parent of the leaf `turn` places further on.
    fn replacements(&self, set: &[u32], turn: usize) -> Vec<(u32, u32)> {
        (0..set.len())
            .map(|place| (set[place], self.parent(set[(place + turn) % set.len()])))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Order, Shape};

    /// Replays frames on bare parents; `None` once a node would be under itself.
    fn replay(parents: &mut [u32], edits: Edits<'_>) -> Option<()> {
        let (Edits::Attach(pairs) | Edits::Replace { leaves: pairs, .. }) = edits else {
            return Some(());
        };
        for &(node, parent) in pairs {
            let mut line = std::iter::successors(Some(parent), |&above| {
                (above != ROOT).then(|| parents[above as usize])
            });
            if line.any(|above| above == node) {
                return None;
            }
            parents[node as usize] = parent;
        }
        Some(())
    }

    #[test]
    fn no_cycle_is_made_and_parents_come_back() {
        for &shape in Shape::ALL {
            for &order in Order::ALL {
                let case = Case { shape, n: 2_000, order, seed: 7 };
                let scene = Scene::new(&case);
                let script = Script::new(&case, &scene);
                let mut parents = scene.parents.clone();
                for step in 0..16 {
                    replay(&mut parents, script.edits(Workload::Reparent, step)).unwrap();
                }
                assert_eq!(parents, scene.parents, "{case:?}");
                for step in 0..16 {
                    replay(&mut parents, script.edits(Workload::Churn, step)).unwrap();
                    replay(&mut parents, script.edits(Workload::Reparent, step)).unwrap();
                }
            }
        }
    }
}
