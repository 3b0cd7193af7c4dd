//! `pleach check`: what is wrong with a file, where, and what to do.

mod common;

use std::sync::OnceLock;

use common::sheet::Sheet;
use common::{Directory, Run, answers_for_all_models, golden, models, odd, yard};
use serde_json::{Value, json};

/// What is found in the yard after a change.
fn after(change: impl FnOnce(&mut Value)) -> Run {
    let here = yard::directory();
    let (mut json, _) = yard::yard();
    change(&mut json);
    here.write("changed.gltf", json.to_string());
    here.run("check changed.gltf --json --places 100")
}

/// The problem of this code, its severity and its pointers.
fn problem<'a>(answer: &'a Value, code: &str) -> Option<(&'a str, Vec<&'a str>)> {
    let problem = answer["problems"].as_array().unwrap().iter().find(|it| it["code"] == code)?;
    let places = problem["places"].as_array().unwrap().iter();
    let pointers: Vec<&str> = places.map(|it| it["pointer"].as_str().unwrap()).collect();
    assert_eq!(problem["count"], pointers.len());
    for text in ["what", "advice"] {
        assert!(problem[text].as_str().is_some_and(|it| it.len() > 8), "{problem}");
    }
    Some((problem["severity"].as_str().unwrap(), pointers))
}

/// A change leads to a problem at a place, which was not there before.
#[track_caller]
fn leads_to(code: &str, severity: &str, pointer: &str, change: impl FnOnce(&mut Value)) {
    let run = after(change);
    let is_bad = severity != "hint";
    if is_bad {
        assert_eq!(run.code, Some(1), "{code}: {run:?}");
    }
    let code_of_run = run.code.unwrap();
    let answer = run.json(code_of_run);
    let found = problem(&answer, code).unwrap_or_else(|| panic!("no {code}: {answer}"));
    assert_eq!(found.0, severity, "{code}");
    assert!(found.1.contains(&pointer), "{code}: {found:?}");
    static BEFORE: OnceLock<Value> = OnceLock::new();
    let before = BEFORE.get_or_init(|| after(|_| {}).json(0));
    let before = problem(before, code).map(|it| it.1).unwrap_or_default();
    assert!(!before.contains(&pointer), "{code}: it was there before");
}

#[test]
fn a_good_file_has_hints_only() {
    let here = yard::directory();
    golden("check/yard.txt", &here.run("check yard.gltf").text(0));
    golden("check/yard.json", &here.run("check yard.gltf --json").text(0));
    let box_ = json!({"asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}],
        "nodes": [{"camera": 0}],
        "cameras": [{"type": "perspective", "perspective": {"yfov": 1, "znear": 0.1}}]});
    here.write("eye.gltf", box_.to_string());
    assert_eq!(here.run("check eye.gltf --strict").text(0), "eye.gltf: nothing is wrong\n");
    let answer = here.run("check eye.gltf --json").json(0);
    let none = json!({"file": "eye.gltf", "loads": true, "errors": 0, "warnings": 0, "hints": 0,
        "problems": []});
    assert_eq!(answer, none);
}

#[test]
fn a_messy_file_is_told_in_full() {
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
    golden("check/strict.txt", &here.run("check messy.gltf --strict --places 1").text(1));
}

#[test]
fn transforms_that_are_ignored_or_odd_are_found() {
    leads_to("skin-transform", "warning", "/nodes/7", |json| {
        json["nodes"][7]["translation"] = json!([1, 0, 0]);
    });
    leads_to("skin-parent", "hint", "/nodes/7", |json| {
        json["nodes"][10]["children"] = json!([7]);
        json["scenes"][0]["nodes"] = json!([0]);
    });
    leads_to("animated-matrix", "warning", "/nodes/9/matrix", |json| {
        json["nodes"][9] =
            json!({"name": "tip", "matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 1]});
    });
    leads_to("mirrored-joint", "hint", "/nodes/8", |json| {
        json["nodes"][8]["scale"] = json!([-1, 1, 1]);
    });
    leads_to("uneven-joint", "hint", "/nodes/8", |json| {
        json["nodes"][8]["scale"] = json!([1, 2, 1]);
    });
    leads_to("flat", "hint", "/nodes/1", |json| json["nodes"][1]["scale"] = json!([1, 0, 1]));
    // Small is not flat, however small.
    let small = after(|json| json["nodes"][1]["scale"] = json!([1e-30, 1e-30, 1e-30]));
    assert_eq!(problem(&small.json(1), "flat"), None);
    for scale in [2000.0, 1e-4] {
        leads_to("extreme-scale", "hint", "/nodes/1", |json| {
            json["nodes"][1]["scale"] = json!([1, 1, scale]);
        });
        leads_to("scene-size", "hint", "/scenes/0", |json| {
            json["nodes"][0]["scale"] = json!([scale, scale, scale]);
            json["scenes"][0]["nodes"] = json!([0]);
            json["nodes"][8]["children"] = json!([9, 7]);
        });
    }
    // A mesh that quantization has made large is scaled down by its node.
    let quantized = after(|json| {
        json["nodes"][1]["scale"] = json!([1e-4, 1e-4, 1e-4]);
        json["extensionsUsed"].as_array_mut().unwrap().push(json!("KHR_mesh_quantization"));
    });
    // It is small for where it is, which is another matter.
    assert_eq!(problem(&quantized.json(1), "extreme-scale"), None);
}

/// 2 m wide: at a kilometre the next number is 0.00006 m away, at a thousand kilometres 0.06 m.
#[test]
fn what_is_too_far_away_for_its_size_is_found() {
    leads_to("far-from-origin", "warning", "/nodes/1", |json| {
        json["nodes"][1]["translation"] = json!([0, 1e6, 0]);
    });
    let near = after(|json| json["nodes"][1]["translation"] = json!([0, 1e3, 0])).json(0);
    assert_eq!(problem(&near, "far-from-origin"), None);
}

#[test]
fn nodes_without_a_purpose_or_a_name_of_their_own_are_found() {
    leads_to("empty-node", "hint", "/nodes/14", |json| {
        json["nodes"].as_array_mut().unwrap().push(json!({"name": "new"}));
        json["scenes"][1]["nodes"] = json!([12, 14]);
    });
    leads_to("in-no-scene", "hint", "/nodes/12", |json| {
        json["scenes"].as_array_mut().unwrap().pop();
    });
    leads_to("same-name", "hint", "/nodes/3", |json| json["nodes"][3]["name"] = json!("shed"));
    // In another scene it is no other's.
    let apart = after(|json| json["nodes"][12]["name"] = json!("shed")).json(0);
    assert_eq!(problem(&apart, "same-name"), None);
}

#[test]
fn what_a_material_lacks_is_found() {
    leads_to("no-normals", "hint", "/meshes/0/primitives/0", |json| {
        let attributes = &mut json["meshes"][0]["primitives"][0]["attributes"];
        attributes.as_object_mut().unwrap().remove("NORMAL");
    });
    leads_to("no-tangents", "hint", "/meshes/0/primitives/0", |json| {
        json["materials"][0]["normalTexture"] = json!({"index": 0});
    });
    leads_to("no-uvs", "warning", "/meshes/0/primitives/1", |json| {
        json["materials"][1]["emissiveTexture"] = json!({"index": 0});
    });
    leads_to("no-uvs", "warning", "/meshes/2/primitives/0", |json| {
        json["materials"][0]["emissiveTexture"] = json!({"index": 0, "texCoord": 1});
    });
}

/// A file of primitives, each with a fault.
fn faulty() -> (Value, Vec<u8>) {
    let mut sheet = Sheet::default();
    let square = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0f32]];
    let positions = sheet.column(&square);
    let mut small = square;
    small[2][2] = 1e-40;
    let small = sheet.column(&small);
    let up = sheet.column(&[[0.0, 0.0, 1.0f32]; 4]);
    let long = sheet.column(&[[0.0, 0.0, 1.0], [0.0, 0.0, 2.0], [0.0, 0.0, 1.0], [0.0; 3]]);
    let all = sheet.indices(&[0, 1, 2, 0, 2, 3]);
    let some = sheet.indices(&[0, 1, 2, 0, 2, 2]);
    let none = sheet.indices(&[0, 1, 1, 3, 3, 3]);
    let few = sheet.indices(&[0, 1, 2]);
    let joints = sheet.joints(&[[0; 4]; 4]);
    let weights = sheet.column(&[[0.5, 0.0, 0.0, 0.0f32]; 4]);
    let of = |position: usize, normal: usize, indices: usize| json!({"attributes": {"POSITION": position, "NORMAL": normal}, "indices": indices});
    let mut weighted = of(positions, up, all);
    weighted["attributes"]["JOINTS_0"] = json!(joints);
    weighted["attributes"]["WEIGHTS_0"] = json!(weights);
    let primitives = [
        of(positions, up, all),
        of(positions, up, some),
        of(positions, up, none),
        of(positions, long, all),
        of(small, up, all),
        of(positions, up, few),
        weighted,
    ];
    let json = json!({
        "asset": {"version": "2.0"},
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": primitives}],
        "accessors": sheet.accessors,
        "bufferViews": sheet.views,
        "buffers": [{"uri": "faulty.bin", "byteLength": sheet.bytes.len()}],
    });
    (json, sheet.bytes)
}

#[test]
fn faults_of_geometry_are_found_where_they_are() {
    let here = Directory::new();
    let (json, bytes) = faulty();
    here.write("faulty.gltf", json.to_string());
    here.write("faulty.bin", bytes);
    let answer = here.run("check faulty.gltf --json").json(1);
    let at = |number: usize| format!("/meshes/0/primitives/{number}");
    let is = |code: &str, severity: &str, pointers: &[String]| {
        let found = problem(&answer, code).unwrap_or_else(|| panic!("{code}: {answer}"));
        assert_eq!((found.0, found.1), (severity, pointers.iter().map(String::as_str).collect()));
    };
    is("zero-area", "hint", &[at(1)]);
    is("no-area", "warning", &[at(2)]);
    is("normals-not-unit", "warning", &[at(3) + "/attributes/NORMAL"]);
    is("denormal", "hint", &[at(4)]);
    is("unused-vertices", "hint", &[at(1), at(2), at(5)]);
    is("unused-weights", "hint", &[at(6)]);
    is("odd", "warning", &[at(6) + "/attributes/WEIGHTS_0"]);
    golden("check/faulty.txt", &here.run("check faulty.gltf").text(1));
}

#[test]
fn faults_of_images_are_found() {
    let here = yard::directory();
    let image = |bytes: &[u8], mime: &str| -> Value {
        here.write("image.bin", bytes);
        let (mut json, _) = yard::yard();
        json["images"][0] = json!({"uri": "image.bin", "mimeType": mime});
        here.write("image.gltf", json.to_string());
        let run = here.run("check image.gltf --json");
        let code = run.code.unwrap();
        run.json(code)
    };
    let png = |width: u32, height: u32| {
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, width, height);
        encoder.set_color(png::ColorType::Grayscale);
        let pixels = vec![0; (width * height) as usize];
        encoder.write_header().unwrap().write_image_data(&pixels).unwrap();
        file
    };
    let found = |answer: &Value, code: &str| {
        problem(answer, code).map(|(severity, places)| (severity.to_string(), places.join(" ")))
    };
    let at = |severity: &str| Some((severity.to_string(), "/images/0".to_string()));
    let fine = image(&png(4, 8), "image/png");
    for code in ["broken-image", "image-kind", "image-size", "large-image", "huge-image"] {
        assert_eq!(found(&fine, code), None);
    }
    let cut = &png(64, 64)[..60];
    assert_eq!(found(&image(cut, "image/png"), "broken-image"), at("error"));
    assert_eq!(found(&image(b"not an image", "image/png"), "broken-image"), at("error"));
    let mistaken = found(&image(&png(4, 4), "image/jpeg"), "image-kind");
    assert_eq!(mistaken, Some(("warning".into(), "/images/0/mimeType".into())));
    assert_eq!(found(&image(&png(3, 4), "image/png"), "image-size"), at("hint"));
    assert_eq!(found(&image(&png(4097, 1), "image/png"), "large-image"), at("hint"));
    assert_eq!(found(&image(&png(8200, 1), "image/png"), "huge-image"), at("warning"));
    let ktx2 = [0xab, b'K', b'T', b'X', b' ', b'2', b'0', 0xbb, 13, 10, 26, 10];
    let answer = image(&ktx2, "image/ktx2");
    assert_eq!(found(&answer, "image-for-gpus"), at("hint"));
    assert_eq!(found(&answer, "broken-image"), None);
}

#[test]
fn odd_cameras_and_lights_are_found() {
    let camera = |code: &str, pointer: &str, change: fn(&mut Value)| {
        leads_to(code, "hint", pointer, |json| change(&mut json["cameras"][0]["perspective"]));
    };
    camera("field-of-view", "/cameras/0/perspective/yfov", |it| it["yfov"] = json!(2.5));
    camera("field-of-view", "/cameras/0/perspective/yfov", |it| it["yfov"] = json!(0.05));
    camera("depth-range", "/cameras/0/perspective", |it| it["znear"] = json!(1e-5));
    camera("aspect", "/cameras/0", |it| it["aspectRatio"] = json!(30));
    leads_to("blind-camera", "warning", "/nodes/6", |json| {
        json["nodes"][6]["scale"] = json!([1, 1, 0]);
    });
    let light = |code: &str, severity: &str, end: &str, change: fn(&mut Value)| {
        let pointer = format!("/extensions/KHR_lights_punctual/lights/1{end}");
        leads_to(code, severity, &pointer, |json| {
            change(&mut json["extensions"]["KHR_lights_punctual"]["lights"][1]);
        });
    };
    light("dark-light", "hint", "", |it| it["intensity"] = json!(0));
    light("dark-light", "hint", "", |it| it["color"] = json!([0, 0, 0]));
    light("negative-light", "warning", "", |it| it["intensity"] = json!(-1));
    light("light-color", "hint", "/color", |it| it["color"] = json!([2, 1, 1]));
    light("bright-light", "hint", "/intensity", |it| it["intensity"] = json!(2e6));
}

#[test]
fn animations_that_do_nothing_are_found() {
    leads_to("animation-unseen", "hint", "/animations/0", |json| {
        json["animations"][0]["channels"][0]["target"]["node"] = json!(13);
    });
    leads_to("empty-animation", "warning", "/animations/0", |json| {
        json["animations"][0]["channels"][0]["target"] = json!({"path": "rotation"});
    });
}

/// A node that a channel of three keys moves.
fn moving(keys: &[[f32; 3]], times: &[f32]) -> (Value, Vec<u8>) {
    let mut sheet = Sheet::default();
    let times: Vec<[f32; 1]> = times.iter().map(|&time| [time]).collect();
    let (input, output) = (sheet.column(&times), sheet.column(keys));
    let json = json!({
        "asset": {"version": "2.0"},
        "scenes": [{"nodes": [0]}],
        "nodes": [{"translation": [1, 2, 3]}],
        "animations": [{
            "samplers": [{"input": input, "output": output}],
            "channels": [{"sampler": 0, "target": {"node": 0, "path": "translation"}}],
        }],
        "accessors": sheet.accessors,
        "bufferViews": sheet.views,
        "buffers": [{"uri": "moving.bin", "byteLength": sheet.bytes.len()}],
    });
    (json, sheet.bytes)
}

#[test]
fn keys_that_never_change_are_found() {
    let here = Directory::new();
    let codes = |keys: &[[f32; 3]], times: &[f32]| -> Vec<String> {
        let (json, bytes) = moving(keys, times);
        here.write("moving.gltf", json.to_string());
        here.write("moving.bin", bytes);
        let answer = here.run("check moving.gltf --json").json(0);
        answer["problems"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["code"].as_str().unwrap().into())
            .collect()
    };
    assert!(codes(&[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], &[0.0, 1.0]).is_empty());
    let rest = [1.0, 2.0, 3.0];
    assert_eq!(codes(&[rest, rest], &[0.0, 1.0]), ["animation-without-effect"]);
    assert_eq!(codes(&[[7.0; 3], [7.0; 3]], &[0.0, 1.0]), ["constant-channels"]);
    assert_eq!(codes(&[[7.0; 3]], &[0.0]), ["constant-channels", "animation-without-time"]);
}

#[test]
fn what_nothing_refers_to_is_found() {
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
fn extensions_are_compared_with_what_is_declared() {
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
    // Extras may hold anything.
    let answer = after(|json| json["extras"] = json!({"extensions": {"NOT_one": {}}})).json(0);
    assert_eq!(problem(&answer, "extension-undeclared"), None);
}

#[test]
fn what_the_loader_bends_is_a_warning_and_to_the_strict_an_error() {
    let here = yard::directory();
    let (mut json, _) = yard::yard();
    json["nodes"][5]["rotation"] = json!([0, 0, 0, 2]);
    here.write("bent.gltf", json.to_string());
    let usual = here.run("check bent.gltf --json").json(1);
    assert_eq!((&usual["errors"], &usual["warnings"]), (&json!(0), &json!(1)));
    assert_eq!(problem(&usual, "odd"), Some(("warning", vec!["/nodes/5/rotation"])));
    let strict = here.run("check bent.gltf --json --strict").json(1);
    assert_eq!((&strict["errors"], &strict["warnings"]), (&json!(1), &json!(1)));
    assert_eq!(problem(&strict, "strict"), Some(("error", vec!["/nodes/5/rotation"])));
}

#[test]
fn what_does_not_fit_together_in_a_scene_is_told_by_its_node() {
    let run = after(|json| {
        json["meshes"].as_array_mut().unwrap().push(json!({"primitives": []}));
        json["nodes"][11]["mesh"] = json!(4);
    });
    assert_eq!(problem(&run.json(1), "scene"), Some(("warning", vec!["/nodes/11"])));
}

/// Deep extras are skipped by the loader; what is not understood here must not lead to false hints.
#[test]
fn what_cannot_be_looked_through_is_not_called_unused() {
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
fn what_cannot_be_loaded_is_told_with_its_place() {
    let (here, _) = odd::unreadable();
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
        let place = problem["places"][0]["pointer"].as_str().unwrap();
        assert!(place.starts_with(pointer), "{file}: {place}");
        let text = here.run_args(&["check", file]).text(1);
        assert!(text.contains(": 1 error\n\nerror: "), "{text}");
    }
    golden("check/cycle.txt", &here.run("check cycle.gltf").text(1));
    // What is not there cannot be checked.
    for file in ["missing.glb", "folder.gltf"] {
        assert!(here.run_args(&["check", file, "--json"]).complaint().contains(file));
    }
}

#[test]
fn the_same_problem_in_many_places_is_told_once() {
    let here = Directory::new();
    let nodes = vec![json!({}); 1000];
    let roots: Vec<usize> = (0..1000).collect();
    let json = json!({"asset": {"version": "2.0"}, "scenes": [{"nodes": roots}], "nodes": nodes});
    here.write("many.gltf", json.to_string());
    golden("check/many.txt", &here.run("check many.gltf").text(0));
    let answer = here.run("check many.gltf --json --places 2").json(0);
    assert_eq!(answer["problems"][0]["count"], 1000);
    assert_eq!(answer["problems"][0]["places"].as_array().unwrap().len(), 2);
    let none = here.run("check many.gltf --places 0").text(0);
    assert!(none.contains("(1,000 places)") && !none.contains("/nodes/"), "{none}");
    // Of the loader's warnings those with other numbers are the same.
    let (mut json, _) = yard::yard();
    for node in json["nodes"].as_array_mut().unwrap().iter_mut().take(5) {
        node["rotation"] = json!([0, 0, 0, 1.5]);
    }
    json["nodes"][4]["rotation"] = json!([0, 0, 0, 2.5]);
    here.write("yard.bin", yard::yard().1);
    here.write("turned.gltf", json.to_string());
    let answer = here.run("check turned.gltf --json").json(1);
    assert_eq!((&answer["warnings"], &answer["problems"][0]["count"]), (&json!(1), &json!(5)));
}

#[test]
fn a_deep_chain_is_checked() {
    let here = Directory::new();
    here.write("chain.gltf", odd::chain(20_000));
    let answer = here.run("check chain.gltf --json").json(0);
    assert_eq!(problem(&answer, "empty-node"), Some(("hint", vec!["/nodes/19999"])));
}

#[test]
fn names_cannot_speak_to_the_terminal() {
    let here = yard::directory();
    here.write("hostile.gltf", odd::hostile_names().to_string());
    let text = here.run("check hostile.gltf").text(0);
    assert!(text.contains("same-name") && text.contains("extension-unknown"), "{text}");
    assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
}

#[test]
fn models_that_must_be_refused_are_errors_and_others_are_not() {
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
fn a_bad_command_line_is_usage() {
    let here = yard::directory();
    for line in ["check", "check yard.gltf --places -1", "check yard.gltf --places few"] {
        let run = here.run(line);
        assert_eq!((run.code, &*run.stdout), (Some(2), ""), "{line}: {}", run.stderr);
    }
}

#[test]
fn every_model_is_checked() {
    answers_for_all_models("check FILE --strict");
}
