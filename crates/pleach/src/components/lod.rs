//! Levels of detail: of several nodes, a view shows the one that fits its size on screen.
//!
//! A row on any node lists the levels, from fine to coarse, each a node of its own with
//! a mesh. Which one is drawn is each view's to say, so it is chosen when a render list is
//! built, and two cameras may draw different ones in the same frame.

use pleach_graph::{Graph, NodeId, NodeMap};
use pleach_spatial::SpatialIndex;

use crate::{Table, View};

/// Levels of detail, from fine to coarse.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lod {
    /// The levels. Each is drawn down to its size, where the next one takes over; below the size
    /// of the last nothing is drawn.
    pub levels: Vec<Level>,
}

/// One level of detail.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    /// The node with its mesh.
    pub node: NodeId,
    /// The least size it is drawn at: the height of a ball around the finest level's bounds, as a
    /// share of the picture's. See [`View::screen_size`].
    pub min_screen_size: f32,
}

impl Lod {
    /// The level for a size on screen.
    #[must_use]
    pub fn level_for(&self, size: f32) -> Option<usize> {
        self.levels.iter().position(|level| size >= level.min_screen_size)
    }
}

/// Which node is which level of what.
#[derive(Clone, Debug, Default)]
pub(crate) struct Members {
    rows: NodeMap<(NodeId, u32)>,
}

impl Members {
    pub(crate) fn find(&mut self, graph: &Graph, lods: &Table<Lod>) {
        self.rows = NodeMap::new();
        for (of, lod) in lods.iter(graph) {
            for (number, level) in lod.levels.iter().enumerate() {
                // A level that died is none.
                _ = self.rows.insert(graph, level.node, (of, number as u32));
            }
        }
    }

    /// Is a node to be drawn in a view, as far as levels of detail are concerned?
    pub(crate) fn shows(
        &self,
        graph: &Graph,
        lods: &Table<Lod>,
        spatial: &SpatialIndex,
        view: &View,
        node: NodeId,
    ) -> bool {
        let Some(&(of, number)) = self.rows.get(graph, node) else { return true };
        let Some(lod) = lods.get(graph, of) else { return true };
        // Of the finest that is left.
        let bounds = lod.levels.iter().find_map(|level| spatial.world_bounds(level.node));
        let Some(bounds) = bounds else { return true };
        let radius = bounds.half_extents().length();
        let chosen = lod.level_for(view.screen_size(bounds.center(), radius));
        // A level that died leaves its place to the next.
        let alive = |number: &usize| graph.contains(lod.levels[*number].node);
        let chosen = chosen.and_then(|chosen| (chosen..lod.levels.len()).find(alive));
        chosen == Some(number as usize)
    }

    /// Is a node the finest level of what it is a level of, or none at all?
    pub(crate) fn is_finest(&self, graph: &Graph, lods: &Table<Lod>, node: NodeId) -> bool {
        let lod = self.rows.get(graph, node).and_then(|(of, _)| lods.get(graph, *of));
        lod.is_none_or(|lod| {
            let finest = lod.levels.iter().find(|level| graph.contains(level.node));
            finest.is_some_and(|level| level.node == node)
        })
    }
}
