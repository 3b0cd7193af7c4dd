//! Finds what scenes do not support and copies therefore lose: extras, unknown extensions and
//! attributes, and names.

use std::collections::BTreeSet;

use anyhow::Context;
use pleach_gltf::Document;
use serde::Deserialize;

use super::json_entry::{Array, Entry, SUPPORTED_OF_TEXTURES};
use crate::input::resolve::join_truncated;
use crate::report::units::count;

/// Other extensions that scenes support.
const SUPPORTED: [&str; 16] = [
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
    "KHR_texture_transform",
];

/// The arrays of a file, as far as they are examined.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct GltfEntries {
    nodes: Vec<Entry>,
    meshes: Vec<Entry>,
    materials: Vec<Entry>,
    textures: Vec<Entry>,
    samplers: Vec<Entry>,
    images: Vec<Entry>,
    skins: Vec<Entry>,
    cameras: Vec<Entry>,
    animations: Vec<Entry>,
    extensions: Option<Extensions>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Extensions {
    #[serde(rename = "KHR_lights_punctual")]
    lights: Option<Lights>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Lights {
    lights: Vec<Entry>,
}

impl GltfEntries {
    pub(super) fn of(document: &Document) -> anyhow::Result<Self> {
        // The loader has parsed the same JSON more strictly.
        serde_json::from_str(document.json()).context("cannot parse its JSON")
    }

    fn lights(&self) -> &[Entry] {
        let lights = self.extensions.as_ref().and_then(|it| it.lights.as_ref());
        lights.map_or(&[], |it| &it.lights)
    }

    /// Returns `true` if an animation has extras.
    pub(super) fn has_animation_extras(&self, animation: usize) -> bool {
        self.animations.get(animation).is_some_and(|animation| animation.has_extras)
    }

    /// Returns notes about what copies of these nodes lose, including objects they reference.
    /// `nodes` has the index of each node and whether its skin is copied.
    pub(super) fn omitted(&self, nodes: &[(usize, bool)]) -> Vec<String> {
        let skinned = nodes.iter().filter(|node| node.1).map(|node| node.0);
        let skinned = entries_at(&self.nodes, skinned);
        let nodes = entries_at(&self.nodes, nodes.iter().map(|node| node.0));
        let skins = referenced(&self.skins, &skinned, Array::Skins);
        let cameras = referenced(&self.cameras, &nodes, Array::Cameras);
        let lights = referenced(self.lights(), &nodes, Array::Lights);
        let meshes = referenced(&self.meshes, &nodes, Array::Meshes);
        let parts: Vec<&Entry> = meshes.iter().flat_map(|mesh| &mesh.primitives).collect();
        let materials = referenced(&self.materials, &parts, Array::Materials);
        let textures = referenced(&self.textures, &materials, Array::Textures);
        let samplers = referenced(&self.samplers, &textures, Array::Samplers);
        let images = referenced(&self.images, &textures, Array::Images);

        // The flag marks objects whose names scenes do not store.
        let kinds = [
            ("node", &nodes, false),
            ("mesh", &meshes, true),
            ("primitive", &parts, false),
            ("material", &materials, false),
            ("texture", &textures, true),
            ("sampler", &samplers, true),
            ("image", &images, false),
            ("skin", &skins, true),
            ("camera", &cameras, true),
            ("light", &lights, true),
        ];
        let (mut extras, mut names) = (Vec::new(), Vec::new());
        let mut extensions: BTreeSet<&str> = BTreeSet::new();
        let mut attributes: BTreeSet<&str> = BTreeSet::new();
        for (kind, entries, is_unnamed) in kinds {
            let count_lost = |list: &mut Vec<String>, is_lost: fn(&Entry) -> bool| {
                let number = entries.iter().filter(|entry| is_lost(entry)).count();
                if number > 0 {
                    list.push(count(number, kind));
                }
            };
            count_lost(&mut extras, |entry| entry.has_extras);
            if is_unnamed {
                count_lost(&mut names, |entry| entry.has_name);
            }
            for entry in entries {
                extensions.extend(entry.extensions.iter().map(String::as_str));
                attributes.extend(entry.attributes.iter().map(String::as_str));
            }
        }
        extensions
            .retain(|name| !SUPPORTED.contains(name) && !SUPPORTED_OF_TEXTURES.contains(name));
        let list = |names: BTreeSet<&str>| join_truncated(names.into_iter().map(String::from));
        let mut notes = Vec::new();
        if !extras.is_empty() {
            notes.push(format!("not copied: extras of {}", extras.join(", ")));
        }
        if !extensions.is_empty() {
            let names = list(extensions);
            notes.push(format!("not copied: extensions {names}"));
        }
        if !attributes.is_empty() {
            notes.push(format!("not copied: vertex attributes {}", list(attributes)));
        }
        if !names.is_empty() {
            notes.push(format!("not copied: names of {}", names.join(", ")));
        }
        notes
    }
}

/// Returns the entries that `by` reference, each once.
fn referenced<'a>(list: &'a [Entry], by: &[&Entry], kind: Array) -> Vec<&'a Entry> {
    entries_at(list, by.iter().flat_map(|entry| entry.referenced(kind)))
}

/// Returns the entries at `indices`, each once.
fn entries_at(list: &[Entry], indices: impl Iterator<Item = usize>) -> Vec<&Entry> {
    let indices: BTreeSet<usize> = indices.collect();
    indices.into_iter().filter_map(|index| list.get(index)).collect()
}
