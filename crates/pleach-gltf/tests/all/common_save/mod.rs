//! What the tests of saving share: loading, saving and loading again, and what a scene is.

mod bytes;
mod check;
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

pub(crate) use check::{check_file, faults};
pub(crate) use describe::{
    assert_same_scene, describe, geometry_bits, light_values, material_line,
};
pub(crate) use differences::{assert_differences, check_writing, differences};
pub(crate) use yard::{Columns, load_yard, yard};

/// What a document can be saved as.
pub(crate) const FORMS: [Format; 2] = [Format::Gltf, Format::Glb];

/// Files beside a model, by name.
pub(crate) type Files = BTreeMap<String, Bytes>;

/// A model without files.
pub(crate) fn load(text: &str) -> Document {
    load_with(text, &Files::new())
}

/// A model with files.
pub(crate) fn load_with(text: &str, files: &Files) -> Document {
    Options::new().load_with(text.as_bytes().to_vec(), files).unwrap()
}

/// What a document is as JSON.
pub(crate) fn saved(document: &Document) -> Saved {
    document.save_bytes(Format::Gltf).unwrap()
}

pub(crate) fn text_of(saved: &Saved) -> String {
    String::from_utf8(saved.bytes.clone()).unwrap()
}

/// What a document is, loaded again.
pub(crate) fn again(saved: &Saved) -> Document {
    let files: Files = saved.files.iter().cloned().collect();
    Options::new().load_with(saved.bytes.clone(), &files).unwrap()
}

/// The JSON of either form.
pub(crate) fn json_of(bytes: &[u8]) -> String {
    if !bytes.starts_with(b"glTF") {
        return String::from_utf8(bytes.to_vec()).unwrap();
    }
    String::from_utf8(chunks_of(bytes)[0].1.clone()).unwrap()
}

pub(crate) fn value(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|fault| panic!("{fault} in\n{text}"))
}

/// Text with its JSON changed as JSON: what is expected of an edit that moves many numbers.
pub(crate) fn with(text: &str, edit: impl FnOnce(&mut Value)) -> String {
    let mut value = value(text);
    edit(&mut value);
    value.to_string()
}

/// A node of a scene by its name.
pub(crate) fn find(scene: &Scene, name: &str) -> NodeId {
    scene.graph.find(name).unwrap_or_else(|| panic!("no {name}"))
}

/// All models that can be read.
pub(crate) fn opened() -> impl Iterator<Item = (PathBuf, Document)> {
    samples::files().into_iter().filter_map(|path| match pleach_gltf::load(&path) {
        Ok(document) => Some((path, document)),
        Err(fault) if fault.pointer().starts_with("/extensionsRequired") => {
            eprintln!("SKIPPED: {fault}");
            None
        }
        Err(fault) => panic!("{fault}"),
    })
}
