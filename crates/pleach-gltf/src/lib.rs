//! glTF 2.0 in and out of [pleach] scenes: everything kept, nothing trusted.
//!
//! ```
//! use pleach::glam::Vec3;
//! use pleach::{Material, Node, Scene, shapes::Cuboid};
//!
//! # let directory = std::env::temp_dir().join("pleach-gltf-doc");
//! # std::fs::create_dir_all(&directory)?;
//! # let path = directory.join("crate.glb");
//! // A scene that was built in code, as a file.
//! let mut scene = Scene::new();
//! let cube = scene.assets.add(Cuboid::new(Vec3::ONE).build()?);
//! let wood = scene.assets.add(Material::default().named("wood"));
//! scene.spawn(Node::mesh(&cube, &wood).named("crate").at(Vec3::new(0.0, 0.0, 2.0)))?;
//! pleach_gltf::save(&scene, &path)?;
//!
//! // A file as a document: scenes, animations, and all else that is in it.
//! let mut document = pleach_gltf::load(&path)?;
//! print!("{}", document.report());                       // what was odd about it
//! let scene = document.scene_mut().unwrap();
//! let crate_ = scene.graph.find("crate").unwrap();
//! assert_eq!(scene.node(crate_)?.world_translation(), Vec3::new(0.0, 0.0, 2.0));
//!
//! // Edit the scene, save the document: only what was touched is written anew.
//! scene.node_mut(crate_)?.set_translation(Vec3::X)?;
//! document.save(&path)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Why it is this way
//!
//! - **The text is kept.** A [`Document`] has the file's JSON and bytes beside its scenes.
//!   Saving compares the scenes with what the text says and changes the text where they
//!   differ: names, extras, unknown extensions, the order of members and the digits of numbers
//!   come back as they were, and an edit changes just what it touches.
//! - **Y becomes Z by one node.** glTF is Y-up, pleach Z-up. The file's roots hang below one node
//!   that turns them, exactly (it exchanges axes); no vertex, key or matrix is touched, and saving
//!   leaves it out again. [`Options::keep_y_up`] does without.
//! - **Nothing is believed.** Every length, count, offset and index is compared with the bytes that
//!   are there, and memory is taken from a [budget](Limits) before it is allocated. Nothing recurses
//!   over the file, and files are read from the model's directory only. [`Options::trust`] is for
//!   files that are one's own.
//! - **What everybody loads, loads**, with a [warning](Report) that says where and what;
//!   [`Options::strict`] refuses it. What cannot mean anything is refused: cycles, two parents,
//!   zero quaternions of nodes, numbers that are not finite.
//!
//! # What it reads
//!
//! All of core glTF 2.0, as `.gltf` with files or data URIs beside it and as `.glb`. Extensions:
//!
//! | extension | here |
//! | --- | --- |
//! | KHR_lights_punctual | [`pleach::Light`] rows |
//! | KHR_mesh_quantization | columns of f32 |
//! | EXT_mesh_gpu_instancing | [`pleach::Instances`] |
//! | KHR_node_visibility | the node's flag |
//! | KHR_animation_pointer | played for nodes: transforms and weights in the clip, visibility by [`Document::apply_visibility`]; kept for all else |
//! | KHR_texture_transform, EXT_texture_webp, KHR_texture_basisu | fields of [`pleach::TextureRef`]; which image (Basis files are kept, not decoded) |
//! | KHR_materials_anisotropy, clearcoat, dispersion, emissive_strength, ior, iridescence, sheen, specular, transmission, unlit, volume | fields of [`pleach::Material`] |
//! | KHR_materials_pbrSpecularGlossiness (archived) | the nearest material of metallic and roughness, without its specularGlossinessTexture; kept in the file until that is edited |
//! | EXT_meshopt_compression, KHR_meshopt_compression | decoded |
//! | KHR_draco_mesh_compression | decoded (feature `draco`) |
//! | others | kept; refused by name if the file requires them |
//!
//! # What it costs
//!
//! A load reads each file once, and copies each column of vertices once, from the file's bytes to
//! its geometry. The document keeps the file: about its size, beside what the scenes take. A save
//! reads the text again and compares every node: less than a load. See `docs/benchmarks/gltf.md`.
//!
//! # What it does not do
//!
//! It does not repair files, and leaves what nothing uses in them, unless [`Prune`] drops it. It
//! does not compress (geometry that was compressed and is edited is written plain), and writes what
//! glTF has no word for (shadows, layers, levels of detail, constraints, the environment) into the
//! [`Report`] rather than the file.
//!
//! # Features
//!
//! - `draco` (default): KHR_draco_mesh_compression.
//! - `images` (default): [`decode`] and [`decode_all`] for PNG, JPEG and WebP.
//! - `parallel`: images are decoded on rayon's threads.

#![forbid(unsafe_code)]

mod diagnostics;
mod document;
mod files;
#[cfg(feature = "images")]
mod image_codec;
mod json;
mod load;
mod prune;
mod save;

use std::path::Path;

#[cfg(feature = "images")]
pub use crate::image_codec::{decode, decode_all};
pub use diagnostics::{Error, ErrorKind, Report, Warning, WarningCode};
pub use document::{Animation, Document, Format};
pub use files::{Bytes, Directory, Resolver};
pub use load::{Limits, Loaders, Options, Progress, Stage};
pub use prune::{GltfArray, Prune, PruneReport};
pub use save::{Saved, save, save_bytes};

/// Reads a `.gltf` or `.glb` file, and the files it names beside it, in the usual way; see
/// [`Options`] for others.
///
/// # Errors
///
/// [`Error`] names the file, the place in it, and what is wrong there.
pub fn load(path: impl AsRef<Path>) -> Result<Document, Error> {
    Options::new().load(path)
}

/// Reads a file that is in memory and names no others; see [`Options::load_with`].
///
/// # Errors
///
/// As [`load`].
pub fn load_bytes(bytes: &[u8]) -> Result<Document, Error> {
    Options::new().load_bytes(bytes)
}

/// The examples of the READMEs of this crate and of the project, so that they are
/// compiled and run.
#[cfg(doctest)]
mod readme {
    #[doc = include_str!("../README.md")]
    struct OfTheCrate;
    #[doc = include_str!("../../../README.md")]
    struct OfTheProject;
}
