//! Problems: codes, severities, locations.

use std::collections::BTreeSet;

use pleach_gltf::validate::{ProblemCode, Rule, Severity, Validate};
use pleach_gltf::{ErrorKind, WarningCode};
use serde_json::{Value, json};

use super::base_file::base;

fn validate(json: &Value) -> pleach_gltf::Validation {
    Validate::new().bytes(json.to_string().as_bytes())
}

#[test]
fn warnings_of_the_loader_keep_their_codes() {
    let (mut json, _) = base();
    for node in [1, 3, 5] {
        json["nodes"][node]["rotation"] = json!([0, 0, 0, 0.5]);
    }
    let validation = validate(&json);
    let code = ProblemCode::Tolerated(WarningCode::RotationLength);
    let problem = validation.find(code).unwrap();
    assert_eq!((problem.count, problem.severity), (3, Severity::Warning));
    assert_eq!(problem.locations[1].pointer, "/nodes/3/rotation");
    assert!(validation.loads);
}

#[test]
fn a_file_that_cannot_be_loaded_has_one_error() {
    let validation = pleach_gltf::validate(br#"{"asset":{"version":"2.0"},"nodes":[{"mesh":7}]}"#);
    assert!(!validation.loads);
    let [problem] = &validation.problems[..] else { panic!("{validation:?}") };
    assert_eq!(problem.code, ProblemCode::Rejected(ErrorKind::Reference));
    assert_eq!(problem.locations[0].pointer, "/nodes/0/mesh");
}

#[test]
fn all_locations_are_counted() {
    let nodes = vec![json!({"colour": 1}); 50];
    let json = json!({"asset": {"version": "2.0"}, "nodes": nodes});
    let validation = Validate::new().max_locations(3).bytes(json.to_string().as_bytes());
    let problem = validation.find(ProblemCode::Rule(Rule::UnknownMember)).unwrap();
    assert_eq!((problem.count, problem.locations.len()), (50, 3));
}

#[test]
fn a13_a_material_animation_is_not_a_problem() {
    let (mut json, _) = base();
    json["extensionsUsed"].as_array_mut().unwrap().push(json!("KHR_animation_pointer"));
    let pointer = "/materials/1/pbrMetallicRoughness/metallicFactor";
    json["materials"][1]["pbrMetallicRoughness"] = json!({"metallicFactor": 0.5});
    json["animations"].as_array_mut().unwrap().push(json!({
        "samplers": [{"input": 9, "output": 12}],
        "channels": [{"sampler": 0, "target": {"path": "pointer",
            "extensions": {"KHR_animation_pointer": {"pointer": pointer}}}}],
    }));
    let validation = Validate::new().strict().bytes(json.to_string().as_bytes());
    let empty = validation.find(ProblemCode::Rule(Rule::EmptyAnimation));
    assert_eq!(empty, None);
    assert_eq!(validation.count(Severity::Error), 0, "{validation:#?}");
}

#[test]
fn a13_a_zero_scale_is_not_far_away() {
    let (mut json, _) = base();
    json["nodes"][2]["scale"] = json!([0, 0, 0]);
    json["nodes"][2]["translation"] = json!([100, 0, 0]);
    let validation = validate(&json);
    assert!(validation.find(ProblemCode::Rule(Rule::ZeroScale)).is_some());
    assert_eq!(validation.find(ProblemCode::Rule(Rule::FarFromOrigin)), None);
    json["nodes"][2]["scale"] = json!([1, 1, 1]);
    json["nodes"][2]["translation"] = json!([1e6, 0, 0]);
    assert!(validate(&json).find(ProblemCode::Rule(Rule::FarFromOrigin)).is_some());
}

#[test]
fn rules_have_texts_and_distinct_codes() {
    let codes: BTreeSet<_> = Rule::ALL.iter().map(|it| it.as_str()).collect();
    assert_eq!(codes.len(), Rule::ALL.len());
    assert_eq!(WarningCode::ALL.iter().find(|it| codes.contains(it.as_str())), None);
    for rule in Rule::ALL {
        for text in [rule.message(), rule.advice()] {
            let is_program = ["`", "::", "--", "pleach"].iter().any(|it| text.contains(it));
            assert!(text.len() > 8 && !is_program, "{rule:?}: {text}");
        }
        assert!(rule.advice().ends_with('.') && !rule.message().ends_with('.'), "{rule:?}");
    }
}
