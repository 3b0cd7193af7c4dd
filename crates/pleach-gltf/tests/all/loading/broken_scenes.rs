//! Broken files, for `refused`: meshes, nodes, skins, animations, and members of a wrong type.

use pleach_gltf::ErrorKind::{Data, Json, Structure, Value as Bad};
use serde_json::json;

use super::file::{
    BINDS, Broken, COPIES, File, INDICES, PLACES, POSITIONS, SHIFTS, TIMES, WEIGHTS, file, whole,
};

/// Faults of meshes, nodes, skins, animations, and of the JSON that says them.
pub(crate) fn broken_scenes() -> Vec<Broken> {
    let nan = f32::NAN;
    vec![
        // Meshes.
        (
            "a mode of no kind",
            whole().set("/meshes/0/primitives/0/mode", 7),
            "/meshes/0/primitives/0/mode",
            Bad,
        ),
        (
            "an index beyond the vertices",
            whole().put(INDICES, 2, &[3, 0]),
            "/meshes/0/primitives/0/indices",
            Data,
        ),
        (
            "an index that restarts",
            whole().put(INDICES, 2, &[255, 255]),
            "/meshes/0/primitives/0/indices",
            Data,
        ),
        (
            "a position that is no number",
            whole().put_float(POSITIONS, 4, nan),
            "/meshes/0/primitives/0/attributes/POSITION",
            Bad,
        ),
        (
            "a position that is infinite",
            whole().put_float(POSITIONS, 4, f32::INFINITY),
            "/meshes/0/primitives/0/attributes/POSITION",
            Bad,
        ),
        (
            "a negative weight",
            whole().put_float(WEIGHTS, 0, -0.5),
            "/meshes/0/primitives/0/attributes/WEIGHTS_0",
            Bad,
        ),
        (
            "a weight that is no number",
            whole().put_float(WEIGHTS, 0, nan),
            "/meshes/0/primitives/0/attributes/WEIGHTS_0",
            Bad,
        ),
        (
            "normals for fewer vertices",
            whole().set("/meshes/0/primitives/0/attributes/NORMAL", PLACES),
            "/meshes/0/primitives/0/attributes/NORMAL",
            Data,
        ),
        (
            "joints without weights",
            whole().without("/meshes/0/primitives/0/attributes/WEIGHTS_0"),
            "/meshes/0/primitives/0/attributes/WEIGHTS_0",
            Data,
        ),
        (
            "shifts for fewer vertices",
            whole().set("/meshes/0/primitives/0/targets/0/POSITION", PLACES),
            "/meshes/0/primitives/0/targets/0/POSITION",
            Data,
        ),
        (
            "a shift that is no number",
            whole().put_float(SHIFTS, 1, nan),
            "/meshes/0/primitives/0/targets/0/POSITION",
            Bad,
        ),
        // Nodes.
        ("two parents", whole().set("/nodes/1/children/-", 3), "/nodes/1/children/1", Structure),
        ("a child twice", whole().set("/nodes/1/children/-", 2), "/nodes/1/children/1", Structure),
        ("a cycle", whole().set("/nodes/2/children", json!([1])), "/nodes/2/children/0", Structure),
        (
            "its own parent",
            file(json!({"nodes": [{"children": [0]}]})),
            "/nodes/0/children/0",
            Structure,
        ),
        ("a scene of a child", whole().set("/scenes/0/nodes/-", 2), "/scenes/0/nodes/2", Structure),
        (
            "a scene that lists a node twice",
            whole().set("/scenes/0/nodes/-", 1),
            "/scenes/0/nodes/2",
            Structure,
        ),
        (
            "the quaternion 0 0 0 0",
            whole().set("/nodes/2/rotation", json!([0, 0, 0, 0])),
            "/nodes/2/rotation",
            Bad,
        ),
        (
            "a projection",
            whole().set("/nodes/3/matrix", json!([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0])),
            "/nodes/3/matrix",
            Bad,
        ),
        (
            "copies of other numbers",
            whole().set("/nodes/5/extensions/EXT_mesh_gpu_instancing/attributes/SCALE", POSITIONS),
            "/nodes/5/extensions/EXT_mesh_gpu_instancing/attributes",
            Data,
        ),
        (
            "a copy that is no number",
            whole().put_float(COPIES, 1, nan),
            "/nodes/5/extensions/EXT_mesh_gpu_instancing/attributes/TRANSLATION",
            Bad,
        ),
        ("a camera of no kind", whole().set("/cameras/0/type", "fisheye"), "/cameras/0/type", Bad),
        (
            "a camera without its lens",
            whole().set("/cameras/0/type", "orthographic"),
            "/cameras/0",
            Bad,
        ),
        (
            "a light of no kind",
            whole().set("/extensions/KHR_lights_punctual/lights/0/type", "area"),
            "/extensions/KHR_lights_punctual/lights/0/type",
            Bad,
        ),
        // Skins.
        (
            "fewer matrices than joints",
            whole().set("/accessors/4/count", 1),
            "/skins/0/inverseBindMatrices",
            Data,
        ),
        (
            "a matrix that is no number",
            whole().put_float(BINDS, 17, nan),
            "/skins/0/inverseBindMatrices",
            Bad,
        ),
        (
            "matrices of three numbers",
            whole().set("/skins/0/inverseBindMatrices", PLACES),
            "/skins/0/inverseBindMatrices",
            Bad,
        ),
        // Animations.
        (
            "a time that is no number",
            whole().put_float(TIMES, 1, nan),
            "/animations/0/samplers/0/input",
            Bad,
        ),
        (
            "times that go back",
            whole().put_float(TIMES, 0, 2.0),
            "/animations/0/samplers/0/input",
            Bad,
        ),
        (
            "a key that is no number",
            whole().put_float(PLACES, 0, nan),
            "/animations/0/samplers/0/output",
            Bad,
        ),
        (
            "more values than keys",
            whole().set("/animations/0/samplers/0/output", POSITIONS),
            "/animations/0/samplers/0/output",
            Bad,
        ),
        (
            "a time of visibility that is no number",
            shown_alone().put_float(TIMES, 1, nan),
            "/animations/0/samplers/3/input",
            Bad,
        ),
        (
            "times of visibility that go back",
            shown_alone().put_float(TIMES, 0, 2.0),
            "/animations/0/samplers/3/input",
            Bad,
        ),
        (
            "rotations of three numbers",
            whole().set("/animations/0/samplers/1/output", PLACES),
            "/animations/0/samplers/1/output",
            Bad,
        ),
        // JSON.
        (
            "a rotation of five numbers",
            whole().set("/nodes/2/rotation", json!([0, 0, 0, 1, 0])),
            "/nodes/2/rotation",
            Json,
        ),
        ("a negative index", whole().set("/nodes/0/mesh", -1), "/nodes/0/mesh", Json),
        (
            "an index that is no whole number",
            whole().set("/nodes/0/mesh", 0.5),
            "/nodes/0/mesh",
            Json,
        ),
        ("a name that is a number", whole().set("/nodes/2/name", 3), "/nodes/2/name", Json),
        (
            "a translation of two numbers",
            whole().set("/nodes/2/translation", json!([0, 1])),
            "/nodes/2/translation",
            Json,
        ),
        ("an accessor without a type", whole().without("/accessors/3/type"), "/accessors/3", Json),
        ("nodes that are no list", whole().set("/nodes", json!({})), "/nodes", Json),
    ]
}

/// `whole` with no other channel than that of visibility.
fn shown_alone() -> File {
    let channel = whole().json["animations"][0]["channels"][3].clone();
    whole().set("/animations/0/channels", json!([channel]))
}
