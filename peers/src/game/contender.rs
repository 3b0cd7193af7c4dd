//! The interface of a contender of the game frame: its four stages, and what it draws.

use super::edits::{EditLists, Edits};
use super::field::{CameraPose, Field};
use crate::named_enum::named_enum;

named_enum! {
    /// A stage of the frame.
    pub enum Stage {
        /// Transforms, parents, removed and spawned meshes, the camera.
        Edit = "edit",
        /// World matrices, world bounds, and whatever culling needs.
        Update = "update",
        /// The meshes in view.
        Cull = "cull",
        /// The draws of these, sorted by material.
        List = "list",
    }
}

/// The nanoseconds of each stage.
pub type StageTimes = [f64; Stage::ALL.len()];

/// The field with its edit lists, shared by all contenders.
pub struct Game {
    pub seed: u64,
    pub field: Field,
    pub edit_lists: EditLists,
}

impl Game {
    pub fn new(nodes: usize, seed: u64) -> Self {
        let field = Field::new(nodes, seed);
        let edit_lists = EditLists::new(&field, seed);
        Self { seed, field, edit_lists }
    }
}

/// A mesh in the draw list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Drawn {
    pub mesh: u32,
    pub material: u32,
}

pub trait Contender {
    /// Builds all nodes and runs a first update.
    fn build(&mut self, game: &Game);

    /// Removes everything and frees the memory.
    fn clear(&mut self);

    fn edit(&mut self, field: &Field, edits: Edits<'_>, camera: &CameraPose);

    fn update(&mut self);

    fn cull(&mut self, camera: &CameraPose);

    fn list(&mut self);

    /// Returns the draw list in its order.
    fn drawn(&self) -> Vec<Drawn>;
}
