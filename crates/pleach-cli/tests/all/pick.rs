//! `pleach pick`: what a ray meets.

use crate::common::gltf_builder::GltfBuilder;
use crate::common::{Directory, answers_for_all_models, broken_files, golden, models, yard};
use serde_json::{Value, json};

#[test]
fn the_nearest_triangle_is_told_in_full() {
    let here = yard::directory();
    let line = "pick yard.gltf --ray 2.5,-10,1.25:0,1,0";
    golden("pick/shed.txt", &here.run(line).text(0));
    golden("pick/shed.json", &here.run(&format!("{line} --json")).text(0));
    golden("pick/all.txt", &here.run(&format!("{line} --all")).text(0));
}

#[test]
fn a_copy_is_told_by_its_number() {
    let here = yard::directory();
    let text = here.run("pick yard.gltf --ray -3,-5,0.1:0,1,0").text(0);
    golden("pick/copy.txt", &text);
    let pick = here.run("pick yard.gltf --ray -3,-5,0.1:0,1,0 --json").json(0);
    assert_eq!((&pick["hits"][0]["node"], &pick["hits"][0]["instance"]), (&json!(2), &json!(1)));
}

/// A triangle whose front is towards the file's +Z: plain, mirrored by its node, by its copies' own matrix,
/// and by its only joint, 2 m apart. `query` goes by the node alone.
#[test]
fn fronts_are_those_of_the_mesh_whatever_mirrors_it() {
    let here = Directory::new();
    let mut sheet = GltfBuilder::default();
    let corners = sheet.column(&[[-0.5, 0.0, 0.0], [0.5, 0.0, 0.0], [0.0, 1.0, 0.0f32]]);
    let joints = sheet.joints(&[[0; 4]; 3]);
    let weights = sheet.column(&[[1.0, 0.0, 0.0, 0.0f32]; 3]);
    let mirror = sheet.column(&[[-1.0, 1.0, 1.0f32]]);
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
        "accessors": sheet.accessors,
        "bufferViews": sheet.views,
        "buffers": [{"uri": "fronts.bin", "byteLength": sheet.bytes.len()}],
    });
    here.write("fronts.gltf", json.to_string());
    here.write("fronts.bin", &sheet.bytes);
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
    let help = here.run("pick --help").text(0);
    assert!(help.contains("whatever mirrors it"), "{help}");
}

#[test]
fn a_miss_is_an_answer() {
    let here = yard::directory();
    let text = here.run("pick yard.gltf --ray 0,0,50:0,0,1").text(0);
    assert_eq!(text, "the ray meets nothing that is shown\n");
    let pick = here.run("pick yard.gltf --ray 0,0,50:0,0,1 --json").json(0);
    assert_eq!(pick["hits"], json!([]));
}

#[test]
fn hidden_meshes_are_met_when_asked_for() {
    let here = yard::directory();
    // Down through the attic: the box is above the roof.
    let of = |more: &str| -> Vec<Value> {
        let pick = here.run(&format!("pick yard.gltf --json --ray 2,0.1,9:0,0,-1 {more}")).json(0);
        pick["hits"].as_array().unwrap().iter().map(|hit| hit["path"].clone()).collect()
    };
    assert_eq!(of("--hidden"), [json!("yard/attic/box")]);
    assert_ne!(of(""), [json!("yard/attic/box")]);
    assert!(of("--hidden --all").len() > of("--all").len());
}

#[test]
fn meshes_are_met_as_they_are_posed() {
    let here = yard::directory();
    // The flag's upper edge turns around its tip: at rest it reaches x = 1 there, after a
    // second at 0.6, 0.8 (2 × 53°) it has gone to the other side.
    let ray = "pick yard.gltf --json --ray 0.9,-9,1.9:0,1,0";
    let at = |more: &str| here.run(&format!("{ray} {more}")).json(0)["hits"][0]["node"].clone();
    assert_eq!(at(""), 7);
    assert_eq!(at("--animation wave --time 1"), json!(null));
    assert_eq!(at("--animation wave --time 2"), 7);
    // The box swells by half a metre upwards.
    let ray = "pick yard.gltf --json --hidden --ray 2,0.1,9:0,0,-1";
    let far = |more: &str| {
        here.run(&format!("{ray} {more}")).json(0)["hits"][0]["distance"].as_f64().unwrap()
    };
    assert_eq!(far(""), 5.75);
    assert_eq!(far("--animation 1 --time 0.5"), 5.25);
}

#[test]
fn a_pixel_is_looked_through_in_its_middle() {
    let here = yard::directory();
    // The camera stands at (0, -10, 1) and looks along +Y: 1 × 1 pixels have their middle ahead.
    let pick = here.run("pick yard.gltf --pixel 0,0 --size 1x1 --camera eye --json").json(0);
    assert_eq!(pick["pixel"], json!([0, 0]));
    assert_eq!(pick["ray"], json!({"origin": [0.0, -10.0, 1.0], "direction": [0.0, 1.0, 0.0]}));
    // Of 3 × 2 pixels the upper right one is a third of the width to the right, a quarter of
    // the height up: tan(0.4) = 0.42279, and 1.5 times as much to the side.
    let pick = here.run("pick yard.gltf --pixel 2,0 --size 3x2 --camera front --json").json(0);
    let way: Vec<f64> = pick["ray"]["direction"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it.as_f64().unwrap())
        .collect();
    let (side, up) = (0.422_793_2 * 1.5 * 2.0 / 3.0, 0.422_793_2 * 0.5);
    assert!(
        (way[0] / way[1] - side).abs() < 1e-6 && (way[2] / way[1] - up).abs() < 1e-6,
        "{way:?}"
    );
}

#[test]
fn without_a_camera_all_is_in_the_picture() {
    let here = yard::directory();
    // The crate of the second scene fills the middle.
    let text = here.run("pick yard.gltf --scene store --pixel 320,240 --size 640x480").text(0);
    assert!(text.starts_with("#12, "), "{text}");
    assert!(text.contains("path      #12"), "{text}");
}

#[test]
fn hits_are_those_that_are_expected_of_the_models() {
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
            // One whose answer does not hang on rounding.
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
            let (far, want) = (got["distance"].as_f64().unwrap(), hit[1].as_f64().unwrap());
            assert!((far - want).abs() <= 2e-3 * want.max(1.0), "{name}: {far} and {want}");
            compared += 1;
        }
    }
    println!("{compared} hits compared");
    assert!(compared > 50, "{compared}");
}

/// A ray of a grid, turned to +Z up, as the command line takes it.
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
    let turned = |[x, y, z]: [f64; 3]| format!("{x},{},{y}", -z);
    format!("{}:{}", turned(from), turned(vector(&rays["dir"])))
}

#[test]
fn names_cannot_speak_to_the_terminal() {
    let here = yard::directory();
    here.write("hostile.gltf", broken_files::hostile_names().to_string());
    for more in ["", " --all"] {
        let line = format!("pick hostile.gltf --ray 2.5,-10,1.25:0,1,0{more}");
        let text = here.run(&line).text(0);
        assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
    }
}

#[test]
fn what_cannot_be_read_or_is_not_there_is_told_in_one_line() {
    let (here, files) = broken_files::unreadable();
    for (file, word) in files {
        let complaint = here.run_args(&["pick", file, "--ray", "0,0,0:0,0,1"]).complaint();
        assert!(complaint.contains(word), "{file}: {complaint}");
    }
    let complaint = here.run("pick yard.gltf --pixel 1,1 --camera nobody").complaint();
    assert!(
        complaint.contains("no camera \"nobody\"") && complaint.contains("\"eye\" (#6)"),
        "{complaint}"
    );
    let complaint = here.run("pick yard.gltf --pixel 1,1 --animation dance").complaint();
    assert!(
        complaint.contains("no animation \"dance\"") && complaint.contains("0 \"wave\""),
        "{complaint}"
    );
}

#[test]
fn a_bad_command_line_is_usage() {
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
    here.refuses(&lines);
}

#[test]
fn every_model_can_be_picked_from() {
    answers_for_all_models("pick FILE --pixel 32,32 --size 64x64 --all");
    answers_for_all_models("pick FILE --ray 0,0,1000:0,0,-1");
}
