//! `pleach info`: what a file holds, in short.

use crate::common::{Directory, answers_for_all_models, broken_files, golden, models, yard};
use serde_json::{Value, json};

#[test]
fn a_yard_is_told_in_short() {
    let here = yard::directory();
    golden("info/yard.txt", &here.run("info yard.gltf").text(0));
    golden("info/yard.json", &here.run("info yard.gltf --json").text(0));
    golden("info/yard-glb.txt", &here.run("info yard.glb").text(0));
}

#[test]
fn the_binary_form_differs_in_form_and_bytes_only() {
    let here = yard::directory();
    let mut text = here.run("info yard.gltf --json").json(0);
    let binary = here.run("--json info yard.glb").json(0);
    assert_eq!((&text["format"], &binary["format"]), (&json!("gltf"), &json!("glb")));
    for field in ["file", "format", "bytes"] {
        text[field] = binary[field].clone();
    }
    assert_eq!(text, binary);
}

#[test]
fn the_form_is_known_by_the_content_not_by_the_name() {
    let here = yard::directory();
    std::fs::rename(here.path().join("yard.glb"), here.path().join("other.gltf")).unwrap();
    assert_eq!(here.run("info other.gltf --json").json(0)["format"], "glb");
}

#[test]
fn a_file_without_anything_has_nothing() {
    let here = Directory::new();
    here.write("nothing.gltf", r#"{"asset":{"version":"2.0"}}"#);
    golden("info/nothing.txt", &here.run("info nothing.gltf").text(0));
    let info = here.run("info nothing.gltf --json").json(0);
    assert_eq!((&info["bounds"], &info["scenes"]), (&json!(null), &json!([])));
    assert!(info["counts"].as_object().unwrap().values().all(|count| *count == 0), "{info}");
}

#[test]
fn a_missing_image_is_named_and_warned_of() {
    let here = Directory::new();
    let json = json!({"asset": {"version": "2.0"}, "images": [{"uri": "gone.png"}]});
    here.write("bare.gltf", json.to_string());
    let text = here.run("info bare.gltf").text(0);
    assert!(text.contains("0, \"gone.png\" is missing"), "{text}");
    assert!(text.contains("1 (`pleach check bare.gltf` tells)"), "{text}");
    assert_eq!(here.run("info bare.gltf --json").json(0)["images"][0]["missing"], "gone.png");
}

#[test]
fn long_lists_are_cut_for_people_and_whole_for_scripts() {
    let here = Directory::new();
    let scenes: Vec<_> = (0..40).map(|it| json!({"name": format!("s{it}")})).collect();
    here.write("many.gltf", json!({"asset": {"version": "2.0"}, "scenes": scenes}).to_string());
    let text = here.run("info many.gltf").text(0);
    assert!(text.contains("… and 28 more") && !text.contains("s12"), "{text}");
    let json = here.run("info many.gltf --json").json(0);
    assert_eq!(json["scenes"].as_array().unwrap().len(), 40);
}

#[test]
fn names_cannot_speak_to_the_terminal() {
    let here = yard::directory();
    here.write("hostile.gltf", broken_files::hostile_names().to_string());
    let text = here.run("info hostile.gltf").text(0);
    assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
    let lines = here.run("info yard.gltf").text(0).lines().count();
    assert_eq!(text.lines().count(), lines);
    assert_eq!(here.run("info hostile.gltf --json").json(0)["generator"], broken_files::HOSTILE);
}

#[test]
fn colours_come_when_asked_for_and_only_then() {
    let here = yard::directory();
    let plain = here.run("info yard.gltf").text(0);
    let painted = here.run("info yard.gltf --color always").text(0);
    assert!(!plain.contains('\u{1b}') && painted.contains("\u{1b}[1myard.gltf"), "{painted:?}");
    assert!(!here.run("info yard.gltf --json --color always").text(0).contains('\u{1b}'));
}

#[test]
fn what_cannot_be_read_is_told_in_one_line() {
    let (here, files) = broken_files::unreadable();
    for (file, word) in files {
        let complaint = here.run_args(&["info", file]).complaint();
        assert!(complaint.contains(word), "{file}: {complaint}");
        here.run_args(&["info", file, "--json"]).complaint();
    }
}

#[test]
fn a_bad_command_line_is_usage() {
    let here = yard::directory();
    here.refuses(&["info", "info yard.gltf yard.glb", "info yard.gltf --depth 2"]);
}

#[test]
fn every_model_is_told() {
    answers_for_all_models("info FILE");
}

#[test]
fn counts_are_those_that_are_expected_of_the_models() {
    let Some(models) = models() else { return };
    let here = Directory::new();
    let mut compared = 0;
    for (name, path) in models {
        let expected = std::fs::read_to_string(path.with_file_name("expected.json")).unwrap();
        let expected: Value = serde_json::from_str(&expected).unwrap();
        let run = here.run_args(&["info", path.to_str().unwrap(), "--json"]);
        if expected["outcome"] == "refuse" {
            run.complaint();
            continue;
        }
        let info = run.json(0);
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let primitives: Vec<Value> =
            list(&expected["meshes"]).iter().flat_map(|it| list(&it["primitives"])).collect();
        let sum = |key: &str| primitives.iter().map(|it| it[key].as_u64().unwrap()).sum::<u64>();
        for key in ["nodes", "meshes", "skins", "animations", "cameras", "lights", "scenes"] {
            assert_eq!(info["counts"][key], list(&expected[key]).len(), "{name}: {key}");
        }
        assert_eq!(info["counts"]["primitives"], primitives.len(), "{name}");
        assert_eq!(info["counts"]["triangles"], sum("triangles"), "{name}");
        assert_eq!(info["counts"]["vertices"], sum("vertices"), "{name}");
        for (got, want) in list(&info["animations"]).iter().zip(list(&expected["animations"])) {
            let (got, want) =
                (got["seconds"].as_f64().unwrap(), want["duration"].as_f64().unwrap());
            assert!((got - want).abs() <= 1e-5 * want.max(1.0), "{name}: {got} and {want}");
        }
        for (got, want) in list(&info["scenes"]).iter().zip(list(&expected["scenes"])) {
            assert_eq!(got["nodes"], list(&want["nodes"]).len(), "{name}");
        }
        compared += 1;
    }
    assert!(compared > 40, "{compared}");
}
