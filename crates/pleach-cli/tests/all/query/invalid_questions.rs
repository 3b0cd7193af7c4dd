//! Questions that cannot be answered: one line says where the fault is, and stdout stays empty.

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
fn a_fault_in_the_questions_is_told_with_its_place() {
    let file = file("bad");
    let identity = "[1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1]";
    let ray =
        |members: &str| format!(r#"{{"rays": [{{"origin": [0,0,0], "dir": [0,0,1] {members}}}]}}"#);
    let cull = |members: &str| format!(r#"{{"culls": [{{"view_proj": {identity} {members}}}]}}"#);
    let cases = [
        // JSON at all?
        ("", "this is not JSON: EOF while parsing a value at line 1 column 0"),
        ("{", "this is not JSON: EOF while parsing an object at line 1 column 1"),
        (r#"{"up": 1e999}"#, "this is not JSON: number out of range at line 1 column 12"),
        ("[]", "the questions: an object is expected, {…}, it is a list"),
        // Axes.
        (r#"{"up": "x"}"#, r#"up: "y" or "z" is expected, it is "x""#),
        (r#"{"up": 2}"#, r#"up: "y" or "z" is expected, it is 2"#),
        // Poses.
        (r#"{"poses": {}}"#, "poses: a list is expected, […], it is an object"),
        (r#"{"poses": [0]}"#, "poses[0]: an object is expected, {…}, it is 0"),
        (r#"{"poses": [{"t": 1}]}"#, "poses[0].animation is missing"),
        (
            r#"{"poses": [null, {"animation": 7}]}"#,
            "poses[1].animation: there is no animation 7; the file has one animation, 0",
        ),
        (
            r#"{"poses": [{"animation": -1}]}"#,
            "poses[0].animation: a whole number from 0 on is expected, it is -1",
        ),
        (
            r#"{"poses": [{"animation": 0.5}]}"#,
            "poses[0].animation: a whole number from 0 on is expected, it is 0.5",
        ),
        (
            r#"{"poses": [{"animation": 0, "t": "NaN"}]}"#,
            r#"poses[0].t: a number is expected, it is "NaN""#,
        ),
        (
            r#"{"poses": [{"animation": 0, "t": 1e39}]}"#,
            "poses[0].t: it is too large for a 32-bit float, it is 1e+39",
        ),
        // Views.
        (r#"{"culls": [{}]}"#, "culls[0].view_proj is missing"),
        (
            r#"{"culls": [{"view_proj": [1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0]}]}"#,
            "culls[0].view_proj: 16 numbers are expected, it has 15",
        ),
        (
            r#"{"culls": [{"view_proj": [1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,null]}]}"#,
            "culls[0].view_proj[15]: a number is expected, it is null",
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
            r#"culls[0].clip: "zero_to_one" or "minus_one_to_one" is expected, it is "one_to_two""#,
        ),
        // Rays.
        (r#"{"rays": [{"dir": [0,0,1]}]}"#, "rays[0].origin is missing"),
        (r#"{"rays": [{"origin": [0,0,1]}]}"#, "rays[0].dir is missing"),
        (
            r#"{"rays": [{"origin": [0,0], "dir": [0,0,1]}]}"#,
            "rays[0].origin: 3 numbers are expected, it has 2",
        ),
        (
            r#"{"rays": [{"origin": [0,0,0], "dir": [0,0,0]}]}"#,
            "rays[0].dir: a direction is expected, it has no length",
        ),
        (&ray(r#", "n": 0"#), "rays[0].n: 1 to 4096 rays on a side are expected, it is 0"),
        (&ray(r#", "n": 4097"#), "rays[0].n: 1 to 4096 rays on a side are expected, it is 4097"),
        (&ray(r#", "offset": 0.5"#), "rays[0].offset: a list is expected, […], it is 0.5"),
        (&ray(r#", "offset": [0.5]"#), "rays[0].offset: 2 numbers are expected, it has 1"),
        (&ray(r#", "scene": 3"#), "rays[0].scene: there is no scene 3; the file has one scene, 0"),
        (
            &ray(r#", "pose": {"animation": 1}"#),
            "rays[0].pose.animation: there is no animation 1; the file has one animation, 0",
        ),
        (&ray(r#", "n": 3, "du": [3e38, 0, 0]"#), "rays[0]: ray 2 starts beyond all numbers"),
    ];
    for (questions, message) in cases {
        let complaint = ask(&file, questions).complaint();
        assert!(complaint.starts_with(&format!("error: -: {message}")), "{questions}\n{complaint}");
    }
}

#[test]
fn too_much_at_once_is_refused() {
    let file = file("too-much");
    let ray = json!({"origin": [0, 0, 0], "dir": [0, 0, 1], "n": 4096});
    let complaint = query(&file, &json!({"rays": vec![ray; 3]})).complaint();
    assert_eq!(complaint, "error: -: rays[2]: 50331648 rays so far; 33554432 can be asked at once");
}

#[test]
fn members_that_mean_nothing_are_noted_and_ignored() {
    let file = file("unknown");
    let questions = json!({
        "Up": "y",
        "poses": [{"animation": 0, "time": 1}],
        "culls": [{"what": "all", "view_proj": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]}],
    });
    let ran = query(&file, &questions);
    let notes: Vec<&str> = ran.stderr.lines().collect();
    let note = |field: &str| format!("note: -: {field} means nothing here, and is ignored");
    assert_eq!(notes, ["Up", "poses[0].time", "culls[0].what"].map(note));
    let plain = json!({"poses": [{"animation": 0}], "culls": [{"view_proj": questions["culls"][0]["view_proj"]}]});
    assert_eq!(ran.text(0), query(&file, &plain).text(0));
}

#[test]
fn files_that_cannot_be_read_are_told() {
    let here = Directory::new();
    let file = file("unread");
    let file = file.to_str().unwrap();
    here.write("bytes.json", [b'{', 0xff, b'}']);
    here.write("ask.json", "{}");
    let missing = here.run_args(&["query", file, "missing.json"]).complaint();
    assert!(missing.starts_with("error: missing.json: the questions could not be read: "));
    let bytes = here.run_args(&["query", file, "bytes.json"]).complaint();
    assert!(bytes.starts_with("error: bytes.json: the questions could not be read: "), "{bytes}");
    let directory = here.run_args(&["query", file, "."]).complaint();
    assert!(directory.starts_with("error: .: the questions could not be read: "), "{directory}");
    let model = here.run_args(&["query", "missing.glb", "ask.json"]).complaint();
    assert!(model.starts_with("error: missing.glb: "), "{model}");
    // A model that is none.
    here.write("model.glb", "{}");
    let model = here.run_args(&["query", "model.glb", "ask.json"]).complaint();
    assert!(model.starts_with("error: model.glb: "), "{model}");
}

#[test]
fn a_command_line_without_questions_is_usage() {
    let here = Directory::new();
    let ran = here.run("query model.glb");
    assert_eq!((ran.code, &*ran.stdout), (Some(2), ""));
    assert!(ran.stderr.contains("<QUESTIONS>"), "{}", ran.stderr);
}

#[test]
fn questions_are_read_from_a_file_as_from_stdin_and_json_is_always_the_answer() {
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
fn whoever_reads_only_the_beginning_is_not_told_of_a_fault() {
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
