//! `pleach stats`: the costs of a scene.

use crate::common::{Directory, answers_for_all_models, broken_files, golden, models, yard};
use serde_json::{Value, json};

#[test]
fn the_costs_of_the_yard_are_reported() {
    let here = yard::directory();
    golden("stats/yard.txt", &here.run("stats yard.gltf").text(0));
    golden("stats/yard.json", &here.run("stats yard.gltf --json").text(0));
    golden("stats/store.txt", &here.run("stats yard.gltf --scene store").text(0));
}

#[test]
fn exact_bytes_match_the_vertex_data() {
    let here = yard::directory();
    let stats = here.run("stats yard.gltf --json").json(0);
    let category = |name: &str| {
        let categories =
            ["loaded", "on_demand"].map(|it| stats["memory"][it].as_array().unwrap().clone());
        let category = categories.concat().into_iter().find(|it| it["category"] == name).unwrap();
        category["bytes"].as_u64().unwrap()
    };
    // Three cuboids: 24 vertices with position, normal and uv, and 36 indices of 4 bytes.
    let cuboids = 3 * (24 * (12 + 12 + 8) + 36 * 4);
    let roof = 3 * (12 + 12);
    let swollen = 24 * 12 + "swollen".len() as u64;
    let flag = 4 * (12 + 12) + 4 * (4 * 2) + 4 * (4 * 4) + 6 * 4;
    assert_eq!(category("geometries"), cuboids + roof + swollen + flag);
    // Keys with a time and a quaternion, and with a time and a weight.
    assert_eq!(category("animations"), 3 * (4 + 16) + 2 * (4 + 4));
    assert_eq!(category("images"), (yard::PNG.len() + "image/png".len()) as u64);
    assert_eq!(category("decoded images"), 4 * 2 * 4);
    let text = std::fs::metadata(here.path().join("yard.gltf")).unwrap().len();
    assert_eq!(category("json"), text);
    let sum: u64 = stats["memory"]["loaded"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["bytes"].as_u64().unwrap())
        .sum();
    assert_eq!(stats["memory"]["loaded_bytes"], sum);
}

/// The library counts the cost of moving; the expected values follow from the tree.
#[test]
fn moving_a_root_node_changes_it_and_its_descendants() {
    let Some(models) = models() else { return };
    let here = Directory::new();
    let mut compared = 0;
    for (name, path) in models {
        let file = path.to_str().unwrap();
        let run = here.run_args(&["stats", file, "--json"]);
        if run.code != Some(0) {
            continue;
        }
        let stats = run.json(0);
        let tree = here.run_args(&["tree", file, "--json"]).json(0);
        let nodes: Vec<&Value> = tree["nodes"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|it| it["outside_scene"] == false)
            .collect();
        let roots: Vec<usize> = (0..nodes.len()).filter(|&at| nodes[at]["depth"] == 0).collect();
        for (position, &root) in roots.iter().enumerate() {
            // The nodes of a subtree are contiguous.
            let size = roots.get(position + 1).copied().unwrap_or(nodes.len()) - root;
            let moves = stats["moves"].as_array().unwrap();
            let it = moves.iter().find(|it| it["node"] == nodes[root]["node"]).unwrap();
            assert_eq!(
                (&it["descendants"], &it["changed"]),
                (&json!(size - 1), &json!(size)),
                "{name}"
            );
            compared += 1;
        }
        let mut levels: Vec<usize> = Vec::new();
        for node in &nodes {
            let depth = node["depth"].as_u64().unwrap() as usize;
            levels.resize(levels.len().max(depth + 1), 0);
            levels[depth] += 1;
        }
        assert_eq!(stats["levels"]["nodes"], json!(levels), "{name}");
    }
    println!("{compared} moves compared");
    assert!(compared > 60, "{compared}");
}

#[test]
fn the_text_shows_only_the_most_expensive_root_nodes() {
    let here = Directory::new();
    // A hundred nodes; every tenth has a child.
    let nodes: Vec<Value> = (0..110)
        .map(|it| match it {
            _ if it < 100 && it % 10 == 0 => json!({"children": [100 + it / 10]}),
            _ => json!({}),
        })
        .collect();
    let roots: Vec<usize> = (0..100).collect();
    let json = json!({"asset": {"version": "2.0"}, "scenes": [{"nodes": roots}], "nodes": nodes});
    here.write("many.gltf", json.to_string());
    let text = here.run("stats many.gltf").text(0);
    assert!(text.contains("… and 80 more, which change at most 1 node"), "{text}");
    assert_eq!(text.lines().filter(|line| line.contains("1.82 %")).count(), 10, "{text}");
    let stats = here.run("stats many.gltf --json").json(0);
    let indices: Vec<&Value> =
        stats["moves"].as_array().unwrap().iter().map(|it| &it["node"]).collect();
    assert_eq!(json!(indices), json!(roots));
}

#[test]
fn deep_chains_have_truncated_levels() {
    let here = Directory::new();
    here.write("chain.gltf", broken_files::chain(20_000));
    let text = here.run("stats chain.gltf").text(0);
    assert!(text.contains("20,000 levels, at most 1 node on level 1"), "{text}");
    assert!(text.contains("…  19,980 more"), "{text}");
    assert!(text.lines().count() < 60, "{text}");
}

#[test]
fn an_empty_scene_has_no_levels() {
    let here = Directory::new();
    here.write("bare.gltf", r#"{"asset":{"version":"2.0"},"scenes":[{}]}"#);
    let text = here.run("stats bare.gltf").text(0);
    assert!(text.starts_with("bare.gltf, scene 0, 0 nodes\n"), "{text}");
    let stats = here.run("stats bare.gltf --json").json(0);
    assert_eq!(stats["levels"], json!({"total": 0, "nodes": [], "widest": 0}));
    here.write("none.gltf", r#"{"asset":{"version":"2.0"}}"#);
    assert!(here.run("stats none.gltf").error().contains("neither scenes nor nodes"));
}

#[test]
fn control_characters_in_names_are_escaped() {
    let here = yard::directory();
    here.write("hostile.gltf", broken_files::hostile_names().to_string());
    let text = here.run("stats hostile.gltf").text(0);
    assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
    assert!(text.lines().all(|line| line.chars().count() < 130), "{text}");
}

#[test]
fn unreadable_files_are_one_line_errors() {
    let (here, files) = broken_files::unreadable();
    for (file, word) in files {
        let error = here.run_args(&["stats", file]).error();
        assert!(error.contains(word), "{file}: {error}");
    }
}

#[test]
fn invalid_arguments_are_usage_errors() {
    let here = yard::directory();
    for line in ["stats", "stats yard.gltf --scene", "stats yard.gltf --why"] {
        let run = here.run(line);
        assert_eq!((run.code, &*run.stdout), (Some(2), ""), "{line}: {}", run.stderr);
    }
}

#[test]
fn every_sample_model_has_costs() {
    answers_for_all_models("stats FILE");
}
