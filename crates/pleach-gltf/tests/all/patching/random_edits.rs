//! Patches and merges of sample models with random edits of their JSON and bytes.

use pleach_gltf::patch::{Merged, merge};
use pleach_gltf::{Bytes, Document, Options};
use serde_json::{Value, json};
use testkit::Rng;

use super::content::content;
use super::{Model, check_patch};
use crate::common_save::sample_models;

const ARRAYS: [&str; 13] = [
    "nodes",
    "nodes",
    "nodes",
    "meshes",
    "materials",
    "textures",
    "images",
    "samplers",
    "accessors",
    "bufferViews",
    "animations",
    "skins",
    "scenes",
];

fn len(json: &Value, array: &str) -> usize {
    json[array].as_array().map_or(0, Vec::len)
}

/// Makes a random edit. Most results are valid files.
fn edit(model: &mut Model, rng: &mut Rng) {
    let Model { json, files } = model;
    let node = rng.below(len(json, "nodes"));
    let array = ARRAYS[rng.below(ARRAYS.len())];
    let entry = rng.below(len(json, array));
    match rng.below(14) {
        0 if len(json, "nodes") > 0 => {
            let node = &mut json["nodes"][node];
            node.as_object_mut().unwrap().remove("matrix");
            node["translation"] = json!([rng.below(9), 0.5, -1]);
        }
        1 if len(json, "nodes") > 0 => {
            json["nodes"][node]["name"] = json!(format!("n{}", rng.below(5)));
        }
        2 | 3 if len(json, array) > 0 => {
            let extras = [json!({"a": rng.below(9)}), json!([1, "b"]), json!(null), json!([])];
            json[array][entry]["extras"] = extras[rng.below(extras.len())].clone();
        }
        4 if len(json, array) > 0 => {
            json[array][entry]["name"] = json!(format!("{array} {}", rng.below(9)));
        }
        5 | 6 if len(json, "nodes") > 0 => {
            // A new node, below another or in a scene.
            let new = len(json, "nodes");
            let value = json!({"name": format!("new {}", rng.below(4)), "scale": [1, 2, 3]});
            json["nodes"].as_array_mut().unwrap().push(value);
            let (owner, key) = match rng.below(2) {
                0 if len(json, "scenes") > 0 => (&mut json["scenes"][0], "nodes"),
                _ => (&mut json["nodes"][node], "children"),
            };
            match owner[key].as_array_mut() {
                Some(list) => list.insert(rng.below(list.len() + 1), json!(new)),
                None => owner[key] = json!([new]),
            }
        }
        7 if len(json, "nodes") > 1 => swap_nodes(json, node, rng.next_u64() as usize),
        8 if len(json, "scenes") > 0 => {
            if let Some(nodes) = json["scenes"][0]["nodes"].as_array_mut() {
                rng.shuffle(nodes);
            }
        }
        9 => {
            let new = json!({"name": format!("m{}", rng.below(3)), "doubleSided": true});
            match json["materials"].as_array_mut() {
                Some(materials) => materials.push(new),
                None => json["materials"] = json!([new]),
            }
        }
        10 => {
            // The lowest bits of a number, or of an index.
            let name = files.keys().find(|it| it.ends_with("bin")).cloned();
            if let Some(name) = name {
                let mut bytes = files[&name].to_vec();
                let at = rng.below(bytes.len()) & !3;
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 + rng.below(3) as u8;
                }
                files.insert(name, Bytes::from(bytes));
            }
        }
        11 if len(json, "nodes") > 0 && rng.one_in(3) => {
            // An extension with an index, which is not known.
            json["nodes"][node]["extensions"]["VENDOR_link"] = json!({"node": node});
            match json["extensionsUsed"].as_array_mut() {
                Some(used) if used.contains(&json!("VENDOR_link")) => {}
                Some(used) => used.push(json!("VENDOR_link")),
                None => json["extensionsUsed"] = json!(["VENDOR_link"]),
            }
        }
        12 if len(json, "materials") > 0 => {
            let material = rng.below(len(json, "materials"));
            json["materials"][material]["alphaCutoff"] = json!(rng.below(4));
            json["materials"][material]["alphaMode"] = json!("MASK");
        }
        _ => {
            json["extras"] = json!({"version": rng.below(99), "$": {"$bytes": 0}});
            json["asset"]["copyright"] = json!(format!("{}", rng.below(9)));
        }
    }
}

/// Exchanges the indices of two nodes.
fn swap_nodes(json: &mut Value, one: usize, other: usize) {
    let other = other % len(json, "nodes");
    json["nodes"].as_array_mut().unwrap().swap(one, other);
    let renumber = |value: &mut Value| {
        if let Some(index) = value.as_u64() {
            let index = index as usize;
            *value = json!(if index == one {
                other
            } else if index == other {
                one
            } else {
                index
            });
        }
    };
    let each = |value: &mut Value| value.as_array_mut().into_iter().flatten().for_each(renumber);
    let all = |json: &mut Value, array: &str, edit: &dyn Fn(&mut Value)| {
        let array = json.get_mut(array).and_then(Value::as_array_mut);
        array.into_iter().flatten().for_each(edit);
    };
    let member = |value: &mut Value, key: &str, edit: &dyn Fn(&mut Value)| {
        value.get_mut(key).into_iter().for_each(edit);
    };
    all(json, "nodes", &|node| member(node, "children", &each));
    all(json, "scenes", &|scene| member(scene, "nodes", &each));
    all(json, "skins", &|skin| {
        member(skin, "joints", &each);
        member(skin, "skeleton", &renumber);
    });
    all(json, "animations", &|animation| {
        for channel in animation["channels"].as_array_mut().unwrap() {
            member(&mut channel["target"], "node", &renumber);
        }
    });
}

/// Returns the model with some edits, if it can be loaded.
fn edited(model: &Model, rng: &mut Rng, count: usize) -> Option<(Model, Document)> {
    let mut edited = model.clone();
    for _ in 0..count {
        edit(&mut edited, rng);
    }
    let document = edited.try_load().ok()?;
    Some((edited, document))
}

#[test]
fn patches_of_randomly_edited_models_are_correct() {
    let rounds = testkit::Effort::pick(1, 60);
    let mut tried = 0;
    for (path, document) in sample_models() {
        let model = Model::of(&document);
        for seed in 0..rounds {
            let what = format!("{} seed {seed}", path.display());
            let rng = &mut Rng::new(seed);
            let Some((a, before)) = edited(&model, rng, seed as usize % 2) else { continue };
            let count = 1 + rng.below(8);
            let Some((_, after)) = edited(&a, rng, count) else { continue };
            check_patch(&before, &after, &what);
            tried += 1;
        }
    }
    eprintln!("{tried} patches");
}

#[test]
fn merges_of_randomly_edited_models_are_those_of_both_edits_or_conflicts() {
    let rounds = testkit::Effort::pick(1, 30);
    let (mut merged, mut conflicting) = (0, 0);
    for (path, document) in sample_models() {
        let model = Model::of(&document);
        let base = model.load();
        for seed in 0..rounds {
            let what = format!("{} seed {seed}", path.display());
            let rng = &mut Rng::new(seed ^ 0xa5);
            let Some((_, ours)) = edited(&model, rng, 1 + seed as usize % 3) else { continue };
            let Some((_, theirs)) = edited(&model, rng, 1 + seed as usize % 2) else { continue };
            let options = Options::new();
            let expect = |side: [&Document; 3], want: &Document| {
                let result = merge(Some(side[0]), side[1], side[2], &options);
                match result.unwrap_or_else(|error| panic!("{what}: {error}")) {
                    Merged::Document(result) => {
                        assert_eq!(content(&result), content(want), "{what}");
                    }
                    other => panic!("{what}: {other:?}"),
                }
            };
            expect([&base, &ours, &base], &ours);
            expect([&base, &base, &theirs], &theirs);
            expect([&base, &ours, &ours], &ours);
            match merge(Some(&base), &ours, &theirs, &options) {
                Ok(Merged::Document(_)) => merged += 1,
                Ok(Merged::Conflicts(conflicts)) => {
                    assert!(!conflicts.is_empty(), "{what}");
                    conflicting += 1;
                }
                // Indices that an unknown extension may refer to.
                Err(error) => {
                    let message = error.to_string();
                    assert!(
                        message.contains("the merge would change indices"),
                        "{what}: {message}"
                    );
                }
                other => panic!("{what}: {other:?}"),
            }
        }
    }
    eprintln!("{merged} merged, {conflicting} with conflicts");
}
