//! The stages of a frame, one file each.

mod bounds;
mod lists;
mod materials;
mod matrices;
mod picking;
mod stages;
mod visible_meshes;
