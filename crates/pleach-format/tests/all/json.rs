//! The JSON form: readable, and its errors name what is wrong.

use pleach::glam::Vec3;
use pleach::{Node, Scene};
use pleach_format::{ErrorKind, from_json, to_json};

fn text() -> String {
    let mut scene = Scene::named("level");
    scene.spawn(Node::group().named("lamp").at(Vec3::X)).unwrap();
    to_json(&scene).unwrap()
}

#[test]
fn records_and_columns_are_lines() {
    let text = text();
    assert!(text.lines().any(|line| line == r#""format": "pleach scene","#), "{text}");
    let column = r#"{"type":"f32","width":3,"values":[0.0,0.0,0.0,1.0,0.0,0.0]}"#;
    assert!(text.lines().any(|line| line.starts_with(column)), "{text}");
}

#[test]
fn faults_are_named() {
    let cases = [
        ("\"format\": \"pleach scene\"", "\"format\": \"other\"", ErrorKind::NotPleach, "format"),
        ("\"version\": 1", "\"version\": 2", ErrorKind::Version, "version 2"),
        ("\"graph\"", "\"forest\": 1,\n\"graph\"", ErrorKind::Version, "\"forest\""),
        ("\"root\": \"0v1\"", "\"root\": \"0v2\"", ErrorKind::Value, "0v2"),
        ("\"root\": \"0v1\"", "\"root\": 7", ErrorKind::Json, "line"),
        ("1.0,0.0,0.0]", "1.0,0.0]", ErrorKind::Json, "columns["),
        ("1.0,0.0,0.0]", "1.0,0.0,\"inf\"]", ErrorKind::Value, "translation.z is inf"),
        ("\"slots\": 2", "\"slots\": 3", ErrorKind::Value, "rows"),
        ("\"parents\": 0", "\"parents\": 99", ErrorKind::Value, "column 99 does not exist"),
        ("\n}\n", "", ErrorKind::Json, "EOF"),
    ];
    for (from, to, kind, part) in cases {
        let text = text();
        assert!(text.contains(from), "{from} is not in {text}");
        let error = from_json(&text.replacen(from, to, 1)).unwrap_err();
        assert_eq!(error.kind(), kind, "{to}: {error}");
        assert!(error.to_string().contains(part), "{to}: {error}");
    }
}
