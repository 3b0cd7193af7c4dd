//! Faults that everybody loads: told once, read as told, and errors if strict.

use glam::{Quat, Vec3};
use pleach_gltf::{ErrorKind, Options};
use serde_json::{Value, json};

use crate::file::{
    BINDS, BLENDS, File, INDICES, JOINTS, PLACES, POSITIONS, SHOWN, TIMES, WEIGHTS, file,
    panic_if_any, sparse, whole,
};

#[test]
fn a_file_with_one_of_everything_and_no_fault_loads_without_warnings() {
    for bytes in [whole().text().into_bytes(), whole().glb()] {
        let document = Options::new().strict().load_bytes(&bytes).unwrap();
        assert_eq!(document.report().to_string(), "");
        assert_eq!(document.scenes().len(), 1);
        let scene = &document.scenes()[0];
        assert_eq!(scene.check(), Vec::<String>::new());
        assert_eq!((scene.meshes.len(), scene.skins.len(), scene.weights.len()), (2, 1, 1));
        assert_eq!((scene.cameras.len(), scene.lights.len()), (1, 1));
    }
}

/// Faults that everybody loads, and where they are told.
fn odd_files() -> Vec<(&'static str, File, &'static str)> {
    let stride =
        |view: usize, bytes: usize| whole().set(&format!("/bufferViews/{view}/byteStride"), bytes);
    let channel = json!({"sampler": 0, "target": {"node": 1, "path": "translation"}});
    let lights = "/extensions/KHR_lights_punctual/lights/0";
    let light = |member: &str, value: Value| whole().set(&format!("{lights}/{member}"), value);
    vec![
        ("a buffer of no bytes", file(json!({"buffers": [{"uri": "data:,", "byteLength": 0}]})), "/buffers/0/byteLength"),
        ("a stride that is no multiple of 4", whole().longer(POSITIONS, 100).set("/bufferViews/13/byteStride", 14), "/bufferViews/13/byteStride"),
        ("a stride on indices", stride(INDICES, 4).longer(INDICES, 12).set("/bufferViews/13/byteStride", 4), "/meshes/0/primitives/0/indices"),
        ("a stride on matrices", stride(BINDS, 64), "/skins/0/inverseBindMatrices"),
        ("a stride on keys", stride(PLACES, 12), "/animations/0/samplers/0/output"),
        ("a stride on key times", stride(TIMES, 4), "/animations/0/samplers/0/input"),
        ("an accessor of no elements", whole().set("/accessors/-", json!({"componentType": 5126, "type": "VEC3", "count": 0})), "/accessors/12/count"),
        ("an offset that is not aligned", whole().longer(BLENDS, 12).set("/accessors/11/byteOffset", 2), "/accessors/11/byteOffset"),
        ("sparse elements out of order", sparse(&[2, 1]), "/accessors/0/sparse/indices"),
        ("sparse elements twice", sparse(&[1, 1]), "/accessors/0/sparse/indices"),
        ("an image of nothing", whole().set("/images/-", json!({})), "/images/1"),
        ("an image that is missing", whole().set("/images/-", json!({"uri": "none.png"})), "/images/1/uri"),
        ("an image on the web", whole().set("/images/-", json!({"uri": "https://example.org/a.png"})), "/images/1/uri"),
        ("a mesh without primitives", whole().set("/meshes/-", json!({"primitives": []})), "/meshes/2/primitives"),
        ("other numbers of targets", whole().set("/meshes/0/primitives/-", json!({"attributes": {"POSITION": POSITIONS, "JOINTS_0": JOINTS, "WEIGHTS_0": WEIGHTS}})), "/meshes/0/primitives"),
        ("more weights than a mesh has targets", whole().set("/meshes/0/weights", json!([0, 1])), "/meshes/0/weights"),
        ("more weights on a node than targets", whole().set("/nodes/0/weights", json!([0, 1])), "/nodes/0/weights"),
        ("a primitive without positions", whole().set("/meshes/1/primitives/0/attributes", json!({})), "/meshes/1/primitives/0/attributes"),
        ("weights that do not sum to one", whole().put_float(WEIGHTS, 4, 0.25), "/meshes/0/primitives/0/attributes/WEIGHTS_0"),
        ("a joint that the skin has not", whole().put(JOINTS, 5, &[7]), "/nodes/0/skin"),
        ("a matrix and a translation", whole().set("/nodes/2/matrix", identity()), "/nodes/2/matrix"),
        ("a quaternion of length 2", whole().set("/nodes/2/rotation", json!([0, 0, 0, 2])), "/nodes/2/rotation"),
        ("a skin without a mesh", whole().set("/nodes/3/skin", 0), "/nodes/3/skin"),
        ("a skin without joints", whole().set("/skins/-", json!({"joints": []})), "/skins/1/joints"),
        ("a joint twice", whole().set("/skins/0/joints", json!([1, 1])), "/skins/0/joints"),
        ("joints without a common root", whole().set("/skins/-", json!({"joints": [1, 3]})), "/skins/1/joints"),
        ("joints of another scene", whole().set("/scenes/0/nodes", json!([0])), "/nodes/0/skin"),
        ("a camera that sees nothing", whole().set("/cameras/0/perspective/znear", -1), "/cameras/0"),
        ("cones that do not rise", light("spot", json!({"innerConeAngle": 1, "outerConeAngle": 0.5})), "/extensions/KHR_lights_punctual/lights/0/spot"),
        ("a light without range", light("range", json!(0)), "/extensions/KHR_lights_punctual/lights/0/range"),
        ("two channels for the same", whole().set("/animations/0/channels/-", channel), "/animations/0/channels/4"),
        ("a path that is not known", whole().set("/animations/0/channels/0/target/path", "color"), "/animations/0/channels/0/target/path"),
        ("an interpolation that is not known", whole().set("/animations/0/samplers/0/interpolation", "CUBIC"), "/animations/0/samplers/0/interpolation"),
        ("equal key times", whole().put_float(TIMES, 1, 0.0), "/animations/0/samplers/0/input"),
        ("a key before the beginning", whole().put_float(TIMES, 0, -1.0), "/animations/0/samplers/0/input"),
        ("weights for another number of targets", whole().longer(BLENDS, 16).set("/accessors/11/count", 4), "/animations/0/channels/2"),
        ("shown for another number of keys", whole().longer(SHOWN, 4).set("/accessors/9/count", 3), "/animations/0/samplers/3/output"),
        ("a texture filter that is not known", whole().set("/samplers/0/magFilter", 1), "/samplers/0/magFilter"),
        ("an alpha mode that is not known", whole().set("/materials/0/alphaMode", "HASHED"), "/materials/0/alphaMode"),
        ("a factor beyond 1", whole().set("/materials/0/pbrMetallicRoughness/metallicFactor", 2), "/materials/0/pbrMetallicRoughness/metallicFactor"),
    ]
}

fn identity() -> Value {
    json!([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1])
}

/// A single key, of a spline.
fn lone_spline() -> File {
    let mut file = whole();
    file.floats("SCALAR", &[0.0]);
    file.floats("VEC3", &[0.0; 9]);
    file.set(
        "/animations/0/samplers/0",
        json!({"input": 12, "output": 13, "interpolation": "CUBICSPLINE"}),
    )
}

#[test]
fn a_tolerated_fault_is_told_once_at_its_place_and_is_an_error_if_strict() {
    let mut faults = Vec::new();
    let mut odd = odd_files();
    let spline = "/animations/0/samplers/0/interpolation";
    odd.push(("a spline through a single key", lone_spline(), spline));
    for (what, file, pointer) in odd {
        let text = file.text();
        let told = match Options::new().load_bytes(text.as_bytes()) {
            Ok(document) => document.report().warnings().to_vec(),
            Err(error) => {
                faults.push(format!("{what}: not tolerated: {error:?}"));
                continue;
            }
        };
        if told.len() != 1 || told[0].pointer != pointer {
            faults.push(format!("{what}: told {told:?}, expected one at {pointer}"));
        }
        match Options::new().strict().load_bytes(text.as_bytes()) {
            Ok(_) => faults.push(format!("{what}: loads, though strict")),
            Err(error) => {
                let is_same = told.first().is_some_and(|told| told.message == error.message());
                if (error.kind(), error.pointer()) != (ErrorKind::Strict, pointer) || !is_same {
                    faults.push(format!("{what}: strict says {error:?}, expected {pointer}"));
                }
            }
        }
    }
    panic_if_any(&faults);
}

#[test]
fn a_tolerated_fault_of_a_node_in_two_scenes_is_told_once() {
    let file = file(json!({
        "nodes": [{"rotation": [0, 0, 0, 2]}],
        "scenes": [{"nodes": [0]}, {"nodes": [0]}],
    }));
    let document = file.load().unwrap();
    assert_eq!(document.report().warnings().len(), 1, "{}", document.report());
}

#[test]
fn what_is_tolerated_is_read_as_it_is_told() {
    let node = |file: File, index: usize| {
        let document = file.load_as(&Options::new().keep_y_up()).unwrap();
        let node = document.node(0, index).unwrap();
        document.scenes()[0].graph.node(node).unwrap().transform()
    };
    let turned = node(whole().set("/nodes/2/rotation", json!([0, 0, 2, 0])), 2);
    assert_eq!(turned.rotation, Quat::from_xyzw(0.0, 0.0, 1.0, 0.0));
    let matrix = node(whole().set("/nodes/2/matrix", identity()), 2);
    assert_eq!(matrix.translation, Vec3::ZERO);

    let told = |file: File| file.load().unwrap().report().to_string();
    assert_eq!(
        told(whole().put_float(TIMES, 1, 0.0)),
        "/animations/0/samplers/0/input: keys 0 and 1 have the same time, 0 s\n"
    );
    assert_eq!(
        told(whole().set("/skins/-", json!({"joints": [1, 3]}))),
        "/skins/1/joints: joints have no common root\n"
    );
    assert_eq!(
        told(whole().put_float(WEIGHTS, 4, 0.25)),
        "/meshes/0/primitives/0/attributes/WEIGHTS_0: the weights of vertex 1 sum to 0.75, not 1; \
         they are taken as shares\n"
    );
}

#[test]
fn joints_of_another_scene_pose_all_the_same() {
    let document = whole().set("/scenes/0/nodes", json!([0])).load().unwrap();
    let body = document.node(0, 0).unwrap();
    let scene = &document.scenes()[0];
    let palette = scene.palettes().of(body).unwrap();
    assert_eq!(palette[1].w_axis.truncate(), Vec3::Z, "the knee is one up");
    // They are not of this scene: nothing below its root, and not what the file lists there.
    let below: Vec<_> = scene.graph.node(scene.root()).unwrap().descendants().collect();
    assert!(!below.contains(&scene.skin(body).unwrap().joints[0]));
    assert_eq!(document.index_of(0, scene.skin(body).unwrap().joints[0]), None);
    assert!(document.outside().is_some(), "the hip is in no scene");
}

#[test]
fn sets_beyond_the_sixty_fourth_are_left_out_and_told_even_if_strict() {
    let file = whole().set("/meshes/1/primitives/0/attributes/TEXCOORD_64", POSITIONS);
    let document = file.load_as(&Options::new().strict()).unwrap();
    let pointers: Vec<_> = document.report().warnings().iter().map(|it| &*it.pointer).collect();
    assert_eq!(pointers, ["/meshes/1/primitives/0/attributes/TEXCOORD_64"]);
}

#[test]
fn a_report_has_a_thousand_warnings_at_most_and_counts_the_rest() {
    let nodes = vec![json!({"rotation": [0, 0, 0, 2]}); 1500];
    let document = file(json!({"nodes": nodes})).load().unwrap();
    assert_eq!(document.report().warnings().len(), 1000);
    assert_eq!(document.report().left_out(), 500);
    assert!(document.report().to_string().ends_with("and 500 more\n"));
}
