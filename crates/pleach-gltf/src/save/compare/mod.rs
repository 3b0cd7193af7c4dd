//! Compares scenes with the file they came from.
//!
//! Reads the scenes and the parsed file. Writes JSON edits and new bytes into the
//! [`OutputDocument`](super::output::output_document::OutputDocument). Guarantees: what does not
//! differ gets no edit; entries of the file keep their order, and new entries are appended.

pub(super) mod animated_nodes;
pub(super) mod animation;
pub(super) mod camera_light;
mod cloned_node;
mod components;
pub(super) mod geometry;
pub(super) mod index_map;
pub(super) mod instances;
mod material;
pub(super) mod mesh;
pub(super) mod node;
pub(super) mod node_tree;
pub(super) mod scene;
mod shared_roots;
pub(super) mod skin;
pub(super) mod texture;
mod writable_geometry;
