//! `pleach pick`: the hits of a ray.

use crate::common::gltf_builder::GltfBuilder;
use crate::common::{Directory, answers_for_all_models, broken_files, golden, models, yard};
use serde_json::{Value, json};

#[test]
fn the_nearest_hit_is_reported_in_full() {
    let here = yard::directory();
    let line = "pick yard.gltf --ray 2.5,-10,1.25:0,1,0";
    golden("pick/shed.txt", &here.run(line).text(0));
    golden("pick/shed.json", &here.run(&format!("{line} --json")).text(0));
    golden("pick/all.txt", &here.run(&format!("{line} --all")).text(0));
}

#[test]
fn hits_have_the_index_of_the_instance() {
    let here = yard::directory();
    let text = here.run("pick yard.gltf --ray -3,-5,0.1:0,1,0").text(0);
    golden("pick/instance.txt", &text);
    let pick = here.run("pick yard.gltf --ray -3,-5,0.1:0,1,0 --json").json(0);
    assert_eq!((&pick["hits"][0]["node"], &pick["hits"][0]["instance"]), (&json!(2), &json!(1)));
}

/// A triangle whose front is towards the file's +Z: plain, mirrored by its node, by the matrix of
/// its instance, and by its only joint, 2 m apart. `query` considers only the node.
#[test]
fn the_front_of_a_mesh_does_not_depend_on_mirroring() {
    let here = Directory::new();
    let mut builder = GltfBuilder::default();
    let corners = builder.vectors(&[[-0.5, 0.0, 0.0], [0.5, 0.0, 0.0], [0.0, 1.0, 0.0f32]]);
    let joints = builder.joints(&[[0; 4]; 3]);
    let weights = builder.vectors(&[[1.0, 0.0, 0.0, 0.0f32]; 3]);
    let mirror = builder.vectors(&[[-1.0, 1.0, 1.0f32]]);
    let json = json!({
        "asset": {"version": "2.0"},
        "extensionsUsed": ["EXT_mesh_gpu_instancing"],
        "scenes": [{"nodes": [0, 1, 2, 3, 4]}],
        "nodes": [
            {"mesh": 0},
            {"mesh": 0, "translation": [2, 0, 0], "scale": [-1, 1, 1]},
            {"mesh": 0, "translation": [4, 0, 0], "extensions":
                {"EXT_mesh_gpu_instancing": {"attributes": {"SCALE": mirror}}}},
            {"mesh": 1, "skin": 0},
            {"translation": [6, 0, 0], "scale": [-1, 1, 1]},
        ],
        "skins": [{"joints": [4]}],
        "meshes": [
            {"primitives": [{"attributes": {"POSITION": corners}}]},
            {"primitives": [{"attributes":
                {"POSITION": corners, "JOINTS_0": joints, "WEIGHTS_0": weights}}]},
        ],
        "accessors": builder.accessors,
        "bufferViews": builder.views,
        "buffers": [{"uri": "fronts.bin", "byteLength": builder.bytes.len()}],
    });
    here.write("fronts.gltf", json.to_string());
    here.write("fronts.bin", &builder.bytes);
    let mut rays = Vec::new();
    for x in [0, 2, 4, 6] {
        let side = |from: i32, along: i32| {
            let line = format!("pick fronts.gltf --json --ray {x},{from},0.25:0,{along},0");
            here.run(&line).json(0)["hits"][0]["front"].clone()
        };
        // The file's +Z is towards −Y.
        assert_eq!((side(-5, 1), side(5, -1)), (json!(true), json!(false)), "at {x}");
        rays.push(json!({"origin": [x, -5, 0.25], "dir": [0, 1, 0], "offset": [0, 0]}));
    }
    here.write("rays.json", json!({ "rays": rays }).to_string());
    let answers = here.run("query fronts.gltf rays.json").json(0);
    let fronts: Vec<Value> = answers["rays"]
        .as_array()
        .unwrap()
        .iter()
        .map(|ray| ray["hits"][0].as_array().unwrap()[6].clone())
        .collect();
    assert_eq!(fronts, [1, 1, 0, 0]);
    let help = here.run("pick --help").text(0).replace('\n', " ");
    assert!(help.contains("regardless of mirroring"), "{help}");
}

#[test]
fn a_miss_is_not_an_error() {
    let here = yard::directory();
    let text = here.run("pick yard.gltf --ray 0,0,50:0,0,1").text(0);
    assert_eq!(text, "the ray hits nothing visible\n");
    let pick = here.run("pick yard.gltf --ray 0,0,50:0,0,1 --json").json(0);
    assert_eq!(pick["hits"], json!([]));
}

#[test]
fn hidden_meshes_are_hit_on_request() {
    let here = yard::directory();
    // Downwards through the attic: the box is above the roof.
    let paths = |more: &str| -> Vec<Value> {
        let pick = here.run(&format!("pick yard.gltf --json --ray 2,0.1,9:0,0,-1 {more}")).json(0);
        pick["hits"].as_array().unwrap().iter().map(|hit| hit["path"].clone()).collect()
    };
    assert_eq!(paths("--hidden"), [json!("yard/attic/box")]);
    assert_ne!(paths(""), [json!("yard/attic/box")]);
    assert!(paths("--hidden --all").len() > paths("--all").len());
}

#[test]
fn meshes_are_hit_in_their_pose() {
    let here = yard::directory();
    // The flag's upper edge rotates about its tip: at rest it extends to x = 1; after one second,
    // at a rotation of (0.6, 0.8) or 106°, it is on the other side.
    let ray = "pick yard.gltf --json --ray 0.9,-9,1.9:0,1,0";
    let at = |more: &str| here.run(&format!("{ray} {more}")).json(0)["hits"][0]["node"].clone();
    assert_eq!(at(""), 7);
    assert_eq!(at("--animation wave --time 1"), json!(null));
    assert_eq!(at("--animation wave --time 2"), 7);
    // The morph target extends the box upwards by half a metre.
    let ray = "pick yard.gltf --json --hidden --ray 2,0.1,9:0,0,-1";
    let distance = |more: &str| {
        here.run(&format!("{ray} {more}")).json(0)["hits"][0]["distance"].as_f64().unwrap()
    };
    assert_eq!(distance(""), 5.75);
    assert_eq!(distance("--animation 1 --time 0.5"), 5.25);
}

#[test]
fn rays_go_through_the_center_of_the_pixel() {
    let here = yard::directory();
    // The camera is at (0, -10, 1) and looks along +Y: the centre of a 1 × 1 picture is straight
    // ahead.
    let pick = here.run("pick yard.gltf --pixel 0,0 --size 1x1 --camera eye --json").json(0);
    assert_eq!(pick["pixel"], json!([0, 0]));
    assert_eq!(pick["ray"], json!({"origin": [0.0, -10.0, 1.0], "direction": [0.0, 1.0, 0.0]}));
    // The upper right of 3 × 2 pixels is a third of the width to the right and a quarter of the
    // height up: tan(0.4) = 0.42279, and 1.5 times as much to the side.
    let pick = here.run("pick yard.gltf --pixel 2,0 --size 3x2 --camera front --json").json(0);
    let direction: Vec<f64> = pick["ray"]["direction"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it.as_f64().unwrap())
        .collect();
    let (side, up) = (0.422_793_2 * 1.5 * 2.0 / 3.0, 0.422_793_2 * 0.5);
    assert!(
        (direction[0] / direction[1] - side).abs() < 1e-6
            && (direction[2] / direction[1] - up).abs() < 1e-6,
        "{direction:?}"
    );
}

#[test]
fn without_a_camera_the_whole_scene_is_in_view() {
    let here = yard::directory();
    // The crate of the second scene fills the centre.
    let text = here.run("pick yard.gltf --scene store --pixel 320,240 --size 640x480").text(0);
    assert!(text.starts_with("#12, "), "{text}");
    assert!(text.contains("path         #12"), "{text}");
}

#[test]
fn hits_match_the_expected_values_of_the_models() {
    let Some(models) = models() else { return };
    let here = Directory::new();
    let mut compared = 0;
    for (name, path) in models {
        let expected = std::fs::read_to_string(path.with_file_name("expected.json")).unwrap();
        let expected: Value = serde_json::from_str(&expected).unwrap();
        let scenes = expected["scenes"].as_array().into_iter().flatten().enumerate();
        for (scene, rays) in scenes.flat_map(|(scene, it)| {
            it["rays"].as_array().into_iter().flatten().take(3).map(move |rays| (scene, rays))
        }) {
            // A hit that does not depend on rounding.
            let hits = rays["hits"].as_array().unwrap();
            let Some(hit) = hits.iter().filter(|hit| hit[7] == 0).nth(hits.len() / 3) else {
                continue;
            };
            let mut args =
                vec!["pick".into(), path.to_str().unwrap().into(), "--hidden".to_string()];
            args.extend(["--json".into(), "--scene".into(), scene.to_string()]);
            args.push(format!("--ray={}", ray(&expected, rays, hit[0].as_u64().unwrap())));
            if !rays["pose"].is_null() {
                args.push(format!("--animation={}", rays["pose"]["animation"]));
                args.push(format!("--time={}", rays["pose"]["t"]));
            }
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            let pick = here.run_args(&args).json(0);
            let got = &pick["hits"][0];
            let instance = got["instance"].as_i64().unwrap_or(-1);
            let answer = json!([
                got["node"],
                got["part"],
                got["triangle"],
                instance,
                u8::from(got["front"] == true)
            ]);
            assert_eq!(answer, json!([hit[2], hit[3], hit[4], hit[5], hit[6]]), "{name}: {args:?}");
            let (distance, want) = (got["distance"].as_f64().unwrap(), hit[1].as_f64().unwrap());
            assert!(
                (distance - want).abs() <= 2e-3 * want.max(1.0),
                "{name}: {distance} and {want}"
            );
            compared += 1;
        }
    }
    println!("{compared} hits compared");
    assert!(compared > 50, "{compared}");
}

/// Returns a ray of a grid as an argument, converted to +Z up.
fn ray(expected: &Value, rays: &Value, k: u64) -> String {
    let vector =
        |value: &Value| -> [f64; 3] { [0, 1, 2].map(|axis| value[axis].as_f64().unwrap()) };
    let offset = [rays.get("ray_offset"), expected.get("ray_offset")];
    let offset = offset.into_iter().flatten().next().unwrap();
    let n = rays["n"].as_u64().unwrap();
    let steps = [k % n, k / n].map(|step| step as f64);
    let (i, j) = (steps[0] + offset[0].as_f64().unwrap(), steps[1] + offset[1].as_f64().unwrap());
    let (origin, du, dv) = (vector(&rays["origin"]), vector(&rays["du"]), vector(&rays["dv"]));
    let from = [0, 1, 2].map(|axis| origin[axis] + i * du[axis] + j * dv[axis]);
    let to_z_up = |[x, y, z]: [f64; 3]| format!("{x},{},{y}", -z);
    format!("{}:{}", to_z_up(from), to_z_up(vector(&rays["dir"])))
}

#[test]
fn control_characters_in_names_are_escaped() {
    let here = yard::directory();
    here.write("hostile.gltf", broken_files::hostile_names().to_string());
    for more in ["", " --all"] {
        let line = format!("pick hostile.gltf --ray 2.5,-10,1.25:0,1,0{more}");
        let text = here.run(&line).text(0);
        assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
    }
}

#[test]
fn unreadable_files_and_missing_objects_are_one_line_errors() {
    let (here, files) = broken_files::unreadable();
    for (file, word) in files {
        let error = here.run_args(&["pick", file, "--ray", "0,0,0:0,0,1"]).error();
        assert!(error.contains(word), "{file}: {error}");
    }
    let error = here.run("pick yard.gltf --pixel 1,1 --camera missing").error();
    assert!(error.contains("no camera \"missing\"") && error.contains("\"eye\" (#6)"), "{error}");
    let error = here.run("pick yard.gltf --pixel 1,1 --animation dance").error();
    assert!(error.contains("no animation \"dance\"") && error.contains("0 \"wave\""), "{error}");
}

#[test]
fn invalid_arguments_are_usage_errors() {
    let here = yard::directory();
    let lines = [
        "pick yard.gltf",
        "pick yard.gltf --ray 0,0,0:0,0,0",
        "pick yard.gltf --ray 0,0,0",
        "pick yard.gltf --ray 0,0,0:nan,0,0",
        "pick yard.gltf --ray 1e99,0,0:0,0,1",
        "pick yard.gltf --ray 0,0,0:0,0,1 --pixel 1,1",
        "pick yard.gltf --ray 0,0,0:0,0,1 --camera eye",
        "pick yard.gltf --pixel 1",
        "pick yard.gltf --pixel -1,1",
        "pick yard.gltf --pixel 1280,0",
        "pick yard.gltf --pixel 0,480 --size 640x480",
        "pick yard.gltf --pixel 0,0 --size 0x480",
        "pick yard.gltf --pixel 0,0 --time never",
        "pick yard.gltf --pixel 0,0 --animation 0 --time nan",
    ];
    here.assert_usage_errors(&lines);
}

#[test]
fn every_model_can_be_picked_from() {
    answers_for_all_models("pick FILE --pixel 32,32 --size 64x64 --all");
    answers_for_all_models("pick FILE --ray 0,0,1000:0,0,-1");
}
