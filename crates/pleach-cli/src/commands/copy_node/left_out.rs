//! What a file says about nodes, meshes and materials that scenes do not hold, so that copies
//! cannot have it: extras, and extensions that are not known.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Context;
use pleach_gltf::Document;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use crate::choose::some;
use crate::units::count;

/// Extensions of nodes, meshes and materials whose content scenes hold.
const HELD: [&str; 15] = [
    "EXT_mesh_gpu_instancing",
    "KHR_draco_mesh_compression",
    "KHR_lights_punctual",
    "KHR_materials_anisotropy",
    "KHR_materials_clearcoat",
    "KHR_materials_dispersion",
    "KHR_materials_emissive_strength",
    "KHR_materials_ior",
    "KHR_materials_iridescence",
    "KHR_materials_sheen",
    "KHR_materials_specular",
    "KHR_materials_transmission",
    "KHR_materials_unlit",
    "KHR_materials_volume",
    "KHR_node_visibility",
];

/// A file's lists, as far as they are looked at.
#[derive(Deserialize)]
pub(super) struct Lists {
    #[serde(default)]
    nodes: Vec<Entry>,
    #[serde(default)]
    meshes: Vec<Entry>,
    #[serde(default)]
    materials: Vec<Entry>,
}

/// A node, mesh, primitive or material.
#[derive(Deserialize)]
struct Entry {
    extras: Option<Value>,
    #[serde(default)]
    extensions: BTreeMap<String, IgnoredAny>,
    /// Indices may be written as 1.0.
    mesh: Option<f64>,
    material: Option<f64>,
    #[serde(default)]
    primitives: Vec<Entry>,
}

impl Lists {
    pub(super) fn of(document: &Document) -> anyhow::Result<Self> {
        // It was read before, and more was asked of it.
        serde_json::from_str(document.json()).context("its JSON cannot be read again")
    }

    /// How many nodes the file has.
    pub(super) fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// What copies of these nodes will not have, of what the file says of them, their meshes
    /// and materials.
    pub(super) fn left_out(&self, nodes: &[usize]) -> Vec<String> {
        let nodes = picked(&self.nodes, nodes.iter().copied());
        let meshes = nodes.iter().filter_map(|node| node.mesh);
        let meshes = picked(&self.meshes, meshes.map(|mesh| mesh as usize));
        let parts: Vec<&Entry> = meshes.iter().flat_map(|mesh| &mesh.primitives).collect();
        let materials = parts.iter().filter_map(|part| part.material);
        let materials = picked(&self.materials, materials.map(|material| material as usize));

        let kinds =
            [("node", &nodes), ("mesh", &meshes), ("primitive", &parts), ("material", &materials)];
        let mut extras: Vec<String> = Vec::new();
        let mut extensions: BTreeSet<&str> = BTreeSet::new();
        for (kind, entries) in kinds {
            let number = entries.iter().filter(|entry| entry.has_extras()).count();
            if number > 0 {
                extras.push(count(number, kind));
            }
            let names = entries.iter().flat_map(|entry| entry.extensions.keys());
            extensions.extend(names.map(String::as_str).filter(|name| !HELD.contains(name)));
        }
        let mut notes = Vec::new();
        if !extras.is_empty() {
            notes.push(format!("not copied: extras of {}", extras.join(", ")));
        }
        if !extensions.is_empty() {
            let names = some(extensions.into_iter().map(String::from));
            notes.push(format!("not copied: what these extensions say: {names}"));
        }
        notes
    }
}

impl Entry {
    /// Does it have extras, beside the names of morph targets, which scenes hold?
    fn has_extras(&self) -> bool {
        match &self.extras {
            Some(Value::Object(members)) => members.keys().any(|key| key != "targetNames"),
            extras => extras.is_some(),
        }
    }
}

/// Entries of a list, each once.
fn picked(list: &[Entry], indices: impl Iterator<Item = usize>) -> Vec<&Entry> {
    let indices: BTreeSet<usize> = indices.collect();
    indices.into_iter().filter_map(|index| list.get(index)).collect()
}
