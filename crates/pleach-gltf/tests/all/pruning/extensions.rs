//! Extensions and extras: references in known extensions are renumbered; files with unknown
//! references are not changed.

use pleach_gltf::{GltfArray, Prune};
use serde_json::{Value, json};

use super::prune_and_check::{doubled, pruned};
use crate::common_save::{load, load_with, saved, text_of, value, with};

type Edit<'a> = &'a dyn Fn(&mut Value);

#[test]
fn a_file_with_an_unknown_extension_is_unchanged() {
    let (text, files) = doubled();
    let edits: [(&str, Edit<'_>); 6] = [
        ("VENDOR_root", &|file| file["extensions"]["VENDOR_root"] = json!({"mesh": 0})),
        ("VENDOR_node", &|file| {
            file["nodes"][1]["extensions"] = json!({"VENDOR_node": {"mesh": 0}});
        }),
        ("VENDOR_info", &|file| {
            file["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"]["extensions"] =
                json!({"VENDOR_info": {}});
        }),
        ("VENDOR_asset", &|file| file["asset"]["extensions"] = json!({"VENDOR_asset": {}})),
        // A known extension in an unexpected array.
        ("KHR_texture_basisu", &|file| {
            file["meshes"][0]["extensions"] = json!({"KHR_texture_basisu": {"source": 0}});
        }),
        ("KHR_audio_emitter", &|file| {
            file["scenes"][0]["extensions"] = json!({"KHR_audio_emitter": {"emitters": [0]}});
        }),
    ];
    for (name, edit) in edits {
        let text = with(&text, edit);
        let document = load_with(&text, &files);
        let (document, dropped) =
            Prune::new().drop_unused_nodes().merge_equal().run(document).unwrap();
        assert!(dropped.is_empty());
        let reason = dropped.skip_reason.unwrap_or_default();
        assert!(reason.contains(name), "{name}: {reason:?}");
        assert_eq!(text_of(&saved(&document)), text, "{name}");
    }
}

#[test]
fn a_file_with_out_of_range_references_in_extensions_is_unchanged() {
    let (text, files) = doubled();
    let text = with(&text, |file| {
        file["nodes"][1]["extensions"] = json!({"MSFT_lod": {"ids": [9]}});
    });
    let (document, dropped) = Prune::new().run(load_with(&text, &files)).unwrap();
    assert_eq!(dropped.skip_reason.as_deref().map(|it| it.contains("9 of nodes")), Some(true));
    assert_eq!(text_of(&saved(&document)), text);
}

#[test]
fn a_file_with_escapes_in_keys_is_unchanged() {
    let text = r#"{"asset":{"version":"2.0"},"nodes":[{"\u006desh":0}],"meshes":[
        {"primitives":[{"attributes":{"POSITION":0}}]},{"primitives":[{"attributes":{"POSITION":0}}]}],
        "accessors":[{"componentType":5126,"count":1,"type":"VEC3"}]}"#;
    let (document, dropped) = Prune::new().run(load(text)).unwrap();
    assert!(dropped.skip_reason.is_some());
    assert_eq!(text_of(&saved(&document)), text);
}

#[test]
fn extras_may_contain_anything() {
    let (text, files) = doubled();
    let odd = json!({"extensions": {"VENDOR_x": {"mesh": 0}}, "mesh": 0, "\\k": [1, {"index": 3}]});
    let text = with(&text, |file| {
        file["nodes"][0]["extras"] = odd.clone();
        file["extras"] = odd.clone();
        file["meshes"][1]["primitives"][0]["extras"] = odd.clone();
    });
    let (document, dropped) = pruned(load_with(&text, &files), Prune::new(), "extras");
    assert_eq!(dropped.skip_reason, None);
    let after = value(&text_of(&saved(&document)));
    assert_eq!(after["extras"], odd);
    assert_eq!(after["nodes"][0]["extras"], odd);
    assert_eq!(after["meshes"][0]["primitives"][0]["extras"], odd);
}

#[test]
fn references_in_known_extensions_are_renumbered() {
    let (text, files) = doubled();
    let text = with(&text, |file| {
        file["extensionsUsed"] = json!([
            "KHR_lights_punctual",
            "KHR_materials_sheen",
            "KHR_materials_variants",
            "EXT_texture_webp",
            "EXT_mesh_gpu_instancing",
            "KHR_animation_pointer",
            "MSFT_lod"
        ]);
        file["extensions"]["KHR_materials_variants"] = json!({"variants": [{"name": "v"}]});
        let materials = file["materials"].as_array_mut().unwrap();
        materials.push(json!({"name": "c"}));
        materials.push(json!({"name": "d"}));
        materials[1]["extensions"]["MSFT_lod"] = json!({"ids": [3]});
        file["meshes"][1]["primitives"][0]["extensions"] = json!({"KHR_materials_variants":
            {"mappings": [{"material": 2, "variants": [0]}]}});
        file["textures"][1]["extensions"] = json!({"EXT_texture_webp": {"source": 2}});
        file["nodes"][0]["extensions"]["EXT_mesh_gpu_instancing"] =
            json!({"attributes": {"TRANSLATION": 7}});
        file["nodes"][0].as_object_mut().unwrap().remove("skin");
        let pointer = |pointer: &str| {
            json!({"sampler": 1, "target": {"path": "pointer",
            "extensions": {"KHR_animation_pointer": {"pointer": pointer}}}})
        };
        file["animations"][0]["channels"].as_array_mut().unwrap().extend([
            pointer("/nodes/1/translation"),
            pointer("/materials/1/emissiveFactor"),
            pointer("/extensions/KHR_lights_punctual/lights/1/color"),
            pointer("/materials/0/emissiveFactor"),
        ]);
    });
    let (document, dropped) = pruned(load_with(&text, &files), Prune::new(), "extensions");
    assert_eq!(dropped.skip_reason, None);
    assert_eq!(
        (dropped.unused(GltfArray::Materials), dropped.unused(GltfArray::AnimationChannels)),
        (1, 1)
    );
    let after = value(&text_of(&saved(&document)));
    let names: Vec<&str> = after["materials"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["b", "c", "d"]);
    assert_eq!(after["materials"][0]["extensions"]["MSFT_lod"]["ids"], json!([2]));
    let part = &after["meshes"][0]["primitives"][0];
    assert_eq!(part["material"], 0);
    assert_eq!(part["extensions"]["KHR_materials_variants"]["mappings"][0]["material"], 1);
    assert_eq!(after["textures"][0]["extensions"]["EXT_texture_webp"]["source"], 1);
    let instances =
        after["nodes"][0]["extensions"]["EXT_mesh_gpu_instancing"]["attributes"]["TRANSLATION"]
            .clone();
    assert_eq!(after["accessors"][instances.as_u64().unwrap() as usize]["type"], "VEC3");
    let pointers: Vec<&str> = after["animations"][0]["channels"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|it| it["target"]["extensions"]["KHR_animation_pointer"]["pointer"].as_str())
        .collect();
    assert_eq!(
        pointers,
        [
            "/nodes/1/translation",
            "/materials/0/emissiveFactor",
            "/extensions/KHR_lights_punctual/lights/0/color"
        ]
    );
}

/// Images of environment maps and image-based lights are used, and their references follow.
#[test]
fn images_of_environments_are_kept_and_renumbered() {
    let faces = |image: u32| json!(vec![[image; 6]; 2]);
    let coefficients = vec![[0.5; 3]; 9];
    let file = json!({
        "asset": {"version": "2.0"},
        "extensionsUsed": ["EXT_lights_image_based", "PLEACH_environment"],
        "extensions": {"EXT_lights_image_based": {"lights": [
            {"specularImages": faces(3), "specularImageSize": 2, "irradianceCoefficients": coefficients},
        ]}},
        "images": [{"uri": "unused.png"}, {"uri": "sky.hdr"}, {"uri": "unused.jpg"}, {"uri": "face.png"}],
        "scenes": [{"extensions": {
            "EXT_lights_image_based": {"light": 0},
            "PLEACH_environment": {"map": {"image": 1}},
        }}],
    });
    let loaded = pleach_gltf::Options::new().skip_images().load_bytes(file.to_string().as_bytes());
    let (document, dropped) = pruned(loaded.unwrap(), Prune::new(), "environments");
    assert_eq!(dropped.unused(GltfArray::Images), 2);
    assert_eq!(dropped.skip_reason, None);
    let after = value(&text_of(&saved(&document)));
    assert_eq!(after["images"], json!([{"uri": "sky.hdr"}, {"uri": "face.png"}]));
    let light = &after["extensions"]["EXT_lights_image_based"]["lights"][0];
    assert_eq!(light["specularImages"], faces(1));
    assert_eq!(after["scenes"][0]["extensions"]["PLEACH_environment"]["map"]["image"], 0);
    assert_eq!(after["extensionsUsed"].as_array().unwrap().len(), 2);
}
