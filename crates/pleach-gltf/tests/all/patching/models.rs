//! Patches between sample models: edited, rewritten, and entirely different ones.

use pleach_gltf::patch::content_hash;
use pleach_gltf::{Bytes, Format, Options, load_bytes};
use serde_json::json;

use super::{Model, check_patch};
use crate::common::container::glb_of;
use crate::common_save::{Files, sample_models};

#[test]
fn patches_between_different_models_are_correct() {
    let models: Vec<_> = sample_models().collect();
    for (number, (path, a)) in models.iter().enumerate() {
        let (other, b) = &models[(number + 1) % models.len()];
        check_patch(a, b, &format!("{} to {}", path.display(), other.display()));
    }
}

#[test]
fn the_patch_to_the_same_file_is_empty() {
    for (path, document) in sample_models() {
        let patch = check_patch(&document, &document, &path.display().to_string());
        assert!(patch.is_empty(), "{}", path.display());
    }
}

#[test]
fn rewritten_copies_have_the_same_content() {
    for (path, document) in sample_models() {
        let what = path.display().to_string();
        // The members of objects in another order, and numbers with other digits.
        let model = Model::of(&document);
        let Ok(copy) = model.try_load() else { continue };
        let original = document.save_bytes(Format::Gltf).unwrap();
        let files: Files = original.files.iter().cloned().collect();
        let original = Options::new().load_with(original.bytes, &files).unwrap();
        let patch = check_patch(&original, &copy, &what);
        assert!(patch.is_empty(), "{what}: {:#?}", patch.edits().collect::<Vec<_>>());
        assert_eq!(content_hash(&original).unwrap(), content_hash(&copy).unwrap(), "{what}");
    }
}

#[test]
fn unknown_chunks_are_part_of_the_content() {
    let glb = |chunks: &[(&[u8; 4], &[u8])]| {
        let json = concat!(
            r#"{"asset":{"version":"2.0"},"buffers":[{"byteLength":4}],"#,
            r#""bufferViews":[{"buffer":0,"byteLength":4}]}"#
        );
        let all =
            [&[(b"JSON", json.as_bytes()), (b"BIN\0", &[1, 2, 3, 4][..])][..], chunks].concat();
        load_bytes(&glb_of(&all)).unwrap()
    };
    let (a, b) = (glb(&[(b"ABCD", b"data")]), glb(&[(b"WXYZ", b"more"), (b"ABCD", b"Data")]));
    for (a, b) in [(&a, &b), (&b, &a)] {
        let patch = check_patch(a, b, "chunks");
        let edits: Vec<_> = patch.edits().map(|it| it.property).collect();
        assert_eq!(edits, ["(chunks)"]);
        let applied = patch.apply(a, &Options::new()).unwrap().save_bytes(Format::Glb).unwrap();
        assert_eq!(applied.bytes, b.save_bytes(Format::Glb).unwrap().bytes);
    }
}

#[test]
fn other_layouts_of_buffers_have_the_same_content() {
    let mut tried = 0;
    for (path, document) in sample_models() {
        let what = path.display().to_string();
        let mut model = Model::of(&document);
        let original = model.load();
        // Unused bytes at the start of each buffer that is a file.
        let buffers = model.json["buffers"].as_array().cloned().unwrap_or_default();
        let is_plain = !model.json.to_string().contains("meshopt");
        let uris: Vec<_> = buffers.iter().map(|it| it["uri"].as_str().unwrap_or("")).collect();
        if !is_plain || !uris.iter().all(|uri| model.files.contains_key(*uri)) {
            continue;
        }
        for (index, uri) in uris.iter().enumerate() {
            let bytes = [&[7; 8], &*model.files[*uri]].concat();
            model.json["buffers"][index]["byteLength"] =
                json!(buffers[index]["byteLength"].as_u64().unwrap() + 8);
            model.files.insert((*uri).into(), Bytes::from(bytes));
        }
        let views = model.json.get_mut("bufferViews").and_then(|it| it.as_array_mut());
        for view in views.into_iter().flatten() {
            view["byteOffset"] = json!(view["byteOffset"].as_u64().unwrap_or(0) + 8);
        }
        let moved = model.load();
        let is_same = content_hash(&moved).unwrap() == content_hash(&original).unwrap();
        let patch = check_patch(&original, &moved, &what);
        assert_eq!(is_same, patch.is_empty(), "{what}");
        tried += usize::from(is_same);
    }
    assert!(tried > 10 || tried == 0, "only {tried} models have a free layout");
}
