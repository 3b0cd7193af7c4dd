//! Compares the answers about every sample model with its `expected.json`, in both axes.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::answers::Case;
use super::axes::{Up, list};
use super::run_query::query;
use crate::common;

/// A model and its expected values.
struct Model {
    name: String,
    path: PathBuf,
    expected: Value,
}

/// Returns all models, or `None` if they are not available.
fn models() -> Option<Vec<Model>> {
    let model = |(name, path): (String, PathBuf)| {
        let text = fs::read_to_string(path.with_file_name("expected.json")).unwrap();
        Model { name, path, expected: serde_json::from_str(&text).unwrap() }
    };
    Some(common::models()?.into_iter().map(model).collect())
}

/// Returns all questions about a model.
fn questions(expected: &Value, up: Up) -> Value {
    let animations = list(&expected["animations"]).iter().enumerate();
    let poses = animations.flat_map(|(animation, it)| {
        let samples = list(&it["samples"]).iter();
        samples.map(move |sample| json!({"animation": animation, "t": sample["t"]}))
    });
    let scenes = || list(&expected["scenes"]).iter().enumerate();
    let culls = scenes().flat_map(|(scene, it)| {
        let views = list(&it["cull"]).iter();
        views.map(move |view| {
            json!({
                "scene": scene,
                "view_proj": up.view_projection(&view["view_proj"]),
                "clip": "minus_one_to_one",
            })
        })
    });
    let rays = scenes().flat_map(|(scene, it)| {
        let grids = list(&it["rays"]).iter();
        grids.map(move |grid| {
            let [origin, dir, du, dv] =
                ["origin", "dir", "du", "dv"].map(|key| up.vector(&grid[key]));
            json!({
                "scene": scene, "pose": grid["pose"], "n": grid["n"], "offset": expected["ray_offset"],
                "origin": origin, "dir": dir, "du": du, "dv": dv,
            })
        })
    });
    json!({
        "up": up.word(),
        "poses": poses.collect::<Vec<_>>(),
        "culls": culls.collect::<Vec<_>>(),
        "rays": rays.collect::<Vec<_>>(),
    })
}

#[test]
fn every_model_gives_the_expected_answers_in_both_axes() {
    let Some(models) = models() else { return };
    let (mut failures, mut comparisons, mut compared) = (Vec::new(), 0, 0);
    for model in models.iter().filter(|model| model.expected["outcome"] != "refuse") {
        for up in [Up::Y, Up::Z] {
            let ran = query(&model.path, &questions(&model.expected, up));
            let mut required = list(&model.expected["required"]).iter().filter_map(Value::as_str);
            if ran.code == Some(1) && required.any(|name| ran.stderr.contains(name)) {
                testkit::skip(&ran.error());
                continue;
            }
            assert_eq!(ran.stderr, "", "{}", model.name);
            let answers = ran.json(0);
            let mut case = Case::new(&model.name, &model.expected, &answers, up);
            case.compare();
            comparisons += case.comparisons;
            failures.append(&mut case.failures);
            compared += 1;
        }
    }
    eprintln!("{compared} answers, {comparisons} comparisons, {} failures", failures.len());
    let shown = failures.iter().take(40).cloned().collect::<Vec<_>>().join("\n  ");
    assert!(failures.is_empty(), "{} are not as expected:\n  {shown}", failures.len());
}

#[test]
fn invalid_sample_models_are_rejected() {
    let Some(models) = models() else { return };
    let refused = models.iter().filter(|model| model.expected["outcome"] == "refuse");
    let mut count = 0;
    for model in refused {
        for up in [Up::Y, Up::Z] {
            let ran = query(&model.path, &json!({"up": up.word()}));
            eprintln!("rejected as expected: {}", ran.error());
            count += 1;
        }
    }
    assert!(count > 0, "no model is expected to be rejected");
}

#[test]
fn answers_are_deterministic() {
    let Some(models) = models() else { return };
    // A skinned model with enough rays for several threads.
    let model = models.iter().find(|model| model.name == "Fox").expect("the model Fox exists");
    let mut asked = questions(&model.expected, Up::Z);
    let grid = &mut asked["rays"][0];
    grid["n"] = json!(80);
    for key in ["du", "dv"] {
        let step: Vec<f64> = list(&grid[key]).iter().map(|it| it.as_f64().unwrap() / 5.0).collect();
        grid[key] = json!(step);
    }
    let (first, second) = (query(&model.path, &asked), query(&model.path, &asked));
    assert_eq!(first.stdout, second.stdout);
    let hits = first.json(0)["rays"][0]["hits"].as_array().unwrap().len();
    assert!(hits > 100, "{hits} hits");
}
