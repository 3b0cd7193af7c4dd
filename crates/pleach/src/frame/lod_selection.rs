//! Level-of-detail selection: the level that a view draws.
//!
//! The level depends on the view, so it is selected when a render list is built, and two
//! cameras may draw different levels in the same frame. Shadows and picking use the finest.

use pleach_graph::{Graph, NodeId, NodeMap};
use pleach_spatial::SpatialIndex;

use crate::{Lod, Table, View};

/// By node that is a level of detail: the node with the [`Lod`], and the index of the level.
#[derive(Clone, Debug, Default)]
pub(crate) struct LodMembers {
    levels: NodeMap<(NodeId, u32)>,
}

impl LodMembers {
    /// Finds the levels again if rows changed or nodes were removed.
    pub(super) fn update(&mut self, graph: &Graph, lods: &mut Table<Lod>, any_removed: bool) {
        if !lods.has_changed() && (!any_removed || lods.is_empty()) {
            return;
        }
        lods.clear_changed();
        self.levels = NodeMap::new();
        for (owner, lod) in lods.iter(graph) {
            for (index, level) in lod.levels.iter().enumerate() {
                // Fails for a level whose node was removed: it is skipped.
                _ = self.levels.insert(graph, level.node, (owner, index as u32));
            }
        }
    }

    /// Returns `true` if `node` is the level that `view` draws, or is not a level of detail.
    pub(super) fn is_selected(
        &self,
        graph: &Graph,
        lods: &Table<Lod>,
        spatial: &SpatialIndex,
        view: &View,
        node: NodeId,
    ) -> bool {
        let Some(&(owner, index)) = self.levels.get(graph, node) else { return true };
        let Some(lod) = lods.get(graph, owner) else { return true };
        // The bounds of the finest level that is left.
        let bounds = lod.levels.iter().find_map(|level| spatial.world_bounds(level.node));
        let Some(bounds) = bounds else { return true };
        let radius = bounds.half_extents().length();
        let selected = lod.level_for(view.screen_size(bounds.center(), radius));
        // The next level replaces one whose node was removed.
        let exists = |index: &usize| graph.contains(lod.levels[*index].node);
        let selected = selected.and_then(|selected| (selected..lod.levels.len()).find(exists));
        selected == Some(index as usize)
    }

    /// Returns `true` if `node` is the finest level that is left, or is not a level of detail.
    pub(super) fn is_finest(&self, graph: &Graph, lods: &Table<Lod>, node: NodeId) -> bool {
        let lod = self.levels.get(graph, node).and_then(|(owner, _)| lods.get(graph, *owner));
        lod.is_none_or(|lod| {
            let finest = lod.levels.iter().find(|level| graph.contains(level.node));
            finest.is_some_and(|level| level.node == node)
        })
    }
}
