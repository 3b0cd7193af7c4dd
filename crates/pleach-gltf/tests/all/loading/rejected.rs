//! Faults that are rejected: errors with location, kind and the way out.

use pleach_gltf::ErrorKind::Reference;
use pleach_gltf::Options;
use serde_json::json;

use super::file::{File, INDICES, POSITIONS, TIMES, file, full_file, outcome, panic_if_any};
use super::invalid_data::invalid_data;
use super::invalid_scenes::invalid_scenes;

/// The locations of all indices.
const REFERENCES: &[&str] = &[
    "/scene",
    "/scenes/0/nodes/0",
    "/nodes/0/children/0",
    "/nodes/0/mesh",
    "/nodes/0/skin",
    "/nodes/3/camera",
    "/nodes/4/extensions/KHR_lights_punctual/light",
    "/nodes/5/extensions/EXT_mesh_gpu_instancing/attributes/TRANSLATION",
    "/meshes/0/primitives/0/attributes/POSITION",
    "/meshes/0/primitives/0/attributes/JOINTS_0",
    "/meshes/0/primitives/0/indices",
    "/meshes/0/primitives/0/material",
    "/meshes/0/primitives/0/targets/0/POSITION",
    "/skins/0/joints/1",
    "/skins/0/inverseBindMatrices",
    "/skins/0/skeleton",
    "/animations/0/channels/0/sampler",
    "/animations/0/channels/0/target/node",
    "/animations/0/samplers/0/input",
    "/animations/0/samplers/0/output",
    "/animations/0/samplers/3/input",
    "/animations/0/samplers/3/output",
    "/accessors/0/bufferView",
    "/bufferViews/0/buffer",
    "/images/0/bufferView",
    "/textures/0/source",
    "/textures/0/sampler",
    "/materials/0/pbrMetallicRoughness/baseColorTexture/index",
];

#[test]
fn an_index_out_of_range_is_rejected_with_its_location() {
    let mut failures = Vec::new();
    for &pointer in REFERENCES {
        for index in [99u64, u64::MAX] {
            match full_file().set(pointer, index).load() {
                Err(error) if (error.kind(), error.pointer()) == (Reference, pointer) => {}
                other => failures.push(format!("{pointer}: {index}: {}", outcome(&other))),
            }
        }
    }
    panic_if_any(&failures);
}

#[test]
fn an_animation_pointer_to_a_missing_node_is_rejected() {
    let target = "/animations/0/channels/3/target/extensions/KHR_animation_pointer";
    let file = full_file().set(&format!("{target}/pointer"), "/nodes/77/translation");
    let error = file.load().unwrap_err();
    assert_eq!((error.kind(), error.pointer()), (Reference, target));
}

#[test]
fn joint_indices_beyond_sixteen_bits_are_not_truncated() {
    let mut file = full_file();
    file.add_accessor(5125, "VEC4", 3, &[0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0].repeat(3));
    let location = "/meshes/0/primitives/0/attributes/JOINTS_0";
    match file.set(location, 12).load() {
        Ok(document) => {
            let warnings = document.report().warnings();
            assert!(
                warnings.iter().any(|warnings| warnings.pointer == location),
                "warnings {warnings:?}"
            );
        }
        Err(error) => assert_eq!(error.pointer(), location),
    }
}

#[test]
fn an_invalid_file_is_rejected_with_location_and_kind() {
    let mut failures = Vec::new();
    for (what, file, pointer, kind) in invalid_data().into_iter().chain(invalid_scenes()) {
        match file.load() {
            Ok(_) => failures.push(format!("{what}: loads")),
            Err(error) if (error.pointer(), error.kind()) == (pointer, kind) => {}
            Err(error) => {
                failures.push(format!("{what}: {error:?}, expected {kind:?} at {pointer}"));
            }
        }
    }
    panic_if_any(&failures);
}

#[test]
fn a_number_beyond_f32_is_rejected_everywhere() {
    let mut failures = Vec::new();
    let cases = [
        ("/nodes/2/translation", "[0, 1e39, 0]"),
        ("/nodes/2/rotation", "[0, 0, 0, 1e39]"),
        ("/nodes/2/scale", "[1, -1e39, 1]"),
        ("/nodes/3/matrix", "[1,0,0,0,0,1,0,0,0,0,1,0,1e39,0,0,1]"),
        ("/nodes/0/weights", "[1e39]"),
        ("/meshes/0/weights", "[1e39]"),
        ("/cameras/0/perspective/yfov", "1e39"),
        ("/extensions/KHR_lights_punctual/lights/0/intensity", "1e39"),
        ("/extensions/KHR_lights_punctual/lights/0/color", "[0, 0, 1e39]"),
        ("/materials/0/pbrMetallicRoughness/metallicFactor", "1e39"),
        ("/materials/0/emissiveFactor", "[0, 0, 1e400]"),
    ];
    for (pointer, text) in cases {
        // `Value` cannot represent all of these.
        let whole = full_file().set(pointer, "HERE").text().replace("\"HERE\"", text);
        match Options::new().load_bytes(whole.as_bytes()) {
            Ok(_) => failures.push(format!("{pointer} {text}: loads")),
            Err(error) if !error.pointer().starts_with(pointer) => {
                failures.push(format!("{pointer} {text}: {error:?}"));
            }
            Err(_) => {}
        }
    }
    panic_if_any(&failures);
}

#[test]
fn errors_state_the_location_the_fault_and_the_way_out() {
    let message = |file: File| file.load().unwrap_err().to_string();
    let cases = [
        (
            full_file().set("/nodes/0/skin", 3),
            "/nodes/0/skin: skin 3 does not exist (the file has 1)",
        ),
        (
            full_file().set("/nodes/1/children/-", 3),
            "/nodes/1/children/1: node 3 is already a child of node 0; a node can have only one parent",
        ),
        (
            full_file().set("/nodes/2/children", json!([1])),
            "/nodes/2/children/0: node 1 is an ancestor of node 2: the nodes form a cycle",
        ),
        (
            full_file().set("/nodes/2/rotation", json!([0, 0, 0, 0])),
            "/nodes/2/rotation: rotation is the zero quaternion; use (0, 0, 0, 1) for the identity",
        ),
        (
            full_file().put(INDICES, 2, &[3, 0]),
            "/meshes/0/primitives/0/indices: indices[1] is 3, but there are 3 positions",
        ),
        (
            full_file().put_float(POSITIONS, 4, f32::NAN),
            "/meshes/0/primitives/0/attributes/POSITION: positions[1].y is NaN; it must be finite",
        ),
        (
            full_file().set("/accessors/0/count", 4),
            "/accessors/0/count: 4 elements of 12 bytes with a stride of 12 at offset 0 do not fit in \
             buffer view 0, which has 36 bytes",
        ),
        (
            full_file().set("/bufferViews/0/byteLength", 9999),
            "/bufferViews/0/byteLength: 9999 bytes at offset 0 exceed buffer 0, which has 376 bytes",
        ),
        (
            file(json!({"extensionsRequired": ["VENDOR_x"]})),
            "/extensionsRequired/0: the file requires the extension \"VENDOR_x\", which is not supported",
        ),
        (
            file(json!({})).set("/asset/version", "1.0"),
            "/asset/version: glTF version 1.0 is not supported, only 2.0; convert it to glTF 2.0, for example with `npx gltf-pipeline -i IN -o OUT.glb`",
        ),
        (
            file(json!({"buffers": [{"uri": "a.bin", "byteLength": 4}]})),
            "/buffers/0/uri: \"a.bin\" could not be read: the model was loaded from memory, \
             without its external files; load it by its path, or pass a resolver",
        ),
        (
            file(json!({"buffers": [{"uri": "http://a/b.bin", "byteLength": 4}]})),
            "/buffers/0/uri: \"http://a/b.bin\" is not supported; only relative file names and \
             data URIs are",
        ),
        (
            full_file().put_float(TIMES, 0, 2.0),
            "/animations/0/samplers/0/input: times[1] is 1, before times[0], which is 2; \
             sort the keys by time",
        ),
    ];
    for (file, expected) in cases {
        assert_eq!(message(file), expected);
    }
}
