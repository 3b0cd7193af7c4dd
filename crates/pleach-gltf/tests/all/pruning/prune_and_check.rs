//! Pruning with the checks that must hold for every file.

use pleach_gltf::{Bytes, Document, Format, GltfArray, Options, Prune, PruneReport};

use crate::common_save::{AccessorBuilder, FORMATS, Files, assert_same_scene, errors};

/// Prunes a document, checks the files, compares the scenes, and prunes again, which must change
/// nothing.
#[track_caller]
pub(crate) fn pruned(document: Document, prune: Prune, what: &str) -> (Document, PruneReport) {
    let before = document.save_bytes(Format::Gltf).unwrap();
    let known = errors(&before);
    let files: Files = before.files.iter().cloned().collect();
    let original = Options::new().load_with(before.bytes, &files).unwrap();
    let (document, dropped) = prune.run(document).unwrap();
    for format in FORMATS {
        let written = document.save_bytes(format).unwrap();
        let found = errors(&written);
        assert!(found.len() <= known.len(), "{what}, {format:?}: {found:#?}");
        let files: Files = written.files.iter().cloned().collect();
        let again = Options::new().load_with(written.bytes.clone(), &files).unwrap();
        assert_same(&original, &again, what);
        let (again, more) = prune.run(again).unwrap();
        assert!(more.is_empty(), "{what}, {format:?}: a second time: {more:?}");
        assert_eq!(again.save_bytes(format).unwrap().bytes, written.bytes, "{what}, {format:?}");
    }
    assert_same(&original, &document, what);
    (document, dropped)
}

#[track_caller]
pub(crate) fn assert_same(one: &Document, other: &Document, what: &str) {
    assert_eq!(one.scenes().len(), other.scenes().len(), "{what}");
    for (one, other) in one.scenes().iter().zip(other.scenes()) {
        assert_same_scene(one, other, what);
    }
    let clips = |document: &Document| -> Vec<String> {
        let clips = document.animations().iter().filter(|it| !it.clip().channels().is_empty());
        clips
            .map(|it| format!("{:?} {}", it.clip().channels(), it.visibility_target_count()))
            .collect()
    };
    assert_eq!(clips(one), clips(other), "{what}");
}

pub(crate) fn summary(dropped: &PruneReport) -> String {
    let mut text = format!("{} bytes", dropped.bytes);
    for list in GltfArray::ALL {
        let (unused, merged) = (dropped.unused(list), dropped.merged(list));
        if unused + merged > 0 {
            text.push_str(&format!(", {unused}+{merged} {list}"));
        }
    }
    dropped.skip_reason.iter().for_each(|reason| text.push_str(&format!(" ({reason})")));
    text
}

/// Returns a file in which the first entry of every list is unused, and the second is used.
pub(crate) fn doubled() -> (String, Files) {
    let mut builder = AccessorBuilder::default();
    for offset in [5.0, 0.0] {
        let at = [offset, 0.0, 0.0, offset + 1.0, 0.0, 0.0, offset, 1.0, 0.0];
        let bounds = format!(", \"min\": [{offset},0,0], \"max\": [{},1,0]", offset + 1.0);
        builder.floats(&at, "VEC3", &bounds); // 0, 5
        builder.floats(
            &[0.0, 1.0 + offset],
            "SCALAR",
            &format!(", \"min\": [0], \"max\": [{}]", 1.0 + offset),
        );
        builder.floats(&[offset, 0.0, 0.0, 2.0, 0.0, 0.0], "VEC3", "");
        let identity: Vec<f32> = (0..16).map(|it| f32::from(u8::from(it % 5 == 0))).collect();
        builder.floats(&identity, "MAT4", ""); // 3, 8
        builder.add(&[0, 1, 2], 3, 5121, "SCALAR", ""); // 4, 9
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
        accessors = builder.accessors,
        views = builder.views,
        length = builder.bytes.len(),
    );
    let png = |tail: &str| Bytes::from([b"\x89PNG\r\n\x1a\n", tail.as_bytes()].concat());
    let files = Files::from([
        ("data.bin".to_string(), Bytes::from(builder.bytes)),
        ("a.png".into(), png("a")),
        ("b.png".into(), png("b")),
        ("c.png".into(), png("c")),
    ]);
    (text, files)
}
