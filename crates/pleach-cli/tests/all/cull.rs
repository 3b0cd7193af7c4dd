//! `pleach cull`: the nodes in view, and why the others are culled.

use crate::common::gltf_builder::GltfBuilder;
use crate::common::{Directory, answers_for_all_models, broken_files, golden, yard};
use serde_json::{Value, json};

/// A camera whose view is a cube of 2 × 2 × 2 m from 1 m on, along the file's −Z, and cubes of half
/// a metre: one in the centre, one outside each side, a hidden one, one without vertices, a row of
/// instances.
fn sides() -> (Value, Vec<u8>) {
    let mut builder = GltfBuilder::default();
    let (cube, indices) = builder.cuboid([0.25; 3]);
    let row: Vec<[f32; 3]> = (0..5).map(|step| [step as f32, 0.0, -2.0]).collect();
    let row = builder.vectors(&row);
    let at = |name: &str, x: f32, y: f32, z: f32| json!({"name": name, "mesh": 0, "translation": [x, y, z]});
    let json = json!({
        "asset": {"version": "2.0"},
        "extensionsUsed": ["EXT_mesh_gpu_instancing", "KHR_node_visibility"],
        "scenes": [{"nodes": [0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11]}],
        "nodes": [
            {"name": "eye", "camera": 0},
            at("middle", 0.0, 0.0, -2.0),
            at("left", -2.0, 0.0, -2.0),
            at("right", 2.0, 0.0, -2.0),
            at("bottom", 0.0, -2.0, -2.0),
            at("top", 0.0, 2.0, -2.0),
            at("near", 0.0, 0.0, -0.5),
            {"name": "lid", "children": [8], "extensions": {"KHR_node_visibility": {"visible": false}}},
            at("under", 0.0, 0.0, -2.0),
            at("far", 0.0, 0.0, -4.0),
            {"name": "void", "mesh": 1},
            {"name": "row", "mesh": 0, "extensions":
                {"EXT_mesh_gpu_instancing": {"attributes": {"TRANSLATION": row}}}},
        ],
        "cameras": [{"type": "orthographic", "orthographic":
            {"xmag": 1, "ymag": 1, "znear": 1, "zfar": 3}}],
        "meshes": [
            {"primitives": [{"attributes": cube, "indices": indices}]},
            {"primitives": [{"attributes": {}}]},
        ],
        "accessors": builder.accessors,
        "bufferViews": builder.views,
        "buffers": [{"uri": "sides.bin", "byteLength": builder.bytes.len()}],
    });
    (json, builder.bytes)
}

fn directory() -> Directory {
    let here = yard::directory();
    let (json, bytes) = sides();
    here.write("sides.gltf", json.to_string());
    here.write("sides.bin", bytes);
    here
}

#[test]
fn the_side_of_each_culled_node_is_reported() {
    let here = directory();
    let line = "cull sides.gltf --camera eye --size 64x64";
    golden("cull/sides.txt", &here.run(line).text(0));
    golden("cull/why.txt", &here.run(&format!("{line} --why")).text(0));
    golden("cull/sides.json", &here.run(&format!("{line} --json")).text(0));
    let cull = here.run(&format!("{line} --json")).json(0);
    for culled in cull["culled"].as_array().unwrap() {
        // Nodes are named after the side that they are outside of.
        let (name, reason) = (&culled["name"], &culled["reason"]);
        let is_right = match name.as_str().unwrap() {
            "under" => *reason == json!({"kind": "hidden", "by": {"node": 7, "name": "lid"}}),
            "void" => *reason == json!({"kind": "no_bounds"}),
            _ => *reason == json!({"kind": "outside", "side": name}),
        };
        assert!(is_right, "{culled}");
    }
    assert_eq!(cull["culled"].as_array().unwrap().len(), 8);
}

/// Two instances, left and right of the view: the box around both intersects it.
#[test]
fn instanced_meshes_are_culled_per_instance() {
    let here = directory();
    let (mut json, bytes) = sides();
    let mut builder = GltfBuilder {
        bytes,
        views: json["bufferViews"].as_array().unwrap().clone(),
        accessors: json["accessors"].as_array().unwrap().clone(),
    };
    let two = builder.vectors(&[[-4.0, 0.0, -2.0], [4.0, 0.0, -2.0f32]]);
    let one = builder.vectors(&[[0.0f32; 3]]);
    let instancing = |accessor: usize| json!({"EXT_mesh_gpu_instancing": {"attributes": {"TRANSLATION": accessor}}});
    json["nodes"][1]["extensions"] = instancing(two);
    json["nodes"][1]["translation"] = json!([0, 0, 0]);
    json["accessors"] = json!(builder.accessors);
    json["bufferViews"] = json!(builder.views);
    json["buffers"][0]["byteLength"] = json!(builder.bytes.len());
    here.write("sides.bin", builder.bytes);
    here.write("sides.gltf", json.to_string());
    // One instance outside the right side of a view that is rotated by 45°, as is the instance: its
    // own box begins 1.1 m from the centre, its world bounds 0.85 m.
    let rotation = json!([0, 0, 0.382_683_43, 0.923_879_5]);
    json["nodes"][0]["rotation"] = rotation.clone();
    json["nodes"][1] = json!({"name": "one", "mesh": 0, "extensions": instancing(one),
        "translation": [0.9546, 0.9546, -2], "rotation": rotation});
    here.write("turned.gltf", json.to_string());
    let line = "cull sides.gltf --camera eye --size 64x64";
    let cull = here.run(&format!("{line} --json")).json(0);
    let names = |list: &str| -> Vec<Value> {
        cull[list].as_array().unwrap().iter().map(|it| it["name"].clone()).collect()
    };
    assert_eq!(names("in_view"), ["row"], "{cull}");
    assert_eq!(cull["meshes"], json!(names("culled").len() + 1));
    assert_eq!(cull["culled"][0]["reason"], json!({"kind": "no_instance", "instances": 2}));
    let text = here.run(&format!("{line} --why")).text(0);
    assert!(text.contains("10 mesh nodes: 1 in view, 9 culled;"), "{text}");
    assert!(text.contains("- #1 \"middle\"  none of its 2 instances is in view\n"), "{text}");
    let text = here.run(line).text(0);
    assert!(text.contains("- 1 no instance in view\n"), "{text}");
    let text = here.run("cull turned.gltf --camera eye --size 64x64 --why").text(0);
    assert!(text.contains("- #1 \"one\"  its only instance is not in view\n"), "{text}");
}

#[test]
fn cameras_and_whole_scene_views_are_culled() {
    let here = directory();
    golden("cull/yard.txt", &here.run("cull yard.gltf --camera eye --why").text(0));
    let names = |line: &str| -> Vec<Value> {
        let cull = here.run(line).json(0);
        cull["in_view"].as_array().unwrap().iter().map(|it| it["name"].clone()).collect()
    };
    // A view of the whole scene contains all visible meshes.
    let all = ["shed", "fence", "flag", "lamp"].map(Value::from);
    assert_eq!(names("cull yard.gltf --json"), all);
    assert_eq!(names("cull yard.gltf --json --from 0,0,1 --size 10x300"), all);
    // The name, the index and the node select the same camera.
    let by_name = here.run("cull yard.gltf --json --camera front").json(0);
    for camera in ["0", "eye", "#6"] {
        assert_eq!(here.run(&format!("cull yard.gltf --json --camera {camera}")).json(0), by_name);
    }
}

#[test]
fn nodes_are_culled_in_their_pose() {
    let here = directory();
    let (mut json, bytes) = sides();
    let mut builder = GltfBuilder {
        bytes,
        views: json["bufferViews"].as_array().unwrap().clone(),
        accessors: json["accessors"].as_array().unwrap().clone(),
    };
    let (times, translations) = (
        builder.vectors(&[[0.0], [1.0f32]]),
        builder.vectors(&[[0.0, 0.0, -2.0], [9.0, 0.0, -2.0f32]]),
    );
    json["animations"] = json!([{"name": "leave",
        "samplers": [{"input": times, "output": translations}],
        "channels": [{"sampler": 0, "target": {"node": 1, "path": "translation"}}]}]);
    json["accessors"] = json!(builder.accessors);
    json["bufferViews"] = json!(builder.views);
    json["buffers"][0]["byteLength"] = json!(builder.bytes.len());
    here.write("sides.gltf", json.to_string());
    here.write("sides.bin", builder.bytes);
    let seen = |time: &str| {
        let line = format!(
            "cull sides.gltf --camera eye --size 400x400 --json --animation leave --time {time}"
        );
        here.run(&line).json(0)["in_view"][0]["name"].clone()
    };
    assert_eq!((seen("0"), seen("1")), (json!("middle"), json!("row")));
}

#[test]
fn many_boxes_are_culled_with_the_tree() {
    let here = directory();
    let (mut json, _) = sides();
    let nodes = json["nodes"].as_array_mut().unwrap();
    let first = nodes.len();
    nodes.extend((0..8_000).map(|it| json!({"mesh": 0, "translation": [0, it + 10, -2]})));
    let roots: Vec<usize> = (0..7).chain(first..first + 8_000).collect();
    json["scenes"][0]["nodes"] = json!(roots);
    here.write("sides.gltf", json.to_string());
    let cull = here.run("cull sides.gltf --camera eye --size 400x400 --json").json(0);
    assert_eq!((&cull["method"], &cull["meshes"]), (&json!("tree"), &json!(8_006)));
    assert_eq!(cull["in_view"].as_array().unwrap().len(), 1);
    assert!(cull["boxes_tested"].as_u64().unwrap() < 8_000, "{}", cull["boxes_tested"]);
    let text = here.run("cull sides.gltf --camera eye --size 400x400").text(0);
    assert!(text.contains("- 8,001 outside the top side"), "{text}");
}

#[test]
fn control_characters_in_names_are_escaped() {
    let here = yard::directory();
    here.write("hostile.gltf", broken_files::hostile_names().to_string());
    for line in ["cull hostile.gltf --camera 0", "cull hostile.gltf --why"] {
        let text = here.run(line).text(0);
        assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
    }
}

#[test]
fn unreadable_files_and_missing_cameras_are_one_line_errors() {
    let (here, files) = broken_files::unreadable();
    for (file, word) in files {
        let error = here.run_args(&["cull", file]).error();
        assert!(error.contains(word), "{file}: {error}");
    }
    let error = here.run("cull yard.gltf --camera shed").error();
    assert!(error.contains("no camera \"shed\""), "{error}");
    let error = here.run("cull yard.gltf --scene store --camera eye").error();
    assert!(error.contains("it has no cameras"), "{error}");
}

#[test]
fn invalid_arguments_are_usage_errors() {
    let here = yard::directory();
    let lines = [
        "cull",
        "cull yard.gltf --size 12",
        "cull yard.gltf --from 0,0,0",
        "cull yard.gltf --camera eye --from 0,0,1",
        "cull yard.gltf --time never",
    ];
    for line in lines {
        let run = here.run(line);
        assert_eq!((run.code, &*run.stdout), (Some(2), ""), "{line}: {}", run.stderr);
    }
}

#[test]
fn every_sample_model_is_culled() {
    answers_for_all_models("cull FILE --why");
    answers_for_all_models("cull FILE --camera 0 --size 320x200");
}
