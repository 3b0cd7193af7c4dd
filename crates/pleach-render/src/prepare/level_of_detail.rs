//! Level-of-detail selection: which levels a view shows, by the same rule as a render list.

use std::collections::HashMap;

use pleach::{Lod, NodeId, Scene, View};

/// The selected levels of detail.
pub(crate) struct LodSelection {
    /// By node of a level: whether the level is shown. Nodes that are not a level are absent.
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

    /// Returns `true` unless the node is a level that is not selected.
    pub(crate) fn includes(&self, node: NodeId) -> bool {
        self.levels.get(&node).copied().unwrap_or(true)
    }
}

/// Returns the selected level, or `None` if all are shown because no bounds are known.
fn selected(scene: &Scene, view: &View, lod: &Lod) -> Option<Option<usize>> {
    // The size is that of the finest level that is alive.
    let bounds = lod.levels.iter().find_map(|level| scene.spatial.world_bounds(level.node))?;
    let size = view.screen_size(bounds.center(), bounds.half_extents().length());
    let is_alive = |index: &usize| scene.graph.contains(lod.levels[*index].node);
    // A removed level is replaced by the next coarser one.
    Some(lod.level_for(size).and_then(|selected| (selected..lod.levels.len()).find(is_alive)))
}
