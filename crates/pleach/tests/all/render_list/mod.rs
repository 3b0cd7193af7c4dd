//! The render list: contents and order, compared with a brute-force traversal of all nodes.

mod lod;
mod naive;
mod order;
mod random_edits;
mod random_scenes;
mod reference;
mod setup;
mod static_version;
mod unchanged;
mod visibility;
