//! Access to the JSON members that a loaded document does not keep: counts, names, `asset`.
//!
//! The loader has accepted the file; a value that cannot be parsed here is treated as absent.

use pleach_gltf::Document;
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::Value;

/// The `asset` member of the file.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Asset {
    #[serde(default)]
    pub(crate) version: String,
    #[serde(default)]
    pub(crate) generator: Option<String>,
    #[serde(default)]
    pub(crate) copyright: Option<String>,
}

/// An object with an optional name.
#[derive(Debug, Deserialize)]
pub(crate) struct Named {
    #[serde(default)]
    name: Option<Value>,
}

impl Named {
    pub(crate) fn name(&self) -> Option<&str> {
        self.name.as_ref()?.as_str()
    }
}

/// Returns the value at a JSON pointer, or `None` if it is absent or of another type.
pub(crate) fn read<T: DeserializeOwned>(document: &Document, pointer: &str) -> Option<T> {
    serde_json::from_str(document.raw(pointer)?).ok()
}

/// Returns the array at a JSON pointer, empty if it is absent.
pub(crate) fn array<T: DeserializeOwned>(document: &Document, pointer: &str) -> Vec<T> {
    read(document, pointer).unwrap_or_default()
}

/// Returns the number of elements of the array at a JSON pointer.
pub(crate) fn array_len(document: &Document, pointer: &str) -> usize {
    // A `Vec` of zero-sized values does not allocate.
    array::<IgnoredAny>(document, pointer).len()
}

/// Returns the name of the entry at `index`.
pub(crate) fn name_at(names: &[Named], index: usize) -> Option<String> {
    names.get(index)?.name().map(Into::into)
}

/// The JSON pointer to the lights of the file.
pub(crate) const LIGHTS: &str = "/extensions/KHR_lights_punctual/lights";

/// Returns the sum of the `byteLength`s of all buffers.
pub(crate) fn buffer_bytes(document: &Document) -> u64 {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Buffer {
        byte_length: f64,
    }
    let buffers: Vec<Buffer> = array(document, "/buffers");
    buffers.iter().fold(0, |sum: u64, buffer| sum.saturating_add(buffer.byte_length as u64))
}
