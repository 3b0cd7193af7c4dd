//! Levels of detail: which nodes a view shows, as a render list chooses them.

use std::collections::HashMap;

use pleach::{Lod, NodeId, Scene, View};

/// Which levels of detail a view shows.
pub(crate) struct LodSelection {
    /// By level: is it the one that is shown? Nodes that are no level are not in here.
    levels: HashMap<NodeId, bool>,
}

impl LodSelection {
    pub(crate) fn new(scene: &Scene, view: &View) -> Self {
        let mut levels = HashMap::new();
        for (_, lod) in scene.lods.iter(&scene.graph) {
            let selected = selected(scene, view, lod);
            for (index, level) in lod.levels.iter().enumerate() {
                levels.insert(level.node, selected.is_none_or(|selected| selected == Some(index)));
            }
        }
        Self { levels }
    }

    /// Is a node to be drawn, as far as levels of detail are concerned?
    pub(crate) fn includes(&self, node: NodeId) -> bool {
        self.levels.get(&node).copied().unwrap_or(true)
    }
}

/// The level that is shown; `None` if all are, having no bounds to go by.
fn selected(scene: &Scene, view: &View, lod: &Lod) -> Option<Option<usize>> {
    // The size is that of the finest level that is left.
    let bounds = lod.levels.iter().find_map(|level| scene.spatial.world_bounds(level.node))?;
    let size = view.screen_size(bounds.center(), bounds.half_extents().length());
    let is_alive = |index: &usize| scene.graph.contains(lod.levels[*index].node);
    // A level that died leaves its place to the next.
    Some(lod.level_for(size).and_then(|selected| (selected..lod.levels.len()).find(is_alive)))
}
