//! Edits of skins: removed characters, joints of other scenes, and removed joints.

use pleach::Skin;
use pleach::glam::{Mat4, Vec3};
use pleach_gltf::{ErrorKind, Format};

use super::save_and_check::save_and_check;
use crate::common::temp_dir::TempDir;
use crate::common_save::{
    again, check_file, differences, find, load_with, load_yard, saved, text_of, value, with, yard,
};

#[test]
fn removing_a_character_removes_its_skin_and_channels() {
    let (before, mut document) = load_yard();
    let character = document.node(0, 8).unwrap();
    document.scenes_mut()[0].remove(character).unwrap();
    let after = save_and_check(&mut document, "without the character");
    let expected = with(&before, |json| {
        let nodes = json["nodes"].as_array_mut().unwrap();
        nodes.drain(8..13);
        json["scenes"][0]["nodes"] = serde_json::json!([0, 1, 3, 5, 6, 7, 8, 9]);
        json.as_object_mut().unwrap().remove("skins");
        json["animations"][0]["channels"].as_array_mut().unwrap().drain(0..2);
    });
    assert_eq!(differences(&expected, &after), [""; 0]);

    // An animation without remaining channels is removed as well.
    let (before, mut document) = load_yard();
    let lamp = document.node(0, 3).unwrap();
    document.scenes_mut()[0].remove(lamp).unwrap();
    let after = save_and_check(&mut document, "without the lamp");
    let names = |text: &str| {
        let json = value(text);
        let list = json["animations"].as_array().unwrap();
        list.iter().map(|it| it["name"].to_string()).collect::<Vec<_>>()
    };
    assert_eq!(names(&before), ["\"walk\"", "\"swing\""]);
    assert_eq!(names(&after), ["\"walk\""]);
    assert_eq!(value(&after)["animations"][0]["channels"].as_array().unwrap().len(), 2);
}

#[test]
fn a_character_that_differs_between_scenes_has_its_own_joints() {
    let (text, files) = yard();
    let text = text.replace("\"scenes\": [ ", "\"scenes\": [ { \"nodes\": [ 8 ] }, ");
    for number in 0..2 {
        let mut document = load_with(&text, &files);
        let knee = document.node(number, 10).unwrap();
        document.scenes_mut()[number].node_mut(knee).unwrap().set_translation(Vec3::X).unwrap();
        save_and_check(&mut document, "one of two");
        let back = again(&saved(&document));
        for (index, scene) in back.scenes().iter().enumerate() {
            let body = find(scene, "body");
            let skin = scene.skin(body).unwrap();
            for &joint in &skin.joints {
                let is_here = scene.node(joint).unwrap().ancestors().any(|it| it == scene.root());
                assert!(is_here, "scene {index}: a joint of another scene");
            }
            // Both are still animated.
            let binding = back.bind(0, index).unwrap();
            assert!(binding.nodes().iter().any(Option::is_some), "scene {index} stands still");
        }
    }
}

#[test]
fn skins_and_joint_matrices_of_two_scenes_are_independent() {
    let (text, files) = yard();
    let text = text.replace("\"scenes\": [ ", "\"scenes\": [ { \"nodes\": [ 8 ] }, ");
    let mut document = load_with(&text, &files);
    let body = document.node(1, 12).unwrap();
    let scene = &mut document.scenes_mut()[1];
    let bind = Mat4::from_translation(Vec3::X);
    scene.skins.get_mut(&scene.graph, body).unwrap().bind_matrix = bind;
    save_and_check(&mut document, "a bind matrix in one of two scenes");
}

#[test]
fn a_character_whose_skeleton_is_in_one_scene_is_written_once() {
    let (text, files) = yard();
    for scenes in [[vec![8], vec![0, 8]], [vec![0, 8], vec![8]]] {
        let text = with(&text, |json| {
            json["skins"][0]["skeleton"] = 0.into();
            json["scenes"] = serde_json::json!([{"nodes": scenes[0]}, {"nodes": scenes[1]}]);
        });
        let mut document = load_with(&text, &files);
        let skeletons = [0, 1].map(|scene: usize| {
            let body = document.node(scene, 12).unwrap();
            document.scenes()[scene].skin(body).unwrap().skeleton.is_some()
        });
        assert_eq!(skeletons, [scenes[0].len() == 2, scenes[1].len() == 2]);
        assert_eq!(text_of(&saved(&document)), text);
        // A different skeleton in one of them is a difference.
        let scene = usize::from(scenes[1].len() == 2);
        let (body, hip) = (document.node(scene, 12).unwrap(), document.node(scene, 9));
        let tree = &mut document.scenes_mut()[scene];
        tree.skins.get_mut(&tree.graph, body).unwrap().skeleton = hip;
        // The skeleton of the file is not above the joints, so that the file cannot be valid.
        let after = value(&text_of(&saved(&document)));
        assert_eq!(
            after["nodes"].as_array().unwrap().len(),
            15 + 5,
            "the character is written twice"
        );
    }
}

#[test]
fn new_characters_of_a_shared_node_are_equal_if_their_joints_are() {
    let (text, files) = yard();
    let text = text.replace("\"scenes\": [ ", "\"scenes\": [ { \"nodes\": [ 8 ] }, ");
    let mut document = load_with(&text, &files);
    let nodes = value(&text)["nodes"].as_array().unwrap().len();
    let mut bodies = Vec::new();
    for scene in 0..2 {
        let [character, body] = [8, 12].map(|it| document.node(scene, it).unwrap());
        let tree = &mut document.scenes_mut()[scene];
        let clones = tree.clone_subtree(character, Some(character)).unwrap();
        bodies.push(clones.get(body).unwrap());
    }
    let after = value(&save_and_check(&mut document, "the same in both"));
    assert_eq!(after["nodes"].as_array().unwrap().len(), nodes + 5);
    assert_eq!(after["skins"].as_array().unwrap().len(), 2);
    // The joints of one in another order.
    let tree = &mut document.scenes_mut()[1];
    tree.skins.get_mut(&tree.graph, bodies[1]).unwrap().joints.swap(0, 1);
    let after = value(&save_and_check(&mut document, "other joints in one"));
    assert_eq!(after["nodes"].as_array().unwrap().len(), nodes + 5 + 10);
}

#[test]
fn a_skin_with_a_removed_joint_is_refused() {
    let (_, mut document) = load_yard();
    let foot = document.node(0, 11).unwrap();
    document.scenes_mut()[0].remove(foot).unwrap();
    let error = document.save_bytes(Format::Gltf).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unwritable);
    assert_eq!(error.pointer(), "/nodes/11", "the body, after the foot was removed");
    assert!(error.to_string().contains("joint 2"), "{error}");
    let directory = TempDir::new("unwritable");
    let error = document.save(directory.path.join("a.gltf")).unwrap_err();
    assert_eq!(error.file(), Some(&*directory.path.join("a.gltf")));
    assert_eq!(directory.names(), [""; 0]);
    // The fix that the message suggests.
    let body = document.node(0, 12).unwrap();
    document.scenes_mut()[0].skins.remove(body);
    document.scenes_mut()[0].update().unwrap();
    let saved = saved(&document);
    check_file(&saved);
    assert_eq!(value(&text_of(&saved)).get("skins"), None);
}

#[test]
fn a_skin_with_other_joints_is_added() {
    let (before, mut document) = load_yard();
    let [body, hip, knee, foot] = [12, 9, 10, 11].map(|it| document.node(0, it).unwrap());
    let scene = &mut document.scenes_mut()[0];
    let skin = Skin::new(vec![foot, knee, hip], vec![Mat4::IDENTITY; 3]).unwrap();
    scene.skins.insert(&scene.graph, body, skin).unwrap();
    let after = save_and_check(&mut document, "other joints");
    let found = differences(&before, &after);
    let changed: Vec<&str> = found.iter().map(|it| it.split(" = ").next().unwrap()).collect();
    // Edited in place, or added.
    assert!(
        changed.iter().all(|it| [
            "+/accessors",
            "+/bufferViews",
            "+/buffers",
            "/skins",
            "+/skins",
            "-/skins",
            "/nodes/12/skin"
        ]
        .iter()
        .any(|start| it.starts_with(start))),
        "{changed:?}"
    );
}

#[test]
fn a_removed_skeleton_is_not_written() {
    // The joints were removed from the skin before.
    let (_, mut document) = load_yard();
    let [character, hip, body] = [8, 9, 12].map(|it| document.node(0, it).unwrap());
    let up_axis_node = document.up_axis_node(0).unwrap();
    let scene = &mut document.scenes_mut()[0];
    scene.graph.attach(hip, up_axis_node).unwrap();
    scene.graph.attach(body, up_axis_node).unwrap();
    scene.remove(character).unwrap();
    scene.update().unwrap();
    let after = save_and_check(&mut document, "no skeleton");
    let skins = value(&after)["skins"].clone();
    assert_eq!(skins.as_array().unwrap().len(), 1, "{skins}");
    assert_eq!(skins[0].get("skeleton"), None);
}
