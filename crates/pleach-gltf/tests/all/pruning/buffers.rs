//! Unused bytes are dropped, buffers are merged, and equal entries as well.

use pleach_gltf::{Bytes, GltfArray, Prune};
use serde_json::{Value, json};

use super::prune_and_check::pruned;
use crate::common_save::{
    AccessorBuilder, Files, check_file, load, load_with, saved, text_of, value,
};

#[test]
fn bytes_of_dropped_accessors_in_a_used_view_are_dropped() {
    // One view of positions: three unused ones, then an odd byte, then used ones.
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
    assert_eq!((dropped.bytes, dropped.unused(GltfArray::Accessors)), (36, 1));
    let saved = saved(&document);
    assert_eq!(saved.files[0].0, "buffer.bin");
    assert_eq!(*saved.files[0].1, floats[36..]);
    let after = value(&text_of(&saved));
    assert_eq!(after["bufferViews"][0]["byteLength"], 72);
    assert_eq!(after["accessors"][0]["byteOffset"], 0);
    assert_eq!(after["accessors"][1]["byteOffset"], 36);
}

#[test]
fn several_buffers_are_merged_and_placeholders_stay() {
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
    assert_eq!((dropped.bytes, dropped.unused(GltfArray::Buffers)), (40, 1));
    let saved = saved(&document);
    assert_eq!(saved.files.len(), 1);
    assert_eq!(*saved.files[0].1, [&triangle[..], &two[..]].concat());
    let after = value(&text_of(&saved));
    assert_eq!(after["buffers"], json!([{"byteLength": 80, "uri": "buffer.bin"}]));
    let offsets: Vec<u64> =
        (0..3).map(|it| after["bufferViews"][it]["byteOffset"].as_u64().unwrap_or(0)).collect();
    assert_eq!(offsets, [36, 0, 74]);
}

#[test]
fn equal_entries_are_merged_and_different_ones_stay() {
    let mut builder = AccessorBuilder::default();
    let triangle = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    let bounds = ", \"min\": [0,0,0], \"max\": [1,1,0]";
    builder.floats(&triangle, "VEC3", bounds); // 0
    builder.floats(&triangle, "VEC3", ", \"min\" : [0,0,0],\"max\":[1,1,0], \"name\": \"other\""); // 1
    builder.floats(&triangle, "VEC3", ""); // 2: without bounds, for normals
    builder.add(b"\x89PNG\r\n\x1a\nsame", 12, 5121, "SCALAR", ""); // view 3
    builder.add(b"\x89PNG\r\n\x1a\nsame", 12, 5121, "SCALAR", ""); // view 4
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
        builder.accessors,
        builder.views,
        builder.bytes.len(),
    );
    let files = Files::from([("data.bin".to_string(), Bytes::from(builder.bytes))]);
    let (document, dropped) = pruned(load_with(&text, &files), Prune::new().merge_equal(), "equal");
    let merged = [
        (GltfArray::Meshes, 1),
        (GltfArray::Materials, 1),
        (GltfArray::Textures, 1),
        (GltfArray::Images, 1),
        (GltfArray::Samplers, 1),
        (GltfArray::Accessors, 1),
    ];
    for (list, count) in merged {
        assert_eq!(dropped.merged(list), count, "{list}");
    }
    // The accessors of the images' views are not used.
    assert_eq!(dropped.unused(GltfArray::Accessors), 2);
    assert_eq!(dropped.bytes, 36 + 12);
    let after = value(&text_of(&saved(&document)));
    let meshes: Vec<u64> = (0..4).map(|it| after["nodes"][it]["mesh"].as_u64().unwrap()).collect();
    assert_eq!(meshes, [0, 0, 1, 2]);
}

#[test]
fn targets_of_animation_pointers_are_not_merged() {
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
    let (_, dropped) = Prune::new().merge_equal().run(load(text)).unwrap();
    assert_eq!((dropped.skip_reason.as_ref(), dropped.is_empty()), (None, true));
}

#[test]
fn comparing_many_accessors_of_the_same_bytes_is_limited() {
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
    let (document, dropped) = Prune::new().merge_equal().run(document).unwrap();
    // As many as fit into 64 times the bytes.
    assert_eq!(dropped.merged(GltfArray::Accessors), 63);
    check_file(&saved(&document));
}
