//! Golden answers about small scenes.

use serde_json::{Value, json};

use super::file_builder::{File, TRIANGLE};
use super::run_query::query;
use crate::common::golden;

/// Compares all answers with a file of `tests/golden/query`.
fn golden_answers(name: &str, file: File, questions: &Value) {
    let ran = query(&file.save(name), questions);
    assert_eq!(ran.stderr, "");
    golden(&format!("query/{name}.json"), &ran.text(0));
}

/// Views from the origin along −Z, 90° wide, from 1 to 100, with clip z in 0..1 and in −1..1.
fn views() -> Value {
    let (near, far) = (1.0, 100.0);
    let (a, b) = (far / (near - far), far * near / (near - far));
    let (c, d) = ((far + near) / (near - far), 2.0 * far * near / (near - far));
    let view = |a: f64, b: f64| json!([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, a, -1, 0, 0, b, 0]);
    json!([{"view_proj": view(a, b)}, {"view_proj": view(c, d), "clip": "minus_one_to_one"}])
}

#[test]
fn an_empty_file_has_empty_answers() {
    let questions = json!({
        "culls": views(),
        "rays": [{"origin": [0, 0, 0], "dir": [0, 0, 1], "n": 4}],
        "poses": [null],
    });
    golden_answers("empty", File::new(&[], json!([])), &questions);
}

#[test]
fn a_matrix_node_has_no_translation_rotation_or_scale() {
    let sheared = [1.0, 0.0, 0.0, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 2.0, 3.0, 1.0];
    let nodes = json!([{"name": "lean", "matrix": sheared, "mesh": 0, "children": [1]}, {}]);
    let mut file = File::new(&[&[0]], nodes);
    file.mesh(&TRIANGLE);
    golden_answers("matrix", file, &json!({"up": "y"}));
}

#[test]
fn nodes_in_several_scenes_or_none_are_listed_once() {
    let nodes = json!([
        {"name": "shared", "children": [1], "translation": [0, 0, -5], "mesh": 0},
        {"name": "", "extensions": {"KHR_node_visibility": {"visible": false}}, "mesh": 0},
        {"name": "alone", "mesh": 0, "translation": [0, 0, 50]},
        {"name": "outside", "translation": [0, 7, 0], "children": [4], "mesh": 0},
        {"rotation": [0, 2, 0, 0]},
    ]);
    let mut file = File::new(&[&[0], &[2, 0], &[]], nodes);
    file.mesh(&TRIANGLE);
    file.json["scenes"][1]["name"] = json!("both");
    file.json["scene"] = json!(1);
    // A view of each scene, that of the default scene last; a ray at the hidden node.
    let views = views();
    let mut culls: Vec<Value> = (0..3).map(|_| views[0].clone()).collect();
    culls.iter_mut().enumerate().for_each(|(scene, cull)| cull["scene"] = json!(scene));
    culls.push(views[1].clone());
    let ray = |scene: Value| json!({"scene": scene, "origin": [0.25, 0.25, 0], "dir": [0, 0, -3]});
    let rays = [json!(0), json!(1), json!(2), Value::Null].map(ray);
    golden_answers("scenes", file, &json!({"up": "y", "culls": culls, "rays": rays}));
}

#[test]
fn cameras_and_lights_list_their_nodes() {
    let nodes = json!([
        {"camera": 0, "rotation": [0, 0.6, 0, 0.8]},
        {"camera": 0, "extensions": {"KHR_lights_punctual": {"light": 1}}, "scale": [1, 1, 0]},
        {"camera": 2, "extensions": {"KHR_lights_punctual": {"light": 0}}, "scale": [2, 2, -3]},
        {"extensions": {"KHR_lights_punctual": {"light": 0}}, "translation": [1, 2, 3]},
    ]);
    let mut file = File::new(&[&[0, 1, 2]], nodes);
    file.json["cameras"] = json!([
        {"type": "perspective", "perspective": {"yfov": 1.5707964, "znear": 1}},
        {"type": "orthographic", "orthographic": {"xmag": -2, "ymag": 4, "znear": 0, "zfar": 8}},
        {"type": "perspective",
            "perspective": {"yfov": 1, "znear": 1, "zfar": 3, "aspectRatio": 0.5}},
    ]);
    file.json["extensions"] = json!({"KHR_lights_punctual": {"lights": [
        {"type": "spot", "range": 4, "spot": {"innerConeAngle": 0.1}},
        {"type": "directional", "color": [1, 0.5, 0.1], "intensity": 3.3},
        {"type": "point"},
    ]}});
    golden_answers("cameras-and-lights", file, &json!({}));
}

#[test]
fn poses_have_worlds_weights_and_joint_matrices() {
    let nodes = json!([
        {"name": "body", "mesh": 0, "skin": 0},
        {"name": "joint", "translation": [0, 1, 0], "children": [2]},
        {"name": "face", "mesh": 1, "translation": [0, 5, 0]},
        {"name": "loose joint"},
    ]);
    let mut file = File::new(&[&[0, 1]], nodes);
    skinned_mesh(&mut file);
    let (base, target) = (file.floats(&TRIANGLE), file.floats(&[[0.0, 0.0, 2.0]; 3]));
    let primitive = json!({"attributes": {"POSITION": base}, "targets": [{"POSITION": target}]});
    file.add("meshes", json!({"primitives": [primitive], "weights": [0.25]}));
    file.add("skins", json!({"joints": [1]}));
    let inverse =
        [[1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, -1.0, 0.0, 1.0]];
    let binds = file.floats(&inverse);
    file.add("skins", json!({"joints": [3], "inverseBindMatrices": binds}));
    file.animate(1, "translation", &[0.5, 1.5], &[[0.0, 1.0, 0.0], [4.0, 1.0, 0.0]]);
    file.json["animations"][0]["name"] = json!("slide");
    file.animate(2, "weights", &[0.0, 2.0], &[[0.0], [1.0]]);
    let pose = |animation: usize, t: f64| json!({"animation": animation, "t": t});
    // Before the first key, between keys, and after the last; a duplicate; the rest pose.
    let poses =
        json!([pose(0, 0.1), pose(0, 1.0), pose(1, 1.5), pose(0, 99.0), pose(0, 1.0), null]);
    let ray = |pose: usize, x: f64, y: f64| json!({"pose": poses[pose], "origin": [x, y, 9], "dir": [0, 0, -1]});
    // At the new and the old position of the body; at the face, morphed and not.
    let rays =
        json!([ray(1, 2.25, 1.25), ray(5, 2.25, 1.25), ray(2, 0.25, 6.25), ray(5, 0.25, 6.25)]);
    golden_answers("poses", file, &json!({"up": "y", "poses": poses, "rays": rays}));
}

/// A triangle skinned to one joint.
fn skinned_mesh(file: &mut File) -> usize {
    let position = file.floats(&TRIANGLE);
    let (joints, weights) = (file.joints(&[[0; 4]; 3]), file.floats(&[[1.0, 0.0, 0.0, 0.0]; 3]));
    let attributes = json!({"POSITION": position, "JOINTS_0": joints, "WEIGHTS_0": weights});
    file.add("meshes", json!({"primitives": [{"attributes": attributes}]}))
}

#[test]
fn fronts_depend_only_on_the_matrix_of_the_node() {
    // Side by side, 1 m wide each: plain, mirrored, mirrored instances, a mirrored node with
    // mirrored instances, a mirrored skeleton, flat, and a flat instance of a mirrored node.
    let mirror = json!([-1, 1, 1]);
    let instancing = |scale: usize| json!({"EXT_mesh_gpu_instancing": {"attributes": {"TRANSLATION": 0, "SCALE": scale}}});
    let nodes = json!([
        {"name": "plain", "mesh": 0},
        {"name": "mirrored", "mesh": 0, "translation": [3, 0, 0], "scale": mirror},
        {"name": "mirrored instances", "mesh": 0, "translation": [5, 0, 0], "extensions": instancing(1)},
        {"name": "twice mirrored", "mesh": 0, "translation": [6, 0, 0], "scale": mirror,
            "extensions": instancing(1)},
        {"name": "skinned", "mesh": 1, "skin": 0, "scale": mirror},
        {"name": "joint", "translation": [9, 0, 0], "scale": mirror},
        {"name": "flat", "mesh": 2, "translation": [10, 0, 0], "scale": [1, 1, 0]},
        {"name": "flat instance", "mesh": 2, "translation": [13, 0, 0], "scale": mirror,
            "extensions": instancing(2)},
    ]);
    let mut file = File::new(&[&[0, 1, 2, 3, 4, 5, 6, 7]], nodes);
    // Accessors 0, 1 and 2: two instances, one behind the other.
    file.floats(&[[0.0; 3], [0.0, 0.0, -1.0]]);
    file.floats(&[[-1.0, 1.0, 1.0]; 2]);
    file.floats(&[[1.0, 1.0, 0.0]; 2]);
    file.mesh(&TRIANGLE);
    skinned_mesh(&mut file);
    // The triangle is inclined; flattened, it is in the plane of the others.
    file.mesh(&[[0.0, 0.0, 1.0], [1.0, 0.0, 2.0], [0.0, 1.0, 3.0]]);
    file.add("skins", json!({"joints": [5]}));
    // A row of rays 0.5 m apart, from above and from below; the other rows are far away.
    let rays = |z: f64, dir: f64| {
        json!({"origin": [0.25, 0.25, z], "dir": [0, 0, dir], "du": [0.5, 0, 0], "n": 30,
            "dv": [0, 100, 0], "offset": [0, 0]})
    };
    golden_answers("fronts", file, &json!({"up": "y", "rays": [rays(9.0, -1.0), rays(-9.0, 2.0)]}));
}
