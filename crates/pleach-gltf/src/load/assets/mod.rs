//! Assets that scenes share: images, materials, geometries, skins and animations.
//!
//! Reads the JSON and the decoded accessors; adds to the load's assets. Guarantees that every index
//! was checked, that every geometry passed its check, and that equal primitives share one geometry.

pub(super) mod animation;
mod attribute_cache;
pub(super) mod image;
pub(crate) mod material;
pub(crate) mod mesh;
pub(crate) mod skin;
pub(super) mod unused_joints;
