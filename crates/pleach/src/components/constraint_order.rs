//! The order of constraints: each after all that can move what it reads.
//!
//! A constraint waits for those that turn an ancestor of its node or of its target (and for
//! the one of the target itself, if it reads how that is turned). Found by Tarjan's method:
//! groups that wait for each other come out one by one, those first that others wait for; a
//! group of several, or one that waits for itself, is a circle.
//!
//! Invariant: `nodes` has every constraint that is in no circle, once, after all it waits
//! for but those in circles; `circles` has the others.

use pleach_graph::{Graph, NodeId};

use crate::Constraint;

#[derive(Clone, Debug, Default)]
pub(crate) struct Order {
    nodes: Vec<NodeId>,
    circles: Vec<NodeId>,
}

impl Order {
    /// Those that can be applied, in order.
    pub(crate) fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// Those that wait for themselves, by slot.
    pub(crate) fn circles(&self) -> &[NodeId] {
        &self.circles
    }

    /// Would a node's constraint have to come before itself? O(what it waits for).
    pub(crate) fn waits_for_itself(
        &self,
        graph: &Graph,
        node: NodeId,
        constraint: impl Fn(NodeId) -> Option<Constraint>,
    ) -> bool {
        let mut open = vec![node];
        let mut next = 0;
        while let Some(&at) = open.get(next) {
            next += 1;
            let Some(tie) = constraint(at) else { continue };
            for above in waits_for(graph, at, tie).filter(|above| constraint(*above).is_some()) {
                if above == node {
                    return true;
                }
                if !open.contains(&above) {
                    open.push(above);
                }
            }
        }
        false
    }

    /// Finds the order of all constraints. O(constraints × depth).
    pub(crate) fn find(
        &mut self,
        graph: &Graph,
        constraints: impl Iterator<Item = (NodeId, Constraint)>,
    ) {
        let mut ties: Vec<(NodeId, Constraint)> = constraints.collect();
        ties.sort_unstable_by_key(|(node, _)| node.index());
        let place = |node: NodeId| ties.binary_search_by_key(&node.index(), |tie| tie.0.index());
        // By constraint: the places of those it waits for.
        let waits: Vec<Vec<usize>> = ties
            .iter()
            .map(|&(node, tie)| {
                waits_for(graph, node, tie).filter_map(|above| place(above).ok()).collect()
            })
            .collect();
        self.nodes.clear();
        self.circles.clear();
        for group in groups(&waits) {
            let alone = group.len() == 1 && !waits[group[0]].contains(&group[0]);
            let list = if alone { &mut self.nodes } else { &mut self.circles };
            list.extend(group.into_iter().map(|place| ties[place].0));
        }
        self.circles.sort_unstable_by_key(|node| node.index());
    }
}

/// The nodes whose turning moves what a constraint reads.
fn waits_for(
    graph: &Graph,
    node: NodeId,
    constraint: Constraint,
) -> impl Iterator<Item = NodeId> + '_ {
    let above = |node| graph.get(node).into_iter().flat_map(|node| node.ancestors());
    let target = constraint.target();
    let itself = constraint.reads_rotation().then_some(target);
    above(node).chain(above(target)).chain(itself)
}

/// Groups of places that wait for each other, those first that others wait for (Tarjan's
/// strongly connected components, without recursion).
fn groups(waits: &[Vec<usize>]) -> Vec<Vec<usize>> {
    const UNSEEN: usize = usize::MAX;
    let mut groups = Vec::new();
    let (mut number, mut low) = (vec![UNSEEN; waits.len()], vec![UNSEEN; waits.len()]);
    let (mut pending, mut is_pending) = (Vec::new(), vec![false; waits.len()]);
    let mut count = 0;
    for start in 0..waits.len() {
        // A place, and how many of those it waits for have been looked at.
        let mut open = if number[start] == UNSEEN { vec![(start, 0)] } else { Vec::new() };
        while let Some((at, looked)) = open.last_mut() {
            let at = *at;
            if *looked == 0 && number[at] == UNSEEN {
                (number[at], low[at]) = (count, count);
                count += 1;
                pending.push(at);
                is_pending[at] = true;
            }
            if let Some(&next) = waits[at].get(*looked) {
                *looked += 1;
                if number[next] == UNSEEN {
                    open.push((next, 0));
                } else if is_pending[next] {
                    low[at] = low[at].min(number[next]);
                }
                continue;
            }
            open.pop();
            if let Some(&(above, _)) = open.last() {
                low[above] = low[above].min(low[at]);
            }
            if low[at] == number[at] {
                let first = pending.iter().rposition(|&it| it == at).unwrap_or(0);
                let group = pending.split_off(first);
                group.iter().for_each(|&it| is_pending[it] = false);
                groups.push(group);
            }
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::groups;

    #[test]
    fn what_is_waited_for_comes_first_and_circles_together() {
        // 0 waits for 1, 1 for 2, 2 for 1 and 3; 4 for itself; 5 for 0 and 4.
        let waits = [vec![1], vec![2], vec![1, 3], vec![], vec![4], vec![0, 4]];
        let mut found = groups(&waits);
        found.iter_mut().for_each(|group| group.sort_unstable());
        assert_eq!(found, [vec![3], vec![1, 2], vec![0], vec![4], vec![5]]);
    }

    #[test]
    fn a_long_chain_needs_no_stack() {
        let waits: Vec<Vec<usize>> = (0..100_000).map(|i| vec![(i + 1) % 100_000]).collect();
        assert_eq!(groups(&waits).len(), 1);
        let waits: Vec<Vec<usize>> =
            (1..=100_000).map(|i| Vec::from_iter((i < 100_000).then_some(i))).collect();
        assert!(groups(&waits).concat().into_iter().eq((0..100_000).rev()));
    }
}
