//! Unusual files: unusual values stay, and an edit elsewhere does not change them.

use pleach::glam::Vec3;
use pleach::shapes::Cuboid;
use pleach::{Light, Material, Node};
use pleach_gltf::{Format, Options};

use super::save_and_check::save_and_check;
use crate::common_save::{
    assert_differences, check_file, json_of, load, saved, text_of, value, yard,
};

#[test]
fn unusual_files_are_unchanged() {
    for text in [
        r#"{"asset":{"version":"2.0"}}"#,
        r#"{"asset":{"version":"2.0"},"scenes":[{}]}"#,
        r#"{"asset":{"version":"2.0"},"scenes":[{},{"name":""}],"scene":1}"#,
        r#"{"asset":{"version":"2.0"},"nodes":[{}]}"#,
        r#"{"asset":{"version":"2.0"},"nodes":[{"name":""},{"name":"a"},{"name":"a"},{"name":"ü\ud83d\ude00\u0000"},{}],"scenes":[{"nodes":[4,3,2,1,0]}]}"#,
        r#"{"asset":{"version":"2.0"},"extensions":{},"extras":null,"nodes":[{"extensions":{},"extras":[]}],"scenes":[{"nodes":[0],"extensions":{}}]}"#,
        r#"{"asset":{"version":"2.0"},"nodes":[{"matrix":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]}],"scenes":[{"nodes":[0]}]}"#,
        r#"{"asset":{"version":"2.0"},"nodes":[{"matrix":[2,0,0,0,0,2,0,0,0,0,-2,0,1,2,3,1]}],"scenes":[{"nodes":[0]}]}"#,
        r#"{"asset":{"version":"2.0"},"nodes":[{"matrix":[1,0,0,0,0.5,1,0,0,0,0.1,1,0,0,0,0,1.0]}],"scenes":[{"nodes":[0]}]}"#,
        r#"{"asset":{"version":"2.0"},"nodes":[{"matrix":[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1]}],"scenes":[{"nodes":[0]}]}"#,
        r#"{"asset":{"version":"2.0"},"nodes":[{"matrix":[-0.0,0,0,0,-0.0,1,0,0,0,0,1e-45,0,-0.0,0,0,1]}],"scenes":[{"nodes":[0]}]}"#,
        r#"{"asset":{"version":"2.0"},"nodes":[{"rotation":[0,0,0,2]},{"rotation":[0.1,0.2,0.3,0.4]},{"rotation":[0,0,0,-1]},{"rotation":[1e-30,0,0,1]},{"rotation":[0,0.7071,0,0.7071]}],"scenes":[{"nodes":[0,1,2,3,4]}]}"#,
        r#"{"asset":{"version":"2.0"},"nodes":[{"translation":[-0.0,0,0],"scale":[1,1,1],"rotation":[0,-0.0,0,1]}],"scenes":[{"nodes":[0]}]}"#,
        r#"{"asset":{"version":"2.0"},"nodes":[{"translation":[0.1234567890123456789,1e-50,340282346638528859811704183484516925440.0]}],"scenes":[{"nodes":[0]}]}"#,
        r#"{"asset":{"version":"2.0"},"nodes":[{"children":[1]},{}],"scenes":[{"nodes":[0]}],"scene":0}"#,
        r#"{"asset":{"version":"2.0"},"nodes":[{"extensions":{"KHR_node_visibility":{"visible":true,"extras":1}}},{"extensions":{"KHR_node_visibility":{}}}],"scenes":[{"nodes":[0,1]}]}"#,
        r#"{"asset":{"version":"2.0"},"nodes":[{"camera":0}],"cameras":[{"type":"orthographic","orthographic":{"xmag":0,"ymag":0,"zfar":10,"znear":0}}],"scenes":[{"nodes":[0]}]}"#,
        r#"{"asset":{"version":"2.0"},"nodes":[{"extensions":{"EXT_mesh_gpu_instancing":{"attributes":{"TRANSLATION":0}}}}]}"#,
    ] {
        let document = load(text);
        assert_eq!(text_of(&saved(&document)), text);
        let glb = document.save_bytes(Format::Glb).unwrap();
        assert_eq!(json_of(&glb.bytes).trim_end(), text);
        let y_up = Options::new().keep_y_up().load_bytes(text.as_bytes()).unwrap();
        assert_eq!(text_of(&saved(&y_up)), text, "Y up");
    }
}

#[test]
fn an_edit_leaves_unusual_values_unchanged() {
    // Each has a node named x, which is renamed; nothing else in the text changes.
    for text in [
        r#"{"asset":{"version":"2.0"},"nodes":[{"name":"x","extensions":{},"extras":[]},{"matrix":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]},{"rotation":[0,0,0,2]}],"scenes":[{"nodes":[0,1,2]}]}"#,
        r#"{"asset":{"version":"2.0"},"nodes":[{"name":"x","rotation":[0.1,0.2,0.3,0.40],"matrix":[1,0,0,0,0.5,1,0,0,0,0,1,0,0,0,0,1]}],"scenes":[{"nodes":[0]}]}"#,
        r#"{"asset":{"version":"2.0"},"nodes":[{"name":"x","rotation":[0.1,0.2,0.3,0.40],"camera":0,"light":7,"mesh2":{"a":[{}]}}],"cameras":[{"type":"orthographic","orthographic":{"xmag":-1.0,"ymag":2.0,"zfar":1,"znear":0}}],"scenes":[{"nodes":[0]}]}"#,
    ] {
        for options in [Options::new(), Options::new().keep_y_up()] {
            let mut document = options.load_bytes(text.as_bytes()).unwrap();
            let node = document.node(0, 0).unwrap();
            document.scenes_mut()[0].node_mut(node).unwrap().set_name("y");
            assert_eq!(text_of(&saved(&document)), text.replace("\"x\"", "\"y\""));
        }
    }
}

#[test]
fn nodes_can_be_added_to_an_empty_file() {
    for text in [
        r#"{"asset":{"version":"2.0"}}"#,
        r#"{"asset":{"version":"2.0"},"scenes":[{}]}"#,
        r#"{"asset":{"version":"2.0"},"nodes":[{}]}"#,
        r#"{ "asset" : { "version" : "2.0" } , "scenes" : [ { } ] , "nodes" : [ { } ] }"#,
    ] {
        let mut document = load(text);
        let Some(scene) = document.scene_mut() else { continue };
        let cube = scene.assets.add(Cuboid::new(Vec3::ONE).build().unwrap());
        let material = scene.assets.add(Material::default());
        scene.spawn(Node::mesh(&cube, &material).named("cube").hidden()).unwrap();
        save_and_check(&mut document, text);
    }
}

#[test]
fn y_up_scenes_are_saved_without_up_axis_nodes() {
    let (text, files) = yard();
    let load = || Options::new().keep_y_up().load_with(text.as_bytes().to_vec(), &files).unwrap();
    assert_eq!(text_of(&saved(&load())), text);
    let mut document = load();
    let scene = &mut document.scenes_mut()[0];
    scene.spawn(Node::group().named("bird").at(Vec3::new(1.0, 2.0, 3.0))).unwrap();
    let after = text_of(&saved(&document));
    assert_differences(
        &text,
        &after,
        &[
            "+/nodes/15 = {\"name\":\"bird\",\"translation\":[1,2,3]}",
            "/scenes/0/nodes = [0,1,3,5,6,7,8,13,14,15]",
        ],
    );
    // A moved root.
    let mut document = load();
    let scene = &mut document.scenes_mut()[0];
    let root = scene.root();
    scene.node_mut(root).unwrap().set_translation(Vec3::new(1.0, 2.0, 3.0)).unwrap();
    let saved = saved(&document);
    check_file(&saved);
    let json = value(&text_of(&saved));
    assert_eq!(json["scenes"][0]["nodes"], serde_json::json!([15]));
}

#[test]
fn extensions_are_listed_once_and_only_when_used() {
    let text = r#"{"asset":{"version":"2.0"},"nodes":[{},{}],"scenes":[{"nodes":[0,1]}]}"#;
    let mut document = load(text);
    for index in 0..2 {
        let node = document.node(0, index).unwrap();
        let scene = &mut document.scenes_mut()[0];
        scene.node_mut(node).unwrap().set_visible(false);
        scene.lights.insert(&scene.graph, node, Light::point(Vec3::ONE, 1.0)).unwrap();
    }
    let after = save_and_check(&mut document, "extensions");
    let mut listed = value(&after)["extensionsUsed"].as_array().unwrap().clone();
    listed.sort_by_key(|it| it.to_string());
    assert_eq!(listed, ["KHR_lights_punctual", "KHR_node_visibility"]);
    assert_eq!(value(&after).get("extensionsRequired"), None);
    assert_eq!(
        value(&after)["extensions"]["KHR_lights_punctual"]["lights"].as_array().unwrap().len(),
        1
    );
}
