//! Levels of detail: alternative nodes, of which a view draws the one for its size on screen.
//!
//! The component lists the levels from fine to coarse, each a node with a mesh. The level is
//! selected per view (`frame/lod_selection.rs`).

use std::hash::{Hash, Hasher};

use pleach_graph::NodeId;

use crate::content::Content;
use crate::{Component, MapNode, Scene, SceneProblemKind, UnmappedNode};

/// Levels of detail, from fine to coarse.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lod {
    /// The levels. Each is drawn down to its minimum size, below which the next one takes over;
    /// below that of the last level nothing is drawn.
    pub levels: Vec<Level>,
}

/// One level of detail of a [`Lod`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    /// The node with the mesh.
    pub node: NodeId,
    /// The minimum size on screen at which it is drawn: the diameter of the projected bounding
    /// sphere of the finest level, as a fraction of the height of the image. See
    /// [`View::screen_size`](crate::View::screen_size).
    pub min_screen_size: f32,
}

impl Component for Lod {
    const NAME: &'static str = "lod";

    fn write_content(&self, content: &mut Content) -> bool {
        content.write_usize(self.levels.len());
        for &Level { node, min_screen_size } in &self.levels {
            node.hash(content);
            content.write_numbers(&[min_screen_size]);
        }
        true
    }

    fn map_nodes(&mut self, map: &MapNode<'_>) -> Result<(), UnmappedNode> {
        for level in &mut self.levels {
            level.node = map(level.node)?;
        }
        Ok(())
    }

    fn check(&self, scene: &Scene, _: NodeId, report: &mut dyn FnMut(SceneProblemKind)) {
        for (level, it) in self.levels.iter().enumerate() {
            if !scene.graph.contains(it.node) {
                report(SceneProblemKind::DeadLevel { level });
            }
        }
    }
}

impl Lod {
    /// Returns the index of the level for a size on screen.
    /// [`Scene::lod_level`](crate::Scene::lod_level) selects the level for a view.
    ///
    /// ```
    /// use pleach::{Level, Lod, Scene};
    ///
    /// let node = Scene::new().root();
    /// let levels = [0.5, 0.1].map(|min_screen_size| Level { node, min_screen_size });
    /// let lod = Lod { levels: levels.to_vec() };
    /// assert_eq!([0.7, 0.2, 0.05].map(|size| lod.level_for(size)), [Some(0), Some(1), None]);
    /// ```
    #[must_use]
    pub fn level_for(&self, size: f32) -> Option<usize> {
        self.levels.iter().position(|level| size >= level.min_screen_size)
    }
}
