//! Helpers of the tests of saving: loading, saving, loading again, and describing scenes.

mod check;
mod check_buffers;
mod describe;
mod differences;
mod yard;

use std::collections::BTreeMap;
use std::path::PathBuf;

use pleach::{NodeId, Scene};
use pleach_gltf::{Bytes, Document, Format, Options, Saved};
use serde_json::Value;

use crate::common::container::chunks_of;
use crate::common::samples;

pub(crate) use check::{check_file, check_file_with, errors};
pub(crate) use describe::{
    assert_same_scene, describe, geometry_bits, light_values, material_line,
};
pub(crate) use differences::{assert_differences, check_notation, differences};
pub(crate) use yard::{AccessorBuilder, load_yard, yard};

/// The formats that a document can be saved in.
pub(crate) const FORMATS: [Format; 2] = [Format::Gltf, Format::Glb];

/// The files of a model, by name.
pub(crate) type Files = BTreeMap<String, Bytes>;

/// Loads a model without files.
pub(crate) fn load(text: &str) -> Document {
    load_with(text, &Files::new())
}

/// Loads a model with files.
pub(crate) fn load_with(text: &str, files: &Files) -> Document {
    Options::new().load_with(text.as_bytes().to_vec(), files).unwrap()
}

/// Saves a document as `.gltf` and checks it.
pub(crate) fn saved(document: &Document) -> Saved {
    document.save_bytes(Format::Gltf).unwrap()
}

pub(crate) fn text_of(saved: &Saved) -> String {
    String::from_utf8(saved.bytes.clone()).unwrap()
}

/// Loads a saved file.
pub(crate) fn again(saved: &Saved) -> Document {
    let files: Files = saved.files.iter().cloned().collect();
    Options::new().load_with(saved.bytes.clone(), &files).unwrap()
}

/// Returns the JSON text of either format.
pub(crate) fn json_of(bytes: &[u8]) -> String {
    if !bytes.starts_with(b"glTF") {
        return String::from_utf8(bytes.to_vec()).unwrap();
    }
    String::from_utf8(chunks_of(bytes)[0].1.clone()).unwrap()
}

pub(crate) fn value(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error} in\n{text}"))
}

/// Returns the text with its JSON value edited, for edits that change many indices.
pub(crate) fn with(text: &str, edit: impl FnOnce(&mut Value)) -> String {
    let mut value = value(text);
    edit(&mut value);
    value.to_string()
}

/// Returns a node of a scene by name.
pub(crate) fn find(scene: &Scene, name: &str) -> NodeId {
    scene.graph.find(name).unwrap_or_else(|| panic!("no {name}"))
}

/// Returns all sample models that can be loaded.
pub(crate) fn sample_models() -> impl Iterator<Item = (PathBuf, Document)> {
    samples::files().into_iter().filter_map(|path| match pleach_gltf::load(&path) {
        Ok(document) => Some((path, document)),
        Err(error) if error.pointer().starts_with("/extensionsRequired") => {
            eprintln!("SKIPPED: {error}");
            None
        }
        Err(error) => panic!("{error}"),
    })
}
