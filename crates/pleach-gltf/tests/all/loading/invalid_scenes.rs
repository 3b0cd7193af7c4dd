//! Invalid files for `rejected`: meshes, nodes, skins, animations, and members of a wrong type.

use pleach_gltf::ErrorKind::{Data, Json, Structure, Value as Bad};
use serde_json::json;

use super::file::{
    File, INDICES, INSTANCES, INVERSE_BINDS, InvalidFile, MORPH_POSITIONS, POSITIONS, TIMES,
    TRANSLATIONS, WEIGHTS, file, full_file,
};

/// Returns files with faults of meshes, nodes, skins, animations, and types of members.
pub(crate) fn invalid_scenes() -> Vec<InvalidFile> {
    let nan = f32::NAN;
    vec![
        // Meshes.
        (
            "an invalid mode",
            full_file().set("/meshes/0/primitives/0/mode", 7),
            "/meshes/0/primitives/0/mode",
            Bad,
        ),
        (
            "an index beyond the vertices",
            full_file().put(INDICES, 2, &[3, 0]),
            "/meshes/0/primitives/0/indices",
            Data,
        ),
        (
            "a primitive restart index",
            full_file().put(INDICES, 2, &[255, 255]),
            "/meshes/0/primitives/0/indices",
            Data,
        ),
        (
            "a position that is NaN",
            full_file().put_float(POSITIONS, 4, nan),
            "/meshes/0/primitives/0/attributes/POSITION",
            Bad,
        ),
        (
            "a position that is infinite",
            full_file().put_float(POSITIONS, 4, f32::INFINITY),
            "/meshes/0/primitives/0/attributes/POSITION",
            Bad,
        ),
        (
            "a negative weight",
            full_file().put_float(WEIGHTS, 0, -0.5),
            "/meshes/0/primitives/0/attributes/WEIGHTS_0",
            Bad,
        ),
        (
            "normals for fewer vertices",
            full_file().set("/meshes/0/primitives/0/attributes/NORMAL", TRANSLATIONS),
            "/meshes/0/primitives/0/attributes/NORMAL",
            Data,
        ),
        (
            "joints without weights",
            full_file().without("/meshes/0/primitives/0/attributes/WEIGHTS_0"),
            "/meshes/0/primitives/0/attributes/WEIGHTS_0",
            Data,
        ),
        (
            "morph positions for fewer vertices",
            full_file().set("/meshes/0/primitives/0/targets/0/POSITION", TRANSLATIONS),
            "/meshes/0/primitives/0/targets/0/POSITION",
            Data,
        ),
        // Nodes.
        (
            "two parents",
            full_file().set("/nodes/1/children/-", 3),
            "/nodes/1/children/1",
            Structure,
        ),
        (
            "a child that is listed twice",
            full_file().set("/nodes/1/children/-", 2),
            "/nodes/1/children/1",
            Structure,
        ),
        (
            "a cycle",
            full_file().set("/nodes/2/children", json!([1])),
            "/nodes/2/children/0",
            Structure,
        ),
        (
            "a node that is its own parent",
            file(json!({"nodes": [{"children": [0]}]})),
            "/nodes/0/children/0",
            Structure,
        ),
        (
            "a scene that lists a child",
            full_file().set("/scenes/0/nodes/-", 2),
            "/scenes/0/nodes/2",
            Structure,
        ),
        (
            "a scene that lists a node twice",
            full_file().set("/scenes/0/nodes/-", 1),
            "/scenes/0/nodes/2",
            Structure,
        ),
        (
            "a zero quaternion",
            full_file().set("/nodes/2/rotation", json!([0, 0, 0, 0])),
            "/nodes/2/rotation",
            Bad,
        ),
        (
            "a projection matrix",
            full_file()
                .set("/nodes/3/matrix", json!([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0])),
            "/nodes/3/matrix",
            Bad,
        ),
        (
            "instance attributes of different counts",
            full_file()
                .set("/nodes/5/extensions/EXT_mesh_gpu_instancing/attributes/SCALE", POSITIONS),
            "/nodes/5/extensions/EXT_mesh_gpu_instancing/attributes",
            Data,
        ),
        (
            "an instance that is NaN",
            full_file().put_float(INSTANCES, 1, nan),
            "/nodes/5/extensions/EXT_mesh_gpu_instancing/attributes/TRANSLATION",
            Bad,
        ),
        (
            "an unknown camera type",
            full_file().set("/cameras/0/type", "fisheye"),
            "/cameras/0/type",
            Bad,
        ),
        (
            "a camera without its projection",
            full_file().set("/cameras/0/type", "orthographic"),
            "/cameras/0",
            Bad,
        ),
        (
            "an unknown light type",
            full_file().set("/extensions/KHR_lights_punctual/lights/0/type", "area"),
            "/extensions/KHR_lights_punctual/lights/0/type",
            Bad,
        ),
        // Skins.
        (
            "fewer matrices than joints",
            full_file().set("/accessors/4/count", 1),
            "/skins/0/inverseBindMatrices",
            Data,
        ),
        (
            "a matrix that is NaN",
            full_file().put_float(INVERSE_BINDS, 17, nan),
            "/skins/0/inverseBindMatrices",
            Bad,
        ),
        (
            "matrices of three components",
            full_file().set("/skins/0/inverseBindMatrices", TRANSLATIONS),
            "/skins/0/inverseBindMatrices",
            Bad,
        ),
        // Animations.
        (
            "decreasing times",
            full_file().put_float(TIMES, 0, 2.0),
            "/animations/0/samplers/0/input",
            Bad,
        ),
        (
            "more values than keys",
            full_file().set("/animations/0/samplers/0/output", POSITIONS),
            "/animations/0/samplers/0/output",
            Bad,
        ),
        (
            "decreasing visibility times",
            only_visibility_channel().put_float(TIMES, 0, 2.0),
            "/animations/0/samplers/3/input",
            Bad,
        ),
        (
            "rotations of three components",
            full_file().set("/animations/0/samplers/1/output", TRANSLATIONS),
            "/animations/0/samplers/1/output",
            Bad,
        ),
        // JSON.
        (
            "a rotation of five numbers",
            full_file().set("/nodes/2/rotation", json!([0, 0, 0, 1, 0])),
            "/nodes/2/rotation",
            Json,
        ),
        ("a negative index", full_file().set("/nodes/0/mesh", -1), "/nodes/0/mesh", Json),
        (
            "an index that is not an integer",
            full_file().set("/nodes/0/mesh", 0.5),
            "/nodes/0/mesh",
            Json,
        ),
        ("a name that is a number", full_file().set("/nodes/2/name", 3), "/nodes/2/name", Json),
        (
            "a translation of two numbers",
            full_file().set("/nodes/2/translation", json!([0, 1])),
            "/nodes/2/translation",
            Json,
        ),
        (
            "an accessor without a type",
            full_file().without("/accessors/3/type"),
            "/accessors/3",
            Json,
        ),
        ("nodes that are not an array", full_file().set("/nodes", json!({})), "/nodes", Json),
    ]
}

/// Returns `full_file` with the visibility channel only.
fn only_visibility_channel() -> File {
    let channel = full_file().json["animations"][0]["channels"][3].clone();
    full_file().set("/animations/0/channels", json!([channel]))
}

#[test]
fn a11_numbers_that_are_not_finite_do_not_refuse_the_rest() {
    use pleach_gltf::{ErrorKind, Options, WarningCode};

    let nan = f32::NAN;
    let (attribute, key) = (WarningCode::NotFiniteAttribute, WarningCode::NotFiniteKey);
    let cases = [
        (
            full_file().put_float(WEIGHTS, 0, nan),
            attribute,
            "/meshes/0/primitives/0/attributes/WEIGHTS_0",
        ),
        (
            full_file().put_float(MORPH_POSITIONS, 1, nan),
            attribute,
            "/meshes/0/primitives/0/targets/0/POSITION",
        ),
        (full_file().put_float(TIMES, 1, nan), key, "/animations/0/samplers/0/input"),
        (full_file().put_float(TRANSLATIONS, 0, nan), key, "/animations/0/samplers/0/output"),
        (only_visibility_channel().put_float(TIMES, 1, nan), key, "/animations/0/samplers/3/input"),
    ];
    for (file, code, pointer) in cases {
        let document = file.load().unwrap();
        let warnings = document.report().warnings();
        let is_reported = warnings.iter().any(|it| it.code == code && it.pointer == pointer);
        assert!(is_reported, "{pointer}: {}", document.report());
        let error = file.load_as(&Options::new().strict()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Strict, "{error}");
        for part in document.meshes().iter().flatten() {
            part.geometry.get().check().unwrap();
        }
    }
}
