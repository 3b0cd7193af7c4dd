//! Files that are trusted, and what is said of those that are not.

use std::fs;

use crate::common::Directory;

/// `models/house.gltf`, whose one buffer is at `uri`, and `walls.bin` beside `models`.
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
fn a_file_beside_the_models_directory_is_read_if_the_model_is_trusted() {
    let here = house("../walls.bin");
    let complaint = here.run("info models/house.gltf").complaint();
    assert!(complaint.ends_with("; if you trust the file, --trust may help"), "{complaint}");
    here.run("info models/house.gltf --trust").text(0);
    here.run("--trust stats models/house.gltf").text(0);
}

#[test]
fn trust_is_not_offered_where_it_does_not_help() {
    let complaint = house("nothing.bin").run("info models/house.gltf").complaint();
    assert!(!complaint.contains("--trust"), "{complaint}");
    let complaint = house("../nothing.bin").run("info models/house.gltf --trust").complaint();
    assert!(!complaint.contains("--trust"), "{complaint}");
}

#[test]
fn a_trusted_file_may_take_any_memory() {
    let here = Directory::new();
    here.write(
        "zeros.gltf",
        r#"{
            "asset": {"version": "2.0"},
            "accessors": [{"componentType": 5126, "type": "VEC3", "count": 4000000}],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}]
        }"#,
    );
    let complaint = here.run("info zeros.gltf").complaint();
    assert!(complaint.contains("memory limit") && complaint.contains("--trust"), "{complaint}");
    here.run("info zeros.gltf --trust").text(0);
}
