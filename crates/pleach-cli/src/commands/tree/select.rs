//! Selects the nodes to show and finds the last child of each parent.
//!
//! Nothing recurses, and each pass visits all nodes once, so a chain of a million nodes is not
//! special.

use pleach::{Graph, NodeId};
use pleach_gltf::Document;

use super::Args;
use super::kinds::Kinds;
use crate::input::resolve::{roots_parent, scene};

/// A selected node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) node: NodeId,
    /// The depth, 0 for root nodes.
    pub(super) depth: usize,
    /// `true` for the last selected child of a parent.
    pub(super) is_last: bool,
    /// `true` if it matches the filters itself, not only a descendant.
    pub(super) matches: bool,
    /// The number of descendants omitted by `--depth`.
    pub(super) omitted: usize,
    /// `true` if it is outside the scene and only used as a joint.
    pub(super) outside_scene: bool,
}

/// The selected nodes.
#[derive(Debug)]
pub(super) struct Selection {
    pub(super) entries: Vec<Entry>,
    /// The total number of nodes.
    pub(super) nodes: usize,
    /// The number of matching nodes, including omitted ones.
    pub(super) matching: usize,
}

impl Selection {
    pub(super) fn of(
        document: &Document,
        number: usize,
        args: &Args,
        kinds: &Kinds,
    ) -> anyhow::Result<Self> {
        let scene = scene(document, number)?;
        let graph = &scene.graph;
        let mut entries = below(graph, roots_parent(document, number, scene), false);
        for root in graph.roots().filter(|&root| root != scene.root()) {
            entries.extend(below(graph, root, true));
        }
        let nodes = entries.len();
        let filter = args.filter.as_ref().map(|text| text.to_lowercase());
        for entry in &mut entries {
            let name = graph.get(entry.node).and_then(|node| node.name()).unwrap_or_default();
            entry.matches = filter.as_ref().is_none_or(|text| name.to_lowercase().contains(text))
                && (args.kind.is_empty()
                    || kinds.get(scene, entry.node).iter().any(|kind| args.kind.contains(kind)));
        }
        let matching = entries.iter().filter(|entry| entry.matches).count();
        keep_matching_paths(graph, &mut entries);
        limit_depth(graph, &mut entries, args.depth.unwrap_or(usize::MAX));
        mark_last(graph, &mut entries);
        Ok(Self { entries, nodes, matching })
    }
}

/// Returns the descendants of a node, depth first.
fn below(graph: &Graph, top: NodeId, outside_scene: bool) -> Vec<Entry> {
    let Some(top) = graph.get(top) else { return Vec::new() };
    let entry = |node: NodeId| {
        let depth = graph.get(node)?.depth() - top.depth() - 1;
        Some(Entry { node, depth, is_last: false, matches: true, omitted: 0, outside_scene })
    };
    top.descendants().skip(1).filter_map(entry).collect()
}

/// Keeps the matching nodes and their ancestors.
fn keep_matching_paths(graph: &Graph, entries: &mut Vec<Entry>) {
    let mut is_on_path = vec![false; graph.parents().len()];
    // In reverse order, descendants come before their ancestors.
    for entry in entries.iter().rev() {
        if entry.matches || is_on_path[entry.node.index()] {
            is_on_path[entry.node.index()] = true;
            if let Some(parent) = graph.get(entry.node).and_then(|node| node.parent()) {
                is_on_path[parent.index()] = true;
            }
        }
    }
    entries.retain(|entry| is_on_path[entry.node.index()]);
}

/// Keeps `levels` levels and counts the omitted descendants.
fn limit_depth(graph: &Graph, entries: &mut Vec<Entry>, levels: usize) {
    let mut below = vec![0; graph.parents().len()];
    for entry in entries.iter_mut().rev().filter(|entry| entry.depth + 1 >= levels) {
        entry.omitted = below[entry.node.index()];
        if let Some(parent) = graph.get(entry.node).and_then(|node| node.parent()) {
            below[parent.index()] += entry.omitted + 1;
        }
    }
    entries.retain(|entry| entry.depth < levels);
}

fn mark_last(graph: &Graph, entries: &mut [Entry]) {
    let mut has_later = vec![false; graph.parents().len()];
    for entry in entries.iter_mut().rev() {
        let parent = graph.get(entry.node).and_then(|node| node.parent());
        let Some(has_later) = parent.and_then(|it| has_later.get_mut(it.index())) else { continue };
        entry.is_last = !std::mem::replace(has_later, true);
    }
}
