//! The content of a file is in the document: accessors, meshes, scenes, images, names, animations.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use glam::Vec3;
use pleach::ImageData;
use pleach::animation::{BlendLayer, Mixer, Repeat};
use pleach_gltf::ErrorKind::Reference;
use pleach_gltf::{Bytes, Options};
use serde_json::{Value, json};

use super::file::{File, PNG, POSITIONS, file, full_file, sparse};

#[test]
fn components_of_every_type_are_decoded_as_specified() {
    let read = |component: u32, normalized: bool, bytes: &[u8]| {
        let mut file = full_file();
        file.add_accessor(component, "VEC3", 1, bytes);
        let file = file
            .set("/accessors/12/normalized", normalized)
            .set("/meshes/1/primitives/0/attributes/POSITION", 12);
        file.load().unwrap().meshes()[1][0].geometry.get().positions[0].to_array()
    };
    assert_eq!(read(5120, false, &[128, 0, 127]), [-128.0, 0.0, 127.0]);
    assert_eq!(read(5120, true, &[128, 129, 127]), [-1.0, -1.0, 1.0]);
    assert_eq!(read(5121, false, &[0, 128, 255]), [0.0, 128.0, 255.0]);
    assert_eq!(read(5121, true, &[0, 51, 255]), [0.0, 0.2, 1.0]);
    assert_eq!(read(5122, false, &[0, 128, 0, 0, 255, 127]), [-32768.0, 0.0, 32767.0]);
    assert_eq!(read(5122, true, &[0, 128, 1, 128, 255, 127]), [-1.0, -1.0, 1.0]);
    assert_eq!(read(5123, false, &[0, 0, 0, 1, 255, 255]), [0.0, 256.0, 65535.0]);
    assert_eq!(read(5123, true, &[0, 0, 51, 51, 255, 255]), [0.0, 0.2, 1.0]);
}

#[test]
fn indices_of_every_component_type_are_decoded() {
    for (component, bytes) in [
        (5121, vec![0, 2, 1]),
        (5123, vec![0, 0, 2, 0, 1, 0]),
        (5125, vec![0, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0]),
    ] {
        let mut file = full_file();
        file.add_accessor(component, "SCALAR", 3, &bytes);
        let document = file.set("/meshes/0/primitives/0/indices", 12).load().unwrap();
        let geometry = &document.meshes()[0][0].geometry;
        assert_eq!(geometry.get().indices, Some(vec![0, 2, 1]), "{component}");
    }
}

#[test]
fn sparse_elements_replace_those_of_the_buffer_view_or_zeros() {
    let positions =
        |file: File| file.load().unwrap().meshes()[1][0].geometry.get().positions.clone();
    let with_seven = |file: File| {
        let values = file.json["accessors"][0]["sparse"]["values"]["bufferView"].as_u64().unwrap();
        file.put_float(values as usize, 4, 7.0)
    };
    let replaced = positions(with_seven(sparse(&[0, 2])));
    assert_eq!(replaced, [Vec3::ZERO, Vec3::X, Vec3::new(0.0, 7.0, 0.0)]);
    let without_view = positions(with_seven(sparse(&[0, 2])).without("/accessors/0/bufferView"));
    assert_eq!(without_view, [Vec3::ZERO, Vec3::ZERO, Vec3::new(0.0, 7.0, 0.0)]);
}

#[test]
fn interleaved_attributes_are_decoded() {
    let mut file = full_file();
    let rows: Vec<f32> = (0..18).map(|number| number as f32).collect();
    let bytes: Vec<u8> = rows.iter().flat_map(|number| number.to_le_bytes()).collect();
    let view = file.view(&bytes[..18 * 4]);
    let add_accessor = |offset: usize| {
        json!({"bufferView": view, "byteOffset": offset, "componentType": 5126, "type": "VEC3",
               "count": 3})
    };
    let file = file
        .set(&format!("/bufferViews/{view}/byteStride"), 24)
        .set("/accessors/-", add_accessor(0))
        .set("/accessors/-", add_accessor(12))
        .set("/meshes/1/primitives/0/attributes", json!({"POSITION": 12, "NORMAL": 13}));
    let document = file.load_as(&Options::new().strict()).unwrap();
    let geometry = &document.meshes()[1][0].geometry;
    assert_eq!(geometry.get().positions[2], Vec3::new(12.0, 13.0, 14.0));
    assert_eq!(geometry.get().normals[2], Vec3::new(15.0, 16.0, 17.0));
}

#[test]
fn equal_primitives_share_a_geometry_and_those_without_a_material_a_default() {
    let plain = json!({"attributes": {"POSITION": POSITIONS}});
    let with_material = json!({"attributes": {"POSITION": POSITIONS}, "material": 0});
    let lines = json!({"attributes": {"POSITION": POSITIONS}, "mode": 1});
    let document = full_file()
        .set("/meshes/1/primitives", json!([plain, with_material, lines]))
        .load()
        .unwrap();
    let [plain, with_material, lines] = &document.meshes()[1][..] else { panic!("three parts") };
    assert_eq!(plain.geometry, with_material.geometry);
    assert_ne!(plain.geometry, lines.geometry);
    assert_eq!(with_material.material, document.materials()[0]);
    assert_eq!(plain.material, lines.material);
    assert_ne!(plain.material, with_material.material);
}

#[test]
fn morph_target_names_come_from_the_mesh_extras() {
    let name = |extras: Value| {
        let document = full_file().set("/meshes/0/extras", extras).load().unwrap();
        assert!(document.report().is_empty());
        document.meshes()[0][0].geometry.get().morph_targets[0].name.clone()
    };
    assert_eq!(name(json!({"targetNames": ["smile"]})), Some("smile".into()));
    assert_eq!(name(json!({"targetNames": ["smile", "frown"]})), Some("smile".into()));
    for other in [json!({"targetNames": [1]}), json!({"targetNames": []}), json!([]), json!("x")] {
        assert_eq!(name(other), None);
    }
}

#[test]
fn a_root_of_two_scenes_is_a_separate_node_in_each() {
    let document = file(json!({
        "nodes": [{"name": "tree", "children": [1]}, {"name": "leaf"}, {"name": "alone"}],
        "scenes": [{"nodes": [0]}, {"nodes": [0]}],
    }));
    let mut document = document.load().unwrap();
    let leaf = document.node(0, 1).unwrap();
    document.scenes_mut()[0].remove(leaf).unwrap();
    assert_eq!(document.node(0, 1), None, "removed in this scene");
    let other = document.node(1, 1).unwrap();
    assert!(document.scenes()[1].graph.contains(other), "not removed in the other");
    assert_eq!((document.node(0, 2), document.node(1, 2)), (None, None));
    let alone = document.node(2, 2).unwrap();
    let unreferenced = document.unreferenced_nodes().unwrap();
    assert_eq!(unreferenced.graph.node(alone).unwrap().name(), Some("alone"));
    assert_eq!((document.node(3, 0), document.node(0, 99)), (None, None));
}

#[test]
fn the_scene_to_show_is_the_default_or_the_first_or_the_unreferenced_nodes() {
    let default_scene = |members: Value| {
        let mut members = members;
        members["nodes"] = json!([{"name": "a"}, {"name": "b"}]);
        let document = file(members).load().unwrap();
        let found = |name| document.scene().is_some_and(|scene| scene.graph.find(name).is_some());
        let both = (found("a"), found("b"));
        let scene = document.into_scene();
        assert_eq!((scene.graph.find("a").is_some(), scene.graph.find("b").is_some()), both);
        both
    };
    let scenes = json!([{"nodes": [0]}, {"nodes": [1]}]);
    assert_eq!(default_scene(json!({"scenes": scenes, "scene": 1})), (false, true));
    assert_eq!(default_scene(json!({"scenes": scenes})), (true, false));
    assert_eq!(default_scene(json!({})), (true, true));
    let empty = file(json!({})).load().unwrap();
    assert!(
        empty.scene().is_none()
            && empty.scenes().is_empty()
            && empty.unreferenced_nodes().is_none()
    );
}

#[test]
fn image_types_are_detected_if_the_file_does_not_declare_them() {
    let webp = b"RIFF\0\0\0\0WEBP";
    let files: [(&[u8], &str); 6] = [
        (PNG, "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (webp, "image/webp"),
        (b"\xabKTX 20\xbb\r\n\x1a\n", "image/ktx2"),
        (b"what?", "application/octet-stream"),
        (b"", "application/octet-stream"),
    ];
    let mime = |image: Value, bytes: &[u8]| {
        let files = BTreeMap::from([("image".to_string(), Bytes::from(bytes.to_vec()))]);
        let model = file(json!({"images": [image]})).text().into_bytes();
        let document = Options::new().strict().load_with(model, &files).unwrap();
        match &document.images()[0].get().data {
            ImageData::Encoded { mime, bytes: got } => {
                assert_eq!(got, bytes);
                mime.clone()
            }
            other => panic!("{other:?}"),
        }
    };
    for (bytes, expected) in files {
        assert_eq!(mime(json!({"uri": "image"}), bytes), expected);
        let uri = format!("data:;base64,{}", STANDARD.encode(bytes));
        assert_eq!(mime(json!({"uri": uri}), bytes), expected);
    }
    // A declared type overrides the detected one; `mimeType` overrides that of the URI.
    assert_eq!(mime(json!({"uri": "image", "mimeType": "image/jpeg"}), PNG), "image/jpeg");
    let uri = format!("data:image/webp;base64,{}", STANDARD.encode(PNG));
    assert_eq!(mime(json!({"uri": uri}), PNG), "image/webp");
    assert_eq!(mime(json!({"uri": uri, "mimeType": "image/png"}), PNG), "image/png");
}

#[test]
fn names_are_loaded_unchanged() {
    let names = [
        json!("same"),
        json!("same"),
        json!(""),
        Value::Null,
        json!("❤ ♻ 名前"),
        json!("a/b~c\"\\\n\u{0}"),
        json!("x".repeat(100_000)),
    ];
    let nodes: Vec<Value> = names
        .iter()
        .map(|name| if name.is_null() { json!({}) } else { json!({"name": name}) })
        .collect();
    let model = file(json!({
        "nodes": nodes,
        "scenes": [{"name": "❤", "nodes": (0..names.len()).collect::<Vec<_>>()}],
    }));
    let document = model.load().unwrap();
    let scene = &document.scenes()[0];
    assert_eq!(scene.name, "❤");
    for (index, name) in names.iter().enumerate() {
        let node = document.node(0, index).unwrap();
        assert_eq!(scene.graph.node(node).unwrap().name(), name.as_str(), "node {index}");
    }
    // Escapes are decoded.
    let escaped = r#"{"asset":{"version":"2.0"},"nodes":[{"name":"\u2764\ud83d\ude00\t"}]}"#;
    let document = pleach_gltf::load_bytes(escaped.as_bytes()).unwrap();
    let node = document.node(0, 0).unwrap();
    let unreferenced = document.unreferenced_nodes().unwrap();
    assert_eq!(unreferenced.graph.node(node).unwrap().name(), Some("❤😀\t"));
}

#[test]
fn raw_returns_the_text_of_the_file() {
    let text = r#"{ "asset" : {"version": "2.0"}, "extras": {"a/b": {"~": [1.50, "x\u0041"]}, "": 7},
        "nodes": [{"extras": null}, {"extensions": {"VENDOR_x": { "k":  [ ] }}}] }"#;
    let document = pleach_gltf::load_bytes(text.as_bytes()).unwrap();
    assert_eq!(document.json(), text);
    for (pointer, expected) in [
        ("", Some(text)),
        ("/extras/a~1b/~0/0", Some("1.50")),
        ("/extras/a~1b/~0/1", Some(r#""x\u0041""#)),
        ("/extras/", Some("7")),
        ("/nodes/0/extras", Some("null")),
        ("/nodes/1/extensions/VENDOR_x", Some(r#"{ "k":  [ ] }"#)),
        ("/nodes/2", None),
        ("/nodes/-1", None),
        ("/nodes/00", None),
        ("/nodes/0/name", None),
        ("nodes", None),
    ] {
        assert_eq!(document.raw(pointer), expected, "{pointer:?}");
    }
    // The JSON of a container, without its padding.
    let document = pleach_gltf::load_bytes(&full_file().glb()).unwrap();
    assert_eq!(document.raw("/nodes/1/name"), Some("\"hip\""));
}

#[test]
fn an_animation_pointer_to_a_translation_becomes_a_channel() {
    let pointer = json!({"pointer": "/nodes/1/translation"});
    let target = json!({"path": "pointer", "extensions": {"KHR_animation_pointer": pointer}});
    let file = full_file().set("/animations/0/channels/0/target", target);
    let mut document = file.load_as(&Options::new().strict().keep_y_up()).unwrap();
    let binding = document.bind(0, 0).unwrap();
    let hip = document.node(0, 1).unwrap();
    let scene = &mut document.scenes_mut()[0];
    let mut mixer = Mixer::new();
    let layer = BlendLayer::new(binding).with_repeat(Repeat::Once);
    scene.play(&mut mixer, layer);
    scene.animate(&mut mixer, 0.25);
    scene.update().unwrap();
    assert_eq!(scene.graph.node(hip).unwrap().translation(), Vec3::Y);
}

#[test]
fn unsupported_animation_pointers_are_ignored_without_a_warning() {
    for pointer in ["/materials/0/doubleSided", "/nodes/1/extensions/X/y", "/cameras/0", "", "x"] {
        let target = "/animations/0/channels/3/target/extensions/KHR_animation_pointer/pointer";
        let document = full_file().set(target, pointer).load_as(&Options::new().strict());
        let document = document.unwrap();
        let animation = &document.animations()[0];
        assert_eq!(
            (animation.clip().channels().len(), animation.visibility_target_count()),
            (3, 0)
        );
    }
}

#[test]
fn visibility_follows_its_animation_channel() {
    let mut document = full_file().load_as(&Options::new().strict()).unwrap();
    assert_eq!(document.animations()[0].visibility_target_count(), 1);
    let leaves = document.node(0, 5).unwrap();
    for (seconds, is_visible) in
        [(0.0, true), (0.99, true), (1.0, false), (-1.0, true), (9.0, false)]
    {
        document.apply_pointers(0, 0, seconds);
        let got = document.scenes()[0].graph.node(leaves).unwrap().is_visible();
        assert_eq!(got, is_visible, "at {seconds} s");
    }
    // Missing animations and scenes are ignored.
    document.apply_pointers(1, 0, 0.0);
    document.apply_pointers(0, 9, 0.0);
    assert!(!document.scenes()[0].graph.node(leaves).unwrap().is_visible());
}

#[test]
fn binding_a_missing_animation_or_scene_fails() {
    let document = full_file().load().unwrap();
    let error = document.bind(3, 0).unwrap_err();
    assert_eq!((error.kind(), error.pointer()), (Reference, "/animations/3"));
    assert_eq!(document.bind(0, 7).unwrap_err().kind(), Reference);
}

#[test]
fn unknown_extensions_that_are_not_required_are_accepted() {
    let file = full_file()
        .set("/extensionsUsed/-", "VENDOR_x")
        .set("/nodes/0/extensions", json!({"VENDOR_x": {"mesh": 99}}))
        .set("/extensions/VENDOR_x", json!([]));
    assert!(file.load_as(&Options::new().strict()).unwrap().report().is_empty());
}
