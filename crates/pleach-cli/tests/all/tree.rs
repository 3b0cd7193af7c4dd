//! `pleach tree`: the nodes of a scene.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use crate::common::{
    Directory, answers_for_all_models, broken_files, command, golden, models, yard,
};
use serde_json::{Value, json};

#[test]
fn the_yard_is_printed_as_a_tree() {
    let here = yard::directory();
    golden("tree/yard.txt", &here.run("tree yard.gltf").text(0));
    golden("tree/yard.json", &here.run("tree yard.gltf --json").text(0));
    golden("tree/ascii.txt", &here.run("tree yard.gltf --ascii --depth 2").text(0));
    golden("tree/store.txt", &here.run("tree yard.gltf --scene store").text(0));
    assert_eq!(
        here.run("tree yard.gltf --scene 1 --json").json(0),
        here.run("tree yard.gltf --scene store --json").json(0),
    );
}

#[test]
fn transforms_are_printed_on_request() {
    let here = yard::directory();
    let text = here.run("tree yard.gltf --local --world --kind camera --kind light").text(0);
    golden("tree/transforms.txt", &text);
    let nodes = here.run("tree yard.gltf --local --world --json").json(0)["nodes"].clone();
    let shed = &nodes[1];
    assert_eq!(
        shed["local"],
        json!({"translation": [2.0, 1.0, 0.0], "rotation": [0.0, 0.0, 0.0, 1.0],
            "scale": [1.0, 1.0, 1.0]})
    );
    // +Y up is converted to +Z up: the file's (2, 1, 0) is (2, 0, 1).
    let world = [1, 0, 0, 0, 0, 0, 1, 0, 0, -1, 0, 0, 2, 0, 1, 1].map(f64::from);
    let got = shed["world"].as_array().unwrap().iter().map(|it| it.as_f64().unwrap());
    assert!(got.eq(world), "{shed}");
    let store = here.run("tree yard.gltf --local --json --scene store").json(0);
    assert_eq!(store["nodes"][0]["local"]["matrix"][12], 5.0);
}

#[test]
fn filters_keep_matching_nodes_and_their_ancestors() {
    let here = yard::directory();
    golden("tree/filter.txt", &here.run("tree yard.gltf --filter O --kind mesh").text(0));
    let tree = here.run("tree yard.gltf --filter TIP --json").json(0);
    let shown: Vec<(&Value, &Value)> =
        tree["nodes"].as_array().unwrap().iter().map(|it| (&it["name"], &it["matches"])).collect();
    let (yes, no) = (&json!(true), &json!(false));
    assert_eq!(shown, [(&json!("yard"), no), (&json!("pole"), no), (&json!("tip"), yes)]);
    assert_eq!((&tree["matching"], &tree["total"]), (&json!(1), &json!(12)));
}

#[test]
fn kinds_follow_from_components_and_skins() {
    let here = yard::directory();
    let of = |kind: &str| -> Vec<String> {
        let tree = here.run(&format!("tree yard.gltf --json --kind {kind}")).json(0);
        let nodes = tree["nodes"].as_array().unwrap().iter();
        let matching = nodes.filter(|it| it["matches"] == true);
        matching.map(|it| it["name"].as_str().unwrap().into()).collect()
    };
    assert_eq!(of("mesh"), ["shed", "fence", "box", "lamp", "flag"]);
    assert_eq!(of("skin"), ["flag"]);
    assert_eq!(of("light"), ["sun", "lamp"]);
    assert_eq!(of("camera"), ["eye"]);
    assert_eq!(of("joint"), ["pole", "tip"]);
    assert_eq!(of("group"), ["yard", "attic", "socket"]);
    assert_eq!(of("joint --kind camera"), ["eye", "pole", "tip"]);
}

#[test]
fn a_filter_without_matches_is_not_an_error() {
    let here = yard::directory();
    let text = here.run("tree yard.gltf --filter zebra").text(0);
    assert_eq!(text, "yard.gltf, scene 0 \"yard\", 12 nodes\n0 of 12 nodes match\n");
    assert_eq!(here.run("tree yard.gltf --filter zebra --json").json(0)["nodes"], json!([]));
}

#[test]
fn joints_outside_the_scene_come_last() {
    let here = yard::directory();
    let (mut json, _) = yard::yard();
    // The pole is no longer in any scene, but the flag uses it.
    json["nodes"][0]["children"] = json!([1]);
    here.write("poleless.gltf", json.to_string());
    golden("tree/outside.txt", &here.run("tree poleless.gltf").text(0));
    let tree = here.run("tree poleless.gltf --json").json(0);
    let outside: Vec<&Value> = tree["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|it| it["outside_scene"] == true)
        .map(|it| &it["node"])
        .collect();
    assert_eq!(outside, [&json!(8), &json!(9)]);
}

#[test]
fn nodes_parents_and_order_match_the_expected_values_of_the_models() {
    let Some(models) = models() else { return };
    let here = Directory::new();
    let mut compared = 0;
    for (name, path) in models {
        let expected = std::fs::read_to_string(path.with_file_name("expected.json")).unwrap();
        let expected: Value = serde_json::from_str(&expected).unwrap();
        for (scene, want) in expected["scenes"].as_array().into_iter().flatten().enumerate() {
            let scene = scene.to_string();
            let file = path.to_str().unwrap();
            let tree = here.run_args(&["tree", file, "--json", "--scene", &scene]).json(0);
            let nodes = tree["nodes"].as_array().unwrap();
            let nodes: Vec<&Value> =
                nodes.iter().filter(|it| it["outside_scene"] == false).collect();
            let order: Vec<Value> = nodes.iter().map(|it| it["node"].clone()).collect();
            assert_eq!(Value::from(order), want["nodes"], "{name}");
            for node in nodes {
                let want = &expected["nodes"][node["node"].as_u64().unwrap() as usize];
                let parent = node["parent"].as_i64().unwrap_or(-1);
                assert_eq!(parent, want["parent"], "{name}: {node}");
                assert_eq!(node["name"], want["name"], "{name}: {node}");
                assert_eq!(node["visible"], want.get("visible").is_none(), "{name}: {node}");
                assert_eq!(node["mesh"].is_null(), want.get("mesh").is_none(), "{name}: {node}");
                compared += 1;
            }
        }
    }
    println!("{compared} nodes compared");
    assert!(compared > 1000, "{compared}");
}

#[test]
fn lines_of_a_deep_chain_have_bounded_length() {
    let here = Directory::new();
    here.write("chain.gltf", broken_files::chain(20_000));
    let text = here.run("tree chain.gltf").text(0);
    assert_eq!(text.lines().count(), 20_001);
    assert!(text.lines().all(|line| line.len() < 130));
    assert!(
        text.ends_with("└─ (depth 19999) #19999 \"end\"  group\n"),
        "{}",
        &text[text.len() - 200..]
    );
    let cut = here.run("tree chain.gltf --depth 1").text(0);
    assert!(cut.contains("#0  group  (+19,999 omitted)"), "{cut}");
    let end = here.run("tree chain.gltf --filter end --json").json(0);
    assert_eq!((&end["matching"], &end["nodes"][19_999]["depth"]), (&json!(1), &json!(19_999)));
}

#[test]
fn a_reader_that_stops_early_is_not_an_error() {
    let here = Directory::new();
    here.write("chain.gltf", broken_files::chain(5_000));
    for json in [&[][..], &["--json"]] {
        let mut child = command()
            .current_dir(here.path())
            .args(["tree", "chain.gltf"])
            .args(json)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut reader = BufReader::new(child.stdout.take().unwrap());
        let mut first = String::new();
        reader.read_line(&mut first).unwrap();
        assert!(!first.is_empty());
        drop(reader);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    }
}

#[test]
fn control_characters_in_names_are_escaped() {
    let here = yard::directory();
    here.write("hostile.gltf", broken_files::hostile_names().to_string());
    for line in ["tree hostile.gltf", "tree hostile.gltf --kind joint --local --world"] {
        let text = here.run(line).text(0);
        assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
    }
    let lines = here.run("tree hostile.gltf").text(0).lines().count();
    assert_eq!(lines, here.run("tree yard.gltf").text(0).lines().count());
    // With colours, all escape sequences are style sequences, which end in `m`.
    let styled = here.run("tree hostile.gltf --color always --kind joint").text(0);
    let ours = styled.split('\u{1b}').skip(1).all(|it| {
        it.strip_prefix('[')
            .and_then(|it| it.trim_start_matches(|c: char| c.is_ascii_digit()).chars().next())
            == Some('m')
    });
    assert!(ours && styled.contains('\u{1b}'), "{styled:?}");
}

#[test]
fn unreadable_files_are_one_line_errors() {
    let (here, files) = broken_files::unreadable();
    for (file, word) in files {
        let error = here.run_args(&["tree", file]).error();
        assert!(error.contains(word), "{file}: {error}");
    }
}

#[test]
fn a_missing_scene_is_an_error_that_lists_the_scenes() {
    let here = yard::directory();
    let error = here.run("tree yard.gltf --scene attic").error();
    assert_eq!(error, r#"error: no scene "attic"; the file has: 0 "yard", 1 "store""#);
}

#[test]
fn invalid_arguments_are_usage_errors() {
    let here = yard::directory();
    let lines = [
        "tree",
        "tree yard.gltf --depth 0",
        "tree yard.gltf --depth -1",
        "tree yard.gltf --depth many",
        "tree yard.gltf --kind tree",
        "tree yard.gltf --filter",
    ];
    here.assert_usage_errors(&lines);
}

#[test]
fn every_sample_model_has_a_tree() {
    answers_for_all_models("tree FILE --local --world");
}
