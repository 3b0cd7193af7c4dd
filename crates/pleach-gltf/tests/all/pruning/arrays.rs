//! Unused entries of each array are dropped; nodes only with the option.

use std::collections::BTreeSet;

use pleach_gltf::{Document, Format, GltfArray, Prune};
use serde_json::{Value, json};

use super::prune_and_check::{doubled, pruned, summary};
use crate::common_save::{
    assert_same_scene, check_file, check_file_with, json_of, load_with, saved, text_of, value,
    with, yard,
};

#[test]
fn unused_first_entries_are_dropped_from_every_array() {
    let (text, files) = doubled();
    let (document, dropped) = pruned(load_with(&text, &files), Prune::new(), "twice");
    let kinds = [
        (GltfArray::Meshes, 1),
        (GltfArray::Skins, 1),
        (GltfArray::Cameras, 1),
        (GltfArray::Lights, 1),
        (GltfArray::AnimationSamplers, 1),
        (GltfArray::Materials, 1),
        (GltfArray::Textures, 1),
        (GltfArray::Images, 1),
        (GltfArray::Samplers, 1),
        (GltfArray::Accessors, 5),
        (GltfArray::BufferViews, 5),
        (GltfArray::Nodes, 0),
        (GltfArray::Animations, 0),
        (GltfArray::AnimationChannels, 0),
        (GltfArray::Buffers, 0),
    ];
    for (list, count) in kinds {
        assert_eq!(dropped.unused(list), count, "{list}");
    }
    // 36, 8, 24, 64 and 3 bytes, and one byte of padding.
    assert_eq!((dropped.bytes, dropped.skip_reason), (136, None));
    let saved = saved(&document);
    assert_eq!(
        saved.files.iter().map(|it| &*it.0).collect::<Vec<_>>(),
        ["b.png", "buffer.bin", "c.png"]
    );
    let after = text_of(&saved);
    for kept in ["1.50", "0.10", "0.50", "2.50", "7.50", "\"extras\": 1.0"] {
        assert!(after.contains(kept), "{kept} in\n{after}");
    }
    let after = value(&after);
    assert_eq!(after["nodes"][0]["extensions"]["KHR_lights_punctual"]["light"], 0);
    assert_eq!(
        after["materials"][0]["extensions"]["KHR_materials_sheen"]["sheenColorTexture"]["index"],
        1
    );
    assert_eq!(after["animations"][0]["channels"][0]["sampler"], 0);
    assert_eq!(after["animations"][0]["samplers"][0], json!({"input": 1, "output": 2}));
    for list in ["meshes", "skins", "cameras", "materials", "samplers"] {
        assert_eq!(after[list].as_array().unwrap().len(), 1, "{list}");
        assert_eq!(after[list][0]["name"], "b", "{list}");
    }
}

#[test]
fn empty_arrays_and_unused_extensions_are_dropped() {
    let (text, files) = doubled();
    let bare = with(&text, |file| {
        file["nodes"] = json!([{"name": "tree"}, {"name": "joint"}]);
        file.as_object_mut().unwrap().remove("animations");
    });
    let (document, _) = pruned(load_with(&bare, &files), Prune::new(), "bare");
    let after = value(&text_of(&saved(&document)));
    let left: Vec<&str> = after.as_object().unwrap().keys().map(|key| &**key).collect();
    let expected = BTreeSet::from(["asset", "nodes", "scene", "scenes"]);
    assert_eq!(left.into_iter().collect::<BTreeSet<_>>(), expected);
    // One unused light does not affect anything else.
    let lit = with(&text, |file| {
        file["nodes"][0].as_object_mut().unwrap().remove("extensions");
        file["extensions"]["KHR_xmp_json_ld"] = json!({"packets": [{"a": "b"}]});
        file["extensionsUsed"].as_array_mut().unwrap().push(json!("KHR_xmp_json_ld"));
    });
    let (document, _) = pruned(load_with(&lit, &files), Prune::new(), "lit");
    let after = value(&text_of(&saved(&document)));
    assert_eq!(after["extensions"], json!({"KHR_xmp_json_ld": {"packets": [{"a": "b"}]}}));
    assert_eq!(after["extensionsUsed"], json!(["KHR_materials_sheen", "KHR_xmp_json_ld"]));
}

#[test]
fn the_yard_loses_only_unused_entries() {
    let (text, files) = yard();
    let (document, dropped) = pruned(load_with(&text, &files), Prune::new(), "yard");
    eprintln!("{}", summary(&dropped));
    check_file(&saved(&document));
}

#[test]
fn nodes_in_no_scene_are_dropped_only_with_the_option() {
    let (text, files) = doubled();
    let text = with(&text, |file| {
        // 2 and 4 are the parent and the child of 3, the root of a skeleton; 4 is its joint. 5 is
        // unused, and animated.
        file["nodes"].as_array_mut().unwrap().extend([
            json!({"name": "arm", "children": [3]}),
            json!({"name": "hand", "children": [4]}),
            json!({"name": "finger"}),
            json!({"name": "alone", "mesh": 0}),
        ]);
        file["skins"][1]["joints"] = json!([4]);
        file["skins"][1]["skeleton"] = json!(3);
        file["animations"].as_array_mut().unwrap().push(json!({"name": "a",
            "channels": [{"sampler": 0, "target": {"node": 5, "path": "translation"}}],
            "samplers": [{"input": 1, "output": 2}]}));
        file["animations"][0]["channels"]
            .as_array_mut()
            .unwrap()
            .push(json!({"sampler": 0, "target": {"node": 5, "path": "scale"}}));
    });
    let (kept, dropped) = pruned(load_with(&text, &files), Prune::new(), "all nodes");
    assert_eq!(dropped.unused(GltfArray::Nodes), 0);
    assert_eq!(kept.meshes().len(), 2);
    let (document, dropped) =
        Prune::new().drop_unused_nodes().run(load_with(&text, &files)).unwrap();
    assert_eq!((dropped.unused(GltfArray::Nodes), dropped.unused(GltfArray::Animations)), (1, 1));
    let after = value(&text_of(&saved(&document)));
    check_file_with("skin-without-influences", &saved(&document));
    let names: Vec<&Value> =
        after["nodes"].as_array().unwrap().iter().map(|it| &it["name"]).collect();
    assert_eq!(names, ["tree", "joint", "arm", "hand", "finger"]);
    assert_eq!(after["animations"].as_array().unwrap().len(), 1);
    assert_eq!(after["animations"][0]["channels"].as_array().unwrap().len(), 1);
    assert_eq!(after["animations"][0]["samplers"].as_array().unwrap().len(), 1);
    assert_eq!(document.meshes().len(), 1);
    assert_same_scene(&load_with(&text, &files).scenes()[0], &document.scenes()[0], "with nodes");
}

#[test]
fn a_document_without_a_file_can_be_pruned() {
    use pleach::shapes::Cuboid;
    use pleach::{Light, Material, Node, Scene, Shadow, glam::Vec3};
    let mut scene = Scene::new();
    let cube = scene.assets.add(Cuboid::new(Vec3::ONE).build().unwrap());
    let material = scene.assets.add(Material::default());
    scene.spawn(Node::mesh(&cube, &material).named("cube")).unwrap();
    let lamp = Light::point(Vec3::ONE, 3.0).with_shadow(Shadow::default());
    scene.spawn(Node::light(lamp)).unwrap();
    let (document, dropped) = Prune::new().run(Document::from_scenes([scene])).unwrap();
    assert!(dropped.is_empty());
    assert!(json_of(&document.save_bytes(Format::Glb).unwrap().bytes).contains("cube"));
}
