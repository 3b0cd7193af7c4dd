//! Loads and saves [pleach] scenes as glTF 2.0. Preserves data that it does not understand, and
//! treats every file as untrusted.
//!
//! ```
//! use pleach::glam::Vec3;
//! use pleach::{Material, Node, Scene, shapes::Cuboid};
//!
//! # let directory = std::env::temp_dir().join("pleach-gltf-doc");
//! # std::fs::create_dir_all(&directory)?;
//! # let path = directory.join("crate.glb");
//! // Save a scene that was built in code.
//! let mut scene = Scene::new();
//! let cube = scene.assets.add(Cuboid::new(Vec3::ONE).build()?);
//! let wood = scene.assets.add(Material::default().named("wood"));
//! scene.spawn(Node::mesh(&cube, &wood).named("crate").at(Vec3::new(0.0, 0.0, 2.0)))?;
//! pleach_gltf::save(&scene, &path)?;
//!
//! // Load a file as a document: scenes, animations, and everything else in it.
//! let mut document = pleach_gltf::load(&path)?;
//! print!("{}", document.report());                       // the warnings
//! let scene = document.scene_mut().unwrap();
//! let crate_ = scene.graph.find("crate").unwrap();
//! assert_eq!(scene.node(crate_)?.world_translation(), Vec3::new(0.0, 0.0, 2.0));
//!
//! // Edit the scene and save the document: only the edited parts are rewritten.
//! scene.node_mut(crate_)?.set_translation(Vec3::X)?;
//! document.save(&path)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Design
//!
//! - **The source text is kept.** A [`Document`] holds the file's JSON and bytes as well as its
//!   scenes. Saving compares the scenes with the text and edits the text where they differ: names,
//!   extras, unknown extensions, the order of members and the digits of numbers are preserved, and
//!   an edit changes only the text of what was edited.
//! - **One node converts Y-up to Z-up.** glTF is Y-up, pleach is Z-up. The file's roots are
//!   children of one node whose rotation is exact (it permutes axes); no vertex, key or matrix is
//!   changed, and saving omits the node. [`Options::keep_y_up`] loads without it.
//! - **Files are untrusted.** Every length, count, offset and index is checked against the
//!   available bytes, and memory is reserved from a [budget](Limits) before it is allocated.
//!   Nothing recurses over the file, and only files in the model's directory are read.
//!   [`Options::trust`] lifts the memory budget and the restriction to the directory.
//! - **Common violations are tolerated** with a [warning](Report) that names the location and the
//!   fault; [`Options::strict`] rejects them. Files without a defined meaning are rejected: cycles,
//!   nodes with two parents, rotations that are the zero quaternion, numbers that are not finite.
//!
//! # Supported features
//!
//! Core glTF 2.0, as `.gltf` with external files or data URIs and as `.glb`. Extensions:
//!
//! | extension | representation |
//! | --- | --- |
//! | KHR_lights_punctual | [`pleach::Light`] components |
//! | KHR_mesh_quantization | vertex data converted to `f32` |
//! | EXT_mesh_gpu_instancing | [`pleach::Instances`] |
//! | KHR_node_visibility | the node's visibility flag |
//! | KHR_animation_pointer | transforms and weights of nodes in the clip; visibility and the numbers of materials, texture transforms, cameras and lights by [`Document::apply_pointers`]; other targets are kept in the file |
//! | PLEACH_bounds | [`pleach::Bounds`] of a node: `docs/PLEACH_bounds.md` |
//! | PLEACH_environment | [`pleach::Environment`] of a scene: `docs/PLEACH_environment.md` |
//! | KHR_texture_transform | the transform of a [`pleach::TextureRef`] |
//! | EXT_texture_webp, KHR_texture_basisu, EXT_texture_avif | the image of a [`pleach::TextureRef`] (KTX2 is decoded with the feature `ktx2`; AVIF is kept, not decoded) |
//! | KHR_materials_anisotropy, clearcoat, diffuse_transmission, dispersion, emissive_strength, ior, iridescence, sheen, specular, transmission, unlit, volume | fields of [`pleach::Material`] |
//! | KHR_materials_variants | names in [`Document::variants`], shown by [`Document::apply_variant`] |
//! | KHR_materials_pbrSpecularGlossiness (archived) | converted to the nearest metallic-roughness material, without the glossiness in its texture; kept in the file until the material is edited |
//! | EXT_meshopt_compression, KHR_meshopt_compression | decoded |
//! | KHR_draco_mesh_compression | decoded (feature `draco`) |
//! | others | kept; rejected by name if the file requires them |
//!
//! [`supports`] returns the support of an extension by name. Users' own components are saved in the `extras`
//! of nodes: see [`Options::component`].
//!
//! # Other layers
//!
//! - [`validate`](mod@validate): what is wrong or unusual in a file, as typed problems.
//! - [`references`]: what refers to what in glTF, as a table, and the references of a file.
//! - [`raw`]: the objects of a file as its JSON describes them.
//! - [`patch`]: the difference of two files as data, and three-way merges.
//! - [`Prune`]: drops what nothing uses.
//!
//! # Costs
//!
//! Loading reads each file once and copies each vertex attribute once, from the file's bytes to its
//! geometry. The document keeps the source file in memory in addition to the scenes. Saving parses
//! the text again and compares every node, which takes less time than loading. See
//! `docs/benchmarks/gltf.md`.
//!
//! # Limitations
//!
//! Files are not repaired, and unused data stays in them unless [`Prune`] removes it. Nothing is
//! compressed on saving (compressed geometry that was edited is written uncompressed). Data that
//! glTF cannot express (shadows, layers, levels of detail, constraints) is listed
//! in the [`Report`] and not written.
//!
//! # Features
//!
//! - `draco` (default): KHR_draco_mesh_compression.
//! - `images` (default): [`decode`] and [`decode_all`] for PNG, JPEG and WebP.
//! - `ktx2`: [`decode`] also decodes KTX2 (Basis Universal), in pure Rust.
//! - `parallel`: long arrays of the JSON are parsed, and [`decode_all`] decodes, on rayon's threads,
//!   with the same results. No call uses more than the calling thread unless it is asked to, by
//!   [`Options::with_threads`] or [`with_threads`].

#![forbid(unsafe_code)]

mod diagnostics;
mod document;
mod extensions;
mod files;
#[cfg(feature = "images")]
mod image_codec;
#[allow(missing_docs, reason = "fields are the members of the specification")]
mod json;
#[cfg(feature = "ktx2")]
mod ktx2;
mod load;
pub mod patch;
mod prune;
pub mod raw;
pub mod references;
mod save;
mod threads;
pub mod validate;

use std::path::Path;

#[cfg(feature = "images")]
pub use crate::image_codec::{decode, decode_all, image_size};
pub use diagnostics::{Error, ErrorKind, Report, Warning, WarningCode};
pub use document::{Animation, Document, Format};
pub use extensions::{Support, known_extensions, supports};
pub use files::{Bytes, Directory, ExternalFile, Resolver, external_files, sniff_mime_type};
pub use load::{Convention, Limits, Loaders, Options, Progress, Stage};
pub use prune::{Prune, PruneReport};
pub use references::GltfArray;
pub use save::{Saved, Savers, WriteOptions, save, save_bytes};
pub use threads::with_threads;
pub use validate::{Validate, Validation, validate};

/// Loads a `.gltf` or `.glb` file and the files that it refers to, with default options; see
/// [`Options`].
///
/// # Errors
///
/// Returns an [`Error`] that names the file, the location in it, and the fault.
#[doc(alias("GLTFLoader", "GLTFDocument"))]
pub fn load(path: impl AsRef<Path>) -> Result<Document, Error> {
    Options::new().load(path)
}

/// Loads a file from memory that refers to no other files; see [`Options::load_with`].
///
/// # Errors
///
/// Fails like [`load`], and if the file refers to other files.
pub fn load_bytes(bytes: &[u8]) -> Result<Document, Error> {
    Options::new().load_bytes(bytes)
}

/// Compiles and runs the examples in the READMEs of this crate and of the project.
#[cfg(doctest)]
mod readme {
    #[doc = include_str!("../README.md")]
    struct CrateReadme;
    #[doc = include_str!("../../../README.md")]
    struct WorkspaceReadme;
}
