//! KHR_animation_pointer: properties of materials, cameras and lights follow their channels.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pleach::{Camera, Light, LightKind, Projection};
use pleach_gltf::{Document, Options};
use serde_json::{Value, json};

/// A file with a material, two cameras and a spot light, whose one animation has a channel per
/// pointer: from the first value at 0 s to the second at 2 s.
fn file(channels: &[(&str, [&[f32]; 2])]) -> Value {
    let (mut bytes, mut views, mut accessors) = (Vec::new(), Vec::new(), Vec::new());
    let mut add = |values: &[f32], kind: &str, count: usize| {
        views.push(json!({"buffer": 0, "byteOffset": bytes.len(), "byteLength": values.len() * 4}));
        bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        let view = views.len() - 1;
        accessors
            .push(json!({"bufferView": view, "componentType": 5126, "count": count, "type": kind}));
        view
    };
    let times = add(&[0.0, 2.0], "SCALAR", 2);
    let (mut samplers, mut targets) = (Vec::new(), Vec::new());
    for (index, (pointer, [from, to])) in channels.iter().enumerate() {
        let kind = ["SCALAR", "VEC2", "VEC3", "VEC4"][from.len() - 1];
        let output = add(&[*from, *to].concat(), kind, 2);
        samplers.push(json!({"input": times, "output": output}));
        let pointer = json!({"KHR_animation_pointer": {"pointer": pointer}});
        let target = json!({"path": "pointer", "extensions": pointer});
        targets.push(json!({"sampler": index, "target": target}));
    }
    accessors[times]["min"] = json!([0.0]);
    accessors[times]["max"] = json!([2.0]);
    let uri = format!("data:application/octet-stream;base64,{}", STANDARD.encode(&bytes));
    let light = |index: usize| json!({"KHR_lights_punctual": {"light": index}});
    json!({
        "asset": {"version": "2.0"},
        "extensionsUsed": ["KHR_animation_pointer", "KHR_lights_punctual", "KHR_materials_clearcoat",
                           "KHR_texture_transform"],
        "extensions": {"KHR_lights_punctual": {"lights": [
            {"type": "spot", "intensity": 5.0, "spot": {"innerConeAngle": 0.1, "outerConeAngle": 0.5}}]}},
        "materials": [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}},
            "alphaMode": "MASK", "extensions": {"KHR_materials_clearcoat": {"clearcoatFactor": 0.3}}}],
        "textures": [{"source": 0}],
        "images": [{"uri": "data:image/png;base64,iVBORw0KGgo="}],
        "cameras": [{"type": "perspective", "perspective": {"yfov": 1.0, "znear": 0.1}},
                    {"type": "orthographic",
                     "orthographic": {"xmag": 4.0, "ymag": 2.0, "znear": 0.1, "zfar": 9.0}}],
        "nodes": [{"camera": 0}, {"camera": 1}, {"camera": 0}, {"extensions": light(0)}],
        "scenes": [{"nodes": [0, 1, 2, 3]}],
        "animations": [{"channels": targets, "samplers": samplers}],
        "accessors": accessors, "bufferViews": views,
        "buffers": [{"byteLength": bytes.len(), "uri": uri}],
    })
}

fn load(file: &Value) -> Document {
    Options::new().strict().load_bytes(file.to_string().as_bytes()).unwrap()
}

fn camera(document: &Document, index: usize) -> Camera {
    *document.scenes()[0].camera(document.node(0, index).unwrap()).unwrap()
}

fn light(document: &Document) -> Light {
    *document.scenes()[0].light(document.node(0, 3).unwrap()).unwrap()
}

#[test]
fn properties_of_materials_cameras_and_lights_follow_their_channels() {
    let base = "/materials/0/pbrMetallicRoughness";
    let offset = format!("{base}/baseColorTexture/extensions/KHR_texture_transform/offset");
    let color = format!("{base}/baseColorFactor");
    let clearcoat = "/materials/0/extensions/KHR_materials_clearcoat/clearcoatFactor";
    let lamp = "/extensions/KHR_lights_punctual/lights/0";
    let (lamp_color, cone) = (format!("{lamp}/color"), format!("{lamp}/spot/outerConeAngle"));
    let mut document = load(&file(&[
        (&color, [&[1.0, 0.0, 0.0, 1.0], &[0.0, 1.0, 0.5, 1.0]]),
        (&offset, [&[0.0, 0.0], &[1.0, 2.0]]),
        (clearcoat, [&[0.0], &[1.0]]),
        ("/materials/0/alphaCutoff", [&[0.0], &[0.5]]),
        ("/cameras/0/perspective/yfov", [&[1.0], &[0.5]]),
        ("/cameras/1/orthographic/ymag", [&[2.0], &[4.0]]),
        (&lamp_color, [&[1.0, 1.0, 1.0], &[0.0, 0.5, 1.0]]),
        (&cone, [&[0.5], &[0.7]]),
    ]));
    assert_eq!(document.animations()[0].property_target_count(), 8);
    assert_eq!(document.animations()[0].clip().duration(), 2.0);
    let material = document.materials()[0].clone();
    let before =
        (material.snapshot(), [0, 1, 2].map(|index| camera(&document, index)), light(&document));

    document.apply_pointers(0, 0, 1.0);
    let now = material.get();
    assert_eq!(now.base_color.to_array(), [0.5, 0.5, 0.25, 1.0]);
    let transform = now.base_color_texture.as_ref().unwrap().transform.unwrap();
    assert_eq!(transform.offset.to_array(), [0.5, 1.0]);
    assert_eq!(now.clearcoat.as_ref().unwrap().factor, 0.5);
    assert_eq!(now.alpha_mode, pleach::AlphaMode::Mask { cutoff: 0.25 });
    for node in [0, 2] {
        let projection = camera(&document, node).projection;
        assert!(matches!(projection, Projection::Perspective { fov_y: 0.75, .. }));
    }
    let wide = camera(&document, 1);
    assert!(matches!(wide.projection, Projection::Orthographic { height: 6.0, .. }));
    // Half the width is `xmag`, 4, as before.
    assert!((wide.aspect.unwrap() - 8.0 / 6.0).abs() < 1e-6);
    assert_eq!(light(&document).color.to_array(), [0.5, 0.75, 1.0]);
    assert!(matches!(light(&document).kind, LightKind::Spot { outer_angle: 0.6, .. }));

    // The same time again edits no material.
    let version = now.version();
    drop(now);
    document.apply_pointers(0, 0, 1.0);
    assert_eq!(material.version(), version);

    document.restore_pointers();
    let after = ([0, 1, 2].map(|index| camera(&document, index)), light(&document));
    assert_eq!(before.0.value(), material.get().value());
    assert_eq!((before.1, before.2), after);
}

#[test]
fn a_restored_file_is_saved_byte_for_byte() {
    let text = file(&[("/materials/0/alphaCutoff", [&[0.0], &[0.5]])]).to_string();
    let mut document = pleach_gltf::load_bytes(text.as_bytes()).unwrap();
    document.apply_pointers(0, 0, 1.0);
    document.restore_pointers();
    let saved = document.save_bytes(pleach_gltf::Format::Gltf).unwrap();
    assert_eq!(String::from_utf8(saved.bytes).unwrap(), text);
}

#[test]
fn channels_that_do_not_fit_their_property_are_rejected_in_strict_mode() {
    let cutoff = "/materials/0/alphaCutoff";
    let wide: [&[f32]; 2] = [&[0.0, 1.0], &[1.0, 1.0]];
    let narrow: [&[f32]; 2] = [&[0.0], &[1.0]];
    for (channels, part) in [
        (vec![(cutoff, wide)], "2 values of 2 numbers for 2 keys, which need 1 of 1 each"),
        (vec![("/materials/7/alphaCutoff", narrow)], "7"),
        (vec![("/cameras/2/perspective/yfov", narrow)], "2"),
        (vec![(cutoff, narrow), (cutoff, narrow)], "channel 0 has the same target"),
    ] {
        let text = file(&channels).to_string();
        let error = Options::new().strict().load_bytes(text.as_bytes()).unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
    }
    let text = file(&[(cutoff, wide)]).to_string();
    let mut document = pleach_gltf::load_bytes(text.as_bytes()).unwrap();
    assert_eq!(document.report().warnings().len(), 1);
    document.apply_pointers(0, 0, 1.0);
}
