//! `pleach diff --patch`, `apply`, `log` and `merge`.

use std::ffi::{OsStr, OsString};
use std::fs;

use crate::common::gltf_builder::GltfBuilder;
use crate::common::{Directory, golden, models, run, yard};
use serde_json::{Value, json};

/// A house before edits, and edited in two ways.
fn houses() -> Directory {
    let here = Directory::new();
    let base = json!({
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
        "nodes": [
            {"name": "house", "children": [1, 2], "extras": {"floors": 2}},
            {"name": "door", "translation": [1, 0, 0]},
            {"name": "roof", "extensions": {"KHR_node_visibility": {"visible": true}}}
        ],
        "materials": [{"name": "oak"}],
        "extensionsUsed": ["KHR_node_visibility"]
    });
    let mut ours = base.clone();
    ours["nodes"][1]["translation"] = json!([2, 0, 0]);
    ours["nodes"].as_array_mut().unwrap().push(json!({"name": "window"}));
    ours["nodes"][0]["children"] = json!([1, 2, 3]);
    let mut theirs = base.clone();
    theirs["nodes"][0]["extras"]["price"] = json!(12.50);
    theirs["nodes"][1]["name"] = json!("gate");
    theirs["materials"][0]["doubleSided"] = json!(true);
    here.write("base.gltf", base.to_string());
    here.write("ours.gltf", ours.to_string());
    here.write("theirs.gltf", theirs.to_string());
    here
}

fn value(here: &Directory, name: &str) -> Value {
    serde_json::from_slice(&fs::read(here.path().join(name)).unwrap()).unwrap()
}

#[test]
fn a_patch_of_a_house_is_written_shown_and_applied() {
    let here = houses();
    golden("patch/diff.txt", &here.run("diff base.gltf ours.gltf --patch p.pleach").text(1));
    golden(
        "patch/diff.json",
        &here.run("diff base.gltf ours.gltf --patch p.pleach --json").text(1),
    );
    let log = |line: &str| here.run(line).text(0).replace(env!("CARGO_PKG_VERSION"), "VERSION");
    golden("patch/log.txt", &log("log p.pleach"));
    golden("patch/log.json", &log("log p.pleach --json"));
    golden("patch/apply.txt", &here.run("apply base.gltf p.pleach -o new.gltf").text(0));
    golden("patch/apply.json", &here.run("apply base.gltf p.pleach -o new.gltf --json").text(0));
    assert_eq!(value(&here, "new.gltf"), value(&here, "ours.gltf"));
}

/// `diff` does not compare extras, materials that nothing uses, and the order; a patch has them.
#[test]
fn patches_contain_what_diff_does_not_compare() {
    let here = houses();
    let mut other = value(&here, "base.gltf");
    other["nodes"][0]["extras"] = json!([1, "two"]);
    other["nodes"][0]["children"] = json!([2, 1]);
    other["materials"][0]["extensions"] = json!({"VENDOR_grain": {"texture": 0}});
    other["asset"]["copyright"] = json!("me");
    here.write("other.gltf", other.to_string());
    assert_eq!(here.run("diff base.gltf other.gltf").text(0), "no difference in 3 nodes\n");
    let diff = here.run("diff base.gltf other.gltf --patch p.pleach --json").json(1);
    assert_eq!((&diff["same"], &diff["patch"]["edits"]), (&json!(false), &json!(4)));
    here.run("apply base.gltf p.pleach -o new.gltf").text(0);
    assert_eq!(value(&here, "new.gltf"), other);
    let same = here.run("diff other.gltf new.gltf --patch same.pleach --json").json(0);
    assert_eq!(same["patch"]["edits"], 0);
}

#[test]
fn another_file_is_rejected_with_both_hashes() {
    let here = houses();
    let diff = here.run("diff base.gltf ours.gltf --patch p.pleach --json").json(1);
    let error = here.run("apply theirs.gltf p.pleach -o new.gltf").error();
    assert!(error.contains(diff["patch"]["base"].as_str().unwrap()), "{error}");
    let of_theirs = here.run("diff theirs.gltf base.gltf --patch t.pleach --json").json(1);
    assert!(error.contains(of_theirs["patch"]["base"].as_str().unwrap()), "{error}");
    assert!(!here.path().join("new.gltf").exists());
}

#[test]
fn damaged_patches_are_one_line_errors() {
    let here = houses();
    here.run("diff base.gltf ours.gltf --patch p.pleach").text(1);
    let patch = fs::read(here.path().join("p.pleach")).unwrap();
    let mut newer = patch.clone();
    newer[8] = 9;
    let mut changed = patch.clone();
    *changed.last_mut().unwrap() ^= 1;
    for (bytes, expected) in [
        (&b""[..], "not a patch"),
        (&b"{}"[..], "not a patch"),
        (&patch[..patch.len() / 2], "truncated"),
        (&newer[..], "version 9 of the format"),
        (&changed[..], "checksum"),
    ] {
        here.write("bad.pleach", bytes);
        for line in ["log bad.pleach", "apply base.gltf bad.pleach -o new.gltf"] {
            let error = here.run(line).error();
            assert!(error.contains("bad.pleach") && error.contains(expected), "{error}");
        }
    }
    here.run("log missing.pleach").error();
    here.run("log .").error();
    assert!(!here.path().join("new.gltf").exists());
}

#[test]
fn input_files_are_not_overwritten() {
    let here = houses();
    let before = value(&here, "base.gltf");
    for line in [
        "diff base.gltf ours.gltf --patch base.gltf",
        "diff base.gltf ours.gltf --patch ours.gltf",
        "merge base.gltf ours.gltf theirs.gltf -o ours.gltf",
        "merge base.gltf ours.gltf theirs.gltf -o base.gltf",
    ] {
        assert!(here.run(line).error().contains("would be overwritten"), "{line}");
    }
    here.run("diff base.gltf ours.gltf --patch p.pleach").text(1);
    assert!(here.run("apply base.gltf p.pleach -o base.gltf").error().contains("--force"));
    assert_eq!(value(&here, "base.gltf"), before);
    here.run("apply base.gltf p.pleach -o base.gltf --force").text(0);
    assert_eq!(value(&here, "base.gltf"), value(&here, "ours.gltf"));
    here.assert_usage_errors(&[
        "apply base.gltf p.pleach",
        "apply base.gltf p.pleach -o new.txt",
        "log",
    ]);
}

#[test]
fn changes_of_two_files_are_merged() {
    let here = houses();
    golden(
        "merge/merged.txt",
        &here.run("merge base.gltf ours.gltf theirs.gltf -o new.gltf").text(0),
    );
    let answer = here.run("merge base.gltf ours.gltf theirs.gltf -o new.gltf --json");
    golden("merge/merged.json", &answer.text(0));
    let mut expected = value(&here, "ours.gltf");
    expected["nodes"][0]["extras"]["price"] = json!(12.5);
    expected["nodes"][1]["name"] = json!("gate");
    expected["materials"][0]["doubleSided"] = json!(true);
    assert_eq!(value(&here, "new.gltf"), expected);
}

#[test]
fn conflicts_are_listed_and_nothing_is_written() {
    let here = houses();
    let mut theirs = value(&here, "theirs.gltf");
    theirs["nodes"][1] = json!({"name": "door", "translation": [3, 0, 0]});
    theirs["nodes"][0]["extras"]["floors"] = json!(3);
    let mut ours = value(&here, "ours.gltf");
    ours["nodes"][0]["extras"]["floors"] = json!(1);
    ours["asset"]["copyright"] = json!("us");
    theirs["asset"]["copyright"] = json!("them");
    here.write("theirs.gltf", theirs.to_string());
    here.write("ours.gltf", ours.to_string());
    let line = "merge base.gltf ours.gltf theirs.gltf -o new.gltf";
    golden("merge/conflicts.txt", &here.run(line).text(1));
    golden("merge/conflicts.json", &here.run(&format!("{line} --json")).text(1));
    assert!(!here.path().join("new.gltf").exists());
}

#[test]
fn files_without_an_extension_have_the_format_of_ours() {
    let here = yard::directory();
    fs::copy(here.path().join("yard.glb"), here.path().join("ours")).unwrap();
    here.write("empty", "");
    here.run("merge yard.glb ours yard.glb -o ours --force").text(0);
    assert!(fs::read(here.path().join("ours")).unwrap().starts_with(b"glTF"));
    assert_eq!(here.run("diff yard.glb ours").text(0), "no difference in 14 nodes\n");
    here.run("merge empty yard.glb yard.glb -o both.glb").text(0);
    assert_eq!(here.run("diff yard.glb both.glb").text(0), "no difference in 14 nodes\n");
}

#[test]
fn patches_convert_between_formats() {
    let here = yard::directory();
    here.run("diff yard.gltf yard.glb --patch p.pleach").text(1);
    here.run("apply yard.gltf p.pleach -o new.glb").text(0);
    here.run("diff yard.glb new.glb --patch same.pleach").text(0);
    here.run("apply yard.gltf p.pleach -o new.gltf").text(0);
    assert_eq!(here.run("diff yard.glb new.gltf").text(0), "no difference in 14 nodes\n");
}

/// A change of one vertex does not store the others.
#[test]
fn patches_store_the_changed_bytes_only() {
    let here = Directory::new();
    let write = |name: &str, x: f32| {
        let mut builder = GltfBuilder::default();
        let mut positions = vec![[0.0f32, 1.0, 0.0]; 30_000];
        positions[15_000][0] = x;
        builder.vectors(&positions);
        let json = json!({"asset": {"version": "2.0"}, "accessors": builder.accessors,
            "bufferViews": builder.views,
            "buffers": [{"uri": "data.bin", "byteLength": builder.bytes.len()}]});
        fs::create_dir_all(here.path().join(name)).unwrap();
        here.write(&format!("{name}/data.bin"), &builder.bytes);
        here.write(&format!("{name}/model.gltf"), json.to_string());
    };
    write("a", 1.0);
    write("b", 2.0);
    let diff = here.run("diff a/model.gltf b/model.gltf --patch p.pleach --json").json(1);
    assert!(diff["patch"]["bytes"].as_u64().unwrap() < 2000, "{diff}");
    here.run("apply a/model.gltf p.pleach -o c/model.gltf --create-dirs").text(0);
    let read = |name: &str| fs::read(here.path().join(name).join("data.bin")).unwrap();
    assert_eq!(read("b"), read("c"));
}

#[test]
fn patches_between_all_models_are_applied() {
    let Some(models) = models() else { return };
    let here = Directory::new();
    for (number, (name, path)) in models.iter().enumerate() {
        let (_, other) = &models[(number + 7) % models.len()];
        let args = |args: &[&str], files: [&OsStr; 2]| -> Vec<OsString> {
            let files = files.into_iter().map(OsString::from);
            args[..1]
                .iter()
                .map(OsString::from)
                .chain(files)
                .chain(args[1..].iter().map(OsString::from))
                .collect()
        };
        let (a, b) = (path.as_os_str(), other.as_os_str());
        let diff = run(here.path(), args(&["diff", "--patch", "p.pleach"], [a, b]));
        if diff.stderr.starts_with("error:") {
            continue;
        }
        let is_glb = other.extension().is_some_and(|it| it == "glb");
        let out = if is_glb { "new.glb" } else { "new/new.gltf" };
        let apply = ["apply", "-o", out, "--force", "--create-dirs"];
        run(here.path(), args(&apply, [a, "p.pleach".as_ref()])).text(0);
        let again = run(here.path(), args(&["diff", "--patch", "q.pleach"], [b, out.as_ref()]));
        assert_eq!(again.code, Some(0), "{name}: {}", again.stdout);
        run(here.path(), ["log", "p.pleach"]).text(0);
    }
}
