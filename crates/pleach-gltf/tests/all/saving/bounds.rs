//! Bounds set by the user are saved in the extension PLEACH_bounds of their nodes.

use pleach::glam::Vec3;
use pleach::{Aabb, Bounds, Node, Scene};
use pleach_gltf::{ErrorKind, Format, Options, WarningCode};

use super::save_and_check::{save_and_check, scene_after};
use crate::common_save::{
    again, assert_differences, check_file, find, load, load_yard, saved, text_of,
};

const BOX: Aabb = Aabb { min: Vec3::new(-0.0, -0.1, 1e-40), max: Vec3::new(0.3, 1e30, 2.5) };

#[test]
fn bounds_set_by_the_user_are_saved_and_loaded() {
    // An inverted box is kept as it is.
    let inverted = Aabb { min: BOX.max, max: BOX.min };
    for bounds in [BOX, inverted, Aabb::new(Vec3::ZERO, Vec3::ZERO), Aabb::EMPTY] {
        let mut scene = Scene::new();
        scene.spawn(Node::group().named("area").with(Bounds(bounds))).unwrap();
        let built = pleach_gltf::save_bytes(&scene, Format::Glb).unwrap();
        let (_, mut document) = load_yard();
        let area = Node::group().named("area").with(Bounds(bounds));
        document.scenes_mut()[0].spawn(area).unwrap();
        save_and_check(&mut document, "bounds");
        for saved in [&built, &saved(&document)] {
            check_file(saved);
            assert!(saved.report.is_empty(), "{}", saved.report);
            let back = again(saved);
            let scene = &back.scenes()[0];
            let loaded = scene.user_bounds(find(scene, "area")).unwrap();
            let bits = |it: Aabb| [it.min, it.max].map(|it| it.to_array().map(f32::to_bits));
            assert_eq!(bits(loaded), bits(bounds));
            assert!(back.report().is_empty(), "{}", back.report());
        }
    }
}

#[test]
fn edits_of_bounds_touch_nothing_else() {
    let text = r#"{"asset":{"version":"2.0"},"extensionsUsed":["PLEACH_bounds","VENDOR_x"],"scene":0,
      "scenes":[{"nodes":[0]}],"nodes":[ {"name" : "a", "extensions": {
        "PLEACH_bounds": { "min": [0, 0.0, 0], "max":[1,1.0,1], "extras": 7 }, "VENDOR_x": {} } } ]}"#;
    let mut document = load(text);
    let scene = &document.scenes()[0];
    let node = find(scene, "a");
    assert_eq!(scene.user_bounds(node), Some(Aabb::new(Vec3::ZERO, Vec3::ONE)));
    assert_eq!(scene.spatial.local_bounds(node), scene.user_bounds(node), "it is in effect");
    assert_eq!(text_of(&saved(&document)), text);

    document.scenes_mut()[0].get_mut::<Bounds>(node).unwrap().0.max = Vec3::splat(2.0);
    let after = save_and_check(&mut document, "edited bounds");
    let at = "/nodes/0/extensions/PLEACH_bounds";
    assert!(after.contains(r#""min": [0, 0.0, 0]"#), "{after}");
    assert_differences(text, &after, &[&format!("{at}/max = [2,2,2]")]);
    document.scenes_mut()[0].set_bounds(node, None).unwrap();
    let after = save_and_check(&mut document, "removed bounds");
    assert_differences(text, &after, &[&format!("-{at}")]);
}

#[test]
fn clones_and_copies_in_other_scenes_are_saved_with_their_bounds() {
    let (_, after) = scene_after(|scene| {
        let node = scene.spawn(Node::group().named("one").with(Bounds(BOX))).unwrap();
        let clone = scene.clone_subtree(node, None).unwrap().root();
        scene.node_mut(clone).unwrap().set_name("two");
    });
    assert_eq!(after.matches("PLEACH_bounds").count(), 3, "two nodes and extensionsUsed: {after}");
}

#[test]
fn bounds_that_are_not_finite_are_reported_when_saved() {
    let mut scene = Scene::new();
    let node = scene.spawn(Node::group().named("area").with(Bounds(BOX))).unwrap();
    scene.get_mut::<Bounds>(node).unwrap().0.max = Vec3::INFINITY;
    let saved = pleach_gltf::save_bytes(&scene, Format::Gltf).unwrap();
    check_file(&saved);
    assert_eq!(saved.report.warnings()[0].code, WarningCode::DroppedSceneData);
    assert!(saved.report.to_string().contains("bounds"), "{}", saved.report);
    assert_eq!(again(&saved).scenes()[0].bounds.len(), 0);
}

#[test]
fn malformed_bounds_are_ignored_with_a_warning_unless_strict() {
    for bounds in [
        r#"{"min":[0,0,0]}"#,
        r#"{"min":[0,0,0],"max":[1,1]}"#,
        r#"{"min":[0,0,0],"max":[1,1,1e39]}"#,
        r#"{"min":[0,0,0],"max":"large"}"#,
        "[1]",
    ] {
        let text = format!(
            r#"{{"asset":{{"version":"2.0"}},"extensionsUsed":["PLEACH_bounds"],"scene":0,"scenes":[{{"nodes":[0]}}],"nodes":[{{"name":"a","extensions":{{"PLEACH_bounds":{bounds}}}}}]}}"#
        );
        let mut document = load(&text);
        let pointer = "/nodes/0/extensions/PLEACH_bounds";
        let warning = &document.report().warnings()[0];
        assert_eq!((warning.code, &*warning.pointer), (WarningCode::InvalidBounds, pointer));
        let strict = Options::new().strict().load_bytes(text.as_bytes()).unwrap_err();
        assert_eq!((strict.kind(), strict.pointer()), (ErrorKind::Strict, pointer), "{strict}");
        let node = find(&document.scenes()[0], "a");
        assert_eq!(document.scenes()[0].user_bounds(node), None);
        // They are kept, and replaced by an edit.
        assert_eq!(text_of(&saved(&document)), text);
        document.scenes_mut()[0].set_bounds(node, Some(BOX)).unwrap();
        save_and_check(&mut document, bounds);
    }
}
