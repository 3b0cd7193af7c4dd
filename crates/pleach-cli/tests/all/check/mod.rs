//! `pleach check`: problems of a file, their locations and advice.

mod declared_data;
mod scene_content;
mod whole_files;

use std::sync::OnceLock;

use crate::common::{Run, yard};
use serde_json::Value;

/// Checks the yard after a change.
fn after(change: impl FnOnce(&mut Value)) -> Run {
    let here = yard::directory();
    let (mut json, _) = yard::yard();
    change(&mut json);
    here.write("changed.gltf", json.to_string());
    here.run("check changed.gltf --json --locations 100")
}

/// Returns the severity and the pointers of the problem with this code.
fn problem<'a>(answer: &'a Value, code: &str) -> Option<(&'a str, Vec<&'a str>)> {
    let problem = answer["problems"].as_array().unwrap().iter().find(|it| it["code"] == code)?;
    let locations = problem["locations"].as_array().unwrap().iter();
    let pointers: Vec<&str> = locations.map(|it| it["pointer"].as_str().unwrap()).collect();
    assert_eq!(problem["count"], pointers.len());
    for text in ["message", "advice"] {
        assert!(problem[text].as_str().is_some_and(|it| it.len() > 8), "{problem}");
    }
    Some((problem["severity"].as_str().unwrap(), pointers))
}

/// Asserts that a change causes a problem at `pointer` that did not exist before.
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
    assert!(!before.contains(&pointer), "{code}: it existed before");
}
