//! What a file's JSON says that a loaded document does not: counts, names, who made it.
//!
//! The loader has accepted the file; what cannot be read here counts as not there.

use pleach_gltf::Document;
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::Value;

/// Who made the file, and how.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Asset {
    #[serde(default)]
    pub(crate) version: String,
    #[serde(default)]
    pub(crate) generator: Option<String>,
    #[serde(default)]
    pub(crate) copyright: Option<String>,
}

/// Anything that may have a name.
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

/// What is at a JSON pointer of the file, if it is that.
pub(crate) fn read<T: DeserializeOwned>(document: &Document, pointer: &str) -> Option<T> {
    serde_json::from_str(document.raw(pointer)?).ok()
}

/// A list at a JSON pointer, empty if there is none.
pub(crate) fn array<T: DeserializeOwned>(document: &Document, pointer: &str) -> Vec<T> {
    read(document, pointer).unwrap_or_default()
}

/// How long a list is.
pub(crate) fn array_len(document: &Document, pointer: &str) -> usize {
    // These take no memory, however many they are.
    array::<IgnoredAny>(document, pointer).len()
}

/// The name of an entry of a list.
pub(crate) fn name_at(names: &[Named], index: usize) -> Option<String> {
    names.get(index)?.name().map(Into::into)
}

/// The file's lights.
pub(crate) const LIGHTS: &str = "/extensions/KHR_lights_punctual/lights";

/// Of all buffers, as the file says.
pub(crate) fn buffer_bytes(document: &Document) -> u64 {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Buffer {
        byte_length: f64,
    }
    let buffers: Vec<Buffer> = array(document, "/buffers");
    buffers.iter().fold(0, |sum: u64, buffer| sum.saturating_add(buffer.byte_length as u64))
}
