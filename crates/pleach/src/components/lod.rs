//! Levels of detail: of several nodes, a view shows the one that fits its size on screen.
//!
//! A row on any node lists the levels, from fine to coarse, each a node of its own with
//! a mesh. Which one is drawn is each view's to say, so it is chosen when a render list is
//! built, and two cameras may draw different ones in the same frame.

use pleach_graph::NodeId;

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
    /// share of the picture's. See [`View::screen_size`](crate::View::screen_size).
    pub min_screen_size: f32,
}

impl Lod {
    /// The level for a size on screen.
    #[must_use]
    pub fn level_for(&self, size: f32) -> Option<usize> {
        self.levels.iter().position(|level| size >= level.min_screen_size)
    }
}
