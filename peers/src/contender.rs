//! The interface of a contender, and the edits of a frame.

use crate::scene::Scene;
use crate::workload::Workload;

/// The edits of one frame. Nodes are identified by their index in the scene.
#[derive(Clone, Copy)]
pub enum Edits<'a> {
    Nothing,
    /// Moves every node to its [`position_at`](crate::scene::position_at).
    MoveAll {
        step: u32,
    },
    /// Sets the transform of every node to that of [`Prepared`](crate::prepared::Prepared).
    SetAll {
        step: u32,
    },
    MoveRoot {
        step: u32,
    },
    MoveLeaves {
        leaves: &'a [u32],
        step: u32,
    },
    /// Attaches the first node of each pair to the second; its local transform is kept.
    Attach(&'a [(u32, u32)]),
    /// Removes the first node of each pair, a leaf, then adds it under the second at its position,
    /// without rotation and scale.
    Replace {
        leaves: &'a [(u32, u32)],
        step: u32,
    },
}

pub trait Contender {
    /// Returns `true` if the workload is supported.
    fn supports(&self, workload: Workload) -> bool;

    /// Returns `true` if the workload is also timed: `false` if another contender does the same.
    fn is_timed(&self, workload: Workload) -> bool {
        self.supports(workload)
    }

    /// Removes the scene and frees its memory.
    fn clear(&mut self);

    /// Builds all nodes of the scene and computes their world matrices.
    fn build(&mut self, scene: &Scene);

    /// Applies the edits and updates all world matrices.
    fn frame(&mut self, edits: Edits<'_>);

    /// Returns the world matrix of each node, column by column.
    fn worlds(&mut self) -> Vec<[f32; 16]>;
}
