//! Invalid files for `rejected`: versions, buffers, accessors, compressed views.

use pleach_gltf::ErrorKind::{Data, Extension, Json, Reference, Uri, Value as Bad};
use serde_json::{Value, json};

use super::file::{File, InvalidFile, MORPH_WEIGHTS, WEIGHTS, file, full_file, sparse};

/// Returns files with faults of the asset, its buffers and accessors.
pub(crate) fn invalid_data() -> Vec<InvalidFile> {
    let accessor =
        |member: &str, value: Value| full_file().set(&format!("/accessors/0/{member}"), value);
    let sparse_with = |member: &str, value: Value| {
        sparse(&[0, 1]).set(&format!("/accessors/0/sparse/{member}"), value)
    };
    vec![
        // The asset.
        (
            "version 1",
            file(json!({})).set("/asset", json!({"version": "1.0"})),
            "/asset/version",
            Bad,
        ),
        (
            "a later version",
            file(json!({})).set("/asset/minVersion", "2.1"),
            "/asset/minVersion",
            Bad,
        ),
        ("no version", file(json!({})).set("/asset", json!({})), "/asset", Json),
        (
            "an unknown extension that is required",
            file(json!({"extensionsRequired": ["KHR_lights_punctual", "VENDOR_x"]})),
            "/extensionsRequired/1",
            Extension,
        ),
        // Buffers.
        (
            "a buffer without bytes",
            file(json!({"buffers": [{"byteLength": 4}]})),
            "/buffers/0",
            Data,
        ),
        (
            "a buffer that is too short",
            file(json!({"buffers": [{"uri": "data:,abc", "byteLength": 4}]})),
            "/buffers/0/byteLength",
            Data,
        ),
        (
            "a buffer that is missing",
            file(json!({"buffers": [{"uri": "none.bin", "byteLength": 4}]})),
            "/buffers/0/uri",
            Uri,
        ),
        (
            "a buffer with an http URI",
            file(json!({"buffers": [{"uri": "http://a/b.bin", "byteLength": 4}]})),
            "/buffers/0/uri",
            Uri,
        ),
        (
            "invalid base64",
            file(json!({"buffers": [{"uri": "data:;base64,A*==", "byteLength": 1}]})),
            "/buffers/0/uri",
            Uri,
        ),
        (
            "a view beyond its buffer",
            full_file().set("/bufferViews/0/byteLength", 100_000),
            "/bufferViews/0/byteLength",
            Data,
        ),
        (
            "a view whose end overflows",
            full_file().set("/bufferViews/0/byteOffset", u64::MAX),
            "/bufferViews/0/byteLength",
            Data,
        ),
        // Accessors.
        ("an accessor beyond its view", accessor("count", json!(4)), "/accessors/0/count", Data),
        (
            "an accessor whose size overflows",
            accessor("count", json!(u64::MAX)),
            "/accessors/0/count",
            Data,
        ),
        (
            "an offset beyond the view",
            accessor("byteOffset", json!(u64::MAX - 3)),
            "/accessors/0/count",
            Data,
        ),
        (
            "an invalid component type",
            accessor("componentType", json!(5124)),
            "/accessors/0/componentType",
            Bad,
        ),
        ("an invalid type", accessor("type", json!("VEC5")), "/accessors/0/type", Bad),
        (
            "elements larger than the stride",
            full_file().set("/bufferViews/0/byteStride", 8),
            "/accessors/0/bufferView",
            Data,
        ),
        (
            "positions of two components",
            accessor("type", json!("VEC2")),
            "/meshes/0/primitives/0/attributes/POSITION",
            Bad,
        ),
        (
            "indices of floats",
            full_file().set("/meshes/0/primitives/0/indices", MORPH_WEIGHTS),
            "/meshes/0/primitives/0/indices",
            Bad,
        ),
        (
            "joints of floats",
            full_file().set("/meshes/0/primitives/0/attributes/JOINTS_0", WEIGHTS),
            "/meshes/0/primitives/0/attributes/JOINTS_0",
            Bad,
        ),
        (
            "more sparse elements than elements",
            sparse_with("count", json!(4)),
            "/accessors/0/sparse/count",
            Data,
        ),
        (
            "sparse indices of floats",
            sparse_with("indices/componentType", json!(5126)),
            "/accessors/0/sparse/indices/componentType",
            Bad,
        ),
        (
            "sparse indices beyond their view",
            sparse_with("indices/byteOffset", json!(1)),
            "/accessors/0/sparse/indices",
            Data,
        ),
        (
            "sparse values beyond their view",
            sparse_with("values/byteOffset", json!(4)),
            "/accessors/0/sparse/values",
            Data,
        ),
        (
            "sparse indices in a missing view",
            sparse_with("indices/bufferView", json!(99)),
            "/accessors/0/sparse/indices/bufferView",
            Reference,
        ),
        (
            "sparse values in a missing view",
            sparse_with("values/bufferView", json!(99)),
            "/accessors/0/sparse/values/bufferView",
            Reference,
        ),
        ("a sparse element beyond the last", sparse(&[0, 3]), "/accessors/0/sparse/indices", Data),
        (
            "a sparse element beyond the last, after one out of order",
            sparse(&[3, 0]),
            "/accessors/0/sparse/indices",
            Data,
        ),
        (
            "an invalid compression mode",
            compressed(&[("mode", json!("LINES"))]),
            "/bufferViews/0/extensions/EXT_meshopt_compression/mode",
            Bad,
        ),
        (
            "an invalid compression filter",
            compressed(&[("filter", json!("SEPIA"))]),
            "/bufferViews/0/extensions/EXT_meshopt_compression/filter",
            Bad,
        ),
        (
            "a compressed view of a different length",
            compressed(&[("count", json!(4))]),
            "/bufferViews/0/extensions/EXT_meshopt_compression/count",
            Data,
        ),
        (
            "compressed data in a missing buffer",
            compressed(&[("buffer", json!(9))]),
            "/bufferViews/0/extensions/EXT_meshopt_compression/buffer",
            Reference,
        ),
        (
            "compressed data that is not a valid stream",
            compressed(&[]),
            "/bufferViews/0/extensions/EXT_meshopt_compression",
            Data,
        ),
    ]
}

/// Returns `full_file` whose positions are declared as compressed, although they are not.
fn compressed(members: &[(&str, Value)]) -> File {
    let mut extension = json!({
        "buffer": 0, "byteLength": 36, "byteStride": 12, "count": 3, "mode": "ATTRIBUTES",
    });
    for (key, value) in members {
        extension[*key] = value.clone();
    }
    full_file().set("/bufferViews/0/extensions", json!({"EXT_meshopt_compression": extension}))
}
