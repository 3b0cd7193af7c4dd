//! The evaluation order of constraints: each after all that can move a node it reads.
//!
//! A constraint depends on those that rotate an ancestor of its node or of its target (and on the
//! one of the target itself, if it reads its rotation). The order is that of Tarjan's strongly
//! connected components, which come out dependencies first; a component of several constraints, or
//! one that depends on itself, is a cycle.
//!
//! Invariant: `nodes` has every constraint that is not part of a cycle, once, after all its
//! dependencies except those in cycles; `cycles` has the others.

use pleach_graph::{Graph, NodeId};

use crate::Constraint;

#[derive(Clone, Debug, Default)]
pub(crate) struct EvaluationOrder {
    nodes: Vec<NodeId>,
    cycles: Vec<NodeId>,
}

impl EvaluationOrder {
    /// Returns the constraints that can be applied, in order.
    pub(crate) fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// Returns the constraints that are part of a cycle, in slot order.
    pub(crate) fn cycles(&self) -> &[NodeId] {
        &self.cycles
    }

    /// Finds the order of all constraints. O(constraints × depth).
    pub(crate) fn find(&mut self, graph: &Graph, iter: impl Iterator<Item = (NodeId, Constraint)>) {
        let mut constraints: Vec<(NodeId, Constraint)> = iter.collect();
        constraints.sort_unstable_by_key(|(node, _)| node.index());
        let index =
            |node: NodeId| constraints.binary_search_by_key(&node.index(), |it| it.0.index());
        // By constraint: the indices of its dependencies.
        let indices = |&(node, constraint)| {
            dependencies(graph, node, constraint).filter_map(|node| index(node).ok()).collect()
        };
        let edges: Vec<Vec<usize>> = constraints.iter().map(indices).collect();
        self.nodes.clear();
        self.cycles.clear();
        for component in strongly_connected_components(&edges) {
            let is_acyclic = component.len() == 1 && !edges[component[0]].contains(&component[0]);
            let list = if is_acyclic { &mut self.nodes } else { &mut self.cycles };
            list.extend(component.into_iter().map(|index| constraints[index].0));
        }
        self.cycles.sort_unstable_by_key(|node| node.index());
    }
}

/// Returns `true` if the constraint of `node` depends on itself. O(constraints it depends on).
pub(crate) fn depends_on_itself(
    graph: &Graph,
    node: NodeId,
    constraint_of: impl Fn(NodeId) -> Option<Constraint>,
) -> bool {
    let mut reached = vec![node];
    let mut next = 0;
    while let Some(&at) = reached.get(next) {
        next += 1;
        let Some(constraint) = constraint_of(at) else { continue };
        let dependencies = dependencies(graph, at, constraint);
        for other in dependencies.filter(|&other| constraint_of(other).is_some()) {
            if other == node {
                return true;
            }
            if !reached.contains(&other) {
                reached.push(other);
            }
        }
    }
    false
}

/// Returns the nodes whose rotation moves a node that a constraint reads.
fn dependencies(
    graph: &Graph,
    node: NodeId,
    constraint: Constraint,
) -> impl Iterator<Item = NodeId> + '_ {
    let ancestors = |node| graph.get(node).into_iter().flat_map(|node| node.ancestors());
    let target = constraint.target();
    let itself = constraint.reads_rotation().then_some(target);
    ancestors(node).chain(ancestors(target)).chain(itself)
}

/// Returns the strongly connected components of a graph, dependencies first: Tarjan's algorithm
/// without recursion.
fn strongly_connected_components(edges: &[Vec<usize>]) -> Vec<Vec<usize>> {
    const UNVISITED: usize = usize::MAX;
    let mut components = Vec::new();
    let (mut number, mut low) = (vec![UNVISITED; edges.len()], vec![UNVISITED; edges.len()]);
    let (mut component_stack, mut is_on_stack) = (Vec::new(), vec![false; edges.len()]);
    let mut count = 0;
    for start in 0..edges.len() {
        // A vertex, and the number of its edges that were visited.
        let mut stack = if number[start] == UNVISITED { vec![(start, 0)] } else { Vec::new() };
        while let Some((at, next_edge)) = stack.last_mut() {
            let at = *at;
            if *next_edge == 0 && number[at] == UNVISITED {
                (number[at], low[at]) = (count, count);
                count += 1;
                component_stack.push(at);
                is_on_stack[at] = true;
            }
            if let Some(&next) = edges[at].get(*next_edge) {
                *next_edge += 1;
                if number[next] == UNVISITED {
                    stack.push((next, 0));
                } else if is_on_stack[next] {
                    low[at] = low[at].min(number[next]);
                }
                continue;
            }
            stack.pop();
            if let Some(&(previous, _)) = stack.last() {
                low[previous] = low[previous].min(low[at]);
            }
            if low[at] == number[at] {
                let first = component_stack.iter().rposition(|&it| it == at).unwrap_or(0);
                let component = component_stack.split_off(first);
                component.iter().for_each(|&it| is_on_stack[it] = false);
                components.push(component);
            }
        }
    }
    components
}

#[cfg(test)]
mod tests {
    use super::strongly_connected_components;

    #[test]
    fn dependencies_come_first_and_cycles_are_one_component() {
        // 0 depends on 1, 1 on 2, 2 on 1 and 3; 4 on itself; 5 on 0 and 4.
        let edges = [vec![1], vec![2], vec![1, 3], vec![], vec![4], vec![0, 4]];
        let mut found = strongly_connected_components(&edges);
        found.iter_mut().for_each(|component| component.sort_unstable());
        assert_eq!(found, [vec![3], vec![1, 2], vec![0], vec![4], vec![5]]);
    }

    #[test]
    fn a_long_chain_does_not_recurse() {
        let edges: Vec<Vec<usize>> = (0..100_000).map(|i| vec![(i + 1) % 100_000]).collect();
        assert_eq!(strongly_connected_components(&edges).len(), 1);
        let edges: Vec<Vec<usize>> =
            (1..=100_000).map(|i| Vec::from_iter((i < 100_000).then_some(i))).collect();
        assert!(strongly_connected_components(&edges).concat().into_iter().eq((0..100_000).rev()));
    }
}
