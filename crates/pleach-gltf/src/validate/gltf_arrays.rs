//! The accessors of the JSON and the objects that reference them; `accessors.rs` and
//! `primitives.rs` compare them with the data.
//!
//! The loader has accepted the file. An array that cannot be parsed here is empty and not checked.

use std::collections::BTreeMap;

use crate::Document;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The component type FLOAT.
pub(super) const FLOAT: u64 = 5126;

/// Returns the name of a component type.
pub(super) fn component_name(component_type: u64) -> &'static str {
    match component_type {
        5120 => "BYTE",
        5121 => "UNSIGNED_BYTE",
        5122 => "SHORT",
        5123 => "UNSIGNED_SHORT",
        5125 => "UNSIGNED_INT",
        _ => "FLOAT",
    }
}

/// Returns the array at a JSON pointer, empty if it is absent or cannot be parsed.
fn array<T: DeserializeOwned>(document: &Document, pointer: &str) -> Vec<T> {
    document.raw(pointer).and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
}

#[derive(Debug)]
pub(super) struct GltfArrays {
    pub(super) accessors: Vec<Accessor>,
    pub(super) views: Vec<View>,
    pub(super) meshes: Vec<Mesh>,
    pub(super) animations: Vec<Animation>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Accessor {
    pub(super) buffer_view: Option<f64>,
    pub(super) byte_offset: Option<f64>,
    pub(super) component_type: f64,
    #[serde(default)]
    pub(super) normalized: bool,
    pub(super) count: f64,
    /// Not checked by the loader: any value is possible.
    pub(super) min: Option<Value>,
    pub(super) max: Option<Value>,
}

#[derive(Debug, Deserialize)]
pub(super) struct View {
    pub(super) target: Option<Value>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Mesh {
    #[serde(default)]
    pub(super) primitives: Vec<Primitive>,
}

/// Accessors by attribute name.
pub(super) type Attributes = BTreeMap<String, f64>;

#[derive(Debug, Deserialize)]
pub(super) struct Primitive {
    #[serde(default)]
    pub(super) attributes: Attributes,
    pub(super) indices: Option<f64>,
    pub(super) mode: Option<f64>,
    #[serde(default)]
    pub(super) targets: Vec<Attributes>,
    #[serde(default)]
    pub(super) extensions: PrimitiveExtensions,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct PrimitiveExtensions {
    #[serde(rename = "KHR_materials_variants", default)]
    pub(super) variants: VariantMappings,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct VariantMappings {
    #[serde(default)]
    pub(super) mappings: Vec<VariantMapping>,
}

#[derive(Debug, Deserialize)]
pub(super) struct VariantMapping {
    #[serde(default)]
    pub(super) variants: Vec<u64>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Animation {
    #[serde(default)]
    pub(super) samplers: Vec<Sampler>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Sampler {
    pub(super) input: f64,
}

impl GltfArrays {
    pub(super) fn new(document: &Document) -> Self {
        Self {
            accessors: array(document, "/accessors"),
            views: array(document, "/bufferViews"),
            meshes: array(document, "/meshes"),
            animations: array(document, "/animations"),
        }
    }

    pub(super) fn accessor(&self, index: f64) -> Option<&Accessor> {
        self.accessors.get(index as usize)
    }

    /// Returns all primitives with their JSON pointers.
    pub(super) fn primitives(&self) -> impl Iterator<Item = (String, &Primitive)> {
        self.meshes.iter().enumerate().flat_map(|(mesh, it)| {
            let named = move |(number, it)| (format!("/meshes/{mesh}/primitives/{number}"), it);
            it.primitives.iter().enumerate().map(named)
        })
    }
}

impl Primitive {
    /// Returns its attributes and those of its morph targets, with the pointer relative to the
    /// primitive.
    pub(super) fn lists(&self) -> impl Iterator<Item = (String, &Attributes)> {
        let targets = self.targets.iter().enumerate();
        let targets = targets.map(|(number, it)| (format!("/targets/{number}"), it));
        std::iter::once(("/attributes".into(), &self.attributes)).chain(targets)
    }
}
