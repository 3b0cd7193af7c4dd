//! Sample models are unchanged by pruning, and lose unused entries that were added to them.

use std::collections::BTreeSet;

use pleach_gltf::{Bytes, Format, Prune};
use serde_json::{Value, json};

use super::naive::assert_pruned;
use super::prune_and_check::{assert_same, pruned, summary};
use crate::common::samples;
use crate::common_save::{Files, load_with, sample_models, saved, text_of, value};

#[test]
fn pruned_models_are_equal() {
    let mut dropped_bytes = 0;
    for (path, document) in sample_models() {
        let what = path.display().to_string();
        let is_plain = document.json().find("\"extensions\"").is_none();
        let before = value(&text_of(&saved(&document)));
        let (document, dropped) = pruned(document, Prune::new(), &what);
        if is_plain {
            assert_eq!(dropped.skip_reason, None, "{what}");
            assert_pruned(&before, &value(&text_of(&saved(&document))), &what);
        }
        dropped_bytes += dropped.bytes;
        eprintln!("{what}: {}", summary(&dropped));
    }
    eprintln!("{dropped_bytes} bytes dropped");
}

#[test]
fn models_with_merged_entries_and_dropped_nodes_are_equal() {
    for (path, document) in sample_models() {
        let what = path.display().to_string();
        let has_unreferenced = document.unreferenced_nodes().is_some();
        let (document, dropped) =
            pruned(document, Prune::new().drop_unused_nodes().merge_equal(), &what);
        assert!(document.unreferenced_nodes().is_none() || has_unreferenced, "{what}");
        eprintln!("{what}: {}", summary(&dropped));
    }
}

#[test]
fn a_model_without_unused_entries_is_unchanged() {
    let mut unchanged = 0;
    for path in samples::files() {
        let Ok(document) = pleach_gltf::load(&path) else { continue };
        let format = if path.extension().unwrap() == "glb" { Format::Glb } else { Format::Gltf };
        let before = document.save_bytes(format).unwrap();
        let (document, dropped) = Prune::new().run(document).unwrap();
        if dropped.is_empty() {
            let after = document.save_bytes(format).unwrap();
            assert!(after.bytes == before.bytes, "{}", path.display());
            assert_eq!(after.files.len(), before.files.len());
            unchanged += 1;
        }
    }
    assert!(unchanged > 20 || samples::files().is_empty(), "only {unchanged} had nothing unused");
}

/// Adds one to every index in an entry of a list that references one of the lists in `padded`.
fn shift(list: &str, entry: &mut Value, padded: &BTreeSet<&str>) {
    let one = |to: &str, value: &mut Value| {
        if let Some(index) = value.as_u64().filter(|_| padded.contains(to)) {
            *value = json!(index + 1);
        }
    };
    let each = |to: &str, value: &mut Value| match value {
        Value::Array(all) => all.iter_mut().for_each(|it| one(to, it)),
        Value::Object(all) => all.values_mut().for_each(|it| one(to, it)),
        _ => {}
    };
    // Missing members stay missing.
    let mut at = |pointer: &str, to: &str, is_list: bool| {
        if let Some(value) = entry.pointer_mut(pointer) {
            if is_list { each(to, value) } else { one(to, value) }
        }
    };
    match list {
        "nodes" => {
            at("/mesh", "meshes", false);
            at("/skin", "skins", false);
            at("/camera", "cameras", false);
            at("/extensions/KHR_lights_punctual/light", "lights", false);
            at("/extensions/EXT_mesh_gpu_instancing/attributes", "accessors", true);
        }
        "meshes" => {
            for part in 0..entry["primitives"].as_array().map_or(0, Vec::len) {
                let mut at = |name: &str, to: &str, is_list: bool| {
                    if let Some(value) = entry.pointer_mut(&format!("/primitives/{part}{name}")) {
                        if is_list { each(to, value) } else { one(to, value) }
                    }
                };
                at("/attributes", "accessors", true);
                at("/indices", "accessors", false);
                at("/material", "materials", false);
                at("/extensions/KHR_draco_mesh_compression/bufferView", "bufferViews", false);
                for target in 0..8 {
                    at(&format!("/targets/{target}"), "accessors", true);
                }
            }
        }
        "skins" => at("/inverseBindMatrices", "accessors", false),
        "animations" => {
            for sampler in entry["samplers"].as_array_mut().unwrap() {
                one("accessors", &mut sampler["input"]);
                one("accessors", &mut sampler["output"]);
            }
        }
        "materials" => {
            let mut open = vec![&mut *entry];
            while let Some(value) = open.pop() {
                let Value::Object(members) = value else { continue };
                for (key, value) in members.iter_mut() {
                    if key.ends_with("Texture") {
                        one("textures", &mut value["index"]);
                    } else {
                        open.push(value);
                    }
                }
            }
        }
        "textures" => {
            at("/sampler", "samplers", false);
            at("/source", "images", false);
            at("/extensions/EXT_texture_webp/source", "images", false);
        }
        "images" => at("/bufferView", "bufferViews", false),
        "accessors" => {
            at("/bufferView", "bufferViews", false);
            at("/sparse/indices/bufferView", "bufferViews", false);
            at("/sparse/values/bufferView", "bufferViews", false);
        }
        _ => {}
    }
}

const LISTS: [&str; 9] = [
    "meshes",
    "skins",
    "cameras",
    "materials",
    "textures",
    "images",
    "samplers",
    "accessors",
    "bufferViews",
];

/// The members of a view with byte offsets.
const VIEWS: [&str; 3] =
    ["", "/extensions/EXT_meshopt_compression", "/extensions/KHR_meshopt_compression"];

/// Returns a file with an unused copy of the first entry at the front of every list, and with
/// unused bytes at the start of each buffer.
fn padded(file: &Value, files: &Files) -> (Value, Files) {
    const MORE: u64 = 64;
    let (mut file, mut files) = (file.clone(), files.clone());
    let mut lists: BTreeSet<&str> =
        LISTS.into_iter().filter(|list| !file[*list][0].is_null()).collect();
    if file.pointer("/extensions/KHR_lights_punctual/lights/0").is_some() {
        lists.insert("lights");
    }
    for list in LISTS.into_iter().chain(["nodes", "animations"]) {
        for entry in file[list].as_array_mut().into_iter().flatten() {
            shift(list, entry, &lists);
        }
    }
    for list in LISTS.into_iter().chain(["/extensions/KHR_lights_punctual/lights"]) {
        let list = if list.starts_with('/') { list.into() } else { format!("/{list}") };
        if let Some(Value::Array(entries)) = file.pointer_mut(&list)
            && let Some(first) = entries.first().cloned()
        {
            entries.insert(0, first);
        }
    }
    let mut longer = BTreeSet::new();
    for (index, buffer) in file["buffers"].as_array_mut().into_iter().flatten().enumerate() {
        let name = buffer["uri"].as_str().unwrap_or_default().to_string();
        if let Some(bytes) = files.get_mut(&name) {
            *bytes = Bytes::from([&[0xab; MORE as usize], &**bytes].concat());
            buffer["byteLength"] = json!(buffer["byteLength"].as_u64().unwrap() + MORE);
            longer.insert(index as u64);
        }
    }
    let later = |view: &mut Value| {
        if view["buffer"].as_u64().is_some_and(|it| longer.contains(&it)) {
            view["byteOffset"] = json!(view["byteOffset"].as_u64().unwrap_or(0) + MORE);
        }
    };
    for view in file["bufferViews"].as_array_mut().into_iter().flatten() {
        for pointer in VIEWS {
            view.pointer_mut(pointer).into_iter().for_each(later);
        }
    }
    file.as_object_mut().unwrap().retain(|_, value| !value.is_null());
    (file, files)
}

/// Returns a file without byte offsets, which packing may change.
fn without_offsets(file: &Value) -> Value {
    let mut file = file.clone();
    file.as_object_mut().unwrap().remove("buffers");
    for view in file["bufferViews"].as_array_mut().into_iter().flatten() {
        for pointer in VIEWS {
            if let Some(Value::Object(view)) = view.pointer_mut(pointer) {
                view.remove("byteOffset");
                view.remove("buffer");
            }
        }
    }
    file.as_object_mut().unwrap().retain(|_, value| !value.is_null());
    file
}

#[test]
fn added_unused_entries_are_dropped_again() {
    let mut tried = 0;
    for (path, document) in sample_models() {
        let what = path.display().to_string();
        if !Prune::new().run(document).unwrap().1.is_empty() {
            continue;
        }
        let document = pleach_gltf::load(&path).unwrap();
        let before = document.save_bytes(Format::Gltf).unwrap();
        let original = value(&text_of(&before));
        let files: Files = before.files.iter().cloned().collect();
        let (file, files) = padded(&original, &files);
        let made = load_with(&file.to_string(), &files);
        assert_same(&document, &made, &what);
        let (made, dropped) = pruned(made, Prune::new(), &what);
        if dropped.skip_reason.is_some() {
            continue;
        }
        let after = value(&text_of(&saved(&made)));
        assert_eq!(without_offsets(&after), without_offsets(&original), "{what}");
        assert_same(&document, &made, &what);
        tried += 1;
    }
    assert!(tried > 40 || samples::files().is_empty(), "only {tried} models were padded");
}
