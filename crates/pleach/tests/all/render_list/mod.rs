//! The render list: contents and order, compared with a brute-force traversal of all nodes.

mod lod;
mod order;
mod random_scenes;
mod reference;
mod setup;
mod static_version;
mod visibility;
