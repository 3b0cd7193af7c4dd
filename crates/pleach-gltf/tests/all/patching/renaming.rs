//! Nodes that were renamed and changed are recognized below the same parent, unless it is ambiguous.

use pleach_gltf::Options;
use pleach_gltf::patch::{EditAction, Merged, merge};
use serde_json::{Value, json};
use testkit::{Effort, Rng};

use super::content::content;
use super::{Model, check_patch};

/// A model with these nodes, the first of which is the root; two meshes, a camera and a light.
fn model(nodes: Value) -> Model {
    let mesh = |name: &str| json!({"name": name, "primitives": [{"attributes": {"POSITION": 0}}]});
    Model::new(json!({
        "asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": nodes,
        "extensionsUsed": ["KHR_lights_punctual"],
        "extensions": {"KHR_lights_punctual": {"lights": [{"type": "point"}]}},
        "cameras": [{"type": "perspective", "perspective": {"yfov": 1, "znear": 0.1}}],
        "meshes": [mesh("post"), mesh("rail")],
        "accessors": [{"componentType": 5126, "count": 3, "type": "VEC3",
            "min": [0, 0, 0], "max": [0, 0, 0]}]
    }))
}

/// Returns the nodes that the patch removes and adds, and the renamed ones as `old>new`, in order. The
/// patch is checked.
#[track_caller]
fn changes(a: Value, b: Value) -> String {
    let (a, b) = (model(a).load(), model(b).load());
    let mut out = Vec::new();
    for edit in check_patch(&a, &b, "renamed").edits() {
        let value = |value: Option<String>| value.unwrap_or_default().replace('"', "");
        match edit.action {
            EditAction::Removed => out.push(format!("-{}", edit.path)),
            EditAction::Added => out.push(format!("+{}", edit.path)),
            _ if edit.property == "name" => {
                out.push(format!("{}>{}", value(edit.old), value(edit.new)));
            }
            _ => {}
        }
    }
    out.join(" ")
}

#[test]
fn a_node_with_the_same_object_or_children_was_renamed_and_changed() {
    let light = json!({"KHR_lights_punctual": {"light": 0}});
    for kind in [
        json!({"mesh": 1}),
        json!({"camera": 0}),
        json!({"extensions": light}),
        json!({"children": [2, 3]}),
        json!({"mesh": 0, "children": [2, 3]}),
    ] {
        let nodes = |name: &str, x: f32| {
            let mut node = kind.clone();
            node["name"] = json!(name);
            node["translation"] = json!([x, 0, 0]);
            let children = [json!({"name": "c", "mesh": 1}), json!({"name": "d"})];
            let mut nodes = vec![json!({"name": "root", "children": [1]}), node];
            if kind.get("children").is_some() {
                nodes.extend(children);
            }
            Value::Array(nodes)
        };
        assert_eq!(changes(nodes("old", 1.0), nodes("new", 2.0)), "old>new", "{kind}");
    }
    // The children changed as well, but not their names.
    let nodes = |name: &str, x: f32| {
        json!([{"name": "root", "children": [1]}, {"name": name, "scale": [x, 1, 1], "children": [2]},
            {"name": "c", "translation": [x, 0, 0]}])
    };
    assert_eq!(changes(nodes("old", 1.0), nodes("new", 2.0)), "old>new");
}

/// The root, and posts with these names, which have the same mesh and various places.
fn posts(names: &[&str]) -> Value {
    let children: Vec<usize> = (1..=names.len()).collect();
    let mut nodes = vec![json!({"name": "root", "children": children})];
    let post = |name: &&str| {
        let x: u32 = name.bytes().map(u32::from).sum();
        json!({"name": name, "mesh": 0, "translation": [x, 0, 0]})
    };
    nodes.extend(names.iter().map(post));
    Value::Array(nodes)
}

#[test]
fn equal_nodes_are_matched_in_order_if_there_are_as_many() {
    assert_eq!(changes(posts(&["a", "b", "c"]), posts(&["a", "x", "y"])), "b>x c>y");
    assert_eq!(changes(posts(&["a", "b", "c"]), posts(&["x", "c", "y"])), "a>x b>y");
    // It is not known which one was removed.
    assert_eq!(changes(posts(&["a", "b", "c"]), posts(&["a", "x"])), "-root/b -root/c +root/x");
    assert_eq!(changes(posts(&["a", "b"]), posts(&["a", "x", "y"])), "-root/b +root/x +root/y");
}

#[test]
fn nodes_without_anything_in_common_are_removed_and_added() {
    let nodes = |name: &str, more: Value| {
        let mut node = more;
        node["name"] = json!(name);
        json!([{"name": "root", "children": [1]}, node])
    };
    let moved = json!({"translation": [1, 0, 0]});
    assert_eq!(changes(nodes("a", json!({})), nodes("b", moved.clone())), "-root/a +root/b");
    let other_mesh = json!({"mesh": 1, "translation": [1, 0, 0]});
    assert_eq!(changes(nodes("a", json!({"mesh": 0})), nodes("b", other_mesh)), "-root/a +root/b");
    // Names that occur in both files belong to those nodes.
    let a = json!([{"name": "root", "children": [1, 2]}, {"name": "a", "mesh": 0},
        {"name": "group", "children": [3]}, {"name": "b", "mesh": 0, "scale": [2, 2, 2]}]);
    let b = json!([{"name": "root", "children": [1, 2]}, {"name": "b", "mesh": 0, "scale": [3, 3, 3]},
        {"name": "group"}]);
    assert_eq!(changes(a, b), "-root/a");
}

#[test]
fn both_sides_of_a_merge_may_change_a_node_that_one_renamed() {
    let base = model(posts(&["a", "b"]));
    let (mut ours, mut theirs) = (base.clone(), base.clone());
    ours.json["nodes"][2]["name"] = json!("gate");
    ours.json["nodes"][2]["scale"] = json!([1, 1, 2]);
    theirs.json["nodes"][2]["extras"] = json!({"wood": "oak"});
    let mut expected = ours.clone();
    expected.json["nodes"][2]["extras"] = json!({"wood": "oak"});
    for (ours, theirs) in [(&ours, &theirs), (&theirs, &ours)] {
        let merged = merge(Some(&base.load()), &ours.load(), &theirs.load(), &Options::new());
        let Merged::Document(merged) = merged.unwrap() else { panic!("conflicts") };
        assert_eq!(content(&merged), content(&expected.load()));
    }
    theirs.json["nodes"][2]["name"] = json!("door");
    let merged = merge(Some(&base.load()), &ours.load(), &theirs.load(), &Options::new());
    assert!(matches!(merged.unwrap(), Merged::Conflicts(conflicts) if conflicts.len() == 1));
}

/// Whatever is matched, applying the patch gives the other file.
#[test]
fn patches_of_random_renames_are_right() {
    let rng = &mut Rng::from_env(7);
    for _ in 0..Effort::pick(300, 30_000) {
        let [a, b] = [(); 2].map(|()| {
            let count = 1 + rng.below(8);
            let mut nodes: Vec<Value> = (0..count)
                .map(|_| {
                    let mut node = json!({"name": format!("n{}", rng.below(12))});
                    if rng.one_in(2) {
                        node["mesh"] = json!(rng.below(2));
                    }
                    if rng.one_in(2) {
                        node["translation"] = json!([rng.below(3), 0, 0]);
                    }
                    node
                })
                .collect();
            for child in 1..count {
                let parent = &mut nodes[rng.below(child)];
                match parent.get_mut("children").and_then(Value::as_array_mut) {
                    Some(children) => children.push(json!(child)),
                    None => parent["children"] = json!([child]),
                }
            }
            model(Value::Array(nodes)).load()
        });
        check_patch(&a, &b, &format!("seed {}", rng.state()));
    }
}
