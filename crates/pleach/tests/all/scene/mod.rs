//! The scene: nodes as they were described, what they are by their rows, and what happens to
//! rows when they are touched or their nodes removed.

mod camera;
mod components;
mod meshes;
mod node_kinds;
mod spawning;
mod views;
