//! Tolerated defects: reported once, handled as reported, and errors if strict.

use glam::{Quat, Vec3};
use pleach_gltf::{ErrorKind, Options};
use serde_json::{Value, json};

use super::file::{
    File, INDICES, INVERSE_BINDS, JOINTS, MORPH_WEIGHTS, POSITIONS, ROTATIONS, TIMES, TRANSLATIONS,
    VISIBILITIES, WEIGHTS, file, full_file, panic_if_any, sparse,
};

#[test]
fn a_valid_file_with_one_of_everything_loads_without_warnings() {
    for bytes in [full_file().text().into_bytes(), full_file().glb()] {
        let document = Options::new().strict().load_bytes(&bytes).unwrap();
        assert_eq!(document.report().to_string(), "");
        assert_eq!(document.scenes().len(), 1);
        let scene = &document.scenes()[0];
        assert_eq!(scene.check(), []);
        assert_eq!((scene.meshes.len(), scene.skins.len(), scene.weights.len()), (2, 1, 1));
        assert_eq!((scene.cameras.len(), scene.lights.len()), (1, 1));
    }
}

/// Returns files with tolerated defects, and the locations of their warnings.
fn tolerated_files() -> Vec<(&'static str, File, &'static str)> {
    let stride = |view: usize, bytes: usize| {
        full_file().set(&format!("/bufferViews/{view}/byteStride"), bytes)
    };
    let channel = json!({"sampler": 0, "target": {"node": 1, "path": "translation"}});
    let lights = "/extensions/KHR_lights_punctual/lights/0";
    let light = |member: &str, value: Value| full_file().set(&format!("{lights}/{member}"), value);
    vec![
        ("an empty buffer", file(json!({"buffers": [{"uri": "data:,", "byteLength": 0}]})), "/buffers/0/byteLength"),
        ("a stride that is not a multiple of 4", full_file().with_longer_view(POSITIONS, 100).set("/bufferViews/13/byteStride", 14), "/bufferViews/13/byteStride"),
        ("a stride on indices", stride(INDICES, 4).with_longer_view(INDICES, 12).set("/bufferViews/13/byteStride", 4), "/meshes/0/primitives/0/indices"),
        ("a stride on matrices", stride(INVERSE_BINDS, 64), "/skins/0/inverseBindMatrices"),
        ("a stride on keys", stride(TRANSLATIONS, 12), "/animations/0/samplers/0/output"),
        ("a stride on key times", stride(TIMES, 4), "/animations/0/samplers/0/input"),
        ("an empty accessor", full_file().set("/accessors/-", json!({"componentType": 5126, "type": "VEC3", "count": 0})), "/accessors/12/count"),
        ("an offset that is not aligned", full_file().with_longer_view(MORPH_WEIGHTS, 12).set("/accessors/11/byteOffset", 2), "/accessors/11/byteOffset"),
        ("sparse elements out of order", sparse(&[2, 1]), "/accessors/0/sparse/indices"),
        ("sparse elements twice", sparse(&[1, 1]), "/accessors/0/sparse/indices"),
        ("an image without a source", full_file().set("/images/-", json!({})), "/images/1"),
        ("an image that is missing", full_file().set("/images/-", json!({"uri": "none.png"})), "/images/1/uri"),
        ("an image with an https URI", full_file().set("/images/-", json!({"uri": "https://example.org/a.png"})), "/images/1/uri"),
        ("a mesh without primitives", full_file().set("/meshes/-", json!({"primitives": []})), "/meshes/2/primitives"),
        ("different numbers of morph targets", full_file().set("/meshes/0/primitives/-", json!({"attributes": {"POSITION": POSITIONS, "JOINTS_0": JOINTS, "WEIGHTS_0": WEIGHTS}})), "/meshes/0/primitives"),
        ("more weights than a mesh has targets", full_file().set("/meshes/0/weights", json!([0, 1])), "/meshes/0/weights"),
        ("more weights on a node than targets", full_file().set("/nodes/0/weights", json!([0, 1])), "/nodes/0/weights"),
        ("a primitive without positions", full_file().set("/meshes/1/primitives/0/attributes", json!({})), "/meshes/1/primitives/0/attributes"),
        ("weights that do not sum to one", full_file().put_float(WEIGHTS, 4, 0.25), "/meshes/0/primitives/0/attributes/WEIGHTS_0"),
        ("a joint that the skin does not have", full_file().put(JOINTS, 5, &[7]), "/nodes/0/skin"),
        ("a joint that the skin does not have, with a weight of 0", full_file().put(JOINTS, 6, &[7]), "/meshes/0/primitives/0/attributes/JOINTS_0"),
        ("a matrix and a translation", full_file().set("/nodes/3/matrix", identity()).set("/nodes/3/translation", json!([1, 0, 0])), "/nodes/3/matrix"),
        ("an animated node with a matrix", full_file().without("/nodes/2/translation").set("/nodes/2/matrix", identity()), "/animations/0/channels/1/target/node"),
        ("a quaternion of length 2", full_file().set("/nodes/2/rotation", json!([0, 0, 0, 2])), "/nodes/2/rotation"),
        ("a skin without a mesh", full_file().set("/nodes/3/skin", 0), "/nodes/3/skin"),
        ("a skin without joints", full_file().set("/skins/-", json!({"joints": []})), "/skins/1/joints"),
        ("a joint that is listed twice", full_file().set("/skins/0/joints", json!([1, 1])), "/skins/0/joints"),
        ("joints without a common root", full_file().set("/skins/-", json!({"joints": [1, 3]})), "/skins/1/joints"),
        ("joints of another scene", full_file().set("/scenes/0/nodes", json!([0])), "/nodes/0/skin"),
        ("an unusable camera", full_file().set("/cameras/0/perspective/znear", -1), "/cameras/0"),
        ("an inner cone angle beyond the outer one", light("spot", json!({"innerConeAngle": 1, "outerConeAngle": 0.5})), "/extensions/KHR_lights_punctual/lights/0/spot"),
        ("a range of 0", light("range", json!(0)), "/extensions/KHR_lights_punctual/lights/0/range"),
        ("two channels with the same target", full_file().set("/animations/0/channels/-", channel), "/animations/0/channels/4"),
        ("an unknown path", full_file().set("/animations/0/channels/0/target/path", "color"), "/animations/0/channels/0/target/path"),
        ("an unknown interpolation", full_file().set("/animations/0/samplers/0/interpolation", "CUBIC"), "/animations/0/samplers/0/interpolation"),
        ("equal key times", full_file().put_float(TIMES, 1, 0.0), "/animations/0/samplers/0/input"),
        ("a key with a negative time", full_file().put_float(TIMES, 0, -1.0), "/animations/0/samplers/0/input"),
        ("a key that is the zero quaternion", full_file().put_float(ROTATIONS, 3, 0.0), "/animations/0/samplers/1/output"),
        ("keys with a different number of weights", full_file().with_longer_view(MORPH_WEIGHTS, 16).set("/accessors/11/count", 4), "/animations/0/channels/2"),
        ("a different number of visibility values", full_file().with_longer_view(VISIBILITIES, 4).set("/accessors/9/count", 3), "/animations/0/samplers/3/output"),
        ("an unknown texture filter", full_file().set("/samplers/0/magFilter", 1), "/samplers/0/magFilter"),
        ("an unknown alpha mode", full_file().set("/materials/0/alphaMode", "HASHED"), "/materials/0/alphaMode"),
        ("a factor beyond 1", full_file().set("/materials/0/pbrMetallicRoughness/metallicFactor", 2), "/materials/0/pbrMetallicRoughness/metallicFactor"),
    ]
}

fn identity() -> Value {
    json!([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1])
}

/// Returns `full_file` with a cubic spline of a single key.
fn single_key_spline() -> File {
    let mut file = full_file();
    file.floats("SCALAR", &[0.0]);
    file.floats("VEC3", &[0.0; 9]);
    file.set(
        "/animations/0/samplers/0",
        json!({"input": 12, "output": 13, "interpolation": "CUBICSPLINE"}),
    )
}

#[test]
fn a_tolerated_fault_is_reported_once_with_its_location_and_is_an_error_if_strict() {
    let mut failures = Vec::new();
    let mut tolerated = tolerated_files();
    let spline = "/animations/0/samplers/0/interpolation";
    tolerated.push(("a cubic spline with a single key", single_key_spline(), spline));
    for (what, file, pointer) in tolerated {
        let text = file.text();
        let warnings = match Options::new().load_bytes(text.as_bytes()) {
            Ok(document) => document.report().warnings().to_vec(),
            Err(error) => {
                failures.push(format!("{what}: not tolerated: {error:?}"));
                continue;
            }
        };
        if warnings.len() != 1 || warnings[0].pointer != pointer {
            failures.push(format!("{what}: warnings {warnings:?}, expected one at {pointer}"));
        }
        match Options::new().strict().load_bytes(text.as_bytes()) {
            Ok(_) => failures.push(format!("{what}: loads although strict")),
            Err(error) => {
                let is_same =
                    warnings.first().is_some_and(|warnings| warnings.message == error.message());
                if (error.kind(), error.pointer()) != (ErrorKind::Strict, pointer) || !is_same {
                    failures.push(format!(
                        "{what}: the strict error is {error:?}, expected one at {pointer}"
                    ));
                }
            }
        }
    }
    panic_if_any(&failures);
}

#[test]
fn a_tolerated_fault_of_a_node_in_two_scenes_is_reported_once() {
    let file = file(json!({
        "nodes": [{"rotation": [0, 0, 0, 2]}],
        "scenes": [{"nodes": [0]}, {"nodes": [0]}],
    }));
    let document = file.load().unwrap();
    assert_eq!(document.report().warnings().len(), 1, "{}", document.report());
}

#[test]
fn tolerated_faults_are_handled_as_reported() {
    let node = |file: File, index: usize| {
        let document = file.load_as(&Options::new().keep_y_up()).unwrap();
        let node = document.node(0, index).unwrap();
        document.scenes()[0].graph.node(node).unwrap().transform()
    };
    let normalized = node(full_file().set("/nodes/2/rotation", json!([0, 0, 2, 0])), 2);
    assert_eq!(normalized.rotation, Quat::from_xyzw(0.0, 0.0, 1.0, 0.0));
    let matrix = node(full_file().set("/nodes/2/matrix", identity()), 2);
    assert_eq!(matrix.translation, Vec3::ZERO);

    let warnings = |file: File| file.load().unwrap().report().to_string();
    assert_eq!(
        warnings(full_file().put_float(TIMES, 1, 0.0)),
        "/animations/0/samplers/0/input: keys 0 and 1 have the same time, 0 s\n"
    );
    assert_eq!(
        warnings(full_file().set("/skins/-", json!({"joints": [1, 3]}))),
        "/skins/1/joints: the joints have no common root\n"
    );
    assert_eq!(
        warnings(full_file().put_float(WEIGHTS, 4, 0.25)),
        "/meshes/0/primitives/0/attributes/WEIGHTS_0: the weights of vertex 1 sum to 0.75, not 1; \
         they are normalized\n"
    );
    assert_eq!(
        warnings(full_file().put(JOINTS, 5, &[7])),
        "/nodes/0/skin: vertex 1 of primitive 0 of its mesh refers to joint 7, but the skin has only \
         2\n"
    );
}

/// A joint with a weight of 0 has no effect, so that the mesh is loaded as if the joint were valid.
#[test]
fn a_missing_joint_with_a_weight_of_zero_is_replaced() {
    let right = full_file().load().unwrap();
    let unused = full_file().put(JOINTS, 6, &[7]).put(JOINTS, 11, &[9]);
    let document = unused.load().unwrap();
    assert_eq!(
        document.report().to_string(),
        "/meshes/0/primitives/0/attributes/JOINTS_0: vertex 1 refers to joint 7 with a weight of \
         0, but the skin has only 2; joint 0 is used instead, as in 1 more vertex\n"
    );
    assert_eq!(document.scenes()[0].check(), []);
    let geometry = |it: &pleach_gltf::Document| it.meshes()[0][0].geometry.get().value().clone();
    assert_eq!(geometry(&document), geometry(&right));
    // Saving writes the original indices.
    let text = unused.text();
    let saved = document.save_bytes(pleach_gltf::Format::Gltf).unwrap();
    assert_eq!(std::str::from_utf8(&saved.bytes).unwrap(), text);
    // Without a skin, no joint is out of range.
    let alone = unused.without("/nodes/0/skin").load().unwrap();
    assert_eq!(alone.report().to_string(), "");
    assert_eq!(alone.meshes()[0][0].geometry.get().influences[0].joints[1], [0, 1, 7, 0]);
}

#[test]
fn a_zero_quaternion_key_becomes_the_identity() {
    let file = full_file().put_float(ROTATIONS, 3, 0.0);
    let document = file.load().unwrap();
    let warnings = "/animations/0/samplers/1/output: key 0 is the zero quaternion; the identity \
                    (0, 0, 0, 1) is used instead\n";
    assert_eq!(document.report().to_string(), warnings);
    let clip = document.animations()[0].clip();
    let rotations = clip.channels().iter().find_map(|it| match it.track() {
        pleach::animation::Track::Rotation(curve) => Some(curve.values().to_vec()),
        _ => None,
    });
    assert_eq!(rotations.unwrap(), [Quat::IDENTITY, Quat::from_xyzw(0.0, 1.0, 0.0, 0.0)]);
    let saved = document.save_bytes(pleach_gltf::Format::Gltf).unwrap();
    assert_eq!(std::str::from_utf8(&saved.bytes).unwrap(), file.text());
}

/// Programs that count UTF-16 code units truncate names within a surrogate pair.
#[test]
fn a_lone_surrogate_in_a_name_is_reported_and_saved_unchanged() {
    let text = r#"{"asset": {"version": "2.0"}, "scenes": [{"nodes": [0, 1]}], "nodes": [
        {"name": "\ud800abc", "extras": {"note": "\udc00"}}, {"name": "whole \ud83d\ude00\n"}]}"#;
    let mut document = Options::new().load_bytes(text.as_bytes()).unwrap();
    let warnings = "/nodes/0/name: a lone surrogate (\\ud800) is read as U+FFFD; there is 1 \
                    more\n";
    assert_eq!(document.report().to_string(), warnings);
    let names = |document: &pleach_gltf::Document| -> Vec<String> {
        let graph = &document.scenes()[0].graph;
        let name = |index| graph.node(document.node(0, index).unwrap()).unwrap().name();
        (0..2).map(|index| name(index).unwrap().into()).collect()
    };
    assert_eq!(names(&document), ["\u{fffd}abc", "whole 😀\n"]);
    let refused = Options::new().strict().load_bytes(text.as_bytes()).unwrap_err();
    assert_eq!((refused.kind(), refused.pointer()), (ErrorKind::Strict, "/nodes/0/name"));
    // The other name is changed; this one stays as written.
    let other = document.node(0, 1).unwrap();
    document.scenes_mut()[0].graph.node_mut(other).unwrap().set_name("other");
    let saved = document.save_bytes(pleach_gltf::Format::Gltf).unwrap();
    let expected = text.replace(r"whole \ud83d\ude00\n", "other");
    assert_eq!(std::str::from_utf8(&saved.bytes).unwrap(), expected);
    // Control characters are rejected, also in strings with escapes.
    for name in ["a\tb", "\\n a\tb", "a\tb \\n"] {
        let text = format!(r#"{{"asset": {{"version": "2.0"}}, "nodes": [{{"name": "{name}"}}]}}"#);
        let refused = Options::new().load_bytes(text.as_bytes()).unwrap_err();
        assert_eq!((refused.kind(), refused.pointer()), (ErrorKind::Json, "/nodes/0/name"));
        assert!(refused.message().starts_with("control character"), "{refused}");
    }
}

#[test]
fn joints_of_another_scene_deform_the_mesh() {
    let document = full_file().set("/scenes/0/nodes", json!([0])).load().unwrap();
    let body = document.node(0, 0).unwrap();
    let scene = &document.scenes()[0];
    let matrices = scene.joint_matrices().get(body).unwrap();
    assert_eq!(matrices[1].w_axis.truncate(), Vec3::Z, "the knee is one unit up");
    // They are not in this scene: neither below its root nor by their file index.
    let below: Vec<_> = scene.graph.node(scene.root()).unwrap().descendants().collect();
    assert!(!below.contains(&scene.skin(body).unwrap().joints[0]));
    assert_eq!(document.index_of(0, scene.skin(body).unwrap().joints[0]), None);
    assert!(document.unreferenced_nodes().is_some(), "no scene lists the hip");
}

#[test]
fn attribute_sets_beyond_the_limit_are_ignored_with_a_warning_even_if_strict() {
    let file = full_file().set("/meshes/1/primitives/0/attributes/TEXCOORD_64", POSITIONS);
    let document = file.load_as(&Options::new().strict()).unwrap();
    let pointers: Vec<_> = document.report().warnings().iter().map(|it| &*it.pointer).collect();
    assert_eq!(pointers, ["/meshes/1/primitives/0/attributes/TEXCOORD_64"]);
}

#[test]
fn a_report_has_at_most_a_thousand_warnings_and_counts_the_rest() {
    let nodes = vec![json!({"rotation": [0, 0, 0, 2]}); 1500];
    let document = file(json!({"nodes": nodes})).load().unwrap();
    assert_eq!(document.report().warnings().len(), 1000);
    assert_eq!(document.report().omitted(), 500);
    assert!(document.report().to_string().ends_with("and 500 more\n"));
}
