//! The scene: spawned nodes, their components and kinds, and removal.

mod camera;
mod components;
mod meshes;
mod node_kinds;
mod roots;
mod spawn_many;
mod spawning;
mod views;
