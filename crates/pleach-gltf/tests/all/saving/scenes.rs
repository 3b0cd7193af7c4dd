//! Edits of scenes: roots, the up-axis node, shared roots, and nodes in no scene.

use pleach::glam::{Mat4, Vec3};
use pleach::{Node, NodeId, Scene};
use pleach_gltf::Document;

use super::save_and_check::{save_and_check, scene_after, yard_after};
use crate::common_save::{
    again, assert_differences, check_file, describe, differences, load, load_with, load_yard,
    saved, text_of, value, yard,
};

#[test]
fn a_scene_can_be_named() {
    let (before, after) = scene_after(|scene| scene.name = "court".into());
    assert_eq!(after, before.replace("\"name\": \"yard\"", "\"name\": \"court\""));
    let (before, after) = scene_after(|scene| scene.name.clear());
    assert_differences(&before, &after, &["-/scenes/0/name"]);
}

#[test]
fn a_sibling_of_the_up_axis_node_gets_its_own_up_axis_node() {
    let (before, after) = scene_after(|scene| {
        scene.spawn(Node::group().named("bird").at(Vec3::new(1.0, 2.0, 3.0))).unwrap();
    });
    assert_differences(
        &before,
        &after,
        &[
            "+/nodes/15 = {\"children\":[16],\"matrix\":[1,0,0,0,0,0,-1,0,0,1,0,0,0,0,0,1],\"name\":\"Z up\"}",
            "+/nodes/16 = {\"name\":\"bird\",\"translation\":[1,2,3]}",
            "/scenes/0/nodes = [0,1,3,5,6,7,8,13,14,15]",
        ],
    );
}

#[test]
fn a_moved_up_axis_node_is_written() {
    let (before, after) = yard_after(|document| {
        let up_axis_node = document.up_axis_node(0).unwrap();
        let scene = &mut document.scenes_mut()[0];
        scene.node_mut(up_axis_node).unwrap().set_name("all");
        let moved = Mat4::from_translation(Vec3::new(1.0, 2.0, 3.0));
        let matrix = moved * scene.node(up_axis_node).unwrap().local_matrix();
        scene.node_mut(up_axis_node).unwrap().set_local_matrix(matrix).unwrap();
    });
    assert_differences(
        &before,
        &after,
        &[
            "+/nodes/15 = {\"children\":[16],\"matrix\":[1,0,0,0,0,0,-1,0,0,1,0,0,0,0,0,1],\"name\":\"Z up\"}",
            "+/nodes/16 = {\"children\":[0,1,3,5,6,7,8,13,14],\"matrix\":[1,0,0,0,0,0,1,0,0,-1,0,0,1,2,3,1],\"name\":\"all\"}",
            "/scenes/0/nodes = [15]",
        ],
    );
}

#[test]
fn a_named_up_axis_node_is_written() {
    let (_, mut document) = load_yard();
    let up_axis_node = document.up_axis_node(0).unwrap();
    document.scenes_mut()[0].node_mut(up_axis_node).unwrap().set_name("up");
    let saved = saved(&document);
    check_file(&saved);
    assert!(text_of(&saved).contains("\"up\"") || !saved.report.is_empty());
}

#[test]
fn nodes_without_the_up_axis_node_are_written() {
    let (_, mut document) = load_yard();
    let up_axis_node = document.up_axis_node(0).unwrap();
    let scene = &mut document.scenes_mut()[0];
    let root = scene.root();
    let tops: Vec<NodeId> = scene.node(up_axis_node).unwrap().children().collect();
    for top in tops {
        scene.graph.attach(top, root).unwrap();
    }
    scene.remove(up_axis_node).unwrap();
    save_and_check(&mut document, "without the up-axis node");
}

#[test]
fn a_moved_scene_root_is_written() {
    let (before, mut document) = load_yard();
    let scene = &mut document.scenes_mut()[0];
    let root = scene.root();
    scene.node_mut(root).unwrap().set_translation(Vec3::new(1.0, 2.0, 3.0)).unwrap();
    let worlds = |document: &Document| -> Vec<[f32; 16]> {
        let scene = &document.scenes()[0];
        let node = |index| document.node(0, index).unwrap();
        (0..15).map(|it| scene.node(node(it)).unwrap().compute_world().to_cols_array()).collect()
    };
    let expected = worlds(&document);
    let saved = saved(&document);
    check_file(&saved);
    assert_eq!(worlds(&again(&saved)), expected);
    let found = differences(&before, &text_of(&saved));
    assert!(
        found.iter().all(|it| it.starts_with("+/nodes/1") || it.starts_with("/scenes/0/nodes")),
        "{found:?}"
    );
}

#[test]
fn a_hidden_scene_root_is_written() {
    let (_, mut document) = load_yard();
    let scene = &mut document.scenes_mut()[0];
    let root = scene.root();
    scene.node_mut(root).unwrap().set_visible(false);
    let saved = saved(&document);
    check_file(&saved);
    let mut back = again(&saved);
    let stone = back.node(0, 0).unwrap();
    back.scenes_mut()[0].update().unwrap();
    assert!(!back.scenes()[0].node(stone).unwrap().is_shown());
}

#[test]
fn detached_nodes_stay_in_the_file() {
    let (before, mut document) = load_yard();
    let house = document.node(0, 1).unwrap();
    document.scenes_mut()[0].graph.detach(house).unwrap();
    let after = save_and_check(&mut document, "detached");
    assert_differences(&before, &after, &["/scenes/0/nodes = [0,3,5,6,7,8,13,14]"]);
    let back = load_with(&after, &yard().1);
    let names: Vec<_> = describe(back.unreferenced_nodes().unwrap());
    assert_eq!(names.len(), 2);

    // A detached node keeps its descendants.
    let (before, mut document) = load_yard();
    let [lamp, bulb] = [3, 4].map(|it| document.node(0, it).unwrap());
    document.scenes_mut()[0].graph.detach(bulb).unwrap();
    let saved = saved(&document);
    check_file(&saved);
    assert_differences(&before, &text_of(&saved), &["-/nodes/3/children"]);
    // Attaching it again restores the file.
    document.scenes_mut()[0].graph.attach(bulb, lamp).unwrap();
    assert_eq!(text_of(&crate::common_save::saved(&document)), before);
}

const SHARED: &str = r#"{"asset":{"version":"2.0"},
"scenes":[{"nodes":[0,2]},{"nodes":[0]}],
"nodes":[{"name":"a","children":[1],"extras":1.0},{"name":"b"},{"name":"c"}]}"#;

/// Returns the names in a scene: `a(b) c`.
fn names_by_scene(document: &Document, scene: usize) -> String {
    fn names(scene: &Scene, node: NodeId) -> String {
        let below = scene.node(node).unwrap().children();
        let below: Vec<String> = below
            .map(|it| {
                let name = scene.node(it).unwrap().name().unwrap_or("-").to_string();
                format!("{name}({})", names(scene, it))
            })
            .collect();
        below.join(" ").replace("()", "")
    }
    names(
        &document.scenes()[scene],
        document.up_axis_node(scene).unwrap_or(document.scenes()[scene].root()),
    )
}

#[test]
fn a_shared_root_that_differs_is_written_for_each_scene() {
    type Edit = fn(&mut Scene, [NodeId; 2], Option<NodeId>);
    let edits: [(&str, Edit); 9] = [
        ("b renamed", |scene, [_, b], _| {
            scene.node_mut(b).unwrap().set_name("B");
        }),
        ("a moved", |scene, [a, _], _| {
            scene.node_mut(a).unwrap().set_translation(Vec3::X).unwrap();
        }),
        ("b removed", |scene, [_, b], _| _ = scene.remove(b).unwrap()),
        ("a removed", |scene, [a, _], _| _ = scene.remove(a).unwrap()),
        ("b detached", |scene, [_, b], _| scene.graph.detach(b).unwrap()),
        ("a detached", |scene, [a, _], _| scene.graph.detach(a).unwrap()),
        ("a child of b", |scene, [_, b], _| {
            scene.spawn(Node::group().named("d").under(b)).unwrap();
        }),
        ("b as a root", |scene, [a, b], _| {
            let top = scene.node(a).unwrap().parent().unwrap();
            scene.graph.attach(b, top).unwrap();
        }),
        ("a as a child of c", |scene, [a, _], c| {
            let top = scene.node(a).unwrap().parent().unwrap();
            let new = |scene: &mut Scene| scene.spawn(Node::group().named("n").under(top)).unwrap();
            let other = c.unwrap_or_else(|| new(scene));
            scene.graph.attach(a, other).unwrap();
        }),
    ];
    for (what, edit) in edits {
        for number in 0..2 {
            let mut document = load(SHARED);
            let nodes = [0, 1].map(|it| document.node(number, it).unwrap());
            // The second scene has no such node.
            let c = document.node(number, 2);
            edit(&mut document.scenes_mut()[number], nodes, c);
            let what = format!("{what} in scene {number}");
            let shapes = [names_by_scene(&document, 0), names_by_scene(&document, 1)];
            save_and_check(&mut document, &what);
            let back = again(&saved(&document));
            assert_eq!([names_by_scene(&back, 0), names_by_scene(&back, 1)], shapes, "{what}");
            // No node is written more often than needed: three nodes, those of a clone, and a new
            // one.
            let nodes = value(back.json())["nodes"].as_array().unwrap().len();
            assert!(nodes <= 3 + 2 + 2, "{what}: {nodes} nodes in {}", back.json());
        }
    }
}

#[test]
fn the_same_edit_in_both_scenes_is_written_once() {
    let mut document = load(SHARED);
    for scene in 0..2 {
        let b = document.node(scene, 1).unwrap();
        document.scenes_mut()[scene].node_mut(b).unwrap().set_name("B");
    }
    let after = save_and_check(&mut document, "both");
    assert_eq!(after, SHARED.replace("\"b\"", "\"B\""));
}

#[test]
fn equal_new_children_of_a_shared_node_are_written_once() {
    let mut document = load(SHARED);
    let mut tops = Vec::new();
    for scene in 0..2 {
        let b = document.node(scene, 1).unwrap();
        let scene = &mut document.scenes_mut()[scene];
        // So that handles differ from indices.
        let gone = scene.spawn(Node::group()).unwrap();
        scene.remove(gone).unwrap();
        let d = scene.spawn(Node::group().named("d").under(b)).unwrap();
        scene.spawn(Node::group().named("e").under(d)).unwrap();
        tops.push(scene.spawn(Node::group().named("f").under(d)).unwrap());
    }
    let after = save_and_check(&mut document, "both");
    assert_differences(
        SHARED,
        &after,
        &[
            "+/nodes/1/children = [3]",
            "+/nodes/3 = {\"children\":[4,5],\"name\":\"d\"}",
            "+/nodes/4 = {\"name\":\"e\"}",
            "+/nodes/5 = {\"name\":\"f\"}",
        ],
    );
    let saved = saved(&document);
    for (scene, &top) in tops.iter().enumerate() {
        assert_eq!(saved.index_of(scene, top), Some(5));
        assert_eq!(saved.index_of(scene, document.node(scene, 1).unwrap()), Some(1));
        assert_eq!(saved.index_of(scene, document.scenes()[scene].root()), None);
    }
    assert_eq!(saved.index_of(2, tops[0]), None);

    // If one of them differs, each scene has its own.
    document.scenes_mut()[1].node_mut(tops[1]).unwrap().set_name("g");
    let shapes = [names_by_scene(&document, 0), names_by_scene(&document, 1)];
    save_and_check(&mut document, "one differs");
    let saved = crate::common_save::saved(&document);
    let (back, json) = (again(&saved), value(&text_of(&saved)));
    assert_eq!([names_by_scene(&back, 0), names_by_scene(&back, 1)], shapes);
    let index = saved.index_of(1, tops[1]).unwrap();
    assert_eq!(json["nodes"][index]["name"], "g");
    assert_eq!(json["nodes"][saved.index_of(0, tops[0]).unwrap()]["name"], "f");
}

#[test]
fn a_replaced_scene_keeps_nothing_of_the_old_one() {
    let (_, mut document) = load_yard();
    let mut built = Scene::named("built");
    for number in 0..20 {
        built.spawn(Node::group().named(format!("n{number}"))).unwrap();
    }
    built.update().unwrap();
    document.replace_scene(0, built).unwrap();
    let after = save_and_check(&mut document, "another scene");
    for piece in ["price", "unknown", "VENDOR_glow\": { \"halo\": 1.0"] {
        assert!(!after[..after.find("\"meshes\"").unwrap()].contains(piece), "{piece} in {after}");
    }
}

#[test]
fn swapped_scenes_are_written_completely() {
    let mut document = load(SHARED);
    document.scenes_mut().swap(0, 1);
    let shapes = [names_in(&document.scenes()[0]), names_in(&document.scenes()[1])];
    save_and_check(&mut document, "swapped");
    let back = again(&saved(&document));
    assert_eq!([names_in(&back.scenes()[0]), names_in(&back.scenes()[1])], shapes);
}

/// Returns the names in a scene.
fn names_in(scene: &Scene) -> Vec<String> {
    describe(scene).iter().map(|it| it.split(" at ").next().unwrap().to_string()).collect()
}

#[test]
fn nodes_in_no_scene_can_be_edited() {
    let text = r#"{"asset":{"version":"2.0"},"nodes":[{"name":"a"},{"name":"b","children":[2]},{"name":"c"}],"scenes":[{"nodes":[0]}]}"#;
    let mut document = load(text);
    let c = document.node(1, 2).unwrap();
    let outside = document.unreferenced_nodes_mut().unwrap();
    outside.node_mut(c).unwrap().set_translation(Vec3::X).unwrap();
    outside.spawn(Node::group().named("d").under(c)).unwrap();
    let after = save_and_check(&mut document, "outside");
    assert_differences(
        text,
        &after,
        &[
            "+/nodes/2/children = [3]",
            "+/nodes/2/translation = [1,0,0]",
            "+/nodes/3 = {\"name\":\"d\"}",
        ],
    );
    let mut document = load(text);
    let b = document.node(1, 1).unwrap();
    document.unreferenced_nodes_mut().unwrap().remove(b).unwrap();
    let after = save_and_check(&mut document, "outside");
    assert_differences(text, &after, &["-/nodes/1", "-/nodes/2"]);
}
