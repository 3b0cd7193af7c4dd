//! `pleach diff`: compares two files node by node.

use crate::common::gltf_builder::GltfBuilder;
use crate::common::{Directory, broken_files, golden, models, run, yard};
use serde_json::{Value, json};
use testkit::Rng;

/// A house before and after some edits.
fn houses() -> Directory {
    let here = Directory::new();
    let before = json!({
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0, 6]}],
        "nodes": [
            {"name": "house", "children": [1, 2, 3]},
            {"name": "door", "translation": [1, 0, 0]},
            {"name": "window"},
            {"name": "roof", "children": [4, 5], "translation": [0, 3, 0]},
            {"name": "chimney", "translation": [0.5, 1, 0]},
            {"name": "cat"},
            {"name": "garden", "children": [7, 8, 9]},
            {"translation": [1, 1, 1]},
            {"translation": [2, 2, 2]},
            {"name": "shed", "children": [10], "scale": [2, 2, 2]},
            {"name": "rake"}
        ]
    });
    let mut after = before.clone();
    after["scenes"][0]["nodes"] = json!([6, 0]);
    after["nodes"] = json!([
        {"name": "house", "children": [1, 2, 3]},
        {"name": "door", "translation": [1, 0, 2], "rotation": [0, 0.6, 0, 0.8]},
        {"name": "gate"},
        {"name": "roof", "children": [4], "translation": [0, 3, 0]},
        {"name": "chimney", "translation": [0.5, 1, 0], "scale": [2, 2, 4]},
        {"name": "cat"},
        {"name": "garden", "children": [8, 7, 5, 9]},
        {"translation": [1, 1, 1]},
        {"translation": [2, 2, 2.5]},
        {"name": "pond", "children": [10]},
        {"name": "fish"}
    ]);
    here.write("a.gltf", before.to_string());
    here.write("b.gltf", after.to_string());
    here
}

#[test]
fn edits_of_a_house_are_reported() {
    let here = houses();
    golden("diff/house.txt", &here.run("diff a.gltf b.gltf").text(1));
    golden("diff/house.json", &here.run("diff a.gltf b.gltf --json").text(1));
    golden("diff/same.txt", &here.run("diff a.gltf a.gltf").text(0));
    golden("diff/same.json", &here.run("diff a.gltf a.gltf --json").text(0));
    let colored = here.run("diff a.gltf b.gltf --color always").text(1);
    assert!(colored.contains("\u{1b}[32m+ added"), "{colored:?}");
}

#[test]
fn components_are_compared_by_content() {
    let here = yard::directory();
    let (mut yard, mut bytes) = yard::yard();
    let name = |yard: &Value, name: &str| {
        let nodes = yard["nodes"].as_array().unwrap();
        nodes.iter().position(|node| node["name"] == name).unwrap()
    };
    let (attic, sun, eye) = (name(&yard, "attic"), name(&yard, "sun"), name(&yard, "eye"));
    yard["nodes"][attic].as_object_mut().unwrap().remove("extensions");
    yard["nodes"][sun].as_object_mut().unwrap().remove("extensions");
    yard["nodes"][eye]["extensions"] = json!({"KHR_lights_punctual": {"light": 0}});
    yard["cameras"][0]["perspective"]["yfov"] = json!(0.9);
    yard["materials"][1]["pbrMetallicRoughness"]["baseColorFactor"][0] = json!(0.71);
    yard["extensions"]["KHR_lights_punctual"]["lights"][1]["range"] = json!(9);
    yard["skins"][0].as_object_mut().unwrap().remove("inverseBindMatrices");
    yard["animations"][1]["name"] = json!("shrink");
    yard["scenes"][1]["name"] = json!("cellar");
    let box_weights = name(&yard, "box");
    yard["nodes"][box_weights]["weights"] = json!([0.5]);
    // The first position of the fence's post.
    let post = &yard["meshes"][1]["primitives"][0]["attributes"]["POSITION"];
    let view = &yard["accessors"][post.as_u64().unwrap() as usize]["bufferView"];
    let offset =
        yard["bufferViews"][view.as_u64().unwrap() as usize]["byteOffset"].as_u64().unwrap();
    bytes[offset as usize + 3] ^= 1;
    yard["buffers"][0]["uri"] = json!("other.bin");
    here.write("other.gltf", yard.to_string());
    here.write("other.bin", bytes);
    golden("diff/yard.txt", &here.run("diff yard.glb other.gltf").text(1));
    golden("diff/yard.json", &here.run("diff yard.glb other.gltf --json").text(1));
    assert_eq!(here.run("diff yard.glb yard.gltf").text(0), "no difference in 14 nodes\n");
}

#[test]
fn names_and_the_default_scene_are_compared() {
    let here = yard::directory();
    let (yard, _) = yard::yard();
    let lights = "/extensions/KHR_lights_punctual/lights";
    // The pointer, the new value, and the members of the expected change.
    let cases = [
        ("/meshes/0/name", json!("hut"), json!(["mesh renamed", "shed", 0, "shed", "hut"])),
        ("/meshes/2/name", json!(null), json!(["mesh renamed", "box", 2, "box", null])),
        ("/skins/0/name", json!("rag"), json!(["skin renamed", "cloth", 0, "cloth", "rag"])),
        ("/cameras/0/name", json!("f"), json!(["camera renamed", "front", 0, "front", "f"])),
        (
            &*format!("{lights}/1/name"),
            json!("bulb\n"),
            json!(["light renamed", "bulb", 1, "bulb", "bulb\n"]),
        ),
        ("/images/0/name", json!("p"), json!(["image renamed", "planks", 0, "planks", "p"])),
        ("/scene", json!(1), json!(["default scene", "yard", 0, "yard", "store"])),
    ];
    for (pointer, value, expected_change) in cases {
        let mut other = yard.clone();
        *other.pointer_mut(pointer).unwrap() = value.clone();
        here.write("other.gltf", other.to_string());
        let changes = here.run("diff yard.glb other.gltf --json").json(1)["changes"].clone();
        let b = if pointer == "/scene" { json!(1) } else { expected_change[2].clone() };
        let expected = json!([{"change": expected_change[0], "path": expected_change[1], "a": expected_change[2], "b": b,
            "from": expected_change[3], "to": expected_change[4]}]);
        assert_eq!(changes, expected, "{pointer}");
        // In the opposite direction, as text.
        let text = here.run("diff other.gltf yard.glb").text(1);
        assert!(
            text.starts_with(&format!("~ {} ", expected_change[0].as_str().unwrap())),
            "{text}"
        );
        assert_eq!(text.lines().count(), 2, "{text}");
    }
    // Without a default scene it is the first one. Names of textures are not compared.
    let mut other = yard.clone();
    other.as_object_mut().unwrap().remove("scene");
    other["textures"][0]["name"] = json!("planks");
    here.write("other.gltf", other.to_string());
    here.run("diff yard.glb other.gltf").text(0);
    // Unnamed scenes are identified by index.
    for (file, scene) in [("a.gltf", 0), ("b.gltf", 1)] {
        let json = json!({"asset": {"version": "2.0"}, "scene": scene, "scenes": [{}, {}]});
        here.write(file, json.to_string());
    }
    let text = here.run("diff a.gltf b.gltf").text(1);
    assert_eq!(text, "~ default scene (no name) #0→#1\n1 difference: 1 default scene\n");
}

#[test]
fn shared_meshes_and_images_are_reported_once() {
    let here = yard::directory();
    let (mut yard, _) = yard::yard();
    let first = yard["nodes"].as_array().unwrap().len();
    let more = (0..50).map(|it| json!({"name": format!("shed {it}"), "mesh": 0}));
    yard["nodes"].as_array_mut().unwrap().extend(more);
    yard["scenes"][1]["nodes"] = json!((first..first + 50).collect::<Vec<_>>());
    here.write("a.gltf", yard.to_string());
    yard["meshes"][0]["name"] = json!("hut");
    yard["images"][0]["name"] = json!("boards");
    here.write("b.gltf", yard.to_string());
    let text = here.run("diff a.gltf b.gltf").text(1);
    assert_eq!(
        text,
        "~ mesh renamed shed #0: \"shed\" → \"hut\"\n\
         ~ image renamed planks #0: \"planks\" → \"boards\"\n\
         2 differences: 1 image renamed, 1 mesh renamed\n"
    );
}

#[test]
fn the_skeleton_of_a_skin_is_compared() {
    let here = yard::directory();
    let (mut yard, _) = yard::yard();
    yard["skins"][0]["skeleton"] = json!(8);
    here.write("other.gltf", yard.to_string());
    let text = here.run("diff yard.glb other.gltf").text(1);
    assert!(text.starts_with("~ skin       scene 0: flag #7: changed\n1 difference"), "{text}");
}

#[test]
fn numbers_may_differ_by_the_tolerance() {
    let here = Directory::new();
    for (file, x) in [("a.gltf", "1"), ("b.gltf", "1.001"), ("c.gltf", "1.0000001")] {
        let text = r#"{"asset":{"version":"2.0"},"nodes":[{"name":"n","translation":[X,0,0]}]}"#;
        here.write(file, text.replace('X', x));
    }
    here.run("diff a.gltf b.gltf").text(1);
    here.run("diff a.gltf c.gltf").text(1);
    here.run("diff a.gltf b.gltf --tolerance 0.002").text(0);
    here.run("diff a.gltf b.gltf --tolerance 0.0005").text(1);
    for bad in ["-1", "nan", "inf", "x"] {
        let run = here.run(&format!("diff a.gltf b.gltf --tolerance={bad}"));
        assert_eq!(run.code, Some(2), "{bad}: {}", run.stderr);
    }
}

#[test]
fn every_model_is_the_same_as_itself_and_differs_from_others() {
    let Some(models) = models() else { return };
    let here = Directory::new();
    let mut known = Vec::new();
    for (name, path) in &models {
        let file = path.to_str().unwrap();
        let same = run(here.path(), ["diff", file, file, "--json"]);
        if same.stdout.is_empty() {
            continue;
        }
        let json = same.json(0);
        assert_eq!((&json["same"], &json["changes"]), (&json!(true), &json!([])), "{name}");
        known.push(file);
    }
    assert!(known.len() > 40, "only {} models", known.len());
    for pair in known.windows(2) {
        let run = run(here.path(), ["diff", pair[0], pair[1], "--json"]);
        let code = run.code;
        let json = run.json(code.unwrap());
        assert_eq!(json["same"], json!(code == Some(0)), "{pair:?}");
    }
}

// ---- Random edits with known results ----

/// A tree in which every node has a unique name and translation.
#[derive(Clone)]
struct RandomTree {
    /// Name, parent and x translation; `None` for removed nodes.
    nodes: Vec<Option<(String, Option<usize>, f64)>>,
}

impl RandomTree {
    fn random(rng: &mut Rng, count: usize) -> Self {
        let node = |index: usize, rng: &mut Rng| {
            let parent = (index > 0 && rng.below(5) > 0).then(|| rng.below(index));
            Some((format!("n{index}"), parent, index as f64 + 0.5))
        };
        Self { nodes: (0..count).map(|index| node(index, rng)).collect() }
    }

    fn children(&self, parent: usize) -> Vec<usize> {
        let nodes = self.nodes.iter().enumerate();
        let nodes = nodes.filter(|(_, node)| node.as_ref().is_some_and(|it| it.1 == Some(parent)));
        nodes.map(|(index, _)| index).collect()
    }

    fn is_descendant(&self, node: usize, top: usize) -> bool {
        let mut at = Some(node);
        while let Some(node) = at {
            if node == top {
                return true;
            }
            at = self.nodes[node].as_ref().and_then(|it| it.1);
        }
        false
    }

    /// Returns a file with the nodes in random order.
    fn file(&self, rng: &mut Rng) -> String {
        let mut order: Vec<usize> =
            (0..self.nodes.len()).filter(|&it| self.nodes[it].is_some()).collect();
        rng.shuffle(&mut order);
        let offset = |node: usize| order.iter().position(|&it| it == node).unwrap();
        let nodes: Vec<Value> = order
            .iter()
            .map(|&index| {
                let (name, _, x) = self.nodes[index].as_ref().unwrap();
                let mut json = json!({"name": name, "translation": [x, 0, 0]});
                let children: Vec<usize> = self.children(index).into_iter().map(offset).collect();
                if !children.is_empty() {
                    json["children"] = json!(children);
                }
                json
            })
            .collect();
        let is_root = |index: &&usize| self.nodes[**index].as_ref().unwrap().1.is_none();
        let roots: Vec<usize> = order.iter().filter(is_root).map(|&it| offset(it)).collect();
        json!({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": roots}],
            "nodes": nodes})
        .to_string()
    }
}

#[test]
fn exactly_the_known_edits_are_reported() {
    let here = Directory::new();
    for seed in 0..60 {
        let rng = &mut Rng::new(seed);
        let tree = RandomTree::random(rng, 30);
        let mut edited = tree.clone();
        let mut expected: Vec<(String, String)> = Vec::new();
        // Each edit is on a different node, so that they are independent.
        let mut free: Vec<usize> = (0..30).collect();
        for edit in ["moved", "renamed", "removed", "added", "reparented", "moved"] {
            let node = free.swap_remove(rng.below(free.len()));
            let Some((name, parent, _)) = edited.nodes[node].clone() else { continue };
            let last = edited.nodes.len();
            match edit {
                "moved" => edited.nodes[node].as_mut().unwrap().2 += 100.0,
                "renamed" => edited.nodes[node].as_mut().unwrap().0 = format!("new-{name}"),
                "removed" if edited.children(node).is_empty() => edited.nodes[node] = None,
                "added" => edited.nodes.push(Some((format!("added-{last}"), Some(node), 7.0))),
                "reparented" => {
                    let to = rng.below(30);
                    let is_free = edited.nodes[to].is_some() && !edited.is_descendant(to, node);
                    if !is_free || parent == Some(to) || parent.is_none() {
                        continue;
                    }
                    edited.nodes[node].as_mut().unwrap().1 = Some(to);
                }
                _ => continue,
            }
            let name = if edit == "added" { format!("added-{last}") } else { name };
            expected.push((edit.into(), name));
        }
        here.write("a.gltf", tree.file(rng));
        here.write("b.gltf", edited.file(rng));
        let code = i32::from(!expected.is_empty());
        let found = here.run("diff a.gltf b.gltf --json").json(code);
        let mut found: Vec<(String, String)> = found["changes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|change| {
                let path = change["path"].as_str().unwrap();
                let name = path.rsplit('/').next().unwrap();
                (change["change"].as_str().unwrap().into(), name.into())
            })
            .collect();
        found.sort();
        expected.sort();
        assert_eq!(found, expected, "seed {seed}");
    }
}

// ---- Unusual files ----

#[test]
fn long_chains_and_wide_trees_are_compared() {
    let here = Directory::new();
    here.write("chain.gltf", broken_files::chain(20_000));
    here.write("other.gltf", broken_files::chain(20_000).replace("\"end\"", "\"tail\""));
    let text = here.run("diff chain.gltf other.gltf").text(1);
    assert!(text.starts_with("~ renamed    …/#19984/"), "{text}");
    assert!(text.ends_with("1 difference: 1 renamed\n"), "{text}");
    here.run("diff chain.gltf chain.gltf").text(0);
    // Many equal nodes, and one fewer.
    let wide = |count: usize| {
        let nodes: Vec<Value> =
            (0..count).map(|it| json!({"name": format!("n{}", it % 7)})).collect();
        json!({"asset": {"version": "2.0"}, "nodes": nodes}).to_string()
    };
    here.write("wide.gltf", wide(30_001));
    here.write("less.gltf", wide(30_000));
    let text = here.run("diff wide.gltf less.gltf").text(1);
    assert!(text.ends_with("1 difference: 1 removed\n"), "{text}");
}

#[test]
fn files_without_scenes_are_compared() {
    let here = Directory::new();
    here.write("none.gltf", r#"{"asset":{"version":"2.0"}}"#);
    here.write("one.gltf", r#"{"asset":{"version":"2.0"},"nodes":[{"name":"n"}]}"#);
    here.write("scene.gltf", r#"{"asset":{"version":"2.0"},"scenes":[{"name":"s"}]}"#);
    assert_eq!(here.run("diff none.gltf none.gltf").text(0), "no difference in 0 nodes\n");
    let text = here.run("diff none.gltf one.gltf").text(1);
    assert!(text.starts_with("+ unreferenced added unreferenced nodes and 1 descendant"), "{text}");
    // Unreferenced nodes are not matched with a scene.
    let text = here.run("diff one.gltf scene.gltf").text(1);
    assert!(text.contains("+ scene added") && text.contains("- unreferenced removed"), "{text}");
    let text = here.run("diff scene.gltf none.gltf").text(1);
    assert!(text.starts_with("- scene removed s #0\n"), "{text}");
}

#[test]
fn unreadable_files_are_one_line_errors() {
    let (here, bad) = broken_files::unreadable();
    for (file, word) in bad {
        for line in [format!("diff {file} yard.glb"), format!("diff yard.glb {file}")] {
            let error = here.run(&line).error();
            assert!(error.contains(word), "{error}");
        }
    }
}

#[test]
fn control_characters_in_names_are_escaped() {
    let here = yard::directory();
    here.write("hostile.gltf", broken_files::hostile_names().to_string());
    let run = here.run("diff yard.glb hostile.gltf");
    assert!(!run.stdout.contains('\u{1b}'), "{}", run.stdout);
    assert!(run.text(1).lines().all(|line| line.starts_with(['+', '-', '~', ' ', '1', '2'])));
}

/// Two triangles that share their vertices, the last of which is at `last`.
fn shared(last: [f32; 3]) -> Directory {
    let mut builder = GltfBuilder::default();
    let list = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], last];
    let positions = builder.vectors(&list);
    let mesh = |indices: usize| {
        let attributes = json!({"POSITION": positions});
        json!({"primitives": [{"attributes": attributes, "indices": indices}]})
    };
    let meshes = [mesh(builder.indices(&[0, 1, 2])), mesh(builder.indices(&[1, 3, 2]))];
    let json = json!({
        "asset": {"version": "2.0"},
        "scenes": [{"nodes": [0, 1]}],
        "nodes": [{"name": "left", "mesh": 0}, {"name": "right", "mesh": 1}],
        "meshes": meshes, "accessors": builder.accessors, "bufferViews": builder.views,
        "buffers": [{"uri": "list.bin", "byteLength": builder.bytes.len()}],
    });
    let here = Directory::new();
    here.write("list.gltf", json.to_string());
    here.write("list.bin", builder.bytes);
    here
}

#[test]
fn meshes_with_shared_vertex_data_are_compared() {
    let (one, same, other) = (shared([1.0; 3]), shared([1.0; 3]), shared([2.0; 3]));
    let diff = |with: &Directory| {
        let path = with.path().join("list.gltf");
        one.run_args(&["diff", "list.gltf", path.to_str().unwrap(), "--json"])
    };
    assert_eq!(diff(&same).json(0)["changes"], json!([]));
    let answer = diff(&other).json(1);
    let changes = answer["changes"].as_array().unwrap();
    let paths: Vec<&Value> = changes.iter().map(|it| &it["path"]).collect();
    assert_eq!(paths, ["left", "right"], "{answer}");
}
