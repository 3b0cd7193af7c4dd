//! Edits of animations: changed, removed, added and reordered clips.

use pleach::animation::Binding;
use pleach::glam::Vec3;
use pleach_gltf::Document;

use super::save_and_check::{accessor, clip, save_and_check, yard_after};
use crate::common_save::{
    again, assert_differences, check_file, describe, differences, load_yard, saved, with,
};

#[test]
fn a_changed_clip_replaces_its_channels() {
    let (before, after) = yard_after(|document| {
        assert_eq!(document.animations()[0].node_indices(), [9, 10]);
        document.animations_mut()[0].set_clip(clip("run", 3.0));
    });
    assert_differences(
        &before,
        &after,
        &[
            &accessor(13, 5126, 2, "SCALAR", "\"max\":[0.5],\"min\":[0],"),
            &accessor(14, 5126, 2, "VEC3", ""),
            &accessor(15, 5126, 2, "VEC3", ""),
            // The clip's channel was removed; the visibility channel is the first now.
            "-/animations/0/channels/0/extras",
            "/animations/0/channels/0/sampler = 1",
            "+/animations/0/channels/0/target/extensions = {\"KHR_animation_pointer\":{\"pointer\":\"/nodes/4/extensions/KHR_node_visibility/visible\"}}",
            "-/animations/0/channels/0/target/node",
            "/animations/0/channels/0/target/path = \"pointer\"",
            "/animations/0/channels/1/sampler = 2",
            "-/animations/0/channels/1/target/extensions",
            "+/animations/0/channels/1/target/node = 9",
            "/animations/0/channels/1/target/path = \"translation\"",
            "/animations/0/channels/2/sampler = 3",
            "-/animations/0/channels/2/target/extensions",
            "+/animations/0/channels/2/target/node = 10",
            "/animations/0/channels/2/target/path = \"scale\"",
            "/animations/0/name = \"run\"",
            "+/animations/0/samplers/2 = {\"input\":13,\"output\":14}",
            "+/animations/0/samplers/3 = {\"input\":13,\"interpolation\":\"STEP\",\"output\":15}",
            "+/bufferViews/13 = {\"buffer\":1,\"byteLength\":8,\"byteOffset\":0}",
            "+/bufferViews/14 = {\"buffer\":1,\"byteLength\":24,\"byteOffset\":8}",
            "+/bufferViews/15 = {\"buffer\":1,\"byteLength\":24,\"byteOffset\":32}",
            "+/buffers/1 = {\"byteLength\":56,\"uri\":\"buffer.bin\"}",
        ],
    );
}

#[test]
fn animations_still_work_after_an_edit() {
    let (_, mut document) = load_yard();
    document.animations_mut()[0].set_clip(clip("run", 3.0));
    let stone = document.node(0, 0).unwrap();
    document.scenes_mut()[0].remove(stone).unwrap();
    save_and_check(&mut document, "a clip and a removed node");
    let mut back = again(&saved(&document));
    assert_eq!(back.animations()[0].node_indices(), [8, 9]);
    assert_eq!(back.animations()[0].clip().channels(), clip("run", 3.0).channels());
    assert_eq!(back.animations()[0].visibility_target_count(), 1);
    back.apply_pointers(0, 0, 1.0);
    let bulb = back.node(0, 3).unwrap();
    assert!(back.scenes()[0].node(bulb).unwrap().is_visible());
}

#[test]
fn a_removed_animation_is_not_written() {
    let (before, after) = yard_after(|document| drop(document.animations_mut().remove(0)));
    let expected = with(&before, |json| drop(json["animations"].as_array_mut().unwrap().remove(0)));
    assert_eq!(differences(&expected, &after), [""; 0]);
    let (before, after) = yard_after(|document| document.animations_mut().clear());
    assert_differences(&before, &after, &["-/animations"]);
}

#[test]
fn an_added_animation_is_appended() {
    let (before, after) = yard_after(|document| {
        let nodes = [document.node(0, 0).unwrap(), document.node(0, 2).unwrap()];
        document.add_animation(0, &Binding::new(clip("jump", 1.0), nodes).unwrap());
    });
    assert_differences(
        &before,
        &after,
        &[
            &accessor(13, 5126, 2, "SCALAR", "\"max\":[0.5],\"min\":[0],"),
            &accessor(14, 5126, 2, "VEC3", ""),
            &accessor(15, 5126, 2, "VEC3", ""),
            "+/animations/2 = {\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"translation\"}},{\"sampler\":1,\"target\":{\"node\":2,\"path\":\"scale\"}}],\"name\":\"jump\",\"samplers\":[{\"input\":13,\"output\":14},{\"input\":13,\"interpolation\":\"STEP\",\"output\":15}]}",
            "+/bufferViews/13 = {\"buffer\":1,\"byteLength\":8,\"byteOffset\":0}",
            "+/bufferViews/14 = {\"buffer\":1,\"byteLength\":24,\"byteOffset\":8}",
            "+/bufferViews/15 = {\"buffer\":1,\"byteLength\":24,\"byteOffset\":32}",
            "+/buffers/1 = {\"byteLength\":56,\"uri\":\"buffer.bin\"}",
        ],
    );
}

#[test]
fn an_animation_of_the_scene_root_is_reported() {
    for is_moved in [false, true] {
        let (_, mut document) = load_yard();
        let scene = &mut document.scenes_mut()[0];
        let root = scene.root();
        if is_moved {
            scene.node_mut(root).unwrap().set_translation(Vec3::new(1.0, 2.0, 3.0)).unwrap();
        }
        let stone = document.node(0, 0).unwrap();
        document.add_animation(0, &Binding::new(clip("all", 1.0), [root, stone]).unwrap());
        let saved = saved(&document);
        check_file(&saved);
        if !saved.report.is_empty() {
            continue;
        }
        // The animation still has the same effect.
        let mut back = again(&saved);
        assert_eq!(posed(&mut document), posed(&mut back), "moved: {is_moved}");
    }
}

/// Returns the description of the yard at 0.25 seconds of its third animation.
fn posed(document: &mut Document) -> Vec<String> {
    let binding = document.bind(2, 0).unwrap();
    let scene = &mut document.scenes_mut()[0];
    let mut mixer = pleach::animation::Mixer::new();
    scene.play(&mut mixer, binding);
    scene.animate(&mut mixer, 0.25);
    scene.update().unwrap();
    let file = |line: &&String| !line.starts_with('-');
    describe(scene)
        .iter()
        .filter(file)
        .map(|it| {
            it.split(" under ").next().unwrap().to_string() + it.split(" at ").nth(1).unwrap()
        })
        .collect()
}

#[test]
fn a_cloned_animation_is_written_twice() {
    let (_, mut document) = load_yard();
    let copy = document.animations()[0].clone();
    document.animations_mut().push(copy);
    let saved = saved(&document);
    check_file(&saved);
    let back = again(&saved);
    assert_eq!(back.animations().len(), 3);
    assert_eq!(back.animations()[2].clip().channels(), document.animations()[0].clip().channels());
    let is_reported = !saved.report.is_empty();
    assert!(
        back.animations()[2].visibility_target_count() == 1 || is_reported,
        "the clone has no visibility channels"
    );
}

#[test]
fn animations_of_the_file_keep_its_order() {
    let (_, mut document) = load_yard();
    document.animations_mut().swap(0, 1);
    let back = again(&saved(&document));
    let names: Vec<&str> = back.animations().iter().map(|it| it.clip().name()).collect();
    assert_eq!(names, ["walk", "swing"]);
}
