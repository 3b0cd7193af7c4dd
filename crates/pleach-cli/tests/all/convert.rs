//! `pleach convert`: format conversion and pruning.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::common::{Directory, broken_files, golden, models, run, yard};
use serde_json::{Value, json};

/// Returns all files of a directory by name.
fn files(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let files = entries.filter(|path| path.is_file());
    let named = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    files.map(|path| (named(&path), fs::read(&path).unwrap())).collect()
}

/// The yard with unused and duplicate objects.
fn with_unused() -> Directory {
    let here = yard::directory();
    let (mut json, bytes) = yard::yard();
    for list in ["meshes", "materials", "accessors", "cameras"] {
        let entries = json[list].as_array_mut().unwrap();
        let first = entries[0].clone();
        entries.push(first);
    }
    let last = json["accessors"].as_array().unwrap().len() - 1;
    json["meshes"][1]["primitives"][0]["attributes"]["NORMAL"] = json!(last);
    json["accessors"][last] = json["accessors"][1].clone();
    here.write("littered.gltf", json.to_string());
    here.write("yard.bin", bytes);
    here
}

#[test]
fn the_yard_is_converted_both_ways() {
    let here = yard::directory();
    golden("convert/glb.txt", &here.run("convert yard.gltf new.glb").text(0));
    golden("convert/glb.json", &here.run("convert yard.gltf new.glb --json").text(0));
    golden("convert/gltf.txt", &here.run("convert new.glb new.gltf").text(0));
    golden("convert/gltf.json", &here.run("convert new.glb new.gltf --json").text(0));
    assert_eq!(here.run("diff yard.gltf new.gltf").text(0), "no difference in 14 nodes\n");
    let written = files(here.path());
    assert_eq!(written["new.glb"], written["yard.glb"]);
    assert_eq!(written["new.bin"], written["yard.bin"]);
    let names: Vec<&str> = written.keys().map(|name| &**name).collect();
    assert_eq!(names, ["new.bin", "new.glb", "new.gltf", "yard.bin", "yard.glb", "yard.gltf"]);
}

#[test]
fn all_models_survive_a_round_trip_through_the_other_format() {
    let Some(models) = models() else { return };
    let mut same = 0;
    for (name, path) in models {
        let here = Directory::new();
        let here = here.path();
        let is_glb = path.extension().is_some_and(|it| it == "glb");
        let [own, other] = if is_glb { ["glb", "gltf"] } else { ["gltf", "glb"] };
        let [first, second, back] = [
            format!("first/{name}.{own}"),
            format!("second/{name}.{other}"),
            format!("back/{name}.{own}"),
        ];
        for directory in ["first", "second", "back"] {
            fs::create_dir(here.join(directory)).unwrap();
        }
        let file = path.to_str().unwrap();
        let done = run(here, ["convert", file, &first]);
        if done.code != Some(0) {
            assert!(done.error().contains("requires the extension"), "{name}");
            continue;
        }
        // In its own format it is the same, byte for byte.
        assert!(fs::read(&path).unwrap() == fs::read(here.join(&first)).unwrap(), "{name}");
        run(here, ["convert", file, &second]).text(0);
        run(here, ["convert", &second, &back]).text(0);
        for copy in [&second, &back] {
            let diff = run(here, ["diff", file, copy]).text(0);
            assert!(diff.starts_with("no difference"), "{name}: {diff}");
        }
        if is_glb {
            let back = fs::read(here.join(&back)).unwrap();
            assert!(back == fs::read(&path).unwrap(), "{name}");
        }
        same += 1;
    }
    assert!(same > 40, "only {same} models were converted");
}

#[test]
fn unused_objects_are_removed_on_request() {
    let here = with_unused();
    let text = here.run("convert littered.gltf all.glb").text(0);
    assert!(!text.contains("dropped"), "{text}");
    golden("convert/drop.txt", &here.run("convert littered.gltf less.glb --drop-unused").text(0));
    let json = here.run("convert littered.gltf less.gltf --drop-unused --json").text(0);
    golden("convert/drop.json", &json);
    golden("convert/nodes.txt", &here.run("convert littered.gltf least.glb --drop-nodes").text(0));
    golden("convert/equal.txt", &here.run("convert littered.gltf one.glb --optimise").text(0));
    for same in ["all.glb", "less.glb", "less.gltf", "one.glb"] {
        let diff = here.run(&format!("diff littered.gltf {same}"));
        assert_eq!(diff.code, Some(0), "{same}: {}", diff.stdout);
    }
    let diff = here.run("diff littered.gltf least.glb").text(1);
    assert!(diff.starts_with("- unreferenced removed"), "{diff}");
    let sizes = ["all.glb", "less.glb", "one.glb"];
    let sizes = sizes.map(|name| fs::metadata(here.path().join(name)).unwrap().len());
    assert!(sizes[0] > sizes[1] && sizes[1] > sizes[2], "{sizes:?}");
}

#[test]
fn files_with_unknown_extensions_are_not_pruned_and_a_note_explains_it() {
    let here = yard::directory();
    let (mut json, _) = yard::yard();
    let camera = json["cameras"][0].clone();
    json["cameras"].as_array_mut().unwrap().push(camera);
    json["nodes"][11]["extensions"] = json!({"VENDOR_plug": {"camera": 1}});
    here.write("odd.gltf", json.to_string());
    let run = here.run("convert odd.gltf out.gltf --optimise");
    assert!(
        run.stderr.starts_with("note: odd.gltf: the extension \"VENDOR_plug\""),
        "{}",
        run.stderr
    );
    assert!(run.text(0).ends_with("dropped  nothing\n"));
    let out: Value = serde_json::from_slice(&files(here.path())["out.gltf"]).unwrap();
    assert_eq!(out, json);
}

#[test]
fn input_files_are_overwritten_only_with_force() {
    let here = with_unused();
    let before = files(here.path());
    let error = here.run("convert littered.gltf littered.gltf --drop-unused").error();
    assert_eq!(error, "error: littered.gltf would be overwritten; use --force to overwrite it");
    let error = here.run("convert littered.gltf ./yard.gltf --optimise").error();
    assert_eq!(error, "error: yard.bin would be overwritten; use --force to overwrite it");
    assert_eq!(files(here.path()), before);
    // An unrelated output file is overwritten.
    here.write("other.glb", "in the way");
    here.run("convert littered.gltf other.glb").text(0);
    here.run("convert littered.gltf littered.gltf --drop-unused --force").text(0);
    assert_eq!(here.run("diff littered.gltf other.glb").code, Some(0));
}

/// Two models with files of the same names, as in downloaded archives: `a/scene.gltf` and
/// `b/scene.gltf`, each with `scene.bin` and `textures/base.png`.
fn models_with_equal_names() -> Directory {
    let here = Directory::new();
    let (mut yard, bytes) = yard::yard();
    yard["buffers"][0]["uri"] = json!("scene.bin");
    yard["images"] = json!([{"uri": "textures/base.png"}]);
    for (name, last) in [("a", 0), ("b", 1)] {
        fs::create_dir_all(here.path().join(name).join("textures")).unwrap();
        // The last bytes are not used by any accessor, and are after the end of the image.
        let own = |bytes: &[u8]| [bytes, &[last; 4]].concat();
        yard["buffers"][0]["byteLength"] = json!(bytes.len() + 4);
        here.write(&format!("{name}/scene.gltf"), yard.to_string());
        here.write(&format!("{name}/scene.bin"), own(&bytes));
        here.write(&format!("{name}/textures/base.png"), own(yard::PNG));
    }
    here
}

#[test]
fn unrelated_files_are_overwritten_only_with_force() {
    let here = models_with_equal_names();
    let read = |name: &str| fs::read(here.path().join(name)).ok();
    let names = ["scene.bin", "textures/base.png"];
    let all = |folder: &str| names.map(|name| read(&format!("{folder}/{name}")).unwrap());
    // Directories are not created.
    assert!(here.run("convert a/scene.gltf out/a.gltf").error().contains("does not exist"));
    here.run("convert a/scene.gltf out/a.gltf --create-dirs").text(0);
    let remedy = "exists with different content and is not referenced by out/b.gltf; write to another \
                   directory, to another name or as .glb, or use --force to overwrite it";
    let error = here.run("convert b/scene.gltf out/b.gltf").error();
    assert_eq!(error, format!("error: out/scene.bin {remedy}"));
    // One conflict is enough to write nothing.
    fs::remove_file(here.path().join("out/scene.bin")).unwrap();
    let error = here.run("convert b/scene.gltf out/b.gltf").error();
    assert_eq!(error, format!("error: out/textures/base.png {remedy}"));
    assert_eq!((read("out/b.gltf"), read("out/scene.bin")), (None, None));
    // The existing OUT does not reference them.
    here.write("out/b.gltf", "in the way");
    here.run("convert b/scene.gltf out/b.gltf").error();
    assert_eq!(read("out/b.gltf").as_deref(), Some(&b"in the way"[..]));

    // Its own files are overwritten; files with the same bytes may be shared.
    here.run("convert a/scene.gltf out/a.gltf --create-dirs").text(0);
    here.run("convert a/scene.gltf out/again.gltf").text(0);
    assert_eq!(all("out"), all("a"));
    here.run("convert b/scene.gltf out/a.gltf").text(0);
    assert_eq!(all("out"), all("b"));
    here.run("convert a/scene.gltf out/b.gltf --force").text(0);
    assert_eq!(all("out"), all("a"));
    here.run("convert b/scene.gltf out/b.glb").text(0);
    assert_eq!(all("out"), all("a"));
}

#[test]
fn new_buffers_do_not_overwrite_existing_files() {
    let here = yard::directory();
    here.write("other.bin", "of another");
    let before = files(here.path());
    let error = here.run("convert yard.glb other.gltf").error();
    assert!(error.starts_with("error: other.bin exists with different content"), "{error}");
    assert_eq!(files(here.path()), before);
    // Nor a directory.
    fs::create_dir(here.path().join("third.bin")).unwrap();
    let error = here.run("convert yard.glb third.gltf").error();
    assert!(error.starts_with("error: third.bin exists with different content"), "{error}");
    // Whatever path references it.
    let (mut json, bytes) = yard::yard();
    json["buffers"][0]["uri"] = json!("no/../folder/data.bin");
    here.write("roundabout.gltf", json.to_string());
    fs::create_dir_all(here.path().join("folder")).unwrap();
    fs::create_dir_all(here.path().join("out/folder")).unwrap();
    here.write("folder/data.bin", bytes);
    here.write("out/folder/data.bin", "of another");
    let error = here.run("convert roundabout.gltf out/r.gltf").error();
    assert!(error.starts_with("error: out/folder/data.bin exists with different"), "{error}");
    here.run("convert roundabout.gltf out/r.gltf --force").text(0);
    here.run("convert yard.glb other.gltf --force").text(0);
    assert_eq!(here.run("diff yard.glb other.gltf").code, Some(0));
}

#[test]
fn warnings_are_printed_as_notes() {
    let here = Directory::new();
    let json = json!({"asset": {"version": "2.0"}, "images": [{"uri": "gone.png"}]});
    here.write("bare.gltf", json.to_string());
    let run = here.run("convert bare.gltf out.gltf");
    assert!(run.stderr.starts_with("note: bare.gltf: /images/0/uri: "), "{}", run.stderr);
    assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    let text = run.text(0);
    assert!(text.contains("gone.png (missing)"), "{text}");
}

#[test]
fn uris_that_are_never_followed_are_not_listed_as_files() {
    let here = Directory::new();
    let json = json!({"asset": {"version": "2.0"}, "images": [
        {"uri": "https://x.y/a.png"}, {"uri": "%FF.png"}, {"uri": "b%20c.png"}]});
    here.write("web.gltf", json.to_string());
    let text = here.run("convert web.gltf out.gltf").text(0);
    assert!(!text.contains("https:") && !text.contains('\u{fffd}'), "{text}");
    assert_eq!(text.matches("b c.png (missing)").count(), 2, "{text}");
}

#[test]
fn unreadable_files_and_invalid_names_are_one_line_errors() {
    let (here, bad) = broken_files::unreadable();
    for (file, word) in bad {
        let error = here.run(&format!("convert {file} out.glb")).error();
        assert!(error.contains(word), "{error}");
    }
    for out in ["out.obj", "out", "out.gltf.txt"] {
        let run = here.run(&format!("convert yard.glb {out}"));
        assert_eq!((run.code, &*run.stdout), (Some(2), ""));
        assert!(run.stderr.contains("ends in .gltf or .glb"), "{}", run.stderr);
    }
    let error = here.run("convert yard.glb yard.bin/out.glb").error();
    assert!(error.contains("yard.bin/out.glb"), "{error}");
    assert!(!files(here.path()).contains_key("out.glb"));
}

#[test]
fn control_characters_in_names_are_escaped() {
    let here = yard::directory();
    let mut json = broken_files::hostile_names();
    json["images"] = json!([{"uri": "a%1b[2J%0a.png"}]);
    here.write("hostile.gltf", json.to_string());
    let run = here.run("convert hostile.gltf out.gltf --drop-unused");
    assert!(!run.stderr.contains('\u{1b}') && !run.stdout.contains('\u{1b}'), "{run:?}");
    assert_eq!(run.text(0).lines().count(), 3);
}
