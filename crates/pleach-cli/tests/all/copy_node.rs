//! `pleach copy-node`: copies a node with its descendants into another file.

use crate::common::{Directory, broken_files, golden, yard};
use pleach::glam::Vec3;
use pleach_gltf::{Document, Options};
use serde_json::{Value, json};

/// The yard, and a park: a rotated and scaled hill with a bench on it.
fn yard_and_park() -> Directory {
    let here = yard::directory();
    let park = json!({
        "asset": {"version": "2.0"}, "scene": 0,
        "scenes": [{"nodes": [0]}, {"name": "night", "nodes": [2]}],
        "nodes": [
            {"name": "hill", "children": [1], "translation": [10, 0, 0], "scale": [2, 2, 2],
                "rotation": [0, 0.6, 0, 0.8], "extras": {"keep": 1.50}},
            {"name": "bench", "translation": [0, 1, 0]},
            {"name": "moon"}
        ]
    });
    here.write("park.gltf", park.to_string());
    here
}

fn load(here: &Directory, name: &str) -> Document {
    let document = Options::new().keep_y_up().load(here.path().join(name)).unwrap();
    assert!(document.report().is_empty(), "{name}: {}", document.report());
    document
}

fn json(here: &Directory, name: &str) -> Value {
    serde_json::from_slice(&std::fs::read(here.path().join(name)).unwrap()).unwrap()
}

/// Returns the world position of a node of a scene by name.
fn at(document: &Document, scene: usize, name: &str) -> Vec3 {
    let scene = &document.scenes()[scene];
    let node = scene.graph.find(name).unwrap_or_else(|| panic!("no {name}"));
    scene.node(node).unwrap().world_translation()
}

#[test]
fn a_node_is_copied_with_its_mesh_and_light() {
    let here = yard_and_park();
    golden(
        "copy_node/lamp.txt",
        &here.run("copy-node yard.glb lamp park.gltf -o out.gltf").text(0),
    );
    let line = "copy-node yard.glb lamp park.gltf -o out.gltf --under bench --json";
    golden("copy_node/lamp.json", &here.run(line).text(0));
    let (out, yard) = (load(&here, "out.gltf"), load(&here, "yard.glb"));
    let scene = &out.scenes()[0];
    let lamp = scene.graph.find("lamp").unwrap();
    assert_eq!(out.index_of(0, lamp), Some(3));
    let old = yard.scenes()[0].graph.find("lamp").unwrap();
    let (new_mesh, mesh) = (scene.mesh(lamp).unwrap(), yard.scenes()[0].mesh(old).unwrap());
    let value = |mesh: &pleach::Mesh| mesh.parts[0].geometry.get().value().clone();
    assert_eq!(value(new_mesh), value(mesh));
    let light = |document: &Document, node| {
        let scene = &document.scenes()[0];
        *scene.lights.get(&scene.graph, node).unwrap()
    };
    assert_eq!(light(&out, lamp), light(&yard, old));
    let image = &out.images()[0];
    assert_eq!(image.get().data, yard.images()[0].get().data);
    // Its local transform below the bench is the same as below the yard.
    let view = scene.node(lamp).unwrap();
    assert_eq!(scene.node(view.parent().unwrap()).unwrap().name(), Some("bench"));
    assert_eq!(view.translation(), Vec3::new(-1.0, 2.0, 0.0));
    // The park itself is unchanged.
    let diff = here.run("diff park.gltf out.gltf").text(1);
    assert!(diff.starts_with("+ added      scene 0: hill/bench/lamp #3\n"), "{diff}");
    assert!(diff.ends_with("1 difference: 1 added\n"), "{diff}");
    assert!(
        std::fs::read_to_string(here.path().join("out.gltf")).unwrap().contains("\"keep\":1.5")
    );
}

#[test]
fn keep_world_preserves_the_world_transform() {
    let here = yard_and_park();
    here.run("copy-node yard.glb attic park.gltf -o a.glb --under bench --keep-world").text(0);
    here.run("copy-node yard.glb attic park.gltf -o b.glb --keep-world").text(0);
    let position = at(&load(&here, "yard.glb"), 0, "box");
    for name in ["a.glb", "b.glb"] {
        let moved = at(&load(&here, name), 0, "box");
        assert!(moved.abs_diff_eq(position, 1e-5), "{name}: {moved} instead of {position}");
    }
    here.run("copy-node yard.glb attic park.gltf -o c.glb --under bench").text(0);
    assert!(!at(&load(&here, "c.glb"), 0, "box").abs_diff_eq(position, 1.0));
}

#[test]
fn animations_of_copied_nodes_are_copied() {
    let here = yard_and_park();
    let copied = here.run("copy-node yard.glb pole park.gltf -o out.gltf --json").json(0);
    assert_eq!(copied["copied"]["animations"], 1);
    let out = load(&here, "out.gltf");
    let [wave] = out.animations() else { panic!("{:?}", out.animations()) };
    assert_eq!((wave.clip().name(), wave.clip().duration()), ("wave", 2.0));
    let tip = out.scenes()[0].graph.find("tip").unwrap();
    assert_eq!(wave.node_indices(), [out.index_of(0, tip).unwrap() as u32]);
    let yard = load(&here, "yard.glb");
    assert_eq!(
        wave.clip().channels()[0].track(),
        yard.animations()[0].clip().channels()[0].track()
    );
}

#[test]
fn a_skin_is_copied_only_with_its_joints() {
    let here = yard_and_park();
    // The flag is a sibling of its pole.
    let run = here.run("copy-node yard.glb flag park.gltf -o out.gltf");
    let note = "note: not copied: names of 1 mesh\n\
                note: not copied: the skin of node #7 \"flag\", which has joints elsewhere\n";
    assert_eq!(run.stderr, note);
    golden("copy_node/flag.txt", &run.text(0));
    assert!(json(&here, "out.gltf").get("skins").is_none());
    // With a common ancestor, all of it is copied.
    let (mut yard, _) = yard::yard();
    yard["scenes"][0]["nodes"] = json!([0]);
    yard["nodes"][0]["children"].as_array_mut().unwrap().push(json!(7));
    here.write("whole.gltf", yard.to_string());
    let copied = here.run("copy-node whole.gltf yard park.gltf -o out.gltf --json").json(0);
    assert_eq!((&copied["nodes"], &copied["node"]), (&json!(12), &json!(3)));
    let names = "not copied: names of 4 meshes, 1 skin, 1 camera, 2 lights";
    assert_eq!((&copied["copied"]["skins"], &copied["omitted"]), (&json!(1), &json!([names])));
    let out = load(&here, "out.gltf");
    let scene = &out.scenes()[0];
    let skin = scene.skins.get(&scene.graph, scene.graph.find("flag").unwrap()).unwrap();
    let names = skin.joints.iter().map(|&joint| scene.node(joint).unwrap().name());
    assert_eq!(names.collect::<Vec<_>>(), [Some("pole"), Some("tip")]);
    let fence = scene.mesh(scene.graph.find("fence").unwrap()).unwrap();
    assert_eq!(fence.instances.as_ref().map(|instances| instances.len()), Some(3));
    assert!(!scene.node(scene.graph.find("attic").unwrap()).unwrap().is_visible());
}

#[test]
fn extras_and_unknown_extensions_of_nodes_are_copied_and_others_are_noted() {
    let here = yard_and_park();
    let (mut yard, _) = yard::yard();
    yard["nodes"][1]["extras"] = json!({"a": 1});
    yard["nodes"][1]["extensions"] = json!({"VENDOR_x": {"b": true}, "VENDOR_y": {"node": 0}});
    yard["materials"][1]["extras"] = json!(2);
    yard["nodes"][0]["extras"] = json!("of another");
    here.write("odd.gltf", yard.to_string());
    let run = here.run("copy-node odd.gltf shed park.gltf -o out.glb");
    assert_eq!(
        run.stderr,
        "note: not copied: extras of 1 material\n\
         note: not copied: names of 1 mesh\n\
         note: /nodes/3/extensions/VENDOR_y: the extension \"VENDOR_y\" of the node that this one was \
         cloned from was not written: it may refer to entries of its file by index\n"
    );
    run.text(0);
    let copy = pleach_gltf::load(here.path().join("out.glb")).unwrap();
    assert_eq!(copy.raw("/nodes/3/extras"), Some("{\"a\":1}"));
    assert_eq!(copy.raw("/nodes/3/extensions"), Some("{\"VENDOR_x\":{\"b\":true}}"));
}

#[test]
fn omissions_of_referenced_objects_are_noted() {
    let here = yard_and_park();
    let (mut yard, _) = yard::yard();
    yard["meshes"][2]["primitives"][0]["attributes"]["_TEMP"] = json!(0);
    yard["meshes"][2]["primitives"][0]["targets"][0]["_HEAT"] = json!(0);
    yard["textures"][0] = json!({"source": 0, "sampler": 0, "name": "bark"});
    yard["samplers"] = json!([{"name": "smooth", "extras": {}}, {"name": "of another"}]);
    yard["images"][0]["extras"] = json!(1);
    yard["extensions"]["KHR_lights_punctual"]["lights"][1]["extras"] = json!([2]);
    yard["animations"][0]["extras"] = json!({"loop": true});
    here.write("odd.gltf", yard.to_string());
    let omitted = |node: &str| {
        let line = format!("copy-node odd.gltf {node} park.gltf -o out.glb --json");
        here.run(&line).json(0)["omitted"].clone()
    };
    assert_eq!(
        omitted("lamp"),
        json!([
            "not copied: extras of 1 image, 1 light",
            "not copied: vertex attributes _HEAT, _TEMP",
            "not copied: names of 1 mesh, 1 texture, 1 sampler, 1 light"
        ])
    );
    assert_eq!(omitted("pole"), json!(["not copied: extras of animation \"wave\""]));
    assert_eq!(omitted("socket"), json!([]));
    // However deeply they are nested.
    yard["meshes"][2]["extras"] = json!("here");
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    here.write("odd.gltf", yard.to_string().replace("\"here\"", &deep));
    assert!(omitted("lamp")[0].as_str().unwrap().starts_with("not copied: extras of 1 mesh"));
}

#[test]
fn nodes_are_found_in_any_scene_and_copied_into_the_selected_one() {
    let here = yard_and_park();
    here.run("copy-node yard.glb #12 park.gltf -o a.gltf --scene night").text(0);
    assert_eq!(json(&here, "a.gltf")["scenes"][1]["nodes"], json!([2, 3]));
    here.run("copy-node yard.glb lost park.gltf -o b.gltf --scene 1 --under moon").text(0);
    assert_eq!(json(&here, "b.gltf")["nodes"][2]["children"], json!([3]));
    let error = here.run("copy-node yard.glb lost park.gltf -o c.gltf --scene 7").error();
    assert!(error.contains("park.gltf: no scene \"7\""), "{error}");
}

#[test]
fn a_copy_below_a_shared_node_is_in_all_its_scenes() {
    let here = yard_and_park();
    let mut park = json(&here, "park.gltf");
    park["scenes"] = json!([{"nodes": [0]}, {"nodes": [2]}, {"nodes": [2, 0]}]);
    park["scene"] = json!(2);
    here.write("shared.gltf", park.to_string());
    for keep in ["", " --keep-world"] {
        let line = format!("copy-node yard.glb pole shared.gltf -o out.gltf --under bench{keep}");
        let run = here.run(&format!("{line} --json"));
        assert_eq!(run.stderr, "note: scenes 0, 2 share node bench: the copy is in all of them\n");
        let copied = run.json(0);
        assert_eq!(
            [&copied["node"], &copied["nodes"], &copied["scenes"]],
            [&json!(3), &json!(2), &json!([0, 2])]
        );
        let out = json(&here, "out.gltf");
        assert_eq!(out["scenes"], park["scenes"]);
        let names = out["nodes"].as_array().unwrap().iter().map(|node| &node["name"]);
        assert!(names.eq(["hill", "bench", "moon", "pole", "tip"]), "{}", out["nodes"]);
        assert_eq!(out["nodes"][1]["children"], json!([3]));
        assert_eq!(out["animations"].as_array().unwrap().len(), 1);
        let out = load(&here, "out.gltf");
        assert_eq!(at(&out, 0, "tip"), at(&out, 2, "tip"));
    }
    // As a root it is only in the selected scene.
    let copied = here.run("copy-node yard.glb pole shared.gltf -o out.gltf --json").json(0);
    assert_eq!(copied["scenes"], json!([2]));
    assert_eq!(json(&here, "out.gltf")["scenes"][2]["nodes"], json!([2, 0, 3]));
}

#[test]
fn joints_outside_a_scene_are_found_in_their_own_scene() {
    let here = yard_and_park();
    let (mut yard, _) = yard::yard();
    // The flag is alone in the first scene; its pole is in the second scene, below a mast.
    yard["nodes"][0]["children"] = json!([1, 2, 3, 5, 6, 10, 11]);
    yard["nodes"].as_array_mut().unwrap().push(json!({"name": "mast", "children": [8]}));
    yard["scenes"] = json!([{"nodes": [7]}, {"nodes": [0, 14]}]);
    here.write("apart.gltf", yard.to_string());
    for node in ["#14", "mast", "pole"] {
        let line = format!("copy-node apart.gltf {node} park.gltf -o out.gltf --force --json");
        let copied = here.run(&line).json(0);
        let count = if node == "pole" { 2 } else { 3 };
        assert_eq!([&copied["node"], &copied["nodes"]], [&json!(3), &json!(count)], "{node}");
        let nodes = json(&here, "out.gltf")["nodes"].as_array().unwrap().len();
        assert_eq!(nodes, 3 + count, "{node}");
    }
    let error = here.run("copy-node yard.glb lamp apart.gltf -o out.gltf --under pole").error();
    assert_eq!(error, "error: apart.gltf: node pole is not in scene 0 but in scene 1");
    here.run("copy-node yard.glb lamp apart.gltf -o out.glb --under pole --scene 1").text(0);
    yard["scenes"] = json!([{"nodes": [7]}, {"nodes": [0]}]);
    here.write("apart.gltf", yard.to_string());
    let error = here.run("copy-node yard.glb lamp apart.gltf -o out.gltf --under #8").error();
    assert_eq!(error, "error: apart.gltf: node #8 is not in any scene");
    let copied = here.run("copy-node apart.gltf #8 park.gltf -o out.glb --json").json(0);
    assert_eq!(copied["nodes"], 2);
}

#[test]
fn input_files_are_overwritten_only_with_force() {
    let here = yard_and_park();
    for out in ["park.gltf", "yard.gltf"] {
        let error = here.run(&format!("copy-node yard.gltf lamp park.gltf -o {out}")).error();
        assert_eq!(
            error,
            format!("error: {out} would be overwritten; use --force to overwrite it")
        );
    }
    // New data would be written to the buffer file of FROM.
    std::fs::rename(here.path().join("yard.gltf"), here.path().join("from.gltf")).unwrap();
    let error = here.run("copy-node from.gltf lamp park.gltf -o yard.gltf").error();
    assert_eq!(error, "error: yard.bin would be overwritten; use --force to overwrite it");
    here.run("copy-node from.gltf lamp park.gltf -o park.gltf --force").text(0);
    assert_eq!(load(&here, "park.gltf").lights().len(), 1);
    // A file can be copied into itself.
    here.run("copy-node yard.glb lamp yard.glb -o two.glb --under lamp").text(0);
    assert_eq!(load(&here, "two.glb").scenes()[0].graph.find_all("lamp").count(), 2);
}

#[test]
fn unrelated_files_are_overwritten_only_with_force() {
    let here = yard_and_park();
    let out = here.path().join("out.bin");
    here.write("out.bin", "of another");
    let error = here.run("copy-node yard.glb lamp park.gltf -o out.gltf").error();
    let remedy = "write to another directory, to another name or as .glb, or use --force to \
                   overwrite it";
    assert_eq!(
        error,
        format!(
            "error: out.bin exists with different content and is not referenced by out.gltf; {remedy}"
        )
    );
    assert_eq!(std::fs::read(&out).unwrap(), b"of another");
    assert!(!here.path().join("out.gltf").exists());
    here.run("copy-node yard.glb lamp park.gltf -o out.gltf --force").text(0);
    let lamp = std::fs::read(&out).unwrap();
    // Now OUT references it.
    here.run("copy-node yard.glb shed park.gltf -o out.gltf").text(0);
    assert_ne!(std::fs::read(&out).unwrap(), lamp);
}

#[test]
fn unreadable_files_and_missing_nodes_are_one_line_errors() {
    let (here, bad) = broken_files::unreadable();
    for (file, word) in bad {
        for line in [
            format!("copy-node {file} shed yard.glb -o out.glb"),
            format!("copy-node yard.glb shed {file} -o out.glb"),
        ] {
            let error = here.run(&line).error();
            assert!(error.contains(word), "{error}");
        }
    }
    here.write("none.gltf", r#"{"asset":{"version":"2.0"}}"#);
    for (line, word) in [
        ("copy-node yard.glb house yard.glb -o out.glb", "no node is named \"house\""),
        ("copy-node yard.glb #99 yard.glb -o out.glb", "no node #99"),
        ("copy-node yard.glb shed yard.glb -o out.glb --under house", "no node is named"),
        ("copy-node none.gltf shed yard.glb -o out.glb", "none.gltf: the file has no nodes"),
        ("copy-node yard.glb shed none.gltf -o out.glb", "neither scenes nor nodes"),
    ] {
        let error = here.run(line).error();
        assert!(error.contains(word), "{line}: {error}");
    }
    for line in ["copy-node yard.glb shed yard.glb", "copy-node yard.glb shed yard.glb -o out.obj"]
    {
        assert_eq!(here.run(line).code, Some(2), "{line}");
    }
}

#[test]
fn hash_and_number_is_always_an_index() {
    let here = Directory::new();
    here.write(
        "two.gltf",
        r##"{"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}, {"nodes": [1]}],
            "nodes": [{"name": "#1"}, {"name": "wanted", "translation": [1, 2, 3]}]}"##,
    );
    here.run("copy-node two.gltf #1 two.gltf -o out.gltf --json").json(0);
    let text = std::fs::read_to_string(here.path().join("out.gltf")).unwrap();
    let nodes = serde_json::from_str::<Value>(&text).unwrap()["nodes"].clone();
    assert_eq!(nodes[2]["name"], "wanted");
}
