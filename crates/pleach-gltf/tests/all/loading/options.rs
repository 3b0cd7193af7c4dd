//! Options for loading: the up axis, skipped images, limits, and progress.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

use glam::Vec3;
use pleach::ImageData;
use pleach_gltf::ErrorKind::Limit;
use pleach_gltf::{Bytes, ErrorKind, Limits, Options, Stage};
use serde_json::{Value, json};

use super::file::{File, PNG, file, full_file, outcome, panic_if_any};
use crate::common::temp_dir::TempDir;

#[test]
fn keep_y_up_loads_without_the_up_axis_node() {
    let at = |options: Options| {
        let document = full_file().load_as(&options).unwrap();
        let knee = document.node(0, 2).unwrap();
        let has_up_axis_node = document.up_axis_node(0).is_some();
        (document.scenes()[0].graph.node(knee).unwrap().world_translation(), has_up_axis_node)
    };
    assert_eq!(at(Options::new()), (Vec3::Z, true));
    assert_eq!(at(Options::new().keep_y_up()), (Vec3::Y, false));
}

#[test]
fn external_images_can_be_skipped() {
    let files = BTreeMap::from([("a b.png".to_string(), Bytes::from(PNG.to_vec()))]);
    let model =
        file(json!({"images": [{"uri": "a%20b.png"}, {"uri": "data:image/png;base64,iVBORw=="}]}));
    let load = |options: Options| options.load_with(model.text().into_bytes(), &files).unwrap();
    let left = load(Options::new().skip_images());
    assert!(
        matches!(&left.images()[0].get().data, ImageData::External { uri } if uri == "a%20b.png")
    );
    assert!(matches!(&left.images()[1].get().data, ImageData::Encoded { .. }));
    assert!(left.report().is_empty());
    let read = load(Options::new());
    let encoded = |data: &ImageData| match data {
        ImageData::Encoded { mime, bytes } => (mime.clone(), bytes.len()),
        _ => panic!("{data:?}"),
    };
    assert_eq!(encoded(&read.images()[0].get().data), ("image/png".into(), PNG.len()));
}

#[test]
fn exceeding_a_limit_is_an_error_of_kind_limit() {
    let deep = full_file().set("/extras", serde_json::from_str::<Value>(&nested(50)).unwrap());
    let many = full_file()
        .set("/accessors/-", json!({"componentType": 5126, "type": "VEC3", "count": 1_000_000}));
    let many = many.set("/meshes/1/primitives/0/attributes", json!({"POSITION": 12}));
    let far = file(json!({"buffers": [{"uri": "far.bin", "byteLength": 4}]}));
    let files = BTreeMap::from([("far.bin".to_string(), Bytes::from(vec![0; 1000]))]);
    let base = Limits::default();
    let cases = [
        ("max_json_depth", deep.clone(), Limits { max_json_depth: 49, ..base }, "/extras"),
        ("max_file_bytes", full_file(), Limits { max_file_bytes: 100, ..base }, ""),
        (
            "max_file_bytes of a buffer",
            far,
            Limits { max_file_bytes: 999, ..base },
            "/buffers/0/uri",
        ),
        (
            "max_decoded_bytes of an accessor",
            many,
            Limits { max_decoded_bytes: 1 << 20, max_decoded_ratio: 1, ..base },
            "/meshes/1/primitives/0/attributes/POSITION",
        ),
        (
            "max_decoded_bytes of nodes",
            crowd(),
            Limits { max_decoded_bytes: 9999, max_decoded_ratio: 0, ..base },
            "/nodes",
        ),
        (
            "max_decoded_bytes of a data URI",
            file(json!({"buffers": [{
                "uri": format!("data:application/octet-stream;base64,{}", "AAAA".repeat(1000)),
                "byteLength": 3000,
            }]})),
            Limits { max_decoded_bytes: 2000, max_decoded_ratio: 0, ..base },
            "/buffers/0/uri",
        ),
    ];
    let mut failures = Vec::new();
    for (what, file, limits, pointer) in cases {
        let options = Options::new().with_limits(limits);
        match options.load_with(file.text().into_bytes(), &files) {
            Err(error) if (error.kind(), error.pointer()) == (Limit, pointer) => {}
            other => {
                failures.push(format!("{what}: {}, expected one at {pointer:?}", outcome(&other)));
            }
        }
    }
    panic_if_any(&failures);
    assert!(deep.load().is_ok());
}

#[test]
fn max_file_bytes_applies_to_loading_by_path() {
    let directory = TempDir::new("too-long");
    directory.write("model.gltf", full_file().text().as_bytes());
    let limits = Limits { max_file_bytes: 100, ..Limits::default() };
    let error = Options::new().with_limits(limits).load(directory.at("model.gltf")).unwrap_err();
    assert_eq!(error.kind(), Limit, "{error}");
}

/// Returns nested objects.
fn nested(depth: usize) -> String {
    // The file itself is one level.
    format!("{}1{}", r#"{"a":"#.repeat(depth - 1), "}".repeat(depth - 1))
}

/// Returns a file with 100 nodes.
fn crowd() -> File {
    file(
        json!({"nodes": vec![json!({}); 100], "scenes": [{"nodes": (0..100).collect::<Vec<_>>()}]}),
    )
}

#[test]
fn extras_may_be_nested_up_to_the_limit() {
    let extras = nested(250);
    for pointer in ["/extras", "/nodes/0/extras", "/meshes/0/extras", "/extensions/VENDOR_x"] {
        let text = full_file().set(pointer, "HERE").text().replace("\"HERE\"", &extras);
        let document = Options::new().load_bytes(text.as_bytes()).unwrap();
        assert_eq!(document.raw(pointer), Some(&*extras), "{pointer}");
    }
    // Deeper than any stack.
    let text = format!(r#"{{"asset": {{"version": "2.0"}}, "extras": {}}}"#, nested(200_000));
    let error = pleach_gltf::load_bytes(text.as_bytes()).unwrap_err();
    assert_eq!(error.kind(), Limit);
}

#[test]
fn progress_is_reported_in_increasing_stages_and_can_cancel_the_load() {
    let steps = Arc::new(Mutex::new(Vec::new()));
    let warnings = Arc::clone(&steps);
    let options = Options::new().on_progress(move |step| {
        warnings.lock().unwrap().push(step);
        ControlFlow::Continue(())
    });
    full_file().load_as(&options).unwrap();
    let steps = steps.lock().unwrap().clone();
    assert!(steps.iter().all(|step| step.done <= step.total), "{steps:?}");
    assert!(steps.is_sorted_by_key(|step| (step.stage, step.done)), "{steps:?}");
    let stages = [
        Stage::Json,
        Stage::Buffers,
        Stage::Images,
        Stage::Geometry,
        Stage::Animations,
        Stage::Scenes,
    ];
    for stage in stages {
        assert!(steps.iter().any(|step| step.stage == stage), "{stage:?} in {steps:?}");
        let options = Options::new().on_progress(move |step| match step.stage == stage {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        });
        let error = full_file().load_as(&options).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Cancelled, "{stage:?}");
    }
}
