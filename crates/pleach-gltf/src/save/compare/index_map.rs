//! `Numbers`: which nodes are written, under which index, and what the scenes list.
//!
//! Nodes of the file keep their place and order; those that were removed leave, and all after
//! them move up; new ones come last. A root that several scenes list is written once as long
//! as it is the same in all of them, new nodes below it included, and else once for each scene
//! in which it differs.

use std::collections::HashMap;
use std::ops::RangeFrom;

use glam::Mat4;
use pleach::{NodeId, Scene};

use super::super::Writing;
use super::shared_roots::is_same_tree;
use crate::load::Y_UP_TO_Z_UP;

/// No index.
pub(crate) const NONE: u32 = u32::MAX;

/// A node to write.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// Which of the document's scenes it is of.
    pub(crate) tree: usize,
    /// What it is.
    pub(crate) what: What,
    /// The file's node whose text it is made of.
    pub(crate) source: Option<u32>,
    /// Does it take the place of that node? Else it is a copy of it.
    pub(crate) in_place: bool,
    /// Is it at the top of its scene?
    is_top: bool,
    /// Its index in the file that is written.
    pub(crate) index: usize,
}

/// What is written as a node.
#[derive(Clone, Debug)]
pub(crate) enum What {
    /// A node of the scene.
    Node(NodeId),
    /// One that turns +Z up into +Y up, above these.
    Turn(Vec<NodeId>),
}

/// All numbers of a file on its way out.
#[derive(Debug, Default)]
pub(crate) struct Numbers {
    /// By tree and slot.
    indices: Vec<Vec<u32>>,
    pub(crate) entries: Vec<Entry>,
    /// By the file's node: its new index, or `NONE`.
    moved: Vec<u32>,
    /// The roots of each of the file's scenes.
    pub(crate) roots: Vec<Vec<usize>>,
}

impl Numbers {
    /// Numbers all nodes of a document.
    pub(crate) fn of(writing: &Writing<'_>) -> Self {
        let have = writing.root.nodes.len();
        let mut gather = Gather {
            writing,
            numbers: Self { moved: vec![NONE; have], ..Self::default() },
            claims: vec![None; have],
            tops: Vec::new(),
            same: Vec::new(),
            seen: Vec::new(),
        };
        for tree in 0..writing.trees.len() {
            gather.tree(tree);
        }
        gather.finish()
    }

    /// The index of a scene's node in the file that is written.
    pub(crate) fn index(&self, tree: usize, node: NodeId) -> Option<usize> {
        let index = *self.indices.get(tree)?.get(node.index())?;
        (index != NONE).then_some(index as usize)
    }

    /// Copies that are made of the file's nodes: which, and their indices.
    pub(crate) fn copies(&self) -> HashMap<usize, Vec<usize>> {
        let mut copies: HashMap<usize, Vec<usize>> = HashMap::new();
        for entry in self.entries.iter().filter(|entry| !entry.in_place) {
            if let Some(file) = entry.source {
                copies.entry(file as usize).or_default().push(entry.index);
            }
        }
        copies
    }

    /// The index of each scene's nodes, by slot, or `NONE`.
    pub(crate) fn into_indices(self) -> Vec<Vec<u32>> {
        self.indices
    }

    /// The new index of one of the file's nodes; none if it was removed.
    pub(crate) fn moved(&self, file: usize) -> Option<usize> {
        let index = *self.moved.get(file)?;
        (index != NONE).then_some(index as usize)
    }
}

/// The numbering in progress.
struct Gather<'a> {
    writing: &'a Writing<'a>,
    numbers: Numbers,
    /// Which entry writes each of the file's nodes.
    claims: Vec<Option<usize>>,
    /// For each scene, the entries at its top.
    tops: Vec<Vec<usize>>,
    /// Nodes that are written by another scene's entry: tree, node, entry.
    same: Vec<(usize, NodeId, usize)>,
    /// By slot: is the node of the scene that is being numbered done?
    seen: Vec<bool>,
}

impl Gather<'_> {
    fn tree(&mut self, tree: usize) {
        let scene = self.writing.trees[tree];
        let root = scene.root();
        self.seen = vec![false; scene.graph.parents().len()];
        let mut tops = Vec::new();
        if is_plain(scene, root, Mat4::IDENTITY) {
            // Also one that came with a scene which was taken out of its document.
            let is_turn = |node: NodeId| {
                let is_named = scene.graph.get(node).is_some_and(|node| node.name().is_some());
                !self.writing.y_up && !is_named && is_plain(scene, node, Y_UP_TO_Z_UP)
            };
            let turns: Vec<NodeId> =
                children(scene, root).into_iter().filter(|&it| is_turn(it)).collect();
            let mut others = Vec::new();
            for child in children(scene, root) {
                if turns.contains(&child) {
                    for node in children(scene, child) {
                        tops.push(self.subtree(tree, node, true));
                    }
                } else if self.writing.y_up {
                    tops.push(self.subtree(tree, child, true));
                } else {
                    others.push(child);
                }
            }
            if !others.is_empty() {
                tops.push(self.push(tree, What::Turn(others.clone()), None));
                for node in others {
                    self.subtree(tree, node, false);
                }
            }
        } else if self.writing.y_up {
            tops.push(self.subtree(tree, root, true));
        } else {
            tops.push(self.push(tree, What::Turn(vec![root]), None));
            self.subtree(tree, root, false);
        }
        self.tops.push(tops);
        // What was detached is in no scene, but is not lost.
        let mut apart: Vec<(NodeId, u32)> = self.writing.rows(tree).collect();
        apart.retain(|&(node, _)| scene.graph.contains(node) && !self.seen[node.index()]);
        apart.sort_unstable_by_key(|(node, _)| node.index());
        for (node, _) in apart {
            if !self.seen[node.index()] {
                let above = scene.graph.get(node).and_then(|node| node.ancestors().last());
                self.subtree(tree, above.unwrap_or(node), false);
            }
        }
    }

    /// Numbers a node and all below; its entry, or that which is the same.
    fn subtree(&mut self, tree: usize, top: NodeId, is_top: bool) -> usize {
        let scene = self.writing.trees[tree];
        let claimed = self.writing.file(tree, top).and_then(|file| self.claims[file as usize]);
        if let Some(entry) = claimed {
            let other = &self.numbers.entries[entry];
            if let What::Node(node) = other.what
                && is_top
                && other.is_top
                && is_same_tree(self.writing, (tree, top), (other.tree, node))
            {
                self.share(tree, top, entry..);
                return entry;
            }
        }
        let is_copy = claimed.is_some();
        let first = self.numbers.entries.len();
        for node in scene.graph.get(top).into_iter().flat_map(|top| top.descendants()) {
            let file = self.writing.file(tree, node);
            let entry = self.push(tree, What::Node(node), file);
            self.seen[node.index()] = true;
            self.numbers.entries[entry].is_top = is_top && node == top;
            let free = file.filter(|&file| !is_copy && self.claims[file as usize].is_none());
            if let Some(file) = free {
                self.claims[file as usize] = Some(entry);
                self.numbers.entries[entry].in_place = true;
            }
        }
        first
    }

    /// Notes that the nodes of a tree are written by these entries of another, which are in the
    /// same order.
    fn share(&mut self, tree: usize, top: NodeId, entries: RangeFrom<usize>) {
        let top = self.writing.trees[tree].graph.get(top);
        for (node, entry) in top.into_iter().flat_map(|top| top.descendants()).zip(entries) {
            self.same.push((tree, node, entry));
            self.seen[node.index()] = true;
        }
    }

    fn push(&mut self, tree: usize, what: What, source: Option<u32>) -> usize {
        self.numbers.entries.push(Entry {
            tree,
            what,
            source,
            in_place: false,
            is_top: false,
            index: 0,
        });
        self.numbers.entries.len() - 1
    }

    /// Gives indices: first the file's nodes that are left, then the new ones.
    fn finish(mut self) -> Numbers {
        let numbers = &mut self.numbers;
        let mut next = 0u32;
        for (moved, claim) in numbers.moved.iter_mut().zip(&self.claims) {
            if claim.is_some() {
                *moved = next;
                next += 1;
            }
        }
        for entry in &mut numbers.entries {
            entry.index = match entry.source.filter(|_| entry.in_place) {
                Some(file) => numbers.moved[file as usize] as usize,
                None => {
                    next += 1;
                    next as usize - 1
                }
            };
        }
        let slots = |scene: &&Scene| vec![NONE; scene.graph.parents().len()];
        numbers.indices = self.writing.trees.iter().map(slots).collect();
        for entry in &numbers.entries {
            if let What::Node(node) = entry.what {
                numbers.indices[entry.tree][node.index()] = entry.index as u32;
            }
        }
        for (tree, node, entry) in self.same {
            numbers.indices[tree][node.index()] = numbers.entries[entry].index as u32;
        }
        let listed = self.tops.into_iter().take(self.writing.listed);
        numbers.roots = listed
            .map(|tops| tops.iter().map(|&entry| numbers.entries[entry].index).collect())
            .collect();
        self.numbers
    }
}

/// Is a node nothing but this matrix?
fn is_plain(scene: &Scene, node: NodeId, matrix: Mat4) -> bool {
    let graph = &scene.graph;
    graph.get(node).is_some_and(|it| it.local_matrix() == matrix && it.is_visible())
        && scene.meshes.get(graph, node).is_none()
        && scene.cameras.get(graph, node).is_none()
        && scene.lights.get(graph, node).is_none()
}

pub(crate) fn children(scene: &Scene, node: NodeId) -> Vec<NodeId> {
    scene.graph.get(node).map(|node| node.children().collect()).unwrap_or_default()
}
