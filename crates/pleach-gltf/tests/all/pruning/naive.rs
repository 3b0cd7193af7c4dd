//! A naive walk over JSON values that finds the used entries of a file.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// The used entries of each list.
type Used = BTreeMap<&'static str, BTreeSet<usize>>;

/// Returns the entries that nodes and animations use, for files with core glTF only.
fn used(file: &Value) -> Used {
    let mut used = Used::new();
    let count = |list: &str| file[list].as_array().map_or(0, Vec::len);
    for node in 0..count("nodes") {
        mark_used(file, "nodes", node, &mut used);
    }
    for animation in 0..count("animations") {
        for sampler in file["animations"][animation]["samplers"].as_array().unwrap() {
            for key in ["input", "output"] {
                mark_used(file, "accessors", sampler[key].as_u64().unwrap() as usize, &mut used);
            }
        }
    }
    used
}

fn mark_used(file: &Value, list: &'static str, index: usize, used: &mut Used) {
    if !used.entry(list).or_default().insert(index) {
        return;
    }
    let entry = &file[list][index];
    let mut go = |to: &'static str, at: &Value| {
        if let Some(index) = at.as_u64() {
            mark_used(file, to, index as usize, used);
        }
    };
    let each = |value: &Value| -> Vec<Value> {
        match value {
            Value::Array(all) => all.clone(),
            Value::Object(all) => all.values().cloned().collect(),
            _ => Vec::new(),
        }
    };
    match list {
        "nodes" => {
            for (key, to) in [("mesh", "meshes"), ("skin", "skins"), ("camera", "cameras")] {
                go(to, &entry[key]);
            }
        }
        "meshes" => {
            for part in each(&entry["primitives"]) {
                go("materials", &part["material"]);
                go("accessors", &part["indices"]);
                each(&part["attributes"]).iter().for_each(|it| go("accessors", it));
                for target in each(&part["targets"]) {
                    each(&target).iter().for_each(|it| go("accessors", it));
                }
            }
        }
        "skins" => go("accessors", &entry["inverseBindMatrices"]),
        "materials" => {
            let pbr = &entry["pbrMetallicRoughness"];
            go("textures", &pbr["baseColorTexture"]["index"]);
            go("textures", &pbr["metallicRoughnessTexture"]["index"]);
            for key in ["normalTexture", "occlusionTexture", "emissiveTexture"] {
                go("textures", &entry[key]["index"]);
            }
        }
        "textures" => {
            go("images", &entry["source"]);
            go("samplers", &entry["sampler"]);
        }
        "images" => go("bufferViews", &entry["bufferView"]),
        "accessors" => {
            go("bufferViews", &entry["bufferView"]);
            for key in ["indices", "values"] {
                go("bufferViews", &entry["sparse"][key]["bufferView"]);
            }
        }
        "bufferViews" => go("buffers", &entry["buffer"]),
        _ => {}
    }
}

/// Asserts that the lists of a pruned file are those of the original without unused entries.
pub(crate) fn assert_pruned(before: &Value, after: &Value, what: &str) {
    let used = used(before);
    for list in [
        "meshes",
        "skins",
        "cameras",
        "materials",
        "textures",
        "images",
        "samplers",
        "accessors",
        "bufferViews",
    ] {
        let left = used.get(list).map_or(0, BTreeSet::len);
        let names = |file: &Value, is_used: &dyn Fn(usize) -> bool| -> Vec<String> {
            let all = file[list].as_array().into_iter().flatten().enumerate();
            let all = all.filter(|(index, _)| is_used(*index));
            all.map(|(_, entry)| entry["name"].to_string()).collect()
        };
        let before = names(before, &|index| used.get(list).is_some_and(|it| it.contains(&index)));
        assert_eq!(names(after, &|_| true), before, "{what}: {list}");
        assert_eq!(after[list].as_array().map_or(0, Vec::len), left, "{what}: {list}");
    }
}
