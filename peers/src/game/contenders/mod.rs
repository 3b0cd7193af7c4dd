//! The contenders of the game frame.

pub mod bevy;
pub mod graph;
pub mod graph_and_index;
pub mod naive;
pub mod scene;
