//! Whole files: valid and invalid ones, warnings of the loader, unused objects, all models.

use serde_json::{Value, json};

use super::{after, leads_to, problem};
use crate::common::{Directory, answers_for_all_models, broken_files, golden, models, yard};

#[test]
fn a_valid_file_has_only_hints() {
    let here = yard::directory();
    golden("check/yard.txt", &here.run("check yard.gltf").text(0));
    golden("check/yard.json", &here.run("check yard.gltf --json").text(0));
    let box_ = json!({"asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}],
        "nodes": [{"camera": 0}],
        "cameras": [{"type": "perspective", "perspective": {"yfov": 1, "znear": 0.1}}]});
    here.write("eye.gltf", box_.to_string());
    assert_eq!(here.run("check eye.gltf --strict").text(0), "eye.gltf: no problems found\n");
    let answer = here.run("check eye.gltf --json").json(0);
    let none = json!({"file": "eye.gltf", "loads": true, "errors": 0, "warnings": 0, "hints": 0,
        "problems": []});
    assert_eq!(answer, none);
}

#[test]
fn a_file_with_many_problems_is_reported_in_full() {
    let here = yard::directory();
    let (mut json, _) = yard::yard();
    json["nodes"][5]["rotation"] = json!([0, 0, 0, 2]);
    json["nodes"][6]["rotation"] = json!([0, 0, 0, 3]);
    json["nodes"][7]["translation"] = json!([1, 2, 3]);
    json["nodes"][1]["translation"] = json!([1e6, 0, 0]);
    json["materials"][0]["normalTexture"] = json!({"index": 0});
    json["images"][0] = json!({"uri": "noise.png", "mimeType": "image/png"});
    here.write("noise.png", [0x89, b'P', b'N', b'G', 1, 2, 3]);
    here.write("messy.gltf", json.to_string());
    golden("check/messy.txt", &here.run("check messy.gltf").text(1));
    golden("check/messy.json", &here.run("check messy.gltf --json").text(1));
    golden("check/strict.txt", &here.run("check messy.gltf --strict --locations 1").text(1));
}

#[test]
fn unused_objects_are_reported() {
    let lists = [
        ("/materials", json!({"name": "spare"})),
        ("/textures", json!({"source": 0})),
        ("/samplers", json!({})),
        ("/images", json!({"bufferView": 0, "mimeType": "image/png"})),
        ("/meshes", json!({"primitives": [{"attributes": {"POSITION": 0}}]})),
        ("/skins", json!({"joints": [8]})),
        ("/cameras", json!({"type": "perspective", "perspective": {"yfov": 1, "znear": 1}})),
        ("/extensions/KHR_lights_punctual/lights", json!({"type": "point"})),
        ("/accessors", json!({"componentType": 5126, "type": "SCALAR", "count": 1})),
        ("/bufferViews", json!({"buffer": 0, "byteLength": 4})),
        ("/buffers", json!({"uri": "yard.bin", "byteLength": 4})),
    ];
    for (pointer, entry) in lists {
        let (json, _) = yard::yard();
        let next = json.pointer(pointer).map_or(0, |it| it.as_array().unwrap().len());
        leads_to("unused", "hint", &format!("{pointer}/{next}"), |json| {
            if json.pointer(pointer).is_none() {
                json[&pointer[1..]] = json!([]);
            }
            json.pointer_mut(pointer).unwrap().as_array_mut().unwrap().push(entry);
        });
    }
}

#[test]
fn extensions_are_compared_with_their_declarations() {
    leads_to("extension-undeclared", "warning", "/extensionsUsed", |json| {
        json["extensionsUsed"].as_array_mut().unwrap().remove(0);
    });
    leads_to("extension-unused", "hint", "/extensionsUsed/3", |json| {
        json["extensionsUsed"].as_array_mut().unwrap().push(json!("KHR_materials_unlit"));
    });
    leads_to("extension-unknown", "hint", "/extensionsUsed/3", |json| {
        json["extensionsUsed"].as_array_mut().unwrap().push(json!("VENDOR_glow"));
        json["materials"][0]["extensions"] = json!({"VENDOR_glow": {}});
    });
    // Extras may contain anything.
    let answer = after(|json| json["extras"] = json!({"extensions": {"NOT_one": {}}})).json(0);
    assert_eq!(problem(&answer, "extension-undeclared"), None);
}

#[test]
fn tolerated_problems_are_warnings_and_errors_in_strict_mode() {
    let here = yard::directory();
    let (mut json, _) = yard::yard();
    json["nodes"][5]["rotation"] = json!([0, 0, 0, 2]);
    here.write("bent.gltf", json.to_string());
    let usual = here.run("check bent.gltf --json").json(1);
    assert_eq!((&usual["errors"], &usual["warnings"]), (&json!(0), &json!(1)));
    assert_eq!(problem(&usual, "rotation-length"), Some(("warning", vec!["/nodes/5/rotation"])));
    let strict = here.run("check bent.gltf --json --strict").json(1);
    assert_eq!(problem(&strict, "strict"), Some(("error", vec!["/nodes/5/rotation"])));
    assert_eq!(problem(&strict, "invalid-member"), Some(("error", vec!["/nodes/5/rotation"])));
}

#[test]
fn advice_matches_its_problem_and_mentions_no_rust() {
    type Case = (&'static str, &'static str, fn(&mut Value));
    let skin = "/nodes/7/skin";
    let cases: [Case; 9] = [
        ("/materials/0/alphaMode", "OPAQUE, MASK or BLEND", |json| {
            json["materials"][0]["alphaMode"] = json!("GLASS");
        }),
        ("/animations/0/channels/0/target/path", "translation, rotation, scale", |json| {
            json["animations"][0]["channels"][0]["target"]["path"] = json!("colour");
        }),
        ("/animations/0/samplers/0/interpolation", "LINEAR, STEP or CUBICSPLINE", |json| {
            json["animations"][0]["samplers"][0]["interpolation"] = json!("SMOOTH");
        }),
        ("/animations/0/channels/1", "one channel per node and property", |json| {
            let again = json["animations"][0]["channels"][0].clone();
            json["animations"][0]["channels"].as_array_mut().unwrap().push(again);
        }),
        (skin, "Use joint indices", |json| json["skins"][0]["joints"] = json!([8])),
        ("/skins/1/joints", "List the joints", |json| {
            json["skins"].as_array_mut().unwrap().push(json!({"joints": []}));
        }),
        ("/cameras/0", "in radians", |json| json["cameras"][0]["perspective"]["yfov"] = json!(4)),
        ("/cameras/0", "far plane", |json| json["cameras"][0]["perspective"]["zfar"] = json!(0.01)),
        ("/samplers/0/wrapS", "values that glTF defines", |json| {
            json["samplers"] = json!([{"wrapS": 3}]);
        }),
    ];
    for (pointer, advice, change) in cases {
        let answer = after(change).json(1);
        let problems = answer["problems"].as_array().unwrap();
        let is_meant = |it: &&Value| {
            it["locations"][0]["pointer"] == pointer
                && it["advice"].as_str().unwrap().contains(advice)
        };
        let problem = problems.iter().find(is_meant).unwrap_or_else(|| panic!("{answer}"));
        let [what, advice_text] = ["message", "advice"].map(|key| problem[key].as_str().unwrap());
        assert!(advice_text.contains(advice), "{pointer}: {advice_text}");
        for text in [what, advice_text] {
            let is_rust = ["::", "f32", "`"].iter().any(|it| text.contains(it));
            assert!(!is_rust, "{pointer}: {text}");
        }
    }
    let answer = after(|json| json["skins"][0]["joints"] = json!([8])).json(1);
    let problems = answer["problems"].as_array().unwrap();
    let problem = problems.iter().find(|it| it["locations"][0]["pointer"] == skin).unwrap();
    let vertex = "vertex 2 of primitive 0 of its mesh refers to joint 1, but the skin has only 1";
    assert_eq!(problem["message"], vertex);
}

/// The advice for the kind of an error does not fit files of other versions and files without content.
#[test]
fn d_advice_for_old_and_empty_files_names_the_remedy() {
    let here = yard::directory();
    let old = r#"{"asset":{"version":"1.0"},"scenes":{"a":{"nodes":["n"]}},"nodes":{"n":{}}}"#;
    let convert = "Convert it to glTF 2.0, or export it as glTF 2.0.";
    let no_content = "The file has no content; download or export it again.";
    let container = [&b"glTF\x01\0\0\0\x14\0\0\0"[..], &[0; 8]].concat();
    let cases: [(&str, &[u8], &str); 8] = [
        ("old.gltf", old.as_bytes(), convert),
        ("unmarked.gltf", br#"{"meshes":{"a":{"primitives":[]}}}"#, convert),
        ("old.glb", &container, convert),
        ("listed.gltf", br#"{"asset":{"version":"1.1"}}"#, convert),
        ("later.gltf", br#"{"asset":{"version":"2.0","minVersion":"2.1"}}"#, convert),
        ("empty.gltf", b"", no_content),
        ("blank.gltf", b" \n", no_content),
        ("other.gltf", b"solid cube", "Only .gltf and .glb are supported; convert it first."),
    ];
    for (file, bytes, advice) in cases {
        here.write(file, bytes);
        let answer = here.run_args(&["check", file, "--json"]).json(1);
        assert_eq!(answer["problems"][0]["advice"], advice, "{file}");
    }
    here.write("bad.gltf", "{");
    let answer = here.run("check bad.gltf --json").json(1);
    assert_eq!(answer["problems"][0]["advice"], "Correct the JSON, or export it again.");
}

#[test]
fn scene_problems_have_the_pointer_of_their_node() {
    let run = after(|json| {
        json["meshes"].as_array_mut().unwrap().push(json!({"primitives": []}));
        json["nodes"][11]["mesh"] = json!(4);
    });
    assert_eq!(problem(&run.json(1), "inconsistent-scene"), Some(("warning", vec!["/nodes/11"])));
}

/// The loader skips deeply nested extras; they must not lead to false hints.
#[test]
fn unparsable_arrays_cause_no_unused_hints() {
    let deep = "[".repeat(200) + &"]".repeat(200);
    let here = yard::directory();
    let (mut json, _) = yard::yard();
    json["materials"][0]["extras"] = json!("DEEP");
    here.write("deep.gltf", json.to_string().replace("\"DEEP\"", &deep));
    let answer = here.run("check deep.gltf --json").json(0);
    assert_eq!(problem(&answer, "unused"), None);
    assert_eq!(problem(&answer, "extension-unused"), None);
}

#[test]
fn load_errors_have_a_pointer() {
    let (here, _) = broken_files::unreadable();
    here.write(
        "lacking.gltf",
        r#"{"asset":{"version":"2.0"},"buffers":[{"uri":"gone.bin","byteLength":4}]}"#,
    );
    here.write("reference.gltf", r#"{"asset":{"version":"2.0"},"nodes":[{"mesh":7}]}"#);
    here.write("value.gltf", r#"{"asset":{"version":"2.0"},"nodes":[{"rotation":[0,0,0,0]}]}"#);
    here.write(
        "away.gltf",
        r#"{"asset":{"version":"2.0"},"buffers":[{"uri":"../x.bin","byteLength":4}]}"#,
    );
    let cases = [
        ("cut.glb", "container", ""),
        ("head.glb", "", ""),
        ("empty.gltf", "json", ""),
        ("noise.glb", "", ""),
        ("cycle.gltf", "structure", "/nodes/"),
        ("needs.gltf", "extension", "/extensionsRequired/0"),
        ("lacking.gltf", "uri", "/buffers/0/uri"),
        ("reference.gltf", "reference", "/nodes/0/mesh"),
        ("value.gltf", "value", "/nodes/0/rotation"),
        ("away.gltf", "uri", "/buffers/0/uri"),
    ];
    for (file, code, pointer) in cases {
        let answer = here.run_args(&["check", file, "--json"]).json(1);
        assert_eq!((&answer["loads"], &answer["errors"]), (&json!(false), &json!(1)), "{file}");
        let problem = &answer["problems"][0];
        if !code.is_empty() {
            assert_eq!(problem["code"], code, "{file}: {problem}");
        }
        let found = problem["locations"][0]["pointer"].as_str().unwrap();
        assert!(found.starts_with(pointer), "{file}: {found}");
        let text = here.run_args(&["check", file]).text(1);
        assert!(text.contains(": 1 error\n\nerror: "), "{text}");
    }
    golden("check/cycle.txt", &here.run("check cycle.gltf").text(1));
    // A missing file cannot be checked.
    for file in ["missing.glb", "folder.gltf"] {
        assert!(here.run_args(&["check", file, "--json"]).error().contains(file));
    }
}

#[test]
fn the_same_problem_at_many_locations_is_reported_once() {
    let here = Directory::new();
    let nodes = vec![json!({}); 1000];
    let roots: Vec<usize> = (0..1000).collect();
    let json = json!({"asset": {"version": "2.0"}, "scenes": [{"nodes": roots}], "nodes": nodes});
    here.write("many.gltf", json.to_string());
    golden("check/many.txt", &here.run("check many.gltf").text(0));
    let answer = here.run("check many.gltf --json --locations 2").json(0);
    assert_eq!(answer["problems"][0]["count"], 1000);
    assert_eq!(answer["problems"][0]["locations"].as_array().unwrap().len(), 2);
    let none = here.run("check many.gltf --locations 0").text(0);
    assert!(none.contains("(1,000 locations)") && !none.contains("/nodes/"), "{none}");
    // Warnings of the loader that differ only in numbers are the same problem.
    let (mut json, _) = yard::yard();
    for node in json["nodes"].as_array_mut().unwrap().iter_mut().take(5) {
        node["rotation"] = json!([0, 0, 0, 1.5]);
    }
    json["nodes"][4]["rotation"] = json!([0, 0, 0, 2.5]);
    here.write("yard.bin", yard::yard().1);
    here.write("turned.gltf", json.to_string());
    let answer = here.run("check turned.gltf --json").json(1);
    let rotations = problem(&answer, "rotation-length").unwrap();
    assert_eq!((rotations.0, rotations.1.len()), ("warning", 5));
}

#[test]
fn deep_chains_are_checked() {
    let here = Directory::new();
    here.write("chain.gltf", broken_files::chain(20_000));
    let answer = here.run("check chain.gltf --json").json(0);
    assert_eq!(problem(&answer, "empty-node"), Some(("hint", vec!["/nodes/19999"])));
}

#[test]
fn control_characters_in_names_are_escaped() {
    let here = yard::directory();
    here.write("hostile.gltf", broken_files::hostile_names().to_string());
    let text = here.run("check hostile.gltf").text(0);
    assert!(text.contains("duplicate-name") && text.contains("extension-unknown"), "{text}");
    assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
}

#[test]
fn only_invalid_sample_models_have_errors() {
    let Some(models) = models() else { return };
    let here = Directory::new();
    for (name, path) in models {
        let expected = std::fs::read_to_string(path.with_file_name("expected.json")).unwrap();
        let expected: Value = serde_json::from_str(&expected).unwrap();
        let is_refused = expected["outcome"] == "refuse";
        let run = here.run_args(&["check", path.to_str().unwrap(), "--json"]);
        let code = run.code.unwrap();
        let answer = run.json(code);
        assert_eq!(answer["loads"], !is_refused, "{name}");
        assert_eq!(answer["errors"], u8::from(is_refused), "{name}: {answer}");
        let is_bad = answer["errors"] != 0 || answer["warnings"] != 0;
        assert_eq!(code, i32::from(is_bad), "{name}");
    }
}

#[test]
fn invalid_arguments_are_usage_errors() {
    let here = yard::directory();
    for line in ["check", "check yard.gltf --locations -1", "check yard.gltf --locations few"] {
        let run = here.run(line);
        assert_eq!((run.code, &*run.stdout), (Some(2), ""), "{line}: {}", run.stderr);
    }
}

#[test]
fn every_sample_model_is_checked() {
    answers_for_all_models("check FILE --strict");
}

/// The exit code does not depend on whether the output is read to its end.
#[test]
fn a_closed_pipe_does_not_change_the_exit_code() {
    let here = yard::directory();
    let (mut json, _) = yard::yard();
    for node in json["nodes"].as_array_mut().unwrap() {
        node["unknown"] = json!(1);
        node["rotation"] = json!([0, 0, 0, 2]);
    }
    here.write("bent.gltf", json.to_string());
    assert_eq!(here.run_with_closed_stdout("check bent.gltf --locations 10000"), Some(1));
    assert_eq!(here.run_with_closed_stdout("check yard.gltf"), Some(0));
}
