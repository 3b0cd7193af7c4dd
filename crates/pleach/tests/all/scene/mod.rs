//! The scene: nodes as they were described, what they are by their rows, and what happens to
//! rows when they are touched or their nodes removed.

mod eye;
mod kinds;
mod meshes;
mod rows;
mod spawning;
mod views;
