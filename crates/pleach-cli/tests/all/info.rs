//! `pleach info`: the summary of a file.

use crate::common::{Directory, answers_for_all_models, broken_files, golden, models, yard};
use serde_json::{Value, json};

#[test]
fn the_yard_is_summarized() {
    let here = yard::directory();
    golden("info/yard.txt", &here.run("info yard.gltf").text(0));
    golden("info/yard.json", &here.run("info yard.gltf --json").text(0));
    golden("info/yard-glb.txt", &here.run("info yard.glb").text(0));
}

#[test]
fn gltf_and_glb_differ_only_in_format_and_bytes() {
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
fn the_format_is_detected_by_content_not_by_name() {
    let here = yard::directory();
    std::fs::rename(here.path().join("yard.glb"), here.path().join("other.gltf")).unwrap();
    assert_eq!(here.run("info other.gltf --json").json(0)["format"], "glb");
}

#[test]
fn an_empty_file_has_zero_counts() {
    let here = Directory::new();
    here.write("nothing.gltf", r#"{"asset":{"version":"2.0"}}"#);
    golden("info/nothing.txt", &here.run("info nothing.gltf").text(0));
    let info = here.run("info nothing.gltf --json").json(0);
    assert_eq!((&info["bounds"], &info["scenes"]), (&json!(null), &json!([])));
    assert!(info["counts"].as_object().unwrap().values().all(|count| *count == 0), "{info}");
}

#[test]
fn a_missing_image_is_named_and_counted_as_warning() {
    let here = Directory::new();
    let json = json!({"asset": {"version": "2.0"}, "images": [{"uri": "gone.png"}]});
    here.write("bare.gltf", json.to_string());
    let text = here.run("info bare.gltf").text(0);
    assert!(text.contains("0, \"gone.png\" is missing"), "{text}");
    assert!(text.contains("1 (see `pleach check bare.gltf`)"), "{text}");
    assert_eq!(here.run("info bare.gltf --json").json(0)["images"][0]["missing"], "gone.png");
}

#[test]
fn long_lists_are_truncated_in_text_and_complete_in_json() {
    let here = Directory::new();
    let scenes: Vec<_> = (0..40).map(|it| json!({"name": format!("s{it}")})).collect();
    here.write("many.gltf", json!({"asset": {"version": "2.0"}, "scenes": scenes}).to_string());
    let text = here.run("info many.gltf").text(0);
    assert!(text.contains("… and 28 more") && !text.contains("s12"), "{text}");
    let json = here.run("info many.gltf --json").json(0);
    assert_eq!(json["scenes"].as_array().unwrap().len(), 40);
}

#[test]
fn control_characters_in_names_are_escaped() {
    let here = yard::directory();
    here.write("hostile.gltf", broken_files::hostile_names().to_string());
    let text = here.run("info hostile.gltf").text(0);
    assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
    let lines = here.run("info yard.gltf").text(0).lines().count();
    assert_eq!(text.lines().count(), lines);
    assert_eq!(here.run("info hostile.gltf --json").json(0)["generator"], broken_files::HOSTILE);
}

#[test]
fn colours_are_used_only_on_request() {
    let here = yard::directory();
    let plain = here.run("info yard.gltf").text(0);
    let styled = here.run("info yard.gltf --color always").text(0);
    assert!(!plain.contains('\u{1b}') && styled.contains("\u{1b}[1myard.gltf"), "{styled:?}");
    assert!(!here.run("info yard.gltf --json --color always").text(0).contains('\u{1b}'));
}

#[test]
fn unreadable_files_are_one_line_errors() {
    let (here, files) = broken_files::unreadable();
    for (file, word) in files {
        let error = here.run_args(&["info", file]).error();
        assert!(error.contains(word), "{file}: {error}");
        here.run_args(&["info", file, "--json"]).error();
    }
}

#[test]
fn invalid_arguments_are_usage_errors() {
    let here = yard::directory();
    here.assert_usage_errors(&["info", "info yard.gltf yard.glb", "info yard.gltf --depth 2"]);
}

#[test]
fn every_sample_model_has_a_summary() {
    answers_for_all_models("info FILE");
}

#[test]
fn counts_match_the_expected_values_of_the_models() {
    let Some(models) = models() else { return };
    let here = Directory::new();
    let mut compared = 0;
    for (name, path) in models {
        let expected = std::fs::read_to_string(path.with_file_name("expected.json")).unwrap();
        let expected: Value = serde_json::from_str(&expected).unwrap();
        let run = here.run_args(&["info", path.to_str().unwrap(), "--json"]);
        if expected["outcome"] == "refuse" {
            run.error();
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
            // The expected values leave out animated visibility.
            let is_partial = want["ignored_channels"] != 0;
            let (got, want) =
                (got["seconds"].as_f64().unwrap(), want["duration"].as_f64().unwrap());
            let is_same = (got - want).abs() <= 1e-5 * want.max(1.0) || is_partial && got > want;
            assert!(is_same, "{name}: {got} and {want}");
        }
        for (got, want) in list(&info["scenes"]).iter().zip(list(&expected["scenes"])) {
            assert_eq!(got["nodes"], list(&want["nodes"]).len(), "{name}");
        }
        compared += 1;
    }
    assert!(compared > 40, "{compared}");
}
