//! Problems of the content: nodes, meshes, images, cameras, lights, animations.

use serde_json::{Value, json};

use super::{after, leads_to, problem};
use crate::common::gltf_builder::GltfBuilder;
use crate::common::{Directory, golden, yard};

#[test]
fn ignored_and_unusual_transforms_are_reported() {
    leads_to("skin-transform", "warning", "/nodes/7", |json| {
        json["nodes"][7]["translation"] = json!([1, 0, 0]);
    });
    leads_to("skin-parent", "hint", "/nodes/7", |json| {
        json["nodes"][10]["children"] = json!([7]);
        json["scenes"][0]["nodes"] = json!([0]);
    });
    let matrix = after(|json| {
        json["nodes"][9] =
            json!({"name": "tip", "matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 1]});
    });
    assert_eq!(problem(&matrix.json(1), "animated-matrix").unwrap().0, "warning");
    leads_to("mirrored-joint", "hint", "/nodes/8", |json| {
        json["nodes"][8]["scale"] = json!([-1, 1, 1]);
    });
    leads_to("non-uniform-joint", "hint", "/nodes/8", |json| {
        json["nodes"][8]["scale"] = json!([1, 2, 1]);
    });
    leads_to("zero-scale", "hint", "/nodes/1", |json| json["nodes"][1]["scale"] = json!([1, 0, 1]));
    // A very small scale is not zero.
    let small = after(|json| json["nodes"][1]["scale"] = json!([1e-30, 1e-30, 1e-30]));
    assert_eq!(problem(&small.json(1), "zero-scale"), None);
    for scale in [2000.0, 1e-4] {
        leads_to("extreme-scale", "hint", "/nodes/1", |json| {
            json["nodes"][1]["scale"] = json!([1, 1, scale]);
        });
        leads_to("scene-size", "hint", "/scenes/0", |json| {
            json["nodes"][0]["scale"] = json!([scale, scale, scale]);
            json["scenes"][0]["nodes"] = json!([0]);
            json["nodes"][8]["children"] = json!([9, 7]);
        });
    }
    // The node scales a quantized mesh down.
    let quantized = after(|json| {
        json["nodes"][1]["scale"] = json!([1e-4, 1e-4, 1e-4]);
        json["extensionsUsed"].as_array_mut().unwrap().push(json!("KHR_mesh_quantization"));
    });
    // It is small for its distance, which is a different problem.
    assert_eq!(problem(&quantized.json(1), "extreme-scale"), None);
}

/// A mesh 2 m wide: at 1 km the f32 precision is 0.00006 m, at 1000 km 0.06 m.
#[test]
fn meshes_too_far_away_for_their_size_are_reported() {
    leads_to("far-from-origin", "warning", "/nodes/1", |json| {
        json["nodes"][1]["translation"] = json!([0, 1e6, 0]);
    });
    let near = after(|json| json["nodes"][1]["translation"] = json!([0, 1e3, 0])).json(0);
    assert_eq!(problem(&near, "far-from-origin"), None);
}

#[test]
fn empty_unreferenced_and_duplicate_nodes_are_reported() {
    leads_to("empty-node", "hint", "/nodes/14", |json| {
        json["nodes"].as_array_mut().unwrap().push(json!({"name": "new"}));
        json["scenes"][1]["nodes"] = json!([12, 14]);
    });
    leads_to("unreferenced-node", "hint", "/nodes/12", |json| {
        json["scenes"].as_array_mut().unwrap().pop();
    });
    leads_to("duplicate-name", "hint", "/nodes/3", |json| json["nodes"][3]["name"] = json!("shed"));
    // The same name in another scene is not a duplicate.
    let apart = after(|json| json["nodes"][12]["name"] = json!("shed")).json(0);
    assert_eq!(problem(&apart, "duplicate-name"), None);
}

#[test]
fn missing_attributes_of_materials_are_reported() {
    leads_to("no-normals", "hint", "/meshes/0/primitives/0", |json| {
        let attributes = &mut json["meshes"][0]["primitives"][0]["attributes"];
        attributes.as_object_mut().unwrap().remove("NORMAL");
    });
    leads_to("no-tangents", "hint", "/meshes/0/primitives/0", |json| {
        json["materials"][0]["normalTexture"] = json!({"index": 0});
    });
    leads_to("no-uvs", "warning", "/meshes/0/primitives/1", |json| {
        json["materials"][1]["emissiveTexture"] = json!({"index": 0});
    });
    leads_to("no-uvs", "warning", "/meshes/2/primitives/0", |json| {
        json["materials"][0]["emissiveTexture"] = json!({"index": 0, "texCoord": 1});
    });
}

/// A file of primitives, each with one problem.
fn faulty() -> (Value, Vec<u8>) {
    let mut builder = GltfBuilder::default();
    let square = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0f32]];
    let positions = builder.vectors(&square);
    let mut small = square;
    small[2][2] = 1e-40;
    let small = builder.vectors(&small);
    let up = builder.vectors(&[[0.0, 0.0, 1.0f32]; 4]);
    let lone = builder.vectors(&square);
    let five = builder.vectors(&[square[0], square[1], square[2], square[3], [0.5; 3]]);
    let up_five = builder.vectors(&[[0.0, 0.0, 1.0f32]; 5]);
    let long = builder.vectors(&[[0.0, 0.0, 1.0], [0.0, 0.0, 2.0], [0.0, 0.0, 1.0], [0.0; 3]]);
    let all = builder.indices(&[0, 1, 2, 0, 2, 3]);
    let some = builder.indices(&[0, 1, 2, 0, 2, 2]);
    let none = builder.indices(&[0, 1, 1, 3, 3, 3]);
    let few = builder.indices(&[0, 1, 2]);
    let joints = builder.joints(&[[0; 4]; 4]);
    let weights = builder.vectors(&[[0.5, 0.0, 0.0, 0.0f32]; 4]);
    let of = |position: usize, normal: usize, indices: usize| json!({"attributes": {"POSITION": position, "NORMAL": normal}, "indices": indices});
    let mut weighted = of(positions, up, all);
    weighted["attributes"]["JOINTS_0"] = json!(joints);
    weighted["attributes"]["WEIGHTS_0"] = json!(weights);
    let primitives = [
        of(positions, up, all),
        of(positions, up, some),
        of(positions, up, none),
        of(positions, long, all),
        of(small, up, all),
        of(lone, up, few),
        weighted,
        // Together they use all shared vertices except the last.
        of(five, up_five, some),
        of(five, up_five, all),
    ];
    let json = json!({
        "asset": {"version": "2.0"},
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": primitives}],
        "accessors": builder.accessors,
        "bufferViews": builder.views,
        "buffers": [{"uri": "faulty.bin", "byteLength": builder.bytes.len()}],
    });
    (json, builder.bytes)
}

#[test]
fn geometry_problems_have_the_pointer_of_their_primitive() {
    let here = Directory::new();
    let (json, bytes) = faulty();
    here.write("faulty.gltf", json.to_string());
    here.write("faulty.bin", bytes);
    let answer = here.run("check faulty.gltf --json").json(1);
    let at = |number: usize| format!("/meshes/0/primitives/{number}");
    let is = |code: &str, severity: &str, pointers: &[String]| {
        let found = problem(&answer, code).unwrap_or_else(|| panic!("{code}: {answer}"));
        assert_eq!((found.0, found.1), (severity, pointers.iter().map(String::as_str).collect()));
    };
    is("zero-area", "hint", &[at(1), at(7)]);
    is("no-area", "warning", &[at(2)]);
    is("normals-not-unit", "warning", &[at(3) + "/attributes/NORMAL"]);
    is("denormal", "hint", &[at(4)]);
    // For shared vertices, those that no primitive uses.
    is("unused-vertices", "hint", &[at(5), at(7)]);
    is("unused-weights", "hint", &[at(6)]);
    is("weight-sum", "warning", &[at(6) + "/attributes/WEIGHTS_0"]);
    golden("check/faulty.txt", &here.run("check faulty.gltf").text(1));
}

#[test]
fn image_problems_are_reported() {
    let here = yard::directory();
    let image = |bytes: &[u8], mime: &str| -> Value {
        here.write("image.bin", bytes);
        let (mut json, _) = yard::yard();
        json["images"][0] = json!({"uri": "image.bin", "mimeType": mime});
        here.write("image.gltf", json.to_string());
        let run = here.run("check image.gltf --json");
        let code = run.code.unwrap();
        run.json(code)
    };
    let png = |width: u32, height: u32| {
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, width, height);
        encoder.set_color(png::ColorType::Grayscale);
        let pixels = vec![0; (width * height) as usize];
        encoder.write_header().unwrap().write_image_data(&pixels).unwrap();
        file
    };
    let found = |answer: &Value, code: &str| {
        problem(answer, code)
            .map(|(severity, locations)| (severity.to_string(), locations.join(" ")))
    };
    let at = |severity: &str| Some((severity.to_string(), "/images/0".to_string()));
    let fine = image(&png(4, 8), "image/png");
    for code in ["broken-image", "image-mime-type", "image-size", "large-image", "huge-image"] {
        assert_eq!(found(&fine, code), None);
    }
    let cut = &png(64, 64)[..60];
    assert_eq!(found(&image(cut, "image/png"), "broken-image"), at("error"));
    assert_eq!(found(&image(b"not an image", "image/png"), "broken-image"), at("error"));
    let mistaken = found(&image(&png(4, 4), "image/jpeg"), "image-mime-type");
    assert_eq!(mistaken, Some(("warning".into(), "/images/0/mimeType".into())));
    assert_eq!(found(&image(&png(3, 4), "image/png"), "image-size"), at("hint"));
    assert_eq!(found(&image(&png(4097, 1), "image/png"), "large-image"), at("hint"));
    assert_eq!(found(&image(&png(8200, 1), "image/png"), "huge-image"), at("warning"));
    let ktx2 = [0xab, b'K', b'T', b'X', b' ', b'2', b'0', 0xbb, 13, 10, 26, 10];
    assert_eq!(found(&image(&ktx2, "image/ktx2"), "broken-image"), at("error"));
    let ktx2 = include_bytes!("../../../../pleach-gltf/tests/ktx2/etc1s.ktx2");
    assert_eq!(found(&image(ktx2, "image/ktx2"), "broken-image"), None);
}

#[test]
fn unusual_cameras_and_lights_are_reported() {
    let camera = |code: &str, pointer: &str, change: fn(&mut Value)| {
        leads_to(code, "hint", pointer, |json| change(&mut json["cameras"][0]["perspective"]));
    };
    camera("field-of-view", "/cameras/0/perspective/yfov", |it| it["yfov"] = json!(2.5));
    camera("field-of-view", "/cameras/0/perspective/yfov", |it| it["yfov"] = json!(0.05));
    camera("depth-range", "/cameras/0/perspective", |it| it["znear"] = json!(1e-5));
    camera("aspect", "/cameras/0", |it| it["aspectRatio"] = json!(30));
    leads_to("unusable-camera", "warning", "/nodes/6", |json| {
        json["nodes"][6]["scale"] = json!([1, 1, 0]);
    });
    let light = |code: &str, severity: &str, end: &str, change: fn(&mut Value)| {
        let pointer = format!("/extensions/KHR_lights_punctual/lights/1{end}");
        leads_to(code, severity, &pointer, |json| {
            change(&mut json["extensions"]["KHR_lights_punctual"]["lights"][1]);
        });
    };
    light("dark-light", "hint", "", |it| it["intensity"] = json!(0));
    light("dark-light", "hint", "", |it| it["color"] = json!([0, 0, 0]));
    light("negative-light", "warning", "", |it| it["intensity"] = json!(-1));
    light("light-color", "hint", "/color", |it| it["color"] = json!([2, 1, 1]));
    light("bright-light", "hint", "/intensity", |it| it["intensity"] = json!(2e6));
}

#[test]
fn animations_without_effect_are_reported() {
    leads_to("animation-outside-scene", "hint", "/animations/0", |json| {
        json["animations"][0]["channels"][0]["target"]["node"] = json!(13);
    });
    leads_to("empty-animation", "warning", "/animations/0", |json| {
        json["animations"][0]["channels"][0]["target"] = json!({"path": "rotation"});
    });
}

/// A node with an animated translation.
fn moving(keys: &[[f32; 3]], times: &[f32]) -> (Value, Vec<u8>) {
    let mut builder = GltfBuilder::default();
    let times: Vec<[f32; 1]> = times.iter().map(|&time| [time]).collect();
    let (input, output) = (builder.vectors(&times), builder.vectors(keys));
    let json = json!({
        "asset": {"version": "2.0"},
        "scenes": [{"nodes": [0]}],
        "nodes": [{"translation": [1, 2, 3]}],
        "animations": [{
            "samplers": [{"input": input, "output": output}],
            "channels": [{"sampler": 0, "target": {"node": 0, "path": "translation"}}],
        }],
        "accessors": builder.accessors,
        "bufferViews": builder.views,
        "buffers": [{"uri": "moving.bin", "byteLength": builder.bytes.len()}],
    });
    (json, builder.bytes)
}

#[test]
fn constant_channels_are_reported() {
    let here = Directory::new();
    let codes = |keys: &[[f32; 3]], times: &[f32]| -> Vec<String> {
        let (json, bytes) = moving(keys, times);
        here.write("moving.gltf", json.to_string());
        here.write("moving.bin", bytes);
        let answer = here.run("check moving.gltf --json").json(0);
        answer["problems"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["code"].as_str().unwrap().into())
            .collect()
    };
    assert!(codes(&[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], &[0.0, 1.0]).is_empty());
    let rest = [1.0, 2.0, 3.0];
    assert_eq!(codes(&[rest, rest], &[0.0, 1.0]), ["animation-without-effect"]);
    assert_eq!(codes(&[[7.0; 3], [7.0; 3]], &[0.0, 1.0]), ["constant-channels"]);
    assert_eq!(codes(&[[7.0; 3]], &[0.0]), ["constant-channels", "animation-without-time"]);
}
