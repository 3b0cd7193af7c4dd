//! Saving: what scenes have now is compared with what the file says, and the file's text is
//! changed where they differ.
//!
//! So what was not edited comes back as it was, known here or not. A scene that was built in
//! code is compared with an empty file, by the same code.

mod compare;
mod context;
mod input;
mod output;

use std::cell::RefCell;
use std::path::Path;

use pleach::{NodeId, Scene};

use self::compare::index_map::{IndexMap, NONE};
use self::context::SaveContext;
use self::input::SaveInput;
use self::output::files;
use self::output::json_text::json_text;
use crate::json::{Bounds, Root};
use crate::places::Places;
use crate::{Bytes, Document, Error, Format, Report, glb};

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
    /// let door = document.trees_mut()[0].spawn(Node::group().under(house))?;
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
        let scenes: Vec<&Scene> = self.trees.iter().collect();
        files::save_for_path(path.as_ref(), |format, stem| write(self, &scenes, format, stem))
    }

    /// Writes it in memory. New bytes of a `.gltf` go to a file `buffer.bin`.
    ///
    /// - What was not changed since it was loaded is as it was, byte for byte.
    /// - What changed is changed in its place; what is new comes last in its list. Nodes keep
    ///   their index_map, unless one before them was removed.
    /// - Geometries, materials, … that nothing uses any more stay in the file.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Unwritable`](crate::ErrorKind) if a skin names a node that is not there,
    /// a mesh has no parts, or a `.glb` would be longer than 4 GiB.
    pub fn save_bytes(&self, format: Format) -> Result<Saved, Error> {
        let scenes: Vec<&Scene> = self.trees.iter().collect();
        write(self, &scenes, format, "buffer")
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
    let saved =
        files::save_for_path(path.as_ref(), |format, stem| save_scene(scene, format, stem))?;
    saved.write(path)?;
    Ok(saved.report)
}

/// Writes a scene that was built in code, in memory; see [`Document::save_bytes`].
///
/// # Errors
///
/// As [`Document::save_bytes`].
pub fn save_bytes(scene: &Scene, format: Format) -> Result<Saved, Error> {
    save_scene(scene, format, "buffer")
}

fn save_scene(scene: &Scene, format: Format, stem: &str) -> Result<Saved, Error> {
    let document = Document {
        listed: 1,
        default_scene: Some(0),
        places: vec![Places::default()],
        ..Document::default()
    };
    write(&document, &[scene], format, stem)
}

/// Compares the scenes with the file, and writes what differs.
fn write(
    document: &Document,
    scenes: &[&Scene],
    format: Format,
    stem: &str,
) -> Result<Saved, Error> {
    let kept = document.kept.as_ref();
    let text = if kept.is_some() { document.json() } else { EMPTY };
    let root = Root::parse(text, Bounds::NONE)?;
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
    let index_map = IndexMap::assign(&input);
    let mut context = SaveContext::new(&input, &index_map)?;
    context.write_nodes()?;
    context.write_animations();
    context.write_scenes();
    let data = context.write_buffers();
    let json = json_text(text, &context.output, document.default_scene);
    let bytes = match format {
        Format::Gltf => json.into_owned().into_bytes(),
        Format::Glb => {
            let chunk: Vec<&[u8]> = data.chunk.iter().map(|piece| &**piece).collect();
            glb::write(&json, &chunk, kept.map_or(&[], |kept| &kept.chunks))?
        }
    };
    let report = context.output.report;
    let indices = index_map.into_indices();
    Ok(Saved { bytes, files: data.files, report, indices })
}
