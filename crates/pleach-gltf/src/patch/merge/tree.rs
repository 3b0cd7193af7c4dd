//! Checks that the merged nodes form trees: each node has one parent at most, roots of scenes have
//! none, and there are no cycles.

use super::super::edit::Owner;
use super::super::labels::Labels;
use super::super::matching::nodes_of;
use super::super::model::Model;
use super::super::value::Ref;
use super::{ConflictKind, Merge};
use crate::references::GltfArray;

impl Merge<'_> {
    /// Reports nodes whose parents in `merged` contradict each other.
    pub(super) fn tree(&mut self, merged: &Model) {
        let nodes = &merged.lists[GltfArray::Nodes];
        let mut parents: Vec<u32> = vec![0; nodes.entries.len()];
        let mut is_root: Vec<bool> = vec![false; nodes.entries.len()];
        for &id in &nodes.order {
            for child in nodes_of(nodes.get(id), "children") {
                if let Some(count) = parents.get_mut(child as usize) {
                    *count += 1;
                }
            }
        }
        let scenes = &merged.lists[GltfArray::Scenes];
        for &id in &scenes.order {
            for root in nodes_of(scenes.get(id), "nodes") {
                if let Some(is_root) = is_root.get_mut(root as usize) {
                    *is_root = true;
                }
            }
        }
        // Files may list nodes with parents as roots of scenes; that alone is not a conflict.
        let sides = self.sides;
        let listed = [&sides.ours, &sides.theirs].map(listed_children);
        for &id in &nodes.order {
            let count = parents[id as usize];
            let was_listed = listed.iter().any(|it| it.get(id as usize) == Some(&true));
            if count > 1 || (count == 1 && is_root[id as usize] && !was_listed) {
                self.parent_conflict(id);
            }
        }
        // Nodes that no root leads to are in a cycle.
        let mut visited = vec![false; nodes.entries.len()];
        let is_top = |id: &u32| parents[*id as usize] == 0;
        let mut open: Vec<u32> = nodes.order.iter().copied().filter(is_top).collect();
        while let Some(id) = open.pop() {
            if let Some(visited) = visited.get_mut(id as usize)
                && !std::mem::replace(visited, true)
            {
                open.extend(nodes_of(nodes.get(id), "children"));
            }
        }
        for &id in &nodes.order {
            let is_moved = |side: &Labels<'_>| self.labels[0].parent(id) != side.parent(id);
            let is_moved = is_moved(&self.labels[1]) || is_moved(&self.labels[2]);
            if !visited[id as usize] && parents[id as usize] == 1 && is_moved {
                self.parent_conflict(id);
            }
        }
    }

    fn parent_conflict(&mut self, id: u32) {
        let node = |id: u32| Ref { array: GltfArray::Nodes, id };
        let parents = [0, 1, 2].map(|side| match self.labels[side].parent(id) {
            Some(parent) => Some(self.describe(node(parent))),
            None => Some("no parent".into()),
        });
        let mut conflict =
            self.conflict(ConflictKind::Parent, Owner::Entry(node(id)), "parent".into());
        [conflict.base, conflict.ours, conflict.theirs] = parents;
        self.conflicts.push(conflict);
    }
}

/// Returns which nodes are both children and roots of scenes.
fn listed_children(model: &Model) -> Vec<bool> {
    let mut is_child = vec![false; model.lists[GltfArray::Nodes].entries.len()];
    let mut is_root = is_child.clone();
    for (array, key, flags) in
        [(GltfArray::Nodes, "children", &mut is_child), (GltfArray::Scenes, "nodes", &mut is_root)]
    {
        for entry in model.lists[array].entries.iter().flatten() {
            for node in nodes_of(Some(entry), key) {
                if let Some(flag) = flags.get_mut(node as usize) {
                    *flag = true;
                }
            }
        }
    }
    is_child.into_iter().zip(is_root).map(|(child, root)| child && root).collect()
}
