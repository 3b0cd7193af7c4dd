//! What an implementation must do to take part, and the edits it is given.

use crate::scene::Scene;
use crate::workload::Workload;

/// One frame's edits. Nodes are named by their number in the scene.
#[derive(Clone, Copy)]
pub enum Edits<'a> {
    Nothing,
    /// Every node goes to its [`spot`](crate::scene::spot).
    MoveAll {
        step: u32,
    },
    MoveRoot {
        step: u32,
    },
    MoveLeaves {
        leaves: &'a [u32],
        step: u32,
    },
    /// Each first node goes under the second, its local transform kept.
    Attach(&'a [(u32, u32)]),
    /// Each first node, a leaf, is removed. Then each is added anew under the second, at its
    /// spot, neither rotated nor scaled.
    Replace {
        leaves: &'a [(u32, u32)],
        step: u32,
    },
}

pub trait Contender {
    /// Whether the workload can be done at all.
    fn supports(&self, workload: Workload) -> bool;

    /// Forgets the scene it holds, if any, and frees its memory.
    fn clear(&mut self);

    /// From nothing to all of the scene's nodes with their world matrices computed.
    fn build(&mut self, scene: &Scene);

    /// Applies the edits and brings every world matrix up to date.
    fn frame(&mut self, edits: Edits<'_>);

    /// Each node's world matrix, by columns.
    fn worlds(&mut self) -> Vec<[f32; 16]>;
}
