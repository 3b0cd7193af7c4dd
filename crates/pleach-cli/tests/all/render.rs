//! `render` and `turntable`: the files they write and their answers.

use std::fs;
use std::path::Path;

use crate::common::{self, Directory, answers_for_all_models, yard};
use serde_json::{Value, json};

/// Returns the size of a PNG and the pixels of each frame.
fn read(path: &Path) -> (u32, u32, Vec<Vec<u8>>) {
    let mut decoder = png::Decoder::new(std::io::BufReader::new(fs::File::open(path).unwrap()));
    decoder.set_transformations(png::Transformations::IDENTITY);
    let mut reader = decoder.read_info().unwrap();
    let info = reader.info();
    let (width, height) = (info.width, info.height);
    let count = info.animation_control().map_or(1, |it| it.num_frames);
    let mut frames = Vec::new();
    for _ in 0..count {
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut pixels).unwrap();
        frames.push(pixels);
    }
    (width, height, frames)
}

/// Removes the measured times.
fn without_times(mut answer: Value) -> Value {
    let seconds = answer.as_object_mut().unwrap().remove("seconds");
    assert!(seconds.is_some_and(|it| it.as_f64().is_some_and(|it| it >= 0.0)));
    answer
}

#[test]
fn the_whole_scene_is_rendered_by_default() {
    let here = yard::directory();
    let answer = here.run("render yard.glb -o a.png --size 64x48 --json").text(0);
    let lines = answer.lines().filter(|line| !line.contains("seconds"));
    common::golden("render/one.json", &(lines.collect::<Vec<_>>().join("\n") + "\n"));
    let (width, height, frames) = read(&here.path().join("a.png"));
    assert_eq!((width, height, frames.len()), (64, 48, 1));
    let text = here.run("render yard.gltf -o b.png --size 64x48").text(0);
    assert!(text.starts_with("wrote b.png: 64 × 48, "), "{text}");
    let same = fs::read(here.path().join("a.png")).unwrap()
        == fs::read(here.path().join("b.png")).unwrap();
    assert!(same, "both formats look the same");
}

#[test]
fn the_picture_does_not_depend_on_the_number_of_threads() {
    let here = yard::directory();
    let mut all = Vec::new();
    for threads in [1, 2, 5] {
        here.run(&format!("render yard.glb -o a.png --size 80x60 --threads {threads}")).text(0);
        all.push(fs::read(here.path().join("a.png")).unwrap());
    }
    assert!(all.iter().all(|one| *one == all[0]));
}

#[test]
fn a10_visibility_alone_is_rendered_with_several_frames() {
    let Some(models) = common::models() else { return };
    let (_, path) = models.iter().find(|(name, _)| name == "LightVisibility").unwrap();
    let here = Directory::new();
    let path = path.canonicalize().unwrap();
    let line = format!("render {} -o a.apng --size 16x12 --fps 4 --json", path.display());
    let answer = here.run(&line).json(0);
    assert!(answer["frames"].as_u64().unwrap() > 1, "{answer}");
    let (_, _, frames) = read(&here.path().join("a.apng"));
    assert!(frames.iter().any(|frame| *frame != frames[0]), "a light is switched");
}

#[test]
fn an_animation_is_one_file_or_one_file_per_frame() {
    let here = yard::directory();
    let line = "render yard.glb --size 32x24 --animation wave --fps 4 --json";
    let answer = here.run(&format!("{line} -o wave.apng")).json(0);
    assert_eq!(answer["frames"], 8, "two seconds");
    let (_, _, frames) = read(&here.path().join("wave.apng"));
    assert_eq!(frames.len(), 8);
    assert!(frames[0] != frames[4], "the flag moves");

    // The same frames, one by one.
    let answer = here.run(&format!("{line} -o wave.png --frames 8")).json(0);
    let files: Vec<&str> =
        answer["files"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert_eq!((files[0], files[7]), ("wave-000.png", "wave-007.png"));
    for (file, frame) in files.iter().zip(&frames) {
        assert!(read(&here.path().join(file)).2[0] == *frame, "{file}");
    }
    assert!(!here.path().join("wave.png").exists());

    // The first animation of the file by default.
    here.run("render yard.glb --size 32x24 --fps 4 -o films/wave.gif --create-dirs").text(0);
    let bytes = fs::read(here.path().join("films/wave.gif")).unwrap();
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(&*bytes).unwrap();
    let mut count = 0;
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        assert_eq!((frame.width, frame.height, frame.delay), (32, 24, 25));
        count += 1;
    }
    assert_eq!(count, 8);
}

#[test]
fn time_and_animation_select_the_pose() {
    let here = yard::directory();
    let line = "render yard.glb --size 64x48 --camera eye -o";
    here.run(&format!("{line} rest.png")).text(0);
    here.run(&format!("{line} start.png --animation 0 --time 0")).text(0);
    here.run(&format!("{line} waving.png --animation 0 --time 1")).text(0);
    // A time without an animation refers to the first one.
    here.run(&format!("{line} first.png --time 1")).text(0);
    let picture = |name: &str| read(&here.path().join(name));
    assert!(picture("rest.png") == picture("start.png"));
    assert!(picture("rest.png") != picture("waving.png"));
    assert!(picture("first.png") == picture("waving.png"));
}

#[test]
fn d_variants_are_listed_and_rendered() {
    let here = yard::directory();
    let (mut yard, _) = yard::yard();
    let name = "KHR_materials_variants";
    yard["extensionsUsed"].as_array_mut().unwrap().push(name.into());
    yard["extensions"][name] = json!({"variants": [{"name": "red"}, {"name": "plain"}]});
    let materials = yard["materials"].as_array_mut().unwrap();
    materials.push(json!({"pbrMetallicRoughness": {"baseColorFactor": [1, 0, 0, 1]}}));
    let mappings = json!([{"material": materials.len() - 1, "variants": [0]}]);
    yard["meshes"][0]["primitives"][0]["extensions"] = json!({name: {"mappings": mappings}});
    here.write("shed.gltf", yard.to_string());
    let text = here.run("info shed.gltf").text(0);
    assert!(text.contains("variants    \"red\"\n"), "{text}");
    assert_eq!(here.run("info shed.gltf --json").json(0)["variants"], json!(["red", "plain"]));
    let line = "render shed.gltf --size 64x48 --camera eye -o";
    here.run(&format!("{line} own.png")).text(0);
    here.run(&format!("{line} plain.png --variant plain")).text(0);
    here.run(&format!("{line} red.png --variant red")).text(0);
    let picture = |name: &str| read(&here.path().join(name));
    assert!(picture("own.png") == picture("plain.png"));
    assert!(picture("own.png") != picture("red.png"));
    let error = here.run(&format!("{line} x.png --variant blue")).error();
    assert!(error.contains("\"red\", \"plain\""), "{error}");
}

#[test]
fn cameras_are_selected_by_node_name_or_index() {
    let here = yard::directory();
    let mut all = Vec::new();
    for camera in ["eye", "front", "0", "#6"] {
        let answer = here
            .run(&format!("render yard.glb -o {camera}.png --size 48x32 --camera {camera} --json"));
        all.push(without_times(answer.json(0))["eye"].take());
    }
    // At (0, 1, 10) in the file's axes.
    assert!(all.iter().all(|eye| *eye == json!([0.0, -10.0, 1.0])), "{all:?}");
    let error = here.run("render yard.glb -o a.png --camera side").error();
    assert!(error.contains("\"side\"") && error.contains("\"eye\" (#6)"), "{error}");
}

#[test]
fn a_turntable_rotates_once_at_a_constant_distance() {
    let here = yard::directory();
    let line = "turntable yard.glb --size 32x24 --json";
    let answer = here.run(&format!("{line} --frames 4 -o t.apng")).json(0);
    assert_eq!(answer["frames"], 4);
    let (_, _, frames) = read(&here.path().join("t.apng"));
    assert!(frames[0] != frames[1] && frames[0] != frames[2] && frames[1] != frames[3]);

    // After half a rotation the view is from the opposite side.
    let front = here.run(&format!("{line} --frames 1 -o front.png")).json(0);
    let back = here.run(&format!("{line} --frames 1 -o back.png --from 0.55,1,0.45")).json(0);
    assert!(read(&here.path().join("front.png")).2[0] == frames[0]);
    let count_different =
        |a: &[u8], b: &[u8]| a.iter().zip(b).filter(|(a, b)| a.abs_diff(**b) > 40).count();
    assert!(count_different(&read(&here.path().join("back.png")).2[0], &frames[2]) < 30);
    let height = |answer: &Value| answer["eye"][2].as_f64().unwrap();
    assert!((height(&front) - height(&back)).abs() < 1e-5);
}

#[test]
fn missing_objects_are_errors_and_no_file_is_written() {
    let here = yard::directory();
    for (line, hint) in [
        ("--scene cellar", "0 \"yard\", 1 \"store\""),
        ("--scene 7", "0 \"yard\", 1 \"store\""),
        ("--animation jump", "0 \"wave\", 1 \"swell\""),
        ("--camera nowhere", "omit --camera to view the whole scene"),
        ("--camera #1", "#1"),
    ] {
        let error = here.run(&format!("render yard.glb -o x.png {line}")).error();
        assert!(error.contains(hint), "{line}: {error}");
    }
    let error = here.run("render yard.glb -o yard.bin/x.png --size 8x8").error();
    assert!(error.contains("cannot write yard.bin/x.png"), "{error}");
    let error = here.run("render missing.glb -o x.png").error();
    assert!(error.contains("missing.glb"), "{error}");
    let mut remaining: Vec<String> = fs::read_dir(here.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    remaining.sort();
    assert_eq!(remaining, ["yard.bin", "yard.glb", "yard.gltf"]);
}

#[test]
fn an_empty_scene_is_rendered_with_a_note() {
    let here = Directory::new();
    here.write("empty.gltf", r#"{"asset": {"version": "2.0"}, "scenes": [{"name": "void"}]}"#);
    let run = here.run("render empty.gltf -o a.png --size 16x16");
    assert!(run.stderr.starts_with("note: nothing is in view"), "{}", run.stderr);
    assert!(run.text(0).contains("0 % covered"));
    here.write("none.gltf", r#"{"asset": {"version": "2.0"}}"#);
    let error = here.run("render none.gltf -o a.png").error();
    assert!(error.contains("neither scenes nor nodes"), "{error}");
}

#[test]
fn every_overlay_changes_the_picture() {
    let here = yard::directory();
    here.run("render yard.glb -o plain.png --size 96x72").text(0);
    let plain = read(&here.path().join("plain.png")).2;
    for overlay in
        ["grid", "wireframe", "boxes", "bvh", "joints", "axes", "normals", "ids", "boxes,axes"]
    {
        here.run(&format!("render yard.glb -o over.png --size 96x72 --overlay {overlay}")).text(0);
        assert!(read(&here.path().join("over.png")).2 != plain, "{overlay}");
    }
}

#[test]
fn selected_nodes_are_outlined() {
    let here = yard::directory();
    let picture = |options: &str| {
        here.run(&format!("render yard.glb -o out.png --size 96x72 {options}")).text(0);
        read(&here.path().join("out.png")).2
    };
    let plain = picture("");
    let shed = picture("--select shed");
    assert!(shed != plain);
    let both = picture("--select shed --select fence");
    assert!(both != shed && both != plain);
    let error = here.run("render yard.glb -o out.png --select moon").error();
    assert!(error.contains("no node is named \"moon\"; `pleach tree`"), "{error}");
}

#[test]
fn all_models_can_be_rendered() {
    answers_for_all_models(
        "render FILE -o x.png --size 24x16 --samples 1 --overlay wireframe,boxes,joints",
    );
}
