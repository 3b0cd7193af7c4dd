//! The render list: what is in it, in what order, compared with a walk over all nodes that
//! judges each by itself.

mod lod;
mod order;
mod random_scenes;
mod reference;
mod setup;
mod static_version;
mod visibility;
