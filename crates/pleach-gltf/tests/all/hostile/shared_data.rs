//! Shared data is not multiplied, and declared but missing data is not allocated.

use serde_json::{Value, json};
use testkit::Effort;

use super::model::{list, root, scaled};
use super::tally::Tally;
use crate::common::accessors::data_uri;
use crate::common::container::glb;

#[test]
fn shared_data_is_not_multiplied() {
    let mut tally = Tally::new("shared");
    let scenes = list(100_000, r#"{"nodes":[0]}"#);
    tally.bytes(
        "100000 scenes of one root",
        &root(&format!(r#""nodes":[{{}}],"scenes":[{scenes}]"#)),
    );
    let scenes = list(1000, r#"{"nodes":[0]}"#);
    let name = "n".repeat(1 << 20);
    tally.bytes(
        "1000 scenes of one root with a name of a megabyte",
        &root(&format!(r#""nodes":[{{"name":"{name}"}}],"scenes":[{scenes}]"#)),
    );
    let children = (1..1000).map(|it| it.to_string()).collect::<Vec<_>>().join(",");
    let nodes = list(999, "{}");
    tally.bytes(
        "1000 scenes of one root with 1000 nodes",
        &root(&format!(r#""nodes":[{{"children":[{children}]}},{nodes}],"scenes":[{scenes}]"#)),
    );
    tally.bytes(
        "1000 scenes far apart in 100000 nodes",
        &root(&format!(
            r#""nodes":[{}],"scenes":[{}]"#,
            list(100_000, "{}"),
            list(1000, r#"{"nodes":[0,99999]}"#)
        )),
    );
    let parts = list(scaled(10_000), r#"{"attributes":{}}"#);
    tally.bytes(
        "many nodes with a mesh of many parts",
        &root(&format!(
            r#""meshes":[{{"primitives":[{parts}]}}],"nodes":[{}]"#,
            list(scaled(10_000), r#"{"mesh":0}"#)
        )),
    );
    let animations = list(
        1000,
        r#"{"channels":[{"sampler":0,"target":{"node":0,"path":"translation"}}],"samplers":[{"input":0,"output":1}]}"#,
    );
    tally.bytes(
        "1000 animations of a node with a name of a megabyte",
        &root(&format!(
            r#""nodes":[{{"name":"{name}"}}],"animations":[{animations}],"accessors":[{{"componentType":5126,"count":1,"type":"SCALAR"}},{{"componentType":5126,"count":1,"type":"VEC3"}}]"#
        )),
    );
    let parts = list(1000, r#"{"attributes":{"POSITION":0},"targets":[{"POSITION":0}]}"#);
    tally.bytes(
        "1000 primitives with a morph target whose name has a megabyte",
        &root(&format!(
            r#""meshes":[{{"primitives":[{parts}],"extras":{{"targetNames":["{name}"]}}}}],"accessors":[{{"componentType":5126,"count":3,"type":"VEC3"}}]"#
        )),
    );
    let joints = list(100_000, "0");
    for count in [1, 1000] {
        tally.bytes(
            &format!("{count} nodes with a skin of 100000 times the same joint"),
            &root(&format!(
                r#""nodes":[{}],"skins":[{{"joints":[{joints}]}}],"meshes":[{{"primitives":[]}}],"scenes":[{{"nodes":[0]}}]"#,
                list(count, r#"{"mesh":0,"skin":0}"#)
            )),
        );
    }
    let joints = (0..100_000).rev().map(|it| it.to_string()).collect::<Vec<_>>().join(",");
    tally.bytes(
        "a skin of 100000 roots that are not in the scene, backwards",
        &root(&format!(
            r#""nodes":[{},{{"mesh":0,"skin":0}}],"skins":[{{"joints":[{joints}]}}],"meshes":[{{"primitives":[]}}],"scenes":[{{"nodes":[100000]}}]"#,
            list(100_000, "{}")
        )),
    );
    // One large accessor with many users.
    let bin = vec![0u8; scaled(3 << 20).next_multiple_of(48)];
    let views = json!([{"buffer": 0, "byteLength": bin.len()}]);
    let with = |rest: Value, bin: &[u8]| {
        let mut json = json!({"asset": {"version": "2.0"}, "buffers": [{"byteLength": bin.len()}],
            "bufferViews": views});
        for (key, value) in rest.as_object().into_iter().flatten() {
            json[key] = value.clone();
        }
        glb(json.to_string().as_bytes(), bin)
    };
    let big =
        json!({"bufferView": 0, "componentType": 5126, "count": bin.len() / 12, "type": "VEC3"});
    let same: Vec<Value> = (0..scaled(10_000))
        .map(|_| json!({"primitives": [{"attributes": {"POSITION": 0}}]}))
        .collect();
    tally.bytes(
        "many meshes of one big accessor",
        &with(json!({"accessors": [big], "meshes": same}), &bin),
    );
    let distinct: Vec<Value> = (0..scaled(10_000))
        .map(|it| json!({"primitives": [{"attributes": {"POSITION": 0, format!("_{it}"): 0}}]}))
        .collect();
    tally.bytes(
        "many meshes of one big accessor, each its own",
        &with(json!({"accessors": [big], "meshes": distinct}), &bin),
    );
    let mesh = json!([{"primitives": [{"attributes": {"POSITION": 0}}]}]);
    let nodes: Vec<Value> = (0..scaled(10_000)).map(|_| json!({"mesh": 0})).collect();
    tally.bytes(
        "many nodes with one big mesh",
        &with(json!({"accessors": [big], "meshes": mesh, "nodes": nodes}), &bin),
    );
    let mesh =
        json!([{"primitives": [{"attributes": {"POSITION": 0, "JOINTS_0": 1, "WEIGHTS_0": 2}}]}]);
    // Each node computes the bounds of its joints from all vertices, which is slow.
    let sizes = Effort::pick([(100, 2000); 2], [(10_000, 196_608), (1000, 19_600)]);
    for (nodes, vertices) in sizes {
        let accessor = |code: u32, kind: &str| json!({"bufferView": 0, "componentType": code, "count": vertices, "type": kind});
        let skinned = [accessor(5126, "VEC3"), accessor(5121, "VEC4"), accessor(5126, "VEC4")];
        let list: Vec<Value> = (0..nodes).map(|_| json!({"mesh": 0, "skin": 0})).collect();
        let rest = json!({"accessors": skinned, "meshes": mesh, "nodes": list, "skins": [{"joints": [0]}]});
        tally.bytes(&format!("{nodes} nodes with a skinned mesh of {vertices}"), &with(rest, &bin));
    }
    let nodes: Vec<Value> = (0..scaled(10_000))
        .map(|_| json!({"mesh": 0, "extensions": {"EXT_mesh_gpu_instancing": {"attributes": {"TRANSLATION": 0}}}}))
        .collect();
    tally.bytes(
        "many nodes with many instances each",
        &with(json!({"accessors": [big], "meshes": [{"primitives": []}], "nodes": nodes}), &bin),
    );
    let instances = json!({"bufferView": 0, "componentType": 5126, "count": 10, "type": "VEC3"});
    tally.bytes(
        "many nodes with ten instances each of a big mesh",
        &with(json!({"accessors": [instances, big], "meshes": [{"primitives": [{"attributes": {"POSITION": 1}}]}], "nodes": nodes}), &bin),
    );
    let sparse = json!({"componentType": 5121, "count": bin.len(), "type": "SCALAR", "sparse": {
        "count": bin.len() / 4, "indices": {"bufferView": 0, "componentType": 5125},
        "values": {"bufferView": 0}}});
    tally.bytes(
        "many accessors that replace the same elements",
        &with(json!({"accessors": vec![sparse; scaled(10_000)]}), &bin),
    );
    let mut rising = bin.clone();
    for (number, bytes) in rising.chunks_exact_mut(4).enumerate() {
        bytes.copy_from_slice(&(number as u32).to_le_bytes());
    }
    let sparse = json!({"componentType": 5121, "count": bin.len(), "type": "SCALAR", "sparse": {
        "count": bin.len() / 4, "indices": {"bufferView": 0, "componentType": 5125},
        "values": {"bufferView": 0}}});
    tally.bytes(
        "many accessors that replace the same elements in order",
        &with(json!({"accessors": vec![sparse; scaled(10_000)]}), &rising),
    );
    let image = json!({"bufferView": 0});
    tally.bytes(
        "many images of one view",
        &with(json!({"images": vec![image; scaled(10_000)]}), &bin),
    );
    let channel =
        |node: usize| json!({"sampler": 0, "target": {"node": node, "path": "translation"}});
    let channels: Vec<Value> = (0..scaled(10_000)).map(channel).collect();
    let times =
        json!({"bufferView": 0, "componentType": 5126, "count": bin.len() / 12, "type": "SCALAR"});
    tally.bytes(
        "many channels of one big sampler",
        &with(
            json!({"accessors": [times, big], "nodes": vec![json!({}); scaled(10_000)], "animations": [
                {"channels": channels, "samplers": [{"input": 0, "output": 1}]}]}),
            &bin,
        ),
    );
    tally.end();
}

#[test]
fn declared_but_missing_data_is_not_allocated() {
    let mut tally = Tally::new("counted");
    #[rustfmt::skip] // A table.
    let counts = [
        1u64 << 20, 1 << 23, 1 << 24, 10_000_000, 1 << 25, 1 << 26, 1 << 27, 1 << 28, 1 << 31,
        1 << 32, 1 << 53, 1 << 63,
    ];
    for count in counts {
        for kind in ["SCALAR", "VEC2", "VEC3", "VEC4", "MAT4"] {
            for code in [5121, 5126] {
                let accessor = json!({"componentType": code, "count": count, "type": kind});
                let uses = [
                    ("unused", json!({})),
                    (
                        "POSITION",
                        json!({"meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}]}),
                    ),
                    (
                        "JOINTS_0",
                        json!({"meshes": [{"primitives": [{"attributes": {"POSITION": 0, "JOINTS_0": 0}}]}]}),
                    ),
                    (
                        "COLOR_0",
                        json!({"meshes": [{"primitives": [{"attributes": {"COLOR_0": 0}}]}]}),
                    ),
                    (
                        "TEXCOORD_63",
                        json!({"meshes": [{"primitives": [{"attributes": {"TEXCOORD_63": 0}}]}]}),
                    ),
                    (
                        "indices",
                        json!({"meshes": [{"primitives": [{"attributes": {}, "indices": 0}]}]}),
                    ),
                    (
                        "targets",
                        json!({"meshes": [{"primitives": [{"attributes": {}, "targets": [{"POSITION": 0}]}]}]}),
                    ),
                    (
                        "inverseBindMatrices",
                        json!({"nodes": [{}], "skins": [{"joints": [0], "inverseBindMatrices": 0}]}),
                    ),
                    (
                        "input",
                        json!({"nodes": [{}], "animations": [{"channels": [
                        {"sampler": 0, "target": {"node": 0, "path": "weights"}}],
                        "samplers": [{"input": 0, "output": 0}]}]}),
                    ),
                    (
                        "visibility",
                        json!({"nodes": [{}], "animations": [{"channels": [
                        {"sampler": 0, "target": {"path": "pointer", "extensions": {"KHR_animation_pointer": {
                            "pointer": "/nodes/0/extensions/KHR_node_visibility/visible"}}}}],
                        "samplers": [{"input": 0, "output": 0}]}]}),
                    ),
                    (
                        "instances",
                        json!({"nodes": [{"mesh": 0, "extensions": {"EXT_mesh_gpu_instancing":
                        {"attributes": {"TRANSLATION": 0}}}}], "meshes": [{"primitives": []}]}),
                    ),
                    (
                        "instances' rotations",
                        json!({"nodes": [{"mesh": 0, "extensions": {"EXT_mesh_gpu_instancing":
                        {"attributes": {"ROTATION": 0}}}}], "meshes": [{"primitives": []}]}),
                    ),
                ];
                for (name, rest) in uses {
                    let mut json = json!({"asset": {"version": "2.0"}, "accessors": [accessor]});
                    for (key, value) in rest.as_object().into_iter().flatten() {
                        json[key] = value.clone();
                    }
                    if count > (1 << 24) && !tally.is_chosen(count as usize) {
                        continue;
                    }
                    tally.value(&format!("{count} {kind} of {code} as {name}"), &json);
                }
            }
        }
    }
    // Sparse accessors without a buffer view.
    for count in [1u64 << 25, 1 << 31, 1 << 32] {
        let json = json!({"asset": {"version": "2.0"}, "buffers": [{"byteLength": 16, "uri": data_uri("application/octet-stream", &[0; 16])}],
            "bufferViews": [{"buffer": 0, "byteLength": 16}],
            "accessors": [{"componentType": 5126, "count": count, "type": "SCALAR", "sparse": {"count": 1,
                "indices": {"bufferView": 0, "componentType": 5125}, "values": {"bufferView": 0}}}],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 0}]}]});
        tally.value(&format!("sparse over {count} of nothing"), &json);
    }
    // Compressed views that declare much more data than they contain.
    for (mode, stride) in [("ATTRIBUTES", 4), ("ATTRIBUTES", 256), ("TRIANGLES", 2), ("INDICES", 4)]
    {
        for count in [3u64 << 10, 3 << 20, 3 << 24, 3 << 28, 3 << 40] {
            for head in [0xa0u8, 0xa1, 0xe0, 0xe1, 0xd0, 0xd1] {
                let mut bytes = vec![0u8; 4096];
                bytes[0] = head;
                let view = json!({"buffer": 0, "byteLength": count * stride, "extensions": {
                    "EXT_meshopt_compression": {"buffer": 0, "byteLength": bytes.len(), "byteStride": stride,
                        "count": count, "mode": mode}}});
                let json = json!({"asset": {"version": "2.0"}, "buffers": [{"byteLength": bytes.len()}],
                    "bufferViews": vec![view; 3]});
                tally.bytes(
                    &format!("{mode} of {count} times {stride}, header {head:#x}"),
                    &glb(json.to_string().as_bytes(), &bytes),
                );
            }
        }
    }
    tally.end();
}
