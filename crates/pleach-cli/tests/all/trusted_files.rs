//! `--trust`, and errors for files that are not trusted.

use std::fs;

use crate::common::Directory;

/// `models/house.gltf`, whose one buffer is at `uri`, and `walls.bin` next to `models`.
fn house(uri: &str) -> Directory {
    let here = Directory::new();
    fs::create_dir(here.path().join("models")).unwrap();
    here.write("walls.bin", [0; 36]);
    let text = format!(
        r#"{{
            "asset": {{"version": "2.0"}},
            "buffers": [{{"uri": {uri:?}, "byteLength": 36}}],
            "bufferViews": [{{"buffer": 0, "byteLength": 36}}],
            "accessors": [{{"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 3,
                           "min": [0, 0, 0], "max": [0, 0, 0]}}],
            "meshes": [{{"primitives": [{{"attributes": {{"POSITION": 0}}}}]}}],
            "nodes": [{{"mesh": 0}}], "scenes": [{{"nodes": [0]}}], "scene": 0
        }}"#
    );
    here.write("models/house.gltf", text);
    here
}

#[test]
fn files_outside_the_directory_are_read_only_with_trust() {
    let here = house("../walls.bin");
    let error = here.run("info models/house.gltf").error();
    assert!(error.ends_with("; if you trust the file, retry with --trust"), "{error}");
    here.run("info models/house.gltf --trust").text(0);
    here.run("--trust stats models/house.gltf").text(0);
}

#[test]
fn trust_is_not_suggested_where_it_does_not_help() {
    let error = house("nothing.bin").run("info models/house.gltf").error();
    assert!(!error.contains("--trust"), "{error}");
    let error = house("../nothing.bin").run("info models/house.gltf --trust").error();
    assert!(!error.contains("--trust"), "{error}");
}

#[test]
fn trusted_files_have_no_memory_limit() {
    let here = Directory::new();
    here.write(
        "zeros.gltf",
        r#"{
            "asset": {"version": "2.0"},
            "accessors": [{"componentType": 5126, "type": "VEC3", "count": 4000000}],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}]
        }"#,
    );
    let error = here.run("info zeros.gltf").error();
    assert!(error.contains("memory limit") && error.contains("--trust"), "{error}");
    here.run("info zeros.gltf --trust").text(0);
}
