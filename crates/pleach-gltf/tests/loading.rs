//! Loading, fault by fault: what is tolerated, what is refused, and how both are told.
//!
//! One small file has everything that a file can have (`whole`). Each case is an edit or two of
//! it, so that nothing but the fault can be the reason.

use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use glam::{Quat, Vec3};
use pleach::ImageData;
use pleach::animation::{Layer, Mixer, Repeat};
use pleach_gltf::ErrorKind::Value as Bad;
use pleach_gltf::ErrorKind::{Container, Data, Extension, Json, Limit, Reference, Structure, Uri};
use pleach_gltf::{Bytes, Directory, Document, Error, ErrorKind, Limits, Options, Stage};
use serde_json::{Value, json};

// ---- files ----

/// A file in the making: its JSON, and the bytes of its only buffer.
#[derive(Clone, Debug)]
struct File {
    json: Value,
    bin: Vec<u8>,
}

const POSITIONS: usize = 0;
const INDICES: usize = 1;
const JOINTS: usize = 2;
const WEIGHTS: usize = 3;
const BINDS: usize = 4;
const TIMES: usize = 5;
const PLACES: usize = 6;
const TURNS: usize = 7;
const SHIFTS: usize = 8;
const SHOWN: usize = 9;
const COPIES: usize = 10;
const BLENDS: usize = 11;
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

/// A file with one of everything and no fault.
fn whole() -> File {
    let identity: Vec<f32> = (0..32).map(|i| if i % 16 % 5 == 0 { 1.0 } else { 0.0 }).collect();
    let mut file = File { json: json!({"asset": {"version": "2.0"}}), bin: Vec::new() };
    for array in ["accessors", "bufferViews"] {
        file = file.set(&format!("/{array}"), json!([]));
    }
    file.floats("VEC3", &[0., 0., 0., 1., 0., 0., 0., 1., 0.]);
    file.column(5123, "SCALAR", 3, &[0, 0, 1, 0, 2, 0]);
    file.column(5121, "VEC4", 3, &[0, 1, 0, 0].repeat(3));
    file.floats("VEC4", &[0.5, 0.5, 0., 0.].repeat(3));
    file.floats("MAT4", &identity);
    file.floats("SCALAR", &[0., 1.]);
    file.floats("VEC3", &[0., 0., 0., 0., 4., 0.]);
    file.floats("VEC4", &[0., 0., 0., 1., 0., 1., 0., 0.]);
    file.floats("VEC3", &[0., 0., 1.].repeat(3));
    file.column(5121, "SCALAR", 2, &[1, 0]);
    file.floats("VEC3", &[0., 0., 0., 5., 0., 0.]);
    file.floats("SCALAR", &[0., 1.]);
    let image = file.view(PNG);
    let primitive = json!({
        "attributes": {"POSITION": POSITIONS, "JOINTS_0": JOINTS, "WEIGHTS_0": WEIGHTS},
        "indices": INDICES, "material": 0, "targets": [{"POSITION": SHIFTS}],
    });
    let instances = json!({"attributes": {"TRANSLATION": COPIES}});
    let pointer = json!({"pointer": "/nodes/5/extensions/KHR_node_visibility/visible"});
    let members = json!({
        "extensionsUsed": [
            "EXT_mesh_gpu_instancing", "KHR_animation_pointer", "KHR_lights_punctual",
            "KHR_node_visibility",
        ],
        "scene": 0,
        "scenes": [{"name": "yard", "nodes": [0, 1]}],
        "nodes": [
            {"name": "body", "mesh": 0, "skin": 0, "children": [3, 4, 5]},
            {"name": "hip", "children": [2]},
            {"name": "knee", "translation": [0, 1, 0]},
            {"name": "eye", "camera": 0},
            {"name": "lamp", "extensions": {"KHR_lights_punctual": {"light": 0}}},
            {"name": "leaves", "mesh": 1, "extensions": {"EXT_mesh_gpu_instancing": instances}},
        ],
        "meshes": [
            {"primitives": [primitive], "weights": [0.5]},
            {"primitives": [{"attributes": {"POSITION": POSITIONS}}]},
        ],
        "skins": [{"joints": [1, 2], "inverseBindMatrices": BINDS, "skeleton": 1}],
        "animations": [{
            "name": "wave",
            "channels": [
                {"sampler": 0, "target": {"node": 1, "path": "translation"}},
                {"sampler": 1, "target": {"node": 2, "path": "rotation"}},
                {"sampler": 2, "target": {"node": 0, "path": "weights"}},
                {"sampler": 3, "target": {
                    "path": "pointer", "extensions": {"KHR_animation_pointer": pointer},
                }},
            ],
            "samplers": [
                {"input": TIMES, "output": PLACES},
                {"input": TIMES, "output": TURNS},
                {"input": TIMES, "output": BLENDS},
                {"input": TIMES, "output": SHOWN, "interpolation": "STEP"},
            ],
        }],
        "cameras": [{"type": "perspective", "perspective": {"yfov": 1, "znear": 0.1}}],
        "extensions": {"KHR_lights_punctual": {"lights": [{"type": "spot", "range": 4, "spot": {}}]}},
        "images": [{"bufferView": image, "mimeType": "image/png"}],
        "samplers": [{"wrapS": 33071}],
        "textures": [{"source": 0, "sampler": 0}],
        "materials": [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}],
    });
    for (key, value) in members.as_object().unwrap() {
        file = file.set(&format!("/{key}"), value.clone());
    }
    file
}

/// A file with these members and no bytes.
fn file(members: Value) -> File {
    let mut json = members;
    json["asset"] = json!({"version": "2.0"});
    File { json, bin: Vec::new() }
}

impl File {
    /// A piece of the buffer; its number.
    fn view(&mut self, bytes: &[u8]) -> usize {
        self.bin.resize(self.bin.len().next_multiple_of(4), 0);
        let view = json!({"buffer": 0, "byteOffset": self.bin.len(), "byteLength": bytes.len()});
        self.bin.extend_from_slice(bytes);
        let views = self.json["bufferViews"].as_array_mut().unwrap();
        views.push(view);
        views.len() - 1
    }

    /// An accessor with a view of its own, which has the same number.
    fn column(&mut self, component: u32, kind: &str, count: usize, bytes: &[u8]) {
        let view = self.view(bytes);
        let accessor = json!({
            "bufferView": view, "componentType": component, "type": kind, "count": count,
        });
        self.json["accessors"].as_array_mut().unwrap().push(accessor);
    }

    fn floats(&mut self, kind: &str, numbers: &[f32]) {
        let each = match kind {
            "SCALAR" => 1,
            "VEC3" => 3,
            "VEC4" => 4,
            _ => 16,
        };
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.column(5126, kind, numbers.len() / each, &bytes);
    }

    /// Puts a value where a JSON pointer says; `-` is the end of a list.
    fn set(mut self, pointer: &str, value: impl Into<Value>) -> Self {
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        match self.json.pointer_mut(parent) {
            Some(Value::Array(list)) if key == "-" => list.push(value.into()),
            Some(Value::Array(list)) => list[key.parse::<usize>().unwrap()] = value.into(),
            Some(Value::Object(members)) => {
                members.insert(key.into(), value.into());
            }
            other => panic!("{pointer}: {other:?}"),
        }
        self
    }

    /// Takes away what a JSON pointer leads to.
    fn without(mut self, pointer: &str) -> Self {
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        let members = self.json.pointer_mut(parent).and_then(Value::as_object_mut).unwrap();
        members.remove(key).unwrap();
        self
    }

    /// Writes bytes over those of an accessor.
    fn put(mut self, accessor: usize, at: usize, bytes: &[u8]) -> Self {
        let offset = self.json["bufferViews"][accessor]["byteOffset"].as_u64().unwrap();
        let start = offset as usize + at;
        self.bin[start..start + bytes.len()].copy_from_slice(bytes);
        self
    }

    /// Writes one number of an accessor.
    fn put_float(self, accessor: usize, place: usize, number: f32) -> Self {
        self.put(accessor, place * 4, &number.to_le_bytes())
    }

    /// Gives an accessor another view of its buffer, with zeros in it.
    fn longer(mut self, accessor: usize, bytes: usize) -> Self {
        let view = self.view(&vec![0; bytes]);
        self.set(&format!("/accessors/{accessor}/bufferView"), view)
    }

    /// As a `.gltf`, its bytes in a data URI.
    fn text(&self) -> String {
        let mut json = self.json.clone();
        if !self.bin.is_empty() && json.get("buffers").is_none() {
            let uri = format!("data:;base64,{}", STANDARD.encode(&self.bin));
            json["buffers"] = json!([{"uri": uri, "byteLength": self.bin.len()}]);
        }
        json.to_string()
    }

    /// As a `.glb`.
    fn glb(&self) -> Vec<u8> {
        let mut json = self.json.clone();
        json["buffers"] = json!([{"byteLength": self.bin.len()}]);
        glb(&[
            (b"JSON", padded(json.to_string().into_bytes(), b' ')),
            (b"BIN\0", self.padded_bin()),
        ])
    }

    fn padded_bin(&self) -> Vec<u8> {
        padded(self.bin.clone(), 0)
    }

    fn load(&self) -> Result<Document, Error> {
        self.load_as(&Options::new())
    }

    fn load_as(&self, options: &Options) -> Result<Document, Error> {
        options.load_bytes(self.text().as_bytes())
    }
}

fn padded(mut bytes: Vec<u8>, with: u8) -> Vec<u8> {
    bytes.resize(bytes.len().next_multiple_of(4), with);
    bytes
}

/// A container of chunks.
fn glb(chunks: &[(&[u8; 4], Vec<u8>)]) -> Vec<u8> {
    let mut body = Vec::new();
    for (kind, content) in chunks {
        body.extend_from_slice(&(content.len() as u32).to_le_bytes());
        body.extend_from_slice(*kind);
        body.extend_from_slice(content);
    }
    let mut whole = b"glTF\x02\0\0\0".to_vec();
    whole.extend_from_slice(&(12 + body.len() as u32).to_le_bytes());
    whole.extend(body);
    whole
}

/// The smallest file, as a chunk.
fn json_chunk() -> Vec<u8> {
    padded(br#"{"asset":{"version":"2.0"}}"#.to_vec(), b' ')
}

/// Panics with all of what was found, if anything.
fn panic_if_any(faults: &[String]) {
    assert!(faults.is_empty(), "{} faults:\n  {}", faults.len(), faults.join("\n  "));
}

/// How a load went, in short.
fn outcome(result: &Result<Document, Error>) -> String {
    result.as_ref().map_or_else(|error| format!("{error:?}"), |_| "loads".into())
}

#[test]
fn a_file_with_one_of_everything_and_no_fault_loads_without_warnings() {
    for bytes in [whole().text().into_bytes(), whole().glb()] {
        let document = Options::new().strict().load_bytes(&bytes).unwrap();
        assert_eq!(document.report().to_string(), "");
        assert_eq!(document.scenes().len(), 1);
        let scene = &document.scenes()[0];
        assert_eq!(scene.check(), Vec::<String>::new());
        assert_eq!((scene.meshes.len(), scene.skins.len(), scene.weights.len()), (2, 1, 1));
        assert_eq!((scene.cameras.len(), scene.lights.len()), (1, 1));
    }
}

// ---- tolerated ----

/// Faults that everybody loads, and where they are told.
fn odd_files() -> Vec<(&'static str, File, &'static str)> {
    let stride =
        |view: usize, bytes: usize| whole().set(&format!("/bufferViews/{view}/byteStride"), bytes);
    let channel = json!({"sampler": 0, "target": {"node": 1, "path": "translation"}});
    let lights = "/extensions/KHR_lights_punctual/lights/0";
    let light = |member: &str, value: Value| whole().set(&format!("{lights}/{member}"), value);
    vec![
        ("a buffer of no bytes", file(json!({"buffers": [{"uri": "data:,", "byteLength": 0}]})), "/buffers/0/byteLength"),
        ("a stride that is no multiple of 4", whole().longer(POSITIONS, 100).set("/bufferViews/13/byteStride", 14), "/bufferViews/13/byteStride"),
        ("a stride on indices", stride(INDICES, 4).longer(INDICES, 12).set("/bufferViews/13/byteStride", 4), "/meshes/0/primitives/0/indices"),
        ("a stride on matrices", stride(BINDS, 64), "/skins/0/inverseBindMatrices"),
        ("a stride on keys", stride(PLACES, 12), "/animations/0/samplers/0/output"),
        ("a stride on key times", stride(TIMES, 4), "/animations/0/samplers/0/input"),
        ("an accessor of no elements", whole().set("/accessors/-", json!({"componentType": 5126, "type": "VEC3", "count": 0})), "/accessors/12/count"),
        ("an offset that is not aligned", whole().longer(BLENDS, 12).set("/accessors/11/byteOffset", 2), "/accessors/11/byteOffset"),
        ("sparse elements out of order", sparse(&[2, 1]), "/accessors/0/sparse/indices"),
        ("sparse elements twice", sparse(&[1, 1]), "/accessors/0/sparse/indices"),
        ("an image of nothing", whole().set("/images/-", json!({})), "/images/1"),
        ("an image that is missing", whole().set("/images/-", json!({"uri": "none.png"})), "/images/1/uri"),
        ("an image on the web", whole().set("/images/-", json!({"uri": "https://example.org/a.png"})), "/images/1/uri"),
        ("a mesh without primitives", whole().set("/meshes/-", json!({"primitives": []})), "/meshes/2/primitives"),
        ("other numbers of targets", whole().set("/meshes/0/primitives/-", json!({"attributes": {"POSITION": POSITIONS, "JOINTS_0": JOINTS, "WEIGHTS_0": WEIGHTS}})), "/meshes/0/primitives"),
        ("more weights than a mesh has targets", whole().set("/meshes/0/weights", json!([0, 1])), "/meshes/0/weights"),
        ("more weights on a node than targets", whole().set("/nodes/0/weights", json!([0, 1])), "/nodes/0/weights"),
        ("a primitive without positions", whole().set("/meshes/1/primitives/0/attributes", json!({})), "/meshes/1/primitives/0/attributes"),
        ("weights that do not sum to one", whole().put_float(WEIGHTS, 4, 0.25), "/meshes/0/primitives/0/attributes/WEIGHTS_0"),
        ("a joint that the skin has not", whole().put(JOINTS, 5, &[7]), "/nodes/0/skin"),
        ("a matrix and a translation", whole().set("/nodes/2/matrix", identity()), "/nodes/2/matrix"),
        ("a quaternion of length 2", whole().set("/nodes/2/rotation", json!([0, 0, 0, 2])), "/nodes/2/rotation"),
        ("a skin without a mesh", whole().set("/nodes/3/skin", 0), "/nodes/3/skin"),
        ("a skin without joints", whole().set("/skins/-", json!({"joints": []})), "/skins/1/joints"),
        ("a joint twice", whole().set("/skins/0/joints", json!([1, 1])), "/skins/0/joints"),
        ("joints without a common root", whole().set("/skins/-", json!({"joints": [1, 3]})), "/skins/1/joints"),
        ("joints of another scene", whole().set("/scenes/0/nodes", json!([0])), "/nodes/0/skin"),
        ("a camera that sees nothing", whole().set("/cameras/0/perspective/znear", -1), "/cameras/0"),
        ("cones that do not rise", light("spot", json!({"innerConeAngle": 1, "outerConeAngle": 0.5})), "/extensions/KHR_lights_punctual/lights/0/spot"),
        ("a light without range", light("range", json!(0)), "/extensions/KHR_lights_punctual/lights/0/range"),
        ("two channels for the same", whole().set("/animations/0/channels/-", channel), "/animations/0/channels/4"),
        ("a path that is not known", whole().set("/animations/0/channels/0/target/path", "color"), "/animations/0/channels/0/target/path"),
        ("an interpolation that is not known", whole().set("/animations/0/samplers/0/interpolation", "CUBIC"), "/animations/0/samplers/0/interpolation"),
        ("equal key times", whole().put_float(TIMES, 1, 0.0), "/animations/0/samplers/0/input"),
        ("a key before the beginning", whole().put_float(TIMES, 0, -1.0), "/animations/0/samplers/0/input"),
        ("weights for another number of targets", whole().longer(BLENDS, 16).set("/accessors/11/count", 4), "/animations/0/channels/2"),
        ("shown for another number of keys", whole().longer(SHOWN, 4).set("/accessors/9/count", 3), "/animations/0/samplers/3/output"),
        ("a texture filter that is not known", whole().set("/samplers/0/magFilter", 1), "/samplers/0/magFilter"),
        ("an alpha mode that is not known", whole().set("/materials/0/alphaMode", "HASHED"), "/materials/0/alphaMode"),
        ("a factor beyond 1", whole().set("/materials/0/pbrMetallicRoughness/metallicFactor", 2), "/materials/0/pbrMetallicRoughness/metallicFactor"),
    ]
}

fn identity() -> Value {
    json!([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1])
}

/// `whole` with two replaced positions.
fn sparse(elements: &[u8; 2]) -> File {
    let mut file = whole();
    let [indices, values] = [file.view(elements), file.view(&[0; 24])];
    file.set(
        "/accessors/0/sparse",
        json!({
            "count": 2,
            "indices": {"bufferView": indices, "componentType": 5121},
            "values": {"bufferView": values},
        }),
    )
}

/// A single key, of a spline.
fn lone_spline() -> File {
    let mut file = whole();
    file.floats("SCALAR", &[0.0]);
    file.floats("VEC3", &[0.0; 9]);
    file.set(
        "/animations/0/samplers/0",
        json!({"input": 12, "output": 13, "interpolation": "CUBICSPLINE"}),
    )
}

#[test]
fn a_tolerated_fault_is_told_once_at_its_place_and_is_an_error_if_strict() {
    let mut faults = Vec::new();
    let mut odd = odd_files();
    let spline = "/animations/0/samplers/0/interpolation";
    odd.push(("a spline through a single key", lone_spline(), spline));
    for (what, file, pointer) in odd {
        let text = file.text();
        let told = match Options::new().load_bytes(text.as_bytes()) {
            Ok(document) => document.report().warnings().to_vec(),
            Err(error) => {
                faults.push(format!("{what}: not tolerated: {error:?}"));
                continue;
            }
        };
        if told.len() != 1 || told[0].pointer != pointer {
            faults.push(format!("{what}: told {told:?}, expected one at {pointer}"));
        }
        match Options::new().strict().load_bytes(text.as_bytes()) {
            Ok(_) => faults.push(format!("{what}: loads, though strict")),
            Err(error) => {
                let is_same = told.first().is_some_and(|told| told.message == error.message());
                if (error.kind(), error.pointer()) != (ErrorKind::Strict, pointer) || !is_same {
                    faults.push(format!("{what}: strict says {error:?}, expected {pointer}"));
                }
            }
        }
    }
    panic_if_any(&faults);
}

#[test]
fn a_tolerated_fault_of_a_node_in_two_scenes_is_told_once() {
    let file = file(json!({
        "nodes": [{"rotation": [0, 0, 0, 2]}],
        "scenes": [{"nodes": [0]}, {"nodes": [0]}],
    }));
    let document = file.load().unwrap();
    assert_eq!(document.report().warnings().len(), 1, "{}", document.report());
}

#[test]
fn what_is_tolerated_is_read_as_it_is_told() {
    let node = |file: File, index: usize| {
        let document = file.load_as(&Options::new().keep_y_up()).unwrap();
        let node = document.node(0, index).unwrap();
        document.scenes()[0].graph.node(node).unwrap().transform()
    };
    let turned = node(whole().set("/nodes/2/rotation", json!([0, 0, 2, 0])), 2);
    assert_eq!(turned.rotation, Quat::from_xyzw(0.0, 0.0, 1.0, 0.0));
    let matrix = node(whole().set("/nodes/2/matrix", identity()), 2);
    assert_eq!(matrix.translation, Vec3::ZERO);

    let told = |file: File| file.load().unwrap().report().to_string();
    assert_eq!(
        told(whole().put_float(TIMES, 1, 0.0)),
        "/animations/0/samplers/0/input: keys 0 and 1 have the same time, 0 s\n"
    );
    assert_eq!(
        told(whole().set("/skins/-", json!({"joints": [1, 3]}))),
        "/skins/1/joints: joints have no common root\n"
    );
    assert_eq!(
        told(whole().put_float(WEIGHTS, 4, 0.25)),
        "/meshes/0/primitives/0/attributes/WEIGHTS_0: the weights of vertex 1 sum to 0.75, not 1; \
         they are taken as shares\n"
    );
}

#[test]
fn joints_of_another_scene_pose_all_the_same() {
    let document = whole().set("/scenes/0/nodes", json!([0])).load().unwrap();
    let body = document.node(0, 0).unwrap();
    let scene = &document.scenes()[0];
    let palette = scene.palettes().of(body).unwrap();
    assert_eq!(palette[1].w_axis.truncate(), Vec3::Z, "the knee is one up");
    // They are not of this scene: nothing below its root, and not what the file lists there.
    let below: Vec<_> = scene.graph.node(scene.root()).unwrap().descendants().collect();
    assert!(!below.contains(&scene.skin(body).unwrap().joints[0]));
    assert_eq!(document.index_of(0, scene.skin(body).unwrap().joints[0]), None);
    assert!(document.outside().is_some(), "the hip is in no scene");
}

#[test]
fn sets_beyond_the_sixty_fourth_are_left_out_and_told_even_if_strict() {
    let file = whole().set("/meshes/1/primitives/0/attributes/TEXCOORD_64", POSITIONS);
    let document = file.load_as(&Options::new().strict()).unwrap();
    let pointers: Vec<_> = document.report().warnings().iter().map(|it| &*it.pointer).collect();
    assert_eq!(pointers, ["/meshes/1/primitives/0/attributes/TEXCOORD_64"]);
}

#[test]
fn a_report_has_a_thousand_warnings_at_most_and_counts_the_rest() {
    let nodes = vec![json!({"rotation": [0, 0, 0, 2]}); 1500];
    let document = file(json!({"nodes": nodes})).load().unwrap();
    assert_eq!(document.report().warnings().len(), 1000);
    assert_eq!(document.report().left_out(), 500);
    assert!(document.report().to_string().ends_with("and 500 more\n"));
}

// ---- refused ----

/// Indices of things that are not there, by their place.
const REFERENCES: &[&str] = &[
    "/scene",
    "/scenes/0/nodes/0",
    "/nodes/0/children/0",
    "/nodes/0/mesh",
    "/nodes/0/skin",
    "/nodes/3/camera",
    "/nodes/4/extensions/KHR_lights_punctual/light",
    "/nodes/5/extensions/EXT_mesh_gpu_instancing/attributes/TRANSLATION",
    "/meshes/0/primitives/0/attributes/POSITION",
    "/meshes/0/primitives/0/attributes/JOINTS_0",
    "/meshes/0/primitives/0/indices",
    "/meshes/0/primitives/0/material",
    "/meshes/0/primitives/0/targets/0/POSITION",
    "/skins/0/joints/1",
    "/skins/0/inverseBindMatrices",
    "/skins/0/skeleton",
    "/animations/0/channels/0/sampler",
    "/animations/0/channels/0/target/node",
    "/animations/0/samplers/0/input",
    "/animations/0/samplers/0/output",
    "/animations/0/samplers/3/input",
    "/animations/0/samplers/3/output",
    "/accessors/0/bufferView",
    "/bufferViews/0/buffer",
    "/images/0/bufferView",
    "/textures/0/source",
    "/textures/0/sampler",
    "/materials/0/pbrMetallicRoughness/baseColorTexture/index",
];

#[test]
fn an_index_of_something_that_is_not_there_is_refused_at_its_place() {
    let mut faults = Vec::new();
    for &pointer in REFERENCES {
        for index in [99u64, u64::MAX] {
            match whole().set(pointer, index).load() {
                Err(error) if (error.kind(), error.pointer()) == (Reference, pointer) => {}
                other => faults.push(format!("{pointer}: {index}: {}", outcome(&other))),
            }
        }
    }
    panic_if_any(&faults);
}

#[test]
fn a_pointer_at_a_node_that_is_not_there_is_refused() {
    let target = "/animations/0/channels/3/target/extensions/KHR_animation_pointer";
    let file = whole().set(&format!("{target}/pointer"), "/nodes/77/translation");
    let error = file.load().unwrap_err();
    assert_eq!((error.kind(), error.pointer()), (Reference, target));
}

/// Faults of a `.gltf` that nothing can be made of: where, and what kind.
fn broken_files() -> Vec<(&'static str, File, &'static str, ErrorKind)> {
    let nan = f32::NAN;
    let accessor =
        |member: &str, value: Value| whole().set(&format!("/accessors/0/{member}"), value);
    let sparse_with = |member: &str, value: Value| {
        sparse(&[0, 1]).set(&format!("/accessors/0/sparse/{member}"), value)
    };
    vec![
        // The whole.
        (
            "version 1",
            file(json!({})).set("/asset", json!({"version": "1.0"})),
            "/asset/version",
            Bad,
        ),
        (
            "a version to come",
            file(json!({})).set("/asset/minVersion", "2.1"),
            "/asset/minVersion",
            Bad,
        ),
        ("no version", file(json!({})).set("/asset", json!({})), "/asset", Json),
        (
            "an unknown extension that is required",
            file(json!({"extensionsRequired": ["KHR_lights_punctual", "VENDOR_x"]})),
            "/extensionsRequired/1",
            Extension,
        ),
        // Buffers.
        ("a buffer of nothing", file(json!({"buffers": [{"byteLength": 4}]})), "/buffers/0", Data),
        (
            "a buffer that is too short",
            file(json!({"buffers": [{"uri": "data:,abc", "byteLength": 4}]})),
            "/buffers/0/byteLength",
            Data,
        ),
        (
            "a buffer that is missing",
            file(json!({"buffers": [{"uri": "none.bin", "byteLength": 4}]})),
            "/buffers/0/uri",
            Uri,
        ),
        (
            "a buffer on the web",
            file(json!({"buffers": [{"uri": "http://a/b.bin", "byteLength": 4}]})),
            "/buffers/0/uri",
            Uri,
        ),
        (
            "broken base64",
            file(json!({"buffers": [{"uri": "data:;base64,A*==", "byteLength": 1}]})),
            "/buffers/0/uri",
            Uri,
        ),
        (
            "a view beyond its buffer",
            whole().set("/bufferViews/0/byteLength", 100_000),
            "/bufferViews/0/byteLength",
            Data,
        ),
        (
            "a view that wraps round",
            whole().set("/bufferViews/0/byteOffset", u64::MAX),
            "/bufferViews/0/byteLength",
            Data,
        ),
        // Accessors.
        ("an accessor beyond its view", accessor("count", json!(4)), "/accessors/0/count", Data),
        (
            "an accessor that wraps round",
            accessor("count", json!(u64::MAX)),
            "/accessors/0/count",
            Data,
        ),
        (
            "an offset beyond the view",
            accessor("byteOffset", json!(u64::MAX - 3)),
            "/accessors/0/count",
            Data,
        ),
        (
            "a component type of no kind",
            accessor("componentType", json!(5124)),
            "/accessors/0/componentType",
            Bad,
        ),
        ("a type of no kind", accessor("type", json!("VEC5")), "/accessors/0/type", Bad),
        (
            "elements larger than the stride",
            whole().set("/bufferViews/0/byteStride", 8),
            "/accessors/0/bufferView",
            Data,
        ),
        (
            "positions of two numbers",
            accessor("type", json!("VEC2")),
            "/meshes/0/primitives/0/attributes/POSITION",
            Bad,
        ),
        (
            "indices of floats",
            whole().set("/meshes/0/primitives/0/indices", BLENDS),
            "/meshes/0/primitives/0/indices",
            Bad,
        ),
        (
            "joints of floats",
            whole().set("/meshes/0/primitives/0/attributes/JOINTS_0", WEIGHTS),
            "/meshes/0/primitives/0/attributes/JOINTS_0",
            Bad,
        ),
        (
            "more sparse elements than elements",
            sparse_with("count", json!(4)),
            "/accessors/0/sparse/count",
            Data,
        ),
        (
            "sparse indices of floats",
            sparse_with("indices/componentType", json!(5126)),
            "/accessors/0/sparse/indices/componentType",
            Bad,
        ),
        (
            "sparse indices beyond their view",
            sparse_with("indices/byteOffset", json!(1)),
            "/accessors/0/sparse/indices",
            Data,
        ),
        (
            "sparse values beyond their view",
            sparse_with("values/byteOffset", json!(4)),
            "/accessors/0/sparse/values",
            Data,
        ),
        (
            "sparse indices of no view",
            sparse_with("indices/bufferView", json!(99)),
            "/accessors/0/sparse/indices/bufferView",
            Reference,
        ),
        (
            "sparse values of no view",
            sparse_with("values/bufferView", json!(99)),
            "/accessors/0/sparse/values/bufferView",
            Reference,
        ),
        ("a sparse element beyond the last", sparse(&[0, 3]), "/accessors/0/sparse/indices", Data),
        (
            "a sparse element beyond the last, after one out of order",
            sparse(&[3, 0]),
            "/accessors/0/sparse/indices",
            Data,
        ),
        (
            "compressed in no mode",
            compressed(&[("mode", json!("LINES"))]),
            "/bufferViews/0/extensions/EXT_meshopt_compression/mode",
            Bad,
        ),
        (
            "compressed with no filter",
            compressed(&[("filter", json!("SEPIA"))]),
            "/bufferViews/0/extensions/EXT_meshopt_compression/filter",
            Bad,
        ),
        (
            "compressed for another length",
            compressed(&[("count", json!(4))]),
            "/bufferViews/0/extensions/EXT_meshopt_compression/count",
            Data,
        ),
        (
            "compressed in no buffer",
            compressed(&[("buffer", json!(9))]),
            "/bufferViews/0/extensions/EXT_meshopt_compression/buffer",
            Reference,
        ),
        (
            "compressed to what is no stream",
            compressed(&[]),
            "/bufferViews/0/extensions/EXT_meshopt_compression",
            Data,
        ),
        // Meshes.
        (
            "a mode of no kind",
            whole().set("/meshes/0/primitives/0/mode", 7),
            "/meshes/0/primitives/0/mode",
            Bad,
        ),
        (
            "an index beyond the vertices",
            whole().put(INDICES, 2, &[3, 0]),
            "/meshes/0/primitives/0/indices",
            Data,
        ),
        (
            "an index that restarts",
            whole().put(INDICES, 2, &[255, 255]),
            "/meshes/0/primitives/0/indices",
            Data,
        ),
        (
            "a position that is no number",
            whole().put_float(POSITIONS, 4, nan),
            "/meshes/0/primitives/0/attributes/POSITION",
            Bad,
        ),
        (
            "a position that is infinite",
            whole().put_float(POSITIONS, 4, f32::INFINITY),
            "/meshes/0/primitives/0/attributes/POSITION",
            Bad,
        ),
        (
            "a negative weight",
            whole().put_float(WEIGHTS, 0, -0.5),
            "/meshes/0/primitives/0/attributes/WEIGHTS_0",
            Bad,
        ),
        (
            "a weight that is no number",
            whole().put_float(WEIGHTS, 0, nan),
            "/meshes/0/primitives/0/attributes/WEIGHTS_0",
            Bad,
        ),
        (
            "normals for fewer vertices",
            whole().set("/meshes/0/primitives/0/attributes/NORMAL", PLACES),
            "/meshes/0/primitives/0/attributes/NORMAL",
            Data,
        ),
        (
            "joints without weights",
            whole().without("/meshes/0/primitives/0/attributes/WEIGHTS_0"),
            "/meshes/0/primitives/0/attributes/WEIGHTS_0",
            Data,
        ),
        (
            "shifts for fewer vertices",
            whole().set("/meshes/0/primitives/0/targets/0/POSITION", PLACES),
            "/meshes/0/primitives/0/targets/0/POSITION",
            Data,
        ),
        (
            "a shift that is no number",
            whole().put_float(SHIFTS, 1, nan),
            "/meshes/0/primitives/0/targets/0/POSITION",
            Bad,
        ),
        // Nodes.
        ("two parents", whole().set("/nodes/1/children/-", 3), "/nodes/1/children/1", Structure),
        ("a child twice", whole().set("/nodes/1/children/-", 2), "/nodes/1/children/1", Structure),
        ("a cycle", whole().set("/nodes/2/children", json!([1])), "/nodes/2/children/0", Structure),
        (
            "its own parent",
            file(json!({"nodes": [{"children": [0]}]})),
            "/nodes/0/children/0",
            Structure,
        ),
        ("a scene of a child", whole().set("/scenes/0/nodes/-", 2), "/scenes/0/nodes/2", Structure),
        (
            "a scene that lists a node twice",
            whole().set("/scenes/0/nodes/-", 1),
            "/scenes/0/nodes/2",
            Structure,
        ),
        (
            "the quaternion 0 0 0 0",
            whole().set("/nodes/2/rotation", json!([0, 0, 0, 0])),
            "/nodes/2/rotation",
            Bad,
        ),
        (
            "a projection",
            whole().set("/nodes/3/matrix", json!([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0])),
            "/nodes/3/matrix",
            Bad,
        ),
        (
            "copies of other numbers",
            whole().set("/nodes/5/extensions/EXT_mesh_gpu_instancing/attributes/SCALE", POSITIONS),
            "/nodes/5/extensions/EXT_mesh_gpu_instancing/attributes",
            Data,
        ),
        (
            "a copy that is no number",
            whole().put_float(COPIES, 1, nan),
            "/nodes/5/extensions/EXT_mesh_gpu_instancing/attributes/TRANSLATION",
            Bad,
        ),
        ("a camera of no kind", whole().set("/cameras/0/type", "fisheye"), "/cameras/0/type", Bad),
        (
            "a camera without its lens",
            whole().set("/cameras/0/type", "orthographic"),
            "/cameras/0",
            Bad,
        ),
        (
            "a light of no kind",
            whole().set("/extensions/KHR_lights_punctual/lights/0/type", "area"),
            "/extensions/KHR_lights_punctual/lights/0/type",
            Bad,
        ),
        // Skins.
        (
            "fewer matrices than joints",
            whole().set("/accessors/4/count", 1),
            "/skins/0/inverseBindMatrices",
            Data,
        ),
        (
            "a matrix that is no number",
            whole().put_float(BINDS, 17, nan),
            "/skins/0/inverseBindMatrices",
            Bad,
        ),
        (
            "matrices of three numbers",
            whole().set("/skins/0/inverseBindMatrices", PLACES),
            "/skins/0/inverseBindMatrices",
            Bad,
        ),
        // Animations.
        (
            "a time that is no number",
            whole().put_float(TIMES, 1, nan),
            "/animations/0/samplers/0",
            Bad,
        ),
        ("times that go back", whole().put_float(TIMES, 0, 2.0), "/animations/0/samplers/0", Bad),
        (
            "a key that is no number",
            whole().put_float(PLACES, 0, nan),
            "/animations/0/samplers/0",
            Bad,
        ),
        (
            "a key that is no rotation",
            whole().put_float(TURNS, 3, 0.0),
            "/animations/0/samplers/1",
            Bad,
        ),
        (
            "more values than keys",
            whole().set("/animations/0/samplers/0/output", POSITIONS),
            "/animations/0/samplers/0",
            Bad,
        ),
        (
            "a time of visibility that is no number",
            shown_alone().put_float(TIMES, 1, nan),
            "/animations/0/samplers/3",
            Bad,
        ),
        (
            "times of visibility that go back",
            shown_alone().put_float(TIMES, 0, 2.0),
            "/animations/0/samplers/3",
            Bad,
        ),
        (
            "rotations of three numbers",
            whole().set("/animations/0/samplers/1/output", PLACES),
            "/animations/0/samplers/1/output",
            Bad,
        ),
        // JSON.
        ("a negative index", whole().set("/nodes/0/mesh", -1), "/nodes/0/mesh", Json),
        (
            "an index that is no whole number",
            whole().set("/nodes/0/mesh", 0.5),
            "/nodes/0/mesh",
            Json,
        ),
        ("a name that is a number", whole().set("/nodes/2/name", 3), "/nodes/2/name", Json),
        (
            "a translation of two numbers",
            whole().set("/nodes/2/translation", json!([0, 1])),
            "/nodes/2/translation",
            Json,
        ),
        ("an accessor without a type", whole().without("/accessors/3/type"), "/accessors/3", Json),
        ("nodes that are no list", whole().set("/nodes", json!({})), "/nodes", Json),
    ]
}

/// `whole`, its positions said to be compressed, which they are not.
fn compressed(members: &[(&str, Value)]) -> File {
    let mut said = json!({
        "buffer": 0, "byteLength": 36, "byteStride": 12, "count": 3, "mode": "ATTRIBUTES",
    });
    for (key, value) in members {
        said[*key] = value.clone();
    }
    whole().set("/bufferViews/0/extensions", json!({"EXT_meshopt_compression": said}))
}

/// `whole` with no other channel than that of visibility.
fn shown_alone() -> File {
    let channel = whole().json["animations"][0]["channels"][3].clone();
    whole().set("/animations/0/channels", json!([channel]))
}

#[test]
fn joints_beyond_sixteen_bits_are_not_taken_for_others() {
    let mut file = whole();
    file.column(5125, "VEC4", 3, &[0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0].repeat(3));
    let place = "/meshes/0/primitives/0/attributes/JOINTS_0";
    match file.set(place, 12).load() {
        Ok(document) => {
            let told = document.report().warnings();
            assert!(told.iter().any(|told| told.pointer == place), "told {told:?}");
        }
        Err(error) => assert_eq!(error.pointer(), place),
    }
}

#[test]
fn a_broken_file_is_refused_with_place_and_kind() {
    let mut faults = Vec::new();
    for (what, file, pointer, kind) in broken_files() {
        match file.load() {
            Ok(_) => faults.push(format!("{what}: loads")),
            Err(error) if (error.pointer(), error.kind()) == (pointer, kind) => {}
            Err(error) => faults.push(format!("{what}: {error:?}, expected {kind:?} at {pointer}")),
        }
    }
    panic_if_any(&faults);
}

#[test]
fn a_number_that_f32_cannot_hold_is_refused_wherever_it_is() {
    let mut faults = Vec::new();
    let places = [
        ("/nodes/2/translation", "[0, 1e39, 0]"),
        ("/nodes/2/rotation", "[0, 0, 0, 1e39]"),
        ("/nodes/2/scale", "[1, -1e39, 1]"),
        ("/nodes/3/matrix", "[1,0,0,0,0,1,0,0,0,0,1,0,1e39,0,0,1]"),
        ("/nodes/0/weights", "[1e39]"),
        ("/meshes/0/weights", "[1e39]"),
        ("/cameras/0/perspective/yfov", "1e39"),
        ("/extensions/KHR_lights_punctual/lights/0/intensity", "1e39"),
        ("/extensions/KHR_lights_punctual/lights/0/color", "[0, 0, 1e39]"),
        ("/materials/0/pbrMetallicRoughness/metallicFactor", "1e39"),
        ("/materials/0/emissiveFactor", "[0, 0, 1e400]"),
    ];
    for (pointer, text) in places {
        // `Value` cannot hold all of these.
        let whole = whole().set(pointer, "HERE").text().replace("\"HERE\"", text);
        match Options::new().load_bytes(whole.as_bytes()) {
            Ok(_) => faults.push(format!("{pointer} {text}: loads")),
            Err(error) if !error.pointer().starts_with(pointer) => {
                faults.push(format!("{pointer} {text}: {error:?}"));
            }
            Err(_) => {}
        }
    }
    panic_if_any(&faults);
}

#[test]
fn errors_name_the_place_the_fault_and_the_way_out() {
    let said = |file: File| file.load().unwrap_err().to_string();
    let cases = [
        (whole().set("/nodes/0/skin", 3), "/nodes/0/skin: skin 3 does not exist (the file has 1)"),
        (
            whole().set("/nodes/1/children/-", 3),
            "/nodes/1/children/1: node 3 is a child of node 0 already; a node has one parent",
        ),
        (
            whole().set("/nodes/2/children", json!([1])),
            "/nodes/2/children/0: node 1 is an ancestor of node 2: a cycle",
        ),
        (
            whole().set("/nodes/2/rotation", json!([0, 0, 0, 0])),
            "/nodes/2/rotation: the quaternion 0 0 0 0 is no rotation; 0 0 0 1 is none at all",
        ),
        (
            whole().put(INDICES, 2, &[3, 0]),
            "/meshes/0/primitives/0/indices: indices[1] is 3, but there are 3 positions",
        ),
        (
            whole().put_float(POSITIONS, 4, f32::NAN),
            "/meshes/0/primitives/0/attributes/POSITION: positions[1].y is NaN; it must be finite",
        ),
        (
            whole().set("/accessors/0/count", 4),
            "/accessors/0/count: 4 elements of 12 bytes, 12 apart, from byte 0 on, do not fit in \
             buffer view 0, which has 36",
        ),
        (
            whole().set("/bufferViews/0/byteLength", 9999),
            "/bufferViews/0/byteLength: 9999 bytes from byte 0 on are beyond buffer 0, which has 376",
        ),
        (
            file(json!({"extensionsRequired": ["VENDOR_x"]})),
            "/extensionsRequired/0: the file requires the extension \"VENDOR_x\", which is not known",
        ),
        (
            file(json!({})).set("/asset/version", "1.0"),
            "/asset/version: glTF 1.0 is not known, only 2.0",
        ),
        (
            file(json!({"buffers": [{"uri": "a.bin", "byteLength": 4}]})),
            "/buffers/0/uri: \"a.bin\" could not be read: the model was given as bytes, without \
             its other files; load it by its path, or give a resolver",
        ),
        (
            file(json!({"buffers": [{"uri": "http://a/b.bin", "byteLength": 4}]})),
            "/buffers/0/uri: \"http://a/b.bin\" is not read; only files beside the model and data \
             URIs are",
        ),
        (
            whole().put_float(TIMES, 0, 2.0),
            "/animations/0/samplers/0: times[1] is 1, before times[0], which is 2; \
             sort the keys by time",
        ),
    ];
    for (file, expected) in cases {
        assert_eq!(said(file), expected);
    }
}

#[test]
fn text_that_is_no_json_is_told_with_line_and_column() {
    let error = pleach_gltf::load_bytes(b"{\"asset\": {\"version\": \"2.0\"},\n \"nodes\": [{]}")
        .unwrap_err();
    assert_eq!(error.kind(), Json);
    assert!(error.message().contains("line 2, column 13"), "{error}");
    for (bytes, expected) in [
        (&b""[..], "the JSON ends where '{' should be (line 1, column 1)"),
        (b"[]", "expected '{' (line 1, column 1)"),
        (b"root:x:0:0", "this is neither glTF (JSON) nor GLB"),
        (
            br#"{"asset": {"version": "2.0"}, "nodes": [{"mesh": -1}]}"#,
            "/nodes/0/mesh: invalid type: integer `-1`, expected a whole number that is not \
             negative (line 1, column 51)",
        ),
        (b"\x89PNG\r\n", "this is neither glTF (JSON) nor GLB"),
        (b"{\"asset\": \"\xff\"}", "the JSON is no UTF-8 from byte 11 on"),
    ] {
        let error = pleach_gltf::load_bytes(bytes).unwrap_err();
        assert_eq!((error.kind(), &*error.to_string()), (Json, expected));
    }
}

#[test]
fn a_byte_order_mark_is_told_and_ignored() {
    let text = [b"\xef\xbb\xbf", whole().text().as_bytes()].concat();
    let document = pleach_gltf::load_bytes(&text).unwrap();
    let told = document.report().to_string();
    assert_eq!(told, "the JSON begins with a byte order mark; it is ignored\n");
    assert!(document.json().starts_with('{'));
    let strict = Options::new().strict().load_bytes(&text).unwrap_err();
    assert_eq!(strict.kind(), ErrorKind::Strict);
}

#[test]
fn whole_numbers_may_be_written_with_a_point() {
    let text = whole().set("/nodes/0/mesh", 0.0).set("/accessors/0/count", 3.0).text();
    assert!(text.contains("\"mesh\":0.0") && text.contains("\"count\":3.0"));
    assert!(Options::new().strict().load_bytes(text.as_bytes()).is_ok());
}

// ---- containers ----

#[test]
fn a_broken_container_is_refused() {
    let good = glb(&[(b"JSON", json_chunk())]);
    assert!(pleach_gltf::load_bytes(&good).is_ok());
    let with = |at: usize, bytes: &[u8]| {
        let mut file = good.clone();
        file[at..at + bytes.len()].copy_from_slice(bytes);
        file
    };
    let cases: [(Vec<u8>, &str); 8] = [
        (good[..4].to_vec(), "the file ends after 4 bytes, within the 12 bytes of the GLB header"),
        (
            good[..11].to_vec(),
            "the file ends after 11 bytes, within the 12 bytes of the GLB header",
        ),
        (with(4, &[1]), "this is GLB version 1; only version 2 is known"),
        (
            good[..good.len() - 1].to_vec(),
            "the GLB header says 48 bytes, but the file has 47; it is cut off",
        ),
        (with(12, &[99]), "GLB chunk 0 says 99 bytes, but 28 are there"),
        (with(12, &[255; 4]), "GLB chunk 0 says 4294967295 bytes, but 28 are there"),
        (with(16, b"BIN\0"), "the first GLB chunk must be JSON, but is of type 0x004e4942"),
        (glb(&[]), "the GLB has no chunk of JSON"),
    ];
    for (bytes, expected) in cases {
        let error = pleach_gltf::load_bytes(&bytes).unwrap_err();
        assert_eq!((error.kind(), error.to_string().as_str()), (Container, expected));
    }
    // The header of a second chunk is cut off.
    let mut cut = good.clone();
    cut.extend_from_slice(&[0; 4]);
    cut[8] = 52;
    let error = pleach_gltf::load_bytes(&cut).unwrap_err();
    let expected = "the header of GLB chunk 1 is cut off at byte 48";
    assert_eq!((error.kind(), error.to_string().as_str()), (Container, expected));
}

#[test]
fn an_odd_container_is_told() {
    let mut long = glb(&[(b"JSON", json_chunk())]);
    long.extend_from_slice(b"tail");
    let mut unpadded = json_chunk();
    unpadded.push(b' ');
    let cases = [
        (long, "4 bytes after the end of the GLB are ignored\n"),
        (
            glb(&[(b"JSON", json_chunk()), (b"JSON", json_chunk())]),
            "GLB chunk 1 comes once too often\n",
        ),
        (
            glb(&[(b"JSON", json_chunk()), (b"BIN\0", vec![0; 4]), (b"BIN\0", vec![0; 4])]),
            "GLB chunk 2 comes once too often\n",
        ),
        (glb(&[(b"JSON", unpadded)]), "GLB chunk 0 has 29 bytes, which is no multiple of 4\n"),
    ];
    for (bytes, expected) in cases {
        let document = pleach_gltf::load_bytes(&bytes).unwrap();
        assert_eq!(document.report().to_string(), expected);
        let strict = Options::new().strict().load_bytes(&bytes).unwrap_err();
        assert_eq!(
            (strict.kind(), strict.to_string() + "\n"),
            (ErrorKind::Strict, expected.into())
        );
    }
}

#[test]
fn chunks_that_are_not_known_are_no_fault() {
    let file = glb(&[(b"JSON", json_chunk()), (b"BIN\0", vec![0; 4]), (b"WHAT", vec![1; 8])]);
    let document = Options::new().strict().load_bytes(&file).unwrap();
    assert!(document.report().is_empty());
    let without_bin = glb(&[(b"JSON", json_chunk()), (b"WHAT", vec![1; 8])]);
    assert!(Options::new().strict().load_bytes(&without_bin).is_ok());
}

#[test]
fn a_glb_may_be_longer_than_its_buffer_says_but_not_shorter() {
    let mut file = whole();
    file.bin.push(0);
    let json = |length: usize| {
        let json = whole().set("/buffers", json!([{"byteLength": length}])).json;
        padded(json.to_string().into_bytes(), b' ')
    };
    let bytes = |length: usize| glb(&[(b"JSON", json(length)), (b"BIN\0", file.padded_bin())]);
    assert!(Options::new().strict().load_bytes(&bytes(whole().bin.len())).is_ok());
    let error = Options::new().load_bytes(&bytes(100_000)).unwrap_err();
    assert_eq!((error.kind(), error.pointer()), (Data, "/buffers/0/byteLength"));
    // Only the first buffer is the chunk.
    let two = whole().set("/buffers", json!([{"byteLength": 4}, {"byteLength": 4}])).json;
    let two = glb(&[(b"JSON", padded(two.to_string().into_bytes(), b' ')), (b"BIN\0", vec![0; 8])]);
    let error = pleach_gltf::load_bytes(&two).unwrap_err();
    assert_eq!((error.kind(), error.pointer()), (Data, "/buffers/1"));
}

// ---- options ----

#[test]
fn y_stays_up_if_asked_for() {
    let at = |options: Options| {
        let document = whole().load_as(&options).unwrap();
        let knee = document.node(0, 2).unwrap();
        let has_turn = document.turn(0).is_some();
        (document.scenes()[0].graph.node(knee).unwrap().world_translation(), has_turn)
    };
    assert_eq!(at(Options::new()), (Vec3::Z, true));
    assert_eq!(at(Options::new().keep_y_up()), (Vec3::Y, false));
}

#[test]
fn images_beside_the_model_can_be_left() {
    let files = BTreeMap::from([("a b.png".to_string(), Bytes::from(PNG.to_vec()))]);
    let model =
        file(json!({"images": [{"uri": "a%20b.png"}, {"uri": "data:image/png;base64,iVBORw=="}]}));
    let load = |options: Options| options.load_with(model.text().into_bytes(), &files).unwrap();
    let left = load(Options::new().leave_images());
    assert!(matches!(&left.images()[0].data, ImageData::External { uri } if uri == "a%20b.png"));
    assert!(matches!(&left.images()[1].data, ImageData::Encoded { .. }));
    assert!(left.report().is_empty());
    let read = load(Options::new());
    let encoded = |data: &ImageData| match data {
        ImageData::Encoded { mime, bytes } => (mime.clone(), bytes.len()),
        _ => panic!("{data:?}"),
    };
    assert_eq!(encoded(&read.images()[0].data), ("image/png".into(), PNG.len()));
}

#[test]
fn each_limit_that_is_hit_is_an_error_of_its_kind() {
    let deep = whole().set("/extras", serde_json::from_str::<Value>(&nested(50)).unwrap());
    let many = whole()
        .set("/accessors/-", json!({"componentType": 5126, "type": "VEC3", "count": 1_000_000}));
    let many = many.set("/meshes/1/primitives/0/attributes", json!({"POSITION": 12}));
    let far = file(json!({"buffers": [{"uri": "far.bin", "byteLength": 4}]}));
    let files = BTreeMap::from([("far.bin".to_string(), Bytes::from(vec![0; 1000]))]);
    let base = Limits::default();
    let cases = [
        ("nesting", deep.clone(), Limits { nesting: 49, ..base }, "/extras"),
        ("file_bytes", whole(), Limits { file_bytes: 100, ..base }, ""),
        ("file_bytes of a buffer", far, Limits { file_bytes: 999, ..base }, "/buffers/0/uri"),
        (
            "decoded_bytes of a column",
            many,
            Limits { decoded_bytes: 1 << 20, decoded_times: 1, ..base },
            "/meshes/1/primitives/0/attributes/POSITION",
        ),
        (
            "decoded_bytes of nodes",
            crowd(),
            Limits { decoded_bytes: 9999, decoded_times: 0, ..base },
            "/nodes",
        ),
        (
            "decoded_bytes of a data URI",
            file(json!({"buffers": [{
                "uri": format!("data:application/octet-stream;base64,{}", "AAAA".repeat(1000)),
                "byteLength": 3000,
            }]})),
            Limits { decoded_bytes: 2000, decoded_times: 0, ..base },
            "/buffers/0/uri",
        ),
    ];
    let mut faults = Vec::new();
    for (what, file, limits, pointer) in cases {
        let options = Options::new().with_limits(limits);
        match options.load_with(file.text().into_bytes(), &files) {
            Err(error) if (error.kind(), error.pointer()) == (Limit, pointer) => {}
            other => {
                faults.push(format!("{what}: {}, expected one at {pointer:?}", outcome(&other)));
            }
        }
    }
    panic_if_any(&faults);
    assert!(deep.load().is_ok());
}

#[test]
fn a_file_that_is_longer_than_the_limit_is_a_limit_by_its_path_too() {
    let directory = Scratch::new("too-long");
    directory.write("model.gltf", whole().text().as_bytes());
    let limits = Limits { file_bytes: 100, ..Limits::default() };
    let error = Options::new().with_limits(limits).load(directory.at("model.gltf")).unwrap_err();
    assert_eq!(error.kind(), Limit, "{error}");
}

/// Objects in objects.
fn nested(depth: usize) -> String {
    // One level is the file itself.
    format!("{}1{}", r#"{"a":"#.repeat(depth - 1), "}".repeat(depth - 1))
}

/// Many nodes.
fn crowd() -> File {
    file(
        json!({"nodes": vec![json!({}); 100], "scenes": [{"nodes": (0..100).collect::<Vec<_>>()}]}),
    )
}

#[test]
fn extras_may_be_nested_as_deep_as_the_limit_says() {
    let extras = nested(250);
    for pointer in ["/extras", "/nodes/0/extras", "/meshes/0/extras", "/extensions/VENDOR_x"] {
        let text = whole().set(pointer, "HERE").text().replace("\"HERE\"", &extras);
        let document = Options::new().load_bytes(text.as_bytes()).unwrap();
        assert_eq!(document.raw(pointer), Some(&*extras), "{pointer}");
    }
    // Far beyond any stack.
    let text = format!(r#"{{"asset": {{"version": "2.0"}}, "extras": {}}}"#, nested(200_000));
    let error = pleach_gltf::load_bytes(text.as_bytes()).unwrap_err();
    assert_eq!(error.kind(), Limit);
}

#[test]
fn progress_is_told_in_rising_stages_and_can_stop_the_load() {
    let steps = Arc::new(Mutex::new(Vec::new()));
    let told = Arc::clone(&steps);
    let options = Options::new().on_progress(move |step| {
        told.lock().unwrap().push(step);
        ControlFlow::Continue(())
    });
    whole().load_as(&options).unwrap();
    let steps = steps.lock().unwrap().clone();
    assert!(steps.iter().all(|step| step.done <= step.total), "{steps:?}");
    assert!(steps.is_sorted_by_key(|step| (step.stage, step.done)), "{steps:?}");
    let stages = [
        Stage::Json,
        Stage::Buffers,
        Stage::Images,
        Stage::Geometry,
        Stage::Animations,
        Stage::Scenes,
    ];
    for stage in stages {
        assert!(steps.iter().any(|step| step.stage == stage), "{stage:?} in {steps:?}");
        let options = Options::new().on_progress(move |step| match step.stage == stage {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        });
        let error = whole().load_as(&options).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Cancelled, "{stage:?}");
    }
}

// ---- other files ----

/// A directory for one test, which is removed at its end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("pleach-gltf-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        fs::create_dir_all(self.at(name).parent().unwrap()).unwrap();
        fs::write(self.at(name), bytes).unwrap();
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What is left is in a directory for such things.
        _ = fs::remove_dir_all(&self.0);
    }
}

/// Loads a model with one buffer of four bytes, below `base`.
fn with_buffer(base: &Path, uri: &str) -> Result<Document, Error> {
    let model = file(json!({"buffers": [{"uri": uri, "byteLength": 4}]}));
    fs::write(base.join("model.gltf"), model.text()).unwrap();
    pleach_gltf::load(base.join("model.gltf"))
}

#[test]
fn files_below_the_model_are_read_by_their_percent_encoded_names() {
    let scratch = Scratch::new("names");
    for name in ["a b.bin", "sub/c.bin", "100%.bin", "❤.bin", "x;y=1.bin"] {
        scratch.write(name, b"1234");
    }
    for uri in [
        "a%20b.bin",
        "a b.bin",
        "sub/c.bin",
        "./sub/../sub/c.bin",
        "sub%2Fc.bin",
        "100%25.bin",
        "100%.bin",
        "❤.bin",
        "%E2%9D%A4.bin",
        "x;y=1.bin",
    ] {
        if let Err(error) = with_buffer(&scratch.0, uri) {
            panic!("{uri}: {error}");
        }
    }
    // Not everywhere may names be such.
    if cfg!(unix) {
        scratch.write("q?#.bin", b"1234");
        assert!(with_buffer(&scratch.0, "q%3F%23.bin").is_ok());
    }
}

#[test]
fn nothing_outside_of_the_models_directory_is_read() {
    let scratch = Scratch::new("outside");
    scratch.write("secret.bin", b"1234");
    scratch.write("model/in.bin", b"1234");
    let base = scratch.at("model");
    let absolute = scratch.at("secret.bin");
    let absolute = absolute.to_str().unwrap();
    let file_uri = format!("file://{absolute}");
    for uri in [
        "../secret.bin",
        "%2e%2e/secret.bin",
        "..%2Fsecret.bin",
        "sub/../../secret.bin",
        "./../secret.bin",
        absolute,
        &absolute.replace('/', "%2F"),
        &file_uri,
        "http://localhost/in.bin",
        "//localhost/in.bin",
        "",
        "in.bin%00",
        "in.bin/",
        ".",
        "in.bin/../../secret.bin",
    ] {
        match with_buffer(&base, uri) {
            Ok(_) => panic!("{uri:?} was read"),
            Err(error) => {
                assert_eq!((error.kind(), error.pointer()), (Uri, "/buffers/0/uri"), "{uri:?}");
            }
        }
    }
    assert!(with_buffer(&base, "in.bin").is_ok());
}

#[cfg(unix)]
#[test]
fn links_out_of_the_directory_pipes_and_directories_are_not_read() {
    use std::os::unix::fs::symlink;

    let scratch = Scratch::new("links");
    scratch.write("secret.bin", b"1234");
    scratch.write("model/in.bin", b"1234");
    let base = scratch.at("model");
    symlink("../secret.bin", base.join("out.bin")).unwrap();
    symlink("..", base.join("up")).unwrap();
    symlink("loop.bin", base.join("loop.bin")).unwrap();
    symlink("in.bin", base.join("alias.bin")).unwrap();
    symlink("/dev/zero", base.join("zero.bin")).unwrap();
    fs::create_dir(base.join("folder")).unwrap();
    let pipe = std::process::Command::new("mkfifo").arg(base.join("pipe")).status();
    let mut refused = vec!["out.bin", "up/secret.bin", "loop.bin", "zero.bin", "folder"];
    // Opening a pipe would wait for ever.
    if pipe.is_ok_and(|status| status.success()) {
        refused.push("pipe");
    }
    for uri in refused {
        let error = with_buffer(&base, uri).unwrap_err();
        assert_eq!((error.kind(), error.pointer()), (Uri, "/buffers/0/uri"), "{error}");
    }
    assert!(with_buffer(&base, "alias.bin").is_ok(), "a link within the directory is followed");
}

#[test]
fn an_error_names_the_file_and_keeps_its_cause() {
    let scratch = Scratch::new("cause");
    let error = with_buffer(&scratch.0, "none.bin").unwrap_err();
    assert_eq!(error.file(), Some(&*scratch.at("model.gltf")));
    assert!(error.to_string().contains("model.gltf: /buffers/0/uri: \"none.bin\""), "{error}");
    let cause = std::error::Error::source(&error).unwrap();
    let cause = cause.downcast_ref::<std::io::Error>().unwrap();
    assert_eq!(cause.kind(), std::io::ErrorKind::NotFound);

    let missing = pleach_gltf::load(scratch.at("none.gltf")).unwrap_err();
    assert_eq!(missing.kind(), ErrorKind::Io);
    assert_eq!(missing.file(), Some(&*scratch.at("none.gltf")));
    assert_eq!(pleach_gltf::load(&scratch.0).unwrap_err().kind(), ErrorKind::Io);
}

#[test]
fn a_missing_image_leaves_the_rest_but_a_missing_buffer_does_not() {
    let scratch = Scratch::new("missing");
    let text = whole().set("/images/-", json!({"uri": "none.png"})).text();
    scratch.write("model.gltf", text.as_bytes());
    let document = pleach_gltf::load(scratch.at("model.gltf")).unwrap();
    let told = document.report().warnings();
    assert_eq!((told.len(), &*told[0].pointer), (1, "/images/1/uri"));
    assert!(matches!(&document.images()[1].data, ImageData::External { uri } if uri == "none.png"));
    assert_eq!(with_buffer(&scratch.0, "none.bin").unwrap_err().kind(), Uri);
}

#[test]
fn a_directory_is_a_resolver() {
    let scratch = Scratch::new("resolver");
    scratch.write("data.bin", b"1234");
    let model = file(json!({"buffers": [{"uri": "data.bin", "byteLength": 4}]}));
    let load =
        |path: PathBuf| Options::new().load_with(model.text().into_bytes(), &Directory::new(path));
    assert!(load(scratch.0.clone()).is_ok());
    assert_eq!(load(scratch.at("none")).unwrap_err().kind(), Uri);
}

// ---- content ----

#[test]
fn numbers_of_every_type_are_read_as_gltf_says() {
    let read = |component: u32, normalized: bool, bytes: &[u8]| {
        let mut file = whole();
        file.column(component, "VEC3", 1, bytes);
        let file = file
            .set("/accessors/12/normalized", normalized)
            .set("/meshes/1/primitives/0/attributes/POSITION", 12);
        file.load().unwrap().meshes()[1][0].geometry.positions[0].to_array()
    };
    assert_eq!(read(5120, false, &[128, 0, 127]), [-128.0, 0.0, 127.0]);
    assert_eq!(read(5120, true, &[128, 129, 127]), [-1.0, -1.0, 1.0]);
    assert_eq!(read(5121, false, &[0, 128, 255]), [0.0, 128.0, 255.0]);
    assert_eq!(read(5121, true, &[0, 51, 255]), [0.0, 0.2, 1.0]);
    assert_eq!(read(5122, false, &[0, 128, 0, 0, 255, 127]), [-32768.0, 0.0, 32767.0]);
    assert_eq!(read(5122, true, &[0, 128, 1, 128, 255, 127]), [-1.0, -1.0, 1.0]);
    assert_eq!(read(5123, false, &[0, 0, 0, 1, 255, 255]), [0.0, 256.0, 65535.0]);
    assert_eq!(read(5123, true, &[0, 0, 51, 51, 255, 255]), [0.0, 0.2, 1.0]);
}

#[test]
fn indices_of_every_width_are_read() {
    for (component, bytes) in [
        (5121, vec![0, 2, 1]),
        (5123, vec![0, 0, 2, 0, 1, 0]),
        (5125, vec![0, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0]),
    ] {
        let mut file = whole();
        file.column(component, "SCALAR", 3, &bytes);
        let document = file.set("/meshes/0/primitives/0/indices", 12).load().unwrap();
        let geometry = &document.meshes()[0][0].geometry;
        assert_eq!(geometry.indices, Some(vec![0, 2, 1]), "{component}");
    }
}

#[test]
fn sparse_elements_replace_those_of_the_view_or_zeros() {
    let positions = |file: File| file.load().unwrap().meshes()[1][0].geometry.positions.clone();
    let one = |file: File| {
        let values = file.json["accessors"][0]["sparse"]["values"]["bufferView"].as_u64().unwrap();
        file.put_float(values as usize, 4, 7.0)
    };
    let replaced = positions(one(sparse(&[0, 2])));
    assert_eq!(replaced, [Vec3::ZERO, Vec3::X, Vec3::new(0.0, 7.0, 0.0)]);
    let alone = positions(one(sparse(&[0, 2])).without("/accessors/0/bufferView"));
    assert_eq!(alone, [Vec3::ZERO, Vec3::ZERO, Vec3::new(0.0, 7.0, 0.0)]);
}

#[test]
fn interleaved_columns_are_taken_apart() {
    let mut file = whole();
    let rows: Vec<f32> = (0..18).map(|number| number as f32).collect();
    let bytes: Vec<u8> = rows.iter().flat_map(|number| number.to_le_bytes()).collect();
    let view = file.view(&bytes[..18 * 4]);
    let column = |offset: usize| {
        json!({"bufferView": view, "byteOffset": offset, "componentType": 5126, "type": "VEC3",
               "count": 3})
    };
    let file = file
        .set(&format!("/bufferViews/{view}/byteStride"), 24)
        .set("/accessors/-", column(0))
        .set("/accessors/-", column(12))
        .set("/meshes/1/primitives/0/attributes", json!({"POSITION": 12, "NORMAL": 13}));
    let document = file.load_as(&Options::new().strict()).unwrap();
    let geometry = &document.meshes()[1][0].geometry;
    assert_eq!(geometry.positions[2], Vec3::new(12.0, 13.0, 14.0));
    assert_eq!(geometry.normals[2], Vec3::new(15.0, 16.0, 17.0));
}

#[test]
fn equal_primitives_share_a_geometry_and_those_without_a_material_a_default() {
    let plain = json!({"attributes": {"POSITION": POSITIONS}});
    let painted = json!({"attributes": {"POSITION": POSITIONS}, "material": 0});
    let lines = json!({"attributes": {"POSITION": POSITIONS}, "mode": 1});
    let document =
        whole().set("/meshes/1/primitives", json!([plain, painted, lines])).load().unwrap();
    let [plain, painted, lines] = &document.meshes()[1][..] else { panic!("three parts") };
    assert_eq!(plain.geometry, painted.geometry);
    assert_ne!(plain.geometry, lines.geometry);
    assert_eq!(painted.material, document.materials()[0]);
    assert_eq!(plain.material, lines.material);
    assert_ne!(plain.material, painted.material);
}

#[test]
fn morph_targets_have_the_names_of_the_meshs_extras() {
    let name = |extras: Value| {
        let document = whole().set("/meshes/0/extras", extras).load().unwrap();
        assert!(document.report().is_empty());
        document.meshes()[0][0].geometry.morph_targets[0].name.clone()
    };
    assert_eq!(name(json!({"targetNames": ["smile"]})), Some("smile".into()));
    assert_eq!(name(json!({"targetNames": ["smile", "frown"]})), Some("smile".into()));
    for other in [json!({"targetNames": [1]}), json!({"targetNames": []}), json!([]), json!("x")] {
        assert_eq!(name(other), None);
    }
}

#[test]
fn a_root_of_two_scenes_is_another_node_in_each() {
    let document = file(json!({
        "nodes": [{"name": "tree", "children": [1]}, {"name": "leaf"}, {"name": "alone"}],
        "scenes": [{"nodes": [0]}, {"nodes": [0]}],
    }));
    let mut document = document.load().unwrap();
    let leaf = document.node(0, 1).unwrap();
    document.scenes_mut()[0].remove(leaf).unwrap();
    assert_eq!(document.node(0, 1), None, "removed here");
    let other = document.node(1, 1).unwrap();
    assert!(document.scenes()[1].graph.contains(other), "but not there");
    assert_eq!((document.node(0, 2), document.node(1, 2)), (None, None));
    let alone = document.node(2, 2).unwrap();
    let outside = document.outside().unwrap();
    assert_eq!(outside.graph.node(alone).unwrap().name(), Some("alone"));
    assert_eq!((document.node(3, 0), document.node(0, 99)), (None, None));
}

#[test]
fn the_scene_to_show_is_the_files_choice_or_the_first_or_what_no_scene_lists() {
    let shown = |members: Value| {
        let mut members = members;
        members["nodes"] = json!([{"name": "a"}, {"name": "b"}]);
        let document = file(members).load().unwrap();
        let found = |name| document.scene().is_some_and(|scene| scene.graph.find(name).is_some());
        let both = (found("a"), found("b"));
        let scene = document.into_scene();
        assert_eq!((scene.graph.find("a").is_some(), scene.graph.find("b").is_some()), both);
        both
    };
    let scenes = json!([{"nodes": [0]}, {"nodes": [1]}]);
    assert_eq!(shown(json!({"scenes": scenes, "scene": 1})), (false, true));
    assert_eq!(shown(json!({"scenes": scenes})), (true, false));
    assert_eq!(shown(json!({})), (true, true));
    let empty = file(json!({})).load().unwrap();
    assert!(empty.scene().is_none() && empty.scenes().is_empty() && empty.outside().is_none());
}

#[test]
fn images_tell_what_they_are_if_no_one_else_does() {
    let webp = b"RIFF\0\0\0\0WEBP";
    let files: [(&[u8], &str); 6] = [
        (PNG, "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (webp, "image/webp"),
        (b"\xabKTX 20\xbb\r\n\x1a\n", "image/ktx2"),
        (b"what?", "application/octet-stream"),
        (b"", "application/octet-stream"),
    ];
    let mime = |image: Value, bytes: &[u8]| {
        let files = BTreeMap::from([("image".to_string(), Bytes::from(bytes.to_vec()))]);
        let model = file(json!({"images": [image]})).text().into_bytes();
        let document = Options::new().strict().load_with(model, &files).unwrap();
        match &document.images()[0].data {
            ImageData::Encoded { mime, bytes: got } => {
                assert_eq!(got, bytes);
                mime.clone()
            }
            other => panic!("{other:?}"),
        }
    };
    for (bytes, expected) in files {
        assert_eq!(mime(json!({"uri": "image"}), bytes), expected);
        let uri = format!("data:;base64,{}", STANDARD.encode(bytes));
        assert_eq!(mime(json!({"uri": uri}), bytes), expected);
    }
    // What is said counts more than what is seen; the file's word more than the URI's.
    assert_eq!(mime(json!({"uri": "image", "mimeType": "image/jpeg"}), PNG), "image/jpeg");
    let uri = format!("data:image/webp;base64,{}", STANDARD.encode(PNG));
    assert_eq!(mime(json!({"uri": uri}), PNG), "image/webp");
    assert_eq!(mime(json!({"uri": uri, "mimeType": "image/png"}), PNG), "image/png");
}

#[test]
fn names_are_kept_as_they_are() {
    let names = [
        json!("same"),
        json!("same"),
        json!(""),
        Value::Null,
        json!("❤ ♻ 名前"),
        json!("a/b~c\"\\\n\u{0}"),
        json!("x".repeat(100_000)),
    ];
    let nodes: Vec<Value> = names
        .iter()
        .map(|name| if name.is_null() { json!({}) } else { json!({"name": name}) })
        .collect();
    let model = file(json!({
        "nodes": nodes,
        "scenes": [{"name": "❤", "nodes": (0..names.len()).collect::<Vec<_>>()}],
    }));
    let document = model.load().unwrap();
    let scene = &document.scenes()[0];
    assert_eq!(scene.name, "❤");
    for (index, name) in names.iter().enumerate() {
        let node = document.node(0, index).unwrap();
        assert_eq!(scene.graph.node(node).unwrap().name(), name.as_str(), "node {index}");
    }
    // Escapes are another way to write the same.
    let escaped = r#"{"asset":{"version":"2.0"},"nodes":[{"name":"\u2764\ud83d\ude00\t"}]}"#;
    let document = pleach_gltf::load_bytes(escaped.as_bytes()).unwrap();
    let node = document.node(0, 0).unwrap();
    let outside = document.outside().unwrap();
    assert_eq!(outside.graph.node(node).unwrap().name(), Some("❤😀\t"));
}

#[test]
fn raw_values_are_the_text_of_the_file() {
    let text = r#"{ "asset" : {"version": "2.0"}, "extras": {"a/b": {"~": [1.50, "x\u0041"]}, "": 7},
        "nodes": [{"extras": null}, {"extensions": {"VENDOR_x": { "k":  [ ] }}}] }"#;
    let document = pleach_gltf::load_bytes(text.as_bytes()).unwrap();
    assert_eq!(document.json(), text);
    for (pointer, expected) in [
        ("", Some(text)),
        ("/extras/a~1b/~0/0", Some("1.50")),
        ("/extras/a~1b/~0/1", Some(r#""x\u0041""#)),
        ("/extras/", Some("7")),
        ("/nodes/0/extras", Some("null")),
        ("/nodes/1/extensions/VENDOR_x", Some(r#"{ "k":  [ ] }"#)),
        ("/nodes/2", None),
        ("/nodes/-1", None),
        ("/nodes/00", None),
        ("/nodes/0/name", None),
        ("nodes", None),
    ] {
        assert_eq!(document.raw(pointer), expected, "{pointer:?}");
    }
    // The JSON of a container is without what pads it.
    let document = pleach_gltf::load_bytes(&whole().glb()).unwrap();
    assert_eq!(document.raw("/nodes/1/name"), Some("\"hip\""));
}

#[test]
fn a_pointer_at_a_translation_is_played_as_a_channel() {
    let pointer = json!({"pointer": "/nodes/1/translation"});
    let target = json!({"path": "pointer", "extensions": {"KHR_animation_pointer": pointer}});
    let file = whole().set("/animations/0/channels/0/target", target);
    let mut document = file.load_as(&Options::new().strict().keep_y_up()).unwrap();
    let binding = document.bind(0, 0).unwrap();
    let hip = document.node(0, 1).unwrap();
    let scene = &mut document.scenes_mut()[0];
    let mut mixer = Mixer::new();
    let layer = Layer::new(binding).with_repeat(Repeat::Once);
    mixer.add(layer, &scene.graph, &scene.weights);
    scene.animate(&mut mixer, 0.25);
    scene.update().unwrap();
    assert_eq!(scene.graph.node(hip).unwrap().translation(), Vec3::Y);
}

#[test]
fn pointers_at_what_is_not_played_are_no_fault() {
    for pointer in ["/materials/0/alphaCutoff", "/nodes/1/extensions/X/y", "/cameras/0", "", "x"] {
        let target = "/animations/0/channels/3/target/extensions/KHR_animation_pointer/pointer";
        let document = whole().set(target, pointer).load_as(&Options::new().strict());
        let document = document.unwrap();
        let animation = &document.animations()[0];
        assert_eq!((animation.clip().channels().len(), animation.shown_count()), (3, 0));
    }
}

#[test]
fn visibility_follows_its_pointer_channel() {
    let mut document = whole().load_as(&Options::new().strict()).unwrap();
    assert_eq!(document.animations()[0].shown_count(), 1);
    let leaves = document.node(0, 5).unwrap();
    for (seconds, shown) in [(0.0, true), (0.99, true), (1.0, false), (-1.0, true), (9.0, false)] {
        document.show_at(0, 0, seconds);
        let got = document.scenes()[0].graph.node(leaves).unwrap().is_visible();
        assert_eq!(got, shown, "at {seconds} s");
    }
    // Nothing happens for what is not there.
    document.show_at(1, 0, 0.0);
    document.show_at(0, 9, 0.0);
    assert!(!document.scenes()[0].graph.node(leaves).unwrap().is_visible());
}

#[test]
fn binding_what_is_not_there_is_refused() {
    let document = whole().load().unwrap();
    let error = document.bind(3, 0).unwrap_err();
    assert_eq!((error.kind(), error.pointer()), (Reference, "/animations/3"));
    assert_eq!(document.bind(0, 7).unwrap_err().kind(), Reference);
}

#[test]
fn unknown_extensions_that_are_only_used_are_no_fault() {
    let file = whole()
        .set("/extensionsUsed/-", "VENDOR_x")
        .set("/nodes/0/extensions", json!({"VENDOR_x": {"mesh": 99}}))
        .set("/extensions/VENDOR_x", json!([]));
    assert!(file.load_as(&Options::new().strict()).unwrap().report().is_empty());
}
