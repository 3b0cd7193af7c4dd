//! Which nodes are shown, in which order, and where the lines end.
//!
//! Nothing recurses, and each pass is over all nodes once: a chain of a million nodes is a list like
//! any other.

use pleach::{Graph, NodeId};
use pleach_gltf::Document;

use super::Args;
use super::kinds::Kinds;
use crate::input::resolve::{roots_parent, scene};

/// A node that is shown.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) node: NodeId,
    /// 0 for the topmost.
    pub(super) depth: usize,
    /// No node with the same parent is shown after it.
    pub(super) is_last: bool,
    /// It was asked for itself, not only for what is below it.
    pub(super) matches: bool,
    /// Nodes below it that are not shown as they are too deep.
    pub(super) omitted: usize,
    /// It is not in the scene, but poses what is.
    pub(super) outside_scene: bool,
}

/// The nodes that are shown.
#[derive(Debug)]
pub(super) struct Selection {
    pub(super) entries: Vec<Entry>,
    /// Of how many.
    pub(super) nodes: usize,
    /// How many of them were asked for, shown or too deep.
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

/// All nodes below one, depth first.
fn below(graph: &Graph, top: NodeId, outside_scene: bool) -> Vec<Entry> {
    let Some(top) = graph.get(top) else { return Vec::new() };
    let entry = |node: NodeId| {
        let depth = graph.get(node)?.depth() - top.depth() - 1;
        Some(Entry { node, depth, is_last: false, matches: true, omitted: 0, outside_scene })
    };
    top.descendants().skip(1).filter_map(entry).collect()
}

/// Leaves those that match, and what is above them.
fn keep_matching_paths(graph: &Graph, entries: &mut Vec<Entry>) {
    let mut is_on_path = vec![false; graph.parents().len()];
    // From the end: all below a node come before it.
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

/// Leaves so many levels, and counts what is below.
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
