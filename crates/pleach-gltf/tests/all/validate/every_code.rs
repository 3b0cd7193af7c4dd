//! Every code of a warning or rule is asserted by a test: by a case of the tables below, which
//! break the base file in one place, or by name in another test.

use std::collections::BTreeSet;
use std::path::Path;
use std::{env, fs};

use pleach_gltf::validate::{Rule, Validate, Validation};
use pleach_gltf::{Options, WarningCode};
use serde_json::{Value, json};

use super::base_file::{
    BINDS, COLORS, INDICES, NORMALS, PNG, ROTATIONS, TANGENTS, TIMES, UNUSED, WEIGHTS, base,
    set_floats,
};
use crate::common::temp_dir::TempDir;

type Change = fn(&mut Value);

const JOINTS: usize = 6;

/// Codes, with a change of the base file that causes each.
const CASES: &[(&str, Change)] = &[
    // Buffers and accessors.
    ("empty-buffer", |it| push(it, "buffers", json!({"byteLength": 0, "uri": "data:,"}))),
    ("invalid-byte-stride", |it| it["bufferViews"][UNUSED]["byteStride"] = json!(13)),
    ("unexpected-byte-stride", |it| it["bufferViews"][10]["byteStride"] = json!(12)),
    ("empty-accessor", |it| it["accessors"][UNUSED]["count"] = json!(0)),
    ("unaligned-accessor", |it| {
        it["accessors"][UNUSED]["type"] = json!("SCALAR");
        it["accessors"][UNUSED]["count"] = json!(2);
        it["accessors"][UNUSED]["byteOffset"] = json!(2);
    }),
    ("sparse-index-order", |it| {
        it["accessors"][UNUSED]["type"] = json!("SCALAR");
        it["accessors"][UNUSED]["count"] = json!(3);
        it["accessors"][UNUSED]["sparse"] = json!({"count": 2,
            "indices": {"bufferView": JOINTS, "byteOffset": 1, "componentType": 5121},
            "values": {"bufferView": UNUSED}});
    }),
    ("accessor-use", |it| it["animations"][0]["samplers"][2]["output"] = json!(TIMES)),
    ("accessor-layout", |it| it["accessors"][NORMALS]["normalized"] = json!(true)),
    ("byte-stride", |it| it["bufferViews"][14]["byteStride"] = json!(4)),
    ("invalid-float", |it| set_floats(it, UNUSED, 1, &[f32::NAN])),
    ("buffer-type", |it| {
        let uri = it["buffers"][0]["uri"].as_str().unwrap().replace("octet-stream", "text");
        it["buffers"][0]["uri"] = json!(uri);
    }),
    // Meshes.
    ("empty-mesh", |it| push(it, "meshes", json!({"primitives": []}))),
    ("missing-positions", |it| {
        push(it, "meshes", json!({"primitives": [{"attributes": {"NORMAL": NORMALS}}]}));
    }),
    ("morph-target-count", |it| {
        let primitives = it["meshes"][1]["primitives"].as_array_mut().unwrap();
        primitives.push(json!({"attributes": {"POSITION": 0}}));
    }),
    ("morph-weight-count", |it| it["nodes"][2]["weights"] = json!([0, 1])),
    ("attribute-set-limit", |it| attributes(it)["TEXCOORD_64"] = json!(3)),
    ("missing-attribute-set", |it| attributes(it)["TEXCOORD_2"] = json!(3)),
    ("attribute-sets", |it| attributes(it)["TEXCOORD_2"] = json!(3)),
    ("unused-joint-out-of-range", |it| {
        set_floats(it, JOINTS, 0, &[f32::from_le_bytes([0, 1, 9, 0])]);
    }),
    ("joint-out-of-range", |it| {
        set_floats(it, JOINTS, 0, &[f32::from_le_bytes([0, 9, 0, 0])]);
    }),
    ("index-type", |it| it["accessors"][INDICES]["normalized"] = json!(true)),
    ("primitive-restart", |it| {
        it["meshes"][0]["primitives"][0].as_object_mut().unwrap().remove("indices");
        set_floats(it, INDICES, 0, &[f32::from_le_bytes([0, 1, 255, 0])]);
        it["accessors"][INDICES]["componentType"] = json!(5121);
        let zeros = json!({"componentType": 5126, "type": "VEC3", "count": 256,
            "min": [0, 0, 0], "max": [0, 0, 0]});
        push(it, "accessors", zeros);
        let positions = it["accessors"].as_array().unwrap().len() - 1;
        let primitive = json!({"attributes": {"POSITION": positions}, "indices": INDICES});
        push(it, "meshes", json!({"primitives": [primitive]}));
    }),
    ("morph-without-base", |it| {
        let primitive = &mut it["meshes"][1]["primitives"][0];
        primitive["attributes"].as_object_mut().unwrap().remove("NORMAL");
        primitive["targets"][0]["NORMAL"] = json!(NORMALS);
    }),
    ("variant-twice", |it| {
        let extension = &mut it["meshes"][1]["primitives"][0]["extensions"];
        extension["KHR_materials_variants"]["mappings"][1]["variants"] = json!([0]);
    }),
    ("tangents-not-unit", |it| set_floats(it, TANGENTS, 0, &[2.0])),
    ("color-range", |it| set_floats(it, COLORS, 0, &[1.5])),
    ("invalid-weights", |it| set_floats(it, WEIGHTS, 0, &[0.5, 0.25, 0.25])),
    ("no-tangent-space", |it| {
        it["materials"][0]["extensions"]["KHR_materials_anisotropy"]["anisotropyTexture"] =
            json!({"index": 0});
        it["materials"][0].as_object_mut().unwrap().remove("normalTexture");
        for mesh in 0..2 {
            let attributes = &mut it["meshes"][mesh]["primitives"][0]["attributes"];
            attributes.as_object_mut().unwrap().remove("TANGENT");
        }
    }),
    // Nodes, skins, cameras and lights.
    ("matrix-not-decomposable", |it| it["nodes"][4]["matrix"][4] = json!(0.5)),
    ("matrix-and-transform", |it| it["nodes"][4]["scale"] = json!([1, 1, 2])),
    ("skin-without-mesh", |it| it["nodes"][3]["skin"] = json!(0)),
    ("joint-outside-scene", |it| it["scenes"][0]["nodes"] = json!([0, 2])),
    ("skin-without-joints", |it| push(it, "skins", json!({"joints": []}))),
    ("duplicate-joint", |it| it["skins"][0]["joints"] = json!([1, 1])),
    ("no-common-root", |it| {
        it["skins"][0] = json!({"joints": [3, 4], "inverseBindMatrices": BINDS});
    }),
    ("skeleton-root", |it| it["skins"][0]["skeleton"] = json!(3)),
    ("inverse-bind-matrix", |it| set_floats(it, BINDS, 3, &[0.5])),
    ("camera-extreme", |it| it["cameras"][1]["orthographic"]["xmag"] = json!(1e-39)),
    ("camera-projection", |it| {
        it["cameras"][1]["orthographic"].as_object_mut().unwrap().remove("xmag");
    }),
    ("camera-magnification", |it| it["cameras"][1]["orthographic"]["xmag"] = json!(0)),
    ("light-cone-angles", |it| light(it)["spot"]["innerConeAngle"] = json!(0.6)),
    ("light-range", |it| light(it)["range"] = json!(-1)),
    // Images and materials.
    ("image-without-source", |it| push(it, "images", json!({}))),
    ("image-unreadable", |it| it["images"][0] = json!({"uri": "missing.png"})),
    ("unknown-sampler-mode", |it| it["samplers"][0]["wrapS"] = json!(7)),
    ("unknown-alpha-mode", |it| it["materials"][0]["alphaMode"] = json!("FOG")),
    ("tex-coord-limit", |it| {
        it["materials"][0]["emissiveTexture"]["texCoord"] = json!(4_294_967_296_u64);
    }),
    ("attenuation-distance", |it| {
        it["materials"][0]["extensions"]["KHR_materials_volume"]["attenuationDistance"] = json!(-1);
    }),
    ("specular-glossiness-texture", |it| {
        it["materials"][1]["extensions"] = json!({"KHR_materials_pbrSpecularGlossiness":
            {"specularGlossinessTexture": {"index": 0}}});
    }),
    // Animations.
    ("unknown-channel-path", |it| {
        it["animations"][0]["channels"][0]["target"]["path"] = json!("colour");
    }),
    ("unknown-interpolation", |it| {
        it["animations"][0]["samplers"][0]["interpolation"] = json!("SPRING");
    }),
    ("single-key-spline", |it| {
        let mut times = it["accessors"][TIMES].clone();
        times["count"] = json!(1);
        push(it, "accessors", times);
        let input = it["accessors"].as_array().unwrap().len() - 1;
        it["animations"][0]["samplers"][0] =
            json!({"input": input, "output": NORMALS, "interpolation": "CUBICSPLINE"});
    }),
    ("duplicate-channel", |it| {
        let channel = it["animations"][0]["channels"][0].clone();
        it["animations"][0]["channels"].as_array_mut().unwrap().push(channel);
    }),
    ("key-weight-count", |it| {
        let mut keys = it["accessors"][ROTATIONS].clone();
        keys["type"] = json!("SCALAR");
        keys["count"] = json!(4);
        push(it, "accessors", keys);
        let output = it["accessors"].as_array().unwrap().len() - 1;
        it["animations"][0]["samplers"][2]["output"] = json!(output);
    }),
    ("zero-quaternion-key", |it| set_floats(it, ROTATIONS, 0, &[0.0, 0.0, 0.0, 0.0])),
    ("key-value-count", |it| {
        it["animations"][0]["channels"][0]["target"] = json!({"path": "pointer",
            "extensions": {"KHR_animation_pointer": {"pointer": "/materials/0/alphaCutoff"}}});
    }),
    ("duplicate-key-time", |it| set_floats(it, TIMES, 0, &[1.0])),
    ("negative-key-time", |it| set_floats(it, TIMES, 0, &[-1.0])),
    ("key-format", |it| {
        it["accessors"][TIMES]["componentType"] = json!(5121);
        it["accessors"][TIMES]["normalized"] = json!(true);
    }),
    ("rotation-key-length", |it| set_floats(it, ROTATIONS, 3, &[1.1])),
    ("weights-without-targets", |it| {
        it["animations"][0]["channels"][2]["target"]["node"] = json!(0);
    }),
    ("pointer-target", |it| {
        push(it, "extensionsUsed", json!("KHR_animation_pointer"));
        it["animations"][0]["channels"][0]["target"] = json!({"node": 3, "path": "pointer",
            "extensions": {"KHR_animation_pointer": {"pointer": "/nodes/3/translation"}}});
    }),
    // Extensions, members and the file as a whole.
    ("misplaced-extension", |it| {
        it["nodes"][3]["extensions"] = json!({"KHR_materials_ior": {"ior": 1.5}});
    }),
    ("missing-member", |it| {
        it["extensions"]["KHR_materials_variants"]["variants"][0] = json!({});
    }),
    ("dangling-reference", |it| {
        let extension = &mut it["meshes"][1]["primitives"][0]["extensions"];
        extension["KHR_materials_variants"]["mappings"][0]["variants"] = json!([9]);
    }),
    ("min-version", |it| it["asset"] = json!({"version": "2", "minVersion": "2.0"})),
    ("lone-surrogate", |it| it["nodes"][3]["name"] = json!("LONE")),
];

/// Codes without a test, with the reason.
const WITHOUT_TEST: &[(&str, &str)] = &[
    ("draco-element-count", "needs a Draco stream that disagrees with its accessor"),
    ("image-memory-limit", "validation has no limits that a small file reaches"),
    ("image-not-decoded", "needs images of more than the limit of a gigabyte"),
    ("dropped-chunks", "saving: the tests compare the message"),
    ("unsupported-image-type", "saving: the tests compare the message"),
    ("dropped-custom-camera", "saving: the tests compare the message"),
    ("dropped-ambient-light", "saving: the tests compare the message"),
    ("dropped-empty-instances", "saving: the tests compare the message"),
    ("approximated-instance", "saving: the tests compare the message"),
    ("dropped-instance-attribute", "saving: the tests compare the message"),
    ("dropped-material-value", "saving: the tests compare the message"),
    ("dropped-vertex-attribute", "saving: the tests compare the message"),
    ("dropped-visibility-channels", "saving: the tests compare the message"),
];

fn push(json: &mut Value, array: &str, entry: Value) {
    json[array].as_array_mut().unwrap().push(entry);
}

fn attributes(json: &mut Value) -> &mut Value {
    &mut json["meshes"][1]["primitives"][0]["attributes"]
}

fn light(json: &mut Value) -> &mut Value {
    &mut json["extensions"]["KHR_lights_punctual"]["lights"][0]
}

fn codes(validation: &Validation) -> Vec<&'static str> {
    validation.problems.iter().map(|it| it.code.as_str()).collect()
}

/// Returns a GLB of chunks; `type_name` is `JSON` or `BIN\0`.
fn glb(chunks: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
    let length: usize = chunks.iter().map(|(_, data)| 8 + data.len()).sum();
    let mut bytes = b"glTF\x02\0\0\0".to_vec();
    bytes.extend((12 + length as u32).to_le_bytes());
    for (type_name, data) in chunks {
        bytes.extend((data.len() as u32).to_le_bytes());
        bytes.extend(*type_name);
        bytes.extend(*data);
    }
    bytes
}

#[test]
fn each_case_has_its_code() {
    let mut wrong = Vec::new();
    for (code, change) in CASES {
        let (mut json, _) = base();
        assert!(!codes(&Validate::new().bytes(json.to_string().as_bytes())).contains(code));
        change(&mut json);
        // A lone surrogate cannot be expressed by a `Value`.
        let text = json.to_string().replace("LONE", "\\ud800");
        let validation = Validate::new().bytes(text.as_bytes());
        if !codes(&validation).contains(code) {
            wrong.push(format!("{code}: {:?}", validation.problems));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn faults_of_containers_have_their_codes() {
    let json = br#"{"asset":{"version":"2.0"}} "#;
    let trailing = [glb(&[(b"JSON", json)]), vec![0; 4]].concat();
    let files = [
        (WarningCode::GlbTrailingBytes, trailing),
        (WarningCode::GlbDuplicateChunk, glb(&[(b"JSON", json), (b"JSON", json)])),
        (WarningCode::GlbUnalignedChunk, glb(&[(b"JSON", &json[..27])])),
        (WarningCode::ByteOrderMark, [&b"\xef\xbb\xbf"[..], json].concat()),
    ];
    for (code, file) in files {
        let document = Options::new().load_bytes(&file).unwrap();
        let found: Vec<_> = document.report().warnings().iter().map(|it| it.code).collect();
        assert_eq!(found, [code]);
    }
}

#[test]
fn images_outside_of_the_directory_have_their_code() {
    let directory = TempDir::new("every-code");
    let (mut json, _) = base();
    json["images"][0] = json!({"uri": "../pixel.png"});
    directory.write("pixel.png", &PNG);
    directory.write("model/model.gltf", json.to_string().as_bytes());
    let document = pleach_gltf::load(directory.at("model/model.gltf")).unwrap();
    let mut warnings = document.report().warnings().iter();
    assert!(warnings.any(|it| it.code == WarningCode::ImageOutsideDirectory));
}

/// Returns the texts of all tests in a directory.
fn texts(directory: &Path, into: &mut String) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            texts(&path, into);
        } else if path.extension().is_some_and(|it| it == "rs") {
            *into += &fs::read_to_string(path).unwrap();
        }
    }
}

#[test]
fn every_code_is_asserted_by_a_test() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut all = String::new();
    texts(&tests, &mut all);
    // The tests of the program are not part of the published crate.
    let program = tests.join("../../pleach-cli/tests");
    if program.exists() {
        texts(&program, &mut all);
    }
    let listed: BTreeSet<&str> = WITHOUT_TEST.iter().map(|it| it.0).collect();
    let codes = WarningCode::ALL.iter().map(|it| (it.as_str(), format!("WarningCode::{it:?}")));
    let rules = Rule::ALL.iter().map(|it| (it.as_str(), format!("Rule::{it:?}")));
    let (mut missing, mut obsolete) = (Vec::new(), Vec::new());
    for (code, name) in codes.chain(rules) {
        // The list of those without a test has the text once, too.
        let quoted = all.matches(&format!("\"{code}\"")).count();
        let is_asserted = all.contains(&name) || quoted > usize::from(listed.contains(code));
        match (is_asserted, listed.contains(code)) {
            (false, false) => missing.push(code),
            (true, true) => obsolete.push(code),
            _ => {}
        }
    }
    assert!(missing.is_empty(), "without a test: {missing:?}");
    assert!(obsolete.is_empty(), "tested, but listed as without a test: {obsolete:?}");
}
