//! Finds what scenes do not support and copies therefore lose: extras, unknown extensions and
//! attributes, and names.

use std::collections::{BTreeMap, BTreeSet};

use pleach_gltf::references::References;
use pleach_gltf::{Document, GltfArray, Support, supports};
use serde_json::value::RawValue;

use crate::input::resolve::join_truncated;
use crate::report::units::count;

/// The entries of a file and what refers to what.
pub(super) struct GltfEntries {
    /// A copy: the document is edited while this is in use.
    json: String,
}

/// The data of an entry that a copy does not have.
#[derive(Debug, Default)]
struct LostData {
    has_name: bool,
    /// Excludes the names of morph targets, which scenes support.
    has_extras: bool,
    extensions: BTreeSet<String>,
    /// The attributes that scenes do not support.
    attributes: BTreeSet<String>,
}

/// The depth of nested values in which extras and extensions are searched.
const MAX_DEPTH: usize = 8;

impl GltfEntries {
    pub(super) fn of(document: &Document) -> Self {
        Self { json: document.json().into() }
    }

    /// Returns `true` if an animation has extras.
    pub(super) fn has_animation_extras(&self, animation: usize) -> bool {
        let references = References::from_json(&self.json);
        let animation = references.entry(GltfArray::Animations, animation);
        animation.is_some_and(|text| LostData::of(text).has_extras)
    }

    /// Returns notes about what copies of these nodes lose, including objects they reference.
    /// `nodes` has the index of each node and whether its skin is copied.
    pub(super) fn omitted(&self, nodes: &[(usize, bool)]) -> Vec<String> {
        use GltfArray::{
            Cameras, Images, Lights, Materials, Meshes, Nodes, Samplers, Skins, Textures,
        };
        let references = References::from_json(&self.json);
        let referenced = |by: GltfArray, indices: &BTreeSet<usize>, to: GltfArray| {
            let references = indices.iter().flat_map(|&index| references.of_entry(by, index));
            references.filter(|it| it.array == to).map(|it| it.index).collect::<BTreeSet<_>>()
        };
        let skinned = nodes.iter().filter(|it| it.1).map(|it| it.0).collect();
        let nodes = nodes.iter().map(|it| it.0).collect();
        let meshes = referenced(Nodes, &nodes, Meshes);
        let materials = referenced(Meshes, &meshes, Materials);
        let textures = referenced(Materials, &materials, Textures);
        let of = |array: GltfArray, indices: &BTreeSet<usize>| -> Vec<LostData> {
            let entries = indices.iter().filter_map(|&index| references.entry(array, index));
            entries.map(LostData::of).collect()
        };
        let of_nodes = nodes.iter().filter_map(|&node| references.entry(Nodes, node));
        let of_nodes = of_nodes.map(LostData::of_node).collect();
        let primitives = meshes.iter().filter_map(|&mesh| references.entry(Meshes, mesh));
        let primitives = primitives.flat_map(primitives_of).map(LostData::of).collect();

        // The flag marks objects whose names scenes do not store.
        let kinds = [
            ("node", of_nodes, false),
            ("mesh", of(Meshes, &meshes), true),
            ("primitive", primitives, false),
            ("material", of(Materials, &materials), false),
            ("texture", of(Textures, &textures), true),
            ("sampler", of(Samplers, &referenced(Textures, &textures, Samplers)), true),
            ("image", of(Images, &referenced(Textures, &textures, Images)), false),
            ("skin", of(Skins, &referenced(Nodes, &skinned, Skins)), true),
            ("camera", of(Cameras, &referenced(Nodes, &nodes, Cameras)), true),
            ("light", of(Lights, &referenced(Nodes, &nodes, Lights)), true),
        ];
        let (mut extras, mut names) = (Vec::new(), Vec::new());
        let mut extensions: BTreeSet<String> = BTreeSet::new();
        let mut attributes: BTreeSet<String> = BTreeSet::new();
        for (kind, entries, is_unnamed) in kinds {
            let count_lost = |list: &mut Vec<String>, is_lost: fn(&LostData) -> bool| {
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
                extensions.extend(entry.extensions);
                attributes.extend(entry.attributes);
            }
        }
        extensions.retain(|name| supports(name) != Support::Loaded);
        let list = |names: BTreeSet<String>| join_truncated(names.into_iter());
        let mut notes = Vec::new();
        if !extras.is_empty() {
            notes.push(format!("not copied: extras of {}", extras.join(", ")));
        }
        if !extensions.is_empty() {
            notes.push(format!("not copied: extensions {}", list(extensions)));
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

type Members<'a> = BTreeMap<String, &'a RawValue>;

/// Returns the members of an object, none for other values.
fn members(text: &str) -> Members<'_> {
    serde_json::from_str(text).unwrap_or_default()
}

/// Returns the elements of an array, none for other values.
fn elements(text: &str) -> Vec<&RawValue> {
    serde_json::from_str(text).unwrap_or_default()
}

/// Returns the primitives of a mesh.
fn primitives_of(mesh: &str) -> Vec<&str> {
    let primitives = members(mesh).get("primitives").map(|it| elements(it.get()));
    primitives.into_iter().flatten().map(RawValue::get).collect()
}

impl LostData {
    /// Examines an entry of the file; a mesh without its primitives.
    fn of(text: &str) -> Self {
        let mut lost = Self::default();
        let mut entry = members(text);
        lost.has_name = entry.get("name").is_some_and(|it| it.get().starts_with('"'));
        entry.remove("primitives");
        lost.object(&entry, 0);
        lost
    }

    /// Examines a node. Its extras and unknown extensions are copied; those that cannot be are
    /// warnings of the save.
    fn of_node(text: &str) -> Self {
        let mut lost = Self::default();
        let mut entry = members(text);
        entry.remove("extras");
        let extensions = entry.remove("extensions").map(|it| members(it.get()));
        lost.object(&entry, 0);
        for (name, value) in extensions.into_iter().flatten() {
            if supports(&name) == Support::Loaded {
                lost.object(&members(value.get()), 2);
            }
        }
        lost
    }

    fn object(&mut self, object: &Members<'_>, depth: usize) {
        for (key, value) in object {
            let text = value.get();
            match &**key {
                "extras" => self.has_extras |= has_extras(text),
                "extensions" => {
                    let extensions = members(text);
                    self.extensions.extend(extensions.keys().cloned());
                    self.object(&extensions, depth + 1);
                }
                "attributes" => self.attributes(text, false),
                "targets" => {
                    elements(text).into_iter().for_each(|it| self.attributes(it.get(), true));
                }
                _ if depth < MAX_DEPTH && text.starts_with('{') => {
                    self.object(&members(text), depth + 1);
                }
                _ => {}
            }
        }
    }

    fn attributes(&mut self, text: &str, is_target: bool) {
        let names = members(text).into_keys();
        self.attributes.extend(names.filter(|it| !is_copied_attribute(it, is_target)));
    }
}

/// Returns `true` if extras contain anything except the names of morph targets.
fn has_extras(text: &str) -> bool {
    match text.starts_with('{') {
        true => members(text).keys().any(|key| key != "targetNames"),
        false => text != "null",
    }
}

/// Returns `true` if scenes support an attribute of vertices, instances or morph targets.
fn is_copied_attribute(name: &str, is_target: bool) -> bool {
    let set = name.rsplit_once('_').filter(|(_, set)| set.parse::<u8>().is_ok());
    match (name, set) {
        ("POSITION" | "NORMAL" | "TANGENT", _) => true,
        ("TRANSLATION" | "ROTATION" | "SCALE", _)
        | (_, Some(("TEXCOORD" | "COLOR" | "JOINTS" | "WEIGHTS", _))) => !is_target,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_and_attributes_of_an_entry_are_found() {
        let node = LostData::of(
            r#"{"mesh": 2.0, "name": "a", "extensions":
                {"KHR_lights_punctual": {"light": 3}, "X": {"a": {"extensions": {"Z": {}}}}}}"#,
        );
        assert_eq!(Vec::from_iter(&node.extensions), ["KHR_lights_punctual", "X", "Z"]);
        assert!(node.has_name && !node.has_extras);
        let mesh = r#"{"primitives": [{"attributes": {"POSITION": 0, "COLOR_1": 1, "_TEMP": 2,
                "COLOR_x": 3}, "targets": [{"NORMAL": 0, "TEXCOORD_0": 1}], "material": 4}],
                "extras": {"targetNames": []}}"#;
        let [primitive] = primitives_of(mesh)[..] else { panic!("{mesh}") };
        let attributes = LostData::of(primitive).attributes;
        assert_eq!(Vec::from_iter(&attributes), ["COLOR_x", "TEXCOORD_0", "_TEMP"]);
        let mesh = LostData::of(mesh);
        assert!(!mesh.has_extras && !mesh.has_name && mesh.attributes.is_empty());
    }

    #[test]
    fn extras_of_any_type_and_depth_are_found() {
        let deep = format!("{}{}", "[".repeat(1000), "]".repeat(1000));
        for (extras, is_some) in [
            ("null", false),
            ("{}", false),
            ("0", true),
            ("0.5", true),
            ("\"\"", true),
            ("false", true),
            ("{\"targetNames\": [], \"a\": 1}", true),
            (&deep, true),
        ] {
            let text = format!("{{\"extras\": {extras}, \"x\": {deep}}}");
            assert_eq!(LostData::of(&text).has_extras, is_some, "{extras:.20}");
        }
    }
}
