//! Saving: compares the scenes with the file they came from and edits the file's text where they
//! differ.
//!
//! What was not edited is written unchanged, including members and extensions that this crate does
//! not know. A scene that was built in code is compared with an empty file, by the same code.
//!
//! ```text
//! compare/   scenes and file → JSON edits and new bytes
//! output/    edits and bytes → `.glb`, or `.gltf` with its files
//! ```

mod compare;
mod context;
mod input;
mod output;
mod savers;

use std::cell::RefCell;
use std::path::Path;

use pleach::{NodeId, Scene};

use self::compare::index_map::{IndexMap, SlotIndices};
pub(crate) use self::compare::node::lenient;
use self::context::SaveContext;
use self::input::SaveInput;
use self::output::files;
pub use self::output::files::WriteOptions;
use self::output::json_text::json_text;
pub use self::savers::Savers;
use crate::document::NodeIndices;
use crate::files::glb;
use crate::json::{ParseLimits, Root};
use crate::{Bytes, Document, Error, Format, Report};

/// The file that scenes built in code are compared with.
const EMPTY: &str = concat!(
    r#"{"asset":{"generator":"pleach "#,
    env!("CARGO_PKG_VERSION"),
    r#"","version":"2.0"}}"#
);

/// A saved file in memory.
#[derive(Clone, Debug)]
pub struct Saved {
    /// The bytes of the `.glb`, or the JSON text of the `.gltf`.
    pub bytes: Vec<u8>,
    /// The files that belong next to it: the path relative to the model, with `/` as separator, and
    /// the bytes.
    pub files: Vec<(String, Bytes)>,
    /// Warnings about data that glTF cannot represent and that was therefore left out.
    pub report: Report,
    /// The node indices in the file, by scene.
    indices: Vec<SlotIndices>,
}

impl Saved {
    /// Returns the index in the file of `node`, a node of the document's scene `scene`, or `None` if
    /// it was not written. Nodes that several scenes share have one index.
    ///
    /// ```
    /// use pleach::Node;
    /// use pleach_gltf::Format;
    ///
    /// let file = r#"{ "asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{}] }"#;
    /// let mut document = pleach_gltf::load_bytes(file.as_bytes())?;
    /// let house = document.node(0, 0).unwrap();
    /// let door = document.scenes_mut()[0].spawn(Node::group().under(house))?;
    /// assert_eq!(document.save_bytes(Format::Gltf)?.index_of(0, door), Some(1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn index_of(&self, scene: usize, node: NodeId) -> Option<usize> {
        self.indices.get(scene)?.get(node)
    }
}

impl Document {
    /// Writes the document as a `.glb` file, or as a `.gltf` file with the files it references.
    /// Each file is written under a temporary name and renamed when it is complete and synced to the
    /// disk; a symbolic link is written through. The directory must exist (see
    /// [`Saved::write_with`]). Returns the warnings about what could not be written.
    ///
    /// Existing files are replaced, including referenced files of the same name: a model from
    /// another directory keeps the names of its files, which another model may use as well. To
    /// check first, use [`save_bytes_for`](Self::save_bytes_for), [`Saved::paths`] and
    /// [`Saved::write`].
    ///
    /// ```
    /// let file = r#"{ "asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"name": "house"}] }"#;
    /// # let directory = std::env::temp_dir().join("pleach-gltf-doc-save");
    /// # std::fs::create_dir_all(&directory)?;
    /// let document = pleach_gltf::load_bytes(file.as_bytes())?;
    /// let report = document.save(directory.join("house.glb"))?;
    /// assert!(report.warnings().is_empty());
    /// # std::fs::remove_dir_all(&directory)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::UnknownFormat`](crate::ErrorKind) for another extension;
    /// [`ErrorKind::Io`](crate::ErrorKind) if a file cannot be written; the errors of
    /// [`save_bytes`](Self::save_bytes).
    #[doc(alias("export"))]
    pub fn save(&self, path: impl AsRef<Path>) -> Result<Report, Error> {
        let saved = self.save_bytes_for(&path)?;
        saved.write(path)?;
        Ok(saved.report)
    }

    /// Writes in memory what [`save`](Self::save) would write to `path`. Does not access the file
    /// system.
    ///
    /// ```
    /// let file = r#"{ "asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"name": "house"}] }"#;
    /// let document = pleach_gltf::load_bytes(file.as_bytes())?;
    /// let saved = document.save_bytes_for("models/house.gltf")?;
    /// assert!(saved.files.is_empty(), "no file belongs next to it");
    /// assert_eq!(saved.bytes, file.as_bytes(), "nothing was edited");
    /// # Ok::<(), pleach_gltf::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::UnknownFormat`](crate::ErrorKind) for another extension; the errors of
    /// [`save_bytes`](Self::save_bytes).
    pub fn save_bytes_for(&self, path: impl AsRef<Path>) -> Result<Saved, Error> {
        let scenes: Vec<&Scene> = self.trees.iter().collect();
        files::save_for_path(path.as_ref(), |format, stem| write(self, &scenes, format, stem))
    }

    /// Writes the document in memory. New bytes of a `.gltf` go to the file `buffer.bin`.
    ///
    /// - What was not changed since loading is written byte for byte as it was.
    /// - Changed entries are edited in place; new entries are appended to their array. Nodes keep
    ///   their indices, unless a node before them was removed.
    /// - Geometries, materials and other assets that are no longer used stay in the file.
    /// - Clones of a file's nodes ([`Scene::clone_subtree`] and
    ///   [`clone_subtree_from`](Scene::clone_subtree_from)) are written with the extras and unknown
    ///   extensions of the node. An unknown extension that may refer to entries by index is left out
    ///   if the node is from another file, or nodes of this one were removed; the report then contains
    ///   [`WarningCode::DroppedExtension`](crate::WarningCode).
    /// - Nodes that are not below the root of their scene are written, but no scene lists them. If the
    ///   root itself was attached to another node, the whole tree of that node is the scene.
    /// - A sheared matrix is written with the warning
    ///   [`WarningCode::ShearedMatrix`](crate::WarningCode), unless it is that of the file: glTF does
    ///   not allow it, but most readers accept it.
    /// - New vertex data is converted where glTF does not allow it: normals and tangents are
    ///   normalized, colours clamped, joint weights normalized, and attributes of morph targets
    ///   without their base left out, with
    ///   [`WarningCode::ConvertedVertexAttribute`](crate::WarningCode). Missing morph targets of a
    ///   part are written without displacements.
    /// - Factors of materials are clamped to their range, with
    ///   [`WarningCode::FactorOutOfRange`](crate::WarningCode). Emission above 1 is moved into the
    ///   emissive strength, and colours of lights above 1 into the intensity.
    /// - Animated nodes are written in their current pose, which becomes the rest pose of the file. If
    ///   it differs from that of the loaded file, or from that when their animation was added, or if
    ///   [`apply_pointers`](Self::apply_pointers) changed other values, the report contains
    ///   [`WarningCode::AnimatedPose`](crate::WarningCode); see
    ///   [`restore_rest_pose`](Self::restore_rest_pose).
    /// - The matrix of an animated node, which glTF does not allow, is written as translation,
    ///   rotation and scale if it equals them up to rounding.
    /// - A `skeleton` that is no longer above all joints of its skin is left out.
    /// - A cubic spline with a single key, which glTF does not allow, is written as a step; a key at
    ///   the time of the one before gets the next larger number.
    ///
    /// ```
    /// let file = r#"{ "asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"name": "house"}] }"#;
    /// use pleach_gltf::Format;
    ///
    /// let document = pleach_gltf::load_bytes(file.as_bytes())?;
    /// let saved = document.save_bytes(Format::Gltf)?;
    /// assert_eq!(saved.bytes, file.as_bytes(), "nothing was edited");
    /// assert!(document.save_bytes(Format::Glb)?.bytes.starts_with(b"glTF"));
    /// # Ok::<(), pleach_gltf::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Unwritable`](crate::ErrorKind), with the node in the message, if glTF cannot
    /// express what the scene contains: a skin refers to a removed node, has no joints or matrices
    /// that do not fit, or its joints have no common root; the mesh of a skin has no influences, or
    /// refers to other joints; an animated node has a sheared matrix; a mesh has no parts, or a
    /// geometry that [`Geometry::check`](pleach::Geometry::check) rejects; the values of a camera or
    /// light are out of their range; a key has a negative time; the root of a scene was removed; a
    /// `.glb` would exceed 4 GiB.
    pub fn save_bytes(&self, format: Format) -> Result<Saved, Error> {
        let scenes: Vec<&Scene> = self.trees.iter().collect();
        write(self, &scenes, format, "buffer")
    }
}

/// Writes a scene that was built in code to a file; see [`Document::save`]. Existing files are
/// replaced.
///
/// glTF is Y-up, so the nodes become children of a node that rotates the up-axis. Nodes that are not
/// below the scene's root are written as well, but the scene of the file does not list them;
/// the report mentions them.
///
/// # Errors
///
/// The errors of [`Document::save`].
pub fn save(scene: &Scene, path: impl AsRef<Path>) -> Result<Report, Error> {
    let saved =
        files::save_for_path(path.as_ref(), |format, stem| save_scene(scene, format, stem))?;
    saved.write(path)?;
    Ok(saved.report)
}

/// Writes a scene that was built in code to a file in memory; see [`Document::save_bytes`].
///
/// # Errors
///
/// The errors of [`Document::save_bytes`].
pub fn save_bytes(scene: &Scene, format: Format) -> Result<Saved, Error> {
    save_scene(scene, format, "buffer")
}

fn save_scene(scene: &Scene, format: Format, stem: &str) -> Result<Saved, Error> {
    let document = Document {
        listed: 1,
        default_scene: Some(0),
        node_indices: vec![NodeIndices::default()],
        ..Document::default()
    };
    write(&document, &[scene], format, stem)
}

/// Compares `scenes` with the file of `document` and writes what differs.
fn write(
    document: &Document,
    scenes: &[&Scene],
    format: Format,
    stem: &str,
) -> Result<Saved, Error> {
    let source = document.source.as_ref();
    let text = if source.is_some() { document.json() } else { EMPTY };
    let root = Root::parse(text, ParseLimits::NONE)?;
    let input = SaveInput {
        document,
        scenes,
        listed: document.listed,
        root: &root,
        y_up: document.y_up,
        format,
        stem,
        text,
        spans: RefCell::default(),
    };
    let index_map = IndexMap::assign(&input)?;
    let mut context = SaveContext::new(&input, &index_map)?;
    context.write_edited_images()?;
    context.write_edited_materials()?;
    context.write_nodes()?;
    context.write_animations()?;
    context.write_scenes()?;
    let data = context.write_buffers();
    let json = json_text(text, &context.output, document.default_scene);
    let bytes = match format {
        Format::Gltf => json.into_owned().into_bytes(),
        Format::Glb => {
            let chunk: Vec<&[u8]> = data.chunk.iter().map(|piece| &**piece).collect();
            glb::write(&json, &chunk, source.map_or(&[], |source| &source.unknown_chunks))?
        }
    };
    let report = context.output.report;
    let indices = index_map.into_indices();
    Ok(Saved { bytes, files: data.files, report, indices })
}
