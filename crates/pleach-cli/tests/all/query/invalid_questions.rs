//! Invalid questions: a one-line error with the path of the value, and an empty stdout.

use serde_json::json;

use super::file_builder::{File, TRIANGLE};
use super::run_query::{ask, query};
use crate::common::{self, Directory};

/// A file with one scene, one triangle and one animation.
fn file(name: &str) -> std::path::PathBuf {
    let mut file = File::new(&[&[0]], json!([{"mesh": 0}]));
    file.mesh(&TRIANGLE);
    file.animate(0, "translation", &[0.0, 1.0], &[[0.0; 3], [1.0; 3]]);
    file.save(name)
}

#[test]
fn errors_in_the_questions_have_a_path() {
    let file = file("bad");
    let identity = "[1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1]";
    let ray =
        |members: &str| format!(r#"{{"rays": [{{"origin": [0,0,0], "dir": [0,0,1] {members}}}]}}"#);
    let cull = |members: &str| format!(r#"{{"culls": [{{"view_proj": {identity} {members}}}]}}"#);
    let cases = [
        // Syntax.
        ("", "invalid JSON: EOF while parsing a value at line 1 column 0"),
        ("{", "invalid JSON: EOF while parsing an object at line 1 column 1"),
        (r#"{"up": 1e999}"#, "invalid JSON: number out of range at line 1 column 12"),
        ("[]", "the questions: expected an object, {…}, found an array"),
        // Axes.
        (r#"{"up": "x"}"#, r#"up: expected "y" or "z", found "x""#),
        (r#"{"up": 2}"#, r#"up: expected "y" or "z", found 2"#),
        // Poses.
        (r#"{"poses": {}}"#, "poses: expected an array, […], found an object"),
        (r#"{"poses": [0]}"#, "poses[0]: expected an object, {…}, found 0"),
        (r#"{"poses": [{"t": 1}]}"#, "poses[0].animation is missing"),
        (
            r#"{"poses": [null, {"animation": 7}]}"#,
            "poses[1].animation: there is no animation 7; the file has one animation, 0",
        ),
        (
            r#"{"poses": [{"animation": -1}]}"#,
            "poses[0].animation: expected a non-negative integer, found -1",
        ),
        (
            r#"{"poses": [{"animation": 0.5}]}"#,
            "poses[0].animation: expected a non-negative integer, found 0.5",
        ),
        (
            r#"{"poses": [{"animation": 0, "t": "NaN"}]}"#,
            r#"poses[0].t: expected a number, found "NaN""#,
        ),
        (
            r#"{"poses": [{"animation": 0, "t": 1e39}]}"#,
            "poses[0].t: expected a number in the range of a 32-bit float, found 1e+39",
        ),
        // Views.
        (r#"{"culls": [{}]}"#, "culls[0].view_proj is missing"),
        (
            r#"{"culls": [{"view_proj": [1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0]}]}"#,
            "culls[0].view_proj: expected 16 numbers, found 15",
        ),
        (
            r#"{"culls": [{"view_proj": [1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,null]}]}"#,
            "culls[0].view_proj[15]: expected a number, found null",
        ),
        (
            r#"{"culls": [{"view_proj": [0,0,0,0, 0,0,0,0, 0,0,0,0, 0,0,0,1]}]}"#,
            "culls[0].view_proj: ",
        ),
        (
            &cull(r#", "scene": 1"#),
            "culls[0].scene: there is no scene 1; the file has one scene, 0",
        ),
        (
            &cull(r#", "clip": "one_to_two""#),
            r#"culls[0].clip: expected "zero_to_one" or "minus_one_to_one", found "one_to_two""#,
        ),
        // Rays.
        (r#"{"rays": [{"dir": [0,0,1]}]}"#, "rays[0].origin is missing"),
        (r#"{"rays": [{"origin": [0,0,1]}]}"#, "rays[0].dir is missing"),
        (
            r#"{"rays": [{"origin": [0,0], "dir": [0,0,1]}]}"#,
            "rays[0].origin: expected 3 numbers, found 2",
        ),
        (
            r#"{"rays": [{"origin": [0,0,0], "dir": [0,0,0]}]}"#,
            "rays[0].dir: expected a direction, its length is zero",
        ),
        (&ray(r#", "n": 0"#), "rays[0].n: expected 1 to 4096 rays per side, found 0"),
        (&ray(r#", "n": 4097"#), "rays[0].n: expected 1 to 4096 rays per side, found 4097"),
        (&ray(r#", "offset": 0.5"#), "rays[0].offset: expected an array, […], found 0.5"),
        (&ray(r#", "offset": [0.5]"#), "rays[0].offset: expected 2 numbers, found 1"),
        (&ray(r#", "scene": 3"#), "rays[0].scene: there is no scene 3; the file has one scene, 0"),
        (
            &ray(r#", "pose": {"animation": 1}"#),
            "rays[0].pose.animation: there is no animation 1; the file has one animation, 0",
        ),
        (&ray(r#", "n": 3, "du": [3e38, 0, 0]"#), "rays[0]: the origin of ray 2 is out of range"),
    ];
    for (questions, message) in cases {
        let error = ask(&file, questions).error();
        assert!(error.starts_with(&format!("error: -: {message}")), "{questions}\n{error}");
    }
}

#[test]
fn too_many_rays_are_an_error() {
    let file = file("too-much");
    let ray = json!({"origin": [0, 0, 0], "dir": [0, 0, 1], "n": 4096});
    let error = query(&file, &json!({"rays": vec![ray; 3]})).error();
    assert_eq!(error, "error: -: rays[2]: 50331648 rays so far; the maximum is 33554432");
}

#[test]
fn unknown_members_are_ignored_with_a_note() {
    let file = file("unknown");
    let questions = json!({
        "Up": "y",
        "poses": [{"animation": 0, "time": 1}],
        "culls": [{"what": "all", "view_proj": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]}],
    });
    let ran = query(&file, &questions);
    let notes: Vec<&str> = ran.stderr.lines().collect();
    let note = |field: &str| format!("note: -: {field} is not a known member and is ignored");
    assert_eq!(notes, ["Up", "poses[0].time", "culls[0].what"].map(note));
    let plain = json!({"poses": [{"animation": 0}], "culls": [{"view_proj": questions["culls"][0]["view_proj"]}]});
    assert_eq!(ran.text(0), query(&file, &plain).text(0));
}

#[test]
fn unreadable_files_are_one_line_errors() {
    let here = Directory::new();
    let file = file("unread");
    let file = file.to_str().unwrap();
    here.write("bytes.json", [b'{', 0xff, b'}']);
    here.write("ask.json", "{}");
    let missing = here.run_args(&["query", file, "missing.json"]).error();
    assert!(missing.starts_with("error: missing.json: cannot read the questions: "));
    let bytes = here.run_args(&["query", file, "bytes.json"]).error();
    assert!(bytes.starts_with("error: bytes.json: cannot read the questions: "), "{bytes}");
    let directory = here.run_args(&["query", file, "."]).error();
    assert!(directory.starts_with("error: .: cannot read the questions: "), "{directory}");
    let model = here.run_args(&["query", "missing.glb", "ask.json"]).error();
    assert!(model.starts_with("error: missing.glb: "), "{model}");
    // A file that is not a model.
    here.write("model.glb", "{}");
    let model = here.run_args(&["query", "model.glb", "ask.json"]).error();
    assert!(model.starts_with("error: model.glb: "), "{model}");
}

#[test]
fn missing_questions_are_a_usage_error() {
    let here = Directory::new();
    let ran = here.run("query model.glb");
    assert_eq!((ran.code, &*ran.stdout), (Some(2), ""));
    assert!(ran.stderr.contains("<QUESTIONS>"), "{}", ran.stderr);
}

#[test]
fn answers_are_json_for_questions_from_files_and_stdin() {
    let here = Directory::new();
    let file = file("either");
    here.write("ask.json", "\u{feff}{\"up\": \"y\"}");
    let path = file.to_str().unwrap();
    let from_file = here.run_args(&["query", path, "ask.json"]).text(0);
    assert_eq!(from_file, ask(&file, r#"{"up": "y"}"#).text(0));
    assert_eq!(from_file, here.run_args(&["query", path, "ask.json", "--json"]).text(0));
    assert_eq!(from_file, here.run_args(&["--color", "always", "query", path, "ask.json"]).text(0));
}

#[test]
fn a_reader_that_stops_early_is_not_an_error() {
    use std::io::Read;
    use std::process::Stdio;
    let mut file = File::new(&[], json!(vec![json!({"name": "one of many"}); 20_000]));
    file.json["scenes"] = json!([{"nodes": (0..20_000).collect::<Vec<_>>()}]);
    let here = Directory::new();
    here.write("ask.json", "{}");
    let mut command = common::command();
    command.arg("query").arg(file.save("pipe")).arg(here.path().join("ask.json"));
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut beginning = [0; 10];
    child.stdout.take().unwrap().read_exact(&mut beginning).unwrap();
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), &*stderr), (Some(0), ""));
}
