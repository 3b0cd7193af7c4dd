//! Declarations against data: `min` and `max`, counts, types, targets, names of members.

use serde_json::{Value, json};

use super::{after, leads_to, problem};
use crate::common::gltf_builder::GltfBuilder;
use crate::common::{Directory, yard};

/// Returns the index at a pointer of the yard's JSON.
fn index(pointer: &str) -> usize {
    yard::yard().0.pointer(pointer).unwrap().as_u64().unwrap() as usize
}

const WALLS: &str = "/meshes/0/primitives/0/attributes";

#[test]
fn positions_and_key_times_require_min_and_max() {
    let locations = [
        format!("{WALLS}/POSITION"),
        "/meshes/2/primitives/0/targets/0/POSITION".into(),
        "/animations/1/samplers/0/input".into(),
    ];
    for pointer in &locations {
        let accessor = index(pointer);
        for member in ["min", "max"] {
            leads_to("no-min-max", "warning", &format!("/accessors/{accessor}"), |json| {
                json["accessors"][accessor].as_object_mut().unwrap().remove(member);
            });
        }
    }
    // Other accessors do not need them.
    let normals = index(&format!("{WALLS}/NORMAL"));
    let answer = after(|json| {
        let normals = json["accessors"][normals].as_object_mut().unwrap();
        normals.retain(|key, _| key != "min" && key != "max");
    });
    assert_eq!(problem(&answer.json(0), "no-min-max"), None);
}

#[test]
fn min_and_max_are_compared_with_the_data() {
    for pointer in [format!("{WALLS}/POSITION"), format!("{WALLS}/TEXCOORD_0")] {
        let accessor = index(&pointer);
        for (member, wrong) in [("min", json!(-9)), ("max", json!(9)), ("max", json!("x"))] {
            leads_to(
                "wrong-min-max",
                "warning",
                &format!("/accessors/{accessor}/{member}"),
                |json| {
                    json["accessors"][accessor][member][1] = wrong;
                },
            );
        }
        leads_to("wrong-min-max", "warning", &format!("/accessors/{accessor}/max"), |json| {
            json["accessors"][accessor]["max"].as_array_mut().unwrap().push(json!(0));
        });
    }
    // The walls extend from -1 to 1: one value is a different f32, the other is not.
    let walls = index(&format!("{WALLS}/POSITION"));
    leads_to("rounded-min-max", "hint", &format!("/accessors/{walls}/max"), |json| {
        json["accessors"][walls]["max"][0] = json!(1.000_001);
    });
    let same = after(|json| json["accessors"][walls]["max"][0] = json!(1.000_000_01)).json(0);
    assert_eq!(problem(&same, "rounded-min-max"), None);
    assert_eq!(problem(&same, "wrong-min-max"), None);
}

/// Normalized numbers are compared as stored, including sparse values.
#[test]
fn min_and_max_refer_to_stored_numbers() {
    let here = Directory::new();
    let mut builder = GltfBuilder::default();
    builder.view(&[7, 200, 30]);
    builder.view(&[1]);
    builder.view(&[250]);
    let check = |min: Value, max: Value| {
        let sparse = json!({"count": 1, "indices": {"bufferView": 1, "componentType": 5121},
            "values": {"bufferView": 2}});
        let json = json!({"asset": {"version": "2.0"}, "bufferViews": builder.views,
            "accessors": [{"bufferView": 0, "componentType": 5121, "normalized": true,
                "type": "SCALAR", "count": 3, "min": [min], "max": [max], "sparse": sparse}],
            "buffers": [{"uri": "data.bin", "byteLength": builder.bytes.len()}]});
        here.write("data.bin", &builder.bytes);
        here.write("data.gltf", json.to_string());
        let run = here.run("check data.gltf --json");
        let code = run.code.unwrap();
        let answer = run.json(code);
        problem(&answer, "wrong-min-max").map(|it| it.1.join(" ")).unwrap_or_default()
    };
    assert_eq!(check(json!(7), json!(250)), "");
    assert_eq!(check(json!(7), json!(200)), "/accessors/0/max");
    assert_eq!(check(json!(0.0), json!(1.0)), "/accessors/0/min /accessors/0/max");
}

#[test]
fn counts_must_match_the_primitive_mode() {
    let indices = index("/meshes/0/primitives/0/indices");
    leads_to("mode-count", "warning", "/meshes/0/primitives/0/indices", |json| {
        json["accessors"][indices]["count"] = json!(35);
    });
    leads_to("mode-count", "warning", "/meshes/0/primitives/1/attributes/POSITION", |json| {
        json["meshes"][0]["primitives"][1]["mode"] = json!(1);
    });
    for mode in [0, 2, 3, 4, 5, 6] {
        let answer = after(|json| json["meshes"][0]["primitives"][1]["mode"] = json!(mode));
        assert_eq!(problem(&answer.json(0), "mode-count"), None, "{mode}");
    }
}

#[test]
fn required_extensions_must_be_declared() {
    leads_to("extension-required-only", "warning", "/extensionsRequired/1", |json| {
        let required = json["extensionsRequired"].as_array_mut().unwrap();
        required.push(json!("KHR_mesh_quantization"));
    });
}

#[test]
fn an_image_has_only_one_source() {
    leads_to("image-source", "warning", "/images/0", |json| {
        json["images"][0]["uri"] = json!("planks.png");
    });
}

#[test]
fn attribute_types_must_be_allowed_by_gltf() {
    let change = |name: &str, component: u32, normalized: bool| {
        let accessor = index(&format!("{WALLS}/{name}"));
        move |json: &mut Value| {
            json["accessors"][accessor]["componentType"] = json!(component);
            json["accessors"][accessor]["normalized"] = json!(normalized);
        }
    };
    // The flag is set for types that KHR_mesh_quantization allows.
    let cases = [
        ("POSITION", 5122, false, true),
        ("POSITION", 5123, true, true),
        ("NORMAL", 5120, true, true),
        ("NORMAL", 5122, false, false),
        ("TEXCOORD_0", 5121, false, true),
        ("TEXCOORD_0", 5122, true, true),
    ];
    for (name, component, normalized, is_allowed) in cases {
        let pointer = format!("{WALLS}/{name}");
        leads_to("attribute-type", "warning", &pointer, change(name, component, normalized));
        let run = after(|json| {
            change(name, component, normalized)(json);
            json["extensionsUsed"].as_array_mut().unwrap().push(json!("KHR_mesh_quantization"));
        });
        let code = run.code.unwrap();
        let is_found = problem(&run.json(code), "attribute-type").is_some();
        assert_eq!(is_found, !is_allowed, "{name} {component}");
    }
    let run = after(change("TEXCOORD_0", 5123, true));
    let code = run.code.unwrap();
    assert_eq!(problem(&run.json(code), "attribute-type"), None);
}

#[test]
fn buffer_view_targets_must_match_their_use() {
    let view = |pointer: &str| index(&format!("/accessors/{}/bufferView", index(pointer)));
    let positions = view(&format!("{WALLS}/POSITION"));
    let indices = view("/meshes/0/primitives/0/indices");
    for (view, wrong, right) in [(positions, 34963, 34962), (indices, 34962, 34963)] {
        leads_to("view-target", "warning", &format!("/bufferViews/{view}/target"), |json| {
            json["bufferViews"][view]["target"] = json!(wrong);
        });
        let answer = after(|json| json["bufferViews"][view]["target"] = json!(right)).json(0);
        assert_eq!(problem(&answer, "view-target"), None);
    }
}

#[test]
fn attributes_have_known_names_or_begin_with_an_underscore() {
    let uvs = index(&format!("{WALLS}/TEXCOORD_0"));
    let with = |name: &'static str| {
        move |json: &mut Value| {
            json["meshes"][0]["primitives"][0]["attributes"][name] = json!(uvs);
        }
    };
    for name in ["FOO", "TEXCOORD", "TEXCOORD_x", "TEXCOORD_01", "position"] {
        leads_to("attribute-name", "warning", &format!("{WALLS}/{name}"), with(name));
    }
    for name in ["_FOO", "TEXCOORD_1", "ACME_splats:ROTATION"] {
        assert_eq!(problem(&after(with(name)).json(0), "attribute-name"), None, "{name}");
    }
}

#[test]
fn misspelt_members_are_reported_with_the_correct_name() {
    let cases = [
        ("/nodes/1", "tranlsation", "translation"),
        ("/materials/0", "doublesided", "doubleSided"),
        ("/materials/0/pbrMetallicRoughness", "baseColourFactor", "baseColorFactor"),
        ("/meshes/0/primitives/0", "indicies", "indices"),
        ("/animations/0/channels/0/target", "pth", "path"),
        ("/cameras/0/perspective", "yFov", "yfov"),
        ("/accessors/0", "byteoffset", "byteOffset"),
        ("", "extensionUsed", "extensionsUsed"),
    ];
    for (object, member, right) in cases {
        let pointer = format!("{object}/{member}");
        let change = |json: &mut Value| json.pointer_mut(object).unwrap()[member] = json!([]);
        leads_to("misspelt-member", "warning", &pointer, change);
        let answer = after(change).json(1);
        let problems = answer["problems"].as_array().unwrap();
        let problem = problems.iter().find(|it| it["code"] == "misspelt-member").unwrap();
        let note = problem["locations"][0]["note"].as_str().unwrap();
        assert!(note.ends_with(&format!("{right:?}")), "{note}");
    }
}

#[test]
fn unknown_members_are_a_hint() {
    leads_to("unknown-member", "hint", "/nodes/1/user~1data", |json| {
        json["nodes"][1]["user/data"] = json!({"tranlsation": 1});
    });
    leads_to("unknown-member", "hint", "/nodes/1", |json| {
        json["nodes"][1]["x".repeat(100_000)] = json!(1);
    });
    // Extras and unknown extensions are skipped.
    let answer = after(|json| {
        json["nodes"][1]["extras"] = json!({"tranlsation": 1, "other": [{"nodez": 1}]});
        json["nodes"][5]["extensions"]["VENDOR_x"] = json!({"other": 1});
        json["meshes"][0]["primitives"][0]["attributes"]["_OTHER"] = json!(0);
    });
    // The unknown extension is not declared.
    let answer = answer.json(1);
    assert_eq!(problem(&answer, "unknown-member"), None);
    assert_eq!(problem(&answer, "misspelt-member"), None);
}
