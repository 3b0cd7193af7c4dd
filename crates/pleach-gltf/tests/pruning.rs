//! Pruning: what nothing uses goes, all else stays as it was.
//!
//! What is used is found here by a naive walk over JSON values, which shares no code with the
//! library; what is left is compared scene by scene with what was there.

#![cfg(feature = "images")]

mod common_save;

use std::collections::{BTreeMap, BTreeSet};

use common_save::{
    Columns, Dice, Files, assert_same_scene, check_file, faults, json_of, load, load_with, models,
    opened, saved, text_of, value, with, yard,
};
use pleach_gltf::{Bytes, Document, Dropped, Form, List, Options, Prune};
use serde_json::{Value, json};

const FORMS: [Form; 2] = [Form::Gltf, Form::Glb];

/// Prunes, checks the files, compares the scenes, and prunes again, which must change nothing.
#[track_caller]
fn pruned(document: Document, prune: Prune, what: &str) -> (Document, Dropped) {
    let before = document.save_bytes(Form::Gltf).unwrap();
    let known = faults(&before);
    let files: Files = before.files.iter().cloned().collect();
    let original = Options::new().load_with(before.bytes, &files).unwrap();
    let (document, dropped) = prune.run(document).unwrap();
    for form in FORMS {
        let written = document.save_bytes(form).unwrap();
        let found = faults(&written);
        assert!(found.len() <= known.len(), "{what}, {form:?}: {found:#?}");
        let files: Files = written.files.iter().cloned().collect();
        let again = Options::new().load_with(written.bytes.clone(), &files).unwrap();
        assert_same(&original, &again, what);
        let (again, more) = prune.run(again).unwrap();
        assert!(more.is_nothing(), "{what}, {form:?}: a second time: {more:?}");
        assert_eq!(again.save_bytes(form).unwrap().bytes, written.bytes, "{what}, {form:?}");
    }
    assert_same(&original, &document, what);
    (document, dropped)
}

#[track_caller]
fn assert_same(one: &Document, other: &Document, what: &str) {
    assert_eq!(one.scenes().len(), other.scenes().len(), "{what}");
    for (one, other) in one.scenes().iter().zip(other.scenes()) {
        assert_same_scene(one, other, what);
    }
    let clips = |document: &Document| -> Vec<String> {
        let clips = document.animations().iter().filter(|it| !it.clip().channels().is_empty());
        clips.map(|it| format!("{:?} {}", it.clip().channels(), it.shown_count())).collect()
    };
    assert_eq!(clips(one), clips(other), "{what}");
}

// ---- A naive walk ----

/// The lists that other things name, and what of them is used: by name of the list.
type Used = BTreeMap<&'static str, BTreeSet<usize>>;

/// What is used from the nodes and animations on; for files with core glTF alone.
fn used(file: &Value) -> Used {
    let mut used = Used::new();
    let count = |list: &str| file[list].as_array().map_or(0, Vec::len);
    for node in 0..count("nodes") {
        use_it(file, "nodes", node, &mut used);
    }
    for animation in 0..count("animations") {
        for sampler in file["animations"][animation]["samplers"].as_array().unwrap() {
            for key in ["input", "output"] {
                use_it(file, "accessors", sampler[key].as_u64().unwrap() as usize, &mut used);
            }
        }
    }
    used
}

fn use_it(file: &Value, list: &'static str, index: usize, used: &mut Used) {
    if !used.entry(list).or_default().insert(index) {
        return;
    }
    let entry = &file[list][index];
    let mut go = |to: &'static str, at: &Value| {
        if let Some(index) = at.as_u64() {
            use_it(file, to, index as usize, used);
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

/// Asserts that the lists of a pruned file are those of the original without what is not used.
fn assert_pruned(before: &Value, after: &Value, what: &str) {
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

// ---- Models ----

#[test]
fn all_models_show_the_same_without_what_nothing_uses() {
    let mut dropped_bytes = 0;
    for (path, document) in opened() {
        let what = path.display().to_string();
        let is_plain = document.json().find("\"extensions\"").is_none();
        let before = value(&text_of(&saved(&document)));
        let (document, dropped) = pruned(document, Prune::new(), &what);
        if is_plain {
            assert_eq!(dropped.held, None, "{what}");
            assert_pruned(&before, &value(&text_of(&saved(&document))), &what);
        }
        dropped_bytes += dropped.bytes;
        eprintln!("{what}: {}", told(&dropped));
    }
    eprintln!("{dropped_bytes} bytes dropped");
}

#[test]
fn all_models_show_the_same_with_equal_things_merged_and_nodes_dropped() {
    for (path, document) in opened() {
        let what = path.display().to_string();
        let has_outside = document.outside().is_some();
        let (document, dropped) = pruned(document, Prune::new().nodes().equal(), &what);
        assert!(document.outside().is_none() || has_outside, "{what}");
        eprintln!("{what}: {}", told(&dropped));
    }
}

#[test]
fn a_model_with_nothing_unused_comes_back_byte_for_byte() {
    let mut unchanged = 0;
    for path in models() {
        let Ok(document) = pleach_gltf::load(&path) else { continue };
        let form = if path.extension().unwrap() == "glb" { Form::Glb } else { Form::Gltf };
        let before = document.save_bytes(form).unwrap();
        let (document, dropped) = Prune::new().run(document).unwrap();
        if dropped.is_nothing() {
            let after = document.save_bytes(form).unwrap();
            assert!(after.bytes == before.bytes, "{}", path.display());
            assert_eq!(after.files.len(), before.files.len());
            unchanged += 1;
        }
    }
    assert!(unchanged > 20 || models().is_empty(), "only {unchanged} had nothing unused");
}

fn told(dropped: &Dropped) -> String {
    let mut text = format!("{} bytes", dropped.bytes);
    for list in List::ALL {
        let (unused, merged) = (dropped.unused(list), dropped.merged(list));
        if unused + merged > 0 {
            text.push_str(&format!(", {unused}+{merged} {list}"));
        }
    }
    dropped.held.iter().for_each(|why| text.push_str(&format!(" ({why})")));
    text
}

// ---- Of each kind ----

/// A file in which the first of everything is not used, and the second is.
fn twice() -> (String, Files) {
    let mut columns = Columns::default();
    for place in [5.0, 0.0] {
        let at = [place, 0.0, 0.0, place + 1.0, 0.0, 0.0, place, 1.0, 0.0];
        let bounds = format!(", \"min\": [{place},0,0], \"max\": [{},1,0]", place + 1.0);
        columns.floats(&at, "VEC3", &bounds); // 0, 5
        columns.floats(
            &[0.0, 1.0 + place],
            "SCALAR",
            &format!(", \"min\": [0], \"max\": [{}]", 1.0 + place),
        );
        columns.floats(&[place, 0.0, 0.0, 2.0, 0.0, 0.0], "VEC3", "");
        let identity: Vec<f32> = (0..16).map(|it| f32::from(u8::from(it % 5 == 0))).collect();
        columns.floats(&identity, "MAT4", ""); // 3, 8
        columns.add(&[0, 1, 2], 3, 5121, "SCALAR", ""); // 4, 9
    }
    let text = format!(
        r#"{{
  "asset": {{"version": "2.0"}}, "scene": 0,
  "scenes": [{{"nodes": [0, 1]}}],
  "nodes": [
    {{"name": "tree", "mesh": 1, "skin": 1, "camera": 1, "extensions": {{"KHR_lights_punctual": {{"light": 1}}}}, "extras": {{"mesh": 7.50}}}},
    {{"name": "joint"}}
  ],
  "meshes": [
    {{"name": "a", "primitives": [{{"attributes": {{"POSITION": 0}}, "indices": 4, "material": 0}}]}},
    {{"name": "b", "primitives": [{{"attributes": {{"POSITION": 5}}, "indices": 9, "material": 1}}]}}
  ],
  "skins": [
    {{"name": "a", "joints": [1], "inverseBindMatrices": 3}},
    {{"name": "b", "joints": [1], "inverseBindMatrices": 8}}
  ],
  "cameras": [
    {{"name": "a", "type": "perspective", "perspective": {{"yfov": 1.0, "znear": 0.10}}}},
    {{"name": "b", "type": "perspective", "perspective": {{"yfov": 0.50, "znear": 0.10}}}}
  ],
  "materials": [
    {{"name": "a", "pbrMetallicRoughness": {{"baseColorTexture": {{"index": 0}}}}}},
    {{"name": "b", "normalTexture": {{"index": 1, "scale": 1.50}},
     "extensions": {{"KHR_materials_sheen": {{"sheenColorTexture": {{"index": 2}}}}}}}}
  ],
  "textures": [{{"name": "a", "source": 0, "sampler": 0}}, {{"name": "b", "source": 1, "sampler": 1}}, {{"name": "c", "source": 2}}],
  "images": [{{"name": "a", "uri": "a.png"}}, {{"name": "b", "uri": "b.png"}}, {{"name": "c", "uri": "c.png"}}],
  "samplers": [{{"name": "a", "wrapS": 33071}}, {{"name": "b", "wrapS": 33648}}],
  "animations": [{{"name": "b",
    "channels": [{{"sampler": 1, "target": {{"node": 0, "path": "translation"}}}}],
    "samplers": [{{"input": 1, "output": 2}}, {{"input": 6, "output": 7}}]}}],
  "accessors": [{accessors}],
  "bufferViews": [{views}],
  "buffers": [{{"uri": "data.bin", "byteLength": {length}, "extras": 1.0}}],
  "extensions": {{"KHR_lights_punctual": {{"lights": [{{"name": "a", "type": "point"}}, {{"name": "b", "type": "point", "intensity": 2.50}}]}}}},
  "extensionsUsed": ["KHR_lights_punctual", "KHR_materials_sheen"]
}}"#,
        accessors = columns.accessors,
        views = columns.views,
        length = columns.bytes.len(),
    );
    let png = |tail: &str| Bytes::from([b"\x89PNG\r\n\x1a\n", tail.as_bytes()].concat());
    let files = Files::from([
        ("data.bin".to_string(), Bytes::from(columns.bytes)),
        ("a.png".into(), png("a")),
        ("b.png".into(), png("b")),
        ("c.png".into(), png("c")),
    ]);
    (text, files)
}

#[test]
fn the_first_of_everything_is_dropped_if_only_the_second_is_used() {
    let (text, files) = twice();
    let (document, dropped) = pruned(load_with(&text, &files), Prune::new(), "twice");
    let kinds = [
        (List::Meshes, 1),
        (List::Skins, 1),
        (List::Cameras, 1),
        (List::Lights, 1),
        (List::Curves, 1),
        (List::Materials, 1),
        (List::Textures, 1),
        (List::Images, 1),
        (List::Samplers, 1),
        (List::Accessors, 5),
        (List::BufferViews, 5),
        (List::Nodes, 0),
        (List::Animations, 0),
        (List::Channels, 0),
        (List::Buffers, 0),
    ];
    for (list, count) in kinds {
        assert_eq!(dropped.unused(list), count, "{list}");
    }
    // 36, 8, 24, 64 and 3 bytes, and what fills the last up to four.
    assert_eq!((dropped.bytes, dropped.held), (136, None));
    let saved = saved(&document);
    assert_eq!(
        saved.files.iter().map(|it| &*it.0).collect::<Vec<_>>(),
        ["b.png", "buffer.bin", "c.png"]
    );
    let after = text_of(&saved);
    for kept in ["1.50", "0.10", "0.50", "2.50", "7.50", "\"extras\": 1.0"] {
        assert!(after.contains(kept), "{kept} in\n{after}");
    }
    let after = value(&after);
    assert_eq!(after["nodes"][0]["extensions"]["KHR_lights_punctual"]["light"], 0);
    assert_eq!(
        after["materials"][0]["extensions"]["KHR_materials_sheen"]["sheenColorTexture"]["index"],
        1
    );
    assert_eq!(after["animations"][0]["channels"][0]["sampler"], 0);
    assert_eq!(after["animations"][0]["samplers"][0], json!({"input": 1, "output": 2}));
    for list in ["meshes", "skins", "cameras", "materials", "samplers"] {
        assert_eq!(after[list].as_array().unwrap().len(), 1, "{list}");
        assert_eq!(after[list][0]["name"], "b", "{list}");
    }
}

#[test]
fn lists_that_become_empty_go_and_so_do_extensions_that_nothing_uses() {
    let (text, files) = twice();
    let bare = with(&text, |file| {
        file["nodes"] = json!([{"name": "tree"}, {"name": "joint"}]);
        file.as_object_mut().unwrap().remove("animations");
    });
    let (document, _) = pruned(load_with(&bare, &files), Prune::new(), "bare");
    let after = value(&text_of(&saved(&document)));
    let left: Vec<&str> = after.as_object().unwrap().keys().map(|key| &**key).collect();
    let expected = BTreeSet::from(["asset", "nodes", "scene", "scenes"]);
    assert_eq!(left.into_iter().collect::<BTreeSet<_>>(), expected);
    // One light that is not used takes nothing else with it.
    let lit = with(&text, |file| {
        file["nodes"][0].as_object_mut().unwrap().remove("extensions");
        file["extensions"]["KHR_xmp_json_ld"] = json!({"packets": [{"a": "b"}]});
        file["extensionsUsed"].as_array_mut().unwrap().push(json!("KHR_xmp_json_ld"));
    });
    let (document, _) = pruned(load_with(&lit, &files), Prune::new(), "lit");
    let after = value(&text_of(&saved(&document)));
    assert_eq!(after["extensions"], json!({"KHR_xmp_json_ld": {"packets": [{"a": "b"}]}}));
    assert_eq!(after["extensionsUsed"], json!(["KHR_materials_sheen", "KHR_xmp_json_ld"]));
}

#[test]
fn the_yard_loses_what_nothing_uses_and_nothing_else() {
    let (text, files) = yard();
    let (document, dropped) = pruned(load_with(&text, &files), Prune::new(), "yard");
    eprintln!("{}", told(&dropped));
    check_file(&saved(&document));
}

// ---- What might name anything ----

type Edit<'a> = &'a dyn Fn(&mut Value);

#[test]
fn a_file_with_an_extension_that_is_not_known_is_left_as_it_is() {
    let (text, files) = twice();
    let places: [(&str, Edit<'_>); 6] = [
        ("VENDOR_root", &|file| file["extensions"]["VENDOR_root"] = json!({"mesh": 0})),
        ("VENDOR_node", &|file| {
            file["nodes"][1]["extensions"] = json!({"VENDOR_node": {"mesh": 0}});
        }),
        ("VENDOR_info", &|file| {
            file["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"]["extensions"] =
                json!({"VENDOR_info": {}});
        }),
        ("VENDOR_asset", &|file| file["asset"]["extensions"] = json!({"VENDOR_asset": {}})),
        // Known, but not here.
        ("KHR_texture_basisu", &|file| {
            file["meshes"][0]["extensions"] = json!({"KHR_texture_basisu": {"source": 0}});
        }),
        ("EXT_lights_image_based", &|file| {
            file["scenes"][0]["extensions"] = json!({"EXT_lights_image_based": {"light": 0}});
        }),
    ];
    for (name, edit) in places {
        let text = with(&text, edit);
        let document = load_with(&text, &files);
        let (document, dropped) = Prune::new().nodes().equal().run(document).unwrap();
        assert!(dropped.is_nothing());
        let why = dropped.held.unwrap_or_default();
        assert!(why.contains(name), "{name}: {why:?}");
        assert_eq!(text_of(&saved(&document)), text, "{name}");
    }
}

#[test]
fn numbers_of_known_extensions_that_lead_nowhere_leave_the_file_as_it_is() {
    let (text, files) = twice();
    let text = with(&text, |file| {
        file["nodes"][1]["extensions"] = json!({"MSFT_lod": {"ids": [9]}});
    });
    let (document, dropped) = Prune::new().run(load_with(&text, &files)).unwrap();
    assert_eq!(dropped.held.as_deref().map(|it| it.contains("9 of nodes")), Some(true));
    assert_eq!(text_of(&saved(&document)), text);
}

#[test]
fn keys_with_escapes_leave_the_file_as_it_is() {
    let text = r#"{"asset":{"version":"2.0"},"nodes":[{"\u006desh":0}],"meshes":[
        {"primitives":[{"attributes":{"POSITION":0}}]},{"primitives":[{"attributes":{"POSITION":0}}]}],
        "accessors":[{"componentType":5126,"count":1,"type":"VEC3"}]}"#;
    let (document, dropped) = Prune::new().run(load(text)).unwrap();
    assert!(dropped.held.is_some());
    assert_eq!(text_of(&saved(&document)), text);
}

#[test]
fn extras_may_hold_anything() {
    let (text, files) = twice();
    let odd = json!({"extensions": {"VENDOR_x": {"mesh": 0}}, "mesh": 0, "\\k": [1, {"index": 3}]});
    let text = with(&text, |file| {
        file["nodes"][0]["extras"] = odd.clone();
        file["extras"] = odd.clone();
        file["meshes"][1]["primitives"][0]["extras"] = odd.clone();
    });
    let (document, dropped) = pruned(load_with(&text, &files), Prune::new(), "extras");
    assert_eq!(dropped.held, None);
    let after = value(&text_of(&saved(&document)));
    assert_eq!(after["extras"], odd);
    assert_eq!(after["nodes"][0]["extras"], odd);
    assert_eq!(after["meshes"][0]["primitives"][0]["extras"], odd);
}

// ---- Extensions ----

#[test]
fn numbers_in_known_extensions_are_set_right() {
    let (text, files) = twice();
    let text = with(&text, |file| {
        file["extensionsUsed"] = json!([
            "KHR_lights_punctual",
            "KHR_materials_sheen",
            "KHR_materials_variants",
            "EXT_texture_webp",
            "EXT_mesh_gpu_instancing",
            "KHR_animation_pointer",
            "MSFT_lod"
        ]);
        file["extensions"]["KHR_materials_variants"] = json!({"variants": [{"name": "v"}]});
        let materials = file["materials"].as_array_mut().unwrap();
        materials.push(json!({"name": "c"}));
        materials.push(json!({"name": "d"}));
        materials[1]["extensions"]["MSFT_lod"] = json!({"ids": [3]});
        file["meshes"][1]["primitives"][0]["extensions"] = json!({"KHR_materials_variants":
            {"mappings": [{"material": 2, "variants": [0]}]}});
        file["textures"][1]["extensions"] = json!({"EXT_texture_webp": {"source": 2}});
        file["nodes"][0]["extensions"]["EXT_mesh_gpu_instancing"] =
            json!({"attributes": {"TRANSLATION": 7}});
        file["nodes"][0].as_object_mut().unwrap().remove("skin");
        let pointer = |pointer: &str| {
            json!({"sampler": 1, "target": {"path": "pointer",
            "extensions": {"KHR_animation_pointer": {"pointer": pointer}}}})
        };
        file["animations"][0]["channels"].as_array_mut().unwrap().extend([
            pointer("/nodes/1/translation"),
            pointer("/materials/1/emissiveFactor"),
            pointer("/extensions/KHR_lights_punctual/lights/1/color"),
            pointer("/materials/0/emissiveFactor"),
        ]);
    });
    let (document, dropped) = pruned(load_with(&text, &files), Prune::new(), "extensions");
    assert_eq!(dropped.held, None);
    assert_eq!((dropped.unused(List::Materials), dropped.unused(List::Channels)), (1, 1));
    let after = value(&text_of(&saved(&document)));
    let names: Vec<&str> = after["materials"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["b", "c", "d"]);
    assert_eq!(after["materials"][0]["extensions"]["MSFT_lod"]["ids"], json!([2]));
    let part = &after["meshes"][0]["primitives"][0];
    assert_eq!(part["material"], 0);
    assert_eq!(part["extensions"]["KHR_materials_variants"]["mappings"][0]["material"], 1);
    assert_eq!(after["textures"][0]["extensions"]["EXT_texture_webp"]["source"], 1);
    let copies =
        after["nodes"][0]["extensions"]["EXT_mesh_gpu_instancing"]["attributes"]["TRANSLATION"]
            .clone();
    assert_eq!(after["accessors"][copies.as_u64().unwrap() as usize]["type"], "VEC3");
    let pointers: Vec<&str> = after["animations"][0]["channels"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|it| it["target"]["extensions"]["KHR_animation_pointer"]["pointer"].as_str())
        .collect();
    assert_eq!(
        pointers,
        [
            "/nodes/1/translation",
            "/materials/0/emissiveFactor",
            "/extensions/KHR_lights_punctual/lights/0/color"
        ]
    );
}

// ---- Nodes ----

#[test]
fn nodes_of_no_scene_go_only_if_that_is_asked_for() {
    let (text, files) = twice();
    let text = with(&text, |file| {
        // 2 and 4 are above and below 3, which is a joint; 5 is of no use, and 6 moves it.
        file["nodes"].as_array_mut().unwrap().extend([
            json!({"name": "arm", "children": [3]}),
            json!({"name": "hand", "children": [4]}),
            json!({"name": "finger"}),
            json!({"name": "alone", "mesh": 0}),
        ]);
        file["skins"][1]["joints"] = json!([1]);
        file["skins"][1]["skeleton"] = json!(3);
        file["animations"].as_array_mut().unwrap().push(json!({"name": "a",
            "channels": [{"sampler": 0, "target": {"node": 5, "path": "translation"}}],
            "samplers": [{"input": 1, "output": 2}]}));
        file["animations"][0]["channels"]
            .as_array_mut()
            .unwrap()
            .push(json!({"sampler": 0, "target": {"node": 5, "path": "scale"}}));
    });
    let (kept, dropped) = pruned(load_with(&text, &files), Prune::new(), "all nodes");
    assert_eq!(dropped.unused(List::Nodes), 0);
    assert_eq!(kept.meshes().len(), 2);
    let (document, dropped) = Prune::new().nodes().run(load_with(&text, &files)).unwrap();
    assert_eq!((dropped.unused(List::Nodes), dropped.unused(List::Animations)), (1, 1));
    let after = value(&text_of(&saved(&document)));
    check_file(&saved(&document));
    let names: Vec<&Value> =
        after["nodes"].as_array().unwrap().iter().map(|it| &it["name"]).collect();
    assert_eq!(names, ["tree", "joint", "arm", "hand", "finger"]);
    assert_eq!(after["animations"].as_array().unwrap().len(), 1);
    assert_eq!(after["animations"][0]["channels"].as_array().unwrap().len(), 1);
    assert_eq!(after["animations"][0]["samplers"].as_array().unwrap().len(), 1);
    assert_eq!(document.meshes().len(), 1);
    assert_same_scene(&load_with(&text, &files).scenes()[0], &document.scenes()[0], "with nodes");
}

// ---- Bytes ----

#[test]
fn bytes_within_a_view_go_if_only_dropped_accessors_were_there() {
    // One view of positions: the first three unused, then an odd byte column, then used ones.
    let floats: Vec<u8> = (0..27).flat_map(|it| (it as f32).to_le_bytes()).collect();
    let file = json!({
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 1}],
        "meshes": [
            {"primitives": [{"attributes": {"POSITION": 0}}]},
            {"primitives": [{"attributes": {"POSITION": 1, "_MORE": 2}}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0,1,2], "max": [6,7,8]},
            {"bufferView": 0, "byteOffset": 36, "componentType": 5126, "count": 3, "type": "VEC3", "min": [9,10,11], "max": [15,16,17]},
            {"bufferView": 0, "byteOffset": 72, "componentType": 5126, "count": 3, "type": "VEC3"}],
        "bufferViews": [{"buffer": 0, "byteLength": 108, "byteStride": 12}],
        "buffers": [{"byteLength": 108, "uri": "x.bin"}]
    });
    let files = Files::from([("x.bin".to_string(), Bytes::from(floats.clone()))]);
    let text = file.to_string();
    let (document, dropped) = pruned(load_with(&text, &files), Prune::new(), "within a view");
    assert_eq!((dropped.bytes, dropped.unused(List::Accessors)), (36, 1));
    let saved = saved(&document);
    assert_eq!(saved.files[0].0, "buffer.bin");
    assert_eq!(*saved.files[0].1, floats[36..]);
    let after = value(&text_of(&saved));
    assert_eq!(after["bufferViews"][0]["byteLength"], 72);
    assert_eq!(after["accessors"][0]["byteOffset"], 0);
    assert_eq!(after["accessors"][1]["byteOffset"], 36);
}

#[test]
fn several_buffers_become_one_and_stand_ins_stay() {
    let triangle: Vec<u8> = [0f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]
        .iter()
        .flat_map(|it| it.to_le_bytes())
        .collect();
    let position = |view: usize| {
        json!({"bufferView": view, "componentType": 5126, "count": 3,
        "type": "VEC3", "min": [0,0,0], "max": [1,1,0]})
    };
    let file = json!({
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0, 1]}],
        "nodes": [{"mesh": 0}, {"mesh": 1}],
        "meshes": [
            {"primitives": [{"attributes": {"POSITION": 1}}]},
            {"primitives": [{"attributes": {"POSITION": 2}, "indices": 3}]}],
        "accessors": [position(0), position(1), position(2),
            {"bufferView": 3, "componentType": 5123, "count": 3, "type": "SCALAR"}],
        "bufferViews": [
            {"buffer": 1, "byteLength": 36},
            {"buffer": 2, "byteLength": 36},
            {"buffer": 1, "byteOffset": 36, "byteLength": 36},
            {"buffer": 2, "byteOffset": 38, "byteLength": 6}],
        "buffers": [
            {"byteLength": 4, "uri": "data:application/octet-stream;base64,AAAAAA=="},
            {"byteLength": 72, "uri": "one.bin"},
            {"byteLength": 44, "uri": "two.bin"}]
    });
    let two = [&triangle[..], &[7, 7], &[0, 0, 1, 0, 2, 0]].concat();
    let files = Files::from([
        ("one.bin".to_string(), Bytes::from([&triangle[..], &triangle[..]].concat())),
        ("two.bin".into(), Bytes::from(two.clone())),
    ]);
    let (document, dropped) = pruned(load_with(&file.to_string(), &files), Prune::new(), "several");
    assert_eq!((dropped.bytes, dropped.unused(List::Buffers)), (40, 1));
    let saved = saved(&document);
    assert_eq!(saved.files.len(), 1);
    assert_eq!(*saved.files[0].1, [&triangle[..], &two[..]].concat());
    let after = value(&text_of(&saved));
    assert_eq!(after["buffers"], json!([{"byteLength": 80, "uri": "buffer.bin"}]));
    let places: Vec<u64> =
        (0..3).map(|it| after["bufferViews"][it]["byteOffset"].as_u64().unwrap_or(0)).collect();
    assert_eq!(places, [36, 0, 74]);
}

// ---- Equal things ----

#[test]
fn equal_things_become_one_and_what_differs_stays() {
    let mut columns = Columns::default();
    let triangle = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    let bounds = ", \"min\": [0,0,0], \"max\": [1,1,0]";
    columns.floats(&triangle, "VEC3", bounds); // 0
    columns.floats(&triangle, "VEC3", ", \"min\" : [0,0,0],\"max\":[1,1,0], \"name\": \"other\""); // 1
    columns.floats(&triangle, "VEC3", ""); // 2: without bounds, for normals
    columns.add(b"\x89PNG\r\n\x1a\nsame", 12, 5121, "SCALAR", ""); // view 3
    columns.add(b"\x89PNG\r\n\x1a\nsame", 12, 5121, "SCALAR", ""); // view 4
    let text = format!(
        r#"{{"asset": {{"version": "2.0"}}, "scene": 0, "scenes": [{{"nodes": [0,1,2,3]}}],
        "nodes": [{{"mesh": 0}}, {{"mesh": 1}}, {{"mesh": 2}}, {{"mesh": 3}}],
        "meshes": [
          {{"name": "m", "primitives": [{{"attributes": {{"POSITION": 0, "NORMAL": 2}}, "material": 0}}]}},
          {{"name":"m","primitives":[{{"attributes":{{"POSITION":1,"NORMAL":2}},"material":1}}]}},
          {{"name": "n", "primitives": [{{"attributes": {{"POSITION": 1, "NORMAL": 2}}, "material": 1}}]}},
          {{"name": "m", "primitives": [{{"attributes": {{"POSITION": 0, "NORMAL": 2}}, "material": 2}}]}}],
        "materials": [
          {{"name": "x", "normalTexture": {{"index": 0}}}},
          {{"name": "x", "normalTexture": {{"index": 1}}}},
          {{"name": "x", "normalTexture": {{"index": 2}}}}],
        "textures": [{{"source": 0, "sampler": 0}}, {{"name": "t", "source": 1, "sampler": 1}}, {{"source": 1}}],
        "images": [{{"bufferView": 3, "mimeType": "image/png"}}, {{"name": "i", "bufferView": 4, "mimeType": "image/png"}}],
        "samplers": [{{"wrapS": 33071}}, {{"name": "s", "wrapS": 33071}}],
        "accessors": [{}], "bufferViews": [{}],
        "buffers": [{{"uri": "data.bin", "byteLength": {}}}]}}"#,
        columns.accessors,
        columns.views,
        columns.bytes.len(),
    );
    let files = Files::from([("data.bin".to_string(), Bytes::from(columns.bytes))]);
    let (document, dropped) = pruned(load_with(&text, &files), Prune::new().equal(), "equal");
    let merged = [
        (List::Meshes, 1),
        (List::Materials, 1),
        (List::Textures, 1),
        (List::Images, 1),
        (List::Samplers, 1),
        (List::Accessors, 1),
    ];
    for (list, count) in merged {
        assert_eq!(dropped.merged(list), count, "{list}");
    }
    // The accessors of the images' views are not used.
    assert_eq!(dropped.unused(List::Accessors), 2);
    assert_eq!(dropped.bytes, 36 + 12);
    let after = value(&text_of(&saved(&document)));
    let meshes: Vec<u64> = (0..4).map(|it| after["nodes"][it]["mesh"].as_u64().unwrap()).collect();
    assert_eq!(meshes, [0, 0, 1, 2]);
}

#[test]
fn what_a_pointer_moves_is_not_merged() {
    let text = r#"{"asset":{"version":"2.0"},"extensionsUsed":["KHR_animation_pointer"],
      "nodes":[{"mesh":0},{"mesh":1}],
      "meshes":[{"primitives":[{"attributes":{"POSITION":0},"material":0}]},
                {"primitives":[{"attributes":{"POSITION":0},"material":1}]}],
      "materials":[{"name":"x"},{"name":"x"}],
      "animations":[{"channels":[{"sampler":0,"target":{"path":"pointer","extensions":
         {"KHR_animation_pointer":{"pointer":"/materials/1/emissiveFactor"}}}}],
         "samplers":[{"input":1,"output":2}]}],
      "accessors":[{"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[0,0,0]},
        {"componentType":5126,"count":1,"type":"SCALAR","min":[0],"max":[0]},
        {"componentType":5126,"count":1,"type":"VEC3"}]}"#;
    let (_, dropped) = Prune::new().equal().run(load(text)).unwrap();
    assert_eq!((dropped.held.as_ref(), dropped.is_nothing()), (None, true));
}

#[test]
fn many_accessors_of_the_same_bytes_are_not_all_looked_at() {
    const COUNT: usize = 200;
    const ROWS: usize = 2048;
    let accessor = json!({"bufferView": 0, "componentType": 5126, "count": ROWS, "type": "VEC4"});
    let parts: Vec<Value> =
        (1..=COUNT).map(|it| json!({"attributes": {"POSITION": 0, "_MORE": it}})).collect();
    let mut accessors = vec![json!({"componentType": 5126, "count": ROWS, "type": "VEC3",
        "min": [0, 0, 0], "max": [0, 0, 0]})];
    accessors.extend(std::iter::repeat_n(accessor, COUNT));
    let file = json!({
        "asset": {"version": "2.0"}, "nodes": [{"mesh": 0}], "meshes": [{"primitives": parts}],
        "accessors": accessors,
        "bufferViews": [{"buffer": 0, "byteLength": 16 * ROWS, "byteStride": 16}],
        "buffers": [{"uri": "x.bin", "byteLength": 16 * ROWS}]
    });
    let files = Files::from([("x.bin".to_string(), Bytes::from(vec![0; 16 * ROWS]))]);
    let document = load_with(&file.to_string(), &files);
    let (document, dropped) = Prune::new().equal().run(document).unwrap();
    // As many as 64 times the bytes.
    assert_eq!(dropped.merged(List::Accessors), 63);
    check_file(&saved(&document));
}

// ---- Any file ----

/// A file of random lists in which anything may be used or not.
fn random(dice: &mut Dice) -> (Value, Files) {
    let mut columns = Columns::default();
    let kinds = 2 + dice.below(6);
    for _ in 0..kinds {
        let at: Vec<f32> = (0..9).map(|_| dice.tame()).collect();
        let bound = |most: bool| -> Vec<f32> {
            let of = |axis: usize| {
                let mut values = [at[axis], at[axis + 3], at[axis + 6]];
                values.sort_by(f32::total_cmp);
                values[if most { 2 } else { 0 }]
            };
            (0..3).map(of).collect()
        };
        let bounds = format!(", \"min\": {:?}, \"max\": {:?}", bound(false), bound(true));
        columns.floats(&at, "VEC3", &bounds);
        let odd: Vec<u8> = (0..3 + dice.below(3)).map(|_| dice.below(3) as u8).collect();
        columns.add(&odd, 3, 5121, "SCALAR", "");
    }
    let any = |dice: &mut Dice, count: usize| dice.below(count);
    let [images, samplers, textures, materials, meshes, nodes] =
        std::array::from_fn(|_| 1 + dice.below(6));
    let list = |count: usize, mut make: Box<dyn FnMut(usize) -> Value + '_>| -> Value {
        (0..count).map(&mut *make).collect()
    };
    let name = |index: usize| format!("n{index}");
    let mut file = json!({"asset": {"version": "2.0"}, "scene": 0});
    file["images"] =
        list(images, Box::new(|it| json!({"name": name(it), "uri": format!("{it}.png")})));
    file["samplers"] = list(samplers, Box::new(|it| json!({"name": name(it), "wrapS": 33071})));
    file["textures"] = list(
        textures,
        Box::new(
            |it| json!({"name": name(it), "source": any(dice, images), "sampler": any(dice, samplers)}),
        ),
    );
    file["materials"] = list(
        materials,
        Box::new(|it| {
            let mut material = json!({"name": name(it), "alphaCutoff": 0.25});
            if dice.below(2) == 0 {
                material["normalTexture"] = json!({"index": any(dice, textures)});
            } else {
                material["pbrMetallicRoughness"] =
                    json!({"baseColorTexture": {"index": any(dice, textures)}});
            }
            material
        }),
    );
    file["meshes"] = list(
        meshes,
        Box::new(|it| {
            let mut part = json!({"attributes": {"POSITION": 2 * any(dice, kinds)}});
            if dice.below(2) == 0 {
                part["indices"] = json!(2 * any(dice, kinds) + 1);
            }
            if dice.below(2) == 0 {
                part["material"] = json!(any(dice, materials));
            }
            json!({"name": name(it), "primitives": [part]})
        }),
    );
    file["nodes"] = list(
        nodes,
        Box::new(|it| {
            let mut node = json!({"name": name(it), "translation": [it, 0, 0]});
            if dice.below(3) > 0 {
                node["mesh"] = json!(any(dice, meshes));
            }
            node
        }),
    );
    file["scenes"] = json!([{"nodes": (0..nodes).collect::<Vec<_>>()}]);
    for (index, list) in [("accessors", &columns.accessors), ("bufferViews", &columns.views)] {
        let mut entries = value(&format!("[{list}]"));
        for (number, entry) in entries.as_array_mut().unwrap().iter_mut().enumerate() {
            entry["name"] = json!(name(number));
        }
        file[index] = entries;
    }
    file["buffers"] = json!([{"uri": "all.bin", "byteLength": columns.bytes.len()}]);
    let mut files = Files::from([("all.bin".to_string(), Bytes::from(columns.bytes))]);
    for image in 0..images {
        let png = [b"\x89PNG\r\n\x1a\n", image.to_string().as_bytes()].concat();
        files.insert(format!("{image}.png"), Bytes::from(png));
    }
    (file, files)
}

#[test]
fn of_random_files_just_what_a_naive_walk_finds_is_left() {
    for seed in 0..60 {
        let what = format!("seed {seed}");
        let (file, files) = random(&mut Dice(seed));
        let text = file.to_string();
        let (document, dropped) = pruned(load_with(&text, &files), Prune::new(), &what);
        let after = value(&text_of(&saved(&document)));
        assert_pruned(&file, &after, &what);
        let lost =
            ["meshes", "materials", "textures", "images", "samplers", "accessors", "bufferViews"];
        let lost = lost.map(|list| {
            let count = |file: &Value| file[list].as_array().map_or(0, Vec::len);
            count(&file) - count(&after)
        });
        let told = [
            List::Meshes,
            List::Materials,
            List::Textures,
            List::Images,
            List::Samplers,
            List::Accessors,
            List::BufferViews,
        ];
        assert_eq!(lost, told.map(|list| dropped.unused(list)), "{what}");
        pruned(load_with(&text, &files), Prune::new().equal(), &what);
    }
}

#[test]
fn files_whose_text_was_damaged_come_back_whole_or_not_at_all() {
    let (text, files) = twice();
    let mut tried = 0;
    for seed in 0..600 {
        let mut dice = Dice(seed);
        let mut bytes = text.clone().into_bytes();
        let digits: Vec<usize> =
            (0..bytes.len()).filter(|&at| bytes[at].is_ascii_digit()).collect();
        for _ in 0..1 + dice.below(3) {
            // Other numbers, and now and then what is no JSON any more.
            let (at, kinds) = match dice.below(8) {
                0 => (dice.below(bytes.len()), 19),
                _ => (digits[dice.below(digits.len())], 10),
            };
            bytes[at] = b"0123456789{}[],:\" x"[dice.below(kinds)];
        }
        let Ok(document) = Options::new().load_with(bytes, &files) else { continue };
        tried += 1;
        let before = document.save_bytes(Form::Gltf).unwrap();
        let known: Files = before.files.iter().cloned().collect();
        let original = Options::new().load_with(before.bytes, &known).unwrap();
        let (made, _) = Prune::new()
            .equal()
            .run(document)
            .unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        assert_same(&original, &made, &format!("seed {seed}"));
    }
    assert!(tried > 150, "only {tried} could be read");
}

#[test]
fn a_document_without_a_file_can_be_pruned() {
    use pleach::shapes::Cuboid;
    use pleach::{Light, Material, Node, Scene, Shadow, glam::Vec3};
    let mut scene = Scene::new();
    let cube = scene.assets.add(Cuboid::new(Vec3::ONE).build().unwrap());
    let paint = scene.assets.add(Material::default());
    scene.spawn(Node::mesh(&cube, &paint).named("cube")).unwrap();
    let lamp = Light::point(Vec3::ONE, 3.0).with_shadow(Shadow::default());
    scene.spawn(Node::light(lamp)).unwrap();
    let (document, dropped) = Prune::new().run(Document::from_scenes([scene])).unwrap();
    assert!(dropped.is_nothing());
    assert!(json_of(&document.save_bytes(Form::Glb).unwrap().bytes).contains("cube"));
}

// ---- Litter ----

/// Adds one to every number in an entry of a list that names something of the `littered` lists.
fn shift(list: &str, entry: &mut Value, littered: &BTreeSet<&str>) {
    let one = |to: &str, value: &mut Value| {
        if let Some(index) = value.as_u64().filter(|_| littered.contains(to)) {
            *value = json!(index + 1);
        }
    };
    let each = |to: &str, value: &mut Value| match value {
        Value::Array(all) => all.iter_mut().for_each(|it| one(to, it)),
        Value::Object(all) => all.values_mut().for_each(|it| one(to, it)),
        _ => {}
    };
    // What is not there stays so.
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

/// Where a view says where bytes are.
const VIEWS: [&str; 3] =
    ["", "/extensions/EXT_meshopt_compression", "/extensions/KHR_meshopt_compression"];

/// A file with an unused copy of the first of everything before it, and with bytes that nothing
/// uses before those of each buffer.
fn littered(file: &Value, files: &Files) -> (Value, Files) {
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

/// A file without what packing may change: where bytes lie.
fn without_places(file: &Value) -> Value {
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
fn littered_models_come_back_as_they_were() {
    let mut tried = 0;
    for (path, document) in opened() {
        let what = path.display().to_string();
        if !Prune::new().run(document).unwrap().1.is_nothing() {
            continue;
        }
        let document = pleach_gltf::load(&path).unwrap();
        let before = document.save_bytes(Form::Gltf).unwrap();
        let original = value(&text_of(&before));
        let files: Files = before.files.iter().cloned().collect();
        let (file, files) = littered(&original, &files);
        let made = load_with(&file.to_string(), &files);
        assert_same(&document, &made, &what);
        let (made, dropped) = pruned(made, Prune::new(), &what);
        if dropped.held.is_some() {
            continue;
        }
        let after = value(&text_of(&saved(&made)));
        assert_eq!(without_places(&after), without_places(&original), "{what}");
        assert_same(&document, &made, &what);
        tried += 1;
    }
    assert!(tried > 40 || models().is_empty(), "only {tried} models were littered");
}
