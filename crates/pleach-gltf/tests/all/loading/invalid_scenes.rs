//! Broken files, for `refused`: meshes, nodes, skins, animations, and members of a wrong type.

use pleach_gltf::ErrorKind::{Data, Json, Structure, Value as Bad};
use serde_json::json;

use super::file::{
    File, INDICES, INSTANCES, INVERSE_BINDS, InvalidFile, MORPH_POSITIONS, POSITIONS, TIMES,
    TRANSLATIONS, WEIGHTS, file, full_file,
};

/// Faults of meshes, nodes, skins, animations, and of the JSON that says them.
pub(crate) fn invalid_scenes() -> Vec<InvalidFile> {
    let nan = f32::NAN;
    vec![
        // Meshes.
        (
            "a mode of no kind",
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
            "an index that restarts",
            full_file().put(INDICES, 2, &[255, 255]),
            "/meshes/0/primitives/0/indices",
            Data,
        ),
        (
            "a position that is no number",
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
            "a weight that is no number",
            full_file().put_float(WEIGHTS, 0, nan),
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
            "shifts for fewer vertices",
            full_file().set("/meshes/0/primitives/0/targets/0/POSITION", TRANSLATIONS),
            "/meshes/0/primitives/0/targets/0/POSITION",
            Data,
        ),
        (
            "a shift that is no number",
            full_file().put_float(MORPH_POSITIONS, 1, nan),
            "/meshes/0/primitives/0/targets/0/POSITION",
            Bad,
        ),
        // Nodes.
        (
            "two parents",
            full_file().set("/nodes/1/children/-", 3),
            "/nodes/1/children/1",
            Structure,
        ),
        (
            "a child twice",
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
            "its own parent",
            file(json!({"nodes": [{"children": [0]}]})),
            "/nodes/0/children/0",
            Structure,
        ),
        (
            "a scene of a child",
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
            "the quaternion 0 0 0 0",
            full_file().set("/nodes/2/rotation", json!([0, 0, 0, 0])),
            "/nodes/2/rotation",
            Bad,
        ),
        (
            "a projection",
            full_file()
                .set("/nodes/3/matrix", json!([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0])),
            "/nodes/3/matrix",
            Bad,
        ),
        (
            "copies of other numbers",
            full_file()
                .set("/nodes/5/extensions/EXT_mesh_gpu_instancing/attributes/SCALE", POSITIONS),
            "/nodes/5/extensions/EXT_mesh_gpu_instancing/attributes",
            Data,
        ),
        (
            "a copy that is no number",
            full_file().put_float(INSTANCES, 1, nan),
            "/nodes/5/extensions/EXT_mesh_gpu_instancing/attributes/TRANSLATION",
            Bad,
        ),
        (
            "a camera of no kind",
            full_file().set("/cameras/0/type", "fisheye"),
            "/cameras/0/type",
            Bad,
        ),
        (
            "a camera without its lens",
            full_file().set("/cameras/0/type", "orthographic"),
            "/cameras/0",
            Bad,
        ),
        (
            "a light of no kind",
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
            "a matrix that is no number",
            full_file().put_float(INVERSE_BINDS, 17, nan),
            "/skins/0/inverseBindMatrices",
            Bad,
        ),
        (
            "matrices of three numbers",
            full_file().set("/skins/0/inverseBindMatrices", TRANSLATIONS),
            "/skins/0/inverseBindMatrices",
            Bad,
        ),
        // Animations.
        (
            "a time that is no number",
            full_file().put_float(TIMES, 1, nan),
            "/animations/0/samplers/0/input",
            Bad,
        ),
        (
            "times that go back",
            full_file().put_float(TIMES, 0, 2.0),
            "/animations/0/samplers/0/input",
            Bad,
        ),
        (
            "a key that is no number",
            full_file().put_float(TRANSLATIONS, 0, nan),
            "/animations/0/samplers/0/output",
            Bad,
        ),
        (
            "more values than keys",
            full_file().set("/animations/0/samplers/0/output", POSITIONS),
            "/animations/0/samplers/0/output",
            Bad,
        ),
        (
            "a time of visibility that is no number",
            only_visibility_channel().put_float(TIMES, 1, nan),
            "/animations/0/samplers/3/input",
            Bad,
        ),
        (
            "times of visibility that go back",
            only_visibility_channel().put_float(TIMES, 0, 2.0),
            "/animations/0/samplers/3/input",
            Bad,
        ),
        (
            "rotations of three numbers",
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
            "an index that is no whole number",
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
        ("nodes that are no list", full_file().set("/nodes", json!({})), "/nodes", Json),
    ]
}

/// `whole` with no other channel than that of visibility.
fn only_visibility_channel() -> File {
    let channel = full_file().json["animations"][0]["channels"][3].clone();
    full_file().set("/animations/0/channels", json!([channel]))
}
