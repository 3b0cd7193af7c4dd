//! Snapshots of [pleach] scenes as files: everything that a scene contains, in a compact binary form
//! or as JSON, restored with the same handles, order and bits; and patches of scenes ([`AssetMap`]) and of graphs
//! ([`patch_to_bytes`]) in the same container.
//!
//! ```
//! use pleach::glam::Vec3;
//! use pleach::{Material, Node, Scene, shapes::Cuboid};
//!
//! let mut scene = Scene::named("level");
//! let cube = scene.assets.add(Cuboid::new(Vec3::ONE).build()?);
//! let wood = scene.assets.add(Material::default().named("wood"));
//! let first = scene.spawn(Node::mesh(&cube, &wood).named("crate"))?;
//! let second = scene.spawn(Node::mesh(&cube, &wood).under(first).at(Vec3::Z))?;
//! scene.remove(second)?;
//!
//! let bytes = pleach_format::to_bytes(&scene)?;
//! let mut loaded = pleach_format::from_bytes(&bytes)?;
//! loaded.update()?;
//! assert_eq!(loaded.find("crate"), Some(first));         // the same handle
//! assert!(loaded.node(second).is_err());                 // removed nodes stay dead
//! assert_eq!(loaded.spawn(Node::group())?, scene.spawn(Node::group())?);
//! assert_eq!(pleach_format::to_bytes(&pleach_format::from_bytes(&bytes)?)?, bytes);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Design
//!
//! - **Everything is in the snapshot**: nodes with their handles, the free slots and their next
//!   generations, sibling order, transforms and matrices bit for bit, names, visibility; every table of
//!   components, users' own included ([`Options::component`]); geometries, materials and images, each
//!   once; the environment; and animation clips that are passed along.
//! - **What is derived is not**: call [`Scene::update`](pleach::Scene::update) after reading. World matrices, joint
//!   matrices, bounds and render lists then have the bits that they had.
//! - **Large arrays are copied as a whole**: vertex data, indices, transforms and image bytes are raw
//!   little-endian columns. The rest is [postcard](https://docs.rs/postcard).
//! - **Files are untrusted.** Every length, index and number is checked, and memory is taken from a
//!   [budget](Limits) before it is allocated. Errors have the offset of the fault.
//! - **Versioned.** The format is specified in `docs/format.md`, for readers in other languages. Newer versions
//!   of this crate read the files of older ones; a file that is newer is an error that names the version that wrote it.
//!
//! # Costs
//!
//! Writing and reading take time proportional to the bytes, several times less than a `.glb` of the same scene:
//! see `docs/benchmarks/snapshot.md`.
//!
//! # Out of scope
//!
//! Snapshots are for one program and its tools: undo, autosave, crash reports, tests, copies to
//! another process. To exchange models with other programs use glTF (`pleach-gltf`). Nothing is compressed:
//! any compressor can be applied to the bytes.

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod asset_map;
mod binary;
mod decode;
mod encode;
mod error;
mod file;
mod json;
mod limits;
mod options;
mod patch;
mod records;
mod scene_patch;
mod user_kinds;

pub use asset_map::AssetMap;
pub use error::{Error, ErrorKind};
pub use limits::Limits;
pub use options::{Options, Snapshot, from_bytes, from_json, to_bytes, to_json};
pub use options::{patch_from_bytes, patch_from_json, patch_to_bytes, patch_to_json};

/// Compiles and runs the examples of the README.
#[cfg(doctest)]
mod readme {
    #[doc = include_str!("../README.md")]
    struct Examples;
}
