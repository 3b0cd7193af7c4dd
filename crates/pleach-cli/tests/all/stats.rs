//! `pleach stats`: what a scene costs.

use crate::common::{Directory, answers_for_all_models, broken_files, golden, models, yard};
use serde_json::{Value, json};

#[test]
fn a_yard_has_its_costs() {
    let here = yard::directory();
    golden("stats/yard.txt", &here.run("stats yard.gltf").text(0));
    golden("stats/yard.json", &here.run("stats yard.gltf --json").text(0));
    golden("stats/store.txt", &here.run("stats yard.gltf --scene store").text(0));
}

#[test]
fn counted_bytes_are_those_of_the_columns() {
    let here = yard::directory();
    let stats = here.run("stats yard.gltf --json").json(0);
    let part = |name: &str| {
        let parts =
            ["loaded", "on_demand"].map(|it| stats["memory"][it].as_array().unwrap().clone());
        let part = parts.concat().into_iter().find(|it| it["category"] == name).unwrap();
        part["bytes"].as_u64().unwrap()
    };
    // 24 vertices of position, normal and uv, and 36 indices of 4 bytes each, three times.
    let cuboids = 3 * (24 * (12 + 12 + 8) + 36 * 4);
    let roof = 3 * (12 + 12);
    let swollen = 24 * 12 + "swollen".len() as u64;
    let flag = 4 * (12 + 12) + 4 * (4 * 2) + 4 * (4 * 4) + 6 * 4;
    assert_eq!(part("geometries"), cuboids + roof + swollen + flag);
    // Keys of a time and a quaternion; of a time and a weight.
    assert_eq!(part("animations"), 3 * (4 + 16) + 2 * (4 + 4));
    assert_eq!(part("images"), (yard::PNG.len() + "image/png".len()) as u64);
    assert_eq!(part("decoded images"), 4 * 2 * 4);
    let text = std::fs::metadata(here.path().join("yard.gltf")).unwrap().len();
    assert_eq!(part("json"), text);
    let sum: u64 = stats["memory"]["loaded"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["bytes"].as_u64().unwrap())
        .sum();
    assert_eq!(stats["memory"]["loaded_bytes"], sum);
}

/// The costs of moving are counted by the library; what they must be follows from the tree.
#[test]
fn moving_a_topmost_node_rewrites_it_and_all_below() {
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
        let tops: Vec<usize> = (0..nodes.len()).filter(|&at| nodes[at]["depth"] == 0).collect();
        for (place, &top) in tops.iter().enumerate() {
            // The nodes of a tree follow one another.
            let size = tops.get(place + 1).copied().unwrap_or(nodes.len()) - top;
            let moves = stats["moves"].as_array().unwrap();
            let it = moves.iter().find(|it| it["node"] == nodes[top]["node"]).unwrap();
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
fn many_topmost_nodes_are_cut_to_the_dearest_for_people() {
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
    assert!(text.contains("… and 80 more, which rewrite 1 node at most"), "{text}");
    assert_eq!(text.lines().filter(|line| line.contains("1.82 %")).count(), 10, "{text}");
    let stats = here.run("stats many.gltf --json").json(0);
    let indices: Vec<&Value> =
        stats["moves"].as_array().unwrap().iter().map(|it| &it["node"]).collect();
    assert_eq!(json!(indices), json!(roots));
}

#[test]
fn a_deep_chain_is_counted() {
    let here = Directory::new();
    here.write("chain.gltf", broken_files::chain(20_000));
    let text = here.run("stats chain.gltf").text(0);
    assert!(text.contains("20,000 levels, at most 1 node on level 1"), "{text}");
    assert!(text.contains("…  19,980 more"), "{text}");
    assert!(text.lines().count() < 60, "{text}");
}

#[test]
fn an_empty_scene_costs_next_to_nothing() {
    let here = Directory::new();
    here.write("bare.gltf", r#"{"asset":{"version":"2.0"},"scenes":[{}]}"#);
    let text = here.run("stats bare.gltf").text(0);
    assert!(text.starts_with("bare.gltf, scene 0, 0 nodes\n"), "{text}");
    let stats = here.run("stats bare.gltf --json").json(0);
    assert_eq!(stats["levels"], json!({"total": 0, "nodes": [], "widest": 0}));
    here.write("none.gltf", r#"{"asset":{"version":"2.0"}}"#);
    assert!(here.run("stats none.gltf").complaint().contains("no scene"));
}

#[test]
fn names_cannot_speak_to_the_terminal() {
    let here = yard::directory();
    here.write("hostile.gltf", broken_files::hostile_names().to_string());
    let text = here.run("stats hostile.gltf").text(0);
    assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
    assert!(text.lines().all(|line| line.chars().count() < 130), "{text}");
}

#[test]
fn what_cannot_be_read_is_told_in_one_line() {
    let (here, files) = broken_files::unreadable();
    for (file, word) in files {
        let complaint = here.run_args(&["stats", file]).complaint();
        assert!(complaint.contains(word), "{file}: {complaint}");
    }
}

#[test]
fn a_bad_command_line_is_usage() {
    let here = yard::directory();
    for line in ["stats", "stats yard.gltf --scene", "stats yard.gltf --why"] {
        let run = here.run(line);
        assert_eq!((run.code, &*run.stdout), (Some(2), ""), "{line}: {}", run.stderr);
    }
}

#[test]
fn every_model_has_costs() {
    answers_for_all_models("stats FILE");
}
