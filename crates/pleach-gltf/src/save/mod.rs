//! Saving: what scenes have now is compared with what the file says, and the file's text is
//! changed where they differ.
//!
//! So what was not edited comes back as it was, known here or not. A scene that was built in
//! code is compared with an empty file, by the same code.

mod animation;
mod array;
mod bytes;
mod column;
mod files;
mod geometry;
mod instances;
mod lens;
mod material;
mod mesh;
mod node;
mod numbers;
mod patch;
mod same;
mod scene;
mod sheet;
mod skin;
mod text;
mod texture;

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;

use pleach::{NodeId, Scene};

use self::instances::Instances;
use self::lens::Values;
use self::mesh::Meshes;
use self::node::Rows;
use self::numbers::{NONE, Numbers};
use self::sheet::Sheet;
use self::skin::Skins;
use self::texture::Textures;
use crate::document::NodeIndices;
use crate::files::glb;
use crate::json::{Members, ParseLimits, Root, value_at};
use crate::{Bytes, Document, Error, Format, Report};

/// The text that scenes are compared with that come from no file.
const EMPTY: &str = concat!(
    r#"{"asset":{"generator":"pleach "#,
    env!("CARGO_PKG_VERSION"),
    r#"","version":"2.0"}}"#
);

/// A file that was written, in memory.
#[derive(Clone, Debug)]
pub struct Saved {
    /// The `.glb`, or the JSON of the `.gltf`.
    pub bytes: Vec<u8>,
    /// Files that belong beside it, by name: a path relative to it, with `/` between its
    /// parts.
    pub files: Vec<(String, Bytes)>,
    /// What glTF has no word for, and so was left out.
    pub report: Report,
    /// By scene and slot: the index of a node.
    indices: Vec<Vec<u32>>,
}

impl Saved {
    /// The index in the file of a node that was in a scene when it was saved; `None` if it was
    /// not written. Nodes that scenes share have one index.
    ///
    /// ```
    /// use pleach::Node;
    /// use pleach_gltf::Form;
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
        let index = *self.indices.get(scene)?.get(node.index())?;
        (index != NONE).then_some(index as usize)
    }
}

impl Document {
    /// Writes it as a file: `.glb`, or `.gltf` with the files it needs beside it. Each file is
    /// put in place when it is whole. Gives what could not be written.
    ///
    /// What was there before is replaced, and so are files beside it, by their names: a model
    /// of another directory brings the names of its files along, which another model may have
    /// too. To look before, there are [`save_bytes_for`](Self::save_bytes_for),
    /// [`Saved::paths`] and [`Saved::write`].
    ///
    /// # Errors
    ///
    /// [`ErrorKind::UnknownFormat`](crate::ErrorKind) for another extension;
    /// [`ErrorKind::Io`](crate::ErrorKind) if a file cannot be written; those of
    /// [`save_bytes`](Self::save_bytes).
    pub fn save(&self, path: impl AsRef<Path>) -> Result<Report, Error> {
        let saved = self.save_bytes_for(&path)?;
        saved.write(path)?;
        Ok(saved.report)
    }

    /// Writes in memory what [`save`](Self::save) would write to this path. Nothing is read or
    /// written there.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::UnknownFormat`](crate::ErrorKind) for another extension; those of
    /// [`save_bytes`](Self::save_bytes).
    pub fn save_bytes_for(&self, path: impl AsRef<Path>) -> Result<Saved, Error> {
        let trees: Vec<&Scene> = self.trees.iter().collect();
        files::saved(path.as_ref(), |form, stem| write(self, &trees, form, stem))
    }

    /// Writes it in memory. New bytes of a `.gltf` go to a file `buffer.bin`.
    ///
    /// - What was not changed since it was loaded is as it was, byte for byte.
    /// - What changed is changed in its place; what is new comes last in its list. Nodes keep
    ///   their numbers, unless one before them was removed.
    /// - Geometries, materials, … that nothing uses any more stay in the file.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Unwritable`](crate::ErrorKind) if a skin names a node that is not there,
    /// a mesh has no parts, or a `.glb` would be longer than 4 GiB.
    pub fn save_bytes(&self, form: Format) -> Result<Saved, Error> {
        let trees: Vec<&Scene> = self.trees.iter().collect();
        write(self, &trees, form, "buffer")
    }
}

/// Writes a scene that was built in code as a file; see [`Document::save`]. The file, and those
/// beside it, are replaced if they are there.
///
/// glTF is Y-up, so its nodes are put below one that turns them.
///
/// # Errors
///
/// As [`Document::save`].
pub fn save(scene: &Scene, path: impl AsRef<Path>) -> Result<Report, Error> {
    let saved = files::saved(path.as_ref(), |form, stem| save_scene(scene, form, stem))?;
    saved.write(path)?;
    Ok(saved.report)
}

/// Writes a scene that was built in code, in memory; see [`Document::save_bytes`].
///
/// # Errors
///
/// As [`Document::save_bytes`].
pub fn save_bytes(scene: &Scene, form: Format) -> Result<Saved, Error> {
    save_scene(scene, form, "buffer")
}

fn save_scene(scene: &Scene, form: Format, stem: &str) -> Result<Saved, Error> {
    let document = Document {
        listed: 1,
        default_scene: Some(0),
        node_indices: vec![NodeIndices::default()],
        ..Document::default()
    };
    write(&document, &[scene], form, stem)
}

/// What is written, and the file it is compared with.
pub(crate) struct Writing<'a> {
    pub(crate) document: &'a Document,
    pub(crate) trees: &'a [&'a Scene],
    pub(crate) listed: usize,
    pub(crate) root: &'a Root<'a>,
    pub(crate) y_up: bool,
    text: &'a str,
    /// Where the entries of an array are, once they were asked for.
    spans: RefCell<HashMap<&'static str, Vec<Range<usize>>>>,
}

impl<'a> Writing<'a> {
    /// The file's node that a node of a scene is.
    pub(crate) fn file(&self, tree: usize, node: NodeId) -> Option<u32> {
        self.document.node_indices.get(tree)?.index_of(node)
    }

    /// The same, also of one that is only there as a joint.
    pub(crate) fn file_or_joint(&self, tree: usize, node: NodeId) -> Option<u32> {
        self.document.node_indices.get(tree)?.index_of_joint(&self.trees[tree].graph, node)
    }

    /// The file's nodes that are in a scene.
    pub(crate) fn rows(&self, tree: usize) -> impl Iterator<Item = (NodeId, u32)> {
        self.document.node_indices.get(tree).into_iter().flat_map(NodeIndices::iter)
    }

    /// The mesh that one of the file's nodes has there.
    pub(crate) fn mesh_of(&self, file: u32) -> Option<usize> {
        self.root.nodes[file as usize].mesh.map(|mesh| mesh.index())
    }

    /// The skeleton that the file names in the skin of one of its nodes.
    pub(crate) fn skeleton_of(&self, file: u32) -> Option<u32> {
        let skin = self.root.nodes[file as usize].skin?;
        self.document.skins.get(skin.index())?.skeleton
    }

    /// The text of an entry of one of the file's arrays.
    pub(crate) fn text_of(&self, array: &'static str, index: usize) -> Option<&'a str> {
        if array == "nodes" {
            return self.root.outline.nodes.get(index).map(|span| &self.text[span.clone()]);
        }
        let mut spans = self.spans.borrow_mut();
        let spans = spans.entry(array).or_insert_with(|| {
            let list = value_at(self.text, &format!("/{array}"));
            let entries = list.map(|list| Members::of(self.text, &list).map(|it| it.value));
            entries.map(Iterator::collect).unwrap_or_default()
        });
        spans.get(index).map(|span| &self.text[span.clone()])
    }
}

/// Compares, and writes.
fn write(document: &Document, trees: &[&Scene], form: Format, stem: &str) -> Result<Saved, Error> {
    let kept = document.source.as_ref();
    let text = if kept.is_some() { document.json() } else { EMPTY };
    let root = Root::parse(text, ParseLimits::NONE)?;
    let writing = Writing {
        document,
        trees,
        listed: document.listed,
        root: &root,
        y_up: document.y_up,
        text,
        spans: RefCell::default(),
    };
    let (grown, grown_from) = bytes::growing(kept, form, stem);
    let mut sheet = Sheet::new(&root, grown, grown_from);
    let numbers = Numbers::of(&writing);
    let rows = trees.iter().flat_map(|scene| scene.cameras.iter(&scene.graph));
    let cameras = rows.map(|(_, camera)| lens::bare_camera(camera));
    let mut rows = Rows {
        meshes: Meshes::new(&writing),
        skins: Skins::new(&writing, &numbers, &mut sheet),
        cameras: Values::new(&document.cameras, cameras),
        lights: Values::new(&document.lights, node::all_lights(&writing)),
        textures: Textures::new(&root, &document.images),
        instances: Instances::new(&writing, kept.map_or(&[], |kept| &kept.buffers))?,
    };
    node::nodes(&writing, &numbers, &mut sheet, &mut rows)?;
    animation::animations(&writing, &numbers, &mut sheet);
    scene::scenes(&writing, &numbers, &mut sheet);
    let parts = bytes::place(kept, form, stem, &mut sheet)?;
    let json = text::text(text, &sheet, document.default_scene);
    let bytes = match form {
        Format::Gltf => json.into_owned().into_bytes(),
        Format::Glb => {
            let chunk: Vec<&[u8]> = parts.chunk.iter().map(|piece| &**piece).collect();
            glb::write(&json, &chunk, kept.map_or(&[], |kept| &kept.unknown_chunks))?
        }
    };
    let indices = numbers.into_indices();
    Ok(Saved { bytes, files: parts.files, report: sheet.report, indices })
}
